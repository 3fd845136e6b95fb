//! Distances of a tile of rows to all rows: numbers of different levels for nominal features, sums
//! of differences for numeric ones.
//!
//! Columns (all rows, sorted by class) are taken 128 to 512 at a time; for a block of features
//! their bit planes are made once and every row of the tile adds its agreements. Threads take
//! column tiles, so nothing is shared.

use super::NeighbourRows;
use super::grid::Grid;
use crate::error::Result;
use crate::memory;
use crate::parallel::{self, Control};
use crate::simd::{Buffer, Kernels, WIDE_BLOCK};
use std::ops::Range;

/// Most bytes of distances that a tile of rows takes.
const TILE_BYTES: usize = 128 << 20;

/// Bytes of bit planes of a block of features.
const PLANE_BYTES: usize = 1 << 19;

/// All rows in the order in which they stand as columns: by class, then by row.
#[derive(Debug)]
pub(super) struct Order {
    /// Row at each place.
    pub rows: Vec<u32>,
    /// Where each class begins, and the number of rows.
    pub starts: Vec<usize>,
    /// Place of each row.
    pub places: Vec<u32>,
    /// The number under which the row at each place was given, which tells ties apart.
    pub given: Vec<u32>,
}

impl Order {
    pub fn new(rows: &NeighbourRows<'_>) -> Self {
        let mut order = Self::of(&rows.classes, rows.n_classes);
        order.given.iter_mut().for_each(|row| *row = rows.given[*row as usize]);
        order
    }

    /// Of rows of these classes.
    pub fn of(classes: &[u16], n_classes: usize) -> Self {
        let mut starts = vec![0; n_classes + 1];
        classes.iter().for_each(|&c| starts[usize::from(c) + 1] += 1);
        (0..n_classes).for_each(|c| starts[c + 1] += starts[c]);
        let mut next = starts.clone();
        let (mut order, mut places) = (vec![0; classes.len()], vec![0; classes.len()]);
        for (i, &c) in classes.iter().enumerate() {
            let place = &mut next[usize::from(c)];
            order[*place] = i as u32;
            places[i] = *place as u32;
            *place += 1;
        }
        Self { given: order.clone(), rows: order, starts, places }
    }
}

/// Rows of a tile: enough that making the bit planes of all columns again for each tile does not
/// matter, few enough that their distances stay in the cache for few features, and never more than
/// fit the memory set aside.
pub(super) fn tile_rows(rows: usize, [nominal, others]: [usize; 2]) -> usize {
    let fit = TILE_BYTES / row_bytes(rows, others).max(1);
    (8 * (nominal + others)).max(64).min(fit).clamp(16, rows.max(16))
}

/// Bytes of the distances of one row to all, with `others` columns that are not nominal.
pub(super) fn row_bytes(rows: usize, others: usize) -> usize {
    let bytes = if others == 0 { 4 } else { 12 };
    bytes * rows.next_multiple_of(512)
}

/// Bytes of the bit planes that a thread makes of `columns` columns with at most `most` values.
pub(super) fn planes_bytes(kernels: Kernels, columns: usize, most: usize) -> usize {
    let column = 8 * kernels.words() * most;
    (columns.min(WIDE_BLOCK) * column).min(PLANE_BYTES.max(column))
}

/// Distances of some rows to all places.
pub(super) struct Distances {
    /// A strip for each tile of places: `[row of the tile][place in the strip]`.
    nominal: Vec<Vec<u32>>,
    /// A strip for each tile of places: sums of gaps; empty without numeric columns.
    numeric: Vec<Vec<f64>>,
    width: usize,
    places: usize,
}

impl Distances {
    /// Distances of the rows in `tile` (row numbers) to all rows.
    pub fn new(
        control: &Control,
        kernels: Kernels,
        rows: &NeighbourRows<'_>,
        order: &Order,
        levels: &[u16],
        tile: &Range<usize>,
    ) -> Result<Self> {
        let width = 64 * kernels.words();
        let strips = rows.len().div_ceil(width);
        let both = parallel::map(control, strips, |s| {
            let places = s * width..((s + 1) * width).min(rows.len());
            let nominal =
                nominal(control, kernels, rows, &order.rows[places.clone()], levels, tile)?;
            let numeric = numeric(control, kernels, rows, &order.rows[places], width, tile)?;
            Ok((nominal, numeric))
        })?;
        let (nominal, numeric) = both.into_iter().unzip();
        Ok(Self { nominal, numeric, width, places: rows.len() })
    }

    /// Distances of the i-th row of the tile, by place, as whole numbers.
    pub fn whole(&self, i: usize, out: &mut Vec<i32>) {
        out.clear();
        for strip in &self.nominal {
            out.extend(strip[i * self.width..][..self.width].iter().map(|&d| d as i32));
        }
        out.truncate(self.places);
    }

    /// Distances of the i-th row of the tile, by place, with the gaps of numeric columns.
    pub fn mixed(&self, i: usize, out: &mut Vec<f64>) {
        out.clear();
        for (nominal, numeric) in self.nominal.iter().zip(&self.numeric) {
            let nominal = &nominal[i * self.width..][..self.width];
            out.extend(
                nominal.iter().zip(&numeric[i * self.width..]).map(|(&d, g)| f64::from(d) + g),
            );
        }
        out.truncate(self.places);
    }
}

/// Numbers of nominal features in which rows differ, `[row of the tile][place in the strip]`;
/// `places` has the row at each place.
fn nominal(
    control: &Control,
    kernels: Kernels,
    rows: &NeighbourRows<'_>,
    places: &[u32],
    levels: &[u16],
    tile: &Range<usize>,
) -> Result<Vec<u32>> {
    let w = kernels.words();
    let mut out: Vec<u32> = memory::zeroed(tile.len() * 64 * w)?;
    let mut planes = Buffer::default();
    let mut first = 0;
    while first < rows.codes.columns {
        // as many features as planes of the largest number of levels among them allow
        let (mut last, mut most) = (first, 0);
        while last < rows.codes.columns && last - first < WIDE_BLOCK {
            let with = most.max(usize::from(levels[last]));
            if last > first && (last + 1 - first) * with * w * 8 > PLANE_BYTES {
                break;
            }
            (last, most) = (last + 1, with);
        }
        planes.reset((last - first) * most * w);
        for (at, &row) in places.iter().enumerate() {
            let (word, bit) = (at / 64, 1u64 << (at % 64));
            for (k, &code) in rows.part(row as usize, first..last).iter().enumerate() {
                planes[(k * most + usize::from(code)) * w + word] |= bit;
            }
        }
        for (i, out) in tile.clone().zip(out.chunks_exact_mut(64 * w)) {
            if i % 64 == 0 {
                control.check()?;
            }
            kernels.add_distances(&planes, rows.part(i, first..last), most, out);
        }
        first = last;
    }
    Ok(out)
}

/// Sums of differences of numeric features, `[row of the tile][place in the strip]`; `places` has
/// the row at each place. Empty without such features.
fn numeric(
    control: &Control,
    kernels: Kernels,
    rows: &NeighbourRows<'_>,
    places: &[u32],
    width: usize,
    tile: &Range<usize>,
) -> Result<Vec<f64>> {
    if rows.others.is_empty() {
        return Ok(Vec::new());
    }
    let mut out: Vec<f64> = memory::zeroed(tile.len() * width)?;
    let mut there = vec![0.0; width];
    let grid = Grid::of(rows);
    for column in &rows.others {
        control.check()?;
        if let Some(values) = column.complete_numbers() {
            let there = &mut there[..places.len()];
            places.iter().zip(&mut *there).for_each(|(&row, to)| {
                *to = grid.round(values[row as usize]);
            });
            for (i, out) in tile.clone().zip(out.chunks_exact_mut(width)) {
                kernels.add_gaps(there, grid.round(values[i]), out);
            }
        } else {
            for (i, out) in tile.clone().zip(out.chunks_exact_mut(width)) {
                places
                    .iter()
                    .zip(out)
                    .for_each(|(&row, to)| *to += grid.round(column.diff(i, row as usize)));
            }
        }
    }
    Ok(out)
}

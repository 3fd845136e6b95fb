//! Distances of a tile of rows to all rows: the number of nominal features that differ, plus the
//! sum of differences of the other columns.
//!
//! The rows to compare with are taken in strips of 64 to 512, in the order of their classes. For a
//! block of features the bit planes of a strip (one bit per row for each value) are made once, and
//! every row of the tile adds its agreements from them. Threads take strips, so they share nothing.
//! Cost: O(t^2 n / 400) operations for n nominal columns, O(t^2) per other column.

use super::grid::Grid;
use super::rows::NeighbourRows;
use crate::error::Result;
use crate::memory;
use crate::parallel::{self, Control};
use crate::simd::{Buffer, Kernels, WIDE_BLOCK};
use std::ops::Range;

/// Most bytes of the distances of a tile.
const TILE_BYTES: usize = 128 << 20;

/// Most bytes of the bit planes of a block of features: they stay in the second-level cache.
const PLANE_BYTES: usize = 1 << 19;

/// The rows sorted by class, then by number. The *place* of a row is its index in this order: masks
/// and lists of neighbours hold places, because the places of a class are contiguous.
#[derive(Debug)]
pub(super) struct Order {
    /// Row at each place.
    pub rows: Vec<u32>,
    /// First place of each class, then the number of rows.
    pub starts: Vec<usize>,
    /// Place of each row.
    pub places: Vec<u32>,
    /// Number of the row at each place as the caller gave it; it breaks ties.
    pub given: Vec<u32>,
}

impl Order {
    /// The order of `rows`, with the numbers of the caller. Ties between neighbours are broken by
    /// these numbers, although the rows themselves are held in the order of their content.
    pub fn new(rows: &NeighbourRows<'_>) -> Self {
        let mut order = Self::from_classes(&rows.classes, rows.n_classes);
        order.given.iter_mut().for_each(|row| *row = rows.given[*row as usize]);
        order
    }

    /// The order of rows with these classes, by a counting sort. Row numbers are at the same time
    /// the numbers of the caller.
    pub fn from_classes(classes: &[u16], n_classes: usize) -> Self {
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

/// Number of rows per tile, for `nominal` complete nominal columns and `others` other columns.
///
/// Eight rows per column make the bit planes, which are made again for each tile, cheap beside
/// their use; with few columns the distances of a tile stay in the cache. [`TILE_BYTES`] is the
/// limit.
pub(super) fn tile_rows(rows: usize, nominal: usize, others: usize) -> usize {
    let fit = TILE_BYTES / row_bytes(rows, others).max(1);
    (8 * (nominal + others)).max(64).min(fit).clamp(16, rows.max(16))
}

/// Bytes of the distances of one row to all `rows` rows. They include sums of differences if there
/// are `others`, columns that are not complete nominal ones.
pub(super) fn row_bytes(rows: usize, others: usize) -> usize {
    // a u32 number of differing features, and an f64 sum of differences
    let bytes = if others == 0 { 4 } else { 4 + 8 };
    bytes * rows.next_multiple_of(512)
}

/// Bytes of the bit planes that one thread makes of `columns` columns with at most `most` values.
pub(super) fn planes_bytes(kernels: Kernels, columns: usize, most: usize) -> usize {
    let column = 8 * kernels.words() * most;
    (columns.min(WIDE_BLOCK) * column).min(PLANE_BYTES.max(column))
}

/// Distances of the rows of a tile to all places.
pub(super) trait RowDistances: Sync {
    /// Whether all distances are whole numbers.
    fn is_whole(&self) -> bool;
    /// Copy the distances of the i-th row of the tile, by place, where they are whole.
    fn copy_whole(&self, i: usize, out: &mut Vec<i32>);
    /// Copy the distances of the i-th row of the tile, by place, where they are real numbers.
    fn copy_real(&self, i: usize, out: &mut Vec<f64>);
}

/// Distances of the rows of a tile to all places, strip by strip.
pub(super) struct Distances {
    /// `[strip][row of the tile][place in the strip]`: nominal features that differ.
    nominal: Vec<Vec<u32>>,
    /// In the same layout the sums of differences of the other columns; empty strips without such.
    gaps: Vec<Vec<f64>>,
    /// Places per strip.
    width: usize,
    /// Number of places.
    places: usize,
}

impl Distances {
    /// Distances of the rows with the numbers in `tile` to all rows. `levels` has the number of
    /// levels of each nominal column.
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
        let both = parallel::map(control, strips, &|s| {
            let places = s * width..((s + 1) * width).min(rows.len());
            let strip = &order.rows[places];
            let nominal = nominal_strip(control, kernels, rows, strip, levels, tile)?;
            let gaps = gap_strip(control, kernels, rows, strip, width, tile)?;
            Ok((nominal, gaps))
        })?;
        let (nominal, gaps) = both.into_iter().unzip();
        Ok(Self { nominal, gaps, width, places: rows.len() })
    }
}

impl RowDistances for Distances {
    fn is_whole(&self) -> bool {
        self.gaps.iter().all(Vec::is_empty)
    }

    fn copy_whole(&self, i: usize, out: &mut Vec<i32>) {
        out.clear();
        for strip in &self.nominal {
            out.extend(strip[i * self.width..][..self.width].iter().map(|&d| d as i32));
        }
        out.truncate(self.places);
    }

    fn copy_real(&self, i: usize, out: &mut Vec<f64>) {
        out.clear();
        for (nominal, gaps) in self.nominal.iter().zip(&self.gaps) {
            let both = nominal[i * self.width..][..self.width].iter().zip(&gaps[i * self.width..]);
            out.extend(both.map(|(&differing, gap)| f64::from(differing) + gap));
        }
        out.truncate(self.places);
    }
}

/// Numbers of nominal features that differ, `[row of the tile][place in the strip]`; `strip` has
/// the row at each place.
fn nominal_strip(
    control: &Control,
    kernels: Kernels,
    rows: &NeighbourRows<'_>,
    strip: &[u32],
    levels: &[u16],
    tile: &Range<usize>,
) -> Result<Vec<u32>> {
    let w = kernels.words();
    let mut out: Vec<u32> = memory::zeroed(tile.len() * 64 * w)?;
    let mut planes = Buffer::default();
    let mut first = 0;
    while first < rows.codes.columns {
        // a block: as many features as fit PLANE_BYTES, with as many planes each as the one with
        // the most levels has
        let (mut last, mut most) = (first, 0);
        while last < rows.codes.columns && last - first < WIDE_BLOCK {
            let planes_each = most.max(usize::from(levels[last]));
            if last > first && (last + 1 - first) * planes_each * w * 8 > PLANE_BYTES {
                break;
            }
            (last, most) = (last + 1, planes_each);
        }
        // set the bit of each row of the strip in the plane of its value
        planes.reset((last - first) * most * w);
        for (at, &row) in strip.iter().enumerate() {
            let (word, bit) = (at / 64, 1u64 << (at % 64));
            for (k, &code) in rows.part(row as usize, first..last).iter().enumerate() {
                planes[(k * most + usize::from(code)) * w + word] |= bit;
            }
        }
        // add the features of the block that differ, for each row of the tile
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

/// Sums of differences of the other columns, `[row of the tile][place in the strip]`; `strip` has
/// the row at each place. Empty without such columns.
fn gap_strip(
    control: &Control,
    kernels: Kernels,
    rows: &NeighbourRows<'_>,
    strip: &[u32],
    width: usize,
    tile: &Range<usize>,
) -> Result<Vec<f64>> {
    if rows.others.is_empty() {
        return Ok(Vec::new());
    }
    let mut out: Vec<f64> = memory::zeroed(tile.len() * width)?;
    let mut strip_values = vec![0.0; width];
    let grid = Grid::new(rows);
    for column in &rows.others {
        control.check()?;
        if let Some(values) = column.complete_numbers() {
            let strip_values = &mut strip_values[..strip.len()];
            strip.iter().zip(&mut *strip_values).for_each(|(&row, to)| {
                *to = grid.round(values[row as usize]);
            });
            for (i, out) in tile.clone().zip(out.chunks_exact_mut(width)) {
                kernels.add_gaps(strip_values, grid.round(values[i]), out);
            }
        } else {
            for (i, out) in tile.clone().zip(out.chunks_exact_mut(width)) {
                strip
                    .iter()
                    .zip(out)
                    .for_each(|(&row, to)| *to += grid.round(column.diff(i, row as usize)));
            }
        }
    }
    Ok(out)
}

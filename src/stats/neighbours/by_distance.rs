//! The number of ordered pairs of rows at each distance, from which Relief's radius is chosen.
//!
//! For many complete nominal columns, where [`pairs`](crate::stats::pairs) cannot count all cases
//! of every feature. Cost: O(t^2 n) bit operations for the distances, then one addition per pair;
//! at most 128 MB of distances at a time.

use super::distances::{Distances, Order, RowDistances, planes_bytes, tile_rows};
use super::rows::NeighbourRows;
use super::shape::{REMEDY, SearchShape, WHAT};
use super::totals::NominalTotals;
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::Kernels;
use crate::stats::pairs::RadiusRule;

/// Rows per task.
const TASK_ROWS: usize = 32;

/// Memory that the pass takes, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct DistanceNeed {
    /// Number of rows.
    rows: usize,
    /// Per row of a tile: its distances.
    distances: usize,
    /// Per task: its sums by distance.
    sums: usize,
    /// Per thread that makes distances: bit planes.
    planes: usize,
    /// Per thread that counts pairs: the distances of a row, counts and sums.
    counting: usize,
    /// The copy of the rows without their other columns.
    copied: usize,
}

impl DistanceNeed {
    /// The need of a pass over rows of this shape. It is known before the first distance is made.
    pub fn new(shape: &SearchShape, kernels: Kernels) -> Self {
        let (t, sums) = (shape.rows(), 8 * (shape.nominal + 1));
        Self {
            rows: t,
            distances: 4 * t.next_multiple_of(64 * kernels.words()),
            sums,
            planes: planes_bytes(kernels, shape.nominal, shape.most),
            counting: 4 * t + 2 * sums,
            // number and class, and the weight unless all rows count once
            copied: t * if shape.unit { 6 } else { 14 },
        }
    }

    /// Bytes of tiles of `rows` rows on `threads` threads.
    fn bytes(&self, rows: usize, threads: usize) -> usize {
        let rows = rows.min(self.rows);
        let sums = rows.div_ceil(TASK_ROWS) * self.sums;
        let each = self.planes.max(self.counting);
        rows * self.distances + sums + threads * each + self.copied
    }

    /// Least bytes: one thread, the smallest tiles.
    pub fn least(&self) -> usize {
        self.bytes(TASK_ROWS, 1)
    }
}

/// Weight of the ordered pairs of rows at distance 0, 1, ..., number of columns, pairs of a row
/// with itself included. Exact if weights are whole. Columns other than complete nominal ones are
/// ignored.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
pub fn pairs_by_distance(control: &Control, rows: &NeighbourRows<'_>) -> Result<Vec<f64>> {
    let rows = &NeighbourRows { others: Vec::new(), ..rows.clone() };
    let (kernels, order) = (Kernels::active(), Order::new(rows));
    let counted = NominalTotals::new(control, rows, false)?;
    let distances = rows.codes.columns + 1;
    let t = rows.len();
    let need = DistanceNeed::new(&SearchShape::new(rows, &order, &counted.levels), kernels);
    let fits = control.budget().has(need.bytes(TASK_ROWS, control.threads()));
    let control = &if fits { control.clone() } else { control.serial() };
    // the largest tiles that the budget allows
    let mut size = tile_rows(t, rows.codes.columns, 0);
    while size > TASK_ROWS && need.bytes(size, control.threads()) > control.budget().left() {
        size = (size / 2).max(TASK_ROWS);
    }
    control.budget().admit(WHAT, need.bytes(size, control.threads()), REMEDY)?;
    let unit = rows.mass.is_unit();
    let mut pairs = vec![0.0; distances];
    for at in (0..t).step_by(size) {
        let tile = at..(at + size).min(t);
        let d = Distances::new(control, kernels, rows, &order, &counted.levels, &tile)?;
        let parts = parallel::map(control, tile.len().div_ceil(TASK_ROWS), &|part| {
            control.check()?;
            let (mut row, mut sums) = (Vec::new(), vec![0.0; distances]);
            let mut counts = vec![0u64; if unit { distances } else { 0 }];
            for i in part * TASK_ROWS..((part + 1) * TASK_ROWS).min(tile.len()) {
                d.copy_whole(i, &mut row);
                if unit {
                    row.iter().for_each(|&d| counts[d as usize] += 1);
                    continue;
                }
                let own = rows.mass.weight(tile.start + i);
                for (&d, &other) in row.iter().zip(&order.rows) {
                    sums[d as usize] += own * rows.mass.weight(other as usize);
                }
            }
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum = count as f64);
            Ok(sums)
        })?;
        for part in parts {
            pairs.iter_mut().zip(part).for_each(|(to, add)| *to += add);
        }
    }
    Ok(pairs)
}

/// Least bytes of [`pairs_by_distance`] for `rows` rows with whole weights and `columns` columns of
/// at most `most` values: on one thread, with the smallest tiles. A node of a tree asks for them
/// before it gathers its rows.
pub fn radius_need(rows: usize, columns: usize, most: usize) -> usize {
    let shape = SearchShape {
        classes: vec![rows],
        nominal: columns,
        values: columns * most,
        most,
        others: 0,
        unit: false,
        whole: true,
    };
    DistanceNeed::new(&shape, Kernels::active()).least()
}

/// Relief's default radius for these rows.
///
/// # Errors
/// As [`pairs_by_distance`].
pub fn default_radius(control: &Control, rows: &NeighbourRows<'_>) -> Result<usize> {
    let pairs = pairs_by_distance(control, rows)?;
    Ok(RadiusRule::for_copies(rows.mass.total).radius(pairs.into_iter()))
}

//! Ordered pairs of rows by distance, and nothing else of them: what a radius is chosen by where
//! columns are too many for counts.
//!
//! Complete nominal columns. O(t^2 n) bit operations for the distances, one addition per pair after
//! that; at most 128 MB of distances.

use super::NeighbourRows;
use super::distances::{Distances, Order, planes_bytes, tile_rows};
use super::shape::{REMEDY, SearchShape, WHAT};
use super::totals::NominalTotals;
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::Kernels;
use crate::stats::pairs::RadiusRule;

/// Rows that a thread takes at a time.
const TOGETHER: usize = 32;

/// What the pass takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct DistanceNeed {
    rows: usize,
    /// Bytes of the distances of a row, and of the sums of [`TOGETHER`] rows.
    distances: usize,
    sums: usize,
    /// Of each thread: bit planes, and after them the distances of a row and sums.
    planes: usize,
    counting: usize,
    /// The rows without their other columns.
    copied: usize,
}

impl DistanceNeed {
    pub fn new(shape: &SearchShape, kernels: Kernels) -> Self {
        let (t, sums) = (shape.rows(), 8 * (shape.nominal + 1));
        Self {
            rows: t,
            distances: 4 * t.next_multiple_of(64 * kernels.words()),
            sums,
            planes: planes_bytes(kernels, shape.nominal, shape.most),
            counting: 4 * t + 2 * sums,
            copied: t * if shape.unit { 6 } else { 14 },
        }
    }

    fn bytes(&self, rows: usize, threads: usize) -> usize {
        let rows = rows.min(self.rows);
        let sums = rows.div_ceil(TOGETHER) * self.sums;
        let each = self.planes.max(self.counting);
        rows * self.distances + sums + threads * each + self.copied
    }

    /// Bytes on one thread in the smallest blocks.
    pub fn least(&self) -> usize {
        self.bytes(TOGETHER, 1)
    }
}

/// Weight of the ordered pairs at distance 0, 1, ... up to the number of columns, those of a row
/// with itself included; exact where weights are whole. Columns other than complete nominal ones
/// are not looked at.
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
    let fits = control.budget().has(need.bytes(TOGETHER, control.threads()));
    let control = &if fits { control.clone() } else { control.serial() };
    let mut size = tile_rows(t, [rows.codes.columns, 0]);
    while size > TOGETHER && need.bytes(size, control.threads()) > control.budget().left() {
        size = (size / 2).max(TOGETHER);
    }
    control.budget().admit(WHAT, need.bytes(size, control.threads()), REMEDY)?;
    let unit = rows.mass.is_unit();
    let mut all = vec![0.0; distances];
    for at in (0..t).step_by(size) {
        let tile = at..(at + size).min(t);
        let d = Distances::new(control, kernels, rows, &order, &counted.levels, &tile)?;
        let parts = parallel::map(control, tile.len().div_ceil(TOGETHER), |part| {
            control.check()?;
            let (mut whole, mut sums) = (Vec::new(), vec![0.0; distances]);
            let mut counts = vec![0u64; if unit { distances } else { 0 }];
            for i in part * TOGETHER..((part + 1) * TOGETHER).min(tile.len()) {
                d.whole(i, &mut whole);
                if unit {
                    whole.iter().for_each(|&d| counts[d as usize] += 1);
                    continue;
                }
                let own = rows.mass.of(tile.start + i);
                for (&d, &other) in whole.iter().zip(&order.rows) {
                    sums[d as usize] += own * rows.mass.of(other as usize);
                }
            }
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum = count as f64);
            Ok(sums)
        })?;
        for part in parts {
            all.iter_mut().zip(part).for_each(|(to, add)| *to += add);
        }
    }
    Ok(all)
}

/// Bytes that [`pairs_by_distance`] takes at least for rows with copies, of columns with at most
/// `most` values.
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

/// Relief's radius of rows that count once.
///
/// # Errors
/// As [`pairs_by_distance`].
pub fn default_radius(control: &Control, rows: &NeighbourRows<'_>) -> Result<usize> {
    let pairs = pairs_by_distance(control, rows)?;
    Ok(RadiusRule::of_copies(rows.mass.total).radius(pairs.into_iter()))
}

//! Ordered pairs of rows by distance, and nothing else of them: what a radius is chosen by where
//! columns are too many for counts.
//!
//! Complete nominal columns. O(t^2 n) bit operations for the distances, one addition a pair after
//! that; at most 128 MB of distances.

use super::NeighbourRows;
use super::distances::{Distances, Order, SCRATCH_BYTES, row_bytes, tile_rows};
use super::shape::{REMEDY, WHAT};
use super::totals::NominalTotals;
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::Kernels;
use crate::stats::pairs::RadiusRule;

/// Weight of the ordered pairs at distance 0, 1, ... up to the number of columns, those of a row
/// with itself included; exact where weights are whole. Columns other than complete nominal ones
/// are not looked at.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
pub fn pairs_by_distance(control: &Control, rows: &NeighbourRows<'_>) -> Result<Vec<f64>> {
    const TOGETHER: usize = 32;
    let rows = &NeighbourRows { others: Vec::new(), ..rows.clone() };
    let (kernels, order) = (Kernels::active(), Order::new(rows));
    let counted = NominalTotals::new(control, rows, false)?;
    let distances = rows.codes.columns + 1;
    let t = rows.len();
    let fixed = control.threads() * (SCRATCH_BYTES + 8 * t + 16 * distances);
    let left = control.budget().left().saturating_sub(fixed);
    let row = row_bytes(t, 0);
    let size = tile_rows(t, [rows.codes.columns, 0]).min((left / row.max(1)).max(TOGETHER));
    control.budget().admit(WHAT, fixed + size.min(t) * row, REMEDY)?;
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

/// Relief's radius of rows that count once.
///
/// # Errors
/// As [`pairs_by_distance`].
pub fn default_radius(control: &Control, rows: &NeighbourRows<'_>) -> Result<usize> {
    let pairs = pairs_by_distance(control, rows)?;
    Ok(RadiusRule::of_copies(rows.mass.total).radius(pairs.into_iter()))
}

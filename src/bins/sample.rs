//! A sample of rows that depends on their content, not on their order, for cut points (`quantiles`,
//! `summary`).
//!
//! A row is hashed over all its cells (numbers as doubles, with `-0.0` as `0.0` and all missing
//! values alike; codes), and is in the sample if the hash is below a bound that depends on the
//! number of rows alone. Copies of a row are in it together or not at all. O(cells), about a
//! nanosecond per cell.

use super::TILE;
use crate::data::{RowChoice, RowSource, Weights};
use crate::error::Result;
use crate::numeric::mix;
use crate::parallel::{self, Control};

/// Rows hashed by one task.
const TASK: usize = 256 * TILE;

/// Number of rows, counted as copies where weights are copies.
pub(super) fn total_of(rows: RowChoice<'_>, weights: &Weights) -> u64 {
    match weights {
        Weights::Integer(w) => (0..rows.len()).map(|i| u64::from(w[rows.row(i)])).sum(),
        _ => rows.len() as u64,
    }
}

/// The rows of a sample of about `wanted` out of `total` rows ([`total_of`]) that are among `rows`;
/// None if there are no more than `wanted` rows.
pub(super) fn sampled_rows(
    cells: &dyn RowSource,
    is_numeric: &[bool],
    rows: RowChoice<'_>,
    total: u64,
    wanted: u64,
    control: &Control,
) -> Result<Option<Vec<u32>>> {
    if total <= wanted {
        return Ok(None);
    }
    // A hash is below it with probability wanted / total.
    let bound = ((u128::from(wanted) << 64) / u128::from(total)) as u64;
    let keys: Vec<(u64, u64)> =
        (0..is_numeric.len() as u64).map(|f| (mix(f, 1) | 1, mix(f, 2))).collect();
    let parts = parallel::map(control, rows.len().div_ceil(TASK), &|task| {
        control.check()?;
        let mut kept = Vec::new();
        let (mut hashes, mut numbers, mut codes) = ([0_u64; TILE], [0.0; TILE], [0_u32; TILE]);
        let end = rows.len().min((task + 1) * TASK);
        for first in (task * TASK..end).step_by(TILE) {
            let len = TILE.min(end - first);
            // The hash of a row is the sum of its cells' hashes, so columns can be read one by one.
            hashes[..len].fill(0);
            for (feature, &(a, b)) in keys.iter().enumerate() {
                if is_numeric[feature] {
                    cells.numbers(feature, rows, first, &mut numbers[..len]);
                    for (h, &x) in hashes[..len].iter_mut().zip(&numbers) {
                        let bits = if x.is_nan() { u64::MAX } else { (x + 0.0).to_bits() };
                        *h = h.wrapping_add(spread(bits, a, b));
                    }
                } else {
                    cells.codes(feature, rows, first, &mut codes[..len]);
                    for (h, &code) in hashes[..len].iter_mut().zip(&codes) {
                        *h = h.wrapping_add(spread(u64::from(code), a, b));
                    }
                }
            }
            for (i, &h) in hashes[..len].iter().enumerate() {
                if mix(h, 3) < bound {
                    kept.push(rows.row(first + i) as u32);
                }
            }
        }
        Ok(kept)
    })?;
    Ok(Some(parts.concat()))
}

/// The hash of a cell, with the keys of its column. Small whole numbers differ in their highest
/// bits alone, which a product would lose, so these are folded into the lower ones first.
#[inline]
fn spread(bits: u64, a: u64, b: u64) -> u64 {
    (bits ^ (bits >> 32) ^ b).wrapping_mul(a)
}

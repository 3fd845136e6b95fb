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
const TASK_ROWS: usize = 256 * TILE;

/// Number of rows, counted as copies where weights are copies.
pub(super) fn total_of(rows: RowChoice<'_>, weights: &Weights) -> u64 {
    match weights {
        Weights::Integer(w) => (0..rows.len()).map(|i| u64::from(w[rows.row(i)])).sum(),
        _ => rows.len() as u64,
    }
}

/// The rows of a sample of about `wanted` out of `total` rows ([`total_of`]) that are among `rows`;
/// None if there are no more than `wanted` rows, so that all of them are the sample.
///
/// `cells` reads the columns, and `is_numeric` says which of them are read as numbers.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
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
    // A hash is below the bound with probability wanted / total.
    let bound = ((u128::from(wanted) << 64) / u128::from(total)) as u64;
    // Each column has its own hash: an odd factor, which loses no bits, and a mask.
    let keys: Vec<CellKey> = (0..is_numeric.len() as u64)
        .map(|feature| CellKey { factor: mix(feature, 1) | 1, mask: mix(feature, 2) })
        .collect();
    let sampled_by_task = parallel::map(control, rows.len().div_ceil(TASK_ROWS), &|task| {
        control.check()?;
        let mut sampled = Vec::new();
        let (mut hashes, mut numbers, mut codes) = ([0_u64; TILE], [0.0; TILE], [0_u32; TILE]);
        let end = rows.len().min((task + 1) * TASK_ROWS);
        for first in (task * TASK_ROWS..end).step_by(TILE) {
            let len = TILE.min(end - first);
            // The hash of a row is the sum of its cells' hashes, so columns can be read one by one.
            hashes[..len].fill(0);
            for (feature, key) in keys.iter().enumerate() {
                if is_numeric[feature] {
                    cells.numbers(feature, rows, first, &mut numbers[..len]);
                    for (hash, &x) in hashes[..len].iter_mut().zip(&numbers) {
                        let bits = if x.is_nan() { u64::MAX } else { (x + 0.0).to_bits() };
                        *hash = hash.wrapping_add(key.hash(bits));
                    }
                } else {
                    cells.codes(feature, rows, first, &mut codes[..len]);
                    for (hash, &code) in hashes[..len].iter_mut().zip(&codes) {
                        *hash = hash.wrapping_add(key.hash(u64::from(code)));
                    }
                }
            }
            for (i, &hash) in hashes[..len].iter().enumerate() {
                if mix(hash, 3) < bound {
                    sampled.push(rows.row(first + i) as u32);
                }
            }
        }
        Ok(sampled)
    })?;
    Ok(Some(sampled_by_task.concat()))
}

/// The hash function of the cells of one column.
struct CellKey {
    factor: u64,
    mask: u64,
}

impl CellKey {
    /// The hash of a cell. Small whole numbers differ in their highest bits alone, which a product
    /// would lose, so these are folded into the lower ones first.
    #[inline]
    fn hash(&self, bits: u64) -> u64 {
        (bits ^ (bits >> 32) ^ self.mask).wrapping_mul(self.factor)
    }
}

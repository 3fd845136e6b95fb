//! P-values by permutations: the rows are put in random order among the values of the feature, and
//! p is the share of the orders whose quadratic form is at least as large as the form of the rows
//! as they are.
//!
//! Besag & Clifford (1991): permutations end with the [`ENOUGH`]-th that reaches the form of the
//! rows, and p is [`ENOUGH`] divided by the number of permutations so far. If [`MOST`] permutations
//! end first, p is (reached + 1) / (permutations + 1). If feature and target are independent,
//! either p is below a level at most as often as the level says. Draws come from a counter and the
//! seed, so that threads do not matter. O(rows) per permutation.

use crate::numeric::{mix, uniform};

/// Permutations that reach the form of the rows before the test ends.
const ENOUGH: usize = 100;
/// Most permutations.
const MOST: usize = 9999;

/// The logarithm of the share of the permutations of some rows whose form is at least `form`.
/// `form_of` computes the form for an order of the rows. `rows` are shuffled in place, so they must
/// be given in an order that does not depend on threads or partitions.
pub fn permutation_log_p_value(
    form: f64,
    seed: u64,
    rows: &mut [u32],
    form_of: &mut dyn FnMut(&[u32]) -> f64,
) -> f64 {
    // Equal pairings of rows and values differ by rounding.
    let least = form * (1.0 - 1e-9);
    let mut reached = 0;
    for done in 1..=MOST {
        let key = mix(seed, done as u64);
        for i in (1..rows.len()).rev() {
            rows.swap(i, uniform(mix(key, i as u64), i as u64 + 1) as usize);
        }
        reached += usize::from(form_of(rows) >= least);
        if reached == ENOUGH {
            return (ENOUGH as f64 / done as f64).ln();
        }
    }
    ((reached + 1) as f64 / (MOST + 1) as f64).ln()
}

//! Tables over sets of other variables, one for each variable, and their sums over subsets: what
//! the exact sums and the walk over orders share.
//!
//! The place of a set in the table of a variable j is the set with the bit of j taken out. All
//! values are natural logarithms; a weight of 0 is minus infinity.

use super::prior::Prior;
use super::subsets::SubsetSums;
use super::variables::{Set, Variables};
use crate::error::Result;
use crate::parallel::{self, Control};
use std::ops::Range;

/// Place of a set without `j` in a table of sets of the others.
#[inline]
pub fn squeezed(set: Set, j: usize) -> usize {
    let set = set as usize;
    (set & ((1 << j) - 1)) | (set >> (j + 1) << j)
}

/// The set at a place: the inverse of [`squeezed`].
pub fn expanded(place: usize, j: usize) -> usize {
    (place & ((1 << j) - 1)) | (place >> j << (j + 1))
}

/// `ln (e^a + e^b)`.
pub fn log_add(a: f64, b: f64) -> f64 {
    let (top, low) = if a > b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { top } else { top + (low - top).exp().ln_1p() }
}

/// `ln w_j(P)` of every child j and set P of others, absent arcs aside.
pub fn node_weights(
    variables: &Variables,
    sums: &SubsetSums,
    prior: &Prior,
    control: &Control,
) -> Result<Vec<Vec<f64>>> {
    let n = variables.len();
    parallel::map(control, n, |j| {
        control.check()?;
        let v = variables.arities[j];
        let weight = |place: usize| {
            let parents = expanded(place, j);
            let set = parents as Set;
            if parents.count_ones() as usize > prior.max_parents || set & prior.forbidden[j] != 0 {
                return f64::NEG_INFINITY;
            }
            -sums.table_cost(j, v, parents) - prior.arcs_cost(j, set)
        };
        Ok((0..1 << (n - 1)).map(weight).collect())
    })
}

/// Sums over all subsets, in place; the bits of `fixed` stay as they are.
pub fn subset_zeta(
    table: &mut [f64],
    fixed: usize,
    join: impl Fn(f64, f64) -> f64,
    control: &Control,
) -> Result<()> {
    let bits = 0..table.len().trailing_zeros();
    subset_zeta_of(table, bits, fixed, join, control)
}

/// Sums over subsets of some bits only.
pub fn subset_zeta_of(
    table: &mut [f64],
    bits: Range<u32>,
    fixed: usize,
    join: impl Fn(f64, f64) -> f64,
    control: &Control,
) -> Result<()> {
    for bit in bits.filter(|b| fixed >> b & 1 == 0) {
        for block in table.chunks_exact_mut(2 << bit) {
            if block.len() >= 1 << 12 {
                control.check()?;
            }
            let (without, with) = block.split_at_mut(1 << bit);
            with.iter_mut().zip(without).for_each(|(w, o)| *w = join(*w, *o));
        }
    }
    Ok(())
}

/// Sums over all supersets, in place; the bits of `fixed` stay as they are.
pub fn superset_zeta(table: &mut [f64], fixed: usize, control: &Control) -> Result<()> {
    for bit in (0..table.len().trailing_zeros()).filter(|b| fixed >> b & 1 == 0) {
        for block in table.chunks_exact_mut(2 << bit) {
            if block.len() >= 1 << 12 {
                control.check()?;
            }
            let (without, with) = block.split_at_mut(1 << bit);
            without.iter_mut().zip(with).for_each(|(o, w)| *o = log_add(*o, *w));
        }
    }
    Ok(())
}

/// Absent arcs from every predecessor, and no weight where one that must come first does not.
pub fn finish(table: &mut [f64], prior: &Prior, j: usize) {
    let must = squeezed(prior.before[j], j);
    let mut absent = vec![0.0; table.len()];
    for place in 1..table.len() {
        let i = expanded(place & place.wrapping_neg(), j).trailing_zeros() as usize;
        absent[place] = absent[place & (place - 1)] + prior.absent(i, j);
    }
    for (place, value) in table.iter_mut().enumerate() {
        *value = if place & must == must { *value + absent[place] } else { f64::NEG_INFINITY };
    }
}

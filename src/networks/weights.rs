//! Weights of sets of parents and their sums over subsets: shared by the exact posterior and the
//! walk over orders.
//!
//! For each variable j there is a table over the sets of the *other* variables: the index of a set
//! is its bit mask with the bit of j taken out ([`index_without`]). All values are natural
//! logarithms; a weight of 0 is minus infinity. Zeta transforms take O(n 2^n) per table.

use super::prior::Prior;
use super::subsets::SubsetSums;
use super::variables::{VarSet, Variables};
use crate::error::Result;
use crate::numeric::log_add;
use crate::parallel::{self, Control};
use std::ops::Range;

/// Index of a set without `j` in the table of `j`: the bits above `j` move down by one. So a table
/// has 2^(n - 1) values, half as many as with a bit for `j`.
#[inline]
pub fn index_without(set: VarSet, j: usize) -> usize {
    let set = set as usize;
    (set & ((1 << j) - 1)) | (set >> (j + 1) << j)
}

/// The set at an index of the table of `j`: the inverse of [`index_without`].
pub fn set_at(place: usize, j: usize) -> usize {
    (place & ((1 << j) - 1)) | (place >> j << (j + 1))
}

/// `ln w_j(P)` for every child j and set P of others, without the terms of absent arcs. It is minus
/// infinity for sets with an impossible parent, or with more than `max_parents`; required parents
/// are handled by the sums over subsets, as they depend on the predecessors.
pub fn node_weights(
    variables: &Variables,
    sums: &SubsetSums,
    prior: &Prior,
    control: &Control,
) -> Result<Vec<Vec<f64>>> {
    let n = variables.len();
    parallel::map(control, n, &|j| {
        control.check()?;
        let v = variables.arities[j];
        let weight = |place: usize| {
            let parents = set_at(place, j);
            let set = parents as VarSet;
            if parents.count_ones() as usize > prior.max_parents || set & prior.forbidden[j] != 0 {
                return f64::NEG_INFINITY;
            }
            -sums.table_cost(j, v, parents) - prior.arcs_cost(j, set)
        };
        Ok((0..1 << (n - 1)).map(weight).collect())
    })
}

/// Replace each value by the sum over all subsets of its set. The bits of `fixed` are not varied:
/// subsets agree with the set in them. `join` adds two terms, or takes the larger.
pub fn subset_zeta(
    table: &mut [f64],
    fixed: usize,
    join: impl Fn(f64, f64) -> f64,
    control: &Control,
) -> Result<()> {
    let bits = 0..table.len().trailing_zeros();
    subset_zeta_of(table, bits, fixed, join, control)
}

/// [`subset_zeta`] over subsets that differ from their set in the bits of the range `bits` only.
/// [`orders`](super::orders) sums over the lower half of the variables first, keeps that table, and
/// then sums over the upper half.
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

/// Replace each value by the sum over all supersets of its set that agree with it in the bits of
/// `fixed`. Values are logarithms and are added as such ([`log_add`]). The exact posterior needs it
/// to collect all sets of predecessors that contain the parents.
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

/// Add the terms of absent arcs from all predecessors, and give no weight to sets without a
/// variable that must come before `j`. The index of the table is the set of predecessors; O(2^n) by
/// adding one term to the sum of a smaller set.
pub fn add_absent(table: &mut [f64], prior: &Prior, j: usize) {
    let must = index_without(prior.before[j], j);
    let mut absent = vec![0.0; table.len()];
    // the sum for a set is that for the set without its lowest member, plus one term
    for place in 1..table.len() {
        let i = set_at(place & place.wrapping_neg(), j).trailing_zeros() as usize;
        absent[place] = absent[place & (place - 1)] + prior.absent(i, j);
    }
    for (place, value) in table.iter_mut().enumerate() {
        *value = if place & must == must { *value + absent[place] } else { f64::NEG_INFINITY };
    }
}

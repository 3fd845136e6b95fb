//! The exact posterior over all totally ordered models: evidence, arc probabilities, the best
//! model.
//!
//! The prior is modular in the order, so the sum over orders and parents factorises (Koivisto &
//! Sood 2004). With `w_j(P)` the weight of parents P of variable j:
//!
//! - `A_j(S)` is the sum of `w_j(P)` over all P in S, a zeta transform over subsets;
//! - `L(S)` is the sum over all orders of the variables in S: `sum over j in S of L(S-j) A_j(S-j)`;
//! - `R(S)` is the sum over all orders of the variables not in S, which come after S;
//! - the evidence is `L(all variables)`;
//! - the arc i -> j has the probability `sum over P with i of w_j(P) Q_j(P) / evidence`, where
//!   `Q_j(P)` is the sum of `L(S) R(S+j)` over the sets S that contain P, a zeta transform over
//!   supersets.
//!
//! The best model takes the maximum in place of the sum. All values are natural logarithms, in
//! double precision. Time O(n^2 2^n), memory about n 2^n doubles ([`posterior_memory`]): up to
//! [`MOST_VARIABLES`] variables.

use super::prior::Prior;
use super::subsets::SubsetSums;
use super::variables::{VarSet, Variables};
use super::weights::{add_absent, index_without, node_weights, set_at, subset_zeta, superset_zeta};
use crate::error::{Error, Result};
use crate::numeric::log_add;
use crate::parallel::{self, Control};

/// Largest number of variables.
pub const MOST_VARIABLES: usize = 20;

/// The exact posterior.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactPosterior {
    /// `ln` of the sum of exp(-message length) over all totally ordered models.
    pub log_evidence: f64,
    /// Probability of the arc from i to j at `[i * n + j]`.
    pub arcs: Vec<f64>,
    /// Parents of each variable in the model with the shortest message.
    pub best: Vec<VarSet>,
    /// An order of the variables in which parents of the best model come first.
    pub order: Vec<usize>,
}

/// Most bytes that [`exact_posterior`] holds at a time: the sums of all sets, the weights, their
/// sums over subsets, and working tables. It is computed for up to 40 variables (more count as 40),
/// so that a refusal can state it without an overflow.
pub fn posterior_memory(variables: &Variables) -> u64 {
    let n = variables.len().min(40) as u64;
    let tables = n << n; // two tables of n 2^(n - 1)
    let work = (4 + n / 2) << n;
    8 * (SubsetSums::table_len(variables) + tables + work)
}

/// Sum over all totally ordered models.
///
/// # Errors
/// [`Error::Data`] for more than [`MOST_VARIABLES`] variables, [`Error::Cancelled`].
pub fn exact_posterior(
    variables: &Variables,
    prior: &Prior,
    control: &Control,
) -> Result<ExactPosterior> {
    let n = variables.len();
    if n > MOST_VARIABLES {
        return Err(Error::Data(format!(
            "an exact posterior over {n} variables (the class is one of them): at most \
             {MOST_VARIABLES} are supported, because every set of them is counted; select columns, \
             or sample"
        )));
    }
    control.set_total(SubsetSums::units(n) + 3 * n as u64);
    let sums = SubsetSums::new(variables, prior.max_parents, 1, control)?;
    let weights = node_weights(variables, &sums, prior, control)?;
    drop(sums);
    // A_j(S) for each j, then L(S) and R(S)
    let mut sums = parallel::map(control, n, &|j| {
        let mut sums = weights[j].clone();
        subset_zeta(&mut sums, index_without(prior.required[j], j), log_add, control)?;
        add_absent(&mut sums, prior, j);
        control.advance(1);
        Ok(sums)
    })?;
    let first = first_orders(n, &sums, log_add, control)?;
    let last = last_orders(n, &sums, control)?;
    let log_evidence = first[(1 << n) - 1];

    // arc probabilities, a column of the matrix per child
    let mut arcs = vec![0.0; n * n];
    let columns = parallel::map(control, n, &|j| {
        let column = arcs_into(j, &weights[j], prior, &first, &last, log_evidence, control)?;
        control.advance(1);
        Ok(column)
    })?;
    for (j, column) in columns.iter().enumerate() {
        column.iter().enumerate().for_each(|(i, &p)| arcs[i * n + j] = p);
    }
    drop((first, last));

    // the best model: max in place of sum
    parallel::for_each_mut(control, &mut sums, &|j, best| {
        best.clone_from(&weights[j]);
        subset_zeta(best, index_without(prior.required[j], j), f64::max, control)?;
        add_absent(best, prior, j);
        control.advance(1);
        Ok(())
    })?;
    let first = first_orders(n, &sums, f64::max, control)?;
    let order = best_order(n, &sums, &first);
    let mut best = vec![0; n];
    let mut earlier = 0_usize;
    for &j in &order {
        best[j] = best_parents(j, earlier, &weights[j], prior);
        earlier |= 1 << j;
    }
    Ok(ExactPosterior { log_evidence, arcs, best, order })
}

/// L(S) for every set S of variables: the terms of all orders, combined by `join` (a sum or a
/// maximum).
fn first_orders(
    n: usize,
    sums: &[Vec<f64>],
    join: impl Fn(f64, f64) -> f64,
    control: &Control,
) -> Result<Vec<f64>> {
    let mut first = vec![f64::NEG_INFINITY; 1 << n];
    first[0] = 0.0;
    for set in 1..1_usize << n {
        if set % 1024 == 0 {
            control.check()?;
        }
        // the last variable of S is each of its members in turn
        let mut rest = set;
        let mut all = f64::NEG_INFINITY;
        while rest != 0 {
            let j = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let without = set & !(1 << j);
            all = join(all, first[without] + sums[j][index_without(without as VarSet, j)]);
        }
        first[set] = all;
    }
    Ok(first)
}

/// R(S) for every set S: the sum over all orders of the variables that are not in S, after S.
fn last_orders(n: usize, sums: &[Vec<f64>], control: &Control) -> Result<Vec<f64>> {
    let all = (1_usize << n) - 1;
    let mut last = vec![f64::NEG_INFINITY; 1 << n];
    last[all] = 0.0;
    for set in (0..all).rev() {
        if set % 1024 == 0 {
            control.check()?;
        }
        // the first variable after S is each of the others in turn
        let mut rest = all & !set;
        let mut joined = f64::NEG_INFINITY;
        while rest != 0 {
            let j = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            joined = log_add(joined, sums[j][index_without(set as VarSet, j)] + last[set | 1 << j]);
        }
        last[set] = joined;
    }
    Ok(last)
}

/// Probability of the arc from each variable into `j`.
fn arcs_into(
    j: usize,
    weights: &[f64],
    prior: &Prior,
    first: &[f64],
    last: &[f64],
    log_evidence: f64,
    control: &Control,
) -> Result<Vec<f64>> {
    let n = first.len().trailing_zeros() as usize;
    // L(S) R(S + j) for every set S of predecessors, summed over supersets
    let mut around = vec![0.0; weights.len()];
    add_absent(&mut around, prior, j);
    for (place, value) in around.iter_mut().enumerate() {
        let earlier = set_at(place, j);
        *value += first[earlier] + last[earlier | 1 << j];
    }
    superset_zeta(&mut around, index_without(prior.required[j], j), control)?;
    // the probability of each set of parents counts for the arcs from all its members
    let mut arcs = vec![0.0; n];
    for (place, (weight, orders)) in weights.iter().zip(&around).enumerate() {
        let probability = (weight + orders - log_evidence).exp();
        if probability > 0.0 {
            let mut rest = set_at(place, j);
            while rest != 0 {
                arcs[rest.trailing_zeros() as usize] += probability;
                rest &= rest - 1;
            }
        }
    }
    Ok(arcs)
}

/// The order of the best model, first variable first, read back from the last; of equally good ones
/// the lowest variable is last.
fn best_order(n: usize, best: &[Vec<f64>], first: &[f64]) -> Vec<usize> {
    let mut order = Vec::with_capacity(n);
    let mut set = (1_usize << n) - 1;
    while set != 0 {
        let value = |j: usize| {
            let without = set & !(1 << j);
            first[without] + best[j][index_without(without as VarSet, j)]
        };
        let mut last = set.trailing_zeros() as usize;
        for j in (0..n).filter(|j| set >> j & 1 == 1) {
            if value(j) > value(last) {
                last = j;
            }
        }
        order.push(last);
        set &= !(1 << last);
    }
    order.reverse();
    order
}

/// The best parents of `j` among the `earlier` variables; of equally good sets the lowest.
fn best_parents(j: usize, earlier: usize, weights: &[f64], prior: &Prior) -> VarSet {
    let mut best = 0;
    let mut value = f64::NEG_INFINITY;
    let fits = |parents: usize| prior.allows(j, parents as VarSet, || earlier as VarSet);
    let mut parents = 0_usize;
    loop {
        let weight = weights[index_without(parents as VarSet, j)];
        if weight > value && fits(parents) {
            (best, value) = (parents, weight);
        }
        // the next subset of `earlier`, in ascending order
        parents = parents.wrapping_sub(earlier) & earlier;
        if parents == 0 {
            return best as VarSet;
        }
    }
}

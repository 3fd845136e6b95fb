//! The truth that a sampler is judged by: evidence, arc probabilities and the best ordered model,
//! summed over every totally ordered model.
//!
//! The prior is modular in the order, so a sum over orders and parents falls apart (Koivisto &
//! Sood 2004): with w_j(P) the weight of parents P of j, A_j(S) = sum of w_j(P) over P in S (a zeta
//! transform over subsets), L(S) = sum over j in S of L(S - j) A_j(S - j) over the orders of S that
//! come first, R(S) the same over those that come last, the evidence is L(all). An arc i -> j has
//! the share sum over P with i of w_j(P) times the sum over S containing P of L(S) R(S + j), a zeta
//! transform over supersets. All in logarithms of double precision.
//!
//! Time O(n^2 2^n) and memory about n 2^n doubles ([`memory`]): up to 20 variables.

use super::prior::Prior;
use super::subsets::SubsetSums;
use super::variables::{Set, Variables};
use super::weights::{
    expanded, finish, log_add, node_weights, squeezed, subset_zeta, superset_zeta,
};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};

/// Largest number of variables.
pub const LARGEST: usize = 20;

/// What is known exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactPosterior {
    /// `ln` of the sum of exp(-message length) over all totally ordered models.
    pub log_evidence: f64,
    /// Probability of the arc from i to j at `[i * n + j]`.
    pub arcs: Vec<f64>,
    /// Parents of each variable in the model with the shortest message.
    pub best: Vec<Set>,
    /// An order that the best model respects.
    pub order: Vec<usize>,
}

/// Bytes that are held at the same time, at most.
pub fn memory(variables: &Variables) -> u64 {
    let n = variables.len().min(40) as u64;
    let tables = n << n; // two tables of n 2^(n - 1)
    let work = (4 + n / 2) << n;
    8 * (SubsetSums::numbers(variables) + tables + work)
}

/// Compute all of it.
pub fn exact_posterior(
    variables: &Variables,
    prior: &Prior,
    control: &Control,
) -> Result<ExactPosterior> {
    let n = variables.len();
    if n > LARGEST {
        return Err(Error::Data(format!(
            "an exact posterior over {n} variables (the class is one of them): at most {LARGEST} \
             are supported, because every set of them is counted; select columns, or sample"
        )));
    }
    control.expect(SubsetSums::units(n) + 3 * n as u64);
    let sums = SubsetSums::new(variables, prior.max_parents, 1, control)?;
    let weights = node_weights(variables, &sums, prior, control)?;
    drop(sums);
    let mut sums = parallel::map(control, n, |j| {
        let mut sums = weights[j].clone();
        subset_zeta(&mut sums, squeezed(prior.required[j], j), log_add, control)?;
        finish(&mut sums, prior, j);
        control.advance(1);
        Ok(sums)
    })?;
    let first = first_orders(n, &sums, log_add, control)?;
    let last = last_orders(n, &sums, control)?;
    let log_evidence = first[(1 << n) - 1];
    let mut arcs = vec![0.0; n * n];
    let columns = parallel::map(control, n, |j| {
        let shares = arcs_into(j, &weights[j], prior, &first, &last, log_evidence, control)?;
        control.advance(1);
        Ok(shares)
    })?;
    for (j, column) in columns.iter().enumerate() {
        column.iter().enumerate().for_each(|(i, &p)| arcs[i * n + j] = p);
    }
    drop((first, last));
    parallel::for_each_mut(control, &mut sums, |j, best| {
        best.clone_from(&weights[j]);
        subset_zeta(best, squeezed(prior.required[j], j), f64::max, control)?;
        finish(best, prior, j);
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

/// L(S): all orders of S, joined.
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
        let mut rest = set;
        let mut all = f64::NEG_INFINITY;
        while rest != 0 {
            let j = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let without = set & !(1 << j);
            all = join(all, first[without] + sums[j][squeezed(without as Set, j)]);
        }
        first[set] = all;
    }
    Ok(first)
}

/// R(S): all orders of the variables that are not in S, after S.
fn last_orders(n: usize, sums: &[Vec<f64>], control: &Control) -> Result<Vec<f64>> {
    let all = (1_usize << n) - 1;
    let mut last = vec![f64::NEG_INFINITY; 1 << n];
    last[all] = 0.0;
    for set in (0..all).rev() {
        if set % 1024 == 0 {
            control.check()?;
        }
        let mut rest = all & !set;
        let mut joined = f64::NEG_INFINITY;
        while rest != 0 {
            let j = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            joined = log_add(joined, sums[j][squeezed(set as Set, j)] + last[set | 1 << j]);
        }
        last[set] = joined;
    }
    Ok(last)
}

/// Probability of an arc from each variable into `j`.
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
    // What comes before j and after it, for every set of predecessors.
    let mut around = vec![0.0; weights.len()];
    finish(&mut around, prior, j);
    for (place, value) in around.iter_mut().enumerate() {
        let earlier = expanded(place, j);
        *value += first[earlier] + last[earlier | 1 << j];
    }
    superset_zeta(&mut around, squeezed(prior.required[j], j), control)?;
    let mut shares = vec![0.0; n];
    for (place, (w, a)) in weights.iter().zip(&around).enumerate() {
        let share = (w + a - log_evidence).exp();
        if share > 0.0 {
            let mut rest = expanded(place, j);
            while rest != 0 {
                shares[rest.trailing_zeros() as usize] += share;
                rest &= rest - 1;
            }
        }
    }
    Ok(shares)
}

/// The order of the best model, first to last; of several the one that ends with the lowest
/// variables.
fn best_order(n: usize, best: &[Vec<f64>], first: &[f64]) -> Vec<usize> {
    let mut order = Vec::with_capacity(n);
    let mut set = (1_usize << n) - 1;
    while set != 0 {
        let value = |j: usize| {
            let without = set & !(1 << j);
            first[without] + best[j][squeezed(without as Set, j)]
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

/// The best parents of `j` among those that come earlier; of several the lowest set.
fn best_parents(j: usize, earlier: usize, weights: &[f64], prior: &Prior) -> Set {
    let mut best = 0;
    let mut value = f64::NEG_INFINITY;
    let fits = |parents: usize| prior.allows(j, parents as Set, || earlier as Set);
    let mut parents = 0_usize;
    loop {
        let weight = weights[squeezed(parents as Set, j)];
        if weight > value && fits(parents) {
            (best, value) = (parents, weight);
        }
        parents = parents.wrapping_sub(earlier) & earlier; // the next subset
        if parents == 0 {
            return best as Set;
        }
    }
}

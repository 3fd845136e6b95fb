//! Message length of a full table, in nits (Wallace & Korb 1999).
//!
//! Over *all* configurations of the parents, with N cases in a configuration and n_i of them with
//! value i of v: `ln((N + v - 1)! / ((v - 1)! prod n_i!)) + (v - 1) c`, where c = 0.17649 is the
//! constant of the CaMML program. Configurations that never occur cost (v - 1) c each. The
//! predicted probabilities are `(n_i + 1/2) / (N + v/2)`; [`likelihood`] is the cost of the data
//! under them.
//!
//! O(rows * parents) per table: rows are numbered by their configuration, one parent at a time.
//! Numbers that outgrow a small table are made dense again.

use super::variables::{VarSet, Variables, set_members};
use crate::stats::groups::{GroupNumbers, RefineScratch};

/// Nits for the precision of one free parameter.
pub const PER_PARAMETER: f64 = 0.17649;

/// The distinct rows grouped by the values of a set of variables. Memory is kept between tables.
#[derive(Debug, Default)]
pub struct Groups {
    numbers: GroupNumbers,
    scratch: RefineScratch,
    /// Weight of each group.
    sums: Vec<f64>,
}

impl Groups {
    /// Put all rows into one group. [`Self::refine`] then divides it by one variable after the
    /// other.
    pub fn reset(&mut self, variables: &Variables) {
        self.numbers.of_row.clear();
        self.numbers.of_row.resize(variables.n_distinct_rows(), 0);
        self.numbers.size = 1;
    }

    /// Divide the groups by the values of one more variable; few possible numbers are used as they
    /// are.
    pub fn refine(&mut self, variables: &Variables, variable: usize) {
        let (codes, arity) = (&variables.codes[variable], variables.arities[variable]);
        let limit = variables.n_distinct_rows().saturating_mul(4).saturating_add(256);
        self.numbers.refine(codes, arity, limit, &mut self.scratch);
    }

    /// Sum of `f(weight)` over the groups that occur, in the order of their numbers, so that the
    /// rounding does not depend on threads. Numbers that no row has are left out, as the terms of a
    /// message length are 0 for a weight of 0. O(rows).
    pub fn sum(&mut self, variables: &Variables, f: impl Fn(f64) -> f64) -> f64 {
        self.sums.clear();
        self.sums.resize(self.numbers.size, 0.0);
        for (&g, &w) in self.numbers.of_row.iter().zip(&variables.weights) {
            self.sums[g as usize] += w;
        }
        self.sums.iter().filter(|&&w| w > 0.0).map(|&w| f(w)).sum()
    }

    /// Group all rows by a set of variables, in ascending order of the variables. O(rows *
    /// variables); nothing is kept of the groups before.
    pub fn group_by(&mut self, variables: &Variables, set: VarSet) {
        self.reset(variables);
        set_members(set).for_each(|i| self.refine(variables, i));
    }
}

/// Message length in nits of the table of `child` given `parents`, with its parameters. It is 0 for
/// a variable with a single value, as such a variable needs no message. [`super::CostCache`]
/// remembers the costs, and [`SubsetSums`](super::SubsetSums) makes the costs of all tables at
/// once.
pub fn table_cost(
    variables: &Variables,
    child: usize,
    parents: VarSet,
    groups: &mut Groups,
) -> f64 {
    let v = variables.arities[child];
    if v == 1 {
        return 0.0;
    }
    let logs = &variables.logs;
    groups.group_by(variables, parents);
    let totals = groups.sum(variables, |n| logs.rising(n, v));
    groups.refine(variables, child);
    let cells = groups.sum(variables, |n| logs.ln_factorial(n));
    totals - cells + parameters_cost(variables.configurations(parents), v)
}

/// Nits to state the parameters of a table: [`PER_PARAMETER`] for each free parameter. A
/// configuration of the parents has `values - 1` of them.
pub fn parameters_cost(configurations: f64, values: usize) -> f64 {
    if values > 1 { configurations * ((values - 1) as f64 * PER_PARAMETER) } else { 0.0 }
}

/// Nits that the data cost when every value is predicted with `(n_i + 1/2) / (N + v/2)`. Unlike
/// [`table_cost`] it does not state the parameters; differences of it say how far two models differ
/// in their predictions of the data.
pub fn likelihood(
    variables: &Variables,
    child: usize,
    parents: VarSet,
    groups: &mut Groups,
) -> f64 {
    let v = variables.arities[child] as f64;
    groups.group_by(variables, parents);
    let totals = groups.sum(variables, |n| n * (n + v / 2.0).ln());
    groups.refine(variables, child);
    totals - groups.sum(variables, |n| n * (n + 0.5).ln())
}

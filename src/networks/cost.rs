//! What a variable costs, given its parents: the message length of a full table (Wallace & Korb
//! 1999), in nits.
//!
//! Over *all* configurations of the parents, N cases in one of them, n_i of value i of v:
//! `ln((N + v - 1)! / ((v - 1)! prod n_i!)) + (v - 1) c` with the program's constant c = 0.17649.
//! Configurations that never occur cost (v - 1) c each. The predicted probabilities are
//! `(n_i + 1/2) / (N + v/2)`, and `likelihood` is what the data cost under them.
//!
//! O(rows x parents) a table: rows are numbered by the configuration of one more parent at a time;
//! numbers that leave the range of a small table are renumbered through a hash table.

use super::variables::{Set, Variables, members};
use super::words::WordMap;

/// Nits for the precision of one free parameter.
pub const PER_PARAMETER: f64 = 0.17649;

/// Rows by number of the group that they belong to; groups agree in a set of variables.
#[derive(Debug, Default)]
pub struct Groups {
    of: Vec<u32>,
    size: usize,
    /// Memory that is used again.
    table: Vec<u32>,
    sums: Vec<f64>,
    hashed: WordMap<u64, u32>,
}

impl Groups {
    /// One group of all rows.
    pub fn start(&mut self, variables: &Variables) {
        self.of.clear();
        self.of.resize(variables.rows(), 0);
        self.size = 1;
    }

    /// Groups that agree in one variable more.
    pub fn refine(&mut self, variables: &Variables, variable: usize) {
        let (codes, arity) = (&variables.codes[variable], variables.arities[variable]);
        let product = self.size.saturating_mul(arity);
        if product <= self.of.len().saturating_mul(4).saturating_add(256) {
            let arity = arity as u32;
            self.of.iter_mut().zip(codes).for_each(|(g, &x)| *g = *g * arity + x);
            self.size = product;
            return;
        }
        const FREE: u32 = u32::MAX;
        let mut next = 0;
        if product <= self.of.len().saturating_mul(32) {
            self.table.clear();
            self.table.resize(product, FREE);
            for (g, &x) in self.of.iter_mut().zip(codes) {
                let number = &mut self.table[*g as usize * arity + x as usize];
                if *number == FREE {
                    *number = next;
                    next += 1;
                }
                *g = *number;
            }
        } else {
            self.hashed.clear();
            for (g, &x) in self.of.iter_mut().zip(codes) {
                let key = u64::from(*g) * arity as u64 + u64::from(x);
                let number = *self.hashed.entry(key).or_insert(next);
                next += u32::from(number == next);
                *g = number;
            }
        }
        self.size = next as usize;
    }

    /// `f(weight)` of every group that occurs, summed in the order of the groups' numbers.
    pub fn sum(&mut self, variables: &Variables, f: impl Fn(f64) -> f64) -> f64 {
        self.sums.clear();
        self.sums.resize(self.size, 0.0);
        for (&g, &w) in self.of.iter().zip(&variables.weights) {
            self.sums[g as usize] += w;
        }
        self.sums.iter().filter(|&&w| w > 0.0).map(|&w| f(w)).sum()
    }

    /// The number of each row's group.
    pub fn of(&self) -> &[u32] {
        &self.of
    }

    /// Bound of the numbers.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Start again with the groups of a set of variables.
    pub fn of_set(&mut self, variables: &Variables, set: Set) {
        self.start(variables);
        members(set).for_each(|i| self.refine(variables, i));
    }
}

/// Message length of the table of `child` given `parents`, with its parameters, in nits.
pub fn table_cost(variables: &Variables, child: usize, parents: Set, groups: &mut Groups) -> f64 {
    let v = variables.arities[child];
    if v == 1 {
        return 0.0;
    }
    let logs = &variables.logs;
    groups.of_set(variables, parents);
    let totals = groups.sum(variables, |n| logs.rising(n, v));
    groups.refine(variables, child);
    let cells = groups.sum(variables, |n| logs.of(n));
    totals - cells + parameters_cost(variables.configurations(parents), v)
}

/// What stating the parameters costs: c nits for each free one.
pub fn parameters_cost(configurations: f64, values: usize) -> f64 {
    if values > 1 { configurations * ((values - 1) as f64 * PER_PARAMETER) } else { 0.0 }
}

/// Nits that the data cost when every value is predicted with `(n_i + 1/2) / (N + v/2)`.
pub fn likelihood(variables: &Variables, child: usize, parents: Set, groups: &mut Groups) -> f64 {
    let v = variables.arities[child] as f64;
    groups.of_set(variables, parents);
    let totals = groups.sum(variables, |n| n * (n + v / 2.0).ln());
    groups.refine(variables, child);
    totals - groups.sum(variables, |n| n * (n + 0.5).ln())
}

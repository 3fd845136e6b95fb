//! Table costs of all (child, parents) pairs from counts of all *sets* of variables.
//!
//! The cost of `child` given `parents` is a sum of terms of one set each: with G(S) the sum of
//! `ln n!` over the cells of S and H_v(S) the sum of `ln (N + v - 1)! / (v - 1)!`, it is
//! `H_v(P) - G(P + child) + q(P) (v - 1) c`. So 2^n sets are counted instead of n 2^(n - 1) tables.
//! [`exact`](super::exact) and [`orders`](super::orders) read the costs.
//!
//! Sets are visited depth first; each is the refinement by one variable of the one before. A group
//! of a single distinct row is never divided, so its term becomes a constant and the row is left
//! out (stripped partitions). The sets of the first few variables are divided among parallel units.
//! Time O(2^n * rows) at most, memory 2^n numbers for G and for every distinct v.

use super::cost::parameters_cost;
use super::variables::Variables;
use crate::error::Result;
use crate::parallel::{self, Control};

/// G and H of every set of at most `max_parents` (+ 1 for G) variables.
#[derive(Debug)]
pub struct SubsetSums {
    /// Number of first variables, whose membership in a set decides the unit.
    low: usize,
    /// Distinct numbers of values of the variables, ascending.
    values: Vec<usize>,
    /// By unit and set: G, then H for each number of values.
    units: Vec<Vec<f64>>,
    /// Number of configurations of the variables of each set.
    configurations: Vec<f64>,
}

/// The distinct rows grouped by the values of a set of variables; groups of one row are left out.
#[derive(Debug, Default, Clone)]
struct GroupLevel {
    /// Rows, group by group.
    rows: Vec<u32>,
    /// Start of each group in `rows`, and the end.
    starts: Vec<u32>,
    /// Sums of the terms of the groups of one row: G, then H for each number of values.
    single: Vec<f64>,
}

/// Memory to divide a group by the values of a variable.
struct ValueCounters {
    /// Count of each value in a group, and then the position for its next row. All are 0 between
    /// two groups.
    count: Vec<u32>,
    /// Values that occur in the group.
    seen: Vec<u32>,
}

/// Number of first variables that divide the sets among units: 32 units.
const UNIT_VARIABLES: usize = 5;

/// Distinct numbers of values of the variables, ascending.
fn distinct_arities(variables: &Variables) -> Vec<usize> {
    let mut arities = variables.arities.clone();
    arities.sort_unstable();
    arities.dedup();
    arities
}

impl SubsetSums {
    /// Count all sets; each of the [`Self::units`] advances the progress by `unit_work`.
    pub fn new(
        variables: &Variables,
        max_parents: usize,
        unit_work: u64,
        control: &Control,
    ) -> Result<Self> {
        let n = variables.len();
        let low = n.min(UNIT_VARIABLES);
        let values = distinct_arities(variables);
        let units = parallel::map(control, 1 << low, &|unit| {
            let mut out = vec![0.0; (1 << (n - low)) * (values.len() + 1)];
            Walk::new(variables, &values, max_parents + 1).run(unit, low, &mut out, control)?;
            control.advance(unit_work);
            Ok(out)
        })?;
        let mut configurations = vec![1.0; 1 << n];
        for set in 1..1_usize << n {
            let i = set.trailing_zeros() as usize;
            configurations[set] = configurations[set & (set - 1)] * variables.arities[i] as f64;
        }
        Ok(Self { low, values, units, configurations })
    }

    /// Number of `f64` in the tables, 8 bytes each, for the check of memory before they are made.
    /// More than 40 variables count as 40, so that it does not overflow.
    pub fn table_len(variables: &Variables) -> u64 {
        (distinct_arities(variables).len() as u64 + 2) << variables.len().min(40)
    }

    /// Number of parallel units into which the sets of `variables` variables are divided, at most
    /// 32. The caller needs it to announce the work of [`Self::new`].
    pub fn units(variables: usize) -> u64 {
        1 << variables.min(UNIT_VARIABLES)
    }

    /// G and H of a set.
    fn at(&self, set: usize) -> &[f64] {
        let width = self.values.len() + 1;
        let unit = set & ((1 << self.low) - 1);
        &self.units[unit][(set >> self.low) * width..][..width]
    }

    /// Message length in nits of the table of `child`, which has `v` values, given `parents`. `v`
    /// must be the number of values of some variable, and the parents no more than were counted.
    /// The last bits may differ from [`table_cost`](super::table_cost), which adds the terms in
    /// another order.
    pub fn table_cost(&self, child: usize, v: usize, parents: usize) -> f64 {
        let place = self.values.partition_point(|&x| x < v);
        self.at(parents)[1 + place] - self.at(parents | 1 << child)[0]
            + parameters_cost(self.configurations[parents], v)
    }
}

/// The depth-first walk over the sets of one unit.
struct Walk<'a> {
    variables: &'a Variables,
    /// Distinct numbers of values.
    values: &'a [usize],
    /// Most variables of a set.
    most: usize,
    /// Groups by the set of the first variables of the walk, by their number.
    levels: Vec<GroupLevel>,
    scratch: ValueCounters,
}

impl<'a> Walk<'a> {
    fn new(variables: &'a Variables, values: &'a [usize], most: usize) -> Self {
        let largest = variables.arities.iter().copied().max().unwrap_or(1);
        let scratch = ValueCounters { count: vec![0; largest], seen: Vec::new() };
        let levels = vec![GroupLevel::default(); variables.len() + 1];
        Self { variables, values, most, levels, scratch }
    }

    /// Write the sums of every set of the unit. The bits of `unit` say which of the first `low`
    /// variables such a set contains.
    fn run(&mut self, unit: usize, low: usize, out: &mut [f64], control: &Control) -> Result<()> {
        let n = self.variables.len();
        // the variables that all sets of the unit have
        self.begin();
        let mut depth = 0;
        for variable in (0..low).filter(|i| unit >> i & 1 == 1) {
            self.refine(depth, variable);
            depth += 1;
        }
        if depth > self.most {
            return Ok(());
        }
        self.write(depth, 0, out);
        // the variables added so far, ascending; when the last one is done, the next replaces it
        let mut added: Vec<usize> = Vec::new();
        let mut next = low;
        loop {
            control.check()?;
            if next < n && depth + added.len() < self.most {
                self.refine(depth + added.len(), next);
                added.push(next);
                let set: usize = added.iter().map(|i| 1 << (i - low)).sum();
                self.write(depth + added.len(), set, out);
                next += 1;
            } else if let Some(last) = added.pop() {
                next = last + 1;
            } else {
                return Ok(());
            }
        }
    }

    /// Level 0: all rows in one group.
    fn begin(&mut self) {
        let rows = self.variables.n_distinct_rows() as u32;
        let level = &mut self.levels[0];
        level.rows.clear();
        level.single.clear();
        level.single.resize(self.values.len() + 1, 0.0);
        level.starts.clear();
        level.starts.push(0);
        if rows == 1 {
            let single = self.variables.weights[0];
            add_terms(self.variables, self.values, single, &mut level.single);
        } else {
            level.rows.extend(0..rows);
            level.starts.push(rows);
        }
    }

    /// Make level `depth + 1` from level `depth` by one more variable.
    fn refine(&mut self, depth: usize, variable: usize) {
        let (above, below) = self.levels.split_at_mut(depth + 1);
        let (from, to) = (&above[depth], &mut below[0]);
        let codes = &self.variables.codes[variable];
        let ValueCounters { count, seen } = &mut self.scratch;
        to.rows.clear();
        to.rows.resize(from.rows.len(), 0);
        to.starts.clear();
        to.starts.push(0);
        to.single.clone_from(&from.single);
        let mut end = 0;
        for group in from.starts.windows(2) {
            let rows = &from.rows[group[0] as usize..group[1] as usize];
            // count the values in the group
            seen.clear();
            for &row in rows {
                let x = codes[row as usize];
                if count[x as usize] == 0 {
                    seen.push(x);
                }
                count[x as usize] += 1;
            }
            // counts become the first places of the new groups; groups of one row get none
            for &x in seen.iter() {
                let size = count[x as usize];
                if size == 1 {
                    count[x as usize] = u32::MAX;
                } else {
                    count[x as usize] = end;
                    end += size;
                    to.starts.push(end);
                }
            }
            // move the rows; the terms of single rows become constants
            for &row in rows {
                let place = &mut count[codes[row as usize] as usize];
                if *place == u32::MAX {
                    let weight = self.variables.weights[row as usize];
                    add_terms(self.variables, self.values, weight, &mut to.single);
                } else {
                    to.rows[*place as usize] = row;
                    *place += 1;
                }
            }
            seen.iter().for_each(|&x| count[x as usize] = 0);
        }
        to.rows.truncate(end as usize);
    }

    /// Write G and H of the set whose groups are at level `depth`.
    fn write(&self, depth: usize, set: usize, out: &mut [f64]) {
        let width = self.values.len() + 1;
        let level = &self.levels[depth];
        let place = &mut out[set * width..][..width];
        place.copy_from_slice(&level.single);
        for group in level.starts.windows(2) {
            let rows = &level.rows[group[0] as usize..group[1] as usize];
            let weight: f64 = rows.iter().map(|&r| self.variables.weights[r as usize]).sum();
            add_terms(self.variables, self.values, weight, place);
        }
    }
}

/// Add the terms of one group: to G, and to H for each number of values.
fn add_terms(variables: &Variables, values: &[usize], weight: f64, sums: &mut [f64]) {
    sums[0] += variables.logs.ln_factorial(weight);
    for (sum, &v) in sums[1..].iter_mut().zip(values) {
        *sum += variables.logs.rising(weight, v);
    }
}

//! The tables of *all* sets of variables at once, for the exact judge.
//!
//! The cost of `child` given `parents` falls apart into terms of one set each: with G(S) the sum of
//! `ln n!` over the cells of S, and H_v(S) the sum of `ln (N + v - 1)! / (v - 1)!`, it is `H_v(P) -
//! G(P + child) + q(P) (v - 1) c`. So 2^n sets are counted instead of n 2^(n - 1) tables.
//!
//! Sets are visited depth first, each a refinement of the one before by one variable; a group of
//! one distinct row stays one group for ever, so its term becomes a constant and the row is left
//! out (stripped partitions). The first few variables are decided by the parallel units. Time
//! O(2^n x rows) at most, memory 2^n numbers for G and for every different v.

use super::cost::parameters_cost;
use super::variables::Variables;
use crate::error::Result;
use crate::parallel::{self, Control};

/// G and H of every set of at most `max_parents` (+ 1 for G) variables.
#[derive(Debug)]
pub struct SubsetSums {
    /// Variables whose membership picks the unit.
    low: usize,
    /// Different numbers of values, ascending.
    values: Vec<usize>,
    /// Unit by unit, set by set: G, then H for each number of values.
    units: Vec<Vec<f64>>,
    /// Number of configurations of each set.
    configurations: Vec<f64>,
}

/// Groups of at least two distinct rows, at one depth of the walk.
#[derive(Debug, Default, Clone)]
struct GroupLevel {
    rows: Vec<u32>,
    /// Where groups start, and the end.
    starts: Vec<u32>,
    /// Sums of the terms of single rows: G, then H for each number of values.
    single: Vec<f64>,
}

/// Counters by value, used again for each group.
struct ValueCounters {
    count: Vec<u32>,
    seen: Vec<u32>,
}

impl SubsetSums {
    /// Count every set; each of its [`Self::units`] advances the progress by `unit_work`.
    pub fn new(
        variables: &Variables,
        max_parents: usize,
        unit_work: u64,
        control: &Control,
    ) -> Result<Self> {
        let n = variables.len();
        let low = n.min(5);
        let mut values = variables.arities.clone();
        values.sort_unstable();
        values.dedup();
        let units = parallel::map(control, 1 << low, |unit| {
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

    /// Numbers that are held.
    pub fn numbers(variables: &Variables) -> u64 {
        let mut values = variables.arities.clone();
        values.sort_unstable();
        values.dedup();
        (values.len() as u64 + 2) << variables.len().min(40)
    }

    /// Parts that are counted one by one.
    pub fn units(variables: usize) -> u64 {
        1 << variables.min(5)
    }

    fn at(&self, set: usize) -> &[f64] {
        let width = self.values.len() + 1;
        let unit = set & ((1 << self.low) - 1);
        &self.units[unit][(set >> self.low) * width..][..width]
    }

    /// Message length of the table of `child`, which has `v` values, given `parents`.
    pub fn table_cost(&self, child: usize, v: usize, parents: usize) -> f64 {
        let place = self.values.partition_point(|&x| x < v);
        self.at(parents)[1 + place] - self.at(parents | 1 << child)[0]
            + parameters_cost(self.configurations[parents], v)
    }
}

/// The walk of one unit.
struct Walk<'a> {
    variables: &'a Variables,
    values: &'a [usize],
    most: usize,
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

    /// Every set whose first `low` variables are those of `unit`.
    fn run(&mut self, unit: usize, low: usize, out: &mut [f64], control: &Control) -> Result<()> {
        let n = self.variables.len();
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
        // The variables added so far, ascending; the last one is replaced by the next when done.
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

    fn begin(&mut self) {
        let rows = self.variables.rows() as u32;
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

    /// Level `depth + 1` from level `depth`, by one variable more.
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
            seen.clear();
            for &row in rows {
                let x = codes[row as usize];
                if count[x as usize] == 0 {
                    seen.push(x);
                }
                count[x as usize] += 1;
            }
            // counts become places; single rows get none
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

    /// Sum the terms of a level into its place.
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

fn add_terms(variables: &Variables, values: &[usize], weight: f64, sums: &mut [f64]) {
    sums[0] += variables.logs.of(weight);
    for (sum, &v) in sums[1..].iter_mut().zip(values) {
        *sum += variables.logs.rising(weight, v);
    }
}

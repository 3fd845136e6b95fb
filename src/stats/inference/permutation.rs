//! P-values by permutations of the target: the share of random pairings of the feature with the
//! target whose quadratic form is at least that of the rows.
//!
//! Besag & Clifford (1991): permutations end with the [`ENOUGH`]-th that reaches the form of the
//! rows, and p is their number over that of all; after [`MOST`] permutations p is (reached + 1) /
//! (permutations + 1). Both exceed no level more often than it says. Draws come from a counter and
//! the seed, and the rows are sorted first, so neither threads nor the order of rows matter.
//! O(rows) per permutation.

use super::{GroupSums, LinearStatistic};
use crate::numeric::{mix, uniform};

/// Permutations that reach the form of the rows before the test ends.
const ENOUGH: usize = 100;
/// Most permutations.
const MOST: usize = 9999;

/// The rows of a test: which value of the feature goes with which of the target.
#[derive(Debug, Clone)]
pub struct PermutedRows {
    /// Group and weight of each row.
    pub rows: Vec<(u32, f64)>,
    /// Class, or number less the mean, of each row.
    pub outcomes: Vec<f64>,
    /// Number of classes; `None` for a number.
    pub classes: Option<usize>,
    /// As [`GroupSums::scores`].
    pub scores: Option<Vec<f64>>,
    /// Seed of the permutations.
    pub seed: u64,
}

impl PermutedRows {
    /// The sums by groups.
    fn groups(&self) -> GroupSums {
        let width = self.classes.unwrap_or(2);
        let n = self.rows.iter().map(|row| row.0 as usize + 1).max().unwrap_or(0);
        let mut groups = GroupSums {
            scores: self.scores.clone(),
            sums: vec![0.0; n * width],
            width,
            deviation: None,
        };
        let paired = || self.rows.iter().zip(&self.outcomes);
        if self.classes.is_some() {
            for (&(group, weight), &class) in paired() {
                groups.sums[group as usize * width + class as usize] += weight;
            }
            return groups;
        }
        let (total, sum) =
            paired().fold((0.0, 0.0), |(total, sum), (row, y)| (total + row.1, sum + row.1 * y));
        let mean = sum / total;
        let mut deviation = 0.0;
        for (&(group, weight), y) in paired() {
            groups.sums[group as usize * width] += weight;
            groups.sums[group as usize * width + 1] += weight * (y - mean);
            deviation += weight * (y - mean) * (y - mean);
        }
        groups.deviation = Some(deviation);
        groups
    }

    /// The logarithm of the share of pairings whose quadratic form is at least `form`.
    pub(super) fn log_p(mut self, form: f64) -> f64 {
        self.rows.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        self.outcomes.sort_unstable_by(f64::total_cmp);
        // Equal pairings differ by rounding.
        let least = form * (1.0 - 1e-9);
        let mut reached = 0;
        for done in 1..=MOST {
            let key = mix(self.seed, done as u64);
            for i in (1..self.outcomes.len()).rev() {
                self.outcomes.swap(i, uniform(mix(key, i as u64), i as u64 + 1) as usize);
            }
            let found = LinearStatistic::new(&self.groups());
            reached += usize::from(found.is_some_and(|linear| linear.quadratic().0 >= least));
            if reached == ENOUGH {
                return (ENOUGH as f64 / done as f64).ln();
            }
        }
        ((reached + 1) as f64 / (MOST + 1) as f64).ln()
    }
}

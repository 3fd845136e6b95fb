//! P-values by permutations of the target: the share of random pairings of the feature with the
//! target whose quadratic form is at least that of the rows.
//!
//! Besag & Clifford (1991): permutations end with the [`ENOUGH`]-th that reaches the form of the
//! rows, and p is their number over that of all; after [`MOST`] permutations p is (reached + 1) /
//! (permutations + 1). Both exceed no level more often than it says. Draws come from a counter and
//! the seed, and the rows are sorted first, so neither threads nor the order of rows matter.
//! O(rows) per permutation.

use super::{LinearStatistic, LinearSums};
use crate::numeric::{mix, uniform};

/// Permutations that reach the form of the rows before the test ends.
const ENOUGH: usize = 100;
/// Most permutations.
const MOST: usize = 9999;

/// The rows of a test: which value of the feature goes with which of the target.
#[derive(Debug, Clone)]
pub struct PermutedRows {
    /// Group and weight of each row, group by group.
    pub rows: Vec<(u32, f64)>,
    /// Class, or number, of each row.
    pub outcomes: Vec<f64>,
    /// Number of classes; `None` for a number.
    pub classes: Option<usize>,
    /// The score of each group; `None` for a feature without scores.
    pub scores: Option<Vec<f64>>,
    /// Seed of the permutations.
    pub seed: u64,
}

impl PermutedRows {
    /// The statistic of the rows as they are paired.
    fn linear(&self) -> Option<LinearStatistic> {
        let mut sums = LinearSums::new(self.classes.unwrap_or(1), self.scores.is_some());
        let paired = || self.rows.iter().map(|row| row.1).zip(&self.outcomes);
        let (weight, sum) =
            paired().fold((0.0, 0.0), |(weight, sum), (w, y)| (weight + w, sum + w * y));
        let mean = sum / weight;
        let deviation = self
            .classes
            .is_none()
            .then(|| paired().map(|(w, y)| w * (y - mean) * (y - mean)).sum());
        let mut outcomes = self.outcomes.iter();
        for group in self.rows.chunk_by(|a, b| a.0 == b.0) {
            let (mut weight, mut own) = (0.0, vec![0.0; self.classes.unwrap_or(1)]);
            for (&(_, w), &y) in group.iter().zip(&mut outcomes) {
                weight += w;
                match self.classes {
                    Some(_) => own[y as usize] += w,
                    None => own[0] += w * (y - mean),
                }
            }
            sums.add(self.scores.as_ref().map_or(0.0, |s| s[group[0].0 as usize]), weight, &own);
        }
        LinearStatistic::new(sums, deviation)
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
            reached += usize::from(self.linear().is_some_and(|one| one.quadratic().0 >= least));
            if reached == ENOUGH {
                return (ENOUGH as f64 / done as f64).ln();
            }
        }
        ((reached + 1) as f64 / (MOST + 1) as f64).ln()
    }
}

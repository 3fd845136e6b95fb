//! Scores of the cuts of a node with several classes, for criteria that need two sums over the
//! classes only ([`ClassSums`]).
//!
//! Both sums of a cut ([`RunningScores`]) are added up class by class for all cuts at once
//! ([`crate::simd::class_sums`]): from the counters of a large node, or from the lanes of a small
//! one. Classes without rows in the node are skipped. Where the sums are not exact,
//! [`super::best_cut`] scores the cuts that may be best again from their tables; the choice is that
//! of [`super::cuts`], to the last bit. O(cuts x classes) per node.

use super::counts::CountedCuts;
use super::small::LaneCuts;
use crate::criteria::{Cuts, LeftRows, RunningScores, Term};
use crate::numeric::Logs;
use crate::simd::Level;
use crate::simd::class_sums::{self as simd, CutSums};

/// The sums of the cuts of one node.
#[derive(Debug, Default)]
pub(super) struct ClassSums {
    /// Rows left of each cut.
    pub rows: Vec<u32>,
    /// Sums of squares of the left and of the right branch, as integers.
    squares: [Vec<i32>; 2],
    /// Sums of terms of the left and of the right branch.
    branches: [Vec<f64>; 2],
}

/// Cuts that can add the terms of one class, squares or logarithms, to the sums of all of them.
pub(super) trait ClassTerms {
    /// Add the squared counts of a class.
    fn squares(&self, class: usize, sums: CutSums<'_, i32>);

    /// Add `n log2 n` of the counts of a class, from a table of them.
    fn logarithms(&self, class: usize, table: &[f64], sums: CutSums<'_, f64>);
}

impl CountedCuts<'_> {
    /// The rows of a class by code and feature, and the sum of them.
    fn counts(&self, class: usize) -> (&[u32], u32) {
        (self.counters.plane(self.context, class), self.totals[class])
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.chosen.map_or(self.context.features.len(), <[u32]>::len)
    }
}

impl ClassTerms for CountedCuts<'_> {
    fn squares(&self, class: usize, sums: CutSums<'_, i32>) {
        let (counts, total) = self.counts(class);
        simd::add_squares(Level::active(), counts, self.features(), total, sums);
    }

    fn logarithms(&self, class: usize, table: &[f64], sums: CutSums<'_, f64>) {
        let (counts, total) = self.counts(class);
        simd::add_logarithms(Level::active(), counts, self.features(), total, table, sums);
    }
}

impl ClassTerms for LaneCuts<'_> {
    fn squares(&self, class: usize, sums: CutSums<'_, i32>) {
        simd::add_squares_of_bits(Level::active(), self.masks, self.members(class), sums);
    }

    fn logarithms(&self, class: usize, table: &[f64], sums: CutSums<'_, f64>) {
        let members = self.members(class);
        simd::add_logarithms_of_bits(Level::active(), self.masks, members, table, sums);
    }
}

impl ClassSums {
    /// Score all cuts, one per place of `scores`; returns a bound on the errors of the scores. Some
    /// cuts may have all rows in one branch. `totals` are the rows of each class.
    pub fn score(
        &mut self,
        scoring: RunningScores,
        logs: Logs,
        totals: &[u32],
        terms: &impl ClassTerms,
        scores: &mut [f64],
    ) -> f64 {
        let Self { rows, squares, branches } = self;
        let len = scores.len();
        let occurring = || (0..totals.len()).filter(|&c| totals[c] > 0);
        rows.clear();
        rows.resize(len, 0);
        branches.iter_mut().for_each(|sums| sums.resize(len, 0.0));
        let [left, right] = branches.each_mut().map(|sums| &mut sums[..len]);
        // Sums of both branches, class by class; `whole` is that of the undivided node.
        let whole = match scoring.term {
            Term::Squares => {
                // Integers, exact for as many rows as `MOST_ROWS`; all rows start on the right.
                let whole = totals.iter().map(|&n| n as i32 * n as i32).sum();
                for (sums, start) in squares.iter_mut().zip([0, whole]) {
                    sums.clear();
                    sums.resize(len, start);
                }
                let [on_left, on_right] = squares;
                for c in occurring() {
                    terms.squares(c, CutSums { rows, left: on_left, right: on_right });
                }
                simd::numbers(Level::active(), on_left, left);
                simd::numbers(Level::active(), on_right, right);
                f64::from(whole)
            }
            Term::XLog2X => {
                // Reals, added in the order of the classes.
                left.fill(0.0);
                right.fill(0.0);
                let table = logs.x_log2_x_table();
                for c in occurring() {
                    terms.logarithms(c, table, CutSums { rows, left, right });
                }
                occurring().map(|c| table[totals[c] as usize]).sum()
            }
        };
        // The formula of all cuts from both sums.
        let cuts = Cuts {
            n: totals.iter().sum(),
            whole,
            classes: occurring().count(),
            logs,
            rows: LeftRows::Each(rows),
            left,
            right,
        };
        (scoring.scores)(&cuts, scores)
    }
}

//! Scores of the cuts of a node with several classes, for criteria that need two sums over the
//! classes only ([`ClassSums`]).
//!
//! Both sums of a cut ([`RunningScores`]) are added up class by class for all cuts at once
//! ([`crate::simd::class_sums`]). Classes without rows in the node are skipped. Where the sums are
//! not exact, [`super::best_cut`] scores the cuts that may be best again from their tables; the
//! choice is the same as by [`super::cuts`], to the last bit. O(cuts x classes) per node.

use super::cuts::NodeCuts;
use crate::criteria::{Cuts, LeftRows, RunningScores, Term};
use crate::numeric::Logs;
use crate::simd::Level;
use crate::simd::class_sums::{self as simd, CutSums};

/// The sums of the cuts of one node.
#[derive(Debug, Default)]
pub(super) struct ClassSums {
    /// Rows of one class left of each cut.
    counts: Vec<u32>,
    /// Sums of squares of the left and of the right branch, as integers.
    squares: [Vec<i32>; 2],
    /// Sums of terms of the left and of the right branch.
    branches: [Vec<f64>; 2],
}

impl ClassSums {
    /// Write the rows left of all cuts and their scores; returns a bound on the errors of the
    /// scores. Some cuts may have all rows in one branch. `totals` are the rows of each class.
    pub fn score(
        &mut self,
        scoring: RunningScores,
        logs: Logs,
        totals: &[u32],
        cuts: &dyn NodeCuts,
        (rows, scores): (&mut [u32], &mut [f64]),
    ) -> f64 {
        let Self { counts, squares, branches } = self;
        let (len, level) = (scores.len(), Level::active());
        let occurring = || (0..totals.len()).filter(|&class| totals[class] > 0);
        rows.fill(0);
        counts.resize(len, 0);
        branches.iter_mut().for_each(|sums| sums.resize(len, 0.0));
        let [left, right] = branches.each_mut().map(|sums| &mut sums[..len]);
        // Sums of both branches, class by class; `whole` is the sum of the undivided node.
        let whole = match scoring.term {
            Term::Squares => {
                // Integers, exact for as many rows as `MOST_SQUARED_ROWS`; all rows start on the
                // right.
                let whole = totals.iter().map(|&n| n as i32 * n as i32).sum();
                for (sums, start) in squares.iter_mut().zip([0, whole]) {
                    sums.clear();
                    sums.resize(len, start);
                }
                let [on_left, on_right] = squares;
                for class in occurring() {
                    cuts.count(class, counts);
                    let sums = CutSums { rows, left: on_left, right: on_right };
                    simd::add_squares(level, counts, totals[class], sums);
                }
                simd::to_f64(level, on_left, left);
                simd::to_f64(level, on_right, right);
                f64::from(whole)
            }
            Term::XLog2X => {
                // Reals, added in the order of the classes.
                left.fill(0.0);
                right.fill(0.0);
                let table = logs.x_log2_x_table();
                for class in occurring() {
                    cuts.count(class, counts);
                    simd::add_logarithms(
                        level,
                        counts,
                        totals[class],
                        table,
                        CutSums { rows, left, right },
                    );
                }
                occurring().map(|class| table[totals[class] as usize]).sum()
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

//! The best cut of a node with several classes, where the criterion is scored from sums over the
//! classes.
//!
//! Both sums of a cut ([`RunningScores`]) are added up class by class for all cuts at once
//! ([`class_sums`]): from the counters of a large node, from the lanes of a small one. Classes
//! without rows in the node cost nothing. Where sums are not exact, what may be best is scored
//! again from its table. The choice is that of [`super::cuts`], to the last bit.

use super::context::BinnedContext;
use super::counts::CountedCuts;
use super::small::LaneCuts;
use crate::criteria::{Cuts, LeftRows, RunningScores, Term};
use crate::simd::Level;
use crate::simd::class_sums::{self as simd, CutSums};
use crate::stats::Sum;

/// The sums of the cuts of one node.
#[derive(Debug, Default)]
pub(super) struct ClassSums {
    /// Rows on the left.
    pub rows: Vec<u32>,
    squares: [Vec<i32>; 2],
    sides: [Vec<f64>; 2],
}

/// What adds the terms of one class, squares or logarithms, to the sums of all cuts.
pub(super) trait ClassTerms {
    fn squares(&self, class: usize, sums: CutSums<'_, i32>);
    fn logarithms(&self, class: usize, table: &[f64], sums: CutSums<'_, f64>);
}

impl<S: Sum> CountedCuts<'_, S> {
    /// The rows of a class by code and feature, and in all.
    fn counts(&self, class: usize) -> (&[u32], u32) {
        let counts = S::as_rows(self.counters.plane(self.context, class)).unwrap_or_default();
        (counts, self.totals[class].units() as u32)
    }

    pub fn features(&self) -> usize {
        self.chosen.map_or(self.context.features.len(), <[u32]>::len)
    }
}

impl<S: Sum> ClassTerms for CountedCuts<'_, S> {
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
    /// Score `len` cuts, some of which may have all rows on one side; returns the bound on the
    /// error.
    pub fn score(
        &mut self,
        (how, context): (RunningScores, &BinnedContext<'_>),
        (totals, len): (&[u32], usize),
        terms: &impl ClassTerms,
        scores: &mut [f64],
    ) -> f64 {
        let Self { rows, squares, sides, .. } = self;
        let occurring = || (0..totals.len()).filter(|&c| totals[c] > 0);
        let logs = context.setting.context.logs;
        rows.clear();
        rows.resize(len, 0);
        sides.iter_mut().for_each(|side| side.resize(len, 0.0));
        let [left, right] = sides.each_mut().map(|side| &mut side[..len]);
        let whole = match how.term {
            Term::Squares => {
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
                left.fill(0.0);
                right.fill(0.0);
                let table = logs.x_log2_x_table();
                for c in occurring() {
                    terms.logarithms(c, table, CutSums { rows, left, right });
                }
                occurring().map(|c| table[totals[c] as usize]).sum()
            }
        };
        let cuts = Cuts {
            n: totals.iter().sum(),
            whole,
            classes: occurring().count(),
            logs,
            rows: LeftRows::Each(rows),
            left,
            right,
        };
        (how.scores)(&cuts, scores)
    }
}

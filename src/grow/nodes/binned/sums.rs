//! The best cut of a node with several classes, where the criterion is scored from sums over the
//! classes.
//!
//! Both sums of a cut ([`RunningScores`]) are added up class by class for all cuts at once
//! ([`class_sums`]): from the counters of a large node, from the lanes of a small one. Classes
//! without rows in the node cost nothing. Where sums are not exact, what may be best is scored
//! again from its table. The choice is that of [`super::block`], to the last bit.

use super::BinnedContext;
use super::block::{CutBlock, CutPlaces};
use super::counts::{BinCounters, CountedCuts};
use super::evaluate::{BinnedNode, BinnedWorkspace};
use super::small::LaneCuts;
use crate::criteria::{Cuts, LeftRows, RunningScores, Tables, Term};
use crate::error::Result;
use crate::grow::search::BestSplit;
use crate::numeric::Cells;
use crate::simd::Level;
use crate::simd::class_sums::{self as simd, CutSums, MOST_ROWS};
use crate::stats::Sum;

/// The sums of the cuts of one node.
#[derive(Debug, Default)]
pub(super) struct ClassSums {
    /// Rows on the left.
    rows: Vec<u32>,
    squares: [Vec<i32>; 2],
    sides: [Vec<f64>; 2],
}

/// What adds the terms of one class, squares or logarithms, to the sums of all cuts.
trait ClassTerms {
    fn squares(&self, class: usize, sums: CutSums<'_, i32>);
    fn logarithms(&self, class: usize, table: &[f64], sums: CutSums<'_, f64>);
}

impl<S: Sum> CountedCuts<'_, S> {
    /// The rows of a class by code and feature, and in all.
    fn counts(&self, class: usize) -> (&[u32], u32) {
        let counts = S::as_rows(self.counters.plane(self.context, class)).unwrap_or_default();
        (counts, self.totals[class].units() as u32)
    }

    fn features(&self) -> usize {
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
    fn score(
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

impl<S: Sum> BinnedNode<'_, S> {
    /// How the cuts of this node are scored from sums over the classes, and its class totals.
    pub fn class_sums(&self) -> Option<(RunningScores, Vec<u32>)> {
        let how = self.context.class_sums?;
        let totals = S::as_rows(self.totals)?;
        let n: u64 = totals.iter().map(|&t| u64::from(t)).sum();
        let few = n >= 2 && (how.term != Term::Squares || n <= MOST_ROWS as u64);
        let holds = few && how.holds(n as usize, self.context.setting.context.logs);
        holds.then(|| totals.to_vec()).map(|totals| (how, totals))
    }

    /// The best cut of a node whose rows are counted.
    pub fn best_counted_sums(
        &self,
        scored: (RunningScores, &[u32]),
        counters: &BinCounters<S>,
        chosen: Option<&[u32]>,
        work: &mut BinnedWorkspace<S>,
    ) -> Result<Option<BestSplit<S>>> {
        let cuts = CountedCuts { counters, context: self.context, totals: self.totals, chosen };
        let len = (self.context.widest - 1) * cuts.features();
        self.best_of_sums(scored, (&cuts, len), work, |j| cuts.left(j))
    }

    /// The best cut of a node of some lanes.
    pub fn best_small_sums(
        &self,
        scored: (RunningScores, &[u32]),
        cuts: LaneCuts<'_>,
        work: &mut BinnedWorkspace<S>,
    ) -> Result<Option<BestSplit<S>>> {
        self.best_of_sums(scored, (&cuts, cuts.masks.len()), work, |j| cuts.left(j))
    }

    /// The best of `len` cuts; `left` are the class sums on the left of one.
    fn best_of_sums(
        &self,
        (how, totals): (RunningScores, &[u32]),
        (cuts, len): (&(impl ClassTerms + CutPlaces<S>), usize),
        work: &mut BinnedWorkspace<S>,
        left: impl Fn(usize) -> Vec<S>,
    ) -> Result<Option<BestSplit<S>>> {
        let BinnedWorkspace { block, sums, .. } = work;
        block.prepare_scores(len);
        let (weights, scores) = block.scores();
        let error = sums.score((how, self.context), (totals, len), cuts, scores);
        weights.iter_mut().zip(&sums.rows).for_each(|(w, &rows)| *w = S::from_rows(rows));
        let error = if error == 0.0 { f64::NAN } else { error };
        let exact = |_: &CutBlock<S>, j: usize| self.exact_score(totals, &left(j));
        let found = block.select(self.context, self.totals, error, cuts, exact)?;
        found.map_or(Ok(None), |(j, cut, score)| self.split_at(cut, left(j), score).map(Some))
    }

    /// The score of a cut from its table, which holds only the classes of the node.
    fn exact_score(&self, totals: &[u32], left: &[S]) -> Result<f64> {
        let left = S::as_rows(left).unwrap_or_default();
        let occurring = || left.iter().zip(totals).filter(|(_, total)| **total > 0);
        let all: Vec<u32> = occurring().map(|(_, &total)| total).collect();
        let mut cells: Vec<u32> = occurring().map(|(&l, _)| l).collect();
        cells.extend(occurring().map(|(&l, &total)| total - l));
        let table = Tables {
            cells: Cells::Rows(&cells),
            totals: Cells::Rows(&all),
            branches: 2,
            classes: all.len(),
            stride: 1,
            len: 1,
            declared: &[2],
            context: &self.context.setting.context,
        };
        let mut score = [0.0];
        self.context.setting.criterion.score(&table, &mut score)?;
        Ok(score[0])
    }
}

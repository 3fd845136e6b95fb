//! The best cut of a node whose cuts come as one block ([`super::cuts`]): from words of two classes
//! ([`super::two_class`]), from sums over the classes ([`super::sums`]), or from tables.

use super::context::BinnedContext;
use super::counts::{BinCounters, CountedCuts};
use super::cuts::{CutBlock, CutFacts, CutPlaces};
use super::node::{BinnedNode, BinnedWorkspace};
use super::small::{LaneCuts, SmallColumns};
use super::sums::ClassTerms;
use super::two_class::facts_of;
use crate::criteria::{PairScreen, RunningScores, Tables, Term};
use crate::error::Result;
use crate::grow::search::{BestSplit, NodeTables};
use crate::reached::{self, Way};
use crate::simd::class_sums::MOST_ROWS;
use crate::simd::cuts::{self as words, packed, running_sums, unpacked};
use crate::stats::Sum;

impl<S: Sum> BinnedNode<'_, S> {
    /// The best cut of a node whose rows are counted, where blocks of cuts serve.
    pub fn best_counted(
        &self,
        counters: &BinCounters<S>,
        chosen: Option<&[u32]>,
        work: &mut BinnedWorkspace<S>,
    ) -> Result<Option<BestSplit<S>>> {
        if let Some(screen) = self.pair_screen().filter(|_| counters.packed) {
            reached::count(Way::CountersWords);
            return self.best_counted_pair(screen, counters, chosen, work);
        }
        if let Some((how, totals)) = self.class_sums() {
            reached::count(Way::CountersSums);
            return self.best_counted_sums((how, &totals), counters, chosen, work);
        }
        reached::count(Way::CountersTable);
        let (context, block) = (self.context, &mut work.block);
        counters.fill(context, block);
        let cuts = CountedCuts { counters, context, totals: self.totals, chosen };
        let found = block.best(context, self.totals, &cuts)?;
        found.map_or(Ok(None), |(j, cut, score)| self.split_at(cut, cuts.left(j), score).map(Some))
    }

    /// The best cut of a small node.
    pub fn best_small(
        &self,
        (columns, lanes): (&SmallColumns, u64),
        chosen: Option<&[u32]>,
        work: &mut BinnedWorkspace<S>,
    ) -> Result<Option<BestSplit<S>>> {
        if let Some(screen) = self.pair_screen() {
            reached::count(Way::LanesWords);
            return self.best_small_pair(screen, (columns, lanes), chosen, work);
        }
        let mut buffers = std::mem::take(&mut work.lanes);
        let cuts = columns.cuts(lanes, chosen, self.context.widest, &mut buffers);
        let found = if let Some((how, totals)) = self.class_sums() {
            reached::count(Way::LanesSums);
            self.best_small_sums((how, &totals), cuts, work)
        } else {
            reached::count(Way::LanesTable);
            let BinnedWorkspace { block, counts, .. } = work;
            cuts.fill(counts, block);
            let found = block.best(self.context, self.totals, &cuts)?;
            found.map_or(Ok(None), |(j, cut, score)| {
                self.split_at(cut, cuts.left(j), score).map(Some)
            })
        };
        work.lanes = buffers;
        found
    }

    /// A cut as a split; `sums` are those of its left side.
    pub fn split_at(&self, cut: CutFacts<S>, mut sums: Vec<S>, score: f64) -> Result<BestSplit<S>> {
        let k = self.totals.len();
        sums.extend_from_within(..k);
        for (c, &total) in self.totals.iter().enumerate() {
            sums[k + c] = total.minus(sums[c]);
        }
        Ok(BestSplit {
            feature: cut.feature,
            at: cut.at,
            test: self.context.threshold(cut.feature as usize, (cut.at, cut.next)),
            score,
            distance: self.node().distance(&sums)?,
            improvement: 0.0,
            branches: 2,
            sums,
            sizes: Vec::new(),
            missing: false,
            levels: Vec::new(),
            branch_of: Vec::new(),
        })
    }

    /// The kernel for this node, and its class totals.
    pub fn pair_screen(&self) -> Option<(PairScreen, [u32; 2])> {
        let screen = self.context.pair_screen?;
        let &[zero, one] = self.totals else { return None };
        let totals = [zero.units(), one.units()];
        (totals[0] + totals[1] <= i64::from(words::MOST_ROWS))
            .then(|| (screen, totals.map(|t| t as u32)))
    }

    /// The best cut of a node whose counters are words.
    pub fn best_counted_pair(
        &self,
        (screen, totals): (PairScreen, [u32; 2]),
        counters: &BinCounters<S>,
        chosen: Option<&[u32]>,
        work: &mut BinnedWorkspace<S>,
    ) -> Result<Option<BestSplit<S>>> {
        let codes = self.context.widest - 1;
        let features = chosen.map_or(self.context.features.len(), <[u32]>::len);
        let words = counters.words(codes * features);
        let cuts = &mut work.pairs;
        running_sums(words, features, |s: S| s.units() as u32, cuts.prepare(words.len()));
        let shape = (codes, features, packed(totals[0], totals[1]));
        let found =
            cuts.best(self.context, screen, totals, |lefts, j| facts_of(lefts, shape, chosen, j))?;
        self.pair_cut(found)
    }

    /// The best cut of a node of some lanes.
    pub fn best_small_pair(
        &self,
        (screen, totals): (PairScreen, [u32; 2]),
        (columns, lanes): (&SmallColumns, u64),
        chosen: Option<&[u32]>,
        work: &mut BinnedWorkspace<S>,
    ) -> Result<Option<BestSplit<S>>> {
        let features = chosen.map_or(self.context.features.len(), <[u32]>::len);
        let feature = |i: usize| chosen.map_or(i, |some| some[i] as usize);
        let (rows, len) = columns.listed(lanes);
        let rows = &rows[..len];
        let cuts = &mut work.pairs;
        columns.fill_pairs(lanes, rows, (0..features).map(feature), cuts);
        let found = cuts
            .best(self.context, screen, totals, |_, j| columns.facts_of(lanes, rows, feature, j))?;
        self.pair_cut(found)
    }

    fn pair_cut(&self, found: Option<(CutFacts<S>, u32, f64)>) -> Result<Option<BestSplit<S>>> {
        let Some((cut, left, score)) = found else { return Ok(None) };
        let mut sums = Vec::with_capacity(4);
        sums.extend(unpacked(left).map(S::from_rows));
        self.split_at(cut, sums, score).map(Some)
    }

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
        let BinnedContext { setting, .. } = self.context;
        setting.criterion.score_of(&Tables::one(&cells, &all, &[2], &setting.context))
    }
}

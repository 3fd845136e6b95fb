//! The best cut of a node whose cuts are scored as one block ([`super::cuts`]).
//!
//! Three ways lead to the same choice, and [`BinnedContext`](super::context::BinnedContext) says
//! which are open: words of two classes with a kernel ([`super::two_class`]), sums over the classes
//! ([`super::sums`]), or the tables of all cuts. Words come from the counters of a node; sums and
//! tables come from these or from the lanes of a small node. O(codes x features x classes) per
//! node; the other nodes of a tree on codes are searched feature by feature ([`super::node`]).
//!
//! Gains in CPU time of whole fits of 50,000 x 15, one thread: one block 5.6 times over a search by
//! feature (histogram, gini, two classes) and 3.2 (five); lanes over counters 1.3 and 1.9; words of
//! counters over tables 1.5; with columns of few values, class sums over tables 1.6 (gini, five
//! classes), 2.0 (ten) and 1.4 (info_gain, ten). Words from lanes gained 1.08, too little for a
//! kernel.

use super::counts::{BinCounters, CountedCuts};
use super::cuts::{ChosenCut, NodeCuts};
use super::node::{BinnedNode, BlockMemory};
use super::small::SmallNode;
use super::two_class::{WordCuts, facts_of};
use crate::criteria::{PairScreen, RunningScores, Term};
use crate::error::{Error, Result};
use crate::grow::options::GrowthSetting;
use crate::grow::search::{BestSplit, NodeTables};
use crate::reached::{self, Way};
use crate::simd::class_sums::MOST_SQUARED_ROWS;
use crate::simd::two_class_cuts::{self as words, pack, running_sums};
use crate::split::CutTable;
use crate::stats::{ExactMoments, Sum};

/// A kernel for the cuts of two classes, and the rows of each class in the node.
struct TwoClasses {
    screen: PairScreen,
    totals: [u32; 2],
}

/// The rows of a node whose cuts are one block.
pub(super) enum CutRows<'r, S> {
    /// Counters of all features, or of the chosen features.
    Counted(&'r BinCounters<S>),
    /// The lanes of a node of at most 64 rows.
    Small(&'r SmallNode),
}

/// Sums of classes of codes.
pub(super) trait CodedSum: Sum {
    /// The best cut of a node among all features or the `chosen` ones, for sums that are numbers of
    /// rows.
    fn best_cut(
        _node: &BinnedNode<'_, Self>,
        _rows: CutRows<'_, Self>,
        _chosen: Option<&[u32]>,
        _workspace: &mut BlockMemory,
    ) -> Result<Option<BestSplit<Self>>> {
        Err(Error::Internal("a block of cuts of real weights".into()))
    }
}

impl CodedSum for i64 {}
impl CodedSum for ExactMoments {}

impl CodedSum for u32 {
    fn best_cut(
        node: &BinnedNode<'_, Self>,
        rows: CutRows<'_, Self>,
        chosen: Option<&[u32]>,
        workspace: &mut BlockMemory,
    ) -> Result<Option<BestSplit<Self>>> {
        match rows {
            CutRows::Counted(counters) => node.best_counted(counters, chosen, workspace),
            CutRows::Small(small) => node.best_small(small, chosen, workspace),
        }
    }
}

impl BinnedNode<'_, u32> {
    /// The best cut by the counters of a node, as words of two classes or by class.
    fn best_counted(
        &self,
        counters: &BinCounters<u32>,
        chosen: Option<&[u32]>,
        workspace: &mut BlockMemory,
    ) -> Result<Option<BestSplit<u32>>> {
        if let Some(two) = self.two_classes().filter(|_| counters.packed) {
            reached::count(Way::CountersWords);
            return self.best_counted_words(&two, counters, chosen, workspace);
        }
        let cuts = CountedCuts { counters, context: self.context, totals: self.totals, chosen };
        reached::count(Way::CountersBlock);
        self.best_of(&cuts, workspace)
    }

    /// The best cut of a node of at most 64 rows.
    fn best_small(
        &self,
        small: &SmallNode,
        chosen: Option<&[u32]>,
        workspace: &mut BlockMemory,
    ) -> Result<Option<BestSplit<u32>>> {
        let mut buffers = std::mem::take(&mut workspace.lanes);
        let cuts = small.cuts(chosen, self.context.widest, &mut buffers);
        reached::count(Way::MasksBlock);
        let best = self.best_of(&cuts, workspace);
        workspace.lanes = buffers;
        best
    }

    /// The best of some cuts, by sums over the classes or by tables.
    fn best_of(
        &self,
        cuts: &dyn NodeCuts,
        workspace: &mut BlockMemory,
    ) -> Result<Option<BestSplit<u32>>> {
        let (context, totals) = (self.context, self.totals);
        let best = if let Some(scoring) = self.class_sums() {
            reached::count(Way::ClassSums);
            let GrowthSetting { criterion, context: facts, .. } = context.setting;
            let BlockMemory { block, sums, .. } = workspace;
            let error = sums.score(scoring, facts.logs, totals, cuts, block.scores(cuts.len()));
            block.select(context, totals, error, cuts, |_, cut| {
                CutTable::default().score(*criterion, &cuts.left_sums(cut), totals, facts)
            })?
        } else {
            workspace.block.best(context, totals, cuts)?
        };
        self.split_of(best, &|cut| cuts.left_sums(cut))
    }

    /// The kernel for this node, if it has two classes and few enough rows.
    fn two_classes(&self) -> Option<TwoClasses> {
        let screen = self.context.pair_screen?;
        let &[zero, one] = self.totals else { return None };
        (zero + one <= words::MOST_PACKED_ROWS)
            .then_some(TwoClasses { screen, totals: [zero, one] })
    }

    /// The best cut by counters that are words of two classes.
    fn best_counted_words(
        &self,
        two: &TwoClasses,
        counters: &BinCounters<u32>,
        chosen: Option<&[u32]>,
        workspace: &mut BlockMemory,
    ) -> Result<Option<BestSplit<u32>>> {
        let codes = self.context.widest - 1;
        let features = chosen.map_or(self.context.features.len(), <[u32]>::len);
        let words = counters.words(codes * features);
        let cuts = &mut workspace.words;
        running_sums(words, features, cuts.prepare(words.len()));
        let shape = WordCuts { codes, features, whole: pack(two.totals[0], two.totals[1]) };
        let facts = |lefts: &[u32], cut| facts_of(lefts, shape, chosen, cut);
        let best = cuts.best(self.context, two.screen, two.totals, facts)?;
        self.split_of(best, &|cut| cuts.left_sums(cut))
    }

    /// How cuts are scored from sums over the classes, if that serves this number of rows.
    fn class_sums(&self) -> Option<RunningScores> {
        let scoring = self.context.class_sums?;
        let n_rows: usize = self.totals.iter().map(|&total| total as usize).sum();
        // Squares are added in 32 bits.
        let fits = n_rows >= 2 && (scoring.term != Term::Squares || n_rows <= MOST_SQUARED_ROWS);
        (fits && scoring.holds(n_rows, self.context.setting.context.logs)).then_some(scoring)
    }

    /// The chosen cut as a split with its distance; `left` gives the class sums left of a cut.
    /// `None` where no cut was chosen.
    fn split_of(
        &self,
        chosen: Option<ChosenCut>,
        left: &dyn Fn(usize) -> Vec<u32>,
    ) -> Result<Option<BestSplit<u32>>> {
        let Some(ChosenCut { candidate, facts, score }) = chosen else { return Ok(None) };
        let sums = self.node().by_branch(left(candidate), None);
        let distance = self.node().distance(&sums)?;
        let test = self.context.threshold(facts.feature as usize, facts.at, facts.next);
        let split = BestSplit::new(facts.feature, facts.at, test, score, 2);
        Ok(Some(BestSplit { distance, sums, ..split }))
    }
}

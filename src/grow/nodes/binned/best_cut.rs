//! The best cut of a node whose cuts are scored as one block ([`super::cuts`]).
//!
//! Three ways lead to the same choice, and [`BinnedContext`] says which are open: words of two
//! classes with a kernel ([`super::two_class`]), sums over the classes ([`super::sums`]), or the
//! tables of all cuts. Words come from the counters of a node, the others from these or from the
//! lanes of a small one.
//! O(codes x features x classes) per node; the other nodes of a tree on codes are searched feature
//! by feature ([`super::node`]).
//!
//! Gains in CPU time of whole fits of 50,000 x 15, one thread: one block 5.6 times over a search by
//! feature (histogram, gini, two classes) and 3.2 (five); lanes over counters 1.5 and 1.9; words of
//! counters over tables 1.7; with columns of few values, class sums over tables 1.2 (counters) and
//! 1.4 (lanes) at ten classes. Words from lanes gained 1.08, too little for a kernel.

use super::context::BinnedContext;
use super::counts::{BinCounters, CountedCuts};
use super::cuts::{ChosenCut, CutBlock, CutPlaces};
use super::node::{BinnedNode, BlockMemory};
use super::small::SmallNode;
use super::sums::ClassTerms;
use super::two_class::{WordCuts, facts_of};
use crate::criteria::{PairScreen, RunningScores, Term};
use crate::error::{Error, Result};
use crate::grow::search::{BestSplit, NodeTables};
use crate::reached::{self, Way};
use crate::simd::class_sums::MOST_ROWS;
use crate::simd::cuts::{self as words, packed, running_sums};
use crate::split::CutTable;
use crate::stats::{ExactMoments, Sum};

/// A kernel for the cuts of two classes, and the rows of each class in the node.
struct TwoClasses {
    screen: PairScreen,
    totals: [u32; 2],
}

/// A formula that scores cuts from sums over the classes, and the rows of each class in the node.
struct SummedClasses {
    scoring: RunningScores,
    totals: Vec<u32>,
}

/// The rows of a node whose cuts are one block.
pub(super) enum CutRows<'r, S> {
    /// Counters of all features, or of those that are chosen.
    Counted(&'r BinCounters<S>),
    /// At most 64 rows.
    Small(&'r SmallNode),
}

/// Sums of classes of codes.
pub(super) trait CodedSum: Sum {
    /// The best cut of a node, of all features or of those `chosen`, for sums that are numbers of
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
        let context = self.context;
        let cuts = CountedCuts { counters, context, totals: self.totals, chosen };
        let left = |cut| cuts.left(cut);
        if let Some(summed) = self.summed_classes() {
            reached::count(Way::CountersSums);
            let len = (context.widest - 1) * cuts.features();
            return self.best_of_sums(&summed, &cuts, len, workspace, &left);
        }
        reached::count(Way::CountersTable);
        counters.fill(context, &mut workspace.block);
        let found = workspace.block.best(context, self.totals, &cuts)?;
        self.split_of(found, &left)
    }

    fn best_small(
        &self,
        small: &SmallNode,
        chosen: Option<&[u32]>,
        workspace: &mut BlockMemory,
    ) -> Result<Option<BestSplit<u32>>> {
        let mut buffers = std::mem::take(&mut workspace.lanes);
        let cuts = small.cuts(chosen, self.context.widest, &mut buffers);
        let left = |cut| cuts.left(cut);
        let found = if let Some(summed) = self.summed_classes() {
            reached::count(Way::LanesSums);
            self.best_of_sums(&summed, &cuts, cuts.masks.len(), workspace, &left)
        } else {
            reached::count(Way::LanesTable);
            let BlockMemory { block, counts, .. } = workspace;
            cuts.fill(counts, block);
            let found = block.best(self.context, self.totals, &cuts)?;
            self.split_of(found, &left)
        };
        workspace.lanes = buffers;
        found
    }

    /// The kernel for this node, if it has two classes and few enough rows.
    fn two_classes(&self) -> Option<TwoClasses> {
        let screen = self.context.pair_screen?;
        let &[zero, one] = self.totals else { return None };
        (zero + one <= words::MOST_ROWS).then_some(TwoClasses { screen, totals: [zero, one] })
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
        running_sums(words, features, |s: u32| s, cuts.prepare(words.len()));
        let shape = WordCuts { codes, features, whole: packed(two.totals[0], two.totals[1]) };
        let facts = |lefts: &[u32], cut| facts_of(lefts, shape, chosen, cut);
        let found = cuts.best(self.context, two.screen, two.totals, facts)?;
        self.split_of(found, &|cut| cuts.left(cut))
    }

    /// The formula for this node, if its sums are exact for this number of rows.
    fn summed_classes(&self) -> Option<SummedClasses> {
        let scoring = self.context.class_sums?;
        let totals = self.totals;
        let n: u64 = totals.iter().map(|&t| u64::from(t)).sum();
        let few = n >= 2 && (scoring.term != Term::Squares || n <= MOST_ROWS as u64);
        let holds = few && scoring.holds(n as usize, self.context.setting.context.logs);
        holds.then(|| SummedClasses { scoring, totals: totals.to_vec() })
    }

    /// The best of `len` cuts by sums over the classes; `left` gives the class sums left of a cut.
    fn best_of_sums(
        &self,
        summed: &SummedClasses,
        cuts: &(impl ClassTerms + CutPlaces),
        len: usize,
        workspace: &mut BlockMemory,
        left: &dyn Fn(usize) -> Vec<u32>,
    ) -> Result<Option<BestSplit<u32>>> {
        let SummedClasses { scoring, totals } = summed;
        let BlockMemory { block, sums, .. } = workspace;
        block.prepare_scores(len);
        let (weights, scores) = block.scores();
        let error = sums.score(*scoring, self.context.setting.context.logs, totals, cuts, scores);
        weights.copy_from_slice(&sums.rows);
        let BinnedContext { setting, .. } = self.context;
        let exact = |_: &CutBlock, cut: usize| {
            let table = &mut CutTable::default();
            table.score(setting.criterion, &left(cut), totals, &setting.context)
        };
        let found = block.select(self.context, self.totals, error, cuts, exact)?;
        self.split_of(found, &left)
    }

    /// The chosen cut as a split; `left` gives the class sums left of a cut.
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

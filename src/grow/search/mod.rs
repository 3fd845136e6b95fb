//! The search of a node for its best split, whatever form its rows have.
//!
//! [`NodeTables`] is what the search asks of the rows of a node: sorted ranges, codes and
//! fractional instances answer. From the answers follow, written once: the candidates of nominal
//! features ([`nominal`]), the choice among the best candidates of the features and the split that
//! it stands for ([`choice`]), the table of one candidate, the distance, the score of the undivided
//! node and the limits ([`node_sums`]). The result is a [`BestSplit`].
//!
//! Thresholds are scored by each form itself, in the kernels of [`crate::split`], and reach the
//! same sink. Everything is generic over the form, so a candidate costs no dynamic call.
//!
//! C4.5's rule and the cuts of a node as one block choose their candidates by themselves; of the
//! search they use the split and the limits.

mod best_split;
mod choice;
mod node_sums;
mod nominal;

use super::context::FeaturePlace;
use crate::split::multiway::Minimum;
use crate::split::subset::{FeatureLevels, LevelPartitions};
use crate::split::{BlockScratch, NominalSplits};
use crate::stats::Sum;
use crate::tree::Test;
use std::borrow::Cow;

pub(in crate::grow) use best_split::BestSplit;
pub(in crate::grow) use choice::{branches, choose, chosen, keeps_winner_only};
pub(in crate::grow) use node_sums::NodeSums;
pub(in crate::grow) use nominal::{NominalTest, is_candidate, nominal_test, score_nominal};

/// What the search asks of the rows of a node. A component is what a sum is kept of for each
/// branch: the weight of a class.
pub(in crate::grow) trait NodeTables {
    /// Sum of a component.
    type Sum: Sum;
    /// Memory that the levels of one feature after the other are counted in.
    type Memory: Default;

    /// The options, and the sums of the node.
    fn node(&self) -> NodeSums<'_, Self::Sum>;

    /// What decides random choices in the node.
    fn key(&self) -> u64;

    /// Number of features of the data set.
    fn features(&self) -> usize;

    /// Smallest branch with rows.
    fn minimum(&self) -> Minimum;

    /// Whether candidates that the criterion or the splitter cannot choose are scored too.
    fn scores_all(&self) -> bool {
        false
    }

    /// Where a feature is found.
    fn place(&self, feature: u32) -> FeaturePlace;

    /// What is declared of a nominal feature.
    fn declared(&self, nominal: usize) -> DeclaredLevels<'_>;

    /// The levels of a nominal feature in the node, with rows by code where `counted`.
    fn levels(
        &self,
        nominal: usize,
        counted: bool,
        memory: &mut Self::Memory,
    ) -> FeatureLevels<'_, Self::Sum>;

    /// Sums by branch of a threshold, and whether the last branch holds missing values.
    fn sums_of_cut(&self, numeric: usize, at: u32) -> (Vec<Self::Sum>, bool);

    /// Sums of the rows on which the candidates of a feature are scored, and the share of the
    /// node's weight that a score counts for.
    fn scored_rows(&self, _place: FeaturePlace) -> (Cow<'_, [Self::Sum]>, f64) {
        (Cow::Borrowed(self.node().totals), 1.0)
    }

    /// The first original row whose value is the one just left of a threshold.
    fn first_row(&self, numeric: usize, at: u32) -> u32;
}

/// A form whose rows go down one branch each, so that the sums of the branches are those of the
/// candidate.
pub(in crate::grow) trait WholeRows: NodeTables {
    /// What a threshold would do.
    fn cut(&self, numeric: usize, at: u32) -> NodeCut<Self::Sum>;

    /// Rows of the branches of a nominal split with these sums; nothing where they are counted when
    /// the split is made. `branch_of` is empty where a branch is a code.
    fn branch_sizes(&self, _nominal: usize, _sums: &[Self::Sum], _branch_of: &[u16]) -> Vec<u32> {
        Vec::new()
    }
}

/// What is declared of a nominal feature.
#[derive(Debug, Clone, Copy)]
pub(in crate::grow) struct DeclaredLevels<'a> {
    pub levels: u32,
    /// One code more means "missing".
    pub missing: bool,
    /// Where codes are bins of a number: the edges between them.
    pub edges: Option<&'a [f64]>,
    /// How the feature is split.
    pub splits: NominalSplits,
}

/// What a threshold would do.
#[derive(Debug)]
pub(in crate::grow) struct NodeCut<S> {
    pub test: Test,
    /// Sums by branch.
    pub sums: Vec<S>,
    /// Rows of the branches; nothing where they are counted when the split is made.
    pub sizes: Vec<u32>,
    /// The last branch holds missing values.
    pub missing: bool,
}

/// Memory of the search of one worker.
#[derive(Debug)]
pub(in crate::grow) struct SearchWork<S: Sum> {
    pub scratch: BlockScratch<S::Cell>,
    pub partitions: LevelPartitions<S>,
    /// Scores of a block.
    pub scores: Vec<f64>,
}

impl<S: Sum> Default for SearchWork<S> {
    fn default() -> Self {
        Self {
            scratch: BlockScratch::default(),
            partitions: LevelPartitions::default(),
            scores: Vec::new(),
        }
    }
}

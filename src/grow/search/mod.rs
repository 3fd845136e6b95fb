//! The search of a node for its best split, whatever form its rows have.
//!
//! A form of rows implements [`NodeTables`]: class sums, declared levels, limits. Sorted ranges,
//! the codes of bins and fractional instances do. From it follow the candidates of nominal features
//! ([`nominal`]), the choice among the best candidates of the features and the split that it makes
//! ([`choice`]), and the distance, the undivided score and the limits ([`node_sums`]). The result
//! is a [`BestSplit`].
//!
//! Each form scores its thresholds itself, in the kernels of [`crate::split`], into the same sinks.
//! Everything is generic over the form, so a candidate costs no dynamic call. C4.5's rule, bit
//! planes and the cuts of a node as one block have choices of their own; they share [`BestSplit`]
//! and the limits.

mod best_split;
mod choice;
mod node_sums;
mod nominal;

use super::context::FeaturePlace;
use crate::data::entry_tied;
use crate::split::multiway::Minimum;
use crate::split::subset::{FeatureLevels, LevelPartitions};
use crate::split::{BlockScratch, NominalSplits};
use crate::stats::Sum;
use crate::tree::Test;
use std::borrow::Cow;

pub(in crate::grow) use best_split::BestSplit;
pub(in crate::grow) use choice::{
    choose_candidate, keeps_winner_only, split_of_candidate, sums_of_candidate,
};
pub(in crate::grow) use node_sums::NodeSums;
pub(in crate::grow) use nominal::{
    NominalTest, divisions, is_candidate, nominal_test, score_nominal,
};

/// Class sums of the rows of a node, as the search needs them.
///
/// A numeric or nominal feature is given by its place among the features of that kind
/// ([`FeaturePlace`]).
pub(in crate::grow) trait NodeTables {
    /// Sum of the weights of a class.
    type Sum: Sum;
    /// Memory for counting the levels of a feature, used for one feature after the other.
    type Memory: Default;

    /// The options of growth, and the class sums of the node.
    fn node(&self) -> NodeSums<'_, Self::Sum>;

    /// The key of the node's random choices.
    fn key(&self) -> u64;

    /// Number of features of the data set.
    fn features(&self) -> usize;

    /// Smallest size of a branch with rows.
    fn minimum(&self) -> Minimum;

    /// Whether candidates that the criterion or the splitter cannot choose are scored too.
    fn scores_all(&self) -> bool {
        false
    }

    /// The place of a feature among the numeric or among the nominal features.
    fn place(&self, feature: u32) -> FeaturePlace;

    /// The declaration of a nominal feature.
    fn declared(&self, nominal: usize) -> DeclaredLevels<'_>;

    /// The class sums of a nominal feature's levels in the node; with the rows of each code where
    /// `counted`.
    fn levels(
        &self,
        nominal: usize,
        counted: bool,
        memory: &mut Self::Memory,
    ) -> FeatureLevels<'_, Self::Sum>;

    /// Class sums by branch of a threshold.
    fn sums_of_cut(&self, numeric: usize, at: u32) -> BranchSums<Self::Sum>;

    /// Class sums of the rows on which the candidates of a feature are scored, and the share of the
    /// node's weight that they hold.
    fn scored_rows(&self, _place: FeaturePlace) -> (Cow<'_, [Self::Sum]>, f64) {
        (Cow::Borrowed(self.node().totals), 1.0)
    }

    /// The lowest original row number among the rows whose value is the largest left of a
    /// threshold.
    fn first_row(&self, numeric: usize, at: u32) -> u32;
}

/// A form of rows in which each row goes down one branch, so that the children have the class sums
/// of the candidate.
pub(in crate::grow) trait WholeRows: NodeTables {
    /// The test and the branches of a threshold.
    fn cut(&self, numeric: usize, at: u32) -> NodeCut<Self::Sum>;

    /// Rows of the branches of a nominal split with these class sums; empty where they are counted
    /// when the split is made. `branch_of` is empty where a code is its branch.
    fn branch_sizes(&self, _nominal: usize, _sums: &[Self::Sum], _branch_of: &[u16]) -> Vec<u32> {
        Vec::new()
    }
}

/// Class sums of the branches of a candidate.
#[derive(Debug)]
pub(in crate::grow) struct BranchSums<S> {
    /// Class sums, branch by branch.
    pub sums: Vec<S>,
    /// The last branch holds missing values.
    pub missing: bool,
}

impl<S: Sum> BranchSums<S> {
    /// Weights of the first two branches.
    fn weights(&self, classes: usize, unit: f64) -> [f64; 2] {
        let mut weights = [0.0; 2];
        for (weight, sums) in weights.iter_mut().zip(self.sums.chunks_exact(classes)) {
            sums.iter().for_each(|sum| *weight += sum.value(unit));
        }
        weights
    }
}

/// The declaration of a nominal feature.
#[derive(Debug, Clone, Copy)]
pub(in crate::grow) struct DeclaredLevels<'a> {
    pub levels: u32,
    /// The code after the last level means "missing".
    pub missing: bool,
    /// The edges between codes that are bins of a number.
    pub edges: Option<&'a [f64]>,
    /// How the feature is split.
    pub splits: NominalSplits,
}

/// The test and the branches of a threshold.
#[derive(Debug)]
pub(in crate::grow) struct NodeCut<S> {
    pub test: Test,
    /// Class sums of the branches.
    pub branches: BranchSums<S>,
    /// Rows of the branches; empty where they are counted when the split is made.
    pub sizes: Vec<u32>,
}

/// Memory of the search of one worker.
#[derive(Debug, Default)]
pub(in crate::grow) struct SearchScratch<S: Sum> {
    /// Blocks of candidates.
    pub block: BlockScratch<S::Cell>,
    pub partitions: LevelPartitions<S>,
    /// Scores of a block.
    pub scores: Vec<f64>,
}

/// The lowest original row number among the entries tied with the last of `left`, the entries left
/// of a threshold.
pub(in crate::grow) fn first_tied_row(left: &[u32], original: impl Fn(u32) -> u32) -> u32 {
    let mut first = u32::MAX;
    for &entry in left.iter().rev() {
        first = first.min(original(entry));
        if entry_tied(entry) == 0 {
            break;
        }
    }
    first
}

/// Whether all rows with these entries have the same value. The entries are the rows of a node that
/// have a value; without entries the answer is no.
pub(in crate::grow) fn is_one_value(order: &[u32]) -> bool {
    order.split_first().is_some_and(|(_, others)| others.iter().all(|&e| entry_tied(e) == 1))
}

//! The rows of a node, in whatever form they are kept, and what growth asks of them.
//!
//! [`NodeRows`] is all that the [`driver`](super::driver) knows: how large a node is, what its best
//! split is, and how a split divides its rows. One implementation per representation:
//!
//! | file | rows of a node | chosen when |
//! |---|---|---|
//! | [`bit_planes`] | a sparse mask over bit planes | few nominal values, multiway, no weights |
//! | [`sorted_ranges`] | a range of sorted orders and of coded rows | the others cannot do it |
//! | [`binned`] | a range of records of codes | a histogram, or numbers of few values |
//! | [`fractional`] | lists of rows with weights | missing values divide rows, or C4.5's rule |
//!
//! `fit::route` has the conditions.

pub mod binned;
pub(super) mod bit_planes;
pub(super) mod fractional;
pub(super) mod sorted_ranges;

use super::builder::TreeBuilder;
use crate::error::Result;
use crate::grow::options::GrowthLimits;
use crate::grow::search::BestSplit;
use crate::parallel::Control;
use crate::stats::Sum;

/// A node that may be split, and its rows.
#[derive(Debug)]
pub(super) struct Open<N> {
    /// Its number in the builder.
    pub node: u32,
    /// Its rows.
    pub rows: N,
}

/// The rows of all open nodes of a tree, or of a subtree that is grown as a task.
///
/// The shared facts (columns, weights, criterion) are behind a context that is copied; the
/// implementation itself owns the buffers and scratch memory of one worker.
pub(super) trait NodeRows: Sized {
    /// Sums of weights.
    type Sum: Sum;
    /// Rows of one node. Nodes of a tree do not overlap.
    type Node;
    /// A split that was accepted, with all that is needed to make it.
    type Best;
    /// What all tasks share.
    type Context: Copy + Sync;
    /// The rows of one node, cut off from those of the others.
    type Task: Send;

    /// What all tasks share.
    fn context(&self) -> Self::Context;

    /// Limits of growth.
    fn limits(&self) -> &GrowthLimits;

    /// Number of rows of a node.
    fn len(&self, rows: &Self::Node) -> usize;

    /// How much the evaluation of a node costs, in steps of about a nanosecond: the cancel flag is
    /// looked at every few thousand.
    fn work(&self, rows: &Self::Node) -> usize {
        self.len(rows)
    }

    /// Whether limits that need no look at the candidates make a node a leaf.
    fn is_finished(&self, tree: &TreeBuilder<Self::Sum>, node: u32) -> bool;

    /// The best split of a node; nothing when there is no valid one or a limit refuses it.
    fn evaluate(
        &mut self,
        tree: &TreeBuilder<Self::Sum>,
        open: &mut Open<Self::Node>,
        control: &Control,
    ) -> Result<Option<Self::Best>>;

    /// The split itself.
    fn best(best: &Self::Best) -> &BestSplit<Self::Sum>;

    /// Make a split that [`Self::evaluate`] returned for this node, maybe some nodes ago: add the
    /// children to the tree, divide the rows. Children that may be split again are pushed, in
    /// branch order.
    fn split(
        &mut self,
        tree: &mut TreeBuilder<Self::Sum>,
        open: Open<Self::Node>,
        best: &Self::Best,
        step: u32,
        children: &mut Vec<Open<Self::Node>>,
    );

    /// Take back the memory of a node that stays a leaf.
    fn discard(&mut self, rows: Self::Node) {
        drop(rows);
    }

    /// Cut the rows of open nodes off, for growth by several threads; the nodes come in the order
    /// in which [`super::driver`] would split them depth first.
    fn detach(self, nodes: Vec<Self::Node>) -> Vec<Self::Task>;

    /// A worker for one task, and the rows of its root.
    fn attach(context: Self::Context, task: Self::Task) -> (Self, Self::Node);
}

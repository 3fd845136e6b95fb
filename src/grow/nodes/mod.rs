//! The forms of a node's rows, behind one trait.
//!
//! The [`driver`](super::driver) grows every tree through [`NodeRows`]: the size of a node, its
//! best split, and the division of its rows. One implementation per form:
//!
//! | module | rows of a node | chosen for |
//! |---|---|---|
//! | [`bit_planes`] | a sparse mask over bit planes | few nominal values, multiway, no weights |
//! | [`sorted_ranges`] | a range of sorted orders and of coded rows | everything else |
//! | [`binned`] | a range of records of codes | histograms, numbers of few values |
//! | [`fractional`] | lists of rows with weights | fractional instances, C4.5's rule |
//!
//! `crate::fit::route` has the exact conditions. Costs are stated in each module.

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
    /// Number of the node in the builder.
    pub node: u32,
    /// Rows of the node.
    pub rows: N,
}

/// The rows of all open nodes of a tree, or of a subtree that is grown as a task.
///
/// The shared facts (columns, weights, criterion) are behind a context that is copied to each task;
/// the implementation owns the buffers and scratch memory of one worker.
pub(super) trait NodeRows: Sized {
    /// Sum of the weights of a class.
    type Sum: Sum;
    /// Rows of one node. Nodes of a tree do not overlap.
    type Node;
    /// A split that the limits accept, with all that is needed to make it.
    type Best;
    /// The facts that all tasks share.
    type Context: Copy + Sync;
    /// The rows of one node, detached from the rows of the other nodes.
    type Task: Send;

    /// The facts that all tasks share.
    fn context(&self) -> Self::Context;

    /// Limits of growth.
    fn limits(&self) -> &GrowthLimits;

    /// Number of rows of a node.
    fn len(&self, rows: &Self::Node) -> usize;

    /// The work of evaluating a node, in steps of about a nanosecond; the driver checks the cancel
    /// flag every few thousand steps.
    fn work(&self, rows: &Self::Node) -> usize {
        self.len(rows)
    }

    /// Whether the limits that do not depend on candidates make a node a leaf.
    fn is_finished(&self, tree: &TreeBuilder<Self::Sum>, node: u32) -> bool;

    /// The best split of a node; `None` when no candidate is valid or a limit refuses the best. The
    /// test of its feature joins the node, where features are chosen by significance.
    fn evaluate(
        &mut self,
        tree: &mut TreeBuilder<Self::Sum>,
        open: &mut Open<Self::Node>,
        control: &Control,
    ) -> Result<Option<Self::Best>>;

    /// The split itself, without the facts that are needed to make it.
    fn best(best: &Self::Best) -> &BestSplit<Self::Sum>;

    /// Make a split that [`Self::evaluate`] returned for this node, with other nodes evaluated in
    /// between: add the children to the tree and divide the rows. Children that may be split
    /// again are pushed, in branch order. `step` is the number of the split in the order of growth.
    fn split(
        &mut self,
        tree: &mut TreeBuilder<Self::Sum>,
        open: Open<Self::Node>,
        best: &Self::Best,
        step: u32,
        children: &mut Vec<Open<Self::Node>>,
    );

    /// Recycle the memory of a node that stays a leaf.
    fn discard(&mut self, rows: Self::Node) {
        drop(rows);
    }

    /// Detach the rows of open nodes from each other, for growth by several threads; the nodes come
    /// in the order in which [`super::driver`] would split them depth first.
    fn detach(self, nodes: Vec<Self::Node>) -> Vec<Self::Task>;

    /// A worker for one task, and the rows of its root.
    fn attach(context: Self::Context, task: Self::Task) -> (Self, Self::Node);
}

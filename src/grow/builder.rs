//! The tree under construction ([`TreeBuilder`]): nodes in the order of their creation, children
//! side by side, so that a split appends and moves nothing.
//!
//! Every kind of growth adds its nodes to a builder. Threads grow subtrees in builders of their own
//! ([`TreeBuilder::subtree`]), which then replace the leaves from which they grew
//! ([`TreeBuilder::graft`]). At the end [`TreeBuilder::finish`] numbers the nodes in pre-order and
//! makes the [`Tree`]. O(nodes x classes) in time and memory.

use super::constraints::PathLimits;
use super::options::{EmptyBranch, GrowthLimits, GrowthSetting};
use crate::error::Result;
use crate::memory;
use crate::numeric::mix;
use crate::stats::Sum;
use crate::tree::{FeatureTest, NONE, Node, NodePosition, Test, Tree, majority};
use std::ops::Range;

/// A node of the tree under construction.
#[derive(Debug, Clone, Copy)]
pub(super) struct BuilderNode {
    /// Number of the parent; [`NONE`] for the root.
    pub parent: u32,
    /// The branch of the parent's split that leads here.
    pub branch: u32,
    /// Level of the node in the whole tree; the root of the tree has level 0.
    pub depth: u32,
    /// Number of rows, whatever they weigh.
    pub rows: u32,
    /// Key of the node's random choices.
    pub key: u64,
    /// Index of its split in [`TreeBuilder::splits`]; [`NONE`] for a leaf.
    pub split: u32,
}

impl BuilderNode {
    /// A node that has neither a parent nor a split.
    fn root(depth: u32, rows: u32, key: u64) -> Self {
        Self { parent: NONE, branch: 0, depth, rows, key, split: NONE }
    }
}

/// How a node was split.
///
/// The builder itself fills in `first_child` and `n_children` ([`TreeBuilder::add_split`]); values
/// that the caller gave there are replaced.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeSplit {
    pub feature: u32,
    pub test: Test,
    /// Number of the first child; the others follow it.
    pub first_child: u32,
    pub n_children: u32,
    /// The branch that holds the rows with a missing value; `None` where there were none.
    pub missing: Option<u32>,
    /// Score by the criterion, larger is better.
    pub score: f64,
    /// Distance of the split on the node's own table.
    pub distance: f64,
    /// Number of the split in the order of growth; [`NONE`] where that order has no meaning.
    pub step: u32,
}

/// The children that a split adds.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewChildren<'s, S> {
    /// Class sums, child by child.
    pub sums: &'s [S],
    /// Rows of each child.
    pub rows: &'s [u32],
}

/// Nodes for which a new tree has room: small trees and subtrees of this size allocate once, and
/// larger ones lose nothing, as their lists double.
const FIRST_NODES: usize = 16;

/// The tree under construction.
///
/// `S` is the sum of the weights of a class: a number of rows, a weight in units, or the moments of
/// a numeric target.
#[derive(Debug, Clone)]
pub(super) struct TreeBuilder<S> {
    pub nodes: Vec<BuilderNode>,
    /// The splits of the inner nodes, in the order in which they were made.
    pub splits: Vec<NodeSplit>,
    /// The test of the chosen feature of each node, where features are chosen by significance;
    /// otherwise empty.
    pub significance: Vec<Option<FeatureTest>>,
    /// Class sums, `classes` per node.
    pub sums: Vec<S>,
    /// Levels that subset tests list.
    pub levels: Vec<u32>,
    /// Class that each node predicts, -1 for none, where growth chose labels. Otherwise the list is
    /// empty, and nodes predict their majority.
    pub labels: Vec<i32>,
    /// Number of classes; 1 for a numeric target.
    pub classes: usize,
    /// The limits that the path above the root sets, where this is a subtree and there are
    /// constraints.
    pub above: Option<PathLimits>,
}

impl<S: Sum> TreeBuilder<S> {
    /// A tree of a root alone.
    ///
    /// `sums` are the class sums of the root and `rows` is its number of rows. `key` seeds the
    /// random choices below it, and `depth` is its level in the whole tree, which is not 0 for the
    /// root of a subtree.
    pub fn new(sums: &[S], rows: u32, key: u64, depth: u32) -> Self {
        let root = BuilderNode::root(depth, rows, key);
        let (mut nodes, mut all_sums) =
            (Vec::with_capacity(FIRST_NODES), Vec::with_capacity(FIRST_NODES * sums.len()));
        nodes.push(root);
        all_sums.extend_from_slice(sums);
        Self {
            nodes,
            splits: Vec::with_capacity(FIRST_NODES / 2),
            significance: Vec::new(),
            sums: all_sums,
            levels: Vec::new(),
            labels: Vec::new(),
            classes: sums.len(),
            above: None,
        }
    }

    /// The class sums of a node, or its one sum if the target is a number. They include all rows of
    /// the node, also those without a value of the tested feature.
    pub fn sums(&self, node: usize) -> &[S] {
        &self.sums[node * self.classes..(node + 1) * self.classes]
    }

    /// The split of a node; `None` for a leaf. The numbers of its children are numbers in this
    /// builder.
    pub fn split_of(&self, node: usize) -> Option<&NodeSplit> {
        // NONE, the split of a leaf, is larger than every index.
        self.splits.get(self.nodes[node].split as usize)
    }

    /// Keep the test of the feature by which a node was split, or was not. Nodes without a test get
    /// none.
    pub fn set_significance(&mut self, node: usize, test: FeatureTest) {
        self.significance.resize(self.nodes.len(), None);
        self.significance[node] = Some(test);
    }

    /// Whether the limits that do not depend on candidates make a node a leaf.
    ///
    /// With `unit`, the value of one unit of the sums, the size of the node is the sum of its
    /// weights, rounded down. Without it the size is the number of rows.
    pub fn is_finished(&self, node: u32, limits: &GrowthLimits, unit: Option<f64>) -> bool {
        let sums = self.sums(node as usize);
        let BuilderNode { rows, depth, .. } = self.nodes[node as usize];
        let size = match unit {
            Some(unit) => sums.iter().map(|sum| sum.value(unit)).sum::<f64>() as usize,
            None => rows as usize,
        };
        limits.stops(size, depth as usize, || S::are_pure(sums))
    }

    /// Key of the path to a node: a sum over its (feature, branch) pairs of 128 mixed bits, so that
    /// two trees which reach the same rows by the same tests, in any order, give them one key. The
    /// key of the root is 0.
    ///
    /// The key decides the rows only where a feature has one possible split, as in the multiway
    /// splits of criteria on pairs, the only ones whose trees share a memo.
    pub fn path_key(&self, node: usize) -> u128 {
        let mut key = 0u128;
        let mut below = self.nodes[node];
        while below.parent != NONE {
            if let Some(split) = self.split_of(below.parent as usize) {
                let test = u64::from(split.feature) << 32 | u64::from(below.branch);
                key = key.wrapping_add(u128::from(mix(1, test)) << 64 | u128::from(mix(2, test)));
            }
            below = self.nodes[below.parent as usize];
        }
        key
    }

    /// The limits that the path to a node sets for the nodes below it; `None` without constraints.
    /// They follow from a walk to the root, O(depth x groups); a subtree begins with the limits of
    /// its leaf.
    pub fn path_limits(&self, node: u32, limits: &GrowthLimits) -> Option<PathLimits> {
        let constraints = limits.constraints.as_ref()?;
        let mut path = self.above.clone().unwrap_or_else(|| PathLimits::new(constraints));
        let mut below = self.nodes[node as usize];
        while below.parent != NONE {
            let parent = below.parent as usize;
            if let Some(&NodeSplit { feature, first_child, .. }) = self.split_of(parent) {
                // Every split has two branches or more. Further ones do not matter: a feature with
                // a sign has none, except the branch of missing values, which has no order.
                let sides = [0, 1].map(|side| self.sums((first_child + side) as usize));
                path.pass(feature, below.branch, sides);
            }
            below = self.nodes[parent];
        }
        Some(path)
    }

    /// Add a child of a node; its key follows from the parent's key and the branch.
    fn add_child(&mut self, parent: u32, branch: u32, rows: u32) {
        let BuilderNode { depth, key, .. } = self.nodes[parent as usize];
        let key = mix(key, u64::from(branch) + 1);
        self.nodes.push(BuilderNode { parent, branch, ..BuilderNode::root(depth + 1, rows, key) });
    }

    /// Split a node and add its children; returns the number of the first child.
    ///
    /// `levels` are the levels that a subset test lists: the test counts them from 0, and is
    /// shifted to their place in [`Self::levels`]. The node must be a leaf.
    pub fn add_split(
        &mut self,
        node: u32,
        split: NodeSplit,
        children: NewChildren<'_, S>,
        levels: &[u32],
    ) -> u32 {
        let first_child = self.nodes.len() as u32;
        for (branch, &rows) in children.rows.iter().enumerate() {
            self.add_child(node, branch as u32, rows);
        }
        self.sums.extend_from_slice(children.sums);
        debug_assert_eq!(self.sums.len(), self.nodes.len() * self.classes);
        let test = split.test.shifted(self.levels.len() as u32);
        self.levels.extend_from_slice(levels);
        let n_children = children.rows.len() as u32;
        self.nodes[node as usize].split = self.splits.len() as u32;
        self.splits.push(NodeSplit { test, first_child, n_children, ..split });
        first_child
    }

    /// A builder whose root is a leaf of this one, for growth by another worker; see
    /// [`Self::graft`]. The root keeps the key and the depth of the leaf, so the subtree is the
    /// same as if it grew in this builder.
    pub fn subtree(&self, leaf: u32, limits: &GrowthLimits) -> Self {
        let node = self.nodes[leaf as usize];
        let root = Self::new(self.sums(leaf as usize), node.rows, node.key, node.depth);
        Self { above: self.path_limits(leaf, limits), ..root }
    }

    /// Make room for the nodes of some subtrees, so that no growing list is copied. It is called
    /// before the subtrees are grafted; nodes, splits and sums get room, and the levels of subset
    /// tests do not.
    pub fn reserve(&mut self, subtrees: &[Self]) {
        let nodes: usize = subtrees.iter().map(|subtree| subtree.nodes.len()).sum();
        self.nodes.reserve_exact(nodes);
        self.splits.reserve_exact(subtrees.iter().map(|subtree| subtree.splits.len()).sum());
        self.sums.reserve_exact(nodes * self.classes);
    }

    /// Replace a leaf by a subtree that another worker grew from it ([`Self::subtree`]). The leaf
    /// keeps its number, and the other nodes of the subtree are appended. So the numbers depend on
    /// the order of the grafts, and not on which worker was ready first.
    pub fn graft(&mut self, leaf: usize, subtree: Self) {
        debug_assert!(subtree.labels.is_empty(), "labels are chosen by growth without subtrees");
        // The root of the subtree is the leaf itself, so only the nodes after it are appended.
        let shift = self.nodes.len() as u32 - 1;
        let new_number = |node: usize| if node == 0 { leaf } else { node + shift as usize };
        let (n_splits, n_levels) = (self.splits.len() as u32, self.levels.len() as u32);
        let new_split = |split: u32| if split == NONE { NONE } else { split + n_splits };
        self.nodes[leaf].split = new_split(subtree.nodes[0].split);
        self.nodes.extend(subtree.nodes[1..].iter().map(|node| BuilderNode {
            parent: new_number(node.parent as usize) as u32,
            split: new_split(node.split),
            ..*node
        }));
        self.splits.extend(subtree.splits.iter().map(|split| NodeSplit {
            first_child: split.first_child + shift,
            test: split.test.shifted(n_levels),
            ..*split
        }));
        for (node, test) in subtree.significance.iter().enumerate() {
            test.iter().for_each(|&test| self.set_significance(new_number(node), test));
        }
        self.sums.extend_from_slice(&subtree.sums[self.classes..]);
        self.levels.extend_from_slice(&subtree.levels);
    }

    /// The branch of the largest weight, the first of equal ones.
    fn heaviest_branch(&self, children: Range<u32>, unit: f64) -> u32 {
        let (mut heaviest, mut largest) = (0, f64::NEG_INFINITY);
        for (branch, child) in children.enumerate() {
            let sums = self.sums(child as usize);
            let weight = sums.iter().map(|sum| sum.value(unit)).sum::<f64>();
            if weight > largest {
                (heaviest, largest) = (branch as u32, weight);
            }
        }
        heaviest
    }

    /// The nodes in pre-order.
    fn pre_order(&self) -> Vec<u32> {
        let mut sequence = Vec::with_capacity(self.nodes.len());
        let mut stack = vec![0_u32];
        while let Some(node) = stack.pop() {
            sequence.push(node);
            if let Some(split) = self.split_of(node as usize) {
                // The stack pops the last one, so the first child goes on top.
                stack.extend((split.first_child..split.first_child + split.n_children).rev());
            }
        }
        sequence
    }

    /// The finished tree, with its nodes in pre-order.
    ///
    /// * `unit` is the value of one unit of the sums.
    /// * `are_copies` says that weights are copies of rows. A node then has as many rows as it has
    ///   weight, as the limits count them.
    /// * `setting` says what empty leaves predict, and has the grid of a numeric target.
    ///
    /// Splits without a step are numbered in pre-order.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::error::Error::Memory).
    pub fn finish(&self, unit: f64, are_copies: bool, setting: &GrowthSetting<'_>) -> Result<Tree> {
        let (classes, n_nodes) = (self.classes, self.nodes.len());
        memory::cover(n_nodes * size_of::<Node>().max(classes * size_of::<f64>()))?;
        let sequence = self.pre_order();
        let mut number = vec![0_u32; n_nodes];
        (0..).zip(&sequence).for_each(|(place, &node)| number[node as usize] = place);
        let mut tree = Tree::empty(classes);
        tree.nodes.reserve(n_nodes);
        tree.counts.reserve(n_nodes * classes);
        tree.children.reserve(n_nodes - 1);
        let mut next_step = 0;
        for &node in &sequence {
            let BuilderNode { parent, branch, depth, rows, .. } = self.nodes[node as usize];
            let parent = if parent == NONE { NONE } else { number[parent as usize] };
            let start = tree.counts.len();
            let sums = self.sums(node as usize);
            tree.counts.extend(sums.iter().map(|sum| sum.value(unit)));
            let counts = &tree.counts[start..];
            let rows = if are_copies { counts.iter().sum::<f64>() as u32 } else { rows };
            let label = self.label(node, &tree, parent, rows, setting.empty_branch);
            if let (Some(grid), Some(sum)) = (setting.context.grid, sums.first()) {
                let moments = sum.moments().unwrap_or_default().rounded(unit);
                tree.outcomes.push(match rows {
                    0 => tree.outcomes[parent as usize].for_empty_child(),
                    _ => setting.criterion.outcome(&moments, grid),
                });
            }
            let first_child = tree.children.len() as u32;
            let position = NodePosition { parent, branch, depth };
            let significance = self.significance.get(node as usize).copied().flatten();
            let mut finished =
                Node { first_child, significance, ..Node::leaf(position, label, rows) };
            if let Some(split) = self.split_of(node as usize) {
                let children = split.first_child..split.first_child + split.n_children;
                tree.children.extend(children.clone().map(|child| number[child as usize]));
                finished.test = tree.copy_levels(split.test, &self.levels);
                finished.feature = split.feature;
                finished.n_children = split.n_children;
                finished.missing_branch =
                    split.missing.unwrap_or_else(|| self.heaviest_branch(children, unit));
                finished.score = split.score;
                finished.distance = split.distance;
                finished.step = if split.step == NONE { next_step } else { split.step };
                next_step += 1;
            }
            tree.nodes.push(finished);
        }
        Ok(tree)
    }

    /// The class that a node predicts, -1 for none.
    ///
    /// The label is the one that growth chose, or the majority of the node's class counts, which
    /// are the last counts of `tree`. A node without rows predicts the label of its parent or
    /// nothing, as `empty_branch` says; `parent` is the number of the parent in `tree`.
    fn label(
        &self,
        node: u32,
        tree: &Tree,
        parent: u32,
        rows: u32,
        empty_branch: EmptyBranch,
    ) -> i32 {
        if let Some(&label) = self.labels.get(node as usize) {
            return label;
        }
        if rows > 0 {
            return majority(&tree.counts[tree.counts.len() - self.classes..]) as i32;
        }
        match empty_branch {
            EmptyBranch::Unclassified => -1,
            EmptyBranch::Parent => tree.nodes[parent as usize].label,
        }
    }
}

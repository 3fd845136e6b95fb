//! The tree under construction ([`TreeBuilder`]): nodes in the order of their creation, children
//! side by side, so that a split appends and moves nothing.
//!
//! All growth ends in one. Threads grow subtrees in builders of their own
//! ([`TreeBuilder::subtree`], [`TreeBuilder::graft`]); [`TreeBuilder::finish`] numbers the nodes in
//! pre-order and makes the [`Tree`]. O(nodes x classes) in time and memory.

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
    pub parent: u32,
    pub branch: u32,
    pub depth: u32,
    pub rows: u32,
    /// Key of the node's random choices.
    pub key: u64,
    /// Index of its split in [`TreeBuilder::splits`]; [`NONE`] for a leaf.
    pub split: u32,
}

impl BuilderNode {
    /// A node without a parent and a split.
    fn root(depth: u32, rows: u32, key: u64) -> Self {
        Self { parent: NONE, branch: 0, depth, rows, key, split: NONE }
    }
}

/// How a node was split.
///
/// The builder itself fills in `first_child` and `n_children`.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeSplit {
    pub feature: u32,
    pub test: Test,
    pub first_child: u32,
    pub n_children: u32,
    /// The branch that holds the rows with a missing value; `None` where there were none.
    pub missing: Option<u32>,
    pub score: f64,
    pub distance: f64,
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

/// Nodes for which a new tree has room, so that small trees and subtrees allocate once.
const FIRST_NODES: usize = 16;

/// The tree under construction.
#[derive(Debug, Clone)]
pub(super) struct TreeBuilder<S> {
    pub nodes: Vec<BuilderNode>,
    /// The splits of the inner nodes, in the order in which they were made.
    pub splits: Vec<NodeSplit>,
    /// The test of the chosen feature of each node, where features are chosen by significance; else
    /// empty.
    pub significance: Vec<Option<FeatureTest>>,
    /// Class sums, `classes` per node.
    pub sums: Vec<S>,
    /// Levels that subset tests list.
    pub levels: Vec<u32>,
    /// Class that each node predicts, -1 for none, where growth chose labels; else empty, and nodes
    /// predict their majority.
    pub labels: Vec<i32>,
    pub classes: usize,
    /// What the path above the root allows, where this is a subtree and there are constraints.
    pub above: Option<PathLimits>,
}

impl<S: Sum> TreeBuilder<S> {
    /// A tree of a root alone, with the class sums and the number of rows of the root. `key` seeds
    /// the random choices below it, and `depth` is its depth in the whole tree.
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

    /// The split of a node; `None` for a leaf.
    pub fn split_of(&self, node: usize) -> Option<&NodeSplit> {
        self.splits.get(self.nodes[node].split as usize)
    }

    /// Note the test of the chosen feature of a node.
    pub fn set_significance(&mut self, node: usize, test: FeatureTest) {
        self.significance.resize(self.nodes.len(), None);
        self.significance[node] = Some(test);
    }

    /// Whether the limits that do not depend on candidates make a node a leaf. Its size is the sum
    /// of its weights, given the `unit` of its sums, else its number of rows.
    pub fn is_finished(&self, node: u32, limits: &GrowthLimits, unit: Option<f64>) -> bool {
        let (own, sums) = (&self.nodes[node as usize], self.sums(node as usize));
        let size = match unit {
            Some(unit) => sums.iter().map(|s| s.value(unit)).sum::<f64>() as usize,
            None => own.rows as usize,
        };
        limits.stops(size, own.depth as usize, || S::are_pure(sums))
    }

    /// Key of the path to a node: a sum over its (feature, branch) pairs of 128 mixed bits, so that
    /// two trees which reach the same rows by the same tests, in any order, give them one key.
    pub fn path_key(&self, node: usize) -> u128 {
        let mut key = 0u128;
        let mut at = self.nodes[node];
        while at.parent != NONE {
            if let Some(split) = self.split_of(at.parent as usize) {
                let test = u64::from(split.feature) << 32 | u64::from(at.branch);
                key = key.wrapping_add(u128::from(mix(1, test)) << 64 | u128::from(mix(2, test)));
            }
            at = self.nodes[at.parent as usize];
        }
        key
    }

    /// What the path to a node allows below it; `None` without constraints.
    pub fn path_limits(&self, node: u32, limits: &GrowthLimits) -> Option<PathLimits> {
        let constraints = limits.constraints.as_ref()?;
        let mut found = self.above.clone().unwrap_or_else(|| PathLimits::new(constraints));
        let mut at = self.nodes[node as usize];
        while at.parent != NONE {
            if let Some(&NodeSplit { feature, first_child, .. }) = self.split_of(at.parent as usize)
            {
                let sides = [0, 1].map(|side| self.sums((first_child + side) as usize));
                found.pass(feature, at.branch, sides);
            }
            at = self.nodes[at.parent as usize];
        }
        Some(found)
    }

    /// Add a child of a node; its key follows from the parent's key and the branch.
    fn add_child(&mut self, parent: u32, branch: u32, rows: u32) {
        let BuilderNode { depth, key, .. } = self.nodes[parent as usize];
        let key = mix(key, u64::from(branch) + 1);
        self.nodes.push(BuilderNode { parent, branch, ..BuilderNode::root(depth + 1, rows, key) });
    }

    /// Split a node and add its children; `levels` are those that a subset test lists. Returns the
    /// number of the first child.
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
    /// [`Self::graft`].
    pub fn subtree(&self, leaf: u32, limits: &GrowthLimits) -> Self {
        let node = self.nodes[leaf as usize];
        let root = Self::new(self.sums(leaf as usize), node.rows, node.key, node.depth);
        Self { above: self.path_limits(leaf, limits), ..root }
    }

    /// Make room for the nodes of some subtrees, so that no growing list is copied.
    pub fn expect(&mut self, subtrees: &[Self]) {
        let nodes: usize = subtrees.iter().map(|subtree| subtree.nodes.len()).sum();
        self.nodes.reserve_exact(nodes);
        self.splits.reserve_exact(subtrees.iter().map(|subtree| subtree.splits.len()).sum());
        self.sums.reserve_exact(nodes * self.classes);
    }

    /// Replace a leaf by a subtree that another worker grew.
    pub fn graft(&mut self, leaf: usize, other: Self) {
        // The root of the subtree is the leaf itself, so its other nodes move up by one less.
        let shift = self.nodes.len() as u32 - 1;
        let place = |node: usize| if node == 0 { leaf } else { node + shift as usize };
        let (made, listed) = (self.splits.len() as u32, self.levels.len() as u32);
        let split = |split: u32| if split == NONE { NONE } else { split + made };
        self.nodes[leaf].split = split(other.nodes[0].split);
        self.nodes.extend(other.nodes[1..].iter().map(|node| BuilderNode {
            parent: place(node.parent as usize) as u32,
            split: split(node.split),
            ..*node
        }));
        self.splits.extend(other.splits.iter().map(|split| NodeSplit {
            first_child: split.first_child + shift,
            test: split.test.shifted(listed),
            ..*split
        }));
        for (node, test) in other.significance.iter().enumerate() {
            test.iter().for_each(|&test| self.set_significance(place(node), test));
        }
        self.sums.extend_from_slice(&other.sums[self.classes..]);
        self.levels.extend_from_slice(&other.levels);
    }

    /// The branch of the largest weight, the first on ties.
    fn heaviest(&self, children: Range<u32>, unit: f64) -> u32 {
        let (mut heaviest, mut most) = (0, f64::NEG_INFINITY);
        for (branch, child) in children.enumerate() {
            let weight = self.sums(child as usize).iter().map(|s| s.value(unit)).sum::<f64>();
            if weight > most {
                (heaviest, most) = (branch as u32, weight);
            }
        }
        heaviest
    }

    /// The tree in pre-order; `unit` is the value of one unit of the sums. Where weights are
    /// `copies` of rows, a node has as many rows as it has weight, as for the limits. Steps that
    /// growth did not set follow the pre-order.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::error::Error::Memory).
    pub fn finish(&self, unit: f64, copies: bool, setting: &GrowthSetting<'_>) -> Result<Tree> {
        let (k, n, empty) = (self.classes, self.nodes.len(), setting.empty_branch);
        memory::expect(n * size_of::<Node>().max(k * size_of::<f64>()))?;
        // Visit the nodes in pre-order and number them.
        let mut number = vec![0_u32; n];
        let mut sequence = Vec::with_capacity(n);
        let mut stack = vec![0_u32];
        while let Some(i) = stack.pop() {
            number[i as usize] = sequence.len() as u32;
            sequence.push(i);
            if let Some(s) = self.split_of(i as usize) {
                stack.extend((s.first_child..s.first_child + s.n_children).rev());
            }
        }
        let mut tree = Tree::empty(k);
        tree.nodes.reserve(n);
        tree.counts.reserve(n * k);
        tree.children.reserve(n - 1);
        let mut next_step = 0;
        for &i in &sequence {
            // Class sums and label: given, the majority, or that of the parent for an empty leaf.
            let own = &self.nodes[i as usize];
            let parent = if own.parent == NONE { NONE } else { number[own.parent as usize] };
            let before = tree.counts.len();
            let sums = self.sums(i as usize);
            tree.counts.extend(sums.iter().map(|s| s.value(unit)));
            let counts = &tree.counts[before..];
            let rows = if copies { counts.iter().sum::<f64>() as u32 } else { own.rows };
            let label = if let Some(&label) = self.labels.get(i as usize) {
                label
            } else if rows > 0 {
                majority(counts) as i32
            } else if empty == EmptyBranch::Unclassified {
                -1
            } else {
                tree.nodes[parent as usize].label
            };
            if let (Some(grid), Some(sum)) = (setting.context.grid, sums.first()) {
                let moments = sum.moments().unwrap_or_default().rounded(unit);
                tree.outcomes.push(match rows {
                    0 => tree.outcomes[parent as usize].of_empty(),
                    _ => setting.criterion.outcome(&moments, grid),
                });
            }
            let first_child = tree.children.len() as u32;
            let position = NodePosition { parent, branch: own.branch, depth: own.depth };
            let significance = self.significance.get(i as usize).copied().flatten();
            let mut node = Node { first_child, significance, ..Node::leaf(position, label, rows) };
            // The split, if the node has one.
            if let Some(s) = self.split_of(i as usize) {
                let children = s.first_child..s.first_child + s.n_children;
                tree.children.extend(children.clone().map(|c| number[c as usize]));
                node.test = tree.copy_levels(s.test, &self.levels);
                node.feature = s.feature;
                node.n_children = s.n_children;
                node.missing_branch = s.missing.unwrap_or_else(|| self.heaviest(children, unit));
                node.score = s.score;
                node.distance = s.distance;
                node.step = if s.step == NONE { next_step } else { s.step };
                next_step += 1;
            }
            tree.nodes.push(node);
        }
        Ok(tree)
    }
}

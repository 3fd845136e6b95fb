//! Sizes and gains of a tree, the tree at an earlier step of growth, and with other subtrees.
//!
//! All of it loops over the arena of nodes, O(nodes): nothing recurses, so that deep trees cannot
//! exhaust the stack.

use super::{NONE, Node, NodePosition, Tree};
use crate::numeric::sort_few;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Size of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// All nodes.
    pub nodes: usize,
    /// Leaves, empty ones included.
    pub leaves: usize,
    /// Leaves that no training row reached.
    pub empty_leaves: usize,
    /// Splits on the longest path.
    pub depth: usize,
}

impl Tree {
    /// Size of the tree. It is counted in one pass over the nodes; a single leaf has depth 0.
    pub fn shape(&self) -> Shape {
        let mut shape = Shape { nodes: self.nodes.len(), ..Shape::default() };
        for (i, node) in self.nodes.iter().enumerate() {
            shape.depth = shape.depth.max(node.depth as usize);
            if self.is_leaf(i) {
                shape.leaves += 1;
                shape.empty_leaves += usize::from(node.rows == 0);
            }
        }
        shape
    }

    /// The gain of each feature: the sum of score x node weight over its splits. Negative scores
    /// count as 0.
    pub fn gains(&self, features: usize) -> Vec<f64> {
        let mut gains = vec![0.0; features];
        for (i, node) in self.nodes.iter().enumerate().filter(|&(i, _)| !self.is_leaf(i)) {
            gains[node.feature as usize] +=
                node.score.max(0.0) * self.counts(i).iter().sum::<f64>();
        }
        gains
    }

    /// Inner nodes in the order in which they were split. The list has node numbers and no leaves.
    /// Global growth is traced along it. O(nodes log nodes).
    pub fn steps(&self) -> Vec<u32> {
        let mut inner: Vec<u32> =
            (0..self.nodes.len() as u32).filter(|&i| !self.is_leaf(i as usize)).collect();
        let step = |i: u32| self.nodes[i as usize].step;
        sort_few(&mut inner, &|&a, &b| step(a).cmp(&step(b)));
        inner
    }

    /// The tree as it was before step `step`: nodes split later become leaves.
    pub fn cut(&self, step: u32) -> Self {
        self.upper_part(|i| self.nodes[i].step < step).0
    }

    /// The paths to some nodes, with the other branches on their way and these nodes as leaves; and
    /// the number in this tree of each of its nodes.
    pub fn paths_to(&self, nodes: &[u32]) -> (Self, Vec<u32>) {
        let mut is_inner = vec![false; self.nodes.len()];
        for &node in nodes {
            let mut parent = self.nodes[node as usize].parent;
            while parent != NONE && !is_inner[parent as usize] {
                is_inner[parent as usize] = true;
                parent = self.nodes[parent as usize].parent;
            }
        }
        self.upper_part(|i| is_inner[i])
    }

    /// The upper part of the tree, and the number in this tree of each of its nodes. Its inner
    /// nodes are the nodes that `is_inner` accepts together with all of their ancestors.
    fn upper_part(&self, is_inner: impl Fn(usize) -> bool) -> (Self, Vec<u32>) {
        let (mut part, mut numbers, mut waiting) = (Self::empty(self.classes), vec![], vec![0]);
        while let Some(number) = waiting.pop() {
            let i = number as usize;
            let keeps_test = is_inner(i);
            if keeps_test {
                waiting.extend(self.children(i).iter().rev());
            }
            part.push_copies(self, i..i + 1, |node| if keeps_test { node } else { node.as_leaf() });
            numbers.push(number);
        }
        part.link();
        (part, numbers)
    }

    /// Append a range of the nodes of another tree, each as `edit` returns it. [`Self::link`] must
    /// set their links afterwards.
    fn push_copies(&mut self, from: &Self, nodes: Range<usize>, edit: impl Fn(Node) -> Node) {
        for &node in &from.nodes[nodes.clone()] {
            let node = edit(node);
            let test = self.copy_levels(node.test, &from.levels);
            self.nodes.push(Node { test, ..node });
        }
        let counts = nodes.start * from.classes..nodes.end * from.classes;
        self.counts.extend_from_slice(&from.counts[counts]);
        self.outcomes.extend(from.outcomes.get(nodes).into_iter().flatten());
    }

    /// Set parents, branches, depths and children of all nodes from their numbers of branches. The
    /// nodes must lie in pre-order.
    pub fn link(&mut self) {
        let mut n_children = 0;
        self.children.clear();
        self.children.resize(self.nodes.len().saturating_sub(1), NONE);
        // Nodes with children to come, and the next branch of each.
        let mut open: Vec<(u32, u32)> = Vec::new();
        for i in 0..self.nodes.len() {
            let mut position = NodePosition::ROOT;
            if let Some((parent, branch)) = open.last_mut() {
                let above = &self.nodes[*parent as usize];
                self.children[(above.first_child + *branch) as usize] = i as u32;
                position =
                    NodePosition { parent: *parent, branch: *branch, depth: above.depth + 1 };
                *branch += 1;
                if *branch == above.n_children {
                    open.pop();
                }
            }
            let node = &mut self.nodes[i];
            (node.parent, node.branch, node.depth) =
                (position.parent, position.branch, position.depth);
            node.first_child = n_children;
            n_children += node.n_children;
            if node.n_children > 0 {
                open.push((i as u32, 0));
            }
        }
    }

    /// The tree that best-first growth makes, taken from one that was grown in full: the splits of
    /// least rank, up to a number of leaves. `rank` gives the rank of a split from its node and the
    /// weight of the node; of equal ranks, the node that was created first is split first. Splits
    /// that would exceed the number of leaves are left out.
    pub fn best_first(mut self, leaves: usize, rank: impl Fn(&Node, f64) -> u64) -> Self {
        self.nodes.iter_mut().for_each(|node| node.step = NONE);
        let (mut waiting, mut n_leaves, mut step, mut n_created) = (BinaryHeap::new(), 1, 0, 0_u32);
        let mut created = vec![0];
        loop {
            for i in created.drain(..) {
                if !self.is_leaf(i) {
                    let weight = self.counts(i).iter().sum();
                    waiting.push(Reverse((rank(&self.nodes[i], weight), n_created, i)));
                }
                n_created += 1;
            }
            let Some(Reverse((.., i))) = waiting.pop() else { return self.cut(step) };
            let added_leaves = self.nodes[i].n_children as usize - 1;
            if n_leaves + added_leaves <= leaves {
                n_leaves += added_leaves;
                created.extend(self.children(i).iter().map(|&child| child as usize));
                self.nodes[i].step = step;
                step += 1;
            }
        }
    }

    /// One past the last node of the subtree of a node. Nodes lie in pre-order, so the subtree is
    /// the range `i..end_of(i)`. O(nodes of the subtree), as the end is not stored.
    pub fn end_of(&self, i: usize) -> usize {
        let below = self.nodes[i + 1..].iter().take_while(|n| n.depth > self.nodes[i].depth);
        i + 1 + below.count()
    }

    /// The tree with the subtrees of some nodes replaced by others. The nodes are given in
    /// ascending order, and none may lie below another. Steps of growth are numbered anew, in
    /// pre-order.
    pub fn with_subtrees(&self, replacements: &[(usize, Self)]) -> Self {
        let mut joined = Self::empty(self.classes);
        let most =
            self.nodes.len() + replacements.iter().map(|(_, tree)| tree.nodes.len()).sum::<usize>();
        joined.nodes.reserve(most);
        joined.counts.reserve(most * self.classes);
        joined.outcomes.reserve(most);
        let mut start = 0;
        for (node, subtree) in replacements {
            debug_assert!(*node >= start, "node {node} lies below a replaced one");
            joined.push_copies(self, start..*node, |node| node);
            joined.push_copies(subtree, 0..subtree.nodes.len(), |node| node);
            start = self.end_of(*node);
        }
        joined.push_copies(self, start..self.nodes.len(), |node| node);
        joined.link();
        let inner = joined.nodes.iter_mut().filter(|node| node.n_children > 0);
        inner.zip(0..).for_each(|(node, step)| node.step = step);
        joined
    }
}

//! Sizes and gains of a tree, the tree at an earlier step of growth, and with other subtrees.
//!
//! All of it loops over the arena of nodes, O(nodes): nothing recurses, so that deep trees cannot
//! exhaust the stack.

use super::{NONE, Node, Tree};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    /// Size of the tree.
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

    /// Inner nodes in the order in which they were split.
    pub fn steps(&self) -> Vec<u32> {
        let mut inner: Vec<u32> =
            (0..self.nodes.len() as u32).filter(|&i| !self.is_leaf(i as usize)).collect();
        inner.sort_by_key(|&i| self.nodes[i as usize].step);
        inner
    }

    /// The tree as it was before step `step`: nodes split later become leaves.
    pub fn cut(&self, step: u32) -> Self {
        // Nodes whose ancestors were all split before, and their new numbers.
        let mut keep = vec![false; self.nodes.len()];
        let mut number = vec![0_u32; self.nodes.len()];
        let mut n_kept = 0;
        for (i, node) in self.nodes.iter().enumerate() {
            let parent = node.parent as usize;
            keep[i] = node.parent == NONE || (keep[parent] && self.nodes[parent].step < step);
            if keep[i] {
                number[i] = n_kept;
                n_kept += 1;
            }
        }
        let mut cut = Self::empty(self.classes);
        for (i, node) in self.nodes.iter().enumerate().filter(|&(i, _)| keep[i]) {
            let mut node = if node.step < step { *node } else { node.as_leaf() };
            if node.parent != NONE {
                node.parent = number[node.parent as usize];
            }
            cut.push_copy(self, i, node, |child| number[child as usize]);
        }
        cut
    }

    /// Append `node`, which is node `i` of another tree with its place in this one; `number` gives
    /// the numbers of its children here.
    fn push_copy(&mut self, from: &Self, i: usize, mut node: Node, number: impl Fn(u32) -> u32) {
        node.first_child = self.children.len() as u32;
        if node.n_children > 0 {
            self.children.extend(from.children(i).iter().map(|&child| number(child)));
        }
        node.test = self.copy_levels(node.test, &from.levels);
        self.nodes.push(node);
        self.counts.extend_from_slice(from.counts(i));
        self.outcomes.extend(from.outcome(i));
    }

    /// The splits that best-first growth makes of those of a tree that has all of them, up to a
    /// number of leaves. `rank` gives that of a split from its node and the node's weight.
    pub fn best_first(mut self, leaves: usize, rank: impl Fn(&Node, f64) -> u64) -> Self {
        self.nodes.iter_mut().for_each(|node| node.step = NONE);
        let (mut waiting, mut open, mut step, mut created) = (BinaryHeap::new(), 1, 0, 0_u32);
        let mut fresh = vec![0];
        loop {
            for i in fresh.drain(..) {
                if !self.is_leaf(i) {
                    let weight = self.counts(i).iter().sum();
                    waiting.push(Reverse((rank(&self.nodes[i], weight), created, i)));
                }
                created += 1;
            }
            let Some(Reverse((.., i))) = waiting.pop() else { return self.cut(step) };
            let more = self.nodes[i].n_children as usize - 1;
            if open + more <= leaves {
                open += more;
                fresh.extend(self.children(i).iter().map(|&child| child as usize));
                self.nodes[i].step = step;
                step += 1;
            }
        }
    }

    /// The node behind the subtree of a node.
    pub fn end_of(&self, i: usize) -> usize {
        let below = self.nodes[i + 1..].iter().take_while(|n| n.depth > self.nodes[i].depth);
        i + 1 + below.count()
    }

    /// The tree with other subtrees in the place of some nodes, given in ascending order; steps
    /// follow the pre-order.
    pub fn with_subtrees(&self, other: &[(usize, Self)]) -> Self {
        let mut next_subtrees = other.iter().peekable();
        let mut number = vec![NONE; self.nodes.len()];
        let (mut i, mut next) = (0, 0);
        while i < number.len() {
            number[i] = next;
            let subtree = next_subtrees.next_if(|&&(node, _)| node == i);
            next += subtree.map_or(1, |(_, subtree)| subtree.nodes.len() as u32);
            i = if subtree.is_some() { self.end_of(i) } else { i + 1 };
        }
        let mut joined = Self::empty(self.classes);
        joined.nodes.reserve(next as usize);
        let mut next_subtrees = other.iter().peekable();
        for (i, &own) in self.nodes.iter().enumerate().filter(|&(i, _)| number[i] != NONE) {
            let parent = number.get(own.parent as usize).copied().unwrap_or(NONE);
            let Some((_, subtree)) = next_subtrees.next_if(|&&(node, _)| node == i) else {
                let node = Node { parent, ..own };
                joined.push_copy(self, i, node, |child| number[child as usize]);
                continue;
            };
            for (j, &node) in subtree.nodes.iter().enumerate() {
                let mut node = Node { depth: node.depth + own.depth, ..node };
                (node.parent, node.branch) = match j {
                    0 => (parent, own.branch),
                    _ => (node.parent + number[i], node.branch),
                };
                joined.push_copy(subtree, j, node, |child| child + number[i]);
            }
        }
        let inner = joined.nodes.iter_mut().filter(|node| node.n_children > 0);
        inner.zip(0..).for_each(|(node, step)| node.step = step);
        joined
    }
}

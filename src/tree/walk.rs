//! Sizes and gains of a tree, and the tree at an earlier step of growth.
//!
//! All of it loops over the arena of nodes, O(nodes): nothing recurses, so that deep trees cannot
//! exhaust the stack.

use super::{NONE, Node, Tree};

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
            let mut node = *node;
            if node.parent != NONE {
                node.parent = number[node.parent as usize];
            }
            let first_child = cut.children.len() as u32;
            if !self.is_leaf(i) && node.step < step {
                cut.children.extend(self.children(i).iter().map(|&c| number[c as usize]));
                node.first_child = first_child;
                node.test = cut.copy_levels(node.test, &self.levels);
            } else {
                node = Node { first_child, ..node.as_leaf() };
            }
            cut.nodes.push(node);
            cut.counts.extend_from_slice(self.counts(i));
            cut.outcomes.extend(self.outcome(i));
        }
        cut
    }
}

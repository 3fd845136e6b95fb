//! A decision tree: an arena of nodes in pre-order.
//!
//! Children of a node are listed in branch order (values of a nominal feature; `<=` before `>`; the
//! listed levels before the others; the branch of missing values last). Node 0 is the root. Every
//! walk is a loop, so a chain of 20,000 levels is as good as any tree.
//!
//! A missing value takes one branch (its own, or the heaviest), or it takes all of them, each with
//! a part of the row ([`ALL`]). The parts are not stored: they are the shares of the children in
//! their common weight, so that they stay true when a tree is pruned.

mod costs;
mod text;
mod walk;

pub use costs::CostMatrix;
pub use text::{Style, text};
pub use walk::Shape;

/// "No node", "no branch".
pub const NONE: u32 = u32::MAX;

/// In [`Node::missing_branch`]: "every branch, as fractions". A row whose value is missing goes
/// down all branches, each part weighted by the branch's share of the training weight
/// ([`Tree::shares`]; C4.5). Children then hold parts of rows: their counts are sums of parts, and
/// `rows` counts the rows of which a part arrived.
pub const ALL: u32 = u32::MAX - 1;

/// Where numbers part. Everything that divides rows compares them with `reach`, everything that
/// people read shows `at`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The threshold by name.
    pub at: f64,
    /// The largest number on the first branch: `at`, or a little more where nearly equal numbers go
    /// together (J48).
    pub reach: f64,
}

impl From<f64> for Threshold {
    /// An exact threshold.
    fn from(at: f64) -> Self {
        Self { at, reach: at }
    }
}

/// What a node asks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Test {
    /// Nothing: a leaf.
    Leaf,
    /// `x <= t`, then `x > t`.
    Threshold(Threshold),
    /// One branch for each declared value or bin.
    Multiway,
    /// Levels of a nominal feature on two sides: those listed, `Tree::levels[first..first + len]`
    /// in ascending order ([`Tree::subset`]), then all other declared ones.
    Subset {
        /// First index into [`Tree::levels`].
        first: u32,
        /// Number of levels listed.
        len: u32,
    },
}

impl Test {
    /// The test with lists of levels that start `shift` places later.
    pub fn shifted(self, shift: u32) -> Self {
        match self {
            Self::Subset { first, len } => Self::Subset { first: first + shift, len },
            test => test,
        }
    }
}

/// One node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Parent, [`NONE`] for the root.
    pub parent: u32,
    /// Which branch of the parent this is.
    pub branch: u32,
    /// Distance from the root.
    pub depth: u32,
    /// The question.
    pub test: Test,
    /// Feature that is asked for (0 in a leaf).
    pub feature: u32,
    /// First index into [`Tree::children`].
    pub first_child: u32,
    /// Number of branches.
    pub n_children: u32,
    /// Branch of rows whose value is missing: a branch of its own, the heaviest one, or [`ALL`].
    pub missing_branch: u32,
    /// Predicted class, or -1 when the leaf predicts nothing.
    pub label: i32,
    /// Training rows that reached the node.
    pub rows: u32,
    /// When the node was split (0 first), [`NONE`] in a leaf.
    pub step: u32,
    /// Score of the split.
    pub score: f64,
    /// Local distance of the split.
    pub distance: f64,
}

impl Node {
    /// A leaf: where it is, what it predicts, and the training rows that reached it.
    pub fn leaf([parent, branch, depth]: [u32; 3], label: i32, rows: u32) -> Self {
        Self {
            parent,
            branch,
            depth,
            test: Test::Leaf,
            feature: 0,
            first_child: 0,
            n_children: 0,
            missing_branch: NONE,
            label,
            rows,
            step: NONE,
            score: 0.0,
            distance: 0.0,
        }
    }

    /// The node as a leaf.
    pub fn as_leaf(self) -> Self {
        let leaf = Self::leaf([self.parent, self.branch, self.depth], self.label, self.rows);
        Self { first_child: self.first_child, ..leaf }
    }
}

/// A tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// Nodes in pre-order.
    pub nodes: Vec<Node>,
    /// Children of all inner nodes, see [`Node::first_child`].
    pub children: Vec<u32>,
    /// Levels listed by subset tests, one list after the other in node order.
    pub levels: Vec<u32>,
    /// Class counts (rows or weight) of each node: `counts[node * classes + class]`.
    pub counts: Vec<f64>,
    /// Number of declared classes.
    pub classes: usize,
}

impl Tree {
    /// Class counts of a node.
    pub fn counts(&self, node: usize) -> &[f64] {
        &self.counts[node * self.classes..(node + 1) * self.classes]
    }

    /// Children of a node in branch order.
    pub fn children(&self, node: usize) -> &[u32] {
        let n = &self.nodes[node];
        &self.children[n.first_child as usize..(n.first_child + n.n_children) as usize]
    }

    /// Levels that a subset test sends to the first branch, ascending; nothing for other tests.
    pub fn subset(&self, node: usize) -> Option<&[u32]> {
        match self.nodes[node].test {
            Test::Subset { first, len } => {
                Some(&self.levels[first as usize..(first + len) as usize])
            }
            _ => None,
        }
    }

    /// A tree without nodes.
    pub fn empty(classes: usize) -> Self {
        Self {
            nodes: Vec::new(),
            children: Vec::new(),
            levels: Vec::new(),
            counts: Vec::new(),
            classes,
        }
    }

    /// Append `test`, whose levels are listed in `from`; the list moves into this tree.
    pub fn adopt(&mut self, test: Test, from: &[u32]) -> Test {
        match test {
            Test::Subset { first, len } => {
                let start = self.levels.len() as u32;
                self.levels.extend_from_slice(&from[first as usize..(first + len) as usize]);
                Test::Subset { first: start, len }
            }
            test => test,
        }
    }

    /// True for a leaf.
    pub fn is_leaf(&self, node: usize) -> bool {
        self.nodes[node].n_children == 0
    }

    /// Share of each branch of a node in the training weight, in branch order; equal shares where
    /// there is none.
    pub fn shares(&self, node: usize) -> Vec<f64> {
        let children = self.children(node);
        let weights: Vec<f64> =
            children.iter().map(|&c| self.counts(c as usize).iter().sum()).collect();
        let whole: f64 = weights.iter().sum();
        let equal = 1.0 / children.len().max(1) as f64;
        weights.into_iter().map(|w| if whole > 0.0 { w / whole } else { equal }).collect()
    }

    /// Let missing values take all branches of every node.
    pub fn share_missing(&mut self) {
        self.nodes.iter_mut().filter(|n| n.n_children > 0).for_each(|n| n.missing_branch = ALL);
    }

    /// True when a missing value anywhere in the tree takes all branches.
    pub fn is_shared(&self) -> bool {
        self.nodes.iter().any(|n| n.missing_branch == ALL)
    }

    /// Class counts a prediction is made from: the node's own, or its parent's when no training row
    /// reached it.
    pub fn evidence(&self, node: usize) -> &[f64] {
        let mut node = node;
        while self.nodes[node].parent != NONE && self.counts(node).iter().all(|&c| c == 0.0) {
            node = self.nodes[node].parent as usize;
        }
        self.counts(node)
    }
}

/// Shares of counts that [`majority`] takes for equal to the largest become equal to it, so that
/// the first of the largest is the majority.
pub fn join_largest(shares: &mut [f64]) {
    let largest = shares.iter().fold(0.0, |a: f64, &p| a.max(p));
    shares.iter_mut().filter(|p| **p * (1.0 + 1e-11) >= largest).for_each(|p| *p = largest);
}

/// The most frequent class; the lower class on ties (and where counts differ by the rounding of
/// their parts only).
pub fn majority(counts: &[f64]) -> usize {
    let mut best = 0;
    for (c, &n) in counts.iter().enumerate() {
        if n > counts[best] * (1.0 + 1e-11) {
            best = c;
        }
    }
    best
}

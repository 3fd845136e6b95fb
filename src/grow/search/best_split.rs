//! The result of a node's search ([`BestSplit`]), and how the tree stores it.
//!
//! Every form of rows ([`nodes`](crate::grow::nodes)) returns one; the
//! [`driver`](crate::grow::driver) keeps it until the split is made.

use crate::grow::builder::NodeSplit;
use crate::tree::{NONE, Test};

/// The best split of a node.
#[derive(Debug, Clone)]
pub(in crate::grow) struct BestSplit<S> {
    pub feature: u32,
    /// Position of a threshold: the number of rows left of it in the feature's order, or the
    /// highest code left of it.
    pub at: u32,
    pub test: Test,
    pub score: f64,
    /// Distance of the split on the node's own table.
    pub distance: f64,
    /// How much the split improves the tree; 0 unless `GrowthLimits::need_improvement`.
    pub improvement: f64,
    /// Number of branches, the empty ones included.
    pub branches: usize,
    /// Class sums, branch by branch; empty where the rows are counted when the split is made.
    pub sums: Vec<S>,
    /// Rows of the branches; empty where they are counted when the split is made.
    pub sizes: Vec<u32>,
    /// A branch holds missing values: for groups of levels the branch of the last code, otherwise
    /// the last branch.
    pub missing: bool,
    /// Levels that a subset test lists.
    pub levels: Vec<u32>,
    /// Branch of each code; empty for numbers, and where a code is its branch.
    pub branch_of: Vec<u16>,
}

impl<S> BestSplit<S> {
    /// A split without missing values whose distance, improvement and branch sums are not known
    /// yet: they are 0 or empty until the caller sets them. `branches` counts the empty branches,
    /// too.
    pub fn new(feature: u32, at: u32, test: Test, score: f64, branches: usize) -> Self {
        Self {
            feature,
            at,
            test,
            score,
            distance: 0.0,
            improvement: 0.0,
            branches,
            sums: Vec::new(),
            sizes: Vec::new(),
            missing: false,
            levels: Vec::new(),
            branch_of: Vec::new(),
        }
    }

    /// The split as the tree stores it; `step` is its number in the order of growth. The builder
    /// numbers the children when it adds the split.
    pub fn as_split(&self, step: u32) -> NodeSplit {
        NodeSplit {
            feature: self.feature,
            test: self.test,
            first_child: NONE,
            n_children: 0,
            missing: self.missing.then(|| match (self.test, self.branch_of.last()) {
                (Test::Groups { .. }, Some(&branch)) => u32::from(branch),
                _ => self.branches as u32 - 1,
            }),
            score: self.score,
            distance: self.distance,
            step,
        }
    }
}

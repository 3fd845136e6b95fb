//! The split that a node's search found ([`BestSplit`]).

use crate::grow::builder::NodeSplit;
use crate::tree::{NONE, Test};

/// The best split of a node, which its limits accept.
#[derive(Debug, Clone)]
pub(in crate::grow) struct BestSplit<S> {
    pub feature: u32,
    /// Where a threshold lies: rows on its left, or the highest code there.
    pub at: u32,
    pub test: Test,
    pub score: f64,
    /// Distance of the split on the node's own table.
    pub distance: f64,
    /// How much the tree improves; 0 where growth does not ask (`GrowthLimits::need_improvement`).
    pub improvement: f64,
    /// Number of branches, the empty ones included.
    pub branches: usize,
    /// Sums of the branches, one for each component of each branch; empty where the rows are
    /// counted when the split is made.
    pub sums: Vec<S>,
    /// Rows of the branches; empty where they are counted when the split is made.
    pub sizes: Vec<u32>,
    /// The last branch holds missing values.
    pub missing: bool,
    /// Levels that a subset test lists.
    pub levels: Vec<u32>,
    /// Branch of each code; empty where it is the code, and for numbers.
    pub branch_of: Vec<u16>,
}

impl<S> BestSplit<S> {
    /// As the tree keeps it.
    pub fn as_split(&self, step: u32) -> NodeSplit {
        NodeSplit {
            feature: self.feature,
            test: self.test,
            first_child: NONE,
            n_children: 0,
            missing: self.missing,
            score: self.score,
            distance: self.distance,
            step,
        }
    }
}

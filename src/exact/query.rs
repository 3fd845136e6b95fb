//! A question about a set of rows, and its answer, which the parts of the search for optimal trees
//! pass to one another.

use super::incumbent::Incumbent;
use super::ranked::RankedTest;
use super::sorted::SortedSet;
use crate::error::{Error, Result};

/// The most leaves of a tree of at most `depth` levels and `leaves` leaves. A binary tree of
/// `depth` levels has at most `2^depth` leaves, so one of the two limits is often implied by the
/// other.
pub(super) fn most_leaves(depth: u32, leaves: u32) -> u32 {
    if depth >= 31 { leaves } else { leaves.min(1 << depth) }
}

/// A question to the search: the best tree of `set` with at most `depth` levels and `leaves` leaves
/// that costs less than `limit`.
pub(super) struct Query<'q> {
    pub(super) set: &'q SortedSet,
    /// Largest number of tests on a path.
    pub(super) depth: u32,
    /// Largest number of leaves.
    pub(super) leaves: u32,
    /// A tree that costs as much as this, or more, is of no use to the caller.
    pub(super) limit: f64,
    /// A lower bound of the cost of every tree of the set, which the caller has proven.
    pub(super) lower_bound: f64,
    /// By column, a lower bound of the trees whose first test is of that column.
    pub(super) column_bounds: &'q [f64],
    /// A first test that is probably good, and is tried first.
    pub(super) hint: Option<RankedTest>,
    /// The search may stop once its lower bound is this share of the cost of its best tree. With
    /// 1 it must find the best tree.
    pub(super) sufficient_share: f64,
    /// Whether the first of several best tests must be found ([`super::TieRule::First`]).
    pub(super) resolves_ties: bool,
    /// Whether the set holds all rows of the search, so that progress is reported. The limit is
    /// then the cost of the tree of an earlier pass, from which `sufficient_share` counts.
    pub(super) is_root: bool,
}

impl<'q> Query<'q> {
    /// The question for any best tree of a set, whatever it costs, with these bounds by column. It
    /// has no hint and asks for a proof of the best tree, without resolving ties.
    pub(super) fn new(
        set: &'q SortedSet,
        depth: u32,
        leaves: u32,
        column_bounds: &'q [f64],
    ) -> Self {
        Self {
            set,
            depth,
            leaves,
            limit: f64::INFINITY,
            lower_bound: 0.0,
            column_bounds,
            hint: None,
            sufficient_share: 1.0,
            resolves_ties: false,
            is_root: false,
        }
    }

    /// Whether `floor`, a lower bound of all trees with a test, already suffices. A query that
    /// resolves ties goes on, as another tree of the same cost may come first.
    pub(super) fn is_settled(&self, best: &Incumbent, floor: f64) -> bool {
        best.sufficient_bound(self.sufficient_share) <= floor && !best.resolves_ties
    }
}

/// The answer to a [`Query`]: a tree, and the bounds that were proven for all trees.
#[derive(Clone)]
pub(super) struct Answer {
    /// The best tree, if it costs less than the limit of the query. Otherwise it has no plan, and
    /// its cost is that limit.
    pub(super) best: Incumbent,
    /// A lower bound of the cost of every tree.
    pub(super) lower_bound: f64,
    /// By column, a lower bound of the trees whose first test is of that column. These bounds hold
    /// in all subsets of the rows, too ([`super::setting::Setting::answer`]).
    pub(super) column_bounds: Vec<f64>,
    /// Why the search ended early; none if it ended by itself. Bounds are valid either way.
    pub(super) halted: Option<Error>,
}

impl Answer {
    /// The answer that proves nothing, for a set with this number of columns. Searches by levels
    /// start from it: every bound is 0, and the cost is infinite.
    pub(super) fn unknown(columns: usize) -> Self {
        let best = Incumbent::new(f64::INFINITY, false);
        Self { best, lower_bound: 0.0, column_bounds: vec![0.0; columns], halted: None }
    }

    /// The answer if the search ended by itself.
    ///
    /// # Errors
    /// The reason why it ended early.
    pub(super) fn complete(self) -> Result<Self> {
        match self.halted {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }
}

//! The state that all parts of the search for optimal trees share: the rows, the loss, the penalty
//! of a leaf, the solved sets, the memory of scans, and the count of search nodes.
//!
//! Inside the search, the cost of a tree is its loss plus `penalty` per leaf. The penalty contains
//! a tiny part that breaks ties, so that among trees with the same loss the one with the fewest
//! leaves costs least. This part obeys the same bounds as the penalty that the user has set. Costs
//! that differ by less than `tie` count as equal.
//!
//! Where leaves need several rows, a second setting has the same rows without that limit: the
//! bounds of [`super::bounds`] need the costs of its trees.

use super::incumbent::{Incumbent, Split};
use super::losses::{Loss, Pool};
use super::query::{Answer, Query};
use super::ranked::{RankedRows, TieKey};
use super::solved::SolvedSets;
use super::sorted::{MarkRule, SortedSet};
use crate::error::{Error, Result};
use crate::parallel::Control;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Relative error that a cost may have: it is a sum over the leaves, whose order differs between
/// the search and the tree that is written down. Far above the rounding of a double, and far below
/// a difference that matters to a user.
const ROUNDING: f64 = 1e-9;

/// The most levels below a first test for which `Setting::bound_one_level_less` looks for a bound.
/// Limits the shift of `1 << levels`; trees are never searched in full as deep as that.
const MOST_REPEATED_LEVELS: u32 = 15;

/// The input of one search that does not change while it runs, and the state that its threads
/// share.
pub(super) struct Setting<'a> {
    pub(super) rows: &'a RankedRows,
    pub(super) loss: &'a dyn Loss,
    /// Cost of a leaf beside its loss.
    pub(super) penalty: f64,
    /// The part of `penalty` that the user has set; the rest only breaks ties.
    pub(super) user_penalty: f64,
    /// Costs that differ by less are equal; 0 where ties are not resolved.
    pub(super) tie: f64,
    /// Fewest rows of a leaf; each copy of a row counts.
    pub(super) min_rows: u32,
    /// If `min_rows` is more than one, the same setting with `min_rows` of one.
    pub(super) without_row_limit: Option<Box<Self>>,
    /// Sets of rows whose best trees are known.
    pub(super) solved: SolvedSets,
    /// Memory of scans.
    pub(super) pool: Arc<Pool>,
    pub(super) nodes: Arc<SearchNodes>,
    /// Progress that was reported, in thousandths.
    pub(super) reported: AtomicU64,
}

/// Search nodes that were opened, and the largest number of them.
#[derive(Debug, Default)]
pub(super) struct SearchNodes {
    pub(super) opened: AtomicU64,
    pub(super) budget: AtomicU64,
}

impl Setting<'_> {
    /// The rule by which positions between rows are marked as possible tests. It depends on the
    /// loss: only some losses allow skipping the positions inside a run of rows of one class.
    pub(super) fn mark_rule(&self) -> MarkRule {
        MarkRule { min_rows: self.min_rows, skips_runs: self.loss.skips_runs() }
    }

    /// Count one search node.
    ///
    /// # Errors
    /// [`Error::OutOfTime`] if the budget of search nodes or the time is used up,
    /// [`Error::Cancelled`] if the caller asked to stop.
    pub(super) fn count_node(&self, control: &Control) -> Result<()> {
        let SearchNodes { opened, budget } = &*self.nodes;
        if opened.fetch_add(1, Ordering::Relaxed) >= budget.load(Ordering::Relaxed) {
            opened.fetch_sub(1, Ordering::Relaxed);
            return Err(Error::OutOfTime);
        }
        control.check()
    }

    /// Whether a tree of this cost and first test is better than the best one. Where ties are
    /// resolved, a tree whose cost differs by at most `tie` is better if its first test comes
    /// earlier in the order of [`TieKey`], or if it is the same test with fewer leaves on its left.
    pub(super) fn is_better(&self, cost: f64, split: &Split, best: &Incumbent) -> bool {
        if !best.resolves_ties {
            return cost < best.cost;
        }
        let order = |split: &Split| (self.rows.tie_key(split.test), split.leaves[0]);
        let is_earlier = || best.split.is_some_and(|best| order(split) < order(&best));
        cost < best.cost - self.tie || cost <= best.cost + self.tie && is_earlier()
    }

    /// The exclusive limit on the cost of a tree whose first test is this threshold of a column, or
    /// a higher one. Where ties are resolved, tests that may come before the best one may cost as
    /// much as it does, up to `tie`; else the share of the query decides.
    pub(super) fn limit(
        &self,
        query: &Query<'_>,
        best: &Incumbent,
        column: usize,
        threshold: usize,
    ) -> f64 {
        if !best.resolves_ties {
            return best.sufficient_bound(query.sufficient_share);
        }
        let may_precede = best.split.is_some_and(|best| {
            // A test and its twin for missing values are tried in either order.
            let without_twin = |test| TieKey { missing_right: false, ..self.rows.tie_key(test) };
            let lowest_test = query.set.test(self.rows, column, threshold);
            without_twin(lowest_test) <= without_twin(best.test)
        });
        if may_precede { best.cost + self.tie } else { best.cost - self.tie }
    }

    /// The answer to a query from the best tree, a lower bound `floor` of all trees with a test,
    /// and the bounds that were proven for the thresholds of each column. `halted` says why the
    /// search ended early.
    pub(super) fn answer(
        &self,
        query: &Query<'_>,
        best: Incumbent,
        floor: f64,
        proven: &[f64],
        halted: Option<Error>,
    ) -> Answer {
        let bounds = query.column_bounds.iter().zip(proven);
        let mut column_bounds: Vec<f64> =
            bounds.map(|(bound, proven)| bound.max(*proven)).collect();
        let is_exact = halted.is_none() && query.sufficient_share >= 1.0;
        let lower_bound = if is_exact {
            best.cost
        } else {
            let of_leaf = best.cost.min(self.leaf_cost_of(query.set));
            column_bounds.iter().copied().fold(of_leaf, f64::min).max(floor)
        };
        self.relax_bounds_for_subsets(query, lower_bound, &mut column_bounds);
        Answer { best, lower_bound, column_bounds, halted }
    }

    /// The most levels that a tree can have and still cost less than `cost`. A tree of d levels has
    /// at least d + 1 leaves, whose penalties alone must be less than that.
    pub(super) fn deepest_affordable(&self, cost: f64) -> u32 {
        if self.user_penalty <= 0.0 {
            return u32::MAX;
        }
        let most_leaves = (cost / self.user_penalty).min(f64::from(u32::MAX)) as u32;
        most_leaves.max(3) - 1
    }

    /// Lower the bounds by column so far that they also hold in every subset of the rows.
    ///
    /// `column_bounds[c]` bounds the trees of all rows whose first test is of column `c`, and
    /// `lower_bound` bounds all trees. In a subset that first test may send all rows to one side. A
    /// tree of one level less remains, so no bound may exceed the bound of the trees of one level
    /// less.
    ///
    /// A column that sends missing values left is followed by its twin, which sends them right. A
    /// test of the first may, in a subset, only divide missing from known values, as a test of the
    /// twin does: the first column takes the smaller of both bounds. Without missing values both
    /// columns have the same tests, and the same bound.
    fn relax_bounds_for_subsets(
        &self,
        query: &Query<'_>,
        lower_bound: f64,
        column_bounds: &mut [f64],
    ) {
        for (column, sorted) in query.set.columns.iter().enumerate() {
            if self.rows.has_twin(column) {
                column_bounds[column] = column_bounds[column].min(column_bounds[column + 1]);
                if !sorted.has_missing {
                    column_bounds[column + 1] = column_bounds[column];
                }
            }
        }
        let one_level_less = self.bound_one_level_less(query, lower_bound, column_bounds);
        column_bounds.iter_mut().for_each(|bound| *bound = bound.min(one_level_less));
    }

    /// A lower bound of the trees of one level less than a query allows; `lower_bound` bounds all
    /// trees.
    ///
    /// If depth is the only limit, the bounds by column give a better one. Put a test of a column
    /// that divides the rows in front of a tree of one level less, and that tree on both sides: the
    /// loss does not rise, and each leaf is there twice. So the tree costs at least the bound of
    /// that column minus the penalties of its own leaves, at most `2^(depth - 1)`.
    fn bound_one_level_less(
        &self,
        query: &Query<'_>,
        lower_bound: f64,
        column_bounds: &[f64],
    ) -> f64 {
        let levels = query.depth.saturating_sub(1);
        let is_limited_by_depth_only = self.min_rows <= 1
            && levels <= MOST_REPEATED_LEVELS
            && query.leaves >= 1 << query.depth;
        if !is_limited_by_depth_only {
            return lower_bound;
        }
        let repeated_leaves = self.penalty * f64::from(1_u32 << levels);
        let columns = query.set.columns.iter().zip(column_bounds);
        let dividing = columns.filter(|(column, _)| column.first <= column.last);
        dividing.fold(lower_bound, |least, (_, bound)| least.max(bound - repeated_leaves))
    }

    /// The cost of a leaf with these weights of the classes. It includes the penalty of one leaf,
    /// so a tree costs the sum over its leaves.
    pub(super) fn leaf_cost(&self, counts: &[f64]) -> f64 {
        self.loss.leaf(counts) + self.penalty
    }

    /// The cost of a set as a leaf. It is an upper bound on the cost of the best tree of the set.
    pub(super) fn leaf_cost_of(&self, set: &SortedSet) -> f64 {
        self.leaf_cost(&set.counts)
    }

    /// The most that a tree of a set may seem to cost if it costs `cost`, when its leaves are added
    /// in another order. A tree that costs no more is taken to be as good.
    pub(super) fn cost_with_rounding(&self, set: &SortedSet, cost: f64) -> f64 {
        // Rounding is measured on the scale of the loss, also where the set has one class and no
        // loss.
        let most = self.loss.rise(set.weight, set.weight);
        let scale = if most.is_finite() { most } else { self.leaf_cost_of(set).max(set.weight) };
        cost + ROUNDING * (cost + scale)
    }
}

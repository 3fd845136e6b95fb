//! Trees during the search for optimal ones: plans, and the best one so far.

use super::bounds::Sides;
use super::ranked::RankedTest;

/// A tree of ranked tests. The tests next to its leaves may still have to be found.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Plan {
    /// The best tree of at most this many leaves (1 or 2), so of at most one test, which is still
    /// to be searched for.
    Stump(u32),
    Split(Box<PlanSplit>),
}

/// A test and the trees of both sides.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlanSplit {
    pub(super) test: RankedTest,
    pub(super) left: Plan,
    pub(super) right: Plan,
}

impl Plan {
    /// The tree of a test and the trees of both sides. A plan holds no costs; [`CompletePlan`]
    /// does.
    pub(super) fn split(test: RankedTest, left: Self, right: Self) -> Self {
        Self::Split(Box::new(PlanSplit { test, left, right }))
    }
}

/// The first test of a tree, with the leaves and the costs of both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    pub(super) test: RankedTest,
    /// Leaves that each side may have.
    pub(super) leaves: Sides<u32>,
    pub(super) costs: Sides<f64>,
}

/// The best tree so far, or a bound that trees must undercut.
#[derive(Debug, Clone)]
pub(super) struct Incumbent {
    /// The cost of the tree, or the bound.
    pub(super) cost: f64,
    /// The least cost of a tree that was met, even if it does not undercut the bound.
    pub(super) reached: f64,
    /// The first test; none for a leaf, and if there is only a bound.
    pub(super) split: Option<Split>,
    /// The tree; none if there is only a bound.
    pub(super) plan: Option<Plan>,
    /// Whether of several best first tests the first one is asked for.
    pub(super) resolves_ties: bool,
}

impl Incumbent {
    /// No tree yet, and a limit that trees must undercut. Without a plan, `cost` stands for the
    /// limit, so a bound of that size ends the search.
    pub(super) fn new(limit: f64, resolves_ties: bool) -> Self {
        Self { cost: limit, reached: f64::INFINITY, split: None, plan: None, resolves_ties }
    }

    /// Take a tree if it costs less. It is called for leaves, and for trees whose first test need
    /// not be the first of several best ones.
    pub(super) fn offer(&mut self, cost: f64, split: Option<Split>, plan: Option<Plan>) {
        self.reached = self.reached.min(cost);
        if cost < self.cost {
            (self.cost, self.split, self.plan) = (cost, split, plan);
        }
    }

    /// Replace the tree by a better one ([`super::setting::Setting::is_better`]). If two trees
    /// differ only in their first test, the lower of both costs is kept, so that bounds never rise.
    pub(super) fn replace(&mut self, cost: f64, split: Split, plan: Plan) {
        self.cost = self.cost.min(cost);
        self.split = Some(split);
        self.plan = Some(plan);
    }

    /// The lower bound at which the search may stop, if a bound of this share of the cost will do
    /// ([`super::query::Query::sufficient_share`]). For a share of 1 it is the cost itself, so that
    /// the best tree must be proven.
    pub(super) fn sufficient_bound(&self, share: f64) -> f64 {
        if share < 1.0 { self.cost.min(share * self.reached) } else { self.cost }
    }
}

/// A tree whose tests are all known, and its cost.
#[derive(Clone)]
pub(super) struct CompletePlan {
    pub(super) cost: f64,
    pub(super) plan: Plan,
}

impl CompletePlan {
    /// The tree of a test and the trees of both sides. The costs of both sides add up, as the
    /// penalty of each leaf is part of its cost.
    pub(super) fn split(test: RankedTest, left: Self, right: Self) -> Self {
        Self { cost: left.cost + right.cost, plan: Plan::split(test, left.plan, right.plan) }
    }

    /// The test of its root; none of a leaf.
    pub(super) fn root_test(&self) -> Option<RankedTest> {
        match &self.plan {
            Plan::Split(split) => Some(split.test),
            Plan::Stump(_) => None,
        }
    }
}

//! Trees during the search for optimal ones.

use super::gaps::{SideCosts, SideLeaves};
use super::ranked::RankedTest;

/// A tree of ranked tests.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Plan {
    /// The best tree of at most this many leaves (1 or 2) and one test, still to be searched for.
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

/// The first test of a tree, with the leaves and the costs of both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    pub(super) test: RankedTest,
    pub(super) leaves: SideLeaves,
    pub(super) costs: SideCosts,
}

/// The best tree so far, or a bound that trees must undercut.
#[derive(Debug, Clone)]
pub(super) struct Incumbent {
    pub(super) cost: f64,
    /// The least cost of a tree, even if it is of no use.
    pub(super) reached: f64,
    /// None: a leaf, or only a bound.
    pub(super) split: Option<Split>,
    /// The tree; none if there is only a bound.
    pub(super) plan: Option<Plan>,
    /// Whether the first of several best tests is asked for.
    pub(super) is_first: bool,
}

impl Incumbent {
    /// Nothing is known but what trees must undercut.
    pub(super) fn new(limit: f64, is_first: bool) -> Self {
        Self { cost: limit, reached: f64::INFINITY, split: None, plan: None, is_first }
    }

    /// Take a leaf, or a tree whose first test does not matter, if it is better.
    pub(super) fn take(&mut self, cost: f64, split: Option<Split>, plan: Option<Plan>) {
        self.reached = self.reached.min(cost);
        if cost < self.cost {
            (self.cost, self.split, self.plan) = (cost, split, plan);
        }
    }

    /// A lower bound that will do, if it may be this share of the cost.
    pub(super) fn enough(&self, share: f64) -> f64 {
        if share < 1.0 { self.cost.min(share * self.reached) } else { self.cost }
    }
}

/// A tree whose tests are all known, and its cost.
#[derive(Clone)]
pub(super) struct KnownPlan {
    pub(super) cost: f64,
    pub(super) plan: Plan,
}

impl KnownPlan {
    /// The tree of a test and the trees of both sides.
    pub(super) fn split(test: RankedTest, left: Self, right: Self) -> Self {
        let cost = left.cost + right.cost;
        let split = PlanSplit { test, left: left.plan, right: right.plan };
        Self { cost, plan: Plan::Split(Box::new(split)) }
    }

    /// The test of its root.
    pub(super) fn first_test(&self) -> Option<RankedTest> {
        match &self.plan {
            Plan::Split(split) => Some(split.test),
            Plan::Stump(_) => None,
        }
    }
}

//! Exact search for minimal and optimal trees, with proven bounds.
//!
//! A tree is consistent if it classifies every training row correctly, and minimal if no consistent
//! tree has fewer nodes (Spaeh & Kosub, "Global Evaluation for Decision Tree Learning", sections
//! 2.2 and 3.1). Finding a minimal tree is NP-hard. [`minimal_tree`] asks for trees of 0, 1, 2, ...
//! splits ([`prove`] asks, [`consistent`] answers) and keeps the proven bounds by set of rows
//! ([`cache`]). Tests are `x <= r`; levels of a nominal feature count as numbers in their declared
//! order.
//!
//! [`optimal_tree`] minimises errors, costs, or any criterion that is a sum over the leaves, plus a
//! penalty per leaf, within limits on depth and size: dynamic programming with branch and bound
//! over thresholds ([`bounds`] has the bounds). Depth 3 takes milliseconds to seconds on ten
//! thousand rows of numbers, and depth 4 a hundred times as long; it is for depths up to about 4.
//!
//! Time grows exponentially with the size of the tree, and little with the rows: complete tables of
//! a few hundred rows with trees of 81 nodes (the second MONK's problem) take less than a second,
//! 500 rows of six real numbers with trees of about 20 nodes take seconds. A search runs on one
//! thread, because the sets that it visits depend on the bounds that were proven before, and
//! results must be reproducible.
//!
//! When not to use it: on noisy data, whose consistent trees have a node per few rows. The bounds
//! are valid there, but far apart.

mod any_depth;
mod bounds;
mod cache;
mod consistent;
mod greedy;
mod grown;
mod incumbent;
mod lists;
mod losses;
mod measures;
mod near_optimal;
mod objective;
mod optimal;
mod part;
mod passes;
mod plan;
mod problem;
mod progress;
mod prove;
mod query;
mod ranked;
mod search;
mod setting;
mod single_test;
mod sizes;
mod solved;
mod sorted;
mod ties;
mod two_class_measures;
mod two_levels;
mod write_tree;

pub use near_optimal::{FeatureRoots, NearTrees, RootTest};
pub use objective::{Cheapest, Objective, TieRule};
pub use optimal::{near_optimal, optimal_tree};
pub use problem::{Errors, MAX_CLASSES, MAX_ROWS};
pub use ranked::{MOST_LEVELS, NominalTests};
pub use sizes::{MAX_SIZED_ROWS, Sizer, TrainingSizes};

use crate::data::{Dataset, Weights};
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::tree::Tree;
use consistent::{ConsistentSearch, Meter};
use plan::TreePlan;
use problem::{MissingRule, Problem};
use prove::Proof;
use std::time::{Duration, Instant};

/// Limits of a search.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchLimits {
    /// Largest number of nodes of a tree that is searched for.
    pub max_nodes: Option<usize>,
    /// Wall time in seconds.
    pub time_limit: Option<f64>,
    /// Largest number of search nodes (sets of rows that are expanded). Unlike a time limit it
    /// gives the same result on every machine.
    pub node_budget: Option<u64>,
    /// Bytes of the table of proven bounds ([`cache`]); it is emptied when it is full.
    pub memory: usize,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self { max_nodes: None, time_limit: None, node_budget: None, memory: 256 << 20 }
    }
}

impl SearchLimits {
    /// Refuse limits outside their domain.
    fn check(&self) -> Result<()> {
        if self.max_nodes == Some(0) {
            return Err(Error::parameter("max_nodes", 0, "a tree has at least one node"));
        }
        match self.time_limit {
            Some(s) if s.is_nan() || s < 0.0 => {
                Err(Error::parameter("time_limit", s, "must be a number of seconds >= 0"))
            }
            _ => Ok(()),
        }
    }

    /// The limits with half of the time and of the search nodes.
    fn half(&self) -> Self {
        let time_limit = self.time_limit.map(|seconds| seconds / 2.0);
        Self { time_limit, node_budget: self.node_budget.map(|nodes| nodes / 2), ..self.clone() }
    }

    /// When the search must end, and when the steps that give a tree in any case must end.
    fn deadlines(&self, start: Instant) -> [Option<Instant>; 2] {
        let end = self.time_limit.map(|s| start + Duration::from_secs_f64(s.min(1e9)));
        [end, end.map(|end| end + GRACE)]
    }

    /// A count of search nodes under these limits.
    fn meter<'a>(&self, control: &'a Control) -> Meter<'a> {
        Meter::new(self.node_budget.unwrap_or(u64::MAX), control)
    }
}

/// Time beyond the limit for the steps that are always done: the first tree, and the conversion of
/// the last one.
const GRACE: Duration = Duration::from_millis(200);

/// A consistent tree, and a lower bound of the size of all consistent trees.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundTree {
    /// The smallest known tree.
    pub tree: Tree,
    /// A proven lower bound of the nodes of a consistent tree. If the tree has as many, it is
    /// minimal.
    pub lower: usize,
    /// Number of search nodes opened.
    pub opened: u64,
    /// Weight of the training rows that every tree misclassifies.
    pub errors: f64,
}

/// Find a minimal tree of some rows (internal numbers, positive weights), or the smallest tree
/// within the limits.
///
/// # Errors
/// [`Error::Data`] for equal rows of different classes (with [`Errors::Raise`]), missing values, or
/// too many rows; [`Error::Parameter`] for limits outside their domain.
pub fn minimal_tree(
    data: &Dataset,
    rows: &[u32],
    weights: &Weights,
    errors: Errors,
    limits: &SearchLimits,
    control: &Control,
) -> Result<FoundTree> {
    limits.check()?;
    let [searching, ending] =
        limits.deadlines(Instant::now()).map(|end| control.with_deadline(end));
    let weight = |r| weights.value(r);
    let problem = Problem::new(data, rows, &weight, errors, MissingRule::Refuse, &ending)?;
    // The upper bound: the smallest greedy tree.
    let everything = problem.everything();
    let mut best: Option<TreePlan> = None;
    for measure in greedy::MEASURES {
        // One tree is needed in any case.
        let control = if best.is_none() { &ending } else { &searching };
        match greedy::grow(&problem, everything.clone(), measure, control) {
            Ok(plan) if best.as_ref().is_none_or(|b| plan.n_splits() < b.n_splits()) => {
                best = Some(plan);
            }
            Err(Error::OutOfTime) if best.is_some() => break,
            outcome => drop(outcome?),
        }
    }
    // Both bounds are improved until they meet or a limit is reached.
    let mut search = ConsistentSearch::new(&problem, limits.memory, limits.meter(&searching));
    let mut proof = Proof::new(&mut search, best.unwrap_or_default());
    proof.run(limits.max_nodes.map_or(usize::MAX, |n| (n - 1) / 2))?;
    let (low, best) = (proof.low, proof.best);
    Ok(FoundTree {
        tree: best.tree(&problem, data),
        lower: 2 * usize::from(low) + 1,
        opened: search.meter.opened,
        errors: problem.unavoidable,
    })
}

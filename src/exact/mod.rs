//! The smallest tree, proven: exact search where growth is greedy.
//!
//! A tree is consistent when it is right on every training row, and minimal when no consistent tree
//! has fewer nodes (Spaeh & Kosub, "Global Evaluation for Decision Tree Learning", sections 2.2 and
//! 3.1). Finding one is NP-complete; here it is done by asking for trees of b splits, b = 0, 1, 2
//! ... ([`consistent`] answers, [`prove`] asks), with what was learned kept by row set ([`cache`]).
//! Tests are `x <= r`; the levels of a nominal feature count as numbers in their declared order, so
//! a test there divides the order in two.
//!
//! Reach: complete tables of a few hundred cells with trees of 81 nodes (the second MONK's problem)
//! in under a second; 500 rows of six real numbers with trees of about 20 nodes in seconds. Time
//! grows exponentially with the size of the tree, little with the rows. [`optimal_tree`] is the
//! other exact search: errors and a penalty for each leaf, within a depth. Everything runs on one
//! thread: the table of row sets decides what is looked at, and an answer must not depend on who
//! came first. Not for noisy data, whose consistent trees have a node for every few rows: the
//! bounds are honest there, but far apart.

mod cache;
mod consistent;
mod greedy;
mod lists;
mod optimal;
mod pairs;
mod plan;
mod problem;
mod prove;
mod sizes;
mod sparse;

pub use optimal::{Cheapest, Objective, optimal_tree};
pub use problem::{Errors, MAX_CLASSES, MAX_ROWS};
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

/// How long to search, and for what.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchLimits {
    /// Trees of more nodes are not searched for.
    pub max_nodes: Option<usize>,
    /// Wall time in seconds.
    pub time_limit: Option<f64>,
    /// Search nodes (row sets that are looked at with a budget); unlike time it gives the same
    /// answer everywhere.
    pub node_budget: Option<u64>,
    /// Bytes that the table of row sets may take before it is emptied.
    pub memory: usize,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self { max_nodes: None, time_limit: None, node_budget: None, memory: 256 << 20 }
    }
}

impl SearchLimits {
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

    /// When the search ends, and when what it cannot do without ends.
    fn deadlines(&self, start: Instant) -> [Option<Instant>; 2] {
        let end = self.time_limit.map(|s| start + Duration::from_secs_f64(s.min(1e9)));
        [end, end.map(|end| end + GRACE)]
    }

    fn meter<'a>(&self, control: &'a Control) -> Meter<'a> {
        Meter::new(self.node_budget.unwrap_or(u64::MAX), control)
    }
}

/// What a first tree, or writing down the last one, may take beyond the time limit.
const GRACE: Duration = Duration::from_millis(200);

/// A consistent tree and what is known of the smallest one.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundTree {
    /// The best tree.
    pub tree: Tree,
    /// No consistent tree has fewer nodes; the tree is minimal when it has no more.
    pub lower: usize,
    /// Search nodes opened.
    pub opened: u64,
    /// Weight of the training rows that every tree gets wrong.
    pub errors: f64,
}

/// The smallest consistent tree of some rows (internal numbers, positive weights), or the best that
/// the limits allow.
pub fn minimal_tree(
    data: &Dataset,
    rows: &[u32],
    weights: &Weights,
    errors: Errors,
    limits: &SearchLimits,
    control: &Control,
) -> Result<FoundTree> {
    limits.check()?;
    let [searching, ending] = limits.deadlines(Instant::now()).map(|end| control.until(end));
    let weight = |r| weights.value(r);
    let problem = Problem::new(data, rows, &weight, errors, MissingRule::Refuse, &ending)?;
    let everything = problem.everything();
    let mut best: Option<TreePlan> = None;
    for measure in greedy::MEASURES {
        // Only the first tree has to be there.
        let control = if best.is_none() { &ending } else { &searching };
        match greedy::grow(&problem, everything.clone(), measure, control) {
            Ok(plan) if best.as_ref().is_none_or(|b| plan.splits() < b.splits()) => {
                best = Some(plan);
            }
            Err(Error::OutOfTime) if best.is_some() => break,
            answer => drop(answer?),
        }
    }
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

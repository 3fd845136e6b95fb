//! Optimal trees of limited depth and size: [`optimal_tree`] encodes the rows, grows a greedy tree
//! as the upper bound, runs the search ([`super::sparse`]) and converts its result to a [`Tree`].
//!
//! Rows are encoded once per copy, because the search counts rows as bits: weights must be whole.

use super::consistent::{Halt, Meter};
use super::pairs::{RankRows, SetView};
use super::plan::TreePlan;
use super::problem::{
    ClassWeight, Errors, MissingRule, Problem, RankTest, divide, first_rows, insert, members,
};
use super::sparse::{FREE, FoundTest, RootAnswer, SideCost, SparseSearch, SplitCosts, TreeLimits};
use super::{MAX_ROWS, SearchLimits};
use crate::data::{Dataset, Weights};
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::tree::{Node, NodePosition, Tree, majority};
use std::time::Instant;

/// The objective, which is minimised: share of misclassified rows + `leaf_penalty` x leaves, over
/// trees of limited depth. [`SearchLimits::max_nodes`] limits their size.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Objective {
    /// Largest number of tests on a path.
    pub max_depth: Option<usize>,
    /// Complexity penalty of each leaf, as a share of the rows.
    pub leaf_penalty: f64,
}

/// The tree of least cost, or the best that was found within the limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Cheapest {
    /// The tree.
    pub tree: Tree,
    /// Its share of misclassified rows + `leaf_penalty` x leaves.
    pub objective: f64,
    /// A proven lower bound of the objective over all trees of the allowed depth and size.
    pub lower: f64,
    /// Weight of the misclassified rows.
    pub errors: f64,
    /// Number of search nodes opened.
    pub opened: u64,
}

impl Objective {
    fn check(&self, limits: &SearchLimits) -> Result<()> {
        if !(self.leaf_penalty >= 0.0 && self.leaf_penalty.is_finite()) {
            let reason = "must be a finite number >= 0 (a share of the rows)";
            return Err(Error::parameter("leaf_penalty", self.leaf_penalty, reason));
        }
        if self.max_depth.is_none() && limits.max_nodes.is_none() && self.leaf_penalty == 0.0 {
            return Err(Error::Unsupported {
                what: "a tree without max_depth, max_nodes and leaf_penalty".into(),
                supported: "one of them at least; minimal_tree(errors='minimise') finds the \
                    smallest tree with the fewest errors"
                    .into(),
            });
        }
        Ok(())
    }
}

/// The rows for the search: one per copy of each training row.
fn copies(problem: &Problem, control: &Control) -> Result<RankRows> {
    let mut rows = RankRows {
        ranks: vec![Vec::new(); problem.n_features],
        class: Vec::new(),
        classes: problem.classes.len(),
        lost: Vec::new(),
    };
    let mut lost = Vec::new();
    for row in 0..problem.n_rows {
        control.check()?;
        // Of equal rows, those of the first class of the largest weight can be classified
        // correctly.
        let own = &problem.weights[row];
        let most = own.iter().map(|w| w.weight).fold(0.0, f64::max);
        let kept = own.iter().find(|w| w.weight == most).map_or(0, |w| w.class);
        for &ClassWeight { class, weight } in own {
            if weight.fract() != 0.0 || rows.class.len() as f64 + weight > MAX_ROWS as f64 {
                return Err(Error::Data(format!(
                    "sample weights must be whole numbers here (copies of rows, {MAX_ROWS} at most \
                     in all), and one is {weight}"
                )));
            }
            for _ in 0..weight as usize {
                rows.class.push(class);
                lost.push(class != kept);
                for feature in 0..problem.n_features {
                    rows.ranks[feature].push(problem.ranks[feature][row]);
                }
            }
        }
    }
    rows.lost = vec![0; lost.len().div_ceil(64)];
    for (row, _) in lost.iter().enumerate().filter(|(_, is_lost)| **is_lost) {
        insert(&mut rows.lost, row);
    }
    Ok(rows)
}

/// A tree and its cost in rows: errors + penalty x leaves.
struct CostedPlan {
    cost: f64,
    plan: TreePlan,
}

/// Grow a tree top-down by weighted Gini impurity, then make leaves of subtrees that cost no less.
/// What is not split when time is up stays a leaf.
fn greedy(
    problem: &Problem,
    rows: &RankRows,
    max_depth: usize,
    penalty: f64,
    control: &Control,
) -> Result<CostedPlan> {
    /// A node in pre-order.
    struct GreedyNode {
        cost_as_leaf: f64,
        test: Option<RankTest>,
    }
    let mut stack = vec![(first_rows(rows.class.len()), max_depth)];
    let mut nodes: Vec<GreedyNode> = Vec::new();
    while let Some((bits, depth)) = stack.pop() {
        let (errors, test) = match errors_and_test(rows, &bits, depth, control) {
            Err(Error::OutOfTime) => (rows.errors_of_leaf(&bits), None),
            found => found?,
        };
        nodes.push(GreedyNode { cost_as_leaf: errors + penalty, test });
        if let Some(test) = test {
            let (left, right) = divide(&rows.ranks, &bits, test);
            stack.push((right, depth - 1));
            stack.push((left, depth - 1));
        }
    }

    /// A pruned subtree.
    #[derive(Clone, Copy)]
    struct Subtree {
        cost: f64,
        /// The node that follows it in pre-order.
        end: usize,
    }
    // Prune from the last node to the first: the subtrees of both sides are on top of the stack.
    let mut subtrees: Vec<Subtree> = Vec::new();
    let mut ends = vec![0; nodes.len()];
    for i in (0..nodes.len()).rev() {
        let GreedyNode { cost_as_leaf, test } = nodes[i];
        let mut subtree = Subtree { cost: cost_as_leaf, end: i + 1 };
        if test.is_some() {
            let left = subtrees.pop().unwrap_or(subtree);
            let right = subtrees.pop().unwrap_or(subtree);
            subtree.end = right.end;
            if left.cost + right.cost < cost_as_leaf {
                subtree.cost = left.cost + right.cost;
            } else {
                nodes[i].test = None;
            }
        }
        ends[i] = subtree.end;
        subtrees.push(subtree);
    }

    // The nodes that are left, in pre-order.
    let mut next = 0;
    let plan = TreePlan::grow(problem.everything(), problem, |_| {
        let test = nodes[next].test;
        next = if test.is_some() { next + 1 } else { ends[next] };
        Result::Ok(test)
    })?;
    Ok(CostedPlan { cost: subtrees.first().map_or(0.0, |root| root.cost), plan })
}

/// Errors of a set as a leaf, and its best test by weighted Gini impurity if it is to be split.
fn errors_and_test(
    rows: &RankRows,
    bits: &[u64],
    depth: usize,
    control: &Control,
) -> Result<(f64, Option<RankTest>)> {
    control.check()?;
    let errors = rows.errors_of_leaf(bits);
    if depth == 0 || errors == 0.0 {
        return Ok((errors, None));
    }
    let view = SetView::new(rows, bits, control)?;
    Ok((errors, view.tests_by_gini(control)?.first().copied()))
}

/// The result if time was up before the rows were encoded: one leaf.
fn single_leaf(data: &Dataset, rows: &[u32], weights: &Weights, leaf_penalty: f64) -> Cheapest {
    let mut counts = vec![0.0; data.n_classes()];
    rows.iter().for_each(|&r| {
        counts[usize::from(data.classes()[r as usize])] += weights.value(r);
    });
    let n: f64 = counts.iter().sum();
    let label = majority(&counts);
    let errors = n - counts[label];
    let mut tree = Tree::empty(data.n_classes());
    tree.nodes.push(Node::leaf(NodePosition::ROOT, label as i32, rows.len() as u32));
    tree.counts.extend(counts);
    let objective = errors / n + leaf_penalty;
    Cheapest { tree, objective, lower: leaf_penalty.min(objective), errors, opened: 0 }
}

/// The tree that a search has found for all rows. The search keeps costs, not trees, so the tests
/// are asked for again, top-down.
fn plan_found(
    problem: &Problem,
    search: &mut SparseSearch<'_>,
    all_rows: Vec<u64>,
    limits: TreeLimits,
    found: FoundTest,
) -> std::result::Result<TreePlan, Halt> {
    let is_leaf = found.test.is_none();
    let mut stack = vec![(all_rows, limits, found)];
    TreePlan::grow(problem.everything(), problem, |_| {
        let Some((bits, limits, found)) = stack.pop().filter(|_| !is_leaf) else {
            return Ok(None);
        };
        let Some(SplitCosts { test, left, right }) = search.test(&bits, limits, found)? else {
            return Ok(None);
        };
        let (rows_left, rows_right) = divide(search.ranks(), &bits, test);
        let below = limits.depth_below();
        let limits_of = |side: SideCost| TreeLimits { depth: below, splits: side.splits };
        let found_of = |side: SideCost| FoundTest { cost: side.cost, test: None };
        stack.push((rows_right, limits_of(right), found_of(right)));
        stack.push((rows_left, limits_of(left), found_of(left)));
        Ok(Some(test))
    })
}

/// Weight of the rows that a tree misclassifies.
fn errors_of(plan: &TreePlan, problem: &Problem) -> f64 {
    let mut errors = 0.0;
    plan.follow(problem.everything(), problem, |bits, split| {
        if split.is_none() {
            let label = problem.label(bits);
            let weights = members(bits).flat_map(|row| &problem.weights[row]);
            let wrong = weights.filter(|w| u16::from(w.class) != label);
            errors += wrong.map(|w| w.weight).sum::<f64>();
        }
    });
    errors
}

/// Find the tree of least cost for some rows (internal numbers; positive whole weights), or the
/// best within the limits.
///
/// # Errors
/// [`Error::Parameter`] and [`Error::Unsupported`] for an objective without a limit,
/// [`Error::Data`] for weights that are not whole, missing values, or too many rows.
pub fn optimal_tree(
    data: &Dataset,
    rows: &[u32],
    weights: &Weights,
    objective: &Objective,
    limits: &SearchLimits,
    control: &Control,
) -> Result<Cheapest> {
    limits.check()?;
    objective.check(limits)?;
    let [searching, ending] = limits.deadlines(Instant::now()).map(|end| control.until(end));
    // Encode the rows; without time for that, the answer is a leaf.
    let weight = |r| weights.value(r);
    let encoded =
        Problem::new(data, rows, &weight, Errors::Minimise, MissingRule::Refuse, &searching)
            .and_then(|problem| copies(&problem, &searching).map(|copies| (problem, copies)));
    let (problem, copies) = match encoded {
        Err(Error::OutOfTime) => {
            return Ok(single_leaf(data, rows, weights, objective.leaf_penalty));
        }
        encoded => encoded?,
    };
    // Inside, costs are in rows.
    let n = copies.class.len() as f64;
    let penalty = objective.leaf_penalty * n;
    let capped = |limit: usize| limit.min(usize::from(FREE) - 1) as u16;
    let tree_limits = TreeLimits {
        depth: objective.max_depth.map_or(FREE, capped),
        splits: limits.max_nodes.map_or(FREE, |nodes| capped((nodes - 1) / 2)),
    };
    // The upper bound: a complete greedy tree that keeps both limits.
    let depth_by_size = match tree_limits.splits {
        FREE => usize::MAX,
        splits => (usize::from(splits) + 1).ilog2() as usize,
    };
    let greedy_depth = objective.max_depth.unwrap_or(usize::MAX).min(depth_by_size);
    let CostedPlan { cost, mut plan } =
        greedy(&problem, &copies, greedy_depth, penalty, &searching)?;
    // The search for a better tree.
    let all_rows = first_rows(copies.class.len());
    let mut search = SparseSearch::new(&copies, penalty, limits.memory, limits.meter(&searching));
    let Ok(RootAnswer { found, mut lower }) = search.root(&all_rows, tree_limits, cost, &ending)
    else {
        return Err(Error::Cancelled);
    };
    let opened = search.meter.opened;
    let mut best = cost;
    if let Some(found) = found {
        // To write the tree down repeats parts of the search; they are not counted again.
        search.meter = Meter::new(u64::MAX, &ending);
        match plan_found(&problem, &mut search, all_rows, tree_limits, found) {
            Ok(better) => (plan, best) = (better, found.cost),
            Err(Halt::Cancelled) => return Err(Error::Cancelled),
            Err(Halt::Spent) => lower = lower.min(found.cost),
        }
    }
    // Back to shares of the rows; bounds that differ by rounding only are equal.
    let tree = plan.tree(&problem, data);
    let leaves = (plan.splits() + 1) as f64;
    let errors = errors_of(&plan, &problem);
    debug_assert!((errors + penalty * leaves - best).abs() < 1e-6 * n);
    let objective = errors / n + objective.leaf_penalty * leaves;
    let lower = if lower >= best - 1e-6 { objective } else { (lower / n).min(objective) };
    Ok(Cheapest { tree, objective, lower, errors, opened })
}

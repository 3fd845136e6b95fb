//! From training rows to the cheapest tree: copies of rows for the search, a greedy tree to begin
//! with, the tree at the end.

use super::consistent::{Halt, Meter};
use super::pairs::RankRows;
use super::pairs::SetView;
use super::plan::TreePlan;
use super::problem::{Errors, MissingRule, Problem, members};
use super::sparse::{FREE, RankTest, SparseSearch};
use super::{MAX_ROWS, SearchLimits};
use crate::data::{Dataset, Weights};
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::tree::{Node, NodePosition, Tree, majority};
use std::time::Instant;

/// What is minimised: share of misclassified rows + `leaf_penalty` x leaves, over trees of limited
/// depth and size.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Objective {
    /// Longest path, in tests.
    pub max_depth: Option<usize>,
    /// Complexity penalty of each leaf, as a share of the rows.
    pub leaf_penalty: f64,
}

/// The cheapest tree, or the cheapest found.
#[derive(Debug, Clone, PartialEq)]
pub struct Cheapest {
    /// The tree.
    pub tree: Tree,
    /// Its share of misclassified rows + penalty x leaves.
    pub objective: f64,
    /// No tree within the limits on depth and size has less.
    pub lower: f64,
    /// Misclassified rows.
    pub errors: f64,
    /// Search nodes opened.
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

/// Rows as the search counts them: one a copy.
fn copies(problem: &Problem, control: &Control) -> Result<RankRows> {
    let mut rows = RankRows {
        ranks: vec![Vec::new(); problem.d],
        class: Vec::new(),
        classes: problem.classes.len(),
        lost: Vec::new(),
    };
    let mut lost = Vec::new();
    for row in 0..problem.n {
        control.check()?;
        let own = &problem.weights[row];
        let most = own.iter().map(|c| c.1).fold(0.0, f64::max);
        let kept = own.iter().find(|c| c.1 == most).map_or(0, |c| c.0);
        for &(class, weight) in own {
            if weight.fract() != 0.0 || rows.class.len() as f64 + weight > MAX_ROWS as f64 {
                return Err(Error::Data(format!(
                    "sample weights must be whole numbers here (copies of rows, {MAX_ROWS} at most \
                     in all), and one is {weight}"
                )));
            }
            for _ in 0..weight as usize {
                rows.class.push(class);
                lost.push(class != kept);
                for f in 0..problem.d {
                    rows.ranks[f].push(problem.ranks[f][row]);
                }
            }
        }
    }
    rows.lost = vec![0; lost.len().div_ceil(64)];
    lost.iter()
        .enumerate()
        .filter(|(_, l)| **l)
        .for_each(|(i, _)| rows.lost[i >> 6] |= 1 << (i & 63));
    Ok(rows)
}

fn all(n: usize) -> Vec<u64> {
    (0..n.div_ceil(64))
        .map(|w| if n >= (w + 1) * 64 { u64::MAX } else { (1 << (n & 63)) - 1 })
        .collect()
}

/// Top-down by weighted Gini impurity, then cut back where a leaf is as cheap: cost and plan. What
/// is not divided when time is up stays a leaf.
fn greedy(
    problem: &Problem,
    rows: &RankRows,
    search: &SparseSearch<'_>,
    depth: usize,
    penalty: f64,
    control: &Control,
) -> Result<(f64, TreePlan)> {
    let mut below = vec![(all(rows.class.len()), depth)];
    // Cost as a leaf, and whether there is a test, in pre-order.
    let mut nodes: Vec<(f64, Option<RankTest>)> = Vec::new();
    while let Some((bits, depth)) = below.pop() {
        let (errors, test) = match looked_at(rows, &bits, depth, control) {
            Err(Error::OutOfTime) => (rows.errors_of_leaf(&bits), None),
            answer => answer?,
        };
        nodes.push((errors + penalty, test));
        if let Some(test) = test {
            let (left, right) = search.divide(&bits, test);
            below.push((right, depth - 1));
            below.push((left, depth - 1));
        }
    }
    // From the last node to the first: the subtrees of both sides lie on the stack.
    let mut costs: Vec<(f64, usize)> = Vec::new();
    let mut ends = vec![0; nodes.len()];
    for i in (0..nodes.len()).rev() {
        let (leaf, test) = nodes[i];
        let mut here = (leaf, i + 1);
        if test.is_some() {
            let (left, right) = (costs.pop().unwrap_or(here), costs.pop().unwrap_or(here));
            here.1 = right.1;
            if left.0 + right.0 < leaf {
                here.0 = left.0 + right.0;
            } else {
                nodes[i].1 = None;
            }
        }
        ends[i] = here.1;
        costs.push(here);
    }
    let mut at = 0;
    let plan = TreePlan::grow(problem.everything(), problem, |_| -> Result<Option<RankTest>> {
        let test = nodes[at].1;
        at = if test.is_some() { at + 1 } else { ends[at] };
        Ok(test)
    })?;
    Ok((costs.first().map_or(0.0, |c| c.0), plan))
}

/// Errors of a set as a leaf, and its best test by weighted Gini impurity.
fn looked_at(
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

/// The answer where time was up before the rows were encoded: one leaf.
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

/// The tree that a search has found: its cost and its first test, the others asked for again.
fn plan_found(
    problem: &Problem,
    search: &mut SparseSearch<'_>,
    everything: Vec<u64>,
    (depth, splits): (u16, u16),
    (cost, first): (f64, Option<RankTest>),
) -> std::result::Result<TreePlan, Halt> {
    let mut below = vec![(everything, depth, splits, (cost, first))];
    let top = first.is_none();
    TreePlan::grow(problem.everything(), problem, |_| {
        let Some((bits, depth, splits, wanted)) = below.pop().filter(|_| !top) else {
            return Ok(None);
        };
        let Some((test, l, r)) = search.test(&bits, depth, splits, wanted)? else {
            return Ok(None);
        };
        let (left, right) = search.divide(&bits, test);
        let depth = if depth == FREE { FREE } else { depth - 1 };
        below.push((right, depth, r.0, (r.1, None)));
        below.push((left, depth, l.0, (l.1, None)));
        Ok(Some(test))
    })
}

/// Weight of the rows that a tree gets wrong.
fn errors_of(plan: &TreePlan, problem: &Problem) -> f64 {
    let mut errors = 0.0;
    plan.follow(problem.everything(), problem, |bits, split| {
        if split.is_none() {
            let label = problem.label(bits);
            let wrong = members(bits).flat_map(|row| &problem.weights[row]);
            errors += wrong.filter(|c| u16::from(c.0) != label).map(|c| c.1).sum::<f64>();
        }
    });
    errors
}

/// The cheapest tree of some rows (internal numbers; positive whole weights), or the cheapest that
/// the limits allow to find.
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
    let n = copies.class.len() as f64;
    let penalty = objective.leaf_penalty * n;
    let depth = objective.max_depth.map_or(FREE, |d| d.min(usize::from(FREE) - 1) as u16);
    let splits = limits.max_nodes.map_or(FREE, |m| ((m - 1) / 2).min(usize::from(FREE) - 1) as u16);
    let everything = all(copies.class.len());
    let mut search = SparseSearch::new(&copies, penalty, limits.memory, limits.meter(&searching));
    let by_size =
        if splits == FREE { usize::MAX } else { (usize::from(splits) + 1).ilog2() as usize };
    let levels = objective.max_depth.unwrap_or(usize::MAX).min(by_size);
    let (cost, mut plan) = greedy(&problem, &copies, &search, levels, penalty, &searching)?;
    let (found, mut lower) = match search.root(&everything, (depth, splits), cost, &ending) {
        Ok(answer) => answer,
        Err(_) => return Err(Error::Cancelled),
    };
    let opened = search.meter.opened;
    let mut best = cost;
    if let Some((cost, first)) = found {
        // What is left to find was found before; it is not counted again.
        search.meter = Meter::new(u64::MAX, &ending);
        match plan_found(&problem, &mut search, everything, (depth, splits), (cost, first)) {
            Ok(grown) => (plan, best) = (grown, cost),
            Err(Halt::Cancelled) => return Err(Error::Cancelled),
            Err(Halt::Spent) => lower = lower.min(cost),
        }
    }
    let tree = plan.tree(&problem, data);
    let leaves = (plan.splits() + 1) as f64;
    let errors = errors_of(&plan, &problem);
    debug_assert!((errors + penalty * leaves - best).abs() < 1e-6 * n);
    let objective = errors / n + objective.leaf_penalty * leaves;
    let lower = if lower >= best - 1e-6 { objective } else { (lower / n).min(objective) };
    Ok(Cheapest { tree, objective, lower, errors, opened })
}

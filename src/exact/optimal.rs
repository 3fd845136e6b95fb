//! Optimal trees of limited depth and size: [`optimal_tree`] ranks the rows, grows a greedy tree as
//! the first bound, runs the search ([`super::deeper`]) and writes its result down as a [`Tree`].

use super::SearchLimits;
use super::deeper::{first_of, one_test};
use super::known::Known;
use super::losses::{AdditiveLoss, ErrorLoss, LeafLoss, Loss, Weight};
use super::passes::{greedy, search};
use super::plans::{Plan, PlanSplit};
use super::ranked::{Asked, NominalTests, RankedRows, RankedTest};
use super::setting::{Query, Setting};
use super::sorted::SortedSet;
use super::two_levels::Pool;
use super::written::{WrittenTest, listing, write};
use crate::criteria::{self, CRITERIA, Cells, Context, Criterion, LossRise};
use crate::data::{Column, Dataset, Weights};
use crate::error::{Error, Result};
use crate::numeric::midpoint;
use crate::parallel::Control;
use crate::simd::stumps::LaneNumber;
use crate::tree::{CostMatrix, NodePosition, Test, Tree, majority};
use serde_json::{Map, Value};
use std::marker::PhantomData;
use std::time::Instant;

/// Which of several optimal trees is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TieRule {
    /// The one with the fewest leaves; then, from the root down, the lowest feature and the lowest
    /// threshold.
    #[default]
    First,
    /// Any, which takes less time.
    Any,
}

/// The objective, which is minimised: the mean loss of the rows + `leaf_penalty` x leaves, over
/// trees of limited depth and size. [`SearchLimits::max_nodes`] limits their size, too.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Objective {
    /// `error`, or a criterion whose score is a difference of mean losses.
    pub criterion: String,
    /// Its options.
    pub criterion_options: Map<String, Value>,
    /// Costs of errors, in place of the criterion.
    pub cost_matrix: Option<Vec<Vec<f64>>>,
    /// Largest number of tests on a path.
    pub max_depth: Option<usize>,
    /// Depth down to which the tree is optimal, as if it ended there; below it grows greedily.
    pub lookahead: Option<usize>,
    /// Largest number of leaves.
    pub max_leaf_nodes: Option<usize>,
    /// Fewest rows of a leaf.
    pub min_samples_leaf: usize,
    /// Complexity penalty of each leaf, as a share of the rows.
    pub leaf_penalty: f64,
    /// How nominal features are tested.
    pub nominal_splits: NominalTests,
    /// Which of several optimal trees is found.
    pub ties: TieRule,
}

impl Default for Objective {
    fn default() -> Self {
        Self {
            criterion: ERROR.into(),
            criterion_options: Map::new(),
            cost_matrix: None,
            max_depth: None,
            lookahead: None,
            max_leaf_nodes: None,
            min_samples_leaf: 1,
            leaf_penalty: 0.0,
            nominal_splits: NominalTests::Ordered,
            ties: TieRule::First,
        }
    }
}

/// The criterion whose loss is the weight of the misclassified rows, by the name of that.
const ERROR: &str = "error";
/// A larger limit on the depth counts as no limit: trees that deep are never searched in full.
const MOST_DEPTH: u32 = 60;
/// The largest weight of all rows whose errors are counted in whole numbers.
const MOST_COUNTED: f64 = (1_u64 << 30) as f64;

/// Solved sets are kept if all columns together have so few values.
const MOST_KNOWN_PLACES: usize = 1000;

/// The tree of least cost, or the best that was found within the limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Cheapest {
    /// The tree.
    pub tree: Tree,
    /// The mean loss of its rows + `leaf_penalty` x leaves.
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
        if self.min_samples_leaf < 1 {
            return Err(Error::parameter("min_samples_leaf", 0, "must be at least 1"));
        }
        if self.lookahead.is_some() {
            if self.lookahead == Some(0) {
                return Err(Error::parameter("lookahead", 0, "must be at least 1"));
            }
            let (by_leaves, by_nodes) = (self.max_leaf_nodes.is_some(), limits.max_nodes.is_some());
            if by_leaves || by_nodes || self.max_depth.is_none() {
                return Err(Error::Unsupported {
                    what: "lookahead with max_leaf_nodes or max_nodes, or without max_depth".into(),
                    supported: "lookahead with max_depth: greedy growth below is limited by depth"
                        .into(),
                });
            }
        }
        if self.max_leaf_nodes == Some(0) {
            return Err(Error::parameter("max_leaf_nodes", 0, "a tree has at least one leaf"));
        }
        let is_limited = self.max_depth.is_some()
            || self.max_leaf_nodes.is_some()
            || limits.max_nodes.is_some()
            || self.leaf_penalty > 0.0;
        if !is_limited {
            return Err(Error::Unsupported {
                what: "a tree without max_depth, max_leaf_nodes, max_nodes and leaf_penalty".into(),
                supported: "one of them at least; minimal_tree(errors='minimise') finds the \
                    smallest tree with the fewest errors"
                    .into(),
            });
        }
        Ok(())
    }

    /// The most leaves of a tree.
    fn leaves(&self, limits: &SearchLimits, rows: usize) -> u32 {
        let by_nodes = limits.max_nodes.map_or(usize::MAX, |nodes| nodes.div_ceil(2));
        by_nodes.min(self.max_leaf_nodes.unwrap_or(usize::MAX)).min(rows) as u32
    }

    /// The criterion whose leaves have a loss.
    fn criterion(&self) -> Result<Box<dyn Criterion>> {
        let criterion = criteria::make(&self.criterion, self.criterion_options.clone())?;
        if has_loss(criterion.as_ref()) {
            return Ok(criterion);
        }
        let with_loss = |entry: &&criteria::Entry| {
            criteria::make(entry.info.name, Map::new()).is_ok_and(|c| has_loss(c.as_ref()))
        };
        let names: Vec<&str> = CRITERIA.iter().filter(with_loss).map(|e| e.info.name).collect();
        Err(Error::Unsupported {
            what: format!(
                "criterion='{}' for an optimal tree (its score is no sum over the leaves)",
                self.criterion
            ),
            supported: format!("a cost_matrix, or one of {}", names.join(", ")),
        })
    }
}

/// Whether a criterion's leaves have a loss.
fn has_loss(criterion: &dyn Criterion) -> bool {
    criterion.loss(Cells::Weights(&[1.0, 1.0]), &Context::new(2, 2)).is_some()
}

/// Find the tree of least cost for some rows (internal numbers, positive weights), or the best
/// within the limits.
///
/// # Errors
/// [`Error::Parameter`] and [`Error::Unsupported`] for an objective without a limit or without a
/// loss, [`Error::Data`] for too many classes or levels, [`Error::Need`] beyond the memory limit.
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
    let criterion = objective.criterion()?;
    let costs = match &objective.cost_matrix {
        Some(costs) => Some(CostMatrix::new(costs, data.n_classes())?),
        None => None,
    };
    if rows.is_empty() {
        return Err(Error::Data("no training rows with a positive weight".into()));
    }
    // What a budget of search nodes finds must not depend on threads.
    let control = &if limits.node_budget.is_some() { control.serial() } else { control.clone() };
    let [searching, ending] = limits.deadlines(Instant::now()).map(|end| control.until(end));
    let own: Vec<f64> = match weights {
        Weights::Unit => Vec::new(),
        _ => rows.iter().map(|&r| weights.value(r)).collect(),
    };
    let total: f64 = if own.is_empty() { rows.len() as f64 } else { own.iter().sum() };
    let is_whole = own.iter().all(|w| w.fract() == 0.0) && total <= MOST_COUNTED;
    let nominal = objective.nominal_splits;
    let ranked = match RankedRows::new(data, rows, own, nominal, &searching) {
        Err(Error::OutOfTime) => return Ok(single_leaf(data, rows, weights, &costs, objective)),
        ranked => ranked?,
    };
    let is_error = criterion.info().name == "accuracy" && costs.is_none();
    let task = OptimalSearch {
        data,
        ranked: &ranked,
        objective,
        limits,
        costs,
        total,
        is_whole,
        is_error,
    };
    let controls = (&searching, &ending);
    if is_error && is_whole && objective.min_samples_leaf == 1 && !ranked.has_missing() {
        return if total <= f64::from(i16::MOST) {
            task.run(&ErrorLoss::<i16>::new(&ranked), controls)
        } else {
            task.run(&ErrorLoss::<i32>::new(&ranked), controls)
        };
    }
    if is_whole {
        task.run(&task.additive::<u32>(criterion), controls)
    } else {
        task.run(&task.additive::<f64>(criterion), controls)
    }
}

/// The result if time was up before the rows were ranked: one leaf. Its bound is that no loss is
/// negative.
fn single_leaf(
    data: &Dataset,
    rows: &[u32],
    weights: &Weights,
    costs: &Option<CostMatrix>,
    objective: &Objective,
) -> Cheapest {
    let mut counts = vec![0.0; data.n_classes()];
    rows.iter().for_each(|&r| {
        counts[usize::from(data.classes()[r as usize])] += weights.value(r);
    });
    let n: f64 = counts.iter().sum();
    let label = costs.as_ref().map_or_else(|| majority(&counts), |costs| costs.label(&counts));
    let errors = n - counts[label];
    let loss = match (costs, objective.criterion()) {
        (Some(costs), _) => costs.of(&counts, label as i32),
        (None, Ok(criterion)) => {
            let context = Context::new(counts.len(), 0);
            criterion.loss(Cells::Weights(&counts), &context).unwrap_or(errors)
        }
        (None, Err(_)) => errors,
    };
    let mut tree = Tree::empty(data.n_classes());
    write(&mut tree, NodePosition::ROOT, (counts, rows.len() as u32), label as i32, None);
    let penalty = objective.leaf_penalty;
    Cheapest { tree, objective: loss / n + penalty, lower: penalty, errors, opened: 0 }
}

/// A search and its input.
struct OptimalSearch<'a> {
    data: &'a Dataset,
    ranked: &'a RankedRows,
    objective: &'a Objective,
    limits: &'a SearchLimits,
    costs: Option<CostMatrix>,
    /// Weight of all rows.
    total: f64,
    /// Whether all weights are whole numbers, and whether the loss is the error.
    is_whole: bool,
    is_error: bool,
}

/// A node of the tree that was found, in pre-order.
struct FoundNode {
    test: Option<RankedTest>,
    right: u32,
}

impl OptimalSearch<'_> {
    /// The loss by a criterion or by costs.
    fn additive<C: Weight>(&self, criterion: Box<dyn Criterion>) -> AdditiveLoss<C> {
        let classes = self.ranked.classes;
        let min_rows = self.objective.min_samples_leaf.min(u32::MAX as usize) as u32;
        let (loss, rise, skips_runs) = match &self.costs {
            Some(costs) => {
                let pairs = (0..classes).flat_map(|i| (0..classes).map(move |j| (i, j)));
                let most = pairs.map(|(i, j)| costs.one(i, j as i32)).fold(0.0, f64::max);
                (LeafLoss::Costs(costs.clone()), LossRise::PerWeight(most), true)
            }
            None => {
                let (rise, convex) = (criterion.loss_rise(), criterion.info().convex);
                let skips_runs = convex || self.is_error;
                let context = Context::new(classes, self.total as u64);
                (LeafLoss::Of(criterion, context), rise, skips_runs)
            }
        };
        AdditiveLoss { loss, rise, classes, min_rows, skips_runs, weight: PhantomData }
    }

    /// Search, and write the tree down.
    fn run<L: Loss>(
        &self,
        loss: &L,
        (searching, ending): (&Control, &Control),
    ) -> Result<Cheapest> {
        let ranked = self.ranked;
        let leaf_penalty = self.objective.leaf_penalty * self.total;
        let is_first = self.objective.ties == TieRule::First;
        let is_exact = self.is_whole && leaf_penalty.fract() == 0.0 && self.is_error;
        // For exact losses, so small that the sums of all leaves are exact and below one unit.
        let step = f64::exp2(self.total.log2().ceil() - if is_exact { 50.0 } else { 34.0 });
        let tie = if is_first { step / 2.0 } else { 0.0 };
        let min_rows = self.objective.min_samples_leaf.min(ranked.len().max(1)) as u32;
        let heaviest = (0..ranked.len() as u32).map(|row| ranked.weight(row)).fold(0.0, f64::max);
        let places = ranked.columns.iter().map(|column| column.end as usize);
        let is_small = places.sum::<usize>() <= MOST_KNOWN_PLACES;
        let known = match is_small {
            true => Known::new(ranked.len(), self.limits.memory.min(searching.budget().left())),
            false => Known::default(),
        };
        let setting = Setting {
            rows: ranked,
            loss,
            penalty: leaf_penalty + 2.0 * tie,
            leaf_price: leaf_penalty,
            tie,
            min_rows,
            few_rows: f64::from(min_rows - 1) * heaviest,
            known,
            opened: 0.into(),
            reported: 0.into(),
            budget: self.limits.node_budget.unwrap_or(u64::MAX),
        };
        let leaves = self.objective.leaves(self.limits, ranked.len());
        let depth =
            self.objective.max_depth.map_or(MOST_DEPTH, |d| d.min(MOST_DEPTH as usize) as u32);
        let full_depth = depth.min(leaves - 1);
        let depth = self.objective.lookahead.map_or(full_depth, |d| full_depth.min(d as u32));
        // A set takes about 25 bytes per row and column, and each level and thread holds one.
        let sets = 1 + depth.saturating_sub(2).min(8) as usize * searching.threads();
        let bytes = 25 * ranked.len() * ranked.columns.len().max(1);
        let bytes = bytes.saturating_mul(sets);
        searching.budget().admit("the search for an optimal tree", bytes, "take fewer rows")?;

        let mut set = match SortedSet::all(ranked, setting.marks(), searching) {
            Err(Error::OutOfTime) => {
                let plan = vec![FoundNode { test: None, right: 0 }];
                return Ok(self.written(&setting, &plan, Some(leaf_penalty)));
            }
            set => set?,
        };
        let all: Vec<u32> = (0..ranked.len() as u32).collect();
        set.hash = setting.known.hash(&all);
        let pool = Pool::new();
        let how = (is_first, self.limits.time_limit.is_some());
        let (answer, found) = search(&setting, &set, (depth, leaves), how, &pool, searching)?;
        // Of deeper trees nothing is known but that no loss is negative.
        let is_deepest = depth == full_depth;
        let mut lower = Some(if is_deepest { answer.lower } else { leaf_penalty });
        match &answer.halted {
            None if is_deepest => lower = None,
            None => {}
            Some(Error::OutOfTime) => {}
            Some(error) => return Err(error.clone()),
        }
        let plan = match answer.halted {
            None if is_first && answer.best.plan.is_some() => {
                match first_of(&setting, &set, depth, &answer.best, &pool, searching) {
                    Err(Error::OutOfTime) => found,
                    plan => plan?,
                }
            }
            _ => found,
        };
        let grown = if is_deepest { 0 } else { full_depth };
        let nodes = flat(&setting, &set, plan, grown, ending)?;
        // Of a bound of the cost, what the penalty for ties may have added is taken away.
        let lower = lower.map(|lower| {
            let ties = 2.0 * tie * f64::from(leaves.min(1 << depth.min(30)));
            let lower = (lower - ties).max(leaf_penalty);
            if is_exact { (lower - 1e-6).ceil().max(leaf_penalty) } else { lower }
        });
        Ok(self.written(&setting, &nodes, lower))
    }

    /// The tree, with its cost; `lower`: a bound of the cost, if the tree is not proven.
    fn written<L: Loss>(
        &self,
        setting: &Setting<'_, L>,
        nodes: &[FoundNode],
        lower: Option<f64>,
    ) -> Cheapest {
        let (data, ranked) = (self.data, self.ranked);
        let mut tree = Tree::empty(data.n_classes());
        let counts_of = |rows: &[u32]| {
            let mut counts = vec![0.0; ranked.classes];
            for &row in rows {
                counts[usize::from(ranked.class[row as usize])] += ranked.weight(row);
            }
            counts
        };
        let all: Vec<u32> = (0..ranked.len() as u32).collect();
        let mut stack = vec![(all, 0, NodePosition::ROOT)];
        let (mut loss, mut leaves, mut errors) = (0.0, 0.0, 0.0);
        while let Some((rows, i, position)) = stack.pop() {
            let counts = counts_of(&rows);
            let label = match &self.costs {
                Some(costs) => costs.label(&counts),
                None => majority(&counts),
            };
            let n_rows = rows.len() as u32;
            let FoundNode { test, right } = nodes[i];
            let test = test.map(|test| {
                let column = &ranked.columns[test.column as usize];
                let is_left = |row: &u32| column.ranks[*row as usize] < test.below;
                let (on_left, on_right): (Vec<u32>, Vec<u32>) =
                    rows.iter().partition(|row| is_left(row));
                let sides = [counts_of(&on_left), counts_of(&on_right)];
                // Known values next to the threshold.
                let known = |row: &u32| {
                    let rank = column.ranks[*row as usize];
                    (rank > 0 && rank < column.end).then_some(rank)
                };
                let below = on_left.iter().filter_map(known).max().unwrap_or(1);
                let above = on_right.iter().filter_map(known).min().unwrap_or(below);
                let value = |rank: u32| ranked.values[column.feature][rank as usize - 1];
                let (test, listed) = match (&data.columns()[column.feature], &column.asked) {
                    (Column::Numeric(_), _) => {
                        (Test::Threshold(midpoint(value(below), value(above)).into()), Vec::new())
                    }
                    (_, Asked::Cut) => listing((0..=value(below) as u32).collect()),
                    (_, Asked::Levels(listed)) => listing(listed.clone()),
                };
                let has_missing = rows.iter().any(|row| known(row).is_none());
                let missing = has_missing.then_some(u32::from(column.missing_right));
                let child = NodePosition { parent: i as u32, branch: 0, depth: position.depth + 1 };
                stack.push((on_right, right as usize, NodePosition { branch: 1, ..child }));
                stack.push((on_left, i + 1, child));
                WrittenTest { feature: column.feature, test, listed, sides, missing, right }
            });
            if test.is_none() {
                loss += setting.loss.leaf(&counts);
                leaves += 1.0;
                errors += counts.iter().sum::<f64>() - counts[label];
            }
            write(&mut tree, position, (counts, n_rows), label as i32, test);
        }
        let objective = loss / self.total + self.objective.leaf_penalty * leaves;
        let lower = lower.map_or(objective, |lower| (lower / self.total).min(objective));
        let opened = setting.opened.load(std::sync::atomic::Ordering::Relaxed);
        Cheapest { tree, objective, lower, errors, opened }
    }
}

/// The rows of a node, as far as they are needed and there is time for them.
enum PlanRows {
    Root,
    Own(SortedSet),
    Unknown,
}

/// The nodes of a plan, with the tests that it leaves to be looked for; without time for that,
/// leaves in their place. Leaves above the depth `grown` grow greedily.
fn flat<L: Loss>(
    setting: &Setting<'_, L>,
    root: &SortedSet,
    plan: Plan,
    grown: u32,
    control: &Control,
) -> Result<Vec<FoundNode>> {
    let in_time = |result: Result<_>| match result {
        Err(Error::OutOfTime) => Ok(None),
        result => result.map(Some),
    };
    let mut nodes: Vec<FoundNode> = Vec::new();
    let by_column = vec![0.0; root.columns.len()];
    // A plan, its rows, its depth, and the parent of a right child.
    let mut stack = vec![(plan, PlanRows::Root, 0, None::<usize>)];
    while let Some((plan, rows, depth, right_of)) = stack.pop() {
        let node = nodes.len();
        if let Some(parent) = right_of {
            nodes[parent].right = node as u32;
        }
        let set = match &rows {
            PlanRows::Root => Some(root),
            PlanRows::Own(set) => Some(set),
            PlanRows::Unknown => None,
        };
        let split = match (plan, set) {
            (Plan::Split(split), _) => Some(split),
            (Plan::Stump(2..), Some(set)) => {
                let answer = one_test(setting, &Query::stump(set, &by_column), control).complete();
                match in_time(answer.map(|answer| answer.best.plan))?.flatten() {
                    Some(Plan::Split(split)) => Some(split),
                    _ => None,
                }
            }
            _ => None,
        };
        let split = match (split, set) {
            (None, Some(set)) if depth < grown => {
                match greedy(setting, set, (grown - depth, u32::MAX), control)?.plan {
                    Plan::Split(split) => Some(split),
                    Plan::Stump(_) => None,
                }
            }
            (split, _) => split,
        };
        nodes.push(FoundNode { test: split.as_ref().map(|split| split.test), right: 0 });
        if let Some(split) = split {
            let PlanSplit { test, left, right } = *split;
            let side = |plan: &Plan, is_right: bool| -> Result<PlanRows> {
                let is_needed = *plan != Plan::Stump(1) || depth + 1 < grown;
                let Some(set) = set.filter(|_| is_needed) else {
                    return Ok(PlanRows::Unknown);
                };
                match set.one_side(setting.rows, test, is_right, setting.marks(), control) {
                    Err(Error::OutOfTime) => Ok(PlanRows::Unknown),
                    side => side.map(PlanRows::Own),
                }
            };
            let (rows_left, rows_right) = (side(&left, false)?, side(&right, true)?);
            stack.push((right, rows_right, depth + 1, Some(node)));
            stack.push((left, rows_left, depth + 1, None));
        }
    }
    Ok(nodes)
}

//! One search for an optimal tree, from checked parameters to the tree of a model.
//!
//! [`Prepared`] checks the request and ranks the rows. [`OptimalSearch`] chooses the loss that
//! suits them, asks a [`Question`] by it, and writes the resulting tree for a model.

use super::SearchLimits;
use super::grown::GreedyGrowth;
use super::incumbent::{Plan, PlanSplit};
use super::losses::{AdditiveLoss, ErrorLoss, LeafLoss, Loss, Pool, Weight};
use super::objective::{Cheapest, Objective, TieRule};
use super::part::SetPart;
use super::passes::{Controls, Task, complete_stumps, grow_leaves_greedily, search_by_levels};
use super::ranked::{Asked, RankedRows, TestColumn, cell, count_test_columns};
use super::setting::{SearchNodes, Setting};
use super::solved::SolvedSets;
use super::sorted::SortedSet;
use super::ties::resolve_ties_below_root;
use super::write_tree::{LeftValues, WrittenNode, WrittenTest, write_tree};
use crate::criteria::{self, Context, Criterion, LossRise};
use crate::data::{Column, Dataset, Weights};
use crate::error::{Error, Result};
use crate::numeric::midpoint;
use crate::parallel::Control;
use crate::simd::stumps::{LANES, LaneNumber};
use crate::tree::{CostMatrix, majority};
use serde_json::Map;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The largest weight of all rows whose errors are counted in whole numbers, in lanes of `i32`.
const MOST_COUNTED: f64 = (1_u64 << 30) as f64;

/// The criterion of the second greedy tree; the first one grows by the loss.
const GINI: &str = "gini";

/// Solved sets are kept if all columns together have at most this number of distinct values: with
/// more, the same set of rows hardly ever comes again ([`super::solved`]).
const MOST_KEPT_VALUES: usize = 1000;

/// The checked input of a search, whose rows are not yet ranked.
pub(super) struct Prepared<'a> {
    pub(super) data: &'a Dataset<'a>,
    pub(super) rows: &'a [u32],
    pub(super) objective: &'a Objective,
    pub(super) limits: &'a SearchLimits,
    /// When the call started.
    pub(super) start: Instant,
    costs: Option<CostMatrix>,
    weights: &'a Weights,
}

impl<'a> Prepared<'a> {
    /// Check the request.
    ///
    /// # Errors
    /// [`Error::Parameter`] and [`Error::Unsupported`] for limits or an objective outside their
    /// domain, [`Error::Data`] without rows.
    pub(super) fn new(
        data: &'a Dataset<'a>,
        rows: &'a [u32],
        weights: &'a Weights,
        objective: &'a Objective,
        limits: &'a SearchLimits,
    ) -> Result<Self> {
        let start = Instant::now();
        limits.check()?;
        objective.check(limits)?;
        objective.criterion()?;
        let costs = match &objective.cost_matrix {
            Some(costs) => Some(CostMatrix::new(costs, data.n_classes())?),
            None => None,
        };
        if rows.is_empty() {
            return Err(Error::Data("no training rows with a positive weight".into()));
        }
        Ok(Self { data, rows, objective, limits, start, costs, weights })
    }

    /// The control of the search. It has one thread if there is a budget of search nodes, because
    /// the result within such a budget must not depend on threads.
    pub(super) fn control(&self, control: &Control) -> Control {
        if self.limits.node_budget.is_some() { control.serial() } else { control.clone() }
    }

    /// The rows by rank, and the bytes that they and their search take ([`Self::admit`]). It fails
    /// if these bytes exceed the memory limit, before the rows are ranked.
    pub(super) fn rank_rows(
        &self,
        is_weighed: bool,
        control: &Control,
    ) -> Result<(RankedRows, usize)> {
        let bytes = self.admit(is_weighed, control)?;
        let nominal = self.objective.nominal_splits;
        let ranked = RankedRows::new(self.data, self.rows, self.weights, nominal, control)?;
        Ok((ranked, bytes))
    }

    /// The bytes that ranked rows and their search take. `is_weighed` says that the search gives
    /// the rows weights, even if the caller gave none.
    ///
    /// # Errors
    /// [`Error::Need`] if these are more than the memory limit allows.
    pub(super) fn admit(&self, is_weighed: bool, control: &Control) -> Result<usize> {
        let (n, nominal) = (self.rows.len(), self.objective.nominal_splits);
        let [cuts, levels] = count_test_columns(self.data, self.rows, nominal, control)?;
        let (leaves, [_, depth]) = self.objective.shape(self.limits, n);
        let threads = control.threads();
        let sets = 1 + depth.saturating_sub(2).min(8) as usize * threads;
        // Bytes per row and column: the rank, and in each set the order, mark, bucket, position and
        // weight.
        let weighed = if is_weighed || *self.weights != Weights::Unit { 8 } else { 0 };
        let [of_cut, of_level] = [4 + sets * (11 + weighed), 4 + sets * 7].map(|cell| n * cell);
        // Bytes per column: its description and its gaps, with some for each thread in two levels.
        let gaps = if leaves >> depth.min(31) == 0 { leaves as usize } else { 1 };
        let of_column = 200 + sets * (250 + 130 * gaps.min(n)) + 300 * threads;
        let of_gaps = 50 * threads * n.min(2 * LANES);
        // Bytes per row: the facts about it and, with several classes, the largest class of each
        // lane.
        let lanes = if self.data.n_classes() > 2 { 8 * LANES } else { 4 };
        let bytes = n * (80 + lanes * threads)
            + cuts.saturating_mul(of_cut + of_column + of_gaps)
            + levels.saturating_mul(of_level + of_column)
            + self.objective.leaf_losses.as_ref().map_or(0, |losses| 8 * losses.len());
        let remedy = match levels {
            0 => "give it that much, or take fewer rows or columns",
            _ => "give it that much, or take fewer rows, or nominal_splits='ordered'",
        };
        control.budget().admit("the search for an optimal tree", bytes, remedy)?;
        Ok(bytes)
    }

    /// The search of ranked rows with the weights that they hold. The leaf penalty is a share of
    /// the sum of these weights.
    pub(super) fn search<'s>(&'s self, ranked: &'s RankedRows) -> OptimalSearch<'s> {
        let total = match ranked.weights.is_empty() {
            true => ranked.len() as f64,
            false => ranked.weights.iter().sum(),
        };
        OptimalSearch {
            data: self.data,
            rows: self.rows,
            ranked,
            objective: self.objective,
            limits: self.limits,
            start: self.start,
            costs: self.costs.clone(),
            total,
            is_whole: ranked.weights.iter().all(|w| w.fract() == 0.0) && total <= MOST_COUNTED,
            opened: 0,
        }
    }
}

/// A question that a search can answer. The search chooses the type of the loss, and the question
/// runs with it.
pub(super) trait Question {
    type Found;

    /// Run the search with a loss.
    fn ask(
        &self,
        search: &OptimalSearch<'_>,
        loss: &dyn Loss,
        controls: Controls<'_>,
    ) -> Result<Self::Found>;
}

/// Asks for the best tree, with its plan.
pub(super) struct BestTree;

impl Question for BestTree {
    type Found = (Cheapest, Plan);

    fn ask(
        &self,
        search: &OptimalSearch<'_>,
        loss: &dyn Loss,
        controls: Controls<'_>,
    ) -> Result<Self::Found> {
        let leaf_penalty = search.objective.leaf_penalty * search.total;
        let resolves_ties = search.objective.ties == TieRule::First;
        let started = search.start(loss, resolves_ties, controls.ending)?;
        let Started { setting, set, depth, full_depth, leaves, is_integral } = &started;
        let (depth, leaves, tie) = (*depth, *leaves, setting.tie);
        let (start, is_timed) = (search.start, search.limits.time_limit.is_some());
        let growth = search.growth(setting)?;
        let task = Task { depth, leaves, resolves_ties, start, is_timed };
        let (answer, mut best) = search_by_levels(&growth, set, &task, controls)?;
        let (is_done, whole) = (answer.halted.is_none(), SetPart::whole(set));
        if is_done && resolves_ties && answer.best.plan.is_some() {
            match resolve_ties_below_root(setting, set, depth, &answer.best, controls.searching) {
                Err(Error::OutOfTime) => {}
                plan => best = complete_stumps(setting, whole, &plan?, controls.ending)?,
            }
        }
        let is_deepest = depth == *full_depth;
        if !is_deepest {
            best = grow_leaves_greedily(&growth, whole, &best.plan, *full_depth, controls.ending)?;
        }
        // Nothing is known about deeper trees, except that no loss is negative and that every tree
        // has a leaf.
        let is_proven = is_done && best.cost <= setting.cost_with_rounding(set, answer.best.cost);
        let lower = if is_deepest {
            (!is_proven).then_some(answer.lower_bound)
        } else {
            Some(leaf_penalty)
        };
        // The bound minus the most that the penalty for ties may have added to it. A whole cost is
        // at least the next whole number; 1e-6 forgives rounding.
        let lower = lower.map(|lower| {
            let ties = 2.0 * tie * f64::from(leaves.min(1 << depth.min(30)));
            let lower = (lower - ties).max(leaf_penalty);
            if *is_integral { (lower - 1e-6).ceil().max(leaf_penalty) + 0.0 } else { lower }
        });
        let opened = setting.nodes.opened.load(Ordering::Relaxed);
        Ok((search.write_tree(loss, &best.plan, lower, opened), best.plan))
    }
}

/// A search of ranked rows, and its input.
pub(super) struct OptimalSearch<'a> {
    data: &'a Dataset<'a>,
    /// The internal number of each ranked row.
    rows: &'a [u32],
    pub(super) ranked: &'a RankedRows,
    objective: &'a Objective,
    limits: &'a SearchLimits,
    /// When the call started.
    start: Instant,
    pub(super) costs: Option<CostMatrix>,
    /// Weight of all rows.
    pub(super) total: f64,
    /// Whether all weights are whole numbers.
    is_whole: bool,
    /// Search nodes opened by searches before this one, whose budget it shares.
    pub(super) opened: u64,
}

/// The input of the solver: the set of all rows, and the limits of its trees.
pub(super) struct Started<'a> {
    pub(super) setting: Setting<'a>,
    pub(super) set: SortedSet,
    /// The most levels that are searched in full.
    pub(super) depth: u32,
    /// The most levels of the tree, which may grow greedily below `depth`.
    full_depth: u32,
    /// The most leaves of the tree.
    pub(super) leaves: u32,
    /// Whether all costs are whole numbers, so that a bound may be rounded up.
    is_integral: bool,
}

impl OptimalSearch<'_> {
    /// The loss of the objective: by a list, by costs, or by a criterion.
    pub(super) fn additive_loss<C: Weight>(
        &self,
        criterion: Box<dyn Criterion>,
    ) -> AdditiveLoss<C> {
        let classes = self.ranked.classes;
        let (loss, rise, skips_runs) = match (&self.costs, &self.objective.leaf_losses) {
            (Some(costs), _) => {
                (LeafLoss::Costs(costs.clone()), LossRise::PerWeight(costs.largest()), true)
            }
            (None, Some(losses)) => {
                let stride = self.class_weight(1) + 1;
                // The most that one more row costs. The list has a line of `stride` losses for each
                // number of rows of the first class: one more row is the next loss, or that below.
                // A step from the end of a line to the next line is at most one of `stride`.
                let steps = |by: usize| losses.iter().zip(&losses[by..]).map(|(a, b)| b - a);
                let rise = steps(1).chain(steps(stride)).fold(0.0, f64::max);
                (LeafLoss::Listed(losses.clone(), stride), LossRise::PerWeight(rise), false)
            }
            (None, None) => {
                let (rise, convex) = (criterion.loss_rise(), criterion.info().convex);
                let skips_runs = convex || self.is_error(criterion.as_ref());
                let context = Context::new(classes, self.total as u64);
                (LeafLoss::Of(criterion, context), rise, skips_runs)
            }
        };
        AdditiveLoss { loss, rise, classes, skips_runs, weight: PhantomData }
    }

    /// Weight of the rows of a class, which must be whole.
    fn class_weight(&self, class: u8) -> usize {
        let rows = (0..self.ranked.len()).filter(|&row| self.ranked.class[row] == class);
        rows.map(|row| self.ranked.weight(row as u32) as usize).sum()
    }

    /// Number of features.
    pub(super) fn n_features(&self) -> usize {
        self.data.columns().len()
    }

    /// The value of a ranked row: a number, or the code of a level.
    pub(super) fn value(&self, feature: usize, row: u32) -> f64 {
        cell(&self.data.columns()[feature], self.rows[row as usize])
    }

    /// The values of the data that a test sends left. `around` are rows with the nearest values on
    /// both sides; none if all known values are on the left.
    pub(super) fn left_values(
        &self,
        column: &TestColumn,
        around: Option<(u32, u32)>,
    ) -> LeftValues {
        let all = || self.rows.iter().map(|&row| cell(&self.data.columns()[column.feature], row));
        let largest = || all().fold(f64::NEG_INFINITY, f64::max);
        let [below, above] = match around {
            Some((below, above)) => [below, above].map(|row| self.value(column.feature, row)),
            None => [largest(); 2],
        };
        match &column.asked {
            _ if self.is_number(column.feature) => LeftValues::UpTo(midpoint(below, above)),
            Asked::Levels(levels) if around.is_some() => LeftValues::Levels(levels.clone()),
            _ => LeftValues::Levels((0..=below as u32).collect()),
        }
    }

    /// Whether a feature is a number.
    pub(super) fn is_number(&self, feature: usize) -> bool {
        matches!(self.data.columns()[feature], Column::Numeric(_))
    }

    /// Ask a question with the cheapest loss that suits the rows: errors are counted in lanes of 16
    /// or 32 bits where that is exact, other losses are summed from whole or real weights.
    ///
    /// # Errors
    /// [`Error::Data`] if the list of losses does not suit the rows, and errors of the search.
    pub(super) fn ask<Q: Question>(
        &self,
        question: &Q,
        controls: Controls<'_>,
    ) -> Result<Q::Found> {
        let criterion = self.objective.criterion()?;
        if let Some(losses) = &self.objective.leaf_losses {
            let is_valid = self.is_whole
                && self.ranked.classes == 2
                && losses.len() == (self.class_weight(0) + 1) * (self.class_weight(1) + 1);
            if !is_valid {
                let reason = "leaf_losses must list two classes of whole weights".to_string();
                return Err(Error::Data(reason));
            }
        }
        // A count in whole numbers is also read as the number of rows of a leaf, so both must be
        // equal where leaves need several rows.
        let is_size = |row: u32| self.ranked.weight(row) == f64::from(self.ranked.size(row));
        let is_counted = self.is_error(criterion.as_ref())
            && self.is_whole
            && (self.objective.min_samples_leaf == 1 || (0..self.ranked.len() as u32).all(is_size));
        if is_counted {
            return if self.total <= f64::from(i16::MOST) {
                question.ask(self, &ErrorLoss::<i16>::new(self.ranked), controls)
            } else {
                question.ask(self, &ErrorLoss::<i32>::new(self.ranked), controls)
            };
        }
        if self.is_whole {
            question.ask(self, &self.additive_loss::<u32>(criterion), controls)
        } else {
            question.ask(self, &self.additive_loss::<f64>(criterion), controls)
        }
    }

    /// Whether the loss is the weight of the misclassified rows.
    fn is_error(&self, criterion: &dyn Criterion) -> bool {
        criterion.info().name == "accuracy"
            && self.costs.is_none()
            && self.objective.leaf_losses.is_none()
    }

    /// The solver's input for this search; `resolves_ties` says whether the first of several best
    /// trees is wanted.
    pub(super) fn start<'s>(
        &'s self,
        loss: &'s dyn Loss,
        resolves_ties: bool,
        control: &Control,
    ) -> Result<Started<'s>> {
        let (ranked, limits) = (self.ranked, self.limits);
        let leaf_penalty = self.objective.leaf_penalty * self.total;
        let is_error = self.is_error(self.objective.criterion()?.as_ref());
        let is_integral = self.is_whole && leaf_penalty.fract() == 0.0 && is_error;
        // The penalty for ties is a power of two, small beside the largest loss: whole losses stay
        // exact with 2^-50 of it, and real ones differ by rounding that is far below 2^-34 of it.
        let largest_loss = self.total * self.costs.as_ref().map_or(1.0, CostMatrix::largest);
        let digits = if is_integral { 50.0 } else { 34.0 };
        let step = f64::exp2(largest_loss.log2().ceil() - digits);
        let tie = if resolves_ties { step / 2.0 } else { 0.0 };
        let all: Vec<u32> = (0..ranked.len() as u32).collect();
        let min_rows = self.objective.min_samples_leaf.min(ranked.sizes(&all) as usize) as u32;
        let n_values = ranked.columns.iter().map(|column| column.end as usize).sum::<usize>();
        // With a limit on the rows of leaves there are two settings, which share the memory.
        let bytes = limits.memory.min(control.budget().left()) / if min_rows > 1 { 2 } else { 1 };
        let budget = limits.node_budget.unwrap_or(u64::MAX).into();
        let nodes = Arc::new(SearchNodes { opened: self.opened.into(), budget });
        let pool = Arc::new(Pool::default());
        let setting_of = |min_rows: u32, without_row_limit: Option<Box<Setting<'s>>>| Setting {
            rows: ranked,
            loss,
            penalty: leaf_penalty + 2.0 * tie,
            user_penalty: leaf_penalty,
            tie,
            min_rows,
            without_row_limit,
            solved: match n_values {
                ..=MOST_KEPT_VALUES => SolvedSets::new(ranked.len(), bytes),
                _ => SolvedSets::default(),
            },
            pool: pool.clone(),
            nodes: nodes.clone(),
            reported: 0.into(),
        };
        let without_row_limit = (min_rows > 1).then(|| Box::new(setting_of(1, None)));
        let setting = setting_of(min_rows, without_row_limit);
        let (leaves, [full_depth, depth]) = self.objective.shape(limits, ranked.len());
        let mut set = SortedSet::all(ranked, setting.mark_rule(), control)?;
        set.hash = setting.solved.hash(&all);
        Ok(Started { setting, set, depth, full_depth, leaves, is_integral })
    }

    /// The growth of greedy trees in a setting: by the criterion of the objective, and by gini.
    fn growth<'s, 'a>(&self, setting: &'s Setting<'a>) -> Result<GreedyGrowth<'s, 'a>> {
        let criterion = self.objective.criterion()?;
        let minimises_criterion = self.costs.is_none() && self.objective.leaf_losses.is_none();
        let is_gini = minimises_criterion && criterion.info().name == GINI;
        // Neither the error nor gini takes logarithms, so no table of them is needed.
        let most_rows = if self.is_error(criterion.as_ref()) { 0 } else { self.total as u64 };
        Ok(GreedyGrowth {
            setting,
            criterion: minimises_criterion.then_some(criterion),
            gini: if is_gini { None } else { Some(criteria::make(GINI, Map::new())?) },
            context: Context::new(self.ranked.classes, most_rows),
            is_whole: self.is_whole,
        })
    }

    /// The tree of a plan whose tests are all known, as a model has it, with its cost. `lower` is a
    /// lower bound of the cost of all trees; none if the tree is proven to be optimal.
    pub(super) fn write_tree(
        &self,
        loss: &dyn Loss,
        plan: &Plan,
        lower: Option<f64>,
        opened: u64,
    ) -> Cheapest {
        let ranked = self.ranked;
        let all: Vec<u32> = (0..ranked.len() as u32).collect();
        let (mut cost, mut leaves, mut errors) = (0.0, 0.0, 0.0);
        let tree = write_tree(self.data.n_classes(), (all, plan), |(rows, plan)| {
            let counts = ranked.counts(&rows);
            let label = match &self.costs {
                Some(costs) => costs.label(&counts),
                None => majority(&counts),
            };
            let test = match plan {
                Plan::Split(split) => Some(self.write_test(&rows, split)),
                Plan::Stump(_) => {
                    cost += loss.leaf(&counts);
                    leaves += 1.0;
                    errors += counts.iter().sum::<f64>() - counts[label];
                    None
                }
            };
            WrittenNode { label: label as i32, counts, rows: ranked.sizes(&rows), test }
        });
        let objective = cost / self.total + self.objective.leaf_penalty * leaves;
        let lower = lower.map_or(objective, |lower| (lower / self.total).min(objective));
        Cheapest { tree, objective, lower, errors, opened }
    }

    /// The first test of a plan for some rows, with the rows and the plans of both sides.
    fn write_test<'p>(
        &self,
        rows: &[u32],
        PlanSplit { test, left, right }: &'p PlanSplit,
    ) -> WrittenTest<(Vec<u32>, &'p Plan)> {
        let column = &self.ranked.columns[test.column as usize];
        let is_left = |row: &u32| column.ranks[*row as usize] < test.below;
        let (on_left, on_right): (Vec<u32>, Vec<u32>) = rows.iter().partition(|row| is_left(row));
        // Known values next to the threshold.
        let rank = |row: &&u32| column.ranks[**row as usize];
        let is_known = |row: &&u32| rank(row) > 0 && rank(row) < column.end;
        let below = on_left.iter().filter(is_known).max_by_key(rank).copied();
        let above = on_right.iter().filter(is_known).min_by_key(rank).copied();
        let has_missing = !rows.iter().all(|row| is_known(&row));
        WrittenTest {
            feature: column.feature,
            left_values: self.left_values(column, below.zip(above)),
            missing: has_missing.then_some(u32::from(column.missing_right)),
            counts: [self.ranked.counts(&on_left), self.ranked.counts(&on_right)],
            sides: [(on_left, left), (on_right, right)],
        }
    }
}

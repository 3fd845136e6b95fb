//! The complexity penalty `ccp_alpha` of a leaf, chosen by cross-validation (Breiman, Friedman,
//! Olshen & Stone, CART, 1984, section 3.4).
//!
//! Cost-complexity pruning of the tree of all rows gives alphas `a_0 = 0 < a_1 < ...`; its k-th
//! pruned tree is best from `a_k` to `a_(k+1)` and is represented by `sqrt(a_k a_(k+1))`, the last
//! one, the root alone, by an alpha that cuts every split. For every fold a tree is grown on the
//! other folds, pruned at each of these alphas, and applied to the rows of the fold. `R_k` is the
//! mean cost over all rows (1 per error, or from the cost matrix; of a numeric target the squared
//! error, or the loss that the criterion's impurity averages, see [`Criterion::row_loss`]), with
//! standard error `sqrt((mean c^2 - R_k^2) / n)`. The rule "min" takes the smallest `R_k` (on ties
//! the largest alpha), "1se" the largest alpha with `R_k` at most the smallest one plus its
//! standard error.
//!
//! Folds are stratified by class (those of a numeric target are not) and depend on the seed and on
//! the order of the rows. A fold's tree is traversed once per row for all alphas; trees that send
//! fractions of rows down several branches are traversed once per row and alpha.
//!
//! When not to use it: with few rows per class, and, for the rule "1se", where accuracy matters
//! more than the size of the tree.

use crate::criteria::{Criterion, Impurity};
use crate::data::{Dataset, RowSet, Weights};
use crate::error::Result;
use crate::fit::{FitPlan, FitRows, Fitted};
use crate::model::Model;
use crate::numeric::mix;
use crate::parallel::{self, Control};
use crate::predict::{CompiledTree, Predictor};
use crate::prune::{AlphaRule, cost_complexity};
use crate::tree::{CostMatrix, NONE, Tree};
use std::ops::Range;

/// How an alpha was chosen. The lists have one entry per pruned tree, from the whole tree to the
/// root alone.
#[derive(Debug, Clone, PartialEq)]
pub struct AlphaChoice {
    /// Alphas at which the pruned trees become best.
    pub alphas: Vec<f64>,
    /// Leaves with training rows.
    pub leaves: Vec<u32>,
    /// Splits.
    pub splits: Vec<u32>,
    /// `R` of the trees, on the training rows.
    pub impurities: Vec<f64>,
    /// Cross-validated mean costs.
    pub errors: Vec<f64>,
    /// Standard errors of these costs.
    pub deviations: Vec<f64>,
    /// Number of the chosen tree.
    pub chosen: usize,
}

/// Fit a tree; if the plan leaves the complexity penalty open, choose it first and return how.
pub fn fit(
    plan: &FitPlan,
    rows: FitRows<'_>,
    control: &Control,
) -> Result<(Fitted, Option<AlphaChoice>)> {
    match rows {
        FitRows::Codes(coded) => Ok((plan.fit_records(*coded, control)?, None)),
        FitRows::Encoded(data, rows, weights) => {
            plan.on_counted_rows(data, &rows, &weights, |data, rows, weights| {
                fit_counted(plan, data, rows, weights, control)
            })
        }
    }
}

/// [`fit`] on rows whose weights are already those that growth uses.
pub(super) fn fit_counted(
    plan: &FitPlan,
    data: &Dataset,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<(Fitted, Option<AlphaChoice>)> {
    let Some(rule) = plan.alpha_rule() else {
        return Ok((plan.fit(data, rows, weights, control)?, None));
    };
    let rows = plan.training_rows(data, rows, weights)?;
    let Fitted { model: grown, reason, .. } = plan.grow(data, &rows, weights, control)?;
    let costs = plan.costs(data.n_classes())?;
    let path =
        cost_complexity::path_by_cost(&grown.tree, plan.impurity(), costs.as_ref(), control)?;
    let mut choice = AlphaChoice::of(&path);
    cross_validate(plan, rule, data, &rows, weights, control, &mut choice)?;
    let alpha = choice.representative(choice.chosen);
    let (model, account) = plan.prune_at(grown, alpha, control)?;
    Ok((Fitted { model, account, reason }, Some(choice)))
}

impl AlphaChoice {
    /// The trees of a path before one is chosen. Alphas that differ by rounding only are taken as
    /// one. Links with `g = 0` are cut only at positive alphas, so the first entry stays the whole
    /// tree.
    pub fn of(path: &cost_complexity::Path) -> Self {
        let rounding = 1e-12 * path.impurities.iter().copied().fold(0.0, f64::max);
        let (mut alphas, mut trees): (Vec<f64>, Vec<usize>) = (Vec::new(), Vec::new());
        for (tree, &alpha) in path.alphas.iter().enumerate() {
            match (alphas.last_mut(), trees.last_mut()) {
                (Some(last), Some(last_tree)) if alpha <= *last + rounding => {
                    if *last > 0.0 {
                        (*last, *last_tree) = (alpha.max(*last), tree);
                    }
                }
                _ => {
                    alphas.push(alpha);
                    trees.push(tree);
                }
            }
        }
        Self {
            alphas,
            leaves: trees.iter().map(|&tree| path.leaves[tree]).collect(),
            splits: trees.iter().map(|&tree| path.splits[tree]).collect(),
            impurities: trees.iter().map(|&tree| path.impurities[tree]).collect(),
            errors: Vec::new(),
            deviations: Vec::new(),
            chosen: 0,
        }
    }

    /// The alpha that represents the k-th tree: the geometric mean of the range in which it is
    /// best.
    pub fn representative(&self, k: usize) -> f64 {
        match self.alphas.get(k + 1) {
            Some(next) => (self.alphas[k] * next).sqrt(),
            None => self.alphas[k],
        }
    }
}

/// Sums over rows, one entry per alpha.
struct CostSums {
    /// Weight times cost.
    costs: Vec<f64>,
    /// Weight times squared cost.
    squares: Vec<f64>,
}

impl CostSums {
    fn zeros(n: usize) -> Self {
        Self { costs: vec![0.0; n], squares: vec![0.0; n] }
    }

    /// Add the cost of a row at one alpha.
    fn add(&mut self, i: usize, weight: f64, cost: f64) {
        self.costs[i] += weight * cost;
        self.squares[i] += weight * cost * cost;
    }
}

/// Cross-validate the trees of a choice, and choose one by the rule.
fn cross_validate(
    plan: &FitPlan,
    rule: &AlphaRule,
    data: &Dataset,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
    choice: &mut AlphaChoice,
) -> Result<()> {
    let n_alphas = choice.alphas.len();
    let mut alphas: Vec<f64> = (0..n_alphas).map(|k| choice.representative(k)).collect();
    // The last tree is best at any larger alpha, so its range has no middle.
    if let Some(last) = alphas.last_mut().filter(|last| **last > 0.0) {
        *last = f64::MAX;
    }
    let folds = stratified_folds(data, rows.rows(), rule.folds.min(rows.len()), rule.seed);
    let serial = control.serial().quiet();
    // A single fold leaves no rows to grow on; every cost is then 0.
    let n_folds = if folds.len() < 2 { 0 } else { folds.len() };
    let by_fold = parallel::map(control, n_folds, |fold| {
        let others = folds.iter().enumerate().filter(|(other, _)| *other != fold);
        let train: Vec<u32> = others.flat_map(|(_, rows)| rows.iter().copied()).collect();
        let grown = plan.grow(data, &RowSet::of(train, data.len()), weights, &serial)?.model;
        let fold = &folds[fold];
        let sums = cost_sums(plan, &grown, &alphas, data, fold, weights, &serial)?;
        Ok((sums, fold.iter().map(|&row| weights.value(row)).sum::<f64>()))
    })?;
    // Sums over the folds in their order, so that results do not depend on threads.
    let (mut sums, mut total) = (CostSums::zeros(n_alphas), 0.0);
    for (of_fold, weight) in by_fold {
        sums.costs.iter_mut().zip(of_fold.costs).for_each(|(sum, cost)| *sum += cost);
        sums.squares.iter_mut().zip(of_fold.squares).for_each(|(sum, square)| *sum += square);
        total += weight;
    }
    let total: f64 = if total > 0.0 { total } else { 1.0 };
    choice.errors = sums.costs.iter().map(|sum| sum / total).collect();
    choice.deviations = (0..n_alphas)
        .map(|k| ((sums.squares[k] / total - choice.errors[k].powi(2)).max(0.0) / total).sqrt())
        .collect();
    // From the largest alpha down, so that it wins ties.
    let best = (0..n_alphas)
        .rev()
        .min_by(|&a, &b| choice.errors[a].total_cmp(&choice.errors[b]))
        .unwrap_or(0);
    let allowed = choice.errors[best] + if rule.one_se { choice.deviations[best] } else { 0.0 };
    choice.chosen = (0..n_alphas).rev().find(|&k| choice.errors[k] <= allowed).unwrap_or(best);
    Ok(())
}

/// The alpha at which each node becomes a leaf, infinite if it never does.
fn cut_alphas(
    plan: &FitPlan,
    tree: &Tree,
    costs: Option<&CostMatrix>,
    control: &Control,
) -> Result<Vec<f64>> {
    let path = cost_complexity::path_by_cost(tree, plan.impurity(), costs, control)?;
    let mut cut_at = vec![f64::INFINITY; tree.nodes.len()];
    // Alphas that fall by rounding are raised to the last one.
    let mut largest: f64 = 0.0;
    for (&alpha, &node) in path.alphas.iter().zip(&path.nodes).skip(1) {
        largest = largest.max(alpha);
        cut_at[node as usize] = largest;
    }
    Ok(cut_at)
}

/// What the rows of a data set cost by what a tree answers.
struct RowCosts<'a> {
    data: &'a Dataset,
    matrix: Option<CostMatrix>,
    /// The criterion whose loss is the cost of a number; `None`: the squared error.
    criterion: Option<&'a dyn Criterion>,
}

impl<'a> RowCosts<'a> {
    fn new(plan: &'a FitPlan, data: &'a Dataset) -> Result<Self> {
        let by_criterion = plan.impurity() == Impurity::Criterion;
        let criterion = by_criterion.then(|| plan.criterion());
        Ok(Self { data, matrix: plan.costs(data.n_classes())?, criterion })
    }

    /// The cost of a row that is given a label, or a number where the target is one.
    fn of(&self, row: u32, label: i32, number: f64) -> f64 {
        let class = self.data.classes()[row as usize] as usize;
        match (self.data.target(), &self.matrix, self.criterion) {
            (Some(target), _, None) => (target.value(row) - number).powi(2),
            (Some(target), _, Some(criterion)) => criterion.row_loss(target.value(row), number),
            (None, Some(matrix), _) => matrix.one(class, label),
            (None, None, _) => f64::from(u8::from(label != class as i32)),
        }
    }

    /// The cost of a row that ends in a node.
    fn of_node(&self, row: u32, tree: &Tree, node: usize) -> f64 {
        let number = tree.outcome(node).map_or(0.0, |outcome| outcome.value);
        self.of(row, tree.nodes[node].label, number)
    }
}

/// Sums of the costs of some rows under a grown tree, pruned at each of the alphas.
fn cost_sums(
    plan: &FitPlan,
    grown: &Model,
    alphas: &[f64],
    data: &Dataset,
    rows: &[u32],
    weights: &Weights,
    control: &Control,
) -> Result<CostSums> {
    let costs = RowCosts::new(plan, data)?;
    // Fractions of rows: the pruned trees predict, one after the other.
    if grown.tree.is_shared() {
        let mut sums = CostSums::zeros(alphas.len());
        for (i, &alpha) in alphas.iter().enumerate() {
            control.check()?;
            let (model, _) = plan.prune_at(grown.clone(), alpha, control)?;
            let predictor = Predictor::new(&model)?;
            let mut probabilities = vec![0.0; data.n_classes()];
            for &row in rows {
                let end = predictor.tree.end(data, row as usize);
                let label = predictor.answer(data, row as usize, end, &mut probabilities);
                let cost = costs.of(row, label, probabilities[0]);
                sums.add(i, weights.value(row), cost);
            }
        }
        return Ok(sums);
    }
    // Whole rows: the path of a row in the whole tree gives its last node at every alpha. It holds
    // for a range of alphas, so the cost is added at the start of the range and subtracted at its
    // end; running sums then give the sums at each alpha.
    let cut_at = cut_alphas(plan, &grown.tree, costs.matrix.as_ref(), control)?;
    let compiled = CompiledTree::new(&grown.tree, &grown.schema)?;
    let mut path = Vec::new();
    let mut changes = CostSums::zeros(alphas.len() + 1);
    for (i, &row) in rows.iter().enumerate() {
        if i % 1024 == 0 {
            control.check()?;
        }
        path.clear();
        compiled.path(data, row as usize, &mut path);
        ends_by_alpha(&grown.tree, &cut_at, alphas, &path, |range, node| {
            let (weight, cost) = (weights.value(row), costs.of_node(row, &grown.tree, node));
            changes.add(range.start, weight, cost);
            changes.add(range.end, -weight, cost);
        });
    }
    for sums in [&mut changes.costs, &mut changes.squares] {
        (1..sums.len()).for_each(|i| sums[i] += sums[i - 1]);
        sums.pop();
    }
    Ok(changes)
}

/// The nodes in which a row ends at the ascending alphas: `take` gets ranges of their indices, in
/// order, with the node. `path` lists the nodes that the row passes, `cut_at` the alpha at which
/// each node becomes a leaf.
fn ends_by_alpha(
    tree: &Tree,
    cut_at: &[f64],
    alphas: &[f64],
    path: &[u32],
    mut take: impl FnMut(Range<usize>, usize),
) {
    debug_assert!(path.first().is_some_and(|&root| tree.nodes[root as usize].parent == NONE));
    // Nothing is pruned at alpha 0.
    let n_zero = alphas.partition_point(|&alpha| alpha <= 0.0);
    // The row ends in `path[end]` from `alphas[from]` on, until a node above is cut.
    let (mut end, mut from) = (path.len() - 1, 0);
    while from < alphas.len() {
        let above = path[..end].iter().map(|&node| cut_at[node as usize]);
        let next_cut = above.fold(f64::INFINITY, f64::min);
        let to = alphas.partition_point(|&alpha| alpha < next_cut).max(n_zero);
        take(from..to.max(from), path[end] as usize);
        if to >= alphas.len() {
            return;
        }
        // The topmost node that is a leaf at the next alpha.
        let is_cut = |&node: &u32| cut_at[node as usize] <= alphas[to];
        end = path[..end].iter().position(is_cut).unwrap_or(end);
        from = to;
    }
}

/// The rows of each fold, stratified by class; within a class the order is drawn from the seed and
/// the rows' places in the caller's order.
fn stratified_folds(data: &Dataset, rows: &[u32], folds: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut in_order = rows.to_vec();
    in_order.sort_unstable_by_key(|&row| data.original()[row as usize]);
    let mut keys: Vec<(u16, u64, u32)> = in_order
        .into_iter()
        .enumerate()
        .map(|(place, row)| (data.classes()[row as usize], mix(seed, place as u64), row))
        .collect();
    keys.sort_unstable();
    // Deal the sorted rows to the folds in turn.
    let mut rows_of_fold = vec![Vec::new(); folds];
    for (i, (_, _, row)) in keys.into_iter().enumerate() {
        rows_of_fold[i % folds].push(row);
    }
    rows_of_fold
}

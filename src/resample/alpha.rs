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
//! the order of the rows. Each node of a fold's tree becomes a leaf at one of the alphas, so the
//! tree is traversed once per row for all of them: a node gives the answer from there on, until one
//! above it is a leaf. Costs are added where such a range begins and subtracted where it ends, and
//! running sums over the alphas give every `R_k`. The sums are exact ([`ExactSum`]), so that trees
//! of equal cost tie. O(nodes log nodes) per fold and O(depth) per row, or, for a row in fractions,
//! O(v log v) with v nodes visited.
//!
//! When not to use it: with few rows per class, and, for the rule "1se", where accuracy matters
//! more than the size of the tree.

use crate::criteria::{Criterion, Impurity};
use crate::data::{Dataset, RowSet, Weights};
use crate::error::Result;
use crate::fit::{FitPlan, FitRows, Fitted};
use crate::model::Model;
use crate::numeric::{ExactSum, mix, sort_few};
use crate::parallel::{self, Control};
use crate::predict::{CompiledTree, label_of_mixture};
use crate::prune::{AlphaRule, cost_complexity};
use crate::tree::{CostMatrix, Tree};
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
            plan.on_counted_rows(&data, &rows, &weights, |data, rows, weights| {
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
    // Progress is counted in trees.
    control.expect(1 + rule.folds.min(rows.len()) as u64);
    let Fitted { model: grown, reason, .. } = plan.grow(data, &rows, weights, &control.quiet())?;
    control.advance(1);
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

/// Sums over rows of what they cost, as changes from each alpha to the next.
struct CostSums {
    /// Weight times cost.
    costs: Vec<ExactSum>,
    /// Weight times squared cost.
    squares: Vec<ExactSum>,
}

impl CostSums {
    fn zeros(n_alphas: usize) -> Self {
        let zeros = vec![ExactSum::default(); n_alphas + 1];
        Self { costs: zeros.clone(), squares: zeros }
    }

    /// Add the cost of a row to the sums of a range of alphas.
    fn add(&mut self, alphas: Range<usize>, weight: f64, cost: f64) {
        for (at, weight) in [(alphas.start, weight), (alphas.end, -weight)] {
            self.costs[at].add_product(weight, cost);
            self.squares[at].add_product(weight * cost, cost);
        }
    }
}

/// The running sums over the alphas, added over the folds.
fn running_sums<'a>(folds: impl Iterator<Item = &'a [ExactSum]> + Clone, n: usize) -> Vec<f64> {
    let mut sum = ExactSum::default();
    let at = |alpha: usize| {
        folds.clone().for_each(|fold| fold[alpha].parts().iter().for_each(|&x| sum.add(x)));
        sum.value()
    };
    (0..n).map(at).collect()
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
    let by_fold = parallel::map(control, n_folds, &|fold| {
        let mut train = Vec::with_capacity(data.len());
        for (_, rows) in folds.iter().enumerate().filter(|(other, _)| *other != fold) {
            train.extend_from_slice(rows);
        }
        let grown = plan.grow(data, &RowSet::of(train, data.len()), weights, &serial)?.model;
        let sums = cost_sums(plan, grown, &alphas, data, &folds[fold], weights, &serial);
        control.advance(1);
        sums
    })?;
    let total: f64 = folds.iter().flatten().map(|&row| weights.value(row)).sum();
    let total = if total > 0.0 { total } else { 1.0 };
    let costs = running_sums(by_fold.iter().map(|fold| &fold.costs[..]), n_alphas);
    let squares = running_sums(by_fold.iter().map(|fold| &fold.squares[..]), n_alphas);
    choice.errors = costs.iter().map(|sum| sum / total).collect();
    choice.deviations = (0..n_alphas)
        .map(|k| ((squares[k] / total - choice.errors[k].powi(2)).max(0.0) / total).sqrt())
        .collect();
    // The largest alpha of those whose costs are within a limit.
    let last_within = |limit| (0..n_alphas).rev().find(|&k| choice.errors[k] <= limit).unwrap_or(0);
    // Costs that differ by rounding only are equal.
    let smallest = choice.errors.iter().copied().fold(f64::INFINITY, f64::min) * (1.0 + 1e-12);
    let best = last_within(smallest);
    let deviation = if rule.one_se { choice.deviations[best] } else { 0.0 };
    choice.chosen = last_within(smallest + deviation);
    Ok(())
}

/// The number of the first of the ascending alphas at which each node is a leaf; that of the last
/// plus 1 if it never is.
fn leaf_from(
    plan: &FitPlan,
    tree: &Tree,
    costs: Option<&CostMatrix>,
    alphas: &[f64],
    control: &Control,
) -> Result<Vec<usize>> {
    let path = cost_complexity::path_by_cost(tree, plan.impurity(), costs, control)?;
    let first_at = |node| if tree.is_leaf(node) { 0 } else { alphas.len() };
    let mut from: Vec<usize> = (0..tree.nodes.len()).map(first_at).collect();
    // Nothing is pruned at alpha 0. Alphas that fall by rounding are raised to the last one.
    let mut first = alphas.partition_point(|&alpha| alpha <= 0.0);
    for (&cut_at, &node) in path.alphas.iter().zip(&path.nodes).skip(1) {
        first = first.max(alphas.partition_point(|&alpha| alpha < cut_at));
        from[node as usize] = first;
    }
    Ok(from)
}

/// What the rows of a data set cost by what a tree answers.
struct RowCosts<'a> {
    data: &'a Dataset<'a>,
    matrix: Option<CostMatrix>,
    /// The criterion whose loss is the cost of a number; `None`: the squared error.
    criterion: Option<&'a dyn Criterion>,
}

impl<'a> RowCosts<'a> {
    fn new(plan: &'a FitPlan, data: &'a Dataset<'a>) -> Result<Self> {
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
            (None, Some(matrix), _) => matrix.of_row(class, label),
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
    grown: Model,
    alphas: &[f64],
    data: &Dataset,
    rows: &[u32],
    weights: &Weights,
    control: &Control,
) -> Result<CostSums> {
    let costs = RowCosts::new(plan, data)?;
    let model = plan.before_cuts(grown, control)?;
    let tree = &model.tree;
    let leaf_from = leaf_from(plan, tree, costs.matrix.as_ref(), alphas, control)?;
    let compiled = CompiledTree::new(tree, &model.schema)?;
    let mut sums = CostSums::zeros(alphas.len());
    // The first alpha at which a visited node or one above it is a leaf.
    let mut ended = vec![alphas.len(); tree.nodes.len()];
    // Changes of the mixture that answers for a row: alpha, node, fraction of the row.
    let mut changes: Vec<(usize, u32, f64)> = Vec::new();
    let mut probabilities = vec![0.0; data.n_classes()];
    for &row in rows {
        control.check()?;
        let weight = weights.value(row);
        let whole_until = compiled.last_node(data, row as usize);
        compiled.spread(data, row as usize, 0, &mut |node, fraction, _| {
            let above = tree.nodes[node as usize].parent;
            let to = ended.get(above as usize).map_or(alphas.len(), |&end| end);
            let from = leaf_from[node as usize];
            ended[node as usize] = from.min(to);
            if from >= to {
                return;
            }
            if node <= whole_until {
                sums.add(from..to, weight, costs.of_node(row, tree, node as usize));
            } else {
                changes.extend([(from, node, fraction), (to, node, -fraction)]);
            }
        });
        // Below the node where its fractions part, a row gets the mean of their answers.
        sort_few(&mut changes, &|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        let mut mixture = vec![ExactSum::default(); data.n_classes()];
        for (i, &(alpha, node, fraction)) in changes.iter().enumerate() {
            model.probabilities(node as usize, &mut probabilities);
            mixture
                .iter_mut()
                .zip(&probabilities)
                .for_each(|(sum, p)| sum.add_product(fraction, *p));
            let Some(&(next, ..)) = changes.get(i + 1) else { break };
            if alpha < next {
                probabilities.iter_mut().zip(&mixture).for_each(|(p, sum)| *p = sum.value());
                let label = label_of_mixture(&mut probabilities);
                sums.add(alpha..next, weight, costs.of(row, label, probabilities[0]));
            }
        }
        changes.clear();
    }
    Ok(sums)
}

/// The rows of each fold, stratified by class; within a class the order is drawn from the seed and
/// the rows' places in the caller's order.
fn stratified_folds(data: &Dataset, rows: &[u32], folds: usize, seed: u64) -> Vec<Vec<u32>> {
    let in_order = data.in_original_order(rows);
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

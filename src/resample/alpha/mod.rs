//! The complexity penalty `ccp_alpha` of a leaf, chosen by cross-validation (Breiman, Friedman,
//! Olshen & Stone, CART, 1984, section 3.4).
//!
//! Cost-complexity pruning of the tree of all rows gives alphas `a_0 = 0 < a_1 < ...`; its k-th
//! pruned tree is best from `a_k` to `a_(k+1)` and is represented by `sqrt(a_k a_(k+1))`, the last
//! one, the root alone, by an alpha that cuts every split. For every fold a tree is grown on the
//! other folds, pruned at each of these alphas, and applied to the rows of the fold. `R_k` is the
//! mean cost over all rows (1 per error, or from the cost matrix; of a numeric target the squared
//! error, or the loss that the criterion's impurity averages, see
//! [`crate::criteria::Criterion::row_loss`]), with standard error `sqrt((mean c^2 - R_k^2) / n)`.
//! The rule "min" takes the smallest `R_k` (among equal ones the largest alpha), "1se" the largest
//! alpha with `R_k` at most the smallest one plus its standard error.
//!
//! For example, a tree of four leaves whose alphas are 0, 0.01 and 0.04 gives three pruned trees,
//! say of 4, 3 and 1 leaves. They are represented by `sqrt(0 x 0.01) = 0`, by
//! `sqrt(0.01 x 0.04) = 0.02`, and by an alpha that cuts every split. If their cross-validated
//! error rates are 0.19, 0.18 and 0.20, the second one with a standard error of 0.03, then "min"
//! takes the tree of 3 leaves, and "1se" the root alone, because 0.20 is at most 0.18 + 0.03.
//!
//! Folds are stratified by class (not for a numeric target) and depend on the seed and on the order
//! of the rows. A tree is traversed once per row for all alphas ([`costs`]), and sums are exact
//! ([`ExactSum`]), so that trees of equal cost tie. O(nodes log nodes) per fold and O(depth) per
//! row, or, for a row in fractions, O(v log v) with v nodes visited.
//!
//! When not to use it: with few rows per class, and, for the rule "1se", where accuracy matters
//! more than the size of the tree.

mod choice;
mod costs;

pub use choice::AlphaChoice;

use crate::data::{Dataset, RowSet, Weights};
use crate::error::Result;
use crate::fit::{FitPlan, FitRows, Fitted};
use crate::numeric::{ExactSum, mix};
use crate::parallel::{self, Control};
use crate::prune::cost_complexity;
use costs::{CostSums, PruningTrial};

/// Fit a tree; if the plan leaves the complexity penalty open, choose it first and return how.
///
/// # Errors
/// Returns an error if the plan cannot be fitted to the rows, or
/// [`crate::error::Error::Cancelled`].
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

/// [`fit`] on encoded rows whose weights are already in the form that growth uses. Cross-validation
/// calls it for every fold, whose rows are counted already.
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
    let folds = stratified_folds(data, rows.rows(), rule.folds.min(rows.len()), rule.seed);
    // Progress is counted in trees.
    control.set_total(1 + folds.len() as u64);
    let Fitted { model: grown, reason, .. } = plan.grow(data, &rows, weights, &control.quiet())?;
    control.advance(1);
    let costs = plan.costs(data.n_classes())?;
    let path = cost_complexity::path(&grown.tree, plan.impurity(), costs.as_ref(), control)?;
    let mut choice = AlphaChoice::new(&path);
    let alphas = choice.cross_validated_alphas();
    let trial = PruningTrial { plan, data, weights, alphas: &alphas };
    let (errors, deviations) = cross_validate(&trial, &folds, control)?;
    choice.choose(errors, deviations, rule.one_se);
    let alpha = choice.representative(choice.chosen);
    let (model, account) = plan.prune_at(grown, alpha, control)?;
    Ok((Fitted { model, account, reason }, Some(choice)))
}

/// The cross-validated mean cost at each alpha, and its standard error. `folds` has the rows of
/// each fold, which together are the training rows.
fn cross_validate(
    trial: &PruningTrial<'_>,
    folds: &[Vec<u32>],
    control: &Control,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let PruningTrial { plan, data, weights, alphas } = *trial;
    let serial = control.serial().quiet();
    // A single fold leaves no rows to grow on; every cost is then 0.
    let n_folds = if folds.len() < 2 { 0 } else { folds.len() };
    let sums_of_folds = parallel::map(control, n_folds, &|fold| {
        let mut train = Vec::with_capacity(data.len());
        for (_, rows) in folds.iter().enumerate().filter(|(other, _)| *other != fold) {
            train.extend_from_slice(rows);
        }
        let grown = plan.grow(data, &RowSet::new(train, data.len()), weights, &serial)?.model;
        let sums = trial.cost_sums(grown, &folds[fold], &serial);
        control.advance(1);
        sums
    })?;
    let total: f64 = folds.iter().flatten().map(|&row| weights.value(row)).sum();
    let total = if total > 0.0 { total } else { 1.0 };
    let costs = running_sums(&sums_of_folds, |sums| &sums.costs, alphas.len());
    let squares = running_sums(&sums_of_folds, |sums| &sums.squares, alphas.len());
    let errors: Vec<f64> = costs.iter().map(|sum| sum / total).collect();
    let deviation =
        |(error, squares): (&f64, f64)| ((squares / total - error.powi(2)).max(0.0) / total).sqrt();
    let deviations = errors.iter().zip(squares).map(deviation).collect();
    Ok((errors, deviations))
}

/// The sums at each alpha, over all folds, from their changes between alphas; `changes` chooses
/// costs or squared costs.
fn running_sums(
    sums_of_folds: &[CostSums],
    changes: impl Fn(&CostSums) -> &[ExactSum],
    n_alphas: usize,
) -> Vec<f64> {
    let mut sum = ExactSum::default();
    let mut sums = Vec::with_capacity(n_alphas);
    for alpha in 0..n_alphas {
        for fold in sums_of_folds {
            changes(fold)[alpha].parts().iter().for_each(|&part| sum.add(part));
        }
        sums.push(sum.value());
    }
    sums
}

/// The rows of each fold, stratified by class. Within a class, rows are shuffled by a hash of the
/// seed and of their position in the caller's order.
fn stratified_folds(data: &Dataset, rows: &[u32], n_folds: usize, seed: u64) -> Vec<Vec<u32>> {
    let in_order = data.in_original_order(rows);
    let mut keys: Vec<(u16, u64, u32)> = in_order
        .into_iter()
        .enumerate()
        .map(|(position, row)| (data.classes()[row as usize], mix(seed, position as u64), row))
        .collect();
    keys.sort_unstable();
    // Deal the sorted rows to the folds in turn.
    let mut rows_of_fold = vec![Vec::new(); n_folds];
    for (i, (_, _, row)) in keys.into_iter().enumerate() {
        rows_of_fold[i % n_folds].push(row);
    }
    rows_of_fold
}

//! Cross-validation of fits, the choice of `ccp_alpha` by it, and the importance of
//! features on out-of-bag rows.
//!
//! [`cross_validate`] fits every plan on every fold in one call. Columns are sorted once for the
//! whole data set, and each fold filters the sorted orders. Folds run in parallel; the fits of one
//! fold are serial, so that results do not depend on the number of threads. O(plans x folds) fits,
//! minus the work that plans and folds share ([`crate::fit::Common`], [`roots`]).

pub mod alpha;
mod permutation;
mod roots;
mod unbiased;

pub use roots::Fold;

use crate::data::{Dataset, RowSet, Weights};
use crate::error::{Error, Result};
use crate::fit::{Common, FitPlan};
use crate::grow::forest::BootstrapSampler;
use crate::model::{Forest, Model};
use crate::parallel::{self, Control};
use crate::predict::Predictor;
use crate::stats::pairs::plan::KEPT_BYTES;
use crate::tree::Shape;
use std::collections::HashSet;

/// The result of one plan on one fold.
#[derive(Debug, Clone)]
pub struct FoldResult {
    /// Class codes of the test rows, -1 = unclassified.
    pub predictions: Vec<i32>,
    /// Probabilities `[test row * classes + class]`; empty if they were not requested.
    pub probabilities: Vec<f64>,
    /// Size of the tree.
    pub shape: Shape,
}

/// The trees of a forest, each with the rows that its bootstrap sample does not hold.
#[derive(Debug, Clone, Copy)]
pub struct OutOfBagRows<'a> {
    /// The trees, and the seeds of their samples.
    pub forest: &'a Forest,
    /// The rows of the fit.
    pub data: &'a Dataset<'a>,
    /// The weights of the rows.
    pub weights: &'a Weights,
    /// The sampler that drew the samples.
    pub sampler: &'a BootstrapSampler,
    /// Size of each sample.
    pub draws: usize,
}

impl OutOfBagRows<'_> {
    /// A number per tree and feature, `numbers[tree * features + feature]`; NaN for a tree without
    /// out-of-bag rows. `of_features` computes the numbers of a tree from its number, its
    /// out-of-bag rows and their weight.
    fn map_trees(
        &self,
        control: &Control,
        of_features: impl Fn(usize, &[u32], f64) -> Result<Vec<f64>> + Sync,
    ) -> Result<Vec<f64>> {
        let by_tree = parallel::map(control, self.forest.trees.len(), &|t| {
            let rows = self.sampler.out_of_bag(self.forest.seeds[t], self.draws);
            let total: f64 = rows.iter().map(|&r| self.weights.value(r)).sum();
            if total <= 0.0 {
                return Ok(vec![f64::NAN; self.data.columns().len()]);
            }
            let numbers = of_features(t, &rows, total)?;
            control.advance(1);
            Ok(numbers)
        })?;
        Ok(by_tree.concat())
    }
}

/// Fit every plan on every fold: `outcomes[plan * folds + fold]`, with probabilities if these are
/// asked for.
///
/// # Errors
/// Returns the errors of the fits, an error for row numbers of a fold that do not exist, or
/// [`Error::Cancelled`].
pub fn cross_validate(
    data: &Dataset,
    weights: &Weights,
    plans: &[FitPlan],
    folds: &[Fold],
    probabilities: bool,
    control: &Control,
) -> Result<Vec<FoldResult>> {
    // Work that folds share: sorted columns, and the counts of pairs at the roots.
    data.sort_columns(control)?;
    control.set_total((plans.len() * folds.len()) as u64);
    let roots = match plans.iter().any(FitPlan::shares_pairs) {
        true => roots::roots(data, weights, folds, &control.quiet())?,
        false => vec![None; folds.len()],
    };
    let budget = control.budget().holding(roots.iter().flatten().map(|root| root.bytes()).sum());
    // Under a memory limit, threads share the rest; if a share is too small for growth, folds run
    // one after the other.
    let largest = folds.iter().map(|fold| fold.train.len()).max().unwrap_or(0);
    let threads = control.threads();
    let share = budget.shared(threads);
    let in_parallel = share.left() >= growth_bytes(data, largest);
    let (folds_control, budget) =
        if in_parallel { (control.clone(), share) } else { (control.serial(), budget) };
    // At most a quarter of the budget is for preparations that several plans have in common.
    let preparations: HashSet<String> = plans.iter().map(FitPlan::preparation).collect();
    let kept = KEPT_BYTES.min(budget.left() / 4 / preparations.len().max(1));
    let kept = if plans.len() == 1 { 0 } else { kept };
    let serial = control.serial().quiet().with_budget(budget.holding(kept * preparations.len()));
    // Folds in the outer loop: preparations of a fold are kept for all plans.
    let by_fold = parallel::map(&folds_control, folds.len(), &|f| {
        let fold = &folds[f];
        let rows = RowSet::new(internal(data, &fold.train)?, data.len());
        let mut common = Common::new(roots[f].clone(), kept);
        let mut grown = None; // the tree of the plan before, if it grows as this one does
        (0..plans.len())
            .map(|p| {
                control.check()?;
                let plan = &plans[p];
                let as_last = p > 0 && plan.grows_as(&plans[p - 1]);
                let as_next = plans.get(p + 1).is_some_and(|next| plan.grows_as(next));
                grown = grown.take().filter(|_| as_last);
                let model = match plan.alpha_rule() {
                    Some(_) => alpha::fit_counted(plan, data, &rows, weights, &serial)?.0.model,
                    None if (as_last || as_next) && !plan.shares_pairs() => {
                        plan.fit_grown(data, &rows, weights, &mut grown, &serial)?
                    }
                    None => plan.fit_sharing(data, &rows, weights, &mut common, &serial)?,
                };
                let outcome = predict(&model, data, &fold.test, probabilities)?;
                control.advance(1);
                Ok(outcome)
            })
            .collect::<Result<Vec<_>>>()
    })?;
    // From outcomes by fold to outcomes by plan.
    let mut out = Vec::with_capacity(plans.len() * folds.len());
    let mut by_fold: Vec<_> = by_fold.into_iter().map(Vec::into_iter).collect();
    for _ in plans {
        out.extend(by_fold.iter_mut().filter_map(Iterator::next));
    }
    Ok(out)
}

/// An estimate of the bytes that the growth of one tree on `rows` rows takes by a criterion on
/// pairs or neighbours of rows: codes, their order and their slots (20 per cell), schedules (64 per
/// row).
fn growth_bytes(data: &Dataset, rows: usize) -> usize {
    rows.saturating_mul(20 * data.columns().len() + 64)
}

/// Internal numbers of rows.
fn internal(data: &Dataset, rows: &[u32]) -> Result<Vec<u32>> {
    rows.iter()
        .map(|&r| {
            data.internal().get(r as usize).copied().ok_or_else(|| {
                Error::Data(format!(
                    "fold names row {r}, but the data have only {} rows",
                    data.len()
                ))
            })
        })
        .collect()
}

/// Apply a model to the test rows.
fn predict(model: &Model, data: &Dataset, test: &[u32], probabilities: bool) -> Result<FoldResult> {
    let predictor = Predictor::new(model)?;
    let n_classes = data.n_classes();
    let mut out = FoldResult {
        predictions: Vec::with_capacity(test.len()),
        probabilities: vec![0.0; if probabilities { test.len() * n_classes } else { 0 }],
        shape: model.tree.shape(),
    };
    let mut p = vec![0.0; n_classes];
    for (i, row) in internal(data, test)?.into_iter().enumerate() {
        let end = predictor.tree.end(data, row as usize);
        out.predictions.push(predictor.answer(data, row as usize, end, &mut p));
        if probabilities {
            out.probabilities[i * n_classes..(i + 1) * n_classes].copy_from_slice(&p);
        }
    }
    Ok(out)
}

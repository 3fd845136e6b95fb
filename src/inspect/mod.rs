//! Scores of one node without growing a tree: of each feature, or of every candidate split.
//!
//! Behind `score_features` and `explain` of the Python package, and the shares of a scoring that
//! several processes divide ([`neighbour_share`]). Rows are read as the root of a tree reads them:
//! imputed, binned and weighted by the same [`FitPlan`]. The cost is that of scoring one node.
//! [`float32_conflicts`] finds the training values that single precision would send down another
//! branch.

mod single;

pub use single::float32_conflicts;

use crate::criteria::{Evidence, EvidenceKind};
use crate::data::{Column, Dataset, RowSet, Weights};
use crate::error::{Error, Result};
use crate::fit::{FitPlan, Missing};
use crate::grow::{Candidate, GrowthSetting, candidates};
use crate::parallel::Control;
use crate::stats::neighbours::{DistanceSum, PartialScores, Root, Share};

/// All candidate splits of the given rows with their scores, as if the rows were a node.
pub fn explain(
    plan: &FitPlan,
    data: &Dataset,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Vec<Candidate>> {
    let rows = plan.training_rows(data, rows, weights)?;
    let root = plan.training_rows(data, &RowSet::all(data.len()), weights)?;
    // criteria on neighbours compare numbers, so a node gets the bins of the root; the others bin
    // it
    let numbers = plan.criterion().info().evidence == EvidenceKind::Neighbours;
    let binned_on = if numbers { &root } else { &rows };
    let prepared = plan.prepare(data, binned_on, weights, control)?;
    let raw = Some(data);
    let data = prepared.as_ref().unwrap_or(data);
    if plan.is_fractional() {
        return on_known_rows(plan, data, &rows, weights, control);
    }
    // no training values: thresholds between them belong to the whole training set
    let setting = GrowthSetting { raw, training: None, ..plan.setting(data, &rows, weights) };
    candidates(data, &setting, &rows, &root, weights, control)
}

/// Candidates of each feature on the rows whose value is known, in feature order. Scores are
/// multiplied by the known share of the weight if the criterion asks for it.
fn on_known_rows(
    plan: &FitPlan,
    data: &Dataset,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Vec<Candidate>> {
    let weight = |rows: &RowSet| weights.total(rows.rows());
    let scored = |part: &Dataset, known: &RowSet, share: f64| {
        let mut setting = plan.setting(part, known, weights);
        // the smallest branch is a fraction of all rows, these are a share of them
        setting.limits.min_weight_fraction_leaf /= share;
        // no training values: thresholds between them belong to the whole training set
        setting.training = None;
        candidates(part, &setting, known, known, weights, control)
    };
    let (partial, whole): (Vec<usize>, Vec<usize>) =
        (0..data.columns().len()).partition(|&f| has_missing(&data.columns()[f]));
    if partial.is_empty() {
        return scored(data, rows, 1.0);
    }
    // complete features together
    let mut found = Vec::new();
    if !whole.is_empty() {
        let scores = scored(&data.select(&whole), rows, 1.0)?;
        let renamed = |c: Candidate| Candidate { feature: whole[c.feature as usize] as u32, ..c };
        found.extend(scores.into_iter().map(renamed));
    }
    // each other feature on its own known rows
    for feature in partial {
        control.check()?;
        let is_known = |&r: &u32| match &data.columns()[feature] {
            Column::Numeric(c) => !c.value(r).is_nan(),
            Column::Nominal(c) => c.code(r) != crate::data::MISSING,
        };
        let known = RowSet::of(rows.rows().iter().copied().filter(is_known).collect(), data.len());
        if known.is_empty() {
            continue;
        }
        let share = weight(&known) / weight(rows);
        let factor = if plan.criterion().info().fractional { share } else { 1.0 };
        let scores = scored(&data.select(&[feature]), &known, share)?;
        let scaled =
            |c: Candidate| Candidate { feature: feature as u32, score: c.score * factor, ..c };
        found.extend(scores.into_iter().map(scaled));
    }
    found.sort_by_key(|c| c.feature);
    Ok(found)
}

/// One score per feature on the given rows: that of the multiway split of a nominal or binned
/// feature, of the best threshold of a numeric one; NaN if there is no split.
///
/// Rows whose value is missing are left out, and the score is multiplied by the known fraction if
/// the criterion asks for it, unless the plan treats missing values otherwise. For criteria on
/// pairs a missing value is a value. Criteria on neighbours compare numbers, whatever the bins.
/// Features are scored one by one, so no guard compares them.
pub fn score_features(
    plan: &FitPlan,
    data: &Dataset,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Vec<f64>> {
    let rows = plan.training_rows(data, rows, weights)?;
    if let Evidence::Neighbours(search) = plan.criterion().evidence() {
        return on_neighbours(plan, data, &rows, weights, control, |root, weight| {
            root.scores(control, rows.rows(), weight, search)
        });
    }
    let prepared = plan.prepare(data, &rows, weights, control)?;
    // a byte per cell of the binned copy
    let cells = data.len().saturating_mul(data.columns().len());
    let control = &control.holding(if prepared.is_some() { cells } else { 0 });
    let data = prepared.as_ref().unwrap_or(data);
    let on_tables = plan.criterion().info().evidence == EvidenceKind::Table;
    let leave_out = on_tables && matches!(plan.missing(), Missing::Auto | Missing::Fractional);
    let found = if leave_out {
        on_known_rows(plan, data, &rows, weights, control)?
    } else {
        candidates(data, &plan.setting(data, &rows, weights), &rows, &rows, weights, control)?
    };
    let mut out = vec![f64::NAN; data.columns().len()];
    for Candidate { feature, score, .. } in found {
        let best = &mut out[feature as usize];
        if best.is_nan() || score > *best {
            *best = score;
        }
    }
    Ok(out)
}

/// The part of one process in a scoring that several divide: in a first round the sums of
/// distances, in a second, which knows their total, the partial scores.
#[derive(Debug, Clone, PartialEq)]
pub enum NeighbourShare {
    /// Sums of distances by group of rows; empty if the criterion needs none.
    Distances(Vec<DistanceSum>),
    /// Partial scores by group of rows.
    Scores(Vec<PartialScores>),
}

/// A share of [`score_features`] by a criterion on neighbours: without `total` its sums of
/// distances, with their total over all shares its partial scores. The partial scores of all
/// shares, added in order and rounded, are the scores.
pub fn neighbour_share(
    plan: &FitPlan,
    data: &Dataset,
    rows: &RowSet,
    weights: &Weights,
    share: Share,
    total: Option<DistanceSum>,
    control: &Control,
) -> Result<NeighbourShare> {
    let rows = plan.training_rows(data, rows, weights)?;
    let Evidence::Neighbours(search) = plan.criterion().evidence() else {
        return Err(Error::Unsupported {
            what: format!("shares of criterion='{}'", plan.criterion().info().name),
            supported: "criteria on neighbours".into(),
        });
    };
    on_neighbours(plan, data, &rows, weights, control, |root, weight| {
        let rows = rows.rows();
        Ok(match total {
            None => {
                NeighbourShare::Distances(root.distances(control, rows, weight, search.0, share)?)
            }
            Some(_) => {
                NeighbourShare::Scores(root.parts(control, rows, weight, search, share, total)?)
            }
        })
    })
}

/// Call `ask` with the rows, imputed, in the form that criteria on neighbours read.
fn on_neighbours<R>(
    plan: &FitPlan,
    data: &Dataset,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
    ask: impl FnOnce(&Root<'_>, Option<&dyn Fn(u32) -> f64>) -> Result<R>,
) -> Result<R> {
    let imputed = plan.imputed(data, rows, weights, control)?;
    let value = |r: u32| weights.value(r);
    let weight: Option<&dyn Fn(u32) -> f64> =
        if *weights == Weights::Unit { None } else { Some(&value) };
    ask(&Root::new(imputed.as_ref().unwrap_or(data), data, rows.rows(), weight), weight)
}

fn has_missing(column: &Column) -> bool {
    match column {
        Column::Numeric(c) => c.n_missing() > 0,
        Column::Nominal(c) => c.n_missing() > 0,
    }
}

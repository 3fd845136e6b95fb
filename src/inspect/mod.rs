//! One node looked at closely: scores of features and of all candidates; and what single precision
//! would do to a tree.

mod single;

pub use single::float32_conflicts;

use crate::criteria::{Evidence, EvidenceKind};
use crate::data::{Column, Dataset, RowSet, Weights};
use crate::error::{Error, Result};
use crate::fit::{FitPlan, Missing};
use crate::grow::{Candidate, GrowthSetting, candidates};
use crate::parallel::Control;
use crate::stats::neighbours::{Root, Share};

/// Scores of all candidates on the given rows, as if they were a node.
pub fn explain(
    plan: &FitPlan,
    data: &Dataset,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Vec<Candidate>> {
    let rows = plan.training_rows(data, rows, weights)?;
    let root = plan.training_rows(data, &RowSet::all(data.len()), weights)?;
    // neighbours come with numbers as numbers, so that the bins of the root are made here
    let numbers = plan.criterion().info().evidence == EvidenceKind::Neighbours;
    let binned_on = if numbers { &root } else { &rows };
    let prepared = plan.prepare(data, binned_on, weights, control)?;
    let raw = Some(data);
    let data = prepared.as_ref().unwrap_or(data);
    if plan.is_fractional() {
        return on_known_rows(plan, data, &rows, weights, control);
    }
    // Thresholds on training values look at all rows given, of which these may be those of one
    // node.
    let setting = GrowthSetting { raw, training: None, ..plan.setting(data, &rows, weights) };
    candidates(data, &setting, &rows, &root, weights, control)
}

/// Candidates of each feature on the rows whose value is known, in feature order; scores are scaled
/// by the known share of the weight where the criterion says so.
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
        // The smallest branch is a share of all rows, of which these may be some.
        setting.limits.min_weight_fraction_leaf /= share;
        // Thresholds on training values look at all rows given, of which these may be those of one
        // node.
        setting.training = None;
        candidates(part, &setting, known, known, weights, control)
    };
    let (partial, whole): (Vec<usize>, Vec<usize>) =
        (0..data.columns().len()).partition(|&f| has_missing(&data.columns()[f]));
    if partial.is_empty() {
        return scored(data, rows, 1.0);
    }
    let mut found = Vec::new();
    if !whole.is_empty() {
        let scores = scored(&data.select(&whole), rows, 1.0)?;
        let renamed = |c: Candidate| Candidate { feature: whole[c.feature as usize] as u32, ..c };
        found.extend(scores.into_iter().map(renamed));
    }
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

/// One score per feature on the given rows: the multiway table of a nominal or binned feature, the
/// best threshold of a numeric one; NaN where there is no split. Rows whose value is missing are
/// left out and the score is scaled by the known fraction where the criterion says so, unless
/// missing values are treated otherwise; where pairs of rows are the evidence, a missing value is a
/// value. Neighbours compare numbers as numbers, whatever bins a tree would cut them into. Features
/// are scored alone: no guard compares them.
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
    // a byte for each number that became a bin
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

/// What a share of the rows adds to the scores of a criterion on neighbours, and the sums of its
/// distances where `total` is asked for first.
#[derive(Debug, Clone, PartialEq)]
pub enum NeighbourShare {
    /// Sums of distances by group of rows; empty where the criterion asks for none.
    Distances(Vec<(i128, f64)>),
    /// By group of rows: to all scores, and to each.
    Scores(Vec<(f64, Vec<f64>)>),
}

/// A share of [`score_features`] by a criterion on neighbours: its sums of distances, or with their
/// total what it adds to the scores. The parts of all shares, added in order and rounded, are the
/// scores.
pub fn neighbour_share(
    plan: &FitPlan,
    data: &Dataset,
    rows: &RowSet,
    weights: &Weights,
    (share, total): (Share, Option<(i128, f64)>),
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
                NeighbourShare::Scores(root.parts(control, rows, weight, search, (share, total))?)
            }
        })
    })
}

/// Ask something of the rows as neighbours see them.
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

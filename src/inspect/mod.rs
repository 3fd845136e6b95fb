//! Scores of one node without growing a tree: of each feature, or of every candidate split.
//!
//! `score_features` and `explain` of the Python package call this module. Several processes can
//! divide a scoring into shares ([`neighbour_share`]). Rows are read as growth reads them: at the
//! root of a tree they are imputed, binned and weighted by the same [`FitPlan`]; at a node of a
//! fitted tree ([`ReachedRows`]) they are read as its model says. It costs as much as scoring one
//! node. [`float32_conflicts`] finds the thresholds over which single precision moves a training
//! value.

mod single;

pub use single::{Float32Conflict, float32_conflicts};

use crate::criteria::Evidence;
use crate::data::{Bits, Column, Dataset, RowSet, Weights};
use crate::error::{Error, Result};
use crate::fit::{FitPlan, Missing};
use crate::grow::{Candidate, GrowthLimits, GrowthSetting, candidates, feature_tests};
use crate::parallel::Control;
use crate::stats::neighbours::{DistanceSum, NodeSearch, PartialScores, Share};
use crate::tree::FeatureTest;

/// The rows of a data set that reach a node of a tree.
#[derive(Debug)]
pub struct ReachedRows {
    /// Rows of which a fraction reaches the node, in the caller's order.
    reached: Bits,
    /// Sample weights of all rows.
    weights: Weights,
    /// Sample weights times fractions, if some row is divided among several nodes.
    divided: Option<Weights>,
}

impl ReachedRows {
    /// The rows with the given fractions and sample weights (None: all 1), in the caller's order.
    ///
    /// # Errors
    /// [`Error::Data`] if the number of fractions or of weights differs from the number of rows,
    /// for a fraction outside 0 to 1, or for an invalid weight.
    pub fn new(data: &Dataset, fractions: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let n = data.len();
        for found in [fractions.len(), weights.map_or(n, <[f64]>::len)] {
            if found != n {
                return Err(Error::Data(format!("{found} fractions or weights for {n} rows")));
            }
        }
        if let Some(row) = fractions.iter().position(|f| !(0.0..=1.0).contains(f)) {
            return Err(Error::Data(format!(
                "fraction {} of row {row} is outside 0 to 1",
                fractions[row]
            )));
        }
        let original = |row: usize| data.original()[row] as usize;
        let inside = |weight: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..n).map(|row| weight(original(row))).collect()
        };
        let weight = |row: usize| weights.map_or(1.0, |w| w[row]);
        let is_divided = fractions.iter().any(|&f| f > 0.0 && f < 1.0);
        let product = |row: usize| weight(row) * fractions[row];
        let mut reached = Bits::new(n);
        (0..n as u32).filter(|&r| fractions[r as usize] > 0.0).for_each(|r| reached.set(r));
        Ok(Self {
            reached,
            weights: data
                .round_weights_for_target(Weights::from_reals(&inside(&weight), &original)?)?,
            divided: match is_divided {
                true => Some(data.round_weights_for_target(Weights::importances(
                    &inside(&product),
                    &original,
                )?)?),
                false => None,
            },
        })
    }
}

/// All candidate splits of a node with their scores; the tests of its features, most significant
/// first, where features are chosen by significance; and whether rows without a value of a feature
/// are left out of its candidates. `data` are rows as growth read them ([`crate::fit::as_grown`]),
/// `plan` is the plan of a [`NodePlan`](crate::fit::NodePlan).
///
/// Limits on a branch are the limits of growth: shares of the weight of all rows, and numbers of
/// rows, where a divided row counts as its fraction.
pub fn explain(
    plan: &FitPlan,
    data: &Dataset,
    node: &ReachedRows,
    control: &Control,
) -> Result<(Vec<Candidate>, Vec<(u32, FeatureTest)>, bool)> {
    let all = RowSet::all(data.len());
    let weights = node.divided.as_ref().unwrap_or(&node.weights);
    plan.on_counted_rows(data, &all, weights, |counted, root, weights| {
        let is_reached = |&r: &u32| node.reached.get(counted.original()[r as usize]) == 1;
        let rows = (0..counted.len() as u32).filter(is_reached).collect();
        let rows = plan.training_rows(counted, &RowSet::new(rows, counted.len()), weights)?;
        let mut limits = plan.limits().clone();
        // Limits become shares of the weight of this node. The factors below 1 keep rounding from
        // excluding a branch that has exactly the least weight.
        let node_weight = weights.total(rows.rows());
        let least = &mut limits.min_weight_fraction_leaf;
        if *least > 0.0 {
            let total = match node.divided {
                None => weights.total(root.rows()),
                Some(_) => plan.weigh_rows(data, &all, &node.weights)?.total(all.rows()),
            };
            *least *= total / node_weight * (1.0 - 1e-12);
        }
        if node.divided.is_some() {
            let share = limits.min_samples_leaf as f64 / node_weight;
            *least = least.max(share * (1.0 - 1e-9));
            limits.min_samples_leaf = 1;
        }
        if *least > 0.5 {
            return Ok(Default::default()); // no split has two such branches
        }
        let root = plan.training_rows(counted, root, weights)?;
        // criteria on neighbours compare numbers, so a node gets the bins of the root
        let prepared = plan.prepare(counted, &root, &root, weights, control)?;
        let raw = Some(counted);
        let data = prepared.as_ref().unwrap_or(counted);
        let classed = plan.with_target_bins(data, &root, weights)?;
        let data = classed.as_ref().unwrap_or(data);
        // no training values: thresholds between them belong to the whole training set
        let setting = plan.setting(data, &rows, weights);
        let setting = GrowthSetting { unbinned_data: raw, training_bits: None, limits, ..setting };
        let tests = feature_tests(data, &setting, &rows, &root, weights, control)?;
        let left_out = plan.is_fractional() || plan.leaves_out();
        let found = if left_out {
            on_known_rows(plan, data, &rows, weights, &setting.limits, control)?
        } else {
            candidates(data, &setting, &rows, &root, weights, control)?
        };
        Ok((found, tests, left_out))
    })
}

/// Candidates of each feature on the rows whose value is known, in feature order. Scores are
/// multiplied by the known share of the weight if the criterion asks for it.
fn on_known_rows(
    plan: &FitPlan,
    data: &Dataset,
    rows: &RowSet,
    weights: &Weights,
    limits: &GrowthLimits,
    control: &Control,
) -> Result<Vec<Candidate>> {
    let weight = |rows: &RowSet| weights.total(rows.rows());
    let scored = |part: &Dataset, known: &RowSet, share: f64| {
        let mut setting = plan.setting(part, known, weights);
        // the smallest branch is a fraction of all rows, these are a share of them
        setting.limits = limits.clone();
        setting.limits.min_weight_fraction_leaf /= share;
        // no training values: thresholds between them belong to the whole training set
        setting.training_bits = None;
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
    // each other feature on the rows where its value is known
    for feature in partial {
        control.check()?;
        let is_known = |&r: &u32| match &data.columns()[feature] {
            Column::Numeric(c) => !c.value(r).is_nan(),
            Column::Nominal(c) => c.code(r) != crate::data::MISSING,
        };
        let known = RowSet::new(rows.rows().iter().copied().filter(is_known).collect(), data.len());
        if known.is_empty() {
            continue;
        }
        let share = weight(&known) / weight(rows);
        let is_scaled = plan.criterion().info().fractional && !plan.leaves_out();
        let factor = if is_scaled { share } else { 1.0 };
        let scores = scored(&data.select(&[feature]), &known, share)?;
        let scaled =
            |c: Candidate| Candidate { feature: feature as u32, score: c.score * factor, ..c };
        found.extend(scores.into_iter().map(scaled));
    }
    found.sort_by_key(|candidate| candidate.feature);
    Ok(found)
}

/// One score per feature on the given rows: the score of the multiway split of a nominal or binned
/// feature, or of the best threshold of a numeric one; NaN if there is no split. Where features are
/// chosen by significance it is the adjusted p-value, or with `statistics` the statistic of the
/// test.
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
    statistics: bool,
    control: &Control,
) -> Result<Vec<f64>> {
    let rows = plan.training_rows(data, rows, weights)?;
    if let Evidence::Neighbours(search) = plan.criterion().evidence() {
        return on_neighbours(plan, data, &rows, weights, control, |root, weight| {
            root.scores(control, rows.rows(), weight, search)
        });
    }
    let prepared = plan.prepare(data, &rows, &rows, weights, control)?;
    // a byte per cell of the binned copy
    let cells = data.len().saturating_mul(data.columns().len());
    let control = &control.holding(if prepared.is_some() { cells } else { 0 });
    let data = prepared.as_ref().unwrap_or(data);
    let classed = plan.with_target_bins(data, &rows, weights)?;
    let data = classed.as_ref().unwrap_or(data);
    let mut out = vec![f64::NAN; data.columns().len()];
    let setting = plan.setting(data, &rows, weights);
    if setting.significance.is_some() {
        for (feature, test) in feature_tests(data, &setting, &rows, &rows, weights, control)? {
            out[feature as usize] = if statistics { test.statistic } else { test.log_p.exp() };
        }
        return Ok(out);
    }
    let on_tables = plan.criterion().info().evidence.is_table();
    let leave_out = on_tables && matches!(plan.missing(), Missing::Auto | Missing::Fractional);
    let found = if leave_out {
        on_known_rows(plan, data, &rows, weights, plan.limits(), control)?
    } else {
        candidates(data, &setting, &rows, &rows, weights, control)?
    };
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
    ask: impl FnOnce(&NodeSearch<'_>, Option<&dyn Fn(u32) -> f64>) -> Result<R>,
) -> Result<R> {
    let imputed = plan.impute(data, rows, weights, control)?;
    let read = imputed.as_ref().unwrap_or(data);
    let classed = plan.with_target_bins(read, rows, weights)?;
    let read = classed.as_ref().unwrap_or(read);
    let value = |r: u32| weights.value(r);
    let weight: Option<&dyn Fn(u32) -> f64> =
        if *weights == Weights::Unit { None } else { Some(&value) };
    ask(&NodeSearch::new(read, data, rows.rows(), weight), weight)
}

fn has_missing(column: &Column) -> bool {
    match column {
        Column::Numeric(c) => c.n_missing() > 0,
        Column::Nominal(c) => c.n_missing() > 0,
    }
}

//! Checks of a loaded model: the properties that every trained model has.
//!
//! Model files come from anywhere, so nothing is used unchecked. Sizes are checked where tables are
//! derived from the counts. The checks here are of values: cells are weights, each table adds up to
//! the weights of the classes, tables of pairs add up to the tables of single features,
//! replacements of missing values exist, and variances are positive. O(cells).

use super::counts::pair_index;
use super::{BayesModel, FeatureModel, FeatureReading, Structure};
use crate::data::Bins;
use crate::error::{Error, Result};

/// Largest difference between two sums of the same weights, relative to the weight of all rows.
const ROUNDING: f64 = 1e-9;

/// Refuse the model.
fn wrong<T>(what: String) -> Result<T> {
    Err(Error::Model(what))
}

/// Check the readings. Sizes may be computed from them afterwards.
pub(super) fn readings(model: &BayesModel) -> Result<()> {
    if model.class_counts.is_empty() {
        return wrong("a model without classes".into());
    }
    for (j, reading) in model.readings.iter().enumerate() {
        let fill = match reading {
            FeatureReading::Number if matches!(model.kind, Structure::Naive(_)) => continue,
            FeatureReading::Number => {
                return wrong(format!("feature {j} is a number without bins"));
            }
            FeatureReading::Binned { cuts, fill } => {
                if let Err(error) = Bins::new(cuts.clone()) {
                    return wrong(format!("cut points of feature {j}: {error}"));
                }
                fill
            }
            FeatureReading::Nominal { levels, fill } => {
                if *levels >= u32::MAX as usize {
                    return wrong(format!("feature {j} has {levels} levels"));
                }
                fill
            }
        };
        if let Some(code) = fill.filter(|&code| code as usize >= reading.arity()) {
            return wrong(format!(
                "missing values of feature {j} are replaced by value {code} of {}",
                reading.arity()
            ));
        }
    }
    Ok(())
}

/// Check the values of a model whose sizes were checked.
pub(super) fn values(model: &BayesModel) -> Result<()> {
    weights(&model.class_counts, "the classes")?;
    if model.class_counts.iter().sum::<f64>() <= 0.0 {
        return wrong("all classes weigh nothing".into());
    }
    match &model.kind {
        Structure::Naive(m) => {
            if !(m.epsilon >= 0.0 && m.prior.iter().all(|p| (0.0..=1.0).contains(p))) {
                return wrong("a prior probability or an epsilon out of range".into());
            }
            if (m.prior.iter().sum::<f64>() - 1.0).abs() > 1e-6 {
                return wrong("the prior probabilities do not add up to 1".into());
            }
            let mut features = m.features.iter().zip(&model.readings).enumerate();
            features.try_for_each(|(j, (f, reading))| feature(model, j, f, reading))
        }
        Structure::Tan(m) => {
            if let Some(e) = m.edges.iter().find(|e| e.0.max(e.1) >= model.readings.len()) {
                return wrong(format!("an edge between features {} and {}", e.0, e.1));
            }
            let singles = m.counts.iter().enumerate().map(|(j, cells)| {
                weights(cells, &format!("feature {j}"))?;
                let size = (model.readings[j].arity() + 1) * model.classes();
                let single = column_sums(cells, size);
                adds_up(model, j, &single)?;
                Ok(single)
            });
            let singles: Vec<Vec<f64>> = singles.collect::<Result<_>>()?;
            for (j, parent) in m.parents.iter().enumerate() {
                if let Some(i) = *parent {
                    let values = model.readings[j].arity() + 1;
                    adds_up_to_first(
                        model,
                        i,
                        j,
                        &block_sums(&m.counts[j], values, model),
                        &singles[i],
                    )?;
                }
            }
            Ok(())
        }
        Structure::Aode(m) => {
            if !(m.limit >= 0.0 && m.limit.is_finite()) {
                return wrong(format!("a frequency limit of {}", m.limit));
            }
            for (j, cells) in m.singles.iter().enumerate() {
                weights(cells, &format!("feature {j}"))?;
                adds_up(model, j, cells)?;
            }
            let p = model.readings.len();
            for i in 0..p {
                for j in i + 1..p {
                    let cells = &m.pairs[pair_index(p, i, j)];
                    weights(cells, &format!("features {i} and {j}"))?;
                    let values = model.readings[j].arity() + 1;
                    adds_up_to_first(
                        model,
                        i,
                        j,
                        &block_sums(cells, values, model),
                        &m.singles[i],
                    )?;
                    let sums = column_sums(cells, values * model.classes());
                    adds_up_to_first(model, j, i, &sums, &m.singles[j])?;
                }
            }
            Ok(())
        }
    }
}

/// Check a feature of naive Bayes.
fn feature(
    model: &BayesModel,
    j: usize,
    feature: &FeatureModel,
    reading: &FeatureReading,
) -> Result<()> {
    let finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
    let positive = |numbers: &[f64]| numbers.iter().all(|x| *x > 0.0 && x.is_finite());
    let is_number = matches!(reading, FeatureReading::Number);
    let sound = match feature {
        FeatureModel::Normal { mean, variance } => is_number && finite(mean) && positive(variance),
        FeatureModel::Rounded { mean, deviation, precision } => {
            is_number && finite(mean) && positive(deviation) && positive(&[*precision])
        }
        FeatureModel::Counts(cells) => {
            weights(cells, &format!("feature {j}"))?;
            adds_up(model, j, cells)?;
            !is_number
        }
    };
    if sound { Ok(()) } else { wrong(format!("a mean or variance of feature {j}")) }
}

/// Check that cells are finite weights of at least 0; `of` names them in the message.
fn weights(cells: &[f64], of: &str) -> Result<()> {
    match cells.iter().find(|w| !(**w >= 0.0 && w.is_finite())) {
        Some(w) => wrong(format!("a weight of {w} in the counts of {of}")),
        None => Ok(()),
    }
}

/// Elementwise sum of the blocks of `size` cells.
fn column_sums(cells: &[f64], size: usize) -> Vec<f64> {
    let mut sums = vec![0.0; size];
    for block in cells.chunks_exact(size) {
        sums.iter_mut().zip(block).for_each(|(sum, cell)| *sum += cell);
    }
    sums
}

/// Sums over the second feature of a pair table, by value of the first and class; `values` of the
/// second, with the missing one.
fn block_sums(cells: &[f64], values: usize, model: &BayesModel) -> Vec<f64> {
    let k = model.classes();
    let mut sums = Vec::with_capacity(cells.len() / values);
    for block in cells.chunks_exact(values * k) {
        sums.extend(column_sums(block, k));
    }
    sums
}

/// Whether two lists of sums of the same weights agree up to rounding.
fn is_same(model: &BayesModel, sums: &[f64], others: &[f64]) -> bool {
    let slack = ROUNDING * model.class_counts.iter().sum::<f64>();
    sums.len() == others.len() && sums.iter().zip(others).all(|(a, b)| (a - b).abs() <= slack)
}

/// Check that the cells (value, class) of feature `j` add up to the classes.
fn adds_up(model: &BayesModel, j: usize, cells: &[f64]) -> Result<()> {
    if is_same(model, &column_sums(cells, model.classes()), &model.class_counts) {
        return Ok(());
    }
    wrong(format!("the counts of feature {j} do not add up to those of the classes"))
}

/// Check that the `sums` over feature `j` of the pair (i, j) are the counts of feature `i`.
fn adds_up_to_first(
    model: &BayesModel,
    i: usize,
    j: usize,
    sums: &[f64],
    single: &[f64],
) -> Result<()> {
    if is_same(model, sums, single) {
        return Ok(());
    }
    wrong(format!("the counts of features {i} and {j} do not add up to those of feature {i}"))
}

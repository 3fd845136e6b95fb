//! Naive Bayes: features independent given the class.
//!
//! `log P(c) + sum_j log P(x_j | c)` over the known features. A nominal or binned feature has
//! smoothed shares of its values; a number has a normal density with the class's mean and
//! (population) variance, to which `var_smoothing` times the largest variance of any numeric
//! feature is added, as scikit-learn's GaussianNB does. A class in which no number of a feature is
//! known takes the mean and variance of all rows. Sums are exact until they are read, so that the
//! order of the rows does not matter.
//!
//! By Weka's rule (as the program's output shows) a number is taken as a measurement of a certain
//! precision, the mean gap between neighbouring distinct training values: it is rounded to a
//! multiple of it, its class has the mean and deviation of rounded numbers (at least a sixth of the
//! precision), and its likelihood is the normal distribution's mass within half a precision.
//!
//! Where the squares of a row overflow in every class, the logarithms are those relative to the
//! nearest classes: a normal density says nothing else there.

use super::counts::single_table;
use super::input::RowCells;
use super::normal::distribution;
use super::{FeatureReading, Input, Smoothing};
use crate::data::{Column, Dataset, NumericColumn, Weights, entry_row};
use crate::error::{Error, Result};
use crate::numeric::ExactSum;
use crate::parallel::{self, Control};
use serde::{Deserialize, Serialize};

/// Weka's precision of a column with a single value.
const ALONE: f64 = 0.01;
/// Weka's smallest likelihood of a number.
const LEAST: f64 = 1e-75;

/// What is known of a feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureModel {
    /// Mean and variance in each class, smoothing included.
    Normal {
        /// Means by class.
        mean: Vec<f64>,
        /// Variances by class.
        variance: Vec<f64>,
    },
    /// Mean and deviation of rounded numbers in each class, and what they are rounded to.
    Rounded {
        /// Means by class.
        mean: Vec<f64>,
        /// Standard deviations by class.
        deviation: Vec<f64>,
        /// Numbers are rounded to multiples of it.
        precision: f64,
    },
    /// Weight of each (value, class), missing last.
    Counts(Vec<f64>),
}

/// The classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Naive {
    smoothing: Smoothing,
    /// Prior probabilities of the classes.
    pub prior: Vec<f64>,
    /// The features.
    pub features: Vec<FeatureModel>,
    /// What was added to the variances.
    pub epsilon: f64,
    #[serde(skip)]
    log_prior: Vec<f64>,
    /// Logarithms by `[value * classes + class]`, zeros for a missing value; for numbers, `-log(2
    /// pi var)/2` by class.
    #[serde(skip)]
    logs: Vec<Vec<f64>>,
}

/// Sum of `w * f(x)` over the (w, x) of a class, without rounding until the end, so that neither
/// the order of the rows nor copies in place of weights change a bit; infinite where a term is.
fn exact_sum(of: &[(f64, f64)], f: impl Fn(f64) -> f64) -> f64 {
    let mut sum = ExactSum::default();
    if of.iter().any(|&(w, x)| !(w * f(x)).is_finite()) {
        return f64::INFINITY;
    }
    if of.iter().all(|&(w, _)| w == 1.0) {
        sum.add_all(of.iter().map(|&(_, x)| f(x)));
    } else {
        of.iter().for_each(|&(w, x)| sum.add_product(w, f(x)));
    }
    sum.value()
}

/// Weight, mean and population variance of weighted numbers.
fn moments_of(of: &[(f64, f64)]) -> [f64; 3] {
    let weight = exact_sum(of, |_| 1.0);
    if weight <= 0.0 {
        return [0.0, f64::NAN, f64::NAN];
    }
    let mean = exact_sum(of, |x| x) / weight;
    [weight, mean, exact_sum(of, |x| (x - mean) * (x - mean)) / weight]
}

/// The known numbers of a column with their weights, by class; all of them last.
fn by_class(
    column: &NumericColumn,
    classes: &[u16],
    k: usize,
    weights: &Weights,
) -> Vec<Vec<(f64, f64)>> {
    let mut found = vec![Vec::new(); k + 1];
    for row in column.order().iter().map(|&e| entry_row(e)) {
        let (w, x) = (weights.value(row), column.value(row));
        if w > 0.0 && !x.is_nan() {
            found[classes[row as usize] as usize].push((w, x));
            found[k].push((w, x));
        }
    }
    found
}

/// A number's distribution by Weka's rule, from the known numbers by class, all of them (in
/// ascending order) last.
fn rounded(of: &[Vec<(f64, f64)>]) -> FeatureModel {
    let (all, classes) = of.split_last().expect("all rows come last");
    let gaps = || all.windows(2).map(|w| w[1].1 - w[0].1).filter(|&gap| gap > 0.0);
    let several = gaps().count();
    let precision = if several > 0 { gaps().sum::<f64>() / several as f64 } else { ALONE };
    let least = precision / 6.0;
    let (mut mean, mut deviation) = (Vec::new(), Vec::new());
    for numbers in classes {
        let near: Vec<_> = numbers.iter().map(|&(w, x)| (w, to_multiple(x, precision))).collect();
        let [weight, centre, variance] = moments_of(&near);
        let known = weight > 0.0;
        mean.push(if known { centre } else { 0.0 });
        deviation.push(if known { variance.sqrt().max(least) } else { least });
    }
    FeatureModel::Rounded { mean, deviation, precision }
}

/// The nearest multiple of `unit`, the even one of two.
fn to_multiple(x: f64, unit: f64) -> f64 {
    (x / unit).round_ties_even() * unit
}

/// The largest of the variances that are known, 0 where none is.
fn largest_variance<'a>(moments: impl Iterator<Item = &'a [f64; 3]>) -> Result<f64> {
    let largest = moments.map(|m| m[2]).filter(|v| !v.is_nan()).fold(0.0, f64::max);
    if largest == f64::INFINITY {
        return Err(Error::Data(
            "the variance of a numeric column overflows float64: scale the columns".into(),
        ));
    }
    Ok(largest)
}

/// Mean and smoothed variance by class, from the moments by class, those of all rows last.
fn densities(moments: &[[f64; 3]], epsilon: f64) -> (Vec<f64>, Vec<f64>) {
    let (all, classes) = moments.split_last().expect("all rows come last");
    // A column without a known value says nothing: any density will do.
    let all = if all[0] > 0.0 { all } else { &[1.0, 0.0, 1.0] };
    classes.iter().map(|m| if m[0] > 0.0 { m } else { all }).map(|m| (m[1], m[2] + epsilon)).unzip()
}

/// Prior probabilities: those given, or the shares of the classes.
fn prior_of(given: Option<&[f64]>, class_counts: &[f64]) -> Result<Vec<f64>> {
    let (k, total) = (class_counts.len(), class_counts.iter().sum::<f64>());
    match given {
        None => Ok(class_counts.iter().map(|c| c / total).collect()),
        Some(prior) if prior.len() == k => Ok(prior.to_vec()),
        Some(prior) => Err(Error::parameter(
            "priors",
            format!("{prior:?}"),
            format!("needs one number for each of {k} classes"),
        )),
    }
}

impl Naive {
    /// Fit to all rows.
    pub fn fit(
        data: &Dataset,
        weights: &Weights,
        input: &Input,
        (smoothing, var_smoothing): (Smoothing, f64),
        weka: &[usize],
        priors: Option<&[f64]>,
        control: &Control,
    ) -> Result<Self> {
        if !(var_smoothing >= 0.0 && var_smoothing.is_finite()) {
            return Err(Error::parameter("var_smoothing", var_smoothing, "must be a number >= 0"));
        }
        let k = input.n_classes();
        let prior = prior_of(priors, &input.class_counts)?;
        let found = parallel::map(control, input.features(), |j| {
            control.check()?;
            Ok(match &data.columns()[j] {
                Column::Numeric(c) if input.readings[j] == FeatureReading::Number => {
                    let of = by_class(c, &input.classes, k, weights);
                    if weka.contains(&j) {
                        (rounded(&of), Vec::new())
                    } else {
                        let moments = of.iter().map(|of| moments_of(of)).collect();
                        (FeatureModel::Counts(Vec::new()), moments)
                    }
                }
                _ => (FeatureModel::Counts(single_table(input, j)), Vec::new()),
            })
        })?;
        let largest = largest_variance(found.iter().filter_map(|(_, m)| m.last()))?;
        let epsilon = var_smoothing * if largest > 0.0 { largest } else { 1.0 };
        let mut features = Vec::with_capacity(found.len());
        for (j, (feature, m)) in found.into_iter().enumerate() {
            if m.is_empty() {
                features.push(feature);
                continue;
            }
            let (mean, variance) = densities(&m, epsilon);
            if let Some(c) = variance.iter().position(|&v| v <= 0.0) {
                return Err(Error::Data(format!(
                    "column '{}' has variance 0 in class '{}': give var_smoothing a positive \
                     value, or discretise the column",
                    data.schema().features[j].name,
                    data.schema().classes[c]
                )));
            }
            features.push(FeatureModel::Normal { mean, variance });
        }
        let mut model =
            Self { smoothing, prior, features, epsilon, log_prior: Vec::new(), logs: Vec::new() };
        let arities: Vec<usize> = input.readings.iter().map(FeatureReading::arity).collect();
        model.restore(&arities, &input.class_counts)?;
        Ok(model)
    }

    /// Make the tables of logarithms, checking all sizes.
    pub(super) fn restore(&mut self, arities: &[usize], class_counts: &[f64]) -> Result<()> {
        let k = class_counts.len();
        let wrong = || Error::Model("sizes of a naive Bayes model differ".into());
        if self.prior.len() != k || self.features.len() != arities.len() {
            return Err(wrong());
        }
        self.smoothing.check()?;
        self.log_prior = self.prior.iter().map(|p| p.ln()).collect();
        self.logs.clear();
        for (feature, &v) in self.features.iter().zip(arities) {
            let logs = match feature {
                FeatureModel::Normal { mean, variance } => {
                    if mean.len() != k || variance.len() != k || v != 0 {
                        return Err(wrong());
                    }
                    variance.iter().map(|var| -0.5 * (std::f64::consts::TAU * var).ln()).collect()
                }
                FeatureModel::Rounded { mean, deviation, precision } => {
                    let positive = |x: &f64| *x > 0.0 && x.is_finite();
                    let sound = deviation.iter().all(positive) && positive(precision);
                    if mean.len() != k || deviation.len() != k || v != 0 || !sound {
                        return Err(wrong());
                    }
                    Vec::new()
                }
                FeatureModel::Counts(cells) => {
                    if cells.len() != (v + 1) * k {
                        return Err(wrong());
                    }
                    value_logs(cells, v, k, self.smoothing)
                }
            };
            self.logs.push(logs);
        }
        Ok(())
    }

    /// Logarithm of the joint density by class.
    pub(crate) fn log_joint(&self, cells: &RowCells, out: &mut [f64]) {
        let k = out.len();
        out.copy_from_slice(&self.log_prior);
        for (j, feature) in self.features.iter().enumerate() {
            match feature {
                FeatureModel::Normal { mean, variance } => {
                    let x = cells.numbers[j];
                    if x.is_nan() {
                        continue;
                    }
                    for c in 0..k {
                        out[c] +=
                            self.logs[j][c] - 0.5 * (x - mean[c]) * (x - mean[c]) / variance[c];
                    }
                }
                FeatureModel::Rounded { mean, deviation, precision } => {
                    let x = cells.numbers[j];
                    if x.is_nan() {
                        continue;
                    }
                    let (x, half) = (to_multiple(x, *precision), precision / 2.0);
                    for c in 0..k {
                        let at = |x: f64| distribution((x - mean[c]) / deviation[c]);
                        out[c] += (at(x + half) - at(x - half)).max(LEAST).ln();
                    }
                }
                FeatureModel::Counts(_) => {
                    let row = &self.logs[j][cells.codes[j] * k..][..k];
                    out.iter_mut().zip(row).for_each(|(o, l)| *o += l);
                }
            }
        }
        if out.iter().all(|o| !o.is_finite()) {
            self.beyond(cells, out);
        }
    }

    /// Log joint where squares overflow in every class: the nearest classes by the sums of squares,
    /// which are compared by their logarithms, and of those the rest of the density.
    fn beyond(&self, cells: &RowCells, out: &mut [f64]) {
        let k = out.len();
        out.copy_from_slice(&self.log_prior);
        let mut squares: Vec<Vec<f64>> = vec![Vec::new(); k];
        for (j, feature) in self.features.iter().enumerate() {
            match feature {
                FeatureModel::Normal { mean, variance } => {
                    let x = cells.numbers[j];
                    for c in (0..k).filter(|_| !x.is_nan()) {
                        let gap = (x / 2.0 - mean[c] / 2.0).abs().ln();
                        squares[c].push(2.0 * gap - variance[c].ln());
                        out[c] += self.logs[j][c];
                    }
                }
                FeatureModel::Rounded { .. } => {}
                FeatureModel::Counts(_) => {
                    let row = &self.logs[j][cells.codes[j] * k..][..k];
                    out.iter_mut().zip(row).for_each(|(o, l)| *o += l);
                }
            }
        }
        let top = squares.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum = |of: &Vec<f64>| of.iter().map(|q| (q - top).exp()).sum::<f64>();
        let sums: Vec<f64> = squares.iter().map(sum).collect();
        let possible = (0..k).filter(|&c| out[c] > f64::NEG_INFINITY);
        let nearest = possible.map(|c| sums[c]).fold(f64::INFINITY, f64::min);
        for (o, sum) in out.iter_mut().zip(sums) {
            // logarithms of numbers near 1e308 leave some 1e-13 of a square
            if sum > nearest * (1.0 + 1e-12) {
                *o = f64::NEG_INFINITY;
            }
        }
    }
}

/// Logarithms of P(value | class) from counts by `[value * classes + class]`; zeros for a missing
/// value.
pub(super) fn value_logs(cells: &[f64], values: usize, k: usize, smoothing: Smoothing) -> Vec<f64> {
    let mut logs = vec![0.0; cells.len()];
    for c in 0..k {
        let total: f64 = (0..values).map(|v| cells[v * k + c]).sum();
        for v in 0..values {
            logs[v * k + c] = smoothing.log(cells[v * k + c], total, values);
        }
    }
    logs
}

//! Naive Bayes: features are independent given the class.
//!
//! The score of a class is `log P(c) + sum_j log P(x_j | c)` over the known features. A nominal or
//! binned feature has smoothed shares of its values. A number has a normal density with the mean
//! and (population) variance of its class, to which `var_smoothing` times the largest variance of
//! any numeric feature is added, as in scikit-learn's GaussianNB. A class without a known number
//! takes the mean and variance of all rows. Sums are exact until they are read, so the order of the
//! rows does not matter.
//!
//! Weka's rule (inferred from its output) takes a number as a measurement with a precision, the
//! mean gap between successive distinct training values. The number is rounded to a multiple of the
//! precision, a class has the mean and standard deviation of its rounded numbers (at least a sixth
//! of the precision), and the likelihood is the mass of the normal distribution within half a
//! precision.
//!
//! If the squares of a row overflow in every class, only the classes nearest to it remain possible,
//! and their scores leave the squares out: all other densities are 0 relative to theirs. Prediction
//! costs features * classes terms per row.

use super::counts::single_table;
use super::input::RowCells;
use super::{FeatureReading, Input, Smoothing};
use crate::data::{Column, Dataset, NumericColumn, Weights, entry_row};
use crate::error::{Error, Result};
use crate::numeric::ExactSum;
use crate::numeric::normal::distribution;
use crate::parallel::{self, Control};
use serde::{Deserialize, Serialize};

/// Weka's precision of a column with a single distinct value.
const DEFAULT_PRECISION: f64 = 0.01;
/// Weka's smallest likelihood of a number.
const LEAST_LIKELIHOOD: f64 = 1e-75;

/// The parameters of a feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureModel {
    /// A normal distribution per class.
    Normal {
        /// Means by class.
        mean: Vec<f64>,
        /// Variances by class, smoothing included.
        variance: Vec<f64>,
    },
    /// A normal distribution of rounded numbers per class (Weka's rule).
    Rounded {
        /// Means by class.
        mean: Vec<f64>,
        /// Standard deviations by class.
        deviation: Vec<f64>,
        /// Numbers are rounded to multiples of it.
        precision: f64,
    },
    /// Weight of each (value, class): `[value * classes + class]`, the missing value last.
    Counts(Vec<f64>),
}

/// The classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Naive {
    #[serde(deserialize_with = "crate::json::via_value")]
    smoothing: Smoothing,
    /// Prior probabilities of the classes.
    pub prior: Vec<f64>,
    /// Parameters of each feature.
    pub features: Vec<FeatureModel>,
    /// The number that was added to the variances.
    pub epsilon: f64,
    /// Logarithms of `prior`.
    #[serde(skip)]
    log_prior: Vec<f64>,
    /// For counts `log P(value | class)` at `[value * classes + class]`, zeros for a missing value;
    /// for normal distributions `-log(2 pi variance) / 2` by class.
    #[serde(skip)]
    logs: Vec<Vec<f64>>,
}

/// A known number of a column.
#[derive(Clone, Copy)]
struct WeightedNumber {
    weight: f64,
    number: f64,
}

/// Weight, mean and population variance of weighted numbers.
struct ColumnMoments {
    weight: f64,
    /// NaN without weight.
    mean: f64,
    /// NaN without weight.
    variance: f64,
}

/// Sum of `weight * f(number)`, rounded once, so that neither the order of the rows nor copies in
/// place of weights change a bit; infinite if a term is.
fn exact_sum(numbers: &[WeightedNumber], f: impl Fn(f64) -> f64) -> f64 {
    let mut sum = ExactSum::default();
    if numbers.iter().any(|n| !(n.weight * f(n.number)).is_finite()) {
        return f64::INFINITY;
    }
    if numbers.iter().all(|n| n.weight == 1.0) {
        sum.add_all(numbers.iter().map(|n| f(n.number)));
    } else {
        numbers.iter().for_each(|n| sum.add_product(n.weight, f(n.number)));
    }
    sum.value()
}

impl ColumnMoments {
    fn from_numbers(numbers: &[WeightedNumber]) -> Self {
        let weight = exact_sum(numbers, |_| 1.0);
        if weight <= 0.0 {
            return Self { weight: 0.0, mean: f64::NAN, variance: f64::NAN };
        }
        let mean = exact_sum(numbers, |x| x) / weight;
        let variance = exact_sum(numbers, |x| (x - mean) * (x - mean)) / weight;
        Self { weight, mean, variance }
    }
}

/// The known numbers of a column in ascending order, by class. The last list has the numbers of all
/// classes.
fn numbers_by_class(
    column: &NumericColumn,
    classes: &[u16],
    k: usize,
    weights: &Weights,
) -> Vec<Vec<WeightedNumber>> {
    let mut found = vec![Vec::new(); k + 1];
    for row in column.order().iter().map(|&e| entry_row(e)) {
        let known = WeightedNumber { weight: weights.value(row), number: column.value(row) };
        if known.weight > 0.0 && !known.number.is_nan() {
            found[classes[row as usize] as usize].push(known);
            found[k].push(known);
        }
    }
    found
}

/// The distribution of a column by Weka's rule, from the numbers of [`numbers_by_class`].
fn by_weka(by_class: &[Vec<WeightedNumber>]) -> FeatureModel {
    let (all, classes) = by_class.split_last().expect("all rows come last");
    let gaps = || all.windows(2).map(|w| w[1].number - w[0].number).filter(|&gap| gap > 0.0);
    let n_gaps = gaps().count();
    let precision =
        if n_gaps > 0 { gaps().sum::<f64>() / n_gaps as f64 } else { DEFAULT_PRECISION };
    let least = precision / 6.0;
    let (mut mean, mut deviation) = (Vec::new(), Vec::new());
    for numbers in classes {
        let near: Vec<_> = numbers
            .iter()
            .map(|n| WeightedNumber { number: to_multiple(n.number, precision), ..*n })
            .collect();
        let moments = ColumnMoments::from_numbers(&near);
        let known = moments.weight > 0.0;
        mean.push(if known { moments.mean } else { 0.0 });
        deviation.push(if known { moments.variance.sqrt().max(least) } else { least });
    }
    FeatureModel::Rounded { mean, deviation, precision }
}

/// The nearest multiple of `unit`; ties go to the even one.
fn to_multiple(x: f64, unit: f64) -> f64 {
    (x / unit).round_ties_even() * unit
}

/// The largest known variance, or 0.
fn largest_variance<'a>(moments: impl Iterator<Item = &'a ColumnMoments>) -> Result<f64> {
    let largest = moments.map(|m| m.variance).filter(|v| !v.is_nan()).fold(0.0, f64::max);
    if largest == f64::INFINITY {
        return Err(Error::Data(
            "the variance of a numeric column overflows float64: scale the columns".into(),
        ));
    }
    Ok(largest)
}

/// Means and smoothed variances by class. `moments` has an element per class, and the moments of
/// all rows as the last one.
fn densities(moments: &[ColumnMoments], epsilon: f64) -> (Vec<f64>, Vec<f64>) {
    let (all, classes) = moments.split_last().expect("all rows come last");
    // a column without a known number gets the same density in all classes
    let standard = ColumnMoments { weight: 1.0, mean: 0.0, variance: 1.0 };
    let all = if all.weight > 0.0 { all } else { &standard };
    let own_or_all = classes.iter().map(|m| if m.weight > 0.0 { m } else { all });
    own_or_all.map(|m| (m.mean, m.variance + epsilon)).unzip()
}

/// Prior probabilities: the given ones, or the shares of the classes.
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

/// The settings of [`Naive::fit`].
pub(super) struct NaiveOptions<'a> {
    /// How counts become probabilities.
    pub smoothing: Smoothing,
    /// Share of the largest variance that is added to every variance.
    pub var_smoothing: f64,
    /// Prior probabilities of the classes, if they are not to be estimated.
    pub priors: Option<&'a [f64]>,
    /// Numeric features that are modelled by Weka's rule.
    pub weka: &'a [usize],
}

impl Naive {
    /// Fit to all rows.
    pub(super) fn fit(
        data: &Dataset,
        weights: &Weights,
        input: &Input,
        NaiveOptions { smoothing, var_smoothing, priors, weka }: NaiveOptions<'_>,
        control: &Control,
    ) -> Result<Self> {
        /// A feature, or the moments that make one once the largest variance is known.
        enum FeatureFit {
            Done(FeatureModel),
            Moments(Vec<ColumnMoments>),
        }
        if !(var_smoothing >= 0.0 && var_smoothing.is_finite()) {
            return Err(Error::parameter("var_smoothing", var_smoothing, "must be a number >= 0"));
        }
        let k = input.n_classes();
        let prior = prior_of(priors, &input.class_counts)?;
        let found = parallel::map(control, input.features(), &|j| {
            control.check()?;
            Ok(match &data.columns()[j] {
                Column::Numeric(c) if input.readings[j] == FeatureReading::Number => {
                    let numbers = numbers_by_class(c, &input.classes, k, weights);
                    if weka.contains(&j) {
                        FeatureFit::Done(by_weka(&numbers))
                    } else {
                        FeatureFit::Moments(
                            numbers.iter().map(|own| ColumnMoments::from_numbers(own)).collect(),
                        )
                    }
                }
                _ => FeatureFit::Done(FeatureModel::Counts(single_table(input, j))),
            })
        })?;
        // the largest variance over all rows of a numeric feature decides how variances are
        // smoothed
        let of_all_rows = found.iter().filter_map(|counted| match counted {
            FeatureFit::Moments(moments) => moments.last(),
            FeatureFit::Done(_) => None,
        });
        let largest = largest_variance(of_all_rows)?;
        let epsilon = var_smoothing * if largest > 0.0 { largest } else { 1.0 };
        let mut features = Vec::with_capacity(found.len());
        for (j, counted) in found.into_iter().enumerate() {
            let moments = match counted {
                FeatureFit::Done(feature) => {
                    features.push(feature);
                    continue;
                }
                FeatureFit::Moments(moments) => moments,
            };
            let (mean, variance) = densities(&moments, epsilon);
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

    /// Check all sizes, and make the tables of logarithms.
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

    /// Logarithm of the joint density of each class and the row.
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
                        out[c] += (at(x + half) - at(x - half)).max(LEAST_LIKELIHOOD).ln();
                    }
                }
                FeatureModel::Counts(_) => {
                    let row = &self.logs[j][cells.codes[j] * k..][..k];
                    out.iter_mut().zip(row).for_each(|(o, l)| *o += l);
                }
            }
        }
        if out.iter().all(|o| !o.is_finite()) {
            self.log_joint_of_nearest(cells, out);
        }
    }

    /// [`Self::log_joint`] if squares overflow in every class: the classes with the smallest sum of
    /// squares get the rest of their log density, all others minus infinity.
    fn log_joint_of_nearest(&self, cells: &RowCells, out: &mut [f64]) {
        let k = out.len();
        out.copy_from_slice(&self.log_prior);
        // logarithms of the squares by class, which do not overflow
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
        // sums of squares relative to the largest square
        let top = squares.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum = |of: &Vec<f64>| of.iter().map(|q| (q - top).exp()).sum::<f64>();
        let sums: Vec<f64> = squares.iter().map(sum).collect();
        let possible = (0..k).filter(|&c| out[c] > f64::NEG_INFINITY);
        let nearest = possible.map(|c| sums[c]).fold(f64::INFINITY, f64::min);
        for (o, sum) in out.iter_mut().zip(sums) {
            // logarithms of numbers near 1e308 are exact to about 1e-13 of a square
            if sum > nearest * (1.0 + 1e-12) {
                *o = f64::NEG_INFINITY;
            }
        }
    }
}

/// `log P(value | class)` from the counts, both at `[value * classes + class]`; zeros for a missing
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

//! Naive Bayes: features independent given the class.
//!
//! `log P(c) + sum_j log P(x_j | c)` over the known features. A nominal or binned feature has
//! smoothed shares of its values; a number has a normal density with the class's mean and
//! (population) variance, to which `var_smoothing` times the largest variance of any numeric
//! feature is added, as scikit-learn's GaussianNB does. A class in which no number of a feature is
//! known takes the mean and variance of all rows. Sums run over values in ascending order and are
//! compensated (Neumaier), so that the order of the rows does not matter.

use super::counts::single_table;
use super::{Cells, Input, Reading, Smoothing};
use crate::data::{Column, Dataset, NumericColumn, Weights, entry_row};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use serde::{Deserialize, Serialize};

/// What is known of a feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// Mean and variance in each class, smoothing included.
    Normal {
        /// Means by class.
        mean: Vec<f64>,
        /// Variances by class.
        variance: Vec<f64>,
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
    pub features: Vec<Feature>,
    /// What was added to the variances.
    pub epsilon: f64,
    #[serde(skip)]
    log_prior: Vec<f64>,
    /// Logarithms by `[value * classes + class]`, zeros for a missing value; for numbers, `-log(2
    /// pi var)/2` by class.
    #[serde(skip)]
    logs: Vec<Vec<f64>>,
}

/// Compensated sum.
#[derive(Debug, Clone, Copy, Default)]
struct Neumaier {
    sum: f64,
    rest: f64,
}

impl Neumaier {
    fn add(&mut self, x: f64) {
        let t = self.sum + x;
        self.rest +=
            if self.sum.abs() >= x.abs() { (self.sum - t) + x } else { (x - t) + self.sum };
        self.sum = t;
    }
    fn value(self) -> f64 {
        self.sum + self.rest
    }
}

/// Weight, mean and population variance by class, and of all rows (last).
fn moments(column: &NumericColumn, classes: &[u16], k: usize, weights: &Weights) -> Vec<[f64; 3]> {
    let mut weight = vec![0.0; k + 1];
    let mut sums = vec![Neumaier::default(); k + 1];
    let known =
        || column.order().iter().map(|&e| entry_row(e)).filter(|&r| !column.value(r).is_nan());
    for row in known() {
        let (w, x) = (weights.value(row), column.value(row));
        for c in [classes[row as usize] as usize, k] {
            weight[c] += w;
            sums[c].add(w * x);
        }
    }
    let mean: Vec<f64> = sums.iter().zip(&weight).map(|(s, w)| s.value() / w).collect();
    let mut squares = vec![Neumaier::default(); k + 1];
    for row in known() {
        let (w, x) = (weights.value(row), column.value(row));
        for c in [classes[row as usize] as usize, k] {
            if w > 0.0 {
                squares[c].add(w * (x - mean[c]) * (x - mean[c]));
            }
        }
    }
    (0..=k).map(|c| [weight[c], mean[c], squares[c].value() / weight[c]]).collect()
}

impl Naive {
    /// Fit to all rows.
    pub fn fit(
        data: &Dataset,
        weights: &Weights,
        input: &Input,
        smoothing: Smoothing,
        var_smoothing: f64,
        priors: Option<&[f64]>,
        control: &Control,
    ) -> Result<Self> {
        if !(var_smoothing >= 0.0 && var_smoothing.is_finite()) {
            return Err(Error::parameter("var_smoothing", var_smoothing, "must be a number >= 0"));
        }
        let k = input.n_classes();
        let total: f64 = input.class_counts.iter().sum();
        let prior = priors.map_or_else(
            || input.class_counts.iter().map(|c| c / total).collect(),
            <[f64]>::to_vec,
        );
        if prior.len() != k {
            return Err(Error::parameter(
                "priors",
                format!("{prior:?}"),
                format!("needs one number for each of {k} classes"),
            ));
        }
        let found = parallel::map(control, input.features(), |j| {
            control.check()?;
            Ok(match &data.columns()[j] {
                Column::Numeric(c) if input.readings[j] == Reading::Number => {
                    (Feature::Counts(Vec::new()), moments(c, &input.classes, k, weights))
                }
                _ => (Feature::Counts(single_table(input, j)), Vec::new()),
            })
        })?;
        let largest = found
            .iter()
            .filter_map(|(_, m)| m.last())
            .map(|m| m[2])
            .filter(|v| !v.is_nan())
            .fold(0.0, f64::max);
        if largest == f64::INFINITY {
            return Err(Error::Data(
                "the variance of a numeric column overflows float64: scale the columns".into(),
            ));
        }
        let epsilon = var_smoothing * if largest > 0.0 { largest } else { 1.0 };
        let mut features = Vec::with_capacity(found.len());
        for (j, (feature, m)) in found.into_iter().enumerate() {
            if m.is_empty() {
                features.push(feature);
                continue;
            }
            // A column without a known value says nothing: any density will do.
            let all = if m[k][0] > 0.0 { m[k] } else { [1.0, 0.0, 1.0] };
            let of = |c: usize| if m[c][0] > 0.0 { m[c] } else { all };
            let variance: Vec<f64> = (0..k).map(|c| of(c)[2] + epsilon).collect();
            if let Some(c) = variance.iter().position(|&v| v <= 0.0) {
                return Err(Error::Data(format!(
                    "column '{}' has variance 0 in class '{}': give var_smoothing a positive \
                     value, or discretise the column",
                    data.schema().features[j].name,
                    data.schema().classes[c]
                )));
            }
            features.push(Feature::Normal { mean: (0..k).map(|c| of(c)[1]).collect(), variance });
        }
        let mut model =
            Self { smoothing, prior, features, epsilon, log_prior: Vec::new(), logs: Vec::new() };
        let arities: Vec<usize> = input.readings.iter().map(Reading::arity).collect();
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
                Feature::Normal { mean, variance } => {
                    if mean.len() != k || variance.len() != k || v != 0 {
                        return Err(wrong());
                    }
                    variance.iter().map(|var| -0.5 * (std::f64::consts::TAU * var).ln()).collect()
                }
                Feature::Counts(cells) => {
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
    pub(crate) fn log_joint(&self, cells: &Cells, out: &mut [f64]) {
        let k = out.len();
        out.copy_from_slice(&self.log_prior);
        for (j, feature) in self.features.iter().enumerate() {
            match feature {
                Feature::Normal { mean, variance } => {
                    let x = cells.numbers[j];
                    if x.is_nan() {
                        continue;
                    }
                    for c in 0..k {
                        out[c] +=
                            self.logs[j][c] - 0.5 * (x - mean[c]) * (x - mean[c]) / variance[c];
                    }
                }
                Feature::Counts(_) => {
                    let row = &self.logs[j][cells.codes[j] * k..][..k];
                    out.iter_mut().zip(row).for_each(|(o, l)| *o += l);
                }
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

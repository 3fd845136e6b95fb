//! Tests of independence between a feature and the target by conditional inference (Strasser &
//! Weber 1999; Hothorn, Hornik & Zeileis 2006).
//!
//! A feature has scores g (its number, or an indicator for each level), the target has influences h
//! (an indicator for each class, or its number). The statistic is built on the sum of w g h over
//! the rows, whose mean and covariance are known if all pairings of g and h are equally likely.
//! [`LinearSums`] adds up the groups of rows with one value of the feature; [`LinearStatistic`] is
//! their deviation from independence, with its covariance.
//! [`FeatureTestKind::test`] turns it into a statistic and the logarithm of its p-value: by the
//! chi-squared distribution ([`chi_squared`]), by a multivariate normal one ([`normal`]), or by
//! permutations of the target ([`permutation`]). [`merging`] merges levels first, as CHAID does.
//! O(values x classes) and the cost of the tail.

pub mod chi_squared;
mod linear;
pub mod merging;
mod normal;
mod permutation;

pub use linear::{LinearStatistic, LinearSums};
pub use merging::{LevelMerging, LevelOrder, LevelTable, MergedLevels};
pub use permutation::permutation_log_p_value;

use serde::Deserialize;

/// How the deviation from independence becomes a p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FeatureTestKind {
    /// The quadratic form, chi-squared distributed.
    Quadratic,
    /// The largest standardised component, multivariate normal.
    Maximum,
    /// The quadratic form, compared with its values for permuted targets.
    Permutation,
}

impl FeatureTestKind {
    /// The statistic and the natural logarithm of its p-value. `effective` is the number of rows
    /// that the weights stand for, above 1; `permuted` gives the logarithm of the p-value of a
    /// quadratic form by permutations.
    pub fn test(
        self,
        linear: &LinearStatistic<'_>,
        effective: f64,
        permuted: impl FnOnce(f64) -> f64,
    ) -> (f64, f64) {
        // Scaling all weights to the effective sum scales every squared component.
        let scale = effective / linear.total * (1.0 - 1.0 / effective);
        match self {
            Self::Quadratic => linear.chi_squared(scale),
            Self::Maximum => linear.maximum(scale),
            Self::Permutation => {
                let (form, _) = linear.quadratic();
                (form * scale, permuted(form))
            }
        }
    }
}

/// The logarithm of `1 - (1 - p)^m`, the p-value of the smallest of `m` independent ones, given the
/// logarithm of p. It adjusts a p-value for `m` tests; the result is at most 0, the logarithm of 1.
/// Logarithms keep p-values apart that are below the smallest double.
pub fn sidak(log_p: f64, m: usize) -> f64 {
    let m = m as f64;
    // log(1 - p), exact for small and for large p.
    let log_rest = if log_p > -0.7 { (-log_p.exp_m1()).ln() } else { (-log_p.exp()).ln_1p() };
    match m * log_rest {
        // 1 - exp(-x) is x for tiny x; below the smallest double p is known by its logarithm alone.
        x if x > -1e-17 => (log_p + m.ln()).min(0.0),
        x => (-x.exp_m1()).ln(),
    }
}

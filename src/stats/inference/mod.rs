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
pub mod permutation;

pub use linear::{LinearStatistic, LinearSums};
pub use merging::{LevelMerging, LevelOrder, LevelTable, MergedLevels};
pub use permutation::PermutedRows;

use serde::{Deserialize, Serialize};

/// How the deviation from independence becomes a p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FeatureTestKind {
    /// The quadratic form, chi-squared distributed.
    #[default]
    Quadratic,
    /// The largest standardised component, multivariate normal.
    Maximum,
    /// The quadratic form, compared with its values for permuted targets.
    Permutation,
}

impl FeatureTestKind {
    /// The statistic and the natural logarithm of its p-value. `effective` is the number of rows
    /// that the weights stand for, above 1; `pairing` gives the rows for permutations.
    pub fn test(
        self,
        linear: &LinearStatistic,
        effective: f64,
        pairing: impl FnOnce() -> PermutedRows,
    ) -> (f64, f64) {
        // Scaling all weights to the effective sum scales every squared component.
        let scale = effective / linear.total * (1.0 - 1.0 / effective);
        if self == Self::Maximum {
            let limit = (linear.largest() * scale).sqrt();
            return (limit, linear.log_p_of_largest(limit));
        }
        let (form, rank) = linear.quadratic();
        let statistic = form * scale;
        let log_p = match self {
            Self::Permutation => pairing().log_p(form),
            _ => chi_squared::log_upper_tail(statistic, rank as f64),
        };
        (statistic, log_p)
    }
}

/// The logarithm of `1 - (1 - p)^m`, the p-value of the smallest of `m` independent ones, given the
/// logarithm of p.
pub fn bonferroni(log_p: f64, m: usize) -> f64 {
    let m = m as f64;
    // log(1 - p), exact for small and for large p.
    let log_rest = if log_p > -0.7 { (-log_p.exp_m1()).ln() } else { (-log_p.exp()).ln_1p() };
    match m * log_rest {
        // 1 - exp(-x) is x for tiny x; below the smallest double p is known by its logarithm alone.
        x if x > -1e-17 => (log_p + m.ln()).min(0.0),
        x => (-x.exp_m1()).ln(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjusted_p_values_are_those_of_the_smallest() {
        for (p, m) in [(0.01_f64, 5), (0.3, 4), (1e-9, 20), (0.999, 3), (0.05, 1)] {
            let expected = 1.0 - (1.0 - p).powi(m as i32);
            let found = bonferroni(p.ln(), m).exp();
            assert!((found - expected).abs() <= 1e-7 * expected, "{p} {m}: {found} {expected}");
        }
        assert_eq!(bonferroni(0.0, 7), 0.0);
        assert!((bonferroni(-800.0, 10) - (-800.0 + 10_f64.ln())).abs() < 1e-12);
    }
}

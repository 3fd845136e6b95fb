//! From counts to probabilities of values: Laplace's rule and the m-estimate.
//!
//! If value x, one of v values, occurs n_x times in n rows, it gets the probability
//! `(n_x + s) / (n + s v)`. Laplace's rule (generalised by Lidstone) has s = alpha; the m-estimate
//! (Cestnik 1990, with a uniform prior) has s = alpha / v, so that the prior weighs alpha rows
//! whatever the number of values.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// The rule with its parameter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "snake_case", deny_unknown_fields)]
pub enum Smoothing {
    /// `alpha` is added to every count.
    Laplace {
        /// Greater than 0.
        alpha: f64,
    },
    /// `alpha / v` is added to every count: a uniform prior that weighs `alpha` rows.
    MEstimate {
        /// Greater than 0.
        alpha: f64,
    },
}

impl Smoothing {
    /// Check that `alpha` is positive and finite. With 0, a value that a class never had would
    /// exclude the class whatever the other features say; a tiny number comes as close as wanted.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        let (Self::Laplace { alpha } | Self::MEstimate { alpha }) = *self;
        if alpha > 0.0 && alpha.is_finite() {
            return Ok(());
        }
        Err(Error::parameter("alpha", alpha, "must be a positive number (1e-10 is all but none)"))
    }

    /// The number s that is added to the count of each of `values` values: a weight of rows, not a
    /// share. It is positive even if `alpha / values` is too small for float64.
    pub fn pseudo_count(&self, values: usize) -> f64 {
        match *self {
            Self::Laplace { alpha } => alpha,
            // positive, also if the quotient underflows
            Self::MEstimate { alpha } => (alpha / values.max(1) as f64).max(f64::from_bits(1)),
        }
    }

    /// Natural logarithm of the smoothed share of `count` in `total` over `values` values, at most
    /// 0. If the sum of `total` and all that is added overflows, both are divided by s first.
    #[inline]
    pub fn log(&self, count: f64, total: f64, values: usize) -> f64 {
        let s = self.pseudo_count(values);
        let all = total + s * values as f64;
        if all.is_finite() {
            return ((count + s) / all).ln();
        }
        // the sum overflows: divide by s first
        ((count / s + 1.0) / (total / s + values as f64)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_rules_sum_to_one() {
        for rule in [Smoothing::Laplace { alpha: 0.5 }, Smoothing::MEstimate { alpha: 3.0 }] {
            let sum: f64 = [2.0, 0.0, 5.0].iter().map(|&c| rule.log(c, 7.0, 3).exp()).sum();
            assert!((sum - 1.0).abs() < 1e-15);
        }
        assert_eq!(Smoothing::Laplace { alpha: 1.0 }.log(0.0, 2.0, 2), 0.25_f64.ln());
        assert_eq!(Smoothing::MEstimate { alpha: 2.0 }.log(0.0, 2.0, 4), 0.125_f64.ln());
        assert!(Smoothing::Laplace { alpha: 0.0 }.check().is_err());
        for alpha in [1e308, 1e-320] {
            for rule in [Smoothing::Laplace { alpha }, Smoothing::MEstimate { alpha }] {
                let sum: f64 = [0.0; 30].iter().map(|&c| rule.log(c, 0.0, 30).exp()).sum();
                assert!((sum - 1.0).abs() < 1e-3, "{sum}");
            }
        }
    }
}

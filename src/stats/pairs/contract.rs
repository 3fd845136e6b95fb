//! Settings of the framework (theta, alpha, decay) and the count matrices R under a setting.
//!
//! `R_m[c, case] = theta_case * sum over D of f(D) N[k][m][c][case][D]` (Vilalta et al. 2001, eq.
//! 10 and figure 4), where f is a [`Decay`]. One multiplication per count: a few thousand per
//! setting, so a thousand settings cost less than the pass that counted. Sums run over distances in
//! ascending order and do not depend on threads. Metrics that are linear in R are cheaper from a
//! [`Profile`](super::Profile), which is already summed over values and classes;
//! [`count_matrices`] is for user-defined metrics.

use super::counts::PairCounts;
use crate::error::{Error, Result};

/// How the weight of a pair falls with its distance; alpha is in [`PairSetting`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decay {
    /// `2^(-alpha D)`.
    Exponential,
    /// `D^-alpha`; pairs at distance 0 weigh `at_zero`.
    Power {
        /// Weight of a pair at distance 0.
        at_zero: f64,
    },
    /// 1 if `D < alpha`, else 0.
    Threshold,
    /// 1 if `D = 0`, else 0.
    Identical,
    /// 1.
    Uniform,
}

/// Largest weight at distance 0: its product with any number of pairs is finite.
const MOST_AT_ZERO: f64 = 1e250;

/// The metrics of the framework, as sums of R over values and classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairMetric {
    /// `sum_m n_m/n sum_c (R_m[c,1] + R_m[c,4] - R_m[c,2] - R_m[c,3])` (eq. 14 with the weight
    /// inside the sum, eq. 15): cases 1 and 4 are evidence for a feature, 2 and 3 against it.
    Pi,
    /// [`Self::Pi`] without the share `n_m/n` of each value; it ranks features as [`Self::Relief`]
    /// under the same decay does.
    PlainPi,
    /// `sum_m sum_c R_m[c,4]` (Hong 1997 with all pairs, under any decay): pairs with other value
    /// and other class.
    ContextualMerit,
    /// `sum_m sum_c (R_m[c,4] - R_m[c,3])`, under any decay; a threshold is Relief with a radius.
    Relief,
}

impl PairMetric {
    /// The metric that users call `name`. `None` for any other name, which the caller refuses or
    /// takes for a metric of the user.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "pi" => Some(Self::Pi),
            "pi_unweighted" => Some(Self::PlainPi),
            "contextual_merit" => Some(Self::ContextualMerit),
            "relief" => Some(Self::Relief),
            _ => None,
        }
    }

    /// Sign of each case: 1 if its pairs are evidence for a feature, -1 if they are evidence
    /// against it, 0 if they do not count. A score is the sum of R over the cases, times their
    /// signs.
    pub fn signs(self) -> [f64; 4] {
        match self {
            Self::Pi | Self::PlainPi => [1.0, -1.0, -1.0, 1.0],
            Self::ContextualMerit => [0.0, 0.0, 0.0, 1.0],
            Self::Relief => [0.0, 0.0, -1.0, 1.0],
        }
    }
}

/// A setting of the framework: theta, alpha and decay, checked when it is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairSetting {
    theta: [f64; 4],
    alpha: f64,
    decay: Decay,
}

impl PairSetting {
    /// A checked setting: each theta in [0, 1], alpha finite and at least 0, the weight at distance
    /// 0 in [0, 1e250].
    ///
    /// # Errors
    /// [`Error::Parameter`] naming the parameter out of its range.
    pub fn new(theta: [f64; 4], alpha: f64, decay: Decay) -> Result<Self> {
        for (i, &t) in theta.iter().enumerate() {
            if !(0.0..=1.0).contains(&t) {
                return Err(Error::parameter("theta", t, format!("theta[{i}] must lie in [0, 1]")));
            }
        }
        if !(alpha.is_finite() && alpha >= 0.0) {
            return Err(Error::parameter("alpha", alpha, "alpha must be finite and at least 0"));
        }
        if let Decay::Power { at_zero } = decay
            && !(0.0..=MOST_AT_ZERO).contains(&at_zero)
        {
            return Err(Error::parameter("at_zero", at_zero, "at_zero must lie in [0, 1e250]"));
        }
        Ok(Self { theta, alpha, decay })
    }

    /// Default of `pi`: theta (1, 1, 1, 1), alpha 0.1, exponential.
    pub fn pi() -> Self {
        Self { theta: [1.0; 4], alpha: 0.1, decay: Decay::Exponential }
    }

    /// Relief as an instance of the framework: theta (0, 0, 1, 1), threshold (proposition 2).
    ///
    /// # Errors
    /// [`Error::Parameter`] for a radius that is negative or not finite.
    pub fn relief(radius: f64) -> Result<Self> {
        Self::new([0.0, 0.0, 1.0, 1.0], radius, Decay::Threshold).map_err(|_| {
            Error::parameter("radius", radius, "the radius must be finite and at least 0")
        })
    }

    /// Weight of a pair at `distance`, before theta. It is finite and at least 0, and may underflow
    /// to 0 at large distances.
    pub fn weight(&self, distance: usize) -> f64 {
        let d = distance as f64;
        match self.decay {
            Decay::Exponential => (-self.alpha * d).exp2(),
            Decay::Power { at_zero } if distance == 0 => at_zero,
            Decay::Power { .. } => d.powf(-self.alpha),
            Decay::Threshold => f64::from(u8::from(d < self.alpha)),
            Decay::Identical => f64::from(u8::from(distance == 0)),
            Decay::Uniform => 1.0,
        }
    }

    /// Weights of the distances `0..distances`. Pairs over n features have n + 1 distances.
    pub fn weights(&self, distances: usize) -> Vec<f64> {
        (0..distances).map(|d| self.weight(d)).collect()
    }

    /// The theta of each case, between 0 and 1. R of a case is multiplied by it.
    pub fn theta(&self) -> [f64; 4] {
        self.theta
    }
}

/// `sum of counts[d] * weights[d]`; a count of 0 adds nothing even to an infinite weight.
pub(super) fn dot(counts: &[i64], weights: &[f64]) -> f64 {
    counts
        .iter()
        .zip(weights)
        .fold(0.0, |sum, (&c, w)| if c == 0 { sum } else { sum + c as f64 * w })
}

/// Count matrices under a setting, `[slot][class][case]` with the values of all features as slots.
/// O(cells) of the counts; built-in metrics take a [`Profile`](super::Profile), which has fewer
/// numbers.
pub fn count_matrices(counts: &PairCounts, setting: &PairSetting) -> Vec<f64> {
    let weights = setting.weights(counts.distances());
    let by_distance = counts.cells.chunks_exact(counts.distances()).enumerate();
    by_distance.map(|(i, counts)| setting.theta[i % 4] * dot(counts, &weights)).collect()
}

/// Count matrix of the whole set, `[class][case]`; cases 3 and 4 are zero (eq. 12).
pub fn root_matrix(counts: &PairCounts, setting: &PairSetting) -> Vec<f64> {
    let weights = setting.weights(counts.distances());
    let root = counts.root();
    let classes = root.chunks_exact(2 * counts.distances());
    classes
        .flat_map(|class| {
            let (same, other) = class.split_at(counts.distances());
            [
                setting.theta[0] * dot(same, &weights),
                setting.theta[1] * dot(other, &weights),
                0.0,
                0.0,
            ]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_checked() {
        let setting = |t, a, d| PairSetting::new([t, 1.0, 1.0, 1.0], a, d);
        for bad in [f64::NAN, -1.0, 1.5, f64::INFINITY] {
            assert!(setting(bad, 0.1, Decay::Exponential).is_err());
        }
        for bad in [f64::NAN, -0.1, f64::INFINITY] {
            assert!(
                setting(1.0, bad, Decay::Exponential).is_err() && PairSetting::relief(bad).is_err()
            );
        }
        let far = setting(1.0, 1e308, Decay::Exponential).unwrap();
        assert_eq!(far.weights(3), [1.0, 0.0, 0.0]);
        let power = setting(1.0, 1e308, Decay::Power { at_zero: 0.5 }).unwrap();
        assert_eq!(power.weights(3), [0.5, 1.0, 0.0]);
    }
}

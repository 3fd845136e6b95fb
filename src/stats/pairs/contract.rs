//! Contractions: from integer counts by distance to the count matrices R and the metrics of the
//! framework.
//!
//! `R_m[c, case] = theta_case * sum over D of f(D) N[k][m][c][case][D]` (Vilalta et al. 2001, eq.
//! 10 and figure 4), where f is a [`Decay`]. A setting costs a few thousand multiplications, so a
//! thousand settings cost less than the pass that counted. Sums run over distances in ascending
//! order, therefore they do not depend on threads either. A [`Profile`](super::Profile) adds values
//! and classes up once and serves the metrics that are linear in R; use [`count_matrices`] for a
//! metric of your own.

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

/// Largest weight at distance 0: times any number of pairs it is still finite.
const MOST_AT_ZERO: f64 = 1e250;

/// Theta, alpha and decay of the framework.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairSetting {
    theta: [f64; 4],
    alpha: f64,
    decay: Decay,
}

impl PairSetting {
    /// Check: theta in [0, 1], alpha (and the weight at zero) finite and not negative.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming what is outside.
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

    /// What `pi` uses unless told otherwise: theta (1, 1, 1, 1), alpha 0.1, exponential.
    pub fn pi() -> Self {
        Self { theta: [1.0; 4], alpha: 0.1, decay: Decay::Exponential }
    }

    /// Contextual merit as an instance of the framework: theta (0, 0, 0, 1), alpha 2, power
    /// (proposition 2).
    pub fn contextual_merit() -> Self {
        Self { theta: [0.0, 0.0, 0.0, 1.0], alpha: 2.0, decay: Decay::Power { at_zero: 0.0 } }
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

    /// Weight of a pair at distance `d`, before theta.
    pub fn weight(&self, d: usize) -> f64 {
        let x = d as f64;
        match self.decay {
            Decay::Exponential => (-self.alpha * x).exp2(),
            Decay::Power { at_zero } if d == 0 => at_zero,
            Decay::Power { .. } => x.powf(-self.alpha),
            Decay::Threshold => f64::from(u8::from(x < self.alpha)),
            Decay::Identical => f64::from(u8::from(d == 0)),
            Decay::Uniform => 1.0,
        }
    }

    /// Weights of the distances `0..distances`.
    pub fn weights(&self, distances: usize) -> Vec<f64> {
        (0..distances).map(|d| self.weight(d)).collect()
    }

    /// The alpha of the decay.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// How weights fall with distance.
    pub fn decay(&self) -> Decay {
        self.decay
    }

    /// The theta of each case.
    pub fn theta(&self) -> [f64; 4] {
        self.theta
    }
}

pub(super) fn dot(counts: &[i64], weights: &[f64]) -> f64 {
    counts
        .iter()
        .zip(weights)
        .fold(0.0, |sum, (&c, w)| if c == 0 { sum } else { sum + c as f64 * w })
}

/// `R[slot][class][case]`, slots being all values of all features in order.
pub fn count_matrices(counts: &PairCounts, setting: &PairSetting) -> Vec<f64> {
    let weights = setting.weights(counts.distances());
    let rows = counts.cells.chunks_exact(counts.distances()).enumerate();
    rows.map(|(i, row)| setting.theta[i % 4] * dot(row, &weights)).collect()
}

/// R over the whole set, `[class][case]`; cases 3 and 4 are zero, as in the paper's eq. 12.
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

/// R of one feature under uniform weights (also exponential with alpha 0) from its table
/// `[value][class]`, without any pass: `(n_mc^2, n_mc (n_m - n_mc), n_mc (n_c - n_mc), n_mc (n -
/// n_m - n_c + n_mc))` as `[value][class][case]`, theta 1.
pub fn uniform_matrices(table: &[f64], classes: usize) -> Vec<f64> {
    let by_class: Vec<f64> =
        (0..classes).map(|c| table.iter().skip(c).step_by(classes).sum()).collect();
    let n: f64 = by_class.iter().sum();
    let mut out = Vec::with_capacity(table.len() * 4);
    for row in table.chunks_exact(classes) {
        let n_m: f64 = row.iter().sum();
        for (&n_mc, &n_c) in row.iter().zip(&by_class) {
            out.extend([
                n_mc * n_mc,
                n_mc * (n_m - n_mc),
                n_mc * (n_c - n_mc),
                n_mc * (n - n_m - n_c + n_mc),
            ]);
        }
    }
    out
}

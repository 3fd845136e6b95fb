//! Poisson deviance: decrease of half the mean deviance of counts or rates.
//!
//! The impurity of rows with mean `m` is the weighted mean of `y log(y / m) - y + m`. Its part
//! `mean(y log y)` is the same before and after a split, so a split is scored by the means alone:
//! `sum_m W_m/W y_m log y_m - y log y`. This is the weighted mean of the divergences
//! `y_m log(y_m / y) - y_m + y` of the branches' means from the node's, which are computed from the
//! differences of the means, so that no digits cancel where all numbers are far from 0. A split
//! that leaves a branch with mean 0 is not allowed, as the deviance of a later count there would be
//! infinite. With exposures `t`, weights are `t` and numbers are rates `y / t`. O(branches). The
//! criterion is meant for counts and rates, whose variance grows with their mean; numbers may not
//! be negative.

use super::moments::OnMoments;
use super::{EvidenceKind, Info};
use crate::data::TargetGrid;
use crate::error::{Error, Result};
use crate::numeric::Moments;

/// Poisson deviance; no options.
#[derive(Debug)]
pub struct Poisson;

pub(super) static INFO: Info = Info {
    name: "poisson",
    class_name: "Poisson",
    summary: "Decrease of half the mean Poisson deviance of counts or rates.",
    formula: r"\sum_m \frac{W_m}{W} \bar y_m \ln \bar y_m - \bar y \ln \bar y",
    distance: r"-\sum_m \frac{W_m}{W} \bar y_m \ln \bar y_m",
    source: "therneau1997",
    fractional: true,
    example_score: 0.735_147_589_547_247_2,
    ..Info::number_defaults(EvidenceKind::Moments)
};

/// `y ln y`, 0 at 0.
fn y_ln_y(y: f64) -> f64 {
    if y > 0.0 { y * y.ln() } else { 0.0 }
}

/// `1 / (k (k - 1))` for k from 7 down to 2.
const SERIES: [f64; 6] = [1.0 / 42.0, 1.0 / 30.0, 1.0 / 20.0, 1.0 / 12.0, 1.0 / 6.0, 1.0 / 2.0];

impl OnMoments for Poisson {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// The impurity without `mean(y ln y)`, which the rows add.
    fn impurity(&self, rows: &Moments, grid: TargetGrid) -> f64 {
        -y_ln_y(grid.to_number(rows.mean))
    }

    fn score(
        &self,
        node: &Moments,
        branches: &mut dyn Iterator<Item = Moments>,
        grid: TargetGrid,
    ) -> f64 {
        let (mut between, at) = (0.0, grid.to_number(node.mean));
        for branch in branches.filter(|branch| branch.weight > 0.0) {
            // Less than half a unit is a sum of 0.
            if grid.to_number(branch.mean) * branch.weight < 0.5 * grid.unit {
                return f64::NEG_INFINITY;
            }
            let difference = (branch.mean - node.mean) * grid.unit;
            between += branch.weight / node.weight * self.divergence(difference, at);
        }
        between
    }

    fn is_of_means(&self) -> bool {
        true
    }

    fn averages_divergences(&self) -> bool {
        true
    }

    /// `y ln(y / at) - y + at` for `y = at + difference`, and `at = 0` as the smallest positive
    /// number.
    fn divergence(&self, difference: f64, at: f64) -> f64 {
        let at = at.max(f64::MIN_POSITIVE);
        if difference.abs() < 1e-3 * at {
            // (1 + r) ln(1 + r) - r, whose next term is below 1e-18 of the first.
            let r = difference / at;
            return difference * r * SERIES.iter().fold(0.0, |sum, term| term - r * sum);
        }
        let y = (at + difference).max(0.0);
        let product = if y > 0.0 { y * (y / at).ln() } else { 0.0 };
        product - difference
    }

    fn admit(&self, name: &str, values: &mut dyn Iterator<Item = (usize, f64)>) -> Result<()> {
        let mut sum = 0.0;
        for (row, y) in values {
            if y < 0.0 {
                return Err(Error::Data(format!(
                    "target '{name}', row {row} is {y}: criterion='poisson' takes counts and \
                     rates, which are not negative; choose 'squared_error' or 'absolute_error'"
                )));
            }
            sum += y;
        }
        if sum <= 0.0 {
            return Err(Error::Data(format!(
                "target '{name}' is 0 in all rows: criterion='poisson' needs a positive sum; \
                 choose 'squared_error'"
            )));
        }
        Ok(())
    }
}

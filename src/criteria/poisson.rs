//! Poisson deviance: decrease of half the mean deviance of counts or rates.
//!
//! The impurity of rows with mean `m` is the weighted mean of `y log(y / m) - y + m`. Its part
//! `mean(y log y)` is the same before and after a split, so a split is scored by the means alone:
//! `sum_m W_m/W y_m log y_m - y log y`. A split that leaves a branch with mean 0 is not allowed, as
//! the deviance of a later count there would be infinite. With exposures `t`, weights are `t` and
//! numbers are rates `y / t`. O(branches). For counts and rates, whose variance grows with their
//! mean; numbers may not be negative.

use super::moments::OnMoments;
use super::{EvidenceKind, Info};
use crate::data::TargetGrid;
use crate::error::{Error, Result};
use crate::numeric::Moments;
use serde::{Deserialize, Serialize};

/// Poisson deviance; no options.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Poisson {}

pub(super) static INFO: Info = Info {
    name: "poisson",
    class_name: "Poisson",
    summary: "Decrease of half the mean Poisson deviance of counts or rates.",
    formula: r"\sum_m \frac{W_m}{W} \bar y_m \ln \bar y_m - \bar y \ln \bar y",
    distance: r"-\sum_m \frac{W_m}{W} \bar y_m \ln \bar y_m",
    source: "Therneau & Atkinson, An introduction to recursive partitioning using the RPART \
        routines (1997)",
    fractional: true,
    example_score: 0.735_147_589_547_247_2,
    ..Info::on_numbers(EvidenceKind::Moments)
};

/// `y ln y`, 0 at 0.
fn y_ln_y(y: f64) -> f64 {
    if y > 0.0 { y * y.ln() } else { 0.0 }
}

impl OnMoments for Poisson {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// Without `mean(y ln y)`, which rows add.
    fn impurity(&self, rows: &Moments, grid: TargetGrid) -> f64 {
        -y_ln_y(grid.number(rows.mean))
    }

    fn score(
        &self,
        node: &Moments,
        branches: &mut dyn Iterator<Item = Moments>,
        grid: TargetGrid,
    ) -> f64 {
        let mut after = 0.0;
        for branch in branches.filter(|branch| branch.weight > 0.0) {
            let mean = grid.number(branch.mean);
            // Less than half a unit is a sum of 0.
            if mean * branch.weight < 0.5 * grid.unit {
                return f64::NEG_INFINITY;
            }
            after += branch.weight / node.weight * y_ln_y(mean);
        }
        after - y_ln_y(grid.number(node.mean))
    }

    fn is_of_means(&self) -> bool {
        true
    }

    fn row_term(&self) -> Option<fn(f64) -> f64> {
        Some(y_ln_y)
    }

    /// A leaf that says 0 costs as if it said the smallest positive number.
    fn row_loss(&self, y: f64, value: f64) -> f64 {
        y_ln_y(y) - y * value.max(f64::MIN_POSITIVE).ln() - y + value
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

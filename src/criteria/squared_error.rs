//! Squared error: decrease of the variance (Breiman, Friedman, Olshen & Stone 1984, section 8.3).
//!
//! Computed as the weighted mean of the squared differences between the branches' means and the
//! node's, which is the variance of the node minus the mean variance of its branches, without the
//! subtraction of two large numbers. With two branches it is Friedman's improvement (2001), so
//! `friedman_mse` is another name for it. O(branches). It is sensitive to outliers: one far number
//! can decide a split, whereas `absolute_error` depends only on which side of the median it lies.

use super::moments::OnMoments;
use super::{EvidenceKind, Info};
use crate::data::TargetGrid;
use crate::numeric::Moments;

/// Squared error; no options.
#[derive(Debug)]
pub struct SquaredError;

pub(super) static INFO: Info = Info {
    name: "squared_error",
    aliases: &["friedman_mse"],
    class_name: "SquaredError",
    summary: "Decrease of the variance of a numeric target.",
    formula: r"\sum_m \frac{W_m}{W} (\bar y_m - \bar y)^2",
    distance: r"\sum_m \frac{W_m}{W} \operatorname{var}(y_m)",
    source: "breiman1984",
    fractional: true,
    example_score: 6.0,
    ..Info::number_defaults(EvidenceKind::Moments)
};

impl OnMoments for SquaredError {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn impurity(&self, rows: &Moments, grid: TargetGrid) -> f64 {
        grid.variance(rows)
    }

    fn score(
        &self,
        node: &Moments,
        branches: &mut dyn Iterator<Item = Moments>,
        grid: TargetGrid,
    ) -> f64 {
        let between: f64 = branches
            .map(|branch| {
                let difference = branch.mean - node.mean;
                branch.weight * (difference * difference)
            })
            .sum();
        between / node.weight * (grid.unit * grid.unit)
    }

    fn is_between_means(&self) -> bool {
        true
    }
}

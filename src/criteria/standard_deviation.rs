//! Decrease of the standard deviation (Quinlan, "Learning with continuous classes", 1992).
//!
//! `sd - sum_m W_m/W sd_m`, the expected reduction in error of M5; Weka's M5P maximises the same of
//! the fifth root of the variance, with more than a fifth of the rows, rounded down, on either side
//! (`variant="weka"`). O(branches), a root per branch. Less moved by outliers than `squared_error`.
//! A split never has a negative score, as the square root is concave.

use super::moments::OnMoments;
use super::{EvidenceKind, Info, OptionDomain, OptionInfo};
use crate::data::TargetGrid;
use crate::numeric::Moments;
use serde::Deserialize;

/// Which deviation is reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviationRoot {
    /// The standard deviation.
    #[default]
    Quinlan,
    /// The fifth root of the variance, as in M5P.
    Weka,
}

/// Decrease of the standard deviation.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StandardDeviation {
    /// Which deviation is reduced.
    pub variant: DeviationRoot,
}

pub(super) static INFO: Info = Info {
    name: "standard_deviation",
    class_name: "StandardDeviation",
    summary: "Decrease of the standard deviation of a numeric target.",
    formula: r"\operatorname{sd}(y) - \sum_m \frac{W_m}{W} \operatorname{sd}(y_m)",
    distance: r"\sum_m \frac{W_m}{W} \operatorname{sd}(y_m)",
    source: "quinlan1992",
    fractional: true,
    options: &[OptionInfo {
        name: "variant",
        default: "\"quinlan\"",
        others: "[\"weka\"]",
        domain: OptionDomain::Words { words: &["quinlan", "weka"] },
        doc: "``\"quinlan\"``, or ``\"weka\"``: the fifth root of the variance, where each \
            branch holds more than a fifth of the rows, rounded down, as M5P.",
        ..OptionInfo::PLAIN
    }],
    example_score: 1.717_783_013_524_423_9,
    ..Info::number_defaults(EvidenceKind::Moments)
};

impl OnMoments for StandardDeviation {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn impurity(&self, rows: &Moments, grid: TargetGrid) -> f64 {
        let variance = grid.variance(rows);
        match self.variant {
            DeviationRoot::Quinlan => variance.sqrt(),
            DeviationRoot::Weka => variance.powf(0.2),
        }
    }

    fn score(
        &self,
        node: &Moments,
        branches: &mut dyn Iterator<Item = Moments>,
        grid: TargetGrid,
    ) -> f64 {
        let least = match self.variant {
            DeviationRoot::Quinlan => 0.0,
            DeviationRoot::Weka => (node.weight / 5.0).floor(),
        };
        let mut after = 0.0;
        for branch in branches.filter(|branch| branch.weight > 0.0) {
            if branch.weight <= least {
                return f64::NEG_INFINITY;
            }
            after += branch.weight / node.weight * self.impurity(&branch, grid);
        }
        self.impurity(node, grid) - after
    }
}

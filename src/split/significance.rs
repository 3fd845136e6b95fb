//! The rule of selection by significance ([`Significance`]): the feature whose independence of the
//! target is least likely is split, if it is unlikely enough.
//!
//! It is the rule of conditional inference trees (Hothorn, Hornik & Zeileis 2006) with the details
//! of partykit 1.2. Growth tests the features of a node ([`crate::stats::inference`]); the rule
//! adjusts the p-values and ranks the features. If a feature has no allowed split, the next
//! significant feature is tried. The criterion chooses the split of the chosen feature, unless
//! CHAID's merging has grouped its levels: then each group has a branch. O(features log features)
//! per node.

use crate::numeric::sort_few;
use crate::stats::inference::{FeatureTestKind, LevelMerging, sidak};
use crate::tree::FeatureTest;
use serde::Deserialize;

/// Smallest logarithm of a p-value that is compared. Features with smaller ones are compared by
/// their statistics, as partykit does: it is the logarithm of the square root of the smallest
/// normal double.
const UNDERFLOW: f64 = -354.198_209_266_132_06;

/// How p-values are adjusted for the number of tested features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Adjust {
    /// `1 - (1 - p)^m` for m features that vary.
    Bonferroni,
    /// P-values are compared as they are.
    None,
}

/// The rule of selection, and the limits that go with it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Significance {
    /// How independence is tested.
    pub test: FeatureTestKind,
    /// How p-values are adjusted.
    pub adjust: Adjust,
    /// A feature is split if its p-value is below this.
    pub alpha: f64,
    /// The two-sample statistic by which the split of the chosen feature is chosen; `None`: by the
    /// criterion.
    pub cut: Option<FeatureTestKind>,
    /// Features that are tried until one has an allowed split.
    pub split_tries: usize,
    /// Least share of a branch in the weight of the rows that are divided.
    pub min_prob: f64,
    /// Levels are merged before a feature is tested, and the split has a branch for each group of
    /// levels.
    pub merging: Option<LevelMerging>,
    /// Least weight of a branch.
    #[serde(skip)]
    pub least: f64,
    /// Rows without a value are left out of the test and the search for a split, and join the
    /// heaviest branch.
    #[serde(skip)]
    pub leaves_out: bool,
}

impl Significance {
    /// Least weight of a branch of rows that weigh `total`. It is the larger of the absolute limit
    /// and the share `min_prob`, which is rounded up to a whole weight.
    pub fn least_branch(&self, total: f64) -> f64 {
        self.least.max((total * self.min_prob).ceil())
    }

    /// Whether the p-value of a feature, adjusted as the rule says, is below the level of
    /// significance. Only such a feature may be split.
    pub fn is_significant(&self, test: FeatureTest) -> bool {
        test.log_p < self.alpha.ln()
    }

    /// Adjust the p-values of features and sort the features, most significant first. Equal
    /// p-values, and p-values too small for a comparison, are ordered by the statistic, then in the
    /// order given.
    pub fn rank(&self, mut tests: Vec<(u32, FeatureTest)>) -> Vec<(u32, FeatureTest)> {
        let n_tests = tests.len();
        if self.adjust == Adjust::Bonferroni {
            tests.iter_mut().for_each(|(_, test)| test.log_p = sidak(test.log_p, n_tests));
        }
        let compared = |test: &FeatureTest| test.log_p.max(UNDERFLOW);
        sort_few(&mut tests, &|(_, test), (_, other)| {
            let by_log_p = compared(test).total_cmp(&compared(other));
            by_log_p.then(other.statistic.total_cmp(&test.statistic))
        });
        tests
    }
}

//! The rule of selection by significance ([`Significance`]): the feature whose independence of the
//! target is least likely is split, if it is unlikely enough.
//!
//! It is the rule of conditional inference trees (Hothorn, Hornik & Zeileis 2006) with the details
//! of partykit 1.2. Growth tests the features of a node ([`crate::stats::inference`]); the rule
//! adjusts the p-values and ranks the features. A feature without an allowed split gives way to the
//! next significant one. The split of the chosen feature is that of the criterion, or has a branch
//! for each group of levels that CHAID's merging leaves. O(features log features) per node.

use crate::numeric::sort_few;
use crate::stats::inference::{FeatureTestKind, LevelMerging, bonferroni};
use crate::tree::FeatureTest;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Values of log(1 - p) that differ by less are equal: p underflows, and the statistic decides (the
/// square root of the smallest normal double, as in partykit).
const UNDERFLOW: f64 = 1.491_668_146_240_041_3e-154;

/// How p-values are adjusted for the number of tested features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Adjust {
    /// `1 - (1 - p)^m` for m features that vary.
    #[default]
    Bonferroni,
    /// Not at all.
    None,
}

/// The rule, and the limits that go with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Significance {
    /// How independence is tested.
    pub test: FeatureTestKind,
    /// How p-values are adjusted.
    pub adjust: Adjust,
    /// A feature is split if its p-value is below this.
    pub alpha: f64,
    /// Features that are tried until one has an allowed split.
    pub tries: usize,
    /// Least weight of a branch.
    pub least: f64,
    /// Least share of a branch in the weight of the rows that are divided.
    pub least_share: f64,
    /// Rows without a value are left out of the test and the search for a split, and join the
    /// heaviest branch.
    pub leaves_out: bool,
    /// Levels are merged before a feature is tested, and the split has a branch for each group of
    /// them.
    pub merging: Option<LevelMerging>,
}

impl Significance {
    /// Least weight of a branch of rows that weigh `total`.
    pub fn least_branch(&self, total: f64) -> f64 {
        self.least.max((total * self.least_share).ceil())
    }

    /// Whether a feature may be split.
    pub fn is_significant(&self, test: FeatureTest) -> bool {
        test.log_p < self.alpha.ln()
    }

    /// The features with adjusted p-values, most significant first; equal ones by the statistic,
    /// then in the order given.
    pub fn ranked(&self, mut tests: Vec<(u32, FeatureTest)>) -> Vec<(u32, FeatureTest)> {
        let m = tests.len();
        if self.adjust == Adjust::Bonferroni {
            tests.iter_mut().for_each(|(_, test)| test.log_p = bonferroni(test.log_p, m));
        }
        let log_rest = |log_p: f64| (-log_p.exp()).ln_1p();
        let top = tests.iter().map(|t| log_rest(t.1.log_p)).fold(f64::NEG_INFINITY, f64::max);
        let is_tied = |test: &FeatureTest| (log_rest(test.log_p) - top).abs() < UNDERFLOW;
        sort_few(&mut tests, &|(_, a), (_, b)| {
            let by_statistic = b.statistic.total_cmp(&a.statistic);
            match (is_tied(a), is_tied(b)) {
                (true, true) => by_statistic,
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                (false, false) => a.log_p.total_cmp(&b.log_p).then(by_statistic),
            }
        });
        tests
    }
}

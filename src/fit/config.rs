//! [`Config`]: the user's parameters as parsed from JSON.
//!
//! Field names are the parameter names of the Python estimators, where they are documented
//! (`python/fasttree/estimators/declaration.py`); the parameters of a selection by significance
//! are one field. Parsing checks names and types;
//! [`super::FitPlan::new`] checks domains and combinations.

use crate::criteria::{self, Criterion, Info};
use crate::discretize;
use crate::error::Result;
use crate::grow::{EmptyBranch, Evaluation, LeafLabels, LeafOrder, Thresholds};
use crate::model::LeafSmoothing;
use crate::numeric::Ties;
use crate::prune::{self, AlphaRule, PruneMethod};
use crate::split::significance::Significance;
use crate::split::{NominalSplits, Splitter};
use crate::stats::inference::{FeatureTestKind, LevelMerging};
use serde::Deserialize;
use serde_json::{Map, Value};

/// How a missing value is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// `Fractional` or `Branch`, as [`Config::divides`] decides.
    #[default]
    Auto,
    /// Rows without a value are divided among all branches, as in C4.5.
    Fractional,
    /// Missing cells are replaced by the mean or mode of the training rows.
    Mode,
    /// Rows without a value get a separate branch.
    Branch,
    /// Missing cells are refused.
    Error,
}

/// The places where thresholds are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThresholdSearch {
    /// At every boundary between two values.
    #[default]
    Exact,
    /// Between the bins of a histogram.
    Histogram,
    /// The choice of forests, which settle it when they see the rows
    /// ([`super::FitPlan::settle_search`]).
    Auto,
}

/// The user's parameters.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "the names are the public parameters and are documented there")]
pub struct Config {
    pub criterion: String,
    pub criterion_options: Map<String, Value>,
    /// How features are chosen by significance; `None` where scores choose them.
    pub significance: Option<Significance>,
    pub evaluation: Evaluation,
    pub labels: LeafLabels,
    pub ties: Ties,
    pub splitter: Splitter,
    pub nominal_splits: NominalSplits,
    pub discretize: Option<discretize::DiscretizeMethod>,
    pub threshold_search: ThresholdSearch,
    pub max_bins: u32,
    pub thresholds: Thresholds,
    pub max_depth: Option<usize>,
    pub max_leaf_nodes: Option<usize>,
    pub min_samples_split: usize,
    pub min_samples_leaf: usize,
    pub min_weight_fraction_leaf: f64,
    pub max_features: Option<usize>,
    pub min_impurity_decrease: f64,
    pub leaf_order: LeafOrder,
    /// The sign of each feature whose threshold limits the values of its sides; else empty.
    pub monotonic_cst: Vec<i8>,
    /// Groups of features that may be tested on one path; else empty.
    pub interaction_cst: Vec<Vec<u32>>,
    pub min_score: Option<f64>,
    pub no_distance_decay: Value,
    pub empty_branch: EmptyBranch,
    /// Share of the rows that is kept for the leaves; the caller draws them.
    pub honest: Option<f64>,
    pub missing: Missing,
    pub smoothing: LeafSmoothing,
    pub pruning: Option<PruneMethod>,
    pub alpha_rule: Option<AlphaRule>,
    pub merge_redundant: Option<prune::Merge>,
    pub cost_matrix: Option<Vec<Vec<f64>>>,
    /// Factors of the weights of the rows, by class. They do not change the number of rows.
    pub class_weight: Option<Vec<f64>>,
    /// Whole weights are no copies of rows.
    pub importances: bool,
    /// How a numeric target is cut into classes, by which the tree grows.
    pub target_bins: Option<discretize::DiscretizeMethod>,
    /// Within each sample of a forest, all classes get the same weight before `class_weight`
    /// multiplies it.
    pub balanced_samples: bool,
    pub seed: u64,
    /// JSON text, written into the model file as it is.
    pub parameters: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            criterion: "info_gain".into(),
            criterion_options: Map::new(),
            significance: None,
            evaluation: Evaluation::Local,
            labels: LeafLabels::Majority,
            ties: Ties::First,
            splitter: Splitter::Best,
            nominal_splits: NominalSplits::Auto,
            discretize: None,
            threshold_search: ThresholdSearch::Exact,
            max_bins: 255,
            thresholds: Thresholds::Midpoint,
            max_depth: None,
            max_leaf_nodes: None,
            min_samples_split: 2,
            min_samples_leaf: 1,
            min_weight_fraction_leaf: 0.0,
            max_features: None,
            min_impurity_decrease: 0.0,
            leaf_order: LeafOrder::Improvement,
            monotonic_cst: Vec::new(),
            interaction_cst: Vec::new(),
            min_score: None,
            no_distance_decay: Value::Bool(false),
            empty_branch: EmptyBranch::Parent,
            honest: None,
            missing: Missing::Auto,
            smoothing: LeafSmoothing::None,
            pruning: None,
            alpha_rule: None,
            merge_redundant: None,
            cost_matrix: None,
            class_weight: None,
            importances: false,
            target_bins: None,
            balanced_samples: false,
            seed: 0,
            parameters: String::new(),
        }
    }
}

impl Config {
    /// The criterion that the parameters name. It is made anew in each call. Unknown names, and
    /// options that the criterion does not have or whose values are outside their domain, are
    /// errors.
    pub fn criterion(&self) -> Result<Box<dyn Criterion>> {
        criteria::make(&self.criterion, self.criterion_options.clone())
    }

    /// How levels are merged before a feature is tested. `None` unless features are chosen by
    /// significance and their levels are merged.
    pub(super) fn merging(&self) -> Option<LevelMerging> {
        self.significance.and_then(|rule| rule.merging)
    }

    /// The criterion of the splits: where features are chosen by significance and splits by the
    /// two-sample statistic, the measure that is largest where the statistic is, else `named`.
    pub(super) fn split_criterion(&self, named: Box<dyn Criterion>) -> Result<Box<dyn Criterion>> {
        let Some(cut) = self.significance.and_then(|rule| rule.cut) else { return Ok(named) };
        // The statistic of a number is a multiple of its decrease in variance, the quadratic form
        // of classes one of Pearson's statistic.
        Ok(match (named.info().is_on_number(), cut) {
            (true, _) => criteria::make("squared_error", Map::new())?,
            (false, FeatureTestKind::Maximum) => Box::new(criteria::LargestDeviation {}),
            (false, _) => criteria::make("chi2", Map::new())?,
        })
    }

    /// Whether rows without a value are divided among all branches of a split by a criterion: by
    /// the parameter, or with `auto` where criterion and evaluation serve it.
    pub(super) fn divides(&self, criterion: &Info) -> bool {
        match self.missing {
            Missing::Fractional => criterion.fractional,
            Missing::Auto => {
                self.evaluation == Evaluation::Local
                    && self.significance.is_none()
                    && criterion.fractional
                    && self.cost_matrix.is_none()
                    && self.honest.is_none() // parts of rows are no observations
            }
            _ => false,
        }
    }

    /// Number of features drawn for each node; `None` where all `features` are searched.
    pub fn drawn_features(&self, features: usize) -> Option<usize> {
        self.max_features.filter(|&most| most < features)
    }
}

//! Options of growth, as checked values that a caller chooses.
//!
//! `crate::fit` fills a [`GrowthSetting`] from an estimator's parameters, one per tree.
//! [`GrowthLimits`] says when a node stays a leaf, and [`check`] refuses limits outside their
//! domain. All other modules of this folder read these types, so they depend on none of them except
//! the pair counts that trees share.

use super::constraints::Constraints;
use super::evidence::memo::PairMemo;
use crate::criteria::{Context, Criterion, GainFilter};
use crate::data::{Bits, Dataset};
use crate::error::{Error, Result};
use crate::numeric::{Ties, order_key};
use crate::split::significance::Significance;
use crate::split::{NominalSplits, Splitter};
use std::sync::Arc;

/// The table by which the next split is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evaluation {
    /// The table branch x class of the leaf.
    #[default]
    Local,
    /// The table label x class of all rows.
    Global,
    /// The global table while a step lowers its distance, otherwise the table of the leaf.
    Glocal,
}

/// How the new leaves of a global step are labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LeafLabels {
    /// Each new leaf has the majority of its rows as its label.
    #[default]
    Majority,
    /// The labels are the best of all pairs of labels.
    All,
    /// The labels are the best of all pairs of different labels.
    Distinct,
}

/// Limits of growth: a node that meets one stays a leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct GrowthLimits {
    /// Deepest level of a leaf (the root is level 0).
    pub max_depth: usize,
    /// Largest number of leaves; growth is then best-first.
    pub max_leaf_nodes: Option<usize>,
    /// A node with fewer rows is not split.
    pub min_samples_split: usize,
    /// Every branch with rows must have at least this many.
    pub min_samples_leaf: usize,
    /// Every branch with rows must have at least this share of the training weight.
    pub min_weight_fraction_leaf: f64,
    /// A node whose best score is below this is not split.
    pub min_score: Option<f64>,
    /// A node is not split where its best split scores no more than its rows in one branch.
    pub needs_gain: bool,
    /// Whether a node is split when its best split does not lower the distance.
    pub on_distance_rise: OnRise,
    /// A node whose best split improves the tree by less than this, per unit of the root's weight,
    /// is not split; see [`GrowthSetting::improvement`].
    pub min_impurity_decrease: f64,
    /// Which leaf is split first, where the number of leaves is limited.
    pub leaf_order: LeafOrder,
    /// Monotonic and interaction constraints.
    pub constraints: Option<Arc<Constraints>>,
}

/// Which leaf best-first growth splits first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LeafOrder {
    /// The one whose best split improves the tree most; see [`GrowthSetting::improvement`].
    #[default]
    Improvement,
    /// The one whose best split has the smallest distance (Spaeh & Kosub 2022, figure 7b).
    Distance,
}

impl LeafOrder {
    /// The rank of a split: best-first growth makes splits in ascending order of it. Leaves of
    /// equal ranks are split in the order of their creation.
    pub fn rank(self, distance: f64, improvement: f64) -> u64 {
        match self {
            Self::Distance => order_key(distance),
            Self::Improvement => order_key(-improvement),
        }
    }
}

impl Default for GrowthLimits {
    fn default() -> Self {
        Self {
            max_depth: usize::MAX,
            max_leaf_nodes: None,
            min_samples_split: 2,
            min_samples_leaf: 1,
            min_weight_fraction_leaf: 0.0,
            min_score: None,
            needs_gain: false,
            on_distance_rise: OnRise::Ignore,
            min_impurity_decrease: 0.0,
            leaf_order: LeafOrder::Improvement,
            constraints: None,
        }
    }
}

impl GrowthLimits {
    /// Whether the limits that do not depend on candidates make a node a leaf: its number of rows,
    /// its depth, and whether its rows are alike in their target.
    pub(super) fn stops(&self, rows: usize, depth: usize, pure: impl Fn() -> bool) -> bool {
        rows < self.min_samples_split
            || rows < 2 * self.min_samples_leaf
            || depth >= self.max_depth
            || pure()
    }

    /// Smallest size of a branch with rows, when every row weighs 1; `total` is the number of rows.
    pub(super) fn smallest_branch(&self, total: f64) -> f64 {
        (self.min_samples_leaf as f64).max(self.min_weight_fraction_leaf * total)
    }

    /// Whether monotonic constraints limit the values of nodes. Growth then scores all candidates
    /// from their tables and takes no shortcut of convex criteria.
    pub fn are_monotonic(&self) -> bool {
        self.constraints.as_ref().is_some_and(|constraints| constraints.are_monotonic())
    }

    /// Whether growth needs to know how much a split improves the tree.
    pub(super) fn need_improvement(&self) -> bool {
        self.min_impurity_decrease > 0.0
            || (self.max_leaf_nodes.is_some() && self.leaf_order == LeafOrder::Improvement)
    }

    /// Whether a split improves the tree enough; `total` is the weight of the root. As in
    /// scikit-learn an improvement may be one rounding below the limit; a limit of 0 refuses
    /// nothing.
    pub(super) fn accept_improvement(&self, improvement: f64, total: f64) -> bool {
        self.min_impurity_decrease <= 0.0
            || improvement / total + f64::EPSILON >= self.min_impurity_decrease
    }

    /// Whether the score and the distance of a node's best split are good enough; `before` computes
    /// the distance without it.
    pub(super) fn accept(
        &self,
        score: f64,
        distance: f64,
        before: impl FnOnce() -> Result<f64>,
    ) -> Result<bool> {
        if self.min_score.is_some_and(|least| score < least) {
            return Ok(false);
        }
        Ok(match self.on_distance_rise {
            OnRise::Ignore => true,
            OnRise::Stop => distance <= before()?,
            OnRise::Strict => distance < before()?,
        })
    }
}

/// Whether a node is split when the split does not lower the distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnRise {
    /// The node is split anyway.
    #[default]
    Ignore,
    /// The node is not split when the distance rises.
    Stop,
    /// The node is split only when the distance falls.
    Strict,
}

/// What a leaf without training rows predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EmptyBranch {
    /// The leaf predicts the label that its parent would have predicted.
    #[default]
    Parent,
    /// The leaf predicts nothing, and its rows are unclassified.
    Unclassified,
}

/// Where thresholds lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Thresholds {
    /// Thresholds lie halfway between two values.
    #[default]
    Midpoint,
    /// Thresholds lie on the lower value.
    Value,
    /// Thresholds lie on the largest value of all training rows that is not above the midpoint
    /// (J48).
    TrainingValue,
}

/// Options of the growth of one tree.
#[derive(Debug)]
pub struct GrowthSetting<'a> {
    /// The criterion.
    pub criterion: &'a dyn Criterion,
    /// Logarithms and class counts for its formulas.
    pub context: Context,
    /// Which features may be chosen by their gains.
    pub gain_filter: GainFilter,
    /// How the feature is chosen by significance; `None` where scores choose it.
    pub significance: Option<Significance>,
    /// Which of equal candidates is chosen.
    pub ties: Ties,
    /// Seed of ties and feature subsets.
    pub seed: u64,
    /// Number of features drawn for each node, fewer than there are; `None`: all are searched.
    pub max_features: Option<usize>,
    /// Nodes sort the features that they draw, instead of keeping the orders of all.
    pub sorts_in_nodes: bool,
    /// Which splits of a feature are tried.
    pub splitter: Splitter,
    /// How nominal features are split.
    pub nominal_splits: NominalSplits,
    /// Where thresholds lie.
    pub thresholds: Thresholds,
    /// What empty leaves predict.
    pub empty_branch: EmptyBranch,
    /// The table by which splits are chosen.
    pub evaluation: Evaluation,
    /// How the new leaves of a global step are labelled.
    pub labels: LeafLabels,
    /// When a node stays a leaf.
    pub limits: GrowthLimits,
    /// Pair counts of nodes, shared by trees on the same rows and codes.
    pub memo: Option<&'a PairMemo>,
    /// The data before numbers were binned, for criteria on neighbours.
    pub unbinned_data: Option<&'a Dataset<'a>>,
    /// Number of all training rows, or the sum of their weights where these are whole numbers
    /// (copies). Rows held out for pruning are included.
    pub training_copies: f64,
    /// The training rows as bits, where these are not all rows and thresholds are training values.
    pub training_bits: Option<Bits>,
}

impl GrowthSetting<'_> {
    /// How much a split improves the tree: `w (s(T) - s(T1))`. Here `w` is the weight of the node,
    /// `T` the table of the split, and `T1` the table of the same rows in one branch. The factor
    /// `w` is left out for scores that grow with the rows themselves
    /// ([`crate::criteria::Info::extensive`]). For gini and info_gain this is the weighted impurity
    /// decrease of scikit-learn.
    pub(super) fn improvement(&self, weight: f64, score: f64, undivided: f64) -> f64 {
        // A user's function may have no value for one branch.
        let undivided = if undivided.is_nan() { 0.0 } else { undivided };
        let factor = if self.criterion.info().extensive { 1.0 } else { weight };
        factor * (score - undivided)
    }
}

/// Refuse limits outside their domain, with an error that names the parameter and its domain.
/// Combinations with other parameters are checked by the fit.
pub fn check(limits: &GrowthLimits) -> Result<()> {
    let require = |is_valid: bool, name: &str, value: &dyn ToString, domain: &str| match is_valid {
        true => Ok(()),
        false => Err(Error::parameter(name, value.to_string(), domain)),
    };
    let samples_split = limits.min_samples_split;
    require(samples_split >= 2, "min_samples_split", &samples_split, "must be at least 2")?;
    let samples_leaf = limits.min_samples_leaf;
    require(samples_leaf >= 1, "min_samples_leaf", &samples_leaf, "must be at least 1")?;
    let fraction = limits.min_weight_fraction_leaf;
    let is_share = (0.0..=0.5).contains(&fraction);
    require(is_share, "min_weight_fraction_leaf", &fraction, "must lie in [0, 0.5]")?;
    let decrease = limits.min_impurity_decrease;
    let domain = "must be a finite number of at least 0";
    require((0.0..=f64::MAX).contains(&decrease), "min_impurity_decrease", &decrease, domain)?;
    let leaf_nodes = limits.max_leaf_nodes.unwrap_or(usize::MAX);
    require(leaf_nodes >= 2, "max_leaf_nodes", &leaf_nodes, "must be at least 2")?;
    let is_number = !limits.min_score.is_some_and(f64::is_nan);
    require(is_number, "min_score", &"NaN", "must be a number or None")
}

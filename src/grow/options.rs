//! Options of growth: what a caller chooses, as checked values.
//!
//! [`GrowthSetting`] holds them all; [`GrowthLimits`] says when a node stays a leaf, and [`check`]
//! refuses limits outside their domain. Everything else in this folder reads these types, so they
//! use nothing of it.

use super::buffer_pool::BufferPool;
use super::evidence::memo::PairMemo;
use crate::criteria::{Context, Criterion, GainFilter};
use crate::data::{Bits, Dataset};
use crate::error::{Error, Result};
use crate::numeric::Ties;
use crate::split::{NominalSplits, Splitter};

/// Which table decides what is split next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evaluation {
    /// The table branch x class of the leaf.
    #[default]
    Local,
    /// The table label x class of all rows.
    Global,
    /// The global table while it gets better, else the leaf's.
    Glocal,
}

/// How the new leaves of a global step are labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LeafLabels {
    /// By their majority.
    #[default]
    Majority,
    /// All pairs of labels are tried.
    All,
    /// All pairs of two different labels are tried.
    Distinct,
}

/// Limits of growth.
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
    /// A node whose best score is below it is not split.
    pub min_score: Option<f64>,
    /// A node is not split when its best split would raise the distance.
    pub no_distance_decay: OnRise,
    /// A node is not split when its improvement, over the weight of the root, is below it.
    pub min_impurity_decrease: f64,
    /// Which leaf is split first, where the number of leaves is limited.
    pub leaf_order: LeafOrder,
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

impl Default for GrowthLimits {
    fn default() -> Self {
        Self {
            max_depth: usize::MAX,
            max_leaf_nodes: None,
            min_samples_split: 2,
            min_samples_leaf: 1,
            min_weight_fraction_leaf: 0.0,
            min_score: None,
            no_distance_decay: OnRise::Ignore,
            min_impurity_decrease: 0.0,
            leaf_order: LeafOrder::Improvement,
        }
    }
}

impl GrowthLimits {
    /// Limits that need no look at the candidates: rows, level, and number of classes with rows of
    /// a node.
    pub(super) fn stops(&self, rows: usize, depth: usize, occupied: usize) -> bool {
        rows < self.min_samples_split
            || rows < 2 * self.min_samples_leaf
            || depth >= self.max_depth
            || occupied < 2
    }

    /// Smallest size of a branch with rows, when every row counts once.
    pub(super) fn smallest_branch(&self, total: f64) -> f64 {
        (self.min_samples_leaf as f64).max(self.min_weight_fraction_leaf * total)
    }

    /// Whether growth asks how much a split improves the tree.
    pub(super) fn need_improvement(&self) -> bool {
        self.min_impurity_decrease > 0.0
            || (self.max_leaf_nodes.is_some() && self.leaf_order == LeafOrder::Improvement)
    }

    /// Whether a split improves the tree enough; `total` is the weight of the root. One rounding is
    /// granted, as in scikit-learn; a limit of 0 refuses nothing.
    pub(super) fn accept_improvement(&self, improvement: f64, total: f64) -> bool {
        self.min_impurity_decrease <= 0.0
            || improvement / total + f64::EPSILON >= self.min_impurity_decrease
    }

    /// Whether the best split is good enough; `before` is the distance without it.
    pub(super) fn accept(
        &self,
        score: f64,
        distance: f64,
        before: impl FnOnce() -> Result<f64>,
    ) -> Result<bool> {
        if self.min_score.is_some_and(|least| score < least) {
            return Ok(false);
        }
        Ok(match self.no_distance_decay {
            OnRise::Ignore => true,
            OnRise::Stop => distance <= before()?,
            OnRise::Strict => distance < before()?,
        })
    }
}

/// What to do when a split does not lower the distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnRise {
    /// Split all the same.
    #[default]
    Ignore,
    /// Stop when the distance would rise.
    Stop,
    /// Stop unless the distance falls.
    Strict,
}

/// What a leaf without training rows predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EmptyBranch {
    /// What its parent would have predicted.
    #[default]
    Parent,
    /// Nothing.
    Unclassified,
}

/// Where thresholds lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Thresholds {
    /// Halfway between two values.
    #[default]
    Midpoint,
    /// On the lower value.
    Value,
    /// On the largest value of all training rows that is not above the midpoint (J48).
    TrainingValue,
}

/// Options of growth.
#[derive(Debug)]
pub struct GrowthSetting<'a> {
    /// The criterion.
    pub criterion: &'a dyn Criterion,
    /// Facts for its formulas.
    pub context: Context,
    /// Selection rule.
    pub gain_filter: GainFilter,
    /// Tie rule.
    pub ties: Ties,
    /// Seed of ties and feature subsets.
    pub seed: u64,
    /// Features looked at in each node; all of them when nothing.
    pub max_features: Option<usize>,
    /// Which splits of a feature are tried.
    pub splitter: Splitter,
    /// How nominal features are split.
    pub nominal_splits: NominalSplits,
    /// Where thresholds lie.
    pub thresholds: Thresholds,
    /// Empty leaves.
    pub empty_branch: EmptyBranch,
    /// Which table decides.
    pub evaluation: Evaluation,
    /// Labels of new leaves.
    pub labels: LeafLabels,
    /// Limits.
    pub limits: GrowthLimits,
    /// Pairs of nodes that other trees on the same rows and codes have counted.
    pub memo: Option<&'a PairMemo>,
    /// Where trees that grow one after the other leave memory for each other.
    pub pool: Option<&'a BufferPool>,
    /// The data before numbers were binned, for criteria that compare rows by their numbers.
    pub raw: Option<&'a Dataset>,
    /// Rows without a value go down all branches, as fractional instances.
    pub fractional: bool,
    /// All training rows, those held out for pruning included, as a count.
    pub all_rows: f64,
    /// The training rows as bits, where they are not all rows and thresholds are training
    /// values.
    pub training: Option<Bits>,
}

impl GrowthSetting<'_> {
    /// How much a split improves the tree: `w (s(T) - s(T1))`, where `w` is the weight of the node,
    /// `T` the table of the split and `T1` that of the same rows in one branch; without the factor
    /// `w` for scores that grow with the rows themselves ([`crate::criteria::Info::extensive`]).
    /// For gini and info_gain this is the weighted impurity decrease of scikit-learn.
    pub(super) fn improvement(&self, weight: f64, score: f64, undivided: f64) -> f64 {
        // A user's function may have no value for one branch.
        let undivided = if undivided.is_nan() { 0.0 } else { undivided };
        let factor = if self.criterion.info().extensive { 1.0 } else { weight };
        factor * (score - undivided)
    }
}

/// Refuse limits outside their domain.
pub fn check(limits: &GrowthLimits) -> Result<()> {
    if limits.min_samples_split < 2 {
        return Err(Error::parameter(
            "min_samples_split",
            limits.min_samples_split,
            "must be at least 2",
        ));
    }
    if limits.min_samples_leaf < 1 {
        return Err(Error::parameter(
            "min_samples_leaf",
            limits.min_samples_leaf,
            "must be at least 1",
        ));
    }
    if !(0.0..=0.5).contains(&limits.min_weight_fraction_leaf) {
        return Err(Error::parameter(
            "min_weight_fraction_leaf",
            limits.min_weight_fraction_leaf,
            "must lie in [0, 0.5]",
        ));
    }
    if !(0.0..=f64::MAX).contains(&limits.min_impurity_decrease) {
        return Err(Error::parameter(
            "min_impurity_decrease",
            limits.min_impurity_decrease,
            "must be a finite number of at least 0",
        ));
    }
    if limits.max_leaf_nodes.is_some_and(|n| n < 2) {
        return Err(Error::parameter(
            "max_leaf_nodes",
            limits.max_leaf_nodes.unwrap_or(0),
            "must be at least 2",
        ));
    }
    if limits.min_score.is_some_and(f64::is_nan) {
        return Err(Error::parameter("min_score", "NaN", "must be a number or None"));
    }
    Ok(())
}

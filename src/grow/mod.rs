//! Leaves are split until a limit says stop.
//!
//! [`local`] growth looks at one leaf at a time, [`global`] growth at the whole tree; a [`forest`]
//! repeats either. The rows of a node are a range of permuted buffers ([`ground`]); splitting a
//! node partitions its range, so children are ranges again and no row is ever copied to a node. The
//! result is a draft arena ([`draft`]) that becomes a tree in pre-order.

mod between;
mod bits;
mod draft;
mod evaluate;
pub mod forest;
mod fractional;
mod global;
mod global_leaf;
mod global_rows;
mod global_score;
mod global_trace;
mod ground;
mod listing;
mod local;
mod memo;
mod neighbours;
mod pairs;
mod partition;
mod rows;
mod stash;

use crate::criteria::{Context, Criterion, Guard};
use crate::data::{Bits, Column, Dataset, RowSet, Weights};
use crate::error::Result;
use crate::numeric::Ties;
use crate::parallel::Control;
use crate::split::NominalSplits;
use crate::tree::Tree;

pub use global::grow as grow_globally;
pub use global_trace::distances;
pub use listing::{Candidate, candidates};
pub use memo::{KnownPairs, PairMemo};
pub use stash::Stash;

/// Grow a tree on some rows.
pub fn grow(
    data: &Dataset,
    setting: &Setting<'_>,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Tree> {
    match setting.evaluation {
        Evaluation::Local
            if setting.criterion.mdl_penalty() || (setting.fractional && gaps(data, rows)) =>
        {
            fractional::grow(data, setting, rows, weights, control)
        }
        Evaluation::Local => local::grow(data, setting, rows, weights, control),
        Evaluation::Global | Evaluation::Glocal => {
            Ok(global::grow(data, setting, rows, weights, control)?.0)
        }
    }
}

/// True when a cell of these rows is missing.
fn gaps(data: &Dataset, rows: &RowSet) -> bool {
    data.columns().iter().any(|column| match column {
        Column::Numeric(c) => c.n_missing() > 0 && rows.rows().iter().any(|&r| c.value(r).is_nan()),
        Column::Nominal(c) => {
            c.n_missing() > 0 && rows.rows().iter().any(|&r| c.code(r) == crate::data::MISSING)
        }
    })
}

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
pub enum Labels {
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
pub struct Limits {
    /// Deepest level of a leaf (the root is level 0).
    pub max_depth: usize,
    /// Largest number of leaves; growth is then best-first.
    pub max_leaf_nodes: Option<usize>,
    /// A node with fewer rows is not split.
    pub min_samples_split: usize,
    /// Every branch with rows must have at least so many.
    pub min_samples_leaf: usize,
    /// Every branch with rows must have at least this share of the training weight.
    pub min_weight_fraction_leaf: f64,
    /// A node whose best score is below it is not split.
    pub min_score: Option<f64>,
    /// A node is not split when its best split would raise the distance.
    pub no_distance_decay: Decay,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_depth: usize::MAX,
            max_leaf_nodes: None,
            min_samples_split: 2,
            min_samples_leaf: 1,
            min_weight_fraction_leaf: 0.0,
            min_score: None,
            no_distance_decay: Decay::Ignore,
        }
    }
}

impl Limits {
    /// Limits that need no look at the candidates: rows, level, and number of classes with rows of
    /// a node.
    fn stops(&self, rows: usize, depth: usize, occupied: usize) -> bool {
        rows < self.min_samples_split
            || rows < 2 * self.min_samples_leaf
            || depth >= self.max_depth
            || occupied < 2
    }

    /// Smallest size of a branch with rows, when every row counts once.
    fn smallest_branch(&self, total: f64) -> f64 {
        (self.min_samples_leaf as f64).max(self.min_weight_fraction_leaf * total)
    }

    /// Whether the best split is good enough; `before` is the distance without it.
    fn accept(
        &self,
        score: f64,
        distance: f64,
        before: impl FnOnce() -> Result<f64>,
    ) -> Result<bool> {
        if self.min_score.is_some_and(|least| score < least) {
            return Ok(false);
        }
        Ok(match self.no_distance_decay {
            Decay::Ignore => true,
            Decay::Stop => distance <= before()?,
            Decay::Strict => distance < before()?,
        })
    }
}

/// What to do when a split does not lower the distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decay {
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

/// Everything that growth is told.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The criterion.
    pub criterion: &'a dyn Criterion,
    /// Facts for its formulas.
    pub context: Context,
    /// Selection rule.
    pub guard: Guard,
    /// Tie rule.
    pub ties: Ties,
    /// Seed of ties and feature subsets.
    pub seed: u64,
    /// Features looked at in each node; all of them when nothing.
    pub max_features: Option<usize>,
    /// How nominal features are split.
    pub nominal_splits: NominalSplits,
    /// Where thresholds lie.
    pub thresholds: Thresholds,
    /// Empty leaves.
    pub empty_branch: EmptyBranch,
    /// Which table decides.
    pub evaluation: Evaluation,
    /// Labels of new leaves.
    pub labels: Labels,
    /// Limits.
    pub limits: Limits,
    /// Pairs of nodes that other trees on the same rows and codes have counted.
    pub memo: Option<&'a PairMemo>,
    /// Where trees that grow one after the other leave memory for each other.
    pub stash: Option<&'a Stash>,
    /// The data before numbers were binned, for criteria that compare rows by their numbers.
    pub raw: Option<&'a Dataset>,
    /// Rows without a value go down all branches in parts.
    pub fractional: bool,
    /// All training rows, those held out for pruning included, as a count.
    pub all_rows: f64,
    /// The same as bits, where they are not all rows of the data set and thresholds are training
    /// values.
    pub training: Option<Bits>,
}

/// Refuse limits outside their domain.
pub fn check(limits: &Limits) -> Result<()> {
    use crate::error::Error;
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

//! The kinds of evidence that a criterion may read of a node: class counts or moments, pairs of
//! rows, neighbours of rows, the rows themselves, or the order of a numeric target.
//!
//! Growth asks a criterion for its [`Evidence`] and counts it. [`pairs`](super::pairs) and
//! [`neighbours`](super::neighbours) make criteria of formulas on the second and third kind.

use crate::error::Result;
use crate::stats::neighbours::{Multiclass, NeighbourMethod};
use crate::stats::pairs::{Matrices, PairMetric, PairSetting, Profile, WeighedPairs};
use serde::Deserialize;

/// The loss of numbers around their quantile `m`: `scale` times the weighted mean of
/// `quantile (y - m)` above it and `(1 - quantile) (m - y)` below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantileLoss {
    /// The share of the weight below the quantile, in (0, 1).
    pub quantile: f64,
    /// The factor.
    pub scale: f64,
}

/// The evidence that a criterion reads of the rows of a node, with the settings that are needed to
/// compute it.
#[derive(Debug, Clone, Copy)]
pub enum Evidence<'a> {
    /// The table branch x class, or the moments of each branch: a block of
    /// [`Tables`](super::Tables).
    Table,
    /// Pairs of rows, by this formula.
    Pairs(&'a dyn OnPairs),
    /// Neighbours of rows, as this search picks and weighs them.
    Neighbours(NeighbourSearch),
    /// The rows themselves, and the budgets of the searches for the smallest trees of branches.
    Rows(SizeBudget),
    /// The order of a numeric target, and the loss around a quantile.
    Order(QuantileLoss),
}

/// How many search nodes may be spent on finding the sizes of smallest trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeBudget {
    /// Search nodes for one branch.
    pub branch: u64,
    /// Search nodes for all branches of a fit; `None`: as many as the size of the rows allows.
    pub total: Option<u64>,
}

/// How neighbours are picked and weighed.
pub type NeighbourSearch = (NeighbourMethod, Multiclass);

/// The pairs of a node.
#[derive(Debug, Clone, Copy)]
pub struct Pairs<'a> {
    /// Counts by case and distance of every feature that varies.
    pub profile: &'a Profile,
    /// Relief's default radius, from the pairs of the root.
    pub radius: usize,
    /// Count matrices, where [`OnPairs::matrices`] asks for them.
    pub matrices: Option<&'a Matrices>,
    /// Sums under the one setting that [`OnPairs::weighed`] asks for; the profile is empty then.
    pub weighed: Option<&'a WeighedPairs>,
}

impl Evidence<'_> {
    /// Refuse options of the evidence that are outside their domain. Only searches for neighbours
    /// have such options; the other kinds are checked by
    /// [`Properties::check`](super::Properties::check).
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::Neighbours((method, _)) => method.check(),
            Self::Table | Self::Pairs(_) | Self::Rows(_) | Self::Order(_) => Ok(()),
        }
    }
}

/// A formula on pairs of rows.
pub trait OnPairs: Send + Sync + std::fmt::Debug {
    /// Score of each feature of the profile, larger is better.
    fn score(&self, pairs: &Pairs<'_>) -> Result<Vec<f64>>;
    /// Score of the split that puts all rows into one branch.
    fn undivided(&self, pairs: &Pairs<'_>) -> Result<f64>;
    /// Whether the formula reads [`Pairs::radius`].
    fn reads_radius(&self) -> bool {
        false
    }
    /// The setting of the count matrices that are needed, if any are, and how they are made.
    fn matrices(&self) -> Option<(&PairSetting, Precision)> {
        None
    }
    /// The one setting under which pairs are weighed in fixed point, if they are not counted.
    fn weighed(&self) -> Result<Option<PairSetting>> {
        Ok(None)
    }
    /// The one setting under which the same scores, to the last bit, come without counts; `radius`
    /// finds the root's.
    fn alike(&self, _radius: &mut dyn FnMut() -> Result<usize>) -> Result<Option<PairSetting>> {
        Ok(None)
    }
    /// The one setting and metric by which columns are streamed when there are too many for counts
    /// by distance, if they can be; `radius` finds Relief's.
    fn streamed(
        &self,
        _radius: &mut dyn FnMut() -> Result<usize>,
    ) -> Result<Option<(PairSetting, PairMetric)>> {
        Ok(None)
    }
}

/// How the pairs of a node are added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Counted by distance, weighed afterwards.
    #[default]
    Exact,
    /// Weighed as they come, in fixed point.
    Fixed,
}

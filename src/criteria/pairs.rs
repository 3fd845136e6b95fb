//! Criteria on pairs of rows: what a formula sees of a node, and the options that all of them read.
//!
//! The evidence is a [`Profile`] (or, for a user's function, count matrices) of all features of a
//! node: one call scores them all, because the pairs are counted for all features at once (Vilalta,
//! Brodie, Oblinger & Rish 2001). A criterion of this kind has one score a feature, larger is
//! better, and the distance `-s`; a single table does not say what it needs, so
//! [`Criterion::score`] refuses. O(n (n + 1)) a setting after an O(t^2 n) count, so not for
//! hundreds of thousands of rows.

use super::{Criterion, Evidence, Info, OptionKind, Tables};
use crate::error::{Error, Result};
use crate::stats::neighbours::PairMetric;
use crate::stats::pairs::{Decay, Matrices, PairSetting, Profile, WeighedPairs};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The pairs of a node.
#[derive(Debug, Clone, Copy)]
pub struct Pairs<'a> {
    /// Counts by case and distance of every feature that varies.
    pub profile: &'a Profile,
    /// Relief's radius unless told otherwise, from the pairs of the root.
    pub radius: usize,
    /// Count matrices, where [`OnPairs::matrices`] asks for them.
    pub matrices: Option<&'a Matrices>,
    /// Sums under the one setting that [`OnPairs::weighed`] asks for; the profile is empty then.
    pub weighed: Option<&'a WeighedPairs>,
}

/// What a file on pairs implements.
pub trait OnPairs: Send + Sync + std::fmt::Debug {
    /// Facts.
    fn info(&self) -> &'static Info;
    /// Options as JSON, in the order of `info().options`.
    fn options(&self) -> Value;
    /// Score of each feature of the profile, larger is better.
    fn score(&self, pairs: &Pairs<'_>) -> Result<Vec<f64>>;
    /// Score of the split that puts all rows into one branch.
    fn whole(&self, pairs: &Pairs<'_>) -> Result<f64>;
    /// Whether the radius of the root is looked at.
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
    /// by distance; `radius` finds Relief's.
    fn streamed(
        &self,
        _radius: &mut dyn FnMut() -> Result<usize>,
    ) -> Result<(PairSetting, PairMetric)> {
        Err(Error::Unsupported {
            what: format!("criterion='{}' over streamed columns", self.info().name),
            supported: "pi, contextual_merit, relief, criteria on neighbours".into(),
        })
    }
    /// Calls Python, so that nodes must come one after the other.
    fn needs_all_candidates(&self) -> bool {
        false
    }
    /// Refuse options outside their domain.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// A formula on pairs as a criterion.
#[derive(Debug)]
pub struct PairCriterion<M>(pub M);

impl<M: OnPairs> PairCriterion<M> {
    fn refuse<T>(&self) -> Result<T> {
        Err(Error::Unsupported {
            what: format!("criterion='{}' on a contingency table", self.0.info().name),
            supported: "its evidence are pairs of rows: fit, score_features, pair_counts".into(),
        })
    }
}

impl<M: OnPairs> Criterion for PairCriterion<M> {
    fn info(&self) -> &'static Info {
        self.0.info()
    }
    fn options(&self) -> Value {
        self.0.options()
    }
    fn score(&self, _tables: &Tables<'_>, _out: &mut [f64]) -> Result<()> {
        self.refuse()
    }
    fn distance(&self, _tables: &Tables<'_>, _out: &mut [f64]) -> Result<()> {
        self.refuse()
    }
    fn needs_all_candidates(&self) -> bool {
        self.0.needs_all_candidates()
    }
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Pairs(&self.0)
    }
}

/// Build a criterion on pairs from options; unknown names and values outside their domain are
/// refused.
pub(super) fn from_options<M: OnPairs + DeserializeOwned + 'static>(
    options: Map<String, Value>,
) -> Result<Box<dyn Criterion>> {
    let made: M = super::read(options)?;
    made.check()?;
    Ok(Box::new(PairCriterion(made)))
}

/// Names of the decays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DecayName {
    /// `2^(-alpha D)`.
    Exponential,
    /// `D^-alpha`.
    Power,
    /// 1 if `D < alpha`.
    Threshold,
    /// 1 if `D = 0`.
    Identical,
    /// 1.
    Uniform,
}

impl DecayName {
    /// With its weight at distance 0, which only `power` reads.
    pub fn decay(self, at_zero: f64) -> Decay {
        match self {
            Self::Exponential => Decay::Exponential,
            Self::Power => Decay::Power { at_zero },
            Self::Threshold => Decay::Threshold,
            Self::Identical => Decay::Identical,
            Self::Uniform => Decay::Uniform,
        }
    }
}

/// How the pairs of a node are added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Counted by distance, weighed afterwards.
    #[default]
    Exact,
    /// Weighed as they come, in fixed point.
    Fixed,
}

impl Precision {
    /// The setting, where pairs are weighed as they come.
    pub fn weighed(self, setting: Result<PairSetting>) -> Result<Option<PairSetting>> {
        match self {
            Self::Exact => Ok(None),
            Self::Fixed => setting.map(Some),
        }
    }
}

/// Words of `precision`.
pub(super) const PRECISIONS: OptionKind = OptionKind::Words { words: &["exact", "fixed"] };
/// Words of `decay`.
pub(super) const DECAYS: OptionKind =
    OptionKind::Words { words: &["exponential", "power", "threshold", "identical", "uniform"] };
pub(super) const PRECISION: &str = "'exact' counts pairs by distance as whole numbers; 'fixed' \
    adds up their weights in fixed point: a pair of different rows is off \
    by at most 2^-25 of the largest weight of such a pair (of D = 1 where none weighs less than \
    a sixteenth of that), and many features (from about 30) take a fraction of the time.";
pub(super) const ALPHA: &str =
    "How fast the weight of a pair falls with its distance D; finite and at least 0.";
pub(super) const DECAY: &str = "'exponential': 2^(-alpha D); 'power': D^-alpha; 'threshold': 1 if \
    D < alpha; 'identical': 1 if D = 0; \
     'uniform': 1.";
pub(super) const AT_ZERO: &str = "Weight of pairs at distance 0 under 'power', from 0 to 1e250.";

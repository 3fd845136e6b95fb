//! Criteria on pairs of rows: the counts of a node that a formula reads, and the options that all
//! of them read.
//!
//! The evidence is a [`Profile`](crate::stats::pairs::Profile) (or, for a user's function, count
//! matrices) of all features of a node: one call scores them all, because the pairs are counted for
//! all features at once (Vilalta, Brodie, Oblinger & Rish 2001). A criterion of this kind has one
//! score per feature, larger is better, and the distance `-s`; a single table does not hold this
//! evidence, so [`Criterion::score`](super::Criterion::score) refuses. O(n (n + 1)) per setting
//! after an O(t^2 n) count, so it does not suit hundreds of thousands of rows.

pub use super::evidence::{OnPairs, Pairs, Precision};
use super::{Evidence, Info, OptionDomain, OptionInfo, Properties};
use crate::error::Result;
use crate::stats::pairs::{Decay, PairMetric, PairSetting};
use serde::Deserialize;

/// A metric of the framework as a formula on pairs.
pub(super) trait ByMetric: Send + Sync + std::fmt::Debug {
    /// Facts.
    const INFO: &'static Info;

    /// The metric.
    fn metric(&self) -> PairMetric;
    /// The setting; `radius` finds Relief's where none is given.
    fn setting(&self, radius: &mut dyn FnMut() -> Result<usize>) -> Result<PairSetting>;
    /// How pairs are added up.
    fn precision(&self) -> Precision {
        Precision::Exact
    }
    /// Whether the setting depends on the radius.
    fn needs_radius(&self) -> bool {
        false
    }
}

impl<M: ByMetric> Properties for M {
    fn info(&self) -> &'static Info {
        M::INFO
    }
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Pairs(self)
    }
    fn check(&self) -> Result<()> {
        self.setting(&mut || Ok(0)).map(|_| ())
    }
}

impl<M: ByMetric> OnPairs for M {
    fn score(&self, pairs: &Pairs<'_>) -> Result<Vec<f64>> {
        match pairs.weighed {
            Some(sums) => Ok(sums.scores(self.metric())),
            None => {
                let setting = self.setting(&mut || Ok(pairs.radius))?;
                Ok(pairs.profile.scores(self.metric(), &setting))
            }
        }
    }
    fn undivided(&self, pairs: &Pairs<'_>) -> Result<f64> {
        match (self.metric(), pairs.weighed) {
            (PairMetric::ContextualMerit | PairMetric::Relief, _) => Ok(0.0),
            (_, Some(sums)) => Ok(sums.undivided()),
            (_, None) => Ok(pairs.profile.undivided(&self.setting(&mut || Ok(pairs.radius))?)),
        }
    }
    fn reads_radius(&self) -> bool {
        self.needs_radius()
    }
    fn weighed(&self) -> Result<Option<PairSetting>> {
        let fixed = self.precision() == Precision::Fixed;
        fixed.then(|| self.setting(&mut || Ok(0))).transpose()
    }
    fn alike(&self, radius: &mut dyn FnMut() -> Result<usize>) -> Result<Option<PairSetting>> {
        (self.metric() == PairMetric::Relief).then(|| self.setting(radius)).transpose()
    }
    fn streamed(
        &self,
        radius: &mut dyn FnMut() -> Result<usize>,
    ) -> Result<Option<(PairSetting, PairMetric)>> {
        Ok(Some((self.setting(radius)?, self.metric())))
    }
}

/// Names of the decays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
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
    /// The decay of this name. `at_zero` is the weight at distance 0, which only `power` reads.
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

/// How fast weights fall with distance.
pub(super) const ALPHA: OptionInfo = OptionInfo {
    name: "alpha",
    domain: OptionDomain::at_least(0.0),
    others: "[0.7]",
    doc: "How fast the weight of a pair falls with its distance D; finite and at least 0.",
    ..OptionInfo::PLAIN
};
/// The form in which they fall.
pub(super) const DECAY: OptionInfo = OptionInfo {
    name: "decay",
    domain: OptionDomain::Words {
        words: &["exponential", "power", "threshold", "identical", "uniform"],
    },
    others: "[\"threshold\", \"identical\", \"uniform\"]",
    doc: "'exponential': 2^(-alpha D); 'power': D^-alpha; 'threshold': 1 if D < alpha; \
        'identical': 1 if D = 0; 'uniform': 1.",
    ..OptionInfo::PLAIN
};
/// Weight at distance 0, where a power has none.
pub(super) const AT_ZERO: OptionInfo = OptionInfo {
    name: "at_zero",
    domain: OptionDomain::Number { low: Some(0.0), high: Some(1e250), closed: (true, true) },
    default: "0.0",
    others: "[3.0]",
    doc: "Weight of pairs at distance 0 under 'power', from 0 to 1e250.",
    ..OptionInfo::PLAIN
};
/// How pairs are added up.
pub(super) const PRECISION: OptionInfo = OptionInfo {
    name: "precision",
    domain: OptionDomain::Words { words: &["exact", "fixed"] },
    default: "\"exact\"",
    others: "[\"fixed\"]",
    doc: "'exact' counts pairs by distance as whole numbers; 'fixed' adds up their weights in \
        fixed point: a pair of different rows is off by at most 2^-25 of the largest weight of \
        such a pair (of D = 1 where none weighs less than a sixteenth of that), and many features \
        (from about 30) take a fraction of the time.",
    ..OptionInfo::PLAIN
};

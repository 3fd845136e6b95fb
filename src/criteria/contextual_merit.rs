//! Contextual merit: near pairs of two classes that a feature tells apart (Hong 1997, with all
//! pairs, as in Vilalta et al. 2001, proposition 2).
//!
//! `sum_m sum_c R_m[c,4]`, by default with `f(D) = D^-2`: a feature earns the more, the fewer other
//! features tell the two rows apart. Identical rows of two classes (D = 0) are told apart by
//! nothing and do not occur in case 4. Pairs of one class are not looked at, so a feature with many
//! values earns by having them. O(t^2 n) a node. For the K nearest rows of other classes instead of
//! all, see the K-nearest merit.

use super::pairs::{ALPHA, AT_ZERO, DECAY, DecayName, OnPairs, PRECISION, Pairs, Precision};
use super::{EvidenceKind, Info, OptionInfo};
use crate::error::Result;
use crate::stats::neighbours::PairMetric;
use crate::stats::pairs::PairSetting;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Contextual merit.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextualMerit {
    /// Of the decay.
    pub alpha: f64,
    /// How weights fall with distance.
    pub decay: DecayName,
    /// Weight at distance 0 under power.
    pub at_zero: f64,
    /// How pairs are added up.
    pub precision: Precision,
}

impl Default for ContextualMerit {
    fn default() -> Self {
        Self { alpha: 2.0, decay: DecayName::Power, at_zero: 0.0, precision: Precision::Exact }
    }
}

pub(super) static INFO: Info = Info {
    name: "contextual_merit",
    class_name: "ContextualMerit",
    summary: "Near pairs of rows of two classes that the feature tells apart.",
    formula: r"\sum_m \sum_c R_{mc4}",
    source: "hong1997",
    lowest: Some(0.0),
    options: &[
        OptionInfo { default: "2.0", ..ALPHA },
        OptionInfo { default: "\"power\"", ..DECAY },
        AT_ZERO,
        PRECISION,
    ],
    extensive: true,
    ..Info::beyond_tables(EvidenceKind::Pairs)
};

impl ContextualMerit {
    fn setting(&self) -> Result<PairSetting> {
        PairSetting::new([1.0; 4], self.alpha, self.decay.decay(self.at_zero))
    }
}

impl OnPairs for ContextualMerit {
    fn info(&self) -> &'static Info {
        &INFO
    }
    fn options(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
    fn score(&self, pairs: &Pairs<'_>) -> Result<Vec<f64>> {
        match pairs.weighed {
            Some(w) => Ok(w.contextual_merit()),
            None => Ok(pairs.profile.contextual_merit(&self.setting()?)),
        }
    }
    fn weighed(&self) -> Result<Option<PairSetting>> {
        self.precision.weighed(self.setting())
    }
    fn whole(&self, _pairs: &Pairs<'_>) -> Result<f64> {
        Ok(0.0)
    }
    fn streamed(
        &self,
        _radius: &mut dyn FnMut() -> Result<usize>,
    ) -> Result<(PairSetting, PairMetric)> {
        Ok((self.setting()?, PairMetric::ContextualMerit))
    }
    fn check(&self) -> Result<()> {
        self.setting().map(|_| ())
    }
}

//! Contextual merit: near pairs of two classes that a feature tells apart (Hong 1997, with all
//! pairs, as in Vilalta et al. 2001, proposition 2).
//!
//! `sum_m sum_c R_m[c,4]`, by default with `f(D) = D^-2`: a pair adds the more to a feature, the
//! fewer other features tell its two rows apart. Identical rows of two classes (D = 0) are told
//! apart by no feature and do not occur in case 4. Pairs of one class are not counted, so a feature
//! with many values is favoured. O(t^2 n) per node. The K-nearest merit counts only the K nearest
//! rows of other classes instead of all.

use super::pairs::{ALPHA, AT_ZERO, ByMetric, DECAY, DecayName, PRECISION, Precision};
use super::{Criterion, EvidenceKind, Info, OptionInfo};
use crate::error::Result;
use crate::stats::pairs::{PairMetric, PairSetting};
use serde::Deserialize;

/// Contextual merit.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextualMerit {
    /// How fast the weight of a pair falls with its distance.
    pub alpha: f64,
    /// The form in which weights fall with the distance.
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
    ..Info::non_table_defaults(EvidenceKind::Pairs)
};

impl Criterion for ContextualMerit {}

impl ByMetric for ContextualMerit {
    const INFO: &'static Info = &INFO;

    fn metric(&self) -> PairMetric {
        PairMetric::ContextualMerit
    }
    fn setting(&self, _radius: &mut dyn FnMut() -> Result<usize>) -> Result<PairSetting> {
        PairSetting::new([1.0; 4], self.alpha, self.decay.decay(self.at_zero))
    }
    fn precision(&self) -> Precision {
        self.precision
    }
}

//! Pi: the pairs of rows that a split gets right minus the pairs that it gets wrong, where near
//! pairs weigh more (Vilalta, Brodie, Oblinger & Rish 2001, eq. 14 and 15).
//!
//! `sum_m n_m/n sum_c (R_m[c,1] + R_m[c,4] - R_m[c,2] - R_m[c,3])`,
//! `R_m[c,case] = theta_case sum over ordered pairs of f(D)`: pairs of one class with one value and
//! pairs of two classes with two values raise the score of a feature, and the other pairs lower it.
//! The weight `n_m/n` stands inside the sum (the paper prints it outside); without it
//! (`weighted=False`) features rank exactly as Relief ranks them with the same decay. With alpha =
//! 0 distances do not count, which gives a purity criterion. With a larger alpha only near pairs
//! count, so that interactions are detected. O(t^2 n) per node, so it does not suit hundreds of
//! thousands of rows. It cannot rank features where every row is far from all others.

use super::pairs::{ALPHA, AT_ZERO, ByMetric, DECAY, DecayName, PRECISION, Precision};
use super::{Criterion, EvidenceKind, Info, OptionDomain, OptionInfo};
use crate::error::Result;
use crate::stats::pairs::{PairMetric, PairSetting};
use serde::Deserialize;

/// Pi.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pi {
    /// Weights of the cases 1 to 4.
    pub theta: [f64; 4],
    /// How fast the weight of a pair falls with its distance.
    pub alpha: f64,
    /// The form in which weights fall with the distance.
    pub decay: DecayName,
    /// Weight at distance 0 under power.
    pub at_zero: f64,
    /// Whether each value counts by its share of the rows.
    pub weighted: bool,
    /// How pairs are added up.
    pub precision: Precision,
}

impl Default for Pi {
    fn default() -> Self {
        let (decay, precision) = (DecayName::Exponential, Precision::Exact);
        Self { theta: [1.0; 4], alpha: 0.1, decay, at_zero: 0.0, weighted: true, precision }
    }
}

pub(super) static INFO: Info = Info {
    name: "pi",
    class_name: "Pi",
    summary: "Pairs of rows the split gets right minus those it gets wrong; near pairs weigh more.",
    formula: r"\sum_m \frac{n_m}{n} \sum_c \left(R_{mc1} + R_{mc4} - R_{mc2} - R_{mc3}\right)",
    source: "vilalta2001",
    options: &[
        OptionInfo {
            name: "theta",
            domain: OptionDomain::Shares { count: 4 },
            default: "[1.0, 1.0, 1.0, 1.0]",
            others: "[[1, 0, 0, 1]]",
            doc: "Weights in [0, 1] of the cases: 1 same value, same class; 2 same value, other \
                class; 3 other value, same class; \
                  4 other value, other class.",
            ..OptionInfo::PLAIN
        },
        OptionInfo { default: "0.1", ..ALPHA },
        OptionInfo { default: "\"exponential\"", ..DECAY },
        AT_ZERO,
        OptionInfo {
            name: "weighted",
            domain: OptionDomain::Flag,
            default: "true",
            others: "[false]",
            doc: "Whether each value counts with its share of the rows; without, features rank as \
                by Relief with the same decay.",
            ..OptionInfo::PLAIN
        },
        PRECISION,
    ],
    extensive: true,
    ..Info::non_table_defaults(EvidenceKind::Pairs)
};

impl Criterion for Pi {}

impl ByMetric for Pi {
    const INFO: &'static Info = &INFO;

    fn metric(&self) -> PairMetric {
        if self.weighted { PairMetric::Pi } else { PairMetric::PlainPi }
    }
    fn setting(&self, _radius: &mut dyn FnMut() -> Result<usize>) -> Result<PairSetting> {
        PairSetting::new(self.theta, self.alpha, self.decay.decay(self.at_zero))
    }
    fn precision(&self) -> Precision {
        self.precision
    }
}

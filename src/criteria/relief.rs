//! Relief with a radius: the near misses that a feature tells apart minus the near hits that it
//! tells apart (Kira & Rendell 1992, in the form of Vilalta, Brodie, Oblinger & Rish 2001,
//! proposition 2).
//!
//! `sum_m sum_c (R_m[c,4] - R_m[c,3])` with `f(D) = 1` for D < radius, else 0, D counting the
//! features on which two rows differ. The default radius is the smallest whole number for which the
//! rows of the root have on average at least ten others nearer; it stays the same below. With a
//! radius above the largest distance all pairs count and interactions are not detected; with a
//! radius of 1 only identical rows count and every score is 0. O(t^2 n) per node. ReliefF has a
//! fixed number of neighbours for each row instead.

use super::pairs::ByMetric;
use super::{Criterion, EvidenceKind, Info, OptionDomain, OptionInfo};
use crate::error::Result;
use crate::stats::pairs::{PairMetric, PairSetting};
use serde::Deserialize;

/// Relief.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Relief {
    /// Pairs nearer than this count; `None`: computed at the root.
    pub radius: Option<f64>,
}

pub(super) static INFO: Info = Info {
    name: "relief",
    class_name: "Relief",
    summary: "Near rows of another class that the feature tells apart minus those of the same \
        class.",
    formula: r"\sum_m \sum_c \left(R_{mc4} - R_{mc3}\right)",
    source: "kira1992; vilalta2001",
    options: &[OptionInfo {
        name: "radius",
        domain: OptionDomain::at_least(0.0),
        default: "null",
        others: "[1.0]",
        doc: "Pairs at D < radius count, finite and at least 0; None: the smallest whole number \
            for which rows of the root have on \
              average at least ten others nearer.",
        ..OptionInfo::PLAIN
    }],
    extensive: true,
    ..Info::non_table_defaults(EvidenceKind::Pairs)
};

impl Criterion for Relief {}

impl ByMetric for Relief {
    const INFO: &'static Info = &INFO;

    fn metric(&self) -> PairMetric {
        PairMetric::Relief
    }
    fn setting(&self, radius: &mut dyn FnMut() -> Result<usize>) -> Result<PairSetting> {
        match self.radius {
            Some(radius) => PairSetting::relief(radius),
            None => PairSetting::relief(radius()? as f64),
        }
    }
    fn needs_radius(&self) -> bool {
        self.radius.is_none()
    }
}

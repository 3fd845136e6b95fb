//! Likelihood-ratio statistic of independence: `G = 2 sum n_mc ln(n_mc n / (n_m n_c)) = 2 n ln 2
//! gain`.
//!
//! Information gain in the units of a chi-squared variable with (branches - 1)(classes - 1) degrees
//! of freedom, of use where a threshold on the score (`min_score`) should mean significance rather
//! than bits. At one node it ranks exactly as `info_gain` does; between nodes it weighs by the
//! rows. Sokal & Rohlf 1981. O(branches x classes).

use super::information::{EntropyNode, Gain, OnEntropies};
use super::{Info, LossRise, Properties};
use std::f64::consts::LN_2;

/// G statistic; no options.
#[derive(Debug)]
pub struct GStatistic;

pub(super) static INFO: Info = Info {
    name: "g_statistic",
    class_name: "GStatistic",
    summary: "Likelihood-ratio statistic of the table.",
    formula: r"2 n \ln 2 \, (H(c) - H(c \mid m))",
    source: "sokal1981",
    highest: None,
    symmetric: true,
    convex: true,
    extensive: true,
    example_score: 4.7889503726491585,
    ..Info::TABLE_DEFAULTS
};

impl Properties for GStatistic {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn loss_rise(&self) -> LossRise {
        LossRise::PerBit(2.0 * LN_2)
    }
}

impl OnEntropies for GStatistic {
    type Measure = Gain;
    const LOSS_PER_BIT: Option<f64> = Some(2.0 * LN_2);

    #[inline(always)]
    fn score(&self, gain: f64, _other: f64, node: &EntropyNode, _declared: u32) -> f64 {
        gain * (2.0 * node.n * LN_2)
    }

    #[inline(always)]
    fn distance(&self, gain: f64, other: f64, node: &EntropyNode, declared: u32) -> f64 {
        -self.score(gain, other, node, declared)
    }
}

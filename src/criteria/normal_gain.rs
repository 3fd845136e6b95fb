//! Normal gain: `gain / log2 v` with v the *declared* number of values (Jun, Kim & Kim 1997; Chen
//! 2013, eq. 6).
//!
//! Information gain with logarithms to base v instead of base 2, so that features with many values
//! do not win by their number. v counts all declared values, even if no row of the node has them:
//! the penalty belongs to the feature, not to the node. v = 1 scores 0; a threshold has v = 2 and
//! equals the gain. O(branches x classes). Among features of equal arity it ranks exactly as
//! `info_gain` does.

use super::information::{EntropyNode, Gain, OnEntropies};
use super::{Info, Properties};
use crate::numeric::log2;

/// Normal gain; no options.
#[derive(Debug)]
pub struct NormalGain;

pub(super) static INFO: Info = Info {
    name: "normal_gain",
    class_name: "NormalGain",
    summary: "Information gain over the logarithm of the declared number of values.",
    formula: r"\frac{H(c) - H(c \mid m)}{\log_2 v}",
    source: "chen2013",
    convex: true,
    example_score: 0.15568180298408846,
    ..Info::TABLE_DEFAULTS
};

impl Properties for NormalGain {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl OnEntropies for NormalGain {
    type Measure = Gain;

    #[inline(always)]
    fn score(&self, gain: f64, _other: f64, _node: &EntropyNode, declared: u32) -> f64 {
        if declared > 1 { gain / log2(f64::from(declared)) } else { 0.0 }
    }

    #[inline(always)]
    fn distance(&self, gain: f64, other: f64, node: &EntropyNode, declared: u32) -> f64 {
        -self.score(gain, other, node, declared)
    }
}

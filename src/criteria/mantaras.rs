//! Lopez de Mantaras' distance between partitions: `d_N = 1 - gain / H(m,c)`; also the normalised
//! variation of information.
//!
//! The score is `gain / H(m,c)`, and the distance is one minus the score, a metric on partitions
//! with values in [0, 1]. `H(m,c) = 0` (one occupied cell: a pure node, a constant feature) has
//! distance 0 and score 0: such a split agrees with the classes, but holds no information. The
//! joint entropy is summed branch by branch, with the classes in the inner loop. O(branches x
//! classes). Chen 2013 (eq. 11) and Spaeh & Kosub (VI_n) define the same measure; as opposed to the
//! gain ratio, its denominator cannot vanish while the node is impure.

use super::information::{EntropyNode, GainAndJoint, OnEntropies, ratio};
use super::{Info, Properties};

/// Normalised distance between partitions; no options.
#[derive(Debug)]
pub struct Mantaras;

pub(super) static INFO: Info = Info {
    name: "mantaras",
    aliases: &["normalized_vi"],
    class_name: "Mantaras",
    summary: "Information gain over the joint entropy of branches and classes.",
    formula: r"\frac{H(c) - H(c \mid m)}{H(m, c)}",
    distance: r"1 - s \text{, and } 0 \text{ if } H(m, c) = 0",
    source: "lopezdemantaras1991",
    symmetric: true,
    metric: true,
    convex: true,
    example_score: 0.10865525141075634,
    ..Info::TABLE_DEFAULTS
};

impl Properties for Mantaras {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl OnEntropies for Mantaras {
    type Measure = GainAndJoint;

    #[inline(always)]
    fn score(&self, gain: f64, joint: f64, _node: &EntropyNode, _declared: u32) -> f64 {
        ratio(gain, joint)
    }

    #[inline(always)]
    fn distance(&self, gain: f64, joint: f64, _node: &EntropyNode, _declared: u32) -> f64 {
        if joint > 0.0 { 1.0 - gain / joint } else { 0.0 }
    }
}

//! Symmetric uncertainty: `2 gain / (H(c) + H(m))` (Press et al. 1988; normalised mutual
//! information with the arithmetic mean).
//!
//! In [0, 1]; 1 if and only if branches and classes determine each other. Zero denominator (pure
//! node and constant feature) scores 0. Symmetric, hence less partial to many values than the gain,
//! more lenient with them than `mantaras`, whose denominator is the joint entropy. O(branches x
//! classes).

use super::information::{EntropyNode, GainAndSplit, OnEntropies, ratio};
use super::{Info, Properties};

/// Symmetric uncertainty; no options.
#[derive(Debug)]
pub struct SymmetricUncertainty;

pub(super) static INFO: Info = Info {
    name: "symmetric_uncertainty",
    class_name: "SymmetricUncertainty",
    summary: "Information gain over the mean of the entropies of branches and classes.",
    formula: r"\frac{2 (H(c) - H(c \mid m))}{H(c) + H(m)}",
    distance: r"1 - s",
    source: "press1988",
    symmetric: true,
    convex: true,
    example_score: 0.19601269424826745,
    ..Info::TABLE_DEFAULTS
};

impl Properties for SymmetricUncertainty {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl OnEntropies for SymmetricUncertainty {
    type Measure = GainAndSplit;

    #[inline(always)]
    fn score(&self, gain: f64, split: f64, node: &EntropyNode, _declared: u32) -> f64 {
        ratio(gain, (node.h_or_zero + split) / 2.0)
    }
}

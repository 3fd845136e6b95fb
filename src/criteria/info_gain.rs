//! Information gain: `H(c) - sum_m n_m/n H(c|m)`, in bits (Quinlan 1986; Shannon's mutual information).
//!
//! Rounding is part of the definition: each entropy is `-(sum c log2 c)/n + log2 n`, summed in class
//! order, and `(n_m/n) H(c|m)` is subtracted from `H(c)` branch by branch in value order, empty branches
//! skipped. O(branches x classes) a candidate. It favours features with many values; see
//! `gain_ratio`, `normal_gain` and `mantaras` for answers to that.

use super::{Block, Evidence, Formula, Info};
use crate::numeric::{Count, entropy};
use serde::{Deserialize, Serialize};

/// Information gain; no options.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InfoGain {}

pub(super) static INFO: Info = Info {
    name: "info_gain",
    aliases: &["entropy", "mutual_information"],
    class_name: "InfoGain",
    summary: "Expected drop of the class entropy, in bits.",
    formula: r"H(c) - \sum_m \frac{n_m}{n} H(c \mid m)",
    distance: r"H(c \mid m)",
    source: "Quinlan, Induction of decision trees, Machine Learning 1 (1986)",
    evidence: Evidence::Table,
    lowest: Some(0.0),
    highest: None,
    symmetric: true,
    branch_invariant: true,
    class_invariant: true,
    metric: false,
    convex: true,
    fractional: true,
    options: &[],
    example: &[&[2, 3], &[4, 0], &[3, 2]],
    example_score: 0.246_749_819_774_439_1,
};

/// Gain of one candidate, given the entropy of its class totals.
#[inline]
pub(super) fn gain<C: Count>(block: &Block<'_, C>, candidate: usize, class_entropy: f64, n: f64) -> f64 {
    let mut gain = class_entropy;
    for m in 0..block.branches {
        let size = block.branch_total(m, candidate);
        if !size.is_empty() {
            gain -= size.value() / n * entropy(block.branch(m, candidate), size, block.context.logs);
        }
    }
    gain
}

/// Entropy of the class totals of a block.
#[inline]
pub(super) fn class_entropy<C: Count>(block: &Block<'_, C>) -> f64 {
    entropy(block.totals.iter().copied(), block.total(), block.context.logs)
}

impl Formula for InfoGain {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let n = block.total().value();
        let h = class_entropy(block);
        for (j, s) in out.iter_mut().enumerate() {
            *s = gain(block, j, h, n);
        }
    }

    /// `H(c|m)`: the expected entropy that is left.
    fn distance<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let n = block.total().value();
        for (j, d) in out.iter_mut().enumerate() {
            *d = -gain(block, j, 0.0, n);
        }
    }
}

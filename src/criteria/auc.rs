//! Area under the ROC curve of the split: branches ranked by p(+|m), ties count 1/2 (Ferri, Flach &
//! Hernandez-Orallo 2002).
//!
//! Equal to the Mann-Whitney statistic of the branch shares over n_+ n_-, hence in [1/2, 1]:
//! ranking by the shares themselves is never worse than chance. More than two classes: mean of each
//! class against the rest, weights n_c/n. A node with one class scores 1/2. O(b log b) for b
//! branches and each class.
//!
//! It rewards order and ignores how pure the branches are; with two branches it is
//! `1/2 + |n_L+ n_R- - n_R+ n_L-| / (2 n_+ n_-)`.

use super::contrast::class_against_rest;
use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;

/// Area under the ROC curve; no options.
#[derive(Debug)]
pub struct Auc;

pub(super) static INFO: Info = Info {
    name: "auc",
    class_name: "Auc",
    summary: "Area under the ROC curve of the branches ranked by their share of the class.",
    formula: concat!(
        r"\frac{1}{n_+ n_-} \sum_{l,m} n_{l+} n_{m-} \left([r_l > r_m] + \tfrac{1}{2} [r_l = ",
        r"r_m]\right), \; r_m = n_{m+} / n_m",
    ),
    source: "ferri2002",
    lowest: Some(0.5),
    convex: true,
    example_score: 0.7777777777777778,
    ..Info::TABLE_DEFAULTS
};

/// A branch: rows of the class and all others.
type BranchCounts = (f64, f64);

/// Equal fractions give equal doubles, so ties are found by comparing quotients.
#[inline]
fn share((positive, negative): BranchCounts) -> f64 {
    positive / (positive + negative)
}

/// Pairs (positive, negative) in the right order, ties 1/2; empty branches hold no pair.
fn ordered_pairs(branches: &mut Vec<BranchCounts>) -> f64 {
    branches.retain(|b| b.0 + b.1 > 0.0);
    branches.sort_unstable_by(|&a, &b| share(a).total_cmp(&share(b)));
    let (mut pairs, mut below) = (0.0, 0.0);
    for group in branches.chunk_by(|&a, &b| share(a) == share(b)) {
        let positive: f64 = group.iter().map(|b| b.0).sum();
        let negative: f64 = group.iter().map(|b| b.1).sum();
        pairs += positive * (below + negative / 2.0);
        below += negative;
    }
    pairs
}

impl Properties for Auc {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl Formula for Auc {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let mut branches = Vec::with_capacity(block.branches);
        class_against_rest(block, out, 0.5, |part, positives, negatives, out| {
            let pairs = positives * negatives;
            if part.branches == 2 {
                for ((s, left), right) in out.iter_mut().zip(part.branch(0)).zip(part.branch(1)) {
                    *s = 0.5 + (left.0 * right.1 - right.0 * left.1).abs() / (2.0 * pairs);
                }
                return;
            }
            for (j, s) in out.iter_mut().enumerate() {
                branches.clear();
                branches.extend((0..part.branches).map(|m| part.at(m, j)));
                *s = ordered_pairs(&mut branches) / pairs;
            }
        });
    }
}

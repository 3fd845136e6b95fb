//! Twoing: `p_L p_R / 4 (sum_c |p_c|L - p_c|R|)^2` (Breiman, Friedman, Olshen & Stone 1984, section
//! 4.3).
//!
//! The largest Gini decrease (halved) over all groupings of the classes into two superclasses, so
//! with many classes it looks for balanced splits that divide the classes rather than isolate one.
//! In [0, 1/4]; with two classes it ranks as `gini` does. More than two branches: mean of each
//! against the rest, weights n_m/n; an empty side scores 0. O(branches x classes).

use super::contrast::branch_against_rest;
use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;

/// Twoing; no options.
#[derive(Debug)]
pub struct Twoing;

pub(super) static INFO: Info = Info {
    name: "twoing",
    class_name: "Twoing",
    summary: "Balance of the branches times the square of how far their classes differ.",
    formula: r"\frac{p_L p_R}{4} \left(\sum_c |p_{c|L} - p_{c|R}|\right)^2",
    source: "breiman1984",
    highest: Some(0.25),
    convex: true,
    example: &[&[3, 4], &[6, 1]],
    example_score: 0.04591836734693877,
    ..Info::TABLE_DEFAULTS
};

impl Properties for Twoing {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// Each branch is held against a rest that holds the third.
    fn convex_with_missing_branch(&self) -> bool {
        false
    }
}

impl Formula for Twoing {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        branch_against_rest(block, out, |left, right| {
            let n = left.size + right.size;
            let mut sum = 0.0;
            for (l, r) in left.counts.iter().zip(right.counts) {
                sum += (l / left.size - r / right.size).abs();
            }
            (left.size / n) * (right.size / n) / 4.0 * sum * sum
        });
    }
}

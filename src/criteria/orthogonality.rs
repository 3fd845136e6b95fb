//! ORT: `1 - cos` of the class *count* vectors of two branches (Fayyad & Irani 1992).
//!
//! The score lies in [0, 1], and is 1 if and only if the branches share no class. As a cosine it
//! equals `angle` up to rounding; here the sums are of integers and therefore exact below 2^53, so
//! equal tables tie exactly. With more than two branches it is the mean of each branch against the
//! rest, with weights n_m/n; an empty side scores 0. The branches of a binary split are not
//! weighted, so set a minimum leaf size. O(branches x classes).

use super::angle::one_minus_cosine;
use super::contrast::branch_against_rest;
use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;

/// Orthogonality of class counts; no options.
#[derive(Debug)]
pub struct Orthogonality;

pub(super) static INFO: Info = Info {
    name: "orthogonality",
    class_name: "Orthogonality",
    summary: "One minus the cosine between the class counts of the branches.",
    formula: r"1 - \frac{\sum_c n_{Lc} n_{Rc}}{\|n_{L\cdot}\| \, \|n_{R\cdot}\|}",
    source: "fayyad1992",
    convex: true,
    example: &[&[3, 4], &[6, 1]],
    example_score: 0.27664445585642783,
    ..Info::TABLE_DEFAULTS
};

impl Properties for Orthogonality {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// Each branch is held against a rest that holds the third.
    fn convex_with_missing_branch(&self) -> bool {
        false
    }
}

impl Formula for Orthogonality {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        branch_against_rest(block, out, |left, right| {
            one_minus_cosine(left.counts.iter().copied().zip(right.counts.iter().copied()))
        });
    }
}

//! Euclidean distance of the class distributions of two branches: `sqrt sum_c (p_c|L - p_c|R)^2`,
//! in [0, sqrt 2]. CORElearn's DistEuclid compares two classes instead: `class_euclid`.
//!
//! With more than two branches it is the mean of each branch against the rest, with weights n_m/n;
//! an empty side scores 0. The two branches of a binary split are not weighted, so one pure row
//! against all others can win: set a minimum leaf size. O(branches x classes). Only boundaries
//! between classes can be best: the distance is the norm of a vector that is affine in the left
//! counts over `n_L n_R`, convex over concave.

use super::contrast::branch_against_rest;
use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;
use std::f64::consts::SQRT_2;

/// Euclidean distance of class distributions; no options.
#[derive(Debug)]
pub struct Euclid;

pub(super) static INFO: Info = Info {
    name: "euclid",
    class_name: "Euclid",
    summary: "Euclidean distance between the class distributions of the branches.",
    formula: r"\sqrt{\sum_c (p_{c|L} - p_{c|R})^2}",
    source: "fayyad1992",
    highest: Some(SQRT_2),
    convex: true,
    example: &[&[3, 4], &[6, 1]],
    example_score: 0.6060915267313264,
    ..Info::TABLE_DEFAULTS
};

impl Properties for Euclid {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// Each branch is held against a rest that holds the third.
    fn convex_with_missing_branch(&self) -> bool {
        false
    }
}

impl Formula for Euclid {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        branch_against_rest(block, out, |left, right| {
            let mut sum = 0.0;
            for (l, r) in left.counts.iter().zip(right.counts) {
                let off = l / left.size - r / right.size;
                sum += off * off;
            }
            sum.sqrt()
        });
    }
}

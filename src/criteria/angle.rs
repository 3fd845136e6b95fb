//! Angle between the class distributions of two branches: `1 - cos((p_c|L)_c, (p_c|R)_c)`, in [0,
//! 1]. CORElearn's DistAngle compares two classes instead: `class_angle`.
//!
//! 1 if and only if the branches share no class. Because a cosine does not depend on lengths,
//! distributions and counts have the same one: `orthogonality` is this measure computed from the
//! counts. With more than two branches it is the mean of each branch against the rest, with weights
//! n_m/n; an empty side scores 0. The branches of a binary split are not weighted, so set a minimum
//! leaf size. O(branches x classes).
//!
//! Boundaries win: along a run of one class let X and Y be the cotangents of the angles between
//! that class's axis and the two branches. X rises and Y falls, and the derivative of the cosine
//! has the sign of `B (Y - cX)(1 + Y^2) + A (cY - X)(1 + X^2)`, which falls all along the run (A, B
//! > 0, c in [0, 1] fixed).

use super::contrast::branch_against_rest;
use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;

/// Angle of class distributions; no options.
#[derive(Debug)]
pub struct Angle;

pub(super) static INFO: Info = Info {
    name: "angle",
    class_name: "Angle",
    summary: "One minus the cosine between the class distributions of the branches.",
    formula: r"1 - \frac{\sum_c p_{c|L} p_{c|R}}{\|p_{\cdot|L}\| \, \|p_{\cdot|R}\|}",
    source: "fayyad1992",
    convex: true,
    example: &[&[3, 4], &[6, 1]],
    example_score: 0.27664445585642794,
    ..Info::TABLE_DEFAULTS
};

/// `1 - cos` of two vectors given as pairs of components; neither is zero.
pub(super) fn one_minus_cosine(components: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut dot, mut left, mut right) = (0.0, 0.0, 0.0);
    for (l, r) in components {
        dot += l * r;
        left += l * l;
        right += r * r;
    }
    1.0 - dot / (left * right).sqrt()
}

impl Properties for Angle {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// Each branch is held against a rest that holds the third.
    fn convex_with_missing_branch(&self) -> bool {
        false
    }
}

impl Formula for Angle {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        branch_against_rest(block, out, |left, right| {
            let pairs = left.counts.iter().zip(right.counts);
            one_minus_cosine(pairs.map(|(l, r)| (l / left.size, r / right.size)))
        });
    }
}

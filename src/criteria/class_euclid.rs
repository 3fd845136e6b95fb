//! Euclidean distance of two classes' distributions over the branches:
//! `sqrt(sum_m (n_m1/n_1 - n_m2/n_2)^2 / 2)`, in [0, 1] (CORElearn's DistEuclid).
//!
//! Insensitive to skew: multiplying the rows of one class by a constant changes nothing. `euclid`
//! is the distance of two *branches'* distributions over the classes. More than two classes: mean
//! of each class against the rest, weights n_c/n. A node with one class scores 0. O(branches x
//! classes). Boundaries win: the distance is the norm of a vector that is affine in the left
//! counts, hence convex.

use super::contrast::class_against_rest;
use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;

/// Euclidean distance of the classes' distributions; no options.
#[derive(Debug)]
pub struct ClassEuclid;

pub(super) static INFO: Info = Info {
    name: "class_euclid",
    class_name: "ClassEuclid",
    summary: "Euclidean distance between the distributions of the classes over the branches.",
    formula: r"\sqrt{\tfrac{1}{2} \sum_m \left(n_{m+}/n_+ - n_{m-}/n_-\right)^2}",
    source: "corelearn",
    convex: true,
    example_score: 0.4151453709393201,
    ..Info::TABLE_DEFAULTS
};

impl Properties for ClassEuclid {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl Formula for ClassEuclid {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        class_against_rest(block, out, 0.0, |part, positives, negatives, out| {
            out.fill(0.0);
            for m in 0..part.branches {
                for (s, (positive, negative)) in out.iter_mut().zip(part.branch(m)) {
                    let off = positive / positives - negative / negatives;
                    *s += off * off;
                }
            }
            for s in out {
                *s = (*s / 2.0).sqrt();
            }
        });
    }
}

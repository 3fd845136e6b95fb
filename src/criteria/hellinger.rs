//! Hellinger distance between the classes' distributions over branches (Cieslak & Chawla 2008):
//! `sqrt sum_m (sqrt(n_m+/n_+) - sqrt(n_m-/n_-))^2`, in [0, sqrt 2].
//!
//! Insensitive to skew: multiplying the rows of one class by a constant changes nothing, so it is a
//! criterion for rare positives, and a poor one where the class frequencies matter. More than two
//! classes: mean of each class against the rest, weights n_c/n, which is no fold over branches
//! (`contrast`). A node with one class scores 0. O(branches x classes).

use super::contrast::class_against_rest;
use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;
use std::f64::consts::SQRT_2;

/// Hellinger distance; no options.
#[derive(Debug)]
pub struct Hellinger;

pub(super) static INFO: Info = Info {
    name: "hellinger",
    class_name: "Hellinger",
    summary: "Hellinger distance between the distributions of the classes over the branches.",
    formula: r"\sqrt{\sum_m \left(\sqrt{n_{m+}/n_+} - \sqrt{n_{m-}/n_-}\right)^2}",
    source: "cieslak2008",
    highest: Some(SQRT_2),
    convex: true,
    example_score: 0.7344429952825182,
    ..Info::TABLE_DEFAULTS
};

impl Properties for Hellinger {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl Formula for Hellinger {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        class_against_rest(block, out, 0.0, |part, positives, negatives, out| {
            out.fill(0.0);
            for m in 0..part.branches {
                for (s, (positive, negative)) in out.iter_mut().zip(part.branch(m)) {
                    let off = (positive / positives).sqrt() - (negative / negatives).sqrt();
                    *s += off * off;
                }
            }
            for s in out {
                *s = s.sqrt();
            }
        });
    }
}

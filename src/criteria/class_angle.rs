//! Angle between two classes' distributions over the branches:
//! `sqrt(1 - cos((n_m1/n_1)_m, (n_m2/n_2)_m))`, in [0, 1] (CORElearn's DistAngle).
//!
//! 1 if and only if no branch holds rows of both classes. `angle` is one minus the cosine of two
//! *branches'* distributions over the classes. More than two classes: mean of each class against
//! the rest, weights n_c/n. A node with one class scores 0. O(branches x classes).
//!
//! The best threshold need not be a boundary of classes: along a run of one class the angle of each
//! class against the rest has one valley, but the mean of several may have a peak between.

use super::contrast::class_against_rest;
use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;

/// Angle of the classes' distributions; no options.
#[derive(Debug)]
pub struct ClassAngle;

pub(super) static INFO: Info = Info {
    name: "class_angle",
    class_name: "ClassAngle",
    summary: "Root of one minus the cosine between the classes' distributions over the branches.",
    formula: r"\sqrt{1 - \frac{\sum_m n_{m+} n_{m-}}{\|n_{\cdot+}\| \, \|n_{\cdot-}\|}}",
    source: "corelearn",
    example_score: 0.6180360481804231,
    ..Info::TABLE_DEFAULTS
};

impl Properties for ClassAngle {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl Formula for ClassAngle {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let mut lengths = Vec::new();
        class_against_rest(block, out, 0.0, |part, positives, negatives, out| {
            // one minus a cosine is half the squared distance of the two unit vectors; taken as
            // such it is exact where they are next to each other
            lengths.clear();
            lengths.resize(out.len(), [0.0_f64; 2]);
            for m in 0..part.branches {
                for (length, (positive, negative)) in lengths.iter_mut().zip(part.branch(m)) {
                    let (p, q) = (positive / positives, negative / negatives);
                    length[0] += p * p;
                    length[1] += q * q;
                }
            }
            lengths.iter_mut().for_each(|[p, q]| (*p, *q) = (p.sqrt(), q.sqrt()));
            out.fill(0.0);
            for m in 0..part.branches {
                let branch = part.branch(m).zip(&lengths);
                for (s, ((positive, negative), [p, q])) in out.iter_mut().zip(branch) {
                    let off = positive / positives / p - negative / negatives / q;
                    *s += off * off;
                }
            }
            for s in out {
                *s = (*s / 2.0).sqrt();
            }
        });
    }
}

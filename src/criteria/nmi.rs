//! Normalised mutual information with the geometric mean, the minimum or the maximum of the two
//! entropies (Strehl & Ghosh 2002; Kvalseth 1987): `gain / sqrt(H(c) H(m))`, `gain / min(H(c),
//! H(m))`, `gain / max(H(c), H(m))`.
//!
//! All lie in [0, 1], since the gain never exceeds the smaller entropy, and are symmetric; a zero
//! denominator scores 0. With the minimum, the score is 1 as soon as one partition determines the
//! other, so needless branches do not lower it; with the maximum, both partitions must determine
//! each other. `1 - max_nmi` obeys the triangle inequality (Vinh, Epps & Bailey 2010), the others
//! do not; none is a metric here, because a constant feature in a pure node scores 0 and not 1.
//! `symmetric_uncertainty` divides by the arithmetic mean and `mantaras` by the joint entropy.
//! O(branches x classes).

use super::information::{EntropyNode, GainAndSplit, OnEntropies, ratio};
use super::{Info, Properties};

/// Gain over the geometric mean of the two entropies; no options.
#[derive(Debug)]
pub struct GeometricNmi;

pub(super) static GEOMETRIC: Info = Info {
    name: "geometric_nmi",
    class_name: "GeometricNmi",
    summary: "Information gain over the geometric mean of the entropies of branches and classes.",
    formula: r"\frac{H(c) - H(c \mid m)}{\sqrt{H(c) H(m)}}",
    distance: r"1 - s",
    source: "strehl2002",
    symmetric: true,
    convex: true,
    example_score: 0.20260729837250127,
    ..Info::TABLE_DEFAULTS
};

/// Gain over the smaller of the two entropies; no options.
#[derive(Debug)]
pub struct MinNmi;

pub(super) static MIN: Info = Info {
    name: "min_nmi",
    class_name: "MinNmi",
    summary: "Information gain over the smaller of the entropies of branches and classes.",
    formula: r"\frac{H(c) - H(c \mid m)}{\min(H(c), H(m))}",
    distance: r"1 - s",
    source: "kvalseth1987",
    symmetric: true,
    convex: true,
    example_score: 0.2624199771347135,
    ..Info::TABLE_DEFAULTS
};

/// Gain over the larger of the two entropies; no options.
#[derive(Debug)]
pub struct MaxNmi;

pub(super) static MAX: Info = Info {
    name: "max_nmi",
    class_name: "MaxNmi",
    summary: "Information gain over the larger of the entropies of branches and classes.",
    formula: r"\frac{H(c) - H(c \mid m)}{\max(H(c), H(m))}",
    distance: r"1 - s",
    source: "vinh2010",
    symmetric: true,
    example_score: 0.15642756242117517,
    ..Info::TABLE_DEFAULTS
};

macro_rules! normalised {
    ($type:ident, $info:ident, $denominator:expr) => {
        impl Properties for $type {
            fn info(&self) -> &'static Info {
                &$info
            }
        }

        impl OnEntropies for $type {
            type Measure = GainAndSplit;

            #[inline(always)]
            fn score(&self, gain: f64, split: f64, node: &EntropyNode, _declared: u32) -> f64 {
                ratio(gain, $denominator(node.h_or_zero, split))
            }
        }
    };
}

normalised!(GeometricNmi, GEOMETRIC, |h: f64, split: f64| (h * split).sqrt());
normalised!(MinNmi, MIN, f64::min);
normalised!(MaxNmi, MAX, f64::max);

//! Refuses candidates by the values of their branches, for monotonic constraints.
//!
//! Growth gives a [`ValueGuard`] to the sink of a node ([`BestOfEach`](super::BestOfEach)), which
//! then scores tables only: estimates do not say what the values of branches are. O(branches) per
//! candidate, nothing without constraints.

use crate::criteria::Tables;
use crate::numeric::{Cells, Count};

/// The limits that monotonic constraints set to the values of a node's branches. A value is the
/// mean of a numeric target, or the share of the second of two classes.
#[derive(Debug, Clone, Copy)]
pub struct ValueGuard<'a> {
    /// 1 for features on whose thresholds the right value may not be below the left, -1 for
    /// features with the other order, and 0 for all others.
    pub signs: &'a [i8],
    /// The least and the largest value of a branch.
    pub bounds: [f64; 2],
    /// Weight and value of the rows that the branches share, as they have no value of the feature;
    /// the tables do not count them.
    pub shared: Option<(f64, f64)>,
}

impl ValueGuard<'_> {
    /// The value of the rows whose sums are the cells `at`, `at + stride`, ...; `None` without
    /// rows. The same function serves tables of candidates and the class sums of a node, whose
    /// stride is 1.
    pub fn value(cells: Cells<'_>, at: usize, stride: usize) -> Option<f64> {
        match cells {
            Cells::Rows(counts) => share_of_second(counts[at], counts[at + stride]),
            Cells::Weights(sums) => share_of_second(sums[at], sums[at + stride]),
            Cells::Moments(moments) => (moments[at].weight > 0.0).then(|| moments[at].mean),
        }
    }

    /// Write a score of negative infinity for the candidates that are refused; `feature` gives the
    /// feature of each candidate.
    pub(super) fn refuse(
        &self,
        tables: &Tables<'_>,
        feature: impl Fn(usize) -> u32,
        scores: &mut [f64],
    ) {
        let known_weight = total_weight(tables.totals);
        for (candidate, score) in scores.iter_mut().enumerate() {
            if !self.allows(tables, known_weight, feature(candidate), candidate) {
                *score = f64::NEG_INFINITY;
            }
        }
    }

    /// Whether a candidate is allowed; `known_weight` is the weight of the rows that the tables
    /// count.
    fn allows(
        &self,
        tables: &Tables<'_>,
        known_weight: f64,
        feature: u32,
        candidate: usize,
    ) -> bool {
        let value = |branch: usize| {
            let at = branch * tables.classes * tables.stride + candidate;
            Self::value(tables.cells, at, tables.stride)
        };
        // The shared rows are divided among the branches in proportion to their other rows.
        let with_shared = |value: f64| match self.shared {
            Some((weight, shared)) => {
                (known_weight * value + weight * shared) / (known_weight + weight)
            }
            None => value,
        };
        let values = (0..tables.branches).filter_map(value).map(with_shared);
        self.keeps(feature, values, [value(0), value(1)])
    }

    /// Whether the `values` of the branches are within the bounds, and the values of the first two
    /// branches, `sides`, are in the order that the sign of the feature demands. A branch without
    /// rows has no value.
    pub fn keeps(
        &self,
        feature: u32,
        mut values: impl Iterator<Item = f64>,
        sides: [Option<f64>; 2],
    ) -> bool {
        let [least, largest] = self.bounds;
        let are_within = values.all(|value| least <= value && value <= largest);
        let are_in_order = match (self.signs.get(feature as usize).copied().unwrap_or(0), sides) {
            (1, [Some(left), Some(right)]) => left <= right,
            (-1, [Some(left), Some(right)]) => left >= right,
            _ => true,
        };
        are_within && are_in_order
    }
}

/// The weight of some sums.
fn total_weight(cells: Cells<'_>) -> f64 {
    match cells {
        Cells::Rows(counts) => counts.iter().map(|count| count.value()).sum(),
        Cells::Weights(sums) => sums.iter().sum(),
        Cells::Moments(moments) => moments.iter().map(|moments| moments.weight).sum(),
    }
}

/// The share of the second of two counts; `None` where both are 0.
fn share_of_second<C: Count>(first: C, second: C) -> Option<f64> {
    let total = first.value() + second.value();
    (total > 0.0).then(|| second.value() / total)
}

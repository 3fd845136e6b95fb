//! One split per feature, drawn by a seed (Geurts, Ernst & Wehenkel, *Extremely randomized trees*,
//! Machine Learning 63, 2006).
//!
//! A threshold is uniform between the smallest and the largest value of the node; of the binary
//! divisions of a nominal feature, one of those that the search for the best would try is drawn.
//! The draw depends on the seed, the node and the feature alone, so trees are the same for any
//! number of threads and any order of the rows. O(rows) per feature for the class sums on the left.
//!
//! The splitter is meant for forests, whose trees it makes more different and quicker to grow. A
//! single tree that must be accurate needs the best splits.

use super::cut_rule::{CutRule, NumericRows};
use crate::numeric::mix;

/// The random numbers of the features of one node.
#[derive(Debug, Clone, Copy)]
pub struct Draws {
    /// Key of the node's random numbers.
    key: u64,
}

impl Draws {
    /// The draws for the node with key `node` in a tree with seed `seed`. The key depends on the
    /// path from the root alone, so the draws of a node are the same in every order of growth.
    pub fn new(seed: u64, node: u64) -> Self {
        // Features are numbers of 32 bits, so no other draw of the node uses 2^32.
        Self { key: mix(mix(seed, node), 1 << 32) }
    }

    /// 64 random bits for a feature. They depend on the seed, the node and the feature alone.
    pub fn bits(self, feature: u32) -> u64 {
        mix(self.key, u64::from(feature))
    }

    /// A threshold in `[lo, hi)`, where `lo < hi`: uniform apart from rounding, and never -0. With
    /// it at least one value, `lo`, lies on the left, and one, `hi`, on the right.
    pub fn threshold(self, feature: u32, lo: f64, hi: f64) -> f64 {
        // The 53 high bits are a uniform double in [0, 1).
        let share = (self.bits(feature) >> 11) as f64 / (1_u64 << 53) as f64;
        let threshold = lo * (1.0 - share) + hi * share;
        // Rounding may leave the range; adding 0 turns -0 into 0.
        (if threshold >= lo && threshold < hi { threshold } else { lo }) + 0.0
    }

    /// The threshold that is drawn for a numeric feature; [`CutRule::Nowhere`] where all values are
    /// equal.
    pub(super) fn cut<V: Fn(u32) -> f64>(self, rows: &NumericRows<'_, V>) -> CutRule {
        let NumericRows { feature, order, value } = rows;
        let (Some(&first), Some(&last)) = (order.first(), order.last()) else {
            return CutRule::Nowhere;
        };
        let (lo, hi) = (value(first), value(last));
        if lo < hi {
            let threshold = self.threshold(*feature, lo, hi);
            let left = order.partition_point(|&entry| value(entry) <= threshold);
            CutRule::At { left, threshold: Some(threshold) }
        } else {
            CutRule::Nowhere
        }
    }
}

//! One split per feature, drawn by a seed (Geurts, Ernst & Wehenkel, *Extremely randomized trees*,
//! Machine Learning 63, 2006).
//!
//! A threshold is uniform between the smallest and the largest value of the node, and stands as it
//! was drawn; of nominal features split in two, one of the divisions that the search for the best
//! would try is drawn. The number drawn depends on the seed, the node and the feature alone, so
//! trees are the same for any number of threads and any order of the rows. O(rows) a feature for
//! the class sums on the left.
//!
//! When not to use it: for a single tree that shall be accurate. It is for forests, where it trades
//! variance between trees for time.

use super::cut_rule::{CutRule, NumericRows};
use crate::numeric::mix;

/// What is drawn for the features of one node.
#[derive(Debug, Clone, Copy)]
pub struct Draws(u64);

impl Draws {
    /// For the node with this key in a tree with this seed.
    pub fn new(seed: u64, node: u64) -> Self {
        Self(mix(mix(seed, node), 1 << 32))
    }

    /// A number for a feature.
    pub fn of(self, feature: u32) -> u64 {
        mix(self.0, u64::from(feature))
    }

    /// A threshold in `[lo, hi)`, where `lo < hi`.
    pub fn threshold(self, feature: u32, lo: f64, hi: f64) -> f64 {
        let share = (self.of(feature) >> 11) as f64 / (1_u64 << 53) as f64;
        let t = lo * (1.0 - share) + hi * share;
        (if t >= lo && t < hi { t } else { lo }) + 0.0
    }

    /// The threshold that is drawn for a numeric feature: none where all values are equal.
    pub(super) fn cut<W, V: Fn(u32) -> f64>(self, rows: &NumericRows<'_, W, V>) -> CutRule {
        let NumericRows { feature, order, value, .. } = rows;
        let (Some(&first), Some(&last)) = (order.first(), order.last()) else {
            return CutRule::Nowhere;
        };
        let (lo, hi) = (value(first), value(last));
        if lo < hi {
            let t = self.threshold(*feature, lo, hi);
            CutRule::At { left: order.partition_point(|&e| value(e) <= t), threshold: Some(t) }
        } else {
            CutRule::Nowhere
        }
    }
}

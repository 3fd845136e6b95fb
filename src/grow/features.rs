//! Random subsets of features (`max_features`), drawn anew for each node (Breiman, *Random
//! Forests*, 2001).
//!
//! As in scikit-learn, a node searches `max_features` features and goes on, one feature at a time,
//! until the search finds a valid split. The draw depends on the seed and the node's key alone, so
//! neither threads nor the order of growth change it. O(features) per node. Without `max_features`
//! nothing is drawn.

use crate::error::Result;
use crate::numeric::{mix, uniform};

/// The features among which a node is searched for a split: all features, or the features of a
/// mask.
#[derive(Debug, Clone, Copy)]
pub(super) struct WantedFeatures<'m> {
    /// Whether each feature is wanted; `None` where all are.
    mask: Option<&'m [bool]>,
}

impl<'m> WantedFeatures<'m> {
    /// All features of the data set.
    pub const ALL: Self = Self { mask: None };

    /// The features whose place in the mask is true. The mask has one place per feature of the data
    /// set, by its number.
    pub fn only(mask: &'m [bool]) -> Self {
        Self { mask: Some(mask) }
    }

    /// Whether a feature is searched. The feature is given by its number in the data set.
    #[inline]
    pub fn is_wanted(self, feature: u32) -> bool {
        self.mask.is_none_or(|mask| mask[feature as usize])
    }
}

/// Search for a split among the features of a node.
///
/// * `n_features` is the number of features of the data set.
/// * `max_features` is the number of features that are searched together at first. Without it all
///   allowed features are searched at once, and nothing is drawn.
/// * `is_allowed` says whether the path to the node allows a feature.
/// * `key` decides the draw.
/// * `search` gets a mask of features, and returns a split if one of them has a valid one.
pub(super) fn search_among<T>(
    n_features: usize,
    max_features: Option<usize>,
    is_allowed: &dyn Fn(u32) -> bool,
    key: u64,
    search: &mut dyn FnMut(&[bool]) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let Some(n_drawn) = max_features else {
        let wanted: Vec<bool> = (0..n_features as u32).map(is_allowed).collect();
        return search(&wanted);
    };
    let mut order = Vec::new();
    shuffle(n_features, key, &mut order);
    order.retain(|&feature| is_allowed(feature));
    // A setting of 0 would call `search` once without any feature.
    let n_together = n_drawn.max(1);
    search_in_order(&order, n_together, &mut |drawn| {
        let mut wanted = vec![false; n_features];
        drawn.iter().for_each(|&feature| wanted[feature as usize] = true);
        search(&wanted)
    })
}

/// Search the first `n_together` features of an order at once, then one feature at a time until
/// `search` finds a split.
///
/// Each call of `search` gets features that no call before it had, so no feature is searched twice.
pub(super) fn search_in_order<T>(
    order: &[u32],
    n_together: usize,
    search: &mut dyn FnMut(&[u32]) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let (together, one_by_one) = order.split_at(n_together.min(order.len()));
    let mut split = search(together)?;
    for feature in one_by_one.chunks(1) {
        if split.is_some() {
            break;
        }
        split = search(feature)?;
    }
    Ok(split)
}

/// Fill `order` with all features in a random order that depends on `key` alone (Fisher and Yates).
/// The content of `order` is replaced; only its memory is used again.
pub(super) fn shuffle(n_features: usize, key: u64, order: &mut Vec<u32>) {
    order.clear();
    order.extend(0..n_features as u32);
    for i in (1..n_features).rev() {
        order.swap(i, uniform(mix(key, i as u64), i as u64 + 1) as usize);
    }
}

//! Random subsets of features (`max_features`), drawn anew for each node.
//!
//! As in scikit-learn, a node searches `max_features` features and goes on, one feature at a time,
//! until the search finds a valid split. The draw depends on the seed and the node's key alone.
//! O(features) per node. Without `max_features` nothing is drawn.

use crate::error::Result;
use crate::numeric::{mix, uniform};

/// The features that a search takes: those of a mask, or all.
#[derive(Debug, Clone, Copy)]
pub(super) struct WantedFeatures<'m>(pub Option<&'m [bool]>);

impl WantedFeatures<'_> {
    /// Whether the search takes a feature.
    #[inline]
    pub fn has(self, feature: u32) -> bool {
        self.0.is_none_or(|mask| mask[feature as usize])
    }
}

/// Search for a split among the features of a node that its path allows: `search` gets a mask of
/// features.
///
/// `max_features` of the allowed ones of `n_features` features are drawn by `key`; without it all
/// of them are searched at once.
pub(super) fn search_among<T>(
    n_features: usize,
    max_features: Option<usize>,
    allowed: &dyn Fn(u32) -> bool,
    key: u64,
    search: &mut dyn FnMut(&[bool]) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let Some(first) = max_features else {
        let wanted: Vec<bool> = (0..n_features as u32).map(allowed).collect();
        return search(&wanted);
    };
    let mut order = Vec::new();
    shuffle(n_features, key, &mut order);
    order.retain(|&feature| allowed(feature));
    search_in_order(&order, first.max(1), &mut |drawn| {
        let mut wanted = vec![false; n_features];
        drawn.iter().for_each(|&feature| wanted[feature as usize] = true);
        search(&wanted)
    })
}

/// Search the `first` features of an order together, then one feature at a time until `search`
/// finds something. Each call of `search` gets the features that are new.
pub(super) fn search_in_order<T>(
    order: &[u32],
    first: usize,
    search: &mut dyn FnMut(&[u32]) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let (together, one_by_one) = order.split_at(first.min(order.len()));
    let mut found = search(together)?;
    for feature in one_by_one.chunks(1) {
        if found.is_some() {
            break;
        }
        found = search(feature)?;
    }
    Ok(found)
}

/// Fill `order` with all features in an order that depends on `key` alone (Fisher and Yates).
pub(super) fn shuffle(n_features: usize, key: u64, order: &mut Vec<u32>) {
    order.clear();
    order.extend(0..n_features as u32);
    for i in (1..n_features).rev() {
        order.swap(i, uniform(mix(key, i as u64), i as u64 + 1) as usize);
    }
}

//! Profiles of nodes that several trees on the same rows have in common.
//!
//! Trees of one training set under many settings part from each other only where their splits
//! differ. The splits above a node, in whatever order, say which rows it has, so its profile is
//! kept under [`TreeBuilder::path_key`](crate::grow::builder::TreeBuilder::path_key). The oldest
//! entries stay and no new ones are kept once the memory is full, which costs time and changes
//! nothing else.

use crate::stats::pairs::{PairCounts, Profile};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The pairs of a node: its features (places among the nominal ones; those that do not vary may be
/// left out), and their profile.
#[derive(Debug)]
pub struct KnownPairs {
    pub(in crate::grow) features: Vec<u32>,
    pub(in crate::grow) profile: Profile,
}

impl KnownPairs {
    /// Bytes that are held.
    pub fn bytes(&self) -> usize {
        self.profile.bytes() + 4 * self.features.len() + 128
    }

    /// All features.
    pub fn of_counts(counts: &PairCounts) -> Self {
        Self { features: (0..counts.features() as u32).collect(), profile: Profile::new(counts) }
    }
}

/// Profiles by node, for trees on one set of rows.
#[derive(Debug)]
pub struct PairMemo {
    /// Profiles, and bytes left.
    entries: Mutex<(HashMap<u128, Arc<KnownPairs>>, usize)>,
}

impl PairMemo {
    /// A memo that knows the root, if anything is known of it, and takes other nodes if trees to
    /// come shall have them, up to `bytes` bytes.
    pub fn new(root: Option<&Arc<KnownPairs>>, bytes: usize) -> Self {
        let known = root.map(|root| (0, Arc::clone(root))).into_iter().collect();
        Self { entries: Mutex::new((known, bytes)) }
    }

    /// What is known of a node.
    pub(in crate::grow) fn get(&self, key: u128) -> Option<Arc<KnownPairs>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).0.get(&key).cloned()
    }

    /// Keep what was found, if there is room.
    pub(in crate::grow) fn keep(&self, key: u128, known: &Arc<KnownPairs>) {
        let bytes = known.bytes();
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if bytes <= entries.1 {
            entries.1 -= bytes;
            entries.0.insert(key, Arc::clone(known));
        }
    }

    /// Whether other trees may get what is kept, and there is room.
    pub(in crate::grow) fn is_open(&self) -> bool {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).1 > 0
    }

    /// Number of nodes held.
    pub fn len(&self) -> usize {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).0.len()
    }

    /// True without nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

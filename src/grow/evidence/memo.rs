//! Pair counts of nodes that several trees on the same rows share ([`PairMemo`]).
//!
//! Trees on one training set under many settings have equal nodes until their splits differ. The
//! splits above a node, in any order, decide its rows, so its counts are kept under
//! [`TreeBuilder::path_key`](crate::grow::builder::TreeBuilder::path_key). Once the memory is full
//! the oldest entries stay and new ones are not kept; then nodes are counted again, with the same
//! result. Searches over settings and cross-validation (`crate::fit::shared`) make a memo; a single
//! fit needs none.

use crate::parallel::lock;
use crate::stats::pairs::{PairCounts, Profile};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Bytes of a map's entry and of the allocations behind it, about.
const ENTRY_BYTES: usize = 128;

/// The pair counts of a node.
#[derive(Debug)]
pub struct KnownPairs {
    /// Places among the nominal features; features that do not vary in the node may be left out.
    pub(in crate::grow) features: Vec<u32>,
    /// Pair counts of each of these features by case and distance.
    pub(in crate::grow) profile: Profile,
}

impl KnownPairs {
    /// Bytes that this takes, the entry of a map included. An estimate: the allocations behind an
    /// entry count as 128 bytes.
    pub fn bytes(&self) -> usize {
        self.profile.bytes() + size_of_val(self.features.as_slice()) + ENTRY_BYTES
    }

    /// The entry for counts of all features, such as the counts of the root. Cross-validation
    /// counts the roots of all folds in one pass, and makes the entries from them.
    pub fn from_counts(counts: &PairCounts) -> Self {
        Self { features: (0..counts.features() as u32).collect(), profile: Profile::new(counts) }
    }
}

/// Pair counts by node, for trees on one set of rows.
#[derive(Debug)]
pub struct PairMemo {
    entries: Mutex<MemoEntries>,
}

#[derive(Debug)]
struct MemoEntries {
    by_key: HashMap<u128, Arc<KnownPairs>>,
    /// Bytes that further entries may take.
    bytes_left: usize,
}

impl PairMemo {
    /// A memo that begins with the counts of the root, where these are known, and keeps the counts
    /// of other nodes up to `bytes` bytes. With 0 bytes it keeps only the root.
    pub fn new(root: Option<&Arc<KnownPairs>>, bytes: usize) -> Self {
        let by_key = root.map(|root| (0, Arc::clone(root))).into_iter().collect();
        Self { entries: Mutex::new(MemoEntries { by_key, bytes_left: bytes }) }
    }

    fn entries(&self) -> MutexGuard<'_, MemoEntries> {
        lock(&self.entries)
    }

    /// The counts of a node, where they are kept.
    pub(in crate::grow) fn get(&self, key: u128) -> Option<Arc<KnownPairs>> {
        self.entries().by_key.get(&key).cloned()
    }

    /// Keep the counts of a node, if there is room.
    pub(in crate::grow) fn keep(&self, key: u128, known: &Arc<KnownPairs>) {
        let bytes = known.bytes();
        let mut entries = self.entries();
        if bytes <= entries.bytes_left {
            entries.bytes_left -= bytes;
            entries.by_key.insert(key, Arc::clone(known));
        }
    }

    /// Whether there is room for the counts of further nodes.
    pub(in crate::grow) fn is_open(&self) -> bool {
        self.entries().bytes_left > 0
    }
}

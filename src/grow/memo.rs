//! Profiles of nodes that several trees on the same rows have in common.
//!
//! Trees of one training set under many settings part from each other only where their splits differ. The rows of a node are told by the
//! splits above it, in whatever order: the key is a sum over (feature, branch) of 128 mixed bits, so two trees that reach the same rows by the same tests
//! share one count. The oldest entries stay and no new ones are kept once the memory is full, which costs time and changes nothing else.

use super::draft::Drafts;
use crate::numeric::mix;
use crate::stats::Sum;
use crate::stats::pairs::Profile;
use crate::tree::NONE;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of profiles that one memo holds at most.
const MOST: usize = 256 << 20;

/// The pairs of a node: which features vary (places among the nominal ones), and their profile.
#[derive(Debug)]
pub struct Known {
    pub(super) features: Vec<u32>,
    pub(super) profile: Profile,
}

/// Profiles by node, for trees on one set of rows.
#[derive(Debug, Default)]
pub struct PairMemo {
    entries: Mutex<(HashMap<u128, Arc<Known>>, usize)>,
}

impl PairMemo {
    /// What is known of a node.
    pub(super) fn get(&self, key: u128) -> Option<Arc<Known>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).0.get(&key).cloned()
    }

    /// Keep what was found, if there is room.
    pub(super) fn keep(&self, key: u128, known: &Arc<Known>) {
        let bytes = known.profile.bytes() + 4 * known.features.len() + 128;
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.1 + bytes <= MOST {
            entries.1 += bytes;
            entries.0.insert(key, Arc::clone(known));
        }
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

/// The key of a node: what was tested above it.
pub(super) fn key<S: Sum>(drafts: &Drafts<S>, node: usize) -> u128 {
    let mut key = 0u128;
    let mut at = drafts.nodes[node];
    while at.parent != NONE {
        let parent = drafts.nodes[at.parent as usize];
        if let Some(split) = parent.split {
            let test = u64::from(split.feature) << 32 | u64::from(at.branch);
            key = key.wrapping_add(u128::from(mix(1, test)) << 64 | u128::from(mix(2, test)));
        }
        at = parent;
    }
    key
}

//! Sets of rows that were solved before (`exact`).
//!
//! Where the columns have few values, tests in another order lead to the same rows. A set is known
//! by the exclusive or of a random number of 128 bits per row, so that two different sets among
//! billions are taken for the same with a probability below 1e-18. Where there are many thresholds,
//! the same rows hardly ever come again, and nothing is kept.

use super::plans::{Incumbent, Plan};
use crate::numeric::mix;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A set of rows and the limits of its trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct KnownKey {
    pub(super) rows: u128,
    pub(super) depth: u32,
    pub(super) leaves: u32,
}

/// A tree and its cost; without a tree, a lower bound.
#[derive(Debug, Clone)]
pub(super) struct KnownTree {
    pub(super) cost: f64,
    pub(super) plan: Option<Plan>,
}

/// Bytes of an entry, about.
const ENTRY: usize = 400;

/// What was proven, by set of rows; it is emptied when it is full.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// A random number per row; empty if nothing is kept.
    rows: Vec<u128>,
    most: usize,
    trees: Mutex<HashMap<KnownKey, KnownTree>>,
}

impl Known {
    /// For `rows` rows, within some memory.
    pub(super) fn new(rows: usize, bytes: usize) -> Self {
        let random = |row: u64| u128::from(mix(row, 1)) << 64 | u128::from(mix(row, 2));
        let rows = (0..rows as u64).map(random).collect();
        Self { rows, most: bytes / ENTRY, trees: Mutex::default() }
    }

    /// The number of a set.
    pub(super) fn hash(&self, rows: &[u32]) -> u128 {
        if self.rows.is_empty() {
            return 0;
        }
        rows.iter().fold(0, |hash, &row| hash ^ self.rows[row as usize])
    }

    /// The best tree of a set, or a bound that is no less than `limit`.
    pub(super) fn get(&self, key: &KnownKey, limit: f64) -> Option<KnownTree> {
        if self.rows.is_empty() {
            return None;
        }
        let trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        trees.get(key).filter(|known| known.plan.is_some() || known.cost >= limit).cloned()
    }

    /// Keep what was found.
    pub(super) fn put(&self, key: KnownKey, best: &Incumbent) {
        if self.rows.is_empty() {
            return;
        }
        let mut trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        if trees.len() >= self.most {
            trees.clear();
        }
        trees.insert(key, KnownTree { cost: best.cost, plan: best.plan.clone() });
    }
}

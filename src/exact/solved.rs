//! Sets of rows that were solved before (`exact`).
//!
//! Where the columns have few values, the same tests in another order lead to the same rows. A set
//! is identified by its *hash*, the exclusive or of a random number of 128 bits per row, so that
//! two different sets among billions are taken for the same with a probability below 1e-18. Where
//! there are many thresholds, the same rows hardly ever occur again, and nothing is kept.

use super::incumbent::{Incumbent, Plan};
use crate::numeric::mix;
use crate::parallel::lock;
use std::collections::HashMap;
use std::sync::Mutex;

/// A set of rows and the limits of its trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SolvedKey {
    /// [`SolvedSets::hash`] of the rows.
    pub(super) rows: u128,
    pub(super) depth: u32,
    pub(super) leaves: u32,
}

/// The best tree of a set, or a lower bound.
#[derive(Debug, Clone)]
pub(super) struct SolvedTree {
    /// The cost of the tree. Without a tree, no tree costs less.
    pub(super) cost: f64,
    pub(super) plan: Option<Plan>,
}

/// About the bytes of an entry: its key, its slot in the table, and the nodes of a small tree.
const ENTRY_BYTES: usize = 400;

/// The trees and bounds that were proven, by set of rows. The table is emptied when it is full.
#[derive(Debug, Default)]
pub(super) struct SolvedSets {
    /// A random number per row; empty if nothing is kept.
    row_hashes: Vec<u128>,
    /// Largest number of trees.
    most_trees: usize,
    trees: Mutex<HashMap<SolvedKey, SolvedTree>>,
}

impl SolvedSets {
    /// Memory for sets of `n_rows` rows that takes at most about `bytes`. The default keeps
    /// nothing.
    pub(super) fn new(n_rows: usize, bytes: usize) -> Self {
        let random = |row: u64| u128::from(mix(row, 1)) << 64 | u128::from(mix(row, 2));
        let row_hashes = (0..n_rows as u64).map(random).collect();
        Self { row_hashes, most_trees: bytes / ENTRY_BYTES, trees: Mutex::default() }
    }

    /// The hash of a set of rows; 0 if nothing is kept. The hash of one side of a test is the
    /// exclusive or of the hashes of the set and of the other side.
    pub(super) fn hash(&self, rows: &[u32]) -> u128 {
        if self.row_hashes.is_empty() {
            return 0;
        }
        rows.iter().fold(0, |hash, &row| hash ^ self.row_hashes[row as usize])
    }

    /// The best tree of a set, or a bound that is no less than `limit`. `None` if nothing is kept,
    /// or if the known bound is too small to be of use.
    pub(super) fn get(&self, key: &SolvedKey, limit: f64) -> Option<SolvedTree> {
        if self.row_hashes.is_empty() {
            return None;
        }
        let trees = lock(&self.trees);
        trees.get(key).filter(|tree| tree.plan.is_some() || tree.cost >= limit).cloned()
    }

    /// Keep the best tree of a set, or the bound that no tree undercuts. If the memory is full, all
    /// that it held is dropped.
    pub(super) fn put(&self, key: SolvedKey, best: &Incumbent) {
        if self.row_hashes.is_empty() {
            return;
        }
        let mut trees = lock(&self.trees);
        if trees.len() >= self.most_trees {
            trees.clear();
        }
        trees.insert(key, SolvedTree { cost: best.cost, plan: best.plan.clone() });
    }
}

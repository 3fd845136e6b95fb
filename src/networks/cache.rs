//! Costs of tables, remembered by (child, parents) and shared by all threads.
//!
//! With up to 16 variables every cost has a slot of its own, read and written without a lock (8 MB
//! at most). With more variables there are shards of hash tables, each of which is emptied when it
//! is full: at most [`LARGEST_CACHE`] costs, 103 MB. A cost depends on its table alone, so it does
//! not matter which thread counts it, or how often. If all sets of variables were counted before
//! ([`SubsetSums`]), costs come from their sums, which differ from those counted one by one in the
//! last bits.

use super::cost::{Groups, table_cost};
use super::prior::Prior;
use super::subsets::SubsetSums;
use super::variables::{VarSet, Variables};
use crate::parallel::lock;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most variables with a slot per cost.
const DENSE: usize = 16;

/// Number of hash tables, each with a lock.
const SHARDS: usize = 64;

/// Largest number of costs in the shards. A shard holds as many as a hash table of 2^15 slots.
pub const LARGEST_CACHE: usize = SHARDS * (7 << 12);

/// Message lengths of tables, each counted when it is first needed.
#[derive(Debug)]
pub struct CostCache<'a> {
    /// The rows.
    pub variables: &'a Variables,
    sums: Option<&'a SubsetSums>,
    /// Bits of the costs at `(child << n) + parents`, 0 for unknown; empty with many variables.
    dense: Vec<AtomicU64>,
    /// Costs by child and parents.
    shards: Vec<Mutex<HashMap<(u32, VarSet), f64>>>,
    /// Most costs in a shard.
    largest_shard: usize,
    /// Number of tables that were counted.
    counted: AtomicU64,
}

impl<'a> CostCache<'a> {
    /// An empty cache of at most [`LARGEST_CACHE`] costs. With `sums`, the counts of all sets of
    /// variables, no table is counted: costs are computed from the sums.
    pub fn new(variables: &'a Variables, sums: Option<&'a SubsetSums>) -> Self {
        Self::bounded(variables, sums, LARGEST_CACHE)
    }

    /// A cache with room for `most` costs, at least one in each shard. With few variables, whose
    /// costs have a slot each, `most` has no effect. Tests use small caches to show that dropping
    /// costs changes no result.
    pub fn bounded(variables: &'a Variables, sums: Option<&'a SubsetSums>, most: usize) -> Self {
        let n = variables.len();
        let dense = if n <= DENSE { n << n } else { 0 };
        Self {
            variables,
            sums,
            dense: (0..dense).map(|_| AtomicU64::new(0)).collect(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            largest_shard: (most / SHARDS).max(1),
            counted: AtomicU64::new(0),
        }
    }

    /// Number of tables that were counted so far. Two threads may both count a table that neither
    /// finds, so the number can differ between runs with several threads; costs read from `sums`
    /// are not included.
    pub fn n_counted(&self) -> u64 {
        self.counted.load(Ordering::Relaxed)
    }

    /// Number of costs in the shards, which is at most the capacity; 0 with few variables, whose
    /// costs have a slot each. It locks every shard in turn, for tests of the bound.
    pub fn n_cached(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    /// Message length in nits of the table of `child` given `parents`; 0 for a variable with a
    /// single value. A cost that is not known is counted in O(rows * parents) and remembered.
    /// `groups` is memory that the count uses again.
    #[inline]
    pub fn table_cost(&self, child: usize, parents: VarSet, groups: &mut Groups) -> f64 {
        let n = self.variables.len();
        if self.variables.arities[child] == 1 {
            return 0.0;
        }
        if n <= DENSE {
            let place = &self.dense[(child << n) + parents as usize];
            let known = place.load(Ordering::Relaxed);
            if known != 0 {
                return f64::from_bits(known);
            }
            let cost = self.count(child, parents, groups);
            place.store(cost.to_bits(), Ordering::Relaxed);
            return cost;
        }
        if let Some(sums) = self.sums {
            return sums.table_cost(child, self.variables.arities[child], parents as usize);
        }
        // the shard by the highest bits of a multiplicative hash
        let mixed = (parents as u64 ^ (parents >> 64) as u64 ^ child as u64)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let shard = &self.shards[(mixed >> 58) as usize];
        let key = (child as u32, parents);
        if let Some(&known) = lock(shard).get(&key) {
            return known;
        }
        let cost = self.count(child, parents, groups);
        let mut shard = lock(shard);
        if shard.len() >= self.largest_shard {
            shard.clear();
        }
        shard.insert(key, cost);
        cost
    }

    /// Compute a cost that is not in the cache.
    fn count(&self, child: usize, parents: VarSet, groups: &mut Groups) -> f64 {
        if let Some(sums) = self.sums {
            return sums.table_cost(child, self.variables.arities[child], parents as usize);
        }
        self.counted.fetch_add(1, Ordering::Relaxed);
        table_cost(self.variables, child, parents, groups)
    }

    /// Nits of the table of `child` and of the arcs into it, relative to no arcs: the term of a
    /// variable in the cost of a model. Arc costs come from the prior and are not cached, as a
    /// search changes the prior between its phases.
    #[inline]
    pub fn node_cost(
        &self,
        prior: &Prior,
        child: usize,
        parents: VarSet,
        groups: &mut Groups,
    ) -> f64 {
        self.table_cost(child, parents, groups) + prior.arcs_cost(child, parents)
    }
}

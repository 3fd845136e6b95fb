//! The memory of an exact search: an open-addressing hash table from sets of rows (and the limits
//! of a query, if there are any) to what was proven about them.
//!
//! Keys lie one after the other in one buffer, so an entry costs its words, its value and 12 bytes.
//! When the table reaches its limit, all entries are dropped at once. Results stay right, because
//! bounds are proven again; the search only gets slower. What is dropped depends on the search
//! alone, never on time, so results are reproducible. Look-up is O(words).

use super::problem::RankTest;

/// What was proven about a set of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownSet {
    /// No tree with fewer splits exists.
    pub(super) low: u16,
    /// Number of splits of a known tree ([`u16::MAX`]: none is known yet).
    pub(super) high: u16,
    /// First split of that tree.
    pub(super) split: RankTest,
}

impl KnownSet {
    /// A lower bound, and no tree.
    pub(super) fn at_least(low: u16) -> Self {
        Self { low, high: u16::MAX, split: RankTest { feature: 0, rank: 0 } }
    }
}

/// A slot without an entry.
const EMPTY: u32 = u32::MAX;

/// A table with values of type `V`.
#[derive(Debug)]
pub(super) struct Cache<V> {
    /// Words of a key.
    words: usize,
    /// Numbers of entries; at most half of the slots are used.
    slots: Vec<u32>,
    /// Keys of all entries, one after the other.
    keys: Vec<u64>,
    values: Vec<V>,
    /// Largest number of entries.
    limit: usize,
}

/// A multiplicative hash; the constants are odd numbers with well-mixed bits.
fn hash(key: &[u64]) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15_u64;
    for &word in key {
        hash = (hash ^ word).wrapping_mul(0xA24B_AED4_963E_E407);
        hash ^= hash >> 29;
    }
    hash ^ (hash >> 32)
}

impl<V: Copy> Cache<V> {
    /// An empty table for keys of `words` words that takes about `bytes` at most.
    pub(super) fn new(words: usize, bytes: usize) -> Self {
        let limit = (bytes / (words * 8 + size_of::<V>() + 12)).clamp(1024, 1 << 28);
        Self { words, slots: vec![EMPTY; 1 << 12], keys: Vec::new(), values: Vec::new(), limit }
    }

    /// The slot of a key, or a free one for it, and the number of its entry.
    fn find(&self, key: &[u64]) -> (usize, Option<usize>) {
        let mask = self.slots.len() - 1;
        let mut at = hash(key) as usize & mask;
        loop {
            match self.slots[at] {
                EMPTY => return (at, None),
                i if self.keys[i as usize * self.words..][..self.words] == *key => {
                    return (at, Some(i as usize));
                }
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &[u64]) -> Option<V> {
        self.find(key).1.map(|i| self.values[i])
    }

    /// Set the value of a key.
    pub(super) fn put(&mut self, key: &[u64], value: V) {
        let (at, found) = self.find(key);
        if let Some(i) = found {
            self.values[i] = value;
            return;
        }
        if self.values.len() >= self.limit {
            self.slots.fill(EMPTY);
            self.keys.clear();
            self.values.clear();
            return self.put(key, value);
        }
        self.slots[at] = self.values.len() as u32;
        self.values.push(value);
        self.keys.extend_from_slice(key);
        if self.values.len() * 2 > self.slots.len() {
            self.grow();
        }
    }

    /// Double the slots, and insert all entries again.
    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(size, EMPTY);
        for i in 0..self.values.len() {
            let mut at = hash(&self.keys[i * self.words..][..self.words]) as usize & (size - 1);
            while self.slots[at] != EMPTY {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = i as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_found_again_until_the_limit_forgets_them() {
        let mut cache = Cache::new(2, 1 << 20);
        for i in 0..10_000_u64 {
            cache.put(&[i, i * i], KnownSet::at_least((i % 1000) as u16));
        }
        for i in 0..10_000_u64 {
            assert_eq!(cache.get(&[i, i * i]), Some(KnownSet::at_least((i % 1000) as u16)));
            assert_eq!(cache.get(&[i, i * i + 1]), None);
        }
        let mut small = Cache::new(2, 0);
        for i in 0..5_000_u64 {
            small.put(&[i, 7], KnownSet::at_least(3));
            assert!(small.values.len() <= 1024);
            assert_eq!(small.get(&[i, 7]), Some(KnownSet::at_least(3)));
        }
        assert_eq!(small.get(&[0, 7]), None);
    }
}

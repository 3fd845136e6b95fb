//! What is known of sets of rows: an open-addressing table from bit sets (and what else a question
//! consists of) to answers.
//!
//! Keys lie one after the other in one buffer, so an entry costs its words, its answer and 12
//! bytes. When the buffer reaches its limit everything is forgotten at once: answers stay right
//! (bounds are found again), the search only gets slower, and what is forgotten depends on the
//! search alone, never on a clock. Look-up is O(words).

/// What is known of one set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownSet {
    /// No tree with fewer splits exists.
    pub(super) low: u16,
    /// Number of splits of a known tree ([`u16::MAX`]: none is known yet).
    pub(super) high: u16,
    /// First split of that tree: feature and largest rank on its left.
    pub(super) feature: u16,
    pub(super) rank: u32,
}

impl KnownSet {
    /// Nothing is known but a lower bound.
    pub(super) fn at_least(low: u16) -> Self {
        Self { low, high: u16::MAX, feature: 0, rank: 0 }
    }
}

const EMPTY: u32 = u32::MAX;

/// The table.
#[derive(Debug)]
pub(super) struct Cache<V> {
    words: usize,
    slots: Vec<u32>,
    keys: Vec<u64>,
    known: Vec<V>,
    limit: usize,
}

fn hash(key: &[u64]) -> u64 {
    let mut h = 0x9E37_79B9_7F4A_7C15_u64;
    for &w in key {
        h = (h ^ w).wrapping_mul(0xA24B_AED4_963E_E407);
        h ^= h >> 29;
    }
    h ^ (h >> 32)
}

impl<V: Copy> Cache<V> {
    /// An empty table for sets of `words` words that takes at most about `bytes`.
    pub(super) fn new(words: usize, bytes: usize) -> Self {
        let limit = (bytes / (words * 8 + size_of::<V>() + 12)).clamp(1024, 1 << 28);
        Self { words, slots: vec![EMPTY; 1 << 12], keys: Vec::new(), known: Vec::new(), limit }
    }

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

    /// What is known of a set.
    pub(super) fn get(&self, key: &[u64]) -> Option<V> {
        self.find(key).1.map(|i| self.known[i])
    }

    /// Put down what is known of a set.
    pub(super) fn put(&mut self, key: &[u64], known: V) {
        let (at, found) = self.find(key);
        if let Some(i) = found {
            self.known[i] = known;
            return;
        }
        if self.known.len() >= self.limit {
            self.slots.fill(EMPTY);
            self.keys.clear();
            self.known.clear();
            return self.put(key, known);
        }
        self.slots[at] = self.known.len() as u32;
        self.known.push(known);
        self.keys.extend_from_slice(key);
        if self.known.len() * 2 > self.slots.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(size, EMPTY);
        for i in 0..self.known.len() {
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
            assert!(small.known.len() <= 1024);
            assert_eq!(small.get(&[i, 7]), Some(KnownSet::at_least(3)));
        }
        assert_eq!(small.get(&[0, 7]), None);
    }
}

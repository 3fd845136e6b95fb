//! The memory of a search for minimal trees: an open-addressing hash table from sets of rows to the
//! bounds that were proven for them.
//!
//! Keys lie one after the other in one buffer, so an entry costs its words, its value and 12 bytes.
//! When the table reaches its limit, all entries are dropped at once. Results stay right, because
//! bounds are proven again; the search only gets slower. The dropped entries depend on the search
//! alone, never on time, so results are reproducible. Look-up is O(words).

/// A slot without an entry.
const EMPTY: u32 = u32::MAX;

/// A table from keys of a fixed number of words to values of type `V`.
#[derive(Debug)]
pub(super) struct Cache<V> {
    /// Words of a key.
    words: usize,
    /// Index of an entry, or [`EMPTY`]. Their number is a power of two, and at most half of them
    /// are used, so that a search for a free slot ends soon.
    slots: Vec<u32>,
    /// Keys of all entries, one after the other.
    keys: Vec<u64>,
    /// Value of each entry.
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
    /// An empty table for keys of `words` words that takes about `bytes` at most, but has room for
    /// a thousand entries in any case, and for no more than a `u32` can number.
    pub(super) fn new(words: usize, bytes: usize) -> Self {
        let limit = (bytes / (words * 8 + size_of::<V>() + 12)).clamp(1024, 1 << 28);
        Self { words, slots: vec![EMPTY; 1 << 12], keys: Vec::new(), values: Vec::new(), limit }
    }

    /// The slot that holds a key and the index of its entry, or a free slot for it and none.
    fn find_slot(&self, key: &[u64]) -> (usize, Option<usize>) {
        debug_assert_eq!(key.len(), self.words, "all keys of a table have the same length");
        let mask = self.slots.len() - 1;
        let mut slot = hash(key) as usize & mask;
        loop {
            match self.slots[slot] {
                EMPTY => return (slot, None),
                entry if self.key(entry as usize) == key => return (slot, Some(entry as usize)),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// The key of an entry.
    fn key(&self, entry: usize) -> &[u64] {
        &self.keys[entry * self.words..][..self.words]
    }

    /// The value of a key. `None` if it was never set, or was dropped when the table was full.
    pub(super) fn get(&self, key: &[u64]) -> Option<V> {
        self.find_slot(key).1.map(|entry| self.values[entry])
    }

    /// Set the value of a key. If the key is new and the table is full, all entries are dropped
    /// first.
    pub(super) fn put(&mut self, key: &[u64], value: V) {
        let (slot, entry) = self.find_slot(key);
        if let Some(entry) = entry {
            self.values[entry] = value;
            return;
        }
        if self.values.len() >= self.limit {
            self.slots.fill(EMPTY);
            self.keys.clear();
            self.values.clear();
            return self.put(key, value);
        }
        self.slots[slot] = self.values.len() as u32;
        self.values.push(value);
        self.keys.extend_from_slice(key);
        if self.values.len() * 2 > self.slots.len() {
            self.grow();
        }
    }

    /// Double the slots, and give each entry one again.
    fn grow(&mut self) {
        let n_slots = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(n_slots, EMPTY);
        for entry in 0..self.values.len() {
            let mut slot = hash(self.key(entry)) as usize & (n_slots - 1);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (n_slots - 1);
            }
            self.slots[slot] = entry as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_until_a_full_table_drops_all_of_them() {
        let mut cache = Cache::new(2, 1 << 20);
        for i in 0..10_000_u64 {
            cache.put(&[i, i * i], i % 1000);
        }
        for i in 0..10_000_u64 {
            assert_eq!(cache.get(&[i, i * i]), Some(i % 1000));
            assert_eq!(cache.get(&[i, i * i + 1]), None);
        }
        let mut small = Cache::new(2, 0);
        for i in 0..5_000_u64 {
            small.put(&[i, 7], 3);
            assert!(small.values.len() <= 1024);
            assert_eq!(small.get(&[i, 7]), Some(3));
        }
        assert_eq!(small.get(&[0, 7]), None);
    }
}

//! Hash maps whose keys are a few words: sets of variables, group numbers.
//!
//! A multiply-rotate hash is several times as fast as the default of the standard library, which
//! resists chosen keys; no user chooses these keys.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Hashes one word at a time, by a rotation and a multiplication.
#[derive(Debug, Default, Clone)]
pub struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            let mut whole = [0; 8];
            whole[..word.len()].copy_from_slice(word);
            self.write_u64(u64::from_ne_bytes(whole));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// A hash map with [`WordHasher`].
pub type WordMap<K, V> = HashMap<K, V, BuildHasherDefault<WordHasher>>;

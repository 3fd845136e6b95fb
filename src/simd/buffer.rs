//! Words that begin on a cache line: a vector that straddles two lines costs twice the load and
//! more the store.

use std::ops::{Deref, DerefMut};

/// Bytes that every vector in memory is aligned to, whatever the level.
pub(super) const ALIGNMENT: usize = 16;

/// Vectors are read and written whole: slices of planes begin on a multiple of [`ALIGNMENT`]
/// bytes, as a [`Buffer`] does.
pub(super) fn check_aligned<const N: usize>(slices: [&[u64]; N]) {
    assert!(slices.iter().all(|s| s.is_empty() || (s.as_ptr() as usize).is_multiple_of(ALIGNMENT)));
}

/// A growing slice of u64 aligned to 64 bytes. Safe code only: it owns a few words too many.
#[derive(Debug, Default)]
pub struct Buffer {
    data: Vec<u64>,
    offset: usize,
    len: usize,
}

impl Buffer {
    /// `len` zeros.
    pub fn zeroed(len: usize) -> Self {
        let mut buffer = Self::default();
        buffer.reset(len);
        buffer
    }

    /// At least `len` words; what they hold is not specified.
    pub fn reserve(&mut self, len: usize) {
        if self.data.len() < len + 7 {
            self.data = vec![0; len + 7];
            self.offset = self.data.as_ptr().align_offset(64).min(7);
        }
        self.len = len;
    }

    /// Exactly `len` zeros.
    pub fn reset(&mut self, len: usize) {
        if self.data.len() < len + 7 {
            self.reserve(len);
        } else {
            self.len = len;
            self.fill(0);
        }
    }
}

impl Deref for Buffer {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        &self.data[self.offset..self.offset + self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.data[self.offset..self.offset + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::Buffer;

    #[test]
    fn buffers_begin_on_a_line_and_forget() {
        let mut buffer = Buffer::zeroed(5);
        for len in [5, 1000, 3, 1001, 0, 64] {
            buffer.fill(7);
            buffer.reset(len);
            assert_eq!(buffer.as_ptr() as usize % 64, 0);
            assert!(buffer.len() == len && buffer.iter().all(|&w| w == 0));
        }
    }
}

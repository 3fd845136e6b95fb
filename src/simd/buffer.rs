//! A buffer of words that begins on a cache line. Loading a vector that straddles two lines takes
//! twice as long, storing it even longer.

use std::ops::{Deref, DerefMut};

/// Bytes that every vector in memory is aligned to, whatever the level.
pub(super) const ALIGNMENT: usize = 16;

/// Panics unless all slices begin on a multiple of [`ALIGNMENT`] bytes, as the kernels need. Empty
/// slices pass, because nothing is read from them.
pub(super) fn check_aligned<const N: usize>(slices: [&[u64]; N]) {
    assert!(slices.iter().all(|s| s.is_empty() || (s.as_ptr() as usize).is_multiple_of(ALIGNMENT)));
}

/// A growing slice of u64, aligned to 64 bytes. It needs no unsafe code: it owns up to seven words
/// more, and begins at the first that is aligned.
#[derive(Debug, Default)]
pub struct Buffer {
    data: Vec<u64>,
    /// The first word that is aligned.
    offset: usize,
    len: usize,
}

impl Buffer {
    /// A buffer of `len` zeros, for a kernel's arguments and results. The allocation is not
    /// fallible, so callers admit the bytes first ([`crate::memory::Budget::admit`]).
    pub fn zeroed(len: usize) -> Self {
        let mut buffer = Self::default();
        buffer.reset(len);
        buffer
    }

    /// Make the length `len`; the contents are not specified. Memory is allocated only if the
    /// buffer has never been that long, and old contents are not copied.
    pub fn reserve(&mut self, len: usize) {
        if self.data.len() < len + 7 {
            self.data = vec![0; len + 7];
            self.offset = self.data.as_ptr().align_offset(64).min(7);
        }
        self.len = len;
    }

    /// Make the contents `len` zeros. A buffer that has been longer keeps its memory, so workers
    /// reset one buffer for each tile.
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
    fn buffers_begin_on_a_line_and_reset_to_zeros() {
        let mut buffer = Buffer::zeroed(5);
        for len in [5, 1000, 3, 1001, 0, 64] {
            buffer.fill(7);
            buffer.reset(len);
            assert_eq!(buffer.as_ptr() as usize % 64, 0);
            assert!(buffer.len() == len && buffer.iter().all(|&w| w == 0));
        }
    }
}

//! The part of the rows that one of several processes scores.
//!
//! Scores are sums over groups of rows. A cluster gives each worker one [`Share`] of the groups and
//! adds the partial scores in order; the result has the bits of a single process.

use std::ops::Range;

/// Share `index` of `of` equal shares of the groups of rows.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// Number of the share, from 0.
    pub index: usize,
    /// Number of shares, at least 1.
    pub of: usize,
}

impl Share {
    /// All groups.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// The items, of `n` in all, that belong to this share.
    pub(super) fn range(self, n: usize) -> Range<usize> {
        self.index * n / self.of..(self.index + 1) * n / self.of
    }
}

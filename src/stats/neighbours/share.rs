//! A share of the groups of rows, for scores that several machines sum.

use std::ops::Range;

/// Some of the groups of rows: number `index` of `of` shares.
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

    /// Those of n things that belong to the share.
    pub(super) fn range(self, n: usize) -> Range<usize> {
        self.index * n / self.of..(self.index + 1) * n / self.of
    }
}

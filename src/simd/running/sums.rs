//! Where sums over the classes stand.

/// Most rows that are summed at once.
pub const BLOCK: usize = 256;

/// Where sums of squares stand.
#[derive(Debug, Clone, Copy, Default)]
pub struct Squares {
    /// `sum_c n_c^2`.
    pub whole: i64,
    /// `sum_c l_c^2` of the rows so far.
    pub left: i64,
    /// `sum_c l_c n_c`.
    pub cross: i64,
}

/// The rows of each class, at least [`CLASSES`] of them, some of which may not occur.
#[derive(Debug)]
pub struct ClassSizes<'a> {
    /// Rows on the left.
    pub left: &'a mut [u32],
    /// All rows.
    pub all: &'a [u32],
}

/// Most classes of the quickest body.
pub const CLASSES: usize = 32;

/// Largest relative error of an estimated reciprocal, and roundings.
pub(super) const ESTIMATE: f64 = 1.0 / (1 << 13) as f64;

//! The sums that [`super::squares`] brings forward, and constants that all levels share.

/// Most rows per call.
pub const BLOCK: usize = 256;

/// Most classes of the AVX-512 functions: a table of them is two registers.
pub const CLASSES: usize = 32;

/// Sums over the classes, of `n_c` rows in all and `l_c` rows on the left of the last cut.
#[derive(Debug, Clone, Copy, Default)]
pub struct Squares {
    /// `sum_c n_c^2`.
    pub whole: i64,
    /// `sum_c l_c^2`.
    pub left: i64,
    /// `sum_c l_c n_c`.
    pub cross: i64,
}

/// The rows of each class, with room for at least [`CLASSES`] of them; some may not occur.
#[derive(Debug)]
pub struct ClassSizes<'a> {
    /// Rows on the left.
    pub left: &'a mut [u32],
    /// All rows.
    pub all: &'a [u32],
}

/// Sums of squares on both sides of cuts of `n` rows, one element per cut.
#[derive(Debug, Clone, Copy)]
pub struct SideSquares<'a> {
    /// Rows of the node.
    pub n: u32,
    /// `sum_c l_c^2` of the rows on the left.
    pub left: &'a [f64],
    /// `sum_c r_c^2` of the rows on the right.
    pub right: &'a [f64],
}

/// Bound on the relative error of [`super::purest`]: an estimated reciprocal is off by 2^-14, the
/// roundings by far less.
pub(super) const ESTIMATE: f64 = 1.0 / (1 << 13) as f64;

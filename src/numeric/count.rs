//! The cells of count tables ([`Count`]), whatever their type, and the entropy of a vector of them.

use super::logs::{Logs, log2, log2_factorial, x_log2_x};
use super::moments::Moments;

/// A slice of counts, with the type of the counts.
#[derive(Debug, Clone, Copy)]
pub enum Cells<'a> {
    /// Rows or integer weights.
    Rows(&'a [u32]),
    /// Sums of real weights.
    Weights(&'a [f64]),
    /// Moments of a numeric target.
    Moments(&'a [Moments]),
}

/// A cell of a count table: `u32` (rows, integer weights) or `f64` (sums of real weights), or the
/// [`Moments`] of a numeric target, whose count is their weight.
pub trait Count: Copy + Default + PartialEq + PartialOrd + Send + Sync + 'static {
    /// A slice of counts with its type.
    fn cells(slice: &[Self]) -> Cells<'_>;
    /// The inverse of [`Count::cells`]; None for counts of another type.
    fn of_cells(cells: Cells<'_>) -> Option<&[Self]>;
    /// The count as a number.
    fn value(self) -> f64;
    /// Sum of two counts.
    fn plus(self, other: Self) -> Self;
    /// Difference of two counts; the caller guarantees that it is not negative.
    fn minus(self, other: Self) -> Self;
    /// `log2` of the count, 0 for an empty cell.
    fn log2(self, logs: Logs) -> f64;
    /// `c log2 c`, 0 for an empty cell.
    fn x_log2_x(self, logs: Logs) -> f64;
    /// `log2 c!`, for a real weight `log2 gamma(c + 1)`.
    fn log2_factorial(self, logs: Logs) -> f64;
    /// A whole number as a count.
    fn from_u32(x: u32) -> Self;
    /// Whether the count is 0.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::default()
    }
    /// The count as a divisor: 1 for an empty cell, whose dividend is 0 as well.
    #[inline]
    fn as_divisor(self) -> f64 {
        let x = self.value();
        if x > 0.0 { x } else { 1.0 }
    }
}

/// The formula for a count beyond the tables. Cold, so that look-ups stay small.
#[cold]
#[inline(never)]
fn beyond(count: u32, formula: fn(f64) -> f64) -> f64 {
    formula(f64::from(count))
}

/// The methods `plus` and `minus` of a type that has the operators `+` and `-`.
#[macro_export]
macro_rules! by_operators {
    () => {
        #[inline]
        fn plus(self, other: Self) -> Self {
            self + other
        }
        #[inline]
        fn minus(self, other: Self) -> Self {
            self - other
        }
    };
}
pub use by_operators;

impl Count for u32 {
    fn cells(slice: &[Self]) -> Cells<'_> {
        Cells::Rows(slice)
    }
    fn of_cells(cells: Cells<'_>) -> Option<&[Self]> {
        match cells {
            Cells::Rows(slice) => Some(slice),
            Cells::Weights(_) | Cells::Moments(_) => None,
        }
    }
    #[inline]
    fn value(self) -> f64 {
        f64::from(self)
    }
    by_operators!();
    #[inline]
    fn log2(self, logs: Logs) -> f64 {
        match logs.log2.get(self as usize) {
            Some(&v) => v,
            None => beyond(self, log2),
        }
    }
    #[inline]
    fn x_log2_x(self, logs: Logs) -> f64 {
        match logs.x_log2_x.get(self as usize) {
            Some(&v) => v,
            None => beyond(self, x_log2_x),
        }
    }
    #[inline]
    fn log2_factorial(self, logs: Logs) -> f64 {
        logs.log2_factorial(self)
    }
    #[inline]
    fn from_u32(x: u32) -> Self {
        x
    }
    #[inline]
    fn as_divisor(self) -> f64 {
        let x = f64::from(self);
        if x > 1.0 { x } else { 1.0 }
    }
}

impl Count for f64 {
    fn cells(slice: &[Self]) -> Cells<'_> {
        Cells::Weights(slice)
    }
    fn of_cells(cells: Cells<'_>) -> Option<&[Self]> {
        match cells {
            Cells::Weights(slice) => Some(slice),
            Cells::Rows(_) | Cells::Moments(_) => None,
        }
    }
    #[inline]
    fn value(self) -> f64 {
        self
    }
    by_operators!();
    #[inline]
    fn log2(self, _logs: Logs) -> f64 {
        if self > 0.0 { log2(self) } else { 0.0 }
    }
    #[inline]
    fn x_log2_x(self, _logs: Logs) -> f64 {
        x_log2_x(self)
    }
    #[inline]
    fn log2_factorial(self, _logs: Logs) -> f64 {
        log2_factorial(self)
    }
    #[inline]
    fn from_u32(x: u32) -> Self {
        f64::from(x)
    }
}

/// Entropy in bits of a vector of counts with sum `total`: `-(sum c log2 c)/n + log2 n`, summed in
/// class order; 0 for an empty vector.
#[inline]
pub fn entropy<C: Count>(counts: impl Iterator<Item = C>, total: C, logs: Logs) -> f64 {
    if total.is_empty() {
        return 0.0;
    }
    let sum: f64 = counts.map(|c| c.x_log2_x(logs)).fold(0.0, |a, b| a + b);
    -sum / total.value() + total.log2(logs)
}

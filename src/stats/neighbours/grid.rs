//! When two distances are equal.
//!
//! A gap `|x - y| / range` is rarely a double, so 1/3 + 1/3 and 2/3 differ in their last bits, and
//! so do the same distances in metres and in feet. Rounding each term to a grid does not help: the
//! sums of what was rounded differ by a step where the true ones do not. So the grid is fine (2^-44
//! and coarser for many columns, such that every sum is exact and independent of the order), and
//! two distances are equal if they differ by no more than 16 steps for each column that is no whole
//! number. What rounding does stays far below that (half a step a column and three half units in
//! the last place), and whole numbers of ranges whose common denominator is below 2^40 / columns
//! are never nearer to each other. Whole distances of rows that count whole times are compared as
//! they are.

use super::NeighbourRows;

/// Steps within which distances are equal, for each column.
const STEPS: f64 = 16.0;

/// Step of the distances and their tolerance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    /// Steps in 1.
    scale: f64,
    /// Added and taken off again, it rounds to a multiple of the step.
    coarse: f64,
    /// Distances that differ by no more are equal.
    pub tolerance: f64,
}

impl Grid {
    /// Distances over all columns of `rows`, compared with each other and with their means.
    pub fn of(rows: &NeighbourRows<'_>) -> Self {
        let exact = rows.others.is_empty() && rows.mass.whole;
        Self::with(rows.features(), if exact { 0 } else { rows.others.len() + 1 })
    }

    /// Grid of distances over `features` features, of which `columns` are not whole numbers.
    pub fn with(features: usize, columns: usize) -> Self {
        let doublings = (features + 1).next_power_of_two().trailing_zeros() as i32;
        let bits = (52 - doublings).min(44);
        let step = f64::powi(2.0, -bits);
        Self {
            scale: f64::powi(2.0, bits),
            coarse: 1.5 * f64::powi(2.0, 52 - bits),
            tolerance: STEPS * step * columns as f64,
        }
    }

    /// The nearest multiple of the step.
    pub fn round(self, x: f64) -> f64 {
        x + self.coarse - self.coarse
    }

    /// A multiple of the step below 2^52 of them, in steps.
    pub fn steps(self, x: f64) -> i64 {
        (x * self.scale) as i64
    }

    /// What a sum of [`Self::steps`] stands for.
    pub fn value(self, steps: i128) -> f64 {
        steps as f64 / self.scale
    }
}

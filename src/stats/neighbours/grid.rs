//! When two distances are equal, and how they are summed exactly.
//!
//! A term `|x - y| / range` is rarely a double: 1/3 + 1/3 and 2/3 differ in the last bits, and so
//! do the same distances in metres and in feet. Therefore each term is rounded to a multiple of a
//! step of 2^-44 (coarser for many columns), so that every sum is exact and independent of the
//! order. Two distances are equal if they differ by at most 16 steps per column that is not a whole
//! number.
//!
//! Why 16: rounding moves a distance by at most half a step per column, and the terms by three half
//! units in the last place, which is far below 16 steps. On the other side, distances that are
//! multiples of one unit fraction with a denominator below 2^40 / columns never come that near.
//! Whole distances between rows with whole weights are compared exactly (tolerance 0).

use super::rows::NeighbourRows;

/// Tolerance in steps per column that is not a whole number.
const TOLERANCE_STEPS: f64 = 16.0;

/// The step of distances, and the tolerance of comparisons.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    /// Number of steps in 1.
    steps_per_unit: f64,
    /// Adding and subtracting it rounds a double to a multiple of the step.
    rounder: f64,
    /// Distances that differ by at most this are equal.
    pub tolerance: f64,
}

impl Grid {
    /// The grid of the distances over all columns of `rows`. Whole distances between rows with
    /// whole weights are compared exactly, with a tolerance of 0.
    pub fn new(rows: &NeighbourRows<'_>) -> Self {
        let exact = rows.others.is_empty() && rows.mass.whole;
        // one more than the columns: means of distances are not whole either
        Self::for_features(rows.features(), if exact { 0 } else { rows.others.len() + 1 })
    }

    /// The grid of distances over `features` features. In `columns` of them, differences need not
    /// be whole numbers, and the tolerance is proportional to this number; callers add one to it,
    /// because means of distances are not whole either. The more features, the coarser the step, so
    /// that a distance stays below 2^52 steps.
    pub fn for_features(features: usize, columns: usize) -> Self {
        // sums stay below 2^52 steps: a feature adds at most 1
        let doublings = (features + 1).next_power_of_two().trailing_zeros() as i32;
        let bits = (52 - doublings).min(44);
        let step = f64::powi(2.0, -bits);
        Self {
            steps_per_unit: f64::powi(2.0, bits),
            rounder: 1.5 * f64::powi(2.0, 52 - bits),
            tolerance: TOLERANCE_STEPS * step * columns as f64,
        }
    }

    /// The nearest multiple of the step. Each difference, which is at most 1, is rounded before it
    /// is added to a distance.
    pub fn round(self, x: f64) -> f64 {
        x + self.rounder - self.rounder
    }

    /// A multiple of the step, below 2^52 steps, as a number of steps. Sums of these integers do
    /// not depend on the order of the rows.
    pub fn steps(self, x: f64) -> i64 {
        (x * self.steps_per_unit) as i64
    }

    /// The real number of a sum of [`Self::steps`]. The sum, which may pass 64 bits over all pairs
    /// of rows, is rounded once.
    pub fn value(self, steps: i128) -> f64 {
        steps as f64 / self.steps_per_unit
    }
}

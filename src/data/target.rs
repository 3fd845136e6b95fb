//! A numeric target: its numbers, and the grid on which their sums are exact ([`Target`]).
//!
//! Growth chooses tests on the grid. Each number, minus the middle of the range, is rounded once to
//! a multiple of a unit: the power of two with which the range has 2^40 to 2^41 units. Sums of
//! weights times units, and times squared units, are then integers of at most 128 bits, so they
//! depend neither on the order of the rows nor on threads or partitions. The error of a number is
//! at most half a unit, 2^-41 of the range (a unit for a positive number, which does not become 0);
//! whole numbers and halves of a range below 2^39 have none. A node of a much smaller range gets a
//! grid of its own (`crate::fit::renew`), and what nodes predict is computed from the numbers as
//! given (`crate::fit::outcomes`). O(rows).

use crate::error::{Error, Result};
use crate::numeric::Moments;
use std::sync::Arc;

/// Largest absolute value of a number: its square times the sum of any weights is finite.
const LARGEST: f64 = 1e60;
/// Smallest range of different numbers: the square of a unit is not 0.
const SMALLEST_RANGE: f64 = 1e-60;
/// Binary digits of the range in units.
const DIGITS: i32 = 40;

/// Where the numbers of a target lie: a number is `middle + units * unit`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetGrid {
    /// The number of 0 units.
    pub middle: f64,
    /// The distance of two neighbouring numbers, a power of two.
    pub unit: f64,
}

impl TargetGrid {
    /// Whole numbers.
    pub const ONE: Self = Self { middle: 0.0, unit: 1.0 };

    /// The grid of the numbers of a target from `low` to `high`.
    ///
    /// # Errors
    /// [`Error::Data`] for a range so small that its square is not a number of full precision.
    pub fn checked(name: &str, (low, high): (f64, f64)) -> Result<Self> {
        if low < high && high - low < SMALLEST_RANGE {
            return Err(Error::Data(format!(
                "Input y: target '{name}' has a range of {:e}, whose square is not a number of \
                 full precision: multiply the target by a constant so that the range is at least \
                 {SMALLEST_RANGE:e}",
                high - low
            )));
        }
        Ok(Self::for_range(low, high))
    }

    /// The grid of finite numbers from `low` to `high`, whose range the caller has checked. The
    /// unit is 1 where both are equal, and else the power of two with which the range has 2^40 to
    /// 2^41 units.
    pub fn for_range(low: f64, high: f64) -> Self {
        if low == high {
            return Self { middle: low, unit: 1.0 };
        }
        let exponent = (high - low).log2().floor() as i32;
        let unit = f64::powi(2.0, exponent - DIGITS);
        // A middle on the grid of the numbers themselves keeps whole numbers exact.
        let middle = low / 2.0 + high / 2.0;
        let rounded = (middle / unit).round() * unit;
        Self { middle: if rounded.is_finite() { rounded } else { middle }, unit }
    }

    /// A number in units, as growth sums it: the nearest, but a positive number stays positive.
    pub fn to_units(self, value: f64) -> i64 {
        let units = ((value - self.middle) / self.unit).round();
        let is_lost = value > 0.0 && self.to_number(units) <= 0.0;
        units as i64 + i64::from(is_lost)
    }

    /// The number `units` units above the middle. Means and thresholds in units, which need not be
    /// whole, become numbers of the user by it.
    #[inline]
    pub fn to_number(self, units: f64) -> f64 {
        self.middle + units * self.unit
    }

    /// The variance of rows, whose moments are in units. The result is in the square of the user's
    /// scale, so the moments are multiplied by the squared unit; the middle has no influence.
    #[inline]
    pub fn variance(self, rows: &Moments) -> f64 {
        rows.variance() * (self.unit * self.unit)
    }
}

/// The numbers of a numeric target by internal row, as they were given and in units of a grid.
/// Clones share them.
#[derive(Debug, Clone)]
pub struct Target {
    numbers: Arc<Vec<f64>>,
    units: Arc<Vec<i64>>,
    grid: TargetGrid,
    is_exact: bool,
    gap: f64,
}

impl Target {
    /// The target of rows with these ascending numbers, rounded to a grid.
    pub(super) fn new(grid: TargetGrid, numbers: Vec<f64>) -> Self {
        let units: Vec<i64> = numbers.iter().map(|&y| grid.to_units(y)).collect();
        let is_exact = units.iter().zip(&numbers).all(|(&u, &y)| grid.to_number(u as f64) == y);
        let gaps = numbers.windows(2).map(|two| two[1] - two[0]).filter(|&gap| gap > 0.0);
        let gap = gaps.fold(f64::INFINITY, f64::min);
        Self { numbers: Arc::new(numbers), units: Arc::new(units), grid, is_exact, gap }
    }

    /// The target of some rows, in their order; a row may be among them several times.
    pub(super) fn select(&self, rows: &[u32]) -> Self {
        let units = rows.iter().map(|&row| self.units[row as usize]).collect();
        let numbers = rows.iter().map(|&row| self.value(row)).collect();
        Self { numbers: Arc::new(numbers), units: Arc::new(units), ..*self }
    }

    /// The target of some rows, which ascend by their number, on a grid that fits these rows alone.
    pub(super) fn rows_on_own_grid(&self, rows: &[u32]) -> Self {
        let numbers = rows.iter().map(|&row| self.value(row)).collect();
        Self::new(self.grid_of_rows(rows), numbers)
    }

    /// The grid that fits some rows, which ascend by their number. Its unit is infinite where their
    /// range is too small for a grid.
    pub fn grid_of_rows(&self, rows: &[u32]) -> TargetGrid {
        match rows {
            [first, .., last] if self.value(*last) - self.value(*first) >= SMALLEST_RANGE => {
                TargetGrid::for_range(self.value(*first), self.value(*last))
            }
            _ => TargetGrid { middle: 0.0, unit: f64::INFINITY },
        }
    }

    /// The range of finite numbers (of none: 0 to 0). Refuses numbers that are missing, infinite or
    /// too large, by their row.
    ///
    /// # Errors
    /// [`Error::Data`] names the row and the remedy.
    pub fn range(name: &str, values: &[f64]) -> Result<(f64, f64)> {
        let refuse = |row: usize, needed: &str| {
            let value = values[row];
            Err(Error::Data(format!("Input y: target '{name}', row {row} is {value:?}; {needed}")))
        };
        if let Some(row) = values.iter().position(|y| !y.is_finite()) {
            return refuse(
                row,
                "it must be a finite number (NaN and infinity are not): drop the row",
            );
        }
        if let Some(row) = values.iter().position(|y| y.abs() > LARGEST) {
            let needed = format!(
                "squares of it leave the range of numbers: divide the target by a constant so \
                 that it lies between -{LARGEST:e} and {LARGEST:e}"
            );
            return refuse(row, &needed);
        }
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let range = values.iter().fold(ends, |(low, high), &y| (low.min(y), high.max(y)));
        Ok(if values.is_empty() { (0.0, 0.0) } else { range })
    }

    /// The grid of some numbers.
    ///
    /// # Errors
    /// Where [`Self::range`] or [`TargetGrid::checked`] refuses them.
    pub fn grid_of(name: &str, values: &[f64]) -> Result<TargetGrid> {
        TargetGrid::checked(name, Self::range(name, values)?)
    }

    /// The numbers in units, by internal row, ascending within a data set. Growth adds these
    /// integers; [`Self::value`] has the numbers as they were given.
    pub fn units(&self) -> &[i64] {
        &self.units
    }

    /// The grid to which the numbers were rounded. It turns means and variances in units into
    /// numbers of the user.
    pub fn grid(&self) -> TargetGrid {
        self.grid
    }

    /// Whether all numbers are on the grid, so that sums of units are sums of the numbers. Narrow
    /// nodes then need no finer grid, and predictions can follow from the sums. A bootstrap sample
    /// has the answer of the rows that it was drawn from.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// The smallest difference of two different numbers, or infinity if all are equal. Below two
    /// units, numbers that differ may be equal on the grid. A bootstrap sample has the difference
    /// of the rows that it was drawn from.
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// The number of a row, as it was given. It is not rounded to the grid.
    #[inline]
    pub fn value(&self, row: u32) -> f64 {
        self.numbers[row as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_by_at_most_half_a_unit() {
        let cases: [&[f64]; 6] = [
            &[0.1, 0.2, 0.7],
            &[-5.0, 1e9, 3.0],
            &[1e15, 1e15 + 0.125],
            &[7.0, 7.0],
            &[-1e60, 1e60, 0.0],
            &[1e-50, 3e-50],
        ];
        for values in cases {
            let target = Target::new(Target::grid_of("y", values).unwrap(), values.to_vec());
            for (row, &y) in values.iter().enumerate() {
                let error = (target.grid.to_number(target.units[row] as f64) - y).abs();
                assert!(error <= 0.5 * target.grid.unit + y.abs() * f64::EPSILON, "{y} {error}");
                assert!(target.units[row].unsigned_abs() <= 1 << 40);
            }
        }
    }

    #[test]
    fn whole_numbers_and_halves_are_exact() {
        let values: Vec<f64> = (-50..50).map(|i| f64::from(i * i) / 2.0 - 7.0).collect();
        let target = Target::new(Target::grid_of("y", &values).unwrap(), values.clone());
        assert!(target.is_exact());
    }

    #[test]
    fn numbers_that_are_none_name_their_row() {
        for wrong in [f64::NAN, f64::INFINITY, 1e300, -1e61] {
            let error = Target::grid_of("y", &[0.0, 1.0, wrong]).unwrap_err().to_string();
            assert!(error.contains("row 2"), "{error}");
        }
        assert!(Target::grid_of("y", &[0.0, 1e-200]).is_err());
    }
}

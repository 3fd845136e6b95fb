//! Row weights: none, integers (copies), or reals in 64-bit fixed point.
//!
//! Real weights are rounded to multiples of `2^-shift`, with the largest `shift` (at most 1000) for
//! which the sum of all weights stays below 2^62. Sums are then exact integers, whatever the order
//! of the rows or the number of threads, and each weight is off by at most half a unit; a positive
//! weight that would become 0 is refused. An integer weight w stands for w copies of the row.

use crate::error::{Error, Result};
use crate::numeric::ExactSum;

/// Weights by internal row.
#[derive(Debug, Clone, PartialEq)]
pub enum Weights {
    /// Every row counts once.
    Unit,
    /// Copies of each row; their sum fits in 32 bits.
    Integer(Vec<u32>),
    /// `weight * 2^shift`, rounded.
    Fixed {
        /// Scaled weights.
        values: Vec<i64>,
        /// Binary digits after the point.
        shift: i32,
    },
}

/// The range of the sum of fixed-point weights: squares, and products of two squares, are finite
/// and not zero.
const LEAST: f64 = 1e-60;
const MOST: f64 = 1e60;

impl Weights {
    /// Weights from reals, in the simplest exact form.
    ///
    /// # Errors
    /// [`Error::Data`] for a negative, NaN or infinite weight (`name_row` gives the row that the
    /// message names), for one that is lost in the sum of all, and for a sum of fractional weights
    /// outside 1e-60 to 1e60.
    pub fn from_reals(weights: &[f64], name_row: &dyn Fn(usize) -> usize) -> Result<Self> {
        for (i, &w) in weights.iter().enumerate() {
            if !(w >= 0.0 && w.is_finite()) {
                return Err(Error::Data(format!(
                    "sample_weight of row {} is {w}: weights are finite numbers >= 0",
                    name_row(i)
                )));
            }
        }
        if weights.iter().all(|&w| w == 1.0) {
            return Ok(Self::Unit);
        }
        let sum = checked_sum(weights)?;
        if sum < 4_294_967_295.0 && weights.iter().all(|w| w.fract() == 0.0) {
            return Ok(Self::Integer(weights.iter().map(|&w| w as u32).collect()));
        }
        Self::fixed(weights, sum, name_row)
    }

    /// Fixed-point weights, even if they are whole numbers: a row counts once, whatever it weighs.
    /// `weights` are finite and not negative.
    ///
    /// # Errors
    /// [`Error::Data`] for a sum outside 1e-60 to 1e60, and as for [`Weights::from_reals`].
    pub fn importances(weights: &[f64], name_row: &dyn Fn(usize) -> usize) -> Result<Self> {
        Self::fixed(weights, checked_sum(weights)?, name_row)
    }

    /// [`Weights::importances`] of weights whose sum is known.
    fn fixed(weights: &[f64], sum: f64, name_row: &dyn Fn(usize) -> usize) -> Result<Self> {
        if !(LEAST..=MOST).contains(&sum) {
            return Err(Error::Data(format!(
                "the sum of the sample weights is {sum:e}, and squares of it leave the range of \
                 numbers: multiply them by a constant so that it \
                 lies between {LEAST:e} and {MOST:e}"
            )));
        }
        let shift = (61 - sum.log2().ceil() as i32).min(1000);
        let unit = f64::powi(2.0, shift);
        let values: Vec<i64> = weights.iter().map(|&w| (w * unit).round() as i64).collect();
        match values.iter().zip(weights).position(|(&units, &w)| units == 0 && w > 0.0) {
            Some(i) => Err(lost(name_row(i), weights[i], sum, "")),
            None => Ok(Self::Fixed { values, shift }),
        }
    }

    /// Binary digits of the sum of all weights where they multiply the numbers of a target and
    /// their squares.
    pub const DIGITS_WITH_NUMBERS: u32 = 46;

    /// The weights in units of at least 2^-46 of their sum, for sums of a numeric target.
    ///
    /// # Errors
    /// [`Error::Data`] for a positive weight that would become 0.
    pub fn coarser(self, name_row: &dyn Fn(usize) -> usize) -> Result<Self> {
        let Self::Fixed { values, shift } = &self else { return Ok(self) };
        let sum: i64 = values.iter().sum();
        let surplus = (i64::BITS - sum.leading_zeros()).saturating_sub(Self::DIGITS_WITH_NUMBERS);
        if surplus == 0 {
            return Ok(self);
        }
        let half = 1 << (surplus - 1);
        let coarse: Vec<i64> = values.iter().map(|&w| (w + half) >> surplus).collect();
        if let Some(i) = values.iter().zip(&coarse).position(|(&fine, &w)| w == 0 && fine > 0) {
            let sum = sum as f64 * f64::powi(2.0, -shift);
            return Err(lost(name_row(i), self.value(i as u32), sum, " of a numeric target"));
        }
        Ok(Self::Fixed { values: coarse, shift: shift - surplus as i32 })
    }

    /// The weights of some rows, in their order. A row may be listed several times; the kind of
    /// weights and their unit stay the same.
    pub fn select(&self, rows: &[u32]) -> Self {
        match self {
            Self::Unit => Self::Unit,
            Self::Integer(w) => Self::Integer(rows.iter().map(|&row| w[row as usize]).collect()),
            Self::Fixed { values, shift } => {
                let values = rows.iter().map(|&row| values[row as usize]).collect();
                Self::Fixed { values, shift: *shift }
            }
        }
    }

    /// Units per weight of 1, a power of two, for sums of fractions of some rows with a numeric
    /// target: in these units all weights add up to at most 2^46, and each is a whole number.
    pub fn units_of_fractions(&self, rows: &[u32]) -> f64 {
        let digits = f64::from(Self::DIGITS_WITH_NUMBERS);
        f64::powi(2.0, (digits - self.total(rows).log2().ceil()) as i32)
    }

    /// The copies that each row stands for; None unless some row stands for several.
    pub fn copies(&self) -> Option<&[u32]> {
        match self {
            Self::Integer(w) if w.iter().any(|&w| w > 1) => Some(w),
            _ => None,
        }
    }

    /// The number of some rows, each with its copies. A row of fractional weight counts once,
    /// whatever it weighs; rows of weight 0 must not be listed.
    pub fn copied(&self, rows: &[u32]) -> u32 {
        self.copies()
            .map_or(rows.len() as u32, |copies| rows.iter().map(|&r| copies[r as usize]).sum())
    }

    /// The weight of a row as a number: its units times the unit. A fixed-point weight differs by
    /// at most half a unit from the weight that was given.
    #[inline]
    pub fn value(&self, row: u32) -> f64 {
        self.units(row) as f64 * self.unit()
    }

    /// The weight of a row as a multiple of the unit. Sums of units are exact: over all rows they
    /// are below 2^62.
    #[inline]
    pub fn units(&self, row: u32) -> i64 {
        match self {
            Self::Unit => 1,
            Self::Integer(w) => i64::from(w[row as usize]),
            Self::Fixed { values, .. } => values[row as usize],
        }
    }

    /// The weight that all are multiples of: a power of two for fixed-point weights, else 1. A sum
    /// of units times this number is a sum of weights.
    pub fn unit(&self) -> f64 {
        match self {
            Self::Unit | Self::Integer(_) => 1.0,
            Self::Fixed { shift, .. } => f64::powi(2.0, -shift),
        }
    }

    /// The sum of the weights of some rows, rounded once, so that their order does not matter.
    /// O(rows), or O(1) if every row counts once.
    pub fn total(&self, rows: &[u32]) -> f64 {
        match self {
            Self::Unit => rows.len() as f64,
            Self::Integer(w) => rows.iter().map(|&r| u64::from(w[r as usize])).sum::<u64>() as f64,
            Self::Fixed { values, shift } => {
                let units: i64 = rows.iter().map(|&r| values[r as usize]).sum();
                units as f64 * f64::powi(2.0, -shift)
            }
        }
    }

    /// Whether a row has weight 0. Such rows are dropped before anything else.
    #[inline]
    pub fn is_zero(&self, row: u32) -> bool {
        self.units(row) == 0
    }
}

/// The error of a positive weight that rounding makes 0 in exact sums `of` something.
fn lost(row: usize, weight: f64, sum: f64, of: &str) -> Error {
    Error::Data(format!(
        "sample_weight of row {row} is {weight:e}, which is lost in the exact sums{of} beside the \
         sum of all weights, {sum:e}: set it to 0, or bring the weights closer together"
    ))
}

/// The exact sum of weights, rounded once; an error if it is zero.
fn checked_sum(weights: &[f64]) -> Result<f64> {
    let mut exact = ExactSum::default();
    exact.add_all(weights.iter().copied());
    // If the sum overflows, the error terms of an exact sum are NaN.
    let sum = Some(exact.value()).filter(|sum| sum.is_finite());
    let sum = sum.unwrap_or_else(|| weights.iter().sum());
    if sum <= 0.0 {
        return Err(Error::Data(
            "all sample weights are zero: nothing is left to learn from".into(),
        ));
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simplest_exact_form_is_chosen() {
        assert_eq!(Weights::from_reals(&[1.0, 1.0], &|i| i), Ok(Weights::Unit));
        assert_eq!(Weights::from_reals(&[2.0, 0.0], &|i| i), Ok(Weights::Integer(vec![2, 0])));
        assert!(matches!(Weights::from_reals(&[0.5, 1.0], &|i| i), Ok(Weights::Fixed { .. })));
        assert!(matches!(Weights::from_reals(&[1e43, 1e60], &|i| i), Ok(Weights::Fixed { .. })));
        for beyond in [[1e-300, 1e61], [1e-61, 0.0], [1e308, 1e308]] {
            assert!(Weights::from_reals(&beyond, &|i| i).is_err());
        }
    }

    #[test]
    fn a_weight_that_would_be_lost_names_its_row() {
        let refused = |found: Result<Weights>| {
            let error = found.unwrap_err().to_string();
            assert!(error.contains("row 47 is 5e-1"), "{error}");
        };
        let weights = |heavy: f64| Weights::from_reals(&[1.0, 0.5, heavy], &|i| i + 46);
        refused(weights(4e18));
        refused(weights(1e14).unwrap().coarser(&|i| i + 46));
        assert!(weights(1e12).unwrap().coarser(&|i| i + 46).is_ok());
    }

    #[test]
    fn bad_weights_name_their_row() {
        for w in [-1.0, f64::NAN, f64::INFINITY] {
            let e = Weights::from_reals(&[1.0, w], &|i| i + 40).unwrap_err().to_string();
            assert!(e.contains("row 41"), "{e}");
        }
        assert!(Weights::from_reals(&[0.0], &|i| i).is_err());
    }
}

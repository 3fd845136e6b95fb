//! Row weights: none, integers (copies), or reals in 64-bit fixed point.
//!
//! Real weights are multiples of `2^-shift`, `shift` being the largest for which the sum of all
//! weights stays below 2^62 (at most 1000): sums are then exact integers, whatever the order of the
//! rows or the number of threads, and each weight is off by at most half a unit. An integer weight
//! is that many copies of the row.

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

/// Sums of weights between these have squares, and products of two squares, that are numbers.
const LEAST: f64 = 1e-60;
const MOST: f64 = 1e60;

impl Weights {
    /// Weights from reals: the simplest exact form is chosen. Negative, NaN and infinite weights
    /// are refused with the (original) row, which `name_row` gives; so is a sum beyond 1e60 or
    /// below 1e-60.
    pub fn from_reals(weights: &[f64], name_row: impl Fn(usize) -> usize) -> Result<Self> {
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
        Self::importances(weights)
    }

    /// Weights of rows that count once each, whatever they weigh: always fixed-point numbers.
    /// `weights` are finite and not negative.
    pub fn importances(weights: &[f64]) -> Result<Self> {
        let sum = checked_sum(weights)?;
        if !(LEAST..=MOST).contains(&sum) {
            return Err(Error::Data(format!(
                "the sum of the sample weights is {sum:e}, and squares of it leave the range of \
                 numbers: multiply them by a constant so that it \
                 lies between {LEAST:e} and {MOST:e}"
            )));
        }
        let shift = (61 - sum.log2().ceil() as i32).min(1000);
        let unit = f64::powi(2.0, shift);
        Ok(Self::Fixed {
            values: weights.iter().map(|&w| (w * unit).round() as i64).collect(),
            shift,
        })
    }

    /// The copies that rows stand for, where some stand for several.
    pub fn copies(&self) -> Option<&[u32]> {
        match self {
            Self::Integer(w) if w.iter().any(|&w| w > 1) => Some(w),
            _ => None,
        }
    }

    /// The weight of a row as a number.
    pub fn value(&self, row: u32) -> f64 {
        match self {
            Self::Unit => 1.0,
            Self::Integer(w) => f64::from(w[row as usize]),
            Self::Fixed { values, shift } => values[row as usize] as f64 * f64::powi(2.0, -shift),
        }
    }

    /// The weight of some rows together, rounded once: the same in any order of them.
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

    /// True for a row that must be dropped before anything else.
    pub fn is_zero(&self, row: u32) -> bool {
        match self {
            Self::Unit => false,
            Self::Integer(w) => w[row as usize] == 0,
            Self::Fixed { values, .. } => values[row as usize] == 0,
        }
    }
}

/// The sum of weights, of which one at least is positive, the same in any order of them.
fn checked_sum(weights: &[f64]) -> Result<f64> {
    let mut exact = ExactSum::default();
    weights.iter().for_each(|&w| exact.add_product(w, 1.0));
    // Beyond all numbers the error terms of an exact sum are NaN.
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
        assert_eq!(Weights::from_reals(&[1.0, 1.0], |i| i), Ok(Weights::Unit));
        assert_eq!(Weights::from_reals(&[2.0, 0.0], |i| i), Ok(Weights::Integer(vec![2, 0])));
        assert!(matches!(Weights::from_reals(&[0.5, 1.0], |i| i), Ok(Weights::Fixed { .. })));
        assert!(matches!(Weights::from_reals(&[1e-300, 1e60], |i| i), Ok(Weights::Fixed { .. })));
        for beyond in [[1e-300, 1e61], [1e-61, 0.0], [1e308, 1e308]] {
            assert!(Weights::from_reals(&beyond, |i| i).is_err());
        }
    }

    #[test]
    fn bad_weights_name_their_row() {
        for w in [-1.0, f64::NAN, f64::INFINITY] {
            let e = Weights::from_reals(&[1.0, w], |i| i + 40).unwrap_err().to_string();
            assert!(e.contains("row 41"), "{e}");
        }
        assert!(Weights::from_reals(&[0.0], |i| i).is_err());
    }
}

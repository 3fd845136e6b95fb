//! Replacements of missing values: the mean of a numeric column and the mode of a nominal one.
//!
//! The mean is an exact sum, rounded once, divided by the weight of the rows. The mode is the first
//! of the most frequent levels in declared order. O(n). Where missing values are informative, a
//! branch for them keeps the information that a replacement loses.

use crate::data::{Codes, MISSING, NominalColumn, NumericColumn, RowSet, Weights};
use crate::numeric::ExactSum;

/// The mean of the known values in `rows`; None if all are missing.
///
/// The sum is exact ([`ExactSum`]), so permuted rows, and copies instead of weights, give the same
/// bits.
pub fn mean(column: &NumericColumn, rows: &RowSet, weights: &Weights) -> Option<f64> {
    let values = column.values();
    let known = || {
        rows.rows().iter().copied().filter(|&r| !values[r as usize].is_nan() && !weights.is_zero(r))
    };
    let (mut sum, mut weight) = (ExactSum::default(), ExactSum::default());
    if *weights == Weights::Unit {
        let mut count = 0_u32;
        sum.add_all(known().inspect(|_| count += 1).map(|r| values[r as usize]));
        weight.add_product(f64::from(count), 1.0);
    } else {
        for row in known() {
            sum.add_product(weights.value(row), values[row as usize]);
            weight.add_product(weights.value(row), 1.0);
        }
    }
    let weight = weight.value();
    if weight == 0.0 {
        return None;
    }
    let mean = sum.value() / weight;
    if mean.is_finite() {
        return Some(mean);
    }
    // The sum has overflowed; with weights divided first it does not.
    let mut sum = ExactSum::default();
    known().for_each(|row| sum.add_product(weights.value(row) / weight, values[row as usize]));
    Some(sum.value())
}

/// The most frequent known level in `rows`, the lowest of several; None if all are missing.
pub fn mode(column: &NominalColumn, rows: &RowSet, weights: &Weights) -> Option<u32> {
    let mut counts = vec![0_i64; column.levels()];
    let mass = |row: u32| match weights {
        Weights::Unit => 1,
        Weights::Integer(w) => i64::from(w[row as usize]),
        Weights::Fixed { values, .. } => values[row as usize],
    };
    match column.codes() {
        Codes::Narrow(codes) => {
            for &row in rows.rows() {
                // The code of a missing value is beyond the levels.
                if let Some(count) = counts.get_mut(usize::from(codes[row as usize])) {
                    *count += mass(row);
                }
            }
        }
        Codes::Wide(codes) => {
            for &row in rows.rows() {
                if codes[row as usize] != MISSING {
                    counts[codes[row as usize] as usize] += mass(row);
                }
            }
        }
    }
    let most = counts.iter().copied().max().filter(|&most| most > 0)?;
    counts.iter().position(|&count| count == most).map(|level| level as u32)
}

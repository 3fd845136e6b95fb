//! Exact moments as the sums of a table ([`ExactMoments`]), and the rows that they are taken over
//! ([`TargetRows`]); [`by_weighing`] picks the type of the rows.
//!
//! A numeric target has one class, whose sum over rows is the sum of weights, of weights times
//! numbers, and of weights times squared numbers, each an integer ([`crate::data::Target`]). So
//! whatever counts classes sums a number as well, and the sums do not depend on the order of the
//! rows. Weights have at most 2^46 units in all ([`crate::data::Weights::coarser`]), numbers at
//! most 2^40, so all sums are below 2^127.

use super::{ExactMoments, SentSum, Sum, Weighing};
use crate::data::Weights;
use crate::numeric::Moments;
use crate::simd::means::packed_row;

impl Sum for ExactMoments {
    type Cell = Moments;
    #[inline]
    fn plus(self, other: Self) -> Self {
        Self {
            weight: self.weight + other.weight,
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        Self {
            weight: self.weight - other.weight,
            first: self.first - other.first,
            second: self.second - other.second,
        }
    }
    #[inline]
    fn cell(self, unit: f64) -> Moments {
        self.rounded(unit)
    }
    #[inline]
    fn value(self, unit: f64) -> f64 {
        self.weight as f64 * unit
    }
    fn from_rows(rows: u32) -> Self {
        Self { weight: i64::from(rows), ..Self::default() }
    }
    fn from_units(units: i64) -> Self {
        Self { weight: units, ..Self::default() }
    }
    /// With at most 2^46 units of weight in all and numbers of at most 2^40 units, sums of any rows
    /// are below 2^127.
    #[inline]
    fn from_row(weight: i64, number: i64) -> Self {
        let first = i128::from(weight) * i128::from(number);
        Self { weight, first, second: first * i128::from(number) }
    }
    fn units(self) -> i64 {
        self.weight
    }
    fn at_least(value: f64, unit: f64) -> Self {
        // The smallest sums of this weight, for comparisons by weight.
        let weight = (value / unit).ceil().max(0.0) as i64;
        Self { weight, first: i128::MIN, second: i128::MIN }
    }
    fn moments(self) -> Option<ExactMoments> {
        Some(self)
    }
    fn are_pure(sums: &[Self]) -> bool {
        sums.iter().all(|sum| sum.is_constant())
    }
    #[inline]
    fn is_empty(self) -> bool {
        self.weight == 0
    }
}

impl SentSum for ExactMoments {
    const WORDS: usize = 10;
    fn write(self, words: &mut Vec<u32>) {
        let weight = self.weight as u64;
        words.extend([weight as u32, (weight >> 32) as u32]);
        for sum in [self.first as u128, self.second as u128] {
            words.extend([0, 32, 64, 96].map(|shift| (sum >> shift) as u32));
        }
    }
    fn read(words: &[u32]) -> Self {
        let sum = |words: &[u32]| {
            words.iter().rev().fold(0_u128, |sum, &word| sum << 32 | u128::from(word)) as i128
        };
        let (weight, first, second) = (sum(&words[..2]), sum(&words[2..6]), sum(&words[6..10]));
        Self { weight: weight as i64, first, second }
    }
    fn checked_plus(self, other: Self) -> Option<Self> {
        Some(Self {
            weight: self.weight.checked_add(other.weight)?,
            first: self.first.checked_add(other.first)?,
            second: self.second.checked_add(other.second)?,
        })
    }
}

/// The rows of a training set with a numeric target: their weights, and their numbers in units.
#[derive(Debug, Clone, Copy)]
pub struct TargetRows<'a> {
    /// Weights.
    pub weights: &'a Weights,
    /// Numbers by internal row, in units.
    pub units: &'a [i64],
}

impl Weighing for TargetRows<'_> {
    type Sum = ExactMoments;
    fn is_unit(&self) -> bool {
        false
    }
    fn are_copies(&self) -> bool {
        !matches!(self.weights, Weights::Fixed { .. })
    }
    #[inline]
    fn row_sum(&self, row: u32) -> ExactMoments {
        ExactMoments::from_row(self.weights.units(row), self.units[row as usize])
    }
    fn unit(&self) -> f64 {
        self.weights.unit()
    }
    fn unit_target(&self) -> Option<&[i64]> {
        matches!(self.weights, Weights::Unit).then_some(self.units)
    }
    fn packed(&self) -> Option<Vec<i64>> {
        let rows = self.units.iter().zip(0..);
        let rows = rows.map(|(&units, row)| packed_row(self.weights.units(row), units));
        if self.are_copies() { rows.collect() } else { None }
    }
}

/// Evaluate `$call` with `$weighing`, the weights in the type of their kind; with a numeric
/// `$target`, if one is given and there is one, in the type of its rows.
#[macro_export]
macro_rules! by_weighing {
    ($weights:expr, $weighing:ident => $call:expr) => {
        match $crate::stats::FixedWeights::from_weights($weights) {
            Some($weighing) => $call,
            None => {
                let $weighing = $crate::stats::RowCopies::from_weights($weights);
                $call
            }
        }
    };
    ($weights:expr, $target:expr, $weighing:ident => $call:expr) => {
        match $target {
            None => $crate::stats::by_weighing!($weights, $weighing => $call),
            Some(target) => {
                let (weights, units) = ($weights, target.units());
                let $weighing = $crate::stats::TargetRows { weights, units };
                $call
            }
        }
    };
}
pub use by_weighing;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;

    #[test]
    fn rounded_moments_are_those_of_the_numbers() {
        for seed in 0..200 {
            let n = 1 + mix(seed, 0) % 30;
            let far = if seed % 2 == 0 { 0 } else { (1 << 39) - (1 << 20) };
            let rows: Vec<(i64, i64)> = (0..n)
                .map(|i| {
                    let units = far + (mix(seed, 2 * i + 1) % (1 << 20)) as i64;
                    (1 + (mix(seed, 2 * i + 2) % 50) as i64, units)
                })
                .collect();
            let sum = rows.iter().fold(ExactMoments::default(), |sum, &(w, u)| {
                sum.plus(ExactMoments::from_row(w, u))
            });
            let found = sum.rounded(0.5);
            let weight: f64 = rows.iter().map(|r| r.0 as f64).sum();
            let near = |u: i64| (u - far) as f64;
            let mean = rows.iter().map(|&(w, u)| w as f64 * near(u)).sum::<f64>() / weight;
            let deviation: f64 =
                rows.iter().map(|&(w, u)| w as f64 * (near(u) - mean) * (near(u) - mean)).sum();
            assert_eq!(found.weight, 0.5 * weight);
            let narrow = ExactMoments::narrow_mean(sum.weight, sum.first as i64);
            assert_eq!(found.mean.to_bits(), narrow.to_bits());
            assert!((found.mean - far as f64 - mean).abs() < 1e-3);
            assert!((found.deviation - 0.5 * deviation).abs() <= 1e-9 * deviation);
            assert_eq!(sum.is_constant(), rows.iter().all(|r| r.1 == rows[0].1));
        }
    }

    #[test]
    fn the_largest_sums_do_not_overflow() {
        let largest = ExactMoments::from_row(1 << 46, 1 << 40);
        assert_eq!(largest.rounded(1.0).mean, (1_u64 << 40) as f64);
        assert_eq!(largest.rounded(1.0).deviation, 0.0);
        let half = ExactMoments::from_row(1 << 45, 1 << 40)
            .plus(ExactMoments::from_row(1 << 45, -(1 << 40)));
        assert_eq!(half.rounded(1.0).variance(), f64::powi(2.0, 80));
        assert!(!half.is_constant() && largest.is_constant());
    }
}

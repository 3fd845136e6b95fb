//! Exact sums of a numeric target: integers, which do not depend on the order of the rows.

use crate::numeric::Moments;

/// Sums of the weights and of the weighted powers of a number, in units of weight and grid.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct ExactMoments {
    /// Sum of the weights.
    pub weight: i64,
    /// Sum of the weights times the numbers.
    pub first: i128,
    /// Sum of the weights times the squared numbers.
    pub second: i128,
}

impl ExactMoments {
    /// Most rows of weight 1 whose sum of numbers fits 64 bits.
    pub const MOST_NARROW: usize = 1 << 22;

    /// The whole number of units nearest to the mean, and the sums around it: of weights times
    /// differences, and times squared differences. The first two are rounded.
    #[inline]
    fn centred(self) -> (f64, f64, i128) {
        if self.weight == 1 {
            return (to_f64(self.first), 0.0, 0);
        }
        // Where sums fit 64 bits, operations on them are several times as fast as operations on 128
        // bits.
        if let Ok(first) = i64::try_from(self.first)
            && first.unsigned_abs() < 1 << 62
        {
            let centre = nearest_mean(self.weight, first);
            let rest = first - centre * self.weight;
            // second - 2 centre first + centre^2 weight
            let second = self.second - i128::from(centre) * i128::from(first + rest);
            return (centre as f64, rest as f64, second);
        }
        let weight = i128::from(self.weight);
        let centre = (self.first + (weight / 2) * self.first.signum()) / weight.max(1);
        let rest = self.first - centre * weight;
        // The products may overflow 128 bits, but their difference does not.
        let second = self.second.wrapping_sub(centre.wrapping_mul(self.first + rest));
        (to_f64(centre), to_f64(rest), second)
    }

    /// The mean of rows whose sums fit 64 bits, with the same bits as the mean of
    /// [`Self::rounded`]. The weight must be positive.
    #[inline]
    pub fn narrow_mean(weight: i64, first: i64) -> f64 {
        let centre = nearest_mean(weight, first);
        centre as f64 + (first - centre * weight) as f64 / weight as f64
    }

    /// Whether all rows have the same number, to the unit of the grid. Sums of no rows are
    /// constant, too.
    pub fn is_constant(self) -> bool {
        // Few rows need no division: by Cauchy and Schwarz, weight * second is first^2 for equal
        // numbers alone.
        if self.weight < 1 << 20
            && let Ok(first) = i64::try_from(self.first)
        {
            let first = i128::from(first);
            return i128::from(self.weight) * self.second == first * first;
        }
        let (_, first, second) = self.centred();
        first == 0.0 && second == 0
    }

    /// The moments, rounded once; `unit` is the weight of one unit of weight.
    #[inline]
    pub fn rounded(self, unit: f64) -> Moments {
        if self.weight == 0 {
            return Moments::default();
        }
        let (centre, first, second) = self.centred();
        let weight = self.weight as f64;
        let shift = first / weight;
        Moments {
            weight: weight * unit,
            mean: centre + shift,
            deviation: (to_f64(second) - first * shift).max(0.0) * unit,
        }
    }
}

/// The whole number nearest to a mean.
#[inline]
fn nearest_mean(weight: i64, first: i64) -> i64 {
    (first + (weight / 2) * first.signum()) / weight.max(1)
}

/// The nearest double; several times as fast as a cast for numbers below 2^106.
#[inline]
fn to_f64(number: i128) -> f64 {
    const HALF: u32 = f64::MANTISSA_DIGITS;
    // Both parts are exact, so that their sum is rounded once.
    let (upper, lower) = (number >> HALF, number as u64 & ((1 << HALF) - 1));
    match i64::try_from(upper) {
        Ok(upper) if upper.unsigned_abs() < 1 << HALF => {
            upper as f64 * (1_u64 << HALF) as f64 + lower as f64
        }
        _ => number as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;

    #[test]
    fn large_integers_become_the_nearest_double() {
        for seed in 0..100_000 {
            let wide = i128::from(mix(1, seed) as i64) << 64 | i128::from(mix(2, seed));
            for number in [wide >> (seed % 128), -(wide >> (seed % 128))] {
                assert_eq!(to_f64(number), number as f64, "{number}");
            }
        }
        for shift in 50..110 {
            for near in -3..=3 {
                let number = (1_i128 << shift) + near;
                assert_eq!([to_f64(number), to_f64(-number)], [number as f64, -number as f64]);
            }
        }
    }
}

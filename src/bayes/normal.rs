//! The distribution function of the standard normal, to double precision, for Weka's rule.
//!
//! Near 0 it sums the series
//! `erf(x) = 2 x exp(-x^2) / sqrt(pi) * sum_n (2 x^2)^n / (1 3 5 ... (2n + 1))`, whose terms are
//! all positive; from 2.5 on it evaluates the continued fraction of `erfc` by Lentz's algorithm
//! (Abramowitz & Stegun 1964, 7.1.6 and 7.1.14). Either takes about forty operations.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// From here on the continued fraction converges faster than the series.
const SWITCH: f64 = 2.5;

/// `erf(x)` for `0 <= x < SWITCH`.
fn erf_near(x: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (1.0, 1.0, 1.0);
    while term > sum * 1e-17 {
        odd += 2.0;
        term *= 2.0 * x * x / odd;
        sum += term;
    }
    2.0 * x * (-x * x).exp() / PI.sqrt() * sum
}

/// `erfc(x)` for `x >= SWITCH`:
/// `exp(-x^2) / sqrt pi / (x + (1/2)/(x + (2/2)/(x + (3/2)/(x + ...))))`.
fn erfc_far(x: f64) -> f64 {
    if x > 28.0 {
        // below the smallest double
        return 0.0;
    }
    let (mut c, mut d, mut fraction) = (x, 0.0, x);
    for n in 1..200 {
        let a = f64::from(n) / 2.0;
        d = 1.0 / (x + a * d);
        c = x + a / c;
        fraction *= c * d;
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    (-x * x).exp() / PI.sqrt() / fraction
}

/// Probability that a standard normal number is at most `z`.
pub(super) fn distribution(z: f64) -> f64 {
    let x = z.abs() * FRAC_1_SQRT_2;
    let upper = if x < SWITCH { 0.5 - 0.5 * erf_near(x) } else { 0.5 * erfc_far(x) };
    if z > 0.0 { 1.0 - upper } else { upper }
}

#[cfg(test)]
mod tests {
    use super::distribution;

    #[test]
    fn tabulated_values() {
        // Abramowitz & Stegun (1964), tables 26.1 and 26.2
        for (z, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (2.0, 0.977_249_868_051_821),
            (3.5, 0.999_767_370_920_964),
            (-1.0, 0.158_655_253_931_457),
            (-5.0, 2.866_515_719e-7),
            (-10.0, 7.619_853_024e-24),
        ] {
            assert!((distribution(z) - p).abs() <= 1e-9 * p, "{z}: {} {p}", distribution(z));
        }
        assert_eq!(distribution(-60.0), 0.0);
        assert_eq!(distribution(60.0), 1.0);
    }

    #[test]
    fn rises_and_is_symmetric() {
        let mut last = 0.0;
        for i in -4000..=4000 {
            let z = f64::from(i) / 500.0;
            let p = distribution(z);
            assert!(p >= last, "{z}");
            assert!((p + distribution(-z) - 1.0).abs() < 1e-15, "{z}");
            last = p;
        }
    }
}

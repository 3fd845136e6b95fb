//! The upper tail of the chi-squared distribution, in logarithms.
//!
//! The regularised incomplete gamma function Q(a, x) at half the degrees of freedom and half the
//! statistic: by the series of 1 - Q below its mean and by Legendre's continued fraction (Lentz's
//! method) above, as in Abramowitz & Stegun 6.5.29 and 6.5.31. The prefactor stays a logarithm, so
//! that p-values far below the smallest double still have an order. O(sqrt(a)) terms.

use crate::numeric::ln_factorial;

/// The natural logarithm of the probability that a chi-squared variable exceeds a statistic; within
/// 1e-10 of its size for up to 20,000 degrees of freedom.
pub fn log_upper_tail(statistic: f64, degrees: f64) -> f64 {
    let (a, x) = (0.5 * degrees, 0.5 * statistic);
    if x <= 0.0 {
        return 0.0;
    }
    // x^a exp(-x) / gamma(a)
    let log_factor = a * x.ln() - x - ln_factorial(a - 1.0);
    if x < a + 1.0 {
        let (mut term, mut sum, mut at) = (1.0 / a, 1.0 / a, a);
        while term > sum * f64::EPSILON / 4.0 {
            at += 1.0;
            term *= x / at;
            sum += term;
        }
        return (-(log_factor.exp() * sum).min(1.0)).ln_1p();
    }
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (f64::MAX, 1.0 / b);
    let (mut fraction, mut i) = (d, 0.0);
    loop {
        i += 1.0;
        let numerator = i * (a - i);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        fraction *= c * d;
        if (c * d - 1.0).abs() < 2.0 * f64::EPSILON || i > 1e6 {
            return log_factor + fraction.ln();
        }
    }
}

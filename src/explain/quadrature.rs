//! Gauss-Legendre quadrature on (0, 1), which [`tree`](super::tree) integrates polynomials with.
//!
//! The rule with n points is exact for polynomials of degree 2 n - 1. Its points are the zeros of
//! the n-th Legendre polynomial, computed by Newton's method from Chebyshev-like first guesses;
//! O(n^2).

use std::f64::consts::PI;

/// Points and weights, in ascending order of the points; the weights sum to 1.
pub fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    // zeros descend on (-1, 1), and 0.5 - x / 2 turns them round
    (0..n).map(|i| point(n, i)).collect()
}

/// The i-th point of n in ascending order, counted from 0, and its weight.
fn point(n: usize, i: usize) -> (f64, f64) {
    let mut x = (PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
    let mut slope = 1.0;
    // a handful of steps suffice; the limit ends a loop that rounding keeps from settling
    for _ in 0..100 {
        // the polynomials of degrees j - 1 and j at x, by the three-term recurrence
        let (mut before, mut here) = (1.0, x);
        for j in 2..=n {
            let j = j as f64;
            (before, here) = (here, ((2.0 * j - 1.0) * x * here - (j - 1.0) * before) / j);
        }
        slope = n as f64 * (x * here - before) / (x * x - 1.0);
        let step = here / slope;
        x -= step;
        if step.abs() < 1e-16 {
            break;
        }
    }
    (0.5 - 0.5 * x, 1.0 / ((1.0 - x * x) * slope * slope))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_ascend() {
        for n in (1..=100).chain([1000]) {
            assert!(gauss_legendre(n).is_sorted_by(|a, b| a.0 < b.0), "{n}");
        }
    }

    #[test]
    fn polynomials_are_integrated_exactly() {
        for n in 1..=60 {
            let rule = gauss_legendre(n);
            assert!(rule.iter().all(|&(t, w)| t > 0.0 && t < 1.0 && w > 0.0));
            for degree in [0, 1, n, 2 * n - 1] {
                let sum: f64 = rule.iter().map(|&(t, w)| w * t.powi(degree as i32)).sum();
                let exact = 1.0 / (degree as f64 + 1.0);
                assert!((sum - exact).abs() < 1e-14, "{n} {degree} {sum} {exact}");
            }
        }
    }
}

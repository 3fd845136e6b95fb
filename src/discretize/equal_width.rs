//! Equal width: `cut_i = min + i * ((max - min) / bins)`, i = 1 .. bins - 1, in this order of
//! operations, as Weka's unsupervised `Discretize`.
//!
//! A constant column is one bin, as is a column whose range divided by the number of bins is zero.
//! O(n). In a skewed column most rows fall into one bin; equal frequency suits it better.

/// Cut points between the smallest and the largest known value.
pub(super) fn cuts(values: impl Iterator<Item = f64>, bins: u32) -> Vec<f64> {
    let (min, max) = values
        .filter(|v| !v.is_nan())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
    if min >= max {
        return Vec::new();
    }
    let parts = f64::from(bins);
    let width = (max - min) / parts;
    if width.is_finite() {
        if width <= 0.0 {
            return Vec::new();
        }
        return (1..bins).map(|i| min + f64::from(i) * width).collect();
    }
    // The range overflows: compute with halves.
    let half = (max / 2.0 - min / 2.0) / parts;
    (1..bins).map(|i| ((min / 2.0 + f64::from(i) * half) * 2.0).min(max)).collect()
}

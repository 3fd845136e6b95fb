//! The weight, mean and squared deviation of numbers ([`Moments`]), as a cell of the tables that
//! criteria on a numeric target read.
//!
//! Numbers are in units of a target's grid (`data::TargetGrid`). Growth sums integers
//! (`stats::ExactMoments`) and rounds them once to moments, so equal sets of rows have equal
//! moments.

/// The weight, the mean and the weighted sum of squared deviations from it.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Moments {
    /// Sum of the weights.
    pub weight: f64,
    /// Weighted mean.
    pub mean: f64,
    /// Weighted sum of the squared differences from the mean, at least 0.
    pub deviation: f64,
}

impl Moments {
    /// Weighted mean of the squared differences from the mean; 0 without weight.
    #[inline]
    pub fn variance(&self) -> f64 {
        if self.weight > 0.0 { self.deviation / self.weight } else { 0.0 }
    }
}

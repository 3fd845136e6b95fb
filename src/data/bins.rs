//! Cut points applied: a number becomes the index of its interval `(lo, hi]`.

use crate::error::{Error, Result};

/// Ascending cut points; bin `b` is `(cuts[b-1], cuts[b]]`, the first and the last bin are open to
/// the outside. No cut point means one bin.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bins {
    cuts: Vec<f64>,
}

impl Bins {
    /// Bins from cut points, which must be finite and ascending.
    pub fn new(cuts: Vec<f64>) -> Result<Self> {
        if cuts.iter().any(|c| !c.is_finite()) || cuts.windows(2).any(|w| w[0] > w[1]) {
            return Err(Error::Data("cut points must be finite and ascending".into()));
        }
        Ok(Self { cuts })
    }

    /// Number of bins, empty ones included.
    pub fn len(&self) -> usize {
        self.cuts.len() + 1
    }

    /// Never true: there is at least one bin.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The cut points.
    pub fn cuts(&self) -> &[f64] {
        &self.cuts
    }

    /// The bin of a value: the first one whose upper cut is not below it.
    #[inline]
    pub fn bin(&self, value: f64) -> u32 {
        self.cuts.partition_point(|&c| c < value) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_closed_above() {
        let bins = Bins::new(vec![1.0, 2.0]).unwrap();
        let got: Vec<u32> = [-9.0, 1.0, 1.5, 2.0, 2.1, 99.0].iter().map(|&v| bins.bin(v)).collect();
        assert_eq!(got, [0, 0, 1, 1, 2, 2]);
        assert!(Bins::new(vec![2.0, 1.0]).is_err());
    }
}

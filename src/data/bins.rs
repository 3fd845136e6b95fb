//! Cut points as bins: a number becomes the index of its interval `(lo, hi]`, found by bisection.
//!
//! For columns that a user discretises. Growth on histograms encodes whole tables with
//! [`crate::bins`] instead, which looks up a cut in O(1).

use crate::error::{Error, Result};

/// Bins between ascending cut points: bin `b` is `(cuts[b-1], cuts[b]]`, and the first and the last
/// have no outer limit. Without cut points there is one bin.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bins {
    cuts: Vec<f64>,
}

impl Bins {
    /// Bins between cut points.
    ///
    /// # Errors
    /// [`Error::Data`] unless the cut points are finite and ascending.
    pub fn new(cuts: Vec<f64>) -> Result<Self> {
        if cuts.iter().any(|c| !c.is_finite()) || cuts.windows(2).any(|w| w[0] > w[1]) {
            return Err(Error::Data("cut points must be finite and ascending".into()));
        }
        Ok(Self { cuts })
    }

    /// Number of bins, empty ones included. It is one more than the number of cut points, so there
    /// is always a bin.
    pub fn len(&self) -> usize {
        self.cuts.len() + 1
    }

    /// Never true: there is at least one bin.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The cut points, finite and ascending. Two of them may be equal; the bin between them is
    /// empty.
    pub fn cuts(&self) -> &[f64] {
        &self.cuts
    }

    /// The cut points, without a copy. A caller that makes bins only in order to check cut points
    /// takes them back with it.
    pub fn into_cuts(self) -> Vec<f64> {
        self.cuts
    }

    /// The bin of a value: the first whose upper cut point is not below it.
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

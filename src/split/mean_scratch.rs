//! The buffers of scans by the means of a numeric target ([`MeanScratch`]), which nodes pass on.

use crate::simd::means::{BestCuts, CHUNK, CutBuffers};

/// Cuts that are scored together.
pub(super) struct MeanCuts<'a> {
    /// Sums of differences on the left.
    pub sums: &'a [i64],
    /// Weights on the left; 0 where there is no cut.
    pub weights: &'a [i64],
    pub scores: &'a mut [f64],
}

/// Buffers of a scan.
#[derive(Debug, Default)]
pub struct MeanScratch {
    pub(super) sums: Vec<i64>,
    pub(super) weights: Vec<i64>,
    pub(super) scores: Vec<f64>,
    /// Places and numbers of features.
    pub(super) features: Vec<(usize, u32)>,
    /// The best cuts of these features, [`CHUNK`] by [`CHUNK`].
    pub(super) best: Vec<BestCuts>,
}

impl MeanScratch {
    /// Make room for this number of cuts. The content of the buffers is not changed.
    pub(super) fn prepare(&mut self, cuts: usize) {
        if self.sums.len() < cuts {
            self.sums.resize(cuts, 0);
            self.weights.resize(cuts, 0);
            self.scores.resize(cuts, 0.0);
        }
    }

    /// The buffers of the first `cuts` cuts, rounded up to whole chunks.
    pub(super) fn cut_buffers(&mut self, cuts: usize) -> CutBuffers<'_> {
        let filled = cuts.next_multiple_of(CHUNK);
        CutBuffers {
            sums: &mut self.sums[..filled],
            weights: &mut self.weights[..filled],
            scores: &mut self.scores[..filled],
        }
    }

    /// The first `cuts` cuts, and cuts without weight up to a whole number of chunks.
    pub(super) fn padded_cuts(&mut self, cuts: usize) -> MeanCuts<'_> {
        let filled = cuts.next_multiple_of(CHUNK);
        self.weights[cuts..filled].fill(0);
        MeanCuts {
            sums: &self.sums[..filled],
            weights: &self.weights[..filled],
            scores: &mut self.scores[..filled],
        }
    }
}

//! What a search for neighbours takes, known from the shape of its rows before it begins.
//!
//! Three stages of a tile of rows follow each other, and what the one gives back the next may take:
//! distances are made from bit planes, neighbours are chosen by distances, scores are summed over
//! those chosen. The need is that of the largest.

use super::NeighbourMethod;
use super::distances::planes_bytes;
use super::narrow::ChunkPlan;
use super::score::{RowGroups, block_width};
use super::select::Chosen;
use super::shape::SearchShape;
use crate::simd::Kernels;

/// Bytes of one row of a tile, and of one thread, in each stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct TileNeed {
    rows: usize,
    group: usize,
    /// Of a row: its distances to all rows, and the neighbours chosen.
    distances: usize,
    chosen: usize,
    /// Of a group of rows: sums of all features, twice while they are gathered.
    sums: usize,
    /// Scores of all features.
    scores: usize,
    /// Of a thread while distances are made, while neighbours are chosen and while sums are made,
    /// with the number of pieces of work beyond which threads are idle.
    making: (usize, usize),
    choosing: usize,
    summing: (usize, usize),
}

impl TileNeed {
    /// For groups of `group` rows.
    pub fn new(
        shape: &SearchShape,
        kernels: Kernels,
        method: NeighbourMethod,
        group: usize,
    ) -> Self {
        let (t, nominal, others) = (shape.rows(), shape.nominal, shape.others);
        let (width, classes) = (64 * kernels.words(), shape.classes.len());
        let number = if others == 0 { 4 } else { 8 };
        let numeric = if others == 0 { 0 } else { 8 };
        let of_class = shape.classes.iter().copied().max().unwrap_or(0);
        // a place each: while they are listed, and when they are kept
        let (listed, chosen) = match method.chosen() {
            // a copy of the distances to a class in which the k-th is found, then those kept
            Chosen::Nearest(k) => {
                let kept = k.min(t).saturating_mul(classes);
                (numeric * of_class + 24 * kept, 4 * kept + 48 * classes)
            }
            Chosen::Within { sides } if shape.unit => (4 * t, sides * (t / 8 + 64 * classes) + 64),
            // weights that are not whole rarely repeat: a list for each neighbour
            Chosen::Within { sides } => (24 * t, sides * t * if shape.whole { 4 } else { 52 }),
            Chosen::All => (4 * of_class, 4 * t),
        };
        let block = block_width(t, nominal.max(1));
        let of_block = if nominal == 0 {
            0
        } else {
            t * block + if method.by_share() { 256 * 8 * block } else { 0 }
        };
        let features = nominal + others;
        let gathered = nominal.next_multiple_of(64).max(others);
        let strips = t.div_ceil(width);
        Self {
            rows: t,
            group,
            distances: strips * width * (4 + numeric),
            chosen: chosen + 64,
            sums: 8 * (features + gathered),
            scores: 8 * features,
            making: (planes_bytes(kernels, nominal, shape.most) + numeric * width, strips),
            choosing: number * t + listed,
            summing: (of_block.max(numeric * t), nominal.div_ceil(block).max(others)),
        }
    }

    /// Bytes of a tile of `rows` rows on `threads` threads.
    pub fn bytes(&self, rows: usize, threads: usize) -> usize {
        let rows = rows.min(self.rows);
        let on = |(bytes, pieces): (usize, usize)| bytes.saturating_mul(threads.min(pieces));
        let (distances, chosen) =
            (rows.saturating_mul(self.distances), rows.saturating_mul(self.chosen));
        let making = distances.saturating_add(on(self.making));
        let choosing = distances.saturating_add(chosen) + on((self.choosing, rows));
        let sums = rows.div_ceil(self.group).saturating_mul(self.sums);
        let summing = chosen.saturating_add(sums) + on(self.summing);
        self.scores + making.max(choosing).max(summing)
    }
}

impl SearchShape {
    /// Bytes that the search takes at least, on one thread in the smallest blocks.
    pub fn least(&self, kernels: Kernels, method: NeighbourMethod) -> usize {
        match ChunkPlan::new(self, kernels, method) {
            Some(plan) => plan.bytes(plan.chunks, 1),
            None => {
                let groups = RowGroups::new(self.rows(), [self.nominal, self.others]);
                TileNeed::new(self, kernels, method, groups.size).bytes(groups.size, 1)
            }
        }
    }
}

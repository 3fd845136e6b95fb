//! What a search for neighbours takes, known from the shape of its rows before it begins.
//!
//! Three stages of a tile of rows follow each other, and what the one gives back the next may take:
//! distances are made from bit planes, neighbours are chosen by distances, scores are summed over
//! those chosen. The need is that of the largest. It decides how many groups of rows make a tile.

use super::NeighbourMethod;
use super::distances::{planes_bytes, row_bytes, tile_rows};
use super::narrow::ChunkPlan;
use super::select::Chosen;
use super::shape::{REMEDY, SearchShape, WHAT};
use super::share::Share;
use crate::error::Result;
use crate::parallel::Control;
use crate::simd::Kernels;
use std::ops::Range;

/// Bytes of a block of columns over all rows.
const BLOCK_BYTES: usize = 1 << 20;

/// Bytes of the distances of a tile where numbers are all that is compared, or an eighth of them.
const SMALL_TILE_BYTES: usize = 4 << 20;

/// Bytes of the sums of all groups.
const PART_BYTES: usize = 128 << 20;

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

/// The rows in groups: their size depends on the data alone.
pub(super) struct RowGroups {
    rows: usize,
    pub size: usize,
    /// Rows of a tile: whole groups.
    tile: usize,
}

impl RowGroups {
    const MOST: usize = 64;
    const SMALLEST: usize = 16;

    /// Of `rows` rows with `nominal` complete nominal columns and `others` other columns.
    pub fn new(rows: usize, [nominal, others]: [usize; 2]) -> Self {
        let fit = tile_rows(rows, [nominal, others]);
        let most = (PART_BYTES / (8 * (nominal + others).max(1))).clamp(4, Self::MOST);
        let size = rows.div_ceil(most).max(Self::SMALLEST).min(fit);
        // gaps of numbers gain nothing from a large tile, as bit planes do
        let own = rows.saturating_mul(nominal + 8 * others) / 8;
        let few = if others > nominal {
            fit.min(own.max(SMALL_TILE_BYTES) / row_bytes(rows, others).max(1))
        } else {
            fit
        };
        Self { rows, size, tile: (few / size).max(1) * size }
    }

    /// The largest tiles that the budget allows; on one thread where it has no room for more.
    ///
    /// # Errors
    /// [`Error::Need`] where one group does not fit.
    pub fn within_budget(mut self, control: &Control, need: &TileNeed) -> Result<(Self, Control)> {
        let budget = control.budget();
        let fits = budget.has(need.bytes(self.size, control.threads()));
        let control = if fits { control.clone() } else { control.serial() };
        while self.tile > self.size && need.bytes(self.tile, control.threads()) > budget.left() {
            self.tile = (self.tile / self.size / 2).max(1) * self.size;
        }
        budget.admit(WHAT, need.bytes(self.tile, control.threads()), REMEDY)?;
        Ok((self, control))
    }

    /// Ranges of rows whose distances are held together.
    pub fn tiles(&self, share: Share) -> Vec<Range<usize>> {
        let groups = share.range(self.rows.div_ceil(self.size));
        let (first, last) = (groups.start * self.size, (groups.end * self.size).min(self.rows));
        (first..last).step_by(self.tile).map(|at| at..(at + self.tile).min(last)).collect()
    }

    /// Groups of a share.
    pub fn count(&self, share: Share) -> usize {
        share.range(self.rows.div_ceil(self.size)).len()
    }

    /// Groups of the rows of a tile, counted from its first row.
    pub fn within(&self, rows: usize) -> Vec<Range<usize>> {
        (0..rows).step_by(self.size).map(|at| at..(at + self.size).min(rows)).collect()
    }
}

/// Columns of a block.
pub(super) fn block_width(rows: usize, columns: usize) -> usize {
    let fit = (BLOCK_BYTES / rows.max(1) / 64 * 64).clamp(64, 4096);
    fit.min(columns.next_multiple_of(64))
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

//! The memory of a search by tiles, known from its shape before it begins, and the tiles that fit.
//!
//! A tile of rows passes three stages, and each stage frees what the next may take: distances are
//! made from bit planes, neighbours are picked by distance, scores are summed over the neighbours.
//! A tile needs the memory of its largest stage ([`TileNeed`]). Rows come in groups whose size
//! depends on the data alone; the budget decides how many groups make a tile ([`RowGroups`]), so
//! memory never changes a bit of a score.

use super::distances::{planes_bytes, row_bytes, tile_rows};
use super::narrow::ChunkPlan;
use super::select::NeighbourMethod;
use super::select::Picks;
use super::shape::{REMEDY, SearchShape, WHAT};
use super::share::Share;
use crate::error::Result;
use crate::parallel::Control;
use crate::simd::Kernels;
use std::ops::Range;

/// Bytes of a block of columns over all rows: it stays in the second-level cache.
const BLOCK_BYTES: usize = 1 << 20;

/// Least bytes of the distances of a tile where most columns are numeric.
const SMALL_TILE_BYTES: usize = 4 << 20;

/// Bytes that the partial scores of all groups should not exceed.
const PARTIAL_SCORE_BYTES: usize = 128 << 20;

/// Memory of the threads in one stage.
#[derive(Debug, Clone, Copy)]
struct ThreadNeed {
    /// Bytes per thread.
    bytes: usize,
    /// Number of tasks, which bounds the number of threads at work.
    tasks: usize,
}

impl ThreadNeed {
    /// Bytes of at most `threads` threads.
    fn on(self, threads: usize) -> usize {
        self.bytes.saturating_mul(threads.min(self.tasks))
    }
}

/// Bytes per row, group and thread of a tile, stage by stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct TileNeed {
    /// Number of rows of the search.
    rows: usize,
    /// Number of rows of a group.
    group: usize,
    /// Distances of a row to all rows.
    distances: usize,
    /// Neighbours picked for a row.
    picked: usize,
    /// Sums of all features for a group of rows, twice while they are gathered.
    sums: usize,
    /// Scores of all features.
    scores: usize,
    /// Threads that make distances.
    making: ThreadNeed,
    /// Bytes per thread that picks neighbours, a task per row.
    picking: usize,
    /// Threads that sum scores.
    summing: ThreadNeed,
}

impl TileNeed {
    /// The need of a search by `method` in groups of `group` rows. The neighbours are not known
    /// yet, so the most that the method can pick is assumed.
    pub fn new(
        shape: &SearchShape,
        kernels: Kernels,
        method: NeighbourMethod,
        group: usize,
    ) -> Self {
        let (t, nominal, others) = (shape.rows(), shape.nominal, shape.others);
        let (width, classes) = (64 * kernels.words(), shape.classes.len());
        // a distance is an i32, or an f64 with real gaps
        let distance = if others == 0 { 4 } else { 8 };
        let gap = if others == 0 { 0 } else { 8 };
        let largest_class = shape.classes.iter().copied().max().unwrap_or(0);
        // bytes per row of its neighbours: while they are listed, and as they are kept
        let (listed, picked) = match method.picks() {
            // a copy of the distances to a class to find the k-th in, then the neighbours within it
            Picks::Nearest(k) => {
                let kept = k.min(t).saturating_mul(classes);
                (gap * largest_class + 24 * kept, 4 * kept + 48 * classes)
            }
            // a copy of the distances, the neighbours within the k-th, and a list for each
            Picks::Weighed(k) => ((gap + 24) * t, 52 * k.min(t)),
            // a bit per row where all neighbours of a class have one weight
            Picks::Within { sides } if shape.unit => (4 * t, sides * (t / 8 + 64 * classes) + 64),
            // weights that are not whole rarely repeat: a list per neighbour
            Picks::Within { sides } => (24 * t, sides * t * if shape.whole { 4 } else { 52 }),
            Picks::All => (4 * largest_class, 4 * t),
        };
        // codes of a block of columns, and the share of each value where they are needed
        let block = block_width(t, nominal.max(1));
        let block_bytes = if nominal == 0 {
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
            distances: strips * width * (4 + gap),
            picked: picked + 64,
            sums: 8 * (features + gathered),
            scores: 8 * features,
            making: ThreadNeed {
                bytes: planes_bytes(kernels, nominal, shape.most) + gap * width,
                tasks: strips,
            },
            picking: distance * t + listed,
            summing: ThreadNeed {
                bytes: block_bytes.max(gap * t),
                tasks: nominal.div_ceil(block).max(others),
            },
        }
    }

    /// Bytes of a tile of `rows` rows on `threads` threads: of its largest stage, and of the
    /// scores. A stage with fewer tasks than threads needs memory for its tasks alone.
    pub fn bytes(&self, rows: usize, threads: usize) -> usize {
        let rows = rows.min(self.rows);
        let distances = rows.saturating_mul(self.distances);
        let picked = rows.saturating_mul(self.picked);
        let sums = rows.div_ceil(self.group).saturating_mul(self.sums);
        let pickers = ThreadNeed { bytes: self.picking, tasks: rows };
        let making = distances.saturating_add(self.making.on(threads));
        let picking = distances.saturating_add(picked) + pickers.on(threads);
        let summing = picked.saturating_add(sums) + self.summing.on(threads);
        self.scores + making.max(picking).max(summing)
    }
}

/// The rows in groups, whose size depends on the data alone, and groups in tiles.
pub(super) struct RowGroups {
    /// Number of rows.
    rows: usize,
    /// Rows per group.
    pub size: usize,
    /// Rows per tile, a multiple of `size`.
    tile: usize,
}

impl RowGroups {
    /// Number of groups that is aimed at; there are more if a tile holds fewer rows than such a
    /// group.
    const MOST: usize = 64;
    /// Fewest rows per group.
    const SMALLEST: usize = 16;

    /// The groups of `rows` rows with `nominal` complete nominal columns and `others` other
    /// columns. Their number is about [`Self::MOST`], or less with many columns, because each group
    /// makes a score of every column. A group is never larger than a tile, though, so a large
    /// number of rows can make more groups.
    pub fn new(rows: usize, nominal: usize, others: usize) -> Self {
        let fit = tile_rows(rows, nominal, others);
        let most = (PARTIAL_SCORE_BYTES / (8 * (nominal + others).max(1))).clamp(4, Self::MOST);
        let size = rows.div_ceil(most).max(Self::SMALLEST).min(fit);
        // bit planes are made again for each tile, so tiles are large; sums of gaps gain nothing
        // from that, so where numbers dominate a tile takes an eighth of the bytes of the data
        let data_bytes = rows.saturating_mul(nominal + 8 * others);
        let tile = if others > nominal {
            fit.min((data_bytes / 8).max(SMALL_TILE_BYTES) / row_bytes(rows, others).max(1))
        } else {
            fit
        };
        Self { rows, size, tile: (tile / size).max(1) * size }
    }

    /// The largest tiles that the budget allows, on one thread if it has no room for more.
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

    /// The tiles of a share: ranges of rows whose distances are held at once.
    pub fn tiles(&self, share: Share) -> Vec<Range<usize>> {
        let groups = share.range(self.rows.div_ceil(self.size));
        let (first, last) = (groups.start * self.size, (groups.end * self.size).min(self.rows));
        (first..last).step_by(self.tile).map(|at| at..(at + self.tile).min(last)).collect()
    }

    /// Number of groups of a share. Each group makes one list of partial scores.
    pub fn count(&self, share: Share) -> usize {
        share.range(self.rows.div_ceil(self.size)).len()
    }

    /// The groups of a tile of `rows` rows, counted from its first row. A tile begins with a group;
    /// only the last group of all rows may be shorter than the others.
    pub fn within(&self, rows: usize) -> Vec<Range<usize>> {
        (0..rows).step_by(self.size).map(|at| at..(at + self.size).min(rows)).collect()
    }
}

/// Number of columns per block when scores are summed.
pub(super) fn block_width(rows: usize, columns: usize) -> usize {
    let fit = (BLOCK_BYTES / rows.max(1) / 64 * 64).clamp(64, 4096);
    fit.min(columns.next_multiple_of(64))
}

impl SearchShape {
    /// Least bytes of the search: one thread, the smallest tiles.
    pub fn least(&self, kernels: Kernels, method: NeighbourMethod) -> usize {
        match ChunkPlan::new(self, kernels, method) {
            Some(plan) => plan.bytes(plan.chunks, 1),
            None => {
                let groups = RowGroups::new(self.rows(), self.nominal, self.others);
                TileNeed::new(self, kernels, method, groups.size).bytes(groups.size, 1)
            }
        }
    }
}

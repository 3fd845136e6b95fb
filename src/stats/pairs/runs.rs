//! Runs: chunks of active rows that share one set of counters in a tile.
//!
//! Reading counters costs popcounts for every slot, so a tile ([`super::tile`]) adds up as many
//! chunks as it can before it reads them: all chunks that count towards the same case of the same
//! columns with the same power of two. This module says which those are, and holds the counters.

use super::counts::Classes;
use super::input::SlotRows;
use super::scan::Chunk;
use crate::simd::{Buffer, Counter, Kernels, Schedule, cold_planes};

/// Which rows the pairs of a run are counted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunSide {
    /// The columns.
    Columns,
    /// The columns, and the active rows paired with them (the reverse order of each pair).
    Both,
    /// The columns, but only pairs by distance, without the features.
    Distances,
}

/// Which pairs of columns and active rows a worker counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Columns and active rows are the same rows: both orders of a pair are counted at once.
    Own,
    /// Pairs are counted for the columns.
    Columns,
    /// Pairs are counted for columns and active rows, except the distances of the active rows:
    /// a worker with columns and active rows exchanged counts these in [`Mode::Distances`].
    Both,
    /// Only the distances of the columns.
    Distances,
}

impl Mode {
    /// The faster mode for all pairs of some rows.
    ///
    /// With many small classes each run is short, and the popcounts at its end cost more than
    /// counting both orders of a pair separately. The factor 0.6 is measured.
    pub fn own(rows: &SlotRows, kernels: Kernels, classes: Classes) -> Self {
        let classes = classes.count(rows.n_classes());
        let slots = f64::from(rows.offsets[rows.features]);
        let rows_per_class = rows.len() as f64 / classes.max(1) as f64;
        let long = rows_per_class * rows.features as f64 > 0.6 * slots * kernels.words() as f64;
        if long || classes <= 2 { Self::Own } else { Self::Columns }
    }
}

/// Which columns have the class of a run's active rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClassRelation {
    /// Columns of this class, the class of all rows of the run.
    Class(usize),
    /// No columns: the tile does not hold the classes of the run.
    Foreign,
    /// All columns that count, because columns of other classes are masked.
    Same,
    /// No column that counts, because columns of the same class are masked.
    Other,
}

impl ClassRelation {
    /// The case, from 0, of pairs that agree on a feature, for a column of class `own`: 0 if the
    /// rows of the run have this class, else 1. Where columns are masked by class, all columns that
    /// are left have the same case.
    pub fn case(self, own: usize) -> usize {
        match self {
            Self::Class(class) => usize::from(class != own),
            Self::Same => 0,
            Self::Foreign | Self::Other => 1,
        }
    }
}

/// Chunks that share their counters.
pub(super) struct Run<'c> {
    pub relation: ClassRelation,
    /// Binary digit of the multiplicities for which the rows are counted.
    pub bit: u32,
    pub side: RunSide,
    pub chunks: Vec<&'c Chunk<Schedule>>,
}

/// Shape of the bit-sliced counters of one feature.
#[derive(Debug, Clone, Copy)]
pub(super) struct CounterShape {
    /// Number of counters, one per distance of the window.
    pub length: usize,
    /// Bits per counter.
    pub depth: usize,
    /// Words per bit plane.
    pub words: usize,
}

impl CounterShape {
    /// Words of the `hot` planes: 4 per counter ([`crate::simd::CounterState`]).
    pub fn hot(self) -> usize {
        self.length * 4 * self.words
    }

    /// Words of the `cold` planes. Their number grows with the bits per counter, because they hold
    /// what no longer fits the hot planes.
    pub fn cold(self) -> usize {
        self.length * cold_planes(self.depth) * self.words
    }
}

/// Bit-sliced counters of several features.
#[derive(Default)]
pub(super) struct Counters {
    pub hot: Buffer,
    pub cold: Buffer,
    /// Blocks of four additions so far, per feature.
    pub blocks: Vec<u32>,
}

impl Counters {
    /// Counters of `features` features, all zero. The memory of earlier counters is used again.
    pub fn reset(&mut self, features: usize, shape: CounterShape) {
        self.hot.reset(features * shape.hot());
        self.cold.reset(features * shape.cold());
        self.blocks.clear();
        self.blocks.resize(features, 0);
    }

    /// Counter number `index` of a feature, for a kernel that reads it. The shape must be the one
    /// that the counters were reset with.
    pub fn counter(&self, feature: usize, index: usize, shape: CounterShape) -> Counter<'_> {
        let (hot, cold) = (shape.hot(), shape.cold());
        Counter {
            hot: &self.hot[feature * hot..][..hot],
            cold: &self.cold[feature * cold..][..cold],
            depth: shape.depth,
            blocks: self.blocks[feature],
            length: shape.length,
            index,
        }
    }
}

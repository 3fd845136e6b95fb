//! Runs of chunks that share counters: for whom their pairs count, and the counters.

use super::counts::Classes;
use super::input::SlotRows;
use super::scan::Chunk;
use crate::simd::{Buffer, Counter, Kernels, cold_planes};

/// For whom the pairs of a run count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunSide {
    /// The columns.
    Columns,
    /// The columns, and the rows of this class against them.
    Both,
    /// The columns, and only the distances.
    Distances,
}

/// How columns and active rows stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Active and passive rows are one set; a pair is worked on once.
    Own,
    /// Pairs count for the columns.
    Columns,
    /// Pairs count for columns and active rows, but the distances of the active rows are left to
    /// [`Mode::Distances`].
    Both,
    /// Only the distances of the columns.
    Distances,
}

impl Mode {
    /// The mode for all pairs of some rows. With many small classes the popcounts at the end of a
    /// run cost more than the second order of each pair.
    pub fn own(rows: &SlotRows, kernels: Kernels, classes: Classes) -> Self {
        let classes = classes.kept(rows.starts.len() - 1);
        let slots = rows.offsets[rows.features] as f64;
        let of_class = rows.len() as f64 / classes.max(1) as f64;
        let much = of_class * rows.features as f64 > 0.6 * slots * kernels.words() as f64;
        if much || classes <= 2 { Self::Own } else { Self::Columns }
    }
}

/// Which rows of a run's chunks are of a column's class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kin {
    /// All in the columns of this class, none in others.
    Class(usize),
    /// None: the tile does not hold their classes.
    Foreign,
    /// All: columns of other classes do not count.
    Same,
    /// None: columns of their class do not count.
    Other,
}

impl Kin {
    /// The case, from 0, of pairs that agree, for a column of class `own`.
    pub fn case(self, own: usize) -> usize {
        match self {
            Self::Class(class) => usize::from(class != own),
            Self::Same => 0,
            Self::Foreign | Self::Other => 1,
        }
    }
}

/// A run of chunks that share their counters.
pub(super) struct Run<'c> {
    pub kin: Kin,
    pub bit: u32,
    pub side: RunSide,
    pub chunks: Vec<&'c Chunk>,
}

/// Bit-sliced counters of some features.
#[derive(Default)]
pub(super) struct Counters {
    pub hot: Buffer,
    pub cold: Buffer,
    pub blocks: Vec<u32>,
}

impl Counters {
    pub fn reset(&mut self, features: usize, counters: usize, depth: usize, words: usize) {
        for (v, size) in [(&mut self.hot, 4), (&mut self.cold, cold_planes(depth))] {
            v.reset(features * counters * size * words);
        }
        self.blocks.clear();
        self.blocks.resize(features, 0);
    }

    pub fn counter(
        &self,
        feature: usize,
        length: usize,
        index: usize,
        depth: usize,
        words: usize,
    ) -> Counter<'_> {
        let (hot, cold) = (length * 4 * words, length * cold_planes(depth) * words);
        Counter {
            hot: &self.hot[feature * hot..][..hot],
            cold: &self.cold[feature * cold..][..cold],
            depth,
            blocks: self.blocks[feature],
            length,
            index,
        }
    }
}

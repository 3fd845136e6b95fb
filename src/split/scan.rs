//! A scan over the sorted rows of a node: what it reads, how it goes through places, and where its
//! candidates go.
//!
//! The scans themselves are in [`threshold`](super::threshold) (rows) and `weighed` (rows with
//! fixed-point weights).

use super::block::{BLOCK, BlockScratch};
use super::multiway::Minimum;
use super::sink::{CandidateBlock, Features, Sink};
use crate::criteria::{Context, Tables};
use crate::error::Result;
use crate::numeric::Count;
use crate::stats::Weighing;

/// Class of an internal row.
#[derive(Debug, Clone, Copy)]
pub struct ClassOf<'a> {
    /// Class codes by internal row.
    pub codes: &'a [u16],
    /// First internal row of the classes 1, 2, ... (rows are sorted by class).
    pub starts: &'a [u32],
}

/// What a scan needs.
#[derive(Debug, Clone, Copy)]
pub struct Scan<'a, W: Weighing> {
    /// Feature.
    pub feature: u32,
    /// Entries of the node's rows with a known value, ascending.
    pub order: &'a [u32],
    /// Class sums of the rows with a known value.
    pub known: &'a [W::Sum],
    /// Class sums of all rows of the node; more than `known` when values are missing (a third
    /// branch).
    pub totals: &'a [W::Sum],
    /// Classes.
    pub class_of: ClassOf<'a>,
    /// Weights.
    pub weights: W,
    /// Smallest branch.
    pub min: Minimum,
    /// Skip boundaries that the criterion cannot choose because it is convex, beside a third branch
    /// if there is one.
    pub convex: bool,
    /// What `weighed_steps` says of the order, where rows have fixed-point weights and somebody has
    /// asked; else empty.
    pub steps: &'a [i64],
}

/// How a scan goes through places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    /// Places that are candidates even inside a run of one class.
    pub ends: Option<(usize, usize)>,
    /// Room of a block.
    pub stride: usize,
}

impl Range {
    /// Go through runs of places `first..=last`: `list` is given places, whether all of them are
    /// wanted, and how many candidates are held, and returns how many it adds; `flush` takes those
    /// that are held.
    pub fn walk<T>(
        &self,
        runs: impl Iterator<Item = (usize, usize)>,
        tools: &mut T,
        mut list: impl FnMut(&mut T, (usize, usize), bool, usize) -> usize,
        mut flush: impl FnMut(&mut T, usize) -> Result<()>,
    ) -> Result<()> {
        // The kernel writes past what it reports; the block is handed on before it could overflow.
        let step = (self.stride / 2).clamp(1, BLOCK);
        let mut held = 0;
        for (first, last) in runs {
            let mut i = first;
            while i <= last {
                let end = self.ends.is_some_and(|(a, b)| i == a || i == b);
                let before_end = self
                    .ends
                    .map_or(last + 1, |(_, b)| if i < b { b.min(last + 1) } else { last + 1 });
                let stop = if end { i + 1 } else { (i + step).min(before_end) };
                held += list(tools, (i, stop), end, held);
                i = stop;
                if held + step > self.stride {
                    flush(tools, held)?;
                    held = 0;
                }
            }
        }
        flush(tools, held)
    }
}

/// Hand on the candidates of a feature that are held.
pub(super) fn flush<C: Count>(
    feature: u32,
    held: usize,
    context: &Context,
    branches: usize,
    scratch: &BlockScratch<C>,
    sink: &mut dyn Sink,
) -> Result<()> {
    if held == 0 {
        return Ok(());
    }
    let tables = Tables {
        cells: Count::cells(&scratch.cells),
        totals: Count::cells(&scratch.totals),
        branches,
        classes: context.classes,
        stride: scratch.stride,
        len: held,
        declared: &scratch.declared,
        context,
    };
    sink.take(&CandidateBlock { tables, at: &scratch.at[..held], features: Features::One(feature) })
}

//! The common parts of the scans over the sorted rows of a node: their input ([`Scan`]), the walk
//! over places block by block ([`BlockWalk`]), and the hand-over of a full block to the sink
//! ([`flush`]).
//!
//! A *place* is a position between two entries of the sorted order; place `i` has `i` entries on
//! its left. The scans themselves are in [`threshold`](super::threshold) (rows) and `weighed` (rows
//! with fixed-point weights).

use super::block::{BLOCK, BlockScratch, PlaceRange};
use super::multiway::Minimum;
use super::sink::{CandidateBlock, Features, Sink};
use crate::criteria::Context;
use crate::error::Result;
use crate::numeric::Count;
use crate::stats::{Sum, Weighing};

/// The class of each internal row.
#[derive(Debug, Clone, Copy)]
pub struct ClassOf<'a> {
    /// Class codes by internal row.
    pub codes: &'a [u16],
    /// First internal row of the classes 1, 2, ... (rows are sorted by class).
    pub starts: &'a [u32],
}

/// One numeric feature of a node, as a scan for thresholds reads it.
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
    /// Classes of the rows.
    pub class_of: ClassOf<'a>,
    /// Weights of the rows.
    pub weights: W,
    /// Limits on the size of a branch.
    pub min: Minimum,
    /// Skip boundaries that the criterion cannot choose because it is convex, beside a third branch
    /// if there is one.
    pub convex: bool,
    /// Sums left of every [`STEP`](crate::simd::columns::STEP)-th entry, as
    /// [`weighed_steps`](crate::simd::columns::weighed_steps) writes them, where rows have
    /// fixed-point weights and the caller has computed them; otherwise empty.
    pub steps: &'a [i64],
    /// The rows of the data set as [`packed_row`](crate::simd::means::packed_row) makes them, where
    /// the target is a number and weights are few copies; otherwise empty.
    pub packed: &'a [i64],
}

/// A walk over places that collects candidates in blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockWalk {
    /// The ends of the admissible range where they are candidates even inside a run of one class.
    pub ends: Option<PlaceRange>,
    /// Most candidates of a block.
    pub stride: usize,
}

impl BlockWalk {
    /// Walk over runs of places.
    ///
    /// `list(tools, (start, stop), all, held)` appends the candidates among the places
    /// `start..stop` (every boundary between two values if `all`) to the `held` ones of the block,
    /// and returns how many it appended. `flush(tools, held)` hands the block on.
    pub fn walk<T>(
        &self,
        runs: impl Iterator<Item = PlaceRange>,
        tools: &mut T,
        mut list: impl FnMut(&mut T, (usize, usize), bool, usize) -> usize,
        mut flush: impl FnMut(&mut T, usize) -> Result<()>,
    ) -> Result<()> {
        // The kernel writes past the candidates that it reports, so a block is flushed before it is
        // full.
        let step = (self.stride / 2).clamp(1, BLOCK);
        let mut held = 0;
        for PlaceRange { first, last } in runs {
            let mut start = first;
            while start <= last {
                // An end is listed alone, because it may be a candidate inside a run of one class.
                let at_end =
                    self.ends.is_some_and(|ends| start == ends.first || start == ends.last);
                let before_end = match self.ends {
                    Some(ends) if start < ends.last => ends.last.min(last + 1),
                    _ => last + 1,
                };
                let stop = if at_end { start + 1 } else { (start + step).min(before_end) };
                held += list(tools, (start, stop), at_end, held);
                start = stop;
                if held + step > self.stride {
                    flush(tools, held)?;
                    held = 0;
                }
            }
        }
        flush(tools, held)
    }
}

/// Write the tables of the `held` boundaries of one feature. `left(c)` has the sums of class `c`
/// and all later classes on the left of each boundary, so the sum of class `c` alone is
/// `left(c) - left(c + 1)`.
pub(super) fn write_sides<'p, S: Sum>(
    cells: &mut [S::Cell],
    stride: usize,
    held: usize,
    known: &[S],
    unit: f64,
    left: impl Fn(usize) -> &'p [S],
) {
    let (on_left, on_right) = cells.split_at_mut(known.len() * stride);
    let last = known.len() - 1;
    for (class, &known) in known.iter().enumerate() {
        let left_cells = on_left[class * stride..][..held].iter_mut();
        let cells = left_cells.zip(&mut on_right[class * stride..]);
        let write = |(left, right): (&mut S::Cell, &mut S::Cell), sum: S| {
            *left = sum.cell(unit);
            *right = known.minus(sum).cell(unit);
        };
        let from_class = left(class)[..held].iter();
        if class < last {
            let sums = from_class.zip(left(class + 1));
            cells.zip(sums).for_each(|(cells, (from, &later))| write(cells, from.minus(later)));
        } else {
            cells.zip(from_class).for_each(|(cells, &sum)| write(cells, sum));
        }
    }
}

/// Give the `held` candidates of one feature, of `branches` branches each, to the sink.
///
/// # Errors
/// Any error of the sink.
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
    let tables = scratch.tables(branches, held, context);
    sink.take(&CandidateBlock { tables, at: &scratch.at[..held], features: Features::One(feature) })
}

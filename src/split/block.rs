//! Buffers for a block of candidates: their contingency tables side by side, and the sums that the
//! scans write on the way to them.
//!
//! One [`BlockScratch`] serves all features of a node, and nodes pass it on, so that nothing is
//! allocated per feature. Tables lie as [`Tables`] reads them: one plane of candidates per
//! (branch, class), so that inner loops over candidates vectorise.

use super::mean_scratch::MeanScratch;
use crate::criteria::{Context, Criterion, Tables};
use crate::error::Result;
use crate::numeric::Count;
use crate::simd::columns::SLACK;
use crate::simd::running::BLOCK as PLACES;
use crate::stats::Sum;

/// Candidates that a scan collects before they are scored, unless tables are large.
pub const BLOCK: usize = 256;
/// Most candidates of a block, unless tables are large. A scan appends at most [`BLOCK`] of them at
/// a time, and the block is scored once there is less room than that.
pub(super) const MOST_CANDIDATES: usize = 2 * BLOCK;
/// Fewest candidates for which a block is laid out.
const FEWEST_CANDIDATES: usize = 16;
/// Most cells of a block: one mebibyte in double precision. Larger tables come in smaller blocks.
const MOST_CELLS: usize = 1 << 17;

/// The places `first..=last` of a scan; none where `last < first`.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaceRange {
    /// The lowest place.
    pub first: usize,
    /// The highest place.
    pub last: usize,
}

impl PlaceRange {
    /// Whether the range holds no place. A scan without an admissible place is left before its
    /// buffers are laid out.
    pub fn is_empty(self) -> bool {
        self.first > self.last
    }
}

/// A block under construction, and the buffers of the scans that fill it.
#[derive(Debug, Default)]
pub struct BlockScratch<C> {
    /// Counts, `[(branch * classes + class) * stride + candidate]`.
    pub(super) cells: Vec<C>,
    /// Class totals of the node.
    pub(super) totals: Vec<C>,
    /// The number of each candidate within its feature; see [`super::CandidateBlock::at`].
    pub(super) at: Vec<u32>,
    /// The declared number of branches of each candidate.
    pub(super) declared: Vec<u32>,
    /// The feature of each candidate, where a block holds several features.
    pub(super) features: Vec<u32>,
    /// The number of candidates for which there is room, which is the distance between two planes.
    pub(super) stride: usize,
    /// With unit weights: the rows on the left by class, as the kernel writes them.
    pub(super) tails: Vec<u32>,
    /// With fixed-point weights: the weight on the left by class, as the kernel writes it.
    pub(super) sums: Vec<i64>,
    /// Runs of places that a scan looks at.
    pub(super) runs: Vec<PlaceRange>,
    /// Upper bounds on the scores in stretches of places.
    pub(super) bounds: Vec<f64>,
    /// Scores from which these bounds are computed.
    pub(super) scores: Vec<f64>,
    /// Sums at the steps of one order; see [`super::scan::Scan::steps`].
    pub steps: Vec<i64>,
    /// Buffers of scans by means.
    pub means: MeanScratch,
    /// Buffers of scans by running sums.
    pub(super) running: Running,
}

impl<C: Count> BlockScratch<C> {
    /// Lay out blocks for up to `most` cuts of one feature; returns their number of branches.
    ///
    /// `known` are the class sums of the rows with a known value, `totals` the class sums of all
    /// rows of the node. Where the two differ, the rows without a value are a third branch, which
    /// is filled here.
    pub(super) fn prepare_cuts<S: Sum<Cell = C>>(
        &mut self,
        known: &[S],
        totals: &[S],
        unit: f64,
        most: usize,
    ) -> usize {
        let branches = if known == totals { 2 } else { 3 };
        self.prepare(branches, totals.len(), most);
        self.totals.clear();
        self.totals.extend(totals.iter().map(|total| total.cell(unit)));
        self.declare(branches as u32);
        if branches == 3 {
            let missing =
                totals.iter().zip(known).map(|(total, &known)| total.minus(known).cell(unit));
            let planes = self.cells[2 * totals.len() * self.stride..].chunks_mut(self.stride);
            planes.zip(missing).for_each(|(plane, missing)| plane.fill(missing));
        }
        branches
    }

    /// Make room for up to `most` tables of `branches x classes`, and for fewer when tables are
    /// large.
    pub(super) fn prepare(&mut self, branches: usize, classes: usize, most: usize) {
        let n_cells = branches * classes;
        let wanted = most.next_power_of_two().clamp(FEWEST_CANDIDATES, MOST_CANDIDATES);
        self.stride = wanted.min(MOST_CELLS / n_cells.max(1)).max(2);
        if self.cells.len() < n_cells * self.stride {
            self.cells.resize(n_cells * self.stride, C::default());
        }
        // Kernels write up to SLACK entries past the candidates that they report.
        if self.at.len() < self.stride + SLACK {
            self.at.resize(self.stride + SLACK, 0);
        }
    }

    /// Give all candidates the same declared number of branches, as criteria read it
    /// ([`Tables::declared`]).
    pub(super) fn declare(&mut self, branches: u32) {
        if self.declared.first() != Some(&branches) || self.declared.len() < self.stride {
            self.declared.clear();
            self.declared.resize(self.stride, branches);
        }
    }

    /// Write the table of the cut with number `held` in the block, which has the class sums `left`
    /// of `known` on its left; `at` is its number within the feature.
    pub(super) fn write_cut<S: Sum<Cell = C>>(
        &mut self,
        held: usize,
        at: u32,
        [left, known]: [&[S]; 2],
        unit: f64,
    ) {
        let (classes, stride) = (known.len(), self.stride);
        for (class, (&left, known)) in left.iter().zip(known).enumerate() {
            self.cells[class * stride + held] = left.cell(unit);
            self.cells[(classes + class) * stride + held] = known.minus(left).cell(unit);
        }
        self.at[held] = at;
    }

    /// The first `len` candidates as tables of `branches x context.classes`.
    pub(super) fn tables<'a>(
        &'a self,
        branches: usize,
        len: usize,
        context: &'a Context,
    ) -> Tables<'a> {
        Tables {
            cells: C::cells(&self.cells),
            totals: C::cells(&self.totals),
            branches,
            classes: context.classes,
            stride: self.stride,
            len,
            declared: &self.declared,
            context,
        }
    }
}

/// Buffers of a scan by running sums (`running`).
#[derive(Debug, Default)]
pub struct Running {
    /// Rows of each class on the left.
    pub(super) left: Vec<u32>,
    /// `left` before the block, brought forward where a table is asked for.
    pub(super) before: Vec<u32>,
    /// Rows of each class in the node.
    pub(super) all: Vec<u32>,
    /// Sums and scores at the places of a block.
    pub(super) block: Box<PlaceSums>,
    /// The table of one cut, where an exact score is asked for.
    pub(super) table: CutTable,
}

/// The table of one cut in two; a buffer.
#[derive(Debug, Default)]
pub struct CutTable {
    cells: Vec<u32>,
    totals: Vec<u32>,
}

impl CutTable {
    /// The exact score of a cut with `left` of `all` rows of each class on its left. The table has
    /// only the classes with rows, so the score does not depend on classes that are absent from the
    /// node. O(classes), without allocation once the buffers have grown.
    pub fn score(
        &mut self,
        criterion: &dyn Criterion,
        left: &[u32],
        all: &[u32],
        context: &Context,
    ) -> Result<f64> {
        let Self { cells, totals } = self;
        let occurring = || left.iter().zip(all).filter(|(_, all)| **all > 0);
        totals.clear();
        totals.extend(occurring().map(|(_, all)| all));
        cells.clear();
        cells.extend(occurring().map(|(left, _)| left));
        cells.extend(occurring().map(|(left, all)| all - left));
        criterion.score_of(&Tables::one(cells, totals, &[2], context))
    }
}

/// Sums and scores at the places of a block.
#[derive(Debug)]
pub(super) struct PlaceSums {
    /// Class of the row before each place, and of the row behind the last place.
    pub(super) class: [u16; PLACES + 1],
    /// Sum over the classes of the rows on the left.
    pub(super) left: [f64; PLACES],
    /// Sum over the classes of the rows on the right.
    pub(super) right: [f64; PLACES],
    /// Scores.
    pub(super) scores: [f64; PLACES],
}

impl Default for PlaceSums {
    fn default() -> Self {
        let zeros = [0.0; PLACES];
        Self { class: [0; PLACES + 1], left: zeros, right: zeros, scores: zeros }
    }
}

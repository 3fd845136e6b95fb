//! Buffers in which the tables of a block of candidates are laid out, or the sums at the places of
//! a scan.

use crate::numeric::Count;
use crate::simd::columns::SLACK;
use crate::simd::running::BLOCK as PLACES;
use crate::stats::Sum;

/// Candidates in a block; more when a whole node is asked for at once.
pub const BLOCK: usize = 256;

/// A block under construction: `cells[(branch * classes + class) * stride + candidate]`.
#[derive(Debug)]
pub struct BlockScratch<C> {
    pub(super) cells: Vec<C>,
    pub(super) totals: Vec<C>,
    pub(super) at: Vec<u32>,
    pub(super) tails: Vec<u32>,
    pub(super) sums: Vec<i64>,
    pub(super) runs: Vec<(usize, usize)>,
    pub(super) bounds: Vec<f64>,
    pub(super) scores: Vec<f64>,
    /// What the steps of one order hold; see [`super::scan::Scan::steps`].
    pub steps: Vec<i64>,
    pub(super) declared: Vec<u32>,
    pub(super) features: Vec<u32>,
    pub(super) stride: usize,
    pub(super) running: Running,
}

impl<C> Default for BlockScratch<C> {
    fn default() -> Self {
        Self {
            cells: Vec::new(),
            totals: Vec::new(),
            at: Vec::new(),
            tails: Vec::new(),
            sums: Vec::new(),
            runs: Vec::new(),
            bounds: Vec::new(),
            scores: Vec::new(),
            steps: Vec::new(),
            declared: Vec::new(),
            features: Vec::new(),
            stride: 0,
            running: Running::default(),
        }
    }
}

impl<C: Count> BlockScratch<C> {
    /// Lay out blocks for up to `most` cuts of one feature, given the class sums of the rows with a
    /// known value and of all rows; the others are a third branch. Returns the branches.
    pub(super) fn prepare_cuts<S: Sum<Cell = C>>(
        &mut self,
        (known, totals): (&[S], &[S]),
        unit: f64,
        most: usize,
    ) -> usize {
        let branches = if known == totals { 2 } else { 3 };
        self.prepare(branches, totals.len(), most);
        self.totals.clear();
        self.totals.extend(totals.iter().map(|t| t.cell(unit)));
        self.declare(branches as u32);
        if branches == 3 {
            let missing = totals.iter().zip(known).map(|(t, &k)| t.minus(k).cell(unit));
            let planes = self.cells[2 * totals.len() * self.stride..].chunks_mut(self.stride);
            planes.zip(missing).for_each(|(plane, missing)| plane.fill(missing));
        }
        branches
    }

    /// Room for up to `most` tables of `branches x classes` (fewer when tables are large).
    pub(super) fn prepare(&mut self, branches: usize, classes: usize, most: usize) {
        let table = branches * classes;
        let wanted = most.next_power_of_two().clamp(16, 2 * BLOCK);
        self.stride = wanted.min((1 << 17) / table.max(1)).max(2);
        if self.cells.len() < table * self.stride {
            self.cells.resize(table * self.stride, C::default());
        }
        if self.at.len() < self.stride + SLACK {
            self.at.resize(self.stride + SLACK, 0);
        }
    }

    /// All candidates have the same declared number of branches.
    pub(super) fn declare(&mut self, branches: u32) {
        if self.declared.first() != Some(&branches) || self.declared.len() < self.stride {
            self.declared.clear();
            self.declared.resize(self.stride, branches);
        }
    }
}

/// Memory of a scan by running sums, kept for the next.
#[derive(Debug, Default)]
pub struct Running {
    /// Rows of each class on the left.
    pub(super) left: Vec<u32>,
    /// `left` before the block, brought forward where a table is asked for.
    pub(super) before: Vec<u32>,
    /// Rows of each class in all.
    pub(super) all: Vec<u32>,
    pub(super) block: Box<PlaceSums>,
    pub(super) cells: Vec<u32>,
    pub(super) totals: Vec<u32>,
}

/// What is found at the places of a block.
#[derive(Debug)]
pub(super) struct PlaceSums {
    /// Classes of the rows before the places, and of the row behind the last.
    pub(super) class: [u16; PLACES + 1],
    /// Sums over the classes, left and right.
    pub(super) left: [f64; PLACES],
    pub(super) right: [f64; PLACES],
    pub(super) scores: [f64; PLACES],
}

impl Default for PlaceSums {
    fn default() -> Self {
        let zeros = [0.0; PLACES];
        Self { class: [0; PLACES + 1], left: zeros, right: zeros, scores: zeros }
    }
}

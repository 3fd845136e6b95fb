//! Buffers in which the tables of a block of candidates are laid out.

use super::running::Running;
use crate::simd::columns::SLACK;

/// Candidates in a block; more when a whole node is asked for at once.
pub const BLOCK: usize = 256;

/// A block under construction: `cells[(branch * classes + class) * stride + candidate]`.
#[derive(Debug)]
pub struct Scratch<C> {
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

impl<C> Default for Scratch<C> {
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

impl<C: Copy + Default> Scratch<C> {
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

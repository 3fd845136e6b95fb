//! The input of a formula: the contingency tables (branch x class) of a block of candidates of one
//! node.
//!
//! Struct of arrays, `cells[(branch * classes + class) * stride + candidate]`: inner loops run over
//! candidates and vectorise. All candidates of a block have the same number of branches and the
//! same class totals. The counts of [`Tables`] are rows or weights; [`Block`] has their type. Both
//! are views, so nothing is copied. A single table is a block of one candidate.

use crate::data::TargetGrid;
use crate::numeric::{Cells, Count, Logs, Moments};

/// Sums of a numeric target that a user's function is given: W, S and Q.
const SUMS: usize = 3;

/// Facts about the training set that a formula may need.
#[derive(Debug, Clone)]
pub struct Context {
    /// Tables of logarithms up to the number of rows.
    pub logs: Logs,
    /// Number of declared classes (length of the class axis).
    pub classes: usize,
    /// Which of them occur in the training set.
    pub occurring: Vec<bool>,
    /// Where the numbers of a numeric target lie; `None` for classes.
    pub grid: Option<TargetGrid>,
}

impl Context {
    /// A context for tables with `classes` classes, which all occur, and at most `max` rows. Its
    /// tables of logarithms reach `max` and are shared by the whole process: O(max) for the first
    /// caller only. Larger counts are computed, so a `max` of 0 suits formulas that look no
    /// logarithm up, and weights.
    pub fn new(classes: usize, max: u64) -> Self {
        Self { logs: Logs::up_to(max), classes, occurring: vec![true; classes], grid: None }
    }

    /// The weight, the sum and the sum of squares of a numeric target.
    fn sums(&self, rows: &Moments) -> [f64; SUMS] {
        let (mean, unit) =
            self.grid.map_or((rows.mean, 1.0), |grid| (grid.to_number(rows.mean), grid.unit));
        let sum = rows.weight * mean;
        [rows.weight, sum, rows.deviation * unit * unit + sum * mean]
    }

    /// Number of classes that occur in the training set. A class counts also in a node that has
    /// none of its rows; the Jaccard distance by matching is this number less a sum of
    /// similarities.
    pub fn n_occurring(&self) -> usize {
        self.occurring.iter().filter(|&&o| o).count()
    }
}

/// A block of candidates of one node. All candidates have the same number of branches and the same
/// class totals (over the node's rows, or over its rows with a known value).
#[derive(Debug, Clone, Copy)]
pub struct Tables<'a> {
    /// `cells[(branch * classes + class) * stride + candidate]`.
    pub cells: Cells<'a>,
    /// Class totals, length `classes`, of the same kind as `cells`.
    pub totals: Cells<'a>,
    /// Number of branches.
    pub branches: usize,
    /// Number of declared classes.
    pub classes: usize,
    /// Distance between the planes of two neighbouring cells.
    pub stride: usize,
    /// Number of candidates, at most `stride`.
    pub len: usize,
    /// Declared number of values of the split feature of each candidate (2 for a threshold).
    pub declared: &'a [u32],
    /// Facts about the training set.
    pub context: &'a Context,
}

/// [`Tables`] with the type of the counts, for which formulas are written.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a, C> {
    cells: &'a [C],
    /// Class totals.
    pub totals: &'a [C],
    /// Number of branches.
    pub branches: usize,
    /// Number of declared classes.
    pub classes: usize,
    stride: usize,
    /// Number of candidates.
    pub len: usize,
    /// Declared number of values of each candidate.
    pub declared: &'a [u32],
    /// Facts about the training set.
    pub context: &'a Context,
}

impl<'a, C: Count> Block<'a, C> {
    /// Update the score of every candidate cell by cell: `step` takes the score, the count of a
    /// cell, the size of its branch and the size of its class. Classes that do not occur in the
    /// node are left out.
    #[inline]
    pub fn each_cell(&self, out: &mut [f64], step: impl Fn(&mut f64, f64, f64, f64)) {
        let mut size = vec![0.0; self.len];
        for m in 0..self.branches {
            size.fill(0.0);
            for c in 0..self.classes {
                for (z, x) in size.iter_mut().zip(self.cell(m, c)) {
                    *z += x.value();
                }
            }
            for c in (0..self.classes).filter(|&c| !self.totals[c].is_empty()) {
                let of_class = self.totals[c].value();
                for ((s, &z), x) in out.iter_mut().zip(&size).zip(self.cell(m, c)) {
                    step(s, x.value(), z, of_class);
                }
            }
        }
    }

    /// Counts of one cell for all candidates. They are contiguous, so a loop over them vectorises.
    #[inline]
    pub fn cell(&self, branch: usize, class: usize) -> &'a [C] {
        let start = (branch * self.classes + class) * self.stride;
        &self.cells[start..start + self.len]
    }

    /// Count of one cell of one candidate. It serves the few formulas that compute one candidate
    /// after the other.
    #[inline]
    pub fn at(&self, branch: usize, class: usize, candidate: usize) -> C {
        self.cells[(branch * self.classes + class) * self.stride + candidate]
    }

    /// Counts of the classes in one branch of one candidate. The counts lie `stride` apart, one
    /// cache line each in a full block; loops over candidates should read [`Self::cell`] instead.
    #[inline]
    pub fn branch(
        &self,
        branch: usize,
        candidate: usize,
    ) -> impl Iterator<Item = C> + Clone + use<'a, C> {
        let (cells, stride) = (self.cells, self.stride);
        let start = branch * self.classes * stride + candidate;
        (0..self.classes).map(move |c| cells[start + c * stride])
    }

    /// Rows (or weight) of one branch of one candidate. The sum is computed anew in each call,
    /// O(classes).
    #[inline]
    pub fn branch_total(&self, branch: usize, candidate: usize) -> C {
        self.branch(branch, candidate).fold(C::default(), C::plus)
    }

    /// The candidates `at..at + len`, without copying. A formula takes them when its intermediate
    /// results have room for a fixed number of candidates.
    #[inline]
    pub fn part(&self, at: usize, len: usize) -> Self {
        debug_assert!(at + len <= self.len);
        Self { cells: &self.cells[at..], len, declared: &self.declared[at..], ..*self }
    }

    /// Rows (or weight) of the node. All candidates share it. If some values are missing and the
    /// block holds known rows only, it is the total of the known rows.
    #[inline]
    pub fn total(&self) -> C {
        self.totals.iter().fold(C::default(), |a, &b| a.plus(b))
    }
}

impl<'a> Tables<'a> {
    /// One table given as rows of branches. `cells` holds the classes of the first branch, then the
    /// classes of the second, and so on. `totals` must not be empty.
    pub fn one<C: Count>(
        cells: &'a [C],
        totals: &'a [C],
        declared: &'a [u32; 1],
        context: &'a Context,
    ) -> Self {
        Self {
            cells: C::cells(cells),
            totals: C::cells(totals),
            branches: cells.len() / totals.len(),
            classes: totals.len(),
            stride: 1,
            len: 1,
            declared,
            context,
        }
    }

    /// Rows (or weight) of the node. For a numeric target it is the weight of the rows. Checks of
    /// options read it, whatever the kind of the counts is.
    pub fn weight(&self) -> f64 {
        match self.totals {
            Cells::Rows(t) => t.iter().map(|&c| f64::from(c)).sum(),
            Cells::Weights(t) => t.iter().sum(),
            Cells::Moments(t) => t.iter().map(|m| m.weight).sum(),
        }
    }

    /// Numbers per branch that a user's function is given: a count per class, or the weight, the
    /// sum and the sum of squares of a numeric target.
    pub fn components(&self) -> usize {
        if let Cells::Moments(_) = self.cells { SUMS } else { self.classes }
    }

    /// Append one number of one branch of all candidates; `plane` is
    /// `branch * components + component`.
    pub fn append_plane(&self, plane: usize, out: &mut Vec<f64>) {
        let range = |plane: usize| plane * self.stride..plane * self.stride + self.len;
        match self.cells {
            Cells::Rows(c) => out.extend(c[range(plane)].iter().map(|&c| f64::from(c))),
            Cells::Weights(c) => out.extend_from_slice(&c[range(plane)]),
            Cells::Moments(c) => {
                let (branch, component) = (plane / SUMS, plane % SUMS);
                out.extend(c[range(branch)].iter().map(|m| self.context.sums(m)[component]));
            }
        }
    }

    /// The numbers of the whole node that a user's function is given, [`Self::components`] of them:
    /// a count per class, or the weight, the sum and the sum of squares of a numeric target.
    pub fn real_totals(&self) -> Vec<f64> {
        match self.totals {
            Cells::Rows(n) => n.iter().map(|&n| f64::from(n)).collect(),
            Cells::Weights(n) => n.to_vec(),
            Cells::Moments(n) => n.iter().flat_map(|m| self.context.sums(m)).collect(),
        }
    }

    /// The candidates `at..at + len` of this block, as a separate block; nothing is copied.
    #[inline]
    pub fn window(&self, at: usize, len: usize) -> Tables<'a> {
        debug_assert!(at + len <= self.len);
        let cells = match self.cells {
            Cells::Rows(c) => Cells::Rows(&c[at..]),
            Cells::Weights(c) => Cells::Weights(&c[at..]),
            Cells::Moments(c) => Cells::Moments(&c[at..]),
        };
        Tables { cells, len, declared: &self.declared[at..], ..*self }
    }

    /// The block with the type of its counts. `cells` and `totals` are the lists of these tables,
    /// whose kind the caller has checked.
    pub(super) fn block<C: Count>(&self, cells: &'a [C], totals: &'a [C]) -> Block<'a, C> {
        Block {
            cells,
            totals,
            branches: self.branches,
            classes: self.classes,
            stride: self.stride,
            len: self.len,
            declared: self.declared,
            context: self.context,
        }
    }
}

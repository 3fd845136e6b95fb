//! Thresholds of a node of at most 64 rows of weight 1, from orders of one byte per entry.
//!
//! The scan serves criteria that are scored from running sums, and its scores equal the scores of
//! `running`. All cuts of a feature are summed and scored at once, and the set of cuts that are
//! thresholds is one word of 64 bits. Where sums are not exact, candidates that may be best are
//! scored again from their tables. Vectors for sums of squares took 0.96 of the time of whole fits:
//! too little for kernels.
//!
//! Cut `j` has the entries `0..=j` of the order on its left.

use super::block::CutTable;
use super::sink::{CutEstimates, Sink};
use crate::criteria::{Context, Criterion, Cuts, LeftRows, RunningScores, Term};
use crate::error::Result;
use crate::reached::{self, Way};
use crate::simd::short::{Bytes, ROWS};
use crate::simd::{Level, running};

/// One number for each cut of an order.
type CutNumbers = [f64; ROWS];

/// The squares of the numbers of rows of a class.
const SQUARES: [f64; ROWS + 1] = {
    let (mut squares, mut rows) = ([0.0; ROWS + 1], 0);
    while rows <= ROWS {
        squares[rows] = (rows * rows) as f64;
        rows += 1;
    }
    squares
};

/// The facts that all orders of a node share.
#[derive(Debug, Clone, Copy, Default)]
pub struct OrderFacts {
    /// Number of rows.
    pub len: usize,
    /// Class of each row, below 64.
    pub class_of: Bytes,
    /// Number of rows of each class.
    pub sizes: Bytes,
    /// The classes that have rows, as bits.
    pub present: u64,
}

/// One feature of a node.
#[derive(Debug, Clone, Copy)]
pub struct ShortScan<'a> {
    /// Feature.
    pub feature: u32,
    /// The node's rows by ascending value.
    pub order: &'a Bytes,
    /// Bit `i`: entry `i` has the value of the entry before it.
    pub tied: u64,
    /// Classes of the rows. They are numbered in the order of their codes.
    pub facts: &'a OrderFacts,
    /// Fewest rows of a branch, at least 1.
    pub min_rows: usize,
    /// Skip boundaries that the criterion cannot choose because it is convex.
    pub convex: bool,
}

/// Buffers of a scan, kept for the next.
#[derive(Debug)]
pub struct ShortScratch {
    /// Sums over the classes on the left of each cut.
    left: CutNumbers,
    /// Sums over the classes on the right of each cut.
    right: CutNumbers,
    scores: CutNumbers,
    exact: CutTable,
}

impl Default for ShortScratch {
    fn default() -> Self {
        let zeros = [0.0; ROWS];
        Self { left: zeros, right: zeros, scores: zeros, exact: CutTable::default() }
    }
}

impl ShortScan<'_> {
    /// The cuts that are candidates, as bits; `changes` are the cuts between rows of two classes.
    fn candidates(&self, changes: u64) -> u64 {
        let (least, len) = (self.min_rows, self.facts.len);
        if 2 * least > len {
            return 0;
        }
        let (first, last) = (least - 1, len - least - 1);
        let admissible = u64::MAX >> (63 - last) & u64::MAX << first;
        // The ends of the admissible range are candidates even inside a run of one class.
        let ends = if first > 0 { 1 << first | 1 << last } else { 0 };
        let all = if self.convex { 0 } else { u64::MAX };
        // Cuts beside a value that several rows share, before it and behind it.
        let beside_ties = self.tied | self.tied >> 2;
        let inside_ties = self.tied >> 1;
        admissible & (changes | beside_ties | ends | all) & !inside_ties
    }

    /// The class of each row, by ascending value.
    fn classes(&self) -> impl Iterator<Item = usize> {
        let class = |row: &u8| usize::from(self.facts.class_of.0[usize::from(*row) % ROWS]) % ROWS;
        self.order.0[..self.facts.len].iter().map(class)
    }

    /// Write the sums of a term over the classes on both sides of each cut, from a `table` of the
    /// term by rows of a class. Returns the cuts between rows of different classes, as bits, and
    /// the sum of the node.
    fn sums(&self, table: &[f64], left: &mut CutNumbers, right: &mut CutNumbers) -> (u64, f64) {
        let (sizes, mut passed, mut changes) = (&self.facts.sizes.0, [0_u8; ROWS], 0);
        let occurring = &sizes[..64 - self.facts.present.leading_zeros() as usize];
        let whole = occurring.iter().map(|&size| table[usize::from(size)]).sum();
        let (mut on_left, mut on_right, mut last) = (0.0, whole, usize::MAX);
        for (j, class) in self.classes().enumerate() {
            // Cut j - 1 lies before this row.
            changes |= u64::from(class != last) << j >> 1;
            last = class;
            let rows_left = usize::from(passed[class]);
            let rows_right = usize::from(sizes[class]) - rows_left;
            on_left += table[rows_left + 1] - table[rows_left];
            on_right -= table[rows_right] - table[rows_right - 1];
            passed[class] += 1;
            (left[j], right[j]) = (on_left, on_right);
        }
        (changes, whole)
    }
}

/// Score the thresholds of one feature by sums over the classes, as `scoring` says, into a sink.
/// The sink gets estimates, and asks for the exact scores of thresholds that may be best.
pub fn score_candidates(
    scan: &ShortScan<'_>,
    context: &Context,
    scoring: RunningScores,
    scratch: &mut ShortScratch,
    sink: &mut dyn Sink,
) -> Result<()> {
    let facts = scan.facts;
    let ShortScratch { left, right, scores, exact } = scratch;
    reached::count(Way::ShortSums);
    let table = match scoring.term {
        Term::Squares => &SQUARES[..],
        Term::XLog2X => context.logs.x_log2_x_table(),
    };
    let (changes, whole) = scan.sums(table, left, right);
    let candidates = scan.candidates(changes);
    if candidates == 0 {
        return Ok(());
    }
    let n_cuts = facts.len - 1;
    let cuts = Cuts {
        n: facts.len as u32,
        whole,
        classes: facts.present.count_ones() as usize,
        logs: context.logs,
        rows: LeftRows::From(1),
        left: &left[..n_cuts],
        right: &right[..n_cuts],
    };
    // Score all cuts, then take the best of the candidates.
    let scores = &mut scores[..n_cuts];
    let error = (scoring.scores)(&cuts, scores);
    let largest = running::largest(Level::active(), &[candidates], scores);
    let mut score_exactly = |j: usize, criterion: &dyn Criterion| {
        let mut left = [0; ROWS];
        scan.classes().take(j + 1).for_each(|class| left[class] += 1);
        exact.score(criterion, &left, &facts.sizes.0.map(u32::from), context)
    };
    let at = |j: usize| j as u32 + 1;
    sink.estimated(
        scan.feature,
        CutEstimates { at: &at, scores, largest, error, exact: &mut score_exactly },
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::data::{entry_row, entry_tied};

    /// The facts of a node; `codes` are the classes of its rows.
    pub fn facts(codes: &[u16]) -> OrderFacts {
        let mut occurring = codes.to_vec();
        occurring.sort_unstable();
        occurring.dedup();
        let mut facts = OrderFacts { len: codes.len(), ..OrderFacts::default() };
        for (row, code) in codes.iter().enumerate() {
            let class = occurring.partition_point(|c| c < code);
            facts.class_of.0[row] = class as u8;
            facts.sizes.0[class] += 1;
            facts.present |= 1 << class;
        }
        facts
    }

    /// An order as bytes, and its tied entries as bits.
    pub fn bytes(order: &[u32]) -> (Bytes, u64) {
        let (mut bytes, mut tied) = (Bytes::default(), 0);
        for (i, &entry) in order.iter().enumerate() {
            bytes.0[i] = entry_row(entry) as u8;
            tied |= u64::from(entry_tied(entry)) << i;
        }
        (bytes, tied)
    }
}

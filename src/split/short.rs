//! Thresholds of a node of at most 64 rows of weight 1, from orders of one byte per entry.
//!
//! For criteria that are scored from running sums; the scores equal those of `running`. All cuts of
//! a feature are summed and scored at once, and the set of those that are thresholds is one word of
//! 64 bits. Where sums are not exact, candidates that may be best are scored again from their
//! tables. About 40 ns per feature with AVX-512.
//!
//! Cut `j` has the entries `0..=j` of the order on its left.

use super::sink::{Estimates, Sink};
use crate::criteria::{Context, Criterion, Cuts, LeftRows, RunningScores, Tables, Term};
use crate::error::Result;
use crate::reached::{self, Way};
use crate::simd::short::{self as simd, Bytes, CutNumbers, OrderFacts, ROWS};
use crate::simd::{Level, running};

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
    /// Rows before each entry that have its class.
    rank: Bytes,
    /// Rows of the node that have the class of each entry.
    size: Bytes,
    /// The counts of one table.
    cells: Vec<u32>,
    /// Its class totals.
    totals: Vec<u32>,
}

impl Default for ShortScratch {
    fn default() -> Self {
        Self {
            left: [0.0; ROWS],
            right: [0.0; ROWS],
            scores: [0.0; ROWS],
            rank: Bytes::default(),
            size: Bytes::default(),
            cells: Vec::new(),
            totals: Vec::new(),
        }
    }
}

impl ShortScan<'_> {
    /// The cuts that are candidates, as bits; `changes` are those between rows of two classes.
    fn candidates(&self, changes: u64) -> u64 {
        let (least, len) = (self.min_rows, self.facts.len);
        if 2 * least > len {
            return 0;
        }
        let (first, last) = (least - 1, len - least - 1);
        let within = u64::MAX >> (63 - last) & u64::MAX << first;
        // The ends of the admissible range are candidates even inside a run of one class.
        let ends = if first > 0 { 1 << first | 1 << last } else { 0 };
        let all = if self.convex { 0 } else { u64::MAX };
        // Cuts beside a value that several rows share, before it and behind it.
        let beside_ties = self.tied | self.tied >> 2;
        let inside_ties = self.tied >> 1;
        within & (changes | beside_ties | ends | all) & !inside_ties
    }

    /// Class counts of both sides of a cut.
    fn table(&self, cut: usize, cells: &mut Vec<u32>, totals: &mut Vec<u32>) {
        let mut left = [0; ROWS];
        for &row in &self.order.0[..=cut] {
            left[usize::from(self.facts.class_of.0[usize::from(row)])] += 1;
        }
        let present = || (0..ROWS).filter(|c| self.facts.present >> c & 1 == 1);
        let size = |c: usize| u32::from(self.facts.sizes.0[c]);
        totals.clear();
        totals.extend(present().map(size));
        cells.clear();
        cells.extend(present().map(|c| left[c]));
        cells.extend(present().map(|c| size(c) - left[c]));
    }
}

/// Score the thresholds of one feature.
pub fn score_candidates(
    scan: &ShortScan<'_>,
    context: &Context,
    how: RunningScores,
    scratch: &mut ShortScratch,
    sink: &mut dyn Sink,
) -> Result<()> {
    let (level, facts) = (Level::active(), scan.facts);
    let ShortScratch { left, right, scores, rank, size, cells, totals } = scratch;
    // Sums of all cuts.
    let (changes, whole) = match how.term {
        Term::Squares => {
            reached::count(Way::ShortSquares);
            let changes = simd::squares(level, scan.order, facts, left, right);
            (changes, f64::from(facts.squares))
        }
        Term::XLog2X => {
            let changes = simd::ranks(level, scan.order, facts, rank, size);
            (changes, sum_logarithms(context, facts, rank, size, left, right))
        }
    };
    let candidates = scan.candidates(changes);
    if candidates == 0 {
        return Ok(());
    }
    let n = facts.len - 1;
    let cuts = Cuts {
        n: facts.len as u32,
        whole,
        classes: facts.present.count_ones() as usize,
        logs: context.logs,
        rows: LeftRows::From(1),
        left: &left[..n],
        right: &right[..n],
    };
    // Scores of all cuts, then the best of those that are candidates.
    let scores = &mut scores[..n];
    let error = (how.scores)(&cuts, scores);
    let largest = running::largest(level, &[candidates], scores);
    let mut exact = |j: usize, criterion: &dyn Criterion| {
        scan.table(j, cells, totals);
        criterion.score_of(&Tables::one(cells, totals, &[2], context))
    };
    let at = |j: usize| j as u32 + 1;
    sink.estimated(scan.feature, Estimates { at: &at, scores, largest, error, exact: &mut exact })
}

/// Write the sums of `x log2 x` over the classes on both sides of each cut; returns that of the
/// whole node. `rank` and `size` are as in [`ShortScratch`].
fn sum_logarithms(
    context: &Context,
    facts: &OrderFacts,
    rank: &Bytes,
    size: &Bytes,
    left: &mut CutNumbers,
    right: &mut CutNumbers,
) -> f64 {
    reached::count(Way::ShortLogarithms);
    let table = context.logs.x_log2_x_table();
    let sizes = facts.sizes.0.iter().filter(|s| **s > 0);
    let whole: f64 = sizes.map(|&size| table[usize::from(size)]).sum();
    let (mut on_left, mut on_right) = (0.0, whole);
    let entries = rank.0.iter().zip(&size.0).take(facts.len);
    for ((&rank, &size), (left, right)) in entries.zip(left.iter_mut().zip(right)) {
        // Rows of the entry's class on each side before the entry passes from right to left.
        let (l, r) = (usize::from(rank), usize::from(size - rank));
        on_left += table[l + 1] - table[l];
        on_right -= table[r] - table[r - 1];
        (*left, *right) = (on_left, on_right);
    }
    whole
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
        facts.squares = facts.sizes.0.iter().map(|&n| u32::from(n) * u32::from(n)).sum();
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

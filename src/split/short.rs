//! Thresholds of a node of at most 64 rows of weight 1, from orders of one byte per entry.
//!
//! For criteria that are scored from sums of squares, which are exact; the scores equal those of
//! `running`. All cuts of a feature are summed and scored at once, and the set of those that are
//! thresholds is one word of 64 bits. About 40 ns per feature with AVX-512. Sums of logarithms on
//! such orders were 1.1 times as quick as `running`: too little for code of their own.
//!
//! Cut `j` has the entries `0..=j` of the order on its left.

use super::sink::{Estimates, Sink};
use crate::criteria::{Context, Criterion, Cuts, LeftRows, RunningScores};
use crate::error::{Error, Result};
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
}

impl Default for ShortScratch {
    fn default() -> Self {
        Self { left: [0.0; ROWS], right: [0.0; ROWS], scores: [0.0; ROWS] }
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
    let ShortScratch { left, right, scores } = scratch;
    reached::count(Way::ShortSquares);
    let changes = simd::squares(level, scan.order, facts, left, right);
    let candidates = scan.candidates(changes);
    if candidates == 0 {
        return Ok(());
    }
    let n = facts.len - 1;
    let cuts = Cuts {
        n: facts.len as u32,
        whole: f64::from(facts.squares),
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
    let mut exact = |_, _: &dyn Criterion| Err(Error::Internal("sums of squares are exact".into()));
    let at = |j: usize| j as u32 + 1;
    sink.estimated(scan.feature, Estimates { at: &at, scores, largest, error, exact: &mut exact })
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

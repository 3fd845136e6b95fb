//! Thresholds among rows of weight 1 and several classes, scored from running sums over the
//! classes: a scan of [`threshold`](super::threshold).
//!
//! The scan keeps the rows of each class on the left of the current place, and per side a sum over
//! the classes; a row that passes to the left changes one term of each ([`crate::criteria::Term`]).
//! All places of a block are scored, and those that are no thresholds get the score negative
//! infinity. Where sums are not exact, candidates that may be best are scored again from their
//! tables, which hold only the classes of the node. O(rows + classes) per feature and node.
//!
//! The scan is not meant for few classes, where counts are quicker, and does not serve weights or
//! criteria that need more than such sums ([`RunningScores`]).

use super::block::{PlaceRange, PlaceSums, Running};
use super::scan::{ClassOf, Scan};
use super::sink::{CutEstimates, Sink};
use crate::criteria::{Context, Criterion, Cuts, LeftRows, RunningScores, Term};
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::reached::{self, Way};
use crate::simd::Level;
use crate::simd::running::{self as simd, BLOCK, CLASSES, ClassSizes};
use crate::stats::RowCopies;

/// The sums over the classes of both sides, which change as rows pass to the left.
trait ClassWalk {
    /// Pass rows of these classes to the left, and write the sums of both sides after each row.
    fn pass(
        &mut self,
        classes: &[u16],
        sizes: &mut ClassSizes<'_>,
        left: &mut [f64; BLOCK],
        right: &mut [f64; BLOCK],
    );
    /// The sum of the whole node.
    fn whole_sum(&self) -> f64;
}

impl ClassWalk for simd::Squares {
    #[inline(always)]
    fn pass(
        &mut self,
        classes: &[u16],
        sizes: &mut ClassSizes<'_>,
        left: &mut [f64; BLOCK],
        right: &mut [f64; BLOCK],
    ) {
        simd::squares(Level::active(), classes, sizes, self, left, right);
    }

    fn whole_sum(&self) -> f64 {
        self.whole as f64
    }
}

/// Sums of `x log2 x`.
struct Logarithms {
    /// `x log2 x` by x; its length is a power of two.
    table: &'static [f64],
    /// The sum of the whole node.
    whole: f64,
    /// The sums of both sides after the last row that passed.
    left: f64,
    right: f64,
}

impl Logarithms {
    /// The sums before the first row passes; `all` are the rows of each class in the node.
    fn new(all: &[u32], table: &'static [f64]) -> Self {
        let whole = all.iter().map(|&rows| table[rows as usize]).sum();
        Self { table, whole, left: 0.0, right: whole }
    }
}

impl ClassWalk for Logarithms {
    #[inline(always)]
    fn pass(
        &mut self,
        classes: &[u16],
        sizes: &mut ClassSizes<'_>,
        left: &mut [f64; BLOCK],
        right: &mut [f64; BLOCK],
    ) {
        // Counts are below the length, so the mask changes none; it spares a bounds check.
        let mask = self.table.len() - 1;
        let term = |count: u32| self.table[count as usize & mask];
        let (mut on_left, mut on_right) = (self.left, self.right);
        for ((&class, left), right) in classes.iter().zip(left).zip(right) {
            let class = usize::from(class);
            let rows_left = &mut sizes.left[class];
            let rows_right = sizes.all[class] - *rows_left;
            on_left += term(*rows_left + 1) - term(*rows_left);
            on_right -= term(rows_right) - term(rows_right - 1);
            *rows_left += 1;
            (*left, *right) = (on_left, on_right);
        }
        (self.left, self.right) = (on_left, on_right);
    }

    fn whole_sum(&self) -> f64 {
        self.whole
    }
}

/// Score the thresholds at some places of one feature, whose value is known in every row, as
/// `scoring` says. The sink gets estimates, and asks for the exact scores that it needs.
///
/// # Errors
/// Any error of the sink.
pub(super) fn score_candidates(
    scan: &Scan<'_, RowCopies<'_>>,
    places: PlaceRange,
    context: &Context,
    scoring: RunningScores,
    running: &mut Running,
    sink: &mut dyn Sink,
) -> Result<()> {
    let Running { left, all, .. } = running;
    all.clear();
    all.extend_from_slice(scan.known);
    all.resize(all.len().max(CLASSES), 0);
    left.clear();
    left.resize(all.len(), 0);
    reached::count(Way::Running);
    let walk = RunningWalk { scan, context, scoring, places };
    match scoring.term {
        Term::Squares => {
            let whole = all.iter().map(|&rows| i64::from(rows) * i64::from(rows)).sum();
            walk.pass_rows(simd::Squares { whole, ..Default::default() }, running, sink)
        }
        Term::XLog2X => {
            let table = context.logs.x_log2_x_table();
            walk.pass_rows(Logarithms::new(all, table), running, sink)
        }
    }
}

/// A walk over the places of one feature.
struct RunningWalk<'s, 'a, 'w> {
    scan: &'s Scan<'a, RowCopies<'w>>,
    context: &'s Context,
    /// How cuts are scored from sums.
    scoring: RunningScores,
    /// The places that may be thresholds.
    places: PlaceRange,
}

impl RunningWalk<'_, '_, '_> {
    /// Pass all rows to the left, block by block, and score the places of each block.
    fn pass_rows<S: ClassWalk>(
        &self,
        mut sums: S,
        running: &mut Running,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let PlaceRange { first, last } = self.places;
        let (order, ClassOf { codes, starts }) = (self.scan.order, self.scan.class_of);
        let mut start = 1;
        while start <= last {
            // Rows before the first place pass in blocks of their own.
            let end = if start < first { first } else { last + 1 };
            let stop = end.min(start + BLOCK);
            // Sums of squares are exact: no table is asked for.
            if self.scoring.term != Term::Squares {
                running.before.clone_from(&running.left);
            }
            let Running { left: on_left, all, block, .. } = &mut *running;
            let PlaceSums { class, left, right, .. } = &mut **block;
            simd::classes(Level::active(), &order[start - 1..stop], starts, codes, class);
            let mut sizes = ClassSizes { left: on_left, all };
            sums.pass(&class[..stop - start], &mut sizes, left, right);
            if start >= first {
                self.score_block(start, stop, sums.whole_sum(), running, sink)?;
            }
            start = stop;
        }
        Ok(())
    }

    /// Score the places `start..stop` of a block, and give the places that are thresholds to the
    /// sink.
    fn score_block(
        &self,
        start: usize,
        stop: usize,
        whole: f64,
        running: &mut Running,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let (order, codes) = (self.scan.order, self.scan.class_of.codes);
        let Running { before, all, block, table, .. } = running;
        let PlaceSums { class, left, right, scores } = &mut **block;
        let len = stop - start;
        let cuts = Cuts {
            n: order.len() as u32,
            whole,
            classes: self.scan.known.len().min(order.len()),
            logs: self.context.logs,
            rows: LeftRows::From(start as u32),
            left: &left[..len],
            right: &right[..len],
        };
        if self.scoring.bound.is_some_and(|bound| bound(&cuts) < sink.floor()) {
            return Ok(());
        }
        let scores = &mut scores[..len];
        let error = (self.scoring.scores)(&cuts, scores);
        let largest = self.keep_thresholds(start, &class[..=len], scores);
        // The exact score of place `start + j`, from its table: the class counts before the block
        // are brought forward to it.
        let mut passed = start - 1;
        let mut exact = |j: usize, criterion: &dyn Criterion| {
            for &entry in &order[passed..start + j] {
                before[usize::from(codes[entry_row(entry) as usize])] += 1;
            }
            passed = start + j;
            table.score(criterion, before, all, self.context)
        };
        let at = |j: usize| (start + j) as u32;
        sink.estimated(
            self.scan.feature,
            CutEstimates { at: &at, scores, largest, error, exact: &mut exact },
        )
    }

    /// Set the score of places that are no thresholds to negative infinity; returns the largest
    /// score that is left.
    fn keep_thresholds(&self, start: usize, class: &[u16], scores: &mut [f64]) -> f64 {
        let (PlaceRange { first, last }, order) = (self.places, self.scan.order);
        let level = Level::active();
        let mut cuts =
            simd::thresholds(level, !self.scan.convex, &order[start - 1..], class, scores.len());
        // The ends of the admissible range are candidates even inside a run of one class.
        for end in [first, last] {
            let is_inside = (start..start + scores.len()).contains(&end);
            if first > 1 && is_inside && entry_tied(order[end]) == 0 {
                cuts[(end - start) / 64] |= 1 << ((end - start) % 64);
            }
        }
        simd::largest(level, &cuts, scores)
    }
}

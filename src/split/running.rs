//! Thresholds of unit rows of several classes, scored from running sums over the classes.
//!
//! A scan keeps the rows of each class on the left of the place it is at, and a sum over the
//! classes for each side; a row changes one term of each ([`crate::criteria::Term`]). All places of
//! a block are scored, and those that are no thresholds ([`threshold`](super::threshold) says
//! which) left out. Where sums are not exact, what may be best is scored again from its table,
//! which holds only the classes of the node. O(rows + classes) a feature and node.
//!
//! When not to use it: two classes, where listing counts is quicker; criteria that read more than
//! such sums; weights.

use super::block::{PlaceSums, Running};
use super::scan::{ClassOf, Scan};
use super::sink::{Estimates, Sink};
use crate::criteria::{Context, Criterion, Cuts, LeftRows, RunningScores, Tables, Term};
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::reached::{self, Way};
use crate::simd::Level;
use crate::simd::running::{self as simd, BLOCK, CLASSES, ClassSizes};
use crate::stats::{Sum, Weighing};

/// Sums over the classes that rows change as they pass to the left.
trait ClassWalk {
    /// Let rows of these classes pass, and write both sums after each.
    fn pass(
        &mut self,
        rows: &[u16],
        sizes: &mut ClassSizes<'_>,
        left: &mut [f64; BLOCK],
        right: &mut [f64; BLOCK],
    );
    /// The sum of the whole node.
    fn whole(&self) -> f64;
}

impl ClassWalk for simd::Squares {
    #[inline(always)]
    fn pass(
        &mut self,
        rows: &[u16],
        sizes: &mut ClassSizes<'_>,
        left: &mut [f64; BLOCK],
        right: &mut [f64; BLOCK],
    ) {
        simd::squares(Level::active(), rows, sizes, self, left, right);
    }

    fn whole(&self) -> f64 {
        self.whole as f64
    }
}

/// Sums of `x log2 x`, from a table whose length is a power of two.
struct Logarithms {
    table: &'static [f64],
    whole: f64,
    left: f64,
    right: f64,
}

impl Logarithms {
    fn new(all: &[u32], table: &'static [f64]) -> Self {
        let whole = all.iter().map(|&n| table[n as usize]).sum();
        Self { table, whole, left: 0.0, right: whole }
    }
}

impl ClassWalk for Logarithms {
    #[inline(always)]
    fn pass(
        &mut self,
        rows: &[u16],
        sizes: &mut ClassSizes<'_>,
        left: &mut [f64; BLOCK],
        right: &mut [f64; BLOCK],
    ) {
        // The mask changes no count, but it spares a comparison for each look-up.
        let mask = self.table.len() - 1;
        let at = |count: u32| self.table[count as usize & mask];
        let (mut on_left, mut on_right) = (self.left, self.right);
        for ((&class, left), right) in rows.iter().zip(left).zip(right) {
            let class = usize::from(class);
            let l = &mut sizes.left[class];
            let r = sizes.all[class] - *l;
            on_left += at(*l + 1) - at(*l);
            on_right -= at(r) - at(r - 1);
            *l += 1;
            (*left, *right) = (on_left, on_right);
        }
        (self.left, self.right) = (on_left, on_right);
    }

    fn whole(&self) -> f64 {
        self.whole
    }
}

/// Score the thresholds at the places `first..=last` of one feature, known in every row.
pub(super) fn score_candidates<W: Weighing>(
    scan: &Scan<'_, W>,
    places: (usize, usize),
    context: &Context,
    how: RunningScores,
    running: &mut Running,
    sink: &mut dyn Sink,
) -> Result<()> {
    let Running { left, all, .. } = running;
    all.clear();
    all.extend(scan.known.iter().map(|n| n.units() as u32));
    all.resize(all.len().max(CLASSES), 0);
    left.clear();
    left.resize(all.len(), 0);
    let found = RunningWalk { scan, context, how, places };
    match how.term {
        Term::Squares => {
            reached::count(Way::RunningSquares);
            let whole = all.iter().map(|&n| i64::from(n) * i64::from(n)).sum();
            found.walk(simd::Squares { whole, ..Default::default() }, running, sink)
        }
        Term::XLog2X => {
            reached::count(Way::RunningLogarithms);
            let table = context.logs.x_log2_x_table();
            found.walk(Logarithms::new(all, table), running, sink)
        }
    }
}

/// What is walked through, and how it is scored.
struct RunningWalk<'s, 'a, W: Weighing> {
    scan: &'s Scan<'a, W>,
    context: &'s Context,
    how: RunningScores,
    places: (usize, usize),
}

impl<W: Weighing> RunningWalk<'_, '_, W> {
    fn walk<S: ClassWalk>(
        &self,
        mut sums: S,
        running: &mut Running,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let (first, last) = self.places;
        let (order, ClassOf { codes, starts }) = (self.scan.order, self.scan.class_of);
        let mut start = 1;
        while start <= last {
            // Rows before the first place pass in blocks of their own.
            let end = if start < first { first } else { last + 1 };
            let stop = end.min(start + BLOCK);
            if self.how.term != Term::Squares {
                running.before.clone_from(&running.left);
            }
            let Running { left: on_left, all, block, .. } = &mut *running;
            let PlaceSums { class, left, right, .. } = &mut **block;
            simd::classes(Level::active(), &order[start - 1..stop], starts, codes, class);
            let mut sizes = ClassSizes { left: on_left, all };
            sums.pass(&class[..stop - start], &mut sizes, left, right);
            if start >= first {
                self.settle((start, stop), sums.whole(), running, sink)?;
            }
            start = stop;
        }
        Ok(())
    }

    /// Score the places of a block and hand on those that are thresholds.
    fn settle(
        &self,
        (start, stop): (usize, usize),
        whole: f64,
        running: &mut Running,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let (order, codes) = (self.scan.order, self.scan.class_of.codes);
        let Running { before, all, block, cells, totals, .. } = running;
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
        if self.how.bound.is_some_and(|bound| bound(&cuts) < sink.floor()) {
            reached::count(Way::RunningBelow);
            return Ok(());
        }
        let scores = &mut scores[..len];
        let error = (self.how.scores)(&cuts, scores);
        let largest = self.leave_out(start, &class[..=len], scores);
        let mut passed = start - 1;
        let mut exact = |j: usize, criterion: &dyn Criterion| {
            for &entry in &order[passed..start + j] {
                before[usize::from(codes[entry_row(entry) as usize])] += 1;
            }
            passed = start + j;
            let occurring = before.iter().zip(&*all).filter(|(_, n)| **n > 0);
            totals.clear();
            totals.extend(occurring.clone().map(|(_, n)| n));
            cells.clear();
            cells.extend(occurring.clone().map(|(l, _)| l));
            cells.extend(occurring.map(|(l, n)| n - l));
            criterion.score_of(&Tables::one(cells, totals, &[2], self.context))
        };
        let at = |j: usize| (start + j) as u32;
        sink.estimated(
            self.scan.feature,
            Estimates { at: &at, scores, largest, error, exact: &mut exact },
        )
    }

    /// Negative infinity where a place is no threshold; returns the largest score.
    fn leave_out(&self, start: usize, class: &[u16], scores: &mut [f64]) -> f64 {
        let ((first, last), order, level) = (self.places, self.scan.order, Level::active());
        let mut cuts =
            simd::thresholds(level, !self.scan.convex, &order[start - 1..], class, scores.len());
        // The ends of an admissible range are candidates even inside a run of one class.
        for end in [first, last] {
            let inside = (start..start + scores.len()).contains(&end);
            if first > 1 && inside && entry_tied(order[end]) == 0 {
                cuts[(end - start) / 64] |= 1 << ((end - start) % 64);
            }
        }
        simd::largest(level, &cuts, scores)
    }
}

//! Thresholds on a numeric feature: every boundary between two different values of a node.
//!
//! The node's rows come in ascending order (see [`crate::data`]); a scan keeps the class counts on
//! the left and writes a candidate at each boundary, without a branch. For convex criteria only
//! boundaries at which the class changes are kept (Fayyad & Irani 1992: no other can be best), with
//! values that several rows share kept as well, so that no group has to be looked at twice. Beside
//! a third branch of rows without a value the first and the last threshold are kept, too: there the
//! ends of the data, which are no thresholds, may score high. O(rows) a feature and node, plus the
//! formula.

use super::block::{BLOCK, BlockScratch};
use super::scan::{Range, flush};
use super::sink::Sink;
use super::{running, weighed};
use crate::criteria::Context;
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::reached::{self, Way};
use crate::simd::Level;
use crate::simd::columns::{MOST_CLASSES, SLACK, Tails, Wanted, boundaries};
use crate::stats::{CellOf, Sum, Weighing};

pub use super::scan::{ClassOf, Scan};

/// Fewer classes are counted more quickly than sums over them are kept.
pub const SEVERAL_CLASSES: usize = 4;

/// Score all thresholds of one feature.
pub fn score_candidates<W: Weighing>(
    scan: &Scan<'_, W>,
    context: &Context,
    scratch: &mut BlockScratch<CellOf<W>>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let n = scan.order.len();
    if n < 2 {
        return Ok(());
    }
    let branches = if scan.known == scan.totals { 2 } else { 3 };
    // Positions: `i` rows on the left. Row limits bound them at once where positions are rows,
    // weight limits where rows are weights.
    let rows = if W::UNIT || !W::COPIES { (scan.min.rows as usize).max(1) } else { 1 };
    let first = if W::UNIT { rows.max(scan.min.weight.ceil() as usize) } else { rows };
    let last = n - first.min(n);
    if first > last {
        return Ok(());
    }
    if W::UNIT && branches == 2 && context.classes >= SEVERAL_CLASSES {
        let how = sink.running_scores().filter(|how| how.holds(n, context.logs));
        if let Some(how) = how {
            let running = &mut scratch.running;
            return running::score_candidates(scan, (first, last), context, how, running, sink);
        }
    }
    scratch.prepare_cuts((scan.known, scan.totals), scan.weights.unit(), n);
    // Beside a third branch known rows of one class score alike wherever they are cut: the first
    // must be found.
    let several = || scan.known.iter().filter(|s| !s.is_empty()).count() > 1;
    let scan = &Scan { convex: scan.convex && (branches == 2 || several()), ..*scan };
    let few = (2..=MOST_CLASSES).contains(&context.classes);
    if W::UNIT && few {
        reached::count(match (branches, scan.convex) {
            (3, _) => Way::WalkCountedMissing,
            (_, true) => Way::WalkCounted,
            (_, false) => Way::WalkCountedAll,
        });
        counted_rows(scan, first, last, context, branches, scratch, sink)
    } else if let Some(weights) = scan.weights.fixed().filter(|_| few) {
        reached::count(if branches == 2 { Way::WalkWeighed } else { Way::WalkWeighedMissing });
        weighed::score_candidates((scan, weights), (first, last), context, branches, scratch, sink)
    } else {
        reached::count(if branches == 2 { Way::WalkAny } else { Way::WalkAnyMissing });
        any_classes(scan, first, last, context, branches, scratch, sink)
    }
}

/// 1 when per candidate lies between entries `i - 1` and `i`.
#[inline]
fn boundary(order: &[u32], i: usize, class_changes: u32, convex: bool) -> u32 {
    let here = entry_tied(order[i]) ^ 1;
    if !convex {
        return here;
    }
    let shared = entry_tied(order[i - 1]) | order.get(i + 1).map_or(0, |&e| entry_tied(e));
    here & (class_changes | shared)
}

/// Unit weights: the kernel lists places and, for each class, the rows of it and later ones on the
/// left; the rest is subtraction.
fn counted_rows<W: Weighing>(
    scan: &Scan<'_, W>,
    first: usize,
    last: usize,
    context: &Context,
    branches: usize,
    scratch: &mut BlockScratch<CellOf<W>>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let (order, starts, k) = (scan.order, scan.class_of.starts, context.classes);
    let (level, unit, stride) = (Level::active(), scan.weights.unit(), scratch.stride);
    let room = stride + SLACK;
    if scratch.tails.len() < (k - 1) * room {
        scratch.tails.resize((k - 1) * room, 0);
    }
    let mut before = [0_u32; MOST_CLASSES];
    let before = &mut before[..k - 1];
    for &entry in &order[..first - 1] {
        for (count, &start) in before.iter_mut().zip(starts) {
            *count += u32::from(entry_row(entry) >= start);
        }
    }
    let range = Range { ends: (first > 1 || branches == 3).then_some((first, last)), stride };
    range.walk(
        std::iter::once((first, last)),
        scratch,
        |scratch, places, end, held| {
            let wanted = Wanted { starts, convex: scan.convex && !end };
            let tails = Tails { planes: &mut scratch.tails, stride: room, from: held };
            let places = places.0..places.1;
            boundaries(level, order, places, wanted, before, &mut scratch.at[held..], tails)
        },
        |scratch, held| {
            for c in 0..k {
                let known = scan.known[c];
                let (left, right) = scratch.cells.split_at_mut(k * stride);
                let (left, right) =
                    (&mut left[c * stride..][..held], &mut right[c * stride..][..held]);
                let from = if c == 0 {
                    &scratch.at[..held]
                } else {
                    &scratch.tails[(c - 1) * room..][..held]
                };
                let set = |left: &mut _, right: &mut _, rows: u32| {
                    let rows = W::Sum::from_rows(rows);
                    *left = rows.cell(unit);
                    *right = known.minus(rows).cell(unit);
                };
                let cells = left.iter_mut().zip(right);
                if c + 1 < k {
                    let later = &scratch.tails[c * room..][..held];
                    cells.zip(from.iter().zip(later)).for_each(|((l, r), (a, b))| set(l, r, a - b));
                } else {
                    cells.zip(from).for_each(|((l, r), a)| set(l, r, *a));
                }
            }
            flush(scan.feature, held, context, branches, scratch, sink)
        },
    )
}

fn any_classes<W: Weighing>(
    scan: &Scan<'_, W>,
    first: usize,
    last: usize,
    context: &Context,
    branches: usize,
    scratch: &mut BlockScratch<CellOf<W>>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let (order, k, unit) = (scan.order, context.classes, scan.weights.unit());
    let class = |i: usize| scan.class_of.codes[entry_row(order[i]) as usize];
    let limited = scan.min.weight > 0.0 || (W::COPIES && !W::UNIT && scan.min.rows > 1);
    let least =
        if W::COPIES { scan.min.weight.max(f64::from(scan.min.rows)) } else { scan.min.weight };
    let (first, last) =
        if limited { heavy_enough(scan, least, first, last) } else { (first, last) };
    let mut left = vec![W::Sum::default(); k];
    for i in 0..first - 1 {
        let c = class(i) as usize;
        left[c] = left[c].plus(scan.weights.of(entry_row(order[i])));
    }
    let mut held = 0;
    for i in first..=last {
        let (c, next) = (class(i - 1), class(i));
        left[c as usize] = left[c as usize].plus(scan.weights.of(entry_row(order[i - 1])));
        // The ends of the admissible range are candidates even inside a run of one class.
        let end = (limited || first > 1 || branches == 3) && (i == first || i == last);
        if boundary(order, i, u32::from(c != next), scan.convex && !end) == 0 {
            continue;
        }
        let stride = scratch.stride;
        for c in 0..k {
            scratch.cells[c * stride + held] = left[c].cell(unit);
            scratch.cells[(k + c) * stride + held] = scan.known[c].minus(left[c]).cell(unit);
        }
        scratch.at[held] = i as u32;
        held += 1;
        if held == stride.min(BLOCK) {
            flush(scan.feature, held, context, branches, scratch, sink)?;
            held = 0;
        }
    }
    flush(scan.feature, held, context, branches, scratch, sink)
}

/// The positions `first..=last` at which both sides weigh at least `least` (none: `last < first`).
fn heavy_enough<W: Weighing>(
    scan: &Scan<'_, W>,
    least: f64,
    mut first: usize,
    mut last: usize,
) -> (usize, usize) {
    let unit = scan.weights.unit();
    let least = W::Sum::at_least(least, unit);
    let weight = |i: usize| scan.weights.of(entry_row(scan.order[i]));
    let mut left = (0..first).fold(W::Sum::default(), |s, i| s.plus(weight(i)));
    while left < least && first <= last {
        left = left.plus(weight(first));
        first += 1;
    }
    let mut right = (last..scan.order.len()).fold(W::Sum::default(), |s, i| s.plus(weight(i)));
    while right < least && first <= last {
        last -= 1;
        right = right.plus(weight(last));
    }
    (first, last)
}

//! Thresholds among rows with fixed-point weights.
//!
//! The kernel lists boundaries with the weight on their left, class by class; the rest is
//! subtraction. Where the sums left of every [`STEP`]-th entry are known, two classes are counted
//! and the criterion is convex, most places are not looked at: of the places between two such
//! entries the weights `(x, y)` of the classes on the left lie in a box, and a score that is
//! quasi-convex along both axes is largest at a corner of it. It is 0, the least, where both sides
//! have the same shares of the classes; above that diagonal it rises with `y` and falls with `x`,
//! below it is the other way round. So the corners (low, high) and (high, low) bound all candidates
//! of the box. Boxes whose bound stays below a score that is certain to be reached (the best
//! candidate in the box with the largest bound, or that of an earlier feature) are left out. Scores
//! there are the criterion's quick ones, whose error is known; what is left is scored as always, so
//! the result is the same to the last bit.
//!
//! O(rows / STEP) scores per feature and node, and the candidates of the boxes that remain.

use super::block::BlockScratch;
use super::scan::{Range, Scan, flush};
use super::sink::Sink;
use crate::criteria::{Context, Tables};
use crate::data::entry_row;
use crate::error::Result;
use crate::numeric::Count;
use crate::reached::{self, Way};
use crate::simd::Level;
use crate::simd::columns::{
    MOST_CLASSES, PlaneSums, SLACK, STEP, Wanted, weighed_boundaries, weighed_sums,
};
use crate::stats::{CellOf, Sum, Weighing};

/// Fewer places than this are not worth a bound.
const FEW_PLACES: usize = 2 * STEP;

/// What does not change during a scan.
struct WeighedScan<'s, 'a, W: Weighing> {
    scan: &'s Scan<'a, W>,
    weights: &'a [i64],
    context: &'s Context,
    ends: Option<(usize, usize)>,
}

/// Where the kernel stands: the place it would look at next, and the weight left of the entry
/// before that.
struct Standing {
    next: usize,
    before: [i64; MOST_CLASSES],
}

/// Score the thresholds at `first..=last`.
pub(super) fn score_candidates<W: Weighing>(
    (scan, weights): (&Scan<'_, W>, &[i64]),
    (mut first, mut last): (usize, usize),
    context: &Context,
    branches: usize,
    scratch: &mut BlockScratch<CellOf<W>>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let mut weighed = WeighedScan { scan, weights, context, ends: None };
    if scan.min.weight > 0.0 {
        let known = scan.known.iter().map(|s| s.units()).sum();
        let least = W::Sum::at_least(scan.min.weight, scan.weights.unit()).units();
        let (lowest, highest) =
            heavy_enough((scan.order, weights, scan.steps), known, least, context.classes);
        (first, last) = (first.max(lowest), last.min(highest));
    }
    if first > last {
        return Ok(());
    }
    // The ends of the admissible range are candidates even inside a run of one class.
    weighed.ends = (scan.min.weight > 0.0 || first > 1 || branches == 3).then_some((first, last));
    let room = scratch.stride + SLACK;
    if scratch.sums.len() < context.classes * room {
        scratch.sums.resize(context.classes * room, 0);
    }
    let mut runs = std::mem::take(&mut scratch.runs);
    runs.clear();
    runs.push((first, last));
    let bounded = branches == 2 && context.classes == 2 && scan.convex && !scan.steps.is_empty();
    if bounded && sink.wants_best() && last - first >= FEW_PLACES {
        weighed.promising(&mut runs, scratch, sink)?;
    }
    let done = weighed.walk(&runs, scratch, |scratch, held| {
        weighed.subtract(held, scratch);
        flush(scan.feature, held, context, branches, scratch, sink)
    });
    scratch.runs = runs;
    done
}

/// The first place with at least `least` weight on its left, and the last with as much on its right
/// (none: below the first). Rows with a `known` value have their order, weights and perhaps steps
/// of `planes` planes.
pub(super) fn heavy_enough(
    (order, weights, steps): (&[u32], &[i64], &[i64]),
    known: i64,
    least: i64,
    planes: usize,
) -> (usize, usize) {
    let most = known - least;
    let steps = &steps[..steps.len() / planes];
    let weight = |i: usize| weights[entry_row(order[i]) as usize];
    let from = |enough: &dyn Fn(i64) -> bool| {
        let step = steps.partition_point(|&s| !enough(s)).saturating_sub(1);
        (step * STEP, steps.get(step).copied().unwrap_or(0))
    };
    let (mut first, mut left) = from(&|s| s >= least);
    while left < least && first < order.len() {
        left += weight(first);
        first += 1;
    }
    let (mut last, mut left) = from(&|s| s > most);
    while last < order.len() && left + weight(last) <= most {
        left += weight(last);
        last += 1;
    }
    (first, if left <= most { last } else { 0 })
}

impl<W: Weighing> WeighedScan<'_, '_, W> {
    /// Weight left of a place: of all rows, then for each start of those of this class or a later
    /// one.
    fn left_of(&self, place: usize, out: &mut [i64]) {
        let Scan { order, steps, class_of, .. } = *self.scan;
        let step = if steps.is_empty() { 0 } else { place / STEP };
        weighed_sums(
            Level::active(),
            &order[step * STEP..place],
            self.weights,
            class_of.starts,
            out,
        );
        let stride = steps.len() / out.len();
        out.iter_mut()
            .enumerate()
            .for_each(|(c, o)| *o += steps.get(c * stride + step).unwrap_or(&0));
    }

    /// List the boundaries in runs of places, blocks of which go to `flush`.
    fn walk(
        &self,
        runs: &[(usize, usize)],
        scratch: &mut BlockScratch<CellOf<W>>,
        flush: impl FnMut(&mut BlockScratch<CellOf<W>>, usize) -> Result<()>,
    ) -> Result<()> {
        let Scan { order, class_of, convex, .. } = *self.scan;
        let (stride, k) = (scratch.stride, self.context.classes);
        let mut standing = Standing { next: 0, before: [0; MOST_CLASSES] };
        let range = Range { ends: self.ends, stride };
        range.walk(
            runs.iter().copied(),
            scratch,
            |scratch, places, end, held| {
                let before = &mut standing.before[..k];
                if standing.next != places.0 {
                    self.left_of(places.0 - 1, before);
                }
                standing.next = places.1;
                let wanted = Wanted { starts: class_of.starts, convex: convex && !end };
                let sums =
                    PlaneSums { planes: &mut scratch.sums, stride: stride + SLACK, from: held };
                let (level, at) = (Level::active(), &mut scratch.at[held..]);
                let places = places.0..places.1;
                weighed_boundaries(level, order, self.weights, places, wanted, before, at, sums)
            },
            flush,
        )
    }

    /// Tables of the boundaries that are held.
    fn subtract(&self, held: usize, scratch: &mut BlockScratch<CellOf<W>>) {
        let (k, stride, unit) = (self.context.classes, scratch.stride, self.scan.weights.unit());
        let room = stride + SLACK;
        for c in 0..k {
            let known = self.scan.known[c];
            let (left, right) = scratch.cells.split_at_mut(k * stride);
            let (left, right) = (&mut left[c * stride..][..held], &mut right[c * stride..][..held]);
            let from = &scratch.sums[c * room..][..held];
            let set = |left: &mut _, right: &mut _, units: i64| {
                let sum = W::Sum::from_units(units);
                *left = sum.cell(unit);
                *right = known.minus(sum).cell(unit);
            };
            let cells = left.iter_mut().zip(right);
            if c + 1 < k {
                let later = &scratch.sums[(c + 1) * room..][..held];
                cells.zip(from.iter().zip(later)).for_each(|((l, r), (a, b))| set(l, r, a - b));
            } else {
                cells.zip(from).for_each(|((l, r), a)| set(l, r, *a));
            }
        }
    }

    /// Quick scores of the tables that lie in the first places of `scratch`.
    fn quick(
        &self,
        scratch: &BlockScratch<CellOf<W>>,
        len: usize,
        sink: &dyn Sink,
        out: &mut [f64],
    ) -> Option<f64> {
        let tables = Tables {
            cells: Count::cells(&scratch.cells),
            totals: Count::cells(&scratch.totals),
            branches: 2,
            classes: 2,
            stride: scratch.stride,
            len,
            declared: &scratch.declared,
            context: self.context,
        };
        sink.quick(&tables, out)
    }

    /// Replace the one run by those places of it at which the best candidate may lie.
    fn promising(
        &self,
        runs: &mut Vec<(usize, usize)>,
        scratch: &mut BlockScratch<CellOf<W>>,
        sink: &dyn Sink,
    ) -> Result<()> {
        let Some(&(first, last)) = runs.first() else { return Ok(()) };
        let mut bounds = std::mem::take(&mut scratch.bounds);
        if let Some(error) = self.bounds((first, last), scratch, sink, &mut bounds) {
            reached::count(Way::WalkBoxes);
            // Places of a box: the last has one more.
            let inner = first / STEP;
            let box_at = |b: usize| {
                let from = if b == 0 { first } else { (inner + b) * STEP };
                let to = if b + 1 == bounds.len() { last } else { (inner + b + 1) * STEP - 1 };
                (from, to)
            };
            let highest =
                bounds.iter().enumerate().fold((0, f64::NEG_INFINITY), |best, (b, &x)| {
                    if x > best.1 { (b, x) } else { best }
                });
            // The bound is off by an error, and so are the scores that are rounded from the
            // formula.
            let room = 3.0 * error;
            let mut floor = sink.floor();
            if highest.1 + room >= floor {
                let mut scores = [0.0; STEP + 1];
                self.walk(&[box_at(highest.0)], scratch, |scratch, held| {
                    self.subtract(held, scratch);
                    let scores = &mut scores[..held];
                    if let Some(error) = self.quick(scratch, held, sink, scores) {
                        floor = scores.iter().map(|s| s - error).fold(floor, f64::max);
                    }
                    Ok(())
                })?;
            }
            runs.clear();
            for (b, _) in bounds.iter().enumerate().filter(|(_, x)| **x + room >= floor) {
                let (from, to) = box_at(b);
                match runs.last_mut() {
                    Some(run) if run.1 + 1 == from => run.1 = to,
                    _ => runs.push((from, to)),
                }
            }
        }
        scratch.bounds = bounds;
        Ok(())
    }

    /// Quick scores that no candidate of a box exceeds, box by box, and the error of quick scores.
    /// Boxes end at the multiples of [`STEP`] between `first` and `last`.
    fn bounds(
        &self,
        (first, last): (usize, usize),
        scratch: &mut BlockScratch<CellOf<W>>,
        sink: &dyn Sink,
        bounds: &mut Vec<f64>,
    ) -> Option<f64> {
        let Scan { steps, known, .. } = *self.scan;
        let unit = self.scan.weights.unit();
        let width = steps.len() / 2;
        let (all, later) = steps.split_at(width);
        // Multiples of the step inside, and the boxes they separate.
        let inner = first / STEP + 1..last.div_ceil(STEP);
        let boxes = inner.len() + 1;
        let edge = |place: usize| {
            let mut sums = [0; 2];
            self.left_of(place, &mut sums);
            sums
        };
        let (lowest, highest) = (edge(first), edge(last));
        let at = |b: usize| match b {
            0 => lowest,
            _ if b == boxes => highest,
            _ => [all[inner.start + b - 1], later[inner.start + b - 1]],
        };
        let cell = |units: i64| W::Sum::from_units(units).cell(unit);
        let whole = [0, 1].map(|c| cell(known[c].units()));
        bounds.clear();
        bounds.resize(boxes, 0.0);
        let (stride, mut error) = (scratch.stride, 0.0_f64);
        let mut scores = std::mem::take(&mut scratch.scores);
        scores.resize(stride, 0.0);
        let most = stride / 2;
        let mut usable = true;
        for (part, bounds) in bounds.chunks_mut(most).enumerate() {
            let held = bounds.len();
            fill_corners(scratch, held, whole, |b| {
                let [all, later] = at(part * most + b);
                [cell(all - later), cell(later)]
            });
            let scores = &mut scores[..2 * held];
            let Some(off) = self.quick(scratch, 2 * held, sink, scores) else {
                usable = false;
                break;
            };
            error = error.max(off);
            let (low, high) = scores.split_at(held);
            for (bound, (a, b)) in bounds.iter_mut().zip(low.iter().zip(high)) {
                *bound = a.max(*b);
            }
        }
        scratch.scores = scores;
        usable.then_some(error)
    }
}

/// The two corners of each of `boxes` boxes as candidates; `edge` gives the weights of both classes
/// on the left where a box begins. The first half of the candidates has little of class 0 and much
/// of class 1, the other half the reverse.
#[inline]
fn fill_corners<C: Count>(
    scratch: &mut BlockScratch<C>,
    boxes: usize,
    whole: [C; 2],
    edge: impl Fn(usize) -> [C; 2],
) {
    let stride = scratch.stride;
    let (zero, one) = scratch.cells[..2 * stride].split_at_mut(stride);
    for b in 0..=boxes {
        let [x, y] = edge(b);
        if b < boxes {
            (zero[b], one[boxes + b]) = (x, y);
        }
        if b > 0 {
            (zero[boxes + b - 1], one[b - 1]) = (x, y);
        }
    }
    let (left, right) = scratch.cells.split_at_mut(2 * stride);
    for c in 0..2 {
        let (left, right) =
            (&left[c * stride..][..2 * boxes], &mut right[c * stride..][..2 * boxes]);
        left.iter().zip(right).for_each(|(&l, r)| *r = whole[c].minus(l));
    }
}

#[cfg(test)]
mod tests;

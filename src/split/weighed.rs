//! Thresholds among rows with fixed-point weights: a scan of [`threshold`](super::threshold).
//!
//! The kernel lists boundaries with the weight on their left, class by class; the weights of both
//! sides follow by subtraction. Most places are skipped where there are two classes, the criterion
//! is convex and the sums left of every [`STEP`]-th entry are known. The places between two such
//! entries are a *box*: the weights `(x, y)` of the two classes on the left lie in a rectangle, and
//! a score that is quasi-convex along both axes is largest at a corner of it. The score is 0, the
//! least, where both sides have the same shares of the classes; above that diagonal it rises with
//! `y` and falls with `x`, below it is the other way round. So the corners (low, high) and (high,
//! low) bound all candidates of the box. A box is skipped if its bound is below a score that is
//! certain to be reached: the score of the best candidate in the box with the largest bound, or the
//! best score of an earlier feature. Bounds are approximate scores ([`Sink::quick`]) with a known
//! error; candidates of the remaining boxes are scored exactly, so the result is the same to the
//! last bit.
//!
//! O(rows / STEP) scores per feature and node, plus the candidates of the boxes that remain.

use super::block::{BlockScratch, PlaceRange};
use super::scan::{BlockWalk, Scan, flush, write_sides};
use super::sink::Sink;
use crate::criteria::Context;
use crate::data::entry_row;
use crate::error::Result;
use crate::reached::{self, Way};
use crate::simd::Level;
use crate::simd::columns::{
    MOST_CLASSES, PlaneSums, SLACK, STEP, Wanted, weighed_boundaries, weighed_sums,
};
use crate::stats::{FixedWeights, Sum};

/// Fewest places for which bounds pay.
const FEW_PLACES: usize = 2 * STEP;

/// A scan, with the facts that do not change during it.
struct WeighedScan<'s, 'a, 'w> {
    scan: &'s Scan<'a, FixedWeights<'w>>,
    /// Weights by internal row, in units.
    weights: &'s [i64],
    context: &'s Context,
    /// The ends of the admissible range where they are candidates even inside a run of one class.
    ends: Option<PlaceRange>,
}

/// The state of the kernel between two calls.
struct KernelState {
    /// The place that it lists next if it continues.
    next: usize,
    /// Weight on the left of the entry before that place, by class.
    before: [i64; MOST_CLASSES],
}

/// Score the thresholds at some places. `weights` are the fixed-point weights of `scan.weights`.
pub(super) fn score_candidates(
    scan: &Scan<'_, FixedWeights<'_>>,
    weights: &[i64],
    mut places: PlaceRange,
    context: &Context,
    branches: usize,
    scratch: &mut BlockScratch<f64>,
    sink: &mut dyn Sink,
) -> Result<()> {
    if scan.min.weight > 0.0 {
        let known = scan.known.iter().sum();
        let least = i64::at_least(scan.min.weight, scan.weights.unit);
        let rows = WeighedRows { order: scan.order, weights, steps: scan.steps };
        let heavy = rows.heavy_places(known, least, context.classes);
        places.first = places.first.max(heavy.first);
        places.last = places.last.min(heavy.last);
    }
    if places.is_empty() {
        return Ok(());
    }
    let has_limits = scan.min.weight > 0.0 || places.first > 1;
    let ends = (has_limits || branches == 3).then_some(places);
    let weighed = WeighedScan { scan, weights, context, ends };
    // Kernels write up to SLACK entries past the candidates that they report.
    let room = scratch.stride + SLACK;
    if scratch.sums.len() < context.classes * room {
        scratch.sums.resize(context.classes * room, 0);
    }
    // The runs of places to look at: all, or the boxes whose bound is high enough.
    let mut runs = std::mem::take(&mut scratch.runs);
    runs.clear();
    runs.push(places);
    let has_bounds = branches == 2 && context.classes == 2 && scan.convex && !scan.steps.is_empty();
    if has_bounds && sink.wants_best() && places.last - places.first >= FEW_PLACES {
        weighed.keep_promising(&mut runs, scratch, sink)?;
    }
    let result = weighed.walk(&runs, scratch, |scratch, held| {
        weighed.write_sides(held, scratch);
        flush(scan.feature, held, context, branches, scratch, sink)
    });
    scratch.runs = runs;
    result
}

/// Sorted rows with their fixed-point weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct WeighedRows<'a> {
    /// Entries of the rows with a known value, ascending.
    pub order: &'a [u32],
    /// Weights by internal row, in units.
    pub weights: &'a [i64],
    /// Sums at the steps of the order; see [`Scan::steps`]. May be empty.
    pub steps: &'a [i64],
}

impl WeighedRows<'_> {
    /// The places with at least `least` weight on both sides; none if there is no such place.
    /// `known` is the weight of all rows, `planes` the number of planes of the steps.
    pub fn heavy_places(&self, known: i64, least: i64, planes: usize) -> PlaceRange {
        let Self { order, weights, steps } = *self;
        let most = known - least;
        let steps = &steps[..steps.len() / planes];
        let weight = |i: usize| weights[entry_row(order[i]) as usize];
        // The last step that is not enough, and the weight on its left: the search starts there.
        let last_step = |is_enough: &dyn Fn(i64) -> bool| {
            let step = steps.partition_point(|&sum| !is_enough(sum)).saturating_sub(1);
            (step * STEP, steps.get(step).copied().unwrap_or(0))
        };
        let (mut first, mut left) = last_step(&|sum| sum >= least);
        while left < least && first < order.len() {
            left += weight(first);
            first += 1;
        }
        let (mut last, mut left) = last_step(&|sum| sum > most);
        while last < order.len() && left + weight(last) <= most {
            left += weight(last);
            last += 1;
        }
        PlaceRange { first, last: if left <= most { last } else { 0 } }
    }
}

impl WeighedScan<'_, '_, '_> {
    /// Weight on the left of a place: of all rows, then for each start of the rows of that class or
    /// a later one.
    fn left_of(&self, place: usize, out: &mut [i64]) {
        let Scan { order, steps, class_of, .. } = *self.scan;
        let step = if steps.is_empty() { 0 } else { place / STEP };
        weighed_sums(&order[step * STEP..place], self.weights, class_of.starts, out);
        let stride = steps.len() / out.len();
        out.iter_mut()
            .enumerate()
            .for_each(|(plane, sum)| *sum += steps.get(plane * stride + step).unwrap_or(&0));
    }

    /// List the boundaries in runs of places; blocks of them go to `flush`.
    fn walk(
        &self,
        runs: &[PlaceRange],
        scratch: &mut BlockScratch<f64>,
        flush: impl FnMut(&mut BlockScratch<f64>, usize) -> Result<()>,
    ) -> Result<()> {
        let Scan { order, class_of, convex, .. } = *self.scan;
        let stride = scratch.stride;
        let mut state = KernelState { next: 0, before: [0; MOST_CLASSES] };
        BlockWalk { ends: self.ends, stride }.walk(
            runs.iter().copied(),
            scratch,
            |scratch, places, all, held| {
                let before = &mut state.before[..self.context.classes];
                // Where a run begins, places before it were skipped.
                if state.next != places.0 {
                    self.left_of(places.0 - 1, before);
                }
                state.next = places.1;
                let wanted = Wanted { starts: class_of.starts, convex: convex && !all };
                let sums =
                    PlaneSums { planes: &mut scratch.sums, stride: stride + SLACK, from: held };
                let (level, at) = (Level::active(), &mut scratch.at[held..]);
                let places = places.0..places.1;
                weighed_boundaries(level, order, self.weights, places, wanted, before, at, sums)
            },
            flush,
        )
    }

    /// Write the tables of the `held` boundaries.
    fn write_sides(&self, held: usize, scratch: &mut BlockScratch<f64>) {
        let BlockScratch { cells, sums, stride, .. } = scratch;
        let left = |class: usize| &sums[class * (*stride + SLACK)..];
        write_sides(cells, *stride, held, self.scan.known, self.scan.weights.unit, left);
    }

    /// Replace the only run by its boxes in which the best candidate may lie.
    fn keep_promising(
        &self,
        runs: &mut Vec<PlaceRange>,
        scratch: &mut BlockScratch<f64>,
        sink: &dyn Sink,
    ) -> Result<()> {
        let Some(&places) = runs.first() else { return Ok(()) };
        let mut bounds = std::mem::take(&mut scratch.bounds);
        if let Some(error) = self.bounds(places, scratch, sink, &mut bounds) {
            reached::count(Way::WalkBoxes);
            // The first box begins, and the last ends, where the run does.
            let step = places.first / STEP;
            let box_at = |b: usize| PlaceRange {
                first: if b == 0 { places.first } else { (step + b) * STEP },
                last: if b + 1 == bounds.len() { places.last } else { (step + b + 1) * STEP - 1 },
            };
            let (top, highest) =
                bounds.iter().enumerate().fold((0, f64::NEG_INFINITY), |best, (b, &bound)| {
                    if bound > best.1 { (b, bound) } else { best }
                });
            // A bound is off by an error, and so are the scores that are rounded from the formula.
            let tolerance = 3.0 * error;
            // A score that is certain to be reached: an earlier one, or one in the box with the
            // highest bound.
            let mut floor = sink.floor();
            if highest + tolerance >= floor {
                let mut scores = [0.0; STEP + 1];
                self.walk(&[box_at(top)], scratch, |scratch, held| {
                    self.write_sides(held, scratch);
                    let scores = &mut scores[..held];
                    if let Some(error) = sink.quick(&scratch.tables(2, held, self.context), scores)
                    {
                        floor = scores.iter().map(|score| score - error).fold(floor, f64::max);
                    }
                    Ok(())
                })?;
            }
            // Adjacent boxes become one run.
            runs.clear();
            for (b, _) in
                bounds.iter().enumerate().filter(|(_, bound)| **bound + tolerance >= floor)
            {
                let places = box_at(b);
                match runs.last_mut() {
                    Some(run) if run.last + 1 == places.first => run.last = places.last,
                    _ => runs.push(places),
                }
            }
        }
        scratch.bounds = bounds;
        Ok(())
    }

    /// Write to `bounds`, per box, an approximate score that no candidate of it exceeds; returns
    /// the error of approximate scores, or `None` where the criterion has none. Boxes end at the
    /// multiples of [`STEP`] inside `places`.
    fn bounds(
        &self,
        places: PlaceRange,
        scratch: &mut BlockScratch<f64>,
        sink: &dyn Sink,
        bounds: &mut Vec<f64>,
    ) -> Option<f64> {
        let Scan { steps, known, .. } = *self.scan;
        let unit = self.scan.weights.unit;
        let (all, later) = steps.split_at(steps.len() / 2);
        // The multiples of the step inside the run separate the boxes.
        let inner = places.first / STEP + 1..places.last.div_ceil(STEP);
        let boxes = inner.len() + 1;
        let edge = |place: usize| {
            let mut sums = [0; 2];
            self.left_of(place, &mut sums);
            sums
        };
        let (lowest, highest) = (edge(places.first), edge(places.last));
        // Weights on the left of the start of a box: of all rows, and of the rows of class 1.
        let at = |b: usize| match b {
            0 => lowest,
            _ if b == boxes => highest,
            _ => [all[inner.start + b - 1], later[inner.start + b - 1]],
        };
        let cell = |units: i64| units.cell(unit);
        let whole = [0, 1].map(|class| cell(known[class]));
        bounds.clear();
        bounds.resize(boxes, 0.0);
        let (stride, mut error) = (scratch.stride, 0.0_f64);
        let mut scores = std::mem::take(&mut scratch.scores);
        scores.resize(stride, 0.0);
        // A box takes two candidates of a block, one per corner.
        let most = stride / 2;
        let mut has_bounds = true;
        for (chunk, bounds) in bounds.chunks_mut(most).enumerate() {
            let held = bounds.len();
            fill_corners(scratch, held, whole, |b| {
                let [all, later] = at(chunk * most + b);
                [cell(all - later), cell(later)]
            });
            let scores = &mut scores[..2 * held];
            let tables = scratch.tables(2, 2 * held, self.context);
            let Some(off) = sink.quick(&tables, scores) else {
                has_bounds = false;
                break;
            };
            error = error.max(off);
            let (low, high) = scores.split_at(held);
            for (bound, (a, b)) in bounds.iter_mut().zip(low.iter().zip(high)) {
                *bound = a.max(*b);
            }
        }
        scratch.scores = scores;
        has_bounds.then_some(error)
    }
}

/// Write the two corners of each of `boxes` boxes as candidates. `edge(b)` gives the weights of
/// both classes on the left where box `b` begins, and `whole` the weights of both classes in the
/// node. The first half of the candidates has little of class 0 and much of class 1, the other half
/// the reverse.
#[inline]
fn fill_corners(
    scratch: &mut BlockScratch<f64>,
    boxes: usize,
    whole: [f64; 2],
    edge: impl Fn(usize) -> [f64; 2],
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
    for class in 0..2 {
        let left = &left[class * stride..][..2 * boxes];
        let right = &mut right[class * stride..][..2 * boxes];
        left.iter().zip(right).for_each(|(&left, right)| *right = whole[class] - left);
    }
}

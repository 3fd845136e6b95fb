//! Thresholds on a numeric feature for a numeric target, by the mean squared difference between the
//! branches' means and the node's.
//!
//! With a weight `V` of `W` on the left the score is `D^2 / (V (W - V))` in units of the target's
//! grid, where `D` is the sum on the left minus `V` times the mean of the node. A scan adds up
//! differences from the whole number next to the mean, which is exact, and takes the rest of the
//! mean off in double precision: so no digits are lost however far the mean is from 0. The
//! estimates select; near the best, the criterion decides.
//!
//! Sums of rows that weigh 1, or stand for copies of rows, fit 64 bits ([`MeanNode`]): on sorted
//! orders ([`score_candidates`]), on bins ([`super::binned`]), and in nodes of at most 64 rows,
//! whose orders have one byte per entry ([`ShortNumbers`]). Orders read such rows packed
//! ([`crate::simd::means::packed_row`]). Rows with other weights take sums of 128 bits
//! ([`score_weighed`]). O(rows) per feature and node.

use super::block::PlaceRange;
use super::estimates;
use super::mean_scratch::{MeanCuts, MeanScratch};
use super::multiway::Minimum;
use super::scan::Scan;
use super::sink::{CutEstimates, Sink};
use crate::criteria::{Context, Criterion, Tables};
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::numeric::Moments;
use crate::reached::{self, Way};
use crate::simd::Level;
use crate::simd::means::{
    self, BestCuts, CHUNK, CutScan, ScanState, SmallNodeCuts, SmallRows, error_of,
};
use crate::simd::short::{Bytes, Orders, ROWS};
use crate::stats::{ExactMoments, Sum, Weighing};

/// Places that are scored together.
const PLACES: usize = 1024;

/// The weight of a node's rows and the sum of their numbers, in units of weight and of the target's
/// grid.
#[derive(Debug, Clone, Copy)]
pub struct MeanNode {
    /// Weight of the rows.
    weight: i64,
    /// Sum of their numbers, in units.
    sum: i64,
    /// The whole number of units next to the mean.
    pub(super) whole_mean: i64,
    /// The mean minus that number.
    mean_fraction: f64,
    /// Least weight of a branch; at least 1, so that no branch is empty.
    least: i64,
    /// The last cut that the criterion scored. In a small node many features divide the rows
    /// alike.
    last: Option<ScoredCut>,
}

/// A cut and its score.
#[derive(Debug, Clone, Copy)]
struct ScoredCut {
    /// Weight and sum on one side.
    side: (i64, i64),
    score: f64,
}

impl MeanNode {
    /// The node with these class sums; `None` if the sums are counts of classes, or if
    /// [`Self::new`] returns `None`. A numeric target has one sum, so only the first is read.
    #[inline]
    pub fn from_sums<S: Sum>(sums: &[S], min: Minimum) -> Option<Self> {
        let all = sums.first()?.moments()?;
        Self::new(all.weight, all.first as i64, min)
    }

    /// A node of this weight and sum of numbers, in units. `None` without weight, where sums may
    /// not fit 64 bits, and where a row may weigh a fraction: each row must weigh 1, or stand for
    /// copies.
    #[inline]
    pub fn new(weight: i64, sum: i64, min: Minimum) -> Option<Self> {
        if weight < 1 || weight > ExactMoments::MOST_NARROW as i64 || !min.copies {
            return None;
        }
        let (whole_mean, least) = (sum / weight, min.weight.max(f64::from(min.rows)).ceil() as i64);
        let mean_fraction = (sum - whole_mean * weight) as f64 / weight as f64;
        Some(Self { weight, sum, whole_mean, mean_fraction, least: least.max(1), last: None })
    }

    /// The criterion's score of a cut with a weight `left` on its left, where differences from the
    /// whole number add up to `sum`. The criterion is given weights and means alone; the score of
    /// the last cut is kept, and a cut with the same sides takes it.
    fn exact_score(
        &mut self,
        left: i64,
        sum: i64,
        context: &Context,
        criterion: &dyn Criterion,
    ) -> Result<f64> {
        let on_left = sum + left * self.whole_mean;
        let (left, right) = ((left, on_left), (self.weight - left, self.sum - on_left));
        if let Some(last) = self.last.filter(|last| last.side == left || last.side == right) {
            return Ok(last.score);
        }
        let moments = |(weight, sum): (i64, i64)| Moments {
            weight: weight as f64,
            mean: ExactMoments::narrow_mean(weight, sum),
            deviation: 0.0,
        };
        let (cells, totals) = ([moments(left), moments(right)], [moments((self.weight, self.sum))]);
        let score = criterion.score_of(&Tables::one(&cells, &totals, &[2], context))?;
        self.last = Some(ScoredCut { side: left, score });
        Ok(score)
    }

    /// The node as kernels read it.
    fn for_kernels(&self, context: &Context) -> means::NodeNumbers {
        means::NodeNumbers {
            weight: self.weight as f64,
            mean_fraction: self.mean_fraction,
            least: self.least as f64,
            scale: unit_of(context) * unit_of(context),
        }
    }

    /// The weight of the other side of a cut, and the sum of differences on that side.
    fn other_side(&self, (weight, sum): (i64, i64)) -> (i64, i64) {
        (self.weight - weight, self.sum - self.whole_mean * self.weight - sum)
    }

    /// Give cuts of one feature to the sink. The number of cuts is a multiple of [`CHUNK`].
    pub(super) fn send_cuts(
        &mut self,
        feature: u32,
        cuts: MeanCuts<'_>,
        at: &dyn Fn(usize) -> u32,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let MeanCuts { sums, weights, scores } = cuts;
        let node = self.for_kernels(context);
        let largest = means::scores(Level::active(), sums, weights, node, scores);
        send_estimates(feature, at, (scores, largest), context, sink, &mut |j, criterion| {
            self.exact_score(weights[j], sums[j], context, criterion)
        })
    }
}

/// The value of a unit of the target's grid.
fn unit_of(context: &Context) -> f64 {
    context.grid.map_or(1.0, |grid| grid.unit)
}

/// Give estimates and the largest of them to the sink, unless there is no cut.
fn send_estimates(
    feature: u32,
    at: &dyn Fn(usize) -> u32,
    (scores, largest): (&[f64], f64),
    context: &Context,
    sink: &mut dyn Sink,
    exact: &mut dyn FnMut(usize, &dyn Criterion) -> Result<f64>,
) -> Result<()> {
    if largest == f64::NEG_INFINITY {
        return Ok(());
    }
    let unit = unit_of(context);
    let error = error_of(largest, unit * unit);
    sink.estimated(feature, CutEstimates { at, scores, largest, error, exact })
}

/// Score the thresholds at some places among packed rows; `node` has the sums of the rows with a
/// known value. Thresholds that cannot be best are left out.
pub(super) fn score_candidates<W: Weighing>(
    scan: &Scan<'_, W>,
    mut node: MeanNode,
    places: PlaceRange,
    context: &Context,
    scratch: &mut MeanScratch,
    sink: &mut dyn Sink,
) -> Result<()> {
    reached::count(Way::WalkNumbers);
    scratch.prepare(PLACES);
    let (order, rows, whole) = (scan.order, scan.packed, node.whole_mean);
    let (level, of) = (Level::active(), node.for_kernels(context));
    let mut state = ScanState { weight: 0, sum: 0, bound: of.bound_below(sink.floor()) };
    order[..places.first - 1].iter().for_each(|&e| state.pass(rows[entry_row(e) as usize]));
    for first in (places.first..=places.last).step_by(PLACES) {
        let len = PLACES.min(places.last + 1 - first);
        let cuts = CutScan { entries: &order[first - 1..][..=len], rows, whole, of };
        let largest = means::scan_cuts(level, cuts, &mut state, scratch.cut_buffers(len));
        let MeanScratch { sums, weights, scores, .. } = &*scratch;
        let at = |j: usize| (first + j) as u32;
        send_estimates(
            scan.feature,
            &at,
            (&scores[..len], largest),
            context,
            sink,
            &mut |j, criterion| node.exact_score(weights[j], sums[j], context, criterion),
        )?;
    }
    Ok(())
}

/// Score the thresholds at some places, where rows have weights; `node` has the sums of the rows
/// with a known value.
pub(super) fn score_weighed<W: Weighing>(
    scan: &Scan<'_, W>,
    node: ExactMoments,
    places: PlaceRange,
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<()> {
    reached::count(Way::WalkNumbersWeighed);
    let unit = scan.weights.unit();
    let mean = node.rounded(unit).mean;
    let (whole, rest) = (mean.round() as i128, mean - mean.round());
    let (all, scale) = (node.weight as f64, unit_of(context) * unit_of(context));
    let add = |left: &mut ExactMoments, entry: u32| {
        let row = scan.weights.row_sum(entry_row(entry)).moments().unwrap_or_default();
        left.weight += row.weight;
        left.first += row.first;
    };
    // Sums of squares are left out: the criterion reads weights and means alone.
    let mut left = ExactMoments::default();
    scan.order[..places.first - 1].iter().for_each(|&entry| add(&mut left, entry));
    let (mut sides, mut scores) = ([ExactMoments::default(); ROWS], [0.0; ROWS]);
    for first in (places.first..=places.last).step_by(ROWS) {
        let len = ROWS.min(places.last + 1 - first);
        let scores = &mut scores[..len];
        for (j, (side, score)) in sides.iter_mut().zip(&mut *scores).enumerate() {
            add(&mut left, scan.order[first + j - 1]);
            *side = left;
            let weight = left.weight as f64;
            let sum = (left.first - whole * i128::from(left.weight)) as f64;
            let difference = sum - weight * rest;
            let is_tied = entry_tied(scan.order[first + j]) == 1;
            *score = if is_tied {
                f64::NEG_INFINITY
            } else {
                difference * difference / (weight * (all - weight)) * scale
            };
        }
        let (at, found) = (|j: usize| (first + j) as u32, (&*scores, estimates::largest(scores)));
        send_estimates(scan.feature, &at, found, context, sink, &mut |j, criterion| {
            let right = node.minus(sides[j]);
            let cells = [sides[j], right].map(|side| side.rounded(unit));
            let totals = [node.rounded(unit)];
            criterion.score_of(&Tables::one(&cells, &totals, &[2], context))
        })?;
    }
    Ok(())
}

/// A node of at most 64 rows. Its orders have one byte per entry, and all its features can be
/// scored by one call of a kernel.
#[derive(Debug)]
pub struct ShortNumbers<'a> {
    /// The rows of the node, packed; their numbers are the bytes of the orders.
    rows: &'a SmallRows,
    node: MeanNode,
    /// Number of cuts of a feature without equal values: one less than the rows.
    cuts: usize,
}

impl<'a> ShortNumbers<'a> {
    /// A node of `len` rows, numbered in `rows`, with these sums. `None` where
    /// [`MeanNode::from_sums`] returns `None`; the node is then searched by tables.
    pub fn new<S: Sum>(rows: &'a SmallRows, len: usize, sums: &[S], min: Minimum) -> Option<Self> {
        MeanNode::from_sums(sums, min).map(|node| Self { rows, node, cuts: len - 1 })
    }

    /// Score the thresholds of some features, given by their places in the orders and their
    /// numbers. `prefetch_cut` gets the place of a feature and the number of rows on the left of a
    /// cut that is likely to win, so that the caller can fetch the values between which the
    /// threshold would lie.
    pub fn score_candidates(
        &mut self,
        orders: &Orders,
        mut features: impl Iterator<Item = (usize, u32)>,
        prefetch_cut: impl Fn(usize, usize),
        context: &Context,
        scratch: &mut MeanScratch,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        if sink.wants_winner() && self.cuts == 1 {
            // Two rows: all thresholds divide them alike, so the first one wins.
            let first = features.find(|&(place, _)| orders.tied[place] & 0b10 == 0);
            let Some((place, feature)) = first else { return Ok(()) };
            prefetch_cut(place, 1);
            let row = self.rows[usize::from(orders.rows[place].0[0]) % ROWS];
            let weight = means::weight_of(row);
            let left = (weight, means::sum_of(row) - weight * self.node.whole_mean);
            return self.send_one(feature, 0, left, context, sink);
        }
        let mut wanted = std::mem::take(&mut scratch.features);
        wanted.clear();
        wanted.extend(features);
        if sink.wants_winner() && wanted.len() > 1 {
            let mut best_cuts = std::mem::take(&mut scratch.best);
            let largest = self.find_best(orders, &wanted, &mut best_cuts, context);
            if largest > f64::NEG_INFINITY {
                let best = (&wanted[..], &best_cuts[..], largest);
                self.send_winners(orders, best, prefetch_cut, context, scratch, sink)?;
            }
            scratch.best = best_cuts;
        } else {
            for &(place, feature) in &wanted {
                let (order, tied) = (&orders.rows[place], orders.tied[place]);
                self.score_feature(feature, order, tied, context, scratch, sink)?;
            }
        }
        scratch.features = wanted;
        Ok(())
    }

    /// The best cut of each of some features; returns the largest of their scores.
    fn find_best(
        &self,
        orders: &Orders,
        features: &[(usize, u32)],
        found: &mut Vec<BestCuts>,
        context: &Context,
    ) -> f64 {
        reached::count(Way::ShortNumbersTogether);
        let cuts = SmallNodeCuts {
            orders,
            features,
            cuts: self.cuts,
            rows: self.rows,
            whole: self.node.whole_mean,
            of: self.node.for_kernels(context),
        };
        means::best_cuts(Level::active(), cuts, found)
    }

    /// Give the sink the cuts that may be the best of all. `found` has the best cut of each
    /// feature, and `largest` is the largest of their scores. A cut that divides the rows as the
    /// cut before it does is left out: the first of equal cuts wins.
    fn send_winners(
        &mut self,
        orders: &Orders,
        (features, found, largest): (&[(usize, u32)], &[BestCuts], f64),
        prefetch_cut: impl Fn(usize, usize),
        context: &Context,
        scratch: &mut MeanScratch,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let bound = largest - 2.0 * error_of(largest, self.node.for_kernels(context).scale);
        // Both sides of the last cut whose score reached the bound.
        let mut last = [(0, 0); 2];
        for (features, best) in features.chunks(CHUNK).zip(found) {
            for (lane, &(place, feature)) in features.iter().enumerate() {
                if best.scores[lane] < bound {
                    continue;
                }
                let (cut, left) = (best.cuts[lane] as usize, (best.weights[lane], best.sums[lane]));
                if best.others[lane] >= bound {
                    let (order, tied) = (&orders.rows[place], orders.tied[place]);
                    self.score_feature(feature, order, tied, context, scratch, sink)?;
                } else if !last.contains(&left) {
                    prefetch_cut(place, cut + 1);
                    self.send_one(feature, cut, left, context, sink)?;
                }
                last = [left, self.node.other_side(left)];
            }
        }
        Ok(())
    }

    /// Give one cut of a feature to the sink.
    fn send_one(
        &mut self,
        feature: u32,
        cut: usize,
        left: (i64, i64),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let node = self.node.for_kernels(context);
        let score = node.score_of_cut(left.1, left.0);
        let found = (&[score][..], score);
        send_estimates(feature, &|_| cut as u32 + 1, found, context, sink, &mut |_, criterion| {
            self.node.exact_score(left.0, left.1, context, criterion)
        })
    }

    /// Score the thresholds of one feature, in whose order the entries in `tied` have the value of
    /// the entry before.
    fn score_feature(
        &mut self,
        feature: u32,
        order: &Bytes,
        tied: u64,
        context: &Context,
        scratch: &mut MeanScratch,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        reached::count(Way::ShortNumbers);
        scratch.prepare(ROWS);
        let (mut weight, mut sum) = (0, 0);
        for (j, &row) in order.0[..self.cuts].iter().enumerate() {
            let row = self.rows[usize::from(row) % ROWS];
            weight += means::weight_of(row);
            sum += means::sum_of(row);
            // Cut j has the entries 0..=j on its left.
            let is_cut = (tied >> (j + 1) & 1) as i64 - 1;
            (scratch.weights[j], scratch.sums[j]) =
                (weight & is_cut, sum - weight * self.node.whole_mean);
        }
        let cuts = scratch.padded_cuts(self.cuts);
        self.node.send_cuts(feature, cuts, &|j| j as u32 + 1, context, sink)
    }
}

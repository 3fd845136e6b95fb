//! Thresholds on a numeric feature for a numeric target, by the mean squared difference between the
//! branches' means and the node's.
//!
//! With `n` rows of weight 1 and `i` of them on the left, the score is `D^2 / (i (n - i))` in units
//! of the target's grid, where `D` is the sum on the left less `i` times the mean of the node. A
//! scan adds up whole differences from the whole number next to the mean, which is exact, and takes
//! the rest of the mean off in double precision: so no digits are lost however far the mean is from
//! 0. The estimates select; near the best, the criterion decides. Rows with weights take sums of
//! 128 bits ([`score_weighed`]). Nodes of at most 64 rows have orders of one byte per entry
//! ([`score_short`]). O(rows) per feature and node.

use super::block::{BlockScratch, PlaceRange};
use super::doubt;
use super::scan::Scan;
use super::sink::{Estimates, Sink};
use crate::criteria::{Context, Criterion, Tables};
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::numeric::Moments;
use crate::reached::{self, Way};
use crate::simd::short::{Bytes, ROWS};
use crate::stats::{ExactMoments, Sum, Weighing};

/// Places that are scored together.
const PLACES: usize = 256;

/// The rows of a node: their number and the sum of their numbers, in units.
#[derive(Debug, Clone, Copy)]
pub struct NodeMean {
    rows: i64,
    sum: i64,
    /// The whole number of units next to the mean.
    whole: i64,
    /// The mean less that number.
    rest: f64,
}

impl NodeMean {
    /// Of at least one row.
    #[inline]
    pub fn new(rows: usize, sum: i64) -> Self {
        let rows = rows as i64;
        let whole = sum / rows;
        Self { rows, sum, whole, rest: (sum - whole * rows) as f64 / rows as f64 }
    }

    /// The criterion's score of a cut with `left` rows on its left, whose differences from the
    /// whole number add up to `sum`. It reads weights and means alone.
    fn exact_score(
        &self,
        left: usize,
        sum: i64,
        context: &Context,
        criterion: &dyn Criterion,
    ) -> Result<f64> {
        let left = left as i64;
        let on_left = sum + left * self.whole;
        let of = |rows: i64, sum: i64| Moments {
            weight: rows as f64,
            mean: ExactMoments::narrow_mean(rows, sum),
            deviation: 0.0,
        };
        let cells = [of(left, on_left), of(self.rows - left, self.sum - on_left)];
        let totals = [of(self.rows, self.sum)];
        criterion.score_of(&Tables::one(&cells, &totals, &[2], context))
    }

    /// Give a block of cuts to the sink. `sums[j]` belongs to the cut with `first + j` rows on its
    /// left, which is none where `is_tied(j)`.
    fn score_block(
        &self,
        block: MeanCuts<'_>,
        is_tied: impl Fn(usize) -> bool,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let MeanCuts { feature, first, sums, scores } = block;
        let n = self.rows as f64;
        for (j, (score, &sum)) in scores.iter_mut().zip(sums).enumerate() {
            let left = (first + j) as f64;
            let difference = sum as f64 - left * self.rest;
            let estimate = difference * difference / (left * (n - left));
            *score = if is_tied(j) { f64::NEG_INFINITY } else { estimate };
        }
        give(feature, first, scores, context, sink, &mut |j, criterion| {
            self.exact_score(first + j, sums[j], context, criterion)
        })
    }
}

/// Give estimates in units of the target's grid to the sink, unless all cuts are tied. `scores[j]`
/// is that of the cut with `first + j` rows on its left.
fn give(
    feature: u32,
    first: usize,
    scores: &mut [f64],
    context: &Context,
    sink: &mut dyn Sink,
    exact: &mut dyn FnMut(usize, &dyn Criterion) -> Result<f64>,
) -> Result<()> {
    let largest = doubt::largest(scores);
    if largest == f64::NEG_INFINITY {
        return Ok(());
    }
    // The estimates have a few roundings; the criterion subtracts rounded means.
    let unit = context.grid.map_or(1.0, |grid| grid.unit);
    let square = unit * unit;
    let error = (16.0 * f64::EPSILON * largest + 1e-3 * largest.sqrt() + 1e-6) * square;
    scores.iter_mut().for_each(|score| *score *= square);
    let (at, largest) = (&|j: usize| (first + j) as u32, largest * square);
    sink.estimated(feature, Estimates { at, scores, largest, error, exact })
}

/// Cuts that are scored together.
struct MeanCuts<'a> {
    feature: u32,
    /// Rows on the left of the first cut.
    first: usize,
    /// Sums of differences on the left.
    sums: &'a [i64],
    scores: &'a mut [f64],
}

/// The rows of a node with a known value of one feature.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberScan<'a> {
    /// Feature.
    pub feature: u32,
    /// Entries of the rows, ascending by value.
    pub order: &'a [u32],
    /// Numbers of the target by row.
    pub units: &'a [i64],
    /// These rows.
    pub node: NodeMean,
}

/// Score the thresholds at some places.
pub(super) fn score_candidates<C>(
    scan: &NumberScan<'_>,
    places: PlaceRange,
    context: &Context,
    scratch: &mut BlockScratch<C>,
    sink: &mut dyn Sink,
) -> Result<()> {
    reached::count(Way::WalkNumbers);
    let NumberScan { feature, order, units, node } = *scan;
    let BlockScratch { sums, scores, .. } = scratch;
    sums.resize(sums.len().max(PLACES), 0);
    scores.resize(scores.len().max(PLACES), 0.0);
    let difference = |entry: u32| units[entry_row(entry) as usize] - node.whole;
    let mut sum: i64 = order[..places.first - 1].iter().map(|&entry| difference(entry)).sum();
    for first in (places.first..=places.last).step_by(PLACES) {
        let len = PLACES.min(places.last + 1 - first);
        let sums = &mut sums[..len];
        for (sum_of, &entry) in sums.iter_mut().zip(&order[first - 1..]) {
            sum += difference(entry);
            *sum_of = sum;
        }
        let behind = &order[first..][..len];
        let block = MeanCuts { feature, first, sums, scores: &mut scores[..len] };
        node.score_block(block, |j| entry_tied(behind[j]) == 1, context, sink)?;
    }
    Ok(())
}

/// Score the thresholds at some places, where rows have weights and `node` are the sums of those
/// with a known value. With a weight `V` of `W` on the left the score is `D^2 / (V (W - V))`.
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
    let all = node.weight as f64;
    let add = |left: &mut ExactMoments, entry: u32| {
        let row = scan.weights.of(entry_row(entry)).moments().unwrap_or_default();
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
            let tied = entry_tied(scan.order[first + j]) == 1;
            *score = match tied {
                true => f64::NEG_INFINITY,
                false => difference * difference / (weight * (all - weight)),
            };
        }
        give(scan.feature, first, scores, context, sink, &mut |j, criterion| {
            let right = node.minus(sides[j]);
            let cells = [sides[j], right].map(|side| side.rounded(unit));
            let totals = [node.rounded(unit)];
            criterion.score_of(&Tables::one(&cells, &totals, &[2], context))
        })?;
    }
    Ok(())
}

/// One feature of a node of at most 64 rows.
#[derive(Debug, Clone, Copy)]
pub struct ShortNumbers<'a> {
    /// Feature.
    pub feature: u32,
    /// The node's rows by ascending value.
    pub order: &'a Bytes,
    /// Bit `i`: entry `i` has the value of the entry before it.
    pub tied: u64,
    /// Numbers of the target by row.
    pub units: &'a [i64; ROWS],
    /// All rows.
    pub node: NodeMean,
    /// Fewest rows of a branch, at least 1.
    pub min_rows: usize,
}

/// Score the thresholds of one feature of a small node.
pub fn score_short<C>(
    scan: &ShortNumbers<'_>,
    context: &Context,
    scratch: &mut BlockScratch<C>,
    sink: &mut dyn Sink,
) -> Result<()> {
    reached::count(Way::ShortNumbers);
    let ShortNumbers { feature, order, tied, units, node, min_rows } = *scan;
    let n = node.rows as usize;
    if 2 * min_rows > n {
        return Ok(());
    }
    let BlockScratch { sums, scores, .. } = scratch;
    sums.resize(sums.len().max(ROWS), 0);
    scores.resize(scores.len().max(ROWS), 0.0);
    let mut sum = 0;
    for (sum_of, &row) in sums.iter_mut().zip(&order.0[..n]) {
        sum += units[usize::from(row) % ROWS] - node.whole;
        *sum_of = sum;
    }
    // Cut j has the entries 0..=j on its left.
    let places = min_rows - 1..n - min_rows;
    let block = MeanCuts {
        feature,
        first: min_rows,
        sums: &sums[places.clone()],
        scores: &mut scores[places],
    };
    node.score_block(block, |j| tied >> (min_rows + j) & 1 == 1, context, sink)
}

//! Estimated scores of the cuts of a node by the means of a numeric target, one cut per lane of a
//! vector ([`scores`], [`scan_cuts`]) or one feature per lane ([`best_cuts`]).
//!
//! All levels do the same operations on each lane, so they give the same bits; [`scores`] is the
//! plain definition, with which the tests compare the others. Divisions take most of the time, so
//! cuts that are worse than one that is known are recognised by products, and a chunk of such cuts
//! is left without a division. Weights and numbers of rows are read as one integer
//! ([`packed_row`]). Both together took a tree of a forest on 100,000 x 20 from 0.110 to 0.084 s of
//! CPU time.

use super::eight::{EIGHT, Eight, with_eight};
use super::level::for_each_level;
use super::short::{Bytes, Orders, ROWS};

/// Binary digits of the weight of a [`packed_row`].
const WEIGHT_BITS: u32 = 11;

/// A row in one integer, which is read at once: the product of its weight and its number of units,
/// above its weight. `None` for a weight of 2048 or more. Numbers have at most 40 binary digits;
/// units are steps of the target's grid.
#[inline]
pub fn packed_row(weight: i64, units: i64) -> Option<i64> {
    (0..1 << WEIGHT_BITS).contains(&weight).then_some((weight * units) << WEIGHT_BITS | weight)
}

/// The weight of a [`packed_row`], 0 to 2047, in units of the fixed-point weights. One `and`.
#[inline(always)]
pub fn weight_of(row: i64) -> i64 {
    row & ((1 << WEIGHT_BITS) - 1)
}

/// The sum of a [`packed_row`], in units: its weight times its number. The shift keeps the sign.
#[inline(always)]
pub fn sum_of(row: i64) -> i64 {
    row >> WEIGHT_BITS
}

/// A bound on the distance of estimates of at most `largest` from the scores: they have a few
/// roundings, and the criterion subtracts rounded means. `scale` is the value of a score of 1.
pub fn error_of(largest: f64, scale: f64) -> f64 {
    16.0 * f64::EPSILON * largest + 1e-3 * (largest * scale).sqrt() + 1e-6 * scale
}

/// The length of slices of cuts is a multiple of this: the lanes of the longest vectors.
pub const CHUNK: usize = EIGHT;

/// Numbers of a node that all its cuts share.
#[derive(Debug, Clone, Copy)]
pub struct NodeNumbers {
    /// Weight of all rows.
    pub weight: f64,
    /// The part of the mean beyond its integer part `whole`. It is subtracted per unit of weight,
    /// so that the differences of all rows add up to 0.
    pub mean_fraction: f64,
    /// Least weight on each side of a cut, at least 1.
    pub least: f64,
    /// Value of a score of 1: the square of a unit of the target.
    pub scale: f64,
}

impl NodeNumbers {
    /// The product of the weights on both sides of a cut; 0 where there is no cut.
    #[inline(always)]
    fn product(&self, left: f64) -> f64 {
        let right = self.weight - left;
        let least = if left < right { left } else { right };
        if least >= self.least { left * right } else { 0.0 }
    }

    /// The numerator of the score of a cut with this sum and weight on its left: a squared
    /// difference, to be divided by [`Self::product`].
    #[inline(always)]
    fn square(&self, sum: f64, left: f64) -> f64 {
        let difference = sum - left * self.mean_fraction;
        difference * difference * self.scale
    }

    /// The score of a cut; negative infinity where there is none.
    #[inline(always)]
    fn ratio(square: f64, product: f64) -> f64 {
        if product > 0.0 { square / product } else { f64::NEG_INFINITY }
    }

    /// The score of a cut with this sum and weight on its left, as [`scores`] computes it, to the
    /// last bit. Negative infinity where a side has less than the least weight. It serves single
    /// cuts, outside of a scan.
    #[inline(always)]
    pub fn score_of_cut(&self, sum: i64, left: i64) -> f64 {
        let left = left as f64;
        Self::ratio(self.square(sum as f64, left), self.product(left))
    }

    /// The bound below which cuts may be left out once a cut has this score: the score less three
    /// times the error of estimates, so no cut that could be best is lost. Negative infinity for
    /// scores that are not positive.
    #[inline]
    pub fn bound_below(&self, score: f64) -> f64 {
        if score > 0.0 { score - 3.0 * error_of(score, self.scale) } else { f64::NEG_INFINITY }
    }
}

/// The scores of a chunk of cuts.
#[inline(always)]
fn scores_of(sums: &[i64; CHUNK], weights: &[i64; CHUNK], of: NodeNumbers) -> [f64; CHUNK] {
    // A loop over the lanes without a branch, which the compiler turns into vector code.
    let mut scores = [0.0; CHUNK];
    for j in 0..CHUNK {
        scores[j] = of.score_of_cut(sums[j], weights[j]);
    }
    scores
}

for_each_level! {
    /// Write `D^2 / (V (W - V))` for each cut, where `V` of the weight `W` is on its left and `D`
    /// is the sum on its left less `V` times `mean_fraction`; return the largest. Cuts with too
    /// small a weight on a side have negative infinity.
    pub fn scores(sums: &[i64], weights: &[i64], of: NodeNumbers, out: &mut [f64]) -> f64 {
        assert!(sums.len() == out.len() && weights.len() == out.len());
        assert!(out.len().is_multiple_of(CHUNK));
        // The largest score of each lane.
        let mut top = [f64::NEG_INFINITY; CHUNK];
        let (sums, _) = sums.as_chunks::<CHUNK>();
        let (weights, _) = weights.as_chunks::<CHUNK>();
        let (out, _) = out.as_chunks_mut::<CHUNK>();
        for ((sums, weights), out) in sums.iter().zip(weights).zip(out) {
            *out = scores_of(sums, weights, of);
            keep_larger(&mut top, out);
        }
        largest(top)
    }
}

/// Neighbouring cuts of a numeric feature.
#[derive(Debug, Clone, Copy)]
pub struct CutScan<'a> {
    /// Entries of the feature's order. Cut `j` lies behind entry `j`. There is none where the next
    /// entry has the same value, which the lowest bit of that entry says.
    pub entries: &'a [u32],
    /// The rows of the data set, packed.
    pub rows: &'a [i64],
    /// Integer part of the mean, which is subtracted from the sums per unit of weight.
    pub whole: i64,
    /// Numbers of the node.
    pub of: NodeNumbers,
}

/// The state of a scan after the cuts before the present one.
#[derive(Debug, Clone, Copy)]
pub struct ScanState {
    /// Weight on the left of the next entry.
    pub weight: i64,
    /// Sum on the left of the next entry.
    pub sum: i64,
    /// Cuts of a lower score may be left out.
    pub bound: f64,
}

impl ScanState {
    /// Let the next row pass to the left. It is for the rows before the first cut of a scan, which
    /// are only added up.
    #[inline]
    pub fn pass(&mut self, row: i64) {
        self.weight += weight_of(row);
        self.sum += sum_of(row);
    }
}

/// Buffers for cuts, whose length is a multiple of [`CHUNK`].
#[derive(Debug)]
pub struct CutBuffers<'a> {
    /// Sums on the left, less `whole` per unit of weight.
    pub sums: &'a mut [i64],
    /// Weights on the left.
    pub weights: &'a mut [i64],
    /// Scores; negative infinity where there is no cut, or where the cut was left out.
    pub scores: &'a mut [f64],
}

with_eight! {
    /// Score cuts as [`scores`] does, and return the largest score. Sums and weights are written
    /// only for the cuts that are not left out.
    pub fn scan_cuts = scan(all: CutScan<'_>, state: &mut ScanState, out: CutBuffers<'_>) -> f64
}

/// [`scan_cuts`]: chunks of [`CHUNK`] cuts, the last one filled up with entries behind which no cut
/// lies.
///
/// # Safety
/// The calling function enables the features of `V`.
#[inline(always)]
unsafe fn scan<V: Eight>(all: CutScan<'_>, state: &mut ScanState, out: CutBuffers<'_>) -> f64 {
    let cuts = all.entries.len() - 1;
    let (entries, rest) = all.entries[..cuts].as_chunks::<CHUNK>();
    let (behind, rest_behind) = all.entries[1..].as_chunks::<CHUNK>();
    let CutBuffers { sums, weights, scores } = out;
    assert!(scores.len() >= cuts && sums.len() == scores.len() && weights.len() == scores.len());
    let (sums, weights) = (sums.as_chunks_mut::<CHUNK>().0, weights.as_chunks_mut::<CHUNK>().0);
    let scores = scores.as_chunks_mut::<CHUNK>().0;
    let mut out = sums.iter_mut().zip(weights).zip(scores);
    let mut top = f64::NEG_INFINITY;
    // SAFETY: the caller has checked the features.
    unsafe {
        let mut lanes = ScanLanes::<V> {
            weight: V::splat_int(state.weight),
            sum: V::splat_int(state.sum),
            node: NodeLanes::of(&all.of, all.whole),
        };
        for ((entries, behind), out) in entries.iter().zip(behind).zip(&mut out) {
            top = lanes.score_chunk(&all, (entries, behind), &mut state.bound, out, top);
        }
        if !rest.is_empty()
            && let Some(out) = out.next()
        {
            // No cut lies behind the entries that fill the chunk.
            let (mut entries, mut behind) = ([rest[0]; CHUNK], [1; CHUNK]);
            entries[..rest.len()].copy_from_slice(rest);
            behind[..rest.len()].copy_from_slice(rest_behind);
            top = lanes.score_chunk(&all, (&entries, &behind), &mut state.bound, out, top);
        }
        (state.weight, state.sum) = (V::int_array(lanes.weight)[0], V::int_array(lanes.sum)[0]);
    }
    top
}

/// The [`NodeNumbers`] of a node, each in all lanes.
struct NodeLanes<V: Eight> {
    weight: V::Floats,
    mean_fraction: V::Floats,
    /// The largest number below the least weight on a side.
    below_least: V::Floats,
    scale: V::Floats,
    whole: V::Ints,
    weight_bits: V::Ints,
}

impl<V: Eight> NodeLanes<V> {
    /// The numbers of a node in all lanes. The least weight becomes the largest number below it, as
    /// there is only a comparison by `>`.
    ///
    /// # Safety
    /// The calling function enables the features of `V`.
    #[inline(always)]
    unsafe fn of(of: &NodeNumbers, whole: i64) -> Self {
        // SAFETY: the caller has checked the features.
        unsafe {
            Self {
                weight: V::splat(of.weight),
                mean_fraction: V::splat(of.mean_fraction),
                below_least: V::splat(of.least.next_down()),
                scale: V::splat(of.scale),
                whole: V::splat_int(whole),
                weight_bits: V::splat_int((1 << WEIGHT_BITS) - 1),
            }
        }
    }

    /// The weights and sums of packed rows: [`weight_of`] and [`sum_of`] of each lane.
    ///
    /// # Safety
    /// The calling function enables the features of `V`.
    #[inline(always)]
    unsafe fn unpacked(&self, rows: V::Ints) -> (V::Ints, V::Ints) {
        // SAFETY: as above.
        unsafe { (V::and_int(rows, self.weight_bits), V::shr::<WEIGHT_BITS>(rows)) }
    }

    /// Sums less `whole` per unit of weight. All integers, so that large means leave no rounding in
    /// the differences.
    ///
    /// # Safety
    /// The calling function enables the features of `V`.
    #[inline(always)]
    unsafe fn differences(&self, weights: V::Ints, sums: V::Ints) -> V::Ints {
        // SAFETY: as above.
        unsafe { V::sub_int(sums, V::mul_int(weights, self.whole)) }
    }

    /// [`NodeNumbers::square`] and [`NodeNumbers::product`] of cuts, and the lanes that are cuts.
    /// The score of a lane is the quotient of the first two, which callers divide only where it may
    /// win.
    ///
    /// # Safety
    /// The calling function enables the features of `V`.
    #[inline(always)]
    unsafe fn square_and_product(
        &self,
        weights: V::Ints,
        differences: V::Ints,
    ) -> (V::Floats, V::Floats, V::Mask) {
        // SAFETY: as above.
        unsafe {
            let left = V::to_float(weights);
            let right = V::sub(self.weight, left);
            let are_cuts = V::gt(V::min(left, right), self.below_least);
            let difference = V::sub(V::to_float(differences), V::mul(left, self.mean_fraction));
            let square = V::mul(V::mul(difference, difference), self.scale);
            (square, V::mul(left, right), are_cuts)
        }
    }
}

/// The lanes of a scan: weight and sum on the left of the next entry, each in all lanes, and the
/// node.
struct ScanLanes<V: Eight> {
    weight: V::Ints,
    sum: V::Ints,
    node: NodeLanes<V>,
}

impl<V: Eight> ScanLanes<V> {
    /// Score a chunk of cuts: the entries before and behind them. Returns the larger of `top` and
    /// their largest score. The bound rises with the largest score.
    ///
    /// # Safety
    /// The calling function enables the features of `V`.
    #[inline(always)]
    unsafe fn score_chunk(
        &mut self,
        all: &CutScan<'_>,
        (entries, behind): (&[u32; CHUNK], &[u32; CHUNK]),
        bound: &mut f64,
        ((sums, weights), scores): ((&mut [i64; CHUNK], &mut [i64; CHUNK]), &mut [f64; CHUNK]),
        top: f64,
    ) -> f64 {
        let row = |j: usize| all.rows[(entries[j] >> 1) as usize];
        let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
        // SAFETY: the caller has checked the features.
        unsafe {
            let (own_weights, own_sums) = self.node.unpacked(V::ints(rows));
            let left = V::add_int(V::prefix_sums(own_weights), self.weight);
            let sum = V::add_int(V::prefix_sums(own_sums), self.sum);
            (self.weight, self.sum) = (V::splat_last(left), V::splat_last(sum));
            let differences = self.node.differences(left, sum);
            let (squares, products, are_cuts) = self.node.square_and_product(left, differences);
            let are_cuts = V::and(are_cuts, V::is_even(V::ints(behind.map(i64::from))));
            // Most chunks have no cut above the bound.
            let above = V::gt(squares, V::mul(V::splat(*bound), products));
            if !V::any(V::and(above, are_cuts)) {
                *scores = [f64::NEG_INFINITY; CHUNK];
                return top;
            }
            (*sums, *weights) = (V::int_array(differences), V::int_array(left));
            let none = V::splat(f64::NEG_INFINITY);
            *scores = V::float_array(V::select(are_cuts, V::div(squares, products), none));
        }
        let here = largest(*scores);
        if here <= top {
            return top;
        }
        let lower = all.of.bound_below(here);
        *bound = if lower > *bound { lower } else { *bound };
        here
    }
}

/// Keep the larger number of each lane.
#[inline(always)]
fn keep_larger(top: &mut [f64; CHUNK], scores: &[f64; CHUNK]) {
    for j in 0..CHUNK {
        top[j] = if scores[j] > top[j] { scores[j] } else { top[j] };
    }
}

/// The largest of the numbers in the lanes.
#[inline(always)]
fn largest(lanes: [f64; CHUNK]) -> f64 {
    let mut lanes = lanes;
    for half in [4, 2, 1] {
        for j in 0..half {
            lanes[j] = if lanes[j + half] > lanes[j] { lanes[j + half] } else { lanes[j] };
        }
    }
    lanes[0]
}

/// The rows of a node of at most 64, packed, by their numbers in its orders.
pub type SmallRows = [i64; ROWS];

/// The cuts of some features of a small node.
#[derive(Debug, Clone, Copy)]
pub struct SmallNodeCuts<'a> {
    /// The orders of the features. Cut `j` has the entries `0..=j` on its left, and there is none
    /// between equal values.
    pub orders: &'a Orders,
    /// The features to score: the index of the order of each, and its number.
    pub features: &'a [(usize, u32)],
    /// Number of cuts of each feature.
    pub cuts: usize,
    /// The node's rows.
    pub rows: &'a SmallRows,
    /// Integer part of the mean, which is subtracted from the sums per unit of weight.
    pub whole: i64,
    /// Numbers of the node.
    pub of: NodeNumbers,
}

/// The best cut of each of [`CHUNK`] features. Its score is the largest one of the feature up to a
/// rounding, because quotients are compared by products.
#[derive(Debug, Clone, Copy, Default)]
pub struct BestCuts {
    /// Score of the cut; negative infinity where there is no cut.
    pub scores: [f64; CHUNK],
    /// The largest score of the feature's other cuts.
    pub others: [f64; CHUNK],
    /// Number of the cut.
    pub cuts: [i64; CHUNK],
    /// Weight on the left of the cut.
    pub weights: [i64; CHUNK],
    /// Sum on the left of the cut, less `whole` per unit of weight.
    pub sums: [i64; CHUNK],
}

with_eight! {
    /// Find the best cut of each feature, and return the largest of their scores. The lanes behind
    /// the last feature repeat it.
    pub fn best_cuts = find_best(all: SmallNodeCuts<'_>, found: &mut Vec<BestCuts>) -> f64
}

/// [`best_cuts`]: eight features at a time, one per lane, each with its own order.
///
/// # Safety
/// The calling function enables the features of `V`.
#[inline(always)]
unsafe fn find_best<V: Eight>(all: SmallNodeCuts<'_>, found: &mut Vec<BestCuts>) -> f64 {
    let SmallNodeCuts { orders, features, cuts, rows, whole, of } = all;
    found.resize(features.len().div_ceil(CHUNK), BestCuts::default());
    let mut top = [f64::NEG_INFINITY; CHUNK];
    // SAFETY: the caller has checked the features.
    unsafe {
        let node = NodeLanes::<V>::of(&of, whole);
        for (features, found) in features.chunks(CHUNK).zip(found) {
            let last = features.len() - 1;
            let places: [usize; CHUNK] = std::array::from_fn(|lane| features[lane.min(last)].0);
            let tied = V::ints(places.map(|place| (orders.tied[place] >> 1) as i64));
            let lanes = OrderLanes { orders: places.map(|place| &orders.rows[place]), rows };
            node.find_best(&lanes, tied, cuts, found);
            keep_larger(&mut top, &found.scores);
        }
    }
    largest(top)
}

/// The orders of [`CHUNK`] features of a small node.
struct OrderLanes<'a> {
    orders: [&'a Bytes; CHUNK],
    rows: &'a SmallRows,
}

impl OrderLanes<'_> {
    /// The packed rows at one place of the orders, a lane per feature. Row numbers are taken modulo
    /// 64, so that no check is needed.
    ///
    /// # Safety
    /// The calling function enables the features of `V`.
    #[inline(always)]
    unsafe fn at<V: Eight>(&self, place: usize) -> V::Ints {
        let row = |lane: usize| self.rows[usize::from(self.orders[lane].0[place]) % ROWS];
        // SAFETY: the caller has checked the features.
        unsafe { V::ints([row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)]) }
    }
}

impl<V: Eight> NodeLanes<V> {
    /// The best cut of each lane and the largest score of its other cuts; bit `j` of `tied` says
    /// that cut `j` is none. Among equal cuts the first is kept.
    ///
    /// # Safety
    /// The calling function enables the features of `V`.
    #[inline(always)]
    unsafe fn find_best(
        &self,
        lanes: &OrderLanes<'_>,
        tied: V::Ints,
        cuts: usize,
        found: &mut BestCuts,
    ) {
        // SAFETY: the caller has checked the features.
        unsafe {
            let (zero, none) = (V::splat_int(0), (V::splat(-1.0), V::splat(1.0)));
            let (mut weights, mut sums, mut tied) = (zero, zero, tied);
            // Square and product of the best cut of each lane, and of the best of the others; a
            // square of -1 is below the square of any cut.
            let (mut best, mut other) = (none, none);
            let (mut best_cut, mut best_weights, mut best_sums) = (zero, zero, zero);
            for cut in 0..cuts.min(ROWS - 1) {
                // The next entry of each order passes to the left.
                let (own_weights, own_sums) = self.unpacked(lanes.at::<V>(cut));
                (weights, sums) = (V::add_int(weights, own_weights), V::add_int(sums, own_sums));
                let differences = self.differences(weights, sums);
                let (square, product, are_cuts) = self.square_and_product(weights, differences);
                let are_cuts = V::and(are_cuts, V::is_even(tied));
                tied = V::shr::<1>(tied);
                let square = V::select(are_cuts, square, none.0);
                let here = (square, V::select(are_cuts, product, none.1));
                // The best of each lane, the first of equal ones.
                let better = is_larger::<V>(here, best);
                let lower = (V::select(better, best.0, here.0), V::select(better, best.1, here.1));
                let second = is_larger::<V>(lower, other);
                other = (V::select(second, lower.0, other.0), V::select(second, lower.1, other.1));
                best = (V::select(better, here.0, best.0), V::select(better, here.1, best.1));
                best_cut = V::select_int(better, V::splat_int(cut as i64), best_cut);
                best_weights = V::select_int(better, weights, best_weights);
                best_sums = V::select_int(better, differences, best_sums);
            }
            let scores = |(square, product)| {
                let is_cut = V::gt(square, none.0);
                let score = V::div(square, product);
                V::float_array(V::select(is_cut, score, V::splat(f64::NEG_INFINITY)))
            };
            (found.scores, found.others) = (scores(best), scores(other));
            (found.cuts, found.weights) = (V::int_array(best_cut), V::int_array(best_weights));
            found.sums = V::int_array(best_sums);
        }
    }
}

/// The lanes where the quotient of a square and a product is above the quotient of another pair,
/// without a division. Both products are positive.
///
/// # Safety
/// The calling function enables the features of `V`.
#[inline(always)]
unsafe fn is_larger<V: Eight>(
    one: (V::Floats, V::Floats),
    other: (V::Floats, V::Floats),
) -> V::Mask {
    // SAFETY: the caller has checked the features.
    unsafe { V::gt(V::mul(one.0, other.1), V::mul(other.0, one.1)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;
    use crate::simd::Level;

    #[test]
    fn all_levels_give_the_scores_of_the_formula() {
        let n = 64;
        let weights: Vec<i64> = (0..n as u64).map(|j| (mix(1, j) % 90) as i64).collect();
        let sums: Vec<i64> = (0..n as u64).map(|j| mix(2, j) as i64 >> (j % 60)).collect();
        let of = NodeNumbers { weight: 80.0, mean_fraction: 0.375, least: 3.0, scale: 0.5 };
        let expected: Vec<f64> = sums
            .iter()
            .zip(&weights)
            .map(|(&sum, &weight)| {
                let left = weight as f64;
                let difference = sum as f64 - left * of.mean_fraction;
                match (3..=77).contains(&weight) {
                    true => difference * difference * of.scale / (left * (80.0 - left)),
                    false => f64::NEG_INFINITY,
                }
            })
            .collect();
        for level in Level::available() {
            let mut out = vec![0.0; n];
            let top = scores(level, &sums, &weights, of, &mut out);
            assert_eq!(out, expected, "{level:?}");
            assert_eq!(top, expected.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        }
    }

    /// Rows of a small weight and number, packed.
    fn rows(seed: u64, len: usize) -> Vec<i64> {
        let row = |i: u64| {
            let weight = if seed.is_multiple_of(2) { 1 } else { 1 + mix(seed, i) % 2047 };
            packed_row(weight as i64, (mix(seed + 1, i) % 4001) as i64 - 2000).unwrap()
        };
        (0..len as u64).map(row).collect()
    }

    #[test]
    fn packed_rows_have_their_weights_and_sums() {
        for (weight, units) in [(0, 7), (1, -1), (3, 1 << 40), (2047, -(1 << 40)), (2047, 0)] {
            let row = packed_row(weight, units).unwrap();
            assert_eq!((weight_of(row), sum_of(row)), (weight, weight * units));
        }
        assert_eq!(packed_row(2048, 1), None);
    }

    #[test]
    fn scans_leave_out_what_cannot_be_best_and_no_more() {
        let mut left_out = 0;
        for seed in 0..300 {
            let draw = |what: u64, i: usize| mix(mix(seed, what), i as u64);
            let len = 2 + draw(0, 0) as usize % 200;
            let rows = rows(seed, len);
            let mut order: Vec<usize> = (0..len).collect();
            order.sort_by_key(|&row| draw(3, row));
            let tied = |i: usize| i > 0 && draw(4, i) % 4 == 0;
            let entry = |i: usize| (order[i] as u32) << 1 | u32::from(tied(i));
            let entries: Vec<u32> = (0..len).map(entry).collect();
            let weight = rows.iter().map(|&row| weight_of(row)).sum::<i64>() as f64;
            let of = NodeNumbers {
                weight,
                mean_fraction: 0.25,
                least: 1.0 + (seed % 3) as f64,
                scale: 2.0,
            };
            let whole = draw(5, 0) as i64 % 5;
            // All cuts.
            let filled = (len - 1).next_multiple_of(CHUNK);
            let (mut sums, mut weights) = (vec![0; filled], vec![0; filled]);
            let (mut sum, mut weight) = (0, 0);
            for j in 0..len - 1 {
                weight += weight_of(rows[order[j]]);
                sum += sum_of(rows[order[j]]);
                sums[j] = sum - whole * weight;
                weights[j] = if tied(j + 1) { 0 } else { weight };
            }
            let mut expected = vec![0.0; filled];
            let top = scores(Level::Plain, &sums, &weights, of, &mut expected);
            // Scanned in two stretches.
            let first = (len - 1) / 2 / CHUNK * CHUNK;
            for level in Level::available() {
                let mut state = ScanState { weight: 0, sum: 0, bound: f64::NEG_INFINITY };
                let mut largest = f64::NEG_INFINITY;
                for stretch in [0..first, first..len - 1].into_iter().filter(|s| !s.is_empty()) {
                    let cuts = stretch.len().next_multiple_of(CHUNK);
                    let (mut s, mut w, mut out) = (vec![0; cuts], vec![0; cuts], vec![0.0; cuts]);
                    let out_of = CutBuffers { sums: &mut s, weights: &mut w, scores: &mut out };
                    let entries = &entries[stretch.start..=stretch.end];
                    let scan = CutScan { entries, rows: &rows, whole, of };
                    let here = scan_cuts(level, scan, &mut state, out_of);
                    largest = if here > largest { here } else { largest };
                    for (j, cut) in stretch.enumerate() {
                        if out[j] > f64::NEG_INFINITY {
                            assert_eq!((s[j], w[j]), (sums[cut], weights[cut]));
                            assert_eq!(out[j], expected[cut]);
                        } else {
                            let bound = of.bound_below(top);
                            assert!(expected[cut] <= bound || expected[cut] == out[j]);
                            left_out += usize::from(expected[cut] > out[j]);
                        }
                    }
                }
                assert_eq!(largest, top);
            }
        }
        assert!(left_out > 10_000, "{left_out} cuts were left out");
    }

    #[test]
    fn the_best_cut_of_each_feature_has_its_largest_score_but_for_a_rounding() {
        for seed in 0..200 {
            let draw = |what: u64, i: usize| mix(mix(seed, what), i as u64);
            let len = 2 + draw(0, 0) as usize % 63;
            let mut all = [0; ROWS];
            all[..len].copy_from_slice(&rows(seed, len));
            let mut orders = Orders::default();
            for f in 0..12 {
                let mut order: Vec<usize> = (0..len).collect();
                order.sort_by_key(|&row| draw(3 + f as u64, row));
                let mut bytes = Bytes::default();
                order.iter().enumerate().for_each(|(i, &row)| bytes.0[i] = row as u8);
                orders.rows.push(bytes);
                orders.tied.push(draw(20, f) & draw(21, f));
            }
            // Some of the features, in a group and a part of one.
            let features: Vec<(usize, u32)> = (1..12).map(|f| (f, f as u32 + 100)).collect();
            let weight: i64 = all.iter().map(|&row| weight_of(row)).sum();
            let of =
                NodeNumbers { weight: weight as f64, mean_fraction: 0.25, least: 2.0, scale: 2.0 };
            let whole = draw(30, 0) as i64 % 5;
            for level in Level::available() {
                let (orders, features) = (&orders, &features[..]);
                let (cuts, rows, mut found) = (len - 1, &all, Vec::new());
                let node = SmallNodeCuts { orders, features, cuts, rows, whole, of };
                let largest = best_cuts(level, node, &mut found);
                let mut tops = Vec::new();
                for (i, &(place, _)) in features.iter().enumerate() {
                    let (found, f) = (&found[i / CHUNK], i % CHUNK);
                    let (mut sums, mut weights) = (vec![0; 64], vec![0; 64]);
                    let (mut sum, mut weight) = (0, 0);
                    for (j, &row) in orders.rows[place].0[..len - 1].iter().enumerate() {
                        sum += sum_of(all[usize::from(row)]);
                        weight += weight_of(all[usize::from(row)]);
                        let is_cut = orders.tied[place] >> (j + 1) & 1 == 0;
                        sums[j] = sum - whole * weight;
                        weights[j] = if is_cut { weight } else { 0 };
                    }
                    let mut all = vec![0.0; 64];
                    let top = scores(level, &sums, &weights, of, &mut all);
                    let near = |a: f64, b: f64| a == b || (a - b).abs() <= 4.0 * f64::EPSILON * b;
                    assert!(near(found.scores[f], top), "{} {top}", found.scores[f]);
                    if top > f64::NEG_INFINITY {
                        let cut = found.cuts[f] as usize;
                        assert_eq!(found.scores[f], all.remove(cut));
                        assert_eq!((found.weights[f], found.sums[f]), (weights[cut], sums[cut]));
                    }
                    let other = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    assert!(near(found.others[f], other), "{} {other}", found.others[f]);
                    tops.push(found.scores[f]);
                }
                assert_eq!(largest, tops.into_iter().fold(f64::NEG_INFINITY, f64::max));
            }
        }
    }
}

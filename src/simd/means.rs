//! Estimated scores of the cuts of a node by the means of a numeric target, one cut per lane of a
//! vector ([`scores`]) or one feature per lane ([`best_cuts`]).
//!
//! All levels do the same operations on each lane, so they give the same bits.

use super::level::for_each_level;
use super::short::{Bytes, ROWS};

/// The length of slices of cuts is a multiple of this: the lanes of the longest vectors.
pub const CHUNK: usize = 8;

/// What the cuts of a node share.
#[derive(Debug, Clone, Copy)]
pub struct NodeNumbers {
    /// Weight of all rows.
    pub weight: f64,
    /// What a unit of weight adds to the sums that are to be 0 for all rows together.
    pub rest: f64,
    /// Least weight on each side of a cut, at least 1.
    pub least: f64,
    /// Value of a score of 1.
    pub scale: f64,
}

impl NodeNumbers {
    /// The score of a cut, in units of `scale`, per squared difference; `left` is the weight on its
    /// left. Negative infinity where there is no cut.
    #[inline(always)]
    fn factor(&self, left: f64) -> f64 {
        let right = self.weight - left;
        let least = if left < right { left } else { right };
        if least >= self.least { 1.0 / (left * right) } else { f64::NEG_INFINITY }
    }

    /// The score of a cut with this sum and weight on its left, as [`scores`] computes it.
    #[inline(always)]
    pub fn score_of_cut(&self, sum: i64, left: i64) -> f64 {
        let left = left as f64;
        self.score(sum as f64, left, self.factor(left))
    }

    /// The score of a cut with this sum on its left, from its [`Self::factor`].
    #[inline(always)]
    fn score(&self, sum: f64, left: f64, factor: f64) -> f64 {
        let difference = sum - left * self.rest;
        let score = difference * difference * factor * self.scale;
        if factor > 0.0 { score } else { f64::NEG_INFINITY }
    }
}

/// The scores of a chunk of cuts.
#[inline(always)]
fn scores_of(sums: &[i64; CHUNK], weights: &[i64; CHUNK], of: NodeNumbers) -> [f64; CHUNK] {
    // A loop over the lanes without a branch, of which the compiler makes vectors.
    let mut scores = [0.0; CHUNK];
    for j in 0..CHUNK {
        scores[j] = of.score_of_cut(sums[j], weights[j]);
    }
    scores
}

for_each_level! {
    /// Write `D^2 / (V (W - V))` for each cut, where `V` of the weight `W` is on its left and `D`
    /// is the sum on its left less `V` times `rest`; return the largest. Cuts with too small a
    /// weight on a side have negative infinity.
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

for_each_level! {
    /// [`scores`] among rows that weigh 1: cut `j` has `first + j` of them on its left, and is none
    /// where the entry `behind[j]` of the order has the value of the entry before it, which its
    /// lowest bit says.
    pub fn scores_of_rows(
        sums: &[i64],
        first: usize,
        behind: &[u32],
        of: NodeNumbers,
        out: &mut [f64],
    ) -> f64 {
        assert!(sums.len() == out.len() && behind.len() == out.len());
        assert!(out.len().is_multiple_of(CHUNK));
        let mut top = [f64::NEG_INFINITY; CHUNK];
        let (sums, _) = sums.as_chunks::<CHUNK>();
        let (behind, _) = behind.as_chunks::<CHUNK>();
        let (out, _) = out.as_chunks_mut::<CHUNK>();
        let mut left: [i64; CHUNK] = std::array::from_fn(|j| (first + j) as i64);
        for ((sums, behind), out) in sums.iter().zip(behind).zip(out) {
            let mut weights = [0; CHUNK];
            for j in 0..CHUNK {
                weights[j] = left[j] & (i64::from(behind[j] & 1) - 1);
                left[j] += CHUNK as i64;
            }
            *out = scores_of(sums, &weights, of);
            keep_larger(&mut top, out);
        }
        largest(top)
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

/// The rows of a node of at most 64, by their numbers in its orders.
#[derive(Debug, Clone, Copy)]
pub struct RowNumbers {
    /// What each adds to the sums.
    pub sums: [i64; ROWS],
    /// Weight of each.
    pub weights: [i64; ROWS],
    /// Whether all weigh 1.
    pub weigh_one: bool,
}

/// The cuts of [`CHUNK`] features of a small node.
#[derive(Debug, Clone, Copy)]
pub struct SmallNodeCuts<'a> {
    /// The order of each feature: cut `j` has its entries `0..=j` on the left.
    pub orders: [&'a Bytes; CHUNK],
    /// Bit `i`: entry `i` has the value of the entry before it, so that cut `i - 1` is none.
    pub tied: [u64; CHUNK],
    /// Number of cuts of each feature.
    pub cuts: usize,
    /// The node's rows.
    pub rows: &'a RowNumbers,
    /// What is taken off the sums per unit of weight.
    pub whole: i64,
    /// The node.
    pub of: NodeNumbers,
}

/// The best cut of each of [`CHUNK`] features.
#[derive(Debug, Clone, Copy)]
pub struct BestCuts {
    /// Its score; negative infinity where there is no cut.
    pub scores: [f64; CHUNK],
    /// The largest score of the feature's other cuts.
    pub others: [f64; CHUNK],
    /// Number of the cut.
    pub cuts: [i64; CHUNK],
}

for_each_level! {
    /// Find the best cut of each feature, scored as by [`scores`].
    pub fn best_cuts(of: SmallNodeCuts<'_>) -> BestCuts {
        // Where all rows weigh 1, a cut has the same weight on its left in all features.
        match of.rows.weigh_one {
            true => best_of_cuts::<true>(of),
            false => best_of_cuts::<false>(of),
        }
    }
}

#[inline(always)]
fn best_of_cuts<const WEIGH_ONE: bool>(all: SmallNodeCuts<'_>) -> BestCuts {
    let SmallNodeCuts { orders, mut tied, cuts, rows, whole, of } = all;
    let mut best = BestCuts {
        scores: [f64::NEG_INFINITY; CHUNK],
        others: [f64::NEG_INFINITY; CHUNK],
        cuts: [0; CHUNK],
    };
    let (mut sums, mut weights) = ([0_i64; CHUNK], [0_i64; CHUNK]);
    for cut in 0..cuts.min(ROWS - 1) {
        // The next entry of each order passes to the left.
        let mut scores = [f64::NEG_INFINITY; CHUNK];
        for j in 0..CHUNK {
            let row = orders[j].0[cut] as usize % ROWS;
            sums[j] += rows.sums[row];
            if !WEIGH_ONE {
                weights[j] += rows.weights[row];
            }
            tied[j] >>= 1;
        }
        if WEIGH_ONE {
            let all = cut as i64 + 1;
            let (left, shift) = (all as f64, whole * all);
            let factor = of.factor(left);
            if factor == f64::NEG_INFINITY {
                continue;
            }
            for j in 0..CHUNK {
                scores[j] = of.score((sums[j] - shift) as f64, left, factor);
            }
        } else {
            for j in 0..CHUNK {
                scores[j] = of.score_of_cut(sums[j] - whole * weights[j], weights[j]);
            }
        }
        for j in 0..CHUNK {
            scores[j] = if tied[j] & 1 == 0 { scores[j] } else { f64::NEG_INFINITY };
        }
        // The best of each lane, the first of equal ones.
        for j in 0..CHUNK {
            let (score, top, other) = (scores[j], best.scores[j], best.others[j]);
            let lower = if score > top { top } else { score };
            best.others[j] = if lower > other { lower } else { other };
        }
        for j in 0..CHUNK {
            let better = scores[j] > best.scores[j];
            best.cuts[j] = if better { cut as i64 } else { best.cuts[j] };
        }
        for j in 0..CHUNK {
            let (score, top) = (scores[j], best.scores[j]);
            best.scores[j] = if score > top { score } else { top };
        }
    }
    best
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
        let of = NodeNumbers { weight: 80.0, rest: 0.375, least: 3.0, scale: 0.5 };
        let expected: Vec<f64> = sums
            .iter()
            .zip(&weights)
            .map(|(&sum, &weight)| {
                let left = weight as f64;
                let difference = sum as f64 - left * of.rest;
                match (3..=77).contains(&weight) {
                    true => difference * difference * (1.0 / (left * (80.0 - left))) * of.scale,
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

    #[test]
    fn rows_that_weigh_one_are_scored_by_their_places() {
        for n in (CHUNK as u64..=64).step_by(CHUNK) {
            let first = 1 + (mix(3, n) % 9) as i64;
            let sums: Vec<i64> = (0..n).map(|j| mix(4, j) as i64 >> 40).collect();
            let behind: Vec<u32> = (0..n).map(|j| mix(5, j) as u32 % 4).collect();
            let tied = |j: usize| behind[j] & 1 == 1;
            let weights: Vec<i64> =
                (0..n as usize).map(|j| if tied(j) { 0 } else { first + j as i64 }).collect();
            let of = NodeNumbers { weight: 90.0, rest: 0.375, least: 2.0, scale: 0.5 };
            for level in Level::available() {
                let (mut found, mut expected) = (vec![0.0; n as usize], vec![0.0; n as usize]);
                let top = scores_of_rows(level, &sums, first as usize, &behind, of, &mut found);
                assert_eq!(top, scores(level, &sums, &weights, of, &mut expected));
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn the_best_cut_of_each_feature_is_the_first_of_its_largest_score() {
        for seed in 0..200 {
            let draw = |what: u64, i: usize| mix(mix(seed, what), i as u64);
            let len = 2 + draw(0, 0) as usize % 63;
            let weigh_one = seed % 2 == 0;
            let mut rows = RowNumbers { sums: [0; ROWS], weights: [1; ROWS], weigh_one };
            for row in 0..len {
                rows.sums[row] = draw(1, row) as i64 % 9;
                rows.weights[row] = if weigh_one { 1 } else { 1 + (draw(2, row) % 3) as i64 };
            }
            let orders: [Bytes; CHUNK] = std::array::from_fn(|f| {
                let mut order: Vec<usize> = (0..len).collect();
                order.sort_by_key(|&row| draw(3 + f as u64, row));
                let mut bytes = Bytes::default();
                order.iter().enumerate().for_each(|(i, &row)| bytes.0[i] = row as u8);
                bytes
            });
            let tied: [u64; CHUNK] = std::array::from_fn(|f| draw(20, f) & draw(21, f));
            let weight: i64 = rows.weights[..len].iter().sum();
            let of = NodeNumbers { weight: weight as f64, rest: 0.25, least: 2.0, scale: 2.0 };
            let whole = draw(30, 0) as i64 % 5;
            for level in Level::available() {
                let (orders, cuts, rows) = (orders.each_ref(), len - 1, &rows);
                let found = best_cuts(level, SmallNodeCuts { orders, tied, cuts, rows, whole, of });
                for f in 0..CHUNK {
                    let (mut sums, mut weights) = (vec![0; 64], vec![0; 64]);
                    let (mut sum, mut weight) = (0, 0);
                    for (j, &row) in orders[f].0[..len - 1].iter().enumerate() {
                        sum += rows.sums[usize::from(row)];
                        weight += rows.weights[usize::from(row)];
                        let is_cut = tied[f] >> (j + 1) & 1 == 0;
                        sums[j] = sum - whole * weight;
                        weights[j] = if is_cut { weight } else { 0 };
                    }
                    let mut all = vec![0.0; 64];
                    let top = scores(level, &sums, &weights, of, &mut all);
                    assert_eq!(found.scores[f], top);
                    if top > f64::NEG_INFINITY {
                        let at = all.iter().position(|&score| score == top).unwrap();
                        assert_eq!(found.cuts[f], at as i64);
                        all.remove(at);
                    }
                    let other = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    assert_eq!(found.others[f], other);
                }
            }
        }
    }
}

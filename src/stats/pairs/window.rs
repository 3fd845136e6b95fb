//! Which distances are worth counters: the rest is so rare that its pairs are looked at one by one.
//!
//! A distance with counters costs a decoding and a carry-save addition for every step of every
//! chunk, however few pairs have it; a pair outside the window costs a comparison of two rows. The
//! window is the run of distances with the largest saving, judged by the previous tile (or, for the
//! first, by a sample of rows); a wrong guess costs time, never exactness.

use super::input::SlotRows;
use crate::simd::{Buffer, Kernels, Window};

/// Rough cost of a pair looked at by itself, in units of a decoding and addition on a vector of so
/// many words.
fn single(features: usize, words: usize) -> f64 {
    (20.0 + 3.0 * features as f64) * if words == 8 { 1.0 } else { 0.8 }
}

/// The best window, given how many pairs of a tile with `rows` rows have each distance, the `steps`
/// of a row, and the popcounts (`flushes`) that reading a counter costs, about a unit each;
/// `longest` is the most that it may be.
///
/// A plane more in the numbers costs about a third of a unit for each row and feature, so windows
/// of 7, 15, 31 ... distances are weighed against the longer one.
pub(super) fn choose(
    pairs: &[f64],
    rows: f64,
    steps: f64,
    flushes: f64,
    (words, longest): (usize, usize),
) -> Window {
    cheapest(pairs, rows, steps, flushes, (words, longest)).0
}

/// [`choose`], and what the window costs.
pub(super) fn cheapest(
    pairs: &[f64],
    rows: f64,
    steps: f64,
    flushes: f64,
    (words, longest): (usize, usize),
) -> (Window, f64) {
    let features = pairs.len() - 1;
    let mut sums = vec![0.0; pairs.len() + 1];
    for (d, p) in pairs.iter().enumerate() {
        sums[d + 1] = sums[d] + p;
    }
    let all = sums[pairs.len()];
    let cost = |first: usize, length: usize| {
        let outside = all - (sums[first + length] - sums[first]);
        let planes = (usize::BITS - length.leading_zeros()) as f64;
        let counters = length as f64 * (rows * steps + flushes);
        counters + 0.35 * rows * features as f64 * planes + outside * single(features, words)
    };
    let mut best = (f64::INFINITY, 0, 1);
    for length in 1..=pairs.len().min(longest) {
        // the heaviest run of this length
        let heaviest = |a: &usize, b: &usize| {
            (sums[a + length] - sums[*a]).total_cmp(&(sums[b + length] - sums[*b]))
        };
        let first = (0..=pairs.len() - length).max_by(heaviest).unwrap_or(0);
        if cost(first, length) < best.0 {
            best = (cost(first, length), first, length);
        }
    }
    (Window { features, first: best.1, length: best.2 }, best.0)
}

/// Pairs by distance of a tile, estimated from up to 32 active rows.
pub(super) fn sample(
    kernels: Kernels,
    planes: &[u64],
    valid: &[u64],
    active: &SlotRows,
) -> Vec<f64> {
    let (n, w) = (active.features, kernels.words());
    let depth = (usize::BITS - n.leading_zeros()) as usize;
    let mut sum = Buffer::zeroed(depth * w);
    let mut pairs = vec![0.0; n + 1];
    let step = active.len().div_ceil(32).max(1);
    for i in (0..active.len()).step_by(step) {
        kernels.agreements(planes, active.row(i), depth, &mut sum);
        for (word, &valid) in valid.iter().enumerate() {
            let mut columns = valid;
            while columns != 0 {
                let bit = columns.trailing_zeros();
                columns &= columns - 1;
                let equal =
                    (0..depth).fold(0, |a, p| a | ((sum[p * w + word] >> bit & 1) as usize) << p);
                pairs[n - equal] += step as f64;
            }
        }
    }
    pairs
}

//! Which distances are worth counters: the rest is so rare that its pairs are looked at one by one.
//!
//! A distance with counters costs a decoding and a carry-save addition for every step of every chunk, however few pairs
//! have it; a pair outside the window costs a comparison of two rows. The window is the run of distances with the
//! largest saving, judged by the previous tile (or, for the first, by a sample of rows); a wrong guess costs time, never exactness.

use super::input::Rows;
use crate::simd::{Kernels, LONGEST_WINDOW, Window};

/// Rough cost of a pair looked at by itself, in units of a vector operation of a level with this many words.
fn single(features: usize, words: usize) -> f64 {
    (30.0 + 3.0 * features as f64) * if words == 8 { 0.7 } else { 0.5 }
}

/// The best window, given how many pairs of a tile with `rows` rows have each distance and `steps` a row.
pub(super) fn choose(pairs: &[f64], rows: f64, steps: f64, words: usize) -> Window {
    let features = pairs.len() - 1;
    let gain = |d: usize| pairs[d] * single(features, words) - rows * steps;
    let peak = (0..pairs.len()).fold(0, |a, d| if pairs[d] > pairs[a] { d } else { a });
    let (mut first, mut last) = (peak, peak);
    let (mut best, mut sum) = (0.0, 0.0);
    for d in (0..peak).rev() {
        sum += gain(d);
        if sum > best && peak - d < LONGEST_WINDOW {
            (best, first) = (sum, d);
        }
    }
    (best, sum) = (0.0, 0.0);
    for d in peak + 1..pairs.len() {
        sum += gain(d);
        if sum > best && d - first < LONGEST_WINDOW {
            (best, last) = (sum, d);
        }
    }
    Window { features, first, length: last + 1 - first }
}

/// Pairs by distance of a tile, estimated from up to 64 active rows.
pub(super) fn sample(kernels: Kernels, planes: &[u64], valid: &[u64], active: &Rows) -> Vec<f64> {
    let (n, w) = (active.features, kernels.words());
    let depth = (usize::BITS - n.leading_zeros()) as usize;
    let mut sum = vec![0u64; depth * w];
    let mut pairs = vec![0.0; n + 1];
    let step = active.len().div_ceil(64).max(1);
    for i in (0..active.len()).step_by(step) {
        kernels.agreements(planes, active.row(i), depth, &mut sum);
        for column in 0..64 * w {
            let (word, bit) = (column / 64, column % 64);
            if valid[word] >> bit & 1 == 1 {
                let equal = (0..depth).fold(0, |a, p| a | ((sum[p * w + word] >> bit & 1) as usize) << p);
                pairs[n - equal] += step as f64;
            }
        }
    }
    pairs
}

//! Chooses the window: the run of distances that have counters; rarer distances are handled pair by
//! pair.
//!
//! A distance in the window costs a decoding and a carry-save addition for every step of every
//! chunk, however few pairs have it. A pair outside the window costs a comparison of two rows. The
//! chosen window has the lowest estimated cost, given the pairs by distance of the previous tile
//! (for the first tile, of a sample of rows). A poor choice costs time, never exactness.

use super::input::SlotRows;
use crate::simd::{Buffer, Kernels, Window};

/// Cost of one pair that is compared by itself. The unit of costs is one decoding and carry-save
/// addition on a vector of `words` words; the numbers are rough, measured on both vector widths.
fn pair_cost(features: usize, words: usize) -> f64 {
    (20.0 + 3.0 * features as f64) * if words == 8 { 1.0 } else { 0.8 }
}

/// Cost of one more bit plane in the numbers that encode distances, per row and feature.
const PLANE_COST: f64 = 0.35;

/// What the cost of a window depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowCosts<'a> {
    /// Pairs of a tile by distance, `0..=features`.
    pub pairs: &'a [f64],
    /// Active rows.
    pub rows: f64,
    /// Additions per row and distance of the window.
    pub steps: f64,
    /// Cost of reading the counters of one distance: about 1 per popcount.
    pub flushes: f64,
    /// Words of a vector.
    pub words: usize,
    /// Most distances in the window.
    pub longest: usize,
}

/// The cheapest window and its cost per tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowChoice {
    pub window: Window,
    pub cost: f64,
}

impl WindowCosts<'_> {
    /// The window with the lowest estimated cost.
    ///
    /// Numbers of 1, 2, 3 ... bits encode windows of up to 1, 3, 7 ... distances, so the cost does
    /// not rise evenly with the length, and every length is tried.
    pub fn cheapest(&self) -> WindowChoice {
        let &Self { pairs, rows, steps, flushes, words, longest } = self;
        let features = pairs.len() - 1;
        // sums[d]: pairs at distances below d
        let mut sums = vec![0.0; pairs.len() + 1];
        for (d, p) in pairs.iter().enumerate() {
            sums[d + 1] = sums[d] + p;
        }
        let all = sums[pairs.len()];
        let cost = |first: usize, length: usize| {
            let outside = all - (sums[first + length] - sums[first]);
            let planes = (usize::BITS - length.leading_zeros()) as f64;
            let counters = length as f64 * (rows * steps + flushes);
            let numbers = PLANE_COST * rows * features as f64 * planes;
            counters + numbers + outside * pair_cost(features, words)
        };
        let mut best =
            WindowChoice { window: Window { features, first: 0, length: 1 }, cost: f64::INFINITY };
        for length in 1..=pairs.len().min(longest) {
            // the run of this length that holds the most pairs
            let fewer = |a: &usize, b: &usize| {
                (sums[a + length] - sums[*a]).total_cmp(&(sums[b + length] - sums[*b]))
            };
            let first = (0..=pairs.len() - length).max_by(fewer).unwrap_or(0);
            let cost = cost(first, length);
            if cost < best.cost {
                best = WindowChoice { window: Window { features, first, length }, cost };
            }
        }
        best
    }
}

/// Rows of the sample that estimates the pairs of the first tile.
const SAMPLE: usize = 32;

/// Pairs of a tile by distance, estimated from evenly spaced active rows; `planes` and `valid` are
/// the slots of the tile's columns and the columns in use.
pub(super) fn sample(
    kernels: Kernels,
    planes: &[u64],
    valid: &[u64],
    active: &SlotRows,
) -> Vec<f64> {
    let (features, words) = (active.features, kernels.words());
    let depth = (usize::BITS - features.leading_zeros()) as usize;
    let mut agreements = Buffer::zeroed(depth * words);
    let mut pairs = vec![0.0; features + 1];
    let step = active.len().div_ceil(SAMPLE).max(1);
    for i in (0..active.len()).step_by(step) {
        kernels.agreements(planes, active.row(i), depth, &mut agreements);
        for (word, &valid) in valid.iter().enumerate() {
            let mut columns = valid;
            while columns != 0 {
                let bit = columns.trailing_zeros();
                columns &= columns - 1;
                // gather the number of agreements of this column from its bit planes
                let equal = (0..depth).fold(0, |equal, plane| {
                    equal | ((agreements[plane * words + word] >> bit & 1) as usize) << plane
                });
                pairs[features - equal] += step as f64;
            }
        }
    }
    pairs
}

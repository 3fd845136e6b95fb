//! Chooses the window: the run of distances that have counters; rarer distances are handled pair by
//! pair.
//!
//! A distance in the window costs a decoding and a carry-save addition for every step of every
//! chunk, however few pairs have it. A pair outside the window costs a comparison of two rows. The
//! chosen window has the lowest estimated cost, given the pairs by distance of the previous tile
//! (for the first tile, of a sample of rows). A poor choice costs time, never exactness.

use super::input::{SlotRows, distance};
use crate::simd::Window;

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

/// Columns, and active rows, in the sample that estimates the pairs by distance.
const SAMPLED: usize = 64;

/// At most `most` of `rows` row numbers, evenly spaced.
pub(super) fn spaced(rows: usize, most: usize) -> impl Iterator<Item = usize> + Clone {
    let count = rows.min(most);
    (0..count).map(move |i| i * rows / count)
}

/// Pairs of `width` columns with all active rows by distance, estimated from a sample without
/// self-pairs.
pub(super) fn sample(columns: &SlotRows, active: &SlotRows, width: usize) -> Vec<f64> {
    let same_rows = std::ptr::eq(columns, active);
    let mut pairs = vec![0.0; active.features + 1];
    let mut sampled = 0.0;
    for i in spaced(columns.len(), SAMPLED) {
        for j in spaced(active.len(), SAMPLED).filter(|j| !(same_rows && *j == i)) {
            pairs[distance(columns.row(i), active.row(j))] += 1.0;
            sampled += 1.0;
        }
    }
    let scale = (width * active.len()) as f64 / f64::max(sampled, 1.0);
    pairs.iter_mut().for_each(|p| *p *= scale);
    pairs
}

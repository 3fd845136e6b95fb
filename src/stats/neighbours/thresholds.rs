//! Operations on the distances of one row: the k-th smallest, and MultiSURF's two thresholds.
//!
//! [`Distance`] is implemented for `i32` (complete nominal columns: numbers of differing features)
//! and for `f64` (with numeric columns or missing cells). [`select`](super::select) picks
//! neighbours through it and is otherwise the same for both. MultiSURF's thresholds are the mean
//! distance to the other rows minus and plus half a standard deviation. For `i32` they are exact,
//! so that rounding never decides whether a row is a neighbour. All operations are O(rows) per row,
//! apart from the k-th smallest `i32`: O(rows log(largest distance)) without a copy.

use super::grid::Grid;

/// MultiSURF's thresholds for one row.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct RadiusThresholds {
    /// Rows at a smaller distance are near.
    pub near: f64,
    /// Rows at a larger distance are far.
    pub far: f64,
}

impl RadiusThresholds {
    /// Half a standard deviation on either side of the mean.
    fn around(mean: f64, variance: f64) -> Self {
        let half = variance.max(0.0).sqrt() / 2.0;
        Self { near: mean - half, far: mean + half }
    }
}

/// A distance between two rows that can be ranked and averaged.
pub(super) trait Distance: Copy + PartialOrd + Send + Sync {
    /// Larger than any distance: marks a row that must not be picked.
    const EXCLUDED: Self;

    /// The distance as a real number.
    fn value(self) -> f64;

    /// Whether the distance is at most `limit`, up to `tolerance`.
    fn within(self, limit: Self, tolerance: f64) -> bool;

    /// The k-th smallest distance, k from 1 to the length of the slice.
    fn kth(distances: &[Self], k: usize) -> Self;

    /// MultiSURF's thresholds of the row at place `own`, all rows counting once.
    fn thresholds(distances: &[Self], own: usize, grid: Grid) -> RadiusThresholds;

    /// MultiSURF's thresholds where the row at each place has a weight; `whole` if all weights are
    /// whole numbers.
    fn weighted_thresholds(
        distances: &[Self],
        weight: &dyn Fn(usize) -> f64,
        whole: bool,
    ) -> RadiusThresholds;
}

/// Exact thresholds between whole distances, from the sum of the distances to `others` other rows
/// and the sum of their squares.
pub(super) fn exact_thresholds(sum: i128, squares: i128, others: i128) -> RadiusThresholds {
    // d < mean - deviation / 2, times `others` and squared, is
    // 4 (sum - others d)^2 > others squares - sum^2 with sum > others d: whole numbers only
    let spread = others * squares - sum * sum;
    let beyond = |gap: i128| gap > 0 && 4 * gap * gap > spread;
    let mean = sum as f64 / others.max(1) as f64;
    let half = (spread.max(0) as f64).sqrt() / others.max(1) as f64 / 2.0;
    // start a step inside the rounded thresholds and walk outwards to the exact ones
    let mut near = (mean - half).ceil() as i128 + 1;
    while near >= 0 && !beyond(sum - others * near) {
        near -= 1;
    }
    let mut far = (mean + half).floor() as i128 - 1;
    while others > 0 && !beyond(others * far - sum) {
        far += 1;
    }
    // halfway between two whole distances, so that comparisons of doubles are exact
    RadiusThresholds { near: near as f64 + 0.5, far: far as f64 - 0.5 }
}

/// The thresholds of real distances, or of any distances with real weights, in two passes.
fn real_thresholds(weighted: &[WeightedDistance]) -> RadiusThresholds {
    let total = blockwise_sum(weighted, |d| d.weight);
    if total <= 0.0 {
        return RadiusThresholds::default();
    }
    let mean = blockwise_sum(weighted, |d| d.weight * d.distance) / total;
    let squared = |d: &WeightedDistance| d.weight * (d.distance - mean) * (d.distance - mean);
    RadiusThresholds::around(mean, blockwise_sum(weighted, squared) / total)
}

/// A distance, and the weight of the row at this distance.
struct WeightedDistance {
    distance: f64,
    weight: f64,
}

/// The distances with their weights, as real numbers.
fn weighted<D: Distance>(distances: &[D], weight: &dyn Fn(usize) -> f64) -> Vec<WeightedDistance> {
    let with_weight =
        |(place, d): (usize, &D)| WeightedDistance { distance: d.value(), weight: weight(place) };
    distances.iter().enumerate().map(with_weight).collect()
}

/// Sum of `term` over the items, block by block: the rounding error grows with the block length
/// plus the number of blocks, not with the number of items.
fn blockwise_sum<T>(items: &[T], term: impl Fn(&T) -> f64) -> f64 {
    items.chunks(256).map(|block| block.iter().map(&term).sum::<f64>()).sum()
}

impl Distance for i32 {
    const EXCLUDED: Self = i32::MAX;

    fn value(self) -> f64 {
        f64::from(self)
    }

    fn within(self, limit: Self, _tolerance: f64) -> bool {
        self <= limit
    }

    fn kth(distances: &[Self], k: usize) -> Self {
        // bisection between the smallest and the largest distance that is not excluded
        let (mut low, mut high) = distances.iter().fold((i32::MAX, 0), |(low, high), &d| {
            (low.min(d), high.max(if d == Self::EXCLUDED { 0 } else { d }))
        });
        while low < high {
            let middle = low + (high - low) / 2;
            let within: i32 = distances.iter().map(|&d| i32::from(d <= middle)).sum();
            if within as usize >= k {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    fn thresholds(distances: &[Self], own: usize, _grid: Grid) -> RadiusThresholds {
        let (mut sum, mut squares) = (0i128, 0i128);
        for block in distances.chunks(1 << 14) {
            // at most 2^14 distances below 2^24: the sum of their squares fits 64 bits
            let (block_sum, block_squares) = block.iter().fold((0i64, 0i64), |(s, q), &d| {
                (s + i64::from(d), q + i64::from(d) * i64::from(d))
            });
            sum += i128::from(block_sum);
            squares += i128::from(block_squares);
        }
        let to_itself = i128::from(distances[own]);
        let others = distances.len() as i128 - 1;
        exact_thresholds(sum - to_itself, squares - to_itself * to_itself, others)
    }

    fn weighted_thresholds(
        distances: &[Self],
        weight: &dyn Fn(usize) -> f64,
        whole: bool,
    ) -> RadiusThresholds {
        if !whole {
            return real_thresholds(&weighted(distances, weight));
        }
        let (mut sum, mut squares, mut others) = (0i128, 0i128, 0i128);
        for (place, &d) in distances.iter().enumerate() {
            let (d, copies) = (i128::from(d), weight(place) as i128);
            sum += copies * d;
            squares += copies * d * d;
            others += copies;
        }
        exact_thresholds(sum, squares, others)
    }
}

impl Distance for f64 {
    const EXCLUDED: Self = f64::INFINITY;

    fn value(self) -> f64 {
        self
    }

    fn within(self, limit: Self, tolerance: f64) -> bool {
        self <= limit + tolerance
    }

    fn kth(distances: &[Self], k: usize) -> Self {
        let mut copy = distances.to_vec();
        *copy.select_nth_unstable_by(k - 1, f64::total_cmp).1
    }

    fn thresholds(distances: &[Self], own: usize, grid: Grid) -> RadiusThresholds {
        let sides = [&distances[..own], &distances[own + 1..]];
        let others = distances.len() - 1;
        if others == 0 {
            return RadiusThresholds::default();
        }
        // at most 2^10 distances below 2^52 steps: their sum fits 64 bits
        let block_steps = |block: &[f64]| block.iter().map(|&d| grid.steps(d)).sum::<i64>();
        let blocks = sides.iter().flat_map(|side| side.chunks(1 << 10));
        let steps = blocks.map(|block| i128::from(block_steps(block))).sum();
        let mean = grid.value(steps) / others as f64;
        let squared = |d: &f64| (d - mean) * (d - mean);
        let squares: f64 = sides.iter().map(|side| blockwise_sum(side, squared)).sum();
        RadiusThresholds::around(mean, squares / others as f64)
    }

    fn weighted_thresholds(
        distances: &[Self],
        weight: &dyn Fn(usize) -> f64,
        _whole: bool,
    ) -> RadiusThresholds {
        real_thresholds(&weighted(distances, weight))
    }
}

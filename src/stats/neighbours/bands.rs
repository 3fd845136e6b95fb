//! What distances can do, as whole numbers and as sums of gaps: the k-th of them, and the bounds of
//! MultiSURF around their mean.

use super::grid::Grid;

/// A distance that can be counted and averaged.
pub(super) trait Distance: Copy + PartialOrd + Send + Sync {
    /// Farther than any row.
    const FAR: Self;
    fn value(self) -> f64;
    /// Not above `limit` by more than `tolerance`.
    fn within(self, limit: Self, tolerance: f64) -> bool;
    /// The k-th smallest (from 1) of a slice that has at least k.
    fn kth(of: &[Self], k: usize) -> Self;
    /// Mean distance to the others less, and plus, half a standard deviation; `own` stands for the
    /// row itself.
    fn band(of: &[Self], own: usize, grid: Grid) -> (f64, f64);
    /// [`Self::band`] of weighted rows.
    fn weighted_band(
        of: &[Self],
        weight: &dyn Fn(usize) -> f64,
        whole: bool,
        grid: Grid,
    ) -> (f64, f64);
}

/// Bounds between whole numbers from the sum and the sum of squares of the distances to the others,
/// exact: no rounding decides about a row.
pub(super) fn band(sum: i128, squares: i128, others: i128) -> (f64, f64) {
    // d is nearer than the mean less half a deviation: others * d < sum and 4 (sum - others d)^2 >
    // others * squares - sum^2
    let spread = others * squares - sum * sum;
    let beyond = |gap: i128| gap > 0 && 4 * gap * gap > spread;
    let mean = sum as f64 / others.max(1) as f64;
    let half = (spread.max(0) as f64).sqrt() / others.max(1) as f64 / 2.0;
    let mut near = (mean - half).ceil() as i128 + 1;
    while near >= 0 && !beyond(sum - others * near) {
        near -= 1;
    }
    let mut far = (mean + half).floor() as i128 - 1;
    while others > 0 && !beyond(others * far - sum) {
        far += 1;
    }
    (near as f64 + 0.5, far as f64 - 0.5)
}

/// Sum of `f` of all, in blocks: its error grows with the length of a block and their number.
fn blockwise<T>(of: &[T], f: impl Fn(&T) -> f64) -> f64 {
    of.chunks(256).map(|block| block.iter().map(&f).sum::<f64>()).sum()
}

fn around(mean: f64, variance: f64) -> (f64, f64) {
    let half = variance.max(0.0).sqrt() / 2.0;
    (mean - half, mean + half)
}

/// Bounds for weights that are no counts, or sums of gaps with any.
fn real_band(pairs: &[(f64, f64)]) -> (f64, f64) {
    let total = blockwise(pairs, |p| p.1);
    if total <= 0.0 {
        return (0.0, 0.0);
    }
    let mean = blockwise(pairs, |(d, w)| w * d) / total;
    around(mean, blockwise(pairs, |(d, w)| w * (d - mean) * (d - mean)) / total)
}

impl Distance for i32 {
    const FAR: Self = i32::MAX;
    fn value(self) -> f64 {
        f64::from(self)
    }
    fn within(self, limit: Self, _tolerance: f64) -> bool {
        self <= limit
    }
    fn kth(of: &[Self], k: usize) -> Self {
        let (mut low, mut high) = of
            .iter()
            .fold((i32::MAX, 0), |(a, b), &d| (a.min(d), b.max(if d == i32::MAX { 0 } else { d })));
        while low < high {
            let middle = low + (high - low) / 2;
            let within: i32 = of.iter().map(|&d| i32::from(d <= middle)).sum();
            if within as usize >= k {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
    fn band(of: &[Self], own: usize, _grid: Grid) -> (f64, f64) {
        let (mut sum, mut squares) = (0i128, 0i128);
        for part in of.chunks(1 << 14) {
            // at most 2^14 numbers below 2^24: the squares fit 64 bits
            let (s, q) = part.iter().fold((0i64, 0i64), |(s, q), &d| {
                (s + i64::from(d), q + i64::from(d) * i64::from(d))
            });
            sum += i128::from(s);
            squares += i128::from(q);
        }
        let d = i128::from(of[own]);
        band(sum - d, squares - d * d, of.len() as i128 - 1)
    }
    fn weighted_band(
        of: &[Self],
        weight: &dyn Fn(usize) -> f64,
        whole: bool,
        _grid: Grid,
    ) -> (f64, f64) {
        if !whole {
            let pair = |(at, &d): (usize, &i32)| (f64::from(d), weight(at));
            return real_band(&of.iter().enumerate().map(pair).collect::<Vec<_>>());
        }
        let (mut sum, mut squares, mut others) = (0i128, 0i128, 0i128);
        for (at, &d) in of.iter().enumerate() {
            let (d, w) = (i128::from(d), weight(at) as i128);
            (sum, squares, others) = (sum + w * d, squares + w * d * d, others + w);
        }
        band(sum, squares, others)
    }
}

impl Distance for f64 {
    const FAR: Self = f64::INFINITY;
    fn value(self) -> f64 {
        self
    }
    fn within(self, limit: Self, tolerance: f64) -> bool {
        self <= limit + tolerance
    }
    fn kth(of: &[Self], k: usize) -> Self {
        let mut copy = of.to_vec();
        *copy.select_nth_unstable_by(k - 1, f64::total_cmp).1
    }
    fn band(of: &[Self], own: usize, grid: Grid) -> (f64, f64) {
        let parts = [&of[..own], &of[own + 1..]];
        let others = of.len() - 1;
        if others == 0 {
            return (0.0, 0.0);
        }
        // at most 2^10 numbers below 2^52: their sum fits 64 bits
        let sum = |part: &[f64]| part.iter().map(|&d| grid.steps(d)).sum::<i64>();
        let blocks = parts.iter().flat_map(|part| part.chunks(1 << 10));
        let mean = grid.value(blocks.map(|block| i128::from(sum(block))).sum()) / others as f64;
        let squares: f64 =
            parts.iter().map(|part| blockwise(part, |d| (d - mean) * (d - mean))).sum();
        around(mean, squares / others as f64)
    }
    fn weighted_band(
        of: &[Self],
        weight: &dyn Fn(usize) -> f64,
        _whole: bool,
        _grid: Grid,
    ) -> (f64, f64) {
        let pair = |(at, &d): (usize, &f64)| (d, weight(at));
        real_band(&of.iter().enumerate().map(pair).collect::<Vec<_>>())
    }
}

//! Equal frequency, by the greedy rule of Weka's unsupervised `Discretize -F`: each bin ends where
//! its weight is nearest to the average of the remaining weight.
//!
//! With weight W after the last cut and b bins still to make, the aim is W / b. In the order of the
//! distinct values, the first boundary at which the running weight reaches the aim is compared with
//! the boundary before it (unless the bin is empty there). The nearer one becomes a cut, the later
//! one if both are equally near. If the values end before the aim is reached, the last boundary
//! becomes the cut. Cuts lie midway between distinct values, so equal values stay together and
//! there may be fewer bins than asked for.
//!
//! Comparisons are made in integers (multiplied by b, with real weights in fixed point), so they
//! are exact. O(n). `bins::quantiles` has the same rule by bisection, for millions of rows.

use super::sorted::Sorted;

/// The cut points; `mass` is the weight of a row in whole units.
pub(super) fn cuts(sorted: &Sorted, mass: impl Fn(u32) -> i64, bins: u32) -> Vec<f64> {
    let masses: Vec<i128> = (0..sorted.groups())
        .map(|g| sorted.rows(g).iter().map(|&row| i128::from(mass(row))).sum())
        .collect();
    let mut left: i128 = masses.iter().sum();
    let mut cuts = Vec::new();
    let mut first = 0;
    for open in (2..=i128::from(bins)).rev() {
        let Some((boundary, inside)) = next_boundary(&masses, first, left, open) else { break };
        cuts.push(sorted.cut_after(boundary));
        left -= inside;
        first = boundary + 1;
    }
    cuts
}

/// (last group, weight) of the bin that starts with group `first`; None if only one group is left.
/// `left` is the weight of all groups from `first` on, and `open` the number of bins to make of it.
fn next_boundary(masses: &[i128], first: usize, left: i128, open: i128) -> Option<(usize, i128)> {
    let mut before = None;
    let mut inside = 0;
    for (group, &mass) in masses.iter().enumerate().take(masses.len().saturating_sub(1)).skip(first)
    {
        inside += mass;
        if inside * open >= left {
            return match before {
                // aim - earlier < inside - aim
                Some((at, earlier)) if 2 * left < (earlier + inside) * open => Some((at, earlier)),
                _ => Some((group, inside)),
            };
        }
        before = Some((group, inside));
    }
    before
}

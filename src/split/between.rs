//! Thresholds on a numeric feature for a numeric target whose rows weigh 1, by the mean squared
//! difference between the branches' means and the node's.
//!
//! With `n` rows and `i` of them on the left, the score is `D^2 / (i (n - i))` in units of the
//! target's grid, where `D` is the sum on the left less `i` times the mean of the node. A scan adds
//! up whole differences from the whole number next to the mean, which is exact, and takes the rest
//! of the mean off in double precision: so no digits are lost however far the mean is from 0. The
//! estimates select; near the best, the criterion decides. O(rows) per feature and node.

use super::block::PlaceRange;
use super::doubt;
use super::sink::{Estimates, Sink};
use crate::criteria::{Context, Criterion, Tables};
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::reached::{self, Way};
use crate::stats::{ExactMoments, Sum};

/// Places that are scored together.
pub(super) const PLACES: usize = 256;
/// Most rows whose sum of differences fits 64 bits.
pub(super) const MOST_ROWS: usize = 1 << 22;

/// The moments of a node in whole units, for the scan.
#[derive(Debug, Clone, Copy)]
struct Centre {
    /// The whole number of units next to the mean.
    whole: i64,
    /// The mean less that number.
    rest: f64,
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
    /// Sums of the numbers of these rows.
    pub node: ExactMoments,
}

/// Score the thresholds at some places.
pub(super) fn score_candidates(
    scan: &NumberScan<'_>,
    places: PlaceRange,
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<()> {
    reached::count(Way::WalkNumbers);
    let NumberScan { order, units, node, .. } = *scan;
    let (n, mean) = (order.len(), node.rounded(1.0).mean);
    let centre = Centre { whole: mean.round() as i64, rest: mean - mean.round() };
    let difference = |entry: u32| units[entry_row(entry) as usize] - centre.whole;
    let mut sum: i64 = order[..places.first - 1].iter().map(|&entry| difference(entry)).sum();
    let (mut sums, mut scores) = ([0_i64; PLACES], [0.0; PLACES]);
    for first in (places.first..=places.last).step_by(PLACES) {
        let len = PLACES.min(places.last + 1 - first);
        for (sum_of, &entry) in sums.iter_mut().zip(&order[first - 1..][..len]) {
            sum += difference(entry);
            *sum_of = sum;
        }
        let scores = &mut scores[..len];
        let tied = &order[first..][..len];
        let largest = estimates(&sums[..len], tied, first, n, centre.rest, scores);
        if largest == f64::NEG_INFINITY {
            continue;
        }
        // The estimates have a few roundings; the criterion subtracts rounded means.
        let error = 16.0 * f64::EPSILON * largest + 1e-3 * largest.sqrt() + 1e-6;
        let unit = context.grid.map_or(1.0, |grid| grid.unit);
        scores.iter_mut().for_each(|score| *score *= unit * unit);
        let (largest, error) = (largest * unit * unit, error * unit * unit);
        let at = &|j: usize| (first + j) as u32;
        let mut exact = |j: usize, criterion: &dyn Criterion| {
            let left = Side { rows: first + j, sum: sums[j] };
            exact_score(node, centre, left, context, criterion)
        };
        let found = Estimates { at, scores, largest, error, exact: &mut exact };
        sink.estimated(scan.feature, found)?;
    }
    Ok(())
}

/// Write the estimate of each place to `out`, negative infinity where it is no boundary; returns the
/// largest. `first` is the number of the first place, `tied` are the entries behind the places.
fn estimates(
    sums: &[i64],
    tied: &[u32],
    first: usize,
    n: usize,
    rest: f64,
    out: &mut [f64],
) -> f64 {
    let n = n as f64;
    for (j, ((out, &sum), &entry)) in out.iter_mut().zip(sums).zip(tied).enumerate() {
        let left = (first + j) as f64;
        let difference = sum as f64 - left * rest;
        let score = difference * difference / (left * (n - left));
        *out = if entry_tied(entry) == 0 { score } else { f64::NEG_INFINITY };
    }
    doubt::largest(out)
}

/// The left side of a place: its rows, and the sum of their differences from [`Centre::whole`].
#[derive(Debug, Clone, Copy)]
struct Side {
    rows: usize,
    sum: i64,
}

/// The criterion's score of a place. It reads weights and means, so squares are left out.
fn exact_score(
    node: ExactMoments,
    centre: Centre,
    side: Side,
    context: &Context,
    criterion: &dyn Criterion,
) -> Result<f64> {
    let rows = side.rows as i64;
    let first = i128::from(side.sum) + i128::from(rows) * i128::from(centre.whole);
    let left = ExactMoments { weight: rows, first, second: 0 };
    let cells = [left.rounded(1.0), node.minus(left).rounded(1.0)];
    let totals = [node.rounded(1.0)];
    criterion.score_of(&Tables::one(&cells, &totals, &[2], context))
}

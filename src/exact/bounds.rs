//! Thresholds of one column that are not solved yet, between two that are, and the bounds that the
//! solved ones prove for them.
//!
//! L(t) and R(t) are the least costs of trees of the rows left and right of threshold t, P(t) the
//! weight of the rows on the left. For thresholds `a < t < b`:
//!
//! ```text
//! L(t) >= L(a)                        R(t) >= R(b)                        (fewer rows)
//! L(t) >= L(b) - rise(P(b) - P(t))    R(t) >= R(a) - rise(P(t) - P(a))    (more rows)
//! ```
//!
//! *Fewer rows:* the best tree of a set is a tree of every subset, where no leaf costs more; leaves
//! without rows are taken away, which saves their penalties. A test that has no known values on one
//! of its sides in the subset divides the missing values from the others, or nothing; the test of
//! all known values does the same. Where leaves need `min_rows`, they may have too few rows of the
//! subset. So these bounds are of *free* trees, whose leaves may have any number of rows: a free
//! tree costs no more than the best tree, and the cost of a free tree of fewer rows bounds both.
//! *More rows:* the best tree of a subset is a tree of the set, with a loss that is higher by at
//! most `rise` of the added weight.
//!
//! So the thresholds between `a` and `b` that may cost less than a known tree are one interval.
//! (Brita, van der Linden & Demirovic, "Optimal classification trees for continuous feature data
//! using dynamic programming with branch-and-bound", AAAI 2025, for the error.)

use super::losses::Loss;
use super::sorted::{SortedSet, first_where};

/// A pair of values for the two sides of a test, the left side first.
pub(super) type Sides<T> = [T; 2];

/// The facts about a solved threshold: lower bounds of the trees of both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct GapEnd {
    /// Bounds of trees whose leaves have at least `min_rows` rows.
    pub(super) limited: Sides<f64>,
    /// Bounds of free trees, whose leaves may have any number of rows.
    pub(super) free: Sides<f64>,
}

/// The open thresholds between two solved ones, `from` and `to`, which are not open themselves.
/// Threshold 0 has no rows on its left; the threshold whose number is the number of distinct ranks
/// has no rows on its right.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThresholdGap {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) at_from: GapEnd,
    pub(super) at_to: GapEnd,
}

/// The thresholds `low..=high` of a gap, which may cost less than a limit. There are none if `high`
/// is below `low`.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenThresholds {
    pub(super) low: usize,
    pub(super) high: usize,
    /// A lower bound of the cost of every threshold of the gap.
    pub(super) bound: f64,
}

impl OpenThresholds {
    /// Number of thresholds. 0 if the gap is closed.
    pub(super) fn len(&self) -> usize {
        (self.high + 1).saturating_sub(self.low)
    }
}

/// The data from which the costs of the thresholds of one column are bounded: the loss, and the
/// weights of the rows.
pub(super) struct ColumnBounds<'a> {
    pub(super) loss: &'a dyn Loss,
    pub(super) set: &'a SortedSet,
    pub(super) column: usize,
}

impl ColumnBounds<'_> {
    /// P(t): the weight of the rows on the left of a threshold.
    pub(super) fn weight_left(&self, threshold: usize) -> f64 {
        self.set.weight_below(self.column, threshold)
    }

    /// The most that the loss of a tree can rise when rows of this weight come to it. It is
    /// infinite if the loss has no such bound; then only the bounds of sides with fewer rows help.
    pub(super) fn rise(&self, moved: f64) -> f64 {
        self.loss.rise(moved, self.set.weight)
    }

    /// The bounds that the ends of a gap prove for both sides of a threshold in it. A bound of a
    /// side comes from the end where it has fewer rows, or from the end where it has more rows less
    /// the rise of the loss; the better one is taken.
    pub(super) fn at_threshold(&self, gap: &ThresholdGap, threshold: usize) -> GapEnd {
        let ThresholdGap { at_from, at_to, .. } = gap;
        let [rise_left, rise_right] = self.rises(gap, threshold);
        // The left side has more rows than at `from`, the right side more than at `to`.
        let [left, right] = [at_from.free[0], at_to.free[1]];
        let sides = |from: Sides<f64>, to: Sides<f64>| {
            [left.max(to[0] - rise_left), right.max(from[1] - rise_right)]
        };
        GapEnd {
            limited: sides(at_from.limited, at_to.limited),
            free: sides(at_from.free, at_to.free),
        }
    }

    /// How much more the trees of both sides may cost at the end of a gap where the side has more
    /// rows than at a threshold: the left side at `to`, the right side at `from`.
    pub(super) fn rises(&self, gap: &ThresholdGap, threshold: usize) -> Sides<f64> {
        let here = self.weight_left(threshold);
        [self.weight_left(gap.to) - here, here - self.weight_left(gap.from)]
            .map(|moved| self.rise(moved))
    }

    /// The thresholds of a gap that may cost less than `limit`: one interval.
    pub(super) fn open(&self, gap: &ThresholdGap, limit: f64) -> OpenThresholds {
        let ThresholdGap { from, to, at_from, at_to } = gap;
        let column = &self.set.columns[self.column];
        let (weight_from, weight_to) = (self.weight_left(*from), self.weight_left(*to));
        // Each threshold has a bound from the ends where its sides have fewer rows, and another
        // from the ends where they have more. The second one is lowest for the threshold halfway
        // between the ends: the rise is concave, so two equal steps rise most.
        let by_fewer_rows = at_from.free[0] + at_to.free[1];
        let rise = 2.0 * self.rise((weight_to - weight_from) / 2.0);
        let by_more_rows = at_to.limited[0] + at_from.limited[1] - rise;
        let mut open = OpenThresholds {
            low: (from + 1).max(column.first),
            high: (to - 1).min(column.last),
            bound: by_fewer_rows.max(by_more_rows),
        };
        if open.bound >= limit {
            open.high = open.low - 1;
            return open;
        }
        // Next to `from` the left side costs no less than there, and the right side hardly less.
        let spare = at_from.free[0] + at_from.limited[1] - limit;
        if spare >= 0.0 {
            let is_open = |t| self.rise(self.weight_left(t) - weight_from) > spare;
            open.low = first_where(open.low, open.high + 1, is_open);
        }
        // Next to `to` it is the other way round.
        let spare = at_to.limited[0] + at_to.free[1] - limit;
        if spare >= 0.0 {
            let is_closed = |t| self.rise(weight_to - self.weight_left(t)) <= spare;
            open.high = first_where(open.low, open.high + 1, is_closed) - 1;
        }
        open
    }
}

//! Thresholds of one column that are not solved yet, between two that are, and what the solved
//! ones prove about them.
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
//! tree costs no more than the best tree, and what a free tree of fewer rows costs bounds both.
//! *More rows:* the best tree of a subset is a tree of the set, with a loss that is higher by at
//! most `rise` of the weight that came.
//!
//! So the thresholds between `a` and `b` that may cost less than a known tree are one interval.
//! (Brita, van der Linden & Demirovic, "Optimal classification trees for continuous feature data
//! using dynamic programming with branch-and-bound", AAAI 2025, for the error.)

use super::losses::Loss;
use super::sorted::{SortedSet, first};

/// Leaves that each side of a test may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SideLeaves {
    pub(super) left: u32,
    pub(super) right: u32,
}

/// Lower bounds of the costs of both sides of a threshold.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideCosts {
    pub(super) left: f64,
    pub(super) right: f64,
}

/// What is known about a solved threshold: lower bounds of the trees of both sides, and of their
/// free trees.
#[derive(Debug, Clone, Copy)]
pub(super) struct GapEnd {
    pub(super) own: SideCosts,
    pub(super) free: SideCosts,
}

/// Open thresholds between the solved ones `from` and `to`, where 0 has no rows on its left, and
/// the number of distinct ranks none on its right.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThresholdGap {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) at_from: GapEnd,
    pub(super) at_to: GapEnd,
}

/// Thresholds `low..=high`, and a lower bound of the cost of every threshold of the gap.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenThresholds {
    pub(super) low: usize,
    pub(super) high: usize,
    pub(super) bound: f64,
}

impl OpenThresholds {
    /// Number of thresholds.
    pub(super) fn len(&self) -> usize {
        (self.high + 1).saturating_sub(self.low)
    }
}

/// The bounds of one column of a set.
pub(super) struct Bounds<'a> {
    pub(super) loss: &'a dyn Loss,
    pub(super) set: &'a SortedSet,
    pub(super) column: usize,
}

impl Bounds<'_> {
    fn passed(&self, threshold: usize) -> f64 {
        self.set.weight_below(self.column, threshold)
    }

    fn rise(&self, moved: f64) -> f64 {
        self.loss.rise(moved, self.set.weight)
    }

    /// What is proven about both sides of a threshold in a gap.
    pub(super) fn sides(&self, gap: &ThresholdGap, threshold: usize) -> GapEnd {
        let here = self.passed(threshold);
        let up = self.rise(self.passed(gap.to) - here);
        let down = self.rise(here - self.passed(gap.from));
        let (fewer, more) = (gap.at_from.free.left, gap.at_to.free.right);
        let sides = |to: SideCosts, from: SideCosts| SideCosts {
            left: fewer.max(to.left - up),
            right: more.max(from.right - down),
        };
        GapEnd {
            own: sides(gap.at_to.own, gap.at_from.own),
            free: sides(gap.at_to.free, gap.at_from.free),
        }
    }

    /// The thresholds of a gap that may cost less than `limit`.
    pub(super) fn open(&self, gap: &ThresholdGap, limit: f64) -> OpenThresholds {
        let column = &self.set.columns[self.column];
        let (from, to) = (self.passed(gap.from), self.passed(gap.to));
        // Both first halves, or both second halves: the rise is concave, so two equal steps are
        // the worst.
        let ThresholdGap { at_from, at_to, .. } = gap;
        let fewer = at_from.free.left + at_to.free.right;
        let more = at_to.own.left + at_from.own.right - 2.0 * self.rise((to - from) / 2.0);
        let mut open = OpenThresholds {
            low: (gap.from + 1).max(column.first),
            high: (gap.to - 1).min(column.last),
            bound: fewer.max(more),
        };
        if open.bound >= limit {
            open.high = open.low - 1;
            return open;
        }
        // From `from` on: the left side costs no less, and the right side still much.
        let low = at_from.free.left + at_from.own.right - limit;
        if low >= 0.0 {
            open.low = first(open.low, open.high + 1, |t| self.rise(self.passed(t) - from) > low);
        }
        let high = at_to.own.left + at_to.free.right - limit;
        if high >= 0.0 {
            open.high =
                first(open.low, open.high + 1, |t| self.rise(to - self.passed(t)) <= high) - 1;
        }
        open
    }
}

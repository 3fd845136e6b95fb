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
//! without rows are taken away, which saves their penalties. Where leaves need `min_rows`, a leaf
//! that has too few rows of the subset gives them to its sibling, whose loss rises by at most
//! `rise` of their weight. So do the missing values of a test that has no known values on one of
//! its sides in the subset. [`Bounds::merging`] is that for all tests. *More rows:* the best tree
//! of a subset is a tree of the set, with a loss that is higher by at most `rise` of the weight
//! that came.
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

/// Open thresholds between the solved ones `from` and `to`, where 0 has no rows on its left, and
/// the number of distinct ranks none on its right.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThresholdGap {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) at_from: SideCosts,
    pub(super) at_to: SideCosts,
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
    /// What a tree may cost more with fewer rows.
    pub(super) merging: f64,
}

impl Bounds<'_> {
    fn passed(&self, threshold: usize) -> f64 {
        self.set.weight_below(self.column, threshold)
    }

    fn rise(&self, moved: f64) -> f64 {
        self.loss.rise(moved, self.set.weight)
    }

    /// What is proven about both sides of a threshold in a gap.
    pub(super) fn sides(&self, gap: &ThresholdGap, threshold: usize) -> SideCosts {
        let here = self.passed(threshold);
        let up = self.rise(self.passed(gap.to) - here);
        let down = self.rise(here - self.passed(gap.from));
        SideCosts {
            left: (gap.at_from.left - self.merging).max(gap.at_to.left - up),
            right: (gap.at_to.right - self.merging).max(gap.at_from.right - down),
        }
    }

    /// The thresholds of a gap that may cost less than `limit`.
    pub(super) fn open(&self, gap: &ThresholdGap, limit: f64) -> OpenThresholds {
        let column = &self.set.columns[self.column];
        let (from, to) = (self.passed(gap.from), self.passed(gap.to));
        // Both first halves, or both second halves: the rise is concave, so two equal steps are
        // the worst.
        let fewer = gap.at_from.left + gap.at_to.right - 2.0 * self.merging;
        let more = gap.at_to.left + gap.at_from.right - 2.0 * self.rise((to - from) / 2.0);
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
        let low = gap.at_from.left - self.merging + gap.at_from.right - limit;
        if low >= 0.0 {
            open.low = first(open.low, open.high + 1, |t| self.rise(self.passed(t) - from) > low);
        }
        let high = gap.at_to.left + gap.at_to.right - self.merging - limit;
        if high >= 0.0 {
            open.high =
                first(open.low, open.high + 1, |t| self.rise(to - self.passed(t)) <= high) - 1;
        }
        open
    }
}

//! The rows of a node of a tree, whose columns may be sorted one at a time (`exact`).
//!
//! A leaf of a greedy tree or of a plan is looked at once. To sort its rows in all columns at the
//! same time would take as much memory as its parent.

use super::ranked::{RankedRows, RankedTest};
use super::sorted::{MarkRule, SortedColumn, SortedSet};
use crate::error::Result;
use crate::parallel::Control;

/// A set, or the rows on one side of a test of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SetPart<'s> {
    set: &'s SortedSet,
    /// The test, and whether it is the right side; none for the whole set.
    side: Option<(RankedTest, bool)>,
}

impl<'s> SetPart<'s> {
    /// All rows of a set. Its columns are sorted already, so nothing is copied.
    pub(super) fn whole(set: &'s SortedSet) -> Self {
        Self { set, side: None }
    }

    /// The rows on one side of a test of a set. The columns of the side are sorted when they are
    /// asked for, so most sides cost no memory.
    pub(super) fn side(set: &'s SortedSet, test: RankedTest, is_right: bool) -> Self {
        Self { set, side: Some((test, is_right)) }
    }

    /// Weight of each class. For a side of a test it is O(rows of the side), as the weights are
    /// added anew.
    pub(super) fn counts(&self, rows: &RankedRows) -> Vec<f64> {
        let Some((test, is_right)) = self.side else { return self.set.counts.clone() };
        let order = &self.set.columns[test.column as usize].order;
        let (left, right) = order.split_at(self.set.rows_left(rows, test));
        rows.counts(if is_right { right } else { left })
    }

    /// Call `visit` with each column and its number. For a side of a test, one column is sorted at
    /// a time.
    ///
    /// # Errors
    /// Returns the error of [`Control::check`], which is called before a column is sorted.
    pub(super) fn each_column(
        &self,
        rows: &RankedRows,
        rule: MarkRule,
        control: &Control,
        mut visit: impl FnMut(usize, &SortedColumn),
    ) -> Result<()> {
        let side = self.side.map(|(test, is_right)| self.set.test_side(rows, test, is_right));
        for (column, sorted) in self.set.columns.iter().enumerate() {
            control.check()?;
            match side {
                None => visit(column, sorted),
                Some(side) => visit(column, &self.set.column_of_side(rows, column, side, rule)),
            }
        }
        Ok(())
    }

    /// Call `work` with the part as a separate set, sorted in all columns. The hash of the set is
    /// left at 0.
    pub(super) fn with_set<R>(
        &self,
        rows: &RankedRows,
        rule: MarkRule,
        control: &Control,
        work: impl FnOnce(&SortedSet) -> Result<R>,
    ) -> Result<R> {
        match self.side {
            Some((test, is_right)) => {
                let side = self.set.test_side(rows, test, is_right);
                work(&self.set.side(rows, side, rule, control)?)
            }
            None => work(self.set),
        }
    }
}

//! The rows of a node of a tree that need not be sorted in all columns at once (`exact`).

use super::ranked::{RankedRows, RankedTest};
use super::sorted::{MarkRule, SortedColumn, SortedSet};
use crate::error::Result;
use crate::parallel::Control;

/// A set, or the rows on one side of a test of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SetPart<'s> {
    set: &'s SortedSet,
    /// The test, and whether it is the right side.
    side: Option<(RankedTest, bool)>,
}

impl<'s> SetPart<'s> {
    /// All rows of a set.
    pub(super) fn whole(set: &'s SortedSet) -> Self {
        Self { set, side: None }
    }

    /// The rows on one side of a test of a set.
    pub(super) fn side(set: &'s SortedSet, test: RankedTest, is_right: bool) -> Self {
        Self { set, side: Some((test, is_right)) }
    }

    /// Weight of each class.
    pub(super) fn counts(&self, rows: &RankedRows) -> Vec<f64> {
        let Some((test, is_right)) = self.side else { return self.set.counts.clone() };
        let order = &self.set.columns[test.column as usize].order;
        let (left, right) = order.split_at(self.set.rows_left(rows, test));
        rows.counts(if is_right { right } else { left })
    }

    /// Look at the columns, of which a side holds one at a time.
    pub(super) fn each_column(
        &self,
        rows: &RankedRows,
        rule: MarkRule,
        control: &Control,
        mut look: impl FnMut(usize, &SortedColumn),
    ) -> Result<()> {
        let n = self.side.map(|(test, is_right)| self.set.rows_on_side(rows, test, is_right));
        for (column, own) in self.set.columns.iter().enumerate() {
            control.check()?;
            match self.side.zip(n) {
                None => look(column, own),
                Some(((test, is_right), n)) => {
                    look(column, &self.set.column_of_side(rows, column, (test, is_right, n), rule));
                }
            }
        }
        Ok(())
    }

    /// Use the part as a set of its own.
    pub(super) fn with_set<R>(
        &self,
        rows: &RankedRows,
        rule: MarkRule,
        control: &Control,
        work: impl FnOnce(&SortedSet) -> Result<R>,
    ) -> Result<R> {
        match self.side {
            Some((test, is_right)) => {
                work(&self.set.one_side(rows, test, is_right, rule, control)?)
            }
            None => work(self.set),
        }
    }
}

//! The distinct known values of a column in ascending order, each with its *group* of rows; rows of
//! weight 0 are left out. One filter of the column's cached order, O(n).

use crate::data::{NumericColumn, RowSet, Weights, entry_row};

/// Distinct values and the rows that have them.
#[derive(Debug)]
pub(super) struct Sorted {
    /// The value of each group.
    values: Vec<f64>,
    /// Position of the first row of each group, and the number of rows.
    starts: Vec<u32>,
    /// Rows by group.
    rows: Vec<u32>,
}

impl Sorted {
    /// The groups of `rows`.
    pub(super) fn new(column: &NumericColumn, rows: &RowSet, weights: &Weights) -> Self {
        let known = &column.order()[..column.values().len() - column.n_missing()];
        let wanted = (!rows.is_everything()).then(|| rows.bits(column.values().len()));
        let mut sorted =
            Self { values: Vec::new(), starts: Vec::new(), rows: Vec::with_capacity(rows.len()) };
        for &entry in known {
            let row = entry_row(entry);
            if weights.is_zero(row) || wanted.as_ref().is_some_and(|bits| bits.get(row) == 0) {
                continue;
            }
            let value = column.value(row);
            if sorted.values.last() != Some(&value) {
                sorted.values.push(value);
                sorted.starts.push(sorted.rows.len() as u32);
            }
            sorted.rows.push(row);
        }
        sorted.starts.push(sorted.rows.len() as u32);
        sorted
    }

    /// Number of groups.
    pub(super) fn groups(&self) -> usize {
        self.values.len()
    }

    /// Rows of a group.
    pub(super) fn rows(&self, group: usize) -> &[u32] {
        &self.rows[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// The cut point between a group and the next.
    pub(super) fn cut_after(&self, group: usize) -> f64 {
        crate::numeric::midpoint(self.values[group], self.values[group + 1])
    }
}

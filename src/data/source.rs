//! Tables whose cells are read some rows at a time: the caller's columns, which are no data set yet
//! or lend their numbers to one, and data sets.

use std::fmt::Debug;

/// Some rows of a training set, by their numbers in a [`RowSource`].
#[derive(Debug, Clone, Copy)]
pub enum RowChoice<'a> {
    /// The rows `0..n`.
    All(usize),
    /// The rows with these numbers.
    Some(&'a [u32]),
}

impl<'a> RowChoice<'a> {
    /// Number of chosen rows. A row that is listed twice counts twice.
    pub fn len(&self) -> usize {
        match self {
            Self::All(n) => *n,
            Self::Some(rows) => rows.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first `most` rows, or all if there are fewer. A look at the first rows often settles a
    /// question about all rows, such as whether a column has too many values.
    pub fn first(&self, most: usize) -> Self {
        match self {
            Self::All(n) => Self::All(most.min(*n)),
            Self::Some(rows) => Self::Some(&rows[..most.min(rows.len())]),
        }
    }

    /// The row at a position of the choice, by its number in the [`RowSource`]. The position must
    /// be below [`Self::len`].
    #[inline]
    pub fn row(&self, position: usize) -> usize {
        match self {
            Self::All(_) => position,
            Self::Some(rows) => rows[position] as usize,
        }
    }
}

/// A table whose cells are read a column of a tile at a time.
pub trait RowSource: Sync {
    /// Write the values of a numeric feature in the rows at the positions `first..first +
    /// out.len()` of `rows`; NaN is missing. All numbers of a nominal feature are missing.
    fn numbers(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [f64]);
    /// Write the codes of a nominal feature in the rows at the positions `first..first +
    /// out.len()` of `rows`; [`super::MISSING`] is missing. All codes of a numeric feature are
    /// missing.
    fn codes(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [u32]);
}

impl Debug for dyn RowSource + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RowSource")
    }
}

/// A table that lends its numbers to a data set. The features of the data set are the columns of
/// the table, in the same order.
#[derive(Debug, Clone, Copy)]
pub struct Lender<'a> {
    /// The table.
    pub source: &'a dyn RowSource,
    /// Columns are sorted while they are read.
    pub sorts: bool,
}

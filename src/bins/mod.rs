//! Numbers as codes of bins, in rows of bytes: what growth on histograms works on.
//!
//! [`edges`] finds the cut points of each numeric column: between all values while there are no
//! more of them than bins, else where bins hold about equal weight. They depend on the multiset of
//! the rows alone, not on their order, their partition or the number of threads. [`BinnedTable`]
//! then holds each row as a short record: one byte (two beyond 256 codes) a feature, its class,
//! and its weight where rows have weights. A missing value has a code of its own, the last one.
//! For each bin the lowest and the highest training value in it are kept, so that a threshold can
//! be placed between the values of two bins.
//!
//! Memory: `features + 1` bytes per row (twice the features beyond 256 codes, and 1 to 8 bytes more
//! for a weight), rounded up to eight. Time: a few nanoseconds per value. Do not use it where every
//! boundary between two values shall be a candidate and columns have more values than bins.

mod encode;
mod lookup;
mod parts;
mod quantiles;
mod records;
mod sample;
mod summary;

pub use encode::{BinEncoding, BinnedTable, TableFacts};
pub use parts::{GroupSplits, GroupedRecords, PartFormat, add_counts};
pub use quantiles::{between, edges, values_of_all};
pub use records::{Records, RowLayout, WeightWidth};
pub use summary::{EdgeSummary, ValueCounts};

use crate::data::{Column, Dataset, MISSING};

/// Rows of a tile that is read column by column: few enough for the first-level cache, because the
/// cells of a row may lie side by side.
const TILE: usize = 128;

/// Some rows of a training set, by the numbers that [`RowSource`] knows them by.
#[derive(Debug, Clone, Copy)]
pub enum RowChoice<'a> {
    /// The rows `0..n`.
    All(usize),
    /// These.
    Some(&'a [u32]),
}

impl<'a> RowChoice<'a> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::All(n) => *n,
            Self::Some(rows) => rows.len(),
        }
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first rows, at most `most`.
    pub fn first(&self, most: usize) -> Self {
        match self {
            Self::All(n) => Self::All(most.min(*n)),
            Self::Some(rows) => Self::Some(&rows[..most.min(rows.len())]),
        }
    }

    /// The row at a place.
    #[inline]
    pub fn row(&self, at: usize) -> usize {
        match self {
            Self::All(_) => at,
            Self::Some(rows) => rows[at] as usize,
        }
    }
}

/// Where values come from. A tile of rows is asked for at a time.
pub trait RowSource: Sync {
    /// Values of a numeric feature for the rows at `first..first + out.len()`; NaN is missing.
    fn numbers(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [f64]);
    /// Codes of a nominal feature for the same rows; [`MISSING`] is missing.
    fn codes(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [u32]);
}

impl RowSource for Dataset {
    fn numbers(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [f64]) {
        let Column::Numeric(column) = &self.columns()[feature] else { return out.fill(f64::NAN) };
        for (i, x) in out.iter_mut().enumerate() {
            *x = column.value(rows.row(first + i) as u32);
        }
    }

    fn codes(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [u32]) {
        let Column::Nominal(column) = &self.columns()[feature] else { return out.fill(MISSING) };
        for (i, code) in out.iter_mut().enumerate() {
            *code = column.code(rows.row(first + i) as u32);
        }
    }
}

/// What the codes of one feature mean.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureBins {
    /// Codes below this are bins or levels.
    pub codes: u32,
    /// Code `codes` means "missing", and some training row has it.
    pub missing: bool,
    /// Lowest and highest training value of each bin (the first above the second where a bin has
    /// none); nothing for a nominal feature.
    pub ranges: Option<Vec<[f64; 2]>>,
}

impl FeatureBins {
    /// Number of codes, that of missing values included.
    pub fn width(&self) -> usize {
        self.codes as usize + usize::from(self.missing)
    }

    /// Codes are levels.
    pub fn is_nominal(&self) -> bool {
        self.ranges.is_none()
    }
}

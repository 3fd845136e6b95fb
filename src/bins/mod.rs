//! Numbers as codes of bins, in rows of bytes, for growth on histograms.
//!
//! [`edges`] finds the cut points of each numeric column: between all values if there are no more
//! of them than bins, else such that bins have about equal weight. They depend on the multiset of
//! the rows alone, not on their order, their partition or the number of threads; rows that are not
//! in memory together have [`EdgeSummary`]. [`BinnedTable`] then holds each row as a short record:
//! a code of one byte (two if a feature has more than 256 codes) per feature, the class, and the
//! weight if rows have weights. A missing value has the last code. For each bin the lowest and the
//! highest training value are kept, so that a threshold can lie between the values of two bins.
//! [`GroupedRecords`] counts and divides the rows of one partition of a distributed fit.
//!
//! Memory: `features + 1` bytes per row (with wide codes `2 * features + 1`), and 1 to 8 bytes for
//! a weight, rounded up to a multiple of eight. Time: a few nanoseconds per value.
//!
//! When not to use it: where every boundary between two values must be a candidate, and columns
//! have more values than bins. Growth then reads sorted orders ([`crate::data`]).

mod encode;
mod lookup;
mod parts;
mod quantiles;
mod records;
mod sample;
mod summary;

pub use encode::{BinEncoding, BinnedTable, TableFacts};
pub use parts::{GroupSplits, GroupedRecords, PartFormat, add_counts};
pub use quantiles::{edges, midpoints, values_of_all};
pub use records::{Records, RowLayout, WeightWidth};
pub use summary::{EdgeSummary, ValueCounts};

/// Rows of a tile, which is read column by column. The cells of a row may lie side by side, so a
/// tile is small enough for the first-level cache.
const TILE: usize = 128;

/// What the codes of one feature mean.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureBins {
    /// Number of bins or levels; their codes are the numbers below it.
    pub n_codes: u32,
    /// Whether some training row has the code `n_codes`, which means "missing".
    pub has_missing: bool,
    /// `[lowest, highest]` training value of each bin, infinity and minus infinity for an empty
    /// bin; None for a nominal feature.
    pub ranges: Option<Vec<[f64; 2]>>,
}

impl FeatureBins {
    /// Number of codes, including the code of missing values if some row has it. A histogram of the
    /// feature has as many counters per class.
    pub fn n_codes_with_missing(&self) -> usize {
        self.n_codes as usize + usize::from(self.has_missing)
    }

    /// Whether the codes are levels of a nominal feature rather than bins. Bins are ordered and
    /// have ranges of values; levels have neither.
    pub fn is_nominal(&self) -> bool {
        self.ranges.is_none()
    }
}

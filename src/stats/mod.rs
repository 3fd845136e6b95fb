//! Sufficient statistics of sets of rows: contingency tables, moments of a numeric target, pairs of
//! rows by distance, nearest neighbours, and tests of independence.
//!
//! Criteria score these; growth asks for those that its criterion needs. Tables and pair counts are
//! sums of integers (or of fixed-point weights) over rows, so they do not depend on the order of
//! the rows, on threads or on a partition of the work, and partial results add up exactly.

pub mod contingency;
mod exact_moments;
pub mod groups;
pub mod inference;
mod moments;
pub mod neighbours;
pub mod pairs;
mod sums;

pub use exact_moments::ExactMoments;
pub use moments::TargetRows;
pub use moments::by_weighing;
pub use sums::{CellOf, FixedWeights, RowCopies, SentSum, Sum, Weighing};

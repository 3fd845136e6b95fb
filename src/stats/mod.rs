//! Evidence about sets of rows, counted as integers.
//!
//! Tables are sums over rows, so they do not depend on the order of the rows, on threads or on how
//! the rows were divided; two partial results add.

pub mod contingency;
pub mod neighbours;
pub mod pairs;
mod sums;

pub use sums::{CellOf, FixedWeights, IntegerWeights, Sum, UnitWeights, Weighing};

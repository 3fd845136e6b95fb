//! Growth on histograms: numbers are codes of bins ([`crate::bins`]), and a node is a range of
//! records.
//!
//! A large node counts its rows by (class, code, feature) once for all features; of the children
//! of a split all but the largest are counted, and the largest child's counters are what remains of
//! the parent's ([`counts`]). A small node sorts the codes of its rows, feature by feature. Either
//! way the occupied bins of a feature come out as groups, whose cuts are offered to the same sinks,
//! criteria and selection rules as the boundaries of sorted numbers are ([`node`]); levels of
//! nominal features are counted in the same pass. Splitting copies the records of a node from one
//! buffer to the other, branch by branch ([`rows`]).
//!
//! Everything counted is a sum of integers, so the tree depends neither on the order of the rows
//! nor on threads: subtrees are tasks, as everywhere. Time: about a nanosecond for each
//! row and feature of all children but the largest, and the formula for each occupied bin.
//! Memory: two buffers of records, and the counters of the nodes that wait.
//!
//! It serves local growth by criteria on tables, with up to 255 classes; missing values are a
//! branch of their own. What else is asked for is grown on numbers rounded to their bins.

mod best_cut;
mod context;
mod counts;
mod cuts;
mod growth;
mod inherit;
mod node;
mod rows;
mod small;
mod spread;
mod sums;
mod two_class;

pub use growth::grow;
pub use spread::{GrownBelow, Routes, SpreadFacts, SpreadGrowth, grow_below};

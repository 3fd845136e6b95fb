//! Growth on histograms: numbers are codes of bins ([`crate::bins`]), and a node is a range of
//! records, one per row.
//!
//! How a node is searched and split:
//!
//! * *Counting.* A large node counts its rows by (class, code, feature) in one pass for all
//!   features ([`counts`]). A node of few rows sorts the codes of its rows instead, feature by
//!   feature.
//! * *Inheritance.* All children of a split except the largest are counted. The counters of the
//!   largest are what remains of the parent's counters when the counters of the other children are
//!   subtracted ([`inherit`]).
//! * *Search by feature* ([`node`]). The occupied bins of a feature are groups. The cuts between
//!   them go into the same sinks, criteria and selection rules as the thresholds of sorted numbers.
//! * *Search by blocks* ([`best_cut`]). In the common case the cuts of a node are scored as one
//!   block of all features ([`cuts`]), or as several blocks where there are many features, each of
//!   them counted for itself. Two classes have a kernel of their own ([`two_class`]), and several
//!   classes have sums over the classes ([`sums`]).
//! * *Small nodes* ([`small`]). The rows of a node of at most 64 rows are the bits of a word.
//! * *Division* ([`rows`]). A split brings the records of a node into the order of its branches.
//!
//! [`grow`] grows a tree whose rows lie in this process. [`spread`] grows one whose rows lie in
//! other processes: [`spread_tree`] begins a [`SpreadTree`] on the client, from facts of all rows
//! ([`SpreadFacts`]); [`Routes`] tell the workers how to regroup their rows; and a [`SmallGroup`]
//! is a node whose subtree a worker grows by [`grow_below`].
//!
//! All counts are integers, so the tree depends neither on the order of the rows nor on threads.
//! Time: about a nanosecond per row and feature of all children except the largest (of all children
//! where there are several blocks), and the formula per occupied bin. Memory: the records, and the
//! counters of open nodes.
//!
//! The room serves local growth by criteria on tables, with up to 255 classes; missing values are a
//! branch of their own. Other growth on bins uses [`super::sorted_ranges`], with numbers rounded to
//! their bins.

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
pub use spread::{Routes, SmallGroup, SpreadFacts, SpreadTree, grow_below, spread_tree};

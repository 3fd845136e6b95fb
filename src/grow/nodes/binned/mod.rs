//! Growth on histograms: numbers are codes of bins ([`crate::bins`]), and a node is a range of
//! records, one per row.
//!
//! A large node counts its rows by (class, code, feature) in one pass for all features
//! ([`counts`]). Of the children of a split all but the largest are counted, and the counters of
//! the largest are those of the parent less the others ([`inherit`]). A small node sorts the codes
//! of its rows, feature by feature. Either way the occupied bins of a feature are groups, whose
//! cuts go into the same sinks, criteria and selection rules as the thresholds of sorted numbers
//! ([`node`]). In the common case the cuts of a node are scored as blocks ([`best_cut`]): one of
//! all features or, where these are many, several, each counted for itself; nodes of at most 64
//! rows are words of bits ([`small`]). A split brings the records of a node into the order of its
//! branches ([`rows`]). [`spread`] grows trees whose rows lie in other processes.
//!
//! All counts are integers, so the tree depends neither on the order of the rows nor on threads.
//! Time: about a nanosecond per row and feature of all children but the largest (of all children
//! where there are several blocks), and the formula per occupied bin. Memory: the records, and the
//! counters of open nodes.
//!
//! It serves local growth by criteria on tables, with up to 255 classes; missing values are a
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

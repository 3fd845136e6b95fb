//! Growth, search, pruning and prediction of trees.
//!
//! The third of the five crates of the core.

pub use fasttree_base::{error, json, memory, numeric, options, parallel, reached, simd};
pub use fasttree_counts::{bins, criteria, data, model, read, stats, tree};

pub mod exact;
pub mod grow;
pub mod predict;
pub mod prune;
pub mod split;

//! Fits from checked parameters to models: of trees, and of the models beside them.
//!
//! The fourth of the five crates of the core.

pub use fasttree_base::{error, json, memory, numeric, options, parallel, reached, simd};
pub use fasttree_counts::{bins, criteria, data, model, read, stats, tree};
pub use fasttree_trees::{exact, grow, predict, prune, split};

pub mod bayes;
pub mod discretize;
pub mod explain;
pub mod fit;
pub mod inspect;
pub mod networks;
pub mod resample;
pub mod store;

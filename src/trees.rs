//! The learners of fasttree: growth, search, pruning and prediction of trees, and the models beside
//! them.
//!
//! The second of the three crates of the core, on [`fasttree_base`], whose modules it names as its
//! own.

pub use fasttree_base::{
    bins, criteria, data, error, json, memory, model, numeric, options, parallel, reached, read,
    simd, stats, tree,
};

pub mod bayes;
pub mod discretize;
pub mod exact;
pub mod explain;
pub mod fit;
pub mod grow;
pub mod inspect;
pub mod networks;
pub mod predict;
pub mod prune;
pub mod resample;
pub mod split;
pub mod store;

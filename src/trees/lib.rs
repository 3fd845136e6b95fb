//! Growth, search, pruning and prediction of trees.
//!
//! The third of the five crates of the core. Its functions take rows, counts and criteria from the
//! crates below, `fasttree_base` and `fasttree_counts`; options are checked and models are
//! assembled in the crate above, `fasttree_learners`.
//!
//! The modules of the crates below are re-exported, so that `crate::data` means the same in all of
//! them; `fasttree_base` says why the modules of this crate have a `#[path]`.

pub use fasttree_base::{error, json, memory, numeric, options, parallel, reached, simd};
pub use fasttree_counts::{bins, criteria, data, model, read, stats, tree};

#[path = "../exact/mod.rs"]
pub mod exact;
#[path = "../grow/mod.rs"]
pub mod grow;
#[path = "../predict/mod.rs"]
pub mod predict;
#[path = "../prune/mod.rs"]
pub mod prune;
#[path = "../split/mod.rs"]
pub mod split;

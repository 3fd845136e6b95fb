//! Fits from checked parameters to models: trees, and the models beside them, such as Bayesian
//! networks.
//!
//! The fourth of the five crates of the core, above `fasttree_base`, `fasttree_counts` and
//! `fasttree_trees`. The fifth, `fasttree_core`, adds the Python bindings.
//!
//! The modules of the crates below are re-exported, so that `crate::data` means the same in all of
//! them; `fasttree_base` says why the modules of this crate have a `#[path]`.

pub use fasttree_base::{error, json, memory, numeric, options, parallel, reached, simd};
pub use fasttree_counts::{bins, criteria, data, model, read, stats, tree};
pub use fasttree_trees::{exact, grow, predict, prune, split};

#[path = "../bayes/mod.rs"]
pub mod bayes;
#[path = "../discretize/mod.rs"]
pub mod discretize;
#[path = "../explain/mod.rs"]
pub mod explain;
#[path = "../fit/mod.rs"]
pub mod fit;
#[path = "../inspect/mod.rs"]
pub mod inspect;
#[path = "../networks/mod.rs"]
pub mod networks;
#[path = "../resample/mod.rs"]
pub mod resample;
#[path = "../store/mod.rs"]
pub mod store;

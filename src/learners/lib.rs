//! Fits from checked parameters to models: trees, and the models beside them, such as Bayesian
//! networks.
//!
//! The fourth of the five crates of the core. The fifth, `fasttree_core`, adds the Python bindings.

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

//! Files as columns, counts of rows, and the criteria that are functions of counts.
//!
//! The second of the five crates of the core, above `fasttree_base`. It defines training sets,
//! tables of counts, criteria and trees; the growth of trees is in the next crate,
//! `fasttree_trees`.
//!
//! The modules of the crates below are re-exported, so that `crate::data` means the same in all of
//! them; `fasttree_base` says why the modules of this crate have a `#[path]`.

pub use fasttree_base::{error, json, memory, numeric, options, parallel, reached, simd};

#[path = "../bins/mod.rs"]
pub mod bins;
#[path = "../criteria/mod.rs"]
pub mod criteria;
#[path = "../data/mod.rs"]
pub mod data;
#[path = "../model.rs"]
pub mod model;
#[path = "../read/mod.rs"]
pub mod read;
#[path = "../stats/mod.rs"]
pub mod stats;
#[path = "../tree/mod.rs"]
pub mod tree;

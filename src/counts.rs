//! Files as columns, counts of rows, and the criteria that are functions of counts.
//!
//! The second of the five crates of the core.

pub use fasttree_base::{error, json, memory, numeric, options, parallel, reached, simd};

pub mod bins;
pub mod criteria;
pub mod data;
pub mod model;
pub mod read;
pub mod stats;
pub mod tree;

//! What the trees of fasttree stand on: columns, counts and criteria.
//!
//! The first of the three crates of the core, whose modules `fasttree_core` documents in the order
//! in which data pass through them. Three crates need less memory to compile than one, two are
//! compiled at a time, and a change in growth leaves this one as it is. A crate is one unit of
//! code to LLVM: what another crate calls per row or per node is generic or `#[inline]`.

pub mod bins;
pub mod criteria;
pub mod data;
pub mod error;
pub mod json;
pub mod memory;
pub mod model;
pub mod numeric;
pub mod options;
pub mod parallel;
pub mod reached;
pub mod read;
pub mod simd;
pub mod stats;
pub mod tree;

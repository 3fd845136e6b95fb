//! Errors, memory, threads, arithmetic and vector code: what all of the core stands on.
//!
//! The first of the five crates of the core, whose modules `fasttree_core` documents in the order
//! in which data pass through them. Five crates need less memory to compile than one, two are
//! compiled at a time, and a change in growth leaves those below it as they are. A crate is one
//! unit of code to LLVM: what another crate calls per row or per node is generic or `#[inline]`.

pub mod error;
pub mod json;
pub mod memory;
pub mod numeric;
pub mod options;
pub mod parallel;
pub mod reached;
pub mod simd;

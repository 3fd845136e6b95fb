//! Errors, memory, threads, arithmetic and vector code: the foundations of the core.
//!
//! The first of the five crates of the core, whose modules `fasttree_core` documents in the order
//! in which data pass through them. Five crates need less memory to compile than one, two are
//! compiled at a time, and a change in growth does not recompile the crates below it. A crate is
//! one unit of code to LLVM, so functions that another crate calls per row or per node are generic
//! or `#[inline]`.
//!
//! The sources of all crates lie side by side under `src`, one folder or file per module, and each
//! crate lists its own by `#[path]`: a module moves from one crate to another by one line. Above
//! this crate come `fasttree_counts`, `fasttree_trees`, `fasttree_learners` and `fasttree_core`.

#[path = "../error.rs"]
pub mod error;
#[path = "../json.rs"]
pub mod json;
#[path = "../memory/mod.rs"]
pub mod memory;
#[path = "../numeric/mod.rs"]
pub mod numeric;
#[path = "../options.rs"]
pub mod options;
#[path = "../parallel.rs"]
pub mod parallel;
#[path = "../reached.rs"]
pub mod reached;
#[path = "../simd/mod.rs"]
pub mod simd;

//! Rows to leaves, leaves to classes and probabilities.
//!
//! A tree is compiled once for a model and kept ([`CompiledTree`]): 16 bytes per node, in the
//! pre-order of the tree, so that the first child of a binary test is the next node. Trees that
//! test numbers only walk in blocks of rows ([`block`]), several rows in flight, so that the loads
//! of one row hide behind those of the others; other trees walk row by row.
//!
//! Where a missing value takes all branches ([`crate::tree::ALL`]) the walk of the whole row ends,
//! and fractions of it go on; the answer is then a mixture of leaves ([`predictor`]), each with the
//! weight of its fraction (Quinlan, C4.5, 1993, chapter 3). A forest is a vote of its trees
//! ([`vote`]).

mod block;
mod compiled;
mod dense;
mod predictor;
mod vote;

pub use compiled::{CompiledTree, Source};
pub use dense::Dense;
pub use predictor::Predictor;
pub use vote::{ForestPredictor, Votes};

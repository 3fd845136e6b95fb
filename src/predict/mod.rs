//! Prediction: from rows to leaves, and from leaves to classes and probabilities.
//!
//! A tree is compiled once per model and kept ([`CompiledTree`]): 16 bytes per node, in pre-order,
//! so that the first child of a binary test is the next node. Through trees that test numbers only,
//! rows are sent in blocks ([`block`]), several rows at a time, so that the memory accesses of one
//! row overlap with the memory accesses of the others; through other trees they are sent one by
//! one. O(depth) per row and tree.
//!
//! Where a missing value takes all branches ([`crate::tree::ALL`]), the walk of the whole row ends
//! and fractions of it continue; the prediction is then a mixture of leaves, weighted by the
//! fractions ([`predictor`]; Quinlan, C4.5, 1993, chapter 3). A forest averages its trees
//! ([`vote`]).

mod block;
mod compiled;
mod dense;
mod descent;
mod predictor;
mod vote;

pub use compiled::{CompiledTree, Source};
pub use dense::Dense;
pub use descent::ReachingRows;
pub use predictor::{Predictor, label_of_mixture};
pub use vote::{ForestPredictor, Votes};

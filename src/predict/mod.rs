//! Rows to leaves, leaves to classes and probabilities.
//!
//! A tree is first laid out for walking ([`Walker`]): 24 bytes a node, thresholds and children side
//! by side. Rows walk in groups in lockstep, so that the loads of one row hide behind those of the
//! others; leaves point at themselves, and a group is done when nobody moves. Trees with multiway
//! splits walk row by row.
//!
//! Where a missing value takes all branches ([`crate::tree::ALL`]) the walk of the whole row ends,
//! and its parts go on; the answer is then a mixture of leaves ([`answers`]), each with the weight
//! of its part (Quinlan, C4.5, 1993, chapter 3). A forest is a vote of its trees ([`vote`]).

mod answers;
mod vote;
mod walker;

pub use answers::{Answerer, labels, probabilities};
pub use vote::{Votes, all_leaves, vote};
pub use walker::{Source, Walker, leaves};

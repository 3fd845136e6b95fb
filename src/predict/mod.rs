//! Rows to leaves.
//!
//! A tree is first laid out for walking ([`Walker`]): 24 bytes a node, thresholds and children side by
//! side. Rows walk in groups in lockstep, so that the loads of one row hide behind those of the others; leaves point
//! at themselves, and a group is done when nobody moves. Trees with multiway splits walk row by row.

mod walker;

pub use walker::{Source, Walker, leaves};

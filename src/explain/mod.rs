//! Shapley values of predictions: the contribution of each feature to each class probability of a
//! row.
//!
//! The game of a row is the path-dependent one of TreeSHAP (Lundberg et al., "From local
//! explanations to global understanding with explainable AI for trees", Nature Machine Intelligence
//! 2, 2020): v(S) is the prediction if the features in S have the values of the row, and every test
//! of another feature sends the row down all branches, by their shares of the training weight
//! ([`crate::tree::Tree::shares`]). All kinds of tests are supported: multiway and subset tests,
//! branches for missing values, and fractional rows, whose test is answered by shares inside S too.
//!
//! [`TreeExplainer`] computes the values of one tree exactly, in O(nodes * features on a path) per
//! row; the values of a forest are the means over its trees ([`ForestExplainer`]).

mod forest;
mod kernel;
mod quadrature;
mod tree;

pub use forest::ForestExplainer;
pub use tree::TreeExplainer;

//! Shapley values of predictions: what each feature adds to each class probability of a row.
//!
//! The game of a row is the path-dependent one of TreeSHAP (Lundberg et al., "From local
//! explanations to global understanding with explainable AI for trees", Nature Machine Intelligence
//! 2, 2020): v(S) is the prediction when the features in S are those of the row, and every test of
//! another feature sends the row down all branches, by their shares of the training weight
//! ([`crate::tree::Tree::shares`]). Any test will do: multiway and subset tests, branches of
//! missing values, and fractions of rows, whose test is answered by shares also inside S.
//!
//! [`TreeExplainer`] computes the values of one tree exactly in O(nodes x features on a path);
//! those of a forest are the means over its trees ([`ForestExplainer`]).

mod forest;
mod kernel;
mod quadrature;
mod tree;

pub use forest::ForestExplainer;
pub use tree::TreeExplainer;

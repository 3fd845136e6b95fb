//! The search for the best split of one node.
//!
//! Growth calls this module per node and feature. Candidate splits are enumerated ([`threshold`]
//! and its variants for numeric features, [`multiway`] or [`subset`] for nominal ones), their
//! contingency tables are collected in blocks and scored by the criterion, and a sink keeps the
//! result for the caller: the best candidate of each feature ([`BestOfEach`]), or all scores
//! ([`Listing`]). A [`Selector`] then picks among the features by their scores.
//!
//! | values of a feature | candidates |
//! |---|---|
//! | sorted rows | [`threshold`]; `running` for several classes, `weighed` for weights |
//! | sorted rows, a numeric target | [`means`], or [`order`] for quantiles |
//! | sorted rows, at most 64 of them | [`short`] |
//! | counts per bin | [`binned`] |
//! | nominal | [`multiway`], [`subset`] |
//! | by C4.5's rule | [`c45`], [`cuts`] |
//! | one drawn at random | [`random`], [`splitter`] |
//!
//! The gain of each scan over the next more general scan that finds the same thresholds, in CPU
//! time of whole fits of 50,000 x 15 (`benches/two_builds.py` has the workloads), one thread,
//! AVX-512:
//!
//! | scan | serves | compared with | times as quick |
//! |---|---|---|---|
//! | kernel of `threshold` | unit weights, 2 to 32 classes | single tables | 2.7, 2.2 (3 classes) |
//! | screens | two branches | the formula | gini 1.13, gain 1.27, gain ratio 1.8 |
//! | `running`, squares | 4 classes and more | tables | 1.7 (5 classes), 2.4 (10) |
//! | `running`, logarithms | 4 classes and more | tables | 1.4 (5 classes) |
//! | `short` | at most 64 rows | `running` | squares 1.3, logarithms 1.4 (40 classes) |
//! | bound of `running` | squares | scores of all blocks | 1.09 (10 classes), 1.04 (40) |
//! | `weighed` | fixed-point weights | single tables | 1.8, 1.3 (5 classes) |
//! | boxes of `weighed` | fractional rows, two classes | all boundaries | gini 1.3, gain 1.6 |
//! | `means` | means of rows | tables | 12 (depth 6), 2.9 (real weights) |
//! | `means`, bytes | means, at most 64 rows | `means` | 2.0; all features at once 1.4 of it |
//! | `binned`, means | means of bins | tables | 2.4 |
//! | [`cuts`] | C4.5's rule, up to 4 classes | [`c45`], whose gains round otherwise | 1.3 |
//!
//! Two gains are below 1.15: the screen of gini, and the bound. They stay: with AVX2 the bound
//! gains 1.18 (100,000 x 20, ten classes), and boxes of fractional rows, which the screen bounds,
//! 1.83.

pub mod binned;
mod block;
pub mod c45;
mod cut_rule;
pub mod cuts;
pub(crate) mod estimates;
mod guard;
mod mean_scratch;
pub mod means;
pub mod multiway;
pub mod order;
pub mod random;
mod running;
mod scan;
mod select;
pub mod short;
pub mod significance;
mod sink;
pub mod splitter;
pub mod subset;
#[cfg(test)]
mod tests;
pub mod threshold;
mod weighed;

pub use block::{BlockScratch, CutTable};
pub use cut_rule::{CutRule, NumericRows};
pub use guard::ValueGuard;
pub use select::{CandidateFacts, Selector};
pub(crate) use sink::not_a_number;
pub use sink::{
    BestOfEach, BestOfFeature, CandidateBlock, Listing, ScoredCandidate, Sink, sort_by_feature,
};
pub use splitter::Splitter;
pub use subset::NominalSplits;

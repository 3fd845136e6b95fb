//! The search for the best split of one node.
//!
//! Growth calls this module per node and feature. Candidate splits are enumerated ([`threshold`]
//! and its variants for numeric features, [`multiway`] or [`subset`] for nominal ones), their
//! contingency tables are collected in blocks and scored by the criterion, and a sink keeps what
//! the caller wants: the best candidate of each feature ([`BestOfEach`]), or all scores
//! ([`Listing`]). A [`Selector`] then picks among the features by their scores.
//!
//! | values of a feature | candidates |
//! |---|---|
//! | sorted rows | [`threshold`]; `running` for several classes, `weighed` for weights |
//! | sorted rows, a numeric target | `between` for means, [`order`] for quantiles |
//! | sorted rows, at most 64 of them | [`short`] |
//! | counts per bin | [`binned`] |
//! | nominal | [`multiway`], [`subset`] |
//! | by C4.5's rule | [`c45`], [`cuts`] |
//! | one drawn at random | [`random`], [`splitter`] |

pub mod between;
pub mod binned;
mod block;
pub mod c45;
mod cut_rule;
pub mod cuts;
pub(crate) mod doubt;
mod guard;
mod mean_scratch;
pub mod multiway;
pub mod order;
pub mod random;
mod running;
mod scan;
mod select;
pub mod short;
mod sink;
pub mod splitter;
pub mod subset;
#[cfg(test)]
mod tests;
pub mod threshold;
mod weighed;

pub use block::BlockScratch;
pub use cut_rule::{CutRule, NumericRows};
pub use guard::ValueGuard;
pub use select::{CandidateFacts, Choice, Selector};
pub(crate) use sink::not_a_number;
pub use sink::{BestOfEach, CandidateBlock, Listing, Scored, Sink, sort_by_feature};
pub use splitter::Splitter;
pub use subset::NominalSplits;

//! From a node's rows to the split that is chosen.
//!
//! Candidates are enumerated feature by feature ([`threshold`] for numbers, [`multiway`] or
//! [`subset`] for codes), their tables are gathered in blocks and handed to the criterion, and a
//! sink keeps what is wanted: the best of each feature ([`BestOfEach`]), or every score
//! ([`Listing`]). A [`select`]ion rule then picks among the features; it sees scores and gains, no
//! formula.

pub mod binned;
mod block;
pub mod c45;
mod cut_rule;
pub mod cuts;
pub(crate) mod doubt;
pub mod multiway;
pub mod random;
mod running;
mod scan;
mod select;
pub mod short;
mod sink;
pub mod splitter;
pub mod subset;
#[cfg(test)]
mod tabled;
pub mod threshold;
mod weighed;

pub use block::BlockScratch;
pub use cut_rule::{CutRule, NumericRows};
pub use select::{Choice, FeatureBest, Selector};
pub(crate) use sink::not_a_number;
pub use sink::{BestOfEach, CandidateBlock, Listing, Scored, Sink};
pub use splitter::Splitter;
pub use subset::NominalSplits;

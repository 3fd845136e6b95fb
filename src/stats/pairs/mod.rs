//! Pairs of rows by distance: the evidence of the unified framework of Vilalta, Brodie, Oblinger &
//! Rish (2001), which has contextual merit and Relief as instances.
//!
//! The distance of two rows is the number of features on which they differ. [`pair_counts`] makes
//! one exact pass and returns [`PairCounts`], integers by (feature, value, class, case, distance);
//! every metric of the framework is a weighted sum of them ([`Profile`], [`count_matrices`]).
//! [`weigh_pairs`] makes a fixed-point pass for one setting, which is cheaper with many distances.
//! [`PairNodeRows`] does either for a node of a tree, [`pair_counts_by_block`] for the folds of a
//! cross-validation; [`block_scores`] and [`agreement`] estimate scores from a part of the pairs.
//! The exact passes take O(t^2 n) bit operations for t rows of n features; [`plan`] chooses among
//! them.

mod agreement;
mod blocks;
mod columns;
mod contract;
mod counts;
mod dense;
mod exact;
mod input;
mod naive;
mod node;
pub mod plan;
mod profile;
mod radius;
mod runs;
mod sample;
mod scan;
#[cfg(test)]
pub(super) mod tests;
mod tile;
mod weigh;
mod weigh_blocks;
#[cfg(test)]
mod weigh_tests;
mod weighed;
mod window;

pub use agreement::{Agreement, agreement};
pub use blocks::{BlockCounts, RowBlocks, pair_counts_across, pair_counts_by_block};
pub use columns::NominalColumns;
pub use contract::{Decay, PairMetric, PairSetting, count_matrices, root_matrix};
pub use counts::{Classes, PairCounts};
pub use exact::pair_counts;
pub use input::{CodeColumn, CodeTable, CodeValues, MAX_WEIGHT};
pub use node::{Matrices, NodeMatrices, NodePass, NodeShape, Numbering, PairNodeRows};
pub use profile::Profile;
pub use radius::{RadiusRule, default_radius};
pub use sample::{BlockScores, CaseSigns, block_scores};
pub use weigh::weigh_pairs;
pub use weighed::WeighedPairs;

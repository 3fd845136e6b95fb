//! Growth of trees: a leaf is split at its best candidate until a limit stops it.
//!
//! `crate::fit` calls one of four entry points, one per form of a node's rows ([`nodes`]):
//! [`on_sorted_orders`], [`on_bit_planes`], [`on_fractions`] and [`binned`]. All of them grow
//! locally, one leaf at a time: the [`driver`] picks the leaf, the form of rows evaluates it
//! through the shared [`search`], and the split is added to the tree under construction
//! ([`builder`]). [`grow_globally`] evaluates the tree as a whole instead, and [`forest`] draws the
//! samples of a forest and grows a tree on each. [`candidates`] lists the scores of one node and
//! grows nothing.
//!
//! Level-wise cost is O(rows x features); each module states its own.

mod builder;
mod constraints;
mod context;
mod driver;
mod evaluate;
mod evidence;
mod features;
pub mod forest;
mod global;
mod listing;
mod nodes;
mod options;
mod packed;
mod partition;
mod row_buffers;
mod search;
mod short_orders;
mod significance;
mod thresholds;

pub use constraints::Constraints;
pub use evidence::memo::{KnownPairs, PairMemo};
pub use global::grow as grow_globally;
pub use global::trace::distances;
pub use listing::{Candidate, candidates, feature_tests};
pub use nodes::binned;
pub use nodes::bit_planes::grow as on_bit_planes;
pub use nodes::fractional::grow as on_fractions;
pub use nodes::sorted_ranges::grow as on_sorted_orders;
pub use options::{
    EmptyBranch, Evaluation, GrowthLimits, GrowthSetting, LeafLabels, LeafOrder, OnRise,
    Thresholds, check,
};
pub use packed::PackedTree;

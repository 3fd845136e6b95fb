//! Leaves are split until a limit says stop.
//!
//! Local growth evaluates one leaf at a time: the [`driver`] decides which, [`nodes`] hold its rows
//! (a range of sorted orders, bit planes, lists with weights) and find its best split. [`global`]
//! growth evaluates the whole tree; a [`forest`] repeats either. The result is a tree under
//! construction ([`builder`]) that becomes a tree in pre-order.

mod between;
mod buffer_pool;
mod builder;
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

pub use buffer_pool::BufferPool;
pub use evidence::memo::{KnownPairs, PairMemo};
pub use global::grow as grow_globally;
pub use global::trace::distances;
pub use listing::{Candidate, candidates};
pub use nodes::binned;
pub use nodes::bit_planes::grow as on_bit_planes;
pub use nodes::fractional::grow as on_fractions;
pub use nodes::sorted_ranges::grow as on_sorted_orders;
pub use options::{
    EmptyBranch, Evaluation, GrowthLimits, GrowthSetting, LeafLabels, LeafOrder, OnRise,
    Thresholds, check,
};
pub use packed::PackedTree;

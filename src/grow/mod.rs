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

use crate::criteria::SplitRule;
use crate::data::{Column, Dataset, RowSet, Weights};
use crate::error::Result;
use crate::parallel::Control;
use crate::tree::Tree;

pub use buffer_pool::BufferPool;
pub use evidence::memo::{KnownPairs, PairMemo};
pub use global::grow as grow_globally;
pub use global::trace::distances;
pub use listing::{Candidate, candidates};
pub use nodes::binned;
pub use options::{
    EmptyBranch, Evaluation, GrowthLimits, GrowthSetting, LeafLabels, LeafOrder, OnRise,
    Thresholds, check,
};
pub use packed::PackedTree;

/// Grow a tree on some rows.
pub fn grow(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Tree> {
    check(&setting.limits)?;
    if setting.evaluation != Evaluation::Local {
        return Ok(global::grow(data, setting, rows, weights, control)?.0);
    }
    if setting.criterion.split_rule() == SplitRule::C45 || (setting.fractional && gaps(data, rows))
    {
        return nodes::fractional::grow(data, setting, rows, weights, control);
    }
    if let Some(tree) = nodes::bit_planes::grow(data, setting, rows, weights, control)? {
        return Ok(tree);
    }
    nodes::sorted_ranges::grow(data, setting, rows, weights, control)
}

/// True when a cell of these rows is missing.
fn gaps(data: &Dataset, rows: &RowSet) -> bool {
    data.columns().iter().any(|column| match column {
        Column::Numeric(c) => c.n_missing() > 0 && rows.rows().iter().any(|&r| c.value(r).is_nan()),
        Column::Nominal(c) => {
            c.n_missing() > 0 && rows.rows().iter().any(|&r| c.code(r) == crate::data::MISSING)
        }
    })
}

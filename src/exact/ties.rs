//! Which of several optimal trees is returned: the one whose tests come first, node by node from
//! the root down. A search resolves ties at the root only, which is faster than resolving them in
//! every set of rows. Then the tree is searched again, each node with the known cost as its limit.

use super::any_depth::solve_any;
use super::incumbent::{Incumbent, Plan, Split};
use super::query::{Query, most_leaves};
use super::setting::Setting;
use super::sorted::SortedSet;
use crate::error::Result;
use crate::parallel::Control;

/// The best tree of a set whose least `cost` is known, with the first of several best tests at
/// every node. The set is searched again, with a limit so close to that cost that little is open.
///
/// # Errors
/// The reason why a search ended early.
fn resolve_ties(
    setting: &Setting<'_>,
    set: &SortedSet,
    depth: u32,
    leaves: u32,
    cost: f64,
    control: &Control,
) -> Result<Plan> {
    let usable_leaves = most_leaves(depth, leaves);
    if usable_leaves <= 2 {
        return Ok(Plan::Stump(usable_leaves));
    }
    let column_bounds = vec![0.0; set.columns.len()];
    // Trees of up to `cost + tie` are as good as the best one, and until one of them is found, the
    // search takes `tie` from its limit ([`Setting::limit`]).
    let limit = cost + 2.0 * setting.tie;
    let query = Query {
        limit,
        resolves_ties: true,
        ..Query::new(set, depth, usable_leaves, &column_bounds)
    };
    let answer = solve_any(setting, &query, None, control).complete()?;
    resolve_ties_below_root(setting, set, depth, &answer.best, control)
}

/// The tree of the first of several best first tests, which a search of the set has determined,
/// with the first of several best tests at every other node.
///
/// # Errors
/// The reason why a search ended early.
pub(super) fn resolve_ties_below_root(
    setting: &Setting<'_>,
    set: &SortedSet,
    depth: u32,
    best: &Incumbent,
    control: &Control,
) -> Result<Plan> {
    let Some(Split { test, leaves, costs }) = best.split else {
        return Ok(Plan::Stump(1));
    };
    let resolve_side = |is_right: bool| {
        let test_side = set.test_side(setting.rows, test, is_right);
        let mut side_set = set.side(setting.rows, test_side, setting.mark_rule(), control)?;
        side_set.hash = setting.solved.hash(&side_set.columns[0].order);
        let i = usize::from(is_right);
        resolve_ties(setting, &side_set, depth - 1, leaves[i], costs[i], control)
    };
    Ok(Plan::split(test, resolve_side(false)?, resolve_side(true)?))
}

//! Which of several optimal trees is returned: the one whose tests come first, node by node from
//! the root down. A search resolves ties at the root only, which is faster. Then the tree is
//! searched again, each node with the known cost as its limit.

use super::any_depth::{most_leaves, solve_any};
use super::incumbent::{Incumbent, Plan, Split};
use super::query::Query;
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
    (depth, leaves): (u32, u32),
    cost: f64,
    control: &Control,
) -> Result<Plan> {
    let leaves = most_leaves(depth, leaves);
    if leaves <= 2 {
        return Ok(Plan::Stump(leaves));
    }
    let by_column = vec![0.0; set.columns.len()];
    let limit = cost + 2.0 * setting.tie;
    let query = Query { limit, resolves_ties: true, ..Query::new(set, depth, leaves, &by_column) };
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
        let side = set.test_side(setting.rows, test, is_right);
        let mut side = set.side(setting.rows, side, setting.mark_rule(), control)?;
        side.hash = setting.solved.hash(&side.columns[0].order);
        let i = usize::from(is_right);
        resolve_ties(setting, &side, (depth - 1, leaves[i]), costs[i], control)
    };
    Ok(Plan::split(test, resolve_side(false)?, resolve_side(true)?))
}

//! Of several optimal trees, the first one (`exact`).

use super::deeper::{most_leaves, solve_any};
use super::plans::{Incumbent, Plan, PlanSplit, Split};
use super::setting::{Query, Setting};
use super::sorted::SortedSet;
use super::two_levels::Pool;
use crate::error::Result;
use crate::parallel::Control;

/// The best tree: that of a solved set again, with the first of several best tests at every node.
pub(super) fn first_plan(
    setting: &Setting<'_>,
    set: &SortedSet,
    (depth, leaves): (u32, u32),
    cost: f64,
    pool: &Pool,
    control: &Control,
) -> Result<Plan> {
    let leaves = most_leaves(depth, leaves);
    if leaves <= 2 {
        return Ok(Plan::Stump(leaves));
    }
    let by_column = vec![0.0; set.columns.len()];
    let query = Query {
        set,
        depth,
        leaves,
        limit: cost + 2.0 * setting.tie,
        known: 0.0,
        by_column: &by_column,
        hint: None,
        share: 1.0,
        is_first: true,
        is_root: false,
    };
    let answer = solve_any(setting, &query, None, pool, control).complete()?;
    first_of(setting, set, depth, &answer.best, pool, control)
}

/// [`first_plan`] of a tree whose first test is known.
pub(super) fn first_of(
    setting: &Setting<'_>,
    set: &SortedSet,
    depth: u32,
    best: &Incumbent,
    pool: &Pool,
    control: &Control,
) -> Result<Plan> {
    let Some(Split { test, leaves, costs }) = best.split else {
        return Ok(Plan::Stump(1));
    };
    let plan = |is_right: bool| {
        let mut side = set.one_side(setting.rows, test, is_right, setting.marks(), control)?;
        side.hash = setting.known.hash(&side.columns[0].order);
        let (leaves, cost) =
            if is_right { (leaves.right, costs.right) } else { (leaves.left, costs.left) };
        first_plan(setting, &side, (depth - 1, leaves), cost, pool, control)
    };
    Ok(Plan::Split(Box::new(PlanSplit { test, left: plan(false)?, right: plan(true)? })))
}

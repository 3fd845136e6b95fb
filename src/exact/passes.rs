//! The search for an optimal tree of all rows: a greedy tree first, then passes that bring the
//! bounds together.
//!
//! Most of the time of a proof goes to the last part of the way: a side of a test is shown to cost
//! three quarters of what it costs in a tenth of the time. So where time may end, a pass is content
//! with a tree and a bound of half its cost ([`Query::share`]), the next one with three quarters,
//! and the last one asks for the optimum. Each starts with the tree and the bounds of the one
//! before.

use super::deeper::solve_any;
use super::losses::Loss;
use super::one_test::one_test;
use super::plans::{Plan, PlanSplit};
use super::setting::{Answer, Query, Setting};
use super::sorted::SortedSet;
use super::two_levels::Pool;
use crate::error::{Error, Result};
use crate::parallel::Control;

/// Shares of the cost that the passes of a search with a time limit prove.
const SHARES: [f64; 3] = [0.505, 0.75, 1.0];
/// Rows x columns from which on such a search of depth 3 takes passes, too.
const MANY_CELLS: usize = 500_000;

/// A tree and its cost.
pub(super) struct Greedy {
    pub(super) cost: f64,
    pub(super) plan: Plan,
}

/// The best tree of all rows, or the best one that was found, with a bound that is proven.
pub(super) fn search<L: Loss>(
    setting: &Setting<'_, L>,
    set: &SortedSet,
    (depth, leaves): (u32, u32),
    (is_first, is_timed): (bool, bool),
    pool: &Pool<L::Memory>,
    control: &Control,
) -> Result<(Answer, Plan)> {
    let mut found = greedy(setting, set, (depth, leaves), control)?;
    let many = set.len * set.columns.len() >= MANY_CELLS;
    let in_passes = is_timed && leaves > 4 && depth > if many { 2 } else { 3 };
    let mut last = Answer::none(set.columns.len());
    for share in SHARES.into_iter().filter(|&share| in_passes || share >= 1.0) {
        let query = Query {
            set,
            depth,
            leaves,
            limit: found.cost + 2.0 * setting.tie,
            known: last.lower,
            by_column: &last.by_column,
            hint: last.best.split.map(|split| split.test),
            share,
            is_first: is_first && share >= 1.0,
            is_root: true,
        };
        let next = solve_any(setting, &query, pool, control);
        if let Some(plan) = &next.best.plan {
            found = Greedy { cost: next.best.cost, plan: plan.clone() };
        }
        last = next;
        if last.halted.is_some() {
            break;
        }
    }
    Ok((last, found.plan))
}

/// Grow a tree by the best test of each node, then make leaves of subtrees that cost no less. What
/// is not split when time is up stays a leaf.
pub(super) fn greedy<L: Loss>(
    setting: &Setting<'_, L>,
    set: &SortedSet,
    (depth, leaves): (u32, u32),
    control: &Control,
) -> Result<Greedy> {
    let cost = setting.leaf(set);
    let leaf = Greedy { cost, plan: Plan::Stump(1) };
    // Deep greedy trees are no better a start.
    let depth = depth.min(leaves.ilog2()).min(6);
    if depth == 0 {
        return Ok(leaf);
    }
    let by_column = vec![0.0; set.columns.len()];
    let query = Query::stump(set, &by_column);
    let answer = match one_test(setting, &query, control).complete() {
        Err(Error::OutOfTime) => return Ok(leaf),
        answer => answer?,
    };
    let Some(split) = answer.best.split else { return Ok(leaf) };
    let test = split.test;
    if depth == 1 {
        return Ok(Greedy { cost: answer.best.cost, plan: answer.best.plan.unwrap_or(leaf.plan) });
    }
    let side =
        |is_right: bool| match set.one_side(setting.rows, test, is_right, setting.marks(), control)
        {
            Err(Error::OutOfTime) => {
                let cost = if is_right { split.costs.right } else { split.costs.left };
                Ok(Greedy { cost, plan: Plan::Stump(1) })
            }
            own => greedy(setting, &own?, (depth - 1, leaves / 2), control),
        };
    let (left, right) = (side(false)?, side(true)?);
    let cost = left.cost + right.cost;
    if cost >= leaf.cost {
        return Ok(leaf);
    }
    Ok(Greedy {
        cost,
        plan: Plan::Split(Box::new(PlanSplit { test, left: left.plan, right: right.plan })),
    })
}

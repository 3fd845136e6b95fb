//! The search for an optimal tree of all rows: greedy trees first, then one level more at a time,
//! each in passes that bring the bounds together.
//!
//! A level starts with the greedy trees of its depth and the best tree of the level before, grown
//! by one test, and goes on from the bounds that were proven there. Each level but the last one has
//! to leave half of the limit to the next one. So what a limit finds is never worse than a greedy
//! tree, nor than what half of the limit finds for one level less: it begins with the same steps.
//!
//! Most of the time of a proof goes to the last part of the way: a side of a test is shown to cost
//! three quarters of what it costs in a tenth of the time. So where time may end, a pass is content
//! with a tree and a bound of half its cost ([`Query::share`]), the next one with three quarters,
//! and the last one asks for the optimum. Each starts with the tree and the bounds of the one
//! before, but the first one has no limit: to show that no tree of a side is below a limit takes
//! longer than to find one within half of its cost.

use super::deeper::solve_any;
use super::grown::GreedyGrowth;
use super::one_test::one_test;
use super::part::SetPart;
use super::plans::{KnownPlan, Plan, PlanSplit};
use super::setting::{Answer, Query, Setting};
use super::sorted::SortedSet;
use super::two_levels::Pool;
use crate::error::{Error, Result};
use crate::parallel::Control;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Shares of the cost that the passes of a search with a time limit prove.
const SHARES: [f64; 3] = [0.505, 0.75, 1.0];
/// Rows x columns from which on such a search of depth 3 takes passes, too.
const MANY_CELLS: usize = 500_000;

/// What a search is asked for.
pub(super) struct Task {
    pub(super) depth: u32,
    pub(super) leaves: u32,
    /// Whether ties are resolved.
    pub(super) is_first: bool,
    /// When the call started, and whether it has a time limit.
    pub(super) start: Instant,
    pub(super) is_timed: bool,
}

/// The best tree of all rows, or the best one that was found, and the answer of the last pass, with
/// a bound that is proven. What must be done in any case has the second control.
pub(super) fn search(
    growth: &GreedyGrowth<'_, '_>,
    set: &SortedSet,
    task: &Task,
    pool: &Pool,
    (searching, ending): (&Control, &Control),
) -> Result<(Answer, KnownPlan)> {
    let &Task { depth, leaves, is_first, start, is_timed } = task;
    let (setting, whole) = (growth.setting, SetPart::whole(set));
    let growing = Instant::now();
    let greedy = growth.trees(whole, depth, ending)?;
    // The tests that a plan leaves to be looked for take as long as one of the trees.
    let searching = searching.earlier(growing.elapsed() / greedy.len().max(1) as u32);
    let many = set.len * set.columns.len() >= MANY_CELLS;
    let nodes = &setting.nodes;
    let (opened, budget) =
        (nodes.opened.load(Ordering::Relaxed), nodes.budget.load(Ordering::Relaxed));
    let mut found = KnownPlan { cost: setting.leaf(set), plan: Plan::Stump(1) };
    let (mut answer, mut less) = (Answer::none(set.columns.len()), None);
    let (mut level, mut is_improved) = (depth.min(2), false);
    loop {
        let trees = greedy.iter().map(|tree| tree.best(level, leaves));
        let extended = match is_improved && leaves >> level.min(31) > 0 {
            true => match extended(growth, whole, &found.plan, level, &searching) {
                Err(Error::OutOfTime) => None,
                extended => Some(extended?),
            },
            false => None,
        };
        for tree in trees.chain(extended) {
            if tree.cost < found.cost {
                found = tree;
            }
        }
        let top = |cost: f64| {
            let deepest = setting.deepest(cost + 2.0 * setting.tie);
            depth.min(deepest)
        };
        let is_last = level >= top(found.cost);
        let halvings = if is_last { 0 } else { depth - level };
        nodes.budget.store(opened + ((budget - opened) >> halvings.min(63)), Ordering::Relaxed);
        let own = searching.within_share(start, f64::from(halvings).exp2().recip());
        // Progress is that of the last level.
        let own = if is_last { own } else { own.quiet() };
        setting.reported.store(0, Ordering::Relaxed);
        let in_passes = is_timed && leaves > 4 && level > if many { 2 } else { 3 };
        let (mut cost, mut plan) = (found.cost, None);
        for share in SHARES.into_iter().filter(|&share| in_passes || share >= 1.0) {
            let limit = if share > SHARES[0] { cost + 2.0 * setting.tie } else { f64::INFINITY };
            let query = Query {
                set,
                depth: level,
                leaves,
                limit,
                known: answer.lower,
                by_column: &answer.by_column,
                hint: answer.best.split.map(|split| split.test).or(found.first_test()),
                share,
                is_first: is_first && share >= 1.0,
                is_root: true,
            };
            let next = solve_any(setting, &query, less.clone(), pool, &own);
            if let Some(better) = next.best.plan.as_ref().filter(|_| next.best.cost < cost) {
                (cost, plan) = (next.best.cost, Some(better.clone()));
            }
            answer = next;
            if answer.halted.is_some() {
                break;
            }
        }
        if let Some(error) = answer.halted.clone().filter(|error| *error != Error::OutOfTime) {
            return Err(error);
        }
        let completed = plan.map(|plan| complete_stumps(setting, whole, &plan, ending));
        let completed = completed.transpose()?.filter(|completed| completed.cost < found.cost);
        is_improved = completed.is_some();
        found = completed.unwrap_or(found);
        let is_top = level >= top(found.cost);
        if is_last || is_top && answer.halted.is_none() {
            return Ok((answer, found));
        }
        // If deeper trees cost too much now, this level goes on with all of the limit.
        if !is_top {
            let none = Answer::none(set.columns.len());
            less = Some(std::mem::replace(&mut answer, none));
            level += 1;
        }
    }
}

/// Grow from the leaves of a tree, by the loss, down to a depth.
pub(super) fn extended(
    growth: &GreedyGrowth<'_, '_>,
    part: SetPart<'_>,
    plan: &Plan,
    most: u32,
    control: &Control,
) -> Result<KnownPlan> {
    complete(growth.setting, part, plan, 0, control, &|part, leaves, depth| {
        let levels = most.saturating_sub(depth).max(leaves - 1);
        if levels <= 1 {
            return stump(growth.setting, part, levels + 1, control);
        }
        Ok(growth.tree(part, levels, None, control)?.best(levels, u32::MAX))
    })
}

/// The tree of a stump.
pub(super) type Completion<'c> = &'c dyn Fn(SetPart<'_>, u32, u32) -> Result<KnownPlan>;

/// A tree with the tests that a plan leaves to be looked for: `own` gives the tree of a stump, from
/// its rows, its most leaves, and its depth.
pub(super) fn complete(
    setting: &Setting<'_>,
    part: SetPart<'_>,
    plan: &Plan,
    depth: u32,
    control: &Control,
    own: Completion<'_>,
) -> Result<KnownPlan> {
    match plan {
        Plan::Stump(leaves) => own(part, *leaves, depth),
        Plan::Split(split) => part.with_set(setting.rows, setting.marks(), control, |set| {
            let PlanSplit { test, left, right } = &**split;
            let side = |plan, is_right| {
                let part = SetPart::side(set, *test, is_right);
                complete(setting, part, plan, depth + 1, control, own)
            };
            Ok(KnownPlan::split(*test, side(left, false)?, side(right, true)?))
        }),
    }
}

/// [`complete`] with the best test of each stump.
pub(super) fn complete_stumps(
    setting: &Setting<'_>,
    part: SetPart<'_>,
    plan: &Plan,
    control: &Control,
) -> Result<KnownPlan> {
    complete(setting, part, plan, 0, control, &|part, leaves, _| {
        stump(setting, part, leaves, control)
    })
}

/// The best tree of one leaf, or of at most two.
pub(super) fn stump(
    setting: &Setting<'_>,
    part: SetPart<'_>,
    leaves: u32,
    control: &Control,
) -> Result<KnownPlan> {
    let leaf = KnownPlan { cost: setting.cost(&part.counts(setting.rows)), plan: Plan::Stump(1) };
    if leaves < 2 {
        return Ok(leaf);
    }
    let by_cost = |counts: &[f64]| setting.cost(counts);
    let best = one_test(setting, part, f64::INFINITY, by_cost, control).complete()?.best;
    let grown = best.plan.map(|plan| KnownPlan { cost: best.cost, plan });
    Ok(grown.filter(|grown| grown.cost < leaf.cost).unwrap_or(leaf))
}

//! The search for an optimal tree of all rows: greedy trees first, then passes that bring the
//! bounds together.
//!
//! Most of the time of a proof goes to the last part of the way: a side of a test is shown to cost
//! three quarters of what it costs in a tenth of the time. So where time may end, a pass is content
//! with a tree and a bound of half its cost ([`Query::share`]), the next one with three quarters,
//! and the last one asks for the optimum. Each starts with the tree and the bounds of the one
//! before, and the first one with the best tree of two levels.

use super::deeper::solve_any;
use super::one_test::one_test;
use super::part::SetPart;
use super::plans::{Plan, PlanSplit, Split};
use super::ranked::RankedTest;
use super::setting::{Answer, Query, Setting};
use super::sorted::SortedSet;
use super::two_levels::Pool;
use crate::error::{Error, Result};
use crate::parallel::Control;
use std::time::Instant;

/// Shares of the cost that the passes of a search with a time limit prove.
const SHARES: [f64; 3] = [0.505, 0.75, 1.0];
/// Rows x columns from which on such a search of depth 3 takes passes, too.
const MANY_CELLS: usize = 500_000;

/// A tree and its cost.
#[derive(Clone)]
pub(super) struct KnownPlan {
    pub(super) cost: f64,
    pub(super) plan: Plan,
}

/// What a search of all rows found.
pub(super) struct Passed {
    pub(super) answer: Answer,
    /// The best tree.
    pub(super) found: KnownPlan,
    /// The best tree before the passes, whose tests are all known.
    pub(super) first: KnownPlan,
}

/// The best tree of all rows, or the best one that was found, with a bound that is proven.
pub(super) fn search(
    setting: &Setting<'_>,
    set: &SortedSet,
    (depth, leaves): (u32, u32),
    (is_first, is_timed): (bool, bool),
    pool: &Pool,
    control: &Control,
) -> Result<Passed> {
    let whole = SetPart::whole(set);
    let start = Instant::now();
    let mut first = greedy(setting, whole, (depth, leaves), ChosenBy::Cost, control)?;
    // The tests that a plan leaves to be looked for take as long.
    let searching = &control.earlier(start.elapsed());
    // A search that ends takes as many steps from either tree.
    if is_timed && depth > 1 && leaves > 3 {
        let by_gini = greedy(setting, whole, (depth, leaves), ChosenBy::Gini, searching)?;
        if by_gini.cost < first.cost {
            first = by_gini;
        }
    }
    let many = set.len * set.columns.len() >= MANY_CELLS;
    let in_passes = is_timed && leaves > 4 && depth > if many { 2 } else { 3 };
    if in_passes {
        // The best tree of two levels, grown.
        let zeros = vec![0.0; set.columns.len()];
        let limit = first.cost + 2.0 * setting.tie;
        let two =
            Query { depth: 2, leaves: 4, limit, is_first: false, ..Query::stump(set, &zeros) };
        if let Some(plan) = solve_any(setting, &two, pool, searching).best.plan {
            let grown = if leaves >> depth.min(31) > 0 { depth } else { 2 };
            match complete(setting, whole, &plan, (0, grown), control) {
                Ok(two) if two.cost < first.cost => first = two,
                Err(Error::OutOfTime) => {}
                two => drop(two?),
            }
        }
    }
    let mut found = first.clone();
    let mut answer = Answer::none(set.columns.len());
    for share in SHARES.into_iter().filter(|&share| in_passes || share >= 1.0) {
        let query = Query {
            set,
            depth,
            leaves,
            limit: found.cost + 2.0 * setting.tie,
            known: answer.lower,
            by_column: &answer.by_column,
            hint: answer.best.split.map(|split| split.test),
            share,
            is_first: is_first && share >= 1.0,
            is_root: true,
        };
        let next = solve_any(setting, &query, pool, searching);
        if let Some(plan) = &next.best.plan {
            found = KnownPlan { cost: next.best.cost, plan: plan.clone() };
        }
        answer = next;
        if answer.halted.is_some() {
            break;
        }
    }
    Ok(Passed { answer, found, first })
}

/// A tree with the tests that a plan leaves to be looked for; leaves at a depth below `grown` grow
/// greedily.
pub(super) fn complete(
    setting: &Setting<'_>,
    part: SetPart<'_>,
    plan: &Plan,
    (depth, grown): (u32, u32),
    control: &Control,
) -> Result<KnownPlan> {
    match plan {
        Plan::Stump(leaves) => {
            let levels = grown.saturating_sub(depth).max(leaves - 1);
            greedy(setting, part, (levels, u32::MAX), ChosenBy::Cost, control)
        }
        Plan::Split(split) => part.with_set(setting.rows, setting.marks(), control, |set| {
            let PlanSplit { test, left, right } = &**split;
            let side = |plan, is_right| {
                let part = SetPart::side(set, *test, is_right);
                complete(setting, part, plan, (depth + 1, grown), control)
            };
            Ok(KnownPlan::split(*test, side(left, false)?, side(right, true)?))
        }),
    }
}

impl KnownPlan {
    fn split(test: RankedTest, left: Self, right: Self) -> Self {
        let cost = left.cost + right.cost;
        let split = PlanSplit { test, left: left.plan, right: right.plan };
        Self { cost, plan: Plan::Split(Box::new(split)) }
    }
}

/// By what greedy growth chooses tests; those of the last level it chooses by cost.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ChosenBy {
    /// The cost of the tree with one more test.
    Cost,
    /// Gini, which sees what a test prepares for the next ones.
    Gini,
}

/// Rows times their Gini impurity.
fn gini(counts: &[f64]) -> f64 {
    let n = counts.iter().sum::<f64>();
    n - counts.iter().map(|count| count * count).sum::<f64>() / n.max(f64::MIN_POSITIVE)
}

/// Grow a tree by the best test of each node, then make leaves of subtrees that cost no less. What
/// is not split when time is up stays a leaf.
fn greedy(
    setting: &Setting<'_>,
    part: SetPart<'_>,
    (depth, leaves): (u32, u32),
    choice: ChosenBy,
    control: &Control,
) -> Result<KnownPlan> {
    let leaf = KnownPlan { cost: setting.cost(&part.counts(setting.rows)), plan: Plan::Stump(1) };
    // Deep greedy trees are no better a start.
    let depth = depth.min(leaves.ilog2()).min(6);
    let by_cost = |counts: &[f64]| setting.cost(counts);
    let grown = match depth {
        0 => return Ok(leaf),
        1 => {
            let best = one_test(setting, part, f64::INFINITY, by_cost, control).complete();
            best.map(|Answer { best, .. }| {
                best.plan.map(|plan| KnownPlan { cost: best.cost, plan })
            })
        }
        _ => part.with_set(setting.rows, setting.marks(), control, |set| {
            let whole = SetPart::whole(set);
            let answer = match choice {
                ChosenBy::Cost => one_test(setting, whole, f64::INFINITY, by_cost, control),
                ChosenBy::Gini => one_test(setting, whole, f64::INFINITY, gini, control),
            };
            let Some(Split { test, .. }) = answer.complete()?.best.split else { return Ok(None) };
            let side = |is_right| {
                let part = SetPart::side(set, test, is_right);
                greedy(setting, part, (depth - 1, leaves / 2), choice, control)
            };
            Ok(Some(KnownPlan::split(test, side(false)?, side(true)?)))
        }),
    };
    match grown {
        Ok(Some(grown)) if grown.cost < leaf.cost => Ok(grown),
        Ok(_) | Err(Error::OutOfTime) => Ok(leaf),
        Err(error) => Err(error),
    }
}

//! The search for an optimal tree of all rows: greedy trees first, then one level more at a time,
//! each in passes that bring the bounds together.
//!
//! A level starts with the greedy trees of its depth and the best tree of the level before, grown
//! by one test, and goes on from the bounds that were proven there. Each level but the last one has
//! to leave half of the limit to the next one. So the result within a limit is never worse than a
//! greedy tree, nor than the result within half of the limit for one level less: the search begins
//! with the same steps.
//!
//! Proving the last quarter of a bound takes about 90 % of the time. So where time may end, a pass
//! is content with a tree and a bound of half its cost ([`Query::sufficient_share`]), the next one
//! with three quarters, and the last one asks for the optimum. Each pass starts with the tree and
//! the bounds of the one before. Only the first one has no limit on the cost of a tree: to show
//! that no tree of a side is below a limit takes longer than to find one within half of its cost.

use super::any_depth::solve_any;
use super::grown::{GreedyGrowth, GrownTree};
use super::incumbent::{CompletePlan, Plan, PlanSplit};
use super::part::SetPart;
use super::query::{Answer, Query};
use super::setting::Setting;
use super::single_test::best_single_test;
use super::sorted::SortedSet;
use crate::error::{Error, Result};
use crate::parallel::Control;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Shares of the cost that the passes of a search with a time limit prove. The first is a little
/// more than one half, so that a bound of exactly one half, which small whole numbers of errors may
/// give, does not end the pass.
const SHARES: [f64; 3] = [0.505, 0.75, 1.0];
/// Rows x columns from which on a search of depth 3 with a time limit takes passes, too. With fewer
/// cells it usually ends in time without them, and passes repeat some of its steps.
const MANY_CELLS: usize = 500_000;

/// The controls of a search under limits.
#[derive(Clone, Copy)]
pub(super) struct Controls<'c> {
    /// Obeys the time limit.
    pub(super) searching: &'c Control,
    /// Does not obey it, because a tree must be returned even after it.
    pub(super) ending: &'c Control,
}

/// The task of a search by levels.
pub(super) struct Task {
    /// Largest number of tests on a path.
    pub(super) depth: u32,
    /// Largest number of leaves.
    pub(super) leaves: u32,
    /// Whether ties are resolved.
    pub(super) resolves_ties: bool,
    /// When the call started.
    pub(super) start: Instant,
    /// Whether it has a time limit.
    pub(super) is_timed: bool,
}

/// A search of all rows, level by level.
struct LevelSearch<'s, 'a> {
    growth: &'s GreedyGrowth<'s, 'a>,
    set: &'s SortedSet,
    task: &'s Task,
    /// [`Controls`]; `searching` ends early enough for a plan to be completed.
    searching: Control,
    ending: &'s Control,
    greedy_trees: Vec<GrownTree>,
    /// Search nodes that were opened before, and the budget of all levels.
    opened_before: u64,
    budget: u64,
}

/// The results of a search by levels so far.
struct LevelProgress {
    level: u32,
    /// The best tree of any level, with all its tests.
    best: CompletePlan,
    /// Whether this level has improved it.
    is_improved: bool,
    /// The answer of the last pass of this level.
    answer: Answer,
    /// The answer of the level before.
    one_level_less: Option<Answer>,
}

/// Search the trees of all rows. The result is the answer of the last pass, with a bound that is
/// proven, and the best tree or, if time was up, the best known one.
///
/// # Errors
/// [`Error::Cancelled`], and errors of the criterion. That time or search nodes are used up is no
/// error: the answer says so ([`Answer::halted`]).
pub(super) fn search_by_levels(
    growth: &GreedyGrowth<'_, '_>,
    set: &SortedSet,
    task: &Task,
    controls: Controls<'_>,
) -> Result<(Answer, CompletePlan)> {
    let setting = growth.setting;
    let growing = Instant::now();
    let greedy_trees = growth.trees(SetPart::whole(set), task.depth, controls.ending)?;
    // Completing a plan takes about as long as growing one greedy tree, so that much time is
    // reserved.
    let time_per_tree = growing.elapsed() / greedy_trees.len().max(1) as u32;
    let search = LevelSearch {
        growth,
        set,
        task,
        searching: controls.searching.with_earlier_deadline(time_per_tree),
        ending: controls.ending,
        greedy_trees,
        opened_before: setting.nodes.opened.load(Ordering::Relaxed),
        budget: setting.nodes.budget.load(Ordering::Relaxed),
    };
    let mut progress = LevelProgress {
        level: task.depth.min(2),
        best: CompletePlan { cost: setting.leaf_cost_of(set), plan: Plan::Stump(1) },
        is_improved: false,
        answer: Answer::unknown(set.columns.len()),
        one_level_less: None,
    };
    loop {
        search.take_starting_trees(&mut progress)?;
        let is_last = progress.level >= search.deepest_useful(&progress);
        let control = search.next_budget(progress.level, is_last);
        search.run_passes(&mut progress, &control)?;
        let is_deepest = progress.level >= search.deepest_useful(&progress);
        if is_last || is_deepest && progress.answer.halted.is_none() {
            return Ok((progress.answer, progress.best));
        }
        // If deeper trees cost too much now, this level goes on with all of the limit.
        if !is_deepest {
            let unknown = Answer::unknown(set.columns.len());
            progress.one_level_less = Some(std::mem::replace(&mut progress.answer, unknown));
            progress.level += 1;
        }
    }
}

impl LevelSearch<'_, '_> {
    /// The deepest level whose trees may still be better than the best one.
    fn deepest_useful(&self, progress: &LevelProgress) -> u32 {
        let cost = progress.best.cost + 2.0 * self.growth.setting.tie;
        self.task.depth.min(self.growth.setting.deepest_affordable(cost))
    }

    /// Take the trees that a level starts with, if they are better: the greedy ones of its depth,
    /// and the best tree of the level before, grown by one level.
    fn take_starting_trees(&self, progress: &mut LevelProgress) -> Result<()> {
        let (level, leaves) = (progress.level, self.task.leaves);
        let mut trees: Vec<CompletePlan> =
            self.greedy_trees.iter().map(|tree| tree.best(level, leaves)).collect();
        // Only where a full tree of the level is allowed: growth does not count leaves.
        if progress.is_improved && leaves >> level.min(31) > 0 {
            let (whole, plan) = (SetPart::whole(self.set), &progress.best.plan);
            match grow_leaves_greedily(self.growth, whole, plan, level, &self.searching) {
                Err(Error::OutOfTime) => {}
                grown => trees.push(grown?),
            }
        }
        for tree in trees {
            if tree.cost < progress.best.cost {
                progress.best = tree;
            }
        }
        Ok(())
    }

    /// Set the search nodes that a level may open, and give the control that ends it in time. Each
    /// level but the last one leaves at least half of both to the next one.
    fn next_budget(&self, level: u32, is_last: bool) -> Control {
        let halvings = if is_last { 0 } else { self.task.depth - level };
        let nodes = (self.budget - self.opened_before) >> halvings.min(63);
        self.growth.setting.nodes.budget.store(self.opened_before + nodes, Ordering::Relaxed);
        // Only the last level reports progress.
        self.growth.setting.reported.store(0, Ordering::Relaxed);
        let time_share = f64::from(halvings).exp2().recip();
        let control = self.searching.with_deadline_share(self.task.start, time_share);
        if is_last { control } else { control.quiet() }
    }

    /// Run the passes of a level, each from the bounds of the one before. Their best plan is
    /// completed, and kept if it costs less than the best tree.
    fn run_passes(&self, progress: &mut LevelProgress, control: &Control) -> Result<()> {
        let Task { leaves, resolves_ties, is_timed, .. } = *self.task;
        let setting = self.growth.setting;
        let has_many_cells = self.set.len * self.set.columns.len() >= MANY_CELLS;
        let fewest_levels = if has_many_cells { 3 } else { 4 };
        let is_in_passes = is_timed && leaves > 4 && progress.level >= fewest_levels;
        let (mut least_cost, mut better_plan) = (progress.best.cost, None);
        for share in SHARES.into_iter().filter(|&share| is_in_passes || share >= 1.0) {
            let limit =
                if share > SHARES[0] { least_cost + 2.0 * setting.tie } else { f64::INFINITY };
            let before = &progress.answer;
            let found_test = before.best.split.map(|split| split.test);
            let query = Query {
                set: self.set,
                depth: progress.level,
                leaves,
                limit,
                lower_bound: before.lower_bound,
                column_bounds: &before.column_bounds,
                hint: found_test.or(progress.best.root_test()),
                sufficient_share: share,
                resolves_ties: resolves_ties && share >= 1.0,
                is_root: true,
            };
            let one_level_less = progress.one_level_less.clone();
            let answer = solve_any(setting, &query, one_level_less, control);
            if let Some(plan) = &answer.best.plan
                && answer.best.cost < least_cost
            {
                (least_cost, better_plan) = (answer.best.cost, Some(plan.clone()));
            }
            progress.answer = answer;
            if progress.answer.halted.is_some() {
                break;
            }
        }
        if let Some(error) = progress.answer.halted.clone().filter(|e| *e != Error::OutOfTime) {
            return Err(error);
        }
        progress.is_improved = false;
        if let Some(plan) = better_plan {
            let whole = SetPart::whole(self.set);
            let completed = complete_stumps(setting, whole, &plan, self.ending)?;
            if completed.cost < progress.best.cost {
                (progress.best, progress.is_improved) = (completed, true);
            }
        }
        Ok(())
    }
}

/// Grow from the leaves of a tree, by the loss, until it has `depth` levels. It completes a search
/// with `lookahead`, whose optimal tree ends above the full depth. Stumps of the plan may become
/// deeper subtrees.
pub(super) fn grow_leaves_greedily(
    growth: &GreedyGrowth<'_, '_>,
    part: SetPart<'_>,
    plan: &Plan,
    depth: u32,
    control: &Control,
) -> Result<CompletePlan> {
    complete_plan(growth.setting, part, plan, 0, control, &|part, leaves, leaf_depth| {
        let levels = depth.saturating_sub(leaf_depth).max(leaves - 1);
        if levels <= 1 {
            return best_stump(growth.setting, part, levels + 1, control);
        }
        Ok(growth.tree(part, levels, None, control)?.best(levels, u32::MAX))
    })
}

/// Finds the tree of a [`Plan::Stump`], from its rows, its most leaves, and its depth.
type CompleteLeaf<'c> = &'c dyn Fn(SetPart<'_>, u32, u32) -> Result<CompletePlan>;

/// The tree of a plan, which starts at `depth` and has the rows of `part`. `complete_leaf` finds
/// the tests that the plan leaves to be looked for.
fn complete_plan(
    setting: &Setting<'_>,
    part: SetPart<'_>,
    plan: &Plan,
    depth: u32,
    control: &Control,
    complete_leaf: CompleteLeaf<'_>,
) -> Result<CompletePlan> {
    match plan {
        Plan::Stump(leaves) => complete_leaf(part, *leaves, depth),
        Plan::Split(split) => part.with_set(setting.rows, setting.mark_rule(), control, |set| {
            let PlanSplit { test, left, right } = &**split;
            let complete_side = |plan, is_right| {
                let part = SetPart::side(set, *test, is_right);
                complete_plan(setting, part, plan, depth + 1, control, complete_leaf)
            };
            let (left, right) = (complete_side(left, false)?, complete_side(right, true)?);
            Ok(CompletePlan::split(*test, left, right))
        }),
    }
}

/// The tree of a plan, with the best test of each stump. The search keeps only the number of leaves
/// of its last levels, which saves memory; the tests are computed here once, for the tree that is
/// returned.
pub(super) fn complete_stumps(
    setting: &Setting<'_>,
    part: SetPart<'_>,
    plan: &Plan,
    control: &Control,
) -> Result<CompletePlan> {
    complete_plan(setting, part, plan, 0, control, &|part, leaves, _| {
        best_stump(setting, part, leaves, control)
    })
}

/// The best tree of one leaf, or of at most two.
fn best_stump(
    setting: &Setting<'_>,
    part: SetPart<'_>,
    leaves: u32,
    control: &Control,
) -> Result<CompletePlan> {
    let cost = setting.leaf_cost(&part.counts(setting.rows));
    let leaf = CompletePlan { cost, plan: Plan::Stump(1) };
    if leaves < 2 {
        return Ok(leaf);
    }
    let leaf_cost = |counts: &[f64]| setting.leaf_cost(counts);
    let best = best_single_test(setting, part, f64::INFINITY, leaf_cost, control).complete()?.best;
    let grown = best.plan.map(|plan| CompletePlan { cost: best.cost, plan });
    Ok(grown.filter(|grown| grown.cost < leaf.cost).unwrap_or(leaf))
}

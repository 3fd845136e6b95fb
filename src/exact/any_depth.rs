//! Optimal trees of any depth (`exact`): branch and bound over the thresholds of the first test.
//!
//! A tree with one level less gives a first tree, and bounds beyond both ends of every column. Then
//! the most promising gap of all columns ([`super::bounds`]) is divided at a threshold in its
//! middle, whose two sides are solved. Each side gets the loss that it must stay below, the bounds
//! that are known about it, and for each of its columns a lower bound of the trees that test that
//! column first: a neighbouring threshold has nearly the same rows, so most columns are excluded
//! without being scanned. Where leaves need several rows, the sides are first solved without that
//! limit, which gives the bounds. They are solved with it only if these bounds leave a better tree
//! possible. Two levels are solved by [`super::two_levels`]. At the root, threads divide different
//! gaps at the same time.

use super::bounds::{GapEnd, Sides};
use super::incumbent::{Incumbent, Plan};
use super::part::SetPart;
use super::progress::{
    DeepGap, FirstTest, Job, Progress, SideBounds, SolvedThreshold, bounds_of_column,
};
use super::query::{Answer, Query, most_leaves};
use super::setting::Setting;
use super::single_test::{answer_leaf, best_single_test};
use super::solved::SolvedKey;
use super::sorted::TestSide;
use super::two_levels::two_levels;
use crate::error::Result;
use crate::parallel::{Control, lock, map};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long a worker without a gap waits at most before it looks for one again. It is woken earlier
/// when another worker has divided a gap.
const WAIT: Duration = Duration::from_millis(20);

/// The workers that search the best tree of a set, and the state that they share.
struct Workers<'t, 'a> {
    setting: &'t Setting<'a>,
    query: &'t Query<'t>,
    control: &'t Control,
    progress: Mutex<Progress<'t, 'a>>,
    /// Notified when a worker has divided a gap.
    changed: Condvar,
}

/// The best tree of a set, for any limits on depth and leaves. `one_level_less` is the answer to
/// the same query with one level less, if the caller has it.
pub(super) fn solve_any(
    setting: &Setting<'_>,
    query: &Query<'_>,
    one_level_less: Option<Answer>,
    control: &Control,
) -> Answer {
    match most_leaves(query.depth, query.leaves) {
        1 => answer_leaf(setting, query),
        2 => {
            let part = SetPart::whole(query.set);
            let leaf_cost = |counts: &[f64]| setting.leaf_cost(counts);
            best_single_test(setting, part, query.limit, leaf_cost, control)
        }
        _ => solve_several_tests(setting, query, one_level_less, control),
    }
}

/// [`solve_any`] for trees of at least three leaves.
fn solve_several_tests(
    setting: &Setting<'_>,
    query: &Query<'_>,
    one_level_less: Option<Answer>,
    control: &Control,
) -> Answer {
    let leaf_cost = setting.leaf_cost_of(query.set);
    let depth = query.depth.min(setting.deepest_affordable(leaf_cost.min(query.limit)));
    let leaves = most_leaves(depth, query.leaves);
    let affordable = &Query { depth, leaves, ..*query };
    let is_shallow = depth <= 2 || leaves <= 3 || query.set.len < 4;
    let mut best = Incumbent::new(query.limit, query.resolves_ties);
    best.offer(leaf_cost, None, Some(Plan::Stump(1)));
    if query.is_root && !is_shallow {
        // A pass may stop at a share of the cost that was reached. It counts from the tree of the
        // pass before, whose cost is the limit (infinite in the first pass), not from the leaf.
        best.reached = query.limit;
    }
    // No tree with a test costs less than two leaves.
    let floor = query.lower_bound.max((2.0 * setting.penalty).min(best.cost));
    if best.cost <= floor {
        let column_bounds = query.column_bounds.iter().map(|bound| bound.max(floor)).collect();
        return Answer { lower_bound: best.cost, best, column_bounds, halted: None };
    }
    if is_shallow {
        two_levels(setting, affordable, best, floor, control)
    } else {
        solve_deep(setting, affordable, best, floor, one_level_less, control)
    }
}

/// [`solve_any`] for at least three levels. `best` is the leaf or the limit, and `floor` a lower
/// bound of all trees with a test.
fn solve_deep(
    setting: &Setting<'_>,
    query: &Query<'_>,
    mut best: Incumbent,
    floor: f64,
    one_level_less: Option<Answer>,
    control: &Control,
) -> Answer {
    // One level less: a tree, and bounds beyond both ends of every column.
    let is_given = one_level_less.is_some();
    let mut less = one_level_less.unwrap_or_else(|| {
        let unknown = vec![0.0; query.set.columns.len()];
        let &Query { set, depth, leaves, hint, sufficient_share, .. } = query;
        let shallower =
            Query { hint, sufficient_share, ..Query::new(set, depth - 1, leaves, &unknown) };
        solve_any(setting, &shallower, None, control)
    });
    let tie = if best.resolves_ties { setting.tie } else { 0.0 };
    let first_test = less.best.split.map(|split| split.test);
    best.reached = best.reached.min(less.best.reached);
    if less.best.cost < best.cost - tie {
        best.offer(less.best.cost, less.best.split, less.best.plan.take());
    }
    let is_too_deep = query.depth > setting.deepest_affordable(less.best.cost.min(query.limit));
    if !is_given && (less.halted.is_some() || is_too_deep) {
        return answer_without_deeper_levels(setting, query, best, floor, less, control);
    }
    let hints = [query.hint, first_test].into_iter().flatten().collect();
    let bounds = (less.lower_bound, &less.column_bounds[..]);
    let progress = Progress::new(setting, query, best, floor, bounds, hints);
    run_workers(progress, control).answer()
}

/// The answer where trees of one level less (`less`) were not searched to the end, or where more
/// levels cost more than they can save.
fn answer_without_deeper_levels(
    setting: &Setting<'_>,
    query: &Query<'_>,
    best: Incumbent,
    floor: f64,
    less: Answer,
    control: &Control,
) -> Answer {
    if less.halted.is_some() {
        let lower_bound = floor.min(setting.leaf_cost_of(query.set));
        return Answer {
            best,
            lower_bound,
            column_bounds: query.column_bounds.to_vec(),
            halted: less.halted,
        };
    }
    if query.resolves_ties {
        let shallower = Query { depth: query.depth - 1, ..*query };
        return solve_any(setting, &shallower, None, control);
    }
    let column_bounds = less.column_bounds.iter().map(|bound| bound.min(best.cost)).collect();
    Answer { lower_bound: less.lower_bound.min(best.cost), best, column_bounds, halted: None }
}

/// The first tests of the trees of a set that cost less than the limit of a query; if not
/// `is_all`, the best first test alone. Columns for which the query has an infinite bound are left
/// out. `one_level_less` is the answer for trees of one level less.
///
/// # Errors
/// The reason why the search ended early, because the list would be incomplete.
pub(super) fn first_tests(
    setting: &Setting<'_>,
    query: &Query<'_>,
    one_level_less: &Answer,
    is_all: bool,
    control: &Control,
) -> Result<Vec<FirstTest>> {
    let best = Incumbent::new(query.limit, false);
    let less = (one_level_less.lower_bound, &one_level_less.column_bounds[..]);
    // The search ends only when no threshold is open.
    let floor = f64::NEG_INFINITY;
    let mut progress = Progress::new(setting, query, best, floor, less, Vec::new());
    progress.all_first_tests = is_all.then(Vec::new);
    run_workers(progress, control).into_first_tests()
}

/// Divide gaps on all threads until none is open, and return what is known then.
fn run_workers<'t, 'a>(progress: Progress<'t, 'a>, control: &'t Control) -> Progress<'t, 'a> {
    let Progress { setting, query, .. } = progress;
    let (progress, changed) = (Mutex::new(progress), Condvar::new());
    let workers = Workers { setting, query, control, progress, changed };
    // An error is kept in the progress, where the answer finds it.
    let _ = map(control, control.threads(), &|_| {
        workers.divide_gaps();
        Ok(())
    });
    workers.progress.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl Workers<'_, '_> {
    /// Divide gaps on this thread until none is open.
    fn divide_gaps(&self) {
        let mut progress = lock(&self.progress);
        while !progress.is_ended() {
            let Some(job) = progress.next_job() else {
                if progress.busy.is_empty() {
                    break;
                }
                // Another worker may leave new gaps.
                progress = match self.changed.wait_timeout(progress, WAIT) {
                    Ok((progress, _)) => progress,
                    Err(poisoned) => poisoned.into_inner().0,
                };
                continue;
            };
            drop(progress);
            let solved = self.solve_sides(&job);
            progress = lock(&self.progress);
            progress.end_job(job, solved);
            self.report(&progress);
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// Report the lower bound as thousandths of the best cost.
    fn report(&self, progress: &Progress<'_, '_>) {
        if !self.query.is_root {
            return;
        }
        let thousandths = progress.proven_thousandths();
        self.control.set_total(1000);
        let before = self.setting.reported.fetch_max(thousandths, Ordering::Relaxed);
        self.control.advance(thousandths.saturating_sub(before));
    }

    /// Solve both sides of a threshold: with a limit on the rows of leaves, first without it.
    ///
    /// # Errors
    /// If the search must end before a side is looked at. A search of a side that ends early is no
    /// error: the result says so.
    fn solve_sides(&self, job: &Job) -> Result<SolvedThreshold> {
        self.setting.count_node(self.control)?;
        let Job { gap: deep_gap, threshold, .. } = job;
        let DeepGap { column, gap, bounds_at_from, bounds_at_to, .. } = deep_gap;
        let bounds = bounds_of_column(self.setting, self.query, *column);
        let GapEnd { limited, free } = bounds.at_threshold(gap, *threshold);
        let [rise_left, rise_right] = bounds.rises(gap, *threshold);
        // A side has more rows than at one end of the gap, where its trees cost no more, and fewer
        // than at the other, where they cost at most `rise` more.
        let join = |fewer: &[f64], more: &[f64], rise: f64| -> Arc<[f64]> {
            fewer.iter().zip(more).map(|(a, b)| a.max(b - rise).max(0.0)).collect()
        };
        let column_bounds = [
            join(&bounds_at_from[0], &bounds_at_to[0], rise_left),
            join(&bounds_at_to[1], &bounds_at_from[1], rise_right),
        ];
        let Some(without_row_limit) = &self.setting.without_row_limit else {
            return self.solve_both(self.setting, job, limited, column_bounds);
        };
        let mut solved = self.solve_both(without_row_limit, job, free, column_bounds)?;
        let free = solved.lower_bound;
        let limited = [0, 1].map(|side| f64::max(limited[side], free[side]));
        solved.lower_bound = limited;
        // Trees without the limit are none with it.
        (solved.plans, solved.reached) = ([None, None], [f64::INFINITY; 2]);
        if solved.halted.is_none() && limited[0] + limited[1] < job.limit {
            // If the best free tree's first test is also the best one, nothing else is looked at.
            let job = &Job { side_hints: solved.first_tests, ..job.clone() };
            let column_bounds = solved.column_bounds.clone();
            let with_limit = self.solve_both(self.setting, job, limited, column_bounds)?;
            solved = SolvedThreshold { column_bounds: solved.column_bounds, ..with_limit };
        }
        solved.free = free;
        Ok(solved)
    }

    /// The exclusive limit on the cost of both sides together while they are solved: a little more
    /// than the threshold needs, so that the bounds close its neighbours, too.
    fn target(&self, job: &Job) -> f64 {
        let bounds = bounds_of_column(self.setting, self.query, job.gap.column);
        let weight = |threshold| bounds.weight_left(threshold);
        let here = weight(job.threshold);
        let nearest = (here - weight(job.open.low)).min(weight(job.open.high) - here);
        let slack = bounds.rise(nearest).min(2.0 * nearest) + 1.0;
        job.limit + slack
    }

    /// Solve both sides of a threshold in a setting, the larger one first. `lower_bound` bounds all
    /// trees of the sides, and `column_bounds` the trees by the column of their first test. If the
    /// first side alone shows that the threshold is of no use, the other one is left out.
    fn solve_both(
        &self,
        setting: &Setting<'_>,
        job: &Job,
        lower_bound: Sides<f64>,
        column_bounds: SideBounds,
    ) -> Result<SolvedThreshold> {
        let Job { gap: DeepGap { column, .. }, threshold, .. } = job;
        let set = self.query.set;
        let rows_left = set.rows_below(*column, *threshold);
        let hash_left = setting.solved.hash(&set.columns[*column].order[..rows_left]);
        let hashes = [hash_left, set.hash ^ hash_left];
        let mut solved = SolvedThreshold {
            test: set.test(setting.rows, *column, *threshold),
            lower_bound: lower_bound.map(|cost| cost.max(setting.penalty)),
            free: [0.0; 2],
            reached: [f64::INFINITY; 2],
            plans: [None, None],
            column_bounds,
            first_tests: job.side_hints,
            halted: None,
        };
        let larger = usize::from(rows_left < set.len - rows_left);
        self.solve_side(setting, job, larger, hashes, &mut solved)?;
        if solved.halted.is_none()
            && solved.lower_bound[0] + solved.lower_bound[1] < self.target(job)
        {
            self.solve_side(setting, job, 1 - larger, hashes, &mut solved)?;
        }
        solved.free = solved.lower_bound;
        Ok(solved)
    }

    /// Solve one side of a threshold, given the numbers of both sets in [`super::solved`], and
    /// write the results into `solved`.
    fn solve_side(
        &self,
        setting: &Setting<'_>,
        job: &Job,
        side: usize,
        hashes: Sides<u128>,
        solved: &mut SolvedThreshold,
    ) -> Result<()> {
        let hash = hashes[side];
        let depth = self.query.depth - 1;
        let leaves = job.gap.leaves[side];
        let most = if self.query.sufficient_share < 1.0 { job.limit } else { f64::INFINITY };
        let target = self.target(job) - solved.lower_bound[1 - side];
        let limit = target.min(most).max(solved.lower_bound[side]);
        let key = SolvedKey { rows: hash, depth, leaves };
        if let Some(tree) = setting.solved.get(&key, limit) {
            solved.lower_bound[side] = solved.lower_bound[side].max(tree.cost);
            if tree.plan.is_some() {
                solved.reached[side] = tree.cost;
            }
            solved.plans[side] = tree.plan;
            return Ok(());
        }
        let (set, is_right) = (self.query.set, side == 1);
        let n_left = set.rows_below(job.gap.column, job.threshold);
        let n_rows = if is_right { set.len - n_left } else { n_left };
        let test_side = TestSide { test: solved.test, is_right, n_rows };
        let mut side_set = set.side(setting.rows, test_side, setting.mark_rule(), self.control)?;
        side_set.hash = hash;
        let hint = job.side_hints[side];
        let query = Query {
            set: &side_set,
            depth,
            leaves,
            limit,
            lower_bound: solved.lower_bound[side],
            column_bounds: &solved.column_bounds[side],
            hint,
            // The bound of each side must be closer to its cost than the bound of the sum has to
            // be.
            sufficient_share: (1.0 + self.query.sufficient_share) / 2.0,
            resolves_ties: false,
            is_root: false,
        };
        let answer = solve_any(setting, &query, None, &self.control.serial());
        let Answer { best, lower_bound, column_bounds, halted } = answer;
        if halted.is_none() && lower_bound >= best.cost {
            setting.solved.put(key, &best);
        }
        solved.lower_bound[side] = solved.lower_bound[side].max(lower_bound.min(best.cost));
        solved.reached[side] = if best.plan.is_some() { best.cost } else { best.reached };
        solved.column_bounds[side] = column_bounds.into();
        solved.first_tests[side] = best.split.map(|split| split.test).or(hint);
        solved.plans[side] = best.plan;
        solved.halted = halted;
        Ok(())
    }
}

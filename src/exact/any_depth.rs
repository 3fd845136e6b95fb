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

use super::bounds::{ColumnBounds, GapEnd, OpenThresholds, Sides, ThresholdGap};
use super::incumbent::{Incumbent, Plan, Split};
use super::part::SetPart;
use super::query::{Answer, Query};
use super::ranked::RankedTest;
use super::setting::Setting;
use super::single_test::{answer_leaf, best_single_test};
use super::solved::SolvedKey;
use super::sorted::{TestSide, first_where};
use super::two_levels::two_levels;
use crate::error::{Error, Result};
use crate::parallel::{Control, lock, map};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long a worker without a gap waits at most before it looks for one again. It is woken earlier
/// when another worker has divided a gap.
const WAIT: Duration = Duration::from_millis(20);

/// For both sides of a threshold, a lower bound per column of the trees of that side that test this
/// column first.
type SideBounds = Sides<Arc<[f64]>>;

/// A gap of a column with one division of the leaves, and the bounds that are known at both ends.
#[derive(Clone)]
struct DeepGap {
    column: usize,
    leaves: Sides<u32>,
    gap: ThresholdGap,
    by_column_at_from: SideBounds,
    by_column_at_to: SideBounds,
}

/// The state that the workers share.
struct Progress {
    gaps: Vec<DeepGap>,
    /// Gaps that a worker divides now.
    busy: Vec<DeepGap>,
    best: Incumbent,
    /// The first tests of trees below the limit, if the query asks for all of them; the limit then
    /// stays as it is. `None` if it asks for the best tree only.
    all_first_tests: Option<Vec<FirstTest>>,
    /// For each column, a lower bound of the thresholds that are no longer open.
    closed: Vec<f64>,
    /// Tests to be tried first.
    hints: Vec<RankedTest>,
    /// The first tests of the latest trees of both sides, which are hints for the next sides.
    side_hints: Sides<Option<RankedTest>>,
    halted: Option<Error>,
}

/// A threshold to solve, in the gap that it divides.
#[derive(Clone)]
struct Job {
    gap: DeepGap,
    /// The thresholds of the gap that may be better than the best tree.
    open: OpenThresholds,
    threshold: usize,
    /// A tree whose first test is at the threshold must cost less than this.
    limit: f64,
    side_hints: Sides<Option<RankedTest>>,
}

/// A search for the best tree of a set.
struct Deeper<'t, 'a> {
    setting: &'t Setting<'a>,
    query: &'t Query<'t>,
    control: &'t Control,
    /// A lower bound of all trees with a test. The search ends when the best tree costs no more.
    floor: f64,
    progress: Mutex<Progress>,
    /// Notified when a worker has divided a gap.
    changed: Condvar,
}

/// The results of the search for both sides of a threshold.
struct SolvedThreshold {
    test: RankedTest,
    /// Lower bounds of the trees of both sides.
    lower: Sides<f64>,
    /// Lower bounds of their free trees ([`super::bounds`]).
    free: Sides<f64>,
    /// Costs of the best trees that were met; infinite if there was none.
    reached: Sides<f64>,
    /// Trees below the limit; none where there is only a bound.
    plans: Sides<Option<Plan>>,
    by_column: SideBounds,
    /// First tests of the trees, or the hints if no tree was found.
    first_tests: Sides<Option<RankedTest>>,
    halted: Option<Error>,
}

/// A first test, with the best tree that has it.
pub(super) struct FirstTest {
    pub(super) test: RankedTest,
    pub(super) cost: f64,
    pub(super) plan: Plan,
}

/// The most leaves of a tree of at most `depth` levels and `leaves` leaves. A binary tree of
/// `depth` levels has at most `2^depth` leaves, so one of the two limits is often implied by the
/// other.
pub(super) fn most_leaves(depth: u32, leaves: u32) -> u32 {
    if depth >= 31 { leaves } else { leaves.min(1 << depth) }
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
        1 => return answer_leaf(setting, query),
        2 => {
            let part = SetPart::whole(query.set);
            let leaf_cost = |counts: &[f64]| setting.leaf_cost(counts);
            return best_single_test(setting, part, query.limit, leaf_cost, control);
        }
        _ => {}
    }
    let leaf_cost = setting.leaf_cost_of(query.set);
    let depth = query.depth.min(setting.deepest_affordable(leaf_cost.min(query.limit)));
    let leaves = most_leaves(depth, query.leaves);
    let query = &Query { depth, leaves, ..*query };
    let is_shallow = depth <= 2 || leaves <= 3 || query.set.len < 4;
    let mut best = Incumbent::new(query.limit, query.resolves_ties);
    best.offer(leaf_cost, None, Some(Plan::Stump(1)));
    if query.is_root && !is_shallow {
        best.reached = query.limit;
    }
    // No tree with a test costs less than two leaves.
    let floor = query.lower.max((2.0 * setting.penalty).min(best.cost));
    if best.cost <= floor {
        let by_column = query.by_column.iter().map(|bound| bound.max(floor)).collect();
        return Answer { lower: best.cost, best, by_column, halted: None };
    }
    if is_shallow {
        return two_levels(setting, query, best, floor, control);
    }
    // One level less: a tree, and bounds beyond both ends of every column.
    let is_given = one_level_less.is_some();
    let less = one_level_less.unwrap_or_else(|| {
        let unknown = vec![0.0; query.set.columns.len()];
        let &Query { set, depth, leaves, hint, sufficient_share, .. } = query;
        let query =
            Query { hint, sufficient_share, ..Query::new(set, depth - 1, leaves, &unknown) };
        solve_any(setting, &query, None, control)
    });
    let tie = if best.resolves_ties { setting.tie } else { 0.0 };
    let first_test = less.best.split.map(|split| split.test);
    best.reached = best.reached.min(less.best.reached);
    if less.best.cost < best.cost - tie {
        best.offer(less.best.cost, less.best.split, less.best.plan);
    }
    if !is_given && less.halted.is_some() {
        let (lower, by_column) = (floor.min(leaf_cost), query.by_column.to_vec());
        return Answer { best, lower, by_column, halted: less.halted };
    }
    if !is_given && query.depth > setting.deepest_affordable(less.best.cost.min(query.limit)) {
        // More levels cost more than they can save.
        if query.resolves_ties {
            let query = Query { depth: query.depth - 1, ..*query };
            return solve_any(setting, &query, None, control);
        }
        let by_column = less.by_column.iter().map(|bound| bound.min(best.cost)).collect();
        return Answer { lower: less.lower.min(best.cost), best, by_column, halted: None };
    }
    let hints = [query.hint, first_test].into_iter().flatten().collect();
    let progress = Progress::new(setting, query, best, (less.lower, &less.by_column), hints);
    let (progress, changed) = (Mutex::new(progress), Condvar::new());
    let deeper = Deeper { setting, query, control, floor, progress, changed };
    deeper.run();
    deeper.answer()
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
    let less = (one_level_less.lower, &one_level_less.by_column[..]);
    let mut progress = Progress::new(setting, query, best, less, Vec::new());
    progress.all_first_tests = is_all.then(Vec::new);
    let (progress, changed) = (Mutex::new(progress), Condvar::new());
    // The search ends only when no threshold is open.
    let floor = f64::NEG_INFINITY;
    let deeper = Deeper { setting, query, control, floor, progress, changed };
    deeper.run();
    let progress = deeper.progress.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = progress.halted {
        return Err(error);
    }
    Ok(progress.all_first_tests.unwrap_or_else(|| {
        let Incumbent { cost, split, plan, .. } = progress.best;
        let best = split.zip(plan).map(|(split, plan)| FirstTest { test: split.test, cost, plan });
        best.into_iter().collect()
    }))
}

impl Progress {
    /// The start of a search: all thresholds are open. `of_all_rows` and `by_column` are lower
    /// bounds of the trees of one level less: at the end of a column one side has all rows.
    fn new(
        setting: &Setting<'_>,
        query: &Query<'_>,
        best: Incumbent,
        (of_all_rows, by_column): (f64, &[f64]),
        hints: Vec<RankedTest>,
    ) -> Self {
        let columns = &query.set.columns;
        let unknown: Arc<[f64]> = vec![0.0; columns.len()].into();
        let no_rows = setting.penalty;
        // Nothing is known of free trees of all rows, unless they are the trees.
        let (free, by_column) = match setting.without_row_limit {
            Some(_) => (no_rows, unknown.clone()),
            None => (of_all_rows, by_column.into()),
        };
        let at_from = GapEnd { limited: [no_rows, of_all_rows], free: [no_rows, free] };
        let at_to = GapEnd { limited: [of_all_rows, no_rows], free: [free, no_rows] };
        let mut gaps = Vec::new();
        for (column, sorted) in columns.iter().enumerate() {
            if sorted.first > sorted.last {
                continue;
            }
            for leaves in divisions(query.depth - 1, query.leaves) {
                gaps.push(DeepGap {
                    column,
                    leaves,
                    gap: ThresholdGap { from: 0, to: sorted.thresholds, at_from, at_to },
                    by_column_at_from: [unknown.clone(), by_column.clone()],
                    by_column_at_to: [by_column.clone(), unknown.clone()],
                });
            }
        }
        Self {
            gaps,
            busy: Vec::new(),
            best,
            all_first_tests: None,
            closed: vec![f64::INFINITY; columns.len()],
            hints,
            side_hints: [None; 2],
            halted: None,
        }
    }
}

/// Ways to divide the leaves of a tree between the sides of its first test, each of at most
/// `depth` levels. If both sides may have all the leaves that they can use, that is one way.
fn divisions(depth: u32, leaves: u32) -> Vec<Sides<u32>> {
    let most = most_leaves(depth, leaves - 1);
    let fewest = leaves.saturating_sub(most).max(1);
    if fewest >= most {
        return vec![[most, most]];
    }
    (fewest..=most).map(|left| [left, leaves - left]).collect()
}

impl Deeper<'_, '_> {
    fn bounds(&self, column: usize) -> ColumnBounds<'_> {
        ColumnBounds { loss: self.setting.loss, set: self.query.set, column }
    }

    /// The exclusive limit on the cost of the thresholds of a gap from `threshold` on.
    fn limit(&self, progress: &Progress, gap: &DeepGap, threshold: usize) -> f64 {
        self.setting.limit(self.query, &progress.best, gap.column, threshold)
    }

    /// Divide gaps on all threads until none is open.
    fn run(&self) {
        // An error is kept in the progress, where the answer finds it.
        let _ = map(self.control, self.control.threads(), &|_| {
            self.divide_gaps();
            Ok(())
        });
    }

    /// Divide gaps on this thread until none is open.
    fn divide_gaps(&self) {
        let mut progress = lock(&self.progress);
        loop {
            if progress.halted.is_some() || self.query.is_settled(&progress.best, self.floor) {
                break;
            }
            let Some(job) = self.next_job(&mut progress) else {
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
            let identity = |gap: &DeepGap| (gap.column, gap.gap.from, gap.leaves);
            let divided = identity(&job.gap);
            progress.busy.push(job.gap.clone());
            drop(progress);
            let solved = self.solve_sides(&job);
            progress = lock(&self.progress);
            progress.busy.retain(|gap| identity(gap) != divided);
            match solved {
                Ok(solved) => self.record(&mut progress, job, solved),
                Err(error) => {
                    progress.gaps.push(job.gap);
                    progress.halted = Some(error);
                }
            }
            self.report(&progress);
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// Report the lower bound as thousandths of the best cost.
    fn report(&self, progress: &Progress) {
        if !self.query.is_root {
            return;
        }
        let unsolved = progress.gaps.iter().chain(&progress.busy);
        let bound = |gap: &DeepGap| self.bounds(gap.column).open(&gap.gap, f64::INFINITY).bound;
        let bounds = unsolved.map(bound).chain(progress.closed.iter().copied());
        let lower = bounds.fold(progress.best.cost, f64::min).max(self.floor).max(0.0);
        let thousandths = (1000.0 * lower / progress.best.cost.max(f64::MIN_POSITIVE)) as u64;
        self.control.set_total(1000);
        let before = self.setting.reported.fetch_max(thousandths, Ordering::Relaxed);
        self.control.advance(thousandths.saturating_sub(before));
    }

    /// The next threshold: of a hint, or in the middle of the most promising gap; none if no
    /// threshold is open.
    fn next_job(&self, progress: &mut Progress) -> Option<Job> {
        if let Some(job) = self.job_of_hint(progress) {
            return Some(job);
        }
        let (mut best, mut i) = (None::<(usize, OpenThresholds)>, 0);
        while i < progress.gaps.len() {
            let gap = &progress.gaps[i];
            let open = self.open(progress, gap);
            if open.len() == 0 {
                let gap = progress.gaps.swap_remove(i);
                if gap.gap.to - gap.gap.from > 1 {
                    let closed = &mut progress.closed[gap.column];
                    *closed = closed.min(open.bound);
                }
                continue;
            }
            if best.is_none_or(|(_, least)| open.bound < least.bound) {
                best = Some((i, open));
            }
            i += 1;
        }
        let (i, open) = best?;
        let (set, column) = (self.query.set, progress.gaps[i].column);
        let weight = |threshold| set.weight_below(column, threshold);
        let half = (weight(open.low) + weight(open.high)) / 2.0;
        let threshold = first_where(open.low, open.high, |threshold| weight(threshold) >= half);
        Some(self.take_job(progress, i, open, threshold))
    }

    /// The threshold of the next hint that lies in an open gap.
    fn job_of_hint(&self, progress: &mut Progress) -> Option<Job> {
        let (set, rows) = (self.query.set, self.setting.rows);
        while !progress.hints.is_empty() {
            let hint = progress.hints.remove(0);
            let below = |threshold| set.test(rows, hint.column as usize, threshold).below;
            let is_around = |gap: &DeepGap| {
                gap.column == hint.column as usize
                    && below(gap.gap.from) < hint.below
                    && below(gap.gap.to) > hint.below
            };
            let Some(i) = progress.gaps.iter().position(is_around) else { continue };
            let open = self.open(progress, &progress.gaps[i]);
            if open.len() > 0 {
                let threshold = set.threshold(rows, hint, open.low..open.high);
                return Some(self.take_job(progress, i, open, threshold));
            }
        }
        None
    }

    /// The thresholds of a gap that may be better than the best tree. If there are none, the bound
    /// of the result is at least the limit that a better tree must undercut.
    fn open(&self, progress: &Progress, gap: &DeepGap) -> OpenThresholds {
        let limit = self.limit(progress, gap, gap.gap.from + 1);
        let mut open = self.bounds(gap.column).open(&gap.gap, limit);
        let of_column = self.query.by_column[gap.column];
        if of_column >= limit {
            open.high = open.low - 1;
        }
        open.bound = open.bound.max(of_column);
        if open.len() == 0 {
            open.bound = open.bound.max(limit);
        }
        open
    }

    /// Take gap number `i` out of the list, to be divided at a threshold. Its thresholds that are
    /// not open count as closed from now on.
    fn take_job(
        &self,
        progress: &mut Progress,
        i: usize,
        open: OpenThresholds,
        threshold: usize,
    ) -> Job {
        let gap = progress.gaps.swap_remove(i);
        if open.len() < gap.gap.to - gap.gap.from - 1 {
            let limit = self.limit(progress, &gap, gap.gap.from + 1);
            let closed = &mut progress.closed[gap.column];
            *closed = closed.min(limit.max(open.bound));
        }
        // Tests that come later must cost less than the best, others may cost as much.
        let limit = self.limit(progress, &gap, threshold);
        Job { gap, open, threshold, limit, side_hints: progress.side_hints }
    }

    /// Solve both sides of a threshold: with a limit on the rows of leaves, first without it.
    ///
    /// # Errors
    /// If the search must end before a side is looked at. A search of a side that ends early is no
    /// error: the result says so.
    fn solve_sides(&self, job: &Job) -> Result<SolvedThreshold> {
        self.setting.count_node(self.control)?;
        let Job { gap: deep_gap, threshold, .. } = job;
        let DeepGap { column, gap, by_column_at_from, by_column_at_to, .. } = deep_gap;
        let bounds = self.bounds(*column);
        let GapEnd { limited, free } = bounds.at_threshold(gap, *threshold);
        let [rise_left, rise_right] = bounds.rises(gap, *threshold);
        // A side has more rows than at one end of the gap, where its trees cost no more, and fewer
        // than at the other, where they cost at most `rise` more.
        let join = |fewer: &[f64], more: &[f64], rise: f64| -> Arc<[f64]> {
            fewer.iter().zip(more).map(|(a, b)| a.max(b - rise).max(0.0)).collect()
        };
        let by_column = [
            join(&by_column_at_from[0], &by_column_at_to[0], rise_left),
            join(&by_column_at_to[1], &by_column_at_from[1], rise_right),
        ];
        let Some(without_row_limit) = &self.setting.without_row_limit else {
            return self.solve_both(self.setting, job, limited, by_column);
        };
        let mut solved = self.solve_both(without_row_limit, job, free, by_column)?;
        let free = solved.lower;
        let limited = [0, 1].map(|side| f64::max(limited[side], free[side]));
        solved.lower = limited;
        // Trees without the limit are none with it.
        (solved.plans, solved.reached) = ([None, None], [f64::INFINITY; 2]);
        if solved.halted.is_none() && limited[0] + limited[1] < job.limit {
            // If the best free tree's first test is also the best one, nothing else is looked at.
            let job = &Job { side_hints: solved.first_tests, ..job.clone() };
            let by_column = solved.by_column.clone();
            let with_limit = self.solve_both(self.setting, job, limited, by_column)?;
            solved = SolvedThreshold { by_column: solved.by_column, ..with_limit };
        }
        solved.free = free;
        Ok(solved)
    }

    /// The exclusive limit on the cost of both sides together while they are solved: a little more
    /// than the threshold needs, so that the bounds close its neighbours, too.
    fn target(&self, job: &Job) -> f64 {
        let bounds = self.bounds(job.gap.column);
        let weight = |threshold| bounds.weight_left(threshold);
        let here = weight(job.threshold);
        let nearest = (here - weight(job.open.low)).min(weight(job.open.high) - here);
        let slack = bounds.rise(nearest).min(2.0 * nearest) + 1.0;
        job.limit + slack
    }

    /// Solve both sides of a threshold in a setting, the larger one first. `lower` bounds all trees
    /// of the sides, and `by_column` the trees by the column of their first test. If the first side
    /// alone shows that the threshold is of no use, the other one is left out.
    fn solve_both(
        &self,
        setting: &Setting<'_>,
        job: &Job,
        lower: Sides<f64>,
        by_column: SideBounds,
    ) -> Result<SolvedThreshold> {
        let Job { gap: DeepGap { column, .. }, threshold, .. } = job;
        let set = self.query.set;
        let rows_left = set.rows_below(*column, *threshold);
        let hash_left = setting.solved.hash(&set.columns[*column].order[..rows_left]);
        let hashes = [hash_left, set.hash ^ hash_left];
        let mut solved = SolvedThreshold {
            test: set.test(setting.rows, *column, *threshold),
            lower: lower.map(|cost| cost.max(setting.penalty)),
            free: [0.0; 2],
            reached: [f64::INFINITY; 2],
            plans: [None, None],
            by_column,
            first_tests: job.side_hints,
            halted: None,
        };
        let [larger, smaller] = if rows_left >= set.len - rows_left { [0, 1] } else { [1, 0] };
        self.solve_side(setting, job, larger, hashes[larger], &mut solved)?;
        if solved.halted.is_none() && solved.lower[0] + solved.lower[1] < self.target(job) {
            self.solve_side(setting, job, smaller, hashes[smaller], &mut solved)?;
        }
        solved.free = solved.lower;
        Ok(solved)
    }

    /// Solve one side of a threshold (0: left, 1: right), given the number of its set in
    /// [`super::solved`], and write the results into `solved`.
    fn solve_side(
        &self,
        setting: &Setting<'_>,
        job: &Job,
        side: usize,
        hash: u128,
        solved: &mut SolvedThreshold,
    ) -> Result<()> {
        let (depth, leaves) = (self.query.depth - 1, job.gap.leaves[side]);
        let most = if self.query.sufficient_share < 1.0 { job.limit } else { f64::INFINITY };
        let limit = (self.target(job) - solved.lower[1 - side]).min(most).max(solved.lower[side]);
        let key = SolvedKey { rows: hash, depth, leaves };
        if let Some(tree) = setting.solved.get(&key, limit) {
            solved.lower[side] = solved.lower[side].max(tree.cost);
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
            lower: solved.lower[side],
            by_column: &solved.by_column[side],
            hint,
            // The bound of each side must be closer to its cost than the bound of the sum has to
            // be.
            sufficient_share: (1.0 + self.query.sufficient_share) / 2.0,
            resolves_ties: false,
            is_root: false,
        };
        let answer = solve_any(setting, &query, None, &self.control.serial());
        let Answer { best, lower, by_column, halted } = answer;
        if halted.is_none() && lower >= best.cost {
            setting.solved.put(key, &best);
        }
        solved.lower[side] = solved.lower[side].max(lower.min(best.cost));
        solved.reached[side] = if best.plan.is_some() { best.cost } else { best.reached };
        solved.by_column[side] = by_column.into();
        solved.first_tests[side] = best.split.map(|split| split.test).or(hint);
        solved.plans[side] = best.plan;
        solved.halted = halted;
        Ok(())
    }

    /// Record the results of a threshold: a tree that may be better, and the two gaps into which
    /// the threshold divides its gap.
    fn record(&self, progress: &mut Progress, job: Job, solved: SolvedThreshold) {
        let Job { gap: deep_gap, threshold, .. } = job;
        let DeepGap { column, leaves, gap, by_column_at_from, by_column_at_to } = deep_gap;
        let at_threshold = GapEnd { limited: solved.lower, free: solved.free };
        let bound = solved.lower[0] + solved.lower[1];
        progress.closed[column] = progress.closed[column].min(bound);
        progress.side_hints = solved.first_tests;
        progress.halted = progress.halted.take().or(solved.halted);
        let (test, costs) = (solved.test, solved.reached);
        let cost = costs[0] + costs[1];
        let split = Split { test, leaves, costs };
        progress.best.reached = progress.best.reached.min(cost);
        if let [Some(left), Some(right)] = solved.plans {
            let plan = Plan::split(test, left, right);
            if let Some(first_tests) = &mut progress.all_first_tests {
                if cost < progress.best.cost {
                    first_tests.push(FirstTest { test, cost, plan });
                }
            } else if self.setting.is_better(cost, &split, &progress.best) {
                progress.best.replace(cost, split, plan);
            }
        }
        let by_column_here = solved.by_column;
        if threshold - gap.from > 1 {
            progress.gaps.push(DeepGap {
                column,
                leaves,
                gap: ThresholdGap { to: threshold, at_to: at_threshold, ..gap },
                by_column_at_from,
                by_column_at_to: by_column_here.clone(),
            });
        }
        if gap.to - threshold > 1 {
            progress.gaps.push(DeepGap {
                column,
                leaves,
                gap: ThresholdGap { from: threshold, at_from: at_threshold, ..gap },
                by_column_at_from: by_column_here,
                by_column_at_to,
            });
        }
    }

    /// The answer of the search, whether it has ended by itself or not.
    fn answer(self) -> Answer {
        let progress = lock(&self.progress);
        let best = progress.best.clone();
        let mut proven = progress.closed.clone();
        for gap in &progress.gaps {
            let bound = self.bounds(gap.column).open(&gap.gap, f64::INFINITY).bound;
            proven[gap.column] = proven[gap.column].min(bound);
        }
        if self.query.is_settled(&best, self.floor) {
            proven.iter_mut().for_each(|bound| *bound = bound.min(best.cost));
        }
        let halted = progress.halted.clone();
        self.setting.answer(self.query, best, self.floor, &proven, halted)
    }
}

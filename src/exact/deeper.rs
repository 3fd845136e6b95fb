//! Optimal trees of any depth (`exact`): branch and bound over the thresholds of the first test.
//!
//! A tree with one level less gives a first tree, and bounds beyond both ends of every column. Then
//! the most promising gap of all columns ([`super::gaps`]) is divided at a threshold in its middle,
//! whose two sides are solved. Each side gets the loss that it must stay below, what is known about
//! it, and for each of its columns a lower bound of the trees that test that column first: a
//! neighbouring threshold has nearly the same rows, so most columns fall without a look. Where
//! leaves need several rows, the sides are first solved without that limit, which gives the bounds,
//! and then, if these leave a better tree possible, with it: better bounds alone are not worth the
//! second look. Two levels are solved by [`super::two_levels`]. At the root, threads divide
//! different gaps at the same time.

use super::gaps::{Bounds, GapEnd, OpenThresholds, SideCosts, SideLeaves, ThresholdGap};
use super::known::KnownKey;
use super::one_test::{leaf_only, one_test};
use super::part::SetPart;
use super::plans::{Incumbent, Plan, PlanSplit, Split};
use super::ranked::RankedTest;
use super::setting::{Answer, Query, Setting};
use super::sorted::first;
use super::two_levels::{Pool, lock, two_levels};
use crate::error::{Error, Result};
use crate::parallel::{Control, map};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A gap, with lower bounds by column of both sides at both ends.
#[derive(Clone)]
struct DeepGap {
    column: usize,
    leaves: SideLeaves,
    gap: ThresholdGap,
    at_from: [Arc<[f64]>; 2],
    at_to: [Arc<[f64]>; 2],
}

/// What the workers share.
struct Progress {
    gaps: Vec<DeepGap>,
    /// Gaps that a worker divides now.
    busy: Vec<DeepGap>,
    best: Incumbent,
    /// If all first tests below the limit are asked for: those that were found. The limit then
    /// stays as it is.
    all: Option<Vec<FirstTest>>,
    /// By column, a lower bound of the thresholds that are no longer open.
    closed: Vec<f64>,
    /// Tests to be tried first.
    hints: Vec<RankedTest>,
    /// The first tests of the last trees of both sides.
    last: [Option<RankedTest>; 2],
    halted: Option<Error>,
}

/// A threshold to solve.
#[derive(Clone)]
struct Job {
    gap: DeepGap,
    open: OpenThresholds,
    threshold: usize,
    cost: f64,
    hints: [Option<RankedTest>; 2],
}

/// A search for the best tree of a set.
struct Deeper<'t, 'a> {
    setting: &'t Setting<'a>,
    query: &'t Query<'t>,
    pool: &'t Pool,
    control: &'t Control,
    floor: f64,
    progress: Mutex<Progress>,
    changed: Condvar,
}

/// The most leaves of a tree.
pub(super) fn most_leaves(depth: u32, leaves: u32) -> u32 {
    if depth >= 31 { leaves } else { leaves.min(1 << depth) }
}

/// The best tree of a set, of two levels or more; `less`: what is known of trees of one level less.
fn solve(
    setting: &Setting<'_>,
    query: &Query<'_>,
    less: Option<Answer>,
    pool: &Pool,
    control: &Control,
) -> Answer {
    let leaf = setting.leaf(query.set);
    let depth = query.depth.min(setting.deepest(leaf.min(query.limit)));
    let leaves = most_leaves(depth, query.leaves);
    let query = &Query { depth, leaves, ..*query };
    if query.depth <= 2 || leaves <= 3 || query.set.len < 4 {
        return two_levels(setting, query, pool, control);
    }
    let set = query.set;
    let mut best = Incumbent::new(query.limit, query.is_first);
    best.take(leaf, None, Some(Plan::Stump(1)));
    if query.is_root {
        best.reached = query.limit;
    }
    let floor = query.known.max((2.0 * setting.penalty).min(best.cost));
    let mut by_column = query.by_column.to_vec();
    if best.cost <= floor {
        by_column.iter_mut().for_each(|bound| *bound = bound.max(floor));
        return Answer { lower: best.cost, best, by_column, halted: None };
    }
    // One level less: a tree, and bounds beyond both ends of every column.
    let none: Arc<[f64]> = vec![0.0; set.columns.len()].into();
    let is_whole = less.is_none();
    let less = less.unwrap_or_else(|| {
        let less = Query {
            depth: query.depth - 1,
            limit: f64::INFINITY,
            known: 0.0,
            by_column: &none,
            is_first: false,
            is_root: false,
            ..*query
        };
        solve(setting, &less, None, pool, control)
    });
    let tie = if best.is_first { setting.tie } else { 0.0 };
    let first_test = less.best.split.map(|split| split.test);
    best.reached = best.reached.min(less.best.reached);
    if less.best.cost < best.cost - tie {
        best.take(less.best.cost, less.best.split, less.best.plan);
    }
    if is_whole && less.halted.is_some() {
        return Answer { best, lower: floor.min(leaf), by_column, halted: less.halted };
    }
    if is_whole && query.depth > setting.deepest(less.best.cost.min(query.limit)) {
        // More levels cost more than they can save.
        if query.is_first {
            let query = Query { depth: query.depth - 1, ..*query };
            return solve(setting, &query, None, pool, control);
        }
        let by_column = less.by_column.iter().map(|bound| bound.min(best.cost)).collect();
        return Answer { lower: less.lower.min(best.cost), best, by_column, halted: None };
    }
    let hints = [query.hint, first_test].into_iter().flatten().collect();
    let progress = Progress::new(setting, query, best, (less.lower, less.by_column), hints);
    let deeper = Deeper {
        setting,
        query,
        pool,
        control,
        floor,
        progress: Mutex::new(progress),
        changed: Condvar::new(),
    };
    deeper.run();
    deeper.answer(by_column)
}

/// The first tests of the trees of a set that cost less than the limit of a query. The query's
/// columns whose bound is infinite are left out. If not `is_all`, the best first test alone.
/// `less`: lower bounds of trees of one level less, of all of them and by column.
pub(super) fn first_tests(
    setting: &Setting<'_>,
    query: &Query<'_>,
    less: (f64, Vec<f64>),
    is_all: bool,
    pool: &Pool,
    control: &Control,
) -> Result<Vec<FirstTest>> {
    let best = Incumbent::new(query.limit, false);
    let mut progress = Progress::new(setting, query, best, less, Vec::new());
    progress.all = is_all.then(Vec::new);
    let deeper = Deeper {
        setting,
        query,
        pool,
        control,
        floor: f64::NEG_INFINITY,
        progress: Mutex::new(progress),
        changed: Condvar::new(),
    };
    deeper.run();
    let progress = deeper.progress.into_inner().unwrap_or_else(PoisonError::into_inner);
    match progress.halted {
        Some(error) => Err(error),
        None => Ok(progress.all.unwrap_or_else(|| {
            let Incumbent { cost, split, plan, .. } = progress.best;
            let best =
                split.zip(plan).map(|(Split { test, .. }, plan)| FirstTest { test, cost, plan });
            best.into_iter().collect()
        })),
    }
}

impl Progress {
    /// All thresholds are open; `less`: lower bounds of trees of one level less, of all of them and
    /// by column.
    fn new(
        setting: &Setting<'_>,
        query: &Query<'_>,
        best: Incumbent,
        less: (f64, Vec<f64>),
        hints: Vec<RankedTest>,
    ) -> Self {
        let columns = &query.set.columns;
        let none: Arc<[f64]> = vec![0.0; columns.len()].into();
        let (bound, end): (_, Arc<[f64]>) = (less.0, less.1.into());
        // Nothing is known of free trees of all rows, unless they are the trees.
        let (free, end) = match setting.free {
            Some(_) => (setting.penalty, none.clone()),
            None => (bound, end),
        };
        let ends = |here: f64| [(setting.penalty, here), (here, setting.penalty)];
        let (own, free) = (ends(bound), ends(free));
        let ends: [GapEnd; 2] = std::array::from_fn(|i| {
            let [own, free] = [own[i], free[i]].map(|(left, right)| SideCosts { left, right });
            GapEnd { own, free }
        });
        let mut gaps = Vec::new();
        for (column, own) in columns.iter().enumerate().filter(|(_, own)| own.first <= own.last) {
            for leaves in divisions(query.depth - 1, query.leaves) {
                gaps.push(DeepGap {
                    column,
                    leaves,
                    gap: ThresholdGap {
                        from: 0,
                        to: own.thresholds,
                        at_from: ends[0],
                        at_to: ends[1],
                    },
                    at_from: [none.clone(), end.clone()],
                    at_to: [end.clone(), none.clone()],
                });
            }
        }
        Self {
            gaps,
            busy: Vec::new(),
            best,
            all: None,
            closed: vec![f64::INFINITY; columns.len()],
            hints,
            last: [None; 2],
            halted: None,
        }
    }
}

/// Ways to divide the leaves of a tree between the sides of its first test, each of at most
/// `depth` levels.
fn divisions(depth: u32, leaves: u32) -> Vec<SideLeaves> {
    let most = most_leaves(depth, leaves - 1);
    let fewest = leaves.saturating_sub(most).max(1);
    if fewest >= most {
        return vec![SideLeaves { left: most, right: most }];
    }
    (fewest..=most).map(|left| SideLeaves { left, right: leaves - left }).collect()
}

impl Deeper<'_, '_> {
    fn bounds(&self, column: usize) -> Bounds<'_> {
        Bounds { loss: self.setting.loss, set: self.query.set, column }
    }

    fn limit(&self, progress: &Progress, gap: &DeepGap, threshold: usize) -> f64 {
        progress.best.limit(self.setting, self.query, gap.column, threshold)
    }

    /// Divide gaps on all threads until none is open.
    fn run(&self) {
        let _ = map(self.control, self.control.threads(), &|_| {
            self.work();
            Ok(())
        });
    }

    /// Divide gaps until none is open.
    fn work(&self) {
        let mut progress = lock(&self.progress);
        loop {
            if progress.halted.is_some() || self.is_settled(&progress) {
                break;
            }
            let Some(job) = self.next(&mut progress) else {
                if progress.busy.is_empty() {
                    break;
                }
                // Another worker may leave new gaps.
                let wait = Duration::from_millis(20);
                progress = self
                    .changed
                    .wait_timeout(progress, wait)
                    .map_or_else(|e| e.into_inner().0, |(p, _)| p);
                continue;
            };
            let number = (job.gap.column, job.gap.gap.from, job.gap.leaves);
            progress.busy.push(job.gap.clone());
            drop(progress);
            let solved = self.solve_sides(&job);
            progress = lock(&self.progress);
            progress.busy.retain(|gap| (gap.column, gap.gap.from, gap.leaves) != number);
            match solved {
                Ok(solved) => self.take(&mut progress, job, solved),
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
        if self.query.is_root {
            let open = progress.gaps.iter().chain(&progress.busy);
            let bounds =
                open.map(|gap| self.bounds(gap.column).open(&gap.gap, f64::INFINITY).bound);
            let lower =
                bounds.chain(progress.closed.iter().copied()).fold(progress.best.cost, f64::min);
            let lower = lower.max(self.floor).max(0.0);
            let done = (1000.0 * lower / progress.best.cost.max(f64::MIN_POSITIVE)) as u64;
            self.control.expect(1000);
            let before = self.setting.reported.fetch_max(done, Ordering::Relaxed);
            self.control.advance(done.saturating_sub(before));
        }
    }

    fn is_settled(&self, progress: &Progress) -> bool {
        progress.best.enough(self.query.share) <= self.floor && !progress.best.is_first
    }

    /// The next threshold: of a hint, or in the middle of the most promising gap.
    fn next(&self, progress: &mut Progress) -> Option<Job> {
        while !progress.hints.is_empty() {
            let hint = progress.hints.remove(0);
            let (set, rows) = (self.query.set, self.setting.rows);
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
                return Some(self.job(progress, i, open, threshold));
            }
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
        let threshold = first(open.low, open.high, |threshold| weight(threshold) >= half);
        Some(self.job(progress, i, open, threshold))
    }

    /// The thresholds of a gap that may be better than the best tree; if there are none, the bound
    /// is that of all of the gap.
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

    fn job(
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
        Job { gap, open, threshold, cost: limit, hints: progress.last }
    }

    /// Solve both sides of a threshold.
    fn solve_sides(&self, job: &Job) -> Result<Solved> {
        self.setting.count(self.control)?;
        let Job { gap: DeepGap { column, gap, at_from, at_to, .. }, threshold, .. } = job;
        let (set, bounds) = (self.query.set, self.bounds(*column));
        let GapEnd { own, free } = bounds.sides(gap, *threshold);
        let weight = |threshold| set.weight_below(*column, threshold);
        let here = weight(*threshold);
        let up = self.setting.loss.rise(weight(gap.to) - here, set.weight);
        let down = self.setting.loss.rise(here - weight(gap.from), set.weight);
        // What the neighbours know about the columns.
        let join = |fewer: &[f64], more: &[f64], rise: f64| -> Vec<f64> {
            fewer.iter().zip(more).map(|(a, b)| a.max(b - rise).max(0.0)).collect()
        };
        let by_column = [join(&at_from[0], &at_to[0], up), join(&at_to[1], &at_from[1], down)];
        let Some(setting) = &self.setting.free else {
            return self.solve_both(self.setting, job, own, by_column);
        };
        let mut found = self.solve_both(setting, job, free, by_column)?;
        let [left, right] = found.bounds;
        let free = SideCosts { left, right };
        let own = SideCosts { left: own.left.max(left), right: own.right.max(right) };
        (found.bounds, found.plans) = ([own.left, own.right], [None, None]);
        found.reached = [f64::INFINITY; 2];
        if found.halted.is_none() && own.left + own.right < job.cost {
            let by_column = [0, 1].map(|side| found.by_column[side].to_vec());
            // If the best free tree's first test is also the best one, nothing else is looked at.
            let job = &Job { hints: found.first_tests, ..job.clone() };
            let solved = self.solve_both(self.setting, job, own, by_column)?;
            found = Solved { by_column: found.by_column, ..solved };
        }
        found.free = free;
        Ok(found)
    }

    /// What both sides together must cost less than to be solved: a little more than the threshold
    /// needs, so that the bounds close its neighbours, too.
    fn target(&self, job: &Job) -> f64 {
        let Job { gap, open, threshold, .. } = job;
        let weight = |threshold| self.query.set.weight_below(gap.column, threshold);
        let here = weight(*threshold);
        let nearest = (here - weight(open.low)).min(weight(open.high) - here);
        let slack = self.setting.loss.rise(nearest, self.query.set.weight).min(2.0 * nearest) + 1.0;
        job.cost + slack
    }

    /// Solve both sides of a threshold in a setting; `known`: lower bounds of them.
    fn solve_both(
        &self,
        setting: &Setting<'_>,
        job: &Job,
        known: SideCosts,
        by_column: [Vec<f64>; 2],
    ) -> Result<Solved> {
        let Job { gap: DeepGap { column, leaves, .. }, threshold, .. } = job;
        let (set, target) = (self.query.set, self.target(job));
        let mut known = [known.left, known.right].map(|cost| cost.max(setting.penalty));
        let rows = set.rows_below(*column, *threshold);
        let left = setting.known.hash(&set.columns[*column].order[..rows]);
        let hashes = [left, set.hash ^ left];
        let test = set.test(setting.rows, *column, *threshold);
        let mut solved = Solved {
            test,
            bounds: known,
            free: SideCosts { left: 0.0, right: 0.0 },
            reached: [f64::INFINITY; 2],
            halted: None,
            by_column: [Arc::from([]), Arc::from([])],
            plans: [None, None],
            first_tests: job.hints,
        };
        let mut by_column = by_column.map(Some);
        let order = if rows >= set.len - rows { [0, 1] } else { [1, 0] };
        for (turn, side) in order.into_iter().enumerate() {
            if turn == 1 && known[0] + known[1] >= target {
                break;
            }
            let n = if side == 0 { rows } else { set.len - rows };
            let leaves = if side == 0 { leaves.left } else { leaves.right };
            let most = if self.query.share < 1.0 { job.cost } else { f64::INFINITY };
            let limit = (target - known[1 - side]).min(most).max(known[side]);
            let key = KnownKey { rows: hashes[side], depth: self.query.depth - 1, leaves };
            if let Some(found) = setting.known.get(&key, limit) {
                known[side] = known[side].max(found.cost);
                if found.plan.is_some() {
                    solved.reached[side] = found.cost;
                }
                solved.plans[side] = found.plan;
                continue;
            }
            let which = (test, side == 1, n);
            let mut own = set.side(setting.rows, which, setting.marks(), self.control)?;
            own.hash = hashes[side];
            let by = by_column[side].take().unwrap_or_default();
            let query = Query {
                set: &own,
                depth: self.query.depth - 1,
                leaves,
                limit,
                known: known[side],
                by_column: &by,
                hint: job.hints[side],
                // Bounds of sides must be nearer than that of their sum.
                share: (1.0 + self.query.share) / 2.0,
                is_first: false,
                is_root: false,
            };
            let answer = solve_any(setting, &query, None, self.pool, &self.control.serial());
            if answer.halted.is_none() && answer.lower >= answer.best.cost {
                setting.known.put(key, &answer.best);
            }
            known[side] = known[side].max(answer.lower.min(answer.best.cost));
            solved.reached[side] =
                if answer.best.plan.is_some() { answer.best.cost } else { answer.best.reached };
            solved.by_column[side] = answer.by_column.into();
            solved.first_tests[side] =
                answer.best.split.map(|split| split.test).or(job.hints[side]);
            solved.plans[side] = answer.best.plan;
            solved.halted = answer.halted;
            if solved.halted.is_some() {
                break;
            }
        }
        for (side, by) in by_column.into_iter().enumerate() {
            if let Some(by) = by {
                solved.by_column[side] = by.into();
            }
        }
        solved.bounds = known;
        let [left, right] = known;
        solved.free = SideCosts { left, right };
        Ok(solved)
    }

    fn take(&self, progress: &mut Progress, job: Job, solved: Solved) {
        let Job { gap: DeepGap { column, leaves, gap, at_from, at_to }, threshold, .. } = job;
        let [left, right] = solved.bounds;
        let bounds = GapEnd { own: SideCosts { left, right }, free: solved.free };
        progress.closed[column] = progress.closed[column].min(left + right);
        progress.last = solved.first_tests;
        progress.halted = progress.halted.take().or(solved.halted);
        let [left, right] = solved.reached;
        let (cost, costs) = (left + right, SideCosts { left, right });
        let split = Split { test: solved.test, leaves, costs };
        progress.best.reached = progress.best.reached.min(cost);
        if let [Some(left), Some(right)] = solved.plans {
            let test = solved.test;
            let plan = Plan::Split(Box::new(PlanSplit { test, left, right }));
            if let Some(all) = &mut progress.all {
                if cost < progress.best.cost {
                    all.push(FirstTest { test, cost, plan });
                }
            } else if progress.best.is_beaten(self.setting, cost, &split) {
                progress.best.cost = progress.best.cost.min(cost);
                progress.best.split = Some(split);
                progress.best.plan = Some(plan);
            }
        }
        let here = solved.by_column;
        if threshold - gap.from > 1 {
            let gap = ThresholdGap { to: threshold, at_to: bounds, ..gap };
            progress.gaps.push(DeepGap { column, leaves, gap, at_from, at_to: here.clone() });
        }
        if gap.to - threshold > 1 {
            let gap = ThresholdGap { from: threshold, at_from: bounds, ..gap };
            progress.gaps.push(DeepGap { column, leaves, gap, at_from: here, at_to });
        }
    }

    fn answer(self, mut by_column: Vec<f64>) -> Answer {
        let progress = lock(&self.progress);
        let best = progress.best.clone();
        let is_settled = self.is_settled(&progress);
        let mut of_columns = progress.closed.clone();
        for gap in &progress.gaps {
            let bound = self.bounds(gap.column).open(&gap.gap, f64::INFINITY).bound;
            of_columns[gap.column] = of_columns[gap.column].min(bound);
        }
        let mut lower = best.cost.min(self.setting.leaf(self.query.set));
        for (bound, own) in by_column.iter_mut().zip(of_columns) {
            *bound = bound.max(if is_settled { own.min(best.cost) } else { own });
            lower = lower.min(*bound);
        }
        let is_exact = progress.halted.is_none() && self.query.share >= 1.0;
        let lower = if is_exact { best.cost } else { lower.max(self.floor) };
        self.setting.for_subsets(self.query, lower, &mut by_column);
        Answer { best, lower, by_column, halted: progress.halted.clone() }
    }
}

/// A first test, with the best tree that has it.
pub(super) struct FirstTest {
    pub(super) test: RankedTest,
    pub(super) cost: f64,
    pub(super) plan: Plan,
}

/// What was found about both sides of a threshold.
struct Solved {
    test: RankedTest,
    /// Of both sides, lower bounds, of free trees, too, and the cost of the tree.
    bounds: [f64; 2],
    free: SideCosts,
    reached: [f64; 2],
    halted: Option<Error>,
    by_column: [Arc<[f64]>; 2],
    plans: [Option<Plan>; 2],
    first_tests: [Option<RankedTest>; 2],
}

/// The best tree of a set; `less`: what is known of trees of one level less.
pub(super) fn solve_any(
    setting: &Setting<'_>,
    query: &Query<'_>,
    less: Option<Answer>,
    pool: &Pool,
    control: &Control,
) -> Answer {
    match most_leaves(query.depth, query.leaves) {
        1 => leaf_only(setting, query),
        2 => {
            let part = SetPart::whole(query.set);
            one_test(setting, part, query.limit, |counts| setting.cost(counts), control)
        }
        _ => solve(setting, query, less, pool, control),
    }
}

//! The state of a search for trees of any depth ([`super::any_depth`]): which gaps are open, which
//! threshold is solved next, and what a solved threshold proves.

use super::bounds::{ColumnBounds, GapEnd, OpenThresholds, Sides, ThresholdGap};
use super::incumbent::{Incumbent, Plan, Split};
use super::query::{Answer, Query, most_leaves};
use super::ranked::RankedTest;
use super::setting::Setting;
use super::sorted::first_where;
use crate::error::{Error, Result};
use std::sync::Arc;

/// For both sides of a threshold, a lower bound per column of the trees of that side that test this
/// column first.
pub(super) type SideBounds = Sides<Arc<[f64]>>;

/// A gap of a column with one division of the leaves, and the bounds that are known at both ends.
#[derive(Clone)]
pub(super) struct DeepGap {
    pub(super) column: usize,
    pub(super) leaves: Sides<u32>,
    pub(super) gap: ThresholdGap,
    pub(super) bounds_at_from: SideBounds,
    pub(super) bounds_at_to: SideBounds,
}

/// The state that the workers share.
pub(super) struct Progress<'t, 'a> {
    pub(super) setting: &'t Setting<'a>,
    pub(super) query: &'t Query<'t>,
    /// A lower bound of all trees with a test. The search ends when the best tree costs no more.
    floor: f64,
    /// Gaps with open thresholds, which no worker divides now.
    gaps: Vec<DeepGap>,
    /// Gaps that a worker divides now, which may leave new gaps.
    pub(super) busy: Vec<DeepGap>,
    best: Incumbent,
    /// The first tests of trees below the limit, if the query asks for all of them; the limit then
    /// stays as it is. `None` if it asks for the best tree only.
    pub(super) all_first_tests: Option<Vec<FirstTest>>,
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
pub(super) struct Job {
    pub(super) gap: DeepGap,
    /// The thresholds of the gap that may be better than the best tree.
    pub(super) open: OpenThresholds,
    pub(super) threshold: usize,
    /// A tree whose first test is at the threshold must cost less than this.
    pub(super) limit: f64,
    pub(super) side_hints: Sides<Option<RankedTest>>,
}

/// The results of the search for both sides of a threshold.
pub(super) struct SolvedThreshold {
    pub(super) test: RankedTest,
    /// Lower bounds of the trees of both sides.
    pub(super) lower_bound: Sides<f64>,
    /// Lower bounds of their free trees ([`super::bounds`]).
    pub(super) free: Sides<f64>,
    /// Costs of the best trees that were met; infinite if there was none.
    pub(super) reached: Sides<f64>,
    /// Trees below the limit; none where there is only a bound.
    pub(super) plans: Sides<Option<Plan>>,
    pub(super) column_bounds: SideBounds,
    /// First tests of the trees, or the hints if no tree was found.
    pub(super) first_tests: Sides<Option<RankedTest>>,
    pub(super) halted: Option<Error>,
}

/// A first test, with the best tree that has it.
pub(super) struct FirstTest {
    pub(super) test: RankedTest,
    pub(super) cost: f64,
    pub(super) plan: Plan,
}

impl<'t, 'a> Progress<'t, 'a> {
    /// The start of a search: all thresholds are open. `of_all_rows` and `column_bounds` are lower
    /// bounds of the trees of one level less: at the end of a column one side has all rows.
    pub(super) fn new(
        setting: &'t Setting<'a>,
        query: &'t Query<'t>,
        best: Incumbent,
        floor: f64,
        (of_all_rows, column_bounds): (f64, &[f64]),
        hints: Vec<RankedTest>,
    ) -> Self {
        let columns = &query.set.columns;
        let unknown: Arc<[f64]> = vec![0.0; columns.len()].into();
        let no_rows = setting.penalty;
        // Nothing is known of free trees of all rows, unless they are the trees.
        let (free, column_bounds) = match setting.without_row_limit {
            Some(_) => (no_rows, unknown.clone()),
            None => (of_all_rows, column_bounds.into()),
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
                    bounds_at_from: [unknown.clone(), column_bounds.clone()],
                    bounds_at_to: [column_bounds.clone(), unknown.clone()],
                });
            }
        }
        Self {
            setting,
            query,
            floor,
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

    /// The exclusive limit on the cost of the thresholds of a gap from `threshold` on.
    fn limit(&self, gap: &DeepGap, threshold: usize) -> f64 {
        self.setting.limit(self.query, &self.best, gap.column, threshold)
    }

    /// A worker has solved the threshold of a job, or could not.
    pub(super) fn end_job(&mut self, job: Job, solved: Result<SolvedThreshold>) {
        let identity = |gap: &DeepGap| (gap.column, gap.gap.from, gap.leaves);
        self.busy.retain(|gap| identity(gap) != identity(&job.gap));
        match solved {
            Ok(solved) => self.record(job, solved),
            Err(error) => {
                self.gaps.push(job.gap);
                self.halted = Some(error);
            }
        }
    }

    /// Whether the search has ended: early, or because the best tree is good enough.
    pub(super) fn is_ended(&self) -> bool {
        self.halted.is_some() || self.query.is_settled(&self.best, self.floor)
    }

    /// A lower bound of the thresholds of a gap.
    fn gap_bound(&self, gap: &DeepGap) -> f64 {
        bounds_of_column(self.setting, self.query, gap.column).open(&gap.gap, f64::INFINITY).bound
    }

    /// The lower bound of all trees as thousandths of the best cost.
    pub(super) fn proven_thousandths(&self) -> u64 {
        let unsolved = self.gaps.iter().chain(&self.busy).map(|gap| self.gap_bound(gap));
        let bounds = unsolved.chain(self.closed.iter().copied());
        let lower_bound = bounds.fold(self.best.cost, f64::min).max(self.floor).max(0.0);
        (1000.0 * lower_bound / self.best.cost.max(f64::MIN_POSITIVE)) as u64
    }

    /// The next threshold: of a hint, or in the middle of the most promising gap; none if no
    /// threshold is open. Its gap counts as busy from now on.
    pub(super) fn next_job(&mut self) -> Option<Job> {
        if let Some(job) = self.job_of_hint() {
            return Some(job);
        }
        let mut best = None::<(usize, OpenThresholds)>;
        let mut i = 0;
        while i < self.gaps.len() {
            let gap = &self.gaps[i];
            let open = self.open(gap);
            if open.len() == 0 {
                let gap = self.gaps.swap_remove(i);
                if gap.gap.to - gap.gap.from > 1 {
                    let closed = &mut self.closed[gap.column];
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
        let (set, column) = (self.query.set, self.gaps[i].column);
        let weight = |threshold| set.weight_below(column, threshold);
        let half = (weight(open.low) + weight(open.high)) / 2.0;
        let threshold = first_where(open.low, open.high, |threshold| weight(threshold) >= half);
        Some(self.take_job(i, open, threshold))
    }

    /// The threshold of the next hint that lies in an open gap.
    fn job_of_hint(&mut self) -> Option<Job> {
        let (set, rows) = (self.query.set, self.setting.rows);
        while !self.hints.is_empty() {
            let hint = self.hints.remove(0);
            let below = |threshold| set.test(rows, hint.column as usize, threshold).below;
            let is_around = |gap: &DeepGap| {
                gap.column == hint.column as usize
                    && below(gap.gap.from) < hint.below
                    && below(gap.gap.to) > hint.below
            };
            let Some(i) = self.gaps.iter().position(is_around) else { continue };
            let open = self.open(&self.gaps[i]);
            if open.len() > 0 {
                let threshold = set.threshold(rows, hint, open.low..open.high);
                return Some(self.take_job(i, open, threshold));
            }
        }
        None
    }

    /// The thresholds of a gap that may be better than the best tree. If there are none, the bound
    /// of the result is at least the limit that a better tree must undercut.
    fn open(&self, gap: &DeepGap) -> OpenThresholds {
        let limit = self.limit(gap, gap.gap.from + 1);
        let mut open = bounds_of_column(self.setting, self.query, gap.column).open(&gap.gap, limit);
        let of_column = self.query.column_bounds[gap.column];
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
    fn take_job(&mut self, i: usize, open: OpenThresholds, threshold: usize) -> Job {
        let gap = self.gaps.swap_remove(i);
        if open.len() < gap.gap.to - gap.gap.from - 1 {
            let limit = self.limit(&gap, gap.gap.from + 1);
            let closed = &mut self.closed[gap.column];
            *closed = closed.min(limit.max(open.bound));
        }
        // Tests that come later must cost less than the best, others may cost as much.
        let limit = self.limit(&gap, threshold);
        self.busy.push(gap.clone());
        Job { gap, open, threshold, limit, side_hints: self.side_hints }
    }

    /// Record the results of a threshold: a tree that may be better, and the two gaps into which
    /// the threshold divides its gap.
    fn record(&mut self, job: Job, solved: SolvedThreshold) {
        let Job { gap: deep_gap, threshold, .. } = job;
        let DeepGap { column, leaves, gap, bounds_at_from, bounds_at_to } = deep_gap;
        let at_threshold = GapEnd { limited: solved.lower_bound, free: solved.free };
        let bound = solved.lower_bound[0] + solved.lower_bound[1];
        self.closed[column] = self.closed[column].min(bound);
        self.side_hints = solved.first_tests;
        self.halted = self.halted.take().or(solved.halted);
        let (test, costs) = (solved.test, solved.reached);
        let cost = costs[0] + costs[1];
        let split = Split { test, leaves, costs };
        self.best.reached = self.best.reached.min(cost);
        if let [Some(left), Some(right)] = solved.plans {
            let plan = Plan::split(test, left, right);
            if let Some(first_tests) = &mut self.all_first_tests {
                if cost < self.best.cost {
                    first_tests.push(FirstTest { test, cost, plan });
                }
            } else if self.setting.is_better(cost, &split, &self.best) {
                self.best.replace(cost, split, plan);
            }
        }
        let bounds_here = solved.column_bounds;
        if threshold - gap.from > 1 {
            self.gaps.push(DeepGap {
                column,
                leaves,
                gap: ThresholdGap { to: threshold, at_to: at_threshold, ..gap },
                bounds_at_from,
                bounds_at_to: bounds_here.clone(),
            });
        }
        if gap.to - threshold > 1 {
            self.gaps.push(DeepGap {
                column,
                leaves,
                gap: ThresholdGap { from: threshold, at_from: at_threshold, ..gap },
                bounds_at_from: bounds_here,
                bounds_at_to,
            });
        }
    }

    /// The answer of the search, whether it has ended by itself or not.
    pub(super) fn answer(mut self) -> Answer {
        let mut proven = std::mem::take(&mut self.closed);
        for gap in &self.gaps {
            proven[gap.column] = proven[gap.column].min(self.gap_bound(gap));
        }
        if self.query.is_settled(&self.best, self.floor) {
            proven.iter_mut().for_each(|bound| *bound = bound.min(self.best.cost));
        }
        self.setting.answer(self.query, self.best, self.floor, &proven, self.halted)
    }

    /// The first tests that the query asks for; see [`Progress::all_first_tests`].
    ///
    /// # Errors
    /// The reason why the search ended early, because the list would be incomplete.
    pub(super) fn into_first_tests(self) -> Result<Vec<FirstTest>> {
        if let Some(error) = self.halted {
            return Err(error);
        }
        Ok(self.all_first_tests.unwrap_or_else(|| {
            let Incumbent { cost, split, plan, .. } = self.best;
            let best = split.zip(plan);
            let best = best.map(|(split, plan)| FirstTest { test: split.test, cost, plan });
            best.into_iter().collect()
        }))
    }
}

/// The bounds of the thresholds of a column.
pub(super) fn bounds_of_column<'t>(
    setting: &Setting<'t>,
    query: &Query<'t>,
    column: usize,
) -> ColumnBounds<'t> {
    ColumnBounds { loss: setting.loss, set: query.set, column }
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

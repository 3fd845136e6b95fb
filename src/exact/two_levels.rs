//! Optimal trees of two levels (`exact`).
//!
//! For up to [`LANES`] thresholds of a first test at once, the best second tests of both sides
//! come out of one scan of each column ([`Loss::stumps`]). Between solved thresholds the bounds of
//! [`super::gaps`] leave intervals, over which the lanes of the next scan are spread. Large sets
//! are looked at coarsely first.

use super::gaps::{Bounds, GapEnd, OpenThresholds, SideCosts, SideLeaves, ThresholdGap};
use super::losses::{BothSides, LaneThresholds, SideLosses, StumpDepth, StumpMemory};
use super::plans::{Incumbent, Plan, PlanSplit, Split};
use super::ranked::{RankedRows, RankedTest};
use super::setting::{Answer, Query, Setting};
use super::sorted::SortedSet;
use crate::error::Result;
use crate::numeric::sort_few;
use crate::parallel::{Control, map};
use crate::simd::stumps::LANES;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A first test's column with one division of the leaves. Every threshold that is not solved is
/// inside a gap or counts for `closed`, whenever the search ends.
struct Item {
    column: usize,
    leaves: SideLeaves,
    gaps: Vec<ThresholdGap>,
    /// A lower bound of the thresholds that are no longer open.
    closed: f64,
}

/// Memory of the workers.
pub(super) struct Pool(Mutex<Vec<StumpMemory>>);

impl Pool {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Use a piece of memory.
    fn with<R>(&self, work: impl FnOnce(&mut StumpMemory) -> R) -> R {
        let mut memory = lock(&self.0).pop().unwrap_or_default();
        let result = work(&mut memory);
        lock(&self.0).push(memory);
        result
    }
}

/// Lock what no panic leaves half done.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The best tree of at most two levels.
pub(super) fn two_levels(
    setting: &Setting<'_>,
    query: &Query<'_>,
    pool: &Pool,
    control: &Control,
) -> Answer {
    let set = query.set;
    let leaf = setting.leaf(set);
    let mut best = Incumbent::new(query.limit, query.is_first);
    best.take(leaf, None, Some(Plan::Stump(1)));
    let mut by_column = query.by_column.to_vec();
    // No tree with a test costs less than two leaves.
    let floor = query.known.max((2.0 * setting.penalty).min(best.cost));
    if best.cost <= floor {
        by_column.iter_mut().for_each(|bound| *bound = bound.max(floor));
        return Answer { lower: best.cost.min(floor), best, by_column, halted: None };
    }
    let two = SideLeaves { left: 2, right: 2 };
    let divisions: &[SideLeaves] = match query.leaves {
        ..=3 => &[SideLeaves { left: 1, right: 2 }, SideLeaves { left: 2, right: 1 }],
        _ => &[two],
    };
    let low = SideCosts { left: setting.penalty, right: setting.penalty };
    let low = GapEnd { own: low, free: low };
    let mut items = Vec::new();
    for (column, own) in set.columns.iter().enumerate() {
        if own.first > own.last {
            by_column[column] = f64::INFINITY;
            continue;
        }
        for &leaves in divisions {
            let gap = ThresholdGap { from: 0, to: own.thresholds, at_from: low, at_to: low };
            items.push(Item { column, leaves, gaps: vec![gap], closed: f64::INFINITY });
        }
    }
    // The most promising columns first.
    let hinted = query.hint.map(|hint| hint.column as usize);
    sort_few(&mut items, &|a, b| {
        let key = |item: &Item| {
            let is_hinted = Some(item.column) == hinted;
            if is_hinted { f64::NEG_INFINITY } else { by_column[item.column] }
        };
        key(a).total_cmp(&key(b))
    });
    let task = TwoLevelSearch { setting, query, floor, control, best: Mutex::new(best) };
    let mut halted = None;
    let items: Vec<Mutex<Item>> = items.into_iter().map(Mutex::new).collect();
    for is_first_look in [true, false] {
        let done = map(control, items.len(), &|i| {
            let mut item = lock(&items[i]);
            pool.with(|memory| task.look(&mut item, is_first_look, memory))
        });
        if let Err(error) = done {
            halted = Some(error);
            break;
        }
    }
    // Bounds by column: of what is closed, and of what is open yet.
    let is_settled = task.is_settled();
    let best = task.best.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut lower = best.cost.min(leaf);
    let mut of_columns = vec![f64::INFINITY; by_column.len()];
    for item in &items {
        let item = lock(item);
        let bounds = task_bounds(setting, query, item.column);
        let open = |gap: &ThresholdGap| bounds.open(gap, f64::INFINITY).bound;
        let of_item = item.gaps.iter().map(open).fold(item.closed, f64::min);
        let of_item =
            if is_settled { of_item.min(best.cost).max(floor.min(best.cost)) } else { of_item };
        let of_column = &mut of_columns[item.column];
        *of_column = of_column.min(of_item);
    }
    for (bound, own) in by_column.iter_mut().zip(of_columns) {
        *bound = bound.max(own);
        lower = lower.min(*bound);
    }
    let is_exact = halted.is_none() && query.share >= 1.0;
    let lower = if is_exact { best.cost } else { lower.max(floor) };
    setting.for_subsets(query, lower, &mut by_column);
    Answer { best, lower, by_column, halted }
}

fn task_bounds<'a>(setting: &'a Setting<'_>, query: &Query<'a>, column: usize) -> Bounds<'a> {
    Bounds { loss: setting.loss, set: query.set, column }
}

/// What the looks at all columns share.
struct TwoLevelSearch<'t, 'a> {
    setting: &'t Setting<'a>,
    query: &'t Query<'t>,
    floor: f64,
    control: &'t Control,
    best: Mutex<Incumbent>,
}

impl TwoLevelSearch<'_, '_> {
    /// Whether nothing can be better than what is known.
    fn is_settled(&self) -> bool {
        let best = lock(&self.best);
        best.enough(self.query.share) <= self.floor && !best.is_first
    }

    /// What the thresholds of a column from `threshold` on must undercut.
    fn limit(&self, column: usize, threshold: usize) -> f64 {
        lock(&self.best).limit(self.setting, self.query, column, threshold)
    }

    /// Scan an item once, or until nothing is open.
    fn look(&self, item: &mut Item, is_first_look: bool, memory: &mut StumpMemory) -> Result<()> {
        let set = self.query.set;
        let rows = self.setting.rows;
        let bounds = task_bounds(self.setting, self.query, item.column);
        let mut is_first = true;
        while !item.gaps.is_empty() && (is_first || !is_first_look) {
            if self.is_settled() {
                return Ok(());
            }
            let of_column = self.query.by_column[item.column];
            if of_column >= self.limit(item.column, 0) {
                item.closed = item.closed.min(of_column);
                item.gaps.clear();
                return Ok(());
            }
            // What is open; its gaps stay until they are divided.
            let mut open: Vec<(ThresholdGap, OpenThresholds)> = Vec::with_capacity(item.gaps.len());
            let Item { column, gaps, closed, .. } = &mut *item;
            gaps.retain(|gap| {
                let limit = self.limit(*column, gap.from + 1);
                let left = bounds.open(gap, limit);
                if left.len() < gap.to - gap.from - 1 {
                    *closed = closed.min(limit.max(left.bound));
                }
                if left.len() > 0 {
                    open.push((*gap, left));
                }
                left.len() > 0
            });
            if open.is_empty() {
                return Ok(());
            }
            self.setting.count(self.control)?;
            if open.len() > LANES {
                open.select_nth_unstable_by(LANES, |a, b| a.1.bound.total_cmp(&b.1.bound));
            }
            let taken = open.len().min(LANES);
            let around = self
                .query
                .hint
                .filter(|hint| is_first_look && is_first && hint.column as usize == item.column);
            let lanes = spread(&open[..taken], around, (rows, set));
            is_first = false;
            let mut thresholds =
                LaneThresholds { column: item.column, ranks: [u32::MAX; LANES], len: lanes.len() };
            for (to, &(threshold, _)) in thresholds.ranks.iter_mut().zip(&lanes) {
                *to = set.test(rows, item.column, threshold).below;
            }
            let least = lock(&self.best).cost;
            let is_coarse = is_first_look && self.setting.loss.is_coarse_useful(set, least);
            let mut check = || self.control.check();
            let loss = self.setting.loss;
            let (leaves, limit) = (item.leaves, self.limit(item.column, lanes[0].0));
            let is_open = |losses: &SideLosses, lane: usize| {
                let SideCosts { left, right } = self.costs(leaves, losses, &losses.free, lane);
                left + right < limit
            };
            let min_rows = self.setting.min_rows;
            let how = StumpDepth { is_coarse, min_rows, is_open: &is_open };
            let losses = loss.stumps(rows, set, &thresholds, how, memory, &mut check)?;
            self.take(item, &open, &lanes, &losses);
        }
        Ok(())
    }

    /// The costs of both sides of a threshold, with one more test where there may be one, which
    /// gives the losses `with_test`.
    fn costs(
        &self,
        leaves: SideLeaves,
        losses: &SideLosses,
        with_test: &BothSides,
        lane: usize,
    ) -> SideCosts {
        let penalty = self.setting.penalty;
        let cost = |side: usize, leaves: u32| {
            let leaf = losses.leaf[side][lane] + penalty;
            if leaves < 2 { leaf } else { leaf.min(with_test[side][lane] + 2.0 * penalty) }
        };
        SideCosts { left: cost(0, leaves.left), right: cost(1, leaves.right) }
    }

    /// Take in the losses of some thresholds: trees that are better, and the open gaps, divided.
    fn take(
        &self,
        item: &mut Item,
        open: &[(ThresholdGap, OpenThresholds)],
        lanes: &[(usize, usize)],
        losses: &SideLosses,
    ) {
        let leaves = item.leaves;
        let sides = |of: &BothSides, lane: usize| self.costs(leaves, losses, of, lane);
        let mut gaps = Vec::with_capacity(open.len());
        let mut rest: Vec<Option<ThresholdGap>> = open.iter().map(|(gap, _)| Some(*gap)).collect();
        for (lane, &(threshold, of)) in lanes.iter().enumerate() {
            let (reached, bound) = (sides(&losses.reached, lane), sides(&losses.bound, lane));
            let end = GapEnd { own: bound, free: sides(&losses.free, lane) };
            let total = reached.left + reached.right;
            let split = Split {
                test: self.query.set.test(self.setting.rows, item.column, threshold),
                leaves: item.leaves,
                costs: reached,
            };
            let mut best = lock(&self.best);
            best.reached = best.reached.min(total);
            if best.is_beaten(self.setting, total, &split) {
                best.cost = best.cost.min(total);
                best.split = Some(split);
                best.plan = Some(Plan::Split(Box::new(PlanSplit {
                    test: split.test,
                    left: Plan::Stump(item.leaves.left),
                    right: Plan::Stump(item.leaves.right),
                })));
            }
            drop(best);
            let is_exact = reached.left <= bound.left && reached.right <= bound.right;
            if is_exact {
                item.closed = item.closed.min(total);
            } else {
                let (from, to) = (threshold - 1, threshold + 1);
                gaps.push(ThresholdGap { from, to, at_from: end, at_to: end });
            }
            // Lanes ascend, so the part of the gap above the threshold is divided next.
            if let Some(gap) = rest[of] {
                if threshold - gap.from > 1 {
                    gaps.push(ThresholdGap { to: threshold, at_to: end, ..gap });
                }
                let above = ThresholdGap { from: threshold, at_from: end, ..gap };
                rest[of] = (above.to - threshold > 1).then_some(above);
            }
        }
        gaps.extend(rest.into_iter().flatten());
        item.gaps = gaps;
    }
}

/// Thresholds for the lanes, ascending, each with the number of its gap.
fn spread(
    open: &[(ThresholdGap, OpenThresholds)],
    around: Option<RankedTest>,
    (rows, set): (&RankedRows, &SortedSet),
) -> Vec<(usize, usize)> {
    let mut lanes: Vec<(usize, usize)> = Vec::with_capacity(LANES);
    let all: usize = open.iter().map(|(_, open)| open.len()).sum();
    for (i, (_, open_here)) in open.iter().enumerate() {
        let OpenThresholds { low, high, .. } = *open_here;
        let free = LANES - lanes.len() - (open.len() - i - 1);
        if let Some(hint) = around {
            // At the hint, and 1, 2, 4, ... thresholds from it.
            let center = set.threshold(rows, hint, low..high);
            let mut taken = vec![center];
            for step in (0..15).map(|i| 1_usize << i) {
                taken.extend((center + step <= high).then(|| center + step));
                taken.extend((center >= low + step).then(|| center - step));
            }
            taken.truncate(free);
            lanes.extend(taken.into_iter().map(|threshold| (threshold, i)));
            continue;
        }
        let len = open_here.len();
        let share =
            if open.len() == 1 { LANES } else { 1 + (LANES - open.len()) * len / (all + 1) };
        let wanted = share.min(free).min(len);
        lanes.extend((0..wanted).map(|j| (low + (2 * j + 1) * len / (2 * wanted), i)));
    }
    lanes.sort_unstable();
    lanes
}

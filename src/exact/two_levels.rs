//! Optimal trees of two levels (`exact`).
//!
//! For up to [`LANES`] thresholds of a first test at once, the best second tests of both sides
//! come out of one scan of each column ([`super::losses::Loss::stumps`]). Between solved thresholds
//! the bounds of [`super::bounds`] leave intervals, over which the lanes of the next scan are
//! spread. Each column is scanned once before any column is searched to its end, so that a good
//! tree is known early; large sets are scanned coarsely in that first round.

use super::bounds::{ColumnBounds, GapEnd, OpenThresholds, Sides, ThresholdGap};
use super::incumbent::{Incumbent, Plan, Split};
use super::losses::{BothSides, LaneThresholds, SideLosses, StumpDepth, StumpMemory};
use super::query::{Answer, Query};
use super::ranked::{RankedRows, RankedTest};
use super::setting::Setting;
use super::sorted::SortedSet;
use crate::error::Result;
use crate::numeric::sort_few;
use crate::parallel::{Control, lock, map};
use crate::simd::stumps::LANES;
use std::sync::{Mutex, PoisonError};

/// The column of a first test with one division of the leaves. Every threshold that is not solved
/// is inside a gap or counts for `closed`, whenever the search ends.
struct DividedColumn {
    column: usize,
    leaves: Sides<u32>,
    gaps: Vec<ThresholdGap>,
    /// A lower bound of the thresholds that are no longer open.
    closed: f64,
}

/// A gap with the thresholds of it that are open.
struct OpenGap {
    gap: ThresholdGap,
    open: OpenThresholds,
}

/// A threshold that a scan solves, in the gap of this number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ThresholdLane {
    threshold: usize,
    gap: usize,
}

/// The best tree of at most two levels. `best` is the tree to start with, and `floor` a lower bound
/// of all trees with a test.
pub(super) fn two_levels(
    setting: &Setting<'_>,
    query: &Query<'_>,
    best: Incumbent,
    floor: f64,
    control: &Control,
) -> Answer {
    let search = TwoLevelSearch { setting, query, floor, control, best: Mutex::new(best) };
    let columns: Vec<_> = divided_columns(setting, query).into_iter().map(Mutex::new).collect();
    let mut halted = None;
    for is_first_round in [true, false] {
        let done = map(control, columns.len(), &|i| {
            let mut column = lock(&columns[i]);
            setting.pool.with(|memory| search.scan_column(&mut column, is_first_round, memory))
        });
        if let Err(error) = done {
            halted = Some(error);
            break;
        }
    }
    let proven = search.proven(&columns);
    let best = search.best.into_inner().unwrap_or_else(PoisonError::into_inner);
    setting.answer(query, best, floor, &proven, halted)
}

/// The columns with a possible first test, each once for every division of the leaves, the most
/// promising ones first.
fn divided_columns(setting: &Setting<'_>, query: &Query<'_>) -> Vec<DividedColumn> {
    let divisions: &[Sides<u32>] = if query.leaves <= 3 { &[[1, 2], [2, 1]] } else { &[[2, 2]] };
    let one_leaf = [setting.penalty; 2];
    let unknown = GapEnd { limited: one_leaf, free: one_leaf };
    let mut columns = Vec::new();
    for (column, sorted) in query.set.columns.iter().enumerate() {
        if sorted.first > sorted.last {
            continue;
        }
        let to = sorted.thresholds;
        for &leaves in divisions {
            let gaps = vec![ThresholdGap { from: 0, to, at_from: unknown, at_to: unknown }];
            columns.push(DividedColumn { column, leaves, gaps, closed: f64::INFINITY });
        }
    }
    let hinted = query.hint.map(|hint| hint.column as usize);
    let key = |divided: &DividedColumn| {
        let is_hinted = Some(divided.column) == hinted;
        if is_hinted { f64::NEG_INFINITY } else { query.column_bounds[divided.column] }
    };
    sort_few(&mut columns, &|a, b| key(a).total_cmp(&key(b)));
    columns
}

/// The state that the scans of all columns share.
struct TwoLevelSearch<'t, 'a> {
    setting: &'t Setting<'a>,
    query: &'t Query<'t>,
    /// A lower bound of all trees with a test.
    floor: f64,
    control: &'t Control,
    best: Mutex<Incumbent>,
}

impl TwoLevelSearch<'_, '_> {
    /// The exclusive limit on the cost of the thresholds of a column from `threshold` on.
    fn limit(&self, column: usize, threshold: usize) -> f64 {
        self.setting.limit(self.query, &lock(&self.best), column, threshold)
    }

    fn bounds(&self, column: usize) -> ColumnBounds<'_> {
        ColumnBounds { loss: self.setting.loss, set: self.query.set, column }
    }

    /// By column, a lower bound of the solved and of the open thresholds; infinite if a column has
    /// neither.
    fn proven(&self, columns: &[Mutex<DividedColumn>]) -> Vec<f64> {
        let best = lock(&self.best);
        let is_settled = self.query.is_settled(&best, self.floor);
        let mut proven = vec![f64::INFINITY; self.query.column_bounds.len()];
        for divided in columns {
            let divided = lock(divided);
            let bounds = self.bounds(divided.column);
            let open = divided.gaps.iter().map(|gap| bounds.open(gap, f64::INFINITY).bound);
            let mut bound = open.fold(divided.closed, f64::min);
            if is_settled {
                bound = bound.min(best.cost).max(self.floor.min(best.cost));
            }
            proven[divided.column] = proven[divided.column].min(bound);
        }
        proven
    }

    /// Scan a column: once in the first round, else until no threshold of it is open.
    fn scan_column(
        &self,
        divided: &mut DividedColumn,
        is_first_round: bool,
        memory: &mut StumpMemory,
    ) -> Result<()> {
        let mut is_first_scan = true;
        while !divided.gaps.is_empty() && (is_first_scan || !is_first_round) {
            if self.query.is_settled(&lock(&self.best), self.floor) {
                return Ok(());
            }
            let of_column = self.query.column_bounds[divided.column];
            if of_column >= self.limit(divided.column, 0) {
                divided.closed = divided.closed.min(of_column);
                divided.gaps.clear();
                return Ok(());
            }
            let mut open = self.open_gaps(divided);
            if open.is_empty() {
                return Ok(());
            }
            self.setting.count_node(self.control)?;
            if open.len() > LANES {
                open.select_nth_unstable_by(LANES, |a, b| a.open.bound.total_cmp(&b.open.bound));
            }
            let taken = open.len().min(LANES);
            let is_hinted = |hint: &RankedTest| {
                is_first_round && is_first_scan && hint.column as usize == divided.column
            };
            let around = self.query.hint.filter(is_hinted);
            let lanes = spread(&open[..taken], around, (self.setting.rows, self.query.set));
            is_first_scan = false;
            let losses = self.scan(divided, &lanes, is_first_round, memory)?;
            self.record(divided, &open, &lanes, &losses);
        }
        Ok(())
    }

    /// The gaps of a column that have open thresholds. The others are closed; these stay in the
    /// list until a scan divides them.
    fn open_gaps(&self, divided: &mut DividedColumn) -> Vec<OpenGap> {
        let DividedColumn { column, gaps, closed, .. } = divided;
        let bounds = self.bounds(*column);
        let mut open_gaps = Vec::with_capacity(gaps.len());
        gaps.retain(|&gap| {
            let limit = self.limit(*column, gap.from + 1);
            let open = bounds.open(&gap, limit);
            if open.len() < gap.to - gap.from - 1 {
                *closed = closed.min(limit.max(open.bound));
            }
            let is_open = open.len() > 0;
            if is_open {
                open_gaps.push(OpenGap { gap, open });
            }
            is_open
        });
        open_gaps
    }

    /// The losses of both sides of some thresholds of a column, ascending.
    fn scan(
        &self,
        divided: &DividedColumn,
        lanes: &[ThresholdLane],
        is_first_round: bool,
        memory: &mut StumpMemory,
    ) -> Result<SideLosses> {
        let Setting { rows, loss, min_rows, .. } = *self.setting;
        let (set, column, leaves) = (self.query.set, divided.column, divided.leaves);
        let mut thresholds = LaneThresholds { column, ranks: [u32::MAX; LANES], len: lanes.len() };
        for (rank, lane) in thresholds.ranks.iter_mut().zip(lanes) {
            *rank = set.test(rows, column, lane.threshold).below;
        }
        let least_cost = lock(&self.best).cost;
        let is_coarse = is_first_round && loss.is_coarse_useful(set, least_cost);
        let limit = self.limit(column, lanes[0].threshold);
        let is_open = |losses: &SideLosses, lane: usize| {
            let [left, right] = self.costs(leaves, losses, &losses.free, lane);
            left + right < limit
        };
        let depth = StumpDepth { is_coarse, min_rows, is_open: &is_open };
        loss.stumps(rows, set, &thresholds, depth, memory, &mut || self.control.check())
    }

    /// The costs of both sides of the threshold of a lane. A side that may have two leaves has one
    /// more test if that costs less; `with_test` are the losses of the sides with it.
    fn costs(
        &self,
        leaves: Sides<u32>,
        losses: &SideLosses,
        with_test: &BothSides,
        lane: usize,
    ) -> Sides<f64> {
        let penalty = self.setting.penalty;
        [0, 1].map(|side| {
            let leaf = losses.leaf[side][lane] + penalty;
            if leaves[side] < 2 { leaf } else { leaf.min(with_test[side][lane] + 2.0 * penalty) }
        })
    }

    /// Take in the losses of some thresholds: trees that are better, and the gaps, divided.
    fn record(
        &self,
        divided: &mut DividedColumn,
        open: &[OpenGap],
        lanes: &[ThresholdLane],
        losses: &SideLosses,
    ) {
        let leaves = divided.leaves;
        let costs =
            |with_test: &BothSides, lane: usize| self.costs(leaves, losses, with_test, lane);
        let mut gaps = Vec::with_capacity(open.len());
        // The rest of each gap, above the thresholds that divided it.
        let mut rest: Vec<Option<ThresholdGap>> = open.iter().map(|open| Some(open.gap)).collect();
        for (i, lane) in lanes.iter().enumerate() {
            let threshold = lane.threshold;
            let (reached, bound) = (costs(&losses.reached, i), costs(&losses.bound, i));
            let end = GapEnd { limited: bound, free: costs(&losses.free, i) };
            let cost = reached[0] + reached[1];
            let test = self.query.set.test(self.setting.rows, divided.column, threshold);
            let split = Split { test, leaves, costs: reached };
            let mut best = lock(&self.best);
            best.reached = best.reached.min(cost);
            if self.setting.is_better(cost, &split, &best) {
                let [left, right] = leaves.map(Plan::Stump);
                best.replace(cost, split, Plan::split(test, left, right));
            }
            drop(best);
            let is_exact = reached[0] <= bound[0] && reached[1] <= bound[1];
            if is_exact {
                divided.closed = divided.closed.min(cost);
            } else {
                // A gap of this threshold alone, which a closer scan will solve.
                let (from, to) = (threshold - 1, threshold + 1);
                gaps.push(ThresholdGap { from, to, at_from: end, at_to: end });
            }
            // Lanes ascend, so the part of the gap above the threshold is divided next.
            if let Some(gap) = rest[lane.gap] {
                if threshold - gap.from > 1 {
                    gaps.push(ThresholdGap { to: threshold, at_to: end, ..gap });
                }
                let above = ThresholdGap { from: threshold, at_from: end, ..gap };
                rest[lane.gap] = (above.to - threshold > 1).then_some(above);
            }
        }
        gaps.extend(rest.into_iter().flatten());
        divided.gaps = gaps;
    }
}

/// Thresholds for the lanes of a scan, ascending: near a hint, if there is one, else spread evenly
/// over the open thresholds, at least one for each gap.
fn spread(
    open: &[OpenGap],
    around: Option<RankedTest>,
    (rows, set): (&RankedRows, &SortedSet),
) -> Vec<ThresholdLane> {
    let mut lanes: Vec<ThresholdLane> = Vec::with_capacity(LANES);
    let n_open: usize = open.iter().map(|open| open.open.len()).sum();
    for (gap, open_gap) in open.iter().enumerate() {
        let OpenThresholds { low, high, .. } = open_gap.open;
        let lane = |threshold| ThresholdLane { threshold, gap };
        // Each of the gaps behind this one gets a lane, too.
        let n_free = LANES - lanes.len() - (open.len() - gap - 1);
        if let Some(hint) = around {
            // At the hint, and 1, 2, 4, ... thresholds from it.
            let center = set.threshold(rows, hint, low..high);
            let mut taken = vec![center];
            for step in (0..15).map(|i| 1_usize << i) {
                taken.extend((center + step <= high).then(|| center + step));
                taken.extend((center >= low + step).then(|| center - step));
            }
            taken.truncate(n_free);
            lanes.extend(taken.into_iter().map(lane));
            continue;
        }
        let len = open_gap.open.len();
        let share = match open.len() {
            1 => LANES,
            n_gaps => 1 + (LANES - n_gaps) * len / (n_open + 1),
        };
        let wanted = share.min(n_free).min(len);
        lanes.extend((0..wanted).map(|j| lane(low + (2 * j + 1) * len / (2 * wanted))));
    }
    lanes.sort_unstable();
    lanes
}

//! What leaves cost, for the search for optimal trees: the error in whole numbers, or any sum over
//! the leaves.
//!
//! A loss gives the best test of one column on both sides of up to [`LANES`] thresholds of another
//! column at once ([`Loss::stumps`]), which is where the search spends its time. And it says how
//! much the loss of a tree can rise when rows are added to its leaves ([`Loss::rise`]), on which
//! half of the bounds rest. The other half rests on a fact of all losses here: a leaf with fewer
//! rows of any class costs no more.

use super::ranked::RankedRows;
use super::sorted::{BUCKET, NEEDED, SortedSet, mark_to_score};
use crate::criteria::{Context, Criterion, LossRise};
use crate::numeric::Count;
use crate::simd::Level;
use crate::simd::stumps::{
    BucketRows, LANES, LaneInt, Lanes, ScannedRows, SideCounts, TableMemory,
};
use crate::tree::CostMatrix;
use std::any::Any;

/// Losses by lane: of the left sides and of the right sides.
pub(super) type BothSides = [[f64; LANES]; 2];

/// Some thresholds of a column: `ranks[..len]`, ascending.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaneThresholds {
    pub(super) column: usize,
    pub(super) ranks: [u32; LANES],
    pub(super) len: usize,
}

/// What is known about both sides of some thresholds.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideLosses {
    /// As leaves.
    pub(super) leaf: BothSides,
    /// With one more test: a loss that is reached, a lower bound, and one of tests that may leave
    /// any number of rows on both sides.
    pub(super) reached: BothSides,
    pub(super) bound: BothSides,
    pub(super) free: BothSides,
}

/// The sides of some thresholds, row by row.
#[derive(Debug, Default)]
pub(super) struct LaneCodes {
    /// `code | class << 8` of each row by its number; the code is the number of thresholds that are
    /// not above its value.
    pub(super) by_row: Vec<u16>,
    /// By class and lane, the rows or the weight on the left side.
    pub(super) left: Vec<[f64; LANES]>,
    /// Number of rows on the left side, and of all; copies are rows.
    pub(super) rows_left: [u32; LANES],
    pub(super) rows: u32,
}

impl LaneCodes {
    fn fill(&mut self, rows: &RankedRows, set: &SortedSet, thresholds: &LaneThresholds) {
        let LaneThresholds { column, ranks: cuts, len } = *thresholds;
        let ranks = &rows.columns[column].ranks;
        self.by_row.resize(rows.len(), 0);
        self.left.clear();
        self.left.resize(rows.classes, [0.0; LANES]);
        self.rows = 0;
        let mut code = 0;
        for &row in &set.columns[column].order {
            while code < len && cuts[code] <= ranks[row as usize] {
                self.rows_left[code] = self.rows;
                code += 1;
            }
            self.rows += rows.size(row);
            let class = rows.class[row as usize];
            self.by_row[row as usize] = code as u16 | u16::from(class) << 8;
            if code < LANES {
                self.left[usize::from(class)][code] += rows.weight(row);
            }
        }
        self.rows_left[code..].fill(self.rows);
        for lanes in &mut self.left {
            for l in 1..LANES {
                lanes[l] += lanes[l - 1];
            }
        }
    }
}

/// How closely the tests of both sides are looked at.
#[derive(Clone, Copy)]
pub(super) struct StumpDepth<'a> {
    /// Whether bounds will do.
    pub(super) is_coarse: bool,
    /// The fewest rows that a test must leave on each side.
    pub(super) min_rows: u32,
    /// Whether a lane may be of use, given what tests that leave any number of rows reach. If not,
    /// that may stand as the bound.
    pub(super) is_open: &'a dyn Fn(&SideLosses, usize) -> bool,
}

/// A sum over the leaves of a tree.
pub(super) trait Loss: Sync {
    /// The loss of a leaf with these weights of the classes.
    fn leaf(&self, counts: &[f64]) -> f64;

    /// The losses of both sides of some thresholds, as leaves and with the best test.
    fn stumps(
        &self,
        rows: &RankedRows,
        set: &SortedSet,
        thresholds: &LaneThresholds,
        how: StumpDepth<'_>,
        memory: &mut StumpMemory,
        check: &mut dyn FnMut() -> crate::error::Result<()>,
    ) -> crate::error::Result<SideLosses>;

    /// Whether coarse bounds are worth their time on a set with this loss as a leaf.
    fn is_coarse_useful(&self, set: &SortedSet, least: f64) -> bool;

    /// The most that a tree's loss can rise when rows of weight `moved` join others to a weight of
    /// at most `all`; infinite if that is not known. Never falls as `moved` grows, and is concave.
    fn rise(&self, moved: f64, all: f64) -> f64;

    /// Whether the best threshold is never inside a run of rows of one class, if leaves may have
    /// any number of rows.
    fn skips_runs(&self) -> bool;
}

/// Memory of [`Loss::stumps`], kept between calls: each loss has its own kind.
#[derive(Debug, Default)]
pub(super) struct StumpMemory(Option<Box<dyn Any + Send>>);

impl StumpMemory {
    /// The memory of a kind; new, if that of another was kept.
    fn get<M: Default + Send + 'static>(&mut self) -> &mut M {
        if !self.0.as_ref().is_some_and(|kept| kept.is::<M>()) {
            self.0 = Some(Box::new(M::default()));
        }
        match self.0.as_mut().and_then(|kept| kept.downcast_mut()) {
            Some(memory) => memory,
            None => unreachable!("memory of this kind was made above"),
        }
    }
}

/// Misclassified weight, in whole numbers.
#[derive(Debug)]
pub(super) struct ErrorLoss<T> {
    /// Whole weights by row; empty if all are 1.
    weights: Vec<u32>,
    level: Level,
    lanes: std::marker::PhantomData<T>,
}

/// Memory of [`ErrorLoss`].
#[derive(Debug, Default)]
pub(super) struct ErrorMemory<T> {
    codes: LaneCodes,
    left: Vec<Lanes<T>>,
    totals: Vec<T>,
    scan: Vec<[Lanes<T>; 2]>,
    table: TableMemory<T>,
    in_order: Vec<u8>,
    weights: Vec<u32>,
}

impl<T: LaneInt> ErrorLoss<T> {
    /// The error of rows with whole weights whose sum is at most the `MOST` of the type.
    pub(super) fn new(rows: &RankedRows) -> Self {
        let weights = rows.weights.iter().map(|&w| w as u32).collect();
        Self { weights, level: Level::active(), lanes: std::marker::PhantomData }
    }
}

impl<T: LaneInt + Send + Sync + 'static> Loss for ErrorLoss<T> {
    fn leaf(&self, counts: &[f64]) -> f64 {
        let most = counts.iter().copied().fold(0.0, f64::max);
        counts.iter().sum::<f64>() - most
    }

    fn stumps(
        &self,
        rows: &RankedRows,
        set: &SortedSet,
        thresholds: &LaneThresholds,
        StumpDepth { is_coarse, min_rows, is_open }: StumpDepth<'_>,
        memory: &mut StumpMemory,
        check: &mut dyn FnMut() -> crate::error::Result<()>,
    ) -> crate::error::Result<SideLosses> {
        let ErrorMemory { codes, left, totals, scan, table, in_order, weights } =
            memory.get::<ErrorMemory<T>>();
        codes.fill(rows, set, thresholds);
        left.clear();
        left.extend(codes.left.iter().map(|lanes| lanes.map(|x| T::of(x as i32))));
        totals.clear();
        totals.extend(set.counts.iter().map(|&x| T::of(x as i32)));
        // Whole weights are copies, so their sums are numbers of rows.
        let sides = SideCounts { left, totals, least: T::of(min_rows as i32) };
        let mut leaf = [[0.0; LANES]; 2];
        for l in 0..LANES {
            let side = |count: &dyn Fn(usize) -> f64| {
                let counts = (0..rows.classes).map(count);
                let (sum, most) =
                    counts.fold((0.0, 0.0), |(sum, most), x| (sum + x, f64::max(most, x)));
                sum - most
            };
            leaf[0][l] = side(&|class| codes.left[class][l]);
            leaf[1][l] = side(&|class| set.counts[class] - codes.left[class][l]);
        }
        let mut found = SideLosses { leaf, reached: leaf, bound: leaf, free: leaf };
        let lower = |to: &mut BothSides, from: &[Lanes<T>; 2]| {
            for side in 0..2 {
                for l in 0..LANES {
                    to[side][l] = to[side][l].min(f64::from(from[side][l].get()));
                }
            }
        };
        in_order.clear();
        // Where leaves need several rows, scans of the tests that leave them so many; each with
        // what the tests that leave any number give.
        let (mark, mut limited) = (mark_to_score(min_rows), Vec::new());
        let mut is_joined = false;
        for g in 0..set.columns.len() {
            let column = &set.columns[g];
            if std::mem::take(&mut is_joined) || column.buckets < 2 {
                continue;
            }
            let scanned = |mark: u8, missing: usize| ScannedRows {
                order: &column.order,
                missing,
                marks: &column.marks,
                mark,
                weights: &self.weights,
                codes: &codes.by_row,
            };
            // A table takes about 20 steps per cell, a scan a few per row.
            let cells = column.buckets * rows.classes;
            let per_row = if rows.classes == 2 { 2 } else { 10 };
            let is_short = column.exact && 20 * cells <= per_row * set.len;
            if (is_coarse && !column.exact || is_short) && cells <= usize::from(u16::MAX) {
                if in_order.is_empty() {
                    let order = &set.columns[0].order;
                    in_order.extend(order.iter().map(|&row| codes.by_row[row as usize] as u8));
                    if !self.weights.is_empty() {
                        weights.clear();
                        weights.extend(order.iter().map(|&row| self.weights[row as usize]));
                    }
                }
                let keys = set.keys(rows, g);
                let rows = BucketRows {
                    keys: &keys.keys,
                    codes: in_order,
                    weights,
                    totals: &keys.totals,
                    exact: column.exact,
                };
                let [reached, free] = T::table(self.level, &rows, &sides, table);
                lower(&mut found.reached, &reached);
                lower(&mut found.free, &free);
                if column.exact && min_rows > 1 {
                    limited.push((scanned(mark, 0), free));
                } else {
                    lower(&mut found.bound, if column.exact { &reached } else { &free });
                }
            } else {
                is_joined = rows.classes == 2 && rows.has_twin(g) && column.has_missing;
                let missing = if is_joined { column.rows_below(1) } else { 0 };
                let any = SideCounts { least: T::of(1), ..sides };
                let free = T::scan(self.level, &scanned(NEEDED, missing), &any, scan);
                lower(&mut found.free, &free);
                if min_rows > 1 {
                    limited.push((scanned(mark, missing), free));
                } else {
                    lower(&mut found.reached, &free);
                    lower(&mut found.bound, &free);
                }
            }
            check()?;
        }
        let mut open = [false; LANES];
        if min_rows > 1 {
            (0..thresholds.len).for_each(|l| open[l] = is_open(&found, l));
        }
        for (rows, free) in limited {
            let may_be_less = |side: usize, l: usize| {
                open[l] && f64::from(free[side][l].get()) < found.reached[side][l]
            };
            if (0..2).any(|side| (0..LANES).any(|l| may_be_less(side, l))) {
                let reached = T::scan(self.level, &rows, &sides, scan);
                lower(&mut found.reached, &reached);
                lower(&mut found.bound, &reached);
                check()?;
            }
        }
        if min_rows > 1 {
            // Columns that were not scanned again do not cost less than what is reached.
            for side in 0..2 {
                for l in 0..LANES {
                    let least = if open[l] { &found.reached } else { &found.free };
                    found.bound[side][l] = found.bound[side][l].min(least[side][l]);
                }
            }
        }
        Ok(found)
    }

    fn is_coarse_useful(&self, set: &SortedSet, least: f64) -> bool {
        let buckets = set.columns.iter().map(|c| c.buckets).max().unwrap_or(1) as f64;
        let n = set.len as f64;
        n >= 6.0 * buckets * set.counts.len() as f64 && least * buckets >= 16.0 * n
    }

    fn rise(&self, moved: f64, _all: f64) -> f64 {
        moved
    }

    fn skips_runs(&self) -> bool {
        true
    }
}

/// A count of a row that leaves are made of: whole or real.
pub(super) trait Weight: Count {
    /// The count of a weight.
    fn of(weight: f64) -> Self;
}

impl Weight for u32 {
    #[inline]
    fn of(weight: f64) -> Self {
        weight as Self
    }
}

impl Weight for f64 {
    #[inline]
    fn of(weight: f64) -> Self {
        weight
    }
}

/// What a leaf costs.
#[derive(Debug)]
pub(super) enum LeafLoss {
    /// By the criterion that growth would use.
    Of(Box<dyn Criterion>, Context),
    /// The cost of the class that costs least.
    Costs(CostMatrix),
    /// As listed in [`super::Objective::leaf_losses`], with the rows of the second class + 1.
    Listed(Vec<f64>, usize),
}

impl LeafLoss {
    /// The losses of leaves with `counts[class * out.len() + leaf]`.
    fn all<C: Count>(&self, counts: &[C], out: &mut [f64]) {
        match self {
            Self::Of(criterion, context) => {
                criterion.losses(C::cells(counts), context, out);
            }
            Self::Listed(losses, stride) => {
                let (first, second) = counts.split_at(out.len());
                for ((out, i), j) in out.iter_mut().zip(first).zip(second) {
                    *out = losses[i.value() as usize * stride + j.value() as usize];
                }
            }
            Self::Costs(costs) => {
                let (n, classes) = (out.len(), counts.len() / out.len().max(1));
                for (leaf, out) in out.iter_mut().enumerate() {
                    let cost = |label: usize| {
                        let each = (0..classes).map(|class| {
                            counts[class * n + leaf].value() * costs.one(class, label as i32)
                        });
                        each.sum::<f64>()
                    };
                    *out = (0..classes).map(cost).fold(f64::INFINITY, f64::min);
                }
            }
        }
    }
}

/// Any sum over the leaves.
#[derive(Debug)]
pub(super) struct AdditiveLoss<C> {
    pub(super) loss: LeafLoss,
    pub(super) rise: LossRise,
    pub(super) classes: usize,
    pub(super) skips_runs: bool,
    pub(super) weight: std::marker::PhantomData<C>,
}

/// Memory of [`AdditiveLoss`].
#[derive(Debug, Default)]
pub(super) struct AdditiveMemory<C> {
    codes: LaneCodes,
    /// Counts of the left sides before a place, by class and lane.
    before: Vec<[C; LANES]>,
    /// All rows before a place, by class.
    passed: Vec<C>,
    totals: Vec<C>,
    leaves: Vec<C>,
}

/// Leaves of one place: both sides of both sides of each lane.
const LEAVES: usize = 4 * LANES;

impl<C: Weight> AdditiveLoss<C> {
    /// Set the losses of the four leaves that a place makes of each lane.
    fn at_place(&self, memory: &mut AdditiveMemory<C>, losses: &mut [f64; LEAVES]) {
        let AdditiveMemory { codes, before, passed, totals, leaves } = memory;
        for (class, leaves) in leaves.chunks_exact_mut(LEAVES).enumerate() {
            let (before, left) = (&before[class], &codes.left[class]);
            let (passed, behind) = (passed[class], totals[class].minus(passed[class]));
            for l in 0..LANES {
                let second = C::of(left[l]).minus(before[l]);
                leaves[l] = before[l];
                leaves[LANES + l] = second;
                leaves[2 * LANES + l] = passed.minus(before[l]);
                leaves[3 * LANES + l] = behind.minus(second);
            }
        }
        self.loss.all(leaves, losses);
    }
}

impl<C: Weight> Loss for AdditiveLoss<C> {
    fn leaf(&self, counts: &[f64]) -> f64 {
        let counts: Vec<C> = counts.iter().map(|&x| C::of(x)).collect();
        let mut loss = [0.0];
        self.loss.all(&counts, &mut loss);
        loss[0]
    }

    fn stumps(
        &self,
        rows: &RankedRows,
        set: &SortedSet,
        thresholds: &LaneThresholds,
        StumpDepth { is_coarse, min_rows, .. }: StumpDepth<'_>,
        memory: &mut StumpMemory,
        check: &mut dyn FnMut() -> crate::error::Result<()>,
    ) -> crate::error::Result<SideLosses> {
        let memory = memory.get::<AdditiveMemory<C>>();
        memory.codes.fill(rows, set, thresholds);
        memory.totals.clear();
        memory.totals.extend(set.counts.iter().map(|&x| C::of(x)));
        memory.leaves.clear();
        memory.leaves.resize(LEAVES * rows.classes, C::default());
        memory.before.clear();
        memory.before.resize(rows.classes, [C::default(); LANES]);
        memory.passed.clear();
        memory.passed.resize(rows.classes, C::default());
        // No row passed: the second leaves are the sides.
        let mut losses = [0.0; LEAVES];
        self.at_place(memory, &mut losses);
        let mut leaf = [[0.0; LANES]; 2];
        for l in 0..LANES {
            leaf[0][l] = losses[LANES + l];
            leaf[1][l] = losses[3 * LANES + l];
        }
        let mut found = SideLosses { leaf, reached: leaf, bound: leaf, free: leaf };
        for column in set.columns.iter().filter(|column| column.buckets > 1) {
            memory.before.fill([C::default(); LANES]);
            memory.passed.fill(C::default());
            let is_coarse = is_coarse && !column.exact;
            let mark = if is_coarse { BUCKET } else { mark_to_score(min_rows) };
            let (mut rows_before, mut rows_passed) = ([0_u32; LANES], 0);
            // Of the part before the last place.
            let mut first = [[0.0; LANES]; 2];
            for (&row, &marks) in column.order.iter().zip(&column.marks) {
                let x = memory.codes.by_row[row as usize];
                let (class, code) = (usize::from(x >> 8), u32::from(x & 255));
                let (w, size) = (C::of(rows.weight(row)), rows.size(row));
                let before = &mut memory.before[class];
                for l in 0..LANES {
                    let is_left = l as u32 >= code;
                    before[l] = before[l].plus(if is_left { w } else { C::default() });
                    rows_before[l] += if is_left { size } else { 0 };
                }
                rows_passed += size;
                memory.passed[class] = memory.passed[class].plus(w);
                if marks & mark == 0 {
                    continue;
                }
                self.at_place(memory, &mut losses);
                // Whether a side has too few rows before or behind the place.
                let is_few = |side: usize, l: usize| {
                    let (before, left) = (rows_before[l], memory.codes.rows_left[l]);
                    let before = [before, rows_passed - before][side];
                    let all = [left, memory.codes.rows - left][side];
                    before < min_rows || all - before < min_rows
                };
                for side in 0..2 {
                    for l in 0..thresholds.len {
                        let (a, b) =
                            (losses[2 * side * LANES + l], losses[(2 * side + 1) * LANES + l]);
                        if min_rows <= 1 || !is_few(side, l) {
                            found.reached[side][l] = found.reached[side][l].min(a + b);
                        }
                        let bound = if is_coarse { first[side][l] + b } else { a + b };
                        found.free[side][l] = found.free[side][l].min(bound);
                        first[side][l] = a;
                    }
                }
            }
            if is_coarse {
                for side in 0..2 {
                    for l in 0..LANES {
                        found.free[side][l] = found.free[side][l].min(first[side][l]);
                    }
                }
            }
            check()?;
        }
        for side in 0..2 {
            for l in 0..LANES {
                let (reached, free) = (found.reached[side][l], &mut found.free[side][l]);
                *free = free.min(reached);
                found.bound[side][l] = if is_coarse { *free } else { reached };
            }
        }
        Ok(found)
    }

    fn is_coarse_useful(&self, set: &SortedSet, _least: f64) -> bool {
        let buckets = set.columns.iter().map(|c| c.buckets).max().unwrap_or(1);
        set.len >= 4 * buckets
    }

    fn rise(&self, moved: f64, all: f64) -> f64 {
        self.rise.of(moved, all, self.classes)
    }

    fn skips_runs(&self) -> bool {
        self.skips_runs
    }
}

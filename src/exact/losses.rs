//! The costs of leaves, for the search for optimal trees: the error in whole numbers, or any sum
//! over the leaves.
//!
//! A loss gives the best test of one column on both sides of up to [`LANES`] thresholds of another
//! column at once ([`Loss::stumps`]), which is where the search spends its time. And it says how
//! much the loss of a tree can rise when rows are added to its leaves ([`Loss::rise`]), on which
//! half of the bounds rest. The other half rests on a fact of all losses here: a leaf with fewer
//! rows of any class costs no more.

use super::ranked::RankedRows;
use super::sorted::{BUCKET, NEEDED, SortedColumn, SortedSet, mark_to_score};
use crate::criteria::{Context, Criterion, LossRise};
use crate::numeric::Count;
use crate::parallel::lock;
use crate::simd::Level;
use crate::simd::stumps::{
    BucketRows, LANES, LaneInt, Lanes, ScannedRows, SideCounts, TableMemory,
};
use crate::tree::CostMatrix;
use std::any::Any;
use std::sync::Mutex;

/// A loss for each lane: of the left sides of the thresholds, then of their right sides.
pub(super) type BothSides = [[f64; LANES]; 2];

/// Thresholds of a first test, one for each lane that is used.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaneThresholds {
    pub(super) column: usize,
    /// Rows of a rank below `ranks[lane]` are on the left. The first `len` are ascending, and the
    /// others are above all ranks.
    pub(super) ranks: [u32; LANES],
    pub(super) len: usize,
}

/// Losses and bounds of both sides of some thresholds.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideLosses {
    /// Their losses as leaves.
    pub(super) leaf: BothSides,
    /// The least loss of a test that was known and leaves enough rows on both of its sides.
    pub(super) reached: BothSides,
    /// A lower bound of the loss with one more test of that kind.
    pub(super) bound: BothSides,
    /// A lower bound of the loss with one more test that may leave any number of rows.
    pub(super) free: BothSides,
}

impl SideLosses {
    /// The losses of sides of which no second test is known yet.
    fn of_leaves(leaf: BothSides) -> Self {
        Self { leaf, reached: leaf, bound: leaf, free: leaf }
    }
}

/// Lower each loss to another one where that is less.
fn lower_to(losses: &mut BothSides, others: &BothSides) {
    for (loss, other) in losses.as_flattened_mut().iter_mut().zip(others.as_flattened()) {
        *loss = loss.min(*other);
    }
}

/// Whole losses of the lanes of both sides as real numbers.
fn as_losses<T: LaneInt>(losses: [Lanes<T>; 2]) -> BothSides {
    losses.map(|side| side.map(|loss| f64::from(loss.get())))
}

/// The side of each threshold that a row is on, for all rows.
#[derive(Debug, Default)]
pub(super) struct LaneCodes {
    /// `code | class << 8` of each row by its number; the code is the number of thresholds that are
    /// not above its value.
    pub(super) by_row: Vec<u16>,
    /// For each class and lane, the number or the weight of the rows on the left side.
    pub(super) left: Vec<[f64; LANES]>,
    /// For each lane, the number of rows on the left side; each copy of a row counts.
    pub(super) rows_left: [u32; LANES],
    /// Number of all rows with their copies.
    pub(super) rows: u32,
}

impl LaneCodes {
    /// Compute the codes of the rows of a set.
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

/// How closely the second tests of both sides are examined.
#[derive(Clone, Copy)]
pub(super) struct StumpDepth<'a> {
    /// Whether bounds from buckets will do.
    pub(super) is_coarse: bool,
    /// The fewest rows that a test must leave on each side.
    pub(super) min_rows: u32,
    /// Whether the threshold of a lane may be of use, given the losses so far, whose `free` bounds
    /// are final. If not, the losses may stand as its bounds, and tests that leave enough rows are
    /// not searched for.
    pub(super) is_open: &'a dyn Fn(&SideLosses, usize) -> bool,
}

/// A sum over the leaves of a tree.
pub(super) trait Loss: Sync {
    /// The loss of a leaf with these weights of the classes.
    fn leaf(&self, counts: &[f64]) -> f64;

    /// The losses of both sides of some thresholds of a set, as leaves and with the best second
    /// test. `memory` is reused from call to call. `check` is called after each column, and ends
    /// the scan by an error.
    fn stumps(
        &self,
        rows: &RankedRows,
        set: &SortedSet,
        thresholds: &LaneThresholds,
        how: StumpDepth<'_>,
        memory: &mut StumpMemory,
        check: &mut dyn FnMut() -> crate::error::Result<()>,
    ) -> crate::error::Result<SideLosses>;

    /// Whether a coarse scan is worth its time on a set, whose best tree so far costs `least`.
    fn is_coarse_useful(&self, set: &SortedSet, least: f64) -> bool;

    /// The most that the loss of a tree can rise when rows of weight `moved` come to it and its
    /// weight is then at most `all`; infinite if that is not known. It must never fall as `moved`
    /// grows, and be concave.
    fn rise(&self, moved: f64, all: f64) -> f64;

    /// Whether the best threshold is never inside a run of rows of one class, if leaves may have
    /// any number of rows.
    fn skips_runs(&self) -> bool;
}

/// Memory of [`Loss::stumps`], kept between calls; its type depends on the loss.
#[derive(Debug, Default)]
pub(super) struct StumpMemory(Option<Box<dyn Any + Send>>);

/// Pieces of memory of scans. Each worker takes one and gives it back.
#[derive(Default)]
pub(super) struct Pool(Mutex<Vec<StumpMemory>>);

impl Pool {
    /// Use a piece of memory, a new one if all are in use. The memory is given back afterwards, so
    /// at most as many pieces exist as threads work at the same time.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut StumpMemory) -> R) -> R {
        let mut memory = lock(&self.0).pop().unwrap_or_default();
        let result = work(&mut memory);
        lock(&self.0).push(memory);
        result
    }
}

impl StumpMemory {
    /// The memory of a kind. It is empty on first use, and if another kind was kept.
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
    /// The vector instructions of this machine.
    level: Level,
    lanes: std::marker::PhantomData<T>,
}

/// Memory of [`ErrorLoss`].
#[derive(Debug, Default)]
pub(super) struct ErrorMemory<T> {
    codes: LaneCodes,
    /// For each class, the weight on the left side of each lane, and on both sides.
    left: Vec<Lanes<T>>,
    totals: Vec<T>,
    /// Memory of scans of rows, and of tables of buckets.
    scan: Vec<[Lanes<T>; 2]>,
    table: TableMemory<T>,
    /// Codes and weights of the rows in the order of the first column, as tables read them.
    in_order: Vec<u8>,
    weights: Vec<u32>,
}

impl<T: LaneInt> ErrorLoss<T> {
    /// The error of rows with whole weights whose sum is at most the `MOST` of the type. The caller
    /// has checked this limit, as larger sums would overflow the lanes.
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
        left.extend(codes.left.iter().map(|lanes| lanes.map(|x| T::from_i32(x as i32))));
        totals.clear();
        totals.extend(set.counts.iter().map(|&x| T::from_i32(x as i32)));
        // Whole weights are copies, so their sums are numbers of rows.
        let sides = SideCounts { left, totals, least: T::from_i32(min_rows as i32) };
        let leaf_losses = |count: &dyn Fn(usize, usize) -> f64| {
            std::array::from_fn(|l| {
                let counts = (0..rows.classes).map(|class| count(class, l));
                let (sum, most) =
                    counts.fold((0.0, 0.0), |(sum, most), x| (sum + x, f64::max(most, x)));
                sum - most
            })
        };
        let mut known = SideLosses::of_leaves([
            leaf_losses(&|class, l| codes.left[class][l]),
            leaf_losses(&|class, l| set.counts[class] - codes.left[class][l]),
        ]);
        in_order.clear();
        // Where leaves need several rows, the scans of tests that leave enough rows run later, if
        // they may be of use. Each comes with the losses of tests that leave any number.
        let (mark, mut limited_scans) = (mark_to_score(min_rows), Vec::new());
        // Whether the scan of the column before has covered this one, which is its twin.
        let mut is_covered = false;
        for (index, column) in set.columns.iter().enumerate() {
            if std::mem::take(&mut is_covered) || column.buckets < 2 {
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
            // A table of buckets takes about 20 steps per cell, and a scan of the rows 2 per row
            // with two classes, 10 with more. A table of exact buckets that is shorter is
            // preferred.
            let cells = column.buckets * rows.classes;
            let steps_per_row = if rows.classes == 2 { 2 } else { 10 };
            let is_short = column.exact && 20 * cells <= steps_per_row * set.len;
            if (is_coarse && !column.exact || is_short) && cells <= usize::from(u16::MAX) {
                if in_order.is_empty() {
                    let order = &set.columns[0].order;
                    in_order.extend(order.iter().map(|&row| codes.by_row[row as usize] as u8));
                    if !self.weights.is_empty() {
                        weights.clear();
                        weights.extend(order.iter().map(|&row| self.weights[row as usize]));
                    }
                }
                let keys = set.bucket_keys(rows, index);
                let rows = BucketRows {
                    keys: &keys.keys,
                    codes: in_order,
                    weights,
                    totals: &keys.totals,
                    exact: column.exact,
                };
                let [reached, free] = T::table(self.level, &rows, &sides, table).map(as_losses);
                lower_to(&mut known.reached, &reached);
                lower_to(&mut known.free, &free);
                if column.exact && min_rows > 1 {
                    limited_scans.push((scanned(mark, 0), free));
                } else {
                    lower_to(&mut known.bound, if column.exact { &reached } else { &free });
                }
            } else {
                is_covered = rows.classes == 2 && rows.has_twin(index) && column.has_missing;
                let missing = if is_covered { column.rows_below(1) } else { 0 };
                let any_rows = SideCounts { least: T::from_i32(1), ..sides };
                let free =
                    as_losses(T::scan(self.level, &scanned(NEEDED, missing), &any_rows, scan));
                lower_to(&mut known.free, &free);
                if min_rows > 1 {
                    limited_scans.push((scanned(mark, missing), free));
                } else {
                    lower_to(&mut known.reached, &free);
                    lower_to(&mut known.bound, &free);
                }
            }
            check()?;
        }
        let mut open = [false; LANES];
        if min_rows > 1 {
            (0..thresholds.len).for_each(|l| open[l] = is_open(&known, l));
        }
        for (rows, free) in limited_scans {
            let may_be_less =
                |side: usize, l: usize| open[l] && free[side][l] < known.reached[side][l];
            if (0..2).any(|side| (0..LANES).any(|l| may_be_less(side, l))) {
                let reached = as_losses(T::scan(self.level, &rows, &sides, scan));
                lower_to(&mut known.reached, &reached);
                lower_to(&mut known.bound, &reached);
                check()?;
            }
        }
        if min_rows > 1 {
            // In columns that were not scanned again, no test costs less than what was reached.
            for side in 0..2 {
                for l in 0..LANES {
                    let least = if open[l] { &known.reached } else { &known.free };
                    known.bound[side][l] = known.bound[side][l].min(least[side][l]);
                }
            }
        }
        Ok(known)
    }

    fn is_coarse_useful(&self, set: &SortedSet, least: f64) -> bool {
        let buckets = set.columns.iter().map(|c| c.buckets).max().unwrap_or(1) as f64;
        let n = set.len as f64;
        // A table must have clearly fewer cells than the set has rows. And its bounds may miss
        // about the rows of one bucket: beside a tree with few errors they would close nothing.
        n >= 6.0 * buckets * set.counts.len() as f64 && least * buckets >= 16.0 * n
    }

    fn rise(&self, moved: f64, _all: f64) -> f64 {
        moved
    }

    fn skips_runs(&self) -> bool {
        true
    }
}

/// The type in which the weights of the classes are summed: whole or real numbers.
pub(super) trait Weight: Count {
    /// A weight in this type.
    fn from_weight(weight: f64) -> Self;
}

impl Weight for u32 {
    #[inline]
    fn from_weight(weight: f64) -> Self {
        weight as Self
    }
}

impl Weight for f64 {
    #[inline]
    fn from_weight(weight: f64) -> Self {
        weight
    }
}

/// How the loss of a leaf follows from the weights of its classes.
#[derive(Debug)]
pub(super) enum LeafLoss {
    /// The loss that the criterion of growth gives a leaf.
    Of(Box<dyn Criterion>, Context),
    /// The cost of the label that costs least.
    Costs(CostMatrix),
    /// The list of [`super::Objective::leaf_losses`], and the length of its lines: the number of
    /// rows of the second class + 1.
    Listed(Vec<f64>, usize),
}

impl LeafLoss {
    /// Write the losses of `out.len()` leaves, whose counts are `counts[class * out.len() + leaf]`.
    fn write_losses<C: Count>(&self, counts: &[C], out: &mut [f64]) {
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
                            counts[class * n + leaf].value() * costs.row_cost(class, label as i32)
                        });
                        each.sum::<f64>()
                    };
                    *out = (0..classes).map(cost).fold(f64::INFINITY, f64::min);
                }
            }
        }
    }
}

/// Any sum over the leaves, from weights of type `C`.
#[derive(Debug)]
pub(super) struct AdditiveLoss<C> {
    pub(super) loss: LeafLoss,
    /// How [`Loss::rise`] follows from the weight that came.
    pub(super) rise: LossRise,
    /// Number of declared classes.
    pub(super) classes: usize,
    /// [`Loss::skips_runs`].
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
    /// All rows of the set, by class.
    totals: Vec<C>,
    /// Counts of the leaves of a place, by class.
    leaves: Vec<C>,
}

/// Leaves that one second test makes of all lanes: left and right of it, of the left and of the
/// right side of each threshold.
const LEAVES: usize = 4 * LANES;

impl<C: Weight> AdditiveLoss<C> {
    /// Write the losses of the four leaves that a second test at a place makes of each lane. In
    /// `losses`, each leaf has a block of lanes: first the rows of the left side before the place
    /// and behind it, then the rows of the right side.
    fn write_losses_at_place(&self, memory: &mut AdditiveMemory<C>, losses: &mut [f64; LEAVES]) {
        let AdditiveMemory { codes, before, passed, totals, leaves } = memory;
        for (class, leaves) in leaves.chunks_exact_mut(LEAVES).enumerate() {
            let (before, left) = (&before[class], &codes.left[class]);
            let (passed, behind) = (passed[class], totals[class].minus(passed[class]));
            for l in 0..LANES {
                let second = C::from_weight(left[l]).minus(before[l]);
                leaves[l] = before[l];
                leaves[LANES + l] = second;
                leaves[2 * LANES + l] = passed.minus(before[l]);
                leaves[3 * LANES + l] = behind.minus(second);
            }
        }
        self.loss.write_losses(leaves, losses);
    }

    /// Lower the losses of both sides of each lane to the losses with the best test of one column.
    /// `is_coarse` scans the ends of its buckets alone, `min_rows` is the fewest rows of a leaf,
    /// and `lanes` the number of lanes that hold a threshold.
    fn scan_column(
        &self,
        rows: &RankedRows,
        column: &SortedColumn,
        (is_coarse, min_rows, lanes): (bool, u32, usize),
        memory: &mut AdditiveMemory<C>,
        known: &mut SideLosses,
    ) {
        memory.before.fill([C::default(); LANES]);
        memory.passed.fill(C::default());
        let is_coarse = is_coarse && !column.exact;
        let mark = if is_coarse { BUCKET } else { mark_to_score(min_rows) };
        let (mut rows_before, mut rows_passed) = ([0_u32; LANES], 0);
        // Losses of the rows before the last place that was scored.
        let (mut losses, mut loss_before) = ([0.0; LEAVES], [[0.0; LANES]; 2]);
        for (&row, &marks) in column.order.iter().zip(&column.marks) {
            let code_and_class = memory.codes.by_row[row as usize];
            let class = usize::from(code_and_class >> 8);
            let code = u32::from(code_and_class & 255);
            let (weight, size) = (C::from_weight(rows.weight(row)), rows.size(row));
            let before = &mut memory.before[class];
            for l in 0..LANES {
                let is_left = l as u32 >= code;
                before[l] = before[l].plus(if is_left { weight } else { C::default() });
                rows_before[l] += if is_left { size } else { 0 };
            }
            rows_passed += size;
            memory.passed[class] = memory.passed[class].plus(weight);
            if marks & mark == 0 {
                continue;
            }
            self.write_losses_at_place(memory, &mut losses);
            // Whether the test leaves too few rows before or behind the place.
            let leaves_too_few = |side: usize, l: usize| {
                let (before, left) = (rows_before[l], memory.codes.rows_left[l]);
                let before = [before, rows_passed - before][side];
                let all = [left, memory.codes.rows - left][side];
                before < min_rows || all - before < min_rows
            };
            for side in 0..2 {
                for l in 0..lanes {
                    let before = losses[2 * side * LANES + l];
                    let behind = losses[(2 * side + 1) * LANES + l];
                    if min_rows <= 1 || !leaves_too_few(side, l) {
                        known.reached[side][l] = known.reached[side][l].min(before + behind);
                    }
                    // A test inside the bucket that ends here leaves at least the rows before the
                    // bucket on its left, and at least the rows behind it on its right.
                    let before_bucket = if is_coarse { loss_before[side][l] } else { before };
                    known.free[side][l] = known.free[side][l].min(before_bucket + behind);
                    loss_before[side][l] = before;
                }
            }
        }
        if is_coarse {
            lower_to(&mut known.free, &loss_before);
        }
    }
}

impl<C: Weight> Loss for AdditiveLoss<C> {
    fn leaf(&self, counts: &[f64]) -> f64 {
        let counts: Vec<C> = counts.iter().map(|&x| C::from_weight(x)).collect();
        let mut loss = [0.0];
        self.loss.write_losses(&counts, &mut loss);
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
        memory.totals.extend(set.counts.iter().map(|&x| C::from_weight(x)));
        memory.leaves.clear();
        memory.leaves.resize(LEAVES * rows.classes, C::default());
        memory.before.clear();
        memory.before.resize(rows.classes, [C::default(); LANES]);
        memory.passed.clear();
        memory.passed.resize(rows.classes, C::default());
        // Before the first row no row has passed, so the leaves behind the place are the sides.
        let mut losses = [0.0; LEAVES];
        self.write_losses_at_place(memory, &mut losses);
        let mut known = SideLosses::of_leaves(
            [LANES, 3 * LANES].map(|first| std::array::from_fn(|l| losses[first + l])),
        );
        for column in set.columns.iter().filter(|column| column.buckets > 1) {
            self.scan_column(
                rows,
                column,
                (is_coarse, min_rows, thresholds.len),
                memory,
                &mut known,
            );
            check()?;
        }
        lower_to(&mut known.free, &known.reached);
        known.bound = if is_coarse { known.free } else { known.reached };
        Ok(known)
    }

    fn is_coarse_useful(&self, set: &SortedSet, _least: f64) -> bool {
        let buckets = set.columns.iter().map(|c| c.buckets).max().unwrap_or(1);
        set.len >= 4 * buckets
    }

    fn rise(&self, moved: f64, all: f64) -> f64 {
        self.rise.bound(moved, all, self.classes)
    }

    fn skips_runs(&self) -> bool {
        self.skips_runs
    }
}

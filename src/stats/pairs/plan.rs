//! The plan: which pass finds the pairs of some rows, and every number that decides it.
//!
//! All passes find the same whole sums, so a wrong choice costs time, never a bit.
//!
//! | pass                      | chosen by                  | measured                          |
//! |---------------------------|----------------------------|-----------------------------------|
//! | double loop, `naive`      | [`is_few`]                 | a third of the tiles' time [1]    |
//! | double loop, `node`       | [`is_small`]               | even at 64 rows [1]               |
//! | transform, `dense`        | [`transform_pays`]         | 1/40 of the tiles' time [2]       |
//! | exact tiles, `exact`      | what is left to count      | 2.3, 9.6, 14.4 times BLAS [3]     |
//! | sums of weights, `weigh`  | not [`counting_pays`]      | 3.5 and 9.8 times BLAS [3]        |
//! | sums instead of counts    | [`is_one_setting_cheaper`] | 2,000 x 5,000 in 1.6 s [4]        |
//! | pairs of folds, `blocks`  | [`folds_fit`]              | 10 folds in 1.6 to 3.1 passes [5] |
//! | counts kept between trees | [`KEPT_BYTES`]             | 1,000 settings in 1.1 passes [5]  |
//!
//! [1] `score_features` and `pair_counts` of 38 to 80 rows and 30 features. [2] `pair_counts` of 12
//! binary features and 50,000 rows. [3] `benches/pairs_side_by_side.py`: kr-vs-kp, mushroom and
//! letter in size. [4] `benches/pair_trees_wide.py`. [5] `benches/pair_trees.py`.
//!
//! What did not pay is gone: a child's counts as its parent's less those of its siblings gained 1.1
//! on kr-vs-kp and lost as much on mushroom; elsewhere it was never chosen.

use super::counts::{Classes, PairCounts};
use super::dense;
use super::input::{CodeTable, SlotRows};
use super::scan::{CHUNK, Chunk, common};
use super::window;
use crate::memory::Budget;
use crate::simd::{Kernels, LONGEST_WINDOW, Schedule, cold_planes};
use std::ops::Range;

/// Most pairs that are found by a double loop.
const FEW: usize = SMALL_NODE * SMALL_NODE;
/// Most distinct rows of a node that are counted by a double loop into its profile.
pub(super) const SMALL_NODE: usize = 64;
/// Up to this weight, its cube fits 32 bits.
const SMALL_NODE_WEIGHT: u64 = 1600;
/// Cells beyond which the table of the transform is not made.
const MOST_CELLS: usize = 1 << 23;
/// Fewer pairs are not worth estimating what counting them costs.
const WORTH_A_GUESS: usize = 1 << 20;
/// Larger tables of counts (bytes) leave the second-level cache for the sake of one setting.
const CACHED: usize = 16 << 20;
/// Distances that have counters where memory is short.
const SHORT_WINDOW: usize = 4;
/// Rows of a sample that estimates distances; as many columns.
const SAMPLE: usize = 64;
/// Rows whose values are looked at.
const ROWS: usize = 1024;
/// More features than this have so many distances that a single setting is cheaper to weigh than to
/// count.
const MANY_FEATURES: usize = 64;
/// Most counters of a node that trees of one cross-validation or sweep share; more are never made
/// where sums do as well.
const SHARED_COUNTERS: usize = 1 << 23;
/// With fewer rows a fold's own pass costs nothing.
const FOLDS_FROM: usize = 600;
/// Most counters that the pairs of folds may take together.
const FOLD_COUNTERS: usize = 1 << 25;
/// Bytes of counts that trees on the same rows keep for each other.
pub const KEPT_BYTES: usize = 256 << 20;

/// Whether a double loop finds the pairs.
pub(super) fn is_few(columns: &SlotRows, active: &SlotRows) -> bool {
    columns.len() * active.len() <= FEW
}

/// Whether a double loop fills the profile of a node.
pub(super) fn is_small(rows: &SlotRows) -> bool {
    rows.len() <= SMALL_NODE && rows.total() <= SMALL_NODE_WEIGHT
}

/// Whether all pairs of some rows are found by the transform of [`super::dense`]: it is likely to
/// cost less than half of the pass.
pub(super) fn transform_pays(rows: &SlotRows) -> bool {
    let Some(cells) = dense::cells(rows) else { return false };
    let work = 50usize
        .saturating_mul(rows.starts.len())
        .saturating_mul(cells)
        .saturating_mul(rows.features + 1);
    cells <= MOST_CELLS && work < rows.len().saturating_mul(rows.len())
}

/// Whether the sums of one setting cost less than counts by distance for `values` values of
/// `features` features: always where counts are large, and where no other tree shares them from
/// many features on.
pub fn is_one_setting_cheaper(
    features: usize,
    values: usize,
    classes: usize,
    shared: bool,
) -> bool {
    let counters = values.saturating_mul(classes).saturating_mul(4 * (features + 1));
    features > MANY_FEATURES && (!shared || counters > SHARED_COUNTERS)
}

/// Whether the training sets of folds that divide `rows` rows may share their counts.
pub fn folds_share(rows: usize) -> bool {
    rows >= FOLDS_FROM
}

/// Whether the counts (`cells` numbers each) of all pairs of folds fit the memory meant for
/// them.
pub fn folds_fit(folds: usize, cells: usize) -> bool {
    (folds * (folds + 1) / 2).saturating_mul(cells) <= FOLD_COUNTERS
}

/// Whether counting pairs by distance is cheaper than adding their weights, which takes `additions`
/// for a column and row.
///
/// In units of one decoding and carry-save addition on a vector. Counting gains where few distances
/// occur and features have many values (what it does goes with the pairs that agree), weighing
/// where distances are many. The numbers are rough and hold within a fifth on every level of
/// instructions.
pub(super) fn counting_pays(
    columns: &SlotRows,
    active: &SlotRows,
    words: usize,
    additions: impl Fn() -> f64,
) -> bool {
    let own = std::ptr::eq(columns, active);
    if own && transform_pays(active) {
        return true;
    }
    let classes = active.starts.len() - 1;
    let counts = PairCounts::bytes(&active.offsets, classes);
    if columns.len().saturating_mul(active.len()) < WORTH_A_GUESS || counts > CACHED {
        return false;
    }
    // distances of all pairs are made for each of both orders
    let orders = if own { 2.0 } else { 1.0 };
    let n = active.features as f64;
    let steps = steps(active);
    let pairs = sample(columns, active, own, 64 * words);
    let runs = if own { classes as f64 / 2.0 + 1.0 } else { classes as f64 };
    let flushes = 30.0 * runs * f64::from(active.offsets[active.features]);
    let (_, cost) = window::cheapest(
        &pairs,
        active.len() as f64,
        steps + orders - 1.0,
        flushes,
        (words, LONGEST_WINDOW),
    );
    let counting = cost / active.len() as f64 + 1.2 * steps + n * (0.6 + 1.1 * orders);
    let weighing = 13.5 * (additions() + 1.0);
    counting < weighing
}

/// How the pass of [`super::exact`] is cut, and what it takes: a limit makes the cuts finer.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountPlan {
    /// Shares of the columns, each with counts and a worker of its own.
    pub shares: usize,
    /// Tiles of active rows that are scheduled at a time.
    pub tiles: usize,
    /// Most distances that have counters.
    pub longest: usize,
    /// Bytes that it takes at most.
    pub bytes: usize,
}

/// What decides how much a pass takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PassShape {
    /// Words of a vector, and whether counters are read by bytes.
    pub kernels: Kernels,
    pub features: usize,
    pub slots: usize,
    /// Classes that are told apart, and of all rows.
    pub classes: [usize; 2],
    /// Distinct rows as columns, and as active rows.
    pub rows: [usize; 2],
    /// Bits of the largest weight.
    pub bits: usize,
    /// Rows that a feature listens to and steps, a row and feature each.
    pub heard: f64,
    pub steps: f64,
}

impl PassShape {
    /// Of gathered rows.
    pub fn new(kernels: Kernels, columns: &SlotRows, active: &SlotRows, classes: Classes) -> Self {
        let all = active.starts.len() - 1;
        let top = active.weights.iter().fold(0, |a, &w| a | w);
        Self {
            kernels,
            features: active.features,
            slots: active.offsets[active.features] as usize,
            classes: [classes.kept(all), all],
            rows: [columns.len(), active.len()],
            bits: (32 - top.leading_zeros()) as usize,
            heard: heard(active),
            steps: steps(active) - 1.0,
        }
    }

    /// Of rows of which no more is known than their number: each feature listens to every row.
    pub fn of_rows(
        kernels: Kernels,
        rows: usize,
        features: usize,
        slots: usize,
        all: usize,
    ) -> Self {
        let (heard, steps) = (features as f64, features as f64 / 2.0);
        let (classes, rows) = ([all, all], [rows, rows]);
        Self { kernels, features, slots, classes, rows, bits: 1, heard, steps }
    }

    /// Bytes of one table of counts.
    fn table(&self) -> usize {
        let cells = self.slots.saturating_mul(self.classes[0]);
        cells.saturating_mul(32 * (self.features + 1))
    }

    /// Bytes of the schedules of `tiles` tiles of active rows.
    fn scan(&self, tiles: usize) -> usize {
        let rows = (tiles * 64 * self.kernels.words()).min(self.rows[1]);
        let each = 8.0 + 4.0 * self.features as f64 + 4.0 * self.heard + 2.0 * self.steps;
        let chunks = rows.div_ceil(CHUNK) + tiles.min(self.rows[1]);
        let one = size_of::<Chunk>() + self.features * (size_of::<Schedule>() + 8);
        self.bits * ((rows as f64 * each) as usize + chunks * one)
    }

    /// Bytes of one worker.
    fn worker(&self, longest: usize) -> usize {
        let (w, n, d) = (self.kernels.words(), self.features, self.features + 1);
        let planes = (usize::BITS - longest.leading_zeros()) as usize;
        let depth = (usize::BITS - self.rows[1].min(1 << 16).leading_zeros()).max(4) as usize;
        let bytes = if self.kernels.has_byte_masks() { 8 * self.slots * w } else { 0 };
        let counters = (n + 1) * longest * (4 + cold_planes(depth)) * w;
        let spans = if self.classes[0] == self.classes[1] { self.classes[1].min(w) } else { 1 };
        let words = 2 * self.slots * w + bytes + counters + CHUNK * (planes + 1) * w;
        8 * (words + 2 * self.slots * spans * longest) + 2 * d * 64 * w * 4 + 64 * w * 8
    }

    /// Bytes of a pass that is cut like this.
    fn bytes(&self, shares: usize, tiles: usize, longest: usize) -> usize {
        let tables = if shares == 1 { 1 } else { shares + 1 };
        let words = self.rows[0].div_ceil(64) + self.rows[1].div_ceil(64);
        tables
            .saturating_mul(self.table())
            .saturating_add(self.scan(tiles))
            .saturating_add(shares.saturating_mul(self.worker(longest)))
            .saturating_add(40 * words + 8 * self.features + 4 * self.slots)
    }

    /// Distances that have counters at least.
    fn shortest(&self) -> usize {
        (self.features + 1).min(SHORT_WINDOW)
    }

    /// The least that a pass takes; a double loop takes the table alone.
    pub fn least(&self) -> usize {
        match self.rows[0].saturating_mul(self.rows[1]) <= FEW {
            true => self.table(),
            false => self.bytes(1, 1, self.shortest()),
        }
    }

    /// The least that is taken once the active rows are gathered: by a pass over their own pairs,
    /// or by gathering `columns` rows and a pass over the pairs with these.
    pub fn with_columns(self, columns: Option<usize>) -> usize {
        columns.map_or_else(
            || self.least(),
            |n| SlotRows::need(n, self.features, Self { rows: [n, self.rows[1]], ..self }.least()),
        )
    }
}

impl CodeTable<'_> {
    /// The pass over `rows` rows of which no more is known.
    pub(super) fn shape(&self, kernels: Kernels, rows: usize) -> PassShape {
        let slots = self.columns.iter().map(|c| c.levels).sum();
        PassShape::of_rows(kernels, rows, self.columns.len(), slots, self.n_classes)
    }
}

impl CountPlan {
    /// The fastest that the budget allows; where even the least does not fit, the least.
    pub fn new(shape: &PassShape, threads: usize, budget: Budget) -> Self {
        let tiles = shape.rows[1].div_ceil(64 * shape.kernels.words()) + shape.classes[1];
        let columns = shape.rows[0].div_ceil(64 * shape.kernels.words()).max(1);
        let shares = if threads == 1 { 1 } else { columns.min(threads * 3) };
        let longest = (shape.features + 1).min(LONGEST_WINDOW);
        let mut plan = Self { shares, tiles, longest, bytes: 0 };
        loop {
            plan.bytes = shape.bytes(plan.shares, plan.tiles, plan.longest);
            if budget.has(plan.bytes) {
                return plan;
            }
            if plan.tiles > 16 {
                plan.tiles = plan.tiles.div_ceil(2);
            } else if plan.shares > 1 {
                plan.shares /= 2;
            } else if plan.longest > shape.shortest() {
                plan.longest = (plan.longest / 2).max(shape.shortest());
            } else if plan.tiles > 1 {
                plan.tiles /= 2;
            } else {
                return plan;
            }
        }
    }
}

/// Rows that the features of a row listen to, summed over features.
fn heard(active: &SlotRows) -> f64 {
    let mut of_slot = vec![0u32; active.offsets[active.features] as usize];
    active.slots.iter().for_each(|&slot| of_slot[slot as usize] += 1);
    let rows = active.len().max(1) as f64;
    let of_feature = |(o, common): (&[u32], Option<u32>)| match common {
        None => 1.0,
        Some(common) => {
            let others = 1.0 - f64::from(of_slot[common as usize]) / rows;
            if o[1] - o[0] == 2 { others } else { 2.0 * others }
        }
    };
    active.offsets.windows(2).zip(common(active)).map(of_feature).sum()
}

/// Some of `rows` rows, evenly spaced.
fn spaced(rows: usize, most: usize) -> impl Iterator<Item = usize> + Clone {
    let some = rows.min(most);
    (0..some).map(move |i| i * rows / some)
}

/// Steps a row, summed over features, and one: in a chunk, the largest share of a value that is not
/// the common one, and its excess by chance.
fn steps(active: &SlotRows) -> f64 {
    let mut of_slot = vec![0u32; active.offsets[active.features] as usize];
    let rows = spaced(active.len(), ROWS);
    rows.clone().for_each(|i| active.row(i).iter().for_each(|&slot| of_slot[slot as usize] += 1));
    let all = f64::from(rows.count() as u32);
    let common = common(active);
    let of_feature = |(slots, common): (Range<u32>, &Option<u32>)| {
        let count = |slot: u32| f64::from(of_slot[slot as usize]) / all;
        let share = match common {
            Some(common) => 1.0 - count(*common),
            None => slots.map(count).fold(0.0, f64::max),
        };
        share + 1.3 * (share * (1.0 - share) / CHUNK as f64).sqrt()
    };
    let slots = active.offsets.windows(2).map(|o| o[0]..o[1]);
    1.0 + slots.zip(&common).map(of_feature).sum::<f64>()
}

/// Pairs of all active rows with `width` columns by distance, estimated.
fn sample(columns: &SlotRows, active: &SlotRows, own: bool, width: usize) -> Vec<f64> {
    let mut pairs = vec![0.0; active.features + 1];
    let mut seen = 0.0;
    for i in spaced(columns.len(), SAMPLE) {
        for j in spaced(active.len(), SAMPLE).filter(|j| !(own && *j == i)) {
            let different =
                columns.row(i).iter().zip(active.row(j)).filter(|(a, b)| a != b).count();
            pairs[different] += 1.0;
            seen += 1.0;
        }
    }
    let scale = (width * active.len()) as f64 / f64::max(seen, 1.0);
    pairs.iter_mut().for_each(|p| *p *= scale);
    pairs
}

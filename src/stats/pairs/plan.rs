//! Chooses the method that counts the pairs of given rows, and holds every constant that decides
//! it.
//!
//! All methods give the same integers, so a poor choice costs time, never accuracy.
//!
//! | method                    | chosen by                  | measured                          |
//! |---------------------------|----------------------------|-----------------------------------|
//! | double loop, `naive`      | [`is_few`]                 | a third of the tiles' time [1]    |
//! | node profile, `naive`     | [`is_small`]               | even at 64 rows [1]               |
//! | transform, `dense`        | [`transform_pays`]         | 1/40 of the tiles' time [2]       |
//! | exact tiles, `exact`      | all other counts           | 2.3, 9.6, 14.4 times BLAS [3]     |
//! | sums of weights, `weigh`  | not [`counting_pays`]      | 3.5 and 9.8 times BLAS [3]        |
//! | sums instead of counts    | [`is_one_setting_cheaper`] | 2,000 x 5,000 in 1.6 s [4]        |
//! | pairs of folds, `blocks`  | [`folds_fit`]              | 10 folds in 1.6 to 3.1 passes [5] |
//! | counts kept between trees | [`KEPT_BYTES`]             | 1,000 settings in 1.1 passes [5]  |
//!
//! [1] `score_features` and `pair_counts` of 38 to 80 rows and 30 features. [2] `pair_counts` of 12
//! binary features and 50,000 rows. [3] `benches/pairs_side_by_side.py`: kr-vs-kp, mushroom and
//! letter in size. [4] `benches/pair_trees_wide.py`. [5] `benches/pair_trees.py`.
//!
//! Tried and removed: the counts of a child as the counts of its parent less the counts of its
//! siblings. This gained a factor of 1.1 on kr-vs-kp, lost as much on mushroom, and was never
//! chosen elsewhere.

use super::counts::{Classes, PairCounts};
use super::dense;
use super::input::{CodeTable, SlotRows};
use super::scan::{CHUNK, Chunk, SlotSizes};
use super::window::{WindowCosts, sample, spaced};
use crate::memory::Budget;
use crate::simd::{Kernels, LONGEST_WINDOW, Schedule, cold_planes};
use std::ops::Range;

/// Most pairs that are counted by a double loop.
const FEW_PAIRS: usize = SMALL_NODE * SMALL_NODE;
/// Most distinct rows of a node that are counted by a double loop into its profile.
pub(super) const SMALL_NODE: usize = 64;
/// Most weight of such a node: its cube fits 32 bits.
const SMALL_NODE_WEIGHT: u64 = 1600;
/// Most cells of the table of the transform.
const MOST_CELLS: usize = 1 << 23;
/// With fewer pairs than this the cost of counting is not worth estimating.
const ESTIMATE_FROM: usize = 1 << 20;
/// Most bytes of a table of counts that is filled for one setting: larger ones do not fit the
/// caches.
const CACHED: usize = 16 << 20;
/// Distances that have counters at least, where memory is short.
const SHORT_WINDOW: usize = 4;
/// Rows in the sample that estimates the frequencies of values.
const SAMPLED_VALUES: usize = 1024;
/// With more features than this, and hence more distances, a single setting is cheaper to weigh
/// than to count.
const MANY_FEATURES: usize = 64;
/// Most counters of a node that are shared by the trees of a cross-validation or sweep; beyond this
/// sums are used where they suffice.
const SHARED_COUNTERS: usize = 1 << 23;
/// Fewest rows for which folds share counts; with fewer a pass per fold is cheap.
const FOLDS_FROM: usize = 600;
/// Most counters of all pairs of folds together.
const FOLD_COUNTERS: usize = 1 << 25;
/// Most bytes of counts that are kept for other trees on the same rows.
pub const KEPT_BYTES: usize = 256 << 20;

/// Whether the pairs are counted by a double loop.
pub(super) fn is_few(columns: &SlotRows, active: &SlotRows) -> bool {
    columns.len() * active.len() <= FEW_PAIRS
}

/// Whether the profile of a node is counted by a double loop.
pub(super) fn is_small(rows: &SlotRows) -> bool {
    rows.len() <= SMALL_NODE && rows.total() <= SMALL_NODE_WEIGHT
}

/// Whether all pairs of the rows are counted by the transform of [`super::dense`]: where it is
/// estimated to take less than half the time of the exact pass. The factor 50 is measured.
pub(super) fn transform_pays(rows: &SlotRows) -> bool {
    let Some(cells) = dense::cells(rows) else { return false };
    let work = 50usize
        .saturating_mul(rows.starts.len())
        .saturating_mul(cells)
        .saturating_mul(rows.features + 1);
    cells <= MOST_CELLS && work < rows.len().saturating_mul(rows.len())
}

/// Whether the sums of one setting are cheaper than counts by distance, for `features` features
/// with `values` values together. With many features they are, unless the counts are small enough
/// to be `shared` with other trees.
pub fn is_one_setting_cheaper(
    features: usize,
    values: usize,
    classes: usize,
    shared: bool,
) -> bool {
    let counters = values.saturating_mul(classes).saturating_mul(4 * (features + 1));
    features > MANY_FEATURES && (!shared || counters > SHARED_COUNTERS)
}

/// Whether the folds of a cross-validation of `rows` rows may share their counts. With few rows,
/// counting each fold separately is cheap, and sharing would gain nothing.
pub fn folds_share(rows: usize) -> bool {
    rows >= FOLDS_FROM
}

/// Whether the counts of all pairs of folds, `cells` numbers per pair, are within the limit. With k
/// folds there are `k (k + 1) / 2` pairs.
pub fn folds_fit(folds: usize, cells: usize) -> bool {
    (folds * (folds + 1) / 2).saturating_mul(cells) <= FOLD_COUNTERS
}

/// Whether counting pairs by distance is cheaper than adding their weights, which takes `additions`
/// per column and row.
///
/// Counting is faster with few distances and features of many values, since it works on the pairs
/// that agree; weighing with many distances. Costs are in units of one decoding and carry-save
/// addition on a vector; the constants were fitted to measurements and hold within a fifth for
/// every instruction set.
pub(super) fn counting_pays(
    columns: &SlotRows,
    active: &SlotRows,
    words: usize,
    additions: impl Fn() -> f64,
) -> bool {
    let same_rows = std::ptr::eq(columns, active);
    if same_rows && transform_pays(active) {
        return true;
    }
    let classes = active.n_classes();
    let counts = PairCounts::bytes(&active.offsets, classes);
    if columns.len().saturating_mul(active.len()) < ESTIMATE_FROM || counts > CACHED {
        return false;
    }
    // Where both orders of a pair are counted at once, distances are still computed for each order.
    let orders = if same_rows { 2.0 } else { 1.0 };
    let features = active.features as f64;
    let steps = steps(active, &SlotSizes::new(active));
    let pairs = sample(columns, active, 64 * words);
    let runs = if same_rows { classes as f64 / 2.0 + 1.0 } else { classes as f64 };
    let costs = WindowCosts {
        pairs: &pairs,
        rows: active.len() as f64,
        steps: steps + orders - 1.0,
        flushes: 30.0 * runs * f64::from(active.offsets[active.features]),
        words,
        longest: LONGEST_WINDOW,
    };
    // per column vector and active row: counters, schedules, distances
    let counting =
        costs.cheapest().cost / active.len() as f64 + 1.2 * steps + features * (0.6 + 1.1 * orders);
    let weighing = 13.5 * (additions() + 1.0);
    counting < weighing
}

/// Sizes of a set of pairs of rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairShape {
    /// Distinct rows i.
    pub columns: usize,
    /// Distinct rows j.
    pub active: usize,
    pub features: usize,
    /// Values of all features together.
    pub slots: usize,
    pub classes: usize,
    /// Binary digits of the largest multiplicity of an active row.
    pub weight_bits: usize,
}

impl PairShape {
    /// Sizes of gathered rows. Rows are merged by now, so these are the sizes that the pass works
    /// on.
    pub fn new(columns: &SlotRows, active: &SlotRows) -> Self {
        Self {
            columns: columns.len(),
            active: active.len(),
            features: active.features,
            slots: active.n_slots(),
            classes: active.n_classes(),
            weight_bits: active.weight_bits() as usize,
        }
    }

    /// Sizes of all pairs of `rows` distinct rows without copies. They estimate the memory of a
    /// pass whose rows are not gathered yet.
    pub fn of_rows(rows: usize, features: usize, slots: usize, classes: usize) -> Self {
        Self { columns: rows, active: rows, features, slots, classes, weight_bits: 1 }
    }
}

/// What the memory of the exact pass depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct PassShape {
    kernels: Kernels,
    pairs: PairShape,
    /// Classes in the table of counts: all, or one if they are summed.
    counted_classes: usize,
    /// Schedule entries per active row, summed over features.
    entries: f64,
    /// Schedule steps per active row, summed over features.
    steps: f64,
}

impl PassShape {
    /// Shape of a pass over gathered rows; `sizes` has the number of active rows of each slot.
    pub fn new(
        kernels: Kernels,
        columns: &SlotRows,
        active: &SlotRows,
        classes: Classes,
        sizes: &SlotSizes,
    ) -> Self {
        let pairs = PairShape::new(columns, active);
        Self {
            kernels,
            pairs,
            counted_classes: classes.count(pairs.classes),
            entries: schedule_entries(active, sizes),
            steps: steps(active, sizes) - 1.0,
        }
    }

    /// Shape of a pass over rows whose values are unknown: every row is assumed to have an entry
    /// for every feature, and two values to share a step.
    pub fn unknown_rows(kernels: Kernels, pairs: PairShape) -> Self {
        let features = pairs.features as f64;
        let counted_classes = pairs.classes;
        Self { kernels, pairs, counted_classes, entries: features, steps: features / 2.0 }
    }

    /// This shape with another number of columns. The active rows, and with them the schedules,
    /// stay the same.
    pub fn for_columns(self, columns: usize) -> Self {
        Self { pairs: PairShape { columns, ..self.pairs }, ..self }
    }

    /// Bytes of one table of counts.
    fn table(&self) -> usize {
        let cells = self.pairs.slots.saturating_mul(self.counted_classes);
        cells.saturating_mul(32 * (self.pairs.features + 1))
    }

    /// Bytes of the schedules of `tiles` tiles of active rows ([`super::scan::PairScan`]).
    fn scan(&self, tiles: usize) -> usize {
        let PairShape { active, features, weight_bits, .. } = self.pairs;
        let rows = (tiles * 64 * self.kernels.words()).min(active);
        let per_row = 8.0 + 4.0 * features as f64 + 4.0 * self.entries + 2.0 * self.steps;
        let chunks = rows.div_ceil(CHUNK) + tiles.min(active);
        let per_chunk = size_of::<Chunk<Schedule>>() + features * (size_of::<Schedule>() + 8);
        weight_bits * ((rows as f64 * per_row) as usize + chunks * per_chunk)
    }

    /// Bytes of one [`super::tile::Worker`] with at most `longest` distances in the window.
    fn worker(&self, longest: usize) -> usize {
        let PairShape { active, features, slots, classes, .. } = self.pairs;
        let w = self.kernels.words();
        let number_planes = (usize::BITS - longest.leading_zeros()) as usize;
        let depth = (usize::BITS - active.min(1 << 16).leading_zeros()).max(4) as usize;
        let bytes = if self.kernels.has_byte_masks() { 8 * slots * w } else { 0 };
        let counters = (features + 1) * longest * (4 + cold_planes(depth)) * w;
        let spans = if self.counted_classes == classes { classes.min(w) } else { 1 };
        let words = 2 * slots * w + bytes + counters + CHUNK * (number_planes + 1) * w;
        // words and flushed sums of 8 bytes, pairs by column of 4, self-pairs of 8
        8 * (words + 2 * slots * spans * longest) + 2 * (features + 1) * 64 * w * 4 + 64 * w * 8
    }

    /// Bytes of a pass that is divided like this.
    fn bytes(&self, shares: usize, tiles: usize, longest: usize) -> usize {
        let PairShape { columns, active, features, slots, .. } = self.pairs;
        let tables = if shares == 1 { 1 } else { shares + 1 };
        let words = columns.div_ceil(64) + active.div_ceil(64);
        tables
            .saturating_mul(self.table())
            .saturating_add(self.scan(tiles))
            .saturating_add(shares.saturating_mul(self.worker(longest)))
            .saturating_add(40 * words + 8 * features + 4 * slots)
    }

    /// Fewest distances that have counters.
    fn shortest(&self) -> usize {
        (self.pairs.features + 1).min(SHORT_WINDOW)
    }

    /// Least bytes that a pass takes; a double loop takes the table alone.
    pub fn least(&self) -> usize {
        match self.pairs.columns.saturating_mul(self.pairs.active) <= FEW_PAIRS {
            true => self.table(),
            false => self.bytes(1, 1, self.shortest()),
        }
    }

    /// Least bytes that are taken after the active rows are gathered: by a pass over their own
    /// pairs, or by gathering `columns` other rows as columns and a pass over the pairs with these.
    pub fn least_with_columns(self, columns: Option<usize>) -> usize {
        match columns {
            None => self.least(),
            Some(n) => SlotRows::need(n, self.pairs.features, self.for_columns(n).least()),
        }
    }
}

impl CodeTable<'_> {
    /// Shape of a pass over the pairs of `rows` distinct rows of the table.
    pub(super) fn shape(&self, kernels: Kernels, rows: usize) -> PassShape {
        let slots = self.columns.iter().map(|c| c.levels).sum();
        let pairs = PairShape::of_rows(rows, self.columns.len(), slots, self.n_classes);
        PassShape::unknown_rows(kernels, pairs)
    }
}

/// How the exact pass ([`super::exact`]) is divided, and the memory it takes: less memory means
/// fewer shares, batches and distances.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountPlan {
    /// Shares of the columns, each with its own counts and worker.
    pub shares: usize,
    /// Tiles of active rows that are scheduled at a time.
    pub tiles: usize,
    /// Most distances that have counters.
    pub longest: usize,
    /// Most bytes that the pass takes.
    pub bytes: usize,
}

impl CountPlan {
    /// The fastest division that the budget allows; the smallest where even that does not fit.
    pub fn new(shape: &PassShape, threads: usize, budget: Budget) -> Self {
        let PairShape { columns, active, features, classes, .. } = shape.pairs;
        let rows_per_tile = 64 * shape.kernels.words();
        let tiles = active.div_ceil(rows_per_tile) + classes;
        let column_tiles = columns.div_ceil(rows_per_tile).max(1);
        let shares = if threads == 1 { 1 } else { column_tiles.min(threads * 3) };
        let longest = (features + 1).min(LONGEST_WINDOW);
        let mut plan = Self { shares, tiles, longest, bytes: 0 };
        // Save memory first where it costs the least time.
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

/// Schedule entries per active row, summed over features: without a majority value each row has
/// one; with it only rows of other values, and two unless the feature is binary, since the columns
/// of the majority value count them as well ([`super::scan`]).
fn schedule_entries(active: &SlotRows, sizes: &SlotSizes) -> f64 {
    let rows = active.len().max(1) as f64;
    let of_feature = |(o, &majority): (&[u32], &Option<u32>)| match majority {
        None => 1.0,
        Some(majority) => {
            let others = 1.0 - f64::from(sizes.rows[majority as usize]) / rows;
            if o[1] - o[0] == 2 { others } else { 2.0 * others }
        }
    };
    active.offsets.windows(2).zip(&sizes.majority).map(of_feature).sum()
}

/// Additions per active row and distance, estimated: schedule steps summed over features, plus one
/// for the counters of all rows.
///
/// A chunk takes as many steps for a feature as its most frequent value has rows there, majority
/// value excepted: the share of that value in all rows, and on average 1.3 standard deviations
/// more, being the largest of several.
fn steps(active: &SlotRows, sizes: &SlotSizes) -> f64 {
    let mut of_slot = vec![0u32; active.n_slots()];
    let rows = spaced(active.len(), SAMPLED_VALUES);
    rows.clone().for_each(|i| active.row(i).iter().for_each(|&slot| of_slot[slot as usize] += 1));
    let all = f64::from(rows.count() as u32);
    let of_feature = |(slots, majority): (Range<u32>, &Option<u32>)| {
        let share_of = |slot: u32| f64::from(of_slot[slot as usize]) / all;
        let share = match majority {
            Some(majority) => 1.0 - share_of(*majority),
            None => slots.map(share_of).fold(0.0, f64::max),
        };
        share + 1.3 * (share * (1.0 - share) / CHUNK as f64).sqrt()
    };
    let slots = active.offsets.windows(2).map(|o| o[0]..o[1]);
    1.0 + slots.zip(&sizes.majority).map(of_feature).sum::<f64>()
}

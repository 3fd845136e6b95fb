//! Vector code with run-time dispatch, and all `unsafe` code except the allocator's.
//!
//! [`Kernels`] compares rows of nominal features pair by pair, on bit planes: `stats::pairs` and
//! `stats::neighbours` call it. The public modules hold kernels for other callers, each with its
//! own text: growth (`columns`, `two_class_cuts`, `class_sums`, `running`, `short`, `small`,
//! `histogram`, `codes`, `logs`, `means`), optimal trees (`stumps`), prediction (`walk`) and
//! genotypes (`genotypes`).
//!
//! **Levels.** Each kernel is one generic function over a small vector trait (`word`). A file per
//! level implements the trait with intrinsics (`plain`: two `u64`, `baseline`: two vectors of SSE2,
//! `avx2`, `avx512`) and compiles every kernel with the target features of the level. Without
//! intrinsics the compiler makes of these loops code that is 10 to 100 times slower. The level is
//! chosen once per process ([`Level::active`]); [`Kernels::at`] forces one in tests and benches.
//! All levels give the same integers.
//!
//! **Layout.** A *tile* has as many columns as a vector has bits: `words` u64, one bit per column.
//! A column is a row of the data, as the second of a pair. A *slot* is a pair of a feature and a
//! value; `planes[slot * words ..]` has a bit for each column that has the value. The number of
//! features on which a row agrees with each column is a carry-save sum of one plane per feature:
//! about two operations per feature for all columns of the tile.
//!
//! The kernels do not check bounds; every safe method checks the lengths that its kernel relies on.
//! Tests compare every level with naive functions; only `stumps` is tested by the trees that are
//! found with it, at the level in use. The kernels do not pay for a handful of rows, because a tile
//! costs its full width.
#![allow(unsafe_code)]

mod body;
mod buffer;
pub mod class_sums;
pub mod codes;
pub mod columns;
mod eight;
pub mod genotypes;
pub mod histogram;
mod instantiate;
mod lanes;
mod layout;
mod level;
pub mod logs;
pub mod means;
mod near;
#[cfg(any(test, not(target_arch = "x86_64")))]
mod plain;
mod prefetch;
mod read;
pub mod running;
pub mod short;
pub mod small;
pub mod stumps;
mod table;
mod tally;
mod twice;
#[cfg(test)]
mod twins;
pub mod two_class_cuts;
pub mod walk;
mod weigh;
mod weigh_kernels;
mod weights;
mod wide;
mod word;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod baseline;

pub use buffer::Buffer;
use buffer::check_aligned;
pub use layout::{
    Counter, CounterState, LONGEST_WINDOW, MAX_PLANES, Schedule, SlotMasks, Slots, Window,
    cold_planes,
};
use layout::{NUMBER_PLANES, SUM_BITS, bits_of, kernel_of};
pub use level::Level;
pub use near::{RowSums, TileNumbers};
pub use prefetch::prefetch;
use table::KernelTable;
pub use weights::{
    FeatureSlots, Joint, MOST_JOINT, MOST_WEIGHED_ROWS, WEIGHT_BITS, WeighedTile, WeightTable,
};

/// Most features of one call of [`Kernels::add_distances`].
pub const WIDE_BLOCK: usize = 2047;

/// The kernels of one level: the safe interface to the table of function pointers. Each method
/// documents its kernel and checks what the kernel relies on.
#[derive(Clone, Copy)]
pub struct Kernels {
    level: Level,
    table: KernelTable,
}

impl std::fmt::Debug for Kernels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kernels({})", self.level.name())
    }
}

impl Kernels {
    /// The kernels of [`Level::active`]. Callers copy them into their workers; making them costs a
    /// match on the level, and nothing is allocated.
    pub fn active() -> Self {
        Self::at(Level::active())
    }

    /// The kernels of a level, or of the highest available below it. Tests and benches force a
    /// level with it, and everything else uses [`Kernels::active`]. On x86-64, builds without tests
    /// have no plain kernels, which took 1.1 to 1.7 times the time of SSE2: [`Level::Plain`] gives
    /// the baseline there.
    pub fn at(level: Level) -> Self {
        let level = level.min(Level::best());
        let table = match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => avx512::TABLE,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => avx2::TABLE,
            #[cfg(target_arch = "x86_64")]
            Level::Baseline => baseline::TABLE,
            // Every x86-64 processor has SSE2, so that only tests compile the plain kernels there.
            #[cfg(all(target_arch = "x86_64", not(test)))]
            Level::Plain => baseline::TABLE,
            #[cfg(any(test, not(target_arch = "x86_64")))]
            _ => plain::TABLE,
        };
        Self { level, table }
    }

    /// 64-bit words of a tile: 2 for the plain kernels, 4 for baseline and AVX2, 8 for AVX-512. A
    /// tile has 64 columns per word, and all planes, masks and counters are laid out in this unit.
    pub fn words(&self) -> usize {
        self.table.words
    }

    /// Distances between rows and the columns of a tile, as bit planes of `window.largest() + 1 -
    /// distance`.
    ///
    /// `valid` has a bit for each column in use. Plane p of row i goes to
    /// `out[(i * window.planes() + p) * words ..]`; columns outside the window get 0 there and
    /// their bit in `outside[i * words ..]`. Returns whether there is any such column.
    pub fn distances(
        &self,
        planes: &[u64],
        valid: &[u64],
        slots: &Slots,
        window: Window,
        out: &mut [u64],
        outside: &mut [u64],
    ) -> bool {
        let words = self.table.words;
        assert!(
            window.features > 0
                && window.features < 1 << (MAX_PLANES - 2)
                && slots.features == window.features
        );
        assert!(
            (1..=LONGEST_WINDOW).contains(&window.length) && window.largest() <= window.features
        );
        let rows = slots.rows();
        assert!(
            valid.len() == words
                && out.len() >= rows * window.planes() * words
                && outside.len() >= rows * words
        );
        assert!((slots.largest as usize + 1) * words <= planes.len());
        check_aligned([planes, valid, out, outside]);
        // A sum counts agreements; it needs one bit more where the window itself fills the bits,
        // because numbers of columns outside must not wrap around into it.
        let bits = bits_of(window.features);
        let bits = if window.length + 1 >= 1 << bits { bits + 1 } else { bits };
        let kernel = kernel_of(&SUM_BITS, bits);
        // SAFETY: every slot and every result lies inside its slice by the checks above, and the
        // level was detected before its table was handed out.
        unsafe { (self.table.distances[kernel])(planes, valid, &slots.slots, window, out, outside) }
    }

    /// Count the numbers (from [`Kernels::distances`]) of the rows of a schedule, each in the
    /// columns that have the row's value of one feature.
    ///
    /// A step of the schedule merges rows with different values: no column has two values of a
    /// feature, so the rows share one vector, one decoding and one carry-save addition per
    /// distance.
    pub fn tally(
        &self,
        numbers: &[u64],
        schedule: &Schedule,
        planes: &[u64],
        window: Window,
        state: CounterState<'_>,
    ) {
        let (words, depth) = (self.table.words, window.planes());
        state.check(words, window.length);
        assert!(
            schedule.rows as usize * depth * words <= numbers.len()
                && schedule.slots as usize * words <= planes.len()
        );
        check_aligned([numbers, planes, state.hot, state.cold]);
        let kernel = kernel_of(&NUMBER_PLANES, depth);
        // SAFETY: a schedule knows its largest row and slot, which lie inside the slices; so do the
        // counters.
        unsafe { (self.table.tally[kernel])(numbers, schedule, planes, window.length, state) }
    }

    /// Count the numbers (from [`Kernels::distances`]) of the first `rows` rows in all columns.
    /// This is [`Kernels::tally`] for pairs whatever their values, with one row per step and
    /// nothing to merge.
    pub fn tally_all(&self, numbers: &[u64], rows: usize, window: Window, state: CounterState<'_>) {
        let (words, depth) = (self.table.words, window.planes());
        state.check(words, window.length);
        assert!(rows * depth * words <= numbers.len());
        check_aligned([numbers, state.hot, state.cold]);
        let kernel = kernel_of(&NUMBER_PLANES, depth);
        // SAFETY: rows and counters lie inside their slices.
        unsafe { (self.table.tally_all[kernel])(numbers, rows, window.length, state) }
    }

    /// Whether [`Self::byte_masks`] makes masks at this level: eight words for each word of
    /// `planes`. Plans of memory ask it before the planes are there.
    pub fn has_byte_masks(&self) -> bool {
        self.table.has_byte_masks
    }

    /// Masks of bytes for [`Kernels::flush`], eight words for each word of `planes`; none at a
    /// level that does not read them. They are made once per tile and read for each counter.
    pub fn byte_masks(&self, planes: &[u64], out: &mut Buffer) {
        assert!(planes.len().is_multiple_of(self.words()));
        out.reserve(if self.table.has_byte_masks { planes.len() * 8 } else { 0 });
        // SAFETY: eight words for each word of the planes.
        unsafe { (self.table.byte_masks)(planes, out) }
    }

    /// Sums of a counter over the columns of each slot that are also in `weight`: the sum over the
    /// columns of one word of a slot's plane goes to `out[slot * words + word]`. Sums stay apart by
    /// word, because callers keep the columns of a class in words of their own. The counter is not
    /// changed; its owner sets it to zero.
    pub fn flush(
        &self,
        counter: Counter<'_>,
        slots: SlotMasks<'_>,
        weight: &[u64],
        out: &mut [u64],
    ) {
        let masks = if self.table.has_byte_masks { slots.planes.len() * 8 } else { 0 };
        counter.check(self.table.words);
        assert!(weight.len() >= self.table.words && out.len() == slots.planes.len());
        assert!(slots.bytes.len() >= masks);
        check_aligned([counter.hot, counter.cold, slots.planes, slots.bytes, weight, out]);
        // SAFETY: lengths checked above; whole vectors only are taken from `planes` and `out`.
        unsafe { (self.table.flush)(counter, slots, weight, out) }
    }

    /// Add to `out[column]` the number of features on which a row differs from the column.
    ///
    /// `codes` are the codes of the row, at most [`WIDE_BLOCK`] of them, all below `levels`. Plane
    /// `k * levels + code` has the columns with that code of feature k. Rows with more features are
    /// added in several calls, as a sum has at most eleven bits.
    pub fn add_distances(&self, planes: &[u64], codes: &[u8], levels: usize, out: &mut [u32]) {
        let words = self.table.words;
        assert!(
            codes.len() <= WIDE_BLOCK
                && out.len() >= 64 * words
                && planes.len() >= codes.len() * levels * words
        );
        assert!(codes.iter().fold(0, |a, &c| a.max(usize::from(c))) < levels.max(1));
        check_aligned([planes]);
        let bits = bits_of(codes.len());
        let kernel = kernel_of(&SUM_BITS[..4], bits);
        // SAFETY: codes are below `levels`, so every plane lies inside its slice; sums fit the
        // bits.
        unsafe { (self.table.add_distances[kernel])(planes, codes, levels, out) }
    }

    /// Add to `out[k]` `weight` times the number of `members` whose byte k differs from byte k of
    /// `row`.
    ///
    /// `rows` holds rows of bytes, each as long as `row`, and `members` their numbers. The length
    /// of a row is a multiple of 64.
    pub fn add_mismatches(
        &self,
        row: &[u8],
        rows: &[u8],
        members: &[u32],
        weight: f64,
        out: &mut [f64],
    ) {
        assert!(row.len().is_multiple_of(64) && out.len() >= row.len());
        let largest = members.iter().fold(0, |a, &m| a.max(m as usize));
        assert!(members.is_empty() || (largest + 1) * row.len() <= rows.len());
        // SAFETY: all members lie inside `rows`.
        unsafe { (self.table.add_mismatches)(row, rows, members, weight, out) }
    }

    /// Add `|column[i] - x|` to `out[i]`, up to the end of the shorter slice. Distances of numeric
    /// columns are sums of these; neither slice has NaN, as rows with missing values take another
    /// way.
    pub fn add_gaps(&self, column: &[f64], x: f64, out: &mut [f64]) {
        // SAFETY: safe code under the features of the level.
        unsafe { (self.table.add_gaps)(column, x, out) }
    }

    /// The sum of all numbers and the sum of their squares, both below 2^64. MultiSURF's radius is
    /// a function of them. O(depth^2) vector operations per tile.
    pub fn moments(&self, numbers: TileNumbers<'_>) -> RowSums {
        numbers.check(self.table.words);
        // SAFETY: all planes lie inside their slice.
        unsafe { (self.table.moments)(numbers) }
    }

    /// Write the columns whose number is at least `low`, as a mask of all tiles. With `low` 0 it
    /// has every column, also those that are not in use.
    pub fn at_least(&self, numbers: TileNumbers<'_>, low: u32, out: &mut [u64]) {
        numbers.check(self.table.words);
        assert!(
            u64::from(low) < 1 << numbers.depth && out.len() >= numbers.tiles * self.table.words
        );
        check_aligned([out]);
        // SAFETY: planes and masks lie inside their slices.
        unsafe { (self.table.at_least)(numbers, low, out) }
    }

    /// The k-th largest number, with k from 1; `scratch` is as long as a mask of all tiles. Equal
    /// numbers count separately, and with fewer than k columns the result is 0. The columns that
    /// reach it are [`Kernels::at_least`] of the result, more than k of them where several are
    /// tied.
    pub fn kth_largest(&self, numbers: TileNumbers<'_>, k: u32, scratch: &mut [u64]) -> u32 {
        numbers.check(self.table.words);
        assert!(scratch.len() >= numbers.tiles * self.table.words);
        check_aligned([scratch]);
        // SAFETY: planes and masks lie inside their slices.
        unsafe { (self.table.kth_largest)(numbers, k, scratch) }
    }

    /// Write to `out[k]` the number of columns that are in `mask` and have slot `slots[k]`. The
    /// planes of a tile begin `stride` words after the planes of the tile before.
    pub fn shared(
        &self,
        mask: &[u64],
        planes: &[u64],
        stride: usize,
        slots: &[u32],
        out: &mut [u32],
    ) {
        let words = self.table.words;
        assert!(mask.len().is_multiple_of(words) && out.len() >= slots.len());
        let largest = slots.iter().fold(0, |a, &s| a.max(s as usize));
        check_aligned([mask, planes]);
        assert!(stride.is_multiple_of(words));
        assert!(
            mask.is_empty()
                || (mask.len() / words - 1) * stride + (largest + 1) * words <= planes.len()
        );
        // SAFETY: every plane lies inside its slice.
        unsafe { (self.table.shared)(mask, planes, stride, slots, out) }
    }

    /// Number of columns in a mask of whole tiles. Callers sum up masks of one class with it, whose
    /// columns fill whole tiles.
    pub fn size(&self, mask: &[u64]) -> u64 {
        assert!(mask.len().is_multiple_of(self.table.words));
        check_aligned([mask]);
        // SAFETY: whole vectors only.
        unsafe { (self.table.size)(mask) }
    }
}

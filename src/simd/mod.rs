//! Run-time dispatch and the kernels: bit planes of distances, one-hot masks, carry-save sums,
//! popcounts.
//!
//! One generic body for each kernel is written over a small vector trait (`word`); a file a level
//! says what the vector is (plain: two `u64`, baseline: two of SSE2, `avx2`, `avx512`) and
//! instantiates every body under its target features with explicit intrinsics: left to the
//! compiler, the same loops are 10 to 100 times slower and slower still under AVX-512. The level is
//! chosen once, from the processor and from the environment variable `FASTTREE_SIMD` (`baseline`,
//! `avx2` or `avx512`); [`Kernels::at`] forces one in tests and benches. All levels give the same
//! integers to the bit.
//!
//! **Layout.** A *tile* is as many columns (rows of the data that play the passive part) as the
//! vector has bits: `words` u64, one bit per column. `planes[slot * words ..]` tells which columns
//! hold the (feature, value) of that slot. The number of features on which a row agrees with each
//! column is a carry-save sum of `n` planes, about two three-input operations a feature and 512
//! pairs.
//!
//! This is the only place with `unsafe`: the loads and stores of the bodies are unchecked, and
//! every safe method below checks the lengths they rely on first. The tests compare every level
//! with bit-by-bit twins. Do not use the kernels for a handful of rows: a tile costs its full
//! width.
#![allow(unsafe_code)]

mod body;
mod buffer;
pub mod class_sums;
pub mod codes;
pub mod columns;
pub mod cuts;
mod fixed;
pub mod genotypes;
pub mod histogram;
mod instantiate;
mod layout;
mod level;
pub mod logs;
mod near;
mod plain;
mod read;
pub mod running;
pub mod short;
pub mod small;
mod table;
mod tally;
mod twice;
#[cfg(test)]
mod twins;
pub mod walk;
mod weigh;
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
pub use level::Level;
pub use near::TileNumbers;
use table::KernelTable;
pub use weights::{
    Joint, LevelWords, MOST_JOINT, MOST_ROWS, WEIGHT_BITS, WeighedTile, WeightTable,
};

/// Most features of one call of [`Kernels::add_distances`].
pub const WIDE_BLOCK: usize = 2047;

/// The kernels of one level.
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
    /// The kernels of [`Level::active`].
    pub fn active() -> Self {
        Self::at(Level::active())
    }

    /// The kernels of a level, or of the highest available below it.
    pub fn at(level: Level) -> Self {
        let level = level.min(Level::best());
        let table = match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => avx512::TABLE,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => avx2::TABLE,
            #[cfg(target_arch = "x86_64")]
            Level::Baseline => baseline::TABLE,
            _ => plain::TABLE,
        };
        Self { level, table }
    }

    /// The level of these kernels.
    pub fn level(&self) -> Level {
        self.level
    }

    /// 64-bit words of a tile.
    pub fn words(&self) -> usize {
        self.table.words
    }

    /// Distances between rows and the columns of a tile, as bit planes of `window.largest() + 1 -
    /// distance`.
    ///
    /// `valid` are the columns in use. Plane p of row i goes to
    /// `out[(i * window.planes() + p) * words ..]`; columns outside the window get 0 there and
    /// their bit in `outside[i * words ..]`. True if there is any.
    pub fn distances(
        &self,
        planes: &[u64],
        valid: &[u64],
        slots: &Slots,
        window: Window,
        out: &mut [u64],
        outside: &mut [u64],
    ) -> bool {
        let w = self.table.words;
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
            valid.len() == w
                && out.len() >= rows * window.planes() * w
                && outside.len() >= rows * w
        );
        assert!((slots.largest as usize + 1) * w <= planes.len());
        check_aligned([planes, valid, out, outside]);
        let bits = (usize::BITS - window.features.leading_zeros()) as usize;
        let bits = if window.length + 1 >= 1 << bits { bits + 1 } else { bits };
        let body = if bits <= 11 { bits.max(3) - 3 } else { 9 };
        // SAFETY: every slot and every result lies inside its slice by the checks above, and the
        // level was detected before its table was handed out.
        unsafe { (self.table.distances[body])(planes, valid, &slots.slots, window, out, outside) }
    }

    /// Count numbers (from [`Kernels::distances`]) that rows of a schedule have in the columns that
    /// share the row's value.
    ///
    /// A step is the union of its rows, each in the columns of its slot; the values of a feature do
    /// not overlap, so rows with different values share one vector, one decoding and one carry-save
    /// addition a distance.
    pub fn tally(
        &self,
        numbers: &[u64],
        schedule: &Schedule,
        planes: &[u64],
        window: Window,
        state: CounterState<'_>,
    ) {
        let (w, p) = (self.table.words, window.planes());
        assert!((1..=LONGEST_WINDOW).contains(&window.length) && (4..=32).contains(&state.depth));
        assert!(
            state.hot.len() >= window.length * 4 * w
                && state.cold.len() >= window.length * cold_planes(state.depth) * w
        );
        assert!(
            schedule.rows as usize * p * w <= numbers.len()
                && schedule.slots as usize * w <= planes.len()
        );
        check_aligned([numbers, planes, state.hot, state.cold]);
        // SAFETY: a schedule knows its largest row and slot, which lie inside the slices; so do the
        // counters.
        unsafe { (self.table.tally[p - 1])(numbers, schedule, planes, window.length, state) }
    }

    /// Count the numbers of the first `rows` rows in all columns.
    pub fn tally_all(&self, numbers: &[u64], rows: usize, window: Window, state: CounterState<'_>) {
        let (w, p) = (self.table.words, window.planes());
        assert!((1..=LONGEST_WINDOW).contains(&window.length) && (4..=32).contains(&state.depth));
        assert!(
            state.hot.len() >= window.length * 4 * w
                && state.cold.len() >= window.length * cold_planes(state.depth) * w
        );
        assert!(rows * p * w <= numbers.len());
        check_aligned([numbers, state.hot, state.cold]);
        // SAFETY: rows and counters lie inside their slices.
        unsafe { (self.table.tally_all[p - 1])(numbers, rows, window.length, state) }
    }

    /// Whether [`Self::byte_masks`] makes any: eight words for each of the planes.
    pub fn by_bytes(&self) -> bool {
        self.table.by_bytes
    }

    /// Masks of the bytes of columns for [`Kernels::flush`], eight words for each of the planes,
    /// where this level reads them from memory.
    pub fn byte_masks(&self, planes: &[u64], out: &mut Buffer) {
        assert!(planes.len().is_multiple_of(self.words()));
        out.reserve(if self.table.by_bytes { planes.len() * 8 } else { 0 });
        // SAFETY: eight words for each of the planes.
        unsafe { (self.table.byte_masks)(planes, out) }
    }

    /// For each plane of `slots`: `out[plane * words + word] =` sum of a counter over the columns
    /// of `plane & weight` in the word.
    pub fn flush(
        &self,
        counter: Counter<'_>,
        slots: SlotMasks<'_>,
        weight: &[u64],
        out: &mut [u64],
    ) {
        let w = self.table.words;
        counter.check(w);
        assert!(weight.len() >= w && out.len() == slots.planes.len());
        assert!(slots.bytes.len() >= if self.table.by_bytes { slots.planes.len() * 8 } else { 0 });
        check_aligned([counter.hot, counter.cold, slots.planes, slots.bytes, weight, out]);
        // SAFETY: lengths checked above; whole vectors only are taken from `planes` and `out`.
        unsafe { (self.table.flush)(counter, slots, weight, out) }
    }

    /// `out[column] += ` features on which a row differs from the columns of a tile. Plane `k *
    /// levels + code` holds the columns with that code of feature k; at most [`WIDE_BLOCK`]
    /// features.
    pub fn add_distances(&self, planes: &[u64], codes: &[u8], levels: usize, out: &mut [u32]) {
        let w = self.table.words;
        assert!(
            codes.len() <= WIDE_BLOCK
                && out.len() >= 64 * w
                && planes.len() >= codes.len() * levels * w
        );
        assert!(codes.iter().fold(0, |a, &c| a.max(usize::from(c))) < levels.max(1));
        check_aligned([planes]);
        let bits = (usize::BITS - codes.len().leading_zeros()) as usize;
        // SAFETY: codes are below `levels`, so every plane lies inside its slice; sums fit the
        // bits.
        unsafe {
            (self.table.add_distances[bits.saturating_sub(2) / 2])(planes, codes, levels, out)
        }
    }

    /// `out[k] += weight * ` number of `members` (rows of `rows`, each as long as `row`) whose byte
    /// k is not that of `row`. The length of a row is a multiple of 64.
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

    /// `out[i] += |column[i] - x|`.
    pub fn add_gaps(&self, column: &[f64], x: f64, out: &mut [f64]) {
        // SAFETY: safe code under the features of the level.
        unsafe { (self.table.add_gaps)(column, x, out) }
    }

    /// Sum of all numbers, and of their squares; less than 2^64.
    pub fn moments(&self, numbers: TileNumbers<'_>) -> (u64, u64) {
        numbers.check(self.table.words);
        // SAFETY: all planes lie inside their slice.
        unsafe { (self.table.moments)(numbers) }
    }

    /// The columns whose number is at least `low`, as a mask of all tiles.
    pub fn at_least(&self, numbers: TileNumbers<'_>, low: u32, out: &mut [u64]) {
        numbers.check(self.table.words);
        assert!(
            u64::from(low) < 1 << numbers.depth && out.len() >= numbers.tiles * self.table.words
        );
        check_aligned([out]);
        // SAFETY: planes and masks lie inside their slices.
        unsafe { (self.table.at_least)(numbers, low, out) }
    }

    /// The k-th largest number, k from 1; `scratch` is as long as a mask of all tiles.
    pub fn kth_largest(&self, numbers: TileNumbers<'_>, k: u32, scratch: &mut [u64]) -> u32 {
        numbers.check(self.table.words);
        assert!(scratch.len() >= numbers.tiles * self.table.words);
        check_aligned([scratch]);
        // SAFETY: planes and masks lie inside their slices.
        unsafe { (self.table.kth_largest)(numbers, k, scratch) }
    }

    /// `out[k] = ` number of columns in `mask` and in plane `slots[k]`; the planes of each tile
    /// begin `stride` after those of the last.
    pub fn shared(
        &self,
        mask: &[u64],
        planes: &[u64],
        stride: usize,
        slots: &[u32],
        out: &mut [u32],
    ) {
        let w = self.table.words;
        assert!(mask.len().is_multiple_of(w) && out.len() >= slots.len());
        let largest = slots.iter().fold(0, |a, &s| a.max(s as usize));
        check_aligned([mask, planes]);
        assert!(stride.is_multiple_of(w));
        assert!(
            mask.is_empty() || (mask.len() / w - 1) * stride + (largest + 1) * w <= planes.len()
        );
        // SAFETY: every plane lies inside its slice.
        unsafe { (self.table.shared)(mask, planes, stride, slots, out) }
    }

    /// Number of columns in a mask of whole tiles.
    pub fn size(&self, mask: &[u64]) -> u64 {
        assert!(mask.len().is_multiple_of(self.table.words));
        check_aligned([mask]);
        // SAFETY: whole vectors only.
        unsafe { (self.table.size)(mask) }
    }

    /// Number of agreements of one row with each column of a tile, as `depth` bit planes (lowest
    /// first).
    pub fn agreements(&self, planes: &[u64], slots: &[u32], depth: usize, out: &mut [u64]) {
        let w = self.table.words;
        assert!(depth <= MAX_PLANES && slots.len() < 1 << depth && out.len() >= depth * w);
        assert!(slots.iter().all(|&s| (s as usize + 1) * w <= planes.len()));
        check_aligned([planes, out]);
        // SAFETY: lengths checked above.
        unsafe { (self.table.agreements)(planes, slots, depth, out) }
    }
}

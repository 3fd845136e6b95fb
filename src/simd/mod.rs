//! Run-time dispatch and the kernels: bit planes of distances, one-hot masks, carry-save sums, popcounts.
//!
//! One generic body for each kernel is written over a small vector trait (`word`); a file a level says what the
//! vector is (plain: two `u64`, baseline: SSE2, `avx2`, `avx512`) and instantiates every body under its target
//! features with explicit intrinsics: left to the compiler, the same loops are 10 to 100 times slower and
//! slower still under AVX-512. The level is chosen once, from the processor and from the environment variable
//! `FASTTREE_SIMD` (`baseline`, `avx2` or `avx512`); [`Kernels::at`] forces one in tests and benches. All levels
//! give the same integers to the bit.
//!
//! **Layout.** A *tile* is as many columns (rows of the data that play the passive part) as the vector has bits:
//! `words` u64, one bit a column. `planes[slot * words ..]` tells which columns hold the (feature, value) of
//! that slot. The number of features on which a row agrees with each column is a carry-save sum of `n` planes,
//! about two three-input operations a feature and 512 pairs.
//!
//! This is the only place with `unsafe`: the loads and stores of the bodies are unchecked, and every safe
//! method below checks the lengths they rely on first. The tests compare every level with bit-by-bit twins.
//! Do not use the kernels for a handful of rows: a tile costs its full width.
#![allow(unsafe_code)]

mod body;
mod plain;
mod word;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod baseline;

use std::sync::OnceLock;

/// Instruction sets with kernels of their own, slowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Two 64-bit words; every architecture.
    Plain,
    /// x86-64 as it came (SSE2).
    Baseline,
    /// AVX2.
    Avx2,
    /// AVX-512 F, BW and VPOPCNTDQ.
    Avx512,
}

impl Level {
    /// All levels this processor has, slowest first.
    pub fn available() -> Vec<Self> {
        let mut levels = vec![Self::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            levels.push(Self::Baseline);
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                levels.push(Self::Avx2);
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vpopcntdq")
                {
                    levels.push(Self::Avx512);
                }
            }
        }
        levels
    }

    /// The level in use: the highest available, or what `FASTTREE_SIMD` says (read once; never above what the processor has).
    pub fn active() -> Self {
        static ACTIVE: OnceLock<Level> = OnceLock::new();
        *ACTIVE.get_or_init(|| {
            let best = Self::available().last().copied().unwrap_or(Self::Plain);
            let asked = match std::env::var("FASTTREE_SIMD").as_deref() {
                Ok("plain") => Self::Plain,
                Ok("baseline") => Self::Baseline,
                Ok("avx2") => Self::Avx2,
                _ => best,
            };
            asked.min(best)
        })
    }

    /// The name that `FASTTREE_SIMD` knows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

/// Most bit planes of a sum: agreements with up to 2^24 - 1 features.
pub const MAX_PLANES: usize = 24;

/// Which distances [`Kernels::masks`] decodes, and where it puts them.
#[derive(Debug, Clone, Copy)]
pub struct Decode {
    /// Number of features: distance = features - agreements.
    pub features: usize,
    /// First distance decoded.
    pub first: usize,
    /// Number of groups of [`Kernels::lanes`] distances decoded.
    pub groups: usize,
    /// Rows for which `masks` has room; row `rows` (one more) stays empty.
    pub capacity: usize,
}

/// Which rows of a chunk are merged into one vector, for one feature; see [`Kernels::accumulate`].
#[derive(Debug, Clone, Default)]
pub struct Schedule {
    /// Number of entries in each step.
    steps: Vec<u16>,
    /// `row | slot << 16`, all steps one after the other.
    entries: Vec<u32>,
    rows: u32,
    slots: u32,
}

impl Schedule {
    /// Forget all steps.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.entries.clear();
        (self.rows, self.slots) = (0, 0);
    }

    /// A step of its own for `row`, which counts in the columns of `slot`.
    pub fn begin(&mut self, row: u16, slot: u16) {
        self.steps.push(0);
        self.join(row, slot);
    }

    /// `row` joins the last step; its slot must not overlap the others of that step.
    pub fn join(&mut self, row: u16, slot: u16) {
        self.entries.push(u32::from(row) | u32::from(slot) << 16);
        *self.steps.last_mut().expect("a step was begun") += 1;
        self.rows = self.rows.max(u32::from(row) + 1);
        self.slots = self.slots.max(u32::from(slot) + 1);
    }
}

/// Function pointers of one level. All unsafe: the caller vouches for lengths.
#[derive(Clone, Copy)]
struct Table {
    words: usize,
    lanes: usize,
    masks: unsafe fn(&[u64], &[u64], &[u32], Decode, &mut [u64], &mut [u64]) -> bool,
    accumulate: unsafe fn(&[u64], &Schedule, &[u64], &mut [u64], usize),
    flush: unsafe fn(&[u64], &[u64], &[u64], usize, &mut [u64]),
    unpack: unsafe fn(&[u64], usize, &mut [u32]),
    agreements: unsafe fn(&[u64], &[u32], usize, &mut [u64]),
}

/// The kernels of one level.
#[derive(Clone, Copy)]
pub struct Kernels {
    level: Level,
    table: Table,
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
        let have = Level::available();
        let level = have.iter().rev().find(|l| **l <= level).copied().unwrap_or(Level::Plain);
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

    /// Distances that are worked on side by side.
    pub fn lanes(&self) -> usize {
        self.table.lanes
    }

    /// u64 that the masks of one group of distances take.
    pub fn group_len(&self, capacity: usize) -> usize {
        (capacity + 1) * self.table.lanes * self.table.words
    }

    /// One-hot masks of the distances between rows and the columns of a tile.
    ///
    /// `slots[row * features ..]` are the planes of the row's values; `valid` are the columns in use. Mask of group
    /// `g`, row `i`, lane `e` (distance `first + g * lanes + e`) goes to `masks[g * group_len + (i * lanes + e) *
    /// words ..]`; bit `i` of `nonempty[g * rows.div_ceil(64) ..]` says that the group has a pair in row `i`.
    /// Returns whether every valid pair was at a decoded distance; if not, decode more and call again.
    pub fn masks(&self, planes: &[u64], valid: &[u64], slots: &[u32], d: Decode, masks: &mut [u64], nonempty: &mut [u64]) -> bool {
        assert!(d.features > 0 && d.features < 1 << (MAX_PLANES - 1) && slots.len() % d.features == 0);
        let rows = slots.len() / d.features;
        assert!(rows <= d.capacity && valid.len() == self.table.words);
        assert!(masks.len() >= d.groups * self.group_len(d.capacity));
        assert!(nonempty.len() >= d.groups * rows.div_ceil(64));
        assert!(slots.iter().all(|&s| (s as usize + 1) * self.table.words <= planes.len()));
        // SAFETY: every slot, mask and flag addressed lies inside its slice by the checks above, and the
        // level was detected before its table was handed out.
        unsafe { (self.table.masks)(planes, valid, slots, d, masks, nonempty) }
    }

    /// Add masks of one group of distances to bit-sliced counters, one for each lane.
    ///
    /// A step is the union of `mask(row) & plane(slot)` over its entries; the values of a feature do not overlap,
    /// so rows with different values share one vector and one carry-save addition. Counters: `lanes` blocks of
    /// `depth` planes, lowest bit first; the sum must fit (the caller flushes before it cannot).
    pub fn accumulate(&self, group: &[u64], schedule: &Schedule, planes: &[u64], counters: &mut [u64], depth: usize) {
        let (w, l) = (self.table.words, self.table.lanes);
        assert!(depth >= 4 && counters.len() >= l * depth * w);
        assert!(schedule.rows as usize * l * w <= group.len() && schedule.slots as usize * w <= planes.len());
        // SAFETY: a schedule knows its largest row and slot, which lie inside the slices; so do the counters.
        unsafe { (self.table.accumulate)(group, schedule, planes, counters, depth) }
    }

    /// `out[word] += sum over p of popcount(counter plane p & plane & weight) << p`.
    pub fn flush(&self, counters: &[u64], plane: &[u64], weight: &[u64], depth: usize, out: &mut [u64]) {
        let w = self.table.words;
        assert!(counters.len() >= depth * w && plane.len() >= w && weight.len() >= w && out.len() >= w);
        // SAFETY: lengths checked above.
        unsafe { (self.table.flush)(counters, plane, weight, depth, out) }
    }

    /// `out[column] += ` the bit-sliced counter of that column.
    pub fn unpack(&self, counters: &[u64], depth: usize, out: &mut [u32]) {
        let w = self.table.words;
        assert!(counters.len() >= depth * w && out.len() >= 64 * w && depth <= 32);
        // SAFETY: lengths checked above.
        unsafe { (self.table.unpack)(counters, depth, out) }
    }

    /// Number of agreements of one row with each column of a tile, as `depth` bit planes (lowest first).
    pub fn agreements(&self, planes: &[u64], slots: &[u32], depth: usize, out: &mut [u64]) {
        let w = self.table.words;
        assert!(depth <= MAX_PLANES && slots.len() < 1 << depth && out.len() >= depth * w);
        assert!(slots.iter().all(|&s| (s as usize + 1) * w <= planes.len()));
        // SAFETY: lengths checked above.
        unsafe { (self.table.agreements)(planes, slots, depth, out) }
    }
}

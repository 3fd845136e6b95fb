//! The arguments and results of the kernels of [`super::Kernels`].
//!
//! A [`Window`] says which distances are counted, [`CounterState`] and [`Counter`] hold the counts
//! as bit planes, a [`Schedule`] says which rows are counted together, [`Slots`] are rows as
//! numbers of planes, and [`SlotMasks`] the planes themselves. Their constructors look for the
//! largest number that a kernel will use as an index, so that the check before a call is O(1).

/// Most bit planes of a sum: agreements with up to 2^24 - 1 features.
pub const MAX_PLANES: usize = 24;

/// Numbers of bits of a sum for which kernels are compiled. More of them gain less than a
/// twentieth: a bit costs two operations for each eight bits that are added.
pub(super) const SUM_BITS: [usize; 5] = [4, 6, 8, 11, 24];

/// Number of binary digits of a number; 0 for 0. A sum that counts up to `number` needs this many
/// planes.
pub(super) fn bits_of(number: usize) -> usize {
    (usize::BITS - number.leading_zeros()) as usize
}

/// Index of the first kernel with enough bits among kernels of ascending `sizes`. Panics if none
/// has enough.
pub(super) fn kernel_of(sizes: &[usize], bits: usize) -> usize {
    assert!(sizes.last().is_some_and(|&most| bits <= most));
    sizes.partition_point(|&size| size < bits)
}

/// The distances that are counted: `length` of them from `first` on, out of `0..=features`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Number of features. A distance is this less the number of agreements.
    pub features: usize,
    /// Smallest distance.
    pub first: usize,
    /// Number of distances, 1 to [`LONGEST_WINDOW`].
    pub length: usize,
}

/// Most distances that are counted side by side.
pub const LONGEST_WINDOW: usize = 1023;

/// Numbers of bit planes of a number for which kernels are compiled. A number of another width is
/// stored with more planes, which costs a load per row and plane, and an operation per step and
/// eight distances.
pub(super) const NUMBER_PLANES: [usize; 6] = [1, 2, 3, 4, 6, 10];

impl Window {
    /// Largest distance of the window, which is counted, too. A distance above it, or below
    /// `first`, is outside.
    pub fn largest(&self) -> usize {
        self.first + self.length - 1
    }

    /// Bit planes of a number that stands for a distance: `largest + 1 - distance`, or 0 outside
    /// the window. One of `NUMBER_PLANES`, the smallest that is enough.
    pub fn planes(&self) -> usize {
        NUMBER_PLANES[kernel_of(&NUMBER_PLANES, bits_of(self.length))]
    }

    /// The distance that a counter counts, with counters from 0. Counter 0 has the largest
    /// distance, as numbers grow with nearness.
    pub fn distance(&self, counter: usize) -> usize {
        self.largest() - counter
    }
}

/// Bit-sliced counters of one feature, one per distance of a window and per column.
///
/// A carry of some weight is kept until a second one of that weight comes, and then both are added
/// at once (Harley & Seal's counters), so most additions touch the planes of low weight alone.
/// `hot` has four planes per counter: the planes of weight 1, 2 and 4, and a carry of weight 4 that
/// is kept. `cold` has `length` planes for carries that are being passed on, then for each weight
/// from 8 on `length` kept carries and `length` planes. `blocks` counts blocks of four steps; its
/// bits say for which weights a carry is kept.
#[derive(Debug)]
pub struct CounterState<'a> {
    /// `4 * words` u64 per counter.
    pub hot: &'a mut [u64],
    /// `cold_planes(depth) * words` u64 per counter.
    pub cold: &'a mut [u64],
    /// Bits of a counter, 4 to 32. Its owner makes sure that it cannot overflow.
    pub depth: usize,
    /// Blocks of four steps so far.
    pub blocks: &'a mut u32,
}

impl CounterState<'_> {
    /// Panics unless there is room for `length` counters, the depth is 4 to 32, and `length` is at
    /// most [`LONGEST_WINDOW`]. The kernels rely on it.
    pub(super) fn check(&self, words: usize, length: usize) {
        assert!((1..=LONGEST_WINDOW).contains(&length) && (4..=32).contains(&self.depth));
        assert!(self.hot.len() >= length * 4 * words);
        assert!(self.cold.len() >= length * cold_planes(self.depth) * words);
    }
}

/// One counter of a [`CounterState`].
#[derive(Debug, Clone, Copy)]
pub struct Counter<'a> {
    /// [`CounterState::hot`].
    pub hot: &'a [u64],
    /// [`CounterState::cold`].
    pub cold: &'a [u64],
    /// [`CounterState::depth`].
    pub depth: usize,
    /// [`CounterState::blocks`].
    pub blocks: u32,
    /// Number of counters in the state.
    pub length: usize,
    /// Number of this counter, below `length`.
    pub index: usize,
}

impl Counter<'_> {
    /// Panics unless all planes of the counter lie inside their slices and the counter is one of
    /// the state's. [`super::Kernels::flush`] relies on it.
    pub(super) fn check(&self, words: usize) {
        assert!((4..=32).contains(&self.depth) && self.index < self.length);
        assert!(self.hot.len() >= self.length * 4 * words);
        assert!(self.cold.len() >= self.length * cold_planes(self.depth) * words);
    }
}

/// Cold planes that a counter of `depth` bits takes, with depth at least 4: one for carries that
/// are being passed on, and two for each weight from 8 on. Plans of memory multiply it with the
/// words of a tile.
pub const fn cold_planes(depth: usize) -> usize {
    2 * depth - 5
}

/// For a feature, the rows of a chunk that each step of [`super::Kernels::tally`] merges.
#[derive(Debug, Clone, Default)]
pub struct Schedule {
    /// Number of entries in each step, padded with empty steps to a multiple of four.
    pub(super) steps: Vec<u16>,
    /// Number of steps before the padding.
    pub(super) used: usize,
    /// `row | slot << 16`, all steps one after the other.
    pub(super) entries: Vec<u32>,
    /// One more than the largest row.
    pub(super) rows: u32,
    /// One more than the largest slot.
    pub(super) slots: u32,
    /// Whether each step has one row, which is counted in all columns.
    pub(super) alone: bool,
}

impl Schedule {
    /// A schedule with a step for each of `rows`, which is counted in all columns and not only in
    /// the columns of a slot. Binary features use it for the rows of their rarer value: sums over
    /// the other value are what remains of all pairs.
    pub fn alone(rows: &[u16]) -> Self {
        let entries: Vec<u32> = rows.iter().map(|&row| u32::from(row)).collect();
        let used = entries.len();
        let mut steps = vec![1; used];
        steps.resize(used.next_multiple_of(4), 0);
        let rows = entries.iter().fold(0, |most, row| most.max(row + 1));
        Self { steps, used, entries, rows, slots: 0, alone: true }
    }

    /// A schedule whose step i merges the i-th row of each list that is long enough.
    ///
    /// A list is a slot and the rows that are counted in its columns. No column may have two of the
    /// slots, so the rows of a step never meet in a column. The lists are sorted by length, longest
    /// first; the longest has as many rows as there are steps, which is the least that is possible.
    pub fn deal(lists: &mut [(u16, &[u16])]) -> Self {
        lists.sort_by_key(|(_, rows)| usize::MAX - rows.len());
        let used = lists.first().map_or(0, |(_, rows)| rows.len());
        let mut steps = vec![0; used.next_multiple_of(4)];
        let mut entries = Vec::with_capacity(lists.iter().map(|(_, rows)| rows.len()).sum());
        let mut left = lists.len();
        for (number, step) in steps.iter_mut().enumerate().take(used) {
            while lists[left - 1].1.len() <= number {
                left -= 1;
            }
            *step = left as u16;
            let entry =
                |(slot, rows): &(u16, &[u16])| u32::from(rows[number]) | u32::from(*slot) << 16;
            entries.extend(lists[..left].iter().map(entry));
        }
        let rows = entries.iter().fold(0, |most, entry| most.max((entry & 0xffff) + 1));
        let slots = lists.iter().map(|(slot, _)| u32::from(*slot) + 1).max().unwrap_or(0);
        Self { steps, used, entries, rows, slots, alone: false }
    }

    /// Number of steps, without the empty ones that fill the last group of four. The time of
    /// [`super::Kernels::tally`] is proportional to it, and plans add it up over features.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Whether there are no steps: no row of the chunk is counted for the feature.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }
}

/// Rows as slots: for each row and feature the number of the plane of the row's value.
#[derive(Debug, Clone, Default)]
pub struct Slots {
    /// The slots of all rows, one row after the other.
    pub(super) slots: Vec<u32>,
    pub(super) features: usize,
    pub(super) largest: u32,
}

impl Slots {
    /// Rows of `features` slots each, one row after the other. The largest slot is looked for here,
    /// so that kernels need not look at each slot again.
    ///
    /// # Panics
    /// If `features` is 0 or does not divide the number of slots.
    pub fn new(slots: Vec<u32>, features: usize) -> Self {
        assert!(features > 0 && slots.len().is_multiple_of(features));
        let largest = slots.iter().fold(0, |a, &s| a.max(s));
        Self { slots, features, largest }
    }

    /// Number of rows, which may be 0.
    pub fn rows(&self) -> usize {
        self.slots.len() / self.features
    }

    /// The slots of row `i`, one per feature in the order of the features. Panics if there is no
    /// such row.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.slots[i * self.features..][..self.features]
    }
}

/// The columns that have each of some slots.
#[derive(Debug, Clone, Copy)]
pub struct SlotMasks<'a> {
    /// One plane per slot.
    pub planes: &'a [u64],
    /// The masks that [`super::Kernels::byte_masks`] makes from the planes.
    pub bytes: &'a [u64],
}

impl<'a> SlotMasks<'a> {
    /// The masks of a range of the slots, whose planes are `words` long. Callers read the counters
    /// of one feature with the slots of this feature alone; nothing is copied.
    pub fn slice(self, slots: std::ops::Range<usize>, words: usize) -> Self {
        let bytes = if self.bytes.is_empty() { 0 } else { 8 * words };
        Self {
            planes: &self.planes[slots.start * words..slots.end * words],
            bytes: &self.bytes[slots.start * bytes..slots.end * bytes],
        }
    }
}

//! What the kernels read and write: windows of distances, counters in bit planes, row schedules,
//! planes of slots.

/// Most bit planes of a sum: agreements with up to 2^24 - 1 features.
pub const MAX_PLANES: usize = 24;

/// The distances that the counters are for: `first`, `first + 1`, ... `length` of them, out of
/// `0..=features`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Number of features: distance = features - agreements.
    pub features: usize,
    /// Smallest distance.
    pub first: usize,
    /// Number of distances, 1 to [`LONGEST_WINDOW`].
    pub length: usize,
}

/// Most distances that are counted side by side.
pub const LONGEST_WINDOW: usize = 1023;

impl Window {
    /// Largest distance.
    pub fn largest(&self) -> usize {
        self.first + self.length - 1
    }

    /// Bit planes of the numbers that stand for distances: `largest + 1 - distance`, 0 for none.
    pub fn planes(&self) -> usize {
        (usize::BITS - self.length.leading_zeros()) as usize
    }

    /// The distance that a counter counts.
    pub fn distance(&self, counter: usize) -> usize {
        self.largest() - counter
    }
}

/// Bit-sliced counters of one feature, one for each distance of a window.
///
/// `hot` has four planes a counter: 1, 2, 4 and a carry of weight 4 in waiting. `cold` has `length`
/// planes in transit, then for each level (weight 8, 16, ...) `length` carries in waiting and
/// `length` planes. `blocks` counts blocks of four steps; its bits say on which levels carries
/// wait.
#[derive(Debug)]
pub struct CounterState<'a> {
    /// `4 * words` u64 a counter.
    pub hot: &'a mut [u64],
    /// `(2 * depth - 5) * words` u64 a counter.
    pub cold: &'a mut [u64],
    /// Bits of a counter, 4 to 32; its owner makes sure that it cannot overflow.
    pub depth: usize,
    /// Blocks of four steps so far.
    pub blocks: &'a mut u32,
}

/// One counter of a [`CounterState`].
#[derive(Debug, Clone, Copy)]
pub struct Counter<'a> {
    /// As in the state.
    pub hot: &'a [u64],
    /// As in the state.
    pub cold: &'a [u64],
    /// As in the state.
    pub depth: usize,
    /// As in the state.
    pub blocks: u32,
    /// Number of counters in the state.
    pub length: usize,
    /// Which counter, below `length`.
    pub index: usize,
}

impl Counter<'_> {
    pub(super) fn check(&self, words: usize) {
        assert!((4..=32).contains(&self.depth) && self.index < self.length);
        assert!(self.hot.len() >= self.length * 4 * words);
        assert!(self.cold.len() >= self.length * cold_planes(self.depth) * words);
    }
}

/// Cold planes that a counter of `depth` bits takes.
pub const fn cold_planes(depth: usize) -> usize {
    2 * depth - 5
}

/// Which rows of a chunk are merged into one vector, for a feature; see [`super::Kernels::tally`].
#[derive(Debug, Clone, Default)]
pub struct Schedule {
    /// Number of entries in each step, padded with empty steps to a multiple of four.
    pub(super) steps: Vec<u16>,
    pub(super) used: usize,
    /// `row | slot << 16`, all steps one after the other.
    pub(super) entries: Vec<u32>,
    pub(super) rows: u32,
    pub(super) slots: u32,
    /// One row a step, in all columns, whatever their slots.
    pub(super) alone: bool,
}

impl Schedule {
    /// These rows, each in all columns: nothing is merged.
    pub fn alone(rows: &[u16]) -> Self {
        let entries: Vec<u32> = rows.iter().map(|&row| u32::from(row)).collect();
        let used = entries.len();
        let mut steps = vec![1; used];
        steps.resize(used.next_multiple_of(4), 0);
        let rows = entries.iter().fold(0, |most, row| most.max(row + 1));
        Self { steps, used, entries, rows, slots: 0, alone: true }
    }

    /// One row of each list in turn: a list is a slot and the rows that count in its columns. Slots
    /// do not overlap; lists are put in order of their length.
    pub fn deal(lists: &mut [(u16, &[u16])]) -> Self {
        lists.sort_by_key(|(_, rows)| usize::MAX - rows.len());
        let used = lists.first().map_or(0, |(_, rows)| rows.len());
        let mut steps = vec![0; used.next_multiple_of(4)];
        let mut entries = Vec::with_capacity(lists.iter().map(|(_, rows)| rows.len()).sum());
        let mut live = lists.len();
        for (s, step) in steps.iter_mut().enumerate().take(used) {
            while lists[live - 1].1.len() <= s {
                live -= 1;
            }
            *step = live as u16;
            entries.extend(
                lists[..live]
                    .iter()
                    .map(|(slot, rows)| u32::from(rows[s]) | u32::from(*slot) << 16),
            );
        }
        let rows = entries.iter().fold(0, |most, entry| most.max((entry & 0xffff) + 1));
        let slots = lists.iter().map(|(slot, _)| u32::from(*slot) + 1).max().unwrap_or(0);
        Self { steps, used, entries, rows, slots, alone: false }
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.used
    }

    /// True without steps.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }
}

/// The planes (feature, value) of some rows, row-major; knows its largest.
#[derive(Debug, Clone, Default)]
pub struct Slots {
    pub(super) slots: Vec<u32>,
    pub(super) features: usize,
    pub(super) largest: u32,
}

impl Slots {
    /// `slots.len() / features` rows; at least one feature.
    pub fn new(slots: Vec<u32>, features: usize) -> Self {
        assert!(features > 0 && slots.len().is_multiple_of(features));
        let largest = slots.iter().fold(0, |a, &s| a.max(s));
        Self { slots, features, largest }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.slots.len() / self.features
    }

    /// The planes of a row.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.slots[i * self.features..][..self.features]
    }
}

/// The columns of some slots.
#[derive(Debug, Clone, Copy)]
pub struct SlotMasks<'a> {
    /// A plane for each slot.
    pub planes: &'a [u64],
    /// What [`super::Kernels::byte_masks`] makes of the planes.
    pub bytes: &'a [u64],
}

impl<'a> SlotMasks<'a> {
    /// Those of some of the slots, planes being `words` long.
    pub fn of(self, slots: std::ops::Range<usize>, words: usize) -> Self {
        let bytes = if self.bytes.is_empty() { 0 } else { 8 * words };
        Self {
            planes: &self.planes[slots.start * words..slots.end * words],
            bytes: &self.bytes[slots.start * bytes..slots.end * bytes],
        }
    }
}

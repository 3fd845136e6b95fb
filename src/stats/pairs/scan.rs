//! Cuts rows into words, tiles and chunks, and schedules the active rows of the exact pass.
//!
//! Rows are grouped by class and cut into *words* of up to 64 rows of one class. A *tile* is as
//! many words as a vector has. A *chunk* is up to 128 rows of one class and tile, few enough that
//! their distances to a tile of columns stay in the first-level cache while all features read them.
//!
//! A [`Schedule`] merges the rows of a chunk for one feature: step s adds the s-th row of every
//! value at once. This is possible since a column counts agreements, hence only rows of its own
//! value, and the columns of different values are disjoint. A step costs one decoding and
//! carry-save addition, whatever the number of values. For a value that at least half of all rows
//! have (the *majority* value), its columns count the other rows instead, and their agreements are
//! the pairs of all rows less these: so a feature takes as many steps as rows lack its majority
//! value, and a constant feature none. For a binary feature the columns of both values count the
//! same rows, and nothing is merged. Schedules depend on the active rows alone and serve all tiles
//! of columns. Memory: about 4 to 6 bytes per cell.

use super::input::SlotRows;
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::{Buffer, Schedule, Slots};
use std::ops::Range;

/// Most rows of a chunk.
pub(super) const CHUNK: usize = 128;

/// A word of a tile: up to 64 rows of one class.
#[derive(Debug, Clone)]
pub(super) struct RowWord {
    pub class: usize,
    pub rows: Range<usize>,
}

/// Adjacent words of a tile that have one class.
#[derive(Debug, Clone)]
pub(super) struct WordRun {
    pub class: usize,
    pub words: Range<usize>,
}

/// As many words of rows as a vector has.
#[derive(Debug)]
pub(super) struct Tile {
    /// Position among the tiles.
    pub index: usize,
    pub words: Vec<RowWord>,
    /// The words by class.
    pub runs: Vec<WordRun>,
}

/// The rows in tiles of `words` words.
pub(super) fn tiles(rows: &SlotRows, words: usize) -> Vec<Tile> {
    let mut all = Vec::new();
    for class in 0..rows.n_classes() {
        let Range { start, end } = rows.class_rows(class);
        let word = |at: usize| RowWord { class, rows: at..(at + 64).min(end) };
        all.extend((start..end).step_by(64).map(word));
    }
    let mut tiles = Vec::new();
    for (index, words) in all.chunks(words).enumerate() {
        let mut runs: Vec<WordRun> = Vec::new();
        for (w, word) in words.iter().enumerate() {
            match runs.last_mut() {
                Some(run) if run.class == word.class => run.words.end = w + 1,
                _ => runs.push(WordRun { class: word.class, words: w..w + 1 }),
            }
        }
        tiles.push(Tile { index, words: words.to_vec(), runs });
    }
    tiles
}

/// The columns of a tile as bit planes.
pub(super) struct TilePlanes {
    /// One plane per slot: the columns that have the value.
    pub slots: Buffer,
    /// The columns in use: a tile may have fewer than a vector.
    pub valid: Buffer,
    /// Binary digits of the columns' multiplicities that occur, each with its columns.
    pub weights: Vec<(u32, Buffer)>,
}

impl TilePlanes {
    /// Room for tiles of `words` words of these rows. A worker loads one tile after the other into
    /// it.
    pub fn new(rows: &SlotRows, words: usize) -> Self {
        let slots = Buffer::zeroed(rows.n_slots() * words);
        Self { slots, valid: Buffer::zeroed(words), weights: Vec::new() }
    }

    /// Load the columns of a tile; the planes of the tile before are cleared. If the tile has fewer
    /// columns than there is room for, the other bits stay 0 and are not `valid`.
    pub fn load(&mut self, rows: &SlotRows, tile: &Tile) {
        let words = self.valid.len();
        self.slots.fill(0);
        self.valid.fill(0);
        self.weights.clear();
        for (w, word) in tile.words.iter().enumerate() {
            for (bit, row) in word.rows.clone().enumerate() {
                let bit = 1u64 << bit;
                self.valid[w] |= bit;
                for &slot in rows.row(row) {
                    self.slots[slot as usize * words + w] |= bit;
                }
                // a plane per binary digit of the multiplicity that is set
                let mut weight = rows.weights[row];
                while weight != 0 {
                    let shift = weight.trailing_zeros();
                    let known = self.weights.iter().position(|(s, _)| *s == shift);
                    let at = known.unwrap_or_else(|| {
                        self.weights.push((shift, Buffer::zeroed(words)));
                        self.weights.len() - 1
                    });
                    self.weights[at].1[w] |= bit;
                    weight &= weight - 1;
                }
            }
        }
    }
}

/// Active rows of one class and one tile that count with the same power of two.
#[derive(Debug)]
pub(super) struct Chunk<T> {
    /// Class of all rows.
    pub class: usize,
    /// Tile in which all rows lie.
    pub tile: usize,
    /// Numbers of the rows among the gathered ones.
    pub rows: Vec<u32>,
    /// The slots of these rows.
    pub slots: Slots,
    /// The rows prepared for each feature, or for each group of features.
    pub features: Vec<T>,
}

/// The active rows in scheduled chunks.
///
/// A row of multiplicity m is in one chunk per binary digit of m that is set, and counts there with
/// that power of two.
#[derive(Debug)]
pub(super) struct PairScan {
    /// Chunks by binary digit, ordered by tile and class, with one schedule per feature, whose
    /// slots are counted from the feature's first.
    pub bits: Vec<Vec<Chunk<Schedule>>>,
    /// Slot of the majority value of each feature, if it has one.
    pub majority: Vec<Option<u32>>,
    /// Additions per row and distance: schedule steps per row, summed over features, plus one for
    /// the counters of all rows.
    pub steps: f64,
}

impl PairScan {
    /// Divide the rows of the given tiles into chunks, and schedule them. `majority` has the
    /// majority value of each feature among all rows ([`SlotSizes`]).
    pub fn new(
        control: &Control,
        rows: &SlotRows,
        tiles: &[Tile],
        majority: &[Option<u32>],
    ) -> Result<Self> {
        let bits = Chunk::all(control, rows, tiles, &|slots| {
            let mut lists = ValueLists::default();
            let schedule = |k: usize| {
                let (first, end) = (rows.offsets[k], rows.offsets[k + 1]);
                let values = slots[k..].iter().step_by(rows.features);
                let values = values.map(|slot| (slot - first) as u16);
                let majority = majority[k].map(|slot| (slot - first) as u16);
                lists.schedule(values, (end - first) as usize, majority)
            };
            (0..rows.features).map(schedule).collect()
        })?;
        let all = || bits.iter().flatten();
        let steps: usize = all().flat_map(|c| &c.features).map(Schedule::len).sum();
        let steps = 1.0 + steps as f64 / all().map(|c| c.rows.len()).sum::<usize>() as f64;
        Ok(Self { bits, majority: majority.to_vec(), steps })
    }
}

/// How many rows have each value of each feature.
pub(super) struct SlotSizes {
    /// Rows of each slot.
    pub rows: Vec<u32>,
    /// Slot of the value that at least half of the rows have, for each feature that has one.
    pub majority: Vec<Option<u32>>,
}

impl SlotSizes {
    /// Count the rows of each slot. A row counts once, whatever its multiplicity.
    pub fn new(rows: &SlotRows) -> Self {
        let mut sizes = vec![0u32; rows.n_slots()];
        rows.slots.iter().for_each(|&slot| sizes[slot as usize] += 1);
        let is_majority = |slot: &u32| 2 * sizes[*slot as usize] as usize >= rows.len();
        let majority = rows.offsets.windows(2).map(|o| (o[0]..o[1]).find(is_majority)).collect();
        Self { rows: sizes, majority }
    }
}

impl<T: Send> Chunk<T> {
    /// The rows of the given tiles in chunks, by binary digit of their multiplicity, then by tile
    /// and class; `features` prepares the slots of the rows of a chunk, row by row.
    pub fn all(
        control: &Control,
        rows: &SlotRows,
        tiles: &[Tile],
        features: &(dyn Fn(&[u32]) -> Vec<T> + Sync),
    ) -> Result<Vec<Vec<Self>>> {
        let chunks = |bit: u32| {
            let has_bit = |&i: &u32| rows.weights[i as usize] >> bit & 1 == 1;
            let mut members = Vec::new();
            for tile in tiles {
                for run in &tile.runs {
                    let words = &tile.words[run.words.clone()];
                    let mut with_bit = Vec::new();
                    for word in words {
                        let rows = word.rows.start as u32..word.rows.end as u32;
                        with_bit.extend(rows.filter(has_bit));
                    }
                    members.extend(
                        with_bit.chunks(CHUNK).map(|c| (run.class, tile.index, c.to_vec())),
                    );
                }
            }
            parallel::map(control, members.len(), &|c| {
                control.check()?;
                let (class, tile, ref members) = members[c];
                let mut slots = Vec::with_capacity(members.len() * rows.features);
                members.iter().for_each(|&i| slots.extend_from_slice(rows.row(i as usize)));
                let features = features(&slots);
                let slots = Slots::new(slots, rows.features);
                Ok(Self { class, tile, rows: members.clone(), slots, features })
            })
        };
        (0..rows.weight_bits()).map(chunks).collect()
    }
}

/// Number of rows of a chunk that have a value.
#[derive(Debug, Clone, Copy)]
struct ValueCount {
    value: u16,
    rows: u16,
}

/// The rows of a chunk by value of one feature; memory that is reused between features.
#[derive(Default)]
struct ValueLists {
    /// First row of each value in `rows`, then, once `rows` is filled, the end.
    ends: Vec<u16>,
    /// Rows by value; the rows of the majority value come last.
    rows: Vec<u16>,
    /// The values that occur, without the majority value.
    counts: Vec<ValueCount>,
}

impl ValueLists {
    /// The schedule of one feature from the values of the chunk's rows. Columns of a value count
    /// the rows that have it; columns of the majority value count the rows that do not have it.
    fn schedule(
        &mut self,
        values: impl Iterator<Item = u16> + Clone,
        levels: usize,
        majority: Option<u16>,
    ) -> Schedule {
        // A binary feature: the columns of both values count the rows of the minority value. They
        // are collected without a branch on the value.
        if let (2, Some(majority)) = (levels, majority) {
            let (mut minority_rows, mut count) = ([0u16; CHUNK], 0);
            for (row, value) in (0..).zip(values) {
                minority_rows[count] = row;
                count += usize::from(value != majority);
            }
            return Schedule::alone(&minority_rows[..count]);
        }
        // Counting sort of the rows by value: number of rows of each value,
        let Self { ends, rows, counts } = self;
        ends.clear();
        ends.resize(levels, 0);
        values.clone().for_each(|value| ends[usize::from(value)] += 1);
        // the place of its first row, the majority value after all others,
        counts.clear();
        let mut others = 0;
        for (value, end) in (0..).zip(ends.iter_mut()) {
            let count = *end;
            *end = others;
            if majority != Some(value) && count > 0 {
                counts.push(ValueCount { value, rows: count });
                others += count;
            }
        }
        if let Some(majority) = majority {
            ends[usize::from(majority)] = others;
        }
        // and the rows in their places.
        rows.resize(CHUNK, 0);
        for (row, value) in values.enumerate() {
            let at = &mut ends[usize::from(value)];
            rows[usize::from(*at)] = row as u16;
            *at += 1;
        }
        // One list of rows per value; the majority value has the rows of all others.
        let mut begin = 0;
        let list = |count: &ValueCount| {
            let end = begin + usize::from(count.rows);
            let list = (count.value, &rows[begin..end]);
            begin = end;
            list
        };
        let mut lists: Vec<(u16, &[u16])> = counts.iter().map(list).collect();
        lists.extend(majority.map(|majority| (majority, &rows[..usize::from(others)])));
        Schedule::deal(&mut lists)
    }
}

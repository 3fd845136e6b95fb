//! Rows in words, tiles and chunks, and the merge schedules of the active rows.
//!
//! Rows are sorted by class and cut into words of 64 of one class; a tile is as many words as a
//! vector has. A chunk is a few words of one class and one tile whose distances stay in the
//! first-level cache while all features read them. For a feature the rows of a chunk are dealt out
//! by value: step s holds the s-th row of every value that has one. Columns listen only to the row
//! of their own value, so a step costs one merged number a row and *one* decoding and carry-save
//! addition, whatever the number of values. Columns whose value half of all rows have, or more,
//! listen to the *other* rows: what they hear is taken from the counts of all rows, which are there
//! anyway, so a feature costs as many steps as its second thoughts, and a constant one none; the
//! columns of both values of a binary feature hear the same rows, and nothing is merged. Schedules
//! depend on the rows alone and serve all tiles. Memory: about 4 to 6 bytes per cell.

use super::input::SlotRows;
use crate::simd::{Schedule, Slots};
use std::ops::Range;

/// Most words of a chunk.
const CHUNK_WORDS: usize = 2;

/// Most rows of a chunk.
pub(super) const CHUNK: usize = 64 * CHUNK_WORDS;

/// Some words of a tile, and their class.
pub(super) type WordRun = (usize, Range<usize>);

/// A tile of columns: words with their class and rows.
#[derive(Debug)]
pub(super) struct Tile {
    /// Position among the tiles.
    pub index: usize,
    /// Class and rows of each word.
    pub words: Vec<(usize, Range<usize>)>,
    /// Runs of words of one class.
    pub runs: Vec<WordRun>,
}

/// Rows in tiles of `words` words.
pub(super) fn tiles(rows: &SlotRows, words: usize) -> Vec<Tile> {
    let mut all = Vec::new();
    for class in 0..rows.starts.len() - 1 {
        let (begin, end) = (rows.starts[class], rows.starts[class + 1]);
        all.extend((begin..end).step_by(64).map(|at| (class, at..(at + 64).min(end))));
    }
    let mut tiles = Vec::new();
    for (index, words) in all.chunks(words).enumerate() {
        let mut runs: Vec<WordRun> = Vec::new();
        for (w, (class, _)) in words.iter().enumerate() {
            match runs.last_mut() {
                Some((last, run)) if last == class => run.end = w + 1,
                _ => runs.push((*class, w..w + 1)),
            }
        }
        tiles.push(Tile { index, words: words.to_vec(), runs });
    }
    tiles
}

/// Some rows of one class and one tile that count with the same power of two.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Class of all rows.
    pub class: usize,
    /// Tile in which all rows lie.
    pub tile: usize,
    /// The rows, as they are numbered among the gathered ones.
    pub rows: Vec<u32>,
    /// Their slots.
    pub slots: Slots,
    /// One schedule per feature, slots counted from the feature's first.
    pub schedules: Vec<Schedule>,
}

/// All active rows: `bits[b]` holds the rows whose multiplicity has bit b set, by class.
#[derive(Debug)]
pub(super) struct PairScan {
    pub bits: Vec<Vec<Chunk>>,
    /// For each feature the slot, if any, whose columns listen to the rows that do not have it.
    pub common: Vec<Option<u32>>,
    /// Decodings and additions that a row costs for each distance: steps a row, summed over
    /// features, and one.
    pub steps: f64,
}

impl PairScan {
    /// Cut and schedule the rows of some tiles; `common` is of all rows.
    pub fn new(rows: &SlotRows, tiles: &[Tile], common: &[Option<u32>]) -> Self {
        let top = rows.weights.iter().fold(0, |a, &w| a | w);
        let chunks = |bit| chunks(rows, tiles, common, bit);
        let bits: Vec<Vec<Chunk>> = (0..32 - top.leading_zeros()).map(chunks).collect();
        let all = || bits.iter().flatten();
        let steps: usize = all().flat_map(|c| &c.schedules).map(Schedule::len).sum();
        let steps = 1.0 + steps as f64 / all().map(|c| c.rows.len()).sum::<usize>() as f64;
        Self { bits, common: common.to_vec(), steps }
    }
}

/// For each feature the slot that half of the rows have or more, if there is one.
pub(super) fn common(rows: &SlotRows) -> Vec<Option<u32>> {
    let mut of_slot = vec![0usize; rows.offsets[rows.features] as usize];
    for i in 0..rows.len() {
        rows.row(i).iter().for_each(|&slot| of_slot[slot as usize] += 1);
    }
    let slots = rows.offsets.windows(2).map(|o| o[0]..o[1]);
    slots.map(|mut slots| slots.find(|&slot| 2 * of_slot[slot as usize] >= rows.len())).collect()
}

fn chunks(rows: &SlotRows, tiles: &[Tile], common: &[Option<u32>], bit: u32) -> Vec<Chunk> {
    let mut out = Vec::new();
    for tile in tiles {
        for (class, run) in &tile.runs {
            for words in tile.words[run.clone()].chunks(CHUNK_WORDS) {
                let of_bit = |&i: &u32| rows.weights[i as usize] >> bit & 1 == 1;
                let all = words.iter().flat_map(|w| w.1.start as u32..w.1.end as u32);
                let members: Vec<u32> = all.filter(of_bit).collect();
                if !members.is_empty() {
                    out.push(Chunk::new(rows, *class, tile.index, &members, common));
                }
            }
        }
    }
    out
}

impl Chunk {
    fn new(
        rows: &SlotRows,
        class: usize,
        tile: usize,
        members: &[u32],
        common: &[Option<u32>],
    ) -> Self {
        let n = rows.features;
        let mut slots = Vec::with_capacity(members.len() * n);
        for &i in members {
            slots.extend_from_slice(rows.row(i as usize));
        }
        let mut lists = ValueLists::default();
        let schedules = (0..n)
            .map(|k| {
                let (offset, end) = (rows.offsets[k], rows.offsets[k + 1]);
                let values = slots[k..].iter().step_by(n).map(|slot| (slot - offset) as u16);
                lists.deal(
                    values,
                    (end - offset) as usize,
                    common[k].map(|slot| (slot - offset) as u16),
                )
            })
            .collect();
        Self { class, tile, rows: members.to_vec(), slots: Slots::new(slots, n), schedules }
    }
}

/// The rows of a chunk by value of one feature: scratch of [`ValueLists::deal`].
#[derive(Default)]
struct ValueLists {
    /// Where each value's rows begin, then where they end.
    ends: Vec<u16>,
    /// Rows by value, those of the common value last.
    rows: Vec<u16>,
    /// Values and their numbers of rows.
    live: Vec<(u16, u16)>,
}

impl ValueLists {
    /// One row of each value in turn; the columns of the common value hear the rows of all others.
    fn deal(
        &mut self,
        values: impl Iterator<Item = u16> + Clone,
        levels: usize,
        common: Option<u16>,
    ) -> Schedule {
        if let (2, Some(common)) = (levels, common) {
            // the rows of one value are what the columns of either listen to; without a branch on
            // it
            let (mut of_value, mut count) = ([0u16; CHUNK], 0);
            for (row, value) in (0..).zip(values) {
                of_value[count] = row;
                count += usize::from(value != common);
            }
            return Schedule::alone(&of_value[..count]);
        }
        let Self { ends, rows, live } = self;
        ends.clear();
        ends.resize(levels, 0);
        values.clone().for_each(|v| ends[usize::from(v)] += 1);
        live.clear();
        let mut others = 0;
        for (value, end) in ends.iter_mut().enumerate() {
            let count = *end;
            *end = others;
            if common != Some(value as u16) && count > 0 {
                live.push((value as u16, count));
                others += count;
            }
        }
        if let Some(common) = common {
            ends[usize::from(common)] = others;
        }
        rows.resize(CHUNK, 0);
        for (row, value) in values.enumerate() {
            let at = &mut ends[usize::from(value)];
            rows[usize::from(*at)] = row as u16;
            *at += 1;
        }
        let mut begin = 0;
        let of_value = |&(value, count): &(u16, u16)| {
            begin += usize::from(count);
            (value, &rows[begin - usize::from(count)..begin])
        };
        let mut lists: Vec<(u16, &[u16])> = live.iter().map(of_value).collect();
        lists.extend(common.map(|common| (common, &rows[..usize::from(others)])));
        Schedule::deal(&mut lists)
    }
}

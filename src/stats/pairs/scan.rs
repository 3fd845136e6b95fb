//! Rows in words, tiles and chunks, and the merge schedules of the active rows.
//!
//! Rows are sorted by class and cut into words of 64 of one class; a tile is as many words as a vector has. A chunk is a few
//! words of one class and one tile whose distances stay in the first-level cache while all features read them. For a feature the
//! rows of a chunk are dealt out by value: step s holds the s-th row of every value that has one. Columns
//! listen only to the row of their own value, so a step costs one merged number a row and *one* decoding and carry-save
//! addition, whatever the number of values. Schedules depend on the rows alone and serve all tiles. Memory:
//! about 4 to 6 bytes a cell.

use super::input::Rows;
use crate::simd::{Schedule, Slots};
use std::ops::Range;

/// Most words of a chunk.
const CHUNK_WORDS: usize = 2;

/// Most rows of a chunk.
pub(super) const CHUNK: usize = 64 * CHUNK_WORDS;

/// A tile of columns: words with their class and rows.
#[derive(Debug)]
pub(super) struct Tile {
    /// Position among the tiles.
    pub index: usize,
    /// Class and rows of each word.
    pub words: Vec<(usize, Range<usize>)>,
    /// Runs of words of one class.
    pub runs: Vec<(usize, Range<usize>)>,
}

/// Rows in tiles of `words` words.
pub(super) fn tiles(rows: &Rows, words: usize) -> Vec<Tile> {
    let mut all = Vec::new();
    for class in 0..rows.starts.len() - 1 {
        let (begin, end) = (rows.starts[class], rows.starts[class + 1]);
        all.extend((begin..end).step_by(64).map(|at| (class, at..(at + 64).min(end))));
    }
    let mut tiles = Vec::new();
    for (index, words) in all.chunks(words).enumerate() {
        let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
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
    /// One schedule a feature, slots counted from the feature's first.
    pub schedules: Vec<Schedule>,
}

/// All active rows: `bits[b]` holds the rows whose multiplicity has bit b set, by class.
#[derive(Debug)]
pub(super) struct Scan {
    pub bits: Vec<Vec<Chunk>>,
    /// Decodings and additions that a row costs for each distance: steps a row, summed over features, and one.
    pub steps: f64,
}

impl Scan {
    /// Cut and schedule.
    pub fn new(rows: &Rows, tiles: &[Tile]) -> Self {
        let top = rows.weights.iter().fold(0, |a, &w| a | w);
        let bits: Vec<Vec<Chunk>> = (0..32 - top.leading_zeros()).map(|b| chunks(rows, tiles, b)).collect();
        let all = || bits.iter().flatten();
        let steps: usize = all().flat_map(|c| &c.schedules).map(Schedule::len).sum();
        let steps = 1.0 + steps as f64 / all().map(|c| c.rows.len()).sum::<usize>() as f64;
        Self { bits, steps }
    }
}

fn chunks(rows: &Rows, tiles: &[Tile], bit: u32) -> Vec<Chunk> {
    let mut out = Vec::new();
    for tile in tiles {
        for (class, run) in &tile.runs {
            for words in tile.words[run.clone()].chunks(CHUNK_WORDS) {
                let of_bit = |&i: &u32| rows.weights[i as usize] >> bit & 1 == 1;
                let all = words.iter().flat_map(|w| w.1.start as u32..w.1.end as u32);
                let members: Vec<u32> = all.filter(of_bit).collect();
                if !members.is_empty() {
                    out.push(Chunk::new(rows, *class, tile.index, &members));
                }
            }
        }
    }
    out
}

impl Chunk {
    fn new(rows: &Rows, class: usize, tile: usize, members: &[u32]) -> Self {
        let n = rows.features;
        let mut slots = Vec::with_capacity(members.len() * n);
        for &i in members {
            slots.extend_from_slice(rows.row(i as usize));
        }
        let mut first = Vec::new();
        let mut next = vec![0u16; members.len()];
        let schedules = (0..n)
            .map(|k| {
                let offset = rows.offsets[k];
                let levels = (rows.offsets[k + 1] - offset) as usize;
                schedule(&slots[k..], n, offset, levels, &mut first, &mut next)
            })
            .collect();
        Self { class, tile, rows: members.to_vec(), slots: Slots::new(slots, n), schedules }
    }
}

const NONE: u16 = u16::MAX;

/// Deal the rows out by value: a linked list a value, one row of each in turn.
fn schedule(
    slots: &[u32],
    stride: usize,
    offset: u32,
    levels: usize,
    first: &mut Vec<u16>,
    next: &mut [u16],
) -> Schedule {
    first.clear();
    first.resize(levels, NONE);
    let rows = next.len();
    for row in (0..rows).rev() {
        let value = (slots[row * stride] - offset) as usize;
        next[row] = first[value];
        first[value] = row as u16;
    }
    let mut live: Vec<(u16, u16)> =
        first.iter().enumerate().filter(|(_, f)| **f != NONE).map(|(v, &f)| (v as u16, f)).collect();
    let mut out = Schedule::with_capacity(rows, rows / live.len().max(1) + 16);
    while !live.is_empty() {
        for (s, (value, row)) in live.iter_mut().enumerate() {
            if s == 0 {
                out.begin(*row, *value);
            } else {
                out.join(*row, *value);
            }
            *row = next[*row as usize];
        }
        live.retain(|(_, row)| *row != NONE);
    }
    out
}

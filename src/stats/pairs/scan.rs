//! The active rows of a pass, cut into chunks of one class, with a merge schedule a feature.
//!
//! A chunk's masks of two distances stay in the first-level cache while all features read them. For a feature the
//! rows of a chunk are dealt out by value: step s holds the s-th row of every value that has one. Columns
//! listen only to the row of their own value, so a step costs one masked union a row and *one* carry-save
//! addition, whatever the number of values. Schedules depend on the rows alone and serve all tiles. Memory:
//! about 4 to 6 bytes a cell.

use super::input::Rows;
use crate::simd::Schedule;

/// Rows of a chunk; two masks of 64 bytes for each fit 32 KiB.
pub(super) const CHUNK: usize = 248;

/// Some rows of one class that count with the same power of two.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Class of all rows.
    pub class: usize,
    /// Index of the rows among the gathered ones (ascending).
    pub rows: Vec<u32>,
    /// Slots, row-major.
    pub slots: Vec<u32>,
    /// One schedule a feature, slots counted from the feature's first.
    pub schedules: Vec<Schedule>,
}

/// All active rows: `bits[b]` holds the rows whose multiplicity has bit b set, by class.
#[derive(Debug)]
pub(super) struct Scan {
    pub bits: Vec<Vec<Chunk>>,
}

impl Scan {
    /// Cut and schedule.
    pub fn new(rows: &Rows) -> Self {
        let top = rows.weights.iter().fold(0, |a, &w| a | w);
        let bits = (0..32 - top.leading_zeros()).map(|b| chunks(rows, b)).collect();
        Self { bits }
    }
}

fn chunks(rows: &Rows, bit: u32) -> Vec<Chunk> {
    let mut out = Vec::new();
    for class in 0..rows.starts.len() - 1 {
        let members: Vec<u32> = (rows.starts[class]..rows.starts[class + 1])
            .filter(|&i| rows.weights[i] >> bit & 1 == 1)
            .map(|i| i as u32)
            .collect();
        if members.is_empty() {
            continue;
        }
        let size = members.len().div_ceil(members.len().div_ceil(CHUNK));
        out.extend(members.chunks(size).map(|m| Chunk::new(rows, class, m)));
    }
    out
}

impl Chunk {
    fn new(rows: &Rows, class: usize, members: &[u32]) -> Self {
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
        Self { class, rows: members.to_vec(), slots, schedules }
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
    let mut out = Schedule::default();
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

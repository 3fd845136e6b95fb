//! The records of the nodes ([`NodeRecords`]): a node has a range of them, which is brought into the
//! order of its branches when it is split.
//!
//! A record is the codes of a row, its class and its weight ([`crate::bins::RowLayout`]). O(bytes
//! of the node's records) per split and no memory; small nodes ([`super::small`]) are split without
//! it. The order of records within a node has no meaning.

use super::context::BinnedContext;
use crate::bins::Records;

/// A contiguous slice of the records. Ranges of nodes are relative to all records.
#[derive(Debug)]
pub(super) struct NodeRecords<'b> {
    /// Place of the first record of the slice among all.
    base: usize,
    /// Bytes per record.
    width: usize,
    records: &'b mut [u8],
}

/// The rows of a node as a range of the records.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordRange {
    pub start: usize,
    pub len: usize,
}

/// How the code of the split feature decides a row's branch.
#[derive(Debug, Clone, Copy)]
pub(super) enum Branching<'a> {
    /// Codes up to `at`, codes above it, and the code `missing`, where that has a branch.
    Cut { at: u32, missing: Option<u32> },
    /// The branch of each code.
    Codes(&'a [u16]),
}

impl<'b> NodeRecords<'b> {
    /// All records.
    pub fn new(records: &'b mut Records) -> Self {
        Self { base: 0, width: records.layout.width, records: &mut records.bytes }
    }

    /// The bytes of a node within the slice.
    fn bytes(&self, range: RecordRange) -> std::ops::Range<usize> {
        let start = range.start - self.base;
        start * self.width..(start + range.len) * self.width
    }

    /// The records of a node, one after the other.
    pub fn rows(&self, range: RecordRange) -> &[u8] {
        &self.records[self.bytes(range)]
    }

    /// Bring the records of a node into the order of their branches; returns the number of records
    /// of each branch.
    pub fn partition(
        &mut self,
        context: &BinnedContext<'_>,
        range: RecordRange,
        feature: usize,
        how: Branching<'_>,
        branches: usize,
    ) -> Vec<u32> {
        let (bytes, width, layout) = (self.bytes(range), self.width, context.layout);
        let rows = &mut self.records[bytes];
        // A threshold alone divides in two.
        if let Branching::Cut { at, missing: None } = how {
            let left = if layout.wide {
                in_two(rows, width, |row| layout.code(row, feature) <= at)
            } else {
                let at = at as u8;
                in_two(rows, width, |row| row[feature] <= at)
            };
            return vec![left as u32, (range.len - left) as u32];
        }
        // Any other split counts the branches first. Then a record that lies at the next place of
        // one branch and belongs to another changes places with the record at the next place there.
        let branch = |row: &[u8]| {
            let code = layout.code(row, feature);
            match how {
                Branching::Cut { missing, .. } if missing == Some(code) => 2,
                Branching::Cut { at, .. } => usize::from(code > at),
                Branching::Codes(branch_of) => usize::from(branch_of[code as usize]),
            }
        };
        let mut sizes = vec![0_u32; branches];
        rows.chunks_exact(width).for_each(|row| sizes[branch(row)] += 1);
        let mut end = 0;
        let starts = sizes.iter().map(|&size| (end, end += size as usize).0);
        let mut next: Vec<usize> = starts.collect();
        let mut end = 0;
        for (own, &size) in sizes.iter().enumerate() {
            end += size as usize;
            while next[own] < end {
                let at = next[own];
                let other = branch(&rows[at * width..][..width]);
                if other != own {
                    swap(rows, width, at, next[other]);
                }
                next[other] += 1;
            }
        }
        sizes
    }

    /// Disjoint slices, one per range of rows (ascending, without overlap).
    pub fn divide(self, ranges: &[RecordRange]) -> Vec<Self> {
        let Self { base, width, mut records } = self;
        let mut at = base;
        let mut out = Vec::with_capacity(ranges.len());
        for &RecordRange { start, len } in ranges {
            // Skip the records before the range and take its own.
            let (own, rest) = records[(start - at) * width..].split_at_mut(len * width);
            out.push(Self { base: start, width, records: own });
            (records, at) = (rest, start + len);
        }
        out
    }
}

/// Records that are compared with a threshold before any of them moves.
const BLOCK: usize = u64::BITS as usize;

/// Move the records that go left to the front; returns their number. Common widths are compiled as
/// constants.
fn in_two(rows: &mut [u8], width: usize, left: impl Fn(&[u8]) -> bool) -> usize {
    match width {
        8 => in_two_of(rows, 8, left),
        16 => in_two_of(rows, 16, left),
        24 => in_two_of(rows, 24, left),
        32 => in_two_of(rows, 32, left),
        40 => in_two_of(rows, 40, left),
        48 => in_two_of(rows, 48, left),
        64 => in_two_of(rows, 64, left),
        _ => in_two_of(rows, width, left),
    }
}

/// [`in_two`] by blocks from both ends (Edelkamp and Weiß, *BlockQuicksort*, 2016): a bit per
/// record says which lie on the wrong side, without a branch to predict, and two of those change
/// places. Half of the records move if a split is balanced; to copy all of them to a second buffer
/// took 1.0 to 1.7 times as long.
#[inline(always)]
fn in_two_of(rows: &mut [u8], width: usize, left: impl Fn(&[u8]) -> bool) -> usize {
    let (mut from, mut to) = (0, rows.len() / width);
    let is_left = |rows: &[u8], at: usize| left(&rows[at * width..][..width]);
    // The records of the first open block that go right, and those of the last that go left.
    let (mut goes_right, mut goes_left) = (0_u64, 0_u64);
    while to - from >= 2 * BLOCK {
        if goes_right == 0 {
            for i in 0..BLOCK {
                goes_right |= u64::from(!is_left(rows, from + i)) << i;
            }
        }
        if goes_left == 0 {
            for i in 0..BLOCK {
                goes_left |= u64::from(is_left(rows, to - 1 - i)) << i;
            }
        }
        for _ in 0..goes_right.count_ones().min(goes_left.count_ones()) {
            let (a, b) = (goes_right.trailing_zeros(), goes_left.trailing_zeros());
            swap(rows, width, from + a as usize, to - 1 - b as usize);
            goes_right &= goes_right - 1;
            goes_left &= goes_left - 1;
        }
        from += if goes_right == 0 { BLOCK } else { 0 };
        to -= if goes_left == 0 { BLOCK } else { 0 };
    }
    // The rest, one by one.
    while from < to {
        if is_left(rows, from) {
            from += 1;
        } else {
            to -= 1;
            if from < to {
                swap(rows, width, from, to);
            }
        }
    }
    from
}

/// Let two records change places; `b` lies behind `a`.
#[inline(always)]
fn swap(rows: &mut [u8], width: usize, a: usize, b: usize) {
    let (front, back) = rows.split_at_mut(b * width);
    front[a * width..][..width].swap_with_slice(&mut back[..width]);
}

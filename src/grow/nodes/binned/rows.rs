//! The records of the nodes ([`NodeRecords`]): a node has a range of them, which is brought into
//! the order of its branches when it is split.
//!
//! A record is the codes of a row, its class and its weight ([`crate::bins::RowLayout`]). Records
//! are exchanged in place, so a split takes O(bytes of the node's records) and no memory. The order
//! of records within a node has no meaning, which is why the partition need not be stable. Small
//! nodes ([`super::small`]) are split without moving a record.

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
    /// All records of a tree, as one slice for the worker that begins at the root. The slice
    /// borrows them, and splits exchange them in place.
    pub fn new(records: &'b mut Records) -> Self {
        Self { base: 0, width: records.layout.width, records: &mut records.bytes }
    }

    /// The places of a node's bytes within the slice.
    fn bytes(&self, range: RecordRange) -> std::ops::Range<usize> {
        let start = range.start - self.base;
        start * self.width..(start + range.len) * self.width
    }

    /// The records of a node, one after the other, as bytes. Their order has no meaning, and
    /// changes when the node is split.
    pub fn rows(&self, range: RecordRange) -> &[u8] {
        &self.records[self.bytes(range)]
    }

    /// Bring the records of a node into the order of their branches; returns the number of records
    /// of each branch.
    ///
    /// `range` are the records of the node, `feature` is the feature of the split, and `branching`
    /// says how its code decides the branch. There are `branches` branches; a branch may stay
    /// empty.
    pub fn partition(
        &mut self,
        context: &BinnedContext<'_>,
        range: RecordRange,
        feature: usize,
        branching: Branching<'_>,
        branches: usize,
    ) -> Vec<u32> {
        let (bytes, width, layout) = (self.bytes(range), self.width, context.layout);
        let rows = &mut self.records[bytes];
        // A threshold without a branch for missing values divides in two.
        if let Branching::Cut { at, missing: None } = branching {
            let n_left = if layout.wide {
                divide_in_two(rows, width, |row| layout.code(row, feature) <= at)
            } else {
                let at = at as u8;
                divide_in_two(rows, width, |row| row[feature] <= at)
            };
            return vec![n_left as u32, (range.len - n_left) as u32];
        }
        divide_by_branch(rows, width, branches, |row| {
            let code = layout.code(row, feature);
            match branching {
                Branching::Cut { missing, .. } if missing == Some(code) => 2,
                Branching::Cut { at, .. } => usize::from(code > at),
                Branching::Codes(branch_of) => usize::from(branch_of[code as usize]),
            }
        })
    }

    /// Disjoint slices, one per range of rows. The ranges must ascend and may not overlap; records
    /// between them are given up.
    pub fn divide(self, ranges: &[RecordRange]) -> Vec<Self> {
        let Self { base, width, mut records } = self;
        let mut records_start = base;
        let mut slices = Vec::with_capacity(ranges.len());
        for &RecordRange { start, len } in ranges {
            let skipped = (start - records_start) * width;
            let (of_range, rest) = records[skipped..].split_at_mut(len * width);
            slices.push(Self { base: start, width, records: of_range });
            (records, records_start) = (rest, start + len);
        }
        slices
    }
}

/// Bring records into the order of their branches; returns the number of records of each branch.
///
/// The branches are counted first, which gives the range of each. Then a record that lies in the
/// range of one branch and belongs to another changes places with the record at the first place of
/// that other branch which is not settled yet: each exchange settles one record.
fn divide_by_branch(
    rows: &mut [u8],
    width: usize,
    branches: usize,
    branch_of: impl Fn(&[u8]) -> usize,
) -> Vec<u32> {
    let mut sizes = vec![0_u32; branches];
    rows.chunks_exact(width).for_each(|row| sizes[branch_of(row)] += 1);
    // The first place of each branch whose record is not settled.
    let mut unsettled = Vec::with_capacity(branches);
    let mut start = 0;
    for &size in &sizes {
        unsettled.push(start);
        start += size as usize;
    }
    let mut end = 0;
    for (branch, &size) in sizes.iter().enumerate() {
        end += size as usize;
        while unsettled[branch] < end {
            let place = unsettled[branch];
            let target = branch_of(&rows[place * width..][..width]);
            if target != branch {
                swap(rows, width, place, unsettled[target]);
            }
            unsettled[target] += 1;
        }
    }
    sizes
}

/// Records that are compared with a threshold before any of them moves: one bit each of a word.
const BLOCK: usize = u64::BITS as usize;

/// Move the records that go left to the front; returns their number.
///
/// Common widths are compiled as constants, so that a record is exchanged by a few instructions
/// instead of a call that copies memory.
fn divide_in_two(rows: &mut [u8], width: usize, goes_left: impl Fn(&[u8]) -> bool) -> usize {
    match width {
        8 => divide_blocks(rows, 8, goes_left),
        16 => divide_blocks(rows, 16, goes_left),
        24 => divide_blocks(rows, 24, goes_left),
        32 => divide_blocks(rows, 32, goes_left),
        40 => divide_blocks(rows, 40, goes_left),
        48 => divide_blocks(rows, 48, goes_left),
        64 => divide_blocks(rows, 64, goes_left),
        _ => divide_blocks(rows, width, goes_left),
    }
}

/// [`divide_in_two`] by blocks from both ends (Edelkamp and Weiß, *BlockQuicksort*, 2016).
///
/// A bit per record says which records lie on the wrong side, without a branch to predict, and two
/// such records change places. Half of the records move if a split is balanced. To copy all of them
/// to a second buffer was tried, and took 1.0 to 1.7 times as long.
#[inline(always)]
fn divide_blocks(rows: &mut [u8], width: usize, goes_left: impl Fn(&[u8]) -> bool) -> usize {
    // Records before `front` are settled on the left, records from `back` on are settled on the
    // right.
    let (mut front, mut back) = (0, rows.len() / width);
    let is_left = |rows: &[u8], place: usize| goes_left(&rows[place * width..][..width]);
    // Records of the block at the front that go right, and of the block at the back that go left.
    let (mut to_right, mut to_left) = (0_u64, 0_u64);
    while back - front >= 2 * BLOCK {
        if to_right == 0 {
            for i in 0..BLOCK {
                to_right |= u64::from(!is_left(rows, front + i)) << i;
            }
        }
        if to_left == 0 {
            for i in 0..BLOCK {
                to_left |= u64::from(is_left(rows, back - 1 - i)) << i;
            }
        }
        for _ in 0..to_right.count_ones().min(to_left.count_ones()) {
            let (in_front, in_back) = (to_right.trailing_zeros(), to_left.trailing_zeros());
            swap(rows, width, front + in_front as usize, back - 1 - in_back as usize);
            // Clear the lowest bit of both.
            to_right &= to_right - 1;
            to_left &= to_left - 1;
        }
        front += if to_right == 0 { BLOCK } else { 0 };
        back -= if to_left == 0 { BLOCK } else { 0 };
    }
    // Fewer than two blocks are left: one record at a time.
    while front < back {
        if is_left(rows, front) {
            front += 1;
        } else {
            back -= 1;
            if front < back {
                swap(rows, width, front, back);
            }
        }
    }
    front
}

/// Exchange two records of `width` bytes; record `b` must lie behind record `a`.
#[inline(always)]
fn swap(rows: &mut [u8], width: usize, a: usize, b: usize) {
    let (front, back) = rows.split_at_mut(b * width);
    front[a * width..][..width].swap_with_slice(&mut back[..width]);
}

//! The records of the nodes ([`RecordBuffers`]): two buffers, from one of which a node's records
//! are copied to the other, branch by branch, when it is split.
//!
//! A record is the codes of a row, its class and its weight ([`crate::bins::RowLayout`]). O(bytes
//! of the node's records) per split; small nodes ([`super::small`]) are split without it.

use super::context::BinnedContext;

/// A contiguous slice of both buffers. Ranges of nodes are relative to the whole buffers.
#[derive(Debug)]
pub(super) struct RecordBuffers<'b> {
    /// Place of the first record in the whole buffers.
    base: usize,
    /// Bytes per record.
    width: usize,
    buffers: [&'b mut [u8]; 2],
}

/// The rows of a node as a range of the buffers.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordRange {
    pub start: usize,
    pub len: usize,
    /// Which of the two buffers holds them.
    pub buffer: usize,
}

/// How the code of the split feature decides a row's branch.
#[derive(Debug, Clone, Copy)]
pub(super) enum Branching<'a> {
    /// Codes up to `at`, codes above it, and the code `missing`, where that has a branch.
    Cut { at: u32, missing: Option<u32> },
    /// The branch of each code.
    Codes(&'a [u16]),
}

impl<'b> RecordBuffers<'b> {
    /// Slices of all records, of `width` bytes each.
    pub fn new(width: usize, a: &'b mut [u8], b: &'b mut [u8]) -> Self {
        Self { base: 0, width, buffers: [a, b] }
    }

    /// The bytes of a node within the slices.
    fn bytes(&self, range: RecordRange) -> std::ops::Range<usize> {
        let start = range.start - self.base;
        start * self.width..(start + range.len) * self.width
    }

    /// The records of a node, one after the other, from the buffer that the range names.
    pub fn rows(&self, range: RecordRange) -> &[u8] {
        &self.buffers[range.buffer][self.bytes(range)]
    }

    /// Copy the records of a node into the other buffer, branch by branch; returns the number of
    /// records of each branch.
    pub fn partition(
        &mut self,
        context: &BinnedContext<'_>,
        range: RecordRange,
        feature: usize,
        how: Branching<'_>,
        branches: usize,
    ) -> Vec<u32> {
        let (bytes, width, layout) = (self.bytes(range), self.width, context.layout);
        let [a, b] = &mut self.buffers;
        let (from, to) = if range.buffer == 0 { (a, b) } else { (b, a) };
        let (from, to) = (&from[bytes.clone()], &mut to[bytes]);
        // A threshold alone divides in two.
        if let Branching::Cut { at, missing: None } = how {
            let left = if layout.wide {
                in_two(from, to, width, |row| layout.code(row, feature) <= at)
            } else {
                let at = at as u8;
                in_two(from, to, width, |row| row[feature] <= at)
            };
            return vec![left as u32, (range.len - left) as u32];
        }
        // Any other split counts the branches first, then fills them in.
        let branch = |row: &[u8]| {
            let code = layout.code(row, feature);
            match how {
                Branching::Cut { missing, .. } if missing == Some(code) => 2,
                Branching::Cut { at, .. } => usize::from(code > at),
                Branching::Codes(branch_of) => usize::from(branch_of[code as usize]),
            }
        };
        let mut sizes = vec![0_u32; branches];
        from.chunks_exact(width).for_each(|row| sizes[branch(row)] += 1);
        let mut places = Vec::with_capacity(branches);
        let mut start = 0;
        for &size in &sizes {
            places.push(start);
            start += size as usize * width;
        }
        for row in from.chunks_exact(width) {
            let place = &mut places[branch(row)];
            to[*place..*place + width].copy_from_slice(row);
            *place += width;
        }
        sizes
    }

    /// Disjoint slices, one per range of rows (ascending, without overlap).
    pub fn divide(self, ranges: &[RecordRange]) -> Vec<Self> {
        let Self { base, width, buffers: [mut a, mut b] } = self;
        let mut at = base;
        let mut out = Vec::with_capacity(ranges.len());
        for &RecordRange { start, len, .. } in ranges {
            // Of each slice that is left, skip the records before the range and take those of it.
            let take = |buffer: &mut &'b mut [u8]| {
                let rest = std::mem::take(buffer);
                let (own, rest) = rest[(start - at) * width..].split_at_mut(len * width);
                *buffer = rest;
                own
            };
            let buffers = [take(&mut a), take(&mut b)];
            out.push(Self { base: start, width, buffers });
            at = start + len;
        }
        out
    }
}

/// Copy records to the front (left) or to the back (right) of `to`; returns the number on the left.
/// The order on the right is reversed. Common widths are compiled as constants.
fn in_two(from: &[u8], to: &mut [u8], width: usize, left: impl Fn(&[u8]) -> bool) -> usize {
    match width {
        8 => in_two_of::<8>(from, to, left),
        16 => in_two_of::<16>(from, to, left),
        24 => in_two_of::<24>(from, to, left),
        32 => in_two_of::<32>(from, to, left),
        40 => in_two_of::<40>(from, to, left),
        48 => in_two_of::<48>(from, to, left),
        64 => in_two_of::<64>(from, to, left),
        _ => {
            let (mut front, mut back) = (0, from.len());
            for row in from.chunks_exact(width) {
                if left(row) {
                    to[front..front + width].copy_from_slice(row);
                    front += width;
                } else {
                    back -= width;
                    to[back..back + width].copy_from_slice(row);
                }
            }
            front / width
        }
    }
}

/// [`in_two`] for records of `N` bytes: each is written at both ends, and one of the two places
/// moves on, so that there is no branch to predict.
fn in_two_of<const N: usize>(from: &[u8], to: &mut [u8], left: impl Fn(&[u8]) -> bool) -> usize {
    let (from, _) = from.as_chunks::<N>();
    let (to, _) = to.as_chunks_mut::<N>();
    let (mut front, mut back) = (0, from.len());
    for row in from {
        let goes = usize::from(left(row));
        to[front] = *row;
        to[back - 1] = *row;
        front += goes;
        back -= 1 - goes;
    }
    front
}

//! Stable partition of a node's range by branch, so that its children are ranges.
//!
//! [`row_buffers`](super::row_buffers) partitions each sorted order and the coded rows with these
//! functions when a node is split. Orders stay sorted, and an entry is tied in its new place when
//! an earlier entry of the same value went to the same branch. Ranges of finished leaves are not
//! needed again and may be left unwritten: an argument `keep` says which branches have a use for
//! their rows. O(rows) per order.

use crate::data::{Bits, entry_row, entry_tied};
use crate::simd::Level;
use crate::simd::columns::{self, SLACK};

/// Partition an order in two by the bit of each row: rows with a bit in `right` go right, and
/// `n_left` rows go left. The range of a branch that is not kept is left in an unspecified state.
/// `scratch` is memory of any length, which grows as needed.
pub(super) fn order_in_two(
    order: &mut [u32],
    right: &Bits,
    n_left: usize,
    keep: [bool; 2],
    scratch: &mut Vec<u32>,
) {
    if scratch.len() < order.len() + SLACK {
        scratch.resize(order.len() + SLACK, 0);
    }
    let left = columns::partition(Level::active(), order, right.words(), scratch);
    debug_assert_eq!(left, n_left);
    if keep[1] {
        let n_right = order.len() - n_left;
        order[n_left..].copy_from_slice(&scratch[..n_right]);
    }
}

/// Partition an order in three: rows without a bit in `later` come first, rows with a bit in `last`
/// come last. `sizes` are the rows of each branch. The range of a branch that is not kept is left
/// in an unspecified state.
pub(super) fn order_in_three(
    order: &mut [u32],
    [later, last]: [&Bits; 2],
    sizes: [usize; 3],
    keep: [bool; 3],
    scratch: &mut Vec<u32>,
) {
    // The second and the third branch leave the order together, then the third leaves the second.
    let rest = sizes[1] + sizes[2];
    let room = order.len() + rest + 2 * SLACK;
    if scratch.len() < room {
        scratch.resize(room, 0);
    }
    let (rest_in, last_in) = scratch.split_at_mut(order.len() + SLACK);
    let first = columns::partition(Level::active(), order, later.words(), rest_in);
    debug_assert_eq!(first, sizes[0]);
    if keep[1] || keep[2] {
        let second =
            columns::partition(Level::active(), &mut rest_in[..rest], last.words(), last_in);
        debug_assert_eq!(second, sizes[1]);
        let (middle, end) = order[first..].split_at_mut(second);
        middle.copy_from_slice(&rest_in[..second]);
        end.copy_from_slice(&last_in[..sizes[2]]);
    }
}

/// Partition an order by the branch of each row of the data set, `branch_of`; `starts` has the
/// first place of each branch. All branches are written.
pub(super) fn order_by_branch(
    order: &mut [u32],
    branch_of: &[u16],
    starts: &[u32],
    scratch: &mut Vec<u32>,
) {
    scratch.clear();
    scratch.extend_from_slice(order);
    let mut next = starts.to_vec();
    // Entries of one value are a group, and each branch knows the last group that it got.
    let mut last_group = vec![0_u32; starts.len()];
    let mut group = 0_u32;
    for &entry in scratch.iter() {
        group += entry_tied(entry) ^ 1;
        let branch = branch_of[entry_row(entry) as usize] as usize;
        order[next[branch] as usize] = (entry & !1) | u32::from(last_group[branch] == group);
        next[branch] += 1;
        last_group[branch] = group;
    }
}

/// Coded rows in one of two buffers: the bytes of the nominal codes, row by row, with the class and
/// the number of each row.
pub(super) struct CodedBuffer<'a> {
    pub codes: &'a mut [u8],
    pub classes: &'a mut [u16],
    pub rows: &'a mut [u32],
}

/// Copy the coded rows of a range, `row_bytes` bytes of codes each, from one buffer to the other,
/// branch by branch; rows of branches that are not kept are not copied. `starts` has the first
/// place of each branch within the range, and `branch_of` gives the branch of a row of the data
/// set.
pub(super) fn coded_by_branch(
    from: &CodedBuffer<'_>,
    to: &mut CodedBuffer<'_>,
    range: std::ops::Range<usize>,
    row_bytes: usize,
    starts: &[u32],
    keep: &[bool],
    branch_of: impl Fn(u32) -> usize,
) {
    let mut next: Vec<usize> = starts.iter().map(|&start| range.start + start as usize).collect();
    for i in range {
        let row = from.rows[i];
        let branch = branch_of(row);
        let place = next[branch];
        next[branch] += 1;
        if keep[branch] {
            to.rows[place] = row;
            to.classes[place] = from.classes[i];
            to.codes[place * row_bytes..(place + 1) * row_bytes]
                .copy_from_slice(&from.codes[i * row_bytes..(i + 1) * row_bytes]);
        }
    }
}

//! Stable partition of a node's range by branch, so that its children are ranges.
//!
//! [`row_buffers`](super::row_buffers) partitions each sorted order and the coded rows with these
//! functions when a node is split. Orders stay sorted, and an entry is tied in its new place when
//! an earlier entry of the same value went to the same branch. Ranges of finished leaves are not
//! needed again and may be left unwritten (`keep`). O(rows) per order.

use crate::data::{Bits, entry_row, entry_tied};
use crate::simd::Level;
use crate::simd::columns::{self, SLACK};

/// Partition an order in two by the bit of each row (1 goes right). The range of a branch that is
/// not kept is left in an unspecified state.
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

/// Partition an order in three: rows without a bit in `later` come first, those with one in `last`
/// come last. The range of a branch that is not kept is left in an unspecified state.
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

/// Partition an order by the branch of each row; `starts[b]` is the first place of branch `b`.
pub(super) fn order_by_branch(
    order: &mut [u32],
    branch: &[u16],
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
        let b = branch[entry_row(entry) as usize] as usize;
        order[next[b] as usize] = (entry & !1) | u32::from(last_group[b] == group);
        next[b] += 1;
        last_group[b] = group;
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
/// branch by branch; rows of branches that are not kept are not copied.
pub(super) fn coded_by_branch(
    from: &CodedBuffer<'_>,
    to: &mut CodedBuffer<'_>,
    range: std::ops::Range<usize>,
    row_bytes: usize,
    starts: &[u32],
    keep: &[bool],
    branch: impl Fn(u32) -> usize,
) {
    let mut next: Vec<usize> = starts.iter().map(|&s| range.start + s as usize).collect();
    for i in range {
        let row = from.rows[i];
        let b = branch(row);
        let place = next[b];
        next[b] += 1;
        if keep[b] {
            to.rows[place] = row;
            to.classes[place] = from.classes[i];
            to.codes[place * row_bytes..(place + 1) * row_bytes]
                .copy_from_slice(&from.codes[i * row_bytes..(i + 1) * row_bytes]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::pack_entry;
    use crate::numeric::mix;

    #[test]
    fn partitions_keep_order_and_ties() {
        for seed in 0..200_u64 {
            let n = (mix(seed, 1) % 60) as usize;
            let values: Vec<u64> = (0..n as u64).map(|i| mix(seed, 100 + i) % 7).collect();
            let branch: Vec<u16> = (0..n as u64).map(|i| (mix(seed, 900 + i) % 3) as u16).collect();
            let mut rows: Vec<u32> = (0..n as u32).collect();
            rows.sort_by_key(|&r| values[r as usize]);
            let entries = |rows: &[u32]| -> Vec<u32> {
                (0..rows.len())
                    .map(|i| {
                        let tied =
                            i > 0 && values[rows[i] as usize] == values[rows[i - 1] as usize];
                        pack_entry(rows[i], tied)
                    })
                    .collect()
            };
            let order = entries(&rows);
            let parts: Vec<Vec<u32>> = (0..3)
                .map(|b| rows.iter().copied().filter(|&r| branch[r as usize] == b).collect())
                .collect();
            let starts = [0, parts[0].len() as u32, (parts[0].len() + parts[1].len()) as u32];
            let mut many = order.clone();
            order_by_branch(&mut many, &branch, &starts, &mut Vec::new());
            let expected: Vec<u32> = parts.iter().flat_map(|p| entries(p)).collect();
            assert_eq!(many, expected);

            let bits = |from: u16| {
                let mut bits = Bits::new(n);
                rows.iter().filter(|&&r| branch[r as usize] >= from).for_each(|&r| bits.set(r));
                bits
            };
            let mut three = order.clone();
            let sizes = [parts[0].len(), parts[1].len(), parts[2].len()];
            order_in_three(&mut three, [&bits(1), &bits(2)], sizes, [true; 3], &mut Vec::new());
            assert_eq!(three, expected);
            let mut two_of_three = order.clone();
            order_in_three(
                &mut two_of_three,
                [&bits(1), &bits(2)],
                sizes,
                [true, false, true],
                &mut Vec::new(),
            );
            assert_eq!(two_of_three[..sizes[0]], expected[..sizes[0]]);
            assert_eq!(two_of_three[n - sizes[2]..], expected[n - sizes[2]..]);

            let mut bits = Bits::new(n);
            rows.iter().filter(|&&r| branch[r as usize] == 0).for_each(|&r| bits.set(r));
            let left: Vec<u32> =
                rows.iter().copied().filter(|&r| branch[r as usize] != 0).collect();
            let mut two = order.clone();
            order_in_two(&mut two, &bits, left.len(), [true; 2], &mut Vec::new());
            assert_eq!(two, [entries(&left), entries(&parts[0])].concat());
        }
    }
}

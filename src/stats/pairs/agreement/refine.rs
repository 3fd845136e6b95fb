//! Group numbers of rows, one column finer at a time.
//!
//! While the product of the numbers of values stays small the number is the mixed-radix code
//! itself; beyond that groups that occur are numbered by first occurrence, through a table of the
//! product where it fits and through a hash table where it does not. O(t) a column.

use super::super::input::CodeValues;

const FREE: u32 = u32::MAX;

/// Memory that is used again.
#[derive(Default)]
pub(super) struct RefineScratch {
    table: Vec<u32>,
    keys: Vec<u64>,
}

/// Split groups `of[i] < size` by a column of codes below `levels`; returns a bound of the new
/// numbers. A product up to `limit` is left with gaps where groups do not occur.
pub(super) fn refine(
    of: &mut [u32],
    size: usize,
    column: CodeValues<'_>,
    levels: usize,
    limit: usize,
    scratch: &mut RefineScratch,
) -> usize {
    match column {
        CodeValues::U8(c) => split(of, size, c, levels, limit, scratch),
        CodeValues::U16(c) => split(of, size, c, levels, limit, scratch),
    }
}

fn split<T: Copy + Into<u32>>(
    of: &mut [u32],
    size: usize,
    column: &[T],
    levels: usize,
    limit: usize,
    scratch: &mut RefineScratch,
) -> usize {
    let product = size.saturating_mul(levels);
    if product <= limit {
        let levels = levels as u32;
        of.iter_mut().zip(column).for_each(|(g, &v)| *g = *g * levels + v.into());
        return product;
    }
    let mut next = 0u32;
    if product <= of.len().saturating_mul(4).saturating_add(1024) {
        scratch.table.clear();
        scratch.table.resize(product, FREE);
        let levels = levels as u32;
        for (g, &v) in of.iter_mut().zip(column) {
            let number = &mut scratch.table[(*g * levels + v.into()) as usize];
            if *number == FREE {
                *number = next;
                next += 1;
            }
            *g = *number;
        }
        return next as usize;
    }
    let places = (of.len() * 2).next_power_of_two().max(16);
    scratch.table.clear();
    scratch.table.resize(places, FREE);
    scratch.keys.clear();
    for (g, &v) in of.iter_mut().zip(column) {
        let key = u64::from(*g) << 32 | u64::from(v.into());
        let mixed = (key ^ key >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut at = (mixed >> 20) as usize & (places - 1);
        loop {
            let number = scratch.table[at];
            if number == FREE {
                scratch.table[at] = next;
                scratch.keys.push(key);
                *g = next;
                next += 1;
                break;
            }
            if scratch.keys[number as usize] == key {
                *g = number;
                break;
            }
            at = (at + 1) & (places - 1);
        }
    }
    next as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_numbering_makes_the_same_groups() {
        let n = 500usize;
        let first: Vec<u8> = (0..n).map(|i| (i * i % 7) as u8).collect();
        let second: Vec<u16> = (0..n).map(|i| (i * 31 % 211) as u16).collect();
        // a limit above the product, one below it, and a product too large for a table
        for (limit, levels) in [(usize::MAX >> 1, 211), (0, 211), (0, 60_000)] {
            let (mut of, mut scratch) = (vec![0; n], RefineScratch::default());
            let size = refine(&mut of, 1, CodeValues::U8(&first), 7, limit, &mut scratch);
            let size = refine(&mut of, size, CodeValues::U16(&second), levels, limit, &mut scratch);
            assert!(of.iter().all(|&g| (g as usize) < size));
            for i in 0..n {
                for j in 0..n {
                    assert_eq!(of[i] == of[j], first[i] == first[j] && second[i] == second[j]);
                }
            }
        }
    }
}

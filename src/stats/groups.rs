//! Groups of rows that agree on a set of features, refined by one column at a time.
//!
//! While the product of the numbers of values is small, the number of a group is the mixed-radix
//! code of its values. Beyond a limit only groups that occur are numbered, in order of their first
//! row: through a table of the product where that is not much larger than the rows, else through a
//! hash table. O(t) per column for t rows.

/// Entry of a table that has no number yet.
const FREE: u32 = u32::MAX;

/// A partition of rows into groups, by the number of each row's group.
#[derive(Debug, Clone, Default)]
pub struct GroupNumbers {
    /// Group of each row, below `size`; numbers may have gaps.
    pub of_row: Vec<u32>,
    /// One more than the largest number of a group.
    pub size: usize,
}

/// Memory that is reused between columns.
#[derive(Debug, Default)]
pub struct RefineScratch {
    table: Vec<u32>,
    /// Keys of the groups, for the hash table.
    keys: Vec<u64>,
}

impl GroupNumbers {
    /// All rows in one group, number 0. Refining by the columns of a set starts here.
    pub fn single_group(rows: usize) -> Self {
        Self { of_row: vec![0; rows], size: 1 }
    }

    /// Split the groups by a column of codes below `levels`. Numbers have gaps only where the
    /// product of the sizes is at most `limit`; with a limit of 0, `size` is the number of groups.
    pub fn refine<T: Copy + Into<u32>>(
        &mut self,
        column: &[T],
        levels: usize,
        limit: usize,
        scratch: &mut RefineScratch,
    ) {
        self.size = split(&mut self.of_row, self.size, column, levels, limit, scratch);
    }
}

/// Split groups `of[i] < size` by `column`; returns the new size.
fn split<T: Copy + Into<u32>>(
    of: &mut [u32],
    size: usize,
    column: &[T],
    levels: usize,
    limit: usize,
    scratch: &mut RefineScratch,
) -> usize {
    // A small product: the mixed-radix code.
    let product = size.saturating_mul(levels);
    if product <= limit {
        let levels = levels as u32;
        of.iter_mut().zip(column).for_each(|(g, &v)| *g = *g * levels + v.into());
        return product;
    }
    // A product of a few times the rows: numbers by first occurrence, in a table of all codes.
    let mut next = 0u32;
    if product <= of.len().saturating_mul(8).saturating_add(1024) {
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
    // Else numbers by first occurrence, in a hash table of (group, code) with linear probing.
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
            let (mut groups, mut scratch) =
                (GroupNumbers::single_group(n), RefineScratch::default());
            groups.refine(&first, 7, limit, &mut scratch);
            groups.refine(&second, levels, limit, &mut scratch);
            assert!(groups.of_row.iter().all(|&g| (g as usize) < groups.size));
            for i in 0..n {
                for j in 0..n {
                    let same = first[i] == first[j] && second[i] == second[j];
                    assert_eq!(groups.of_row[i] == groups.of_row[j], same);
                }
            }
        }
    }
}

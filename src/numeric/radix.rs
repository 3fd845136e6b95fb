//! A stable radix sort ([`radix_sort`]) by 33 bits: three digits of 11 bits, which cover a float32.
//!
//! Every entry is moved three times, between two arrays. A sort by one move to buckets of leading
//! bits, and by comparisons within them, needs one array; it took 1.1 to 1.6 times as long for
//! 50,000 to 1,000,000 normal numbers.

/// Bits of a digit.
const DIGIT: u32 = 11;
const N_DIGITS: u32 = 3;
/// Values of a digit.
const N_VALUES: usize = 1 << DIGIT;
/// Bits that the sort looks at.
pub const BITS: u32 = DIGIT * N_DIGITS;
/// Fewer entries than these are sorted by comparisons, which is quicker.
const LEAST_ENTRIES: usize = 1024;

/// Sort entries by their keys of at most [`BITS`] bits. O(n), for at most 2^32 - 1 entries.
///
/// A key must be the leading part of its entry, so that keys ascend where entries do. Entries with
/// equal keys keep their order, or ascend if there are few entries.
pub fn radix_sort<T: Copy + Default + Ord, K: Into<u64>>(
    mut entries: Vec<T>,
    key: impl Fn(T) -> K,
) -> Vec<T> {
    if entries.len() < LEAST_ENTRIES {
        entries.sort_unstable();
        return entries;
    }
    let digit = |entry: T, pass: u32| (key(entry).into() >> (pass * DIGIT)) as usize % N_VALUES;
    // The counts of the digits of all passes, in one pass.
    let mut counts_of_passes = vec![[0_u32; N_VALUES]; N_DIGITS as usize];
    for &entry in &entries {
        for (pass, counts) in (0..).zip(&mut counts_of_passes) {
            counts[digit(entry, pass)] += 1;
        }
    }
    let n = entries.len() as u32;
    let mut moved = vec![T::default(); entries.len()];
    for (pass, counts) in (0..).zip(&mut counts_of_passes) {
        // If all entries have the same digit, they keep their order.
        if counts.contains(&n) {
            continue;
        }
        // Each count becomes the position of the next entry with its digit.
        let next_positions = counts;
        let mut start = 0;
        for next in next_positions.iter_mut() {
            let count = *next;
            *next = start;
            start += count;
        }
        for &entry in &entries {
            let next = &mut next_positions[digit(entry, pass)];
            moved[*next as usize] = entry;
            *next += 1;
        }
        std::mem::swap(&mut entries, &mut moved);
    }
    entries
}

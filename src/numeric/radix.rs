//! A stable radix sort by 33 bits: three digits of 11 bits, which cover a float32.

/// Bits of a digit.
const DIGIT: u32 = 11;
const DIGITS: u32 = 3;
/// Bits that the sort looks at.
pub const BITS: u32 = DIGIT * DIGITS;
/// Values of a digit.
const SIZE: usize = 1 << DIGIT;

/// Sort by the lowest [`BITS`] bits of the keys of entries, stably. O(n), for at most 2^32 - 1
/// entries; below some 1,000 entries a sort by comparisons is faster.
pub fn radix_sort<T: Copy + Default, K: Into<u64>>(
    mut from: Vec<T>,
    key: impl Fn(T) -> K,
) -> Vec<T> {
    let digit = |entry: T, pass: u32| (key(entry).into() >> (pass * DIGIT)) as usize % SIZE;
    // The counts of the digits of all passes, in one pass.
    let mut counts = vec![[0_u32; SIZE]; DIGITS as usize];
    for &entry in &from {
        for (pass, count) in (0..).zip(&mut counts) {
            count[digit(entry, pass)] += 1;
        }
    }
    let n = from.len() as u32;
    let mut to = vec![T::default(); from.len()];
    for (pass, count) in (0..).zip(&mut counts) {
        // All entries have the same digit.
        if count.contains(&n) {
            continue;
        }
        // Counts become the place of the first entry with each digit.
        let mut start = 0;
        for c in count.iter_mut() {
            (*c, start) = (start, start + *c);
        }
        for &entry in &from {
            let place = &mut count[digit(entry, pass)];
            to[*place as usize] = entry;
            *place += 1;
        }
        std::mem::swap(&mut from, &mut to);
    }
    from
}

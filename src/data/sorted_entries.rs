//! The sort of a numeric column ([`sorted_entries`]).
//!
//! A sorted order is a list of 32-bit entries ([`super::entries`]), each a row and a bit that says
//! whether its value equals the one before. A scan therefore finds the boundaries between values
//! without reading the values, and a stable partition can keep the tied bits true.
//!
//! The sort moves one word of 64 bits per row: the leading bits of an order-preserving key of the
//! value, and the row. These bits decide most comparisons; the few runs with equal leading bits are
//! then sorted by the whole key. About 10 ns per value.

use super::entries::pack_entry;
use crate::numeric::{order_key, radix_sort};

/// The rows in ascending order of their values, as entries; NaN is missing and comes last. The rows
/// of equal values ascend, and so do the rows of missing ones.
///
/// There must be fewer than 2^31 values, because an entry has 31 bits for the row.
pub fn sorted_entries<T: Copy + Into<f64>>(values: &[T]) -> Vec<u32> {
    let known = values.iter().map(|&v| v.into()).filter(|v| !v.is_nan());
    let (lowest_key, highest_key) = known.fold((u64::MAX, 0), |(lowest, highest), value| {
        let key = order_key(value);
        (lowest.min(key), highest.max(key))
    });
    // Keys, counted from the lowest one, are shortened to the 32 bits above the row.
    let key_bits = u64::BITS - highest_key.saturating_sub(lowest_key).leading_zeros();
    let shift = key_bits.saturating_sub(32);
    let rows = values.iter().zip(0_u64..).map(|(&value, row)| (value.into(), row));
    let pack = |(value, row)| (order_key(value) - lowest_key) >> shift << 32 | row;
    // The result is allocated before the arrays of the sort, which then leave no gap below it.
    let mut entries = Vec::with_capacity(values.len());
    let mut packed = Vec::with_capacity(values.len());
    packed.extend(rows.clone().filter(|(value, _)| !value.is_nan()).map(pack));
    packed = radix_sort(packed, |word| word >> 32);
    // Runs with equal leading bits are sorted by the whole key; equal keys are tied.
    for run in packed.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
        if let [alone] = run {
            entries.push(pack_entry(*alone as u32, false));
            continue;
        }
        let key_of = |&word: &u64| order_key(values[word as u32 as usize].into());
        if !run.is_sorted_by_key(key_of) {
            run.sort_by_key(key_of);
        }
        let mut previous_key = None;
        for word in run {
            let key = Some(key_of(word));
            entries.push(pack_entry(*word as u32, key == previous_key));
            previous_key = key;
        }
    }
    if packed.len() < values.len() {
        let missing = rows.filter(|(value, _)| value.is_nan()).map(|(_, row)| row as u32);
        entries.extend(missing.enumerate().map(|(i, row)| pack_entry(row, i > 0)));
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::super::entries::{entry_row, entry_tied};
    use super::*;
    use crate::numeric::mix;

    #[test]
    fn the_sort_agrees_with_the_standard_library() {
        for n in [0_usize, 1, 2, 511, 512, 5000] {
            let spread = |x: u64, distinct| (x % distinct) as f64 - 1e3;
            // Keys that differ in their low halves only, and zeros of both signs.
            let close = |x: u64| 1.0 + (x % 300) as f64 * f64::EPSILON;
            let zeros = |x: u64| [-1.0, -0.0, 0.0, 1.0][x as usize % 4];
            let kinds: [&dyn Fn(u64) -> f64; 5] =
                [&|x| spread(x, 2), &|x| spread(x, 100), &|x| spread(x, u64::MAX), &close, &zeros];
            for value in kinds {
                let cell = |i: u64| {
                    if mix(1, i).is_multiple_of(17) { f64::NAN } else { value(mix(n as u64, i)) }
                };
                let values: Vec<f64> = (0..n as u64).map(cell).collect();
                let sorted = sorted_entries(&values);
                let mut expected: Vec<u32> =
                    (0..n as u32).filter(|&i| !values[i as usize].is_nan()).collect();
                expected.sort_by(|&a, &b| {
                    values[a as usize].partial_cmp(&values[b as usize]).expect("numbers")
                });
                expected.extend((0..n as u32).filter(|&i| values[i as usize].is_nan()));
                assert_eq!(sorted.iter().map(|&e| entry_row(e)).collect::<Vec<_>>(), expected);
                for pair in sorted.windows(2) {
                    let (a, b) =
                        (values[entry_row(pair[0]) as usize], values[entry_row(pair[1]) as usize]);
                    assert_eq!(entry_tied(pair[1]) == 1, a == b || (a.is_nan() && b.is_nan()));
                }
            }
        }
    }
}

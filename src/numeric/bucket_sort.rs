//! A sort of integers ([`bucket_sort`]): one pass counts the entries of each bucket of leading
//! bits, one moves them there, and each bucket is sorted by itself.
//!
//! Of many entries a bucket has some hundred, which stay in the first-level cache. A radix sort by
//! three digits of 11 bits moves every entry three times, between two arrays of entries beside the
//! input; it took 1.0 to 1.5 times as long for 2,000 to 1,000,000 float32 (normal, uniform,
//! exponential, few values, outliers). O(n log n) at worst, if one bucket has most entries.

/// Bits of the number of a bucket. For 2,000 to 1,000,000 entries, 9 and 13 bits were slower.
const BUCKET_BITS: u32 = 11;
/// Number of buckets.
const N_BUCKETS: usize = 1 << BUCKET_BITS;
/// Fewer entries than these are sorted without buckets.
const LEAST_ENTRIES: usize = 512;

/// The entries in ascending order.
///
/// The iterator is cloned and read three times, so that no copy of its entries but the result is
/// made. Each clone must give the same entries: others would be lost, or the function would panic.
/// The order of `T` must be the order of the integers that its entries become, because entries are
/// divided by these integers and then sorted as they are. Equal entries may change places.
pub fn bucket_sort<T>(entries: impl Iterator<Item = T> + Clone) -> Vec<T>
where
    T: Copy + Default + Ord + Into<u64>,
{
    let (mut n, mut lowest, mut highest) = (0, u64::MAX, 0);
    for entry in entries.clone().map(Into::into) {
        (n, lowest, highest) = (n + 1, entry.min(lowest), entry.max(highest));
    }
    if n < LEAST_ENTRIES {
        let mut sorted: Vec<T> = entries.collect();
        sorted.sort_unstable();
        return sorted;
    }
    let shift = (u64::BITS - (highest - lowest).leading_zeros()).saturating_sub(BUCKET_BITS);
    // The shift leaves a number below N_BUCKETS; the remainder changes nothing, but tells the
    // compiler so, which then checks no bounds.
    let bucket = |entry: T| ((entry.into() - lowest) >> shift) as usize % N_BUCKETS;
    let mut counts = vec![0_usize; N_BUCKETS];
    entries.clone().for_each(|entry| counts[bucket(entry)] += 1);
    // Each count becomes the position of the next entry of its bucket.
    let mut next_positions = counts;
    let mut start = 0;
    for next in &mut next_positions {
        let count = *next;
        *next = start;
        start += count;
    }
    let mut sorted = vec![T::default(); n];
    for entry in entries {
        let next = &mut next_positions[bucket(entry)];
        sorted[*next] = entry;
        *next += 1;
    }
    // Every bucket is full now, so the next position of one is the start of the one after it.
    let ends = next_positions;
    let mut start = 0;
    for end in ends {
        sorted[start..end].sort_unstable();
        start = end;
    }
    sorted
}

//! Kernels over sorted orders, for growth by thresholds, and over bit planes ([`count_planes`]).
//!
//! An order is a list of entries `row << 1 | tied`, where `tied` says that the row has the value of
//! the one before (see `data::sorted_entries`). [`partition`] divides an order between two children
//! and keeps the `tied` bits true; [`boundaries`] lists the places at which a threshold may lie,
//! with the class counts there. The plain functions (`plain_partition`, `plain_boundaries`) are the
//! definitions; the functions for AVX2 and AVX-512 give the same numbers, and tests compare all
//! levels. An entry takes about 0.3 ns with AVX-512, and 2 ns in the plain functions.
//!
//! Vector code gathers words of a bit set by row. It compares the row numbers with the size of the
//! set before each gather, so a wrong entry ends in a panic and never reads outside the set.

use super::Level;
use std::ops::Range;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod planes;
mod scan;
mod weighed;

pub use planes::{PLANE_GROUP, SparseWord, count_planes};
use scan::{ColumnScan, PartitionState, plain_boundaries, plain_partition};
pub use scan::{MOST_CLASSES, SLACK, Tails, Wanted};
pub use weighed::{
    LEFT_OUT, PlaneSums, STEP, renumber, weighed_boundaries, weighed_steps, weighed_sums,
};

/// Divide an order by the bit of each row, stably: entries with a 0 move to the front of `order`,
/// entries with a 1 move to `spare`, which has room for [`SLACK`] entries more than `order` has.
/// Returns the number of entries that moved to the front.
pub fn partition(level: Level, order: &mut [u32], bits: &[u64], spare: &mut [u32]) -> usize {
    assert!(spare.len() >= order.len() + SLACK);
    let state = PartitionState::default();
    match level {
        // SAFETY: the level says that the processor has the features that the function enables, and
        // the assert above gives the length that it needs (so below).
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::partition(order, bits, spare, state) },
        // SAFETY: see above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::partition(order, bits, spare, state) },
        _ => plain_partition(order, bits, spare, 0, state),
    }
    .left
}

/// List the boundaries between values among `places`, and return their number.
///
/// Place i lies between entries `i - 1` and `i` of the order. The places of the boundaries are
/// written to `listed`. For each start of `wanted` a plane of `tails` takes, per boundary, the
/// number of rows to the left in the tail of classes that begins at the start (its class and all
/// later ones); `before` has these numbers for `order[..places.start - 1]`, and afterwards for
/// `order[..places.end - 1]`. `listed` and the planes have room for [`SLACK`] elements more than
/// there are places.
///
/// # Panics
/// If places, starts or lengths do not fit each other.
pub fn boundaries(
    level: Level,
    order: &[u32],
    places: Range<usize>,
    wanted: Wanted<'_>,
    before: &mut [u32],
    listed: &mut [u32],
    tails: Tails<'_>,
) -> usize {
    let Range { start: first, end } = places;
    let n_starts = wanted.starts.len();
    let room = places.len() + SLACK;
    assert!(first >= 1 && end <= order.len() && n_starts < MOST_CLASSES);
    assert!(before.len() == n_starts);
    assert!(listed.len() >= room && tails.from + room <= tails.stride);
    assert!(tails.planes.len() >= n_starts * tails.stride);
    let mut scan = ColumnScan { place: first, n_listed: 0, before };
    match level {
        // Two or three classes, the most frequent numbers, have code of their own.
        // SAFETY: the level says that the processor has the features of AVX2, and the asserts above
        // give the lengths that the function needs.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx2 => unsafe {
            match n_starts {
                1 => avx2::boundaries::<1>(order, end, wanted, listed, tails, &mut scan),
                2 => avx2::boundaries::<2>(order, end, wanted, listed, tails, &mut scan),
                _ => avx2::boundaries::<0>(order, end, wanted, listed, tails, &mut scan),
            }
        },
        _ => plain_boundaries(order, end, wanted, listed, tails, &mut scan),
    }
    scan.n_listed
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn random(seed: u64, i: u64) -> u64 {
        let mut z =
            seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ i.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 30)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 29)
    }

    pub(super) fn order(seed: u64, n: usize, values: u64) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..n as u32).collect();
        let value = |r: u32| random(seed, u64::from(r)) % values;
        rows.sort_by_key(|&r| (value(r), random(seed + 1, u64::from(r))));
        (0..n)
            .map(|i| rows[i] << 1 | u32::from(i > 0 && value(rows[i]) == value(rows[i - 1])))
            .collect()
    }

    #[test]
    fn every_level_partitions_alike() {
        for level in Level::available() {
            for seed in 0..300 {
                let n = (random(seed, 7) % 200) as usize;
                let values = [1, 2, 5, 40, u64::MAX][(seed % 5) as usize];
                let order = order(seed, n, values);
                let bits: Vec<u64> = (0..n.div_ceil(64) as u64 + 1)
                    .map(|i| random(seed + 9, i) & random(seed + 10, i))
                    .collect();
                let mut expected = order.clone();
                let mut expected_right = vec![0; n + SLACK];
                let left = plain_partition(
                    &mut expected,
                    &bits,
                    &mut expected_right,
                    0,
                    PartitionState::default(),
                )
                .left;
                let (mut got, mut right) = (order.clone(), vec![0; n + SLACK]);
                assert_eq!(partition(level, &mut got, &bits, &mut right), left, "{level:?} {seed}");
                assert_eq!(got[..left], expected[..left], "{level:?} {seed}");
                assert_eq!(right[..n - left], expected_right[..n - left], "{level:?} {seed}");
            }
        }
    }

    #[test]
    fn every_level_finds_the_same_boundaries() {
        for level in Level::available() {
            for seed in 0..300 {
                let n = 2 + (random(seed, 7) % 200) as usize;
                let order = order(seed, n, [1, 2, 5, 40, u64::MAX][(seed % 5) as usize]);
                let mut starts: Vec<u32> = (0..random(seed, 3) % 6)
                    .map(|c| (random(seed, 20 + c) % (n as u64 + 1)) as u32)
                    .collect();
                starts.sort_unstable();
                for convex in [false, true] {
                    let wanted = Wanted { starts: &starts, convex };
                    let first = 1 + (random(seed, 9) % (n as u64 - 1)) as usize;
                    let run = |level| {
                        let stride = n + 2 * SLACK;
                        let (mut at, mut planes) =
                            (vec![0; stride], vec![0; stride * starts.len()]);
                        let mut before = vec![3; starts.len()];
                        let tails = Tails { planes: &mut planes, stride, from: 5 };
                        let held = boundaries(
                            level,
                            &order,
                            first..n,
                            wanted,
                            &mut before,
                            &mut at,
                            tails,
                        );
                        let counts: Vec<_> = (0..starts.len())
                            .map(|c| planes[c * stride + 5..][..held].to_vec())
                            .collect();
                        (at[..held].to_vec(), counts, before)
                    };
                    assert_eq!(run(level), run(Level::Plain), "{level:?} {seed}");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_row_outside_the_bits_is_a_panic() {
        partition(Level::active(), &mut [1 << 20; 64], &[0; 4], &mut [0; 64 + SLACK]);
    }
}

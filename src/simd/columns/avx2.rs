//! Partition and boundaries with AVX2: 8 entries per step. There is no instruction that moves
//! chosen lanes side by side, so a table has the permutation for each of the 256 masks. Whole fits
//! are 1.18 times as quick with this partition, and 1.74 times with these boundaries, as with the
//! plain functions. Those are the twins, and take the last entries.

use super::scan::{
    ColumnScan, MOST_CLASSES, PartitionState, Tails, Wanted, plain_boundaries, plain_partition,
    seen_before,
};
use std::arch::x86_64::*;

const LANES: usize = 8;

/// For each mask, the lanes whose bits are set, in order.
static COMPRESS: [[u32; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut n_set) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][n_set] = lane as u32;
                n_set += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// For each mask and lane, the number of set bits up to and including the lane.
static PREFIX: [[u32; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask: usize = 0;
    while mask < 256 {
        let mut lane = 0;
        while lane < 8 {
            table[mask][lane] = (mask & ((2 << lane) - 1)).count_ones();
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// The row of a table that belongs to a mask.
#[target_feature(enable = "avx2,popcnt")]
fn row_of(table: &'static [[u32; 8]; 256], mask: u32) -> __m256i {
    // SAFETY: a row of the table is 32 bytes.
    unsafe { _mm256_loadu_si256(table[(mask & 255) as usize].as_ptr().cast()) }
}

/// The lowest bit of each lane, as a mask.
#[target_feature(enable = "avx2,popcnt")]
fn low_bits(x: __m256i) -> u32 {
    _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32::<31>(x))) as u32
}

/// The lanes with `a >= b`, unsigned, as a mask.
#[target_feature(enable = "avx2,popcnt")]
fn at_least(a: __m256i, b: __m256i) -> u32 {
    let equal = _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a);
    _mm256_movemask_ps(_mm256_castsi256_ps(equal)) as u32
}

/// Set the lowest bit of the lanes of a mask.
#[target_feature(enable = "avx2,popcnt")]
fn set_low(x: __m256i, mask: u32) -> __m256i {
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let bit = _mm256_srlv_epi32(_mm256_set1_epi32(mask as i32), lanes);
    _mm256_or_si256(x, _mm256_and_si256(bit, _mm256_set1_epi32(1)))
}

/// [`super::partition`] from `state` on. A wrong row is a panic before the gather, not a read
/// outside the bits.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn partition(
    order: &mut [u32],
    bits: &[u64],
    spare: &mut [u32],
    mut state: PartitionState,
) -> PartitionState {
    let n = order.len();
    let words = _mm256_set1_epi32((bits.len() * 2) as i32);
    let one = _mm256_set1_epi32(1);
    let mut i = 0;
    while i + LANES <= n {
        // SAFETY: i + 8 <= order.len().
        let entry = unsafe { _mm256_loadu_si256(order.as_ptr().add(i).cast()) };
        // The side of each row, from the word of the bit set that has it.
        let tied = low_bits(entry);
        let row = _mm256_srli_epi32::<1>(entry);
        let word = _mm256_srli_epi32::<5>(row);
        assert!(at_least(word, words) == 0, "index out of bounds: a row beyond the bit set");
        // SAFETY: every index is below the number of 32-bit words of `bits`.
        let gathered = unsafe { _mm256_i32gather_epi32::<4>(bits.as_ptr().cast(), word) };
        let right =
            low_bits(_mm256_srlv_epi32(gathered, _mm256_and_si256(row, _mm256_set1_epi32(31))));
        let left = !right & 0xFF;
        // New tied bits, then the entries of each side moved together.
        let (seen_left, carry_left) = seen_before(left, tied, state.seen[0], 8);
        let (seen_right, carry_right) = seen_before(right, tied, state.seen[1], 8);
        state.seen = [carry_left, carry_right];
        let clear = _mm256_andnot_si256(one, entry);
        let for_left =
            _mm256_permutevar8x32_epi32(set_low(clear, seen_left), row_of(&COMPRESS, left));
        let for_right =
            _mm256_permutevar8x32_epi32(set_low(clear, seen_right), row_of(&COMPRESS, right));
        // SAFETY: left <= i, so the store ends at or before i + 8, inside entries that were read;
        // right <= i, and spare has more than 8 entries more than the order.
        unsafe {
            _mm256_storeu_si256(order.as_mut_ptr().add(state.left).cast(), for_left);
            _mm256_storeu_si256(spare.as_mut_ptr().add(state.right).cast(), for_right);
        }
        state.left += left.count_ones() as usize;
        state.right += right.count_ones() as usize;
        i += LANES;
    }
    plain_partition(order, bits, spare, i, state)
}

/// [`super::boundaries`] with `KNOWN` starts, or, if `KNOWN` is 0, with any number of them. The
/// twin is `plain_boundaries`, which also takes the last places.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn boundaries<const KNOWN: usize>(
    order: &[u32],
    end: usize,
    wanted: Wanted<'_>,
    listed: &mut [u32],
    tails: Tails<'_>,
    scan: &mut ColumnScan<'_>,
) {
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let every = if wanted.convex { 0 } else { u32::MAX };
    let n_starts = if KNOWN == 0 { wanted.starts.len() } else { KNOWN };
    let starts = &wanted.starts[..n_starts];
    let mut classes = [0_u32; MOST_CLASSES];
    let mut before_here = [0_u32; MOST_CLASSES];
    before_here[..n_starts].copy_from_slice(scan.before);
    while scan.place + LANES <= end && scan.place + LANES < order.len() {
        let i = scan.place;
        // SAFETY: i >= 1 and i + 8 < order.len(): the last entry read is order[i + 8].
        let (last, here, next) = unsafe {
            let here = order.as_ptr().add(i);
            (
                _mm256_loadu_si256(here.sub(1).cast()),
                _mm256_loadu_si256(here.cast()),
                _mm256_loadu_si256(here.add(1).cast()),
            )
        };
        // The lanes whose last row is of a class or a later one, and those where the class changes.
        let mut class_changes = 0;
        for (class, &start) in classes[..n_starts].iter_mut().zip(starts) {
            let start = _mm256_set1_epi32((start << 1) as i32);
            *class = at_least(last, start);
            class_changes |= *class ^ at_least(here, start);
        }
        let shared = low_bits(_mm256_or_si256(last, next));
        let keep = !low_bits(here) & (class_changes | shared | every) & 0xFF;
        let places = _mm256_add_epi32(lanes, _mm256_set1_epi32(i as i32));
        // Places and counts of the boundaries, moved together.
        let order_of = row_of(&COMPRESS, keep);
        // SAFETY: n_listed <= i - first, and `listed` has more than 8 entries more than there are
        // places.
        unsafe {
            let places = _mm256_permutevar8x32_epi32(places, order_of);
            _mm256_storeu_si256(listed.as_mut_ptr().add(scan.n_listed).cast(), places);
        }
        for (plane, (&class, count)) in
            classes[..n_starts].iter().zip(&mut before_here[..n_starts]).enumerate()
        {
            let counts = _mm256_add_epi32(row_of(&PREFIX, class), _mm256_set1_epi32(*count as i32));
            // SAFETY: from + places + 16 <= stride, and there are as many planes as counts.
            unsafe {
                let to = tails
                    .planes
                    .as_mut_ptr()
                    .add(plane * tails.stride + tails.from + scan.n_listed);
                _mm256_storeu_si256(to.cast(), _mm256_permutevar8x32_epi32(counts, order_of));
            }
            *count += class.count_ones();
        }
        scan.n_listed += keep.count_ones() as usize;
        scan.place += LANES;
    }
    scan.before.copy_from_slice(&before_here[..n_starts]);
    plain_boundaries(order, end, wanted, listed, tails, scan);
}

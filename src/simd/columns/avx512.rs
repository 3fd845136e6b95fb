//! Partition and boundaries with AVX-512: 16 entries per step, of which those of one side are moved
//! together by one instruction (`vpcompressd`).

use super::scan::{ColumnScan, MOST_CLASSES, PartitionState, Tails, Wanted, seen_before};
use std::arch::x86_64::*;

const LANES: usize = 16;

/// [`super::partition`].
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
pub(super) fn partition(
    order: &mut [u32],
    bits: &[u64],
    spare: &mut [u32],
    mut s: PartitionState,
) -> PartitionState {
    assert!(spare.len() >= order.len() + LANES);
    let n = order.len();
    let mut i = 0;
    while i + LANES <= n {
        step::<false>(order, bits, spare, i, &mut s);
        i += LANES;
    }
    if i < n {
        step::<true>(order, bits, spare, i, &mut s);
    }
    s
}

/// Partition 16 entries from entry `i` on, or the remaining ones in the last step. The entries
/// before are done: `s.left + s.right == i`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
fn step<const LAST: bool>(
    order: &mut [u32],
    bits: &[u64],
    spare: &mut [u32],
    i: usize,
    s: &mut PartitionState,
) {
    let lanes = if LAST { (1_u32 << (order.len() - i)) - 1 } else { 0xFFFF };
    let words = _mm512_set1_epi32((bits.len() * 2) as i32);
    let one = _mm512_set1_epi32(1);
    // SAFETY: lanes beyond the end of the order are not read (they are 0), and only the last step
    // has some.
    let entry =
        unsafe { _mm512_maskz_loadu_epi32(lanes as __mmask16, order.as_ptr().add(i).cast()) };
    let tied = u32::from(_mm512_test_epi32_mask(entry, one));
    let row = _mm512_srli_epi32::<1>(entry);
    let word = _mm512_srli_epi32::<5>(row);
    assert!(
        _mm512_cmpge_epu32_mask(word, words) == 0,
        "index out of bounds: a row beyond the bit set"
    );
    // The side of each row, from the word of the bit set that has it.
    // SAFETY: every index is below the number of 32-bit words of `bits`.
    let gathered = unsafe { _mm512_i32gather_epi32::<4>(word, bits.as_ptr().cast()) };
    let bit = _mm512_sllv_epi32(one, _mm512_and_si512(row, _mm512_set1_epi32(31)));
    let right = u32::from(_mm512_test_epi32_mask(gathered, bit)) & lanes;
    let left = !right & lanes;
    // New tied bits, then the entries of each side moved together.
    let (seen_left, carry_left) = seen_before(left, tied, s.seen[0], 16);
    let (seen_right, carry_right) = seen_before(right, tied, s.seen[1], 16);
    s.seen = [carry_left, carry_right];
    let clear = _mm512_andnot_si512(one, entry);
    let for_left = _mm512_mask_or_epi32(clear, seen_left as __mmask16, clear, one);
    let for_right = _mm512_mask_or_epi32(clear, seen_right as __mmask16, clear, one);
    let for_left = _mm512_maskz_compress_epi32(left as __mmask16, for_left);
    let for_right = _mm512_maskz_compress_epi32(right as __mmask16, for_right);
    let (n_left, n_right) = (left.count_ones(), right.count_ones());
    // SAFETY: s.left <= i, so a store of 16 ends inside entries that were read, and the last step
    // stores no more than it read; s.right <= i, and spare has 16 entries more than the order.
    unsafe {
        let to = order.as_mut_ptr().add(s.left).cast();
        if LAST {
            _mm512_mask_storeu_epi32(to, ((1_u32 << n_left) - 1) as __mmask16, for_left);
        } else {
            _mm512_storeu_si512(to.cast(), for_left);
        }
        _mm512_storeu_si512(spare.as_mut_ptr().add(s.right).cast(), for_right);
    }
    s.left += n_left as usize;
    s.right += n_right as usize;
}

/// [`super::boundaries`] with `KNOWN` starts, or with any number of them if that is 0.
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
pub(super) fn boundaries<const KNOWN: usize>(
    order: &[u32],
    stop: usize,
    wanted: Wanted<'_>,
    at: &mut [u32],
    tails: Tails<'_>,
    s: &mut ColumnScan<'_>,
) {
    let one = _mm512_set1_epi32(1);
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    // For each lane the bits up to and including it.
    let up_to = _mm512_sub_epi32(_mm512_sllv_epi32(_mm512_set1_epi32(2), lanes), one);
    let every = if wanted.convex { 0 } else { u32::MAX };
    let n = if KNOWN == 0 { wanted.starts.len() } else { KNOWN };
    let starts = &wanted.starts[..n];
    let mut classes = [0_u32; MOST_CLASSES];
    let mut before_here = [0_u32; MOST_CLASSES];
    before_here[..n].copy_from_slice(s.before);
    while s.place < stop {
        let i = s.place;
        let held_lanes = (stop - i).min(LANES);
        let inside = (1_u32 << held_lanes) - 1;
        let followed = (1_u32 << held_lanes.min(order.len() - i - 1)) - 1;
        // SAFETY: i >= 1 and stop <= order.len(): lanes of places before `stop` and of entries
        // inside the order are read, the others are 0.
        let (before, here, after) = unsafe {
            let p = order.as_ptr().add(i).cast::<i32>();
            (
                _mm512_maskz_loadu_epi32(inside as __mmask16, p.sub(1)),
                _mm512_maskz_loadu_epi32(inside as __mmask16, p),
                _mm512_maskz_loadu_epi32(followed as __mmask16, p.add(1)),
            )
        };
        // Whether the class changes at each place.
        let mut change = 0;
        for (class, &start) in classes[..n].iter_mut().zip(starts) {
            let start = _mm512_set1_epi32((start << 1) as i32);
            *class = u32::from(_mm512_cmpge_epu32_mask(before, start)) & inside;
            change |= *class ^ u32::from(_mm512_cmpge_epu32_mask(here, start));
        }
        let tied = u32::from(_mm512_test_epi32_mask(here, one));
        let shared = u32::from(_mm512_test_epi32_mask(_mm512_or_si512(before, after), one));
        let keep = (!tied & (change | shared | every) & inside) as __mmask16;
        // Places and counts of the boundaries, moved together.
        let places = _mm512_add_epi32(lanes, _mm512_set1_epi32(i as i32));
        // SAFETY: held <= i - first, and `at` has 16 entries more than there are places.
        unsafe {
            _mm512_storeu_si512(
                at.as_mut_ptr().add(s.held).cast(),
                _mm512_maskz_compress_epi32(keep, places),
            )
        };
        for (c, (&class, count)) in classes[..n].iter().zip(&mut before_here[..n]).enumerate() {
            let prefix =
                _mm512_popcnt_epi32(_mm512_and_si512(_mm512_set1_epi32(class as i32), up_to));
            let counts = _mm512_add_epi32(prefix, _mm512_set1_epi32(*count as i32));
            // SAFETY: from + places + 16 <= stride, and there are as many planes as counts.
            unsafe {
                let to = tails.planes.as_mut_ptr().add(c * tails.stride + tails.from + s.held);
                _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(keep, counts));
            }
            *count += class.count_ones();
        }
        s.held += keep.count_ones() as usize;
        s.place += held_lanes;
    }
    s.before.copy_from_slice(&before_here[..n]);
}

//! Partition with AVX-512: 16 entries per step. One instruction (`vpcompressd`) moves the entries
//! of one side together, where AVX2 needs a table of permutations. The boundaries of AVX2 also
//! serve this level: 16 entries per step were 1.02 (gini) and 1.08 times (info_gain) as quick in
//! whole fits.

use super::scan::{PartitionState, seen_before};
use std::arch::x86_64::*;

const LANES: usize = 16;

/// [`super::partition`] from `state` on; the last step takes the entries that do not fill a vector.
/// The twin is `plain_partition`.
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
pub(super) fn partition(
    order: &mut [u32],
    bits: &[u64],
    spare: &mut [u32],
    mut state: PartitionState,
) -> PartitionState {
    assert!(spare.len() >= order.len() + LANES);
    let n = order.len();
    let mut i = 0;
    while i + LANES <= n {
        step::<false>(order, bits, spare, i, &mut state);
        i += LANES;
    }
    if i < n {
        step::<true>(order, bits, spare, i, &mut state);
    }
    state
}

/// Partition 16 entries from entry `i` on, or the remaining ones in the last step. The entries
/// before are done: `state.left + state.right == i`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
fn step<const LAST: bool>(
    order: &mut [u32],
    bits: &[u64],
    spare: &mut [u32],
    i: usize,
    state: &mut PartitionState,
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
    let (seen_left, carry_left) = seen_before(left, tied, state.seen[0], 16);
    let (seen_right, carry_right) = seen_before(right, tied, state.seen[1], 16);
    state.seen = [carry_left, carry_right];
    let clear = _mm512_andnot_si512(one, entry);
    let for_left = _mm512_mask_or_epi32(clear, seen_left as __mmask16, clear, one);
    let for_right = _mm512_mask_or_epi32(clear, seen_right as __mmask16, clear, one);
    let for_left = _mm512_maskz_compress_epi32(left as __mmask16, for_left);
    let for_right = _mm512_maskz_compress_epi32(right as __mmask16, for_right);
    let (n_left, n_right) = (left.count_ones(), right.count_ones());
    // SAFETY: state.left <= i, so a store of 16 ends inside entries that were read, and the last
    // step stores no more than it read; state.right <= i, and spare has 16 entries more than the
    // order.
    unsafe {
        let to = order.as_mut_ptr().add(state.left).cast();
        if LAST {
            _mm512_mask_storeu_epi32(to, ((1_u32 << n_left) - 1) as __mmask16, for_left);
        } else {
            _mm512_storeu_si512(to.cast(), for_left);
        }
        _mm512_storeu_si512(spare.as_mut_ptr().add(state.right).cast(), for_right);
    }
    state.left += n_left as usize;
    state.right += n_right as usize;
}

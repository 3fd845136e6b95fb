//! Cuts of nodes of at most 64 rows on codes of bins: a row is a bit, and a set of rows is a word.
//!
//! The candidates of a feature are the codes of its rows. One comparison of 64 bytes finds the rows
//! with a code up to a candidate, and one population count finds how many of them are of a class.

use super::level::for_each_level;

/// Most rows of a node.
pub const MOST_SMALL_ROWS: usize = 64;

/// The rows whose code is at most `limit`, as bits. Lanes without a row have a bit, too, if their
/// code is small enough, so callers intersect the result with the lanes of the node.
#[inline]
pub fn mask_up_to(codes: &[u8; MOST_SMALL_ROWS], limit: u8) -> u64 {
    #[cfg(target_arch = "x86_64")]
    return x86::sse2(codes, limit);
    #[cfg(not(target_arch = "x86_64"))]
    plain_mask_up_to(codes, limit)
}

/// [`mask_up_to`], row by row.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn plain_mask_up_to(codes: &[u8; MOST_SMALL_ROWS], limit: u8) -> u64 {
    let mut mask = 0;
    for (i, &code) in codes.iter().enumerate() {
        mask |= u64::from(code <= limit) << i;
    }
    mask
}

for_each_level! {
    /// Write the number of bits that each mask shares with `class`: for each cut, the weight of a
    /// class on its left. The shorter slice ends the work.
    pub fn count_bits(masks: &[u64], class: u64, out: &mut [u32]) {
        out.iter_mut().zip(masks).for_each(|(out, mask)| *out = (mask & class).count_ones());
    }
}

/// Write, for each limit, the rows whose code is at most the limit, as bits. With wider vectors
/// whole fits took 0.97 of the time: too little for code of their own.
pub fn masks_up_to(codes: &[u8; MOST_SMALL_ROWS], limits: &[u8], out: &mut [u64]) {
    out.iter_mut().zip(limits).for_each(|(out, &limit)| *out = mask_up_to(codes, limit));
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::MOST_SMALL_ROWS;
    use std::arch::x86_64::*;

    /// [`super::mask_up_to`] by four comparisons: `min(x, limit) == x`, as there is no unsigned
    /// comparison of bytes. The twin is `plain_mask_up_to`.
    #[inline]
    pub(super) fn sse2(codes: &[u8; MOST_SMALL_ROWS], limit: u8) -> u64 {
        let mut mask = 0;
        for part in 0..4 {
            // SAFETY: 16 bytes of 64; SSE2 belongs to the architecture.
            let bits = unsafe {
                let x = _mm_loadu_si128(codes.as_ptr().add(16 * part).cast());
                let limit = _mm_set1_epi8(limit as i8);
                _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(x, limit), x))
            };
            mask |= u64::from(bits as u32) << (16 * part);
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;

    #[test]
    fn every_level_counts_the_same() {
        let mut codes = [0_u8; MOST_SMALL_ROWS];
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888);
            state >> 20
        };
        for _ in 0..300 {
            codes.iter_mut().for_each(|c| *c = next() as u8);
            let rows: Vec<u8> = (0..next() % 64).map(|i| (i * 37 % 64) as u8).collect();
            let classes = [next().wrapping_mul(next()), next().wrapping_mul(next()), 0];
            let mut expected = vec![0; 3 * 64];
            for (c, class) in classes.iter().enumerate() {
                for (j, &row) in rows.iter().enumerate() {
                    let limit = codes[usize::from(row)];
                    expected[c * 64 + j] = (0..64)
                        .filter(|&i| codes[i] <= limit && class >> i & 1 == 1)
                        .count() as u32;
                }
            }
            for &limit in &codes {
                assert_eq!(mask_up_to(&codes, limit), plain_mask_up_to(&codes, limit));
            }
            let limits: Vec<u8> = rows.iter().map(|&r| codes[usize::from(r)]).collect();
            let mut masks = vec![0; rows.len()];
            masks_up_to(&codes, &limits, &mut masks);
            for level in Level::available() {
                for (c, &class) in classes.iter().enumerate() {
                    let mut found = vec![0; rows.len()];
                    count_bits(level, &masks, class, &mut found);
                    assert_eq!(found, expected[c * 64..][..rows.len()], "{level:?}");
                }
            }
        }
    }
}

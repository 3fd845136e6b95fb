//! Counting the set bits of many planes under one sparse mask: the table of a node whose features
//! are bit planes (`data::planes`).
//!
//! Planes are word-major: `width` words side by side hold the same 64 rows of all planes. So one
//! word of the mask meets a vector of planes, each plane has a lane for its count, no sum over
//! lanes is needed, and words without rows of the node are skipped. With AVX-512 about one cycle
//! per 8 planes and 64 rows.

use crate::simd::Level;

/// A word of a bit set that is not zero. A sparse set is a list of them, ascending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SparseWord {
    /// Number of the word.
    pub word: u32,
    /// Its bits.
    pub mask: u64,
}

/// Planes that are counted together; the width is a multiple of it.
pub const PLANE_GROUP: usize = 8;

/// Write to `counts[p]` the number of set bits of plane p under a sparse mask. `bits` holds
/// `counts.len()` planes, word-major. Growth on bit planes calls it once per class, with the rows
/// of the class in the node as the mask; without entries all counts are 0.
///
/// # Panics
/// If an entry's word lies beyond the planes, or the number of planes is no multiple of
/// [`PLANE_GROUP`].
pub fn count_planes(level: Level, entries: &[SparseWord], bits: &[u64], counts: &mut [u32]) {
    let width = counts.len();
    assert!(width.is_multiple_of(PLANE_GROUP));
    let last = entries.iter().map(|e| e.word as usize + 1).max().unwrap_or(0);
    assert!(last * width <= bits.len(), "index out of bounds: a word beyond the planes");
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            // SAFETY: the level says that the processor has the features; words were checked above.
            unsafe { avx512(entries, bits, counts) }
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: the level says that the processor has the features.
            unsafe { avx2(entries, bits, counts) }
        }
        _ => body(entries, bits, counts),
    }
}

/// [`count_planes`], left to the compiler.
#[inline(always)]
fn body(entries: &[SparseWord], bits: &[u64], counts: &mut [u32]) {
    let width = counts.len();
    counts.fill(0);
    for &SparseWord { word, mask } in entries {
        let planes = &bits[word as usize * width..][..width];
        for (count, plane) in counts.iter_mut().zip(planes) {
            *count += (plane & mask).count_ones();
        }
    }
}

/// [`body`] under the features of AVX2. Popcounts are then single instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn avx2(entries: &[SparseWord], bits: &[u64], counts: &mut [u32]) {
    body(entries, bits, counts);
}

/// [`count_planes`] in strips of up to eight vectors of counts, which stay in registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
fn avx512(entries: &[SparseWord], bits: &[u64], counts: &mut [u32]) {
    let width = counts.len();
    let mut first = 0;
    while first < width {
        let groups = ((width - first) / PLANE_GROUP).min(8);
        // SAFETY: the words of all entries lie inside `bits` (checked by the caller), and
        // `first + 8 * groups <= width`.
        unsafe {
            match groups {
                8 => strip::<8>(entries, bits, width, first, counts),
                7 => strip::<7>(entries, bits, width, first, counts),
                6 => strip::<6>(entries, bits, width, first, counts),
                5 => strip::<5>(entries, bits, width, first, counts),
                4 => strip::<4>(entries, bits, width, first, counts),
                3 => strip::<3>(entries, bits, width, first, counts),
                2 => strip::<2>(entries, bits, width, first, counts),
                _ => strip::<1>(entries, bits, width, first, counts),
            }
        }
        first += groups * PLANE_GROUP;
    }
}

/// Count the planes from `first` on, `GROUPS` vectors of them.
///
/// # Safety
/// Every `word * width + first + 8 * GROUPS` of an entry is at most `bits.len()`, and `first + 8 *
/// GROUPS <= counts.len()`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
unsafe fn strip<const GROUPS: usize>(
    entries: &[SparseWord],
    bits: &[u64],
    width: usize,
    first: usize,
    counts: &mut [u32],
) {
    use std::arch::x86_64::*;
    let mut sums = [_mm512_setzero_si512(); GROUPS];
    for &SparseWord { word, mask } in entries {
        let mask = _mm512_set1_epi64(mask as i64);
        for (g, sum) in sums.iter_mut().enumerate() {
            // SAFETY: as the caller promises.
            let planes = unsafe {
                _mm512_loadu_si512(
                    bits.as_ptr().add(word as usize * width + first + g * PLANE_GROUP).cast(),
                )
            };
            *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(_mm512_and_si512(planes, mask)));
        }
    }
    for (g, &sum) in sums.iter().enumerate() {
        // SAFETY: as the caller promises; eight counters are written.
        unsafe {
            let to = counts.as_mut_ptr().add(first + g * PLANE_GROUP);
            _mm256_storeu_si256(to.cast(), _mm512_cvtepi64_epi32(sum));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::columns::tests::random as mix;

    #[test]
    fn every_level_counts_alike() {
        for seed in 0..60_u64 {
            let width = PLANE_GROUP * (1 + (mix(seed, 1) % 20) as usize);
            let words = 1 + (mix(seed, 2) % 9) as usize;
            let bits: Vec<u64> = (0..(words * width) as u64).map(|i| mix(seed, 100 + i)).collect();
            let entries: Vec<SparseWord> = (0..words as u32)
                .filter(|w| mix(seed, u64::from(*w)) & 3 > 0)
                .map(|word| SparseWord { word, mask: mix(seed, 7 + u64::from(word)) })
                .collect();
            let naive: Vec<u32> = (0..width)
                .map(|p| {
                    entries
                        .iter()
                        .map(|e| (bits[e.word as usize * width + p] & e.mask).count_ones())
                        .sum()
                })
                .collect();
            for level in Level::available() {
                let mut counts = vec![9; width];
                count_planes(level, &entries, &bits, &mut counts);
                assert_eq!(counts, naive, "{level:?} {seed}");
            }
        }
    }
}

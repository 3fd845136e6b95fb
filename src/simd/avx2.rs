//! The level AVX2: sixteen registers of 256 bits. There is no popcount of vectors: `pshufb` looks
//! up the bits of each half byte, and `psadbw` adds the bytes of each 64-bit word.
//!
//! All unsafe code here is safe for one reason: the level is chosen only where the processor has
//! AVX2 (`level`), and pointers are good for what [`Word`] asks of its callers.

use super::baseline;
use super::instantiate::{inline_methods, level};
use super::weights::WeightTable;
use super::word::Word;
use std::arch::x86_64::*;

impl Word for __m256i {
    const WORDS: usize = 4;
    const BLOCK_VECTORS: usize = 8;
    const EIGHT_STEPS: bool = false;
    const LANE_MASKS: bool = true;
    const SLOW_COUNT: bool = true;
    /// The bits of each half byte are looked up, and the bytes of a word added.
    #[inline(always)]
    unsafe fn count(self) -> Self {
        // SAFETY: the level is chosen only where the processor has AVX2; registers alone are read.
        unsafe {
            // The number of set bits of each half byte.
            let table = _mm256_setr_epi8(
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3,
                2, 3, 3, 4,
            );
            let low = _mm256_set1_epi8(0x0f);
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(self), low);
            let of_low = _mm256_shuffle_epi8(table, _mm256_and_si256(self, low));
            let of_high = _mm256_shuffle_epi8(table, high);
            _mm256_sad_epu8(_mm256_add_epi8(of_low, of_high), _mm256_setzero_si256())
        }
    }
    #[inline(always)]
    unsafe fn add_counts(counts: &[u32; 16], weight: f64, out: &mut [f64]) {
        let out = &mut out[..16];
        // SAFETY: the level is chosen only where the processor has AVX2; `counts` and `out` have
        // sixteen numbers each.
        unsafe {
            let weight = _mm256_set1_pd(weight);
            for at in (0..16).step_by(4) {
                let count = _mm256_cvtepi32_pd(_mm_loadu_si128(counts.as_ptr().add(at).cast()));
                let more = _mm256_mul_pd(weight, count);
                let to = out.as_mut_ptr().add(at);
                _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), more));
            }
        }
    }
    /// One bit per lane is tested, and the comparison makes a mask of it.
    #[inline(always)]
    unsafe fn keep32(self, bits: u64, at: usize) -> Self {
        // SAFETY: the level is chosen only where the processor has AVX2; registers alone are read.
        unsafe {
            // A word of bits serves four vectors of eight lanes, so that one broadcast will do;
            // this is the first bit of vector `at` in it.
            let n = 1i32 << (at % 4 * 8);
            let lanes =
                _mm256_setr_epi32(n, n << 1, n << 2, n << 3, n << 4, n << 5, n << 6, n << 7);
            let bits = _mm256_set1_epi32((bits >> (at / 4 * 32)) as i32);
            _mm256_and_si256(self, _mm256_cmpeq_epi32(_mm256_and_si256(bits, lanes), lanes))
        }
    }
    /// The look-up of SSE2.
    #[inline(always)]
    unsafe fn look_up(
        planes: &[u64],
        first: usize,
        columns: usize,
        table: &WeightTable,
        out: *mut u32,
    ) {
        // SAFETY: a processor with AVX2 has SSE2; the caller vouches for table and output as
        // [`Word::look_up`] asks.
        unsafe { baseline::look_up(planes, first, columns, table, out) }
    }
    #[inline(always)]
    unsafe fn widen32(self) -> (Self, Self) {
        // SAFETY: the level is chosen only where the processor has AVX2; registers alone are read.
        unsafe {
            let (first, second) =
                (_mm256_castsi256_si128(self), _mm256_extracti128_si256::<1>(self));
            (_mm256_cvtepu32_epi64(first), _mm256_cvtepu32_epi64(second))
        }
    }
    inline_methods! {
        fn load(p: *const u64) -> Self = _mm256_loadu_si256(p.cast());
        fn load_bytes(p: *const u8) -> Self = _mm256_loadu_si256(p.cast());
        fn store(self, p: *mut u64) = _mm256_storeu_si256(p.cast(), self);
        fn zero() -> Self = _mm256_setzero_si256();
        fn ones() -> Self = _mm256_set1_epi8(-1);
        fn and(self, b: Self) -> Self = _mm256_and_si256(self, b);
        fn or(self, b: Self) -> Self = _mm256_or_si256(self, b);
        fn xor(self, b: Self) -> Self = _mm256_xor_si256(self, b);
        fn andnot(self, b: Self) -> Self = _mm256_andnot_si256(self, b);
        fn any(self) -> bool = _mm256_testz_si256(self, self) == 0;
        fn count_equal_bytes(self, a: Self, b: Self) -> Self =
            _mm256_sub_epi8(self, _mm256_cmpeq_epi8(a, b));
        fn add64(self, b: Self) -> Self = _mm256_add_epi64(self, b);
        fn add8(self, b: Self) -> Self = _mm256_add_epi8(self, b);
        fn sum_bytes(self) -> Self = _mm256_sad_epu8(self, Self::zero());
        // These instructions take the count from a register: `BITS as i32` cannot be the const
        // argument of the others. The compiler folds it all the same.
        fn shr<const BITS: u32>(self) -> Self =
            _mm256_srl_epi64(self, _mm_cvtsi32_si128(BITS as i32));
        fn shl<const BITS: u32>(self) -> Self =
            _mm256_sll_epi64(self, _mm_cvtsi32_si128(BITS as i32));
        fn all_bytes(byte: u8) -> Self = _mm256_set1_epi8(byte as i8);
    }
}

level!(__m256i, ["avx2,popcnt"]);

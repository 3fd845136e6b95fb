//! x86-64 as it came: SSE2, sixteen registers of 128 bits, popcounts by adding neighbouring bits.

use super::word::{Word, level};
use std::arch::x86_64::*;

impl Word for __m128i {
    const WORDS: usize = 2;
    #[inline(always)]
    unsafe fn load(p: *const u64) -> Self {
        // SAFETY: the trait demands two readable words.
        unsafe { _mm_loadu_si128(p.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut u64) {
        // SAFETY: the trait demands two writable words.
        unsafe { _mm_storeu_si128(p.cast(), self) }
    }
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: SSE2 is part of x86-64 (so below).
        unsafe { _mm_setzero_si128() }
    }
    #[inline(always)]
    unsafe fn ones() -> Self {
        // SAFETY: SSE2.
        unsafe { _mm_set1_epi8(-1) }
    }
    #[inline(always)]
    unsafe fn and(self, b: Self) -> Self {
        // SAFETY: SSE2.
        unsafe { _mm_and_si128(self, b) }
    }
    #[inline(always)]
    unsafe fn or(self, b: Self) -> Self {
        // SAFETY: SSE2.
        unsafe { _mm_or_si128(self, b) }
    }
    #[inline(always)]
    unsafe fn xor(self, b: Self) -> Self {
        // SAFETY: SSE2.
        unsafe { _mm_xor_si128(self, b) }
    }
    #[inline(always)]
    unsafe fn not_and(self, b: Self) -> Self {
        // SAFETY: SSE2.
        unsafe { _mm_andnot_si128(self, b) }
    }
    #[inline(always)]
    unsafe fn any(self) -> bool {
        // SAFETY: SSE2.
        unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(self, _mm_setzero_si128())) != 0xffff }
    }
    #[inline(always)]
    unsafe fn count(self) -> Self {
        // SAFETY: SSE2.
        unsafe {
            let (m1, m2, m4) = (_mm_set1_epi8(0x55), _mm_set1_epi8(0x33), _mm_set1_epi8(0x0f));
            let x = _mm_sub_epi8(self, _mm_and_si128(_mm_srli_epi64::<1>(self), m1));
            let x = _mm_add_epi8(_mm_and_si128(x, m2), _mm_and_si128(_mm_srli_epi64::<2>(x), m2));
            let x = _mm_and_si128(_mm_add_epi8(x, _mm_srli_epi64::<4>(x)), m4);
            _mm_sad_epu8(x, _mm_setzero_si128())
        }
    }
    #[inline(always)]
    unsafe fn count_equal_bytes(self, a: Self, b: Self) -> Self {
        // SAFETY: SSE2.
        unsafe { _mm_sub_epi8(self, _mm_cmpeq_epi8(a, b)) }
    }
    #[inline(always)]
    unsafe fn add64(self, b: Self) -> Self {
        // SAFETY: SSE2.
        unsafe { _mm_add_epi64(self, b) }
    }
    #[inline(always)]
    unsafe fn keep32(self, bits: u64) -> Self {
        // SAFETY: SSE2.
        unsafe {
            let lanes = _mm_setr_epi32(1, 2, 4, 8);
            let mask = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(bits as i32), lanes), lanes);
            _mm_and_si128(self, mask)
        }
    }
    #[inline(always)]
    unsafe fn halves(self) -> Self {
        // SAFETY: SSE2.
        unsafe {
            let low = _mm_and_si128(self, _mm_set1_epi64x(0xffff_ffff));
            _mm_add_epi64(low, _mm_srli_epi64::<32>(self))
        }
    }
}

level!(__m128i, []);

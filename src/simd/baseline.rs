//! The level of all x86-64 processors: SSE2, with sixteen registers of 128 bits. A vector of the
//! kernels is two registers ([`Twice`]).
//!
//! SSE2 has no popcount and no table look-up of bytes. Popcounts add neighbouring bits, then pairs
//! and half bytes, and one instruction sums the bytes of a word.

use super::instantiate::{inline_methods, level};
use super::twice::Twice;
use super::weights::{FEW_BITS, WeightTable};
use super::word::{self, Word};
use std::arch::x86_64::*;

impl Word for __m128i {
    const WORDS: usize = 2;
    const BLOCK_VECTORS: usize = 8;
    const EIGHT_STEPS: bool = false;
    const LANE_MASKS: bool = true;
    const SLOW_COUNT: bool = true;
    /// Bits are added in pairs, half bytes and bytes; one instruction sums the bytes of a word.
    #[inline(always)]
    unsafe fn count(self) -> Self {
        // SAFETY: every x86-64 processor has SSE2, and registers alone are read.
        unsafe {
            let every_second_bit = _mm_set1_epi8(0x55);
            let every_second_pair = _mm_set1_epi8(0x33);
            let low_half_bytes = _mm_set1_epi8(0x0f);
            // Two bits a, b have the number 2 a + b; minus a, it is their count a + b.
            let upper_bits = _mm_and_si128(_mm_srli_epi64::<1>(self), every_second_bit);
            let of_pairs = _mm_sub_epi8(self, upper_bits);
            let upper_pairs = _mm_and_si128(_mm_srli_epi64::<2>(of_pairs), every_second_pair);
            let lower_pairs = _mm_and_si128(of_pairs, every_second_pair);
            let of_halves = _mm_add_epi8(lower_pairs, upper_pairs);
            let of_bytes = _mm_add_epi8(of_halves, _mm_srli_epi64::<4>(of_halves));
            _mm_sad_epu8(_mm_and_si128(of_bytes, low_half_bytes), _mm_setzero_si128())
        }
    }
    /// One bit per lane is tested, and the comparison makes a mask of it.
    #[inline(always)]
    unsafe fn keep32(self, bits: u64, at: usize) -> Self {
        // SAFETY: every x86-64 processor has SSE2, and registers alone are read.
        unsafe {
            // One broadcast of the bits serves all vectors of 32 lanes.
            let first = 1 << (at % 8 * 4);
            let lanes = _mm_setr_epi32(first, first << 1, first << 2, first << 3);
            let bits = _mm_set1_epi32((bits >> (at / 8 * 32)) as i32);
            _mm_and_si128(self, _mm_cmpeq_epi32(_mm_and_si128(bits, lanes), lanes))
        }
    }
    #[inline(always)]
    unsafe fn look_up(
        planes: &[u64],
        first: usize,
        columns: usize,
        table: &WeightTable,
        out: *mut u32,
    ) {
        // SAFETY: every x86-64 processor has SSE2; the caller vouches for table and output as
        // [`Word::look_up`] asks.
        unsafe { look_up(planes, first, columns, table, out) }
    }
    #[inline(always)]
    unsafe fn widen32(self) -> (Self, Self) {
        // SAFETY: every x86-64 processor has SSE2, and registers alone are read.
        unsafe {
            let zero = _mm_setzero_si128();
            (_mm_unpacklo_epi32(self, zero), _mm_unpackhi_epi32(self, zero))
        }
    }
    inline_methods! {
        fn load(p: *const u64) -> Self = _mm_load_si128(p.cast());
        fn load_bytes(p: *const u8) -> Self = _mm_loadu_si128(p.cast());
        fn store(self, p: *mut u64) = _mm_store_si128(p.cast(), self);
        fn zero() -> Self = _mm_setzero_si128();
        fn ones() -> Self = _mm_set1_epi8(-1);
        fn and(self, b: Self) -> Self = _mm_and_si128(self, b);
        fn or(self, b: Self) -> Self = _mm_or_si128(self, b);
        fn xor(self, b: Self) -> Self = _mm_xor_si128(self, b);
        fn andnot(self, b: Self) -> Self = _mm_andnot_si128(self, b);
        fn any(self) -> bool =
            _mm_movemask_epi8(_mm_cmpeq_epi8(self, _mm_setzero_si128())) != 0xffff;
        fn count_equal_bytes(self, a: Self, b: Self) -> Self =
            _mm_sub_epi8(self, _mm_cmpeq_epi8(a, b));
        fn add64(self, b: Self) -> Self = _mm_add_epi64(self, b);
        fn add8(self, b: Self) -> Self = _mm_add_epi8(self, b);
        fn sum_bytes(self) -> Self = _mm_sad_epu8(self, Self::zero());
        fn shr<const BITS: u32>(self) -> Self =
            _mm_srl_epi64(self, _mm_cvtsi32_si128(BITS as i32));
        fn shl<const BITS: u32>(self) -> Self = _mm_sll_epi64(self, _mm_cvtsi32_si128(BITS as i32));
        fn all_bytes(byte: u8) -> Self = _mm_set1_epi8(byte as i8);
    }
}

/// [`Word::look_up`] for at most eight planes; with more, the function of all levels.
///
/// Byte p of a register holds plane p of eight columns, so the signs of all bytes are the number of
/// the last column, and one instruction collects them; adding each byte to itself brings the number
/// of the column before.
///
/// # Safety
/// The processor has SSE2. The number of every column is below the length of `table.one`, `first +
/// columns` is at most 64, and `out` has room for `columns` weights, a multiple of 32.
#[inline(always)]
pub(super) unsafe fn look_up(
    planes: &[u64],
    first: usize,
    columns: usize,
    table: &WeightTable,
    out: *mut u32,
) {
    // SAFETY: as the caller has promised. A table of pairs has an entry for any two numbers of
    // five bits, and it is there only if no number has more.
    unsafe {
        if planes.len() > 8 {
            return word::look_up(planes, first, columns, table, out);
        }
        for block in (0..columns).step_by(32) {
            // 32 columns of a plane; all bits of a missing plane are 0.
            let plane = |p: usize| {
                let bits = planes.get(p).map_or(0, |plane| plane >> (first + block));
                _mm_cvtsi32_si128(bits as i32)
            };
            // Eight bytes of each column block: of planes p and p + 1, then of p to p + 3.
            let two_planes = |p: usize| _mm_unpacklo_epi8(plane(p), plane(p + 1));
            let four_planes = |p: usize| _mm_unpacklo_epi16(two_planes(p), two_planes(p + 2));
            let (low, high) = (four_planes(0), four_planes(4));
            // 8 bytes for each 8 of the 32 columns.
            let halves = [_mm_unpacklo_epi32(low, high), _mm_unpackhi_epi32(low, high)];
            for (half, mut bytes) in halves.into_iter().enumerate() {
                let weights = out.add(block + half * 16);
                if !table.two.is_empty() {
                    // Five planes of eight columns and five of the next eight: one look-up per two
                    // columns.
                    let second = _mm_slli_si128::<{ FEW_BITS as i32 }>(_mm_srli_si128::<8>(bytes));
                    bytes = _mm_or_si128(_mm_move_epi64(bytes), second);
                    for column in (0..8).rev() {
                        let numbers = _mm_movemask_epi8(bytes) as usize;
                        let pair = *table.two.get_unchecked(numbers);
                        *weights.add(column) = pair as u32;
                        *weights.add(column + 8) = (pair >> 32) as u32;
                        bytes = _mm_add_epi8(bytes, bytes);
                    }
                    continue;
                }
                for column in (0..8).rev() {
                    let numbers = _mm_movemask_epi8(bytes) as usize;
                    *weights.add(column) = *table.one.get_unchecked(numbers & 0xff);
                    *weights.add(column + 8) = *table.one.get_unchecked(numbers >> 8);
                    bytes = _mm_add_epi8(bytes, bytes);
                }
            }
        }
    }
}

level!(Twice<__m128i>, []);

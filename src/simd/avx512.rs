//! The level AVX-512: thirty-two registers of 512 bits, masks as operands, any function of three
//! vectors in one instruction, and popcounts of 64-bit words.
//!
//! Functions of three vectors are given by their truth tables (`vpternlogq`): bit `4 a + 2 b + c`
//! of the constant is the result for the bits a, b and c.

use super::instantiate::{inline_methods, level};
use super::weights::WeightTable;
use super::word::{Word, Words, look_up};
use std::arch::x86_64::*;

impl Word for __m512i {
    const WORDS: usize = 8;
    const BLOCK_VECTORS: usize = 4;
    const EIGHT_STEPS: bool = true;
    const LANE_MASKS: bool = false;
    const SLOW_COUNT: bool = false;
    #[inline(always)]
    unsafe fn count_equal_bytes(self, a: Self, b: Self) -> Self {
        // SAFETY: the level is chosen only where the processor has AVX-512 F and BW; registers
        // alone are read.
        unsafe {
            _mm512_mask_sub_epi8(self, _mm512_cmpeq_epi8_mask(a, b), self, _mm512_set1_epi8(-1))
        }
    }
    #[inline(always)]
    unsafe fn widen32(self) -> (Self, Self) {
        // SAFETY: the level is chosen only where the processor has AVX-512 F; registers alone are
        // read.
        unsafe {
            let (first, second) =
                (_mm512_castsi512_si256(self), _mm512_extracti64x4_epi64::<1>(self));
            (_mm512_cvtepu32_epi64(first), _mm512_cvtepu32_epi64(second))
        }
    }
    /// Tables of at most 256 entries are permuted in registers, 32 entries per permutation.
    #[inline(always)]
    unsafe fn look_up(
        planes: &[u64],
        first: usize,
        columns: usize,
        table: &WeightTable,
        out: *mut u32,
    ) {
        /// Blocks of 32 entries beyond which a load per column is quicker than one permutation per
        /// block.
        const MOST_BLOCKS: usize = 8;
        // SAFETY: the level is chosen only where the processor has AVX-512 F and BW. The caller
        // vouches that numbers are below the length of the table, and that `out` has room for all
        // columns. Masked loads read nothing beyond the table.
        unsafe {
            if planes.len() > 8 || table.one.len() > MOST_BLOCKS * 32 {
                return look_up(planes, first, columns, table, out);
            }
            let table = &table.one;
            let blocks = table.len().div_ceil(32);
            // The number of each column as a byte.
            let mut bytes = _mm512_setzero_si512();
            for (p, plane) in planes.iter().enumerate() {
                bytes =
                    _mm512_mask_add_epi8(bytes, plane >> first, bytes, _mm512_set1_epi8(1 << p));
            }
            // 16 entries of the table.
            macro_rules! part {
                ($from:expr) => {{
                    let from = table.len().min($from);
                    let mask = ((1u32 << (table.len() - from).min(16)) - 1) as u16;
                    _mm512_maskz_loadu_epi32(mask, table.as_ptr().add(from).cast())
                }};
            }
            let quarters = [
                _mm512_castsi512_si128(bytes),
                _mm512_extracti32x4_epi32::<1>(bytes),
                _mm512_extracti32x4_epi32::<2>(bytes),
                _mm512_extracti32x4_epi32::<3>(bytes),
            ];
            for (q, quarter) in quarters.iter().take(columns / 16).enumerate() {
                let number = _mm512_cvtepu8_epi32(*quarter);
                let mut weight = _mm512_permutex2var_epi32(part!(0), number, part!(16));
                // A permutation looks at the lowest five bits of a number; the others choose its
                // block.
                if blocks > 1 {
                    let block = _mm512_srli_epi32::<5>(number);
                    weight = _mm512_maskz_mov_epi32(_mm512_testn_epi32_mask(block, block), weight);
                    for b in 1..blocks {
                        let here = _mm512_cmpeq_epi32_mask(block, _mm512_set1_epi32(b as i32));
                        let w = _mm512_maskz_permutex2var_epi32(
                            here,
                            part!(32 * b),
                            number,
                            part!(32 * b + 16),
                        );
                        weight = _mm512_or_si512(weight, w);
                    }
                }
                _mm512_storeu_si512(out.add(16 * q).cast(), weight);
            }
        }
    }
    /// Eight numbers at a time are added where their bits are set.
    #[inline(always)]
    unsafe fn sum_of_bits(bits: u64, sums: *const u64) -> u64 {
        // SAFETY: the level is chosen only where the processor has AVX-512 F; the caller vouches
        // for 64 numbers.
        unsafe {
            let mut sum = _mm512_setzero_si512();
            for part in 0..8 {
                let some = _mm512_loadu_si512(sums.add(8 * part).cast());
                sum = _mm512_mask_add_epi64(sum, (bits >> (8 * part)) as u8, sum, some);
            }
            _mm512_reduce_add_epi64(sum) as u64
        }
    }
    #[inline(always)]
    unsafe fn add_counts(counts: &[u32; 16], weight: f64, out: &mut [f64]) {
        let out = &mut out[..16];
        // SAFETY: the level is chosen only where the processor has AVX-512 F; `counts` and `out`
        // have sixteen numbers each.
        unsafe {
            let weight = _mm512_set1_pd(weight);
            for at in (0..16).step_by(8) {
                let count = _mm512_cvtepi32_pd(_mm256_loadu_si256(counts.as_ptr().add(at).cast()));
                let more = _mm512_mul_pd(weight, count);
                let to = out.as_mut_ptr().add(at);
                _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), more));
            }
        }
    }
    /// The bits of a plane are the mask under which its weight is subtracted.
    #[inline(always)]
    unsafe fn spread(planes: &[Words], word: usize, quarter: usize, all: u32, out: &mut [u32]) {
        let out = &mut out[..16];
        // SAFETY: the level is chosen only where the processor has AVX-512 F; `out` has sixteen
        // numbers.
        unsafe {
            let mut column = _mm512_set1_epi32(all as i32);
            for (p, plane) in planes.iter().enumerate() {
                let bits = (plane.0[word] >> (16 * quarter)) as u16;
                column = _mm512_mask_sub_epi32(column, bits, column, _mm512_set1_epi32(1 << p));
            }
            let at: *mut __m512i = out.as_mut_ptr().cast();
            _mm512_storeu_si512(at, _mm512_add_epi32(_mm512_loadu_si512(at), column));
        }
    }
    /// Eight planes become bytes under masks; the bytes are widened to numbers.
    #[inline(always)]
    unsafe fn spread64(planes: &[Words], word: usize, all: u32, out: &mut [[u32; 16]; 4]) {
        // SAFETY: the level is chosen only where the processor has AVX-512 F and BW; each part of
        // `out` has sixteen numbers.
        unsafe {
            let all = _mm512_set1_epi32(all as i32);
            // Bytes of the columns: the bits of eight planes.
            macro_rules! bytes {
                ($from:literal) => {{
                    let mut bytes = _mm512_setzero_si512();
                    for p in $from..planes.len().min($from + 8) {
                        let more = _mm512_set1_epi8(1 << (p - $from));
                        bytes = _mm512_mask_add_epi8(bytes, planes[p].0[word], bytes, more);
                    }
                    bytes
                }};
            }
            macro_rules! part {
                ($bytes:expr, $at:literal) => {
                    _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<$at>($bytes))
                };
            }
            // The lowest eight bits of each column's number, then those above.
            let low = bytes!(0);
            let mut columns = [part!(low, 0), part!(low, 1), part!(low, 2), part!(low, 3)];
            macro_rules! add {
                ($from:literal) => {
                    let high = bytes!($from);
                    let parts = [part!(high, 0), part!(high, 1), part!(high, 2), part!(high, 3)];
                    for at in 0..4 {
                        let part = _mm512_slli_epi32::<$from>(parts[at]);
                        columns[at] = _mm512_add_epi32(columns[at], part);
                    }
                };
            }
            if planes.len() > 8 {
                add!(8);
            }
            if planes.len() > 16 {
                add!(16);
            }
            for at in 0..4 {
                let column = _mm512_sub_epi32(all, columns[at]);
                _mm512_storeu_si512(out[at].as_mut_ptr().cast(), column);
            }
        }
    }
    /// A vector has all 64 numbers, so `part` is 0; two instructions interleave the bytes.
    #[inline(always)]
    unsafe fn store_numbers(low: Self, high: Self, part: usize, out: &mut [u16]) {
        let out = &mut out[..64];
        assert!(part == 0);
        // SAFETY: the level is chosen only where the processor has AVX-512 F and BW; `out` has 64
        // numbers of two bytes, which are two vectors.
        unsafe {
            let to: *mut __m512i = out.as_mut_ptr().cast();
            _mm512_storeu_si512(to, _mm512_unpacklo_epi8(low, high));
            _mm512_storeu_si512(to.add(1), _mm512_unpackhi_epi8(low, high));
        }
    }
    #[inline(always)]
    unsafe fn equals_digit<const N: usize>(a: Self, b: Self, third: Self) -> Self {
        // SAFETY: the level is chosen only where the processor has AVX-512 F; registers alone are
        // read.
        unsafe {
            // Truth tables with a, b and third in rows 0xf0, 0xcc and 0xaa.
            match N {
                0 => _mm512_ternarylogic_epi64::<0x02>(a, b, third),
                1 => _mm512_ternarylogic_epi64::<0x20>(a, b, third),
                2 => _mm512_ternarylogic_epi64::<0x08>(a, b, third),
                _ => _mm512_ternarylogic_epi64::<0x80>(a, b, third),
            }
        }
    }
    #[inline(always)]
    unsafe fn add3(self, b: Self, c: Self) -> (Self, Self) {
        // SAFETY: the level is chosen only where the processor has AVX-512 F; registers alone are
        // read.
        unsafe {
            // Truth tables of parity (the sum) and majority (the carry).
            (
                _mm512_ternarylogic_epi64::<0x96>(self, b, c),
                _mm512_ternarylogic_epi64::<0xe8>(self, b, c),
            )
        }
    }
    inline_methods! {
        fn load(p: *const u64) -> Self = _mm512_loadu_si512(p.cast());
        fn load_bytes(p: *const u8) -> Self = _mm512_loadu_si512(p.cast());
        fn store(self, p: *mut u64) = _mm512_storeu_si512(p.cast(), self);
        fn zero() -> Self = _mm512_setzero_si512();
        fn ones() -> Self = _mm512_set1_epi64(-1);
        fn and(self, b: Self) -> Self = _mm512_and_si512(self, b);
        fn or(self, b: Self) -> Self = _mm512_or_si512(self, b);
        fn xor(self, b: Self) -> Self = _mm512_xor_si512(self, b);
        fn andnot(self, b: Self) -> Self = _mm512_andnot_si512(self, b);
        fn any(self) -> bool = _mm512_test_epi64_mask(self, self) != 0;
        fn count(self) -> Self = _mm512_popcnt_epi64(self);
        fn add64(self, b: Self) -> Self = _mm512_add_epi64(self, b);
        fn add8(self, b: Self) -> Self = _mm512_add_epi8(self, b);
        fn sum_bytes(self) -> Self = _mm512_sad_epu8(self, Self::zero());
        fn shr<const BITS: u32>(self) -> Self =
            _mm512_srl_epi64(self, _mm_cvtsi32_si128(BITS as i32));
        fn shl<const BITS: u32>(self) -> Self =
            _mm512_sll_epi64(self, _mm_cvtsi32_si128(BITS as i32));
        fn all_bytes(byte: u8) -> Self = _mm512_set1_epi8(byte as i8);
        fn keep32(self, bits: u64, at: usize) -> Self =
            _mm512_maskz_mov_epi32((bits >> (16 * at)) as u16, self);
        fn xnor_andnot(self, b: Self, c: Self) -> Self =
            _mm512_ternarylogic_epi64::<0x41>(self, b, c);
        fn or_and(self, b: Self, c: Self) -> Self = _mm512_ternarylogic_epi64::<0xf8>(self, b, c);
    }
}

level!(__m512i, ["avx512f,avx512bw,avx512vpopcntdq,popcnt"]);

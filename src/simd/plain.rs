//! The level of every architecture: two 64-bit words and the operators of the language, which
//! compilers turn into 128-bit vectors where there are any.
//!
//! Sums within bytes keep carries from the next byte by the usual masks (Warren, Hacker's Delight,
//! chapter 2). On x86-64 only tests compile this level, because every such processor has SSE2,
//! which takes 0.6 to 0.9 of the time.

use super::instantiate::{inline_methods, level};
use super::word::Word;

/// 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Word128([u64; 2]);

impl Word for Word128 {
    const WORDS: usize = 2;
    const BLOCK_VECTORS: usize = 8;
    const EIGHT_STEPS: bool = false;
    const LANE_MASKS: bool = true;
    const SLOW_COUNT: bool = true;
    #[inline(always)]
    unsafe fn store(self, p: *mut u64) {
        // SAFETY: the trait demands two writable words.
        unsafe {
            *p = self.0[0];
            *p.add(1) = self.0[1];
        }
    }
    /// The highest bit of a byte shows whether the bytes differ.
    #[inline(always)]
    unsafe fn count_equal_bytes(self, a: Self, b: Self) -> Self {
        const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let equal = |a: u64, b: u64| {
            let x = a ^ b;
            !(((x & LOW) + LOW) | x | LOW) >> 7
        };
        // A byte counts at most 255 times, so there is no carry into the next.
        Self([self.0[0] + equal(a.0[0], b.0[0]), self.0[1] + equal(a.0[1], b.0[1])])
    }
    #[inline(always)]
    unsafe fn add8(self, b: Self) -> Self {
        const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let add = |a: u64, b: u64| ((a & LOW) + (b & LOW)) ^ ((a ^ b) & !LOW);
        Self([add(self.0[0], b.0[0]), add(self.0[1], b.0[1])])
    }
    #[inline(always)]
    unsafe fn sum_bytes(self) -> Self {
        const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
        let sum = |a: u64| ((a & EVEN) + (a >> 8 & EVEN)).wrapping_mul(0x0001_0001_0001_0001) >> 48;
        Self([sum(self.0[0]), sum(self.0[1])])
    }
    #[inline(always)]
    unsafe fn keep32(self, bits: u64, at: usize) -> Self {
        let bits = bits >> (4 * at);
        let mask = |b: u64| ((b & 1) * 0xffff_ffff) | ((b >> 1 & 1) * 0xffff_ffff_0000_0000);
        Self([self.0[0] & mask(bits), self.0[1] & mask(bits >> 2)])
    }
    #[inline(always)]
    unsafe fn widen32(self) -> (Self, Self) {
        let [a, b] = self.0;
        (Self([a & 0xffff_ffff, a >> 32]), Self([b & 0xffff_ffff, b >> 32]))
    }
    inline_methods! {
        fn load(p: *const u64) -> Self = Self([*p, *p.add(1)]);
        fn load_bytes(p: *const u8) -> Self =
            Self([p.cast::<u64>().read_unaligned(), p.cast::<u64>().add(1).read_unaligned()]);
        fn zero() -> Self = Self([0; 2]);
        fn ones() -> Self = Self([!0; 2]);
        fn and(self, b: Self) -> Self = Self([self.0[0] & b.0[0], self.0[1] & b.0[1]]);
        fn or(self, b: Self) -> Self = Self([self.0[0] | b.0[0], self.0[1] | b.0[1]]);
        fn xor(self, b: Self) -> Self = Self([self.0[0] ^ b.0[0], self.0[1] ^ b.0[1]]);
        fn andnot(self, b: Self) -> Self = Self([!self.0[0] & b.0[0], !self.0[1] & b.0[1]]);
        fn any(self) -> bool = self.0[0] | self.0[1] != 0;
        fn count(self) -> Self =
            Self([u64::from(self.0[0].count_ones()), u64::from(self.0[1].count_ones())]);
        fn add64(self, b: Self) -> Self =
            Self([self.0[0].wrapping_add(b.0[0]), self.0[1].wrapping_add(b.0[1])]);
        fn shr<const BITS: u32>(self) -> Self = Self([self.0[0] >> BITS, self.0[1] >> BITS]);
        fn shl<const BITS: u32>(self) -> Self = Self([self.0[0] << BITS, self.0[1] << BITS]);
        fn all_bytes(byte: u8) -> Self = Self([u64::from_ne_bytes([byte; 8]); 2]);
    }
}

level!(Word128, []);

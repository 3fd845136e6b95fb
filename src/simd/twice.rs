//! Two vectors as one of twice the length.
//!
//! Decoding slots and schedules takes as long for a short vector as for a long one. With SSE2 it is
//! most of the time, so `baseline` lets two registers share it: rows and schedules are decoded once
//! for 256 columns instead of twice. Each method does its operation on either half; the twin is the
//! half itself.

use super::instantiate::inline_methods;
use super::weights::WeightTable;
use super::word::{Word, Words};

/// A vector, and the one that follows it in memory.
#[derive(Clone, Copy)]
pub(super) struct Twice<V>(V, V);

/// A method that does its operation on either half.
macro_rules! both {
    ($name:ident($($x:ident),*)) => {
        #[inline(always)]
        unsafe fn $name(self $(, $x: Self)*) -> Self {
            // SAFETY: the level's instructions are there, as the caller of this method has promised
            // (so below).
            unsafe { Self(self.0.$name($($x.0),*), self.1.$name($($x.1),*)) }
        }
    };
}

impl<V: Word> Word for Twice<V> {
    const WORDS: usize = 2 * V::WORDS;
    const BLOCK_VECTORS: usize = V::BLOCK_VECTORS / 2;
    const EIGHT_STEPS: bool = V::EIGHT_STEPS;
    const LANE_MASKS: bool = V::LANE_MASKS;
    const SLOW_COUNT: bool = V::SLOW_COUNT;
    both!(and(b));
    both!(or(b));
    both!(xor(b));
    both!(andnot(b));
    both!(count());
    both!(count_equal_bytes(a, b));
    both!(add64(b));
    both!(add8(b));
    both!(sum_bytes());
    both!(or_and(b, c));
    #[inline(always)]
    unsafe fn store(self, p: *mut u64) {
        // SAFETY: twice the words, both halves aligned.
        unsafe {
            self.0.store(p);
            self.1.store(p.add(V::WORDS));
        }
    }
    #[inline(always)]
    unsafe fn widen32(self) -> (Self, Self) {
        // SAFETY: as in `both`.
        unsafe {
            let ((a, b), (c, d)) = (self.0.widen32(), self.1.widen32());
            (Self(a, b), Self(c, d))
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
        // SAFETY: see `sum_of_bits`.
        unsafe { V::look_up(planes, first, columns, table, out) }
    }
    #[inline(always)]
    unsafe fn add3(self, b: Self, c: Self) -> (Self, Self) {
        // SAFETY: as in `both`.
        unsafe {
            let (low, high) = (self.0.add3(b.0, c.0), self.1.add3(b.1, c.1));
            (Self(low.0, high.0), Self(low.1, high.1))
        }
    }
    #[inline(always)]
    unsafe fn add2(self, b: Self) -> (Self, Self) {
        // SAFETY: as in `both`.
        unsafe {
            let (low, high) = (self.0.add2(b.0), self.1.add2(b.1));
            (Self(low.0, high.0), Self(low.1, high.1))
        }
    }
    inline_methods! {
        fn load(p: *const u64) -> Self = Self(V::load(p), V::load(p.add(V::WORDS)));
        fn load_bytes(p: *const u8) -> Self =
            Self(V::load_bytes(p), V::load_bytes(p.add(8 * V::WORDS)));
        fn zero() -> Self = Self(V::zero(), V::zero());
        fn ones() -> Self = Self(V::ones(), V::ones());
        fn any(self) -> bool = self.0.or(self.1).any();
        fn shr<const BITS: u32>(self) -> Self = Self(self.0.shr::<BITS>(), self.1.shr::<BITS>());
        fn shl<const BITS: u32>(self) -> Self = Self(self.0.shl::<BITS>(), self.1.shl::<BITS>());
        fn all_bytes(byte: u8) -> Self = Self(V::all_bytes(byte), V::all_bytes(byte));
        fn keep32(self, bits: u64, at: usize) -> Self =
            Self(self.0.keep32(bits, 2 * at), self.1.keep32(bits, 2 * at + 1));
        fn sum_of_bits(bits: u64, sums: *const u64) -> u64 = V::sum_of_bits(bits, sums);
        fn spread(planes: &[Words], word: usize, quarter: usize, all: u32, out: &mut [u32]) =
            V::spread(planes, word, quarter, all, out);
    }
}

//! Where two samples differ, and carry-save counters of such vectors.

use super::super::word::Word;

/// Words of a sample in a group of 512 variants: eight of low bits, then eight of high bits.
pub const GENOTYPE_WORDS: usize = 16;

/// The variants where two genotypes differ, given as (low bits, high bits). They differ where the
/// low bits or the high bits do. Three operations.
///
/// # Safety
/// The calling function enables the target features of `W`.
#[inline(always)]
pub(super) unsafe fn differ<W: Word>(a: (W, W), b: (W, W)) -> W {
    // SAFETY: register work under the features of the caller.
    unsafe { a.0.xor(b.0).or(a.1.xor(b.1)) }
}

/// Low and high bits of a sample at the variants of one vector. The high bits lie eight words
/// behind the low bits.
///
/// # Safety
/// The calling function enables the target features of `W`, and `at` is aligned and points into the
/// low bits of a sample's group.
#[inline(always)]
pub(super) unsafe fn low_and_high<W: Word>(at: *const u64) -> (W, W) {
    // SAFETY: the caller vouches for a group behind the pointer.
    unsafe { (W::load(at), W::load(at.add(8))) }
}

/// Add one vector per member, `$get!` of it, to the bit-sliced counters `$sum`, sixteen members at
/// a time. Sixteen instead of eight, together with counts that are unpacked 64 at a time and added
/// in vectors, halved the time of the neighbours.
macro_rules! count_members {
    ($sum:ident, $members:expr, $get:ident) => {
        let mut sixteens = $members.chunks_exact(16);
        for m in &mut sixteens {
            let first = add_eight!($sum, &m[..8], $get);
            let second = add_eight!($sum, &m[8..], $get);
            let (eights, carry) = $sum[3].add3(first, second);
            $sum[3] = eights;
            add_carry(&mut $sum, 4, carry);
        }
        let mut eights = sixteens.remainder().chunks_exact(8);
        for m in &mut eights {
            let carry = add_eight!($sum, m, $get);
            add_carry(&mut $sum, 3, carry);
        }
        for &m in eights.remainder() {
            add_carry(&mut $sum, 0, $get!(m));
        }
    };
}

pub(super) use count_members;

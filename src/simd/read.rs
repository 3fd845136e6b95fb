//! Reading bit-sliced counters: the sum of a counter over the columns of each slot.
//!
//! With AVX-512 the sum is one popcount per slot and plane. Where a popcount takes many operations
//! (SSE2, AVX2), the eight lowest planes of the counter are transposed once, so that each column's
//! number is a byte. A slot is then eight masks from memory and eight sums of bytes, in place of a
//! popcount for each of its planes. Higher planes, which few counters have, are counted by
//! popcounts at every level.

use super::word::Word;
use super::{Counter, SlotMasks};

/// The planes of one counter, with all kept carries added. The counter itself stays as it is, so it
/// can go on counting after it has been read.
///
/// # Safety
/// The calling function enables the target features of `W`, and the counter's planes lie inside
/// their slices.
#[inline(always)]
unsafe fn resolved_planes<W: Word>(counter: Counter<'_>, out: &mut [W; 32]) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let Counter { hot, cold, depth, blocks, length, index } = counter;
        let hot = hot.as_ptr().add(index * 4 * W::WORDS);
        macro_rules! cold {
            ($plane:expr) => {
                W::load(cold.as_ptr().add(($plane * length + index) * W::WORDS))
            };
        }
        // The planes themselves; see `CounterState` for where they are.
        for (p, plane) in out.iter_mut().enumerate().take(depth) {
            *plane = if p < 3 { W::load(hot.add(p * W::WORDS)) } else { cold!(2 * (p - 3) + 2) };
        }
        // A bit of `blocks` says that a carry is kept for the planes from `from` on.
        for from in 2..depth {
            if blocks >> (from - 2) & 1 == 1 {
                let mut carry = if from == 2 {
                    W::load(hot.add(3 * W::WORDS))
                } else {
                    cold!(2 * (from - 3) + 1)
                };
                for plane in out.iter_mut().take(depth).skip(from) {
                    (*plane, carry) = plane.add2(carry);
                }
            }
        }
    }
}

/// Eight planes become bytes: byte b of vector i has the eight bits of column `8 b + i`. Three
/// rounds exchange blocks of 4 x 4, 2 x 2 and single bits.
///
/// # Safety
/// The calling function enables the target features of `W`.
#[inline(always)]
unsafe fn transpose<W: Word>(x: &mut [W; 8]) {
    /// One round: exchange the blocks of `BITS` x `BITS` bits off the diagonal; `low` has the bits
    /// of each byte that stay.
    ///
    /// # Safety
    /// The calling function enables the target features of `W`.
    #[inline(always)]
    unsafe fn exchange<W: Word, const BITS: u32>(x: &mut [W; 8], low: u8) {
        // SAFETY: register work under the features of the caller.
        unsafe {
            let low = W::all_bytes(low);
            for a in 0..8 {
                let b = a + BITS as usize;
                if a & BITS as usize != 0 {
                    continue;
                }
                let t = x[a].shr::<BITS>().xor(x[b]).and(low);
                (x[a], x[b]) = (x[a].xor(t.shl::<BITS>()), x[b].xor(t));
            }
        }
    }
    // SAFETY: register work under the features of the caller.
    unsafe {
        exchange::<W, 4>(x, 0x0f);
        exchange::<W, 2>(x, 0x33);
        exchange::<W, 1>(x, 0x55);
    }
}

/// [`super::Kernels::byte_masks`]. Each plane gets eight masks; mask i has the bytes of vector i
/// ([`transpose`]) that belong to columns of the plane. Levels with quick popcounts get none.
///
/// # Safety
/// The calling function enables the target features of `W`.
#[inline(always)]
pub(super) unsafe fn byte_masks<W: Word>(planes: &[u64], out: &mut [u64]) {
    if !W::SLOW_COUNT {
        return;
    }
    /// The lowest bit of each byte; times 0xff it fills the byte.
    const LOW: u64 = 0x0101_0101_0101_0101;
    for (plane, out) in planes.chunks_exact(W::WORDS).zip(out.chunks_exact_mut(8 * W::WORDS)) {
        for (i, out) in out.chunks_exact_mut(W::WORDS).enumerate() {
            for (word, out) in plane.iter().zip(out) {
                *out = (word >> i & LOW) * 0xff;
            }
        }
    }
}

/// The sum of bit-sliced numbers over the columns in `within`, for each 64-bit word. One popcount
/// per plane; the sum is doubled from plane to plane, highest first.
///
/// # Safety
/// The calling function enables the target features of `W`.
#[inline(always)]
unsafe fn count_within<W: Word>(planes: &[W], within: W) -> W {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let mut sum = W::zero();
        for plane in planes.iter().rev() {
            sum = sum.add64(sum).add64(plane.and(within).count());
        }
        sum
    }
}

/// The sum of numbers in bytes ([`transpose`]) under eight masks, for each 64-bit word. `SMALL`
/// numbers have at most six bits.
///
/// # Safety
/// The calling function enables the target features of `W`, and `masks` has eight aligned vectors.
#[inline(always)]
unsafe fn add_within<W: Word, const SMALL: bool>(x: &[W; 8], masks: *const u64) -> W {
    // SAFETY: `masks` has eight vectors.
    unsafe {
        macro_rules! kept {
            ($i:literal) => {
                x[$i].and(W::load(masks.add($i * W::WORDS)))
            };
        }
        if SMALL {
            // The sum of four such numbers fits a byte.
            let first = kept!(0).add8(kept!(1)).add8(kept!(2).add8(kept!(3)));
            let second = kept!(4).add8(kept!(5)).add8(kept!(6).add8(kept!(7)));
            return first.sum_bytes().add64(second.sum_bytes());
        }
        let mut sum = W::zero();
        macro_rules! add {
            ($($i:literal)*) => { $( sum = sum.add64(kept!($i).sum_bytes()); )* };
        }
        add!(0 1 2 3 4 5 6 7);
        sum
    }
}

/// [`super::Kernels::flush`]. Planes above the highest one that is not empty are left out for all
/// slots.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks.
#[inline(always)]
pub(super) unsafe fn flush<W: Word>(
    counter: Counter<'_>,
    slots: SlotMasks<'_>,
    weight: &[u64],
    out: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let mut bits = [W::zero(); 32];
        resolved_planes(counter, &mut bits);
        let weight = W::load(weight.as_ptr());
        // Planes up to the highest that is not empty.
        let mut depth = 0;
        for (p, plane) in bits.iter_mut().enumerate().take(counter.depth) {
            *plane = plane.and(weight);
            if plane.any() {
                depth = p + 1;
            }
        }
        let planes = slots.planes.chunks_exact(W::WORDS).zip(out.chunks_exact_mut(W::WORDS));
        if !W::SLOW_COUNT {
            for (plane, out) in planes {
                count_within(&bits[..depth], W::load(plane.as_ptr())).store(out.as_mut_ptr());
            }
            return;
        }
        // The lowest eight planes by bytes, those above by popcounts.
        let mut x: [W; 8] =
            [bits[0], bits[1], bits[2], bits[3], bits[4], bits[5], bits[6], bits[7]];
        transpose(&mut x);
        for ((plane, out), masks) in planes.zip(slots.bytes.chunks_exact(8 * W::WORDS)) {
            let masks = masks.as_ptr();
            let mut sum = if depth <= 6 {
                add_within::<W, true>(&x, masks)
            } else {
                add_within::<W, false>(&x, masks)
            };
            if depth > 8 {
                let high = count_within(&bits[8..depth], W::load(plane.as_ptr()));
                sum = sum.add64(high.shl::<8>());
            }
            sum.store(out.as_mut_ptr());
        }
    }
}

//! Kernels that add up bits: the number of features on which a row agrees with each column.
//!
//! Sums are bit-sliced: plane p of a sum holds bit p of every column's number. They are carry-save:
//! eight planes go through seven full adders before anything leaves the registers (Harley & Seal),
//! so a plane costs about two operations whatever the width of the sum.

use super::Window;
use super::word::Word;

/// Add eight vectors of bits, `$get!` of the elements of `$each`, to the three lowest planes of a
/// bit-sliced sum; the value is the carry, of weight 8. It is a macro because as a function over
/// arrays the sums took 1.02 to 1.06 times as long, and the counters of distances 1.25 times: masks
/// and planes left the registers.
macro_rules! add_eight {
    ($sum:ident, $each:expr, $get:ident) => {{
        let each = $each;
        let (ones, two_a) = $sum[0].add3($get!(each[0]), $get!(each[1]));
        let (ones, two_b) = ones.add3($get!(each[2]), $get!(each[3]));
        let (twos, four_a) = $sum[1].add3(two_a, two_b);
        let (ones, two_a) = ones.add3($get!(each[4]), $get!(each[5]));
        let (ones, two_b) = ones.add3($get!(each[6]), $get!(each[7]));
        let (twos, four_b) = twos.add3(two_a, two_b);
        let (fours, carry) = $sum[2].add3(four_a, four_b);
        ($sum[0], $sum[1], $sum[2]) = (ones, twos, fours);
        carry
    }};
}
pub(super) use add_eight;

/// Add bits of weight `2^from` to a bit-sliced sum, modulo `2^D`. The carry runs through all higher
/// planes, two operations each, without a branch that tests it for emptiness.
///
/// # Safety
/// The calling function enables the target features of `W`.
#[inline(always)]
pub(super) unsafe fn add_carry<W: Word, const D: usize>(
    sum: &mut [W; D],
    from: usize,
    mut carry: W,
) {
    // SAFETY: register work under the features of the caller.
    unsafe {
        for plane in sum.iter_mut().skip(from) {
            (*plane, carry) = plane.add2(carry);
        }
    }
}

/// `start` plus the sum of the planes at `slots`, bit-sliced and modulo `2^D`, with D at least 3.
/// Every kernel of pairs begins with it: with one slot per feature it counts the features on which
/// a row agrees with each column. About two operations per slot.
///
/// # Safety
/// The calling function enables the target features of `W`, and `planes` has an aligned vector at
/// each slot.
#[inline(always)]
pub(super) unsafe fn sum_planes<W: Word, const D: usize>(
    planes: *const u64,
    slots: &[u32],
    start: usize,
) -> [W; D] {
    // SAFETY: the caller checked that every slot lies inside `planes`.
    unsafe {
        macro_rules! get {
            ($s:expr) => {
                W::load(planes.add($s as usize * W::WORDS))
            };
        }
        let mut sum = [W::zero(); D];
        for (p, plane) in sum.iter_mut().enumerate() {
            if start >> p & 1 == 1 {
                *plane = W::ones();
            }
        }
        let mut eights = slots.chunks_exact(8);
        for s in &mut eights {
            let carry = add_eight!(sum, s, get);
            add_carry(&mut sum, 3, carry);
        }
        let mut pairs = eights.remainder().chunks_exact(2);
        for s in &mut pairs {
            let (ones, carry) = sum[0].add3(get!(s[0]), get!(s[1]));
            sum[0] = ones;
            add_carry(&mut sum, 1, carry);
        }
        for &s in pairs.remainder() {
            add_carry(&mut sum, 0, get!(s));
        }
        sum
    }
}

/// The columns whose bit-sliced number exceeds `bound`. The comparison goes from the lowest bit to
/// the highest, with one operation per plane; `bound` is below `2^D`.
///
/// # Safety
/// The calling function enables the target features of `W`.
#[inline(always)]
pub(super) unsafe fn greater_than<W: Word, const D: usize>(number: &[W; D], bound: usize) -> W {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let mut above = W::zero();
        for (p, plane) in number.iter().enumerate() {
            above = if bound >> p & 1 == 1 { above.and(*plane) } else { above.or(*plane) };
        }
        above
    }
}

/// [`super::Kernels::distances`] with sums of `D` bits. Rows come one after the other, and a row's
/// sums never leave the registers before they are complete.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks; `2^D` is large enough for the agreements and the window.
#[inline(always)]
pub(super) unsafe fn distances<W: Word, const D: usize>(
    planes: &[u64],
    valid: &[u64],
    slots: &[u32],
    window: Window,
    out: &mut [u64],
    outside: &mut [u64],
) -> bool {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        // Agreements plus `start` are 1 at the largest distance of the window and `window.length`
        // at the smallest. Outside the window they are 0 or, as smaller sums wrap around, too
        // large.
        let start =
            ((1usize << D) + 1).wrapping_sub(window.features - window.largest()) & ((1 << D) - 1);
        let width = window.planes();
        let valid = W::load(valid.as_ptr());
        let mut any = W::zero();
        for (row, slots) in slots.chunks_exact(window.features).enumerate() {
            let sum: [W; D] = sum_planes(planes.as_ptr(), slots, start);
            let mut not_zero = sum[0];
            for plane in sum.iter().skip(1) {
                not_zero = not_zero.or(*plane);
            }
            let inside = greater_than(&sum, window.length).andnot(not_zero.and(valid));
            for (p, plane) in sum.iter().enumerate() {
                if p < width {
                    plane.and(inside).store(out.as_mut_ptr().add((row * width + p) * W::WORDS));
                }
            }
            let left_out = inside.andnot(valid);
            left_out.store(outside.as_mut_ptr().add(row * W::WORDS));
            any = any.or(left_out);
        }
        any.any()
    }
}

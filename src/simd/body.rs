//! The kernels, written once over [`Word`]; every level instantiates them under its target
//! features.
//!
//! Sums of bits are carry-save: eight planes go through seven full adders before anything leaves
//! the registers (Harley & Seal), so a plane costs about two three-input operations whatever the
//! width of the sum.

use super::word::Word;
use super::{MAX_PLANES, Window};

/// Carry `c` of weight 8 goes into the planes from the fourth on.
#[inline(always)]
unsafe fn carry_on<W: Word, const D: usize>(sum: &mut [W; D], mut c: W) {
    // SAFETY: register work under the features of the caller.
    unsafe {
        for plane in sum.iter_mut().skip(3) {
            (*plane, c) = plane.add2(c);
        }
    }
}

/// Bit-sliced `start +` the sum of the planes at `slots`, modulo `2^D`, D at least 3.
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
            let (o, t0) = sum[0].add3(get!(s[0]), get!(s[1]));
            let (o, t1) = o.add3(get!(s[2]), get!(s[3]));
            let (t, f0) = sum[1].add3(t0, t1);
            let (o, t0) = o.add3(get!(s[4]), get!(s[5]));
            let (o, t1) = o.add3(get!(s[6]), get!(s[7]));
            let (t, f1) = t.add3(t0, t1);
            let (f, c) = sum[2].add3(f0, f1);
            (sum[0], sum[1], sum[2]) = (o, t, f);
            carry_on(&mut sum, c);
        }
        let mut pairs = eights.remainder().chunks_exact(2);
        for s in &mut pairs {
            let (o, t0) = sum[0].add3(get!(s[0]), get!(s[1]));
            let (t, f0) = sum[1].add2(t0);
            let (f, c) = sum[2].add2(f0);
            (sum[0], sum[1], sum[2]) = (o, t, f);
            carry_on(&mut sum, c);
        }
        for &s in pairs.remainder() {
            let (o, t0) = sum[0].add2(get!(s));
            let (t, f0) = sum[1].add2(t0);
            let (f, c) = sum[2].add2(f0);
            (sum[0], sum[1], sum[2]) = (o, t, f);
            carry_on(&mut sum, c);
        }
        sum
    }
}

#[inline(always)]
pub(super) unsafe fn agreements<W: Word>(
    planes: &[u64],
    slots: &[u32],
    depth: usize,
    out: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let sum: [W; MAX_PLANES] = sum_planes(planes.as_ptr(), slots, 0);
        for (p, plane) in sum.iter().take(depth).enumerate() {
            plane.store(out.as_mut_ptr().add(p * W::WORDS));
        }
    }
}

/// Lanes where the number spelled by the planes exceeds `bound`.
#[inline(always)]
pub(super) unsafe fn above<W: Word, const D: usize>(number: &[W; D], bound: usize) -> W {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let mut above = W::zero();
        for (p, plane) in number.iter().enumerate() {
            above = if bound >> p & 1 == 1 { above.and(*plane) } else { above.or(*plane) };
        }
        above
    }
}

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
        // agreements + start: 1 at the largest distance of the window, window.length at the
        // smallest
        let start =
            ((1usize << D) + 1).wrapping_sub(window.features - window.largest()) & ((1 << D) - 1);
        let width = window.planes();
        let valid = W::load(valid.as_ptr());
        let mut any = W::zero();
        for (row, slots) in slots.chunks_exact(window.features).enumerate() {
            let sum: [W; D] = sum_planes(planes.as_ptr(), slots, start);
            let mut some = sum[0];
            for plane in sum.iter().skip(1) {
                some = some.or(*plane);
            }
            let inside = above(&sum, window.length).not_and(some.and(valid));
            for (p, plane) in sum.iter().enumerate() {
                if p < width {
                    plane.and(inside).store(out.as_mut_ptr().add((row * width + p) * W::WORDS));
                }
            }
            let lost = inside.not_and(valid);
            lost.store(outside.as_mut_ptr().add(row * W::WORDS));
            any = any.or(lost);
        }
        any.any()
    }
}

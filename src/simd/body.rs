//! The kernels, written once over [`Word`]; every level instantiates them under its target features.
//!
//! Sums of bits are carry-save: eight planes go through seven full adders before anything leaves the
//! registers (Harley & Seal), so a plane costs about two three-input operations whatever the width of the sum.

use super::word::Word;
use super::{MAX_PLANES, Schedule, State, Window};

/// Add carry `c` at plane `from` of a counter in memory; stops when nothing is carried.
#[inline(always)]
unsafe fn ripple<W: Word>(counter: *mut u64, depth: usize, from: usize, mut c: W) {
    // SAFETY: the caller owns `depth` planes at `counter`.
    unsafe {
        for p in from..depth {
            if !c.any() {
                break;
            }
            let at = counter.add(p * W::WORDS);
            let (sum, carry) = W::load(at).add2(c);
            sum.store(at);
            c = carry;
        }
    }
}

/// Bit-sliced `start +` the sum of the planes at `slots`, modulo `2^depth`, in the first `depth` entries of the result.
#[inline(always)]
unsafe fn sum_planes<W: Word>(planes: *const u64, slots: &[u32], depth: usize, start: usize) -> [W; MAX_PLANES] {
    // SAFETY: the caller checked that every slot lies inside `planes`.
    unsafe {
        let get = |s: u32| W::load(planes.add(s as usize * W::WORDS));
        let bit = |p: usize| if start >> p & 1 == 1 { W::ones() } else { W::zero() };
        let mut out = [W::zero(); MAX_PLANES];
        for (p, plane) in out.iter_mut().enumerate().take(depth).skip(3) {
            *plane = bit(p);
        }
        let (mut ones, mut twos, mut fours) = (bit(0), bit(1), bit(2));
        let mut eights = slots.chunks_exact(8);
        for s in &mut eights {
            let (o, t0) = ones.add3(get(s[0]), get(s[1]));
            let (o, t1) = o.add3(get(s[2]), get(s[3]));
            let (t, f0) = twos.add3(t0, t1);
            let (o, t0) = o.add3(get(s[4]), get(s[5]));
            let (o, t1) = o.add3(get(s[6]), get(s[7]));
            let (t, f1) = t.add3(t0, t1);
            let (f, mut c) = fours.add3(f0, f1);
            (ones, twos, fours) = (o, t, f);
            for plane in out.iter_mut().take(depth).skip(3) {
                (*plane, c) = plane.add2(c);
            }
        }
        let mut pairs = eights.remainder().chunks_exact(2);
        for s in &mut pairs {
            let (o, t0) = ones.add3(get(s[0]), get(s[1]));
            let (t, f0) = twos.add2(t0);
            let (f, mut c) = fours.add2(f0);
            (ones, twos, fours) = (o, t, f);
            for plane in out.iter_mut().take(depth).skip(3) {
                (*plane, c) = plane.add2(c);
            }
        }
        for &s in pairs.remainder() {
            let (o, t0) = ones.add2(get(s));
            let (t, f0) = twos.add2(t0);
            let (f, mut c) = fours.add2(f0);
            (ones, twos, fours) = (o, t, f);
            for plane in out.iter_mut().take(depth).skip(3) {
                (*plane, c) = plane.add2(c);
            }
        }
        (out[0], out[1], out[2]) = (ones, twos, fours);
        out
    }
}

#[inline(always)]
pub(super) unsafe fn agreements<W: Word>(planes: &[u64], slots: &[u32], depth: usize, out: &mut [u64]) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let sum: [W; MAX_PLANES] = sum_planes(planes.as_ptr(), slots, depth, 0);
        for (p, plane) in sum.iter().take(depth).enumerate() {
            plane.store(out.as_mut_ptr().add(p * W::WORDS));
        }
    }
}

/// Lanes where the number spelled by planes `..depth` exceeds `bound`.
#[inline(always)]
unsafe fn above<W: Word>(number: &[W; MAX_PLANES], depth: usize, bound: usize) -> W {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let mut above = W::zero();
        for (p, plane) in number.iter().enumerate().take(depth) {
            above = if bound >> p & 1 == 1 { above.and(*plane) } else { above.or(*plane) };
        }
        above
    }
}

#[inline(always)]
pub(super) unsafe fn distances<W: Word>(
    planes: &[u64],
    valid: &[u64],
    slots: &[u32],
    window: Window,
    out: &mut [u64],
    outside: &mut [u64],
) -> bool {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let depth = (usize::BITS - window.features.leading_zeros()) as usize;
        let depth = if window.length + 1 >= 1 << depth { depth + 1 } else { depth };
        // agreements + start: 1 at the largest distance of the window, window.length at the smallest
        let start = ((1usize << depth) + 1).wrapping_sub(window.features - window.largest()) & ((1 << depth) - 1);
        let width = window.planes();
        let valid = W::load(valid.as_ptr());
        let mut any = W::zero();
        for (row, slots) in slots.chunks_exact(window.features).enumerate() {
            let sum: [W; MAX_PLANES] = sum_planes(planes.as_ptr(), slots, depth, start);
            let mut nothing = sum[0];
            for plane in sum.iter().take(depth).skip(1) {
                nothing = nothing.or(*plane);
            }
            let inside = above(&sum, depth, window.length).not_and(nothing);
            for (p, plane) in sum.iter().take(width).enumerate() {
                plane.and(inside).store(out.as_mut_ptr().add((row * width + p) * W::WORDS));
            }
            let lost = inside.not_and(valid);
            lost.store(outside.as_mut_ptr().add(row * W::WORDS));
            any = any.or(lost);
        }
        any.any()
    }
}

/// One step of a schedule: the numbers of its rows, each in the columns of its slot.
#[inline(always)]
unsafe fn merge<W: Word, const P: usize>(
    numbers: *const u64,
    planes: *const u64,
    members: u16,
    entries: &mut *const u32,
) -> [W; P] {
    // SAFETY: the schedule was checked against numbers and planes; `entries` walks inside it.
    unsafe {
        let mut x = [W::zero(); P];
        for _ in 0..members {
            let entry = **entries;
            *entries = entries.add(1);
            let plane = W::load(planes.add((entry >> 16) as usize * W::WORDS));
            let at = numbers.add((entry & 0xffff) as usize * (P * W::WORDS));
            for (p, x) in x.iter_mut().enumerate() {
                *x = x.or_and(W::load(at.add(p * W::WORDS)), plane);
            }
        }
        x
    }
}

/// Masks of all values of the three low planes.
#[inline(always)]
unsafe fn decode_low<W: Word, const P: usize>(x: &[W; P]) -> [W; 8] {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let (a, b) = (x[0], if P > 1 { x[1] } else { W::zero() });
        let two = [a.or(b).not_and(W::ones()), b.not_and(a), a.not_and(b), a.and(b)];
        if P < 3 {
            let z = W::zero();
            return [two[0], two[1], two[2], two[3], z, z, z, z];
        }
        let c = x[2];
        std::array::from_fn(|i| if i < 4 { c.not_and(two[i]) } else { c.and(two[i - 4]) })
    }
}

/// Columns whose planes from the fourth on spell `high`.
#[inline(always)]
unsafe fn decode_high<W: Word, const P: usize>(x: &[W; P], high: usize) -> W {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let mut mask = W::ones();
        for (bit, plane) in x.iter().skip(3).enumerate() {
            mask = if high >> bit & 1 == 1 { mask.and(*plane) } else { plane.not_and(mask) };
        }
        mask
    }
}

/// What four steps add to the counter of one number.
#[inline(always)]
unsafe fn bump<W: Word>(x: [W; 4], hot: *mut u64, cold: *mut u64, cold_planes: usize, block: u32) {
    // SAFETY: `hot` has four planes, `cold` has `cold_planes`.
    unsafe {
        let (ones, twos) = (W::load(hot), W::load(hot.add(W::WORDS)));
        let (ones, a) = ones.add3(x[0], x[1]);
        let (ones, b) = ones.add3(x[2], x[3]);
        let (twos, f) = twos.add3(a, b);
        ones.store(hot);
        twos.store(hot.add(W::WORDS));
        let held = hot.add(3 * W::WORDS);
        if block & 1 == 0 {
            // a number may have been left out of some blocks, so `held` is empty only by what is stored below
            f.store(held);
        } else {
            let at = hot.add(2 * W::WORDS);
            let (fours, e) = W::load(at).add3(W::load(held), f);
            fours.store(at);
            W::zero().store(held);
            if block & 2 == 0 {
                e.store(cold);
            } else {
                let at = cold.add(W::WORDS);
                let (eights, c) = W::load(at).add3(W::load(cold), e);
                eights.store(at);
                W::zero().store(cold);
                ripple(cold, cold_planes, 2, c);
            }
        }
    }
}

#[inline(always)]
pub(super) unsafe fn tally<W: Word, const P: usize>(
    numbers: &[u64],
    schedule: &Schedule,
    planes: &[u64],
    length: usize,
    state: State<'_>,
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let mut entries = schedule.entries.as_ptr();
        let (hot, cold) = (state.hot.as_mut_ptr(), state.cold.as_mut_ptr());
        let cold_planes = state.depth - 2;
        for steps in schedule.steps.chunks(4) {
            let mut x = [[W::zero(); P]; 4];
            for (x, &members) in x.iter_mut().zip(steps) {
                *x = merge(numbers.as_ptr(), planes.as_ptr(), members, &mut entries);
            }
            let low = [decode_low(&x[0]), decode_low(&x[1]), decode_low(&x[2]), decode_low(&x[3])];
            let block = *state.blocks;
            *state.blocks = block.wrapping_add(1);
            for high in 0..=length >> 3 {
                let h: [W; 4] = std::array::from_fn(|s| decode_high(&x[s], high));
                let first = if high == 0 { 1 } else { 0 };
                for l in first..8.min(length + 1 - high * 8) {
                    let number = high * 8 + l - 1;
                    let masks: [W; 4] =
                        std::array::from_fn(|s| if P <= 3 { low[s][l] } else { low[s][l].and(h[s]) });
                    let hot = hot.add(number * 4 * W::WORDS);
                    bump(masks, hot, cold.add(number * cold_planes * W::WORDS), cold_planes, block);
                }
            }
        }
    }
}

/// The planes of one counter, carries in waiting added.
#[inline(always)]
unsafe fn settle<W: Word>(hot: &[u64], cold: &[u64], depth: usize) -> [W; 32] {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let (h, c) = (hot.as_ptr(), cold.as_ptr());
        let mut out = [W::zero(); 32];
        for (p, plane) in out.iter_mut().enumerate().take(depth) {
            *plane = if p < 3 { W::load(h.add(p * W::WORDS)) } else { W::load(c.add((p - 2) * W::WORDS)) };
        }
        for (from, mut carry) in [(2, W::load(h.add(3 * W::WORDS))), (3, W::load(c))] {
            for plane in out.iter_mut().take(depth).skip(from) {
                (*plane, carry) = plane.add2(carry);
            }
        }
        out
    }
}

#[inline(always)]
pub(super) unsafe fn flush<W: Word>(
    hot: &[u64],
    cold: &[u64],
    depth: usize,
    planes: &[u64],
    weight: &[u64],
    out: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let counter: [W; 32] = settle(hot, cold, depth);
        let weight = W::load(weight.as_ptr());
        for (plane, out) in planes.chunks_exact(W::WORDS).zip(out.chunks_exact_mut(W::WORDS)) {
            let within = W::load(plane.as_ptr()).and(weight);
            let mut sum = W::zero();
            for p in counter.iter().take(depth).rev() {
                sum = sum.add64(sum).add64(p.and(within).count());
            }
            W::load(out.as_ptr()).add64(sum).store(out.as_mut_ptr());
        }
    }
}

#[inline(always)]
pub(super) unsafe fn unpack<W: Word>(hot: &[u64], cold: &[u64], depth: usize, out: &mut [u32]) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let counter: [W; 32] = settle(hot, cold, depth);
        let mut words = [0u64; 8];
        for (p, plane) in counter.iter().take(depth).enumerate() {
            plane.store(words.as_mut_ptr());
            for (bits, out) in words.iter().zip(out.chunks_exact_mut(64)).take(W::WORDS) {
                if *bits != 0 {
                    for (c, out) in out.iter_mut().enumerate() {
                        *out += (((bits >> c) & 1) as u32) << p;
                    }
                }
            }
        }
    }
}

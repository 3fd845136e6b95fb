//! The kernels, written once over [`Word`]; every level instantiates them under its target features.
//!
//! Sums of bits are carry-save: eight planes go through seven full adders before anything leaves the
//! registers (Harley & Seal), so a plane costs about two three-input operations whatever the width of the sum.

use super::word::Word;
use super::{Decode, MAX_PLANES, Schedule};

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

/// Bit-sliced sum of the planes at `slots`, in the first `depth` entries of the result.
#[inline(always)]
unsafe fn sum_planes<W: Word>(planes: *const u64, slots: &[u32], depth: usize) -> [W; MAX_PLANES] {
    // SAFETY: the caller checked that every slot lies inside `planes`.
    unsafe {
        let get = |s: u32| W::load(planes.add(s as usize * W::WORDS));
        let mut out = [W::zero(); MAX_PLANES];
        let (mut ones, mut twos, mut fours) = (W::zero(), W::zero(), W::zero());
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
        let sum: [W; MAX_PLANES] = sum_planes(planes.as_ptr(), slots, depth);
        for (p, plane) in sum.iter().take(depth).enumerate() {
            plane.store(out.as_mut_ptr().add(p * W::WORDS));
        }
    }
}

/// Columns whose planes `from..depth` spell `value`.
#[inline(always)]
unsafe fn select<W: Word>(
    sum: &[W; MAX_PLANES],
    from: usize,
    depth: usize,
    value: usize,
    mut within: W,
) -> W {
    // SAFETY: pure register work under the features of the caller.
    unsafe {
        for (bit, plane) in sum.iter().take(depth).skip(from).enumerate() {
            within = if value >> bit & 1 == 1 { within.and(*plane) } else { plane.not_and(within) };
        }
        within
    }
}

#[inline(always)]
pub(super) unsafe fn masks<W: Word, const L: usize>(
    planes: &[u64],
    valid: &[u64],
    slots: &[u32],
    d: Decode,
    masks: &mut [u64],
    nonempty: &mut [u64],
) -> bool {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let depth = (usize::BITS - d.features.leading_zeros()) as usize;
        let low = depth.min(3);
        let flags = (slots.len() / d.features).div_ceil(64);
        let group_len = (d.capacity + 1) * L * W::WORDS;
        nonempty[..d.groups * flags].fill(0);
        let valid = W::load(valid.as_ptr());
        let mut outside = W::zero();
        for (row, slots) in slots.chunks_exact(d.features).enumerate() {
            let sum: [W; MAX_PLANES] = sum_planes(planes.as_ptr(), slots, depth);
            let mut by_low = [W::zero(); 8];
            for (value, mask) in by_low.iter_mut().enumerate().take(1 << low) {
                *mask = select(&sum, 0, low, value, W::ones());
            }
            let (mut high, mut by_high) = (usize::MAX, W::zero());
            let mut seen = W::zero();
            for g in 0..d.groups {
                let mut any = W::zero();
                for e in 0..L {
                    let distance = d.first + g * L + e;
                    let mut mask = W::zero();
                    if distance <= d.features {
                        let equal = d.features - distance;
                        if equal >> low != high {
                            high = equal >> low;
                            by_high = select(&sum, low, depth, high, valid);
                        }
                        mask = by_high.and(by_low[equal & ((1 << low) - 1)]);
                    }
                    any = any.or(mask);
                    mask.store(masks.as_mut_ptr().add(g * group_len + (row * L + e) * W::WORDS));
                }
                seen = seen.or(any);
                *nonempty.get_unchecked_mut(g * flags + row / 64) |= u64::from(any.any()) << (row % 64);
            }
            outside = outside.or(seen.not_and(valid));
        }
        for g in 0..d.groups {
            for e in 0..L {
                W::zero().store(masks.as_mut_ptr().add(g * group_len + (d.capacity * L + e) * W::WORDS));
            }
        }
        !outside.any()
    }
}

/// Four steps of a schedule, merged and added: the carries out of `twos`, one a lane.
#[inline(always)]
unsafe fn four<W: Word, const L: usize>(
    group: *const u64,
    planes: *const u64,
    steps: &[u16],
    entries: &mut *const u32,
    ones: &mut [W; L],
    twos: &mut [W; L],
) -> [W; L] {
    // SAFETY: the schedule was checked against masks and planes; `entries` walks inside it.
    unsafe {
        let mut x = [[W::zero(); L]; 4];
        for (s, &members) in steps.iter().enumerate() {
            for _ in 0..members {
                let entry = **entries;
                *entries = entries.add(1);
                let plane = W::load(planes.add((entry >> 16) as usize * W::WORDS));
                let at = group.add((entry & 0xffff) as usize * (L * W::WORDS));
                for e in 0..L {
                    x[s][e] = x[s][e].or_and(W::load(at.add(e * W::WORDS)), plane);
                }
            }
        }
        let mut carry = [W::zero(); L];
        for e in 0..L {
            let (o, t0) = ones[e].add3(x[0][e], x[1][e]);
            let (o, t1) = o.add3(x[2][e], x[3][e]);
            let (t, f) = twos[e].add3(t0, t1);
            (ones[e], twos[e], carry[e]) = (o, t, f);
        }
        carry
    }
}

#[inline(always)]
pub(super) unsafe fn accumulate<W: Word, const L: usize>(
    group: &[u64],
    schedule: &Schedule,
    planes: &[u64],
    counters: &mut [u64],
    depth: usize,
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let at = |e: usize, p: usize| (e * depth + p) * W::WORDS;
        let c = counters.as_mut_ptr();
        let load = |p: usize| -> [W; L] { std::array::from_fn(|e| W::load(c.add(at(e, p)))) };
        let (mut ones, mut twos, mut fours, mut eights) = (load(0), load(1), load(2), load(3));
        let (mut held4, mut held8) = ([W::zero(); L], [W::zero(); L]);
        let mut entries = schedule.entries.as_ptr();
        let mut block = 0usize;
        for steps in schedule.steps.chunks(4) {
            let f = four::<W, L>(group.as_ptr(), planes.as_ptr(), steps, &mut entries, &mut ones, &mut twos);
            if block & 1 == 0 {
                held4 = f;
            } else {
                for e in 0..L {
                    let (sum, carry) = fours[e].add3(held4[e], f[e]);
                    fours[e] = sum;
                    if block & 2 == 0 {
                        held8[e] = carry;
                    } else {
                        let (sum, carry) = eights[e].add3(held8[e], carry);
                        eights[e] = sum;
                        ripple(c.add(at(e, 0)), depth, 4, carry);
                    }
                }
            }
            block += 1;
        }
        for e in 0..L {
            let mut carry = W::zero();
            if block & 1 == 1 {
                (fours[e], carry) = fours[e].add2(held4[e]);
            }
            let held = if block & 2 == 2 { held8[e] } else { W::zero() };
            let (sum, carry) = eights[e].add3(held, carry);
            eights[e] = sum;
            ripple(c.add(at(e, 0)), depth, 4, carry);
            ones[e].store(c.add(at(e, 0)));
            twos[e].store(c.add(at(e, 1)));
            fours[e].store(c.add(at(e, 2)));
            eights[e].store(c.add(at(e, 3)));
        }
    }
}

#[inline(always)]
pub(super) unsafe fn flush<W: Word>(
    counters: &[u64],
    plane: &[u64],
    weight: &[u64],
    depth: usize,
    out: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let within = W::load(plane.as_ptr()).and(W::load(weight.as_ptr()));
        let mut sum = W::zero();
        for p in (0..depth).rev() {
            let x = W::load(counters.as_ptr().add(p * W::WORDS)).and(within);
            sum = sum.add64(sum).add64(x.count());
        }
        W::load(out.as_ptr()).add64(sum).store(out.as_mut_ptr());
    }
}

#[inline(always)]
pub(super) unsafe fn unpack<W: Word>(counters: &[u64], depth: usize, out: &mut [u32]) {
    for (p, plane) in counters.chunks_exact(W::WORDS).take(depth).enumerate() {
        for (bits, out) in plane.iter().zip(out.chunks_exact_mut(64)) {
            if *bits != 0 {
                for (c, out) in out.iter_mut().enumerate() {
                    *out += (((bits >> c) & 1) as u32) << p;
                }
            }
        }
    }
}

//! Counting by distance: numbers of rows become bumps of bit-sliced counters, written once over
//! [`Word`].

use super::word::Word;
use super::{CounterState, Schedule};

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

/// One step of a schedule of rows that stand alone: the number of the row, or none.
#[inline(always)]
unsafe fn take<W: Word, const P: usize>(
    numbers: *const u64,
    members: u16,
    entries: &mut *const u32,
) -> [W; P] {
    // SAFETY: as in `merge`.
    unsafe {
        if members == 0 {
            return [W::zero(); P];
        }
        let row = **entries as usize;
        *entries = entries.add(1);
        number(numbers, row, row + 1)
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

/// [`decode_high`] without and with the third plane.
#[inline(always)]
unsafe fn decode_third<W: Word, const P: usize>(x: &[W; P], high: usize) -> [W; 2] {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let h = decode_high(x, high);
        if P > 2 { [x[2].not_and(h), x[2].and(h)] } else { [h, h] }
    }
}

/// The planes of row `row`, none from `rows` on.
#[inline(always)]
unsafe fn number<W: Word, const P: usize>(numbers: *const u64, row: usize, rows: usize) -> [W; P] {
    // SAFETY: `numbers` has `rows * P` planes.
    unsafe {
        let mut x = [W::zero(); P];
        if row < rows {
            for (p, x) in x.iter_mut().enumerate() {
                *x = W::load(numbers.add((row * P + p) * W::WORDS));
            }
        }
        x
    }
}

/// The two low planes of a number, decoded: either, only the first, only the second, both.
#[inline(always)]
unsafe fn decode_low<W: Word, const P: usize>(x: &[W; P]) -> [W; 4] {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let (a, b) = (x[0], if P > 1 { x[1] } else { W::zero() });
        [a.or(b), b.not_and(a), a.not_and(b), a.and(b)]
    }
}

/// What four steps add to the four hot planes of a counter; the carry of weight 8 goes to `carry`
/// in odd blocks.
#[inline(always)]
unsafe fn bump<W: Word, const ODD: bool>(x: [W; 4], hot: *mut u64, carry: *mut u64) {
    // SAFETY: `hot` has four planes, `carry` one.
    unsafe {
        let (ones, twos) = (W::load(hot), W::load(hot.add(W::WORDS)));
        let (ones, a) = ones.add3(x[0], x[1]);
        let (ones, b) = ones.add3(x[2], x[3]);
        let (twos, f) = twos.add3(a, b);
        ones.store(hot);
        twos.store(hot.add(W::WORDS));
        let held = hot.add(3 * W::WORDS);
        if ODD {
            let at = hot.add(2 * W::WORDS);
            let (fours, e) = W::load(at).add3(W::load(held), f);
            fours.store(at);
            e.store(carry);
        } else {
            f.store(held);
        }
    }
}

/// Number `8 high + L` in four steps.
#[inline(always)]
unsafe fn count_one<W: Word, const ODD: bool, const L: usize>(
    low: &[[W; 4]; 4],
    third: &[[W; 2]; 4],
    high: usize,
    hot: *mut u64,
    carry: *mut u64,
) {
    // SAFETY: the caller owns the planes of this number.
    unsafe {
        let (l, t) = (L & 3, L >> 2);
        let masks = if l == 0 {
            [
                low[0][0].not_and(third[0][t]),
                low[1][0].not_and(third[1][t]),
                low[2][0].not_and(third[2][t]),
                low[3][0].not_and(third[3][t]),
            ]
        } else {
            [
                low[0][l].and(third[0][t]),
                low[1][l].and(third[1][t]),
                low[2][l].and(third[2][t]),
                low[3][l].and(third[3][t]),
            ]
        };
        let at = (high * 8 + L - 1) * W::WORDS;
        bump::<W, ODD>(masks, hot.add(4 * at), carry.add(at));
    }
}

/// Four merged steps into the hot planes of all counters; in odd blocks carries of weight 8 go to
/// `carry`.
#[inline(always)]
unsafe fn count_four<W: Word, const P: usize, const ODD: bool>(
    x: &[[W; P]; 4],
    length: usize,
    hot: *mut u64,
    carry: *mut u64,
) {
    // SAFETY: `hot` has `4 length` planes, `carry` has `length`.
    unsafe {
        let low = [decode_low(&x[0]), decode_low(&x[1]), decode_low(&x[2]), decode_low(&x[3])];
        for high in 0..=length >> 3 {
            let third = [
                decode_third(&x[0], high),
                decode_third(&x[1], high),
                decode_third(&x[2], high),
                decode_third(&x[3], high),
            ];
            let left = length - high * 8;
            if high > 0 {
                count_one::<W, ODD, 0>(&low, &third, high, hot, carry);
            }
            macro_rules! numbers {
                ($($l:literal)*) => { $(
                    if left < $l { break; }
                    count_one::<W, ODD, $l>(&low, &third, high, hot, carry);
                )* };
            }
            if left >= 7 {
                count_one::<W, ODD, 1>(&low, &third, high, hot, carry);
                count_one::<W, ODD, 2>(&low, &third, high, hot, carry);
                count_one::<W, ODD, 3>(&low, &third, high, hot, carry);
                count_one::<W, ODD, 4>(&low, &third, high, hot, carry);
                count_one::<W, ODD, 5>(&low, &third, high, hot, carry);
                count_one::<W, ODD, 6>(&low, &third, high, hot, carry);
                count_one::<W, ODD, 7>(&low, &third, high, hot, carry);
            } else {
                numbers!(1 2 3 4 5 6);
            }
        }
    }
}

/// Eight merged steps into the hot planes of all counters and, with weight 8, into `carry`.
///
/// What is asked of a step is one operation on its two low planes and the rest decoded, and those
/// three stay in registers for all numbers.
#[inline(always)]
unsafe fn count_eight<W: Word, const P: usize>(
    x: &[[W; P]; 8],
    length: usize,
    hot: *mut u64,
    carry: *mut u64,
) {
    // SAFETY: `hot` has `4 length` planes, `carry` has `length`.
    unsafe {
        let (mut a, mut b) = ([W::zero(); 8], [W::zero(); 8]);
        for (i, x) in x.iter().enumerate() {
            a[i] = x[0];
            if P > 1 {
                b[i] = x[1];
            }
        }
        for high in 0..=length >> 3 {
            let mut rest = [W::zero(); 8];
            for (rest, x) in rest.iter_mut().zip(x) {
                *rest = decode_high(x, high);
            }
            let mut third = rest;
            macro_rules! count {
                ($($l:literal $n:literal)*) => { $(
                    let number = 8 * high + $l;
                    if number > length {
                        break;
                    }
                    if number > 0 {
                        let at = (number - 1) * W::WORDS;
                        let hot = hot.add(4 * at);
                        macro_rules! mask {
                            ($i:literal) => { W::spell::<$n>(a[$i], b[$i], third[$i]) };
                        }
                        let (ones, twos) = (W::load(hot), W::load(hot.add(W::WORDS)));
                        let (ones, c) = ones.add3(mask!(0), mask!(1));
                        let (ones, d) = ones.add3(mask!(2), mask!(3));
                        let (twos, e) = twos.add3(c, d);
                        let (ones, c) = ones.add3(mask!(4), mask!(5));
                        let (ones, d) = ones.add3(mask!(6), mask!(7));
                        let (twos, f) = twos.add3(c, d);
                        let (fours, g) = W::load(hot.add(2 * W::WORDS)).add3(e, f);
                        ones.store(hot);
                        twos.store(hot.add(W::WORDS));
                        fours.store(hot.add(2 * W::WORDS));
                        g.store(carry.add(at));
                    }
                )* };
            }
            if P > 2 {
                for (third, x) in third.iter_mut().zip(x) {
                    *third = x[2].not_and(*third);
                }
            }
            count!(0 0 1 1 2 2 3 3);
            if P > 2 {
                for ((third, rest), x) in third.iter_mut().zip(&rest).zip(x) {
                    *third = x[2].and(*rest);
                }
            }
            count!(4 0 5 1 6 2 7 3);
        }
    }
}

/// Carries of weight 8 climb as far as carries of their weight have been waiting.
///
/// Cold planes: `length` in transit, then by level (weight 8, 16, ...) `length` in waiting and
/// `length` counted.
#[inline(always)]
unsafe fn climb<W: Word>(cold: *mut u64, length: usize, levels: usize, block: u32) {
    // SAFETY: `cold` has `(2 levels + 1) length` planes.
    unsafe {
        let size = length * W::WORDS;
        for level in 0..levels {
            if block >> (level + 1) & 1 == 0 {
                return;
            }
            let (held, sum) = (cold.add((2 * level + 1) * size), cold.add((2 * level + 2) * size));
            let waits = block >> (level + 2) & 1 == 0 && level + 1 < levels;
            let to = if waits { cold.add((2 * level + 3) * size) } else { cold };
            for at in (0..size).step_by(W::WORDS) {
                let (s, c) =
                    W::load(sum.add(at)).add3(W::load(held.add(at)), W::load(cold.add(at)));
                s.store(sum.add(at));
                c.store(to.add(at));
            }
        }
    }
}

/// Something on the stack that wants a whole cache line: with it the compiler aligns the frame, and
/// registers that do not fit are spilled to one line instead of two (a third of the time of
/// [`tally`]).
#[repr(align(64))]
struct Anchor(#[allow(dead_code)] u64);

#[inline(always)]
pub(super) unsafe fn tally<W: Word, const P: usize>(
    numbers: &[u64],
    schedule: &Schedule,
    planes: &[u64],
    length: usize,
    state: CounterState<'_>,
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        std::hint::black_box(&mut Anchor(0));
        let (numbers, planes) = (numbers.as_ptr(), planes.as_ptr());
        let mut entries = schedule.entries.as_ptr();
        let (hot, cold) = (state.hot.as_mut_ptr(), state.cold.as_mut_ptr());
        let mut steps = &schedule.steps[..];
        macro_rules! next {
            ($($i:literal)*) => {
                if schedule.alone {
                    [$(take(numbers, steps[$i], &mut entries)),*]
                } else {
                    [$(merge(numbers, planes, steps[$i], &mut entries)),*]
                }
            };
        }
        while steps.len() >= 4 {
            if W::EIGHT && steps.len() >= 8 && *state.blocks & 1 == 0 {
                let x: [[W; P]; 8] = next!(0 1 2 3 4 5 6 7);
                count_blocks(&x, length, hot, cold, state.depth, state.blocks);
                steps = &steps[8..];
            } else {
                let x: [[W; P]; 4] = next!(0 1 2 3);
                count_block(&x, length, hot, cold, state.depth, state.blocks);
                steps = &steps[4..];
            }
        }
    }
}

/// Two blocks, an even one and the next.
#[inline(always)]
unsafe fn count_blocks<W: Word, const P: usize>(
    x: &[[W; P]; 8],
    length: usize,
    hot: *mut u64,
    cold: *mut u64,
    depth: usize,
    blocks: &mut u32,
) {
    // SAFETY: as in `tally`.
    unsafe {
        let block = *blocks;
        *blocks = block.wrapping_add(2);
        let carry = if block & 2 == 0 { cold.add(length * W::WORDS) } else { cold };
        count_eight::<W, P>(x, length, hot, carry);
        climb::<W>(cold, length, depth - 3, block + 1);
    }
}

#[inline(always)]
unsafe fn count_block<W: Word, const P: usize>(
    x: &[[W; P]; 4],
    length: usize,
    hot: *mut u64,
    cold: *mut u64,
    depth: usize,
    blocks: &mut u32,
) {
    // SAFETY: as in `tally`.
    unsafe {
        let block = *blocks;
        *blocks = block.wrapping_add(1);
        if block & 1 == 0 {
            count_four::<W, P, false>(x, length, hot, cold);
        } else {
            let carry = if block & 2 == 0 { cold.add(length * W::WORDS) } else { cold };
            count_four::<W, P, true>(x, length, hot, carry);
            climb::<W>(cold, length, depth - 3, block);
        }
    }
}

/// [`tally`] of all rows, one a step, in all columns.
#[inline(always)]
pub(super) unsafe fn tally_all<W: Word, const P: usize>(
    numbers: &[u64],
    rows: usize,
    length: usize,
    state: CounterState<'_>,
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        std::hint::black_box(&mut Anchor(0));
        let (hot, cold) = (state.hot.as_mut_ptr(), state.cold.as_mut_ptr());
        let n = numbers.as_ptr();
        macro_rules! next {
            ($row:ident, $($i:literal)*) => { [$(number(n, $row + $i, rows)),*] };
        }
        let mut row = 0;
        while row < rows {
            if W::EIGHT && rows - row > 4 && *state.blocks & 1 == 0 {
                let x: [[W; P]; 8] = next!(row, 0 1 2 3 4 5 6 7);
                count_blocks(&x, length, hot, cold, state.depth, state.blocks);
                row += 8;
            } else {
                let x: [[W; P]; 4] = next!(row, 0 1 2 3);
                count_block(&x, length, hot, cold, state.depth, state.blocks);
                row += 4;
            }
        }
    }
}

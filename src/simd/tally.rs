//! Counting pairs by distance: one bit-sliced counter per distance and column.
//!
//! A *step* has one number per column, which stands for a distance, or 0. Rows with different
//! values of a feature are merged into one step before their numbers are decoded, which, with both
//! orders of a pair counted at once, made the pass two to three times as quick. For each number
//! that occurs, the columns that have it are a mask, and the mask is added to the counter of the
//! number. Four or eight steps are added at once, by full adders that keep the sums in registers;
//! the carries of weight 8 are passed on less and less often the higher they are ([`CounterState`]
//! explains how). This takes about half an operation per step, distance and vector.

use super::word::Word;
use super::{CounterState, Schedule};

/// The step with the numbers of `members` rows, each in the columns of its slot. The slots of a
/// step share no column, so one number per column holds all rows, and the step is decoded once
/// instead of once per row.
///
/// # Safety
/// The calling function enables the target features of `W`, and `entries` has `members` entries of
/// a schedule that was checked against `numbers` and `planes`.
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

/// The step of a schedule with one row per step: the numbers of the row, or zeros for a step that
/// fills up the schedule.
///
/// # Safety
/// As for [`merge`].
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

/// The columns whose number has the bits of `high` from the fourth on. The three lowest bits are
/// decoded apart, once for all groups of eight numbers.
///
/// # Safety
/// The calling function enables the target features of `W`.
#[inline(always)]
unsafe fn decode_high<W: Word, const P: usize>(x: &[W; P], high: usize) -> W {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let mut mask = W::ones();
        for (bit, plane) in x.iter().skip(3).enumerate() {
            mask = if high >> bit & 1 == 1 { mask.and(*plane) } else { plane.andnot(mask) };
        }
        mask
    }
}

/// [`decode_high`], divided into the columns whose third bit is 0 and the columns whose third bit
/// is 1. Numbers of fewer than three bits have no such columns to divide, and both parts are the
/// same.
///
/// # Safety
/// The calling function enables the target features of `W`.
#[inline(always)]
unsafe fn decode_third<W: Word, const P: usize>(x: &[W; P], high: usize) -> [W; 2] {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let h = decode_high(x, high);
        if P > 2 { [x[2].andnot(h), x[2].and(h)] } else { [h, h] }
    }
}

/// The planes of row `row`, or zeros from row `rows` on, which fill up the last group of steps.
///
/// # Safety
/// The calling function enables the target features of `W`, and `numbers` has `rows * P` aligned
/// vectors.
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

/// The columns by the two lowest bits of the number: not 0, then 1, 2 and 3. The first mask is the
/// union, because the columns with 0 are then the rest of another mask.
///
/// # Safety
/// The calling function enables the target features of `W`.
#[inline(always)]
unsafe fn decode_low<W: Word, const P: usize>(x: &[W; P]) -> [W; 4] {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let (a, b) = (x[0], if P > 1 { x[1] } else { W::zero() });
        [a.or(b), b.andnot(a), a.andnot(b), a.and(b)]
    }
}

/// Add one mask of each of four steps to the hot planes of a counter. An even block keeps its carry
/// of weight 4; an odd block adds both carries and writes the carry of weight 8 to `carry`.
///
/// # Safety
/// The calling function enables the target features of `W`, `hot` has four aligned vectors, and
/// `carry` has one.
#[inline(always)]
unsafe fn add_masks<W: Word, const ODD: bool>(masks: [W; 4], hot: *mut u64, carry: *mut u64) {
    // SAFETY: `hot` has four planes, `carry` one.
    unsafe {
        let (ones, twos) = (W::load(hot), W::load(hot.add(W::WORDS)));
        let (ones, two_a) = ones.add3(masks[0], masks[1]);
        let (ones, two_b) = ones.add3(masks[2], masks[3]);
        let (twos, four) = twos.add3(two_a, two_b);
        ones.store(hot);
        twos.store(hot.add(W::WORDS));
        let kept = hot.add(3 * W::WORDS);
        if ODD {
            let at = hot.add(2 * W::WORDS);
            let (fours, eight) = W::load(at).add3(W::load(kept), four);
            fours.store(at);
            eight.store(carry);
        } else {
            four.store(kept);
        }
    }
}

/// Count the columns with the number `8 high + L` in four steps. `low` and `third` hold the decoded
/// bits of each step ([`decode_low`], [`decode_third`]), so a mask is one `and` per step. Number 0,
/// which stands for no distance, has no counter and is never asked for.
///
/// # Safety
/// The calling function enables the target features of `W`, and `hot` and `carry` have the vectors
/// of this number's counter.
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
                low[0][0].andnot(third[0][t]),
                low[1][0].andnot(third[1][t]),
                low[2][0].andnot(third[2][t]),
                low[3][0].andnot(third[3][t]),
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
        add_masks::<W, ODD>(masks, hot.add(4 * at), carry.add(at));
    }
}

/// Count four steps in the hot planes of all counters; in odd blocks the carries of weight 8 go to
/// `carry`.
///
/// # Safety
/// The calling function enables the target features of `W`, `hot` has `4 length` aligned vectors,
/// and `carry` has `length`.
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
            // Seven in a row without comparisons, as most windows have.
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

/// Count eight steps in the hot planes of all counters; the carries of weight 8 go to `carry`.
///
/// The mask of a number is one operation on three vectors: the two lowest planes of a step, and the
/// columns whose higher bits are the bits of the number. All three stay in registers for four
/// numbers. It needs the thirty-two registers of AVX-512; the other levels use [`count_four`], its
/// twin.
///
/// # Safety
/// As for [`count_four`].
#[inline(always)]
unsafe fn count_eight<W: Word, const P: usize>(
    x: &[[W; P]; 8],
    length: usize,
    hot: *mut u64,
    carry: *mut u64,
) {
    // SAFETY: `hot` has `4 length` planes, `carry` has `length`.
    unsafe {
        // The lowest and the second plane of each step.
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
            // Each pair is a number below eight and its two lowest bits, which must be a constant.
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
                            ($i:literal) => { W::equals_digit::<$n>(a[$i], b[$i], third[$i]) };
                        }
                        let (ones, twos) = (W::load(hot), W::load(hot.add(W::WORDS)));
                        let (ones, two_a) = ones.add3(mask!(0), mask!(1));
                        let (ones, two_b) = ones.add3(mask!(2), mask!(3));
                        let (twos, four_a) = twos.add3(two_a, two_b);
                        let (ones, two_a) = ones.add3(mask!(4), mask!(5));
                        let (ones, two_b) = ones.add3(mask!(6), mask!(7));
                        let (twos, four_b) = twos.add3(two_a, two_b);
                        let (fours, eight) = W::load(hot.add(2 * W::WORDS)).add3(four_a, four_b);
                        ones.store(hot);
                        twos.store(hot.add(W::WORDS));
                        fours.store(hot.add(2 * W::WORDS));
                        eight.store(carry.add(at));
                    }
                )* };
            }
            // Numbers whose third bit is 0, then numbers whose third bit is 1.
            if P > 2 {
                for (third, x) in third.iter_mut().zip(x) {
                    *third = x[2].andnot(*third);
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

/// Pass carries of weight 8 on to the planes of weight 8, 16 and so on, as far as carries of those
/// weights are kept; the last carry is kept in its turn.
///
/// `cold` has `length` planes of carries that are being passed on, then for each of `levels`
/// weights `length` kept carries and `length` planes.
///
/// # Safety
/// The calling function enables the target features of `W`, and `cold` has `(2 levels + 1) length`
/// aligned vectors.
#[inline(always)]
unsafe fn pass_on<W: Word>(cold: *mut u64, length: usize, levels: usize, block: u32) {
    // SAFETY: `cold` has `(2 levels + 1) length` planes.
    unsafe {
        let size = length * W::WORDS;
        for level in 0..levels {
            if block >> (level + 1) & 1 == 0 {
                return;
            }
            let (kept, sum) = (cold.add((2 * level + 1) * size), cold.add((2 * level + 2) * size));
            let keeps = block >> (level + 2) & 1 == 0 && level + 1 < levels;
            let to = if keeps { cold.add((2 * level + 3) * size) } else { cold };
            for at in (0..size).step_by(W::WORDS) {
                let (s, c) =
                    W::load(sum.add(at)).add3(W::load(kept.add(at)), W::load(cold.add(at)));
                s.store(sum.add(at));
                c.store(to.add(at));
            }
        }
    }
}

/// A local variable aligned to a cache line. It makes the compiler align the whole stack frame, so
/// that a spilled register lies in one line instead of two, which takes a third off the time of
/// [`tally`].
#[repr(align(64))]
struct Anchor(#[allow(dead_code)] u64);

/// [`super::Kernels::tally`] for numbers of `P` planes. Steps are counted in groups of eight where
/// the level has the registers and an even block begins, else in groups of four.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks. The counters do not overflow.
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
            if W::EIGHT_STEPS && steps.len() >= 8 && *state.blocks & 1 == 0 {
                let x: [[W; P]; 8] = next!(0 1 2 3 4 5 6 7);
                count_two_blocks(&x, length, hot, cold, state.depth, state.blocks);
                steps = &steps[8..];
            } else {
                let x: [[W; P]; 4] = next!(0 1 2 3);
                count_block(&x, length, hot, cold, state.depth, state.blocks);
                steps = &steps[4..];
            }
        }
    }
}

/// Count eight steps: an even block and the next.
///
/// # Safety
/// As for [`tally`], and `blocks` is even.
#[inline(always)]
unsafe fn count_two_blocks<W: Word, const P: usize>(
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
        pass_on::<W>(cold, length, depth - 3, block + 1);
    }
}

/// Count four steps. An even block leaves carries of weight 4 in the hot planes.
///
/// # Safety
/// As for [`tally`].
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
            pass_on::<W>(cold, length, depth - 3, block);
        }
    }
}

/// [`super::Kernels::tally_all`]: one row per step, in the order of the rows. The rows of a group
/// are contiguous, so no schedule is read.
///
/// # Safety
/// As for [`tally`].
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
        let numbers = numbers.as_ptr();
        macro_rules! next {
            ($row:ident, $($i:literal)*) => { [$(number(numbers, $row + $i, rows)),*] };
        }
        let mut row = 0;
        while row < rows {
            if W::EIGHT_STEPS && rows - row > 4 && *state.blocks & 1 == 0 {
                let x: [[W; P]; 8] = next!(row, 0 1 2 3 4 5 6 7);
                count_two_blocks(&x, length, hot, cold, state.depth, state.blocks);
                row += 8;
            } else {
                let x: [[W; P]; 4] = next!(row, 0 1 2 3);
                count_block(&x, length, hot, cold, state.depth, state.blocks);
                row += 4;
            }
        }
    }
}

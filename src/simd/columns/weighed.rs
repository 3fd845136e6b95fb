//! Kernels over sorted orders whose rows have weights: class sums at each boundary
//! ([`weighed_boundaries`]), of a range ([`weighed_sums`]) and before every [`STEP`]-th entry
//! ([`weighed_steps`]), and the order of some rows under new numbers ([`renumber`]).
//!
//! Weights are 64-bit integers (fixed point), so all levels give the same sums. With AVX-512, 16
//! entries are one step: weights are gathered by row, eight at once, and running sums take three
//! shifted additions per class. An entry takes about 1 ns with two classes, and 3 ns in the plain
//! functions, which the other levels use. Every row is compared with the number of weights before
//! it is used, so a wrong entry ends in a panic.
//!
//! Rows that count once need no weights: [`super::boundaries`] counts them from their places.

use super::Level;
use super::scan::{MOST_CLASSES, SLACK, Wanted};
use std::ops::Range;

/// In the numbers of [`renumber`]: the row has no new number.
pub const LEFT_OUT: u32 = u32::MAX;

/// Where [`weighed_boundaries`] writes sums: a plane for all rows, then one per start, from element
/// `from` on.
#[derive(Debug)]
pub struct PlaneSums<'a> {
    /// The planes.
    pub planes: &'a mut [i64],
    /// Elements of a plane.
    pub stride: usize,
    /// First element to write.
    pub from: usize,
}

/// List the boundaries among `places` ([`super::boundaries`]) with the weight of the rows to the
/// left of each, and return their number.
///
/// `sums` and `before` hold first the weight of all rows, then for each start the weight of the
/// rows in the tail of classes that begins there (its class and all later ones). `before` is
/// brought forward.
#[allow(clippy::too_many_arguments, reason = "one scan, whose arguments are those of `boundaries`")]
pub fn weighed_boundaries(
    level: Level,
    order: &[u32],
    weights: &[i64],
    places: Range<usize>,
    wanted: Wanted<'_>,
    before: &mut [i64],
    at: &mut [u32],
    sums: PlaneSums<'_>,
) -> usize {
    let starts = wanted.starts.len();
    let room = places.len() + SLACK;
    assert!(places.start >= 1 && places.end <= order.len());
    assert!(starts < MOST_CLASSES && before.len() == starts + 1);
    assert!(at.len() >= room && sums.from + room <= sums.stride);
    assert!(sums.planes.len() >= (starts + 1) * sums.stride);
    match level {
        // SAFETY: the level says that the processor has the features.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe {
            match starts {
                1 => avx512::boundaries::<1>(order, weights, places, wanted, before, at, sums),
                2 => avx512::boundaries::<2>(order, weights, places, wanted, before, at, sums),
                _ => avx512::boundaries::<0>(order, weights, places, wanted, before, at, sums),
            }
        },
        _ => plain_boundaries(order, weights, places, wanted, before, at, sums),
    }
}

/// [`weighed_boundaries`], place by place.
fn plain_boundaries(
    order: &[u32],
    weights: &[i64],
    places: Range<usize>,
    wanted: Wanted<'_>,
    before: &mut [i64],
    at: &mut [u32],
    sums: PlaneSums<'_>,
) -> usize {
    let every = u32::from(!wanted.convex);
    let (all, later) = before.split_at_mut(1);
    let mut held = 0;
    for i in places {
        let (last, here) = (order[i - 1], order[i]);
        let after = order.get(i + 1).copied().unwrap_or(0);
        let weight = weights[(last >> 1) as usize];
        all[0] += weight;
        sums.planes[sums.from + held] = all[0];
        let mut change = 0;
        for (c, (&start, sum)) in wanted.starts.iter().zip(&mut *later).enumerate() {
            let (a, b) = (u32::from(last >> 1 >= start), u32::from(here >> 1 >= start));
            *sum += weight & -i64::from(a);
            change |= a ^ b;
            sums.planes[(c + 1) * sums.stride + sums.from + held] = *sum;
        }
        // Sums and place are overwritten by the next place unless this one is a boundary.
        at[held] = i as u32;
        held += (!here & (change | last | after | every) & 1) as usize;
    }
    held
}

/// Write the weight of all rows of an order, then for each start the weight of the rows in the tail
/// of classes that begins there. Vectors of AVX-512 were 1.04 times as quick in whole fits, so this
/// is a loop at every level.
pub fn weighed_sums(order: &[u32], weights: &[i64], starts: &[u32], out: &mut [i64]) {
    assert!(starts.len() < MOST_CLASSES && out.len() == starts.len() + 1);
    out.fill(0);
    let (all, later) = out.split_at_mut(1);
    for &entry in order {
        let row = entry >> 1;
        let weight = weights[row as usize];
        all[0] += weight;
        for (sum, &start) in later.iter_mut().zip(starts) {
            *sum += weight & -i64::from(row >= start);
        }
    }
}

/// Entries between two sums of [`weighed_steps`].
pub const STEP: usize = 16;

/// Write the weight of the rows before the entries 0, [`STEP`], 2 [`STEP`], ..., and at last the
/// weight of all rows. Growth bounds the thresholds between two such entries, and looks only at the
/// stretches where the best one may lie.
///
/// `out` becomes a plane for all rows, then one per start for the rows in its tail of classes; a
/// plane has `order.len().div_ceil(STEP) + 1` sums.
pub fn weighed_steps(
    level: Level,
    order: &[u32],
    weights: &[i64],
    starts: &[u32],
    out: &mut Vec<i64>,
) {
    assert!(starts.len() < MOST_CLASSES);
    let stride = order.len().div_ceil(STEP) + 1;
    out.resize((starts.len() + 1) * stride, 0);
    match level {
        // SAFETY: the level says that the processor has the features.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe {
            match starts.len() {
                1 => avx512::steps::<1>(order, weights, starts, out),
                _ => avx512::steps::<0>(order, weights, starts, out),
            }
        },
        _ => {
            let mut sums = [0; MOST_CLASSES];
            let sums = &mut sums[..=starts.len()];
            out.iter_mut().step_by(stride).for_each(|o| *o = 0);
            for (b, part) in order.chunks(STEP).enumerate() {
                weighed_sums(part, weights, starts, sums);
                for (plane, &sum) in out.chunks_exact_mut(stride).zip(&*sums) {
                    plane[b + 1] = plane[b] + sum;
                }
            }
        }
    }
}

/// Write the order of the rows that have a new number, with these numbers and with `tied` bits that
/// are true among them; return how many there are.
///
/// `numbers` has the new number of each row, or [`LEFT_OUT`]. `out` has room for [`SLACK`] entries
/// more than are written.
pub fn renumber(level: Level, order: &[u32], numbers: &[u32], out: &mut [u32]) -> usize {
    match level {
        // SAFETY: the level says that the processor has the features.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::renumber(order, numbers, out) },
        _ => plain_renumber(order, numbers, out),
    }
}

/// [`renumber`], entry by entry.
fn plain_renumber(order: &[u32], numbers: &[u32], out: &mut [u32]) -> usize {
    let (mut at, mut seen) = (0, 0);
    for &entry in order {
        let new = numbers[(entry >> 1) as usize];
        let is_kept = u32::from(new != LEFT_OUT);
        seen &= entry;
        // An entry that is not kept is overwritten by the next.
        out[at] = new << 1 | seen;
        seen |= is_kept;
        at += is_kept as usize;
    }
    at
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::super::scan::seen_before;
    use super::{LEFT_OUT, MOST_CLASSES, PlaneSums, SLACK, STEP, Wanted};
    use std::arch::x86_64::*;
    use std::ops::Range;

    const LANES: usize = 16;

    /// The entries from `i` on whose bit in `lanes` is set; the other lanes are 0.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
    fn load(order: &[u32], i: usize, lanes: u32) -> __m512i {
        // SAFETY: the callers ask only for lanes inside the order.
        unsafe { _mm512_maskz_loadu_epi32(lanes as __mmask16, order.as_ptr().add(i).cast()) }
    }

    /// The rows of the entries whose bit in `lanes` is set, all below `length`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
    fn rows_of(entries: __m512i, length: usize, lanes: u32) -> __m512i {
        let length = _mm512_set1_epi32(i32::try_from(length).unwrap_or(i32::MAX));
        let rows = _mm512_srli_epi32::<1>(entries);
        let beyond = u32::from(_mm512_cmpge_epu32_mask(rows, length)) & lanes;
        assert!(beyond == 0, "index out of bounds: a row without a weight or number");
        rows
    }

    /// The weights of the first (`half` 0) or the last eight of 16 rows; 0 in lanes without a bit
    /// in `lanes`. All rows with a bit are below the number of weights.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
    fn gather(weights: &[i64], rows: __m512i, half: usize, lanes: u32) -> __m512i {
        let rows = if half == 0 {
            _mm512_castsi512_si256(rows)
        } else {
            _mm512_extracti64x4_epi64::<1>(rows)
        };
        let lanes = (lanes >> (8 * half)) as __mmask8;
        // SAFETY: the caller has compared every row with the number of weights.
        unsafe {
            _mm512_mask_i32gather_epi64::<8>(
                _mm512_setzero_si512(),
                lanes,
                rows,
                weights.as_ptr().cast(),
            )
        }
    }

    /// For each of eight lanes the sum of the lanes up to it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
    fn running(x: __m512i) -> __m512i {
        let zero = _mm512_setzero_si512();
        let x = _mm512_add_epi64(x, _mm512_alignr_epi64::<7>(x, zero));
        let x = _mm512_add_epi64(x, _mm512_alignr_epi64::<6>(x, zero));
        _mm512_add_epi64(x, _mm512_alignr_epi64::<4>(x, zero))
    }

    /// [`super::weighed_boundaries`] with `KNOWN` starts, or, if `KNOWN` is 0, with any number of
    /// them. Two and three classes are the most frequent numbers, and constants keep their sums in
    /// registers. The twin is `plain_boundaries`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
    pub fn boundaries<const KNOWN: usize>(
        order: &[u32],
        weights: &[i64],
        places: Range<usize>,
        wanted: Wanted<'_>,
        before: &mut [i64],
        at: &mut [u32],
        sums: PlaneSums<'_>,
    ) -> usize {
        let one = _mm512_set1_epi32(1);
        let last_lane = _mm512_set1_epi64(7);
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let every = if wanted.convex { 0 } else { u32::MAX };
        let n = if KNOWN == 0 { wanted.starts.len() } else { KNOWN };
        let starts = &wanted.starts[..n];
        // The first mask has all rows.
        let mut classes = [0_u32; MOST_CLASSES];
        let mut carry = [_mm512_setzero_si512(); MOST_CLASSES];
        carry[..=n].iter_mut().zip(&*before).for_each(|(c, &b)| *c = _mm512_set1_epi64(b));
        let mut held = 0;
        let mut i = places.start;
        while i < places.end {
            let step = (places.end - i).min(LANES);
            let inside = (1_u32 << step) - 1;
            let followed = (1_u32 << step.min(order.len() - i - 1)) - 1;
            let (last, here) = (load(order, i - 1, inside), load(order, i, inside));
            let after = load(order, i + 1, followed);
            let rows = rows_of(last, weights.len(), inside);
            // Whether the class changes at each place.
            classes[0] = inside;
            let mut change = 0;
            for (class, &start) in classes[1..=n].iter_mut().zip(starts) {
                let start = _mm512_set1_epi32((start << 1) as i32);
                *class = u32::from(_mm512_cmpge_epu32_mask(last, start)) & inside;
                change |= *class ^ u32::from(_mm512_cmpge_epu32_mask(here, start));
            }
            let tied = u32::from(_mm512_test_epi32_mask(here, one));
            let shared = u32::from(_mm512_test_epi32_mask(_mm512_or_si512(last, after), one));
            let keep = !tied & (change | shared | every) & inside;
            let places = _mm512_add_epi32(lanes, _mm512_set1_epi32(i as i32));
            // SAFETY: there are at most i - first boundaries so far, and `at` has 16 entries more
            // than there are places.
            unsafe {
                let places = _mm512_maskz_compress_epi32(keep as __mmask16, places);
                _mm512_storeu_si512(at.as_mut_ptr().add(held).cast(), places);
            }
            // Running sums of the weights, eight at a time; the sums at boundaries are moved
            // together.
            let halves = if step > 8 { 2 } else { 1 };
            for half in 0..halves {
                let weight = gather(weights, rows, half, inside);
                let keep = (keep >> (8 * half)) as __mmask8;
                for (c, (&class, carry)) in classes[..=n].iter().zip(&mut carry[..=n]).enumerate() {
                    let own = _mm512_maskz_mov_epi64((class >> (8 * half)) as __mmask8, weight);
                    let own = _mm512_add_epi64(running(own), *carry);
                    *carry = _mm512_permutexvar_epi64(last_lane, own);
                    // SAFETY: from + places + 16 <= stride, and there are as many planes as sums.
                    unsafe {
                        let to = sums.planes.as_mut_ptr().add(c * sums.stride + sums.from + held);
                        _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi64(keep, own));
                    }
                }
                held += keep.count_ones() as usize;
            }
            i += step;
        }
        before
            .iter_mut()
            .zip(&carry)
            .for_each(|(b, &c)| *b = _mm_cvtsi128_si64(_mm512_castsi512_si128(c)));
        held
    }

    /// [`super::weighed_steps`] with `KNOWN` starts, or, if `KNOWN` is 0, with any number of them.
    /// The weights of 16 entries are gathered once, and each start adds them under the mask of its
    /// rows.
    #[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
    pub fn steps<const KNOWN: usize>(
        order: &[u32],
        weights: &[i64],
        starts: &[u32],
        out: &mut [i64],
    ) {
        const { assert!(STEP == LANES) };
        let n = if KNOWN == 0 { starts.len() } else { KNOWN };
        let starts = &starts[..n];
        let stride = out.len() / (n + 1);
        let mut totals = [0_i64; MOST_CLASSES];
        out.iter_mut().step_by(stride).for_each(|o| *o = 0);
        for (b, i) in (0..order.len()).step_by(LANES).enumerate() {
            let inside = (1_u32 << (order.len() - i).min(LANES)) - 1;
            let rows = rows_of(load(order, i, inside), weights.len(), inside);
            let (low, high) = (gather(weights, rows, 0, inside), gather(weights, rows, 1, inside));
            totals[0] += _mm512_reduce_add_epi64(_mm512_add_epi64(low, high));
            out[b + 1] = totals[0];
            for (c, (&start, total)) in starts.iter().zip(&mut totals[1..=n]).enumerate() {
                let class =
                    u32::from(_mm512_cmpge_epu32_mask(rows, _mm512_set1_epi32(start as i32)));
                let low = _mm512_maskz_mov_epi64(class as __mmask8, low);
                let own = _mm512_mask_add_epi64(low, (class >> 8) as __mmask8, low, high);
                *total += _mm512_reduce_add_epi64(own);
                out[(c + 1) * stride + b + 1] = *total;
            }
        }
    }

    /// [`super::renumber`], 16 entries per step, which makes whole fits 1.20 times as quick. The
    /// twin is `plain_renumbered`; a row beyond `numbers` is a panic.
    #[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,popcnt")]
    pub fn renumber(order: &[u32], numbers: &[u32], out: &mut [u32]) -> usize {
        let one = _mm512_set1_epi32(1);
        let none = _mm512_set1_epi32(LEFT_OUT as i32);
        let (mut at, mut carry) = (0, 0);
        for i in (0..order.len()).step_by(LANES) {
            let inside = (1_u32 << (order.len() - i).min(LANES)) - 1;
            let entries = load(order, i, inside);
            let rows = rows_of(entries, numbers.len(), inside);
            // SAFETY: every wanted row is below the number of numbers.
            let new = unsafe {
                _mm512_mask_i32gather_epi32::<4>(
                    none,
                    inside as __mmask16,
                    rows,
                    numbers.as_ptr().cast(),
                )
            };
            let goes = u32::from(_mm512_cmpneq_epi32_mask(new, none));
            let tied = u32::from(_mm512_test_epi32_mask(entries, one));
            let (seen, next) = seen_before(goes, tied, carry, 16);
            carry = next;
            let new = _mm512_slli_epi32::<1>(new);
            let new = _mm512_mask_or_epi32(new, seen as __mmask16, new, one);
            assert!(at + SLACK <= out.len(), "index out of bounds: no room for the rows that go");
            // SAFETY: there is room for 16 entries.
            unsafe {
                let new = _mm512_maskz_compress_epi32(goes as __mmask16, new);
                _mm512_storeu_si512(out.as_mut_ptr().add(at).cast(), new);
            }
            at += goes.count_ones() as usize;
        }
        at
    }
}

#[cfg(test)]
mod tests;

//! The functions of [`super`] for AVX-512; each has the arguments and the result of the function of
//! its name there, which is its twin.
//!
//! The sums of squares of 64 rows need the number of earlier rows of each row's class. These
//! *ranks* are made class by class: a comparison finds the rows of a class, and an expansion of 0,
//! 1, 2, ... gives them their ranks.

use super::sums::{BLOCK, CLASSES, ClassSizes, ESTIMATE, SideSquares, Squares};
use std::arch::x86_64::*;

/// [`super::classes`]: the number of starts up to the row of an entry is its class. Bisection finds
/// it, 16 entries at a time, in the starts as a table of two registers.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn classes(order: &[u32], starts: &[u32], out: &mut [u16]) {
    let table = [0, 16].map(|from| {
        let there = starts.len().saturating_sub(from).min(16);
        let mask = ((1_u32 << there) - 1) as __mmask16;
        // SAFETY: lanes behind the last start are not read.
        unsafe {
            let at = starts.as_ptr().wrapping_add(from).cast();
            _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), mask, at)
        }
    });
    let steps = if starts.len() < 16 { &[8, 4, 2, 1][..] } else { &[16, 8, 4, 2, 1] };
    for (entries, out) in order.chunks(16).zip(out.chunks_mut(16)) {
        let there = (u32::MAX >> (32 - entries.len())) as __mmask16;
        // SAFETY: lanes behind the last entry are not read.
        let entries = unsafe { _mm512_maskz_loadu_epi32(there, entries.as_ptr().cast()) };
        let row = _mm512_srli_epi32::<1>(entries);
        let mut class = _mm512_setzero_si512();
        for &step in steps {
            // Start number i is the start of class i + 1.
            let at = _mm512_add_epi32(class, _mm512_set1_epi32(step - 1));
            let later = _mm512_cmpge_epu32_mask(row, look_up(at, table));
            class = _mm512_mask_add_epi32(class, later, class, _mm512_set1_epi32(step));
        }
        // SAFETY: as many classes as entries.
        unsafe { _mm512_mask_cvtepi32_storeu_epi16(out.as_mut_ptr().cast(), there, class) };
    }
}

/// [`super::squares`]: 64 rows are ranked at once, and the sums of 16 rows are brought forward at
/// once. Doubles hold the sums exactly, as these are whole numbers below 2^52.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
pub(super) fn squares(
    rows: &[u16],
    sizes: &mut ClassSizes<'_>,
    state: &mut Squares,
    left: &mut [f64; BLOCK],
    right: &mut [f64; BLOCK],
) {
    let mut on_left = load(sizes.left);
    let in_all = load(sizes.all);
    let mut squares = _mm512_set1_pd(state.left as f64);
    let mut cross = _mm512_set1_pd(state.cross as f64);
    let whole = _mm512_set1_pd(state.whole as f64);
    let (lefts, rights) = (left.as_chunks_mut::<64>().0, right.as_chunks_mut::<64>().0);
    let last = _mm512_set1_epi64(7);
    // The classes that have rows.
    let present = u32::from(_mm512_test_epi32_mask(in_all[0], in_all[0]))
        | u32::from(_mm512_test_epi32_mask(in_all[1], in_all[1])) << 16;
    for ((rows, left), right) in rows.chunks(64).zip(lefts).zip(rights) {
        let class = bytes(rows);
        let (rank, passed) = ranks(class, present);
        let (ranks, of) = (quarters(rank), quarters(class));
        for part in 0..rows.len().div_ceil(16) {
            let class = _mm512_cvtepu8_epi32(of[part]);
            let l = _mm512_add_epi32(look_up(class, on_left), _mm512_cvtepu8_epi32(ranks[part]));
            // (l + 1)^2 - l^2
            let odd = _mm512_add_epi32(_mm512_add_epi32(l, l), _mm512_set1_epi32(1));
            let odd = running_sum(odd);
            let size = running_sum(look_up(class, in_all));
            // Eight doubles at a time: left = squares, right = whole - 2 cross + squares.
            let mut ends = (squares, cross);
            for half in 0..2 {
                let square = _mm512_add_pd(squares, numbers_of(odd, half));
                let product = _mm512_add_pd(cross, numbers_of(size, half));
                let twice = _mm512_add_pd(product, product);
                let at = 16 * part + 8 * half;
                store(&mut left[at..at + 8], square);
                let rest = _mm512_sub_pd(whole, twice);
                store(&mut right[at..at + 8], _mm512_add_pd(rest, square));
                ends = (square, product);
            }
            squares = _mm512_permutexvar_pd(last, ends.0);
            cross = _mm512_permutexvar_pd(last, ends.1);
        }
        on_left[0] = _mm512_add_epi32(on_left[0], passed[0]);
        on_left[1] = _mm512_add_epi32(on_left[1], passed[1]);
    }
    // The rows that have passed to the left.
    // SAFETY: two vectors of 16.
    unsafe {
        let at = sizes.left[..CLASSES].as_mut_ptr();
        _mm512_storeu_si512(at.cast(), on_left[0]);
        _mm512_storeu_si512(at.add(16).cast(), on_left[1]);
    }
    if let Some(end) = rows.len().checked_sub(1) {
        // Exact, because all sums are whole numbers.
        state.left = left[end] as i64;
        state.cross = (state.whole + state.left - right[end] as i64) / 2;
    }
}

/// A table of [`CLASSES`] entries.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(table: &[u32]) -> [__m512i; 2] {
    let (low, high) = table[..CLASSES].split_at(16);
    // SAFETY: two vectors of 16.
    unsafe { [_mm512_loadu_si512(low.as_ptr().cast()), _mm512_loadu_si512(high.as_ptr().cast())] }
}

/// Write eight doubles.
#[inline]
#[target_feature(enable = "avx512f")]
fn store(to: &mut [f64], x: __m512d) {
    assert!(to.len() == 8);
    // SAFETY: eight numbers.
    unsafe { _mm512_storeu_pd(to.as_mut_ptr(), x) }
}

/// Up to 64 classes as bytes, and 255 behind them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn bytes(rows: &[u16]) -> __m512i {
    let half = |from: usize| {
        let there = rows.len().saturating_sub(from).min(32) as u32;
        let mask = u32::MAX.checked_shr(32 - there).unwrap_or(0);
        // SAFETY: lanes behind the last row are not read.
        let words = unsafe {
            let at = rows.as_ptr().wrapping_add(from).cast();
            _mm512_mask_loadu_epi16(_mm512_set1_epi16(255), mask, at)
        };
        _mm512_cvtepi16_epi8(words)
    };
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(half(0)), half(32))
}

/// The rank of each of 64 rows, which is the number of earlier ones of its class, and the number of
/// rows of each class. Only classes with a bit in `present` have rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
fn ranks(class: __m512i, present: u32) -> (__m512i, [__m512i; 2]) {
    let (mut rank, mut passed) = (_mm512_setzero_si512(), [_mm512_setzero_si512(); 2]);
    let numbers = zero_to_63();
    for (half, passed) in passed.iter_mut().enumerate() {
        let mut present = present >> (16 * half) & 0xFFFF;
        while present != 0 {
            let c = present.trailing_zeros() as i8 + 16 * half as i8;
            let rows = _mm512_cmpeq_epi8_mask(class, _mm512_set1_epi8(c));
            // The n-th row of this class gets the rank n.
            rank = _mm512_or_si512(rank, _mm512_maskz_expand_epi8(rows, numbers));
            let lane = (present & present.wrapping_neg()) as __mmask16;
            *passed = _mm512_mask_set1_epi32(*passed, lane, rows.count_ones() as i32);
            present &= present - 1;
        }
    }
    (rank, passed)
}

/// The bytes 0 to 63.
#[inline]
#[target_feature(enable = "avx512f")]
fn zero_to_63() -> __m512i {
    const NUMBERS: [u8; 64] = {
        let mut numbers = [0; 64];
        let mut i = 0;
        while i < 64 {
            numbers[i] = i as u8;
            i += 1;
        }
        numbers
    };
    // SAFETY: 64 bytes.
    unsafe { _mm512_loadu_si512(NUMBERS.as_ptr().cast()) }
}

/// The four quarters of a vector.
#[inline]
#[target_feature(enable = "avx512f")]
fn quarters(x: __m512i) -> [__m128i; 4] {
    [
        _mm512_castsi512_si128(x),
        _mm512_extracti32x4_epi32::<1>(x),
        _mm512_extracti32x4_epi32::<2>(x),
        _mm512_extracti32x4_epi32::<3>(x),
    ]
}

/// The entries of a table at the indices `at`, which are below 32.
#[inline]
#[target_feature(enable = "avx512f")]
fn look_up(at: __m512i, table: [__m512i; 2]) -> __m512i {
    _mm512_permutex2var_epi32(table[0], at, table[1])
}

/// For each lane the sum of the lanes up to it.
#[inline]
#[target_feature(enable = "avx512f")]
fn running_sum(x: __m512i) -> __m512i {
    let zero = _mm512_setzero_si512();
    let x = _mm512_add_epi32(x, _mm512_alignr_epi32::<15>(x, zero));
    let x = _mm512_add_epi32(x, _mm512_alignr_epi32::<14>(x, zero));
    let x = _mm512_add_epi32(x, _mm512_alignr_epi32::<12>(x, zero));
    _mm512_add_epi32(x, _mm512_alignr_epi32::<8>(x, zero))
}

/// The lower (`half` 0) or the upper lanes as doubles.
#[inline]
#[target_feature(enable = "avx512f")]
fn numbers_of(x: __m512i, half: usize) -> __m512d {
    let upper = _mm512_extracti64x4_epi64::<1>(x);
    _mm512_cvtepu32_pd(if half == 0 { _mm512_castsi512_si256(x) } else { upper })
}

/// `plain_changes`, 16 entries or 32 pairs of classes at a time. The bits of a comparison are the
/// result, so nothing is moved between lanes.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn changes(order: &[u32], class: &[u16], tied: &mut [u64], changes: &mut [u64]) {
    for (part, entries) in order.chunks(16).enumerate() {
        let there = (u32::MAX >> (32 - entries.len())) as __mmask16;
        // SAFETY: lanes behind the last entry are not read.
        let entries = unsafe { _mm512_maskz_loadu_epi32(there, entries.as_ptr().cast()) };
        let bits = _mm512_test_epi32_mask(entries, _mm512_set1_epi32(1));
        tied[part / 4] |= u64::from(bits) << (16 * (part % 4));
    }
    for (part, pairs) in class[1..].chunks(32).enumerate() {
        let there = u32::MAX >> (32 - pairs.len());
        // SAFETY: lanes behind the last class are not read; the other load is one class
        // earlier.
        let [here, next] = unsafe {
            let next = pairs.as_ptr().cast::<i16>();
            [next.sub(1), next].map(|at| _mm512_maskz_loadu_epi16(there, at))
        };
        let bits = _mm512_mask_cmpneq_epi16_mask(there, here, next);
        changes[part / 2] |= u64::from(bits) << (32 * (part % 2));
    }
}

/// [`super::purest`]: `left / l + right / r` is `(left * r + right * l) / (l * r)`, so one
/// reciprocal per cut is enough, and it is estimated (`vrcp14pd`).
#[target_feature(enable = "avx512f")]
pub(super) fn purest(first: u32, sums: SideSquares<'_>) -> f64 {
    let (n, eight) = (_mm512_set1_pd(f64::from(sums.n)), _mm512_set1_pd(8.0));
    let lanes = _mm512_setr_pd(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0);
    let mut l = _mm512_add_pd(_mm512_set1_pd(f64::from(first)), lanes);
    let mut largest = _mm512_setzero_pd();
    for (left, right) in sums.left.chunks(8).zip(sums.right.chunks(8)) {
        let there = ((1_u32 << left.len()) - 1) as __mmask8;
        // SAFETY: lanes behind the end are not read.
        let (left, right) = unsafe {
            let left = _mm512_maskz_loadu_pd(there, left.as_ptr());
            (left, _mm512_maskz_loadu_pd(there, right.as_ptr()))
        };
        let r = _mm512_sub_pd(n, l);
        let sum = _mm512_add_pd(_mm512_mul_pd(left, r), _mm512_mul_pd(right, l));
        let reciprocal = _mm512_rcp14_pd(_mm512_mul_pd(l, r));
        largest = _mm512_mask_max_pd(largest, there, largest, _mm512_mul_pd(sum, reciprocal));
        l = _mm512_add_pd(l, eight);
    }
    _mm512_reduce_max_pd(largest) * (1.0 + ESTIMATE)
}

/// [`super::largest`]: scores of lanes that are no cuts are replaced by negative infinity as they
/// are loaded.
#[target_feature(enable = "avx512f")]
pub(super) fn largest(cuts: &[u64], scores: &mut [f64]) -> f64 {
    let lowest = _mm512_set1_pd(f64::NEG_INFINITY);
    let mut largest = lowest;
    for (part, scores) in scores.chunks_mut(8).enumerate() {
        let there = ((1_u32 << scores.len()) - 1) as __mmask8;
        let cuts = (cuts[part / 8] >> (8 * (part % 8))) as __mmask8 & there;
        // SAFETY: lanes behind the end are neither read nor written.
        unsafe {
            let x = _mm512_mask_loadu_pd(lowest, cuts, scores.as_ptr());
            _mm512_mask_storeu_pd(scores.as_mut_ptr(), there, x);
            largest = _mm512_max_pd(largest, x);
        }
    }
    _mm512_reduce_max_pd(largest)
}

//! Sorted orders of nodes of at most 64 rows: an entry is a byte, an order is a vector, and a set
//! of rows is a word (`split::short`).
//!
//! Rows are numbered within the largest ancestor of the node that has at most 64 rows. [`retain`]
//! makes the orders of a child, [`squares`] prepares the scores of all cuts of an order. Each
//! has a plain form, which is the definition, and one for AVX-512 with equal results,
//! which divides an order of 64 entries by one look-up of bits and one compression. The other
//! levels use the plain form.

use super::Level;

/// Most rows of a node.
pub const ROWS: usize = 64;

/// A vector of bytes: one per entry, row or class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Bytes(pub [u8; ROWS]);

impl Default for Bytes {
    fn default() -> Self {
        Self([0; ROWS])
    }
}

/// A number per cut of an order; cut j lies between entries j and j + 1.
pub type CutNumbers = [f64; ROWS];

/// The rows of a node in the order of each feature.
#[derive(Debug, Clone, Default)]
pub struct Orders {
    /// Rows by ascending value, one order per feature; zeros behind the last.
    pub rows: Vec<Bytes>,
    /// For each order, the entries whose value is that of the one before, as bits.
    pub tied: Vec<u64>,
}

/// What all orders of a node share.
#[derive(Debug, Clone, Copy, Default)]
pub struct OrderFacts {
    /// Number of rows.
    pub len: usize,
    /// Class of each row, below 64.
    pub class_of: Bytes,
    /// Number of rows of each class.
    pub sizes: Bytes,
    /// The classes that have rows, as bits.
    pub present: u64,
    /// Sum of the squares of `sizes`.
    pub squares: u32,
}

/// A word whose lowest `len` bits are set.
fn lowest(len: usize) -> u64 {
    u64::MAX.checked_shr(64 - len as u32).unwrap_or(0)
}

/// Write the orders of the rows whose bit in `kept` is set, from orders of `len` rows. An entry is
/// tied if an earlier row of the same value is kept.
pub fn retain(level: Level, from: &Orders, len: usize, kept: u64, to: &mut Orders) {
    assert!(len <= ROWS);
    to.rows.resize(from.rows.len(), Bytes::default());
    to.tied.resize(from.rows.len(), 0);
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the level says that the processor has these instructions.
        Level::Avx512 => unsafe { x86::retain(from, len, kept, to) },
        _ => {
            let orders = from.rows.iter().zip(&from.tied);
            for ((order, &tied), (to, tied_to)) in orders.zip(to.rows.iter_mut().zip(&mut to.tied))
            {
                (*to, *tied_to) = plain_retain(order, tied, len, kept);
            }
        }
    }
}

/// [`retain`] for one order, entry by entry.
fn plain_retain(order: &Bytes, tied: u64, len: usize, kept: u64) -> (Bytes, u64) {
    let (mut rows, mut ties, mut at, mut seen) = (Bytes::default(), 0, 0, 0);
    for (i, &row) in order.0[..len].iter().enumerate() {
        seen &= tied >> i;
        if kept >> (row % 64) & 1 == 1 {
            rows.0[at] = row;
            ties |= (seen & 1) << at;
            at += 1;
            seen = 1;
        }
    }
    (rows, ties)
}

/// Write, for each entry of an order, the number of earlier entries of its class (`rank`) and the
/// number of rows of its class (`size`). Returns a mask of the cuts between rows of different
/// classes.
fn plain_ranks(order: &Bytes, facts: &OrderFacts, rank: &mut Bytes, size: &mut Bytes) -> u64 {
    let (mut changes, mut last, mut seen) = (0, None, [0_u8; ROWS]);
    for (i, &row) in order.0[..facts.len].iter().enumerate() {
        let class = facts.class_of.0[usize::from(row) % ROWS];
        let before = &mut seen[usize::from(class) % ROWS];
        (rank.0[i], size.0[i]) = (*before, facts.sizes.0[usize::from(class) % ROWS]);
        *before += 1;
        if last.is_some_and(|last| last != class) {
            changes |= 1 << (i - 1);
        }
        last = Some(class);
    }
    changes
}

/// Write, for each cut of an order, the sums of the squares of the classes' rows on the left and on
/// the right. Numbers of cuts that do not exist are not specified. Returns a mask of the cuts
/// between rows of different classes.
pub fn squares(
    level: Level,
    order: &Bytes,
    facts: &OrderFacts,
    left: &mut CutNumbers,
    right: &mut CutNumbers,
) -> u64 {
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the level says that the processor has these instructions.
        Level::Avx512 => unsafe { x86::squares(order, facts, left, right) },
        _ => plain_squares(order, facts, left, right),
    }
}

/// [`squares`], entry by entry; `simd::running` explains the sums.
fn plain_squares(
    order: &Bytes,
    facts: &OrderFacts,
    left: &mut CutNumbers,
    right: &mut CutNumbers,
) -> u64 {
    let (mut rank, mut size) = (Bytes::default(), Bytes::default());
    let changes = plain_ranks(order, facts, &mut rank, &mut size);
    let (mut squares, mut cross) = (0, 0);
    let entries = rank.0[..facts.len].iter().zip(&size.0);
    for ((&rank, &size), (left, right)) in entries.zip(left.iter_mut().zip(right)) {
        squares += 2 * i32::from(rank) + 1;
        cross += i32::from(size);
        *left = f64::from(squares);
        *right = f64::from(facts.squares as i32 - 2 * cross + squares);
    }
    changes
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Bytes, CutNumbers, OrderFacts, Orders, lowest};
    use std::arch::x86_64::*;

    /// [`super::retain`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512bitalg,bmi2")]
    pub(super) fn retain(from: &Orders, len: usize, kept: u64, to: &mut Orders) {
        let (sides, valid) = (_mm512_set1_epi64(kept as i64), lowest(len));
        let orders = from.rows.iter().zip(&from.tied);
        for ((order, &tied), (to, tied_to)) in orders.zip(to.rows.iter_mut().zip(&mut to.tied)) {
            let order = load(order);
            let kept = _mm512_bitshuffle_epi64_mask(sides, order) & valid;
            store(to, _mm512_maskz_compress_epi8(kept, order));
            // A kept entry begins a value if it is not tied, or if an entry that is not tied has
            // been left out since the last kept one: from there a carry runs through entries left
            // out.
            let starts = !tied;
            let carried = !kept;
            let carried = carried.wrapping_add(carried & starts);
            *tied_to = if tied == 0 { 0 } else { _pext_u64(!(starts | carried), kept) };
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(bytes: &Bytes) -> __m512i {
        // SAFETY: 64 aligned bytes.
        unsafe { _mm512_load_si512((&raw const bytes.0).cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(bytes: &mut Bytes, vector: __m512i) {
        // SAFETY: 64 aligned bytes.
        unsafe { _mm512_store_si512((&raw mut bytes.0).cast(), vector) }
    }

    /// (ranks, sizes, cuts between classes) of [`super::plain_ranks`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
    fn ranked(order: &Bytes, facts: &OrderFacts) -> (__m512i, __m512i, u64) {
        let valid = lowest(facts.len);
        let numbers = load(&NUMBERS);
        let class = _mm512_permutexvar_epi8(load(order), load(&facts.class_of));
        let mut rank = _mm512_setzero_si512();
        let mut present = facts.present;
        while present != 0 {
            let this = _mm512_set1_epi8(present.trailing_zeros() as i8);
            let rows = _mm512_cmpeq_epi8_mask(class, this) & valid;
            // The n-th entry of this class gets the rank n.
            rank = _mm512_or_si512(rank, _mm512_maskz_expand_epi8(rows, numbers));
            present &= present - 1;
        }
        let size = _mm512_permutexvar_epi8(class, load(&facts.sizes));
        let next = _mm512_permutexvar_epi8(_mm512_add_epi8(numbers, _mm512_set1_epi8(1)), class);
        (rank, size, _mm512_cmpneq_epi8_mask(class, next) & valid >> 1)
    }

    /// The bytes 0 to 63.
    const NUMBERS: Bytes = {
        let mut numbers = [0; super::ROWS];
        let mut i = 0;
        while i < super::ROWS {
            numbers[i] = i as u8;
            i += 1;
        }
        Bytes(numbers)
    };

    /// [`super::squares`], 16 entries at a time.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
    pub(super) fn squares(
        order: &Bytes,
        facts: &OrderFacts,
        left: &mut CutNumbers,
        right: &mut CutNumbers,
    ) -> u64 {
        let (rank, size, changes) = ranked(order, facts);
        // A class's square grows by (n + 1)^2 - n^2 = 2 n + 1, at most 127.
        let odd = _mm512_add_epi8(_mm512_add_epi8(rank, rank), _mm512_set1_epi8(1));
        let parts = |x: __m512i| {
            [
                _mm512_castsi512_si128(x),
                _mm512_extracti32x4_epi32::<1>(x),
                _mm512_extracti32x4_epi32::<2>(x),
                _mm512_extracti32x4_epi32::<3>(x),
            ]
        };
        let whole = _mm256_set1_epi16(facts.squares as i16);
        let (mut squares, mut cross) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        let numbers = left.as_chunks_mut::<16>().0.iter_mut().zip(right.as_chunks_mut::<16>().0);
        let entries = parts(odd).into_iter().zip(parts(size));
        for ((odd, size), (left, right)) in entries.zip(numbers).take(facts.len.div_ceil(16)) {
            // Sums are at most 64^2, which 16 bits hold.
            squares = _mm256_add_epi16(squares, running_sum(_mm256_cvtepu8_epi16(odd)));
            cross = _mm256_add_epi16(cross, running_sum(_mm256_cvtepu8_epi16(size)));
            let rest = _mm256_sub_epi16(whole, _mm256_add_epi16(cross, cross));
            put(squares, left);
            put(_mm256_add_epi16(rest, squares), right);
            squares = last(squares);
            cross = last(cross);
        }
        changes
    }

    /// For each lane the sum of the lanes up to it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn running_sum(x: __m256i) -> __m256i {
        let x = _mm256_add_epi16(x, _mm256_slli_si256::<2>(x));
        let x = _mm256_add_epi16(x, _mm256_slli_si256::<4>(x));
        let x = _mm256_add_epi16(x, _mm256_slli_si256::<8>(x));
        // The last lane of the lower half goes to all of the upper.
        let lower = _mm256_permute2x128_si256::<0x08>(x, x);
        let end = _mm256_shuffle_epi8(lower, _mm256_set1_epi16(0x0F0E));
        _mm256_add_epi16(x, end)
    }

    /// A vector with the last lane in all lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn last(x: __m256i) -> __m256i {
        let upper = _mm256_permute2x128_si256::<0x11>(x, x);
        _mm256_shuffle_epi8(upper, _mm256_set1_epi16(0x0F0E))
    }

    /// Write the lanes as doubles.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn put(x: __m256i, out: &mut [f64; 16]) {
        let x = _mm512_cvtepi16_epi32(x);
        let halves = [_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64::<1>(x)];
        for (half, out) in halves.into_iter().zip(out.as_chunks_mut::<8>().0) {
            // SAFETY: eight numbers.
            unsafe { _mm512_storeu_pd(out.as_mut_ptr(), _mm512_cvtepi32_pd(half)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;

    /// A node of some rows, and orders of them with ties.
    fn node(seed: u64) -> (OrderFacts, Orders, u64) {
        let draw = |i: u64, most: u64| mix(seed, i) % most;
        let (len, classes) = (1 + draw(1, 64) as usize, 1 + draw(2, [2, 5, 64][seed as usize % 3]));
        let mut facts = OrderFacts { len, ..OrderFacts::default() };
        let mut members: Vec<u8> = (0..64).collect();
        members.sort_by_key(|&r| draw(100 + u64::from(r), 1 << 40));
        members.truncate(len);
        for &row in &members {
            let class = draw(200 + u64::from(row), classes) as usize;
            facts.class_of.0[usize::from(row)] = class as u8;
            facts.sizes.0[class] += 1;
            facts.present |= 1 << class;
        }
        facts.squares = facts.sizes.0.iter().map(|&s| u32::from(s) * u32::from(s)).sum();
        let mut orders = Orders::default();
        for feature in 0..5 {
            let values = [1, 3, 20, 1 << 40][draw(3, 4) as usize];
            let value = |r: u8| draw(1000 * (feature + 1) + u64::from(r), values);
            let mut rows = members.clone();
            rows.sort_by_key(|&r| value(r));
            let ties = rows.windows(2).map(|w| u64::from(value(w[0]) == value(w[1])));
            orders.tied.push(ties.enumerate().fold(0, |all, (i, tie)| all | tie << (i + 1)));
            let mut order = Bytes::default();
            order.0[..len].copy_from_slice(&rows);
            orders.rows.push(order);
        }
        (facts, orders, draw(4, u64::MAX) | (draw(5, 2) * draw(6, u64::MAX)))
    }

    #[test]
    fn every_level_gives_the_same_results() {
        for seed in 0..600 {
            let (facts, orders, kept) = node(seed);
            let run = |level| {
                let mut to = Orders::default();
                retain(level, &orders, facts.len, kept, &mut to);
                let mut found = Vec::new();
                for order in &orders.rows {
                    let (mut left, mut right) = ([0.0; ROWS], [0.0; ROWS]);
                    let changes = squares(level, order, &facts, &mut left, &mut right);
                    let sums = (left[..facts.len].to_vec(), right[..facts.len].to_vec());
                    found.push((changes, sums));
                }
                (to.rows, to.tied, found)
            };
            let plain = run(Level::Plain);
            for level in Level::available() {
                assert_eq!(run(level), plain, "{level:?}, seed {seed}");
            }
        }
    }

    #[test]
    fn orders_are_divided_and_summed_as_their_definitions_say() {
        for seed in 0..300 {
            let (facts, orders, kept) = node(seed);
            let mut to = Orders::default();
            retain(Level::active(), &orders, facts.len, kept, &mut to);
            for (feature, (order, &tied)) in orders.rows.iter().zip(&orders.tied).enumerate() {
                // Values, as numbers of groups.
                let mut group = 0;
                let mut values = [0; ROWS];
                for (i, &row) in order.0[..facts.len].iter().enumerate() {
                    group += u64::from(tied >> i & 1 == 0);
                    values[usize::from(row)] = group;
                }
                let stays = |row: &&u8| kept >> **row & 1 == 1;
                let rows: Vec<u8> = order.0[..facts.len].iter().filter(stays).copied().collect();
                let mut expected = Bytes::default();
                expected.0[..rows.len()].copy_from_slice(&rows);
                assert_eq!(to.rows[feature], expected);
                for i in 0..rows.len() {
                    let value = |i: usize| values[usize::from(rows[i])];
                    let tied = i > 0 && value(i) == value(i - 1);
                    assert_eq!(to.tied[feature] >> i & 1 == 1, tied, "entry {i}, seed {seed}");
                }

                let (mut left, mut right) = ([0.0; ROWS], [0.0; ROWS]);
                squares(Level::active(), order, &facts, &mut left, &mut right);
                for cut in 0..facts.len {
                    let sum = |rows: &[u8]| {
                        let mut sizes = [0_u32; ROWS];
                        for &row in rows {
                            sizes[usize::from(facts.class_of.0[usize::from(row)])] += 1;
                        }
                        f64::from(sizes.iter().map(|s| s * s).sum::<u32>())
                    };
                    let sides = order.0[..facts.len].split_at(cut + 1);
                    assert_eq!((left[cut], right[cut]), (sum(sides.0), sum(sides.1)));
                }
            }
        }
    }
}

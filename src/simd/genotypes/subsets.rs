//! How many neighbours of a sample differ from it at each variant, in four subsets at once.
//!
//! A permutation of the classes only changes which neighbours are hits and which are misses. So
//! [`super::differences`] finds once per neighbour where it differs, and each permutation counts
//! subsets of the neighbours. A neighbour is counted once, in the *pattern* of the subsets that it
//! belongs to, one of fifteen, by bit-sliced counters. Counters of the patterns add up to the
//! counters of the subsets, which become bytes by transposing blocks of 8 x 8 bits, and then
//! numbers in the order of [`subset_order`]. Against one permutation at a time, 100 permutations of
//! 2,350 x 230,000 took 45 CPU seconds in place of 105.

use super::super::body::{add_carry, add_eight};
use super::super::word::Word;
use super::counters::{GENOTYPE_WORDS, count_members, differ, low_and_high};

/// Four subsets of some members, which are sorted by pattern: bit b of a pattern is set for the
/// members of subset b.
#[derive(Debug, Clone, Copy)]
pub struct Subsets<'a> {
    /// Numbers of the members, sorted by pattern: first the members of pattern 1, then the members
    /// of pattern 2 and so on.
    numbers: &'a [u16],
    /// Where the members of each pattern from 1 on end.
    ends: &'a [u32; 15],
    /// One more than the largest number.
    pub(super) end: usize,
    /// Size of the largest subset.
    pub(super) most: usize,
}

impl<'a> Subsets<'a> {
    /// Four subsets from members sorted by pattern and the ends of the patterns. The largest number
    /// and the size of the largest subset are computed here, once per sample, for the checks of
    /// each group.
    ///
    /// # Panics
    /// If the ends do not ascend to the number of members.
    pub fn new(numbers: &'a [u16], ends: &'a [u32; 15]) -> Self {
        assert!(ends.is_sorted() && ends[14] as usize == numbers.len());
        let end = numbers.iter().max().map_or(0, |&m| usize::from(m) + 1);
        let mut sizes = [0; 4];
        for pattern in 1..16 {
            let size = ends[pattern - 1] - if pattern > 1 { ends[pattern - 2] } else { 0 };
            for (bit, sum) in sizes.iter_mut().enumerate() {
                *sum += size * (pattern >> bit & 1) as u32;
            }
        }
        let most = sizes.into_iter().fold(0, u32::max) as usize;
        Self { numbers, ends, end, most }
    }
}

/// Rows that [`super::add_subsets`] adds at once.
pub const SUBSET_ROWS: usize = 4;

/// The terms that a row adds to four sums per variant. For each subset this is its weight times the
/// number of members that differ at the variant, plus its factor times `base`.
#[derive(Debug, Clone, Copy)]
pub struct SubsetRow<'a> {
    /// The [`super::differences`] of its members.
    pub differences: &'a [u64],
    /// The members, divided into four subsets.
    pub subsets: Subsets<'a>,
    /// (weight, factor) of each subset.
    pub weights: [(f64, f64); 4],
    /// One number per variant, in the order of [`subset_order`].
    pub base: &'a [f64; 512],
}

/// Index of a variant of a group among the sums of [`super::add_subsets`].
///
/// The 64 variants that are bit b of some byte lie together, from `64 * b` on. Among them the lower
/// eight bytes of each 16 come first, as `Word::store_numbers` writes them. Callers bring their own
/// numbers per variant into this order once, instead of reordering each sum.
pub fn subset_order(variant: usize) -> usize {
    let (byte, bit) = (variant / 8, variant % 8);
    bit * 64 + byte % 16 / 8 * 32 + byte / 16 * 8 + byte % 8
}

/// Room for the counts of [`super::add_subsets`], by row, subset and variant.
pub type SubsetCounts = [[[u16; 512]; 4]; SUBSET_ROWS];

/// [`super::differences`], one part of a vector's length after the other, so that the words of the
/// sample itself stay in registers.
///
/// # Safety
/// The calling function enables the target features of `W`. All members lie inside `group`, and
/// `out` has eight words for each; both are aligned.
#[inline(always)]
pub(super) unsafe fn differences_of<W: Word>(
    group: &[u64],
    row: usize,
    members: &[u32],
    out: &mut [u64],
) {
    // SAFETY: the safe function checked members and results.
    unsafe {
        let base = group.as_ptr();
        for part in (0..8).step_by(W::WORDS) {
            let own = low_and_high::<W>(base.add(row * GENOTYPE_WORDS + part));
            for (i, &m) in members.iter().enumerate() {
                let other = low_and_high::<W>(base.add(m as usize * GENOTYPE_WORDS + part));
                differ(own, other).store(out.as_mut_ptr().add(i * 8 + part));
            }
        }
    }
}

/// Add the bit-sliced counters `more` to the counters `to`, modulo `2^D`. One full adder per plane.
///
/// # Safety
/// The calling function enables the target features of `W`.
#[inline(always)]
unsafe fn add_counters<W: Word, const D: usize>(to: &mut [W; D], more: &[W; D]) {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let mut carry = W::zero();
        for (a, b) in to.iter_mut().zip(more) {
            let (sum, next) = carry.add3(*a, *b);
            (*a, carry) = (sum, next);
        }
    }
}

/// Eight planes from `from` on as bytes: byte j of vector i has the eight bits of column `8 * j +
/// i`. Three rounds of exchanging blocks of bits transpose the planes as matrices of 8 x 8 bits.
/// Planes from D on count as empty.
///
/// # Safety
/// The calling function enables the target features of `W`.
#[inline(always)]
unsafe fn bytes<W: Word, const D: usize>(planes: &[W; D], from: usize) -> [W; 8] {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let mut rows = [W::zero(); 8];
        if from < D {
            let number = (D - from).min(8);
            rows[..number].copy_from_slice(&planes[from..from + number]);
            macro_rules! exchange {
                ($step:literal, $mask:literal) => {
                    let mask = W::all_bytes($mask);
                    for low in (0..8).filter(|row| row & $step == 0) {
                        let (a, b) = (rows[low], rows[low + $step]);
                        rows[low] = mask.andnot(b.shl::<$step>()).or(mask.and(a));
                        rows[low + $step] = mask.andnot(b).or(mask.and(a.shr::<$step>()));
                    }
                };
            }
            exchange!(4, 0x0f);
            exchange!(2, 0x33);
            exchange!(1, 0x55);
        }
        rows
    }
}

/// Patterns with fewer than `2^FEW_BITS` members are counted by counters of this many bits, as most
/// patterns are.
const FEW_BITS: usize = 7;

/// [`super::count_subsets`]; D bits hold the count of any subset.
///
/// # Safety
/// The calling function enables the target features of `W`, and the words of all members lie inside
/// `differences`, which is aligned.
#[inline(always)]
pub(super) unsafe fn count_subsets_of<W: Word, const D: usize>(
    differences: &[u64],
    subsets: Subsets<'_>,
    counts: &mut [[u16; 512]; 4],
) {
    // SAFETY: the safe function checked that all members lie inside the slice.
    unsafe {
        let at = differences.as_ptr();
        for part in (0..8).step_by(W::WORDS) {
            macro_rules! get {
                // Volatile, so that the compiler reads one number after the other: it would compute
                // eight addresses in a vector, which costs more than it saves.
                ($m:expr) => {
                    W::load(at.add(std::ptr::read_volatile(&$m) as usize * 8 + part))
                };
            }
            // Patterns are added in pairs, pairs of pairs and so on, as in a binary counter. The
            // upper half of each pair has one bit set that the lower half has not, so its sum is
            // added to the subset of that bit.
            let mut found = [[W::zero(); D]; 4];
            let mut halves = [[W::zero(); D]; 3];
            let mut begin = 0;
            for pattern in 1..16usize {
                let end = subsets.ends[pattern - 1] as usize;
                let members = &subsets.numbers[begin..end];
                begin = end;
                let mut sum = [W::zero(); D];
                if D > FEW_BITS && members.len() < 1 << FEW_BITS {
                    let mut few = [W::zero(); FEW_BITS];
                    count_members!(few, members, get);
                    sum[..FEW_BITS].copy_from_slice(&few);
                } else {
                    count_members!(sum, members, get);
                }
                let ones = pattern.trailing_ones() as usize;
                for bit in 0..ones {
                    add_counters(&mut found[bit], &sum);
                    // Patterns without a higher bit belong to no other subset.
                    if pattern >> (bit + 1) > 0 {
                        add_counters(&mut sum, &halves[bit]);
                    }
                }
                if let Some(half) = halves.get_mut(ones) {
                    *half = sum;
                }
            }
            // From bit-sliced counters to numbers of two bytes.
            for (found, counts) in found.iter().zip(counts.iter_mut()) {
                let (low, high) = (bytes(found, 0), bytes(found, 8));
                for bit in 0..8 {
                    W::store_numbers(low[bit], high[bit], part, &mut counts[bit * 64..][..64]);
                }
            }
        }
    }
}

/// The sums of [`super::add_subsets`], from counts.
///
/// Sums of 32 variants stay in registers while all rows are added. Multiplications and additions
/// are fused, at every level: in one instruction with AVX2, by the C library without.
#[inline(always)]
pub(super) fn add_counted_of(
    rows: &[SubsetRow<'_>],
    counts: &[[[u16; 512]; 4]],
    starts: &[usize],
    out: &mut [f64],
) {
    const LANES: usize = 32;
    for (subset, &start) in starts.iter().enumerate() {
        let out = &mut out[start..start + 512];
        for (chunk, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let mut sums = *out;
            for (row, counts) in rows.iter().zip(counts) {
                let (weight, factor) = row.weights[subset];
                let counts = &counts[subset].as_chunks::<LANES>().0[chunk];
                let base = &row.base.as_chunks::<LANES>().0[chunk];
                for ((sum, &count), base) in sums.iter_mut().zip(counts).zip(base) {
                    *sum = weight.mul_add(f64::from(count), factor.mul_add(*base, *sum));
                }
            }
            *out = sums;
        }
    }
}

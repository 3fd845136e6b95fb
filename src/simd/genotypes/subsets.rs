//! Four subsets of the neighbours of a sample, counted at once at 512 variants: where each of them
//! differs from the sample is made once, and all permutations of the classes count it.
//!
//! A member is counted in the pattern of the subsets it is in, bit by bit in carry-save counters.
//! Counters of the fifteen patterns add up to those of the subsets, become bytes by transposing
//! blocks of 8 x 8 bits, and then numbers in the order of [`subset_order`].

use super::super::word::Word;
use super::counters::{GENOTYPE_WORDS, both, counters, differ, eight};

/// Four subsets of some samples, by which of the subsets each of them is in.
#[derive(Debug, Clone, Copy)]
pub struct Subsets<'a> {
    /// Samples of pattern 1, those of pattern 2 and so on: bit b is set for members of subset b.
    numbers: &'a [u16],
    /// Where the samples of each pattern from 1 on end.
    ends: &'a [u32; 15],
    /// One more than the largest number.
    pub(super) end: usize,
    /// Most samples that are counted together.
    pub(super) most: usize,
}

impl<'a> Subsets<'a> {
    /// Check the ends, and look for the largest number and the largest count.
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

/// What a row adds to four sums of each variant: `weight * ` number of members of a subset that
/// differ there, `+ factor * base`.
#[derive(Debug, Clone, Copy)]
pub struct SubsetRow<'a> {
    /// The [`super::differences`] of its members.
    pub differences: &'a [u64],
    /// The subsets.
    pub subsets: Subsets<'a>,
    /// Weight and factor of each subset.
    pub weights: [(f64, f64); 4],
    /// 512 numbers, in the order of [`subset_order`].
    pub base: &'a [f64; 512],
}

/// Where [`super::add_subsets`] has the sum of a variant of a group: variants of one bit of the
/// bytes are together, of these the first halves of 16 bytes, then the second ones.
pub fn subset_order(variant: usize) -> usize {
    let (byte, bit) = (variant / 8, variant % 8);
    bit * 64 + byte % 16 / 8 * 32 + byte / 16 * 8 + byte % 8
}

/// Room for counts of [`super::add_subsets`].
pub type SubsetCounts = [[[u16; 512]; 4]; SUBSET_ROWS];

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
            let own = both::<W>(base.add(row * GENOTYPE_WORDS + part));
            for (i, &m) in members.iter().enumerate() {
                let other = both::<W>(base.add(m as usize * GENOTYPE_WORDS + part));
                differ(own, other).store(out.as_mut_ptr().add(i * 8 + part));
            }
        }
    }
}

/// Add carry-save counters.
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

/// Bytes of eight planes from `from` on: register `bit` has, in byte j, the number that bit
/// `8 * j + bit` of the planes spells. Three rounds of exchanging blocks of bits transpose the
/// planes as 8 x 8 matrices.
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
                        rows[low] = mask.not_and(b.up::<$step>()).or(mask.and(a));
                        rows[low + $step] = mask.not_and(b).or(mask.and(a.down::<$step>()));
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

/// Bits of the count of one pattern that are kept apart from those of more.
const FEW_BITS: usize = 7;

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
                // one number after the other: addresses made in vectors cost more than they save
                ($m:expr) => {
                    W::load(at.add(std::ptr::read_volatile(&$m) as usize * 8 + part))
                };
            }
            // Patterns are added in pairs, pairs of pairs and so on, as in a binary counter: the
            // upper half of each belongs to one subset.
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
                    counters!(few, members, get);
                    sum[..FEW_BITS].copy_from_slice(&few);
                } else {
                    counters!(sum, members, get);
                }
                let ones = pattern.trailing_ones() as usize;
                for bit in 0..ones {
                    add_counters(&mut found[bit], &sum);
                    // all patterns without a higher bit belong to no other subset
                    if pattern >> (bit + 1) > 0 {
                        add_counters(&mut sum, &halves[bit]);
                    }
                }
                if let Some(half) = halves.get_mut(ones) {
                    *half = sum;
                }
            }
            for (found, counts) in found.iter().zip(counts.iter_mut()) {
                let (low, high) = (bytes(found, 0), bytes(found, 8));
                for bit in 0..8 {
                    W::store_numbers(low[bit], high[bit], part, &mut counts[bit * 64..][..64]);
                }
            }
        }
    }
}

/// Sums of some variants stay in registers while all rows are added. Multiplications and additions
/// are fused, which a processor with AVX2 does in one step; the C library does it elsewhere.
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

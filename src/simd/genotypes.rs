//! Kernels for genotypes in two bit planes, for `stats::neighbours::genotypes`. They count on how
//! many variants two samples differ and how many neighbours differ from a sample at each variant,
//! and add up numbers by code.
//!
//! Variants come in groups of 512; a sample has [`GENOTYPE_WORDS`] words per group. Two genotypes
//! differ where their low or their high bits do. A missing genotype is a code like the others here;
//! callers correct for its expected value. Differences of two samples are counted by popcounts,
//! after carry-save adders at levels without popcounts of vectors. Differences to several
//! neighbours are added in bit-sliced counters, one per variant. O(words) per pair of samples.

mod counters;
mod subsets;

use super::Level;
use super::body::{add_carry, add_eight};
use super::buffer::check_aligned;
use super::instantiate::instance;
use super::layout::{bits_of, kernel_of};
use super::word::{Word, Words};
pub use counters::GENOTYPE_WORDS;
use counters::{count_members, differ, low_and_high};
pub use subsets::{SUBSET_ROWS, SubsetRow, Subsets, subset_order};
use subsets::{SubsetCounts, add_counted_of, count_subsets_of, differences_of};

/// Number of variants on which each sample of `two` differs from each of `four`.
///
/// The words of a sample begin at `sample * stride` of `planes`; its first `groups` groups are
/// compared. Two times four samples are compared at once, because eight sums and the words of two
/// samples fit the registers, so that each load serves several pairs. Callers with fewer samples
/// repeat one. Panics if a sample lies outside the planes.
pub fn differing_variants(
    level: Level,
    planes: &[u64],
    stride: usize,
    groups: usize,
    two: [usize; 2],
    four: [usize; 4],
) -> [[u32; 4]; 2] {
    assert!(groups * GENOTYPE_WORDS <= stride && stride.is_multiple_of(GENOTYPE_WORDS));
    assert!(two.iter().chain(&four).all(|s| (s + 1) * stride <= planes.len()));
    check_aligned([planes]);
    // SAFETY: all groups lie inside the slice, and the level is one that the processor has.
    unsafe { (table(level).count_differing)(planes, stride, groups, two, four) }
}

/// Numbers of samples, and the largest of them, which bounds are checked against.
#[derive(Debug, Clone, Copy)]
pub struct Members<'a> {
    numbers: &'a [u32],
    /// One more than the largest number.
    end: usize,
}

impl<'a> Members<'a> {
    /// Some samples by their numbers, in any order. The largest number is looked for here, so that
    /// the kernels of each group need not look at the list again.
    pub fn new(numbers: &'a [u32]) -> Self {
        Self { numbers, end: numbers.iter().max().map_or(0, |&m| m as usize + 1) }
    }

    /// Number of members, which is also the largest count that a variant can have.
    pub fn len(self) -> usize {
        self.numbers.len()
    }

    /// Whether there are no members, so that nothing would be counted.
    pub fn is_empty(self) -> bool {
        self.numbers.is_empty()
    }
}

/// Add to `sums`, for each variant of a group, the number of `members` that differ from sample
/// `row`.
///
/// The words of a sample begin at `sample * GENOTYPE_WORDS` of `group`.
pub fn add_differing(
    level: Level,
    group: &[u64],
    row: usize,
    members: Members<'_>,
    sums: GenotypeSums<'_>,
) {
    assert!(members.end.max(row + 1) * GENOTYPE_WORDS <= group.len() && sums.out.len() == 512);
    assert!(sums.tally.is_empty() || sums.tally.len() == 512);
    check_aligned([group]);
    let kernel = table(level).add_differing[kernel_of(&[4, 8, 12, 24], bits_of(members.len()))];
    // SAFETY: all members lie inside the slice; the counters of the kernel hold the number.
    unsafe { kernel(group, row, members.numbers, sums) }
}

/// Sums over the 512 variants of a group, to which counts are added.
#[derive(Debug)]
pub struct GenotypeSums<'a> {
    /// The weight of a count in `out`.
    pub weight: f64,
    /// Sums of weighted counts.
    pub out: &'a mut [f64],
    /// Sums of the counts alone; empty where they are not needed.
    pub tally: &'a mut [u32],
}

impl GenotypeSums<'_> {
    /// Add the counts of 64 variants from `at` on, both to the weighted sums and, where they are
    /// wanted, to the sums of the counts alone.
    ///
    /// # Safety
    /// The calling function enables the target features of `W`.
    #[inline(always)]
    unsafe fn add<W: Word>(&mut self, at: usize, counts: &[[u32; 16]; 4]) {
        let out = &mut self.out[at..at + 64];
        for (quarter, counts) in counts.iter().enumerate() {
            let part = quarter * 16..quarter * 16 + 16;
            // SAFETY: the instructions of the caller; sixteen numbers each.
            unsafe { W::add_counts(counts, self.weight, &mut out[part]) };
        }
        if let Some(tally) = self.tally.get_mut(at..at + 64) {
            for (to, &count) in tally.iter_mut().zip(counts.as_flattened()) {
                *to += count;
            }
        }
    }
}

/// Add `table[codes[i]]` to `out[i]`; codes are below four. Callers correct distances with it for
/// the expected difference to a missing genotype. The shorter slice ends the work.
pub fn add_by_code(level: Level, codes: &[u8], table: &[f64; 4], out: &mut [f64]) {
    // SAFETY: safe code under the features of the level.
    unsafe { (self::table(level).add_by_code)(codes, table, out) }
}

/// For each of `members`, the variants of a group at which sample `row` differs from it: eight
/// words of bits, which [`add_subsets`] counts.
pub fn differences(level: Level, group: &[u64], row: usize, members: Members<'_>, out: &mut [u64]) {
    assert!(members.end.max(row + 1) * GENOTYPE_WORDS <= group.len());
    assert!(out.len() == members.len() * 8);
    check_aligned([group, out]);
    // SAFETY: all members lie inside the slice, and each has eight words in `out`.
    unsafe { (table(level).differences_of)(group, row, members.numbers, out) }
}

/// For each of four subsets, the number of members that differ at each variant of a group, in the
/// order of [`subset_order`]. The [`differences`] of member m begin at `8 * m`.
pub fn count_subsets(
    level: Level,
    differences: &[u64],
    subsets: Subsets<'_>,
    counts: &mut [[u16; 512]; 4],
) {
    assert!(subsets.end * 8 <= differences.len() && subsets.most < 1 << 16);
    check_aligned([differences]);
    let kernel = table(level).count_subsets_of[kernel_of(&[4, 8, 16], bits_of(subsets.most))];
    // SAFETY: the words of all members lie inside the slice; the counters of the kernel hold the
    // size of a subset.
    unsafe { kernel(differences, subsets, counts) }
}

/// Add at most [`SUBSET_ROWS`] rows to the sums of each subset over the variants of a group. The
/// sums of subset b begin at `starts[b]` of `out`, in the order of [`subset_order`].
pub fn add_subsets(
    level: Level,
    rows: &[SubsetRow<'_>],
    starts: &[usize],
    out: &mut [f64],
    counts: &mut SubsetCounts,
) {
    for (row, counts) in rows.iter().zip(counts.iter_mut()) {
        count_subsets(level, row.differences, row.subsets, counts);
    }
    // SAFETY: safe code under the features of the level.
    unsafe { (table(level).add_counted)(rows, &counts[..rows.len()], starts, out) }
}

type CountDiffering = unsafe fn(
    planes: &[u64],
    stride: usize,
    groups: usize,
    two: [usize; 2],
    four: [usize; 4],
) -> [[u32; 4]; 2];
type AddDiffering = unsafe fn(group: &[u64], row: usize, members: &[u32], sums: GenotypeSums<'_>);
type CountSubsets =
    unsafe fn(differences: &[u64], subsets: Subsets<'_>, counts: &mut [[u16; 512]; 4]);
type AddCounted = unsafe fn(
    rows: &[SubsetRow<'_>],
    counts: &[[[u16; 512]; 4]],
    starts: &[usize],
    out: &mut [f64],
);
type Differences = unsafe fn(group: &[u64], row: usize, members: &[u32], out: &mut [u64]);
type AddByCode = unsafe fn(codes: &[u8], table: &[f64; 4], out: &mut [f64]);

/// The kernels of a level, called by the safe functions above.
///
/// # Safety
/// The kernels are unsafe to call: the processor must have the level, and the caller must have
/// checked the lengths of all slices.
struct GenotypeTable {
    count_differing: CountDiffering,
    /// One kernel per number of bits of a count: 4, 8, 12 or 24.
    add_differing: [AddDiffering; 4],
    /// One kernel per number of bits of a count: 4, 8 or 16.
    count_subsets_of: [CountSubsets; 3],
    add_counted: AddCounted,
    differences_of: Differences,
    add_by_code: AddByCode,
}

/// The kernels of the level, or of the highest below it that the processor has.
fn table(level: Level) -> &'static GenotypeTable {
    match level.min(Level::best()) {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => &avx512::TABLE,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => &avx2::TABLE,
        #[cfg(target_arch = "x86_64")]
        Level::Baseline => &baseline::TABLE,
        #[cfg(all(target_arch = "x86_64", not(test)))]
        Level::Plain => &baseline::TABLE,
        #[cfg(any(test, not(target_arch = "x86_64")))]
        _ => &plain::TABLE,
    }
}

/// [`differing_variants`]: popcounts where the level has them for vectors, else carry-save adders
/// pair by pair ([`count_by_adders`]).
///
/// # Safety
/// The calling function enables the target features of `W`, and the groups of all samples lie
/// inside `planes`, which is aligned.
#[inline(always)]
unsafe fn count_differing<W: Word>(
    planes: &[u64],
    stride: usize,
    groups: usize,
    two: [usize; 2],
    four: [usize; 4],
) -> [[u32; 4]; 2] {
    // SAFETY: the safe function checked that the groups of all samples lie inside the slice.
    unsafe {
        let two = two.map(|s| planes.as_ptr().add(s * stride));
        let four = four.map(|s| planes.as_ptr().add(s * stride));
        let mut found = [[0; 4]; 2];
        if W::SLOW_COUNT {
            for (a, counts) in two.iter().zip(&mut found) {
                for (b, count) in four.iter().zip(counts) {
                    *count = count_by_adders::<W>(*a, *b, groups);
                }
            }
            return found;
        }
        // No closures here: they would not have the target features of the caller.
        let mut sums = [[W::zero(); 4]; 2];
        for group in 0..groups {
            for part in (0..8).step_by(W::WORDS) {
                let at = group * GENOTYPE_WORDS + part;
                let (x, y) = (low_and_high::<W>(two[0].add(at)), low_and_high::<W>(two[1].add(at)));
                for (q, &other) in four.iter().enumerate() {
                    let z = low_and_high::<W>(other.add(at));
                    sums[0][q] = sums[0][q].add64(differ(x, z).count());
                    sums[1][q] = sums[1][q].add64(differ(y, z).count());
                }
            }
        }
        for (sums, counts) in sums.iter().zip(&mut found) {
            for (sum, count) in sums.iter().zip(counts) {
                *count = sum.total() as u32;
            }
        }
        found
    }
}

/// [`count_differing`] of one pair of samples, with one popcount per eight vectors. The adders take
/// about five operations per vector, a popcount seven with AVX2 and eleven with SSE2.
///
/// # Safety
/// The calling function enables the target features of `W`, and both samples have `groups` groups.
#[inline(always)]
unsafe fn count_by_adders<W: Word>(a: *const u64, b: *const u64, groups: usize) -> u32 {
    // SAFETY: as in `count_differing`; vector v is part of group v / vectors.
    unsafe {
        let vectors = 8 / W::WORDS;
        macro_rules! get {
            ($v:expr) => {{
                let at = $v / vectors * GENOTYPE_WORDS + $v % vectors * W::WORDS;
                differ(low_and_high::<W>(a.add(at)), low_and_high::<W>(b.add(at)))
            }};
        }
        // Bits of weight 1, 2 and 4, and the number of bits of weight 8.
        let mut sum = [W::zero(); 3];
        let (mut eights, mut v) = (W::zero(), 0);
        while v + 8 <= groups * vectors {
            let carry = add_eight!(sum, [v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7], get);
            eights = eights.add64(carry.count());
            v += 8;
        }
        let [ones, twos, fours] = sum;
        let mut rest = ones.count();
        while v < groups * vectors {
            rest = rest.add64(get!(v).count());
            v += 1;
        }
        let all = 8 * eights.total() + 4 * fours.count().total() + 2 * twos.count().total();
        (all + rest.total()) as u32
    }
}

/// Add the numbers of members that differ, which are `all` less the bit-sliced numbers of
/// agreements, at the variants from `first` on. 64 variants are unpacked at once.
///
/// # Safety
/// The calling function enables the target features of `W`.
#[inline(always)]
unsafe fn unpack<W: Word, const D: usize>(
    agreements: &[W; D],
    all: usize,
    first: usize,
    sums: &mut GenotypeSums<'_>,
) {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let mut words = [Words([0; 8]); D];
        for (plane, words) in agreements.iter().zip(&mut words) {
            *words = plane.words();
        }
        for word in 0..W::WORDS {
            let mut counts = [[0u32; 16]; 4];
            W::spread64(&words, word, all as u32, &mut counts);
            sums.add::<W>(first + word * 64, &counts);
        }
    }
}

/// [`self::add_differing`]; D bits hold the number of members.
///
/// # Safety
/// The calling function enables the target features of `W`, and all members lie inside `group`,
/// which is aligned.
#[inline(always)]
unsafe fn add_differing_of<W: Word, const D: usize>(
    group: &[u64],
    row: usize,
    members: &[u32],
    mut sums: GenotypeSums<'_>,
) {
    // SAFETY: the safe function checked that all members lie inside the slice.
    unsafe {
        let base = group.as_ptr();
        for part in (0..8).step_by(W::WORDS) {
            let own = low_and_high::<W>(base.add(row * GENOTYPE_WORDS + part));
            // Where a member agrees: agreements are counted, and subtracted when they are unpacked.
            macro_rules! get {
                ($member:expr) => {{
                    let at = $member as usize * GENOTYPE_WORDS + part;
                    let other = low_and_high::<W>(base.add(at));
                    own.0.xnor_andnot(other.0, own.1.xor(other.1))
                }};
            }
            let mut sum = [W::zero(); D];
            count_members!(sum, members, get);
            unpack(&sum, members.len(), part * 64, &mut sums);
        }
    }
}

/// [`self::add_by_code`], by comparisons instead of look-ups, which makes vectors of it.
#[inline(always)]
fn add_by_code_of(codes: &[u8], table: &[f64; 4], out: &mut [f64]) {
    let [a, b, c, d] = *table;
    for (to, &code) in out.iter_mut().zip(codes) {
        let low = if code & 1 == 0 { a } else { b };
        let high = if code & 1 == 0 { c } else { d };
        *to += if code & 2 == 0 { low } else { high };
    }
}

/// The kernels for a vector type, compiled with the target features named.
macro_rules! kernels {
    ($name:ident, $word:ty, [$($feature:literal)?]) => {
        mod $name {
            use super::{GenotypeSums, GenotypeTable, SubsetRow, Subsets, instance};
            #[allow(unused_imports, reason = "vector types of the processor")]
            #[cfg(target_arch = "x86_64")]
            use std::arch::x86_64::*;

            instance!([$($feature)?] $word, super::count_differing(
                planes: &[u64], stride: usize, groups: usize, two: [usize; 2], four: [usize; 4],
            ) -> [[u32; 4]; 2]);
            instance!([$($feature)?] $word, super::add_differing_of<BITS>(
                group: &[u64], row: usize, members: &[u32], sums: GenotypeSums<'_>,
            ));
            instance!([$($feature)?] $word, super::count_subsets_of<BITS>(
                differences: &[u64], subsets: Subsets<'_>, counts: &mut [[u16; 512]; 4],
            ));
            instance!([$($feature)?] $word, super::differences_of(
                group: &[u64], row: usize, members: &[u32], out: &mut [u64],
            ));
            $(#[target_feature(enable = $feature)])?
            /// [`super::add_counted_of`] under the features of the level, which from AVX2 on
            /// include fused operations.
            ///
            /// # Safety
            /// The processor has the features.
            unsafe fn add_counted(
                rows: &[SubsetRow<'_>], counts: &[[[u16; 512]; 4]], starts: &[usize],
                out: &mut [f64],
            ) {
                super::add_counted_of(rows, counts, starts, out);
            }
            $(#[target_feature(enable = $feature)])?
            /// [`super::add_by_code_of`] under the features of the level.
            ///
            /// # Safety
            /// The processor has the features.
            unsafe fn add_by_code(codes: &[u8], table: &[f64; 4], out: &mut [f64]) {
                super::add_by_code_of(codes, table, out);
            }

            pub(super) static TABLE: GenotypeTable = GenotypeTable {
                count_differing,
                add_differing: [
                    add_differing_of::<4>, add_differing_of::<8>, add_differing_of::<12>,
                    add_differing_of::<24>,
                ],
                count_subsets_of: [
                    count_subsets_of::<4>, count_subsets_of::<8>, count_subsets_of::<16>,
                ],
                add_counted,
                differences_of,
                add_by_code,
            };
        }
    };
}

#[cfg(any(test, not(target_arch = "x86_64")))]
kernels!(plain, super::super::plain::Word128, []);
#[cfg(target_arch = "x86_64")]
kernels!(baseline, __m128i, []);
#[cfg(target_arch = "x86_64")]
kernels!(avx2, __m256i, ["avx2,fma,popcnt"]);
#[cfg(target_arch = "x86_64")]
kernels!(avx512, __m512i, ["avx512f,avx512bw,avx512vpopcntdq,fma,popcnt"]);

#[cfg(test)]
mod tests;

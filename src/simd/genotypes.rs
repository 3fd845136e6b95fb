//! Kernels for genotypes in two bit planes: on how many variants two samples differ, how many
//! neighbours differ from a sample at each variant, and sums by code.
//!
//! Two genotypes differ where their low or their high bits do; a missing genotype is a code like
//! the others here, and what it is expected to be is a correction of the caller. Differences are
//! counted by popcounts where there is an instruction for vectors, else by carry-save adders first;
//! the differences to several neighbours are added bit by bit in carry-save counters, one for each
//! of 512 variants. Sixteen words a sample and group: eight of low bits, eight of high bits.

mod counters;
mod subsets;

use super::Level;
use super::buffer::check_aligned;
use super::word::{Word, Words};
pub use counters::GENOTYPE_WORDS;
use counters::{both, counters, differ, eight};
pub use subsets::{SUBSET_ROWS, SubsetRow, Subsets, subset_order};
use subsets::{SubsetCounts, add_counted_of, count_subsets_of, differences_of};

/// Number of variants on which each of two samples differs from each of four: samples at
/// `sample * stride` of `planes`, the first `groups` groups of each.
pub fn differing_variants(
    level: Level,
    planes: &[u64],
    stride: usize,
    groups: usize,
    (two, four): ([usize; 2], [usize; 4]),
) -> [[u32; 4]; 2] {
    assert!(groups * GENOTYPE_WORDS <= stride && stride.is_multiple_of(GENOTYPE_WORDS));
    assert!(two.iter().chain(&four).all(|s| (s + 1) * stride <= planes.len()));
    check_aligned([planes]);
    // SAFETY: all groups lie inside the slice, and the level is one that the processor has.
    unsafe { (table(level).differing)(planes, stride, groups, two, four) }
}

/// Numbers of samples, with the largest, which is what bounds are checked against.
#[derive(Debug, Clone, Copy)]
pub struct Members<'a> {
    numbers: &'a [u32],
    /// One more than the largest.
    end: usize,
}

impl<'a> Members<'a> {
    /// Look for the largest.
    pub fn new(numbers: &'a [u32]) -> Self {
        Self { numbers, end: numbers.iter().max().map_or(0, |&m| m as usize + 1) }
    }

    /// How many.
    pub fn len(self) -> usize {
        self.numbers.len()
    }

    /// True if there are none.
    pub fn is_empty(self) -> bool {
        self.numbers.is_empty()
    }
}

/// `out[v] += weight * ` number of `members` that differ from sample `row` at variant v of a group:
/// samples at `sample * GENOTYPE_WORDS` of `group`, 512 sums; the numbers are added to `tally`,
/// too, unless that is empty.
pub fn add_differing(
    level: Level,
    group: &[u64],
    (row, members): (usize, Members<'_>),
    weight: f64,
    out: &mut [f64],
    tally: &mut [u32],
) {
    assert!(members.end.max(row + 1) * GENOTYPE_WORDS <= group.len() && out.len() == 512);
    assert!(tally.is_empty() || tally.len() == 512);
    check_aligned([group]);
    let to = GenotypeSums { weight, out, tally };
    // SAFETY: all members lie inside the slice; the counters of the body hold the number.
    let body = table(level).add_differing[body_of(members.len())];
    unsafe { body(group, row, members.numbers, to) }
}

/// The body whose counters hold `number`.
fn body_of(number: usize) -> usize {
    let bits = (usize::BITS - number.leading_zeros()) as usize;
    assert!(bits <= 24);
    [4, 8, 9, 10, 12].iter().filter(|&&b| bits > b).count()
}

/// Where counts go.
struct GenotypeSums<'a> {
    weight: f64,
    out: &'a mut [f64],
    tally: &'a mut [u32],
}

impl GenotypeSums<'_> {
    /// Add the counts of 64 variants from `at` on.
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

/// `out[i] += table[codes[i]]`; codes are below four.
pub fn add_by_code(level: Level, codes: &[u8], table: &[f64; 4], out: &mut [f64]) {
    // SAFETY: safe code under the features of the level.
    unsafe { (self::table(level).add_by_code)(codes, table, out) }
}

/// Where a sample differs from some others at the 512 variants of a group, eight words for each of
/// `members`, to be counted by [`add_subsets`].
pub fn differences(level: Level, group: &[u64], row: usize, members: Members<'_>, out: &mut [u64]) {
    assert!(members.end.max(row + 1) * GENOTYPE_WORDS <= group.len());
    assert!(out.len() == members.len() * 8);
    check_aligned([group, out]);
    // SAFETY: all members lie inside the slice, and each has eight words in `out`.
    unsafe { (table(level).differences)(group, row, members.numbers, out) }
}

/// How many members of four subsets differ at each variant of a group, in the order of
/// [`subset_order`]; the [`differences`] of member m are at `8 * m`. Each member is counted once
/// whatever the number of subsets it is in: counts of the fifteen patterns add up to those of the
/// subsets.
pub fn count_subsets(
    level: Level,
    differences: &[u64],
    subsets: Subsets<'_>,
    counts: &mut [[u16; 512]; 4],
) {
    assert!(subsets.end * 8 <= differences.len() && subsets.most < 1 << 16);
    check_aligned([differences]);
    let body = table(level).count_subsets[body_of(subsets.most)];
    // SAFETY: the words of all members lie inside the slice; the counters of the body hold the
    // number.
    unsafe { body(differences, subsets, counts) }
}

/// Add some rows, at most [`SUBSET_ROWS`], to sums of 512 variants that begin at `starts`, one for
/// each subset, in the order of [`subset_order`].
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

type DifferingKernel = unsafe fn(&[u64], usize, usize, [usize; 2], [usize; 4]) -> [[u32; 4]; 2];
type AddDiffering = unsafe fn(&[u64], usize, &[u32], GenotypeSums<'_>);
type CountSubsets = unsafe fn(&[u64], Subsets<'_>, &mut [[u16; 512]; 4]);
type AddCounted = unsafe fn(&[SubsetRow<'_>], &[[[u16; 512]; 4]], &[usize], &mut [f64]);

/// The bodies of a level.
struct GenotypeTable {
    differing: DifferingKernel,
    /// By number of bits of a count: 4, 8, 9, 10, 12, 24.
    add_differing: [AddDiffering; 6],
    /// By number of bits of a count: 4, 8, 9, 10, 12, 16.
    count_subsets: [CountSubsets; 6],
    add_counted: AddCounted,
    differences: unsafe fn(&[u64], usize, &[u32], &mut [u64]),
    add_by_code: unsafe fn(&[u8], &[f64; 4], &mut [f64]),
}

/// Those of the level, or of the highest below it that the processor has.
fn table(level: Level) -> &'static GenotypeTable {
    match level.min(Level::best()) {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => &avx512::TABLE,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => &avx2::TABLE,
        #[cfg(target_arch = "x86_64")]
        Level::Baseline => &baseline::TABLE,
        _ => &plain::TABLE,
    }
}

#[inline(always)]
unsafe fn total<W: Word>(x: W) -> u64 {
    // SAFETY: register work under the features of the caller.
    unsafe { x.words() }.0.iter().sum()
}

#[inline(always)]
unsafe fn differing<W: Word>(
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
        if W::BYTES {
            for (a, counts) in two.iter().zip(&mut found) {
                for (b, count) in four.iter().zip(counts) {
                    *count = counted_by_adders::<W>(*a, *b, groups);
                }
            }
            return found;
        }
        // loops where a map would do: closures do not have the features of the caller
        let mut sums = [[W::zero(); 4]; 2];
        for group in 0..groups {
            for part in (0..8).step_by(W::WORDS) {
                let at = group * GENOTYPE_WORDS + part;
                let (x, y) = (both::<W>(two[0].add(at)), both::<W>(two[1].add(at)));
                for (q, &other) in four.iter().enumerate() {
                    let z = both::<W>(other.add(at));
                    sums[0][q] = sums[0][q].add64(differ(x, z).count());
                    sums[1][q] = sums[1][q].add64(differ(y, z).count());
                }
            }
        }
        for (sums, counts) in sums.iter().zip(&mut found) {
            for (sum, count) in sums.iter().zip(counts) {
                *count = total(*sum) as u32;
            }
        }
        found
    }
}

/// One pair, eight vectors to a popcount.
#[inline(always)]
unsafe fn counted_by_adders<W: Word>(a: *const u64, b: *const u64, groups: usize) -> u32 {
    // SAFETY: as above; vector v is part of group v / vectors.
    unsafe {
        let vectors = 8 / W::WORDS;
        macro_rules! get {
            ($v:expr) => {{
                let at = $v / vectors * GENOTYPE_WORDS + $v % vectors * W::WORDS;
                differ(both::<W>(a.add(at)), both::<W>(b.add(at)))
            }};
        }
        let (mut ones, mut twos, mut fours) = (W::zero(), W::zero(), W::zero());
        let (mut eights, mut v) = (W::zero(), 0);
        while v + 8 <= groups * vectors {
            let (o, t0) = ones.add3(get!(v), get!(v + 1));
            let (o, t1) = o.add3(get!(v + 2), get!(v + 3));
            let (t, f0) = twos.add3(t0, t1);
            let (o, t0) = o.add3(get!(v + 4), get!(v + 5));
            let (o, t1) = o.add3(get!(v + 6), get!(v + 7));
            let (t, f1) = t.add3(t0, t1);
            let (f, e) = fours.add3(f0, f1);
            (ones, twos, fours) = (o, t, f);
            eights = eights.add64(e.count());
            v += 8;
        }
        let mut rest = ones.count();
        while v < groups * vectors {
            rest = rest.add64(get!(v).count());
            v += 1;
        }
        let all = 8 * total(eights) + 4 * total(fours.count()) + 2 * total(twos.count());
        (all + total(rest)) as u32
    }
}

/// Counters of agreements of `all` members, unpacked as differences; `first` is the first variant.
#[inline(always)]
unsafe fn unpack<W: Word, const D: usize>(
    sum: &[W; D],
    all: usize,
    first: usize,
    to: &mut GenotypeSums<'_>,
) {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let mut words = [Words([0; 8]); D];
        for (plane, words) in sum.iter().zip(&mut words) {
            *words = plane.words();
        }
        for word in 0..W::WORDS {
            let mut counts = [[0u32; 16]; 4];
            W::spread64(&words, word, all as u32, &mut counts);
            to.add::<W>(first + word * 64, &counts);
        }
    }
}

#[inline(always)]
unsafe fn add_differing_of<W: Word, const D: usize>(
    group: &[u64],
    row: usize,
    members: &[u32],
    mut to: GenotypeSums<'_>,
) {
    // SAFETY: the safe function checked that all members lie inside the slice.
    unsafe {
        let base = group.as_ptr();
        for part in (0..8).step_by(W::WORDS) {
            let own = both::<W>(base.add(row * GENOTYPE_WORDS + part));
            // agreements are counted: what is unpacked is `all` less the number
            macro_rules! get {
                ($m:expr) => {{
                    let at = $m as usize * GENOTYPE_WORDS + part;
                    let other = both::<W>(base.add(at));
                    own.0.neither(other.0, own.1.xor(other.1))
                }};
            }
            let mut sum = [W::zero(); D];
            counters!(sum, members, get);
            unpack(&sum, members.len(), part * 64, &mut to);
        }
    }
}

#[inline(always)]
fn add_by_code_of(codes: &[u8], table: &[f64; 4], out: &mut [f64]) {
    let [a, b, c, d] = *table;
    for (to, &code) in out.iter_mut().zip(codes) {
        let low = if code & 1 == 0 { a } else { b };
        let high = if code & 1 == 0 { c } else { d };
        *to += if code & 2 == 0 { low } else { high };
    }
}

/// Instantiate the bodies for a vector type under the target features named.
macro_rules! bodies {
    ($name:ident, $word:ty, [$($feature:literal)?]) => {
        mod $name {
            use super::{GenotypeTable, SubsetRow, Subsets, GenotypeSums};
            #[allow(unused_imports, reason = "vector types of the processor")]
            #[cfg(target_arch = "x86_64")]
            use std::arch::x86_64::*;
            $(#[target_feature(enable = $feature)])?
            unsafe fn differing(
                p: &[u64], stride: usize, groups: usize, two: [usize; 2], four: [usize; 4],
            ) -> [[u32; 4]; 2] {
                // SAFETY: the caller checked lengths and features.
                unsafe { super::differing::<$word>(p, stride, groups, two, four) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn add<const D: usize>(
                g: &[u64], row: usize, members: &[u32], to: GenotypeSums<'_>,
            ) {
                // SAFETY: the caller checked lengths and features.
                unsafe { super::add_differing_of::<$word, D>(g, row, members, to) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn subsets<const D: usize>(
                d: &[u64], subsets: Subsets<'_>, counts: &mut [[u16; 512]; 4],
            ) {
                // SAFETY: the caller checked lengths and features.
                unsafe { super::count_subsets_of::<$word, D>(d, subsets, counts) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn counted(
                rows: &[SubsetRow<'_>], counts: &[[[u16; 512]; 4]], at: &[usize], out: &mut [f64],
            ) {
                super::add_counted_of(rows, counts, at, out);
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn differences(g: &[u64], row: usize, members: &[u32], out: &mut [u64]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { super::differences_of::<$word>(g, row, members, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn add_by_code(codes: &[u8], table: &[f64; 4], out: &mut [f64]) {
                super::add_by_code_of(codes, table, out);
            }
            pub(super) static TABLE: GenotypeTable = GenotypeTable {
                differing,
                add_differing: [
                    add::<4>, add::<8>, add::<9>, add::<10>, add::<12>, add::<24>,
                ],
                count_subsets: [
                    subsets::<4>, subsets::<8>, subsets::<9>, subsets::<10>, subsets::<12>,
                    subsets::<16>,
                ],
                add_counted: counted,
                differences,
                add_by_code,
            };
        }
    };
}

bodies!(plain, super::super::plain::Word128, []);
#[cfg(target_arch = "x86_64")]
bodies!(baseline, __m128i, []);
#[cfg(target_arch = "x86_64")]
bodies!(avx2, __m256i, ["avx2,fma,popcnt"]);
#[cfg(target_arch = "x86_64")]
bodies!(avx512, __m512i, ["avx512f,avx512bw,avx512vpopcntdq,fma,popcnt"]);

#[cfg(test)]
mod tests;

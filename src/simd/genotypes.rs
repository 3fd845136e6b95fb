//! Kernels for genotypes in two bit planes: on how many variants two samples differ, how many
//! neighbours differ from a sample at each variant, and sums by code.
//!
//! Two genotypes differ where their low or their high bits do; a missing genotype is a code like
//! the others here, and what it is expected to be is a correction of the caller. Differences are
//! counted by popcounts where there is an instruction for vectors, else by carry-save adders first;
//! the differences to several neighbours are added bit by bit in carry-save counters, one for each
//! of 512 variants. Sixteen words a sample and group: eight of low bits, eight of high bits.

use super::word::{Word, Words};
use super::{Level, check_aligned};

/// Words of a group of 512 variants.
pub const GENOTYPE_WORDS: usize = 16;

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

/// `out[v] += weight * ` number of `members` that differ from sample `row` at variant v of a group:
/// samples at `sample * GENOTYPE_WORDS` of `group`, 512 sums; the numbers are added to `tally`,
/// too, unless that is empty.
pub fn add_differing(
    level: Level,
    group: &[u64],
    (row, members): (usize, &[u32]),
    weight: f64,
    out: &mut [f64],
    tally: &mut [u32],
) {
    let largest = members.iter().fold(row, |a, &m| a.max(m as usize));
    assert!((largest + 1) * GENOTYPE_WORDS <= group.len() && out.len() == 512);
    assert!(tally.is_empty() || tally.len() == 512);
    check_aligned([group]);
    let to = Sums { weight, base: (0.0, &[]), out, tally };
    // SAFETY: all members lie inside the slice; the body has at least so many bits.
    unsafe { (table(level).add_differing[body_of(members.len())])(group, row, members, to) }
}

/// The body whose counters hold `number`.
fn body_of(number: usize) -> usize {
    let bits = (usize::BITS - number.leading_zeros()) as usize;
    assert!(bits <= 24);
    [4, 8, 10, 12].iter().filter(|&&b| bits > b).count()
}

/// Where a sample agrees with some others at the 512 variants of a group, eight words for each of
/// `members`, to be counted by [`add_selected`].
pub fn agreements(level: Level, group: &[u64], row: usize, members: &[u32], out: &mut [u64]) {
    let largest = members.iter().fold(row, |a, &m| a.max(m as usize));
    assert!((largest + 1) * GENOTYPE_WORDS <= group.len() && out.len() == members.len() * 8);
    check_aligned([group, out]);
    // SAFETY: all members lie inside the slice, and each has eight words in `out`.
    unsafe { (table(level).agreements)(group, row, members, out) }
}

/// `out[v] += weight * ` number of the selected members that differ at variant v, `+ base.0 *
/// base.1[v]`; the [`agreements`] of member m are at `8 * m`.
pub fn add_selected(
    level: Level,
    agreements: &[u64],
    selected: &[u32],
    weight: f64,
    base: (f64, &[f64]),
    out: &mut [f64],
) {
    let largest = selected.iter().fold(0, |a, &m| a.max(m as usize));
    assert!(selected.is_empty() || (largest + 1) * 8 <= agreements.len());
    assert!(out.len() == 512 && (base.1.is_empty() || base.1.len() == 512));
    check_aligned([agreements]);
    let to = Sums { weight, base, out, tally: &mut [] };
    // SAFETY: the words of all selected members lie inside the slice.
    unsafe { (table(level).add_selected[body_of(selected.len())])(agreements, selected, to) }
}

/// Where counts go.
struct Sums<'a> {
    weight: f64,
    base: (f64, &'a [f64]),
    out: &'a mut [f64],
    tally: &'a mut [u32],
}

impl Sums<'_> {
    /// Add the counts of 16 variants from `at` on.
    #[inline(always)]
    fn add(&mut self, at: usize, counts: &[u32; 16]) {
        let weight = self.weight;
        let out = &mut self.out[at..at + 16];
        if let Some(base) = self.base.1.get(at..at + 16) {
            for ((to, &count), b) in out.iter_mut().zip(counts).zip(base) {
                *to += weight * f64::from(count as i32) + self.base.0 * b;
            }
        } else {
            for (to, &count) in out.iter_mut().zip(counts) {
                *to += weight * f64::from(count as i32);
            }
        }
        if let Some(tally) = self.tally.get_mut(at..at + 16) {
            tally.iter_mut().zip(counts).for_each(|(to, &count)| *to += count);
        }
    }
}

/// `out[i] += table[codes[i]]`; codes are below four.
pub fn add_by_code(level: Level, codes: &[u8], table: &[f64; 4], out: &mut [f64]) {
    // SAFETY: safe code under the features of the level.
    unsafe { (self::table(level).add_by_code)(codes, table, out) }
}

type Differing = unsafe fn(&[u64], usize, usize, [usize; 2], [usize; 4]) -> [[u32; 4]; 2];
type AddDiffering = unsafe fn(&[u64], usize, &[u32], Sums<'_>);
type AddSelected = unsafe fn(&[u64], &[u32], Sums<'_>);

/// The bodies of a level.
struct GenotypeTable {
    differing: Differing,
    /// By number of bits of a count: 4, 8, 10, 12, 24.
    add_differing: [AddDiffering; 5],
    add_selected: [AddSelected; 5],
    agreements: unsafe fn(&[u64], usize, &[u32], &mut [u64]),
    add_by_code: unsafe fn(&[u8], &[f64; 4], &mut [f64]),
}

/// Those of the level, or of the highest below it that the processor has.
fn table(level: Level) -> &'static GenotypeTable {
    let have = Level::available();
    match have.iter().rev().find(|l| **l <= level).copied().unwrap_or(Level::Plain) {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => &avx512::TABLE,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => &avx2::TABLE,
        #[cfg(target_arch = "x86_64")]
        Level::Baseline => &baseline::TABLE,
        _ => &plain::TABLE,
    }
}

/// Where two genotypes differ.
#[inline(always)]
unsafe fn differ<W: Word>(a: (W, W), b: (W, W)) -> W {
    // SAFETY: register work under the features of the caller.
    unsafe { a.0.xor(b.0).or(a.1.xor(b.1)) }
}

/// Low and high bits of a vector of a group.
#[inline(always)]
unsafe fn both<W: Word>(at: *const u64) -> (W, W) {
    // SAFETY: the caller vouches for a group behind the pointer.
    unsafe { (W::load(at), W::load(at.add(8))) }
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
        if W::BYTES {
            return two.map(|a| four.map(|b| counted_by_adders::<W>(a, b, groups)));
        }
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
        sums.map(|row| row.map(|sum| total(sum) as u32))
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

/// Carry-save counters of `$members`, of which `$get` gives the vector.
macro_rules! counters {
    ($sum:ident, $members:expr, $get:ident) => {
        let mut eights = $members.chunks_exact(8);
        for m in &mut eights {
            let (o, t0) = $sum[0].add3($get!(m[0]), $get!(m[1]));
            let (o, t1) = o.add3($get!(m[2]), $get!(m[3]));
            let (t, f0) = $sum[1].add3(t0, t1);
            let (o, t0) = o.add3($get!(m[4]), $get!(m[5]));
            let (o, t1) = o.add3($get!(m[6]), $get!(m[7]));
            let (t, f1) = t.add3(t0, t1);
            let (f, mut c) = $sum[2].add3(f0, f1);
            ($sum[0], $sum[1], $sum[2]) = (o, t, f);
            for plane in $sum.iter_mut().skip(3) {
                (*plane, c) = plane.add2(c);
            }
        }
        for &m in eights.remainder() {
            let mut c = $get!(m);
            for plane in &mut $sum {
                (*plane, c) = plane.add2(c);
            }
        }
    };
}

/// Counters of agreements of `all` members, unpacked as differences; `first` is the first variant.
#[inline(always)]
unsafe fn unpack<W: Word, const D: usize>(
    sum: &[W; D],
    all: usize,
    first: usize,
    to: &mut Sums<'_>,
) {
    // SAFETY: register work under the features of the caller.
    unsafe {
        let mut words = [Words([0; 8]); D];
        for (plane, words) in sum.iter().zip(&mut words) {
            *words = plane.words();
        }
        let depth = ((usize::BITS - all.leading_zeros()) as usize).min(D);
        for word in 0..W::WORDS {
            for quarter in 0..4 {
                let mut counts = [0u32; 16];
                W::spread(&words[..depth], word, quarter, all as u32, &mut counts);
                to.add(first + word * 64 + quarter * 16, &counts);
            }
        }
    }
}

#[inline(always)]
unsafe fn add_differing_of<W: Word, const D: usize>(
    group: &[u64],
    row: usize,
    members: &[u32],
    mut to: Sums<'_>,
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
                    differ(own, both::<W>(base.add(at))).not_and(W::ones())
                }};
            }
            let mut sum = [W::zero(); D];
            counters!(sum, members, get);
            unpack(&sum, members.len(), part * 64, &mut to);
        }
    }
}

#[inline(always)]
unsafe fn agreements_of<W: Word>(group: &[u64], row: usize, members: &[u32], out: &mut [u64]) {
    // SAFETY: the safe function checked members and results.
    unsafe {
        let base = group.as_ptr();
        for part in (0..8).step_by(W::WORDS) {
            let own = both::<W>(base.add(row * GENOTYPE_WORDS + part));
            for (i, &m) in members.iter().enumerate() {
                let other = both::<W>(base.add(m as usize * GENOTYPE_WORDS + part));
                let agree = differ(own, other).not_and(W::ones());
                agree.store(out.as_mut_ptr().add(i * 8 + part));
            }
        }
    }
}

#[inline(always)]
unsafe fn add_selected_of<W: Word, const D: usize>(
    agreements: &[u64],
    selected: &[u32],
    mut to: Sums<'_>,
) {
    // SAFETY: the safe function checked that all selected members lie inside the slice.
    unsafe {
        let base = agreements.as_ptr();
        for part in (0..8).step_by(W::WORDS) {
            macro_rules! get {
                ($m:expr) => {
                    W::load(base.add($m as usize * 8 + part))
                };
            }
            let mut sum = [W::zero(); D];
            counters!(sum, selected, get);
            unpack(&sum, selected.len(), part * 64, &mut to);
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
            use super::{GenotypeTable, Sums};
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
                g: &[u64], row: usize, members: &[u32], to: Sums<'_>,
            ) {
                // SAFETY: the caller checked lengths and features.
                unsafe { super::add_differing_of::<$word, D>(g, row, members, to) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn selected<const D: usize>(a: &[u64], members: &[u32], to: Sums<'_>) {
                // SAFETY: the caller checked lengths and features.
                unsafe { super::add_selected_of::<$word, D>(a, members, to) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn agreements(g: &[u64], row: usize, members: &[u32], out: &mut [u64]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { super::agreements_of::<$word>(g, row, members, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn add_by_code(codes: &[u8], table: &[f64; 4], out: &mut [f64]) {
                super::add_by_code_of(codes, table, out);
            }
            pub(super) static TABLE: GenotypeTable = GenotypeTable {
                differing,
                add_differing: [add::<4>, add::<8>, add::<10>, add::<12>, add::<24>],
                add_selected: [
                    selected::<4>, selected::<8>, selected::<10>, selected::<12>, selected::<24>,
                ],
                agreements,
                add_by_code,
            };
        }
    };
}

bodies!(plain, super::super::plain::Pair, []);
#[cfg(target_arch = "x86_64")]
bodies!(baseline, __m128i, []);
#[cfg(target_arch = "x86_64")]
bodies!(avx2, __m256i, ["avx2,popcnt"]);
#[cfg(target_arch = "x86_64")]
bodies!(avx512, __m512i, ["avx512f,avx512bw,avx512vpopcntdq,popcnt"]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Buffer;

    fn words(len: usize, seed: u64) -> Buffer {
        let mut x = seed;
        let mut out = Buffer::zeroed(len);
        for word in out.iter_mut() {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            *word = x;
        }
        out
    }

    fn naive(a: &[u64], b: &[u64], v: usize) -> bool {
        let code = |g: &[u64]| {
            let g = &g[v / 512 * GENOTYPE_WORDS..];
            (g[v % 512 / 64] >> (v % 64) & 1, g[8 + v % 512 / 64] >> (v % 64) & 1)
        };
        code(a) != code(b)
    }

    #[test]
    fn differences_are_those_of_the_codes_on_every_level() {
        for groups in [1, 2, 3, 7] {
            let stride = groups * GENOTYPE_WORDS;
            let planes = words(7 * stride, 88_172_645_463_325_252);
            let of = |s: usize| &planes[s * stride..][..stride];
            let (two, four) = ([3, 0], [1, 6, 3, 2]);
            let number = |a: usize, b: usize| {
                (0..groups * 512).filter(|&v| naive(of(a), of(b), v)).count() as u32
            };
            let expected = two.map(|a| four.map(|b| number(a, b)));
            for level in Level::available() {
                let found = differing_variants(level, &planes, stride, groups, (two, four));
                assert_eq!(found, expected, "{level:?}, {groups} groups");
            }
        }
    }

    #[test]
    fn neighbours_that_differ_are_counted_on_every_level() {
        let group = words(300 * GENOTYPE_WORDS, 1_181_783_497_276_652_981);
        let of = |s: usize| &group[s * GENOTYPE_WORDS..][..GENOTYPE_WORDS];
        for count in [0, 1, 3, 8, 15, 16, 17, 255, 256, 299, 1100, 5000] {
            let members: Vec<u32> = (0..count).map(|m| (m * 7 % 300) as u32).collect();
            let row = 11;
            let number = |v: usize| {
                members.iter().filter(|&&m| naive(of(row), of(m as usize), v)).count() as f64
            };
            let expected: Vec<f64> = (0..512).map(|v| 1.0 + 0.3 * number(v)).collect();
            for level in Level::available() {
                let (mut out, mut tally) = (vec![1.0; 512], vec![2; 512]);
                let of_row = (row, &members[..]);
                add_differing(level, &group, of_row, 0.3, &mut out, &mut tally);
                assert_eq!(out, expected, "{level:?}, {count} members");
                assert!((0..512).all(|v| f64::from(tally[v]) == 2.0 + number(v)));
                let mut agree = Buffer::zeroed(count * 8);
                agreements(level, &group, row, &members, &mut agree);
                let all: Vec<u32> = (0..count as u32).collect();
                let mut out = vec![1.0; 512];
                add_selected(level, &agree, &all, 0.3, (0.0, &[]), &mut out);
                assert_eq!(out, expected, "{level:?}, {count} selected");
                let base: Vec<f64> = (0..512).map(f64::from).collect();
                let mut out = vec![0.0; 512];
                let odd: Vec<u32> = all.iter().copied().filter(|m| m % 2 == 1).collect();
                add_selected(level, &agree, &odd, 2.0, (0.5, &base), &mut out);
                let differs = |m: &&u32, v| naive(of(row), of(members[**m as usize] as usize), v);
                let odd_number = |v| odd.iter().filter(|m| differs(m, v)).count() as f64;
                assert!((0..512).all(|v| out[v] == 2.0 * odd_number(v) + 0.5 * base[v]));
            }
        }
    }

    #[test]
    fn sums_by_code_are_look_ups_on_every_level() {
        let codes: Vec<u8> = (0..77).map(|i| (i * i % 4) as u8).collect();
        let table = [0.5, -1.0, 0.25, 3.0];
        let expected: Vec<f64> = codes.iter().map(|&c| 2.0 + table[usize::from(c)]).collect();
        for level in Level::available() {
            let mut out = vec![2.0; 77];
            add_by_code(level, &codes, &table, &mut out);
            assert_eq!(out, expected, "{level:?}");
        }
    }
}

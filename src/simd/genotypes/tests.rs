//! The kernels compared with loops over codes, on every level.

use super::*;
use crate::simd::Buffer;

/// Words of a xorshift generator.
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

/// Whether two samples differ at variant `v`.
fn differ_at(a: &[u64], b: &[u64], v: usize) -> bool {
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
            (0..groups * 512).filter(|&v| differ_at(of(a), of(b), v)).count() as u32
        };
        let expected = two.map(|a| four.map(|b| number(a, b)));
        for level in Level::available() {
            let found = differing_variants(level, &planes, stride, groups, two, four);
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
            members.iter().filter(|&&m| differ_at(of(row), of(m as usize), v)).count() as f64
        };
        let expected: Vec<f64> = (0..512).map(|v| 1.0 + 0.3 * number(v)).collect();
        for level in Level::available() {
            let (mut out, mut tally) = (vec![1.0; 512], vec![2; 512]);
            let sums = GenotypeSums { weight: 0.3, out: &mut out, tally: &mut tally };
            add_differing(level, &group, row, Members::new(&members), sums);
            assert_eq!(out, expected, "{level:?}, {count} members");
            assert!((0..512).all(|v| f64::from(tally[v]) == 2.0 + number(v)));
        }
    }
}

#[test]
fn subsets_are_counted_on_every_level() {
    let group = words(300 * GENOTYPE_WORDS, 7_046_029_254_386_353_131);
    let of = |s: u32| &group[s as usize * GENOTYPE_WORDS..][..GENOTYPE_WORDS];
    let base: [f64; 512] = std::array::from_fn(|v| v as f64);
    for count in [0, 1, 8, 15, 16, 17, 255, 256, 299, 1100, 5000] {
        let members: Vec<u32> = (0..count).map(|m| m * 7 % 300).collect();
        let pattern = |m: u32| if count == 256 { 15 } else { (m * m + m / 5) % 16 };
        let mut numbers = Vec::new();
        let ends = std::array::from_fn(|p| {
            numbers.extend((0..count as u16).filter(|&m| pattern(m.into()) == p as u32 + 1));
            numbers.len() as u32
        });
        let starts = [0, 0, 512, 1024];
        for (wanted, rows) in [(4, vec![11]), (3, vec![11, 2, 250, 11])] {
            let weights = |row: u32| {
                std::array::from_fn(|b| {
                    (0.5 - b as f64, if b % 2 == 0 { f64::from(row) } else { 0.0 })
                })
            };
            let mut expected = vec![1.0; 1536];
            for &row in &rows {
                for (b, (weight, factor)) in weights(row).into_iter().take(wanted).enumerate() {
                    for v in 0..512 {
                        let chosen = (0..count).filter(|&m| pattern(m) >> b & 1 == 1);
                        let differs = |m: &u32| differ_at(of(row), of(members[*m as usize]), v);
                        let (number, at) = (chosen.filter(differs).count(), subset_order(v));
                        expected[starts[b] + at] += weight * number as f64 + factor * base[at];
                    }
                }
            }
            for level in Level::available() {
                let differ = |&row: &u32| {
                    let mut out = Buffer::zeroed(members.len() * 8);
                    differences(level, &group, row as usize, Members::new(&members), &mut out);
                    out
                };
                let differ: Vec<Buffer> = rows.iter().map(differ).collect();
                let subsets = Subsets::new(&numbers, &ends);
                let mut given = Vec::new();
                for (&row, differences) in rows.iter().zip(&differ) {
                    let weights = weights(row);
                    given.push(SubsetRow { differences, subsets, weights, base: &base });
                }
                let mut out = vec![1.0; 1536];
                let mut counts = [[[7; 512]; 4]; SUBSET_ROWS];
                add_subsets(level, &given, &starts[..wanted], &mut out, &mut counts);
                assert_eq!(out, expected, "{level:?}, {count} members");
            }
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

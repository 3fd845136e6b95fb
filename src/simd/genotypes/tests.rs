//! Kernels on genotypes beside loops over codes.

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
            let of_row = (row, Members::new(&members));
            add_differing(level, &group, of_row, 0.3, &mut out, &mut tally);
            assert_eq!(out, expected, "{level:?}, {count} members");
            assert!((0..512).all(|v| f64::from(tally[v]) == 2.0 + number(v)));
            let mut agree = Buffer::zeroed(count * 8);
            agreements(level, &group, row, Members::new(&members), &mut agree);
            let all: Vec<u32> = (0..count as u32).collect();
            let mut out = vec![1.0; 512];
            let every = Members::new(&all);
            add_selected(level, &agree, every, 0.3, (0.0, &[]), &mut out);
            assert_eq!(out, expected, "{level:?}, {count} selected");
            let base: Vec<f64> = (0..512).map(f64::from).collect();
            let mut out = vec![0.0; 512];
            let odd: Vec<u32> = all.iter().copied().filter(|m| m % 2 == 1).collect();
            let half = Members::new(&odd);
            add_selected(level, &agree, half, 2.0, (0.5, &base), &mut out);
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

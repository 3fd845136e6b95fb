//! Against a double loop over rows, on every way of counting.

use super::super::tests::Random;
use super::*;
use crate::stats::pairs::{CodeColumn, CodeValues};

/// The definition, pair by pair.
fn slow(codes: &CodeTable<'_>, set: &[u32], shares: bool) -> Agreement {
    let (t, n) = (codes.n_rows(), codes.columns().len());
    let code = |i: usize, k: usize| codes.columns()[k].values.code(i);
    let all: f64 = (0..t).map(|i| f64::from(codes.weight(i))).sum();
    let mut out = vec![[0.0; 4]; n];
    for k in 0..n {
        for i in 0..t {
            let with_value = (0..t).filter(|&j| code(j, k) == code(i, k));
            let share = match shares {
                true => with_value.map(|j| f64::from(codes.weight(j))).sum::<f64>() / all.max(1.0),
                false => 1.0,
            };
            for j in 0..t {
                let agree =
                    |s: &u32| *s as usize == k || code(i, *s as usize) == code(j, *s as usize);
                if !set.iter().all(agree) {
                    continue;
                }
                let other_class = usize::from(codes.classes()[i] != codes.classes()[j]);
                let other_value = code(i, k) != code(j, k);
                let pair = f64::from(codes.weight(i)) * f64::from(codes.weight(j)) * share;
                out[k][2 * usize::from(other_value) + other_class] += pair;
            }
        }
    }
    out
}

fn near(a: &Agreement, b: &Agreement) {
    let all = a.as_flattened().iter().zip(b.as_flattened());
    assert!(
        a.len() == b.len() && all.clone().all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + b.abs())),
        "{a:?} {b:?}"
    );
}

fn sets_of(n: usize) -> Vec<Vec<u32>> {
    let all = (0..n as u32).collect::<Vec<_>>();
    let odd = all.iter().copied().filter(|k| k % 2 == 1).collect();
    vec![vec![], vec![0], vec![n as u32 - 1], odd, all]
}

fn check(codes: &CodeTable<'_>, sets: &[Vec<u32>]) {
    let sets: Vec<&[u32]> = sets.iter().map(Vec::as_slice).collect();
    for shares in [true, false] {
        let found = agreement(&Control::new(1), codes, &sets, shares).unwrap();
        for (found, set) in found.iter().zip(&sets) {
            near(found, &slow(codes, set, shares));
        }
    }
}

#[test]
fn sums_equal_the_double_loop() {
    for seed in 0..40 {
        let random = Random::new(seed, 120, 7);
        let codes = random.codes();
        check(&codes, &sets_of(codes.columns().len()));
    }
}

/// Enough rows for tables of packs, and a feature with too many values for a table, by which rows
/// are ordered by group.
#[test]
fn tables_packs_and_ordered_rows_agree_with_the_double_loop() {
    let t = 700usize;
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let bits: Vec<Vec<u8>> = (0..5).map(|_| (0..t).map(|_| draw(2) as u8).collect()).collect();
    let few: Vec<Vec<u8>> = (0..3).map(|_| (0..t).map(|_| draw(5) as u8).collect()).collect();
    let many: Vec<u16> = (0..t).map(|_| draw(300) as u16).collect();
    let classes: Vec<u16> =
        (0..t).map(|i| u16::from(bits[0][i] ^ bits[1][i]) + draw(2) as u16).collect();
    let mut columns: Vec<CodeColumn<'_>> =
        bits.iter().map(|b| CodeColumn { values: CodeValues::U8(b), levels: 2 }).collect();
    columns.extend(few.iter().map(|b| CodeColumn { values: CodeValues::U8(b), levels: 5 }));
    columns.push(CodeColumn { values: CodeValues::U16(&many), levels: 300 });
    let weights: Vec<u32> = (0..t).map(|_| draw(3) as u32).collect();
    for weights in [None, Some(weights.as_slice())] {
        let codes = CodeTable::new(columns.clone(), &classes, 3, weights).unwrap();
        check(&codes, &[vec![], vec![1], vec![0, 5], vec![2, 8], vec![1, 4, 5, 6, 7]]);
    }
    // copies of rows collapse
    let few_columns: Vec<CodeColumn<'_>> = columns[..4].to_vec();
    check(&CodeTable::new(few_columns, &classes, 3, None).unwrap(), &sets_of(4));
}

#[test]
fn threads_change_nothing_and_sets_are_checked() {
    let random = Random::new(3, 150, 8);
    let codes = random.codes();
    let n = codes.columns().len();
    let sets = sets_of(n);
    let sets: Vec<&[u32]> = sets.iter().map(Vec::as_slice).collect();
    let one = agreement(&Control::new(1), &codes, &sets, true).unwrap();
    assert_eq!(one, agreement(&Control::new(4), &codes, &sets, true).unwrap());
    for bad in [&[n as u32][..], &[1, 0], &[0, 0]] {
        assert!(agreement(&Control::new(1), &codes, &[bad], true).is_err());
    }
    let cancelled = Control::new(1);
    cancelled.cancel();
    assert_eq!(agreement(&cancelled, &codes, &sets, true), Err(Error::Cancelled));
}

//! The kernels compared with each other on every level, and with their definitions.

use super::super::tests::{order, random};
use super::*;

fn starts(seed: u64, n: usize) -> Vec<u32> {
    let mut starts: Vec<u32> =
        (0..random(seed, 3) % 6).map(|c| (random(seed, 20 + c) % (n as u64 + 1)) as u32).collect();
    starts.sort_unstable();
    starts
}

#[test]
fn every_level_weighs_alike() {
    for level in Level::available() {
        for seed in 0..300 {
            let n = 2 + (random(seed, 7) % 200) as usize;
            let order = order(seed, n, [1, 2, 5, 40, u64::MAX][(seed % 5) as usize]);
            let weights: Vec<i64> =
                (0..n as u64).map(|i| (random(seed + 5, i) >> (10 + i % 50)) as i64).collect();
            let starts = starts(seed, n);
            let later = |start: u32| (start as usize..n).map(|r| weights[r]).sum::<i64>();
            let expected: Vec<i64> = [0].iter().chain(&starts).map(|&s| later(s)).collect();
            let mut sums = vec![-1; starts.len() + 1];
            weighed_sums(&order, &weights, &starts, &mut sums);
            assert_eq!(sums, expected, "{seed}");
            let mut steps = vec![-1; (seed % 3) as usize];
            weighed_steps(level, &order, &weights, &starts, &mut steps);
            let stride = n.div_ceil(STEP) + 1;
            assert_eq!(steps.len(), stride * expected.len());
            for (b, left) in (0..stride).map(|b| (b, &order[..(b * STEP).min(n)])) {
                let mut sums = vec![0; expected.len()];
                weighed_sums(left, &weights, &starts, &mut sums);
                let found: Vec<i64> = steps.iter().skip(b).step_by(stride).copied().collect();
                assert_eq!(found, sums, "{level:?} {seed} {b}");
            }
            for convex in [false, true] {
                let wanted = Wanted { starts: &starts, convex };
                let first = 1 + (random(seed, 9) % (n as u64 - 1)) as usize;
                let run = |level| {
                    let stride = n + 2 * SLACK;
                    let (mut at, mut planes) =
                        (vec![0; stride], vec![0; stride * (starts.len() + 1)]);
                    let mut before = vec![3; starts.len() + 1];
                    let sums = PlaneSums { planes: &mut planes, stride, from: 5 };
                    let held = weighed_boundaries(
                        level,
                        &order,
                        &weights,
                        first..n,
                        wanted,
                        &mut before,
                        &mut at,
                        sums,
                    );
                    let sums: Vec<_> = (0..=starts.len())
                        .map(|c| planes[c * stride + 5..][..held].to_vec())
                        .collect();
                    (at[..held].to_vec(), sums, before)
                };
                assert_eq!(run(level), run(Level::Plain), "{level:?} {seed}");
                // The definition, for one boundary after the other.
                let (at, sums, _) = run(level);
                for (j, &i) in at.iter().enumerate() {
                    let left =
                        order[first - 1..i as usize].iter().map(|e| weights[(e >> 1) as usize]);
                    assert_eq!(sums[0][j], 3 + left.sum::<i64>());
                }
            }
        }
    }
}

#[test]
fn every_level_renumbers_alike() {
    for level in Level::available() {
        for seed in 0..300 {
            let n = 1 + (random(seed, 7) % 200) as usize;
            let order = order(seed, n, [1, 2, 5, 40, u64::MAX][(seed % 5) as usize]);
            let mut next = 0;
            let numbers: Vec<u32> = (0..n as u64)
                .map(|i| {
                    let goes = !random(seed + 3, i).is_multiple_of(3);
                    next += u32::from(goes);
                    if goes { next - 1 } else { LEFT_OUT }
                })
                .collect();
            let run = |level| {
                let mut out = vec![0; next as usize + SLACK];
                let at = renumber(level, &order, &numbers, &mut out);
                out.truncate(at);
                out
            };
            assert_eq!(run(level), run(Level::Plain), "{level:?} {seed}");
            // The definition: groups of equal values, and who came first among those that go.
            let (mut group, mut seen, mut expected) = (0, u32::MAX, Vec::new());
            for &entry in &order {
                group += u32::from(entry & 1 == 0);
                let new = numbers[(entry >> 1) as usize];
                if new != LEFT_OUT {
                    expected.push(new << 1 | u32::from(seen == group));
                    seen = group;
                }
            }
            assert_eq!(run(level), expected, "{level:?} {seed}");
        }
    }
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_row_without_a_weight_is_a_panic() {
    weighed_sums(&[1 << 20; 64], &[1; 4], &[], &mut [0]);
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_row_without_a_number_is_a_panic() {
    renumber(Level::active(), &[1 << 20; 64], &[1; 4], &mut [0; 80]);
}

//! Too many levels are joined before their divisions are tried.
//!
//! The loss of a union is the information that the split into groups loses by it; see [`super`].
//! That is the criterion `info_gain`, in natural logarithms: its fold, in bits, breaks ties of
//! losses otherwise and joins other levels.

use super::{EXACT, LevelPartitions, MOST};
use crate::numeric::order_key;
use crate::stats::Sum;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A group of levels: codes and class sums.
struct LevelGroup {
    codes: Vec<u32>,
    sums: Vec<f64>,
    weight: f64,
    /// `weight log weight - sum n_c log n_c`.
    spread: f64,
}

fn xlog(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

impl LevelGroup {
    fn new(codes: Vec<u32>, sums: Vec<f64>) -> Self {
        let weight = sums.iter().sum();
        let spread = xlog(weight) - sums.iter().map(|&n| xlog(n)).sum::<f64>();
        Self { codes, sums, weight, spread }
    }

    /// Information lost when two groups become one.
    fn loss(&self, other: &Self) -> f64 {
        let each: f64 = self.sums.iter().zip(&other.sums).map(|(a, b)| xlog(a + b)).sum();
        xlog(self.weight + other.weight) - each - self.spread - other.spread
    }

    fn union(&self, other: &Self) -> Self {
        let sums = self.sums.iter().zip(&other.sums).map(|(a, b)| a + b).collect();
        Self::new([&self.codes[..], &other.codes].concat(), sums)
    }
}

impl<S: Sum> LevelPartitions<S> {
    /// Join groups until [`EXACT`] are left; group 0 has the lowest code, and so on.
    pub(super) fn join(&mut self, unit: f64) {
        let k = self.classes;
        let of = |g: usize| {
            let sums = self.sums[g * k..(g + 1) * k].iter().map(|s| s.value(unit)).collect();
            LevelGroup::new(vec![self.codes[g]], sums)
        };
        let groups = by_pairs(by_neighbours((0..self.groups()).map(of).collect()));
        // Exact sums again, from the levels.
        let place = |code: u32| self.codes.partition_point(|&c| c < code);
        let mut sums = vec![S::default(); groups.len() * k];
        let (mut codes, mut starts) = (Vec::with_capacity(self.codes.len()), vec![0]);
        for (to, group) in sums.chunks_exact_mut(k).zip(&groups) {
            for &code in &group.codes {
                let from = &self.sums[place(code) * k..][..k];
                to.iter_mut().zip(from).for_each(|(sum, &s)| *sum = sum.plus(s));
            }
            codes.extend_from_slice(&group.codes);
            starts.push(codes.len());
        }
        (self.sums, self.codes, self.starts) = (sums, codes, starts);
    }
}

/// The nearest pair becomes one, again and again. `best[i]` is the nearest later group of group i.
fn by_pairs(groups: Vec<LevelGroup>) -> Vec<LevelGroup> {
    let mut groups: Vec<Option<LevelGroup>> = groups.into_iter().map(Some).collect();
    let nearest = |groups: &[Option<LevelGroup>], i: usize| {
        let mut best = (f64::INFINITY, usize::MAX);
        if let Some(one) = &groups[i] {
            for (j, other) in groups.iter().enumerate().skip(i + 1) {
                if let Some(other) = other {
                    let loss = one.loss(other);
                    if loss < best.0 {
                        best = (loss, j);
                    }
                }
            }
        }
        best
    };
    let mut best: Vec<(f64, usize)> = (0..groups.len()).map(|i| nearest(&groups, i)).collect();
    for _ in EXACT..groups.len() {
        let Some(i) = (0..groups.len()).min_by(|&a, &b| best[a].0.total_cmp(&best[b].0)) else {
            break;
        };
        let j = best[i].1;
        let (Some(other), Some(one)) = (groups[j].take(), &groups[i]) else { break };
        groups[i] = Some(one.union(&other));
        best[j] = (f64::INFINITY, usize::MAX);
        for h in 0..groups.len() {
            if h == i || best[h].1 == i || best[h].1 == j {
                best[h] = nearest(&groups, h);
            } else if h < i
                && let (Some(one), Some(other)) = (&groups[h], &groups[i])
            {
                let loss = one.loss(other);
                if loss < best[h].0 || (loss == best[h].0 && i < best[h].1) {
                    best[h] = (loss, i);
                }
            }
        }
    }
    let mut groups: Vec<LevelGroup> = groups.into_iter().flatten().collect();
    for group in &mut groups {
        group.codes.sort_unstable();
    }
    groups.sort_by_key(|g| g.codes[0]);
    groups
}

/// More than [`MOST`] groups: neighbours in the order of class shares (the most frequent class
/// first) become one.
fn by_neighbours(groups: Vec<LevelGroup>) -> Vec<LevelGroup> {
    if groups.len() <= MOST {
        return groups;
    }
    let k = groups[0].sums.len();
    let total = |c: usize| groups.iter().map(|g| g.sums[c]).sum::<f64>();
    let mut classes: Vec<(f64, usize)> = (0..k).map(|c| (total(c), c)).collect();
    classes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut groups = groups;
    groups.sort_by(|a, b| {
        let by_class =
            |&(_, c): &(f64, usize)| (a.sums[c] / a.weight).total_cmp(&(b.sums[c] / b.weight));
        let first = classes.iter().map(by_class).find(|order| order.is_ne());
        first.unwrap_or(std::cmp::Ordering::Equal).then(a.codes.cmp(&b.codes))
    });
    let n = groups.len();
    let mut groups: Vec<Option<LevelGroup>> = groups.into_iter().map(Some).collect();
    let mut next: Vec<usize> = (1..=n).collect();
    let mut before: Vec<usize> = (0..n).map(|i| i.wrapping_sub(1)).collect();
    let mut version = vec![0_u32; n];
    let mut heap = BinaryHeap::new();
    let weigh =
        |groups: &[Option<LevelGroup>], i: usize, j: usize| match (&groups[i], groups.get(j)) {
            (Some(a), Some(Some(b))) => Some(order_key(a.loss(b))),
            _ => None,
        };
    for i in 0..n - 1 {
        heap.extend(weigh(&groups, i, i + 1).map(|loss| Reverse((loss, i, 0_u32, 0_u32))));
    }
    let mut left = n;
    while left > MOST {
        let Some(Reverse((_, i, a, b))) = heap.pop() else { break };
        let j = next[i];
        if groups[i].is_none() || j >= n || version[i] != a || version[j] != b {
            continue;
        }
        let (Some(other), Some(one)) = (groups[j].take(), &groups[i]) else { break };
        groups[i] = Some(one.union(&other));
        (version[i], next[i]) = (version[i] + 1, next[j]);
        if next[j] < n {
            before[next[j]] = i;
            let seen = (version[i], version[next[i]]);
            heap.extend(weigh(&groups, i, next[i]).map(|loss| Reverse((loss, i, seen.0, seen.1))));
        }
        if before[i] < n {
            let p = before[i];
            heap.extend(
                weigh(&groups, p, i).map(|loss| Reverse((loss, p, version[p], version[i]))),
            );
        }
        left -= 1;
    }
    let mut groups: Vec<LevelGroup> = groups.into_iter().flatten().collect();
    for group in &mut groups {
        group.codes.sort_unstable();
    }
    groups.sort_by_key(|g| g.codes[0]);
    groups
}

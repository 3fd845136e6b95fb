//! Joins the levels of a feature with too many of them until all divisions can be tried.
//!
//! Groups of levels are joined greedily, as C4.5 does with `-s`: the pair whose union loses least
//! information becomes one group ([`join_pairs`], O(levels^2 classes)). Above [`MOST`] levels only
//! neighbours in the order of their class shares are compared first ([`join_neighbours`], O(levels
//! log levels)).
//!
//! The information that the split into groups loses by a union is measured as by the criterion
//! `info_gain`, but in natural logarithms: the rounding decides which of two equal pairs is joined,
//! so the criterion's own formula, in bits, cannot stand in.

use super::{EXACT, LevelPartitions, MOST};
use crate::criteria::c45::total_entropy;
use crate::numeric::{order_key, sort_few};
use crate::stats::Sum;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A group of levels.
struct LevelGroup {
    /// The groups that it joins, in the order of their lowest codes.
    members: Vec<usize>,
    /// Weight by class.
    sums: Vec<f64>,
    /// Weight.
    weight: f64,
    /// Entropy times weight, in nats.
    entropy: f64,
}

/// `x ln x`, 0 at 0.
fn x_ln_x(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

impl LevelGroup {
    fn new(members: Vec<usize>, sums: Vec<f64>) -> Self {
        let weight = sums.iter().sum();
        let entropy = total_entropy(sums.iter().copied(), &x_ln_x);
        Self { members, sums, weight, entropy }
    }

    /// Information lost when two groups become one.
    fn loss(&self, other: &Self) -> f64 {
        let each: f64 = self.sums.iter().zip(&other.sums).map(|(a, b)| x_ln_x(a + b)).sum();
        x_ln_x(self.weight + other.weight) - each - self.entropy - other.entropy
    }

    fn union(&self, other: &Self) -> Self {
        let sums = self.sums.iter().zip(&other.sums).map(|(a, b)| a + b).collect();
        Self::new([&self.members[..], &other.members].concat(), sums)
    }
}

impl<S: Sum> LevelPartitions<S> {
    /// Join groups until [`EXACT`] are left; they are in the order of their lowest codes.
    pub(super) fn join(&mut self, unit: f64) {
        let weights = self.sums.iter().map(|s| s.value(unit)).collect();
        // The sums of a group are added up again from the sums of the groups that it joins,
        // exactly.
        self.join_groups(&group_numbers_after_joining(weights, self.classes));
    }
}

/// For each group, the number of the joined group of which it becomes part; there are [`EXACT`]
/// joined groups. `weights` has the weight of each group and class.
fn group_numbers_after_joining(weights: Vec<f64>, classes: usize) -> Vec<usize> {
    let groups = weights.chunks_exact(classes).enumerate();
    let groups = groups.map(|(g, sums)| LevelGroup::new(vec![g], sums.to_vec())).collect();
    let mut joined_group_of = vec![0; weights.len() / classes];
    for (number, group) in join_pairs(join_neighbours(groups)).iter().enumerate() {
        group.members.iter().for_each(|&member| joined_group_of[member] = number);
    }
    joined_group_of
}

/// The groups that are left, in the order of their first members.
fn sorted(groups: Vec<Option<LevelGroup>>) -> Vec<LevelGroup> {
    let mut groups: Vec<LevelGroup> = groups.into_iter().flatten().collect();
    for group in &mut groups {
        group.members.sort_unstable();
    }
    sort_few(&mut groups, &|a, b| a.members[0].cmp(&b.members[0]));
    groups
}

/// The cheapest union of a group with a later one.
#[derive(Clone, Copy)]
struct CheapestUnion {
    loss: f64,
    /// Place of the later group.
    with: usize,
}

impl CheapestUnion {
    const NONE: Self = Self { loss: f64::INFINITY, with: usize::MAX };

    /// The cheapest union of the group at place `i` with a later group, the first of equal ones.
    fn find(groups: &[Option<LevelGroup>], i: usize) -> Self {
        let mut best = Self::NONE;
        let Some(group) = &groups[i] else { return best };
        for (j, other) in groups.iter().enumerate().skip(i + 1) {
            if let Some(other) = other {
                let loss = group.loss(other);
                if loss < best.loss {
                    best = Self { loss, with: j };
                }
            }
        }
        best
    }
}

/// Join the cheapest pair again and again, until [`EXACT`] groups are left.
fn join_pairs(groups: Vec<LevelGroup>) -> Vec<LevelGroup> {
    let mut groups: Vec<Option<LevelGroup>> = groups.into_iter().map(Some).collect();
    let n = groups.len();
    let mut best: Vec<_> = (0..n).map(|i| CheapestUnion::find(&groups, i)).collect();
    for _ in EXACT..n {
        // The union takes the place of its first group.
        let Some(i) = (0..n).min_by(|&a, &b| best[a].loss.total_cmp(&best[b].loss)) else { break };
        let j = best[i].with;
        let (Some(other), Some(group)) = (groups[j].take(), &groups[i]) else { break };
        groups[i] = Some(group.union(&other));
        best[j] = CheapestUnion::NONE;
        for h in 0..n {
            if h == i || best[h].with == i || best[h].with == j {
                // One of the two groups that it compared is no more.
                best[h] = CheapestUnion::find(&groups, h);
            } else if h < i
                && let (Some(group), Some(union)) = (&groups[h], &groups[i])
            {
                let loss = group.loss(union);
                if loss < best[h].loss || (loss == best[h].loss && i < best[h].with) {
                    best[h] = CheapestUnion { loss, with: i };
                }
            }
        }
    }
    sorted(groups)
}

/// Join neighbours in the order of class shares (the most frequent class first) until [`MOST`]
/// groups are left.
fn join_neighbours(mut groups: Vec<LevelGroup>) -> Vec<LevelGroup> {
    if groups.len() <= MOST {
        return groups;
    }
    sort_by_class_shares(&mut groups);
    let n = groups.len();
    let mut groups: Vec<Option<LevelGroup>> = groups.into_iter().map(Some).collect();
    // A linked list of the groups that are left; `n` and above is no group.
    let mut next: Vec<usize> = (1..=n).collect();
    let mut previous: Vec<usize> = (0..n).map(|i| i.wrapping_sub(1)).collect();
    // Unions of neighbours by their loss. An entry is out of date when one of its groups has
    // changed since, which their versions tell.
    let mut version = vec![0_u32; n];
    let mut heap = BinaryHeap::new();
    let entry = |groups: &[Option<LevelGroup>], version: &[u32], i: usize, j: usize| {
        let (Some(a), Some(Some(b))) = (&groups[i], groups.get(j)) else { return None };
        Some(Reverse((order_key(a.loss(b)), i, version[i], version[j])))
    };
    for i in 0..n - 1 {
        heap.extend(entry(&groups, &version, i, i + 1));
    }
    let mut left = n;
    while left > MOST {
        let Some(Reverse((_, i, version_i, version_j))) = heap.pop() else { break };
        let j = next[i];
        if groups[i].is_none() || j >= n || version[i] != version_i || version[j] != version_j {
            continue;
        }
        // The union takes the place of its first group, and its neighbours are compared again.
        let (Some(other), Some(group)) = (groups[j].take(), &groups[i]) else { break };
        groups[i] = Some(group.union(&other));
        version[i] += 1;
        next[i] = next[j];
        if next[i] < n {
            previous[next[i]] = i;
            heap.extend(entry(&groups, &version, i, next[i]));
        }
        if previous[i] < n {
            heap.extend(entry(&groups, &version, previous[i], i));
        }
        left -= 1;
    }
    sorted(groups)
}

/// Sort groups by the share of the most frequent class, then of the next, then by code.
fn sort_by_class_shares(groups: &mut [LevelGroup]) {
    let total = |class: usize| groups.iter().map(|g| g.sums[class]).sum::<f64>();
    let totals: Vec<f64> = (0..groups[0].sums.len()).map(total).collect();
    let mut classes: Vec<usize> = (0..totals.len()).collect();
    sort_few(&mut classes, &|&a, &b| totals[b].total_cmp(&totals[a]));
    sort_few(groups, &|a, b| {
        let by_share = |&c: &usize| (a.sums[c] / a.weight).total_cmp(&(b.sums[c] / b.weight));
        let first = classes.iter().map(by_share).find(|order| order.is_ne());
        first.unwrap_or(Ordering::Equal).then(a.members.cmp(&b.members))
    });
}

//! Best trees of two levels by counting pairs of tests, the base case of [`super::sparse`].
//!
//! The idea is that of MurTree's depth-two solver (Demirovic et al. 2022), here for ordered values.
//! For tests a and b, the class counts of "a and b", of a, and of b give the counts of all four
//! leaves of "a first, then b on both sides". One table per pair of features (rows below cut i of
//! one feature and below cut j of the other, by class) serves all pairs of their cuts, in either
//! order: O(rows + cuts x cuts x classes) per pair of features. One row of a table is in memory at
//! a time. Two features with one cut each need a single cell, which is counted on bit planes, 64
//! rows at a time.

use super::consistent::{Halt, Meter};
use super::problem::{RankTest, insert};
use crate::criteria::{Impurity, errors};
use crate::data::ones;
use crate::error::Result as Checked;
use crate::parallel::Control;
use std::ops::Range;

/// Training rows, one per copy.
#[derive(Debug)]
pub(super) struct RankRows {
    /// `ranks[feature][row]`.
    pub(super) ranks: Vec<Vec<u32>>,
    pub(super) class: Vec<u8>,
    pub(super) classes: usize,
    /// Rows that every tree misclassifies, because more of their equal rows have another class.
    pub(super) lost: Vec<u64>,
}

impl RankRows {
    /// Errors of a set of rows as one leaf.
    pub(super) fn errors_of_leaf(&self, bits: &[u64]) -> f64 {
        let mut totals = vec![0_u32; self.classes];
        ones(bits).for_each(|r| totals[usize::from(self.class[r as usize])] += 1);
        f64::from(errors(totals.into_iter()))
    }
}

/// The rows of a set, numbered from 0, and the cuts of each feature that divides them.
#[derive(Debug)]
pub(super) struct SetView {
    /// Number of classes.
    k: usize,
    /// Class of each row.
    class: Vec<u8>,
    /// Rows of each class.
    totals: Vec<u32>,
    /// Features with at least one cut.
    features: Vec<Axis>,
    /// Words of each class in a bit plane ([`Axis::plane`]).
    words: Vec<Range<usize>>,
}

/// The cuts of one feature. They divide its values into intervals.
#[derive(Debug)]
struct Axis {
    feature: u16,
    /// The rank below each cut, ascending.
    cuts: Vec<u32>,
    /// The interval of each row: the number of cuts below it.
    interval: Vec<u16>,
    /// If there are several cuts: the rows in the order of their intervals.
    order: Vec<u32>,
    /// Class counts below each cut: `below[cut * k + class]`.
    below: Vec<u32>,
    /// If there is one cut: the rows below it as a bit plane, class by class, each class from a new
    /// word on.
    plane: Vec<u64>,
}

impl Axis {
    /// Fill in a feature of more than two values; `ranks` are those of the rows.
    fn set_many_values(&mut self, ranks: Vec<u32>, class: &[u8], k: usize) {
        let mut values = ranks.clone();
        values.sort_unstable();
        values.dedup();
        let interval_of = |rank: &u32| values.partition_point(|value| value < rank) as u16;
        self.interval = ranks.iter().map(interval_of).collect();
        // There is a cut above each value but the largest.
        values.pop();
        self.order = (0..class.len() as u32).collect();
        self.order.sort_by_key(|&i| self.interval[i as usize]);
        // Counts of each interval, then of all intervals below each cut.
        let mut below = vec![0; values.len() * k];
        for (&interval, &class) in self.interval.iter().zip(class) {
            if usize::from(interval) < values.len() {
                below[usize::from(interval) * k + usize::from(class)] += 1;
            }
        }
        for i in k..below.len() {
            below[i] += below[i - k];
        }
        (self.cuts, self.below) = (values, below);
    }
}

impl SetView {
    /// The rows of a set and their cuts. O(rows x features x log values).
    pub(super) fn new(rows: &RankRows, bits: &[u64], control: &Control) -> Checked<Self> {
        // Classes, and the layout of the bit planes.
        let members: Vec<u32> = ones(bits).collect();
        let k = rows.classes;
        let class: Vec<u8> = members.iter().map(|&r| rows.class[r as usize]).collect();
        let mut totals = vec![0_u32; k];
        class.iter().for_each(|&c| totals[usize::from(c)] += 1);
        let mut words = Vec::with_capacity(k);
        let mut first = 0;
        for &n in &totals {
            let end = first + (n as usize).div_ceil(64);
            words.push(first..end);
            first = end;
        }
        let n_words = first;
        // The bit of each row in the planes.
        let mut next: Vec<usize> = words.iter().map(|range| range.start * 64).collect();
        let bit: Vec<usize> = class
            .iter()
            .map(|&c| {
                next[usize::from(c)] += 1;
                next[usize::from(c)] - 1
            })
            .collect();
        let mut features = Vec::new();
        for (feature, ranks) in rows.ranks.iter().enumerate() {
            control.check()?;
            let rank = |&row: &u32| ranks[row as usize];
            let (low, high) = members
                .iter()
                .map(rank)
                .fold((u32::MAX, 0), |(low, high), rank| (low.min(rank), high.max(rank)));
            // A constant feature has no cut.
            if low >= high {
                continue;
            }
            let mut axis = Axis {
                feature: feature as u16,
                cuts: vec![low],
                interval: Vec::new(),
                order: Vec::new(),
                below: vec![0; k],
                plane: Vec::new(),
            };
            if members.iter().map(rank).all(|rank| rank == low || rank == high) {
                axis.plane = vec![0; n_words];
                for ((rank, &bit), &class) in members.iter().map(rank).zip(&bit).zip(&class) {
                    axis.interval.push(u16::from(rank == high));
                    if rank == low {
                        insert(&mut axis.plane, bit);
                        axis.below[usize::from(class)] += 1;
                    }
                }
            } else {
                axis.set_many_values(members.iter().map(rank).collect(), &class, k);
            }
            features.push(axis);
        }
        Ok(Self { k, class, totals, features, words })
    }

    /// Errors of the set as one leaf.
    pub(super) fn errors_of_leaf(&self) -> f64 {
        f64::from(errors(self.totals.iter().copied()))
    }

    /// All tests, in ascending order of weighted Gini impurity.
    pub(super) fn tests_by_gini(&self, control: &Control) -> Checked<Vec<RankTest>> {
        let (mut found, mut right) = (Vec::new(), vec![0; self.k]);
        for axis in &self.features {
            control.check()?;
            for (&rank, left) in axis.cuts.iter().zip(axis.below.chunks_exact(self.k)) {
                for ((right, left), total) in right.iter_mut().zip(left).zip(&self.totals) {
                    *right = total - left;
                }
                let [left, right] = [left, &right].map(|side| {
                    let n: u32 = side.iter().sum();
                    f64::from(n) * Impurity::Gini.of(side)
                });
                found.push((left + right, RankTest { feature: axis.feature, rank }));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(found.into_iter().map(|(_, test)| test).collect())
    }
}

/// Costs (errors + penalty x leaves) of the two sides of each cut of a feature.
struct Sides {
    /// Least cost of the left side so far: as a leaf, or with one test.
    left: Vec<f64>,
    /// Least cost of the right side so far.
    right: Vec<f64>,
    /// Cost of the (left, right) side as a leaf.
    leaves: Vec<(f64, f64)>,
}

impl Sides {
    /// The costs of both sides of each cut as leaves.
    fn of_leaves(view: &SetView, axis: &Axis, penalty: f64) -> Self {
        let leaves: Vec<(f64, f64)> = axis
            .below
            .chunks_exact(view.k)
            .map(|left| {
                let right = left.iter().zip(&view.totals).map(|(left, total)| total - left);
                let errors_left = errors(left.iter().copied());
                (f64::from(errors_left) + penalty, f64::from(errors(right)) + penalty)
            })
            .collect();
        let (left, right) = leaves.iter().copied().unzip();
        Self { left, right, leaves }
    }
}

/// The cost and the first test of the cheapest tree with at least one test, at most `depth` (1 or
/// 2) levels and at most `splits` tests.
pub(super) fn two_levels(
    view: &SetView,
    penalty: f64,
    depth: u16,
    splits: u16,
    meter: &Meter<'_>,
) -> Result<Option<(f64, RankTest)>, Halt> {
    let mut sides: Vec<Sides> =
        view.features.iter().map(|axis| Sides::of_leaves(view, axis, penalty)).collect();
    // Costs of the sides with a second test.
    if depth >= 2 && splits >= 2 {
        let mut table = JointTable::default();
        for (i, a) in view.features.iter().enumerate() {
            for (j, b) in view.features.iter().enumerate().take(i + 1) {
                meter.check()?;
                if i == j {
                    within(view, a, &mut sides[i], penalty, meter)?;
                    continue;
                }
                let (before, rest) = sides.split_at_mut(i);
                let (of_a, of_b) = (&mut rest[0], &mut before[j]);
                // The table goes through the cuts of the first feature: the one with several.
                if a.order.is_empty() {
                    across(view, [b, a], &mut table, [of_b, of_a], penalty, meter)?;
                } else {
                    across(view, [a, b], &mut table, [of_a, of_b], penalty, meter)?;
                }
            }
        }
    }
    // The best first test, given how many second tests are allowed.
    let mut best: Option<(f64, RankTest)> = None;
    for (axis, sides) in view.features.iter().zip(&sides) {
        for (i, &rank) in axis.cuts.iter().enumerate() {
            let (leaf_left, leaf_right) = sides.leaves[i];
            let cost = match splits {
                1 => leaf_left + leaf_right,
                2 => (sides.left[i] + leaf_right).min(leaf_left + sides.right[i]),
                _ => sides.left[i] + sides.right[i],
            };
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, RankTest { feature: axis.feature, rank }));
            }
        }
    }
    Ok(best)
}

/// The joint class counts of two features, for one cut of the first feature at a time.
#[derive(Debug, Default)]
struct JointTable {
    /// Rows below the cut of the first feature, by interval of the second:
    /// `inside[interval * k + class]`.
    inside: Vec<u32>,
    /// Of these rows, those below each cut of the second: `below[cut * k + class]`.
    below: Vec<u32>,
    /// Number of rows that are counted, in the order of the first feature.
    n_counted: usize,
}

impl JointTable {
    /// Begin with a pair of features; `n_cuts` are those of the second.
    fn clear(&mut self, n_cuts: usize, k: usize) {
        self.inside.clear();
        self.inside.resize((n_cuts + 1) * k, 0);
        self.below.clear();
        self.below.resize(n_cuts * k, 0);
        self.n_counted = 0;
    }

    /// Go on to the next cut of feature `a`, number `cut`.
    fn advance(&mut self, view: &SetView, [a, b]: [&Axis; 2], cut: usize) {
        let k = view.k;
        if a.order.is_empty() {
            // Both features have one cut: their bit planes are joined.
            for (cell, words) in self.below.iter_mut().zip(&view.words) {
                let (a, b) = (&a.plane[words.clone()], &b.plane[words.clone()]);
                *cell = a.iter().zip(b).map(|(x, y)| (x & y).count_ones()).sum();
            }
            return;
        }
        // Count the rows that come below the cut, ...
        let rest = &a.order[self.n_counted..];
        let is_below = |&&row: &&u32| usize::from(a.interval[row as usize]) <= cut;
        for &row in rest.iter().take_while(is_below) {
            let (interval, class) = (b.interval[row as usize], view.class[row as usize]);
            self.inside[usize::from(interval) * k + usize::from(class)] += 1;
            self.n_counted += 1;
        }
        // ... and add up the intervals below each cut of the other feature.
        let mut sums = vec![0; k];
        for (cells, inside) in self.below.chunks_exact_mut(k).zip(self.inside.chunks_exact(k)) {
            for ((cell, &n), sum) in cells.iter_mut().zip(inside).zip(&mut sums) {
                *sum += n;
                *cell = *sum;
            }
        }
    }
}

/// Lower the costs of the sides of two features by second tests on the other one.
fn across(
    view: &SetView,
    [a, b]: [&Axis; 2],
    table: &mut JointTable,
    [sides_a, sides_b]: [&mut Sides; 2],
    penalty: f64,
    meter: &Meter<'_>,
) -> Result<(), Halt> {
    let (k, n_cuts_b) = (view.k, b.cuts.len());
    table.clear(n_cuts_b, k);
    for p in 0..a.cuts.len() {
        if p > 0 {
            meter.check()?;
        }
        table.advance(view, [a, b], p);
        for q in 0..n_cuts_b {
            let both = &table.below[q * k..][..k];
            let of_a = &a.below[p * k..][..k];
            let of_b = &b.below[q * k..][..k];
            // Errors of the four leaves: below both cuts, below one of them, below none.
            let below_both = errors(both.iter().copied());
            let a_only = errors((0..k).map(|c| of_a[c] - both[c]));
            let b_only = errors((0..k).map(|c| of_b[c] - both[c]));
            let none = errors((0..k).map(|c| view.totals[c] + both[c] - of_a[c] - of_b[c]));
            let cost = |x: u32, y: u32| f64::from(x + y) + 2.0 * penalty;
            let lower = |slot: &mut f64, cost: f64| *slot = slot.min(cost);
            lower(&mut sides_a.left[p], cost(below_both, a_only));
            lower(&mut sides_a.right[p], cost(b_only, none));
            lower(&mut sides_b.left[q], cost(below_both, b_only));
            lower(&mut sides_b.right[q], cost(a_only, none));
        }
    }
    Ok(())
}

/// Lower the costs of the sides of a feature by second tests on the same feature.
fn within(
    view: &SetView,
    axis: &Axis,
    sides: &mut Sides,
    penalty: f64,
    meter: &Meter<'_>,
) -> Result<(), Halt> {
    let k = view.k;
    for p in 0..axis.cuts.len() {
        if p > 0 {
            meter.check()?;
        }
        // Cuts q < p: three leaves.
        for q in 0..p {
            let (low, high) = (&axis.below[q * k..][..k], &axis.below[p * k..][..k]);
            let first = errors(low.iter().copied());
            let middle = errors((0..k).map(|c| high[c] - low[c]));
            let last = errors((0..k).map(|c| view.totals[c] - high[c]));
            let cost = |x: u32, y: u32| f64::from(x + y) + 2.0 * penalty;
            sides.left[p] = sides.left[p].min(cost(first, middle));
            sides.right[q] = sides.right[q].min(cost(middle, last));
        }
    }
    Ok(())
}

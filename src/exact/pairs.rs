//! The best tree of two levels, by counting pairs of tests.
//!
//! For tests a and b, the class counts of "a and b" and those of a and of b alone give all four
//! leaves of "a, then b on one side". One table a pair of features (`cells[i][j]` = rows below cut
//! i of the one and below cut j of the other, by class) serves every pair of their cuts, either one
//! first: O(rows + cuts x cuts x classes) a pair of features, all leaves of all trees of depth two
//! in O(features^2) such tables (the idea of MurTree's depth-two solver, here for ordered values).
//! One row of a table is in memory at a time. Two features with one cut each need a single cell: it
//! is counted on bit planes, 64 rows a step.

use super::consistent::{Halt, Meter};
use crate::criteria::{Impurity, errors};
use crate::data::ones;
use crate::error::Result as Checked;
use crate::parallel::Control;
use std::ops::Range;

/// Training rows, one a copy.
#[derive(Debug)]
pub(super) struct RankRows {
    /// `ranks[f][row]`.
    pub(super) ranks: Vec<Vec<u32>>,
    pub(super) class: Vec<u8>,
    pub(super) classes: usize,
    /// Rows that are not of the majority among their equals.
    pub(super) lost: Vec<u64>,
}

impl RankRows {
    /// Errors of a set of rows that is one leaf.
    pub(super) fn errors_of_leaf(&self, bits: &[u64]) -> f64 {
        let mut totals = vec![0_u32; self.classes];
        ones(bits).for_each(|r| totals[usize::from(self.class[r as usize])] += 1);
        f64::from(errors(totals.into_iter()))
    }
}

/// The rows of a set with the cuts that divide them.
#[derive(Debug)]
pub(super) struct SetView {
    k: usize,
    class: Vec<u8>,
    totals: Vec<u32>,
    features: Vec<Axis>,
    /// Words of each class in the planes.
    words: Vec<Range<usize>>,
}

/// One feature of a view.
#[derive(Debug)]
struct Axis {
    feature: u16,
    /// Rank below each cut.
    cuts: Vec<u32>,
    /// Interval of each row: number of cuts below it.
    place: Vec<u16>,
    /// Rows of each interval, one interval after the other, where there are several cuts.
    order: Vec<u32>,
    /// Class counts below each cut.
    below: Vec<u32>,
    /// Where there is one cut: the rows below it as bits, class after class, each from a new word
    /// on.
    plane: Vec<u64>,
}

impl Axis {
    /// Fill in a feature of more than two values.
    fn many(&mut self, own: Vec<u32>, class: &[u8], k: usize) {
        let mut values = own.clone();
        values.sort_unstable();
        values.dedup();
        self.place = own.iter().map(|v| values.partition_point(|w| w < v) as u16).collect();
        values.pop();
        self.order = (0..class.len() as u32).collect();
        self.order.sort_by_key(|&i| self.place[i as usize]);
        let mut below = vec![0; values.len() * k];
        for (&p, &c) in self.place.iter().zip(class) {
            if usize::from(p) < values.len() {
                below[usize::from(p) * k + usize::from(c)] += 1;
            }
        }
        for i in k..below.len() {
            below[i] += below[i - k];
        }
        (self.cuts, self.below) = (values, below);
    }
}

impl SetView {
    pub(super) fn new(rows: &RankRows, bits: &[u64], control: &Control) -> Checked<Self> {
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
        // Place of each member in the planes.
        let mut next: Vec<usize> = words.iter().map(|w| w.start * 64).collect();
        let bit: Vec<usize> = class
            .iter()
            .map(|&c| {
                next[usize::from(c)] += 1;
                next[usize::from(c)] - 1
            })
            .collect();
        let mut features = Vec::new();
        for (f, ranks) in rows.ranks.iter().enumerate() {
            control.check()?;
            let value = |&r: &u32| ranks[r as usize];
            let (low, high) =
                members.iter().map(value).fold((u32::MAX, 0), |(a, b), v| (a.min(v), b.max(v)));
            if low >= high {
                continue;
            }
            let mut axis = Axis {
                feature: f as u16,
                cuts: vec![low],
                place: Vec::new(),
                order: Vec::new(),
                below: vec![0; k],
                plane: Vec::new(),
            };
            if members.iter().map(value).all(|v| v == low || v == high) {
                axis.plane = vec![0; first];
                for ((v, &bit), &c) in members.iter().map(value).zip(&bit).zip(&class) {
                    axis.place.push(u16::from(v == high));
                    if v == low {
                        axis.plane[bit >> 6] |= 1 << (bit & 63);
                        axis.below[usize::from(c)] += 1;
                    }
                }
            } else {
                axis.many(members.iter().map(value).collect(), &class, k);
            }
            features.push(axis);
        }
        Ok(Self { k, class, totals, features, words })
    }

    pub(super) fn errors_of_leaf(&self) -> f64 {
        f64::from(errors(self.totals.iter().copied()))
    }

    /// All tests, the smallest weighted Gini impurity first.
    pub(super) fn tests_by_gini(&self, control: &Control) -> Checked<Vec<(u16, u32)>> {
        let (mut found, mut right) = (Vec::new(), vec![0; self.k]);
        for axis in &self.features {
            control.check()?;
            for (&cut, left) in axis.cuts.iter().zip(axis.below.chunks_exact(self.k)) {
                right
                    .iter_mut()
                    .zip(left.iter().zip(&self.totals))
                    .for_each(|(r, (l, t))| *r = t - l);
                let [left, right] = [left, &right].map(|side| {
                    let n: u32 = side.iter().sum();
                    f64::from(n) * Impurity::Gini.of(side)
                });
                found.push((left + right, (axis.feature, cut)));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(found.into_iter().map(|f| f.1).collect())
    }
}

/// Cheapest way to treat the two sides of each cut of a feature.
struct Sides {
    left: Vec<f64>,
    right: Vec<f64>,
    /// Errors and penalty of both sides as leaves.
    leaves: Vec<(f64, f64)>,
}

impl Sides {
    /// Both sides of each cut as leaves.
    fn of_leaves(view: &SetView, axis: &Axis, penalty: f64) -> Self {
        let leaves: Vec<(f64, f64)> = axis
            .below
            .chunks_exact(view.k)
            .map(|left| {
                let right = left.iter().zip(&view.totals).map(|(a, t)| t - a);
                let left = errors(left.iter().copied());
                (f64::from(left) + penalty, f64::from(errors(right)) + penalty)
            })
            .collect();
        let (left, right) = leaves.iter().copied().unzip();
        Self { left, right, leaves }
    }
}

/// The cheapest tree with at least one test, at most `depth` (1 or 2) levels and `splits` tests,
/// and its first test.
pub(super) fn two_levels(
    view: &SetView,
    penalty: f64,
    depth: u16,
    splits: u16,
    meter: &Meter<'_>,
) -> Result<Option<(f64, (u16, u32))>, Halt> {
    let mut sides: Vec<Sides> =
        view.features.iter().map(|axis| Sides::of_leaves(view, axis, penalty)).collect();
    if depth >= 2 && splits >= 2 {
        let mut table = JointTable::default();
        for (i, a) in view.features.iter().enumerate() {
            for (j, b) in view.features.iter().enumerate().take(i + 1) {
                meter.look()?;
                if i == j {
                    within(view, a, &mut sides[i], penalty, meter)?;
                    continue;
                }
                let (before, rest) = sides.split_at_mut(i);
                let (of_a, of_b) = (&mut rest[0], &mut before[j]);
                // The rows of the first one are walked in the order of its intervals.
                let (axes, sides) = if a.order.is_empty() {
                    ([b, a], [of_b, of_a])
                } else {
                    ([a, b], [of_a, of_b])
                };
                across(view, axes, &mut table, sides, (penalty, meter))?;
            }
        }
    }
    let mut best: Option<(f64, (u16, u32))> = None;
    for (axis, sides) in view.features.iter().zip(&sides) {
        for (i, &cut) in axis.cuts.iter().enumerate() {
            let (l, r) = sides.leaves[i];
            let cost = match splits {
                1 => l + r,
                2 => (sides.left[i] + r).min(l + sides.right[i]),
                _ => sides.left[i] + sides.right[i],
            };
            if best.is_none_or(|b| cost < b.0) {
                best = Some((cost, (axis.feature, cut)));
            }
        }
    }
    Ok(best)
}

/// The class counts of two features, one cut of the first at a time.
#[derive(Debug, Default)]
struct JointTable {
    /// `inside[interval of b * classes + class]` of the rows below the cut of a.
    inside: Vec<u32>,
    /// `below[cut of b * classes + class]`: those below each cut of b.
    below: Vec<u32>,
    /// Rows of a that are counted.
    counted: usize,
}

impl JointTable {
    fn clear(&mut self, cuts: usize, k: usize) {
        self.inside.clear();
        self.inside.resize((cuts + 1) * k, 0);
        self.below.clear();
        self.below.resize(cuts * k, 0);
        self.counted = 0;
    }

    /// Go on to cut `p` of the first feature.
    fn advance(&mut self, view: &SetView, [a, b]: [&Axis; 2], p: usize) {
        let k = view.k;
        if a.order.is_empty() {
            // One cut each: a feature with several comes first.
            for (cell, words) in self.below.iter_mut().zip(&view.words) {
                let (a, b) = (&a.plane[words.clone()], &b.plane[words.clone()]);
                *cell = a.iter().zip(b).map(|(x, y)| (x & y).count_ones()).sum();
            }
            return;
        }
        let rest = &a.order[self.counted..];
        for &row in rest.iter().take_while(|&&row| usize::from(a.place[row as usize]) <= p) {
            let (q, c) = (b.place[row as usize], view.class[row as usize]);
            self.inside[usize::from(q) * k + usize::from(c)] += 1;
            self.counted += 1;
        }
        let mut sums = vec![0; k];
        for (cells, inside) in self.below.chunks_exact_mut(k).zip(self.inside.chunks_exact(k)) {
            for ((cell, &n), sum) in cells.iter_mut().zip(inside).zip(&mut sums) {
                *sum += n;
                *cell = *sum;
            }
        }
    }
}

/// Each cut of one feature with each cut of another one, either one first.
fn across(
    view: &SetView,
    [a, b]: [&Axis; 2],
    table: &mut JointTable,
    [first, second]: [&mut Sides; 2],
    (penalty, meter): (f64, &Meter<'_>),
) -> Result<(), Halt> {
    let (k, width) = (view.k, b.cuts.len());
    table.clear(width, k);
    for p in 0..a.cuts.len() {
        if p > 0 {
            meter.look()?;
        }
        table.advance(view, [a, b], p);
        for q in 0..width {
            let both = &table.below[q * k..][..k];
            let of_a = &a.below[p * k..][..k];
            let of_b = &b.below[q * k..][..k];
            let both_e = errors(both.iter().copied());
            let a_only = errors((0..k).map(|c| of_a[c] - both[c]));
            let b_only = errors((0..k).map(|c| of_b[c] - both[c]));
            let none = errors((0..k).map(|c| view.totals[c] + both[c] - of_a[c] - of_b[c]));
            let cost = |x: u32, y: u32| f64::from(x + y) + 2.0 * penalty;
            let lower = |slot: &mut f64, cost: f64| *slot = slot.min(cost);
            lower(&mut first.left[p], cost(both_e, a_only));
            lower(&mut first.right[p], cost(b_only, none));
            lower(&mut second.left[q], cost(both_e, b_only));
            lower(&mut second.right[q], cost(a_only, none));
        }
    }
    Ok(())
}

/// Two cuts of one feature.
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
            meter.look()?;
        }
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

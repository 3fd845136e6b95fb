//! Gain and gain ratio as C4.5 (release 8) and J48 add them up, for
//! [`SplitRule::C45`](super::SplitRule).
//!
//! The numbers are those of [`information`](super::information), in another order of operations and
//! with other zeros: sums of `x log2 x` are divided once, at the end, rows with a known value are
//! kept apart from all rows, and what is nearly 0 is 0. The rule takes numbers within 1e-6 as
//! equal, one after the other, so these roundings decide, and no fold has them. [`spread`] is the
//! loss of a leaf by `info_gain`. O(branches x classes).

use crate::numeric::{Cells, Count, Logs};
use crate::simd::{Level, logs::QuickLog};

/// Numbers this close are equal.
pub const EQUAL: f64 = 1e-6;

/// `x log2 x` of counts; of weights the quick one, and 0 of next to nothing.
#[derive(Debug, Clone, Copy)]
pub struct XLog2X {
    logs: Logs,
    quick: QuickLog,
}

impl XLog2X {
    /// With the tables of the training set.
    pub fn new(logs: Logs, quick: QuickLog) -> Self {
        Self { logs, quick }
    }

    /// Of one count.
    #[inline]
    pub fn one<C: Count>(&self, count: C) -> f64 {
        match C::cells(&[count]) {
            Cells::Rows(_) => count.x_log2_x(self.logs),
            Cells::Weights(_) if count.value() < EQUAL => 0.0,
            Cells::Weights(_) => self.quick.x_log2_x(count.value()),
        }
    }

    /// Of many.
    pub fn all<C: Count>(&self, counts: &[C], out: &mut [f64]) {
        match C::cells(counts) {
            Cells::Rows(_) => counts.iter().zip(out).for_each(|(x, o)| *o = x.x_log2_x(self.logs)),
            Cells::Weights(weights) => {
                self.quick.all_x_log2_x(Level::active(), weights, out);
                weights.iter().zip(out).for_each(|(&x, o)| *o = if x < EQUAL { 0.0 } else { *o });
            }
        }
    }
}

/// `n log2 n` of the parts: `n H` of a distribution is `f(n) - sum f(part)`.
fn spread<C: Count>(parts: impl Iterator<Item = C>, f: &impl Fn(C) -> f64) -> f64 {
    let (mut whole, mut sum) = (C::default(), 0.0);
    for part in parts {
        whole = whole.plus(part);
        sum += f(part);
    }
    f(whole) - sum
}

/// Gain over the entropy of the split, which counts the unknown weight as a branch.
pub fn ratio<C: Count>(
    gain: f64,
    branches: &[C],
    unknown: C,
    whole: f64,
    f: &impl Fn(C) -> f64,
) -> f64 {
    let split = spread(branches.iter().copied().chain([unknown]), f);
    if split.abs() < EQUAL { 0.0 } else { gain / (split / whole) }
}

/// Gain of a table `[branch * classes + class]` of known rows in a node of weight `whole`.
pub fn gain<C: Count>(cells: &[C], classes: usize, whole: f64, f: &impl Fn(C) -> f64) -> f64 {
    let known =
        |c: usize| cells.iter().skip(c).step_by(classes).fold(C::default(), |a, &b| a.plus(b));
    let before = spread((0..classes).map(known), f);
    let after: f64 = cells.chunks_exact(classes).map(|b| spread(b.iter().copied(), f)).sum();
    let all = (0..classes).map(known).fold(C::default(), C::plus).value();
    let drop = (before - after) * (all / whole);
    if drop.abs() < EQUAL || all <= 0.0 { 0.0 } else { drop / all }
}

/// Gain of a cut, from `n` times the drop of the entropy of known rows that weigh `n`, in a node of
/// weight `whole`.
#[inline]
pub fn gain_of_cut(dropped: f64, n: f64, whole: f64) -> f64 {
    if dropped * n < EQUAL * whole { 0.0 } else { dropped / whole }
}

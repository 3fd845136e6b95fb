//! Gain and gain ratio as C4.5 (release 8) and J48 add them up, for
//! [`SplitRule::C45`](super::SplitRule).
//!
//! They equal the scores of [`information`](super::information) except for rounding: sums of
//! `x log2 x` are divided only once, at the end, rows with a known value are kept apart from all
//! rows, and a number below [`EQUAL`] counts as 0. The rule compares candidates one after the other
//! and takes numbers within 1e-6 as equal, so these roundings decide, and the fold cannot serve.
//! [`XLog2X`] computes `x log2 x`. O(branches x classes).

use crate::numeric::{Cells, Count, Logs};
use crate::simd::{Level, logs::QuickLog};

/// Numbers whose difference is smaller count as equal. C4.5 and J48 use the same tolerance.
pub const EQUAL: f64 = 1e-6;

/// `x log2 x` of counts, from tables for rows and by [`QuickLog`] for weights; 0 for weights below
/// [`EQUAL`].
#[derive(Debug, Clone, Copy)]
pub struct XLog2X {
    logs: Logs,
    quick: QuickLog,
}

impl XLog2X {
    /// The function with the tables of the training set. Counts of rows are looked up in `logs` and
    /// computed beyond its end; weights are always computed, by `quick`.
    pub fn new(logs: Logs, quick: QuickLog) -> Self {
        Self { logs, quick }
    }

    /// `x log2 x` of one count. A weight below [`EQUAL`] gives 0.
    #[inline]
    pub fn x_log2_x<C: Count>(&self, count: C) -> f64 {
        match C::cells(&[count]) {
            Cells::Rows(_) | Cells::Moments(_) => count.x_log2_x(self.logs),
            Cells::Weights(_) if count.value() < EQUAL => 0.0,
            Cells::Weights(_) => self.quick.x_log2_x(count.value()),
        }
    }

    /// `x log2 x` of each count, into `out`. Every number has the same bits as from
    /// [`Self::x_log2_x`], but weights go through a vector kernel. Both lists must have the same
    /// length.
    pub fn all<C: Count>(&self, counts: &[C], out: &mut [f64]) {
        match C::cells(counts) {
            Cells::Rows(_) | Cells::Moments(_) => {
                counts.iter().zip(out).for_each(|(x, o)| *o = x.x_log2_x(self.logs))
            }
            Cells::Weights(weights) => {
                self.quick.all_x_log2_x(Level::active(), weights, out);
                weights.iter().zip(out).for_each(|(&x, o)| *o = if x < EQUAL { 0.0 } else { *o });
            }
        }
    }
}

/// The entropy of some counts times their sum: `f(sum) - sum f(count)` with `f(x) = x log x`, in
/// the unit of that logarithm.
pub fn total_entropy<C: Count>(
    counts: impl Iterator<Item = C>,
    x_log_x: &impl Fn(C) -> f64,
) -> f64 {
    let (mut whole, mut sum) = (C::default(), 0.0);
    for count in counts {
        whole = whole.plus(count);
        sum += x_log_x(count);
    }
    x_log_x(whole) - sum
}

/// The gain divided by the entropy of the split. `branches` are the weights of the branches, and
/// the weight of rows with an `unknown` value is one more branch; `whole` is the weight of the
/// node.
pub fn ratio<C: Count>(gain: f64, branches: &[C], unknown: C, whole: f64, logs: &XLog2X) -> f64 {
    let split = total_entropy(branches.iter().copied().chain([unknown]), &|c| logs.x_log2_x(c));
    if split.abs() < EQUAL { 0.0 } else { gain / (split / whole) }
}

/// The gain of a table of rows with a known value, `[branch * classes + class]`, in a node of
/// weight `whole`. It is in bits per row, and multiplied by the share of rows with a known value.
/// It is 0 if no value is known, or if the decrease of the entropy is within [`EQUAL`] of 0.
/// Nominal features are scored by it; thresholds use [`gain_of_cut`].
pub fn gain<C: Count>(cells: &[C], classes: usize, whole: f64, logs: &XLog2X) -> f64 {
    let class_total =
        |c: usize| cells.iter().skip(c).step_by(classes).fold(C::default(), |a, &b| a.plus(b));
    let known = (0..classes).map(class_total).fold(C::default(), C::plus).value();
    let total_entropy =
        |counts: &mut dyn Iterator<Item = C>| total_entropy(counts, &|c| logs.x_log2_x(c));
    let before = total_entropy(&mut (0..classes).map(class_total));
    let branches = cells.chunks_exact(classes);
    let after: f64 = branches.map(|b| total_entropy(&mut b.iter().copied())).sum();
    let drop = (before - after) * (known / whole);
    if drop.abs() < EQUAL || known <= 0.0 { 0.0 } else { drop / known }
}

/// Gain of a cut of known rows that weigh `n`, in a node of weight `whole`; `drop` is `n` times the
/// decrease of their entropy.
#[inline]
pub fn gain_of_cut(drop: f64, n: f64, whole: f64) -> f64 {
    if drop * n < EQUAL * whole { 0.0 } else { drop / whole }
}

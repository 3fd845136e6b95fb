//! Scores of cuts from sums over the classes: of squares, or of `x log2 x`.
//!
//! A row that passes from the right of a cut to its left changes one term of each side's sum, so a
//! scan of sorted rows scores every cut in O(1), whatever the number of classes. Sums of squares of
//! rows are whole numbers below 2^52 and exact; sums of logarithms carry the roundings of the scan.

use super::information;
use crate::numeric::Logs;
use crate::simd::{Level, running as simd};

/// What is summed over the classes of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// `x^2`.
    Squares,
    /// `x log2 x`, from the table of [`Logs`], which must hold every count of the node.
    XLog2X,
}

/// How a criterion scores cuts from running sums. Scores are taken again without classes that have
/// no rows, so none that [reads them](super::Properties::reads_declared_classes) may have any.
#[derive(Debug, Clone, Copy)]
pub struct RunningScores {
    /// What is summed.
    pub term: Term,
    /// Write the scores of cuts, and return a bound on their distance from what `score` rounds. 0:
    /// they are equal to the bit.
    pub scores: fn(&Cuts<'_>, &mut [f64]) -> f64,
    /// Quicker than the scores: a number that none of them exceeds.
    pub bound: Option<fn(&Cuts<'_>) -> f64>,
}

/// Cuts of a node in two, with their sums.
#[derive(Debug, Clone, Copy)]
pub struct Cuts<'a> {
    /// Rows of the node, at least 2.
    pub n: u32,
    /// The sum over the classes of the whole node.
    pub whole: f64,
    /// Classes that may have rows.
    pub classes: usize,
    /// Tables up to `n`.
    pub logs: Logs,
    /// Rows on the left.
    pub rows: LeftRows<'a>,
    /// Sums over the classes on the left.
    pub left: &'a [f64],
    /// Sums over the classes on the right.
    pub right: &'a [f64],
}

/// The rows on the left of cuts.
#[derive(Debug, Clone, Copy)]
pub enum LeftRows<'a> {
    /// So many for the first cut; each has one more than the cut before.
    From(u32),
    /// As listed. The score of a cut with none or all of the rows means nothing.
    Each(&'a [u32]),
}

/// Fewer rows have sums of squares below 2^52.
const EXACT_SQUARES: usize = 1 << 26;

impl RunningScores {
    /// True where the sums of `n` rows are what [`Term`] says.
    pub fn holds(&self, n: usize, logs: Logs) -> bool {
        match self.term {
            Term::Squares => n < EXACT_SQUARES,
            Term::XLog2X => n < logs.x_log2_x_table().len(),
        }
    }
}

impl Cuts<'_> {
    /// Bound on the difference between a gain from these sums and as `information` rounds it. A sum
    /// is at most `n log2 n`, a step rounds it twice, and there are at most n steps: the sums of
    /// both sides are off by `2 n log2 n` units in the last place of 1 for each row.
    fn gain_error(&self) -> f64 {
        let n = f64::from(self.n);
        let steps = 4.0 * n * f64::EPSILON * (1.0 + n.log2());
        steps + information::gain_error(2, self.classes, n)
    }

    /// `n` times the gain, without the rounding of `information`; `each` is given every one and `x
    /// log2 x` of the sizes of both sides, and returns what is to be written.
    fn gains(&self, out: &mut [f64], each: impl FnMut(f64, [f64; 2]) -> f64) {
        let (table, n) = (self.logs.x_log2_x_table(), self.n as usize);
        match self.rows {
            LeftRows::From(first) => {
                let (left, right) = (&table[first as usize..], &table[..=n - first as usize]);
                let sizes = left.iter().zip(right.iter().rev()).map(|(l, r)| [*l, *r]);
                self.gains_of(sizes, out, each);
            }
            LeftRows::Each(rows) => {
                let sizes = rows.iter().map(|&l| [table[l as usize], table[n - l as usize]]);
                self.gains_of(sizes, out, each);
            }
        }
    }

    #[inline(always)]
    fn gains_of(
        &self,
        sizes: impl Iterator<Item = [f64; 2]>,
        out: &mut [f64],
        mut each: impl FnMut(f64, [f64; 2]) -> f64,
    ) {
        let h = self.logs.x_log2_x_table()[self.n as usize] - self.whole;
        let sums = self.left.iter().zip(self.right);
        for ((s, (left, right)), sizes) in out.iter_mut().zip(sums).zip(sizes) {
            let [on_left, on_right] = sizes;
            *s = each(h + (left + right - on_left - on_right), sizes);
        }
    }
}

/// Gini, in the order of operations of its formula.
pub(super) fn gini(cuts: &Cuts<'_>, out: &mut [f64]) -> f64 {
    let n = f64::from(cuts.n);
    let share = 1.0 / n;
    let before = cuts.whole / n * share;
    let (level, sums) = (Level::active(), [cuts.left, cuts.right]);
    match cuts.rows {
        LeftRows::From(first) => {
            simd::purities(level, [first, cuts.n], sums, share, before, out);
        }
        LeftRows::Each(rows) => {
            simd::purities_of(level, rows, cuts.n, sums, share, before, out);
        }
    }
    0.0
}

/// No gini is above it.
pub(super) fn gini_bound(cuts: &Cuts<'_>) -> f64 {
    let LeftRows::From(first) = cuts.rows else { return f64::INFINITY };
    let share = 1.0 / f64::from(cuts.n);
    let sizes = [first, cuts.n];
    let purest = simd::purest(Level::active(), sizes, cuts.left, cuts.right);
    // Both terms are at most 1, and rounded a few times.
    (purest - cuts.whole * share) * share + 16.0 * f64::EPSILON
}

/// Information gain.
pub(super) fn gain(cuts: &Cuts<'_>, out: &mut [f64]) -> f64 {
    let share = 1.0 / f64::from(cuts.n);
    cuts.gains(out, |gain, _| gain * share);
    cuts.gain_error()
}

/// Gain ratio.
pub(super) fn gain_ratio(cuts: &Cuts<'_>, out: &mut [f64]) -> f64 {
    let n = cuts.n;
    let whole = cuts.logs.x_log2_x_table()[n as usize];
    let mut smallest = f64::INFINITY;
    cuts.gains(out, |gain, [on_left, on_right]| {
        let split = whole - on_left - on_right;
        smallest = if split > 0.0 { smallest.min(split) } else { smallest };
        gain / split
    });
    // |a/b - a'/b'| <= (|a - a'| + |a'/b'| |b - b'|) / b, and the ratio is at most 1.
    2.0 * cuts.gain_error() * f64::from(n) / smallest
}

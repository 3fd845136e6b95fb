//! C4.5's rule for candidates (release 8, as J48 of Weka 3.6 has it), where it differs from "the
//! best score of all".
//!
//! With `W` the weight of a node and `K` that of its rows whose value of a feature is known:
//!
//! - *Nominal*: usable when at least two branches hold weight `M` or more.
//! - *Numeric*: a cut lies between values more than 1e-5 apart, both sides holding at least
//!   `M`, or, where that is more, `0.1 K / classes`, but then no more than 25. Of these cuts the
//!   one with the largest *gain* is taken; `log2(cuts) / W` is subtracted from it (Quinlan 1996),
//!   and the feature is usable when more than nothing is left.
//! - Gain is `K/W (H(c) - H(c|m))`; the entropy of the split counts the rows without a value as one
//!   more branch.
//! - *GainFilter*: a feature whose gain is below the mean over the usable ones (less 0.001 with
//!   `guard="j48"`) is out; features with as many values as 0.3 times the training rows do not
//!   count in the mean, unless all features are such.
//! - Of the rest the largest gain ratio wins. Everywhere a number must exceed another by 1e-6 to be
//!   larger: of two candidates that are nearly equal the first stays.
//!
//! Source: Quinlan, C4.5 (1993), chapter 2; Quinlan, Improved use of continuous attributes in C4.5,
//! JAIR 4 (1996).
//!
//! Both numbers are those of `criteria::c45`. The sequence of comparisons with 1e-6 is kept
//! exactly, but a run of rows of one class is looked into only when one of its ends beats the best
//! so far: gain is convex along a run (Fayyad & Irani 1992). O(rows) a feature and node. With few
//! classes [`super::cuts`] does the same in blocks.
//!
//! When not to use it: for scores other than gain and gain ratio.

use super::scan::ClassOf;
use crate::criteria::GainFilter;
use crate::criteria::c45::{EQUAL, gain, gain_of_cut, ratio};
use crate::data::{entry_row, entry_tied};
use crate::numeric::Count;
use crate::reached::{self, Way};
use crate::stats::{CellOf, Sum, Weighing};

/// Values this close are not cut apart.
pub const CLOSE: f64 = 1e-5;
/// What a gain may fall short of the mean.
const SHORT: f64 = 1e-3;
/// Values of a feature, in training rows, that are too many for the mean.
pub const MANY: f64 = 0.3;

/// A feature's split that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usable {
    /// Feature.
    pub feature: u32,
    /// Which of its candidates: rows on the left of a threshold, the lone level, or 0.
    pub at: u32,
    /// Gain after the subtraction.
    pub gain: f64,
    /// Its ratio to the entropy of the split.
    pub ratio: f64,
    /// The feature has too many values to count in the mean.
    pub many: bool,
}

/// Gain and gain ratio of a nominal split if it is usable: `cells` of known rows, `[branch *
/// classes + class]`.
pub fn branches<C: Count>(
    cells: &[C],
    totals: &[C],
    least: f64,
    f: &impl Fn(C) -> f64,
) -> Option<(f64, f64)> {
    let k = totals.len();
    let sizes: Vec<C> =
        cells.chunks_exact(k).map(|b| b.iter().fold(C::default(), |a, &c| a.plus(c))).collect();
    if sizes.iter().filter(|s| s.value() > least - EQUAL).count() < 2 {
        return None;
    }
    let node = totals.iter().fold(C::default(), |a, &b| a.plus(b));
    let known = sizes.iter().fold(C::default(), |a, &b| a.plus(b));
    let gain = gain(cells, k, node.value(), f);
    // Parts of rows are summed in another order than whole ones only by the caller, never here.
    let unknown = if node > known { node.minus(known) } else { C::default() };
    Some((gain, ratio(gain, &sizes, unknown, node.value(), f)))
}

/// The level that is best told from all others if a split by one level is usable: level, gain, gain
/// ratio.
pub fn lone_level<C: Count>(
    cells: &[C],
    totals: &[C],
    least: f64,
    f: &impl Fn(C) -> f64,
) -> Option<(u32, f64, f64)> {
    let k = totals.len();
    let column = |c: usize| cells.iter().skip(c).step_by(k).fold(C::default(), |a, &b| a.plus(b));
    let known: Vec<C> = (0..k).map(column).collect();
    let mut best: Option<(u32, f64, f64)> = None;
    let mut two = vec![C::default(); 2 * k];
    for (level, own) in cells.chunks_exact(k).enumerate() {
        two[..k].copy_from_slice(own);
        for c in 0..k {
            two[k + c] = if known[c] > own[c] { known[c].minus(own[c]) } else { C::default() };
        }
        if let Some((gain, ratio)) = branches(&two, totals, least, f)
            && (best.is_none_or(|b| ratio - b.2 > EQUAL))
        {
            best = Some((level as u32, gain, ratio));
        }
    }
    best
}

/// Entries of a node's rows with a known value, ascending, and their sums.
#[derive(Debug, Clone, Copy)]
pub struct KnownRows<'a, W: Weighing> {
    /// Entries; "tied" here means: not more than [`CLOSE`] above the entry before.
    pub order: &'a [u32],
    /// Class sums of these rows.
    pub known: &'a [W::Sum],
    /// Class sums of all rows of the node.
    pub totals: &'a [W::Sum],
    /// Classes.
    pub class_of: ClassOf<'a>,
    /// Weights.
    pub weights: W,
    /// As in [`super::scan::Scan`].
    pub steps: &'a [i64],
}

/// Weights of a feature's known rows and of the node, and what each side of a cut holds at least.
pub(super) struct CutLimits<S> {
    pub known: S,
    pub node: S,
    /// As a number.
    pub least: f64,
    /// The same less [`EQUAL`], as a sum.
    pub lowest: S,
}

/// Limits of the cuts of a feature; nothing when there is no room for any.
pub(super) fn limits<W: Weighing>(
    scan: &KnownRows<'_, W>,
    least: f64,
) -> Option<CutLimits<W::Sum>> {
    let unit = scan.weights.unit();
    let sum = |sums: &[W::Sum]| sums.iter().fold(W::Sum::default(), |a, &b| a.plus(b));
    let (known, node) = (sum(scan.known), sum(scan.totals));
    let n = known.value(unit);
    let share = 0.1 * n / scan.known.len() as f64;
    let least = if share < least + EQUAL { least } else { share.min(25.0) };
    if n < 2.0 * least - 2.0 * EQUAL || scan.order.len() < 2 {
        return None;
    }
    let lowest = W::Sum::at_least(least - EQUAL, unit);
    (lowest <= known).then_some(CutLimits { known, node, least, lowest })
}

/// The cut after `at` rows, which weigh `left` and whose gain is the best of `cuts`, if the
/// correction leaves some of the gain: rows on the left, gain, gain ratio.
pub(super) fn usable_cut<W: Weighing>(
    scan: &KnownRows<'_, W>,
    (at, left): (usize, W::Sum),
    cuts: u32,
    gain: f64,
    f: &impl Fn(CellOf<W>) -> f64,
) -> Option<(u32, f64, f64)> {
    let unit = scan.weights.unit();
    let sum = |sums: &[W::Sum]| sums.iter().fold(W::Sum::default(), |a, &b| a.plus(b));
    let (known, node) = (sum(scan.known), sum(scan.totals));
    let whole = node.value(unit);
    let gain = gain - f64::from(cuts).ln() / std::f64::consts::LN_2 / whole;
    if gain < EQUAL {
        return None;
    }
    let sides = [left.cell(unit), known.minus(left).cell(unit)];
    let ratio = ratio(gain, &sides, node.minus(known).cell(unit), whole, f);
    Some((at as u32, gain, ratio))
}

/// The best cut of a numeric feature if the feature is usable: rows on the left, gain, gain ratio.
/// Run by run; with few classes [`super::cuts::cut`] is quicker.
pub fn runs<W: Weighing>(
    scan: &KnownRows<'_, W>,
    least: f64,
    cell_f: impl Fn(CellOf<W>) -> f64,
) -> Option<(u32, f64, f64)> {
    reached::count(Way::C45Runs);
    let (order, k, unit) = (scan.order, scan.known.len(), scan.weights.unit());
    let CutLimits { known, node, lowest, .. } = limits(scan, least)?;
    let (n, whole) = (known.value(unit), node.value(unit));
    let highest = known.minus(lowest);
    let f = |s: W::Sum| cell_f(s.cell(unit));
    let before = f(known) - scan.known.iter().map(|&s| f(s)).sum::<f64>();
    // Sums of f over the classes of each side, brought up to date run by run.
    let (mut left_f, mut right_f) = (0.0, scan.known.iter().map(|&s| f(s)).sum::<f64>());
    let class = |i: usize| scan.class_of.codes[entry_row(order[i]) as usize] as usize;
    let weight = |i: usize| scan.weights.of(entry_row(order[i]));
    let is_cut = |i: usize, total: W::Sum| {
        i < order.len() && entry_tied(order[i]) == 0 && total >= lowest && total <= highest
    };
    let mut left = vec![W::Sum::default(); k];
    let mut total = W::Sum::default();
    let (mut best, mut best_at) = (0.0_f64, 0);
    let (mut cuts, mut start, mut at_start) = (0_u32, 0, 0.0_f64);
    let mut c = class(0);
    let (mut own, mut total_at_start) = (left[c], total);
    let gain_at = |own: W::Sum, total: W::Sum, c: usize, left_f: f64, right_f: f64| {
        let rest = known.minus(total);
        let gained =
            before + left_f + f(own) - f(total) + right_f + f(scan.known[c].minus(own)) - f(rest);
        gain_of_cut(gained, n, whole)
    };
    for i in 1..=order.len() {
        let w = weight(i - 1);
        (own, total) = (own.plus(w), total.plus(w));
        let last = i == order.len();
        cuts += u32::from(is_cut(i, total));
        let next = if last { k } else { class(i) };
        if next == c {
            continue;
        }
        // The run from `start` to here ends.
        let (others_left, others_right) =
            (left_f - f(left[c]), right_f - f(scan.known[c].minus(left[c])));
        let at_end = if last { 0.0 } else { gain_at(own, total, c, others_left, others_right) };
        if at_start.max(at_end) > best + 0.999 * EQUAL {
            let (mut own, mut total) = (left[c], total_at_start);
            for j in start + 1..=i {
                let w = weight(j - 1);
                (own, total) = (own.plus(w), total.plus(w));
                if is_cut(j, total) {
                    let gain = gain_at(own, total, c, others_left, others_right);
                    if gain - best > EQUAL {
                        (best, best_at) = (gain, j);
                    }
                }
            }
        }
        left_f = others_left + f(own);
        right_f = others_right + f(scan.known[c].minus(own));
        left[c] = own;
        (start, at_start, total_at_start) = (i, at_end, total);
        if !last {
            c = next;
            own = left[c];
        }
    }
    let on_left = (0..best_at).fold(W::Sum::default(), |s, i| s.plus(weight(i)));
    if best_at == 0 { None } else { usable_cut(scan, (best_at, on_left), cuts, best, &cell_f) }
}

/// The usable split that is chosen, in the order of the features; nothing when none has a positive
/// gain ratio.
pub fn choose(usable: &[Usable], filter: GainFilter, features: usize) -> Option<&Usable> {
    let counted = usable.iter().filter(|u| !u.many).count();
    if counted == 0 {
        return None;
    }
    let sum: f64 = usable.iter().filter(|u| !u.many).map(|u| u.gain).sum();
    let mean = sum / counted as f64;
    let bound = match filter {
        GainFilter::None => f64::NEG_INFINITY,
        GainFilter::Average => mean,
        GainFilter::J48 => mean - SHORT,
        GainFilter::Chen2013 => sum / (features as f64 + 1.0),
    };
    let mut best: Option<&Usable> = None;
    for u in usable {
        if u.gain >= bound && u.ratio - best.map_or(0.0, |b| b.ratio) > EQUAL {
            best = Some(u);
        }
    }
    best
}

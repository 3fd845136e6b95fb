//! C4.5's rule for candidates (release 8, as J48 of Weka 3.6 has it), where it differs from "the
//! best score of all".
//!
//! With `W` the weight of a node and `K` the weight of its rows whose value of a feature is known:
//!
//! - *Nominal*: a split is usable when at least two branches hold weight `M` or more.
//! - *Numeric*: a cut lies between values more than 1e-5 apart. Both sides must weigh at least `M`;
//!   if `0.1 K / classes` is more than `M`, they must weigh as much as that, or 25 if that is less.
//!   Among these cuts the one with the largest *gain* is taken; `log2(cuts) / W` is subtracted from
//!   it (Quinlan 1996), and the feature is usable when a positive gain is left.
//! - Gain is `K/W (H(c) - H(c|m))`; the entropy of the split counts the rows without a value as one
//!   more branch.
//! - *Gain filter*: a feature whose gain is below the mean gain of the usable features (minus 0.001
//!   with `guard="j48"`) is out. Nominal features with at least 0.3 times as many levels as there
//!   are training rows do not count in the mean, unless all features are such.
//! - The largest gain ratio of the remaining features wins. Everywhere a number must exceed another
//!   by 1e-6 to be larger: of two candidates that are nearly equal the first stays.
//!
//! Source: Quinlan, C4.5 (1993), chapter 2; Quinlan, Improved use of continuous attributes in C4.5,
//! JAIR 4 (1996).
//!
//! Gain and gain ratio are computed by `criteria::c45`. Gains are compared with 1e-6 in the order
//! in which C4.5 compares them, but a run of rows of one class is scanned only when one of its ends
//! beats the best so far: gain is convex along a run (Fayyad & Irani 1992). O(rows) per feature and
//! node. With few classes [`super::cuts`] finds the same cut in blocks, and quicker.
//!
//! The rule serves no scores other than gain and gain ratio.

use super::scan::ClassOf;
use crate::criteria::GainFilter;
use crate::criteria::c45::{EQUAL, XLog2X, gain, gain_of_cut, ratio};
use crate::data::{entry_row, entry_tied};
use crate::numeric::{Count, log2};
use crate::reached::{self, Way};
use crate::stats::{Sum, Weighing};

/// Values this close are not cut apart.
pub const CLOSE: f64 = 1e-5;
/// A nominal feature whose levels are at least this share of the training rows in number does not
/// count in the mean gain.
pub const MANY: f64 = 0.3;

/// Gains that exceed the best by this may exceed it by [`EQUAL`]: a little less than that, as the
/// gains inside a run are rounded and may lie above the larger of its ends by a rounding error.
pub(super) const ALMOST_EQUAL: f64 = 0.999 * EQUAL;

/// The best split of a feature, if it is usable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct C45Split {
    /// The number of the candidate within the feature: the rows on the left of a threshold, the
    /// level that has a branch of its own, and 0 for a multiway split.
    pub at: u32,
    /// The gain; for a threshold, what is left of it after `log2(cuts) / W` is subtracted.
    pub gain: f64,
    /// Ratio of the gain to the entropy of the split.
    pub ratio: f64,
}

/// A feature's split that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usable {
    /// Feature.
    pub feature: u32,
    /// Its best split.
    pub split: C45Split,
    /// The feature has too many levels to count in the mean gain.
    pub many: bool,
}

/// The multiway split of a nominal feature, if it is usable.
///
/// `cells` are the counts of the rows with a known value, `[branch * classes + class]`, and
/// `totals` the class counts of all rows of the node. At least two branches must weigh `least`.
pub fn multiway<C: Count>(
    cells: &[C],
    totals: &[C],
    least: f64,
    logs: &XLog2X,
) -> Option<C45Split> {
    let classes = totals.len();
    let total = |counts: &[C]| counts.iter().fold(C::default(), |sum, &count| sum.plus(count));
    let sizes: Vec<C> = cells.chunks_exact(classes).map(total).collect();
    if sizes.iter().filter(|size| size.value() > least - EQUAL).count() < 2 {
        return None;
    }
    let (node, known) = (total(totals), total(&sizes));
    let gain = gain(cells, classes, node.value(), logs);
    // Sums of fractional rows are rounded: the known ones may seem to weigh more than the node.
    let unknown = if node > known { node.minus(known) } else { C::default() };
    let ratio = ratio(gain, &sizes, unknown, node.value(), logs);
    Some(C45Split { at: 0, gain, ratio })
}

/// The split of one level against all others with the largest gain ratio, if one is usable. The
/// arguments are the same as for [`multiway`]; the number of the split is the level.
pub fn one_vs_rest<C: Count>(
    cells: &[C],
    totals: &[C],
    least: f64,
    logs: &XLog2X,
) -> Option<C45Split> {
    let classes = totals.len();
    let class_total = |class: usize| {
        let counts = cells.iter().skip(class).step_by(classes);
        counts.fold(C::default(), |sum, &count| sum.plus(count))
    };
    let known: Vec<C> = (0..classes).map(class_total).collect();
    let mut best: Option<C45Split> = None;
    // The table of one level (first branch) and the rest.
    let mut table = vec![C::default(); 2 * classes];
    for (level, counts) in cells.chunks_exact(classes).enumerate() {
        let (of_level, of_rest) = table.split_at_mut(classes);
        of_level.copy_from_slice(counts);
        for (rest, (&all, &count)) in of_rest.iter_mut().zip(known.iter().zip(counts)) {
            // Sums of fractional rows are rounded: a level may seem to weigh more than all.
            *rest = if all > count { all.minus(count) } else { C::default() };
        }
        if let Some(split) = multiway(&table, totals, least, logs)
            && best.is_none_or(|best| split.ratio - best.ratio > EQUAL)
        {
            best = Some(C45Split { at: level as u32, ..split });
        }
    }
    best
}

/// A numeric feature in a node: its rows with a known value, ascending, and their sums.
#[derive(Debug, Clone, Copy)]
pub struct KnownRows<'a, W: Weighing> {
    /// Entries; "tied" here means: not more than [`CLOSE`] above the entry before.
    pub order: &'a [u32],
    /// Class sums of these rows.
    pub known: &'a [W::Sum],
    /// Class sums of all rows of the node.
    pub totals: &'a [W::Sum],
    /// Classes of the rows.
    pub class_of: ClassOf<'a>,
    /// Weights of the rows.
    pub weights: W,
    /// Sums at the steps of the order; see [`super::scan::Scan::steps`].
    pub steps: &'a [i64],
}

/// Weights of a feature's known rows and of the node, and the least weight of a side of a cut.
pub(super) struct CutLimits<S> {
    pub known: S,
    pub node: S,
    /// Least weight of a side, as a number.
    pub least: f64,
    /// Least weight of a side minus [`EQUAL`], as a sum.
    pub lowest: S,
}

/// Limits of the cuts of a feature; `None` where no cut leaves enough rows on both sides.
pub(super) fn limits<W: Weighing>(
    scan: &KnownRows<'_, W>,
    least: f64,
) -> Option<CutLimits<W::Sum>> {
    let unit = scan.weights.unit();
    let (known, node) = (Sum::total(scan.known), Sum::total(scan.totals));
    let n = known.value(unit);
    let share = 0.1 * n / scan.known.len() as f64;
    let least = if share < least + EQUAL { least } else { share.min(25.0) };
    if n < 2.0 * least - 2.0 * EQUAL || scan.order.len() < 2 {
        return None;
    }
    let lowest = W::Sum::at_least(least - EQUAL, unit);
    (lowest <= known).then_some(CutLimits { known, node, least, lowest })
}

/// The cut after `at` rows, if a positive gain is left after the subtraction. `left` is the weight
/// of these rows, `gain` the gain of this cut, which is the best of `cuts` cuts.
pub(super) fn usable_cut<W: Weighing>(
    scan: &KnownRows<'_, W>,
    at: usize,
    left: W::Sum,
    cuts: u32,
    gain: f64,
    logs: &XLog2X,
) -> Option<C45Split> {
    let unit = scan.weights.unit();
    let (known, node) = (Sum::total(scan.known), Sum::total(scan.totals));
    let whole = node.value(unit);
    let gain = gain - log2(f64::from(cuts)) / whole;
    if gain < EQUAL {
        return None;
    }
    let sides = [left.cell(unit), known.minus(left).cell(unit)];
    let ratio = ratio(gain, &sides, node.minus(known).cell(unit), whole, logs);
    Some(C45Split { at: at as u32, gain, ratio })
}

/// The best cut of a numeric feature, if the feature is usable, found run by run. A run needs a few
/// logarithms, whatever the number of classes; with few classes [`super::cuts::best_cut`] is
/// quicker.
pub fn best_cut<W: Weighing>(
    scan: &KnownRows<'_, W>,
    least: f64,
    logs: &XLog2X,
) -> Option<C45Split> {
    reached::count(Way::C45Runs);
    let (order, k, unit) = (scan.order, scan.known.len(), scan.weights.unit());
    let CutLimits { known, node, lowest, .. } = limits(scan, least)?;
    let (n, whole) = (known.value(unit), node.value(unit));
    let highest = known.minus(lowest);
    let x_log_x = |sum: W::Sum| logs.x_log2_x(sum.cell(unit));
    let class = |i: usize| scan.class_of.codes[entry_row(order[i]) as usize] as usize;
    let weight = |i: usize| scan.weights.row_sum(entry_row(order[i]));
    let is_cut = |i: usize, total: W::Sum| {
        i < order.len() && entry_tied(order[i]) == 0 && total >= lowest && total <= highest
    };
    // `n` times the entropy of the known rows, and the sums of x log2 x over the classes of each
    // side, which change only at the end of a run.
    let before = x_log_x(known) - scan.known.iter().map(|&sum| x_log_x(sum)).sum::<f64>();
    let (mut left_f, mut right_f) = (0.0, scan.known.iter().map(|&sum| x_log_x(sum)).sum::<f64>());
    // The gain of a cut inside a run of class `c`: `own` is the weight of that class on the left,
    // and the sums leave out class `c`.
    let gain_at = |own: W::Sum, total: W::Sum, c: usize, left_f: f64, right_f: f64| {
        let rest = known.minus(total);
        let gained = before + left_f + x_log_x(own) - x_log_x(total)
            + right_f
            + x_log_x(scan.known[c].minus(own))
            - x_log_x(rest);
        gain_of_cut(gained, n, whole)
    };
    let (mut best, mut best_at) = (0.0_f64, 0);
    let mut cuts = 0_u32;
    // Class sums on the left of the current run, which is one of class `c`.
    let mut left = vec![W::Sum::default(); k];
    let mut c = class(0);
    let (mut start, mut gain_at_start, mut total_at_start) = (0, 0.0_f64, W::Sum::default());
    let (mut own, mut total) = (left[c], W::Sum::default());
    for i in 1..=order.len() {
        let row_weight = weight(i - 1);
        (own, total) = (own.plus(row_weight), total.plus(row_weight));
        let is_last = i == order.len();
        cuts += u32::from(is_cut(i, total));
        let next = if is_last { k } else { class(i) };
        if next == c {
            continue;
        }
        // The run `start..i` ends. Its inner cuts can be best only if one of its ends is.
        let (others_left, others_right) =
            (left_f - x_log_x(left[c]), right_f - x_log_x(scan.known[c].minus(left[c])));
        let gain_at_end =
            if is_last { 0.0 } else { gain_at(own, total, c, others_left, others_right) };
        if gain_at_start.max(gain_at_end) > best + ALMOST_EQUAL {
            let (mut own, mut total) = (left[c], total_at_start);
            for j in start + 1..=i {
                let row_weight = weight(j - 1);
                (own, total) = (own.plus(row_weight), total.plus(row_weight));
                if is_cut(j, total) {
                    let gain = gain_at(own, total, c, others_left, others_right);
                    if gain - best > EQUAL {
                        (best, best_at) = (gain, j);
                    }
                }
            }
        }
        // The next run begins.
        left_f = others_left + x_log_x(own);
        right_f = others_right + x_log_x(scan.known[c].minus(own));
        left[c] = own;
        (start, gain_at_start, total_at_start) = (i, gain_at_end, total);
        if !is_last {
            c = next;
            own = left[c];
        }
    }
    if best_at == 0 {
        return None;
    }
    let on_left = (0..best_at).fold(W::Sum::default(), |sum, i| sum.plus(weight(i)));
    usable_cut(scan, best_at, on_left, cuts, best, logs)
}

/// The usable split that is chosen: the largest gain ratio among the features that pass the filter,
/// the first of nearly equal ones; `None` where no ratio is positive. `features` is the number of
/// features of the data set.
pub fn choose(usable: &[Usable], filter: GainFilter, features: usize) -> Option<&Usable> {
    let n_counted = usable.iter().filter(|split| !split.many).count();
    if n_counted == 0 {
        return None;
    }
    let sum: f64 = usable.iter().filter(|split| !split.many).map(|usable| usable.split.gain).sum();
    let bound = filter.bound(sum, n_counted, features);
    let mut best: Option<&Usable> = None;
    for next in usable {
        let best_ratio = best.map_or(0.0, |best| best.split.ratio);
        if next.split.gain >= bound && next.split.ratio - best_ratio > EQUAL {
            best = Some(next);
        }
    }
    best
}

//! Thresholds on a numeric feature: every boundary between two different values of a node.
//!
//! The node's rows come in ascending order (see [`crate::data`]). A scan keeps the class counts on
//! the left and writes a candidate at each boundary. For convex criteria only boundaries at which
//! the class changes are kept (Fayyad & Irani 1992: no other can be best); boundaries beside a
//! value that several rows share are kept as well, because such rows are not compared one by one.
//! Beside a third branch of rows without a value the first and the last threshold are kept, too:
//! there the ends of the data, which are no thresholds, may score high.
//!
//! [`score_candidates`] chooses among five scans by weights and target ([`Scanning`]): running sums
//! (`running`), counts of few classes, fixed-point weights (`weighed`), means of a numeric target
//! ([`means`]), and a plain loop for the rest. All give the same scores, to the bit. O(rows) per
//! feature and node, plus the criterion's formula.

use super::block::{BLOCK, BlockScratch, PlaceRange};
use super::scan::{BlockWalk, flush, write_sides};
use super::sink::Sink;
use super::{means, running, weighed};
use crate::criteria::Context;
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::numeric::Moments;
use crate::reached::{self, Way};
use crate::simd::Level;
use crate::simd::columns::{MOST_CLASSES, SLACK, Tails, Wanted, boundaries};
use crate::stats::{CellOf, ExactMoments, FixedWeights, RowCopies, Sum, TargetRows, Weighing};

pub use super::scan::{ClassOf, Scan};

/// Fewest classes for which running sums over the classes are quicker than class counts.
pub const SEVERAL_CLASSES: usize = 4;

/// The places of a scan, and the shape of its candidates.
#[derive(Debug, Clone, Copy)]
pub struct ScanPlaces<'c> {
    places: PlaceRange,
    /// Branches of a candidate: two, and one for rows without a value.
    branches: usize,
    context: &'c Context,
}

/// Weights of rows, with the scans that serve them beside the plain loop.
pub trait Scanning: Weighing {
    /// Score thresholds from sums over the classes, or by means; `false` where these do not serve.
    fn by_sums(
        _scan: &Scan<'_, Self>,
        _at: ScanPlaces<'_>,
        _scratch: &mut BlockScratch<CellOf<Self>>,
        _sink: &mut dyn Sink,
    ) -> Result<bool> {
        Ok(false)
    }

    /// Score thresholds from tables of few classes; `false` where no kernel makes them.
    fn by_tables(
        _scan: &Scan<'_, Self>,
        _at: ScanPlaces<'_>,
        _scratch: &mut BlockScratch<CellOf<Self>>,
        _sink: &mut dyn Sink,
    ) -> Result<bool> {
        Ok(false)
    }
}

impl Scanning for RowCopies<'_> {
    fn by_sums(
        scan: &Scan<'_, Self>,
        ScanPlaces { places, branches, context }: ScanPlaces<'_>,
        scratch: &mut BlockScratch<u32>,
        sink: &mut dyn Sink,
    ) -> Result<bool> {
        // Several classes are scored from running sums, where the criterion has them.
        if scan.weights.is_unit() && branches == 2 && context.classes >= SEVERAL_CLASSES {
            let n = scan.order.len();
            let scoring = sink.running_scores().filter(|scoring| scoring.holds(n, context.logs));
            if let Some(scoring) = scoring {
                let running = &mut scratch.running;
                running::score_candidates(scan, places, context, scoring, running, sink)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn by_tables(
        scan: &Scan<'_, Self>,
        ScanPlaces { places, branches, context }: ScanPlaces<'_>,
        scratch: &mut BlockScratch<u32>,
        sink: &mut dyn Sink,
    ) -> Result<bool> {
        if !scan.weights.is_unit() {
            return Ok(false);
        }
        reached::count(Way::WalkCounted);
        score_counted(scan, places, context, branches, scratch, sink).map(|()| true)
    }
}

impl Scanning for FixedWeights<'_> {
    fn by_tables(
        scan: &Scan<'_, Self>,
        ScanPlaces { places, branches, context }: ScanPlaces<'_>,
        scratch: &mut BlockScratch<f64>,
        sink: &mut dyn Sink,
    ) -> Result<bool> {
        let Some(weights) = scan.weights.fixed() else { return Ok(false) };
        reached::count(Way::WalkWeighed);
        weighed::score_candidates(scan, weights, places, context, branches, scratch, sink)?;
        Ok(true)
    }
}

impl Scanning for TargetRows<'_> {
    fn by_sums(
        scan: &Scan<'_, Self>,
        at: ScanPlaces<'_>,
        scratch: &mut BlockScratch<Moments>,
        sink: &mut dyn Sink,
    ) -> Result<bool> {
        by_means(scan, at, scratch, sink)
    }
}

/// Score the places by the means of both sides, where the criterion decides by means and no row
/// lacks a value; returns whether it did. It is [`Scanning::by_sums`] of a numeric target.
pub fn by_means<W: Weighing<Sum = ExactMoments>>(
    scan: &Scan<'_, W>,
    ScanPlaces { places, branches, context }: ScanPlaces<'_>,
    scratch: &mut BlockScratch<Moments>,
    sink: &mut dyn Sink,
) -> Result<bool> {
    if branches != 2 || !sink.takes_means() {
        return Ok(false);
    }
    let node = scan.known[0];
    let narrow_node = means::MeanNode::new(node.weight, node.first as i64, scan.min);
    if let Some(node) = narrow_node.filter(|_| !scan.packed.is_empty()) {
        let means = &mut scratch.means;
        means::score_candidates(scan, node, places, context, means, sink)?;
        return Ok(true);
    }
    let places = allowed_places(scan, places);
    if !places.is_empty() {
        means::score_weighed(scan, node, places, context, sink)?;
    }
    Ok(true)
}

/// Score all thresholds of one feature of a node into a sink. The scan is chosen by the weights,
/// the target and the number of classes, and every scan that serves gives the same scores.
pub fn score_candidates<W: Scanning>(
    scan: &Scan<'_, W>,
    context: &Context,
    scratch: &mut BlockScratch<CellOf<W>>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let n = scan.order.len();
    if n < 2 {
        return Ok(());
    }
    let branches = if scan.known == scan.totals { 2 } else { 3 };
    // A place has as many rows on its left as its number, so a limit on rows bounds the places at
    // once; a limit on weight does where each row weighs 1.
    let weighs_one = scan.weights.is_unit() || scan.weights.unit_target().is_some();
    let counts_rows = weighs_one || !scan.weights.are_copies();
    let least_rows = if counts_rows { (scan.min.rows as usize).max(1) } else { 1 };
    let first =
        if weighs_one { least_rows.max(scan.min.weight.ceil() as usize) } else { least_rows };
    let places = PlaceRange { first, last: n - first.min(n) };
    let at = ScanPlaces { places, branches, context };
    if places.is_empty() || W::by_sums(scan, at, scratch, sink)? {
        return Ok(());
    }
    scratch.prepare_cuts(scan.known, scan.totals, scan.weights.unit(), n);
    // Beside a third branch the known rows of one class score alike wherever they are cut. The
    // first cut must then be a candidate, as it wins.
    let has_several_classes = || scan.known.iter().filter(|sum| !sum.is_empty()).count() > 1;
    let scan = &Scan { convex: scan.convex && (branches == 2 || has_several_classes()), ..*scan };
    let are_few_classes = (2..=MOST_CLASSES).contains(&context.classes);
    if are_few_classes && W::by_tables(scan, at, scratch, sink)? {
        return Ok(());
    }
    reached::count(Way::WalkAny);
    score_one_by_one(scan, places, context, branches, scratch, sink)
}

/// 1 when a candidate lies between the entries `i - 1` and `i`, otherwise 0.
#[inline]
fn boundary(order: &[u32], i: usize, class_changes: u32, convex: bool) -> u32 {
    let value_changes = entry_tied(order[i]) ^ 1;
    if !convex {
        return value_changes;
    }
    // Whether several rows share the value on one of the two sides.
    let is_shared = entry_tied(order[i - 1]) | order.get(i + 1).map_or(0, |&e| entry_tied(e));
    value_changes & (class_changes | is_shared)
}

/// Thresholds among rows of weight 1 and few classes.
///
/// Internal rows are sorted by class, so the kernel counts, per class, the rows on the left that
/// belong to that class or a later one (`tails`); class counts are differences of two of them.
fn score_counted(
    scan: &Scan<'_, RowCopies<'_>>,
    places: PlaceRange,
    context: &Context,
    branches: usize,
    scratch: &mut BlockScratch<u32>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let (order, starts, classes) = (scan.order, scan.class_of.starts, context.classes);
    let (level, stride) = (Level::active(), scratch.stride);
    // Kernels write up to SLACK entries past the candidates that they report.
    let room = stride + SLACK;
    if scratch.tails.len() < (classes - 1) * room {
        scratch.tails.resize((classes - 1) * room, 0);
    }
    // Counts of the rows before the first place.
    let mut before = [0_u32; MOST_CLASSES];
    let before = &mut before[..classes - 1];
    for &entry in &order[..places.first - 1] {
        for (count, &start) in before.iter_mut().zip(starts) {
            *count += u32::from(entry_row(entry) >= start);
        }
    }
    let ends = (places.first > 1 || branches == 3).then_some(places);
    BlockWalk { ends, stride }.walk(
        std::iter::once(places),
        scratch,
        |scratch, places, all, held| {
            let wanted = Wanted { starts, convex: scan.convex && !all };
            let tails = Tails { planes: &mut scratch.tails, stride: room, from: held };
            let places = places.0..places.1;
            boundaries(level, order, places, wanted, before, &mut scratch.at[held..], tails)
        },
        |scratch, held| {
            // The rows of class 0 and later classes are all rows, and a place has as many on its
            // left as its number.
            let BlockScratch { cells, at, tails, .. } = &mut *scratch;
            let left =
                |class: usize| if class == 0 { &at[..] } else { &tails[(class - 1) * room..] };
            write_sides(cells, stride, held, scan.known, 1.0, left);
            flush(scan.feature, held, context, branches, scratch, sink)
        },
    )
}

/// Thresholds among rows of any number of classes and any weights, one place after the other.
fn score_one_by_one<W: Weighing>(
    scan: &Scan<'_, W>,
    places: PlaceRange,
    context: &Context,
    branches: usize,
    scratch: &mut BlockScratch<CellOf<W>>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let (order, unit) = (scan.order, scan.weights.unit());
    let class = |i: usize| scan.class_of.codes[entry_row(order[i]) as usize];
    let has_limits = is_limited(scan);
    let PlaceRange { first, last } = allowed_places(scan, places);
    // Class sums on the left of the first place.
    let mut left = vec![W::Sum::default(); context.classes];
    for i in 0..first - 1 {
        let sum = &mut left[class(i) as usize];
        *sum = sum.plus(scan.weights.row_sum(entry_row(order[i])));
    }
    let mut held = 0;
    for i in first..=last {
        let (class_before, class_behind) = (class(i - 1), class(i));
        let sum = &mut left[class_before as usize];
        *sum = sum.plus(scan.weights.row_sum(entry_row(order[i - 1])));
        // The ends of the admissible range are candidates even inside a run of one class.
        let is_end = (has_limits || first > 1 || branches == 3) && (i == first || i == last);
        if boundary(order, i, u32::from(class_before != class_behind), scan.convex && !is_end) == 0
        {
            continue;
        }
        scratch.write_cut(held, i as u32, [&left, scan.known], unit);
        held += 1;
        if held == scratch.stride.min(BLOCK) {
            flush(scan.feature, held, context, branches, scratch, sink)?;
            held = 0;
        }
    }
    flush(scan.feature, held, context, branches, scratch, sink)
}

/// Whether limits on weights, or on copies, exclude places.
fn is_limited<W: Weighing>(scan: &Scan<'_, W>) -> bool {
    scan.min.weight > 0.0
        || (scan.weights.are_copies() && !scan.weights.is_unit() && scan.min.rows > 1)
}

/// The places among `places` that the limits on weights, or on copies, allow.
fn allowed_places<W: Weighing>(scan: &Scan<'_, W>, places: PlaceRange) -> PlaceRange {
    if !is_limited(scan) {
        return places;
    }
    let rows = if scan.weights.are_copies() { f64::from(scan.min.rows) } else { 0.0 };
    heavy_places(scan, scan.min.weight.max(rows), places)
}

/// The places among `places` at which both sides weigh at least `least`.
fn heavy_places<W: Weighing>(scan: &Scan<'_, W>, least: f64, places: PlaceRange) -> PlaceRange {
    let PlaceRange { mut first, mut last } = places;
    let least = W::Sum::at_least(least, scan.weights.unit());
    let weight = |i: usize| scan.weights.row_sum(entry_row(scan.order[i]));
    let mut left = (0..first).fold(W::Sum::default(), |sum, i| sum.plus(weight(i)));
    while left < least && first <= last {
        left = left.plus(weight(first));
        first += 1;
    }
    let mut right = (last..scan.order.len()).fold(W::Sum::default(), |sum, i| sum.plus(weight(i)));
    while right < least && first <= last {
        last -= 1;
        right = right.plus(weight(last));
    }
    PlaceRange { first, last }
}

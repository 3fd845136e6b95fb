//! The best cut of a numeric feature by C4.5's rule (`c45`), block by block.
//!
//! [`threshold`] lists the places at which the class changes or several rows share a value. The
//! sink of this module computes their gains, eight at a time where the processor can, and compares
//! them in order as C4.5 does: a gain is larger if it exceeds the best so far by 1e-6. Between two
//! listed places all rows are of one class and gain is convex (Fayyad & Irani 1992), so the places
//! between are scored only when one of the two beats the best so far. O(rows) per feature and node,
//! `2 classes + 2` logarithms per listed place.
//!
//! With more than [`FEW_CLASSES`] classes [`c45::best_cut`] is quicker: a run of rows changes the
//! terms of one class only.

use super::block::{BlockScratch, PlaceRange};
use super::c45::{self, ALMOST_EQUAL, C45Split, KnownRows};
use super::multiway::Minimum;
use super::sink::{CandidateBlock, Sink};
use super::threshold::{self, Scan, Scanning};
use super::weighed::WeighedRows;
use crate::criteria::c45::{EQUAL, XLog2X, gain_of_cut};
use crate::criteria::{Context, Tables};
use crate::data::{entry_row, entry_tied};
use crate::error::{Error, Result};
use crate::numeric::Count;
use crate::reached::{self, Way};
use crate::simd::columns::weighed_sums;
use crate::stats::{CellOf, Sum, Weighing};

/// Most classes for which this is quicker than [`c45::best_cut`].
pub const FEW_CLASSES: usize = 4;

/// The best cut of a feature, if the feature is usable. `least` is the smallest weight of a leaf.
/// The gain of the chosen cut is computed again from exact sums, so the result does not depend on
/// blocks.
pub fn best_cut<W: Scanning>(
    scan: &KnownRows<'_, W>,
    feature: u32,
    least: f64,
    logs: &XLog2X,
    context: &Context,
    scratch: &mut BlockScratch<CellOf<W>>,
) -> Result<Option<C45Split>> {
    let Some(limits) = c45::limits(scan, least) else { return Ok(None) };
    let (order, unit) = (scan.order, scan.weights.unit());
    let places = admissible_places(scan, limits.lowest);
    if places.is_empty() {
        return Ok(None);
    }
    reached::count(Way::C45Blocks);
    let cuts: u32 =
        order[places.first..=places.last].iter().map(|&entry| entry_tied(entry) ^ 1).sum();
    let cell = |sum: W::Sum| sum.cell(unit);
    let known: Vec<_> = scan.known.iter().map(|&sum| cell(sum)).collect();
    let mut sink = CutSearch {
        scan,
        logs,
        from_start: places.first == 1,
        before: logs.x_log2_x(cell(limits.known))
            - known.iter().map(|&count| logs.x_log2_x(count)).sum::<f64>(),
        n: limits.known.value(unit),
        whole: limits.node.value(unit),
        known,
        best: 0.0,
        best_at: 0,
        last: CutPlace { at: 0, gain: 0.0, left: vec![CellOf::<W>::default(); scan.known.len()] },
        gains: Vec::new(),
        terms: Vec::new(),
        sizes: Vec::new(),
    };
    // Every listed place is a candidate here: the limits bound the places already.
    let candidates = Scan {
        feature,
        order,
        known: scan.known,
        totals: scan.known,
        class_of: scan.class_of,
        weights: scan.weights,
        min: Minimum { rows: 1, weight: limits.least - EQUAL, copies: scan.weights.is_unit() },
        convex: true,
        steps: scan.steps,
        packed: &[],
    };
    threshold::score_candidates(&candidates, context, scratch, &mut sink)?;
    let at = sink.best_at;
    if at == 0 {
        return Ok(None);
    }
    // The gain is computed again from exact sums, so that it does not depend on the search.
    let left = sums_left_of(scan, at);
    let cells: Vec<_> = left.iter().map(|&sum| cell(sum)).collect();
    let gain = sink.gain(&cells);
    Ok(c45::usable_cut(scan, at, Sum::total(&left), cuts, gain, logs))
}

/// Class sums of the rows on the left of a place.
fn sums_left_of<W: Weighing>(scan: &KnownRows<'_, W>, at: usize) -> Vec<W::Sum> {
    let (order, starts) = (&scan.order[..at], scan.class_of.starts);
    // Sums of all rows, then for each start of the rows of that class and later ones.
    let mut tails = [0; FEW_CLASSES + 1];
    match scan.weights.fixed() {
        Some(weights) => weighed_sums(order, weights, starts, &mut tails[..=starts.len()]),
        None => {
            tails[0] = at as i64;
            for (tail, &start) in tails[1..].iter_mut().zip(starts) {
                let rows: u32 =
                    order.iter().map(|&entry| u32::from(entry_row(entry) >= start)).sum();
                *tail = i64::from(rows);
            }
        }
    }
    tails
        .windows(2)
        .take(starts.len() + 1)
        .map(|pair| W::Sum::from_units(pair[0] - pair[1]))
        .collect()
}

/// The places at which both sides weigh at least `lowest`.
fn admissible_places<W: Weighing>(scan: &KnownRows<'_, W>, lowest: W::Sum) -> PlaceRange {
    let n = scan.order.len();
    match scan.weights.fixed() {
        Some(weights) => {
            let known: i64 = scan.known.iter().map(|sum| sum.units()).sum();
            let rows = WeighedRows { order: scan.order, weights, steps: scan.steps };
            let PlaceRange { first, last } =
                rows.heavy_places(known, lowest.units(), scan.known.len());
            PlaceRange { first: first.max(1), last: last.min(n - 1) }
        }
        None => {
            let least = (lowest.units() as usize).max(1);
            PlaceRange { first: least, last: n - least.min(n) }
        }
    }
}

/// The listed place that was compared last.
struct CutPlace<C> {
    at: usize,
    gain: f64,
    /// Known rows on its left, by class.
    left: Vec<C>,
}

/// The sink that compares the gains of cuts in their order, as C4.5 does.
struct CutSearch<'s, 'a, W: Weighing> {
    scan: &'s KnownRows<'a, W>,
    logs: &'s XLog2X,
    /// Place 1 is admissible, so cuts before the first listed place count.
    from_start: bool,
    /// Entropy of the known rows times their weight.
    before: f64,
    /// Weight of the known rows.
    n: f64,
    /// Weight of the node.
    whole: f64,
    /// Class counts of the known rows.
    known: Vec<CellOf<W>>,
    /// The best gain so far.
    best: f64,
    /// Its place; 0 for none.
    best_at: usize,
    last: CutPlace<CellOf<W>>,
    /// Buffers of a block: gains, `x log2 x` of a plane, and sizes of a branch.
    gains: Vec<f64>,
    terms: Vec<f64>,
    sizes: Vec<CellOf<W>>,
}

impl<W: Weighing> CutSearch<'_, '_, W> {
    /// The gain of a cut from the sum over its branches of `sum_c f(n_mc) - f(n_m)`, `f(x) = x log2
    /// x`.
    fn gain_from(&self, sum: f64) -> f64 {
        gain_of_cut(self.before + sum, self.n, self.whole)
    }

    /// The gain of a cut from the class counts on its left.
    fn gain(&self, left: &[CellOf<W>]) -> f64 {
        let side = |cells: &mut dyn Iterator<Item = CellOf<W>>| {
            let (mut sum, mut size) = (0.0, CellOf::<W>::default());
            for count in cells {
                sum += self.logs.x_log2_x(count);
                size = size.plus(count);
            }
            sum - self.logs.x_log2_x(size)
        };
        // Rounded weights on the left may exceed the whole by a little.
        let right = &mut self
            .known
            .iter()
            .zip(left)
            .map(|(known, &left)| known.minus(if left > *known { *known } else { left }));
        self.gain_from(side(&mut left.iter().copied()) + side(right))
    }

    /// Keep a cut that is larger than the best so far.
    fn compare(&mut self, at: usize, gain: f64) {
        if gain - self.best > EQUAL {
            (self.best, self.best_at) = (gain, at);
        }
    }

    /// Compare the cuts between the last listed place and `at`; the rows between are of one class.
    fn compare_between(&mut self, at: usize) {
        let scan = self.scan;
        let last_place = self.last.at;
        if last_place + 1 >= at || (last_place == 0 && !self.from_start) {
            return;
        }
        let class = scan.class_of.codes[entry_row(scan.order[last_place]) as usize] as usize;
        let mut left = self.last.left.clone();
        for i in last_place + 1..at {
            let weight = scan.weights.row_sum(entry_row(scan.order[i - 1]));
            left[class] = left[class].plus(weight.cell(scan.weights.unit()));
            if entry_tied(scan.order[i]) == 0 {
                let gain = self.gain(&left);
                self.compare(i, gain);
            }
        }
    }
}

impl<W: Weighing> Sink for CutSearch<'_, '_, W> {
    fn take(&mut self, block: &CandidateBlock<'_>) -> Result<()> {
        let Tables { len, classes, stride, .. } = block.tables;
        let Some(cells) = CellOf::<W>::of_cells(block.tables.cells) else {
            return Err(Error::Internal("cuts of another kind of count".into()));
        };
        let mut gains = std::mem::take(&mut self.gains);
        gains.clear();
        gains.resize(len, 0.0);
        self.terms.resize(len, 0.0);
        // Per branch, all candidates of the block at once: `sum_c f(n_mc) - f(n_m)`.
        for branch in 0..2 {
            self.sizes.clear();
            self.sizes.resize(len, CellOf::<W>::default());
            for class in 0..classes {
                let plane = &cells[(branch * classes + class) * stride..][..len];
                self.logs.all(plane, &mut self.terms);
                let sizes = self.sizes.iter_mut().zip(plane);
                for ((gain, term), (size, &count)) in gains.iter_mut().zip(&self.terms).zip(sizes) {
                    *gain += term;
                    *size = size.plus(count);
                }
            }
            self.logs.all(&self.sizes, &mut self.terms);
            gains.iter_mut().zip(&self.terms).for_each(|(gain, term)| *gain -= term);
        }
        for (j, (&at, sum)) in block.at.iter().zip(&gains).enumerate() {
            let (at, gain) = (at as usize, self.gain_from(*sum));
            // Only if this place or the last one beats the best can a place between them do so.
            if gain.max(self.last.gain) > self.best + ALMOST_EQUAL {
                if j > 0 {
                    let before = (0..classes).map(|class| cells[class * stride + j - 1]);
                    self.last.left.iter_mut().zip(before).for_each(|(left, count)| *left = count);
                }
                self.compare_between(at);
                self.compare(at, gain);
            }
            (self.last.at, self.last.gain) = (at, gain);
        }
        if len > 0 {
            let last = (0..classes).map(|class| cells[class * stride + len - 1]);
            self.last.left.iter_mut().zip(last).for_each(|(left, count)| *left = count);
        }
        self.gains = gains;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::pack_entry;
    use crate::numeric::mix;
    use crate::simd::logs::QuickLog;
    use crate::simd::{Level, columns::weighed_steps};
    use crate::split::threshold::ClassOf;
    use crate::stats::{FixedWeights, RowCopies};

    /// Rows of up to four classes, three quarters of them known.
    struct Case {
        order: Vec<u32>,
        codes: Vec<u16>,
        starts: Vec<u32>,
        weights: Vec<i64>,
        least: f64,
    }

    const UNIT: f64 = 1.0 / (1u64 << 40) as f64;

    impl Case {
        fn new(seed: u64) -> Self {
            let n = 2 + mix(seed, 1) % 900;
            let classes = 1 + mix(seed, 2) % 4;
            let mut codes: Vec<u16> = (0..n).map(|r| (mix(seed + 3, r) % classes) as u16).collect();
            codes.sort_unstable();
            let starts =
                (1..classes).map(|c| codes.partition_point(|&x| u64::from(x) < c) as u32).collect();
            let values = [4, 60, u64::MAX][seed as usize % 3];
            let signal = [0, 1 << 61, 1 << 62][mix(seed, 3) as usize % 3];
            let value = |r: u64| {
                ((mix(seed + 77, r) >> 2) + u64::from(codes[r as usize] % 2) * signal) % values
            };
            let mut rows: Vec<u64> =
                (0..n).filter(|&r| !mix(seed + 5, r).is_multiple_of(4)).collect();
            rows.sort_by_key(|&r| (value(r), r));
            let tied = |i: usize| i > 0 && value(rows[i]) == value(rows[i - 1]);
            let order = (0..rows.len()).map(|i| pack_entry(rows[i] as u32, tied(i))).collect();
            let weights =
                (0..n).map(|r| 1 + (mix(seed + 9, r) >> (24 + mix(seed, r) % 12)) as i64).collect();
            Self {
                order,
                codes,
                starts,
                weights,
                least: [1.0, 2.0, 20.0][mix(seed, 4) as usize % 3],
            }
        }

        fn sums<W: Scanning>(&self, weights: W, entries: impl Iterator<Item = u32>) -> Vec<W::Sum> {
            let mut sums = vec![W::Sum::default(); self.starts.len() + 1];
            for row in entries {
                let sum = &mut sums[usize::from(self.codes[row as usize])];
                *sum = sum.plus(weights.row_sum(row));
            }
            sums
        }

        /// Compare the cuts found in blocks, run by run and one by one; 1 if there is one.
        fn check<W: Scanning>(&self, weights: W, label: &str) -> usize {
            let context = Context::new(self.starts.len() + 1, 10_000);
            let logs = XLog2X::new(context.logs, QuickLog::new());
            let known = self.sums(weights, self.order.iter().map(|&e| entry_row(e)));
            let totals = self.sums(weights, 0..self.codes.len() as u32);
            let mut steps = Vec::new();
            if let Some(weights) = weights.fixed() {
                weighed_steps(Level::active(), &self.order, weights, &self.starts, &mut steps);
            }
            let scan = KnownRows {
                order: &self.order,
                known: &known,
                totals: &totals,
                class_of: ClassOf { codes: &self.codes, starts: &self.starts },
                weights,
                steps: &steps,
            };
            let mut scratch = BlockScratch::default();
            let blocks = best_cut(&scan, 0, self.least, &logs, &context, &mut scratch).unwrap();
            let runs = c45::best_cut(&scan, self.least, &logs);
            let truth = self.truth(&scan);
            assert_eq!(blocks.map(|b| b.at), truth.map(|t| t.0), "{label}");
            assert_eq!(runs.map(|b| b.at), truth.map(|t| t.0), "{label}");
            if let (Some(b), Some(r), Some(t)) = (blocks, runs, truth) {
                let close = |x: f64, y: f64| (x - y).abs() < 1e-9;
                assert!(
                    close(b.gain, t.1) && close(b.gain, r.gain) && close(b.ratio, r.ratio),
                    "{label}: {b:?} {r:?} {t:?}"
                );
            }
            usize::from(blocks.is_some())
        }

        /// Place and gain of the best cut by the definition: one cut after the other, each with
        /// entropies computed for this cut alone.
        fn truth<W: Scanning>(&self, scan: &KnownRows<'_, W>) -> Option<(u32, f64)> {
            let unit = scan.weights.unit();
            let value = |sums: &[W::Sum]| sums.iter().map(|s| s.value(unit)).collect::<Vec<f64>>();
            let spread = |sums: &[W::Sum]| {
                let (values, log) =
                    (value(sums), |x: f64| if x > 1e-6 { x * x.log2() } else { 0.0 });
                log(values.iter().sum()) - values.iter().map(|&x| log(x)).sum::<f64>()
            };
            let n: f64 = value(scan.known).iter().sum();
            let whole: f64 = value(scan.totals).iter().sum();
            let share = 0.1 * n / scan.known.len() as f64;
            let least = if share > self.least { share.min(25.0) } else { self.least } - EQUAL;
            let (mut cuts, mut best, mut at) = (0, 0.0, 0);
            for i in 1..self.order.len() {
                let left = self.sums(scan.weights, self.order[..i].iter().map(|&e| entry_row(e)));
                let right: Vec<W::Sum> =
                    scan.known.iter().zip(&left).map(|(k, &l)| k.minus(l)).collect();
                let enough = |side: &[W::Sum]| value(side).iter().sum::<f64>() >= least;
                if entry_tied(self.order[i]) == 1 || !enough(&left) || !enough(&right) {
                    continue;
                }
                cuts += 1;
                let gain = (spread(scan.known) - spread(&left) - spread(&right)) / whole;
                if gain - best > EQUAL {
                    (best, at) = (gain, i);
                }
            }
            let gain = best - f64::from(cuts).log2() / whole;
            (at > 0 && gain >= EQUAL).then_some((at as u32, gain))
        }
    }

    #[test]
    fn blocks_and_runs_find_the_best_of_all_cuts() {
        let mut found = 0;
        for seed in 0..600 {
            let case = Case::new(seed);
            found += case.check(RowCopies(None), &format!("rows {seed}"));
            let weights = FixedWeights { values: &case.weights, unit: UNIT, copies: false };
            found += case.check(weights, &format!("weights {seed}"));
        }
        assert!(found > 300, "{found} of 1200 had a usable cut");
    }
}

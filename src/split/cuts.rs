//! The best cut of a numeric feature by C4.5's rule (`c45`), block by block.
//!
//! [`threshold`] lists the places at which the class changes or a value is shared; here their gains
//! are found, eight at a time where the processor can, and compared one after the other as C4.5
//! does: larger is what exceeds the best so far by 1e-6. Between two places that are listed all
//! rows are of one class and gain is convex (Fayyad & Irani 1992), so what lies between is looked
//! at only when one of the two beats the best so far. O(rows) a feature and node, `2 classes + 2`
//! logarithms a place.
//!
//! When not to use it: many classes, of which a run of rows changes one, or weights that are copies
//! of rows: [`c45::runs`].

use super::block::BlockScratch;
use super::c45::{self, KnownRows};
use super::sink::{CandidateBlock, Sink};
use super::threshold::{self, Scan};
use super::{multiway::Minimum, weighed};
use crate::criteria::Context;
use crate::criteria::c45::{EQUAL, XLog2X, gain_of_cut};
use crate::data::{entry_row, entry_tied};
use crate::error::{Error, Result};
use crate::numeric::Count;
use crate::reached::{self, Way};
use crate::simd::{Level, columns::weighed_sums};
use crate::stats::{CellOf, Sum, Weighing};

/// Most classes for which this is quicker than [`c45::runs`].
pub const FEW_CLASSES: usize = 4;

/// The best cut if the feature is usable: rows on the left, gain, gain ratio.
pub fn cut<W: Weighing>(
    scan: &KnownRows<'_, W>,
    feature: u32,
    least: f64,
    f: &XLog2X,
    context: &Context,
    scratch: &mut BlockScratch<CellOf<W>>,
) -> Result<Option<(u32, f64, f64)>> {
    let Some(limits) = c45::limits(scan, least) else { return Ok(None) };
    let (order, unit) = (scan.order, scan.weights.unit());
    let (first, last) = places(scan, limits.lowest);
    if first > last {
        return Ok(None);
    }
    reached::count(Way::C45Blocks);
    let cuts: u32 = order[first..=last].iter().map(|&e| entry_tied(e) ^ 1).sum();
    let cell = |s: W::Sum| s.cell(unit);
    let known: Vec<_> = scan.known.iter().map(|&s| cell(s)).collect();
    let mut sink = CutSearch {
        scan,
        f,
        from_start: first == 1,
        before: f.one(cell(limits.known)) - known.iter().map(|&c| f.one(c)).sum::<f64>(),
        n: limits.known.value(unit),
        whole: limits.node.value(unit),
        known,
        best: 0.0,
        best_at: 0,
        last: CutPlace { at: 0, gain: 0.0, left: vec![CellOf::<W>::default(); scan.known.len()] },
        gains: Vec::new(),
        logs: Vec::new(),
        sizes: Vec::new(),
    };
    let candidates = Scan {
        feature,
        order,
        known: scan.known,
        totals: scan.known,
        class_of: scan.class_of,
        weights: scan.weights,
        min: Minimum { rows: 1, weight: limits.least - EQUAL, copies: W::UNIT },
        convex: true,
        steps: scan.steps,
    };
    threshold::score_candidates(&candidates, context, scratch, &mut sink)?;
    let at = sink.best_at;
    if at == 0 {
        return Ok(None);
    }
    // Once more from exact sums: what the gain is does not depend on how it was found.
    let left = left_of(scan, at);
    let cells: Vec<_> = left.iter().map(|&s| cell(s)).collect();
    let total = left.iter().fold(W::Sum::default(), |a, &b| a.plus(b));
    Ok(c45::usable_cut(scan, (at, total), cuts, sink.gain(&cells), &|c| f.one(c)))
}

/// Class sums left of a place.
fn left_of<W: Weighing>(scan: &KnownRows<'_, W>, at: usize) -> Vec<W::Sum> {
    let (order, starts) = (&scan.order[..at], scan.class_of.starts);
    let mut from = [0; FEW_CLASSES + 1];
    match scan.weights.fixed() {
        Some(weights) => {
            weighed_sums(Level::active(), order, weights, starts, &mut from[..=starts.len()])
        }
        None => {
            from[0] = at as i64;
            for (from, &start) in from[1..].iter_mut().zip(starts) {
                *from =
                    i64::from(order.iter().map(|&e| u32::from(entry_row(e) >= start)).sum::<u32>());
            }
        }
    }
    from.windows(2).take(starts.len() + 1).map(|w| W::Sum::from_units(w[0] - w[1])).collect()
}

/// First and last place with so much on both sides.
fn places<W: Weighing>(scan: &KnownRows<'_, W>, lowest: W::Sum) -> (usize, usize) {
    let n = scan.order.len();
    match scan.weights.fixed() {
        Some(weights) => {
            let known: i64 = scan.known.iter().map(|s| s.units()).sum();
            let (first, last) = weighed::heavy_enough(
                (scan.order, weights, scan.steps),
                known,
                lowest.units(),
                scan.known.len(),
            );
            (first.max(1), last.min(n - 1))
        }
        None => {
            let least = (lowest.units() as usize).max(1);
            (least, n - least.min(n))
        }
    }
}

/// A place that was looked at.
struct CutPlace<C> {
    at: usize,
    gain: f64,
    /// Known rows on its left, by class.
    left: Vec<C>,
}

/// Compares cuts in their order.
struct CutSearch<'s, 'a, W: Weighing> {
    scan: &'s KnownRows<'a, W>,
    f: &'s XLog2X,
    /// The first place of all is a cut.
    from_start: bool,
    /// `n H(c)` of the known rows.
    before: f64,
    n: f64,
    whole: f64,
    known: Vec<CellOf<W>>,
    best: f64,
    best_at: usize,
    last: CutPlace<CellOf<W>>,
    gains: Vec<f64>,
    logs: Vec<f64>,
    sizes: Vec<CellOf<W>>,
}

impl<W: Weighing> CutSearch<'_, '_, W> {
    /// The gain from what the branches' `sum_c f(n_mc) - f(n_m)` add up to.
    fn settle(&self, sum: f64) -> f64 {
        gain_of_cut(self.before + sum, self.n, self.whole)
    }

    /// The gain of one cut.
    fn gain(&self, left: &[CellOf<W>]) -> f64 {
        let side = |cells: &mut dyn Iterator<Item = CellOf<W>>| {
            let (mut sum, mut size) = (0.0, CellOf::<W>::default());
            for c in cells {
                sum += self.f.one(c);
                size = size.plus(c);
            }
            sum - self.f.one(size)
        };
        let right =
            &mut self.known.iter().zip(left).map(|(k, &l)| k.minus(if l > *k { *k } else { l }));
        self.settle(side(&mut left.iter().copied()) + side(right))
    }

    fn compare(&mut self, at: usize, gain: f64) {
        if gain - self.best > EQUAL {
            (self.best, self.best_at) = (gain, at);
        }
    }

    /// Compare the cuts between the last place and `at`, all of whose rows are of one class.
    fn between(&mut self, at: usize) {
        let scan = self.scan;
        let from = self.last.at;
        if from + 1 >= at || (from == 0 && !self.from_start) {
            return;
        }
        let class = scan.class_of.codes[entry_row(scan.order[from]) as usize] as usize;
        let mut left = self.last.left.clone();
        for i in from + 1..at {
            let weight = scan.weights.of(entry_row(scan.order[i - 1]));
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
        let (len, k, stride) = (block.tables.len, block.tables.classes, block.tables.stride);
        let Some(cells) = CellOf::<W>::of_cells(block.tables.cells) else {
            return Err(Error::Internal("cuts of another kind of count".into()));
        };
        let mut gains = std::mem::take(&mut self.gains);
        gains.clear();
        gains.resize(len, 0.0);
        self.logs.resize(len, 0.0);
        for m in 0..2 {
            self.sizes.clear();
            self.sizes.resize(len, CellOf::<W>::default());
            for c in 0..k {
                let plane = &cells[(m * k + c) * stride..][..len];
                self.f.all(plane, &mut self.logs);
                let sizes = self.sizes.iter_mut().zip(plane);
                for ((gain, log), (size, &x)) in gains.iter_mut().zip(&self.logs).zip(sizes) {
                    *gain += log;
                    *size = size.plus(x);
                }
            }
            self.f.all(&self.sizes, &mut self.logs);
            gains.iter_mut().zip(&self.logs).for_each(|(gain, log)| *gain -= log);
        }
        for (j, (&at, sum)) in block.at.iter().zip(&gains).enumerate() {
            let (at, gain) = (at as usize, self.settle(*sum));
            if gain.max(self.last.gain) > self.best + 0.999 * EQUAL {
                if j > 0 {
                    let before = (0..k).map(|c| cells[c * stride + j - 1]);
                    self.last.left.iter_mut().zip(before).for_each(|(l, x)| *l = x);
                }
                self.between(at);
                self.compare(at, gain);
            }
            (self.last.at, self.last.gain) = (at, gain);
        }
        if len > 0 {
            let last = (0..k).map(|c| cells[c * stride + len - 1]);
            self.last.left.iter_mut().zip(last).for_each(|(l, x)| *l = x);
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
    use crate::simd::columns::weighed_steps;
    use crate::simd::logs::QuickLog;
    use crate::split::threshold::ClassOf;
    use crate::stats::{FixedWeights, UnitWeights};

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

        fn sums<W: Weighing>(&self, weights: W, entries: impl Iterator<Item = u32>) -> Vec<W::Sum> {
            let mut sums = vec![W::Sum::default(); self.starts.len() + 1];
            for row in entries {
                let sum = &mut sums[usize::from(self.codes[row as usize])];
                *sum = sum.plus(weights.of(row));
            }
            sums
        }

        /// Blocks, runs, and every cut for itself: rows on the left, gain, gain ratio.
        fn check<W: Weighing>(&self, weights: W, told: &str) -> usize {
            let context = Context::new(self.starts.len() + 1, 10_000);
            let f = XLog2X::new(context.logs, QuickLog::new());
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
            let blocks =
                cut(&scan, 0, self.least, &f, &context, &mut BlockScratch::default()).unwrap();
            let runs = c45::runs(&scan, self.least, |c| f.one(c));
            let truth = self.truth(&scan);
            assert_eq!(blocks.map(|b| b.0), truth.map(|t| t.0), "{told}");
            assert_eq!(runs.map(|b| b.0), truth.map(|t| t.0), "{told}");
            if let (Some(b), Some(r), Some(t)) = (blocks, runs, truth) {
                let close = |x: f64, y: f64| (x - y).abs() < 1e-9;
                assert!(
                    close(b.1, t.1) && close(b.1, r.1) && close(b.2, r.2),
                    "{told}: {b:?} {r:?} {t:?}"
                );
            }
            usize::from(blocks.is_some())
        }

        /// The definition: cuts one after the other, each with entropies of its own.
        fn truth<W: Weighing>(&self, scan: &KnownRows<'_, W>) -> Option<(u32, f64)> {
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
    fn blocks_find_the_cut_that_every_cut_for_itself_gives() {
        let mut found = 0;
        for seed in 0..600 {
            let case = Case::new(seed);
            found += case.check(UnitWeights, &format!("rows {seed}"));
            let weights = FixedWeights { values: &case.weights, unit: UNIT };
            found += case.check(weights, &format!("weights {seed}"));
        }
        assert!(found > 300, "{found} of 1200 had a usable cut");
    }
}

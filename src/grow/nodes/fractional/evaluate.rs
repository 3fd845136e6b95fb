//! Finds the best split of a node with fractional instances.
//!
//! Features are scored on their known rows, by the criterion's own formula ([`BestOfEach`]) and
//! scaled by the known share of the node's weight, or by C4.5's rule (`split::c45`). A node of
//! whole rows of weight 1 is counted in integers, any other in weights.

use super::context::FractionalContext;
use super::rows::FractionalRows;
use crate::criteria::c45::XLog2X;
use crate::criteria::{GainFilter, SplitRule};
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::grow::context::FeaturePlace;
use crate::grow::features::search_among;
use crate::grow::options::Thresholds;
use crate::grow::search::{
    BestSplit, DeclaredLevels, NodeSums, NodeTables, NominalTest, SearchWork, choose, nominal_test,
    score_nominal,
};
use crate::numeric::{Ties, mix};
use crate::parallel::{self, Control};
use crate::simd::Level;
use crate::simd::columns::{MOST_CLASSES, weighed_steps, weighed_sums};
use crate::split::c45::{self, KnownRows, Usable};
use crate::split::cuts;
use crate::split::multiway::{Minimum, NominalTable};
use crate::split::random::Draws;
use crate::split::splitter;
use crate::split::subset::FeatureLevels;
use crate::split::threshold::{self, ClassOf, Scan};
use crate::split::{BestOfEach, BlockScratch, CutRule, NominalSplits, NumericRows, Scored};
use crate::stats::contingency::{Code, CodedRows, ContingencyTables, CountingPlanes, count};
use crate::stats::{CellOf, FixedWeights, Sum, UnitWeights, Weighing};
use crate::tree::{Test, Threshold};
use std::borrow::Cow;

/// Rows times features above which the features of one node are looked at by several threads.
const WIDE_NODE: usize = 1 << 16;

/// The best candidate of a node whose class sums, in units, are `sums`; `key` decides random
/// choices.
pub(super) fn pick<C: Code>(
    base: &FractionalContext<'_>,
    parts: &FractionalRows<C>,
    sums: &[i64],
    key: u64,
    control: &Control,
) -> Result<Option<BestSplit<i64>>> {
    if parts.whole {
        let totals: Vec<u32> = sums.iter().map(|&s| base.rows_in(s)).collect();
        FractionalEvaluator::new(base, parts, UnitWeights, totals, key).pick(control)
    } else {
        let weights = FixedWeights { values: &parts.weights, unit: base.unit };
        FractionalEvaluator::new(base, parts, weights, sums.to_vec(), key).pick(control)
    }
}

pub(super) struct FractionalEvaluator<'v, C, W: Weighing> {
    pub base: &'v FractionalContext<'v>,
    pub parts: &'v FractionalRows<C>,
    pub weights: W,
    pub totals: Vec<W::Sum>,
    /// First row of the classes 1, 2, ...
    starts: Vec<u32>,
    contingency: ContingencyTables<W::Sum>,
    pub min: Minimum,
    pub key: u64,
}

impl<'v, C: Code, W: Weighing> FractionalEvaluator<'v, C, W> {
    fn new(
        base: &'v FractionalContext<'v>,
        parts: &'v FractionalRows<C>,
        weights: W,
        totals: Vec<W::Sum>,
        key: u64,
    ) -> Self {
        let starts = (1..totals.len().max(1))
            .map(|c| parts.classes.partition_point(|&x| usize::from(x) < c) as u32);
        let n = parts.len();
        let contingency = match base.nominal.is_empty() {
            true => ContingencyTables::default(),
            false => count(
                CodedRows {
                    codes: &parts.codes,
                    classes: &parts.classes,
                    rows: &base.numbers[..n],
                },
                &base.layout,
                weights,
                &mut CountingPlanes::default(),
            ),
        };
        let (starts, min) = (starts.collect(), base.minimum(parts.whole));
        Self { base, parts, weights, totals, starts, contingency, min, key }
    }

    fn class_of(&self) -> ClassOf<'_> {
        ClassOf { codes: &self.parts.classes, starts: &self.starts }
    }

    fn sum(sums: &[W::Sum]) -> W::Sum {
        sums.iter().fold(W::Sum::default(), |a, &b| a.plus(b))
    }

    /// Class sums of some rows of an order.
    fn sums_of(&self, order: &[u32]) -> Vec<W::Sum> {
        let k = self.totals.len();
        if let Some(weights) = self.weights.fixed().filter(|_| (1..=MOST_CLASSES).contains(&k)) {
            let mut units = [0; MOST_CLASSES];
            let units = &mut units[..k];
            weighed_sums(Level::active(), order, weights, &self.starts, units);
            let later = units[1..].iter().copied().chain([0]);
            return units
                .iter()
                .zip(later)
                .map(|(&from, later)| W::Sum::from_units(from - later))
                .collect();
        }
        let mut sums = vec![W::Sum::default(); self.totals.len()];
        for &entry in order {
            let row = entry_row(entry);
            let sum = &mut sums[self.parts.classes[row as usize] as usize];
            *sum = sum.plus(self.weights.of(row));
        }
        sums
    }

    /// Class sums of the rows in which a numeric feature is known.
    fn known(&self, order: &[u32]) -> Vec<W::Sum> {
        if order.len() == self.parts.len() { self.totals.clone() } else { self.sums_of(order) }
    }

    /// The same, and the weight left of every step of entries where it can be had.
    fn known_with_steps(&self, order: &[u32], steps: &mut Vec<i64>) -> Vec<W::Sum> {
        let k = self.totals.len();
        let Some(weights) = self.weights.fixed().filter(|_| (1..=MOST_CLASSES).contains(&k)) else {
            steps.clear();
            return self.known(order);
        };
        weighed_steps(Level::active(), order, weights, &self.starts, steps);
        let from = |c: usize| if c < k { steps[(c + 1) * (steps.len() / k) - 1] } else { 0 };
        (0..k).map(|c| W::Sum::from_units(from(c) - from(c + 1))).collect()
    }

    /// Share of the node's weight in which a feature is known.
    pub fn share(&self, known: &[W::Sum]) -> f64 {
        if *known == *self.totals {
            return 1.0;
        }
        Self::sum(known).value(self.weights.unit())
            / Self::sum(&self.totals).value(self.weights.unit())
    }

    /// Table of known rows of a nominal feature, and their class sums.
    pub fn table(&self, nominal: usize) -> (&[W::Sum], Vec<W::Sum>) {
        let k = self.totals.len();
        let cells = self.contingency.table(&self.base.layout, nominal);
        let (cells, missing) = cells.split_at(cells.len() - k);
        (cells, self.totals.iter().zip(missing).map(|(t, &m)| t.minus(m)).collect())
    }

    fn score_numeric(
        &self,
        numeric: usize,
        scratch: &mut BlockScratch<CellOf<W>>,
        (top, best): (f64, &mut BestOfEach<'_>),
    ) -> Result<f64> {
        let order = self.parts.order(numeric);
        let mut steps = std::mem::take(&mut scratch.steps);
        let known = self.known_with_steps(order, &mut steps);
        let share = self.share(&known);
        if top > 0.0 {
            // Below this a score is smaller than the best so far whatever roundings do.
            best.above(top / share * (1.0 - 1e-12));
        }
        let scan = Scan {
            feature: self.base.numeric[numeric].feature,
            order,
            known: &known,
            totals: &known,
            class_of: self.class_of(),
            weights: self.weights,
            min: self.min,
            convex: self.base.setting.criterion.info().convex,
            steps: &steps,
        };
        let context = &self.base.setting.context;
        match self.cut(numeric) {
            CutRule::Every => threshold::score_candidates(&scan, context, scratch, best)?,
            CutRule::Nowhere => (),
            CutRule::At { left, .. } => {
                let sums = self.sums_of(&order[..left]);
                splitter::score_candidates(&scan, left, &sums, context, scratch, best)?;
            }
        }
        scratch.steps = steps;
        Ok(share)
    }

    /// The thresholds of a numeric feature that are tried.
    fn cut(&self, numeric: usize) -> CutRule {
        let f = &self.base.numeric[numeric];
        let value = |e: u32| f.column.value(self.parts.rows[entry_row(e) as usize]);
        let (feature, order) = (f.feature, self.parts.order(numeric));
        let rows = NumericRows { feature, order, value, weights: self.weights };
        self.base.setting.splitter.cut(&rows, Draws::new(self.base.setting.seed, self.key))
    }

    /// A candidate as a split, whose branches are counted when the rows are divided.
    fn picked(&self, feature: u32, at: u32, score: f64) -> BestSplit<i64> {
        let (mut at, mut levels, mut branch_of) = (at, Vec::new(), Vec::new());
        let (test, branches) = match self.place(feature) {
            FeaturePlace::Numeric(numeric) => {
                let (threshold, left) = self.threshold(numeric, at);
                at = left;
                (Test::Threshold(threshold), 2)
            }
            FeaturePlace::Nominal(nominal) => {
                let declared = self.base.nominal[nominal].levels;
                let found = if self.base.rule == SplitRule::C45
                    && self.base.splits(nominal) != NominalSplits::Multiway
                {
                    // C4.5's rule names the level that stands against the others.
                    NominalTest {
                        test: Test::Subset { first: 0, len: 1 },
                        levels: vec![at],
                        branch_of: (0..declared).map(|level| u16::from(level != at)).collect(),
                    }
                } else {
                    nominal_test(self, nominal, at)
                };
                (levels, branch_of) = (found.levels, found.branch_of);
                let multiway = matches!(found.test, Test::Multiway);
                (found.test, if multiway { declared as usize } else { 2 })
            }
        };
        BestSplit {
            feature,
            at,
            test,
            score,
            distance: 0.0,
            improvement: 0.0,
            branches,
            sums: Vec::new(),
            sizes: Vec::new(),
            missing: false,
            levels,
            branch_of,
        }
    }

    /// The threshold of a candidate, and the rows of the order that it sends to the left.
    fn threshold(&self, numeric: usize, at: u32) -> (Threshold, u32) {
        let (base, order, at) = (self.base, self.parts.order(numeric), at as usize);
        let column = base.numeric[numeric].column;
        let value = |e: u32| column.value(self.parts.rows[entry_row(e) as usize]);
        let between = (value(order[at - 1]), value(order[at]));
        // C4.5 divides by the comparison, whatever it counted on the left.
        let left = if base.rule == SplitRule::C45 { value(order[0]) } else { between.0 };
        let t = match self.cut(numeric).threshold() {
            Some(t) if base.setting.thresholds == Thresholds::Midpoint => t.into(),
            _ => base.setting.threshold(base.data, column, between, left),
        };
        let at =
            if t.reach < between.0 { order.partition_point(|&e| value(e) <= t.reach) } else { at };
        (t, at as u32)
    }

    /// Fractional instances of each level.
    fn sizes(&self, nominal: usize) -> Vec<u32> {
        let (width, levels) = (self.base.nominal.len(), self.base.nominal[nominal].levels as usize);
        let mut sizes = vec![0; levels + 1];
        self.parts.codes.chunks_exact(width).for_each(|codes| sizes[codes[nominal].index()] += 1);
        sizes.truncate(levels);
        sizes
    }

    fn nominal_place(&self, feature: u32) -> usize {
        self.base.nominal.partition_point(|f| f.feature < feature)
    }

    /// Best candidate of each wanted feature, in feature order. Features that cannot be chosen may
    /// be left out.
    fn best(&self, wanted: &[bool], control: &Control) -> Result<Vec<Scored>> {
        let (base, setting) = (self.base, self.base.setting);
        let best_of =
            |feature: u32, top: f64, work: &mut SearchWork<W::Sum>| -> Result<Vec<Scored>> {
                let mut best =
                    BestOfEach::new(setting.criterion, setting.ties, false).watched(control);
                let share = match base.numeric_place(feature) {
                    Some(i) => self.score_numeric(i, &mut work.scratch, (top, &mut best))?,
                    None => {
                        let nominal = self.nominal_place(feature);
                        let known = self.table(nominal).1;
                        let (place, memory) = (std::iter::once(nominal), (&mut *work, &mut ()));
                        score_nominal(self, place, &known, memory, &mut best)?;
                        self.share(&known)
                    }
                };
                best.finish(&setting.context)?;
                best.features.iter_mut().for_each(|b| b.score *= share);
                Ok(best.features)
            };
        let p = base.data.columns().len();
        if control.threads() > 1 && self.parts.len() * p > WIDE_NODE {
            let found = parallel::map(control, p, |f| match wanted[f] {
                true => best_of(f as u32, f64::NEG_INFINITY, &mut SearchWork::default()),
                false => Ok(Vec::new()),
            })?;
            return Ok(found.into_iter().flatten().collect());
        }
        // Where the largest score decides, and nothing else, a feature may shut out later ones.
        let winner_only = setting.gain_filter == GainFilter::None && setting.ties == Ties::First;
        let (mut work, mut found, mut top) = (SearchWork::default(), Vec::new(), f64::NEG_INFINITY);
        for f in (0..p).filter(|&f| wanted[f]) {
            let scored = best_of(f as u32, top, &mut work)?;
            if winner_only {
                top = scored.iter().fold(top, |top, s| if s.score > top { s.score } else { top });
            }
            found.extend(scored);
        }
        Ok(found)
    }

    /// Splits that C4.5 would consider, in feature order.
    fn usable(&self, wanted: &[bool], control: &Control) -> Result<Vec<Usable>> {
        let base = self.base;
        let least = base.setting.limits.min_samples_leaf as f64;
        let context = &base.setting.context;
        let logs = XLog2X::new(context.logs, base.quick);
        let f = |cell: CellOf<W>| logs.one(cell);
        let unit = self.weights.unit();
        let best_of = |feature: u32, scratch: &mut BlockScratch<_>| -> Result<Option<Usable>> {
            let found = if let Some(i) = base.numeric_place(feature) {
                let order = self.parts.order(i);
                let mut steps = std::mem::take(&mut scratch.steps);
                let known = self.known_with_steps(order, &mut steps);
                let scan = KnownRows {
                    order,
                    known: &known,
                    totals: &self.totals,
                    class_of: self.class_of(),
                    weights: self.weights,
                    steps: &steps,
                };
                let found = if known.len() <= cuts::FEW_CLASSES {
                    cuts::cut(&scan, feature, least, &logs, context, scratch)?
                } else {
                    c45::runs(&scan, least, f)
                };
                scratch.steps = steps;
                found
            } else {
                let (cells, _) = self.table(self.nominal_place(feature));
                let cells: Vec<_> = cells.iter().map(|s| s.cell(unit)).collect();
                let totals: Vec<_> = self.totals.iter().map(|s| s.cell(unit)).collect();
                if base.setting.nominal_splits == NominalSplits::OneVsRest {
                    c45::lone_level(&cells, &totals, least, &f)
                } else {
                    c45::branches(&cells, &totals, least, &f).map(|(gain, ratio)| (0, gain, ratio))
                }
            };
            let many = base.many[feature as usize];
            Ok(found.map(|(at, gain, ratio)| Usable { feature, at, gain, ratio, many }))
        };
        let p = base.data.columns().len();
        if control.threads() > 1 && self.parts.len() * p > WIDE_NODE {
            let found = parallel::map(control, p, |f| match wanted[f] {
                true => best_of(f as u32, &mut BlockScratch::default()),
                false => Ok(None),
            })?;
            return Ok(found.into_iter().flatten().collect());
        }
        let (mut scratch, mut found) = (BlockScratch::default(), Vec::new());
        for f in (0..p).filter(|&f| wanted[f]) {
            found.extend(best_of(f as u32, &mut scratch)?);
        }
        Ok(found)
    }

    fn among(&self, wanted: &[bool], control: &Control) -> Result<Option<BestSplit<i64>>> {
        if self.base.rule == SplitRule::C45 {
            let usable = self.usable(wanted, control)?;
            let chosen = c45::choose(&usable, self.base.setting.gain_filter, wanted.len());
            return Ok(chosen.map(|u| self.picked(u.feature, u.at, u.ratio)));
        }
        let choice = choose(self, self.best(wanted, control)?)?;
        Ok(choice.map(|c| self.picked(c.feature, c.at, c.score)))
    }

    fn pick(self, control: &Control) -> Result<Option<BestSplit<i64>>> {
        let (setting, p) = (self.base.setting, self.base.data.columns().len());
        search_among(p, setting.max_features, mix(setting.seed, self.key), |wanted| {
            self.among(wanted, control)
        })
    }
}

impl<C: Code, W: Weighing> NodeTables for FractionalEvaluator<'_, C, W> {
    type Sum = W::Sum;
    type Memory = ();

    fn node(&self) -> NodeSums<'_, W::Sum> {
        let (setting, unit) = (self.base.setting, self.weights.unit());
        NodeSums { setting, totals: &self.totals, unit }
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn features(&self) -> usize {
        self.base.data.columns().len()
    }

    fn minimum(&self) -> Minimum {
        self.min
    }

    fn place(&self, feature: u32) -> FeaturePlace {
        match self.base.numeric_place(feature) {
            Some(numeric) => FeaturePlace::Numeric(numeric),
            None => FeaturePlace::Nominal(self.nominal_place(feature)),
        }
    }

    fn declared(&self, nominal: usize) -> DeclaredLevels<'_> {
        let column = &self.base.nominal[nominal];
        DeclaredLevels {
            levels: column.levels,
            missing: false,
            edges: column.cuts,
            splits: self.base.splits(nominal),
        }
    }

    fn levels(&self, nominal: usize, counted: bool, _: &mut ()) -> FeatureLevels<'_, W::Sum> {
        let column = &self.base.nominal[nominal];
        let cells = Cow::Borrowed(self.table(nominal).0);
        FeatureLevels {
            table: NominalTable { feature: column.feature, cells, missing: false },
            ordered: column.cuts.is_some(),
            rows: counted.then(|| self.sizes(nominal)),
        }
    }

    fn sums_of_cut(&self, numeric: usize, at: u32) -> (Vec<W::Sum>, bool) {
        let order = self.parts.order(numeric);
        let known = self.known(order);
        let mut sums = self.sums_of(&order[..at as usize]);
        let right: Vec<_> = known.iter().zip(&sums).map(|(a, &b)| a.minus(b)).collect();
        sums.extend(right);
        (sums, false)
    }

    fn scored_rows(&self, place: FeaturePlace) -> (Cow<'_, [W::Sum]>, f64) {
        let known = match place {
            FeaturePlace::Numeric(numeric) => self.known(self.parts.order(numeric)),
            FeaturePlace::Nominal(nominal) => self.table(nominal).1,
        };
        let share = self.share(&known);
        (known.into(), share)
    }

    fn first_row(&self, numeric: usize, at: u32) -> u32 {
        let order = self.parts.order(numeric);
        let original = |at: usize| {
            self.base.data.original()[self.parts.rows[entry_row(order[at]) as usize] as usize]
        };
        let mut at = at as usize - 1;
        let mut first = original(at);
        while entry_tied(order[at]) == 1 {
            at -= 1;
            first = first.min(original(at));
        }
        first
    }
}

//! One node in parts looked at: which split is best.
//!
//! Features are scored on their known rows, by the criterion's own formula ([`BestOfEach`]) and
//! scaled by the known share of the node's weight, or by C4.5's rule (`split::c45`). A node of
//! whole rows of weight 1 is counted in integers, any other in weights.

use super::context::FractionalContext;
use super::rows::FractionalRows;
use crate::criteria::{Criterion, GainFilter, InfoGain, SplitRule, Tables};
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::grow::features::search_among;
use crate::numeric::{Cells, Count, Ties, mix};
use crate::parallel::{self, Control};
use crate::simd::Level;
use crate::simd::columns::{MOST_CLASSES, weighed_steps, weighed_sums};
use crate::split::c45::{self, KnownRows, Usable, XLog2X};
use crate::split::cuts;
use crate::split::multiway::Minimum;
use crate::split::random::Draws;
use crate::split::splitter::{self, CutRule, NumericRows};
use crate::split::subset::{LevelPartition, NominalSplits};
use crate::split::threshold::{self, ClassOf, Scan};
use crate::split::{BestOfEach, BlockScratch, FeatureBest, Scored, Selector};
use crate::stats::contingency::{Code, CodedRows, ContingencyTables, CountingPlanes, count};
use crate::stats::{CellOf, FixedWeights, Sum, UnitWeights, Weighing};

/// Rows times features above which the features of one node are looked at by several threads.
const WIDE_NODE: usize = 1 << 16;

/// The candidate that was chosen.
#[derive(Debug, Clone)]
pub(super) struct Pick {
    pub feature: u32,
    /// Rows on the left of a threshold.
    pub at: u32,
    pub score: f64,
    /// How levels are divided, where they are not each a branch.
    pub sides: Option<LevelPartition>,
    /// The threshold, where it was drawn.
    pub drawn: Option<f64>,
}

/// The best candidate of a node whose class sums, in units, are `sums`; `key` decides random
/// choices.
pub(super) fn pick<C: Code>(
    base: &FractionalContext<'_>,
    parts: &FractionalRows<C>,
    sums: &[i64],
    key: u64,
    control: &Control,
) -> Result<Option<Pick>> {
    if parts.whole {
        let totals: Vec<u32> = sums.iter().map(|&s| base.rows_in(s)).collect();
        FractionalEvaluator::new(base, parts, UnitWeights, totals, key).pick(key, control)
    } else {
        let weights = FixedWeights { values: &parts.weights, unit: base.unit };
        FractionalEvaluator::new(base, parts, weights, sums.to_vec(), key).pick(key, control)
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
    pub draws: Draws,
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
        let draws = Draws::new(base.setting.seed, key);
        Self { base, parts, weights, totals, starts, contingency, min, draws }
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

    /// The same, and the weight left of every so many entries where it can be had.
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
        self.base.setting.splitter.cut(&rows, self.draws)
    }

    fn picked(&self, feature: u32, at: u32, score: f64) -> Pick {
        let place = self.base.numeric_place(feature);
        let drawn = place.and_then(|i| self.cut(i).threshold());
        let sides = match place {
            None => {
                let nominal = self.nominal_place(feature);
                (self.base.splits(nominal) != NominalSplits::Multiway)
                    .then(|| self.sides(nominal, at))
            }
            Some(_) => None,
        };
        Pick { feature, at, score, sides, drawn }
    }

    fn nominal_place(&self, feature: u32) -> usize {
        self.base.nominal.partition_point(|f| f.feature < feature)
    }

    /// Best candidate of each wanted feature, in feature order. Features that cannot be chosen may
    /// be left out.
    fn best(&self, wanted: &[bool], control: &Control) -> Result<Vec<Scored>> {
        let (base, setting) = (self.base, self.base.setting);
        let best_of =
            |feature: u32, top: f64, scratch: &mut BlockScratch<_>| -> Result<Vec<Scored>> {
                let mut best =
                    BestOfEach::new(setting.criterion, setting.ties, false).watched(control);
                let share = match base.numeric_place(feature) {
                    Some(i) => self.score_numeric(i, scratch, (top, &mut best))?,
                    None => self.score_nominal(self.nominal_place(feature), scratch, &mut best)?,
                };
                best.finish(&setting.context)?;
                best.features.iter_mut().for_each(|b| b.score *= share);
                Ok(best.features)
            };
        let p = base.data.columns().len();
        if control.threads() > 1 && self.parts.len() * p > WIDE_NODE {
            let found = parallel::map(control, p, |f| match wanted[f] {
                true => best_of(f as u32, f64::NEG_INFINITY, &mut BlockScratch::default()),
                false => Ok(Vec::new()),
            })?;
            return Ok(found.into_iter().flatten().collect());
        }
        // Where the largest score decides, and nothing else, a feature may shut out later ones.
        let winner_only = setting.gain_filter == GainFilter::None && setting.ties == Ties::First;
        let (mut scratch, mut found, mut top) =
            (BlockScratch::default(), Vec::new(), f64::NEG_INFINITY);
        for f in (0..p).filter(|&f| wanted[f]) {
            let scored = best_of(f as u32, top, &mut scratch)?;
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

    fn among(&mut self, wanted: &[bool], key: u64, control: &Control) -> Result<Option<Pick>> {
        let setting = self.base.setting;
        let p = wanted.len();
        if self.base.rule == SplitRule::C45 {
            let usable = self.usable(wanted, control)?;
            let chosen = c45::choose(&usable, setting.gain_filter, p);
            return Ok(chosen.map(|u| self.picked(u.feature, u.at, u.ratio)));
        }
        let best = self.best(wanted, control)?;
        let selector =
            Selector { gain_filter: setting.gain_filter, ties: setting.ties, features: p };
        let choice = selector.choose(best, self, mix(setting.seed, !key))?;
        Ok(choice.map(|c| self.picked(c.feature, c.at, c.score)))
    }

    fn pick(mut self, key: u64, control: &Control) -> Result<Option<Pick>> {
        let setting = self.base.setting;
        let p = self.base.data.columns().len();
        search_among(p, setting.max_features, mix(setting.seed, key), |wanted| {
            self.among(wanted, key, control)
        })
    }
}

impl<C: Code, W: Weighing> FeatureBest for FractionalEvaluator<'_, C, W> {
    fn gain(&mut self, feature: u32, at: u32) -> Result<f64> {
        let unit = self.weights.unit();
        let (sums, known) = match self.base.numeric_place(feature) {
            Some(i) => {
                let order = self.parts.order(i);
                let known = self.known(order);
                let mut sums = self.sums_of(&order[..at as usize]);
                let right: Vec<_> = known.iter().zip(&sums).map(|(a, &b)| a.minus(b)).collect();
                sums.extend(right);
                (sums, known)
            }
            None => {
                let nominal = self.nominal_place(feature);
                let (cells, known) = self.table(nominal);
                match self.base.splits(nominal) {
                    NominalSplits::Multiway => (cells.to_vec(), known),
                    _ => (self.partitions(nominal).sums(at).0, known),
                }
            }
        };
        let cells: Vec<_> = sums.iter().map(|s| s.cell(unit)).collect();
        let totals: Vec<_> = known.iter().map(|s| s.cell(unit)).collect();
        let branches = cells.len() / totals.len();
        let table = one_table(
            Count::cells(&cells),
            Count::cells(&totals),
            branches,
            self.base.setting,
            &[2],
        );
        let mut out = [0.0];
        Criterion::score(&InfoGain::default(), &table, &mut out)?;
        Ok(out[0] * self.share(&known))
    }

    fn first_row(&mut self, feature: u32, at: u32) -> u32 {
        let Some(i) = self.base.numeric_place(feature) else { return 0 };
        let order = self.parts.order(i);
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

/// A table alone, as criteria read it.
pub(super) fn one_table<'t>(
    cells: Cells<'t>,
    totals: Cells<'t>,
    branches: usize,
    setting: &'t crate::grow::options::GrowthSetting<'_>,
    declared: &'t [u32],
) -> Tables<'t> {
    let classes = setting.context.classes;
    Tables {
        cells,
        totals,
        branches,
        classes,
        stride: 1,
        len: 1,
        declared,
        context: &setting.context,
    }
}

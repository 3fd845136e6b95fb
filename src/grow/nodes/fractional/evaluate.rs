//! The search of a node of fractional instances for its best split ([`best_split`]).
//!
//! Features are scored on the instances whose value is known: by the criterion's formula
//! ([`BestOfEach`]), scaled by the known share of the node's weight, or by C4.5's rule
//! ([`crate::split::c45`]). A node of whole rows of weight 1 is counted in integers, any other node
//! in weights. O(instances x features), plus the formula per candidate. The branches are counted by
//! the caller, with the fractions that they take.

use super::context::{FractionSums, FractionalContext, FractionalNumeric};
use super::rows::FractionalRows;
use crate::criteria::c45::XLog2X;
use crate::criteria::{GainFilter, SplitRule};
use crate::data::entry_row;
use crate::error::Result;
use crate::grow::constraints::{PathLimits, weight_and_value};
use crate::grow::context::{FeaturePlace, WIDE_NODE};
use crate::grow::features::search_among;
use crate::grow::options::Thresholds;
use crate::grow::search::{
    BestSplit, BranchSums, DeclaredLevels, NodeSums, NodeTables, NominalTest, SearchScratch,
    choose_candidate, first_tied_row, nominal_test, score_nominal,
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
use crate::split::threshold::{self, ClassOf, Scan, Scanning};
use crate::split::{BestOfEach, BestOfFeature, BlockScratch, CutRule, NominalSplits, NumericRows};
use crate::stats::contingency::{ContingencyTables, count};
use crate::stats::{CellOf, RowCopies, Sum};
use crate::tree::{Test, Threshold};
use std::borrow::Cow;

/// More than the relative error that scaling a score by a share makes, which is a few times 1e-16.
/// A candidate that would win after rounding must not be left out before it.
const SCALING_ERROR: f64 = 1e-12;

/// The best split of a node; its branches are not counted yet, and no limit has accepted it.
///
/// `instances` are the instances of the node, `sums` are its class sums in units, and `fractions`
/// says what a fraction of a row adds to them. `key` is the key of the node's random choices, and
/// `path` has the limits that the path to the node sets.
///
/// # Errors
/// A score that is not a number, or cancellation.
pub(super) fn best_split<F: FractionSums>(
    context: &FractionalContext<'_>,
    fractions: &F,
    instances: &FractionalRows,
    sums: &[F::Sum],
    key: u64,
    path: Option<&PathLimits>,
    control: &Control,
) -> Result<Option<BestSplit<F::Sum>>> {
    if F::ARE_WEIGHTS && instances.whole {
        let totals: Vec<u32> = sums.iter().map(|sum| context.rows_in(sum.units())).collect();
        let node = FractionalEvaluator::new(context, instances, RowCopies(None), totals, key);
        FractionalEvaluator { path, ..node }.best_split(control)
    } else {
        let weights = fractions.instances(&instances.rows, &instances.weights, context.unit);
        let node = FractionalEvaluator::new(context, instances, weights, sums.to_vec(), key);
        FractionalEvaluator { path, ..node }.best_split(control)
    }
}

/// A node under evaluation.
pub(super) struct FractionalEvaluator<'v, W: Scanning> {
    pub context: &'v FractionalContext<'v>,
    pub instances: &'v FractionalRows,
    pub weights: W,
    /// Class sums of the node.
    pub totals: Vec<W::Sum>,
    /// First instance of the classes 1, 2, ...
    starts: Vec<u32>,
    /// The tables of the nominal features.
    contingency: ContingencyTables<W::Sum>,
    /// The smallest size of a branch with rows.
    pub min: Minimum,
    /// Key of the node's random choices.
    pub key: u64,
    /// The limits that the path to the node sets; `None` without constraints.
    path: Option<&'v PathLimits>,
}

impl<'v, W: Scanning> FractionalEvaluator<'v, W> {
    fn new(
        context: &'v FractionalContext<'v>,
        instances: &'v FractionalRows,
        weights: W,
        totals: Vec<W::Sum>,
        key: u64,
    ) -> Self {
        let starts = (1..totals.len().max(1)).map(|class| {
            instances.classes.partition_point(|&other| usize::from(other) < class) as u32
        });
        let contingency = match context.nominal.is_empty() {
            true => ContingencyTables::default(),
            false => count(instances.coded(context), &context.layout, weights),
        };
        let (starts, min) = (starts.collect(), context.minimum(instances.whole));
        Self { context, instances, weights, totals, starts, contingency, min, key, path: None }
    }

    /// The classes of the instances, by their numbers.
    fn class_of(&self) -> ClassOf<'_> {
        ClassOf { codes: &self.instances.classes, starts: &self.starts }
    }

    /// The weights of the instances, if they are fixed-point numbers and the kernels can add up the
    /// number of classes of the node.
    fn weights_for_kernel(&self) -> Option<&[i64]> {
        self.weights.fixed().filter(|_| (1..=MOST_CLASSES).contains(&self.totals.len()))
    }

    /// Class sums of some entries of an order.
    fn sums_of(&self, order: &[u32]) -> Vec<W::Sum> {
        let n_classes = self.totals.len();
        if let Some(weights) = self.weights_for_kernel() {
            let mut units = [0; MOST_CLASSES];
            let units = &mut units[..n_classes];
            weighed_sums(order, weights, &self.starts, units);
            // The kernel gives the weight from the first row of each class on.
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
            let sum = &mut sums[self.instances.classes[row as usize] as usize];
            *sum = sum.plus(self.weights.row_sum(row));
        }
        sums
    }

    /// Class sums of the instances of an order, which are all whose value is known.
    fn known_sums(&self, order: &[u32]) -> Vec<W::Sum> {
        if order.len() == self.instances.len() { self.totals.clone() } else { self.sums_of(order) }
    }

    /// [`Self::known_sums`]; and, where weights are fixed point of few classes, the weight at each
    /// step of entries, from the first row of each class on, into `steps`, which is emptied
    /// otherwise.
    fn known_with_steps(&self, order: &[u32], steps: &mut Vec<i64>) -> Vec<W::Sum> {
        let n_classes = self.totals.len();
        let Some(weights) = self.weights_for_kernel() else {
            steps.clear();
            return self.known_sums(order);
        };
        weighed_steps(Level::active(), order, weights, &self.starts, steps);
        let from = |class: usize| {
            if class < n_classes { steps[(class + 1) * (steps.len() / n_classes) - 1] } else { 0 }
        };
        (0..n_classes).map(|class| W::Sum::from_units(from(class) - from(class + 1))).collect()
    }

    /// Share of the node's weight that `known` class sums hold, in [0, 1]. The scores of a feature
    /// are multiplied by it; it is exactly 1 where all rows have a value, so that those scores are
    /// not rounded.
    pub fn share(&self, known: &[W::Sum]) -> f64 {
        if *known == *self.totals {
            return 1.0;
        }
        Sum::total(known).value(self.weights.unit())
            / Sum::total(&self.totals).value(self.weights.unit())
    }

    /// The weight and the value of the rows without a value of a feature, which its branches share.
    fn missing_rows(&self, known: &[W::Sum]) -> Option<(f64, f64)> {
        self.path?;
        let others = self.totals.iter().zip(known).map(|(total, &known)| total.minus(known));
        weight_and_value(&others.collect::<Vec<_>>(), self.weights.unit())
    }

    /// The table of a nominal feature without missing values, and its class sums. The first has
    /// `[code * classes + class]`, the second one sum per class over the rows with a value. C4.5's
    /// rule reads the cells; scores by a formula are scaled by the sums.
    pub fn table(&self, nominal: usize) -> (&[W::Sum], Vec<W::Sum>) {
        let n_classes = self.totals.len();
        let cells = self.contingency.table(&self.context.layout, nominal);
        let (cells, missing) = cells.split_at(cells.len() - n_classes);
        (cells, self.totals.iter().zip(missing).map(|(total, &sum)| total.minus(sum)).collect())
    }

    /// Score the thresholds of a numeric feature into `best`, unscaled; returns the share by which
    /// the scores are to be scaled. Candidates whose scaled score cannot reach `top` are left out.
    fn score_numeric(
        &self,
        numeric: usize,
        top: f64,
        scratch: &mut BlockScratch<CellOf<W>>,
        best: &mut BestOfEach<'_>,
    ) -> Result<f64> {
        let order = self.instances.order(numeric);
        let mut steps = std::mem::take(&mut scratch.steps);
        let known = self.known_with_steps(order, &mut steps);
        let share = self.share(&known);
        best.set_shared_rows(self.missing_rows(&known));
        if top > 0.0 {
            best.set_floor(top / share * (1.0 - SCALING_ERROR));
        }
        let scan = Scan {
            feature: self.context.numeric[numeric].feature,
            order,
            known: &known,
            totals: &known,
            class_of: self.class_of(),
            weights: self.weights,
            min: self.min,
            convex: self.context.setting.criterion.info().convex && self.path.is_none(),
            steps: &steps,
            packed: &[],
        };
        let facts = &self.context.setting.context;
        match self.cut_rule(numeric) {
            CutRule::Every => threshold::score_candidates(&scan, facts, scratch, best)?,
            CutRule::Nowhere => (),
            CutRule::At { left, .. } => {
                let sums = self.sums_of(&order[..left]);
                splitter::score_candidates(&scan, left, &sums, facts, scratch, best)?;
            }
        }
        scratch.steps = steps;
        Ok(share)
    }

    /// Which thresholds of a numeric feature are tried: all of them, or the one that the splitter
    /// picks.
    fn cut_rule(&self, numeric: usize) -> CutRule {
        let FractionalNumeric { feature, column, .. } = self.context.numeric[numeric];
        let value = |entry: u32| column.value(self.instances.rows[entry_row(entry) as usize]);
        let order = self.instances.order(numeric);
        let rows = NumericRows { feature, order, value };
        self.context.setting.splitter.cut(&rows, Draws::new(self.context.setting.seed, self.key))
    }

    /// The split of a candidate, without its branches.
    fn split_of<S>(&self, feature: u32, at: u32, score: f64) -> BestSplit<S> {
        let (mut at, mut levels, mut branch_of) = (at, Vec::new(), Vec::new());
        let (test, branches) = match self.place(feature) {
            FeaturePlace::Numeric(numeric) => {
                let (threshold, left) = self.threshold(numeric, at);
                at = left;
                (Test::Threshold(threshold), 2)
            }
            FeaturePlace::Nominal(nominal) => {
                let declared = self.context.nominal[nominal].levels;
                let nominal_test = if self.context.rule == SplitRule::C45
                    && self.context.splits(nominal) != NominalSplits::Multiway
                {
                    // C4.5's candidates are one level against the others.
                    NominalTest {
                        test: Test::Subset { first: 0, len: 1 },
                        levels: vec![at],
                        branch_of: (0..declared).map(|level| u16::from(level != at)).collect(),
                    }
                } else {
                    nominal_test(self, nominal, at)
                };
                (levels, branch_of) = (nominal_test.levels, nominal_test.branch_of);
                let is_multiway = matches!(nominal_test.test, Test::Multiway);
                (nominal_test.test, if is_multiway { declared as usize } else { 2 })
            }
        };
        BestSplit { levels, branch_of, ..BestSplit::new(feature, at, test, score, branches) }
    }

    /// The threshold of a candidate with `at` entries on its left, and the number of entries that
    /// the threshold itself sends to the left.
    fn threshold(&self, numeric: usize, at: u32) -> (Threshold, u32) {
        let (context, order, at) = (self.context, self.instances.order(numeric), at as usize);
        let column = context.numeric[numeric].column;
        let value = |entry: u32| column.value(self.instances.rows[entry_row(entry) as usize]);
        let (lower, upper) = (value(order[at - 1]), value(order[at]));
        // C4.5 divides by comparison, however many it counted on the left.
        let left = if context.rule == SplitRule::C45 { value(order[0]) } else { lower };
        let threshold = match self.cut_rule(numeric).threshold() {
            Some(drawn) if context.setting.thresholds == Thresholds::Midpoint => drawn.into(),
            _ => context.setting.threshold(context.data, column, [lower, upper], left),
        };
        let at = if threshold.reach < lower {
            order.partition_point(|&entry| value(entry) <= threshold.reach)
        } else {
            at
        };
        (threshold, at as u32)
    }

    /// Rows of each level of a nominal feature, each as often as it is copied.
    fn level_sizes(&self, nominal: usize) -> Vec<u32> {
        let levels = self.context.nominal[nominal].levels as usize;
        let mut sizes = vec![0; levels + 1];
        let codes = self.instances.coded(self.context).column(&self.context.layout, nominal);
        for (code, &row) in codes.zip(&self.instances.rows) {
            sizes[code] += self.context.copies_of(row) as u32;
        }
        sizes.truncate(levels);
        sizes
    }

    /// The place of a nominal feature among the nominal ones.
    fn nominal_place(&self, feature: u32) -> usize {
        self.context.nominal.partition_point(|f| f.feature < feature)
    }

    /// Best candidate of each wanted feature, in feature order, by the criterion's formula.
    /// Features that cannot be chosen may be left out.
    fn best_of_features(&self, wanted: &[bool], control: &Control) -> Result<Vec<BestOfFeature>> {
        let (context, setting) = (self.context, self.context.setting);
        let best_of = |feature: u32,
                       top: f64,
                       scratch: &mut SearchScratch<W::Sum>|
         -> Result<Vec<BestOfFeature>> {
            let mut best = BestOfEach::new(setting.criterion, setting.ties, false)
                .with_guard(self.path.and_then(PathLimits::guard))
                .with_control(control);
            let share = match context.numeric_place(feature) {
                Some(i) => self.score_numeric(i, top, &mut scratch.block, &mut best)?,
                None => {
                    let nominal = self.nominal_place(feature);
                    let known = self.table(nominal).1;
                    best.set_shared_rows(self.missing_rows(&known));
                    score_nominal(self, &[nominal], &known, scratch, &mut (), &mut best)?;
                    self.share(&known)
                }
            };
            best.finish(&setting.context)?;
            best.features.iter_mut().for_each(|b| b.score *= share);
            Ok(best.features)
        };
        // Several threads share the features of a large node.
        let n_features = context.data.columns().len();
        if control.threads() > 1 && self.instances.len() * n_features > WIDE_NODE {
            return parallel::collect(control, n_features, &|f| {
                if wanted[f] {
                    best_of(f as u32, f64::NEG_INFINITY, &mut SearchScratch::default())
                } else {
                    Ok(Vec::new())
                }
            });
        }
        // Where nothing but the largest score decides, later features need to score above it.
        let winner_only = setting.gain_filter == GainFilter::None && setting.ties == Ties::First;
        let (mut scratch, mut candidates) = (SearchScratch::default(), Vec::new());
        let mut top = f64::NEG_INFINITY;
        for f in (0..n_features).filter(|&f| wanted[f]) {
            let of_feature = best_of(f as u32, top, &mut scratch)?;
            if winner_only {
                let larger =
                    |top, best: &BestOfFeature| if best.score > top { best.score } else { top };
                top = of_feature.iter().fold(top, larger);
            }
            candidates.extend(of_feature);
        }
        Ok(candidates)
    }

    /// The best candidate of each wanted feature by C4.5's rule, in feature order.
    fn best_usable(&self, wanted: &[bool], control: &Control) -> Result<Vec<Usable>> {
        let context = self.context;
        let least = context.setting.limits.min_samples_leaf as f64;
        let facts = &context.setting.context;
        let logs = XLog2X::new(facts.logs, context.quick);
        let unit = self.weights.unit();
        let best_of = |feature: u32, scratch: &mut BlockScratch<_>| -> Result<Option<Usable>> {
            // Position, gain and gain ratio: of the best threshold, or of a nominal split.
            let found = if let Some(i) = context.numeric_place(feature) {
                let order = self.instances.order(i);
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
                    cuts::best_cut(&scan, feature, least, &logs, facts, scratch)?
                } else {
                    c45::best_cut(&scan, least, &logs)
                };
                scratch.steps = steps;
                found
            } else {
                let (cells, _) = self.table(self.nominal_place(feature));
                let cells: Vec<_> = cells.iter().map(|sum| sum.cell(unit)).collect();
                let totals: Vec<_> = self.totals.iter().map(|sum| sum.cell(unit)).collect();
                if context.setting.nominal_splits == NominalSplits::OneVsRest {
                    c45::one_vs_rest(&cells, &totals, least, &logs)
                } else {
                    c45::multiway(&cells, &totals, least, &logs)
                }
            };
            let many = context.many[feature as usize];
            Ok(found.map(|split| Usable { feature, split, many }))
        };
        // Several threads share the features of a large node.
        let n_features = context.data.columns().len();
        if control.threads() > 1 && self.instances.len() * n_features > WIDE_NODE {
            return parallel::collect(control, n_features, &|f| {
                if wanted[f] {
                    Ok(best_of(f as u32, &mut BlockScratch::default())?.into_iter().collect())
                } else {
                    Ok(Vec::new())
                }
            });
        }
        let (mut scratch, mut usable) = (BlockScratch::default(), Vec::new());
        for f in (0..n_features).filter(|&f| wanted[f]) {
            usable.extend(best_of(f as u32, &mut scratch)?);
        }
        Ok(usable)
    }

    /// The best split among the wanted features.
    fn best_among<S>(&self, wanted: &[bool], control: &Control) -> Result<Option<BestSplit<S>>> {
        if self.context.rule == SplitRule::C45 {
            let usable = self.best_usable(wanted, control)?;
            let chosen = c45::choose(&usable, self.context.setting.gain_filter, wanted.len());
            return Ok(
                chosen.map(|best| self.split_of(best.feature, best.split.at, best.split.ratio))
            );
        }
        let winner = choose_candidate(self, self.best_of_features(wanted, control)?)?;
        Ok(winner.map(|best| self.split_of(best.feature, best.at, best.score)))
    }

    /// The best split; of features drawn at random, where there is a limit.
    fn best_split<S>(self, control: &Control) -> Result<Option<BestSplit<S>>> {
        let (setting, n_features) = (self.context.setting, self.features());
        let is_allowed = |feature| self.path.is_none_or(|path| path.allows(feature));
        search_among(
            n_features,
            setting.max_features,
            &is_allowed,
            mix(setting.seed, self.key),
            &mut |wanted| self.best_among(wanted, control),
        )
    }
}

impl<W: Scanning> NodeTables for FractionalEvaluator<'_, W> {
    type Sum = W::Sum;
    type Memory = ();

    fn node(&self) -> NodeSums<'_, W::Sum> {
        let (setting, unit) = (self.context.setting, self.weights.unit());
        NodeSums { setting, totals: &self.totals, unit }
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn features(&self) -> usize {
        self.context.data.columns().len()
    }

    fn minimum(&self) -> Minimum {
        self.min
    }

    fn place(&self, feature: u32) -> FeaturePlace {
        match self.context.numeric_place(feature) {
            Some(numeric) => FeaturePlace::Numeric(numeric),
            None => FeaturePlace::Nominal(self.nominal_place(feature)),
        }
    }

    fn declared(&self, nominal: usize) -> DeclaredLevels<'_> {
        let column = &self.context.nominal[nominal];
        DeclaredLevels {
            levels: column.levels,
            missing: false,
            edges: column.cuts,
            splits: self.context.splits(nominal),
        }
    }

    fn levels(&self, nominal: usize, counted: bool, _: &mut ()) -> FeatureLevels<'_, W::Sum> {
        let column = &self.context.nominal[nominal];
        let cells = Cow::Borrowed(self.table(nominal).0);
        FeatureLevels {
            table: NominalTable { feature: column.feature, cells, missing: false },
            ordered: column.cuts.is_some(),
            rows: counted.then(|| self.level_sizes(nominal)),
        }
    }

    fn sums_of_cut(&self, numeric: usize, at: u32) -> BranchSums<W::Sum> {
        let order = self.instances.order(numeric);
        let known = self.known_sums(order);
        let mut node = self.node();
        node.totals = &known;
        let sums = node.by_branch(self.sums_of(&order[..at as usize]), None);
        BranchSums { sums, missing: false }
    }

    fn scored_rows(&self, place: FeaturePlace) -> (Cow<'_, [W::Sum]>, f64) {
        let known = match place {
            FeaturePlace::Numeric(numeric) => self.known_sums(self.instances.order(numeric)),
            FeaturePlace::Nominal(nominal) => self.table(nominal).1,
        };
        let share = self.share(&known);
        (known.into(), share)
    }

    fn first_row(&self, numeric: usize, at: u32) -> u32 {
        let order = self.instances.order(numeric);
        let original = self.context.data.original();
        first_tied_row(&order[..at as usize], |entry| {
            original[self.instances.rows[entry_row(entry) as usize] as usize]
        })
    }
}

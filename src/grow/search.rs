//! The best split of a node: the best candidate of each feature, the selection rule, the limits.
//!
//! Where evidence other than tables scores the features, all of them at once, candidates are those
//! features; else they are scored as they come. Of few features drawn at random, one more is tried
//! until one has a valid split.

use super::builder::NodeSplit;
use super::context::FeaturePlace;
use super::evaluate::{NodeEvaluator, Workspace};
use super::evidence::PairScores;
use super::features::search_among;
use super::options::Thresholds;
use crate::criteria::{Criterion, Evidence, EvidenceKind, GainFilter, InfoGain};
use crate::data::entry_row;
use crate::error::Result;
use crate::numeric::mix;
use crate::parallel::{self, Control};
use crate::reached::{self, Way};
use crate::split::{
    BestOfEach, BlockScratch, Choice, FeatureBest, NominalSplits, Scored, Selector, not_a_number,
};
use crate::stats::contingency::{Code, ContingencyTables};
use crate::stats::{Sum, Weighing};
use crate::tree::{NONE, Test};

/// Rows times features above which the features of one node are looked at by several threads.
const WIDE_NODE: usize = 1 << 16;

/// The split that was chosen for a node.
#[derive(Debug, Clone)]
pub(super) struct BestSplit<S> {
    pub feature: u32,
    pub place: FeaturePlace,
    pub test: Test,
    pub score: f64,
    pub distance: f64,
    /// How much the tree improves; 0 where growth does not ask.
    pub improvement: f64,
    /// Class sums of the branches, `classes` a branch.
    pub sums: Vec<S>,
    /// Rows of the branches.
    pub sizes: Vec<u32>,
    /// The last branch holds missing values.
    pub missing: bool,
    /// Levels that a subset test lists.
    pub levels: Vec<u32>,
    /// Branch of each code; empty where it is the code, and for numbers.
    pub branch_of: Vec<u16>,
}

impl<S> BestSplit<S> {
    /// As the tree keeps it.
    pub fn as_split(&self, step: u32) -> NodeSplit {
        NodeSplit {
            feature: self.feature,
            test: self.test,
            first_child: NONE,
            n_children: 0,
            missing: self.missing,
            score: self.score,
            distance: self.distance,
            step,
        }
    }
}

impl<C: Code, W: Weighing> NodeEvaluator<'_, '_, C, W> {
    /// What evidence other than tables says of the node's features; nothing where tables are the
    /// evidence.
    pub fn other_evidence(
        &self,
        tools: &mut Workspace<W::Sum>,
        control: &Control,
    ) -> Result<Option<PairScores>> {
        Ok(match self.context.setting.criterion.evidence() {
            Evidence::Neighbours(search) => Some(self.neighbour_scores(search, control)?),
            Evidence::Pairs(formula) => {
                Some(self.pair_scores(formula, &mut tools.pairs, control)?)
            }
            Evidence::Table | Evidence::Rows(_) => None,
        })
    }

    /// Candidates among features whose scores are known.
    pub fn scored(
        &self,
        contingency: &ContingencyTables<W::Sum>,
        known: &PairScores,
        wanted: impl Fn(u32) -> bool,
    ) -> Result<Vec<Scored>> {
        let mut found = Vec::with_capacity(known.scores.len());
        for &(place, score) in &known.scores {
            let feature = self.context.nominal.features[place as usize];
            if !wanted(feature) || !self.is_candidate(place as usize, contingency) {
                continue;
            }
            if score.is_nan() {
                return Err(not_a_number(feature));
            }
            found.push(Scored { feature, score, at: 0, tied: Vec::new() });
        }
        Ok(found)
    }

    /// Best candidate of each wanted feature, in feature order.
    fn best(
        &self,
        contingency: &ContingencyTables<W::Sum>,
        known: Option<&PairScores>,
        wanted: impl Fn(u32) -> bool + Sync,
        tools: &mut Workspace<W::Sum>,
        control: &Control,
    ) -> Result<Vec<Scored>> {
        if let Some(known) = known {
            return self.scored(contingency, known, wanted);
        }
        if let Evidence::Rows(budget) = self.context.setting.criterion.evidence() {
            return self.best_by_rows(budget, wanted, control);
        }
        let setting = self.context.setting;
        let numeric = &self.context.numeric;
        // Only where blocks come in feature order, and none is taken back, may one feature shut out
        // another.
        let nominal = &self.context.nominal.features;
        let final_word = W::COPIES
            || setting.limits.min_samples_leaf <= 1
            || setting.nominal_splits != NominalSplits::Multiway;
        let mixed = setting.nominal_splits == NominalSplits::Auto;
        let winner_only = setting.gain_filter == GainFilter::None
            && !mixed
            && (nominal.is_empty() || (numeric.is_empty() && final_word));
        let mut best =
            BestOfEach::new(setting.criterion, setting.ties, winner_only).watched(control);
        best.scores = std::mem::take(&mut tools.scores);
        self.score_nominal(contingency, &wanted, tools, &mut best)?;
        self.score_numbers(wanted, tools, &mut best, control)?;
        best.finish(&setting.context)?;
        tools.scores = std::mem::take(&mut best.scores);
        if mixed || (!self.context.nominal.features.is_empty() && !numeric.is_empty()) {
            best.features.sort_by_key(|b| b.feature);
        }
        best.features.retain(|b| self.is_large_enough(b.feature));
        Ok(best.features)
    }

    /// Score the thresholds of all wanted numbers; those of a wide node by several threads.
    fn score_numbers(
        &self,
        wanted: impl Fn(u32) -> bool + Sync,
        tools: &mut Workspace<W::Sum>,
        best: &mut BestOfEach<'_>,
        control: &Control,
    ) -> Result<()> {
        let (setting, numeric) = (self.context.setting, &self.context.numeric);
        if let Some(short) = self.short {
            return self.score_short(short, wanted, tools, best);
        }
        let wide = self.range.len * numeric.len() > WIDE_NODE;
        if control.threads() > 1 && wide && !setting.criterion.needs_all_candidates() {
            reached::count(Way::WideNode);
            let found = parallel::map(control, numeric.len(), |i| {
                let mut best =
                    BestOfEach::new(setting.criterion, setting.ties, false).watched(control);
                if wanted(numeric[i].feature) {
                    self.score_numeric(i, &mut BlockScratch::default(), &mut best)?;
                }
                Ok(best.features)
            })?;
            best.features.extend(found.into_iter().flatten());
            return Ok(());
        }
        for (i, feature) in numeric.iter().enumerate() {
            if wanted(feature.feature) {
                self.score_numeric(i, &mut tools.scratch, best)?;
            }
            if wide {
                control.check()?;
            }
        }
        Ok(())
    }

    /// The split that the selection rule takes, or nothing when no feature has a valid one.
    pub fn choose(
        &self,
        contingency: &ContingencyTables<W::Sum>,
        tools: &mut Workspace<W::Sum>,
        control: &Control,
    ) -> Result<Option<BestSplit<W::Sum>>> {
        let setting = self.context.setting;
        let p = self.context.data.columns().len();
        let known = self.other_evidence(tools, control)?;
        let selector =
            Selector { gain_filter: setting.gain_filter, ties: setting.ties, features: p };
        let best = search_among(p, setting.max_features, mix(setting.seed, self.key), |wanted| {
            let wanted = |f: u32| wanted[f as usize];
            let best = self.best(contingency, known.as_ref(), wanted, tools, control)?;
            Ok((!best.is_empty()).then_some(best))
        })?;
        let Some(best) = best else { return Ok(None) };
        let mut facts = SearchFacts { evaluator: self, contingency };
        let choice = selector.choose(best, &mut facts, mix(setting.seed, !self.key))?;
        let Some(choice) = choice else { return Ok(None) };
        let mut chosen = self.chosen(choice, contingency)?;
        let before = || match &known {
            Some(known) => Ok(-known.whole),
            None => self.table_distance(self.totals, 1),
        };
        if !setting.limits.accept(chosen.score, chosen.distance, before)? {
            return Ok(None);
        }
        if setting.limits.need_improvement() {
            let undivided = match &known {
                Some(known) => known.whole,
                None => self.undivided_score(chosen.sizes.len(), control)?,
            };
            let unit = self.context.weights.unit();
            let weight: f64 = self.totals.iter().map(|s| s.value(unit)).sum();
            chosen.improvement = setting.improvement(weight, chosen.score, undivided);
            if !setting.limits.accept_improvement(chosen.improvement, self.context.total_weight) {
                return Ok(None);
            }
        }
        Ok(Some(chosen))
    }

    /// Score of the node's rows in one branch. A user's function gets a table of as many branches
    /// as it has seen, all but one of them empty.
    fn undivided_score(&self, branches: usize, control: &Control) -> Result<f64> {
        let criterion = self.context.setting.criterion;
        if let Evidence::Rows(budget) = criterion.evidence() {
            return self.undivided_by_rows(budget, control);
        }
        let branches = if criterion.needs_all_candidates() { branches } else { 1 };
        let mut sums = self.totals.to_vec();
        sums.resize(branches * self.totals.len(), W::Sum::default());
        let mut out = [0.0];
        self.one_table(&sums, branches, |t| criterion.score(t, &mut out))?;
        Ok(out[0])
    }

    /// Class sums by branch of a candidate.
    pub fn branches(
        &self,
        feature: u32,
        at: u32,
        contingency: &ContingencyTables<W::Sum>,
    ) -> (Vec<W::Sum>, bool) {
        match self.context.place(feature) {
            FeaturePlace::Numeric(i) => {
                let (order, known) = self.known(i);
                (self.sides(&order[..at as usize], known.as_deref()), known.is_some())
            }
            FeaturePlace::Nominal(j) if self.context.splits(j) != NominalSplits::Multiway => {
                self.partitions(j, contingency).sums(at)
            }
            FeaturePlace::Nominal(j) => {
                let k = self.totals.len();
                let mut sums = contingency.table(&self.context.nominal.layout, j).to_vec();
                let mut missing = self.context.nominal.missing[j];
                if missing && sums[sums.len() - k..].iter().all(|s| s.is_empty()) {
                    sums.truncate(sums.len() - k);
                    missing = false;
                }
                (sums, missing)
            }
        }
    }

    /// Class sums by branch of a cut with these entries on its left; `known` are those of the rows
    /// with a value, where others are a third branch.
    fn sides(&self, left: &[u32], known: Option<&[W::Sum]>) -> Vec<W::Sum> {
        let k = self.totals.len();
        let mut sums = self.context.sums_of(left);
        let all = known.unwrap_or(self.totals);
        sums.extend_from_within(..k);
        for c in 0..k {
            sums[k + c] = all[c].minus(sums[c]);
        }
        if known.is_some() {
            sums.extend((0..k).map(|c| self.totals[c].minus(all[c])));
        }
        sums
    }

    /// The threshold of a cut of a numeric feature's order, and the rows of its branches.
    fn threshold_test(
        &self,
        (numeric, order): (usize, &[u32]),
        at: u32,
        missing: bool,
    ) -> (Test, Vec<u32>) {
        let setting = self.context.setting;
        let column = self.context.numeric[numeric].column;
        let value = |place: u32| column.value(entry_row(order[place as usize]));
        let (lo, hi) = (value(at - 1), value(at));
        let t = match self.cut(numeric, order).threshold() {
            Some(t) if setting.thresholds == Thresholds::Midpoint => t.into(),
            _ => setting.threshold(self.context.data, column, (lo, hi), lo),
        };
        let mut sizes = vec![at, order.len() as u32 - at];
        if missing {
            sizes.push((self.range.len - order.len()) as u32);
        }
        (Test::Threshold(t), sizes)
    }

    /// Rows of the branches of a nominal split with these class sums; `branch_of` is empty where a
    /// branch is a code.
    fn nominal_sizes(&self, nominal: usize, sums: &[W::Sum], branch_of: &[u16]) -> Vec<u32> {
        if W::UNIT {
            let unit = self.context.weights.unit();
            let rows = |branch: &[W::Sum]| branch.iter().map(|s| s.value(unit)).sum::<f64>() as u32;
            return sums.chunks_exact(self.totals.len()).map(rows).collect();
        }
        let by_code = self.code_sizes(nominal);
        if branch_of.is_empty() {
            return by_code;
        }
        let mut sizes = vec![0; 3];
        branch_of.iter().zip(by_code).for_each(|(&b, size)| sizes[b as usize] += size);
        sizes
    }

    pub fn chosen(
        &self,
        choice: Choice,
        contingency: &ContingencyTables<W::Sum>,
    ) -> Result<BestSplit<W::Sum>> {
        let place = self.context.place(choice.feature);
        let (mut levels, mut branch_of) = (Vec::new(), Vec::new());
        let (sums, missing, test, sizes) = match place {
            FeaturePlace::Numeric(i) => {
                let (order, known) = self.known(i);
                // The two values are read first, and may arrive while rows are counted.
                let (test, sizes) = self.threshold_test((i, &order), choice.at, known.is_some());
                let sums = self.sides(&order[..choice.at as usize], known.as_deref());
                (sums, known.is_some(), test, sizes)
            }
            FeaturePlace::Nominal(j) => {
                let (sums, missing) = self.branches(choice.feature, choice.at, contingency);
                let mut test = Test::Multiway;
                if self.context.splits(j) != NominalSplits::Multiway {
                    let division = self.partition(j, choice.at, contingency);
                    (test, levels) = (division.test, division.listed);
                    branch_of = division.is_first.iter().map(|&f| u16::from(!f)).collect();
                    branch_of.extend(self.context.nominal.missing[j].then_some(2));
                }
                let mut sizes = self.nominal_sizes(j, &sums, &branch_of);
                sizes.truncate(sums.len() / self.totals.len());
                (sums, missing, test, sizes)
            }
        };
        let branches = sums.len() / self.totals.len();
        let criterion = self.context.setting.criterion;
        let distance = if criterion.needs_all_candidates()
            || criterion.info().evidence != EvidenceKind::Table
        {
            -choice.score
        } else {
            self.table_distance(&sums, branches)?
        };
        Ok(BestSplit {
            feature: choice.feature,
            place,
            test,
            score: choice.score,
            distance,
            improvement: 0.0,
            sums,
            sizes,
            missing,
            levels,
            branch_of,
        })
    }
}

struct SearchFacts<'l, 'n, 'f, C, W: Weighing> {
    evaluator: &'l NodeEvaluator<'n, 'f, C, W>,
    contingency: &'l ContingencyTables<W::Sum>,
}

impl<C: Code, W: Weighing> FeatureBest for SearchFacts<'_, '_, '_, C, W> {
    fn gain(&mut self, feature: u32, at: u32) -> Result<f64> {
        let (sums, _) = self.evaluator.branches(feature, at, self.contingency);
        let mut out = [0.0];
        let branches = sums.len() / self.evaluator.totals.len();
        self.evaluator
            .one_table(&sums, branches, |t| Criterion::score(&InfoGain::default(), t, &mut out))?;
        Ok(out[0])
    }

    fn first_row(&mut self, feature: u32, at: u32) -> u32 {
        self.evaluator.first_row(feature, at)
    }
}

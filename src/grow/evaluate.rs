//! The search of a node of sorted ranges: its rows, its tables, and its candidate splits.
//!
//! Candidates are handed to a sink feature by feature; which of them is best, and what it would do,
//! is found by the [`search`](super::search) of all forms of rows.
//!
//! Where evidence other than tables scores the features, all of them at once, candidates are those
//! features; else they are scored as they come. Of few features drawn at random, one more is tried
//! until one has a valid split.

use super::context::{FeaturePlace, GrowContext, Numeric};
use super::evidence::{PairScores, PairWorkspace};
use super::features::search_among;
use super::options::Thresholds;
use super::row_buffers::{NodeRange, RowSlices};
use super::search::{
    BestSplit, DeclaredLevels, NodeCut, NodeSums, NodeTables, SearchWork, WholeRows, choose,
    chosen, is_candidate, keeps_winner_only, score_nominal,
};
use super::short_orders::ShortOrders;
use crate::criteria::{Evidence, RunningScores};
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::numeric::mix;
use crate::parallel::{self, Control};
use crate::reached::{self, Way};
use crate::split::multiway::{Minimum, NominalTable};
use crate::split::random::Draws;
use crate::split::short::{self, ShortScan, ShortScratch};
use crate::split::splitter;
use crate::split::subset::FeatureLevels;
use crate::split::threshold::{self, Scan};
use crate::split::{BestOfEach, BlockScratch, CutRule, NumericRows, Scored, Sink, not_a_number};
use crate::stats::contingency::{Code, ContingencyTables, CountingPlanes, count};
use crate::stats::{CellOf, Sum, Weighing};
use crate::tree::Test;
use std::borrow::Cow;

/// Rows times features above which the features of one node are looked at by several threads.
const WIDE_NODE: usize = 1 << 16;

/// Reusable memory of one worker.
#[derive(Debug)]
pub(super) struct Workspace<S: Sum> {
    search: SearchWork<S>,
    short: ShortScratch,
    planes: CountingPlanes<S>,
    pub pairs: PairWorkspace,
}

impl<S: Sum> Workspace<S> {
    /// Take back the memory of tables that no node needs any more.
    pub fn recycle(&mut self, contingency: ContingencyTables<S>) {
        self.planes.recycle(contingency);
    }
}

impl<S: Sum> Default for Workspace<S> {
    fn default() -> Self {
        Self {
            search: SearchWork::default(),
            short: ShortScratch::default(),
            planes: CountingPlanes::default(),
            pairs: PairWorkspace::default(),
        }
    }
}

/// A node under evaluation.
pub(super) struct NodeEvaluator<'n, 'f, C, W: Weighing> {
    pub context: &'n GrowContext<'n, W>,
    pub field: &'n RowSlices<'f, C>,
    pub range: NodeRange,
    pub totals: &'n [W::Sum],
    pub key: u64,
    /// Score also the thresholds that a convex criterion cannot choose.
    pub every: bool,
    /// The orders of numeric features, where the ranges do not hold them, and how their cuts are
    /// scored.
    pub short: Option<(&'n ShortOrders, RunningScores)>,
}

impl<'n, 'f, C: Code, W: Weighing> NodeEvaluator<'n, 'f, C, W> {
    /// What the search asks, with the tables of the nominal features.
    pub fn tables<'l>(
        &'l self,
        contingency: &'l ContingencyTables<W::Sum>,
    ) -> RangeTables<'l, 'n, 'f, C, W> {
        RangeTables { evaluator: self, contingency }
    }

    /// The sums of the node.
    pub fn node(&self) -> NodeSums<'_, W::Sum> {
        let (setting, unit) = (self.context.setting, self.context.weights.unit());
        NodeSums { setting, totals: self.totals, unit }
    }

    /// Places of the wanted nominal features.
    fn nominal_places(
        &self,
        wanted: impl Fn(u32) -> bool + Clone,
    ) -> impl Iterator<Item = usize> + Clone {
        let features = self.context.nominal.features.iter().enumerate();
        features.filter(move |&(_, &feature)| wanted(feature)).map(|(place, _)| place)
    }

    pub fn minimum(&self) -> Minimum {
        let limits = &self.context.setting.limits;
        Minimum {
            rows: limits.min_samples_leaf as u32,
            weight: limits.min_weight_fraction_leaf * self.context.total_weight,
            copies: W::COPIES,
        }
    }

    /// Entries with a known value, and class sums of the others.
    pub(super) fn known(&self, numeric: usize) -> (Cow<'_, [u32]>, Option<Vec<W::Sum>>) {
        if let Some((short, _)) = self.short {
            return (short.entries(numeric).collect(), None);
        }
        let order = self.field.order(numeric, self.range);
        let Some(bits) = &self.context.numeric[numeric].missing else {
            return (Cow::Borrowed(order), None);
        };
        let known = order.partition_point(|&e| bits.get(entry_row(e)) == 0);
        if known == order.len() {
            return (Cow::Borrowed(order), None);
        }
        let mut sums = self.totals.to_vec();
        for (sum, &missing) in sums.iter_mut().zip(&self.context.sums_of(&order[known..])) {
            *sum = sum.minus(missing);
        }
        (Cow::Borrowed(&order[..known]), Some(sums))
    }

    /// Score the thresholds of all wanted features of a node of short orders.
    pub(super) fn score_short(
        &self,
        (orders, how): (&ShortOrders, RunningScores),
        wanted: impl Fn(u32) -> bool,
        tools: &mut Workspace<W::Sum>,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let (min, context) = (self.minimum(), &self.context.setting.context);
        let min_rows = (min.rows as usize).max(1).max(min.weight.ceil() as usize);
        let convex = self.context.setting.criterion.info().convex && !self.every;
        let columns = self.context.numeric.iter().map(|column| column.feature);
        let sorted = orders.orders.rows.iter().zip(&orders.orders.tied);
        for (feature, (order, &tied)) in columns.zip(sorted).filter(|(f, _)| wanted(*f)) {
            let facts = &orders.facts;
            let scan = ShortScan { feature, order, tied, facts, min_rows, convex };
            short::score_candidates(&scan, context, how, &mut tools.short, sink)?;
        }
        Ok(())
    }

    pub(super) fn score_numeric(
        &self,
        numeric: usize,
        scratch: &mut BlockScratch<CellOf<W>>,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let (entries, known) = self.known(numeric);
        let (order, min): (&[u32], _) = (&entries, self.minimum());
        if let Some(known) = &known {
            // Missing values are a branch like any other.
            let unit = self.context.weights.unit();
            let weight: f64 =
                self.totals.iter().zip(known).map(|(t, &k)| t.minus(k).value(unit)).sum();
            let size = if W::COPIES { weight } else { (self.range.len - order.len()) as f64 };
            if weight < min.weight || size < f64::from(min.rows) {
                return Ok(());
            }
        }
        let criterion = self.context.setting.criterion;
        let context = &self.context.setting.context;
        let convex = if known.is_some() {
            criterion.convex_with_missing_branch()
        } else {
            criterion.info().convex
        };
        let scan = Scan {
            feature: self.context.numeric[numeric].feature,
            order,
            known: known.as_deref().unwrap_or(self.totals),
            totals: self.totals,
            class_of: self.context.class_of,
            weights: self.context.weights,
            min,
            convex: convex && !self.every,
            steps: &[],
        };
        match self.cut(numeric, order) {
            CutRule::Every => threshold::score_candidates(&scan, context, scratch, sink),
            CutRule::Nowhere => Ok(()),
            CutRule::At { left, .. } => {
                let sums = self.context.sums_of(&order[..left]);
                splitter::score_candidates(&scan, left, &sums, context, scratch, sink)
            }
        }
    }

    fn draws(&self) -> Draws {
        Draws::new(self.context.setting.seed, self.key)
    }

    /// The thresholds of a numeric feature that are tried.
    pub(super) fn cut(&self, numeric: usize, order: &[u32]) -> CutRule {
        if self.every {
            return CutRule::Every;
        }
        let Numeric { feature, column, .. } = &self.context.numeric[numeric];
        let value = |e: u32| column.value(entry_row(e));
        let rows = NumericRows { feature: *feature, order, value, weights: self.context.weights };
        self.context.setting.splitter.cut(&rows, self.draws())
    }

    /// All candidates of the wanted features; nominal features come first.
    pub fn score_all(
        &self,
        contingency: &ContingencyTables<W::Sum>,
        wanted: impl Fn(u32) -> bool,
        tools: &mut Workspace<W::Sum>,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<()> {
        let tables = self.tables(contingency);
        let work = (&mut tools.search, &mut ());
        score_nominal(&tables, self.nominal_places(&wanted), self.totals, work, sink)?;
        for (i, feature) in self.context.numeric.iter().enumerate() {
            if wanted(feature.feature) {
                self.score_numeric(i, &mut tools.search.scratch, sink)?;
                control.check()?;
            }
        }
        Ok(())
    }

    /// Tables of all nominal features.
    pub fn count_tables(&self, tools: &mut Workspace<W::Sum>) -> ContingencyTables<W::Sum> {
        let nominal = &self.context.nominal;
        if nominal.features.is_empty() {
            return ContingencyTables::default();
        }
        let rows = self.field.coded(nominal.features.len(), self.range);
        count(rows, &nominal.layout, self.context.weights, &mut tools.planes)
    }

    pub(super) fn code_sizes(&self, nominal: usize) -> Vec<u32> {
        let width = self.context.nominal.features.len();
        let mut sizes = vec![0; self.context.nominal.layout.arity(nominal)];
        for codes in self.field.coded(width, self.range).codes.chunks_exact(width) {
            sizes[codes[nominal].index()] += 1;
        }
        sizes
    }

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
        let tables = self.tables(contingency);
        let mut found = Vec::with_capacity(known.scores.len());
        for &(place, score) in &known.scores {
            let feature = self.context.nominal.features[place as usize];
            if !wanted(feature) || !is_candidate(&tables, place as usize) {
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
        let (setting, nominal) = (self.context.setting, self.context.nominal.features.len());
        let winner_only = keeps_winner_only(setting, nominal, self.context.numeric.len());
        let mut best =
            BestOfEach::new(setting.criterion, setting.ties, winner_only).watched(control);
        best.scores = std::mem::take(&mut tools.search.scores);
        let (tables, work) = (self.tables(contingency), (&mut tools.search, &mut ()));
        score_nominal(&tables, self.nominal_places(&wanted), self.totals, work, &mut best)?;
        self.score_numbers(wanted, tools, &mut best, control)?;
        best.finish(&setting.context)?;
        tools.search.scores = std::mem::take(&mut best.scores);
        if nominal > 0 {
            best.features.sort_by_key(|b| b.feature);
        }
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
                self.score_numeric(i, &mut tools.search.scratch, best)?;
            }
            if wide {
                control.check()?;
            }
        }
        Ok(())
    }

    /// The split that the selection rule takes, if one is valid and the limits accept it.
    pub fn choose(
        &self,
        contingency: &ContingencyTables<W::Sum>,
        tools: &mut Workspace<W::Sum>,
        control: &Control,
    ) -> Result<Option<BestSplit<W::Sum>>> {
        let (setting, tables) = (self.context.setting, self.tables(contingency));
        let known = self.other_evidence(tools, control)?;
        let (p, key) = (tables.features(), mix(setting.seed, self.key));
        let best = search_among(p, setting.max_features, key, |wanted| {
            let wanted = |f: u32| wanted[f as usize];
            let best = self.best(contingency, known.as_ref(), wanted, tools, control)?;
            Ok((!best.is_empty()).then_some(best))
        })?;
        let Some(best) = best else { return Ok(None) };
        let Some(choice) = choose(&tables, best)? else { return Ok(None) };
        let (split, node) = (chosen(&tables, choice)?, self.node());
        let branches = split.branches;
        let before = || match &known {
            Some(known) => Ok(-known.whole),
            None => node.distance(self.totals),
        };
        let undivided = || match (&known, setting.criterion.evidence()) {
            (Some(known), _) => Ok(known.whole),
            (None, Evidence::Rows(budget)) => self.undivided_by_rows(budget, control),
            _ => node.undivided_score(branches),
        };
        node.accepted(split, self.context.total_weight, before, undivided)
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
}

/// A node of sorted ranges, as the search asks for it.
pub(super) struct RangeTables<'l, 'n, 'f, C, W: Weighing> {
    evaluator: &'l NodeEvaluator<'n, 'f, C, W>,
    contingency: &'l ContingencyTables<W::Sum>,
}

impl<C: Code, W: Weighing> NodeTables for RangeTables<'_, '_, '_, C, W> {
    type Sum = W::Sum;
    type Memory = ();

    fn node(&self) -> NodeSums<'_, W::Sum> {
        self.evaluator.node()
    }

    fn key(&self) -> u64 {
        self.evaluator.key
    }

    fn features(&self) -> usize {
        self.evaluator.context.data.columns().len()
    }

    fn minimum(&self) -> Minimum {
        self.evaluator.minimum()
    }

    fn scores_all(&self) -> bool {
        self.evaluator.every
    }

    fn place(&self, feature: u32) -> FeaturePlace {
        self.evaluator.context.place(feature)
    }

    fn declared(&self, nominal: usize) -> DeclaredLevels<'_> {
        let context = self.evaluator.context;
        let (columns, missing) = (&context.nominal, context.nominal.missing[nominal]);
        DeclaredLevels {
            levels: columns.layout.arity(nominal) as u32 - u32::from(missing),
            missing,
            edges: columns.cuts[nominal],
            splits: context.splits(nominal),
        }
    }

    fn levels(&self, nominal: usize, counted: bool, _: &mut ()) -> FeatureLevels<'_, W::Sum> {
        let columns = &self.evaluator.context.nominal;
        FeatureLevels {
            table: NominalTable {
                feature: columns.features[nominal],
                cells: Cow::Borrowed(self.contingency.table(&columns.layout, nominal)),
                missing: columns.missing[nominal],
            },
            ordered: columns.cuts[nominal].is_some(),
            rows: counted.then(|| self.evaluator.code_sizes(nominal)),
        }
    }

    fn sums_of_cut(&self, numeric: usize, at: u32) -> (Vec<W::Sum>, bool) {
        let (order, known) = self.evaluator.known(numeric);
        (self.evaluator.sides(&order[..at as usize], known.as_deref()), known.is_some())
    }

    fn first_row(&self, numeric: usize, at: u32) -> u32 {
        let (order, _) = self.evaluator.known(numeric);
        let original = self.evaluator.context.data.original();
        let mut at = at as usize - 1;
        let mut first = original[entry_row(order[at]) as usize];
        while entry_tied(order[at]) == 1 {
            at -= 1;
            first = first.min(original[entry_row(order[at]) as usize]);
        }
        first
    }
}

impl<C: Code, W: Weighing> WholeRows for RangeTables<'_, '_, '_, C, W> {
    fn cut(&self, numeric: usize, at: u32) -> NodeCut<W::Sum> {
        let (order, known) = self.evaluator.known(numeric);
        let missing = known.is_some();
        // The two values are read first, and may arrive while rows are counted.
        let (test, sizes) = self.evaluator.threshold_test((numeric, &order), at, missing);
        let sums = self.evaluator.sides(&order[..at as usize], known.as_deref());
        NodeCut { test, sums, sizes, missing }
    }

    fn branch_sizes(&self, nominal: usize, sums: &[W::Sum], branch_of: &[u16]) -> Vec<u32> {
        let (evaluator, unit) = (self.evaluator, self.evaluator.context.weights.unit());
        if W::UNIT {
            let rows = |branch: &[W::Sum]| branch.iter().map(|s| s.value(unit)).sum::<f64>() as u32;
            return sums.chunks_exact(evaluator.totals.len()).map(rows).collect();
        }
        let by_code = evaluator.code_sizes(nominal);
        if branch_of.is_empty() {
            return by_code;
        }
        let mut sizes = vec![0; 3];
        branch_of.iter().zip(by_code).for_each(|(&b, size)| sizes[b as usize] += size);
        sizes
    }
}

//! The evaluation of a node that is a range of sorted orders and coded rows: [`NodeEvaluator`].
//!
//! [`sorted_ranges`](super::nodes::sorted_ranges) asks it for the best split
//! ([`NodeEvaluator::choose`]); [`global`](super::global) growth and the
//! [`listing`](super::listing) ask for all candidates. Thresholds and nominal features go into a
//! sink, feature by feature; the choice is the [`search`](super::search) of all forms of rows.
//! Criteria on pairs, neighbours or the rows themselves ([`evidence`](super::evidence)) score
//! features without tables, and their scores take the place of the sink's.
//!
//! O(rows x features), plus the criterion's formula per candidate.

use super::constraints::PathLimits;
use super::context::{FeaturePlace, GrowContext, Numeric, WIDE_NODE};
use super::evidence::order_memory::{CandidateQuery, OrderWorkspace, without_numbers};
use super::evidence::{PairScores, PairWorkspace};
use super::features::{WantedFeatures, search_among};
use super::options::{GrowthSetting, Thresholds};
use super::row_buffers::{NodeRange, RowSlices};
use super::search::{
    BestSplit, BranchSums, DeclaredLevels, NodeCut, NodeSums, NodeTables, SearchScratch, WholeRows,
    choose_candidate, first_tied_row, is_candidate, is_one_value, keeps_winner_only, score_nominal,
    split_of_candidate,
};
use super::short_orders::{ShortOrders, ShortScoring};
use crate::criteria::Evidence;
use crate::data::entry_row;
use crate::error::Result;
use crate::numeric::mix;
use crate::parallel::{self, Control};
use crate::reached::{self, Way};
use crate::simd::prefetch;
use crate::split::multiway::{Minimum, NominalTable};
use crate::split::random::Draws;
use crate::split::short::{self, ShortScan, ShortScratch};
use crate::split::significance::Significance;
use crate::split::splitter;
use crate::split::subset::FeatureLevels;
use crate::split::threshold::{self, Scan, Scanning};
use crate::split::{
    BestOfEach, BestOfFeature, BlockScratch, CutRule, NumericRows, ScoredCandidate, Sink,
    not_a_number, sort_by_feature,
};
use crate::stats::contingency::{CodedRows, ContingencyTables, count};
use crate::stats::{CellOf, Sum};
use crate::tree::{FeatureTest, Test};
use std::borrow::Cow;
use std::ops::Range;

/// Reusable memory of one worker.
#[derive(Debug, Default)]
pub(super) struct Workspace<S: Sum> {
    search: SearchScratch<S>,
    short: ShortScratch,
    pub pairs: PairWorkspace,
    order: OrderWorkspace,
    /// The test of the feature that was chosen last by significance.
    pub significance: Option<FeatureTest>,
}

/// A node under evaluation.
pub(super) struct NodeEvaluator<'n, 'f, W: Scanning> {
    pub context: &'n GrowContext<'n, W>,
    pub slices: &'n RowSlices<'f>,
    /// The rows of the node.
    pub range: NodeRange,
    /// Their class sums, without the rows that are left out.
    pub totals: &'n [W::Sum],
    /// Weight of the rows that are left out, because their value of the feature under search is
    /// missing and a rule of significance wants it so.
    pub left_out: f64,
    /// Key of the node's random choices.
    pub key: u64,
    /// Score also the thresholds that a convex criterion cannot choose.
    pub scores_all: bool,
    /// The limits that the path to the node sets; `None` without constraints.
    pub path: Option<&'n PathLimits>,
    /// The orders of a small node, which the ranges no longer hold.
    pub short: Option<ShortNode<'n>>,
}

/// The numeric features of a small node, whose orders are kept as bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShortNode<'n> {
    pub orders: &'n ShortOrders,
    /// How thresholds are scored.
    pub scoring: ShortScoring,
}

/// The rows of a node whose value of a numeric feature is known.
pub(super) struct KnownOrder<'e, S> {
    /// Their entries, by ascending value.
    pub order: Cow<'e, [u32]>,
    /// Their class sums; `None` where all rows of the node have a value.
    pub sums: Option<Vec<S>>,
}

impl<S: Sum> KnownOrder<'_, S> {
    /// The last row left of a threshold and the first row right of it, where `at` rows lie on the
    /// left. With all rows on the left this is the last row twice. `at` must be at least 1.
    pub fn rows_beside(&self, at: u32) -> [u32; 2] {
        let last = self.order.len() as u32 - 1;
        [at - 1, at.min(last)].map(|place| entry_row(self.order[place as usize]))
    }
}

/// Weights of the rows of a tree. Rows with a numeric target can be visited in its order.
pub(super) trait ByOrder: Scanning {
    /// Visit the candidates of the wanted features, in feature order: `visit(feature, at, score)`.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::error::Error::Unsupported) for a target of classes, which is
    /// what this default returns; cancellation.
    fn each_by_order(
        _node: &NodeEvaluator<'_, '_, Self>,
        _query: CandidateQuery,
        _contingency: &ContingencyTables<Self::Sum>,
        _wanted: WantedFeatures<'_>,
        _workspace: &mut OrderWorkspace,
        _control: &Control,
        _visit: &mut dyn FnMut(u32, u32, f64),
    ) -> Result<()> {
        Err(without_numbers())
    }
}

impl<'n, 'f, W: ByOrder> NodeEvaluator<'n, 'f, W> {
    /// The node as the search reads it; `contingency` holds the tables of the nominal features.
    /// Both are borrowed, so this is free.
    pub fn tables<'l>(
        &'l self,
        contingency: &'l ContingencyTables<W::Sum>,
    ) -> RangeTables<'l, 'n, 'f, W> {
        RangeTables { evaluator: self, contingency }
    }

    /// The options of growth and the class sums of the node, from which the limits make their
    /// tables. The sums leave out the rows that the search of a feature by significance leaves out.
    pub fn node(&self) -> NodeSums<'_, W::Sum> {
        let (setting, unit) = (self.context.setting, self.context.weights.unit());
        NodeSums { setting, totals: self.totals, unit }
    }

    /// Places of the wanted nominal features.
    fn nominal_places(&self, wanted: WantedFeatures<'_>) -> Vec<usize> {
        let features = self.context.nominal.features.iter().enumerate();
        features
            .filter(|&(_, &feature)| wanted.is_wanted(feature))
            .map(|(place, _)| place)
            .collect()
    }

    /// The smallest size that a branch with rows may have, by all limits of the setting. A rule of
    /// significance may demand more weight in large nodes.
    pub fn minimum(&self) -> Minimum {
        let GrowthSetting { limits, significance, .. } = self.context.setting;
        let by_limit = limits.min_weight_fraction_leaf * self.context.total_weight;
        let unit = self.context.weights.unit();
        let node_weight = || Sum::total(self.totals).value(unit) + self.left_out;
        let by_rule = |rule: Significance| rule.least_branch(node_weight());
        Minimum {
            rows: limits.min_samples_leaf as u32,
            weight: significance.map_or(by_limit, |rule| by_rule(rule).max(by_limit)),
            copies: self.context.weights.are_copies(),
        }
    }

    /// Whether the rows without a value of a feature are left out where its splits are searched.
    fn leaves_out(&self) -> bool {
        self.context.setting.significance.is_some_and(|rule| rule.leaves_out)
    }

    /// The rows whose value of a numeric feature is known. `numeric` is the place of the feature
    /// among the numeric features, here and in the other methods.
    pub(super) fn known_order(&self, numeric: usize) -> KnownOrder<'_, W::Sum> {
        if let Some(short) = self.short {
            // Only features without missing values have short orders.
            return KnownOrder { order: short.orders.entries(numeric).collect(), sums: None };
        }
        let mut order = if self.context.setting.sorts_in_nodes {
            self.context.sort_in_node(numeric, self.slices.order(0, self.range)).into()
        } else {
            Cow::Borrowed(self.slices.order(numeric, self.range))
        };
        // Missing values come last in every order.
        let n_known = match &self.context.numeric[numeric].missing {
            Some(bits) => order.partition_point(|&entry| bits.get(entry_row(entry)) == 0),
            None => order.len(),
        };
        let missing = &order[n_known..];
        let sums = (!missing.is_empty() && !self.leaves_out()).then(|| {
            let missing = self.context.sums_of(missing);
            self.totals.iter().zip(missing).map(|(total, sum)| total.minus(sum)).collect()
        });
        match &mut order {
            Cow::Borrowed(order) => *order = &order[..n_known],
            Cow::Owned(order) => order.truncate(n_known),
        }
        KnownOrder { order, sums }
    }

    /// Score the thresholds of the wanted features of a small node.
    pub(super) fn score_short(
        &self,
        short: ShortNode<'_>,
        wanted: WantedFeatures<'_>,
        workspace: &mut Workspace<W::Sum>,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let (min, context) = (self.minimum(), &self.context.setting.context);
        let ShortNode { orders: node @ ShortOrders { facts, orders, .. }, scoring } = short;
        let columns = self.context.numeric.iter().map(|column| column.feature).enumerate();
        let features = columns.filter(|(_, feature)| wanted.is_wanted(*feature));
        let ShortScoring::Classes(how) = scoring else {
            let Some(mut numbers) = node.numbers(self.totals, min) else { return Ok(()) };
            // The threshold lies between the values of these rows, if the cut becomes the split.
            let prefetch_values = |place: usize, at: usize| {
                let column = self.context.numeric[place].column;
                let rows_beside = node.in_order(place, at - 1..at + 1);
                rows_beside.filter_map(|row| column.cell(row)).for_each(prefetch);
            };
            let means = &mut workspace.search.block.means;
            return numbers.score_candidates(
                orders,
                features,
                prefetch_values,
                context,
                means,
                sink,
            );
        };
        let min_rows = (min.rows as usize).max(1).max(min.weight.ceil() as usize);
        let convex = self.context.setting.criterion.info().convex && !self.scores_all;
        for (place, feature) in features {
            let (order, tied) = (&orders.rows[place], orders.tied[place]);
            let scan = ShortScan { feature, order, tied, facts, min_rows, convex };
            short::score_candidates(&scan, context, how, &mut workspace.short, sink)?;
        }
        Ok(())
    }

    /// Score the thresholds of a numeric feature, given by its place among the numeric features,
    /// into a sink. Rows without a value are a third branch of every threshold.
    pub(super) fn score_numeric(
        &self,
        numeric: usize,
        scratch: &mut BlockScratch<CellOf<W>>,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let KnownOrder { order, sums: known } = self.known_order(numeric);
        let (order, min): (&[u32], _) = (&order, self.minimum());
        if let Some(known) = &known {
            // Missing values are a branch of every threshold, and the limits hold for this branch,
            // too.
            let missing = (self.range.len - order.len()) as u32;
            if !self.node().allows_missing_branch(known, missing, min) {
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
            convex: convex && !self.scores_all,
            steps: &[],
            packed: &self.context.packed,
        };
        if known.is_some() && is_one_value(order) {
            return splitter::score_candidates(
                &scan,
                order.len(),
                scan.known,
                context,
                scratch,
                sink,
            );
        }
        match self.cut_rule(numeric, order) {
            CutRule::Every => threshold::score_candidates(&scan, context, scratch, sink),
            CutRule::Nowhere => Ok(()),
            CutRule::At { left, .. } => {
                let sums = self.context.sums_of(&order[..left]);
                splitter::score_candidates(&scan, left, &sums, context, scratch, sink)
            }
        }
    }

    /// The node's random numbers for splitters.
    fn draws(&self) -> Draws {
        Draws::new(self.context.setting.seed, self.key)
    }

    /// Which thresholds of a numeric feature are tried: all of them, or the one that the splitter
    /// picks. `order` are the rows with a value, by ascending value.
    pub(super) fn cut_rule(&self, numeric: usize, order: &[u32]) -> CutRule {
        if self.scores_all {
            return CutRule::Every;
        }
        let Numeric { feature, column, .. } = &self.context.numeric[numeric];
        let value = |entry: u32| column.value(entry_row(entry));
        let rows = NumericRows { feature: *feature, order, value };
        self.context.setting.splitter.cut(&rows, self.draws())
    }

    /// Score all candidates of the wanted features into a sink; nominal features come first.
    /// `contingency` holds the tables of [`Self::count_tables`].
    ///
    /// # Errors
    /// A score that is not a number, an error of a user's criterion, or cancellation.
    pub fn score_all(
        &self,
        contingency: &ContingencyTables<W::Sum>,
        wanted: WantedFeatures<'_>,
        workspace: &mut Workspace<W::Sum>,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<()> {
        let tables = self.tables(contingency);
        let places = self.nominal_places(wanted);
        let scratch = &mut workspace.search;
        score_nominal(&tables, &places, self.totals, scratch, &mut (), sink)?;
        for (numeric, column) in self.context.numeric.iter().enumerate() {
            if wanted.is_wanted(column.feature) {
                self.score_numeric(numeric, &mut workspace.search.block, sink)?;
                control.check()?;
            }
        }
        Ok(())
    }

    /// The tables "level x class" of all nominal features, counted in one pass over the rows of the
    /// node. They are empty without nominal features.
    pub fn count_tables(&self) -> ContingencyTables<W::Sum> {
        let nominal = &self.context.nominal;
        if nominal.features.is_empty() {
            return ContingencyTables::default();
        }
        count(self.coded(), &nominal.layout, self.context.weights)
    }

    /// The coded rows of the node.
    pub(super) fn coded(&self) -> CodedRows<'_> {
        self.slices.coded(self.context.nominal.layout.row_bytes(), self.range)
    }

    /// Rows of the node by code of a nominal feature.
    pub(super) fn code_sizes(&self, nominal: usize) -> Vec<u32> {
        let layout = &self.context.nominal.layout;
        let mut sizes = vec![0; layout.arity(nominal)];
        self.coded().column(layout, nominal).for_each(|code| sizes[code] += 1);
        sizes
    }

    /// Scores of the node's features by pairs or neighbours; `None` where the criterion reads
    /// tables, rows, or the order of a numeric target.
    ///
    /// # Errors
    /// A need of memory above the limit, an error of a user's criterion, or cancellation.
    pub fn pair_or_neighbour_scores(
        &self,
        workspace: &mut Workspace<W::Sum>,
        control: &Control,
    ) -> Result<Option<PairScores>> {
        Ok(match self.context.setting.criterion.evidence() {
            Evidence::Neighbours(search) => Some(self.neighbour_scores(search, control)?),
            Evidence::Pairs(formula) => {
                Some(self.pair_scores(formula, &mut workspace.pairs, control)?)
            }
            Evidence::Table | Evidence::Rows(_) | Evidence::Order(_) => None,
        })
    }

    /// The multiway splits of the wanted features, with their scores by pairs or neighbours.
    /// Features whose split a limit refuses are left out.
    ///
    /// # Errors
    /// A score that is not a number.
    pub fn multiway_splits(
        &self,
        contingency: &ContingencyTables<W::Sum>,
        scores: &PairScores,
        wanted: WantedFeatures<'_>,
    ) -> Result<Vec<BestOfFeature>> {
        let tables = self.tables(contingency);
        let mut splits = Vec::with_capacity(scores.scores.len());
        for &(place, score) in &scores.scores {
            let feature = self.context.nominal.features[place as usize];
            if !wanted.is_wanted(feature) || !is_candidate(&tables, place as usize) {
                continue;
            }
            if score.is_nan() {
                return Err(not_a_number(feature));
            }
            splits.push(BestOfFeature { feature, score, at: 0, tied: Vec::new() });
        }
        Ok(splits)
    }

    /// The best candidate of each wanted feature, in feature order.
    ///
    /// `contingency` holds the tables of [`Self::count_tables`], and `pair_scores` are the scores
    /// of [`Self::pair_or_neighbour_scores`], where there are such.
    ///
    /// # Errors
    /// A score that is not a number, an error of a user's criterion, or cancellation.
    pub(super) fn best_of_features(
        &self,
        contingency: &ContingencyTables<W::Sum>,
        pair_scores: Option<&PairScores>,
        wanted: WantedFeatures<'_>,
        workspace: &mut Workspace<W::Sum>,
        control: &Control,
    ) -> Result<Vec<BestOfFeature>> {
        if let Some(scores) = pair_scores {
            return self.multiway_splits(contingency, scores, wanted);
        }
        if let Evidence::Rows(budget) = self.context.setting.criterion.evidence() {
            return self.by_rows(budget, control).best(wanted);
        }
        if let Evidence::Order(loss) = self.context.setting.criterion.evidence() {
            let memory = &mut workspace.order;
            return self.best_by_order(loss, contingency, wanted, memory, control);
        }
        let (setting, n_nominal) = (self.context.setting, self.context.nominal.features.len());
        // The sink takes the candidates of nominal features, then the thresholds.
        let winner_only = keeps_winner_only(setting, n_nominal, self.context.numeric.len());
        let mut best = BestOfEach::new(setting.criterion, setting.ties, winner_only)
            .with_guard(self.path.and_then(PathLimits::guard))
            .with_control(control);
        best.scores = std::mem::take(&mut workspace.search.scores);
        if n_nominal > 0 {
            let (tables, places) = (self.tables(contingency), self.nominal_places(wanted));
            let scratch = &mut workspace.search;
            score_nominal(&tables, &places, self.totals, scratch, &mut (), &mut best)?;
        }
        self.score_numbers(wanted, workspace, &mut best, control)?;
        best.finish(&setting.context)?;
        workspace.search.scores = std::mem::take(&mut best.scores);
        if n_nominal > 0 {
            sort_by_feature(&mut best.features);
        }
        Ok(best.features)
    }

    /// Score the thresholds of the wanted numeric features. Several threads share the features of a
    /// node with many values.
    fn score_numbers(
        &self,
        wanted: WantedFeatures<'_>,
        workspace: &mut Workspace<W::Sum>,
        best: &mut BestOfEach<'_>,
        control: &Control,
    ) -> Result<()> {
        let (setting, numeric) = (self.context.setting, &self.context.numeric);
        if let Some(short) = self.short {
            return self.score_short(short, wanted, workspace, best);
        }
        let is_wide = self.range.len * numeric.len() > WIDE_NODE;
        if control.threads() > 1 && is_wide && !setting.criterion.needs_all_candidates() {
            reached::count(Way::WideNode);
            // Each feature has a sink of its own, as threads finish in any order.
            best.features.extend(parallel::collect(control, numeric.len(), &|i| {
                let mut best = BestOfEach::new(setting.criterion, setting.ties, false)
                    .with_guard(self.path.and_then(PathLimits::guard))
                    .with_control(control);
                if wanted.is_wanted(numeric[i].feature) {
                    self.score_numeric(i, &mut BlockScratch::default(), &mut best)?;
                }
                Ok(best.features)
            })?);
            return Ok(());
        }
        for (i, feature) in numeric.iter().enumerate() {
            if wanted.is_wanted(feature.feature) {
                self.score_numeric(i, &mut workspace.search.block, best)?;
            }
            if is_wide {
                control.check()?;
            }
        }
        Ok(())
    }

    /// The split of the node: the candidate that the selection rule takes, if the limits accept it.
    /// With a rule of significance, that rule chooses the feature.
    ///
    /// # Errors
    /// A score that is not a number, an error of a user's criterion, or cancellation.
    pub fn choose(
        &self,
        contingency: &ContingencyTables<W::Sum>,
        workspace: &mut Workspace<W::Sum>,
        control: &Control,
    ) -> Result<Option<BestSplit<W::Sum>>> {
        let (setting, tables) = (self.context.setting, self.tables(contingency));
        if let Some(rule) = &setting.significance {
            return self.choose_significant(rule, contingency, workspace, control);
        }
        let pair_scores = self.pair_or_neighbour_scores(workspace, control)?;
        let scores = pair_scores.as_ref();
        let (n_features, key) = (tables.features(), mix(setting.seed, self.key));
        // As a rule all features are searched, and no list of features is needed.
        let winner = if setting.max_features.is_none() && self.path.is_none() {
            let all = WantedFeatures::ALL;
            let best = self.best_of_features(contingency, scores, all, workspace, control)?;
            choose_candidate(&tables, best)?
        } else {
            let is_allowed = |feature| self.path.is_none_or(|path| path.allows(feature));
            search_among(n_features, setting.max_features, &is_allowed, key, &mut |wanted| {
                let wanted = WantedFeatures::only(wanted);
                choose_candidate(
                    &tables,
                    self.best_of_features(contingency, scores, wanted, workspace, control)?,
                )
            })?
        };
        winner.map_or(Ok(None), |winner| self.accept(winner, contingency, scores, control))
    }

    /// The split of a candidate, if the limits accept it.
    ///
    /// The limits compare it with the undivided node, whose score and distance come from the
    /// evidence of the criterion: `pair_scores` are the scores by pairs or neighbours.
    pub(super) fn accept(
        &self,
        candidate: ScoredCandidate,
        contingency: &ContingencyTables<W::Sum>,
        pair_scores: Option<&PairScores>,
        control: &Control,
    ) -> Result<Option<BestSplit<W::Sum>>> {
        let (split, node) =
            (split_of_candidate(&self.tables(contingency), candidate)?, self.node());
        let branches = split.branches;
        let evidence = self.context.setting.criterion.evidence();
        // By the order of a target, scores are gains over the undivided node, which itself scores
        // 0.
        let distance_before = || match (pair_scores, evidence) {
            (Some(scores), _) => Ok(-scores.undivided),
            (None, Evidence::Order(_)) => Ok(0.0),
            _ => node.distance(self.totals),
        };
        let undivided_score = || match (pair_scores, evidence) {
            (Some(scores), _) => Ok(scores.undivided),
            (None, Evidence::Order(_)) => Ok(0.0),
            (None, Evidence::Rows(budget)) => self.by_rows(budget, control).undivided(),
            _ => node.undivided_score(branches),
        };
        node.accept(split, self.context.total_weight, distance_before, undivided_score)
    }

    /// The threshold test between two neighbouring rows of a numeric feature's order: at the value
    /// that the splitter has `drawn` between them, or where the setting puts it if none was drawn.
    fn threshold_test(&self, numeric: usize, rows: [u32; 2], drawn: Option<f64>) -> Test {
        let setting = self.context.setting;
        let column = self.context.numeric[numeric].column;
        let [lower, upper] = rows.map(|row| column.value(row));
        Test::Threshold(match drawn {
            Some(drawn) if setting.thresholds == Thresholds::Midpoint => drawn.into(),
            _ => setting.threshold(self.context.data, column, [lower, upper], lower),
        })
    }

    /// Class sums of the branches of a threshold, with `at` of `len` rows on its left.
    ///
    /// Only the rows of the shorter side are added up: `sums_at` gives the class sums of the rows
    /// at some places of the order. `known` are the class sums of all `len` rows, if other rows of
    /// the node have no value.
    fn branches_of_cut(
        &self,
        at: usize,
        len: usize,
        sums_at: impl Fn(Range<usize>) -> Vec<W::Sum>,
        known: Option<&[W::Sum]>,
    ) -> BranchSums<W::Sum> {
        if at <= len - at {
            return self.branches(sums_at(0..at), known);
        }
        // The left side has all rows except the rows of the right side.
        let mut sums = sums_at(at..len);
        let all = known.unwrap_or(self.totals);
        sums.iter_mut().zip(all).for_each(|(sum, all)| *sum = all.minus(*sum));
        self.branches(sums, known)
    }

    /// [`Self::branches_of_cut`] for an order of entries.
    fn branches_of_order(
        &self,
        order: &[u32],
        at: u32,
        known: Option<&[W::Sum]>,
    ) -> BranchSums<W::Sum> {
        let sums_at = |places: Range<usize>| self.context.sums_of(&order[places]);
        self.branches_of_cut(at as usize, order.len(), sums_at, known)
    }

    /// Class sums of the branches of a threshold, from the class sums on its `left`. `known` are
    /// the class sums of the rows with a value, where other rows have none.
    fn branches(&self, left: Vec<W::Sum>, known: Option<&[W::Sum]>) -> BranchSums<W::Sum> {
        BranchSums { sums: self.node().by_branch(left, known), missing: known.is_some() }
    }

    /// [`WholeRows::cut`] of a small node.
    fn short_cut(&self, orders: &ShortOrders, numeric: usize, at: u32) -> NodeCut<W::Sum> {
        let (left, len) = (at as usize, self.range.len);
        let row_at = |place: usize| orders.row_at(numeric, place);
        let rows = [row_at(left - 1), row_at(left)];
        let sums_at = |places: Range<usize>| self.context.sums(orders.in_order(numeric, places));
        // The two values were prefetched, and may arrive while rows are added up.
        let branches = self.branches_of_cut(left, len, sums_at, None);
        let test = self.threshold_test(numeric, rows, None);
        NodeCut { test, branches, sizes: vec![at, len as u32 - at] }
    }
}

/// A node of sorted ranges as the search reads it, with the tables of its nominal features.
pub(super) struct RangeTables<'l, 'n, 'f, W: ByOrder> {
    evaluator: &'l NodeEvaluator<'n, 'f, W>,
    contingency: &'l ContingencyTables<W::Sum>,
}

impl<W: ByOrder> NodeTables for RangeTables<'_, '_, '_, W> {
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
        self.evaluator.scores_all
    }

    fn place(&self, feature: u32) -> FeaturePlace {
        self.evaluator.context.place(feature)
    }

    fn declared(&self, nominal: usize) -> DeclaredLevels<'_> {
        let context = self.evaluator.context;
        let (columns, missing) = (&context.nominal, context.nominal.missing[nominal]);
        DeclaredLevels {
            levels: columns.layout.arity(nominal) as u32 - u32::from(missing),
            missing: missing && !self.evaluator.leaves_out(),
            edges: columns.cuts[nominal],
            splits: context.splits(nominal),
        }
    }

    fn levels(&self, nominal: usize, counted: bool, _: &mut ()) -> FeatureLevels<'_, W::Sum> {
        let (columns, evaluator) = (&self.evaluator.context.nominal, self.evaluator);
        let mut cells = self.contingency.table(&columns.layout, nominal);
        let mut rows = counted.then(|| evaluator.code_sizes(nominal));
        let mut missing = columns.missing[nominal];
        if missing && evaluator.leaves_out() {
            missing = false;
            cells = &cells[..cells.len() - evaluator.totals.len()];
            rows.iter_mut().for_each(|rows| rows.truncate(rows.len() - 1));
        }
        let feature = columns.features[nominal];
        FeatureLevels {
            table: NominalTable { feature, cells: Cow::Borrowed(cells), missing },
            ordered: columns.ordered[nominal],
            rows,
        }
    }

    fn sums_of_cut(&self, numeric: usize, at: u32) -> BranchSums<W::Sum> {
        let known = self.evaluator.known_order(numeric);
        self.evaluator.branches_of_order(&known.order, at, known.sums.as_deref())
    }

    fn first_row(&self, numeric: usize, at: u32) -> u32 {
        let known = self.evaluator.known_order(numeric);
        let original = self.evaluator.context.data.original();
        first_tied_row(&known.order[..at as usize], |entry| original[entry_row(entry) as usize])
    }
}

impl<W: ByOrder> WholeRows for RangeTables<'_, '_, '_, W> {
    fn cut(&self, numeric: usize, at: u32) -> NodeCut<W::Sum> {
        let evaluator = self.evaluator;
        if let Some(short) = evaluator.short {
            return evaluator.short_cut(short.orders, numeric, at);
        }
        let known_order = evaluator.known_order(numeric);
        // The two values are read first, and may arrive while rows are counted.
        let rows_beside = known_order.rows_beside(at);
        let KnownOrder { order, sums: known } = known_order;
        let drawn = evaluator.cut_rule(numeric, &order).threshold();
        let test = evaluator.threshold_test(numeric, rows_beside, drawn);
        let mut sizes = vec![at, order.len() as u32 - at];
        if known.is_some() {
            sizes.push((evaluator.range.len - order.len()) as u32);
        }
        let branches = evaluator.branches_of_order(&order, at, known.as_deref());
        NodeCut { test, branches, sizes }
    }

    fn branch_sizes(&self, nominal: usize, sums: &[W::Sum], branch_of: &[u16]) -> Vec<u32> {
        let (evaluator, unit) = (self.evaluator, self.evaluator.context.weights.unit());
        if evaluator.context.weights.is_unit() {
            let branches = sums.chunks_exact(evaluator.totals.len());
            let weight = |sums: &[W::Sum]| sums.iter().map(|sum| sum.value(unit)).sum::<f64>();
            return branches.map(|sums| weight(sums) as u32).collect();
        }
        // Weights do not count rows: count the rows of each code, and add the counts of the codes
        // of a branch.
        let by_code = evaluator.code_sizes(nominal);
        if branch_of.is_empty() {
            return by_code;
        }
        // A code for missing values has the third branch, even where no row of the node has it.
        let mut sizes = vec![0; (sums.len() / evaluator.totals.len()).max(3)];
        branch_of.iter().zip(by_code).for_each(|(&branch, size)| sizes[branch as usize] += size);
        sizes
    }
}

//! The steps of global growth ([`Growth`]): the best candidate of each leaf, the next step among
//! them, and the table "label x class" after it.
//!
//! A leaf is searched again only when the table has changed or fewer branches are left, so a step
//! that leaves the table as it was searches the new leaves alone. Nothing depends on the number of
//! threads: the best of each leaf is found on its own, then compared. O(candidates of all leaves)
//! per step at most; [`global`](super) has the costs per candidate.

use super::leaf::{CandidateGroup, Collecting, Collector, LocalCandidate, majority};
use super::nearest::{LeafBest, nearest};
use super::rows::{LeafInTable, RowTerms, RowsScratch, WholeTable};
use super::score::{self, BestCandidate, LeafView, ScoreScratch};
use crate::criteria::Criterion;
use crate::error::Result;
use crate::grow::builder::TreeBuilder;
use crate::grow::context::FeaturePlace;
use crate::grow::evaluate::{ByOrder, NodeEvaluator, Workspace};
use crate::grow::features::{WantedFeatures, search_among};
use crate::grow::nodes::sorted_ranges::{RangeNode, SortedRanges};
use crate::grow::nodes::{NodeRows, Open};
use crate::grow::options::{EmptyBranch, Evaluation, LeafLabels, OnRise};
use crate::grow::row_buffers::NodeRange;
use crate::grow::search::{BranchSums, NodeTables, split_of_candidate, sums_of_candidate};
use crate::numeric::{Count, Ties, mix};
use crate::parallel::{self, Control};
use crate::reached::{self, Way};
use crate::split::ScoredCandidate;
use crate::stats::contingency::ContingencyTables;
use crate::stats::{CellOf, Sum};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// With fewer candidates leaves are rescored by one thread.
const WORTH_THREADS: usize = 1 << 14;

/// A leaf that may be split.
struct Leaf<C> {
    node: u32,
    range: NodeRange,
    /// Class counts.
    counts: Vec<C>,
    groups: Vec<CandidateGroup<C>>,
    /// Number of candidates in all groups.
    candidates: usize,
    /// The candidate that local growth would choose.
    local: Option<LocalCandidate>,
    /// Largest number of branches of a candidate.
    widest: usize,
    /// The best candidate. Where distances are sums over rows, it is `None` for leaves that cannot
    /// be the next, because only a bound on their distances is known.
    best: Option<BestCandidate>,
    /// A lower bound for the distances of the candidates, where distances are sums over rows.
    bound: f64,
    /// The state of the table for which `best` and `bound` were computed.
    found_for: Option<SearchState>,
}

/// The state on which the best candidate of a leaf depends, besides the leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SearchState {
    /// Version of the table.
    version: u64,
    /// Most branches that a candidate may have.
    branches: usize,
}

impl<C> Leaf<C> {
    /// The state for a table and a number of branches that are left. More branches than any
    /// candidate has make no difference.
    fn state(&self, version: u64, branches: usize) -> SearchState {
        SearchState { version, branches: branches.min(self.widest) }
    }
}

/// A leaf in a heap whose greatest element has the smallest bound.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    bound: f64,
    /// Place among the leaves.
    place: usize,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.place.cmp(&self.place))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

/// The split of a leaf that is made next.
struct GlobalStep {
    /// Place among the leaves.
    leaf: usize,
    feature: u32,
    /// Position of the threshold, or division of the levels.
    at: u32,
    /// Labels of the branches; `None`: their majorities.
    labels: Option<Vec<u16>>,
}

/// A tree under global growth, with the table "label x class" of all its rows.
pub(super) struct Growth<'n, 'f, W: ByOrder> {
    ranges: SortedRanges<'n, 'f, W>,
    pub tree: TreeBuilder<W::Sum>,
    workspace: Workspace<W::Sum>,
    /// The criterion as it reads the table of labels.
    criterion: &'n dyn Criterion,
    /// Class totals of all rows.
    totals: Vec<CellOf<W>>,
    /// Label of each node: the row of the table in which its rows are counted.
    label_of: Vec<u16>,
    /// `[label * classes + class]` of all rows.
    table: Vec<W::Sum>,
    /// Increased whenever the table changes.
    version: u64,
    /// The version in which each row of the table changed last.
    changed_in: Vec<u64>,
    /// The distance is a sum over the rows of the table.
    is_row_sum: bool,
    /// Distance of the present tree.
    current: f64,
    /// The leaves that may be split, in the order of their creation.
    leaves: Vec<Leaf<CellOf<W>>>,
}

impl<'n, 'f, W: ByOrder> Growth<'n, 'f, W> {
    /// Growth that has made no step yet: the root is the only leaf, and all rows are in the row of
    /// label 0 of the table. `criterion` is the criterion as it reads the table of labels.
    pub fn new(
        ranges: SortedRanges<'n, 'f, W>,
        mut tree: TreeBuilder<W::Sum>,
        criterion: &'n dyn Criterion,
    ) -> Self {
        let (context, sums) = (ranges.context, tree.sums(0));
        let unit = context.weights.unit();
        let totals: Vec<CellOf<W>> = sums.iter().map(|s| s.cell(unit)).collect();
        let k = sums.len();
        let mut table = vec![W::Sum::default(); k * k];
        table[..k].copy_from_slice(sums);
        tree.labels = vec![majority(totals.iter().copied()).map_or(0, i32::from)];
        let facts = &context.setting.context;
        let is_row_sum = RowTerms { criterion, context: facts, totals: &totals }.are_defined();
        Self {
            ranges,
            tree,
            workspace: Workspace::default(),
            criterion,
            totals,
            label_of: vec![0],
            table,
            version: 1,
            changed_in: vec![1; k],
            is_row_sum,
            current: 0.0,
            leaves: Vec::new(),
        }
    }

    /// Make steps until growth ends; returns the distance of the tree after each of them. `whole`
    /// are the rows of the root.
    ///
    /// # Errors
    /// A score that is not a number, a need of memory above the limit, an error of a user's
    /// criterion, or cancellation.
    pub fn run(&mut self, whole: NodeRange, control: &Control) -> Result<Vec<f64>> {
        let setting = self.ranges.context.setting;
        let limit = setting.limits.max_leaf_nodes.unwrap_or(usize::MAX);
        let (mut n_leaves, mut distances) = (1, Vec::new());
        self.measure()?;
        if !self.ranges.is_finished(&self.tree, 0) {
            self.open(0, whole, control)?;
        }
        while n_leaves < limit {
            control.check()?;
            // Each branch beyond the first is one more leaf.
            let branches = (limit - n_leaves).saturating_add(1);
            self.refresh(branches, control)?;
            let Some(step) = self.choose_step(branches) else { break };
            let before = self.tree.nodes.len();
            self.make_step(step, distances.len() as u32, control)?;
            n_leaves += self.tree.nodes.len() - before - 1;
            distances.push(self.current);
        }
        Ok(distances)
    }

    /// Value of one unit of the sums.
    fn unit(&self) -> f64 {
        self.ranges.context.weights.unit()
    }

    /// Compute the distance of the present tree from its table.
    fn measure(&mut self) -> Result<()> {
        let unit = self.unit();
        let cells: Vec<CellOf<W>> = self.table.iter().map(|s| s.cell(unit)).collect();
        let context = &self.ranges.context.setting.context;
        let mut out = [0.0];
        score::distances(self.criterion, context, &self.totals, &cells, 1, &mut out)?;
        self.current = out[0] + 0.0;
        Ok(())
    }

    /// The evaluator of a leaf.
    fn evaluator<'l>(
        ranges: &'l SortedRanges<'_, '_, W>,
        tree: &'l TreeBuilder<W::Sum>,
        node: u32,
        range: NodeRange,
    ) -> NodeEvaluator<'l, 'l, W> {
        NodeEvaluator {
            context: ranges.context,
            slices: &ranges.slices,
            range,
            totals: tree.sums(node as usize),
            left_out: 0.0,
            key: tree.nodes[node as usize].key,
            scores_all: true,
            path: None,
            short: None,
        }
    }

    /// Collect the candidates of a new leaf, which may be split if it has any.
    fn open(&mut self, node: u32, range: NodeRange, control: &Control) -> Result<()> {
        let (context, unit) = (self.ranges.context, self.unit());
        let setting = context.setting;
        let evaluator = Self::evaluator(&self.ranges, &self.tree, node, range);
        let counts: Vec<CellOf<W>> = evaluator.totals.iter().map(|s| s.cell(unit)).collect();
        let contingency = evaluator.count_tables();
        let tables = evaluator.tables(&contingency);
        // The tie rule as a number per candidate.
        let rank = |feature: u32, at: u32, left: &dyn Fn() -> f64| {
            let place = u64::from(feature) << 32;
            match setting.ties {
                // Global growth does not take ties by the sizes of branches.
                Ties::First | Ties::Even => place | u64::from(at),
                Ties::Row => match context.place(feature) {
                    FeaturePlace::Numeric(i) => place | u64::from(tables.first_row(i, at)),
                    FeaturePlace::Nominal(_) => place,
                },
                Ties::Random => {
                    // A threshold is named by the weight on its left, not by its place among the
                    // rows: copies of a row, or a weight, draw the same.
                    let name = match context.place(feature) {
                        FeaturePlace::Numeric(_) => left() as u64 ^ left().fract().to_bits(),
                        FeaturePlace::Nominal(_) => u64::from(at),
                    };
                    mix(mix(setting.seed, evaluator.key), place | name)
                }
            }
        };
        // The groups of candidates, and the local best for glocal growth.
        let glocal = setting.evaluation == Evaluation::Glocal;
        // With distinct labels, local distances are needed only for candidates of equal distances
        // of the whole tree.
        let is_lazy = self.is_row_sum && setting.labels == LeafLabels::Distinct && !glocal;
        let majority_labels = setting.labels == LeafLabels::Majority;
        let wanted = Collecting { majority: majority_labels, scored: glocal, lazy: is_lazy };
        let fallback = majority(counts.iter().copied()).unwrap_or(0);
        let mut collector =
            Collector::new(setting.criterion, &rank, wanted, fallback, counts.len());
        let n_features = context.data.columns().len();
        let key = mix(setting.seed, evaluator.key);
        search_among(n_features, setting.max_features, &|_| true, key, &mut |wanted| {
            evaluator.score_all(
                &contingency,
                WantedFeatures::only(wanted),
                &mut self.workspace,
                &mut collector,
                control,
            )?;
            Ok((!collector.groups.is_empty()).then_some(()))
        })?;
        let (groups, mut local) = collector.finish()?;
        // The limits of local growth hold for local steps.
        if let Some(best) = local {
            let distance_before = || evaluator.node().distance(evaluator.totals);
            if !setting.limits.accept(best.score, best.distance, distance_before)? {
                local = None;
            }
        }
        let candidates = groups.iter().map(CandidateGroup::len).sum();
        let widest = groups.iter().map(|group| group.branches).max().unwrap_or(0);
        if candidates > 0 {
            self.leaves.push(Leaf {
                node,
                range,
                counts,
                groups,
                candidates,
                local,
                widest,
                best: None,
                bound: f64::INFINITY,
                found_for: None,
            });
        }
        Ok(())
    }

    /// Find the best candidate of each leaf again whose search state has changed; `branches` is the
    /// largest number of branches for which the tree has room.
    fn refresh(&mut self, branches: usize, control: &Control) -> Result<()> {
        if self.is_row_sum {
            self.refresh_rows(branches, control)
        } else {
            self.refresh_tables(branches, control)
        }
    }

    /// [`Self::refresh`] where the distance is a sum over rows: bounds of all leaves first, then
    /// the best candidates of the leaves that may be the next.
    fn refresh_rows(&mut self, branches: usize, control: &Control) -> Result<()> {
        reached::count(Way::GlobalRows);
        let setting = self.ranges.context.setting;
        let (unit, k) = (self.unit(), self.totals.len());
        let cells: Vec<CellOf<W>> = self.table.iter().map(|s| s.cell(unit)).collect();
        let (criterion, context, version) = (self.criterion, &setting.context, self.version);
        let formula = RowTerms { criterion, context, totals: &self.totals };
        let rows = cells.chunks_exact(k).enumerate();
        let terms: Vec<f64> = rows.map(|(label, row)| formula.row_term(label, row)).collect();
        let whole = WholeTable {
            formula,
            local_criterion: setting.criterion,
            ties: setting.ties,
            choice: setting.labels,
            table: &cells,
            terms: &terms,
            changed_in: &self.changed_in,
            current: self.current,
            branches,
        };
        let (table, label_of, tree) = (&self.table, &self.label_of, &self.tree);
        // The label of a leaf, and the row of that label without it.
        let label_row = |leaf: &Leaf<CellOf<W>>| -> (u16, Vec<CellOf<W>>) {
            let label = label_of[leaf.node as usize];
            let row = table[label as usize * k..][..k].iter().zip(tree.sums(leaf.node as usize));
            (label, row.map(|(cell, &s)| cell.minus(s).cell(unit)).collect())
        };
        let bound = |leaf: &mut Leaf<CellOf<W>>, scratch: &mut RowsScratch<CellOf<W>>| {
            let state = leaf.state(version, branches);
            if leaf.found_for == Some(state) {
                return Ok(());
            }
            control.check()?;
            let (label, own) = label_row(leaf);
            let in_table = LeafInTable { whole: &whole, leaf: &leaf.counts, label, own: &own };
            leaf.bound = in_table.lower_bound(&mut leaf.groups, version, scratch);
            (leaf.best, leaf.found_for) = (None, Some(state));
            Ok(())
        };
        let mut scratch = RowsScratch::default();
        let work: usize = self.leaves.iter().map(|leaf| leaf.candidates).sum();
        if control.threads() > 1 && work > WORTH_THREADS {
            parallel::for_each_mut(control, &mut self.leaves, &|_, leaf| {
                bound(leaf, &mut RowsScratch::default())
            })?;
        } else {
            self.leaves.iter_mut().try_for_each(|leaf| bound(leaf, &mut scratch))?;
        }
        best_by_bounds(&mut self.leaves, &whole, label_row, &mut scratch, control)
    }

    /// [`Self::refresh`] by the formula for all candidates.
    fn refresh_tables(&mut self, branches: usize, control: &Control) -> Result<()> {
        reached::count(Way::GlobalTables);
        let setting = self.ranges.context.setting;
        let (unit, k) = (self.unit(), self.totals.len());
        let (table, totals, label_of) = (&self.table, &self.totals, &self.label_of);
        let (criterion, version, current) = (self.criterion, self.version, self.current);
        let is_stale =
            |leaf: &Leaf<CellOf<W>>| leaf.found_for != Some(leaf.state(version, branches));
        let tree = &self.tree;
        let work: usize =
            self.leaves.iter().filter(|leaf| is_stale(leaf)).map(|leaf| leaf.candidates).sum();
        let rescore = |leaf: &mut Leaf<CellOf<W>>, scratch: &mut ScoreScratch<CellOf<W>>| {
            let label = label_of[leaf.node as usize];
            // The table without the leaf.
            let mut others = table.clone();
            let row = &mut others[label as usize * k..(label as usize + 1) * k];
            row.iter_mut()
                .zip(tree.sums(leaf.node as usize))
                .for_each(|(cell, &s)| *cell = cell.minus(s));
            let others: Vec<CellOf<W>> = others.iter().map(|s| s.cell(unit)).collect();
            let view = LeafView {
                criterion,
                context: &setting.context,
                ties: setting.ties,
                choice: setting.labels,
                totals,
                others: &others,
                leaf: &leaf.counts,
                label,
                current,
                branches,
            };
            leaf.best = view.best(&leaf.groups, scratch, control)?;
            leaf.found_for = Some(leaf.state(version, branches));
            Ok(())
        };
        if control.threads() > 1 && work > WORTH_THREADS && !criterion.needs_all_candidates() {
            parallel::for_each_mut(control, &mut self.leaves, &|_, leaf| {
                if is_stale(leaf) { rescore(leaf, &mut ScoreScratch::default()) } else { Ok(()) }
            })
        } else {
            let mut scratch = ScoreScratch::default();
            self.leaves
                .iter_mut()
                .filter(|leaf| is_stale(leaf))
                .try_for_each(|leaf| rescore(leaf, &mut scratch))
        }
    }

    /// The next step; `None` when growth ends. The tree has room for `branches` new leaves in place
    /// of one.
    fn choose_step(&self, branches: usize) -> Option<GlobalStep> {
        let setting = self.ranges.context.setting;
        // The global step of the smallest distance; ties go by leaf unless they are random.
        let node = |leaf: &Leaf<CellOf<W>>| (setting.ties != Ties::Random).then_some(leaf.node);
        let globals = self.leaves.iter().enumerate().filter_map(|(at, leaf)| {
            let best = leaf.best.as_ref()?;
            Some((at, node(leaf), best))
        });
        let first = globals.min_by(|(_, a_node, a), (_, b_node, b)| a.order(*a_node, b, *b_node));
        let (leaf, _, best) = first?;
        let better = match (setting.evaluation, setting.limits.on_distance_rise) {
            (Evaluation::Glocal, _) | (_, OnRise::Strict) => best.global < self.current,
            (_, OnRise::Stop) => best.global <= self.current,
            (_, OnRise::Ignore) => true,
        };
        if better {
            let labels = Some(best.labels.clone());
            return Some(GlobalStep { leaf, feature: best.feature, at: best.at, labels });
        }
        if setting.evaluation != Evaluation::Glocal {
            return None;
        }
        // Else the step of best-first local growth, in the leaf created first on ties.
        let locals = self.leaves.iter().enumerate().filter_map(|(at, leaf)| {
            let local = leaf.local.filter(|local| local.branches <= branches)?;
            Some((at, leaf.node, local))
        });
        let first = locals.min_by(|(_, a_node, a), (_, b_node, b)| {
            a.distance.total_cmp(&b.distance).then(a_node.cmp(b_node))
        });
        let (leaf, _, local) = first?;
        Some(GlobalStep { leaf, feature: local.feature, at: local.at, labels: None })
    }

    /// Make a step: add and label the children of the leaf, and update the table. `number` is the
    /// number of the step.
    fn make_step(&mut self, step: GlobalStep, number: u32, control: &Control) -> Result<()> {
        // The split of the leaf, with the class sums of its branches.
        let leaf = self.leaves.remove(step.leaf);
        let (node, k) = (leaf.node as usize, self.totals.len());
        let evaluator = Self::evaluator(&self.ranges, &self.tree, leaf.node, leaf.range);
        let contingency = match evaluator.context.place(step.feature) {
            FeaturePlace::Numeric(_) => ContingencyTables::default(),
            FeaturePlace::Nominal(_) => evaluator.count_tables(),
        };
        let tables = evaluator.tables(&contingency);
        let BranchSums { sums, .. } = sums_of_candidate(&tables, step.feature, step.at);
        let score = evaluator.node().score(evaluator.context.setting.criterion, &sums)?;
        let candidate = ScoredCandidate { feature: step.feature, at: step.at, score };
        let split = split_of_candidate(&tables, candidate)?;

        // Move the rows of the leaf to the rows of the new labels.
        let table_before = self.table.clone();
        let old_label = self.label_of[node] as usize;
        for (cell, &s) in self.table[old_label * k..].iter_mut().zip(self.tree.sums(node)) {
            *cell = cell.minus(s);
        }
        let unit = self.unit();
        let parent = majority(leaf.counts.iter().copied()).unwrap_or(0);
        for (b, (branch_sums, &size)) in split.sums.chunks_exact(k).zip(&split.sizes).enumerate() {
            let label = match &step.labels {
                Some(labels) => labels[b],
                None => majority(branch_sums.iter().map(|sum| sum.cell(unit))).unwrap_or(parent),
            };
            for (cell, &s) in self.table[label as usize * k..].iter_mut().zip(branch_sums) {
                *cell = cell.plus(s);
            }
            self.label_of.push(label);
            let is_unclassified =
                size == 0 && self.ranges.context.setting.empty_branch == EmptyBranch::Unclassified;
            self.tree.labels.push(if is_unclassified { -1 } else { i32::from(label) });
        }
        // If that changed the table, the distance and the searches of other leaves change, too.
        if self.table != table_before {
            self.version += 1;
            for (label, changed) in self.changed_in.iter_mut().enumerate() {
                if self.table[label * k..][..k] != table_before[label * k..][..k] {
                    *changed = self.version;
                }
            }
            self.measure()?;
        }
        // Divide the rows; children that may be split are leaves with candidates.
        let open = Open { node: leaf.node, rows: RangeNode::new(leaf.range) };
        let mut children = Vec::new();
        self.ranges.split(&mut self.tree, open, &split, number, &mut children);
        for child in children {
            self.open(child.node, child.rows.range, control)?;
        }
        Ok(())
    }
}

/// Find the best candidates of the leaves that may be the next by their bounds. `label_row` gives
/// the label of a leaf, and the row of that label without it.
fn best_by_bounds<C: Count>(
    leaves: &mut [Leaf<C>],
    whole: &WholeTable<'_, C>,
    label_row: impl Fn(&Leaf<C>) -> (u16, Vec<C>),
    scratch: &mut RowsScratch<C>,
    control: &Control,
) -> Result<()> {
    // The smallest distance that is known.
    let distances = leaves.iter().filter_map(|leaf| leaf.best.as_ref().map(|best| best.global));
    let mut limit = distances.fold(f64::INFINITY, f64::min);
    // Leaves that may have a smaller one, by their bounds. A heap orders no more than are taken
    // out.
    let mut waiting: BinaryHeap<Waiting> = leaves
        .iter()
        .enumerate()
        .filter(|(_, leaf)| leaf.best.is_none() && leaf.bound <= limit + whole.slack())
        .map(|(place, leaf)| Waiting { bound: leaf.bound, place })
        .collect();
    while let Some(next) = waiting.pop() {
        if next.bound > limit + whole.slack() {
            break;
        }
        control.check()?;
        let leaf = &mut leaves[next.place];
        let (label, own) = label_row(leaf);
        let in_table = LeafInTable { whole, leaf: &leaf.counts, label, own: &own };
        let LeafBest { best, bound } = nearest(&in_table, &leaf.groups, limit, scratch)?;
        (leaf.best, leaf.bound) = (best, bound);
        limit = leaf.best.as_ref().map_or(limit, |best| limit.min(best.global));
    }
    Ok(())
}

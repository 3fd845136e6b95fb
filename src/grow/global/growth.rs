//! The steps of global growth: candidates of all leaves, the next of them, and the table after it.
//!
//! A step that leaves the table "label x class" as it was looks at the new leaves only. Nothing
//! depends on the number of threads: each leaf's best is found on its own, then compared. O(leaves
//! x candidates) a step at most; see [`global`](super::global).

use super::leaf::{CandidateGroup, Collector, LocalBest, majority};
use super::nearest::nearest;
use super::rows::{self, From, WholeTable};
use super::score::{self, BestCandidate, LeafView, ScoreScratch};
use crate::criteria::Criterion;
use crate::error::Result;
use crate::grow::builder::TreeBuilder;
use crate::grow::context::FeaturePlace;
use crate::grow::evaluate::{NodeEvaluator, Workspace};
use crate::grow::features::search_among;
use crate::grow::nodes::sorted_ranges::{RangeNode, SortedRanges};
use crate::grow::nodes::{NodeRows, Open};
use crate::grow::options::{EmptyBranch, Evaluation, LeafLabels, OnRise};
use crate::grow::row_buffers::NodeRange;
use crate::grow::search::{NodeTables, branches, chosen};
use crate::numeric::{Count, Ties, mix};
use crate::parallel::{self, Control};
use crate::reached::{self, Way};
use crate::split::Choice;
use crate::stats::contingency::{Code, ContingencyTables};
use crate::stats::{CellOf, Sum, Weighing};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Candidates below which leaves are rescored by one thread.
const WORTH_THREADS: usize = 1 << 14;

/// A leaf that may be split.
struct Leaf<C> {
    node: u32,
    range: NodeRange,
    counts: Vec<C>,
    groups: Vec<CandidateGroup<C>>,
    candidates: usize,
    local: Option<LocalBest>,
    /// Largest number of branches of a candidate.
    widest: usize,
    /// The best candidate, and for which table and how many branches it was found. Where distances
    /// are sums over rows, it is nothing for leaves that cannot be the next: then only the bound is
    /// known.
    best: Option<BestCandidate>,
    bound: f64,
    seen: Option<(u64, usize)>,
}

/// A leaf in the order of bounds, the smallest first out of a heap.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    bound: f64,
    at: usize,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.at.cmp(&self.at))
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

/// A step to be made.
struct GlobalStep {
    leaf: usize,
    feature: u32,
    at: u32,
    /// Labels of the branches; nothing: majorities.
    labels: Option<Vec<u16>>,
}

/// A tree under global growth, with the table "label x class" of all its rows.
pub(super) struct Growth<'n, 'f, C, W: Weighing> {
    ranges: SortedRanges<'n, 'f, C, W>,
    pub tree: TreeBuilder<W::Sum>,
    tools: Workspace<W::Sum>,
    criterion: &'n dyn Criterion,
    totals: Vec<CellOf<W>>,
    /// Row of the table in which a node's rows are counted.
    rows_of: Vec<u16>,
    /// `[label * classes + class]` of all rows.
    table: Vec<W::Sum>,
    version: u64,
    /// The version in which each row of the table changed last.
    changed: Vec<u64>,
    /// The distance is a sum over the rows of the table.
    summed: bool,
    current: f64,
    /// In the order of their creation.
    leaves: Vec<Leaf<CellOf<W>>>,
}

impl<'n, 'f, C: Code, W: Weighing> Growth<'n, 'f, C, W> {
    /// A root with label 0.
    pub fn new(
        ranges: SortedRanges<'n, 'f, C, W>,
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
        let summed = rows::is_sum(criterion, &context.setting.context, &totals);
        Self {
            ranges,
            tree,
            tools: Workspace::default(),
            criterion,
            totals,
            rows_of: vec![0],
            table,
            version: 1,
            changed: vec![1; k],
            summed,
            current: 0.0,
            leaves: Vec::new(),
        }
    }

    /// Make steps until growth ends; the global distance after each of them.
    pub fn run(&mut self, whole: NodeRange, control: &Control) -> Result<Vec<f64>> {
        let setting = self.ranges.context.setting;
        let limit = setting.limits.max_leaf_nodes.unwrap_or(usize::MAX);
        let (mut leaves, mut kept) = (1, Vec::new());
        self.measure()?;
        if !self.ranges.is_finished(&self.tree, 0) {
            self.open(0, whole, control)?;
        }
        while leaves < limit {
            control.check()?;
            // Each branch beyond the first is one more leaf.
            let branches = (limit - leaves).saturating_add(1);
            self.refresh(branches, control)?;
            let Some(step) = self.choose(branches) else { break };
            let before = self.tree.nodes.len();
            self.make(step, kept.len() as u32, control)?;
            leaves += self.tree.nodes.len() - before - 1;
            kept.push(self.current);
        }
        Ok(kept)
    }

    fn unit(&self) -> f64 {
        self.ranges.context.weights.unit()
    }

    /// Compute the distance of the present table.
    fn measure(&mut self) -> Result<()> {
        let unit = self.unit();
        let cells: Vec<CellOf<W>> = self.table.iter().map(|s| s.cell(unit)).collect();
        let context = &self.ranges.context.setting.context;
        let mut out = [0.0];
        score::distances(self.criterion, context, &self.totals, &cells, 1, &mut out)?;
        self.current = out[0] + 0.0;
        Ok(())
    }

    fn evaluator<'l>(
        ranges: &'l SortedRanges<'_, '_, C, W>,
        tree: &'l TreeBuilder<W::Sum>,
        node: u32,
        range: NodeRange,
    ) -> NodeEvaluator<'l, 'l, C, W> {
        NodeEvaluator {
            context: ranges.context,
            field: &ranges.field,
            range,
            totals: tree.sums(node as usize),
            key: tree.nodes[node as usize].key,
            every: true,
            short: None,
        }
    }

    /// Collect the candidates of a leaf; one without any is forgotten.
    fn open(&mut self, node: u32, range: NodeRange, control: &Control) -> Result<()> {
        reached::count(Way::GlobalLeaf);
        let (context, unit) = (self.ranges.context, self.unit());
        let setting = context.setting;
        let evaluator = Self::evaluator(&self.ranges, &self.tree, node, range);
        let counts: Vec<CellOf<W>> = evaluator.totals.iter().map(|s| s.cell(unit)).collect();
        let contingency = evaluator.count_tables(&mut self.tools);
        let tables = evaluator.tables(&contingency);
        let rank = |feature: u32, at: u32| {
            let place = u64::from(feature) << 32;
            match setting.ties {
                Ties::First => place | u64::from(at),
                Ties::Row => match context.place(feature) {
                    FeaturePlace::Numeric(i) => place | u64::from(tables.first_row(i, at)),
                    FeaturePlace::Nominal(_) => place,
                },
                Ties::Random => mix(mix(setting.seed, evaluator.key), place | u64::from(at)),
            }
        };
        let glocal = setting.evaluation == Evaluation::Glocal;
        // Where labels differ, local distances only tell apart candidates that are equal for the
        // whole tree.
        let lazy = self.summed && setting.labels == LeafLabels::Distinct && !glocal;
        let how = [setting.labels == LeafLabels::Majority, glocal, lazy];
        let fallback = majority(counts.iter().copied()).unwrap_or(0);
        let mut found = Collector::new(setting.criterion, &rank, how, fallback, counts.len());
        let p = context.data.columns().len();
        search_among(p, setting.max_features, mix(setting.seed, evaluator.key), |wanted| {
            let wanted = |f: u32| wanted[f as usize];
            evaluator.score_all(&contingency, wanted, &mut self.tools, &mut found, control)?;
            Ok((!found.groups.is_empty()).then_some(()))
        })?;
        let (groups, mut local) = found.finish()?;
        if let Some(b) = local {
            let before = || evaluator.node().distance(evaluator.totals);
            if !setting.limits.accept(b.score, b.distance, before)? {
                local = None;
            }
        }
        self.tools.recycle(contingency);
        let candidates = groups.iter().map(CandidateGroup::len).sum();
        let widest = groups.iter().map(|g| g.branches).max().unwrap_or(0);
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
                seen: None,
            });
        }
        Ok(())
    }

    /// Find the best candidate of each leaf again where the table has changed or fewer branches are
    /// left.
    fn refresh(&mut self, branches: usize, control: &Control) -> Result<()> {
        if self.summed {
            self.refresh_rows(branches, control)
        } else {
            self.refresh_tables(branches, control)
        }
    }

    /// By bounds first, and the best only of leaves that may be the next.
    fn refresh_rows(&mut self, branches: usize, control: &Control) -> Result<()> {
        reached::count(Way::GlobalRows);
        let setting = self.ranges.context.setting;
        let (unit, k) = (self.unit(), self.totals.len());
        let cells: Vec<CellOf<W>> = self.table.iter().map(|s| s.cell(unit)).collect();
        let (criterion, context, version) = (self.criterion, &setting.context, self.version);
        let rows = cells.chunks_exact(k).enumerate();
        let terms: Vec<f64> =
            rows.map(|(l, row)| rows::term(criterion, context, &self.totals, l, row)).collect();
        let whole = WholeTable {
            criterion,
            inside: setting.criterion,
            context,
            ties: setting.ties,
            choice: setting.labels,
            totals: &self.totals,
            table: &cells,
            terms: &terms,
            changed: &self.changed,
            current: self.current,
            branches,
        };
        let (table, rows_of, sums) = (&self.table, &self.rows_of, &self.tree);
        let own = |leaf: &Leaf<CellOf<W>>| -> (u16, Vec<CellOf<W>>) {
            let label = rows_of[leaf.node as usize];
            let row = table[label as usize * k..][..k].iter().zip(sums.sums(leaf.node as usize));
            (label, row.map(|(cell, &s)| cell.minus(s).cell(unit)).collect())
        };
        let bound = |leaf: &mut Leaf<CellOf<W>>, scratch: &mut rows::RowsScratch<CellOf<W>>| {
            let state = (version, branches.min(leaf.widest));
            if leaf.seen == Some(state) {
                return Ok(());
            }
            control.check()?;
            let (label, own) = own(leaf);
            let from = From { whole: &whole, leaf: &leaf.counts, label, own: &own };
            leaf.bound = from.bound(&mut leaf.groups, version, scratch);
            (leaf.best, leaf.seen) = (None, Some(state));
            Ok(())
        };
        let mut scratch = rows::RowsScratch::default();
        let work: usize = self.leaves.iter().map(|l| l.candidates).sum();
        if control.threads() > 1 && work > WORTH_THREADS {
            parallel::for_each_mut(control, &mut self.leaves, |_, leaf| {
                bound(leaf, &mut rows::RowsScratch::default())
            })?;
        } else {
            self.leaves.iter_mut().try_for_each(|leaf| bound(leaf, &mut scratch))?;
        }
        best_by_bounds(&mut self.leaves, &whole, own, &mut scratch, control)
    }

    /// By the formula for all candidates.
    fn refresh_tables(&mut self, branches: usize, control: &Control) -> Result<()> {
        reached::count(Way::GlobalTables);
        let setting = self.ranges.context.setting;
        let (unit, k) = (self.unit(), self.totals.len());
        let (table, totals, rows_of) = (&self.table, &self.totals, &self.rows_of);
        let (criterion, version, current) = (self.criterion, self.version, self.current);
        let stale =
            |leaf: &Leaf<CellOf<W>>| leaf.seen != Some((version, branches.min(leaf.widest)));
        let sums = &self.tree;
        let work: usize = self.leaves.iter().filter(|l| stale(l)).map(|l| l.candidates).sum();
        let rescore = |leaf: &mut Leaf<CellOf<W>>, scratch: &mut ScoreScratch<CellOf<W>>| {
            let label = rows_of[leaf.node as usize];
            let mut others = table.clone();
            let row = &mut others[label as usize * k..(label as usize + 1) * k];
            row.iter_mut()
                .zip(sums.sums(leaf.node as usize))
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
            leaf.seen = Some((version, branches.min(leaf.widest)));
            Ok(())
        };
        if control.threads() > 1 && work > WORTH_THREADS && !criterion.needs_all_candidates() {
            parallel::for_each_mut(control, &mut self.leaves, |_, leaf| {
                if stale(leaf) { rescore(leaf, &mut ScoreScratch::default()) } else { Ok(()) }
            })
        } else {
            let mut scratch = ScoreScratch::default();
            self.leaves
                .iter_mut()
                .filter(|l| stale(l))
                .try_for_each(|leaf| rescore(leaf, &mut scratch))
        }
    }

    /// The next step, or nothing when growth ends.
    fn choose(&self, branches: usize) -> Option<GlobalStep> {
        let setting = self.ranges.context.setting;
        let place = |leaf: &Leaf<CellOf<W>>| (setting.ties != Ties::Random).then_some(leaf.node);
        let best = self
            .leaves
            .iter()
            .enumerate()
            .filter_map(|(i, leaf)| leaf.best.as_ref().map(|best| (i, leaf, best)))
            .min_by(|a, b| a.2.order(place(a.1), b.2, place(b.1)));
        let (i, _, best) = best?;
        let better = match (setting.evaluation, setting.limits.no_distance_decay) {
            (Evaluation::Glocal, _) | (_, OnRise::Strict) => best.global < self.current,
            (_, OnRise::Stop) => best.global <= self.current,
            (_, OnRise::Ignore) => true,
        };
        if better {
            let (feature, at) = (best.feature, best.at);
            return Some(GlobalStep { leaf: i, feature, at, labels: Some(best.labels.clone()) });
        }
        if setting.evaluation != Evaluation::Glocal {
            return None;
        }
        let locals = self
            .leaves
            .iter()
            .enumerate()
            .filter_map(|(i, leaf)| leaf.local.map(|b| (i, leaf.node, b)));
        let local = locals
            .filter(|l| l.2.branches <= branches)
            .min_by(|a, b| a.2.distance.total_cmp(&b.2.distance).then(a.1.cmp(&b.1)));
        local.map(|(leaf, _, b)| GlobalStep { leaf, feature: b.feature, at: b.at, labels: None })
    }

    /// Make a step: the leaf's children are added and labelled, the table follows.
    fn make(&mut self, step: GlobalStep, number: u32, control: &Control) -> Result<()> {
        let leaf = self.leaves.remove(step.leaf);
        let (node, k) = (leaf.node as usize, self.totals.len());
        let evaluator = Self::evaluator(&self.ranges, &self.tree, leaf.node, leaf.range);
        let contingency = match evaluator.context.place(step.feature) {
            FeaturePlace::Numeric(_) => ContingencyTables::default(),
            FeaturePlace::Nominal(_) => evaluator.count_tables(&mut self.tools),
        };
        let tables = evaluator.tables(&contingency);
        let (sums, _) = branches(&tables, step.feature, step.at);
        let score = evaluator.node().score(evaluator.context.setting.criterion, &sums)?;
        let chosen = chosen(&tables, Choice { feature: step.feature, at: step.at, score })?;
        self.tools.recycle(contingency);

        let before = self.table.clone();
        let old = self.rows_of[node] as usize;
        for (cell, &s) in self.table[old * k..].iter_mut().zip(self.tree.sums(node)) {
            *cell = cell.minus(s);
        }
        let unit = self.unit();
        let parent = majority(leaf.counts.iter().copied()).unwrap_or(0);
        for (b, (branch, &size)) in chosen.sums.chunks_exact(k).zip(&chosen.sizes).enumerate() {
            let label = match &step.labels {
                Some(labels) => labels[b],
                None => majority(branch.iter().map(|s| s.cell(unit))).unwrap_or(parent),
            };
            for (cell, &s) in self.table[label as usize * k..].iter_mut().zip(branch) {
                *cell = cell.plus(s);
            }
            self.rows_of.push(label);
            let nothing =
                size == 0 && self.ranges.context.setting.empty_branch == EmptyBranch::Unclassified;
            self.tree.labels.push(if nothing { -1 } else { i32::from(label) });
        }
        if self.table != before {
            self.version += 1;
            for (label, seen) in self.changed.iter_mut().enumerate() {
                if self.table[label * k..][..k] != before[label * k..][..k] {
                    *seen = self.version;
                }
            }
            self.measure()?;
        }
        let open = Open { node: leaf.node, rows: RangeNode::new(leaf.range) };
        let mut children = Vec::new();
        self.ranges.split(&mut self.tree, open, &chosen, number, &mut children);
        for child in children {
            if let Some(contingency) = child.rows.contingency {
                self.tools.recycle(contingency);
            }
            self.open(child.node, child.rows.range, control)?;
        }
        Ok(())
    }
}

/// The best candidates of the leaves that may be the next by their bounds; `own` gives the label of
/// a leaf, and the row of that label without it.
fn best_by_bounds<C: Count>(
    leaves: &mut [Leaf<C>],
    whole: &WholeTable<'_, C>,
    own: impl Fn(&Leaf<C>) -> (u16, Vec<C>),
    scratch: &mut rows::RowsScratch<C>,
    control: &Control,
) -> Result<()> {
    let known = leaves.iter().filter_map(|l| l.best.as_ref().map(|b| b.global));
    let mut limit = known.fold(f64::INFINITY, f64::min);
    // Leaves by their bounds; the largest bounds need no order.
    let mut waiting: BinaryHeap<Waiting> = leaves
        .iter()
        .enumerate()
        .filter(|(_, l)| l.best.is_none() && l.bound <= limit + whole.slack())
        .map(|(at, l)| Waiting { bound: l.bound, at })
        .collect();
    while let Some(next) = waiting.pop() {
        if next.bound > limit + whole.slack() {
            break;
        }
        control.check()?;
        let leaf = &mut leaves[next.at];
        let (label, own) = own(leaf);
        let from = From { whole, leaf: &leaf.counts, label, own: &own };
        (leaf.best, leaf.bound) = nearest(&from, &leaf.groups, limit, scratch)?;
        limit = leaf.best.as_ref().map_or(limit, |b| limit.min(b.global));
    }
    Ok(())
}

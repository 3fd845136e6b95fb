//! The growth of one tree on codes ([`grow`]): how a node is evaluated and how its records are
//! divided.
//!
//! A node is a range of records with its counters, or the lanes of a small node. [`super::inherit`]
//! counts nodes, [`BinnedNode`] finds their splits, and the [`driver`] decides their order.

use super::best_cut::CodedSum;
use super::context::BinnedContext;
use super::counts::{BinCounters, CounterPool, NodeCounts};
use super::node::{BinnedNode, BinnedWorkspace, draw_features};
use super::rows::{Branching, NodeRecords, RecordRange};
use super::small::{SmallColumns, SmallNode};
use crate::bins::{Records, TableFacts, WeightWidth};
use crate::error::Result;
use crate::grow::builder::{NewChildren, TreeBuilder};
use crate::grow::driver;
use crate::grow::features::search_in_order;
use crate::grow::nodes::{NodeRows, Open};
use crate::grow::options::{GrowthLimits, GrowthSetting, check};
use crate::grow::search::{BestSplit, NodeTables};
use crate::numeric::mix;
use crate::parallel::Control;
use crate::simd::small::MOST_SMALL_ROWS;
use crate::stats::{ExactMoments, Sum};
use crate::tree::Tree;

/// Subtrees of fewer rows do not pay for a task of their own.
const SMALLEST_TASK: usize = 4096;
/// Bytes that the counters of open nodes may take: 32 MiB. Beyond that nodes are counted again.
pub(super) const KEPT_BYTES: usize = 1 << 25;

/// Grow a tree on records of the rows of a table; `table` has the bins that the codes name.
///
/// # Errors
/// Limits outside their domain, a score that is not a number, an error of a user's criterion, or
/// cancellation.
pub fn grow(
    table: &TableFacts<'_>,
    records: Records,
    setting: &GrowthSetting<'_>,
    control: &Control,
) -> Result<Tree> {
    check(&setting.limits)?;
    let context = BinnedContext::new(table, records.layout, setting, table.unit);
    if records.layout.number {
        grow_with_sums::<ExactMoments>(context, records, control)
    } else if records.layout.weight == WeightWidth::Long {
        grow_with_sums::<i64>(context, records, control)
    } else {
        grow_with_sums::<u32>(context, records, control)
    }
}

/// [`grow`] with class sums of one type.
fn grow_with_sums<S: CodedSum>(
    mut context: BinnedContext<'_>,
    mut records: Records,
    control: &Control,
) -> Result<Tree> {
    let (len, setting) = (records.len(), context.setting);
    let (unit, sums) = (context.unit, context.sums::<S>(&records.bytes));
    context.total_weight = S::total(&sums).value(unit);
    let tree = TreeBuilder::new(&sums, len as u32, mix(setting.seed, 0), 0);
    let root = CodedNode::new(RecordRange { start: 0, len });
    let records = NodeRecords::new(&mut records);
    // A user's criterion is called by one thread.
    let task_rows = if setting.criterion.needs_all_candidates() {
        0
    } else {
        driver::task_size(len, SMALLEST_TASK, control)
    };
    let tree = driver::grow(BinnedRows::new(&context, records), tree, root, task_rows, control)?;
    tree.finish(unit, context.copies(), setting)
}

/// The rows of a node: a range of records with its counters, or the lanes of a small node.
#[derive(Debug)]
pub(super) struct CodedNode<S> {
    pub range: RecordRange,
    /// The counters of all features, once they are counted or inherited.
    pub counters: Option<BinCounters<S>>,
    /// The lanes of a small node; only the length of the range has a meaning then.
    pub small: Option<SmallNode>,
}

impl<S> CodedNode<S> {
    /// A node of a range of records, not counted yet. The search of the node counts it, or decides
    /// that it is a small node.
    pub fn new(range: RecordRange) -> Self {
        Self { range, counters: None, small: None }
    }
}

/// Whether the copies of a node's rows fit the lanes of a word.
fn fits_in_lanes<S: Sum>(totals: &[S]) -> bool {
    totals.iter().map(|total| total.units()).sum::<i64>() <= MOST_SMALL_ROWS as i64
}

/// Evaluates nodes and divides their records.
pub(super) struct BinnedRows<'n, 'b, S: Sum> {
    pub context: &'n BinnedContext<'n>,
    pub records: NodeRecords<'b>,
    pub workspace: BinnedWorkspace<S>,
    pub pool: CounterPool<S>,
    /// Bytes of the counters of open nodes.
    pub kept_bytes: usize,
}

impl<'n, 'b, S: CodedSum> NodeRows for BinnedRows<'n, 'b, S> {
    type Sum = S;
    type Node = CodedNode<S>;
    type Best = BestSplit<S>;
    type Context = &'n BinnedContext<'n>;
    type Task = (NodeRecords<'b>, RecordRange);

    fn context(&self) -> Self::Context {
        self.context
    }

    fn limits(&self) -> &GrowthLimits {
        &self.context.setting.limits
    }

    fn len(&self, rows: &Self::Node) -> usize {
        rows.range.len
    }

    fn is_finished(&self, tree: &TreeBuilder<S>, node: u32) -> bool {
        tree.is_finished(node, self.limits(), self.context.copies().then_some(1.0))
    }

    fn evaluate(
        &mut self,
        tree: &mut TreeBuilder<S>,
        open: &mut Open<Self::Node>,
        control: &Control,
    ) -> Result<Option<BestSplit<S>>> {
        let (context, node) = (self.context, open.node as usize);
        let (totals, key) = (tree.sums(node), tree.nodes[node].key);
        // The node without counts, and lanes for a small one.
        let path = tree.path_limits(open.node, self.limits());
        let path = path.as_ref();
        let bare = BinnedNode { context, counts: NodeCounts::Rows(&[]), totals, key, path };
        if context.in_blocks && open.rows.small.is_none() && fits_in_lanes(totals) {
            let rows = self.records.rows(open.rows.range);
            open.rows.small = Some(SmallColumns::from_records(context, rows));
        }
        // Search the features that are drawn, or all.
        let mut order = std::mem::take(&mut self.workspace.order);
        let best = match draw_features(context, key, path, &mut order) {
            Some(n_together) => search_in_order(&order, n_together, &mut |drawn| {
                self.best_among(&open.rows, &bare, drawn, control)
            })?,
            // The counters of one block at a time stay in the cache, and in little memory.
            None if context.in_blocks && !context.is_one_block() => {
                order.clear();
                order.extend(0..context.features.len() as u32);
                self.best_among(&open.rows, &bare, &order, control)?
            }
            None => self.best_among_all(&mut open.rows, &bare, control)?,
        };
        self.workspace.order = order;
        if self.kept_bytes > KEPT_BYTES {
            self.release(&mut open.rows);
        }
        best.map_or(Ok(None), |split| bare.node().accept_by_table(split, context.total_weight))
    }

    fn best(best: &BestSplit<S>) -> &BestSplit<S> {
        best
    }

    fn split(
        &mut self,
        tree: &mut TreeBuilder<S>,
        open: Open<Self::Node>,
        best: &BestSplit<S>,
        step: u32,
        children: &mut Vec<Open<Self::Node>>,
    ) {
        let (context, feature) = (self.context, best.feature as usize);
        if let Some(small) = &open.rows.small {
            return self.split_small(tree, &open, small, best, step, children);
        }
        let CodedNode { range, counters, .. } = open.rows;
        // Divide the records by branch, and add the children.
        let branching = if best.branch_of.is_empty() {
            let codes = context.features[feature].n_codes;
            Branching::Cut { at: best.at, missing: best.missing.then_some(codes) }
        } else {
            Branching::Codes(&best.branch_of)
        };
        let sizes = self.records.partition(context, range, feature, branching, best.branches);
        let added = NewChildren { sums: &best.sums, rows: &sizes };
        let first_child = tree.add_split(open.node, best.as_split(step), added, &best.levels);
        let mut start = range.start;
        let mut nodes = Vec::with_capacity(sizes.len());
        for &size in &sizes {
            let range = RecordRange { start, len: size as usize };
            start += size as usize;
            nodes.push(CodedNode::new(range));
        }
        // Children that may be split again get counters from the counters of the node.
        let keep: Vec<bool> = (0..sizes.len() as u32)
            .map(|branch| !self.is_finished(tree, first_child + branch))
            .collect();
        if let Some(counters) = counters {
            self.kept_bytes = self.kept_bytes.saturating_sub(self.bytes_of_counters());
            self.hand_down(counters, &mut nodes, &keep, &best.sums);
        }
        for ((node, rows), keep) in (first_child..).zip(nodes).zip(keep) {
            if keep {
                children.push(Open { node, rows });
            }
        }
    }

    fn discard(&mut self, mut rows: Self::Node) {
        self.release(&mut rows);
    }

    fn detach(self, nodes: Vec<Self::Node>) -> Vec<Self::Task> {
        let ranges: Vec<RecordRange> = nodes.iter().map(|node| node.range).collect();
        self.records.divide(&ranges).into_iter().zip(ranges).collect()
    }

    fn attach(context: Self::Context, (records, range): Self::Task) -> (Self, Self::Node) {
        (Self::new(context, records), CodedNode::new(range))
    }
}

impl<S: CodedSum> BinnedRows<'_, '_, S> {
    /// Split a small node into two: no row moves.
    fn split_small(
        &mut self,
        tree: &mut TreeBuilder<S>,
        open: &Open<CodedNode<S>>,
        small: &SmallNode,
        best: &BestSplit<S>,
        step: u32,
        children: &mut Vec<Open<CodedNode<S>>>,
    ) {
        let halves = small.divide(best.feature as usize, best.at);
        let sizes = [0, 1].map(|branch| halves[branch].rows() as u32);
        let added = NewChildren { sums: &best.sums, rows: &sizes };
        let first_child = tree.add_split(open.node, best.as_split(step), added, &best.levels);
        for (node, (small, size)) in (first_child..).zip(halves.into_iter().zip(sizes)) {
            if !self.is_finished(tree, node) {
                let range = RecordRange { len: size as usize, ..open.rows.range };
                let rows = CodedNode { range, counters: None, small: Some(small) };
                children.push(Open { node, rows });
            }
        }
    }
}

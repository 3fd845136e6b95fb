//! The nodes of a tree on codes: a range of records each, its counters where they are known, or the
//! lanes of a small node.

use super::context::BinnedContext;
use super::counts::{BinCounters, CounterPool, NodeCounts};
use super::node::{BinnedNode, BinnedWorkspace, drawn_features};
use super::rows::{Branching, RecordBuffers, RecordRange};
use super::small::SmallColumns;
use crate::bins::{Records, TableFacts, WeightWidth};
use crate::error::Result;
use crate::grow::builder::TreeBuilder;
use crate::grow::driver;
use crate::grow::nodes::{NodeRows, Open};
use crate::grow::options::{GrowthLimits, GrowthSetting, check};
use crate::grow::search::{BestSplit, NodeTables};
use crate::numeric::mix;
use crate::parallel::Control;
use crate::reached::{self, Way};
use crate::simd::small::LANES;
use crate::stats::Sum;
use crate::tree::Tree;
use std::sync::Arc;

/// Smaller subtrees are not worth a task of their own.
const SMALLEST_TASK: usize = 4096;
/// Counters that nodes which wait may hold, in bytes; beyond it they are counted again.
pub(super) const KEPT_BYTES: usize = 1 << 25;
/// Grow a tree on records, whose codes and classes mean what those of `table` mean; if they were
/// `drawn` of it, each copy of a row counts as a row of the tree.
pub fn grow(
    table: &TableFacts<'_>,
    records: Records,
    drawn: bool,
    setting: &GrowthSetting<'_>,
    control: &Control,
) -> Result<Tree> {
    check(&setting.limits)?;
    let unit = if drawn { 1.0 } else { table.unit };
    let context = BinnedContext::new(table, records.layout, setting, (unit, drawn));
    if records.layout.weight == WeightWidth::Long {
        with_sums::<i64>(context, records, control)
    } else {
        with_sums::<u32>(context, records, control)
    }
}

fn with_sums<S: Sum>(
    mut context: BinnedContext<'_>,
    mut records: Records,
    control: &Control,
) -> Result<Tree> {
    let (layout, len, setting) = (records.layout, records.len(), context.setting);
    let (unit, sums) = (context.unit, context.sums::<S>(&records.bytes));
    context.total_weight = sums.iter().fold(S::default(), |a, &b| a.plus(b)).value(unit);
    let rows = context.rows_of(&sums, len as u32);
    let tree = TreeBuilder::new(&sums, rows, mix(setting.seed, 0), 0);
    let mut other = records.spare()?;
    let buffers = RecordBuffers::new(layout.width, &mut records.bytes, &mut other);
    let root = CodedNode::new(RecordRange { start: 0, len, buffer: 0 });
    let task = match setting.criterion.needs_all_candidates() {
        true => 0,
        false => driver::task_size(len, SMALLEST_TASK, control),
    };
    let tree = driver::grow(BinnedRows::new(&context, buffers), tree, root, task, control)?;
    Ok(tree.finish(unit, setting.empty_branch))
}

/// The rows of a node, with its counters where they are known.
#[derive(Debug)]
pub(super) struct CodedNode<S> {
    pub range: RecordRange,
    pub counters: Option<BinCounters<S>>,
    /// Columns of the subtree it belongs to and its lanes; the range then has a length alone.
    pub small: Option<(Arc<SmallColumns>, u64)>,
}

impl<S> CodedNode<S> {
    pub fn new(range: RecordRange) -> Self {
        Self { range, counters: None, small: None }
    }
}

/// Whether the copies of a node's rows are few enough for a word.
fn fits_in_lanes<S: Sum>(totals: &[S]) -> bool {
    totals.iter().map(|t| t.units()).sum::<i64>() <= LANES as i64
}

/// Evaluates nodes and divides their records.
pub(super) struct BinnedRows<'n, 'b, S: Sum> {
    pub context: &'n BinnedContext<'n>,
    pub buffers: RecordBuffers<'b>,
    pub work: BinnedWorkspace<S>,
    pub pool: CounterPool<S>,
    /// Bytes of the counters of nodes that wait.
    pub kept: usize,
}

impl<'n, 'b, S: Sum> NodeRows for BinnedRows<'n, 'b, S> {
    type Sum = S;
    type Node = CodedNode<S>;
    type Best = BestSplit<S>;
    type Context = &'n BinnedContext<'n>;
    type Task = (RecordBuffers<'b>, RecordRange);

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
        tree.is_finished(node, self.limits(), self.context.copies())
    }

    fn evaluate(
        &mut self,
        tree: &TreeBuilder<S>,
        open: &mut Open<Self::Node>,
        control: &Control,
    ) -> Result<Option<BestSplit<S>>> {
        reached::count(Way::Codes);
        let (context, id) = (self.context, open.node as usize);
        let (totals, key) = (tree.sums(id), tree.nodes[id].key);
        let bare = BinnedNode { context, counts: NodeCounts::Rows(&[]), totals, key };
        if context.in_blocks && open.rows.small.is_none() && fits_in_lanes(totals) {
            let (columns, lanes) = SmallColumns::new(context, self.buffers.rows(open.rows.range));
            open.rows.small = Some((Arc::new(columns), lanes));
        }
        let mut order = std::mem::take(&mut self.work.order);
        let found = match drawn_features(context, key, &mut order) {
            Some(some) => self.best_of_drawn(&open.rows, &bare, (&order, some), control)?,
            None => self.best_of_all(&mut open.rows, &bare, control)?,
        };
        self.work.order = order;
        if self.kept > KEPT_BYTES {
            self.release(&mut open.rows);
        }
        found.map_or(Ok(None), |split| bare.node().accepted_by_table(split, context.total_weight))
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
        let CodedNode { range, counters, small } = open.rows;
        if let Some((columns, lanes)) = small {
            let node = (open.node, range);
            return self.split_small(tree, node, (columns, lanes), (best, step), children);
        }
        let how = if best.branch_of.is_empty() {
            let codes = context.features[feature].codes;
            Branching::Cut { at: best.at, missing: best.missing.then_some(codes) }
        } else {
            Branching::Codes(&best.branch_of)
        };
        let sizes = self.buffers.partition(context, range, feature, how, best.branches);
        let sums = best.sums.chunks_exact(context.classes);
        let rows: Vec<u32> = sizes.iter().zip(sums).map(|(&n, s)| context.rows_of(s, n)).collect();
        let split = best.as_split(step);
        let parts = (best.sums.as_slice(), rows.as_slice());
        let first_child = tree.add_split(open.node, split, parts, &best.levels);
        let mut start = range.start;
        let mut nodes = Vec::with_capacity(sizes.len());
        for &size in &sizes {
            let range = RecordRange { start, len: size as usize, buffer: 1 - range.buffer };
            start += size as usize;
            nodes.push(CodedNode::new(range));
        }
        let keep: Vec<bool> =
            (0..sizes.len() as u32).map(|b| !self.is_finished(tree, first_child + b)).collect();
        if let Some(counters) = counters {
            self.kept = self.kept.saturating_sub(self.bytes_of_counters());
            self.hand_down(counters, &mut nodes, &keep, &best.sums);
        }
        let kept = nodes.into_iter().zip(keep).enumerate().filter(|(_, (_, keep))| *keep);
        children.extend(kept.map(|(b, (rows, _))| Open { node: first_child + b as u32, rows }));
    }

    fn discard(&mut self, mut rows: Self::Node) {
        self.release(&mut rows);
    }

    fn detach(self, nodes: Vec<Self::Node>) -> Vec<Self::Task> {
        let ranges: Vec<RecordRange> = nodes.iter().map(|n| n.range).collect();
        let places: Vec<(usize, usize)> = ranges.iter().map(|r| (r.start, r.len)).collect();
        self.buffers.divide(&places).into_iter().zip(ranges).collect()
    }

    fn attach(context: Self::Context, (buffers, range): Self::Task) -> (Self, Self::Node) {
        (Self::new(context, buffers), CodedNode::new(range))
    }
}

impl<S: Sum> BinnedRows<'_, '_, S> {
    /// Split a node of lanes: no row is moved.
    fn split_small(
        &mut self,
        tree: &mut TreeBuilder<S>,
        (node, range): (u32, RecordRange),
        (columns, lanes): (Arc<SmallColumns>, u64),
        (best, step): (&BestSplit<S>, u32),
        children: &mut Vec<Open<CodedNode<S>>>,
    ) {
        let (context, k) = (self.context, self.context.classes);
        let left = columns.up_to(best.feature as usize, best.at, lanes);
        let lanes = [left, lanes & !left];
        let sizes = lanes.map(|l| columns.rows(l) as u32);
        let rows = [0, 1].map(|b| context.rows_of(&best.sums[b * k..(b + 1) * k], sizes[b]));
        let parts = (best.sums.as_slice(), &rows[..]);
        let first_child = tree.add_split(node, best.as_split(step), parts, &best.levels);
        for (child, (lanes, size)) in (first_child..).zip(lanes.into_iter().zip(sizes)) {
            if !self.is_finished(tree, child) {
                let mut rows = CodedNode::new(RecordRange { len: size as usize, ..range });
                rows.small = Some((columns.clone(), lanes));
                children.push(Open { node: child, rows });
            }
        }
    }
}

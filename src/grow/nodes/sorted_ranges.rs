//! Nodes as ranges: the rows of a node are a range of the sorted orders of the numeric features and
//! of the coded rows of the nominal ones ([`RowSlices`]); a split partitions its range in place.
//!
//! Any criterion, any weights, missing values as a branch. The tables of nominal features are kept
//! with a node where its largest child's follow from them by subtraction. O(rows x features) a
//! level, and no row is ever copied to a node, except that the orders of few rows may be kept as
//! bytes (`short_orders`).

use super::{NodeRows, Open};
use crate::criteria::RunningScores;
use crate::data::{Dataset, RowSet, Weights};
use crate::error::Result;
use crate::grow::builder::TreeBuilder;
use crate::grow::context::{FeaturePlace, GrowContext};
use crate::grow::driver;
use crate::grow::evaluate::{NodeEvaluator, Workspace};
use crate::grow::options::{GrowthLimits, GrowthSetting};
use crate::grow::row_buffers::{NodeRange, PartitionPlan, PartitionScratch, RowBuffers, RowSlices};
use crate::grow::search::BestSplit;
use crate::grow::short_orders::{self, ShortOrders, ShortPool};
use crate::numeric::mix;
use crate::parallel::Control;
use crate::reached::{self, Way};
use crate::simd::short::ROWS;
use crate::stats::contingency::{Code, ContingencyTables};
use crate::stats::{FixedWeights, IntegerWeights, UnitWeights, Weighing};
use crate::tree::Tree;

/// Smaller subtrees are not worth a task of their own.
const SMALLEST_TASK: usize = 2048;
/// The same where pairs of rows are looked at.
const SMALLEST_TASK_OF_PAIRS: usize = 128;
/// Larger tables are counted again instead of being kept for subtraction.
const KEPT_CELLS: usize = 1 << 18;

/// Grow a tree on some rows.
pub fn grow(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Tree> {
    match weights {
        Weights::Unit => with_weights(data, setting, rows, UnitWeights, control),
        Weights::Integer(w) => with_weights(data, setting, rows, IntegerWeights(w), control),
        Weights::Fixed { values, shift } => {
            let unit = f64::powi(2.0, -shift);
            with_weights(data, setting, rows, FixedWeights { values, unit }, control)
        }
    }
}

fn with_weights<W: Weighing>(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    weights: W,
    control: &Control,
) -> Result<Tree> {
    let context = GrowContext::new(data, setting, rows, weights);
    if GrowContext::<W>::narrow(data) {
        with_codes::<u8, W>(&context, rows, control)
    } else {
        with_codes::<u32, W>(&context, rows, control)
    }
}

fn with_codes<C: Code, W: Weighing>(
    context: &GrowContext<'_, W>,
    rows: &RowSet,
    control: &Control,
) -> Result<Tree> {
    let mut buffers = RowBuffers::<C>::new(context, rows, control)?;
    let sums = context.sums(rows.rows().iter().copied());
    let tree = TreeBuilder::new(&sums, rows.len() as u32, mix(context.setting.seed, 0), 0);
    // Sizes of smallest trees share a budget in the order of the nodes.
    let in_order = context.setting.memo.is_some() || context.sizes.is_some();
    let task = if in_order || context.setting.criterion.needs_all_candidates() {
        0
    } else {
        driver::task_size(rows.len(), smallest_task(context), control)
    };
    let whole = RangeNode::new(NodeRange { start: 0, len: rows.len(), buffer: 0 });
    let rows = SortedRanges::new(context, buffers.field());
    let tree = driver::grow(rows, tree, whole, task, control)?;
    buffers.release(context);
    Ok(tree.finish(context.weights.unit(), context.setting.empty_branch))
}

fn smallest_task<W: Weighing>(context: &GrowContext<'_, W>) -> usize {
    if context.pairs.is_some() || context.near.is_some() {
        SMALLEST_TASK_OF_PAIRS
    } else {
        SMALLEST_TASK
    }
}

/// The rows of a node, with the tables of its nominal features where they are known.
#[derive(Debug)]
pub(in crate::grow) struct RangeNode<S> {
    pub range: NodeRange,
    pub contingency: Option<ContingencyTables<S>>,
    /// The orders of few rows, where the ranges do not hold them any more.
    short: Option<Box<ShortOrders>>,
}

impl<S> RangeNode<S> {
    /// A range of which nothing is known yet.
    pub fn new(range: NodeRange) -> Self {
        Self { range, contingency: None, short: None }
    }
}

/// Evaluates nodes and divides their ranges.
pub(in crate::grow) struct SortedRanges<'n, 'f, C, W: Weighing> {
    pub context: &'n GrowContext<'n, W>,
    pub field: RowSlices<'f, C>,
    tools: Workspace<W::Sum>,
    spare: PartitionScratch,
    /// How the cuts of few rows are scored, where their orders are kept as bytes.
    few: Option<RunningScores>,
    pool: ShortPool,
}

impl<'n, 'f, C: Code, W: Weighing> NodeRows for SortedRanges<'n, 'f, C, W> {
    type Sum = W::Sum;
    type Node = RangeNode<W::Sum>;
    type Best = BestSplit<W::Sum>;
    type Context = &'n GrowContext<'n, W>;
    type Task = (RowSlices<'f, C>, NodeRange);

    fn context(&self) -> Self::Context {
        self.context
    }

    fn limits(&self) -> &GrowthLimits {
        &self.context.setting.limits
    }

    fn len(&self, rows: &Self::Node) -> usize {
        rows.range.len
    }

    fn work(&self, rows: &Self::Node) -> usize {
        let len = rows.range.len;
        if self.context.pairs.is_some() { len * len / 64 } else { len }
    }

    fn is_finished(&self, tree: &TreeBuilder<W::Sum>, node: u32) -> bool {
        tree.is_finished(node, self.limits(), W::COPIES)
    }

    fn evaluate(
        &mut self,
        tree: &TreeBuilder<W::Sum>,
        open: &mut Open<Self::Node>,
        control: &Control,
    ) -> Result<Option<BestSplit<W::Sum>>> {
        reached::count(Way::Ranges);
        let node = open.node as usize;
        if self.context.setting.memo.is_some() {
            self.tools.pairs.key = tree.path_key(node);
        }
        let range = open.rows.range;
        if self.few.is_some() && range.len <= ROWS && open.rows.short.is_none() {
            let (field, totals, pool) = (&self.field, tree.sums(node), &mut self.pool);
            open.rows.short = Some(ShortOrders::new(self.context, field, range, totals, pool));
        }
        let evaluator = NodeEvaluator {
            context: self.context,
            field: &self.field,
            range,
            totals: tree.sums(node),
            key: tree.nodes[node].key,
            every: false,
            short: open.rows.short.as_deref().zip(self.few),
        };
        let contingency = match open.rows.contingency.take() {
            Some(t) => t,
            None => evaluator.count_tables(&mut self.tools),
        };
        let chosen = evaluator.choose(&contingency, &mut self.tools, control)?;
        open.rows.contingency = Some(contingency);
        Ok(chosen)
    }

    fn best(best: &BestSplit<W::Sum>) -> &BestSplit<W::Sum> {
        best
    }

    fn split(
        &mut self,
        tree: &mut TreeBuilder<W::Sum>,
        open: Open<Self::Node>,
        best: &BestSplit<W::Sum>,
        step: u32,
        children: &mut Vec<Open<Self::Node>>,
    ) {
        let RangeNode { range, mut contingency, short } = open.rows;
        let parts = (best.sums.as_slice(), best.sizes.as_slice());
        let first_child = tree.add_split(open.node, best.as_split(step), parts, &best.levels);
        let keep: Vec<bool> = (0..best.sizes.len() as u32)
            .map(|b| !self.is_finished(tree, first_child + b))
            .collect();
        if !keep.contains(&true) {
            return self.discard(RangeNode { range, contingency, short });
        }
        let place = self.context.place(best.feature);
        if let (Some(short), FeaturePlace::Numeric(numeric)) = (short, place) {
            let (at, keep) = ((numeric, best.sizes[0]), [keep[0], keep[1]]);
            return self.split_short((short, range), at, keep, first_child, children);
        }
        let subtract = self.subtract_for(&best.sizes, &keep, contingency.is_some());
        let mut wanted = keep.clone();
        if subtract.is_some() {
            wanted.iter_mut().zip(&best.sizes).for_each(|(w, &s)| *w = s > 0);
        }
        let cut =
            PartitionPlan { place, sizes: &best.sizes, keep: &wanted, branch_of: &best.branch_of };
        self.field.partition(self.context, range, &cut, &mut self.spare);
        if subtract.is_none() {
            contingency.take().into_iter().for_each(|t| self.tools.recycle(t));
        }
        let from = children.len();
        let mut start = range.start;
        for (b, &size) in best.sizes.iter().enumerate() {
            let range = NodeRange { start, len: size as usize, buffer: 1 - range.buffer };
            start += size as usize;
            let counted = subtract != Some(b) && size > 0;
            let own = contingency.as_mut().filter(|_| counted).map(|rest| {
                let part = self.count_tables(range);
                rest.subtract(&part);
                part
            });
            if keep[b] {
                let rows = RangeNode { range, contingency: own, short: None };
                children.push(Open { node: first_child + b as u32, rows });
            } else {
                own.into_iter().for_each(|t| self.tools.recycle(t));
            }
        }
        if let Some(b) = subtract {
            let node = first_child + b as u32;
            let largest = children[from..].iter_mut().find(|c| c.node == node);
            largest.into_iter().for_each(|c| c.rows.contingency = contingency.take());
        }
    }

    fn discard(&mut self, rows: Self::Node) {
        rows.contingency.into_iter().for_each(|t| self.tools.recycle(t));
        rows.short.into_iter().for_each(|orders| self.pool.give(orders));
    }

    fn detach(self, nodes: Vec<Self::Node>) -> Vec<Self::Task> {
        let ranges_of_nodes: Vec<NodeRange> = nodes.iter().map(|n| n.range).collect();
        let ranges: Vec<(usize, usize)> =
            ranges_of_nodes.iter().map(|e| (e.start, e.len)).collect();
        let fields = self.field.divide(&ranges, self.context.nominal.features.len());
        fields.into_iter().zip(ranges_of_nodes).collect()
    }

    fn attach(context: Self::Context, (field, range): Self::Task) -> (Self, Self::Node) {
        (Self::new(context, field), RangeNode::new(range))
    }
}

impl<'n, 'f, C: Code, W: Weighing> SortedRanges<'n, 'f, C, W> {
    pub fn new(context: &'n GrowContext<'n, W>, field: RowSlices<'f, C>) -> Self {
        let spare = PartitionScratch::new(context.data.len());
        let few = short_orders::running_scores(context);
        let (tools, pool) = (Workspace::default(), ShortPool::default());
        Self { context, field, tools, spare, few, pool }
    }

    /// Divide a node whose orders are kept as bytes, after `left` rows of a feature's order.
    fn split_short(
        &mut self,
        (short, range): (Box<ShortOrders>, NodeRange),
        (numeric, left): (usize, u32),
        keep: [bool; 2],
        first_child: u32,
        children: &mut Vec<Open<RangeNode<W::Sum>>>,
    ) {
        let left = left as usize;
        let sides = short.divide(numeric, left, keep, &mut self.pool);
        self.pool.give(short);
        let mut ranges = [NodeRange { len: left, ..range }, range];
        (ranges[1].start, ranges[1].len) = (range.start + left, range.len - left);
        for ((side, range), node) in sides.into_iter().zip(ranges).zip(first_child..) {
            if let Some(short) = side {
                let rows = RangeNode { range, contingency: None, short: Some(short) };
                children.push(Open { node, rows });
            }
        }
    }

    fn count_tables(&mut self, range: NodeRange) -> ContingencyTables<W::Sum> {
        let evaluator = NodeEvaluator {
            context: self.context,
            field: &self.field,
            range,
            totals: &[],
            key: 0,
            every: false,
            short: None,
        };
        evaluator.count_tables(&mut self.tools)
    }

    /// The branch whose tables are best obtained by subtraction: the largest, when it will be
    /// looked at and the others are fewer rows together.
    fn subtract_for(&self, sizes: &[u32], keep: &[bool], known: bool) -> Option<usize> {
        let nominal = &self.context.nominal;
        if !known || nominal.features.is_empty() || nominal.layout.cells() > KEPT_CELLS {
            return None;
        }
        let total: u32 = sizes.iter().sum();
        let (largest, &size) =
            sizes.iter().enumerate().max_by_key(|&(b, &s)| (s, std::cmp::Reverse(b)))?;
        (keep[largest] && total - size < size && size as usize > nominal.layout.cells() / 4)
            .then_some(largest)
    }
}

//! Growth on sorted orders: the rows of a node are a range of the orders of the numeric features
//! and of the coded rows of the nominal ones ([`RowSlices`]), which a split partitions in place.
//!
//! It serves any criterion and any weights, with missing values as a branch, and takes what the
//! faster forms of rows do not (see [`nodes`](super)). Orders of at most 64 rows may be copied as
//! bytes ([`short_orders`]). O(rows x features) per level.

use super::{NodeRows, Open};
use crate::data::{Dataset, RowSet, Weights};
use crate::error::Result;
use crate::grow::builder::{NewChildren, TreeBuilder};
use crate::grow::context::{FeaturePlace, GrowContext};
use crate::grow::driver;
use crate::grow::evaluate::{ByOrder, NodeEvaluator, ShortNode, Workspace};
use crate::grow::options::{GrowthLimits, GrowthSetting};
use crate::grow::row_buffers::{NodeRange, PartitionPlan, PartitionScratch, RowBuffers, RowSlices};
use crate::grow::search::BestSplit;
use crate::grow::short_orders::{ShortOrders, ShortPool, ShortScoring};
use crate::numeric::mix;
use crate::parallel::Control;
use crate::reached::{self, Way};
use crate::simd::short::ROWS;
use crate::stats::by_weighing;
use crate::tree::Tree;

/// Subtrees of fewer rows do not pay for a task of their own.
const SMALLEST_TASK: usize = 2048;
/// Such subtrees where the criterion compares rows, which takes O(rows^2) per node.
const SMALLEST_TASK_OF_PAIRS: usize = 128;

/// Grow a tree on some rows of a data set, one leaf at a time; `weights` are the weights of all
/// rows of the data set.
///
/// # Errors
/// A score that is not a number, a need of memory above the limit, an error of a user's criterion,
/// or cancellation.
pub fn grow(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Tree> {
    by_weighing!(weights, data.target(), w => grow_weighed(data, setting, rows, w, control))
}

/// [`grow`] with weights of one type.
fn grow_weighed<W: ByOrder>(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    weights: W,
    control: &Control,
) -> Result<Tree> {
    let mut context = GrowContext::new(data, setting, rows, weights);
    context.score_levels(rows);
    let mut buffers = RowBuffers::new(&context, rows, control)?;
    let sums = context.sums(rows.iter());
    let tree = TreeBuilder::new(&sums, rows.len() as u32, mix(context.setting.seed, 0), 0);
    // No tasks where nodes share a memo or a budget in their order, or where Python scores them.
    let in_order = context.setting.memo.is_some() || context.sizes.is_some();
    let task_rows = if in_order || context.setting.criterion.needs_all_candidates() {
        0
    } else {
        driver::task_size(rows.len(), smallest_task(&context), control)
    };
    let root = RangeNode::new(NodeRange { start: 0, len: rows.len(), buffer: 0 });
    let rows = SortedRanges::new(&context, buffers.slices());
    let tree = driver::grow(rows, tree, root, task_rows, control)?;
    // The arrays of the tree are made where the buffers were, so the two do not add up.
    drop(buffers);
    tree.finish(context.weights.unit(), context.weights.are_copies(), context.setting)
}

/// The fewest rows of a task.
fn smallest_task<W: ByOrder>(context: &GrowContext<'_, W>) -> usize {
    if context.pairs.is_some() || context.neighbours.is_some() {
        SMALLEST_TASK_OF_PAIRS
    } else {
        SMALLEST_TASK
    }
}

/// The rows of a node: a range, and short orders once they are copied.
#[derive(Debug)]
pub(in crate::grow) struct RangeNode {
    pub range: NodeRange,
    /// The orders of a small node, which the ranges no longer hold.
    short: Option<Box<ShortOrders>>,
}

impl RangeNode {
    /// The rows of a node in a range of the long orders. Short orders are copied when the node is
    /// searched, if it is small enough.
    pub fn new(range: NodeRange) -> Self {
        Self { range, short: None }
    }
}

/// Evaluates nodes and divides their ranges.
pub(in crate::grow) struct SortedRanges<'n, 'f, W: ByOrder> {
    pub context: &'n GrowContext<'n, W>,
    pub slices: RowSlices<'f>,
    workspace: Workspace<W::Sum>,
    scratch: PartitionScratch,
    /// How the thresholds of small nodes are scored, where their orders are copied.
    short_scoring: Option<ShortScoring>,
    pool: ShortPool,
}

impl<'n, 'f, W: ByOrder> NodeRows for SortedRanges<'n, 'f, W> {
    type Sum = W::Sum;
    type Node = RangeNode;
    type Best = BestSplit<W::Sum>;
    type Context = &'n GrowContext<'n, W>;
    type Task = (RowSlices<'f>, NodeRange);

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
        // Pairs of rows are counted with bits, 64 to a word.
        if self.context.pairs.is_some() { len * len / 64 } else { len }
    }

    fn is_finished(&self, tree: &TreeBuilder<W::Sum>, node: u32) -> bool {
        let GrowContext { weights, setting, .. } = self.context;
        let by_weight = weights.are_copies() || setting.significance.is_some();
        tree.is_finished(node, self.limits(), by_weight.then(|| weights.unit()))
    }

    fn evaluate(
        &mut self,
        tree: &mut TreeBuilder<W::Sum>,
        open: &mut Open<Self::Node>,
        control: &Control,
    ) -> Result<Option<BestSplit<W::Sum>>> {
        reached::count(Way::Ranges);
        let node = open.node as usize;
        if self.context.setting.memo.is_some() {
            self.workspace.pairs.key = tree.path_key(node);
        }
        let range = open.rows.range;
        // The orders of a small node are copied once, at the top of its subtree.
        if self.short_scoring.is_some() && range.len <= ROWS && open.rows.short.is_none() {
            let (slices, totals, pool) = (&self.slices, tree.sums(node), &mut self.pool);
            open.rows.short = Some(ShortOrders::new(self.context, slices, range, totals, pool));
        }
        let short = open.rows.short.as_deref().zip(self.short_scoring);
        let path = tree.path_limits(open.node, self.limits());
        let evaluator = NodeEvaluator {
            context: self.context,
            slices: &self.slices,
            range,
            totals: tree.sums(node),
            left_out: 0.0,
            key: tree.nodes[node].key,
            scores_all: self.limits().are_monotonic(),
            path: path.as_ref(),
            short: short.map(|(orders, scoring)| ShortNode { orders, scoring }),
        };
        let contingency = evaluator.count_tables();
        let best = evaluator.choose(&contingency, &mut self.workspace, control)?;
        if let Some(test) = self.workspace.significance.take() {
            tree.set_significance(node, test);
        }
        Ok(best)
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
        // Add the children; a small node has its orders divided, and that is all.
        let RangeNode { range, short } = open.rows;
        let new = NewChildren { sums: &best.sums, rows: &best.sizes };
        let first_child = tree.add_split(open.node, best.as_split(step), new, &best.levels);
        let place = self.context.place(best.feature);
        if let (Some(orders), FeaturePlace::Numeric(numeric)) = (&short, place) {
            let keep = [0, 1].map(|branch| !self.is_finished(tree, first_child + branch));
            let n_left = best.sizes[0] as usize;
            let divided = orders.divide(numeric, n_left, keep, &mut self.pool);
            push_small_children(divided, range, n_left, first_child, children);
            return self.discard(RangeNode { range, short });
        }
        let keep: Vec<bool> = (0..best.sizes.len() as u32)
            .map(|branch| !self.is_finished(tree, first_child + branch))
            .collect();
        if !keep.contains(&true) {
            return self.discard(RangeNode { range, short });
        }
        // Bring the rows of each branch that is kept together.
        let plan = PartitionPlan {
            place,
            at: best.at,
            sizes: &best.sizes,
            keep: &keep,
            branch_of: &best.branch_of,
        };
        self.slices.partition(self.context, range, &plan, &mut self.scratch);
        let mut start = range.start;
        for ((node, &size), keep) in (first_child..).zip(&best.sizes).zip(keep) {
            let range = NodeRange { start, len: size as usize, buffer: 1 - range.buffer };
            start += size as usize;
            if keep {
                children.push(Open { node, rows: RangeNode::new(range) });
            }
        }
    }

    fn discard(&mut self, rows: Self::Node) {
        rows.short.into_iter().for_each(|orders| self.pool.recycle(orders));
    }

    fn detach(self, nodes: Vec<Self::Node>) -> Vec<Self::Task> {
        let ranges: Vec<NodeRange> = nodes.iter().map(|node| node.range).collect();
        let slices = self.slices.divide(&ranges, self.context.nominal.layout.row_bytes());
        slices.into_iter().zip(ranges).collect()
    }

    fn attach(context: Self::Context, (slices, range): Self::Task) -> (Self, Self::Node) {
        (Self::new(context, slices), RangeNode::new(range))
    }
}

impl<'n, 'f, W: ByOrder> SortedRanges<'n, 'f, W> {
    /// A worker on some slices of the buffers, which must hold the ranges of all its nodes. Its
    /// memory for splits has a bit per row of the data set, so a worker is made per task and not
    /// per node.
    pub fn new(context: &'n GrowContext<'n, W>, slices: RowSlices<'f>) -> Self {
        let scratch = PartitionScratch::new(context.data.len());
        let short_scoring = ShortScoring::choose(context);
        let (workspace, pool) = (Workspace::default(), ShortPool::default());
        Self { context, slices, workspace, scratch, short_scoring, pool }
    }
}

/// Push the children of a small node with this `range`: the first has `n_left` rows, the second the
/// remaining rows. A child without orders is a leaf, and is not pushed.
fn push_small_children(
    divided: [Option<Box<ShortOrders>>; 2],
    range: NodeRange,
    n_left: usize,
    first_child: u32,
    children: &mut Vec<Open<RangeNode>>,
) {
    let right = NodeRange { start: range.start + n_left, len: range.len - n_left, ..range };
    let ranges = [NodeRange { len: n_left, ..range }, right];
    for ((short, range), node) in divided.into_iter().zip(ranges).zip(first_child..) {
        if short.is_some() {
            children.push(Open { node, rows: RangeNode { range, short } });
        }
    }
}

//! Growth on histograms: numbers are codes of bins ([`crate::bins`]), and a node is a range of
//! records.
//!
//! A large node counts its rows by (class, code, feature) once for all features; of the children
//! of a split all but the largest are counted, and the largest child's counters are what remains of
//! the parent's ([`counts`]). A small node sorts the codes of its rows, feature by feature. Either
//! way the occupied bins of a feature come out as groups, whose cuts are offered to the same sinks,
//! criteria and selection rules as the boundaries of sorted numbers are ([`evaluate`]); levels of
//! nominal features are counted in the same pass. Splitting copies the records of a node from one
//! buffer to the other, branch by branch ([`rows`]).
//!
//! Everything counted is a sum of integers, so the tree depends neither on the order of the rows
//! nor on threads: subtrees are tasks, as everywhere. Time: about a nanosecond for each
//! row and feature of all children but the largest, and the formula for each occupied bin.
//! Memory: two buffers of records, and the counters of the nodes that wait.
//!
//! It serves local growth by criteria on tables, with up to 255 classes; missing values are a
//! branch of their own. What else is asked for is grown on numbers rounded to their bins.

mod block;
mod counts;
mod evaluate;
mod inherit;
mod pairs;
mod rows;
mod small;
mod spread;
mod sums;

use super::{NodeRows, Open};
use crate::bins::{FeatureBins, Records, RowLayout, TableFacts, WeightWidth};
use crate::criteria::{GainFilter, PairScreen, RunningScores};
use crate::error::Result;
use crate::grow::builder::TreeBuilder;
use crate::grow::driver;
use crate::grow::options::{GrowthLimits, GrowthSetting, check};
use crate::grow::search::{BestSplit, NodeTables};
use crate::numeric::{Ties, midpoint, mix};
use crate::parallel::Control;
use crate::reached::{self, Way};
use crate::simd::cuts::MOST_ROWS;
use crate::simd::small::LANES;
use crate::split::NominalSplits;
use crate::split::multiway::Minimum;
use crate::stats::Sum;
use crate::tree::{Test, Tree};
use counts::{BinCounters, CounterPool, NodeCounts};
use evaluate::{BinnedNode, BinnedWorkspace, drawn_features};
use rows::{Branching, RecordBuffers, RecordRange};
use small::SmallColumns;
use std::sync::Arc;

pub use spread::{GrownBelow, Routes, SpreadFacts, SpreadGrowth, grow_below};

/// Smaller subtrees are not worth a task of their own.
const SMALLEST_TASK: usize = 4096;
/// Counters that nodes which wait may hold, in bytes; beyond it they are counted again.
const KEPT_BYTES: usize = 1 << 25;
/// Most left sums of a block of cuts.
const LARGEST_BLOCK: usize = 1 << 17;

/// What does not change while a tree grows.
#[derive(Debug, Clone, Copy)]
struct BinnedContext<'a> {
    setting: &'a GrowthSetting<'a>,
    features: &'a [FeatureBins],
    layout: RowLayout,
    classes: usize,
    /// Value of one unit of the sums.
    unit: f64,
    total_weight: f64,
    /// The rows are copies that were drawn, each of which counts as a row.
    drawn: bool,
    /// Blocks of cuts serve ([`block`]).
    in_blocks: bool,
    /// Nodes of two classes are screened by this ([`pairs`]).
    pair_screen: Option<PairScreen>,
    /// Nodes of several classes are scored so from sums over the classes ([`sums`]).
    class_sums: Option<RunningScores>,
    /// Most codes of a feature.
    widest: usize,
}

impl<'a> BinnedContext<'a> {
    /// Without the weight of the rows.
    fn new(
        table: &TableFacts<'a>,
        layout: RowLayout,
        setting: &'a GrowthSetting<'a>,
        (unit, drawn): (f64, bool),
    ) -> Self {
        let (features, classes) = (table.features, table.classes);
        let in_blocks = in_blocks(table, layout, setting);
        let pair_screen = setting.criterion.pair_screen().filter(|_| in_blocks && classes == 2);
        Self {
            setting,
            features,
            layout,
            classes,
            unit,
            total_weight: 0.0,
            drawn,
            in_blocks,
            pair_screen,
            class_sums: setting.criterion.running_scores().filter(|_| in_blocks && classes > 2),
            widest: widest(table),
        }
    }

    /// Rows of counters of a plane.
    fn counted_codes(&self) -> usize {
        if self.layout.wide { self.widest } else { self.widest.next_power_of_two() }
    }

    /// Weights are copies of rows, so sums count rows.
    fn copies(&self) -> bool {
        self.layout.weight != WeightWidth::Long
    }

    /// Rows that the tree speaks of where records have these sums.
    fn rows_of<S: Sum>(&self, sums: &[S], records: u32) -> u32 {
        if self.drawn { sums.iter().map(|s| s.units()).sum::<i64>() as u32 } else { records }
    }

    fn minimum(&self) -> Minimum {
        let limits = &self.setting.limits;
        Minimum {
            rows: limits.min_samples_leaf as u32,
            weight: limits.min_weight_fraction_leaf * self.total_weight,
            copies: self.copies(),
        }
    }

    /// The threshold between two codes of a number.
    fn threshold(&self, feature: usize, (at, next): (u32, u32)) -> Test {
        let ranges = self.features[feature].ranges.as_deref();
        let (lo, hi) = match ranges {
            Some(ranges) => (ranges[at as usize][1], ranges[next as usize][0]),
            None => (0.0, 0.0),
        };
        Test::Threshold((midpoint(lo, hi) + 0.0).into())
    }

    /// How a nominal feature is split.
    fn splits(&self, feature: usize) -> NominalSplits {
        self.setting.nominal_splits.of(self.features[feature].codes as usize)
    }

    /// The counters of a node are words for two classes.
    fn packs<S: Sum>(&self, totals: &[S]) -> bool {
        let rows = totals.iter().map(|t| t.units()).sum::<i64>();
        self.pair_screen.is_some() && rows <= i64::from(MOST_ROWS)
    }

    /// The weight of a row as a sum.
    #[inline]
    fn weight<S: Sum>(&self, row: &[u8]) -> S {
        S::from_units(self.layout.weight(row))
    }

    /// Class sums of some rows.
    fn sums<S: Sum>(&self, rows: &[u8]) -> Vec<S> {
        let mut sums = vec![S::default(); self.classes];
        for row in rows.chunks_exact(self.layout.width) {
            let sum = &mut sums[self.layout.class(row)];
            *sum = sum.plus(self.weight(row));
        }
        sums
    }
}

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

/// Most codes of a feature.
fn widest(table: &TableFacts<'_>) -> usize {
    table.features.iter().map(FeatureBins::width).max().unwrap_or(1)
}

/// Whether the cuts of a node can be looked at as one block.
fn in_blocks(table: &TableFacts<'_>, layout: RowLayout, setting: &GrowthSetting<'_>) -> bool {
    setting.gain_filter == GainFilter::None
        && setting.ties == Ties::First
        && !setting.criterion.needs_all_candidates()
        && !layout.wide
        && layout.weight != WeightWidth::Long
        && table.features.iter().all(|f| !f.is_nominal() && !f.missing)
        && widest(table) * table.features.len() * table.classes <= LARGEST_BLOCK
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
    let mut other = vec![0; records.bytes.len()];
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
struct CodedNode<S> {
    range: RecordRange,
    counters: Option<BinCounters<S>>,
    /// Columns of the subtree it belongs to and its lanes; the range then has a length alone.
    small: Option<(Arc<SmallColumns>, u64)>,
}

impl<S> CodedNode<S> {
    fn new(range: RecordRange) -> Self {
        Self { range, counters: None, small: None }
    }
}

/// Whether the copies of a node's rows are few enough for a word.
fn fits_in_lanes<S: Sum>(totals: &[S]) -> bool {
    totals.iter().map(|t| t.units()).sum::<i64>() <= LANES as i64
}

/// Evaluates nodes and divides their records.
struct BinnedRows<'n, 'b, S: Sum> {
    context: &'n BinnedContext<'n>,
    buffers: RecordBuffers<'b>,
    work: BinnedWorkspace<S>,
    pool: CounterPool<S>,
    /// Bytes of the counters of nodes that wait.
    kept: usize,
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

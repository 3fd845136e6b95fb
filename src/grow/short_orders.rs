//! Nodes of at most 64 rows: their sorted orders as bytes, side by side in memory.
//!
//! A node of a large tree reads a few entries of each feature's order, all in different pages. From
//! 64 rows on the orders of a node are copied, and those of the nodes below it are made from them
//! ([`crate::simd::short`]). The ranges of the long orders stay as they are from then on.
//! For unit rows, numbers without missing values, criteria that are scored from running sums and
//! growth depth first, where few nodes are open at a time. O(rows x features) once a row.

use super::context::GrowContext;
use super::row_buffers::{NodeRange, RowSlices};
use crate::criteria::{EvidenceKind, RunningScores};
use crate::data::{entry_row, entry_tied, pack_entry};
use crate::simd::Level;
use crate::simd::short::{Bytes, OrderFacts, Orders, ROWS, retain};
use crate::split::Splitter;
use crate::split::threshold::SEVERAL_CLASSES;
use crate::stats::contingency::Code;
use crate::stats::{Sum, Weighing};
use std::sync::Arc;

/// Data sets with fewer rows have their long orders close together, and with few classes their
/// listed counts are quicker than running sums.
const CLOSE_ROWS: usize = 1024;

/// The rows of the largest node that is kept so.
#[derive(Debug)]
struct ShortRows {
    /// The row of each number.
    ids: [u32; ROWS],
    /// The numbers of the rows of each class that has some.
    members: Vec<u64>,
}

/// The orders of a node.
#[derive(Debug)]
pub(super) struct ShortOrders {
    rows: Arc<ShortRows>,
    /// The numbers of the node's rows.
    kept: u64,
    pub facts: OrderFacts,
    pub orders: Orders,
}

/// Reusable memory of one worker.
#[derive(Debug, Default)]
pub(super) struct ShortPool {
    #[expect(clippy::vec_box, reason = "boxes go from node to node; what they hold is large")]
    free: Vec<Box<ShortOrders>>,
    /// Number of each row within a node.
    numbers: Vec<u8>,
}

impl ShortPool {
    /// Take the memory of a node back.
    pub fn give(&mut self, orders: Box<ShortOrders>) {
        self.free.push(orders);
    }

    fn take(&mut self, rows: Arc<ShortRows>, kept: u64) -> Box<ShortOrders> {
        let facts = OrderFacts::default();
        match self.free.pop() {
            Some(mut orders) => {
                (orders.rows, orders.kept, orders.facts) = (rows, kept, facts);
                orders
            }
            None => Box::new(ShortOrders { rows, kept, facts, orders: Orders::default() }),
        }
    }
}

/// How the cuts of short nodes are scored; nothing where their orders stay as they are.
pub(super) fn running_scores<W: Weighing>(context: &GrowContext<'_, W>) -> Option<RunningScores> {
    let setting = context.setting;
    let known = context.numeric.iter().all(|column| column.missing.is_none());
    let pays = context.data.len() > CLOSE_ROWS || context.data.n_classes() >= SEVERAL_CLASSES;
    let fits = W::UNIT
        && pays
        && known
        && !context.numeric.is_empty()
        && context.nominal.features.is_empty()
        && setting.splitter == Splitter::Best
        && setting.limits.max_leaf_nodes.is_none()
        && setting.criterion.info().evidence == EvidenceKind::Table
        && !setting.criterion.needs_all_candidates();
    let how = if fits { setting.criterion.running_scores() } else { None };
    how.filter(|how| how.holds(ROWS, setting.context.logs))
}

impl ShortOrders {
    /// The orders of a range of at most 64 rows, whose class sums are `totals`.
    pub fn new<C: Code, W: Weighing>(
        context: &GrowContext<'_, W>,
        field: &RowSlices<'_, C>,
        range: NodeRange,
        totals: &[W::Sum],
        pool: &mut ShortPool,
    ) -> Box<Self> {
        let mut numbers = std::mem::take(&mut pool.numbers);
        numbers.resize(context.data.len(), 0);
        let occurring = totals.iter().enumerate().filter(|(_, sum)| !sum.is_empty());
        let classes: Vec<u16> = occurring.map(|(class, _)| class as u16).collect();
        let mut rows = ShortRows { ids: [0; ROWS], members: vec![0; classes.len()] };
        let mut class_of = Bytes::default();
        for (i, &entry) in field.order(0, range).iter().enumerate() {
            let row = entry_row(entry);
            let code = context.class_of.codes[row as usize];
            let class = classes.partition_point(|&c| c < code);
            numbers[row as usize] = i as u8;
            rows.ids[i] = row;
            rows.members[class] |= 1 << i;
            class_of.0[i] = class as u8;
        }
        let kept = u64::MAX >> (ROWS - range.len);
        let mut node = pool.take(Arc::new(rows), kept);
        let Orders { rows, tied } = &mut node.orders;
        rows.resize(context.numeric.len(), Bytes::default());
        tied.resize(context.numeric.len(), 0);
        for (feature, (rows, tied)) in rows.iter_mut().zip(tied).enumerate() {
            (*rows, *tied) = (Bytes::default(), 0);
            for (i, &entry) in field.order(feature, range).iter().enumerate() {
                rows.0[i] = numbers[entry_row(entry) as usize];
                *tied |= u64::from(entry_tied(entry)) << i;
            }
        }
        pool.numbers = numbers;
        node.count(class_of);
        node
    }

    /// The same of a child.
    fn child(&self, kept: u64, pool: &mut ShortPool) -> Box<Self> {
        let mut node = pool.take(self.rows.clone(), kept);
        retain(Level::active(), &self.orders, self.facts.len, kept, &mut node.orders);
        node.count(self.facts.class_of);
        node
    }

    /// Fill in the facts.
    fn count(&mut self, class_of: Bytes) {
        let mut facts =
            OrderFacts { len: self.kept.count_ones() as usize, class_of, ..OrderFacts::default() };
        for (class, members) in self.rows.members.iter().enumerate() {
            let size = (members & self.kept).count_ones();
            facts.sizes.0[class] = size as u8;
            facts.present |= u64::from(size > 0) << class;
            facts.squares += size * size;
        }
        self.facts = facts;
    }

    /// The children of a split after `left` rows of a feature's order; nothing in the place of one
    /// that is not kept.
    pub fn divide(
        &self,
        numeric: usize,
        left: usize,
        keep: [bool; 2],
        pool: &mut ShortPool,
    ) -> [Option<Box<Self>>; 2] {
        let order = &self.orders.rows[numeric].0;
        let on_left = order[..left].iter().fold(0, |set, &row| set | 1 << (row % 64));
        let sides = [on_left, self.kept & !on_left];
        std::array::from_fn(|side| keep[side].then(|| self.child(sides[side], pool)))
    }

    /// Entries of the order of a feature.
    pub fn entries(&self, numeric: usize) -> impl Iterator<Item = u32> {
        let (order, tied) = (&self.orders.rows[numeric], self.orders.tied[numeric]);
        let rows = order.0[..self.facts.len].iter().enumerate();
        rows.map(move |(i, &row)| {
            pack_entry(self.rows.ids[usize::from(row) % ROWS], tied >> i & 1 == 1)
        })
    }
}

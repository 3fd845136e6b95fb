//! Nodes of at most 64 rows: their sorted orders as bytes, side by side in memory.
//!
//! A small node of a large tree would read a few entries from the order of each feature, all in
//! different pages. So the orders of a node of at most 64 rows are copied, with its rows numbered 0
//! to 63, and the orders of the nodes below it are made from the copy ([`crate::simd::short`]). The
//! ranges of the long orders stay as they are. [`sorted_ranges`](super::nodes::sorted_ranges) does
//! so where [`ShortScoring::choose`] allows: rows that weigh 1, numbers without missing values,
//! criteria scored from running sums or by means, and depth-first growth, in which few nodes are
//! open at a time. O(rows x features) per node.

use super::context::GrowContext;
use super::row_buffers::{NodeRange, RowSlices};
use crate::criteria::RunningScores;
use crate::data::{entry_row, entry_tied, pack_entry};
use crate::simd::short::{Bytes, Orders, ROWS, retain};
use crate::simd::{Level, means};
use crate::split::Splitter;
use crate::split::means::ShortNumbers;
use crate::split::multiway::Minimum;
use crate::split::short::OrderFacts;
use crate::split::threshold::{SEVERAL_CLASSES, Scanning};
use crate::stats::Sum;
use std::ops::Range;
use std::sync::Arc;

/// Up to this many rows of a data set the long orders lie close together in memory, and short
/// orders pay only with several classes.
const CLOSE_ROWS: usize = 1024;

/// The rows of the node whose orders were copied; its descendants share them.
#[derive(Debug)]
struct ShortRows {
    /// The data set's row of each number.
    ids: [u32; ROWS],
    /// The numbers of the rows of each class that occurs, as bits.
    class_members: Vec<u64>,
    /// The rows with their numbers, packed; zeros for classes.
    packed: means::SmallRows,
}

/// The orders of a node of at most 64 rows.
#[derive(Debug)]
pub(super) struct ShortOrders {
    rows: Arc<ShortRows>,
    /// The numbers of the node's rows, as bits.
    members: u64,
    /// Number of rows and class sums.
    pub facts: OrderFacts,
    /// Numbers and tied bits by ascending value, feature by feature.
    pub orders: Orders,
}

/// Reusable memory of one worker.
#[derive(Debug, Default)]
pub(super) struct ShortPool {
    #[expect(clippy::vec_box, reason = "boxes go from node to node; what they hold is large")]
    unused: Vec<Box<ShortOrders>>,
    /// Number of each row of the data set within a node.
    numbers: Vec<u8>,
}

impl ShortPool {
    /// Take the memory of a finished node back; the next node of at most 64 rows reuses it. Its
    /// content is overwritten then.
    pub fn recycle(&mut self, orders: Box<ShortOrders>) {
        self.unused.push(orders);
    }

    /// Orders of the node with some of the rows (`members`, as bits), still to be filled in; in the
    /// memory of a finished node where there is one.
    fn make_orders(&mut self, rows: Arc<ShortRows>, members: u64) -> Box<ShortOrders> {
        let facts = OrderFacts::default();
        match self.unused.pop() {
            Some(mut orders) => {
                (orders.rows, orders.members, orders.facts) = (rows, members, facts);
                orders
            }
            None => Box::new(ShortOrders { rows, members, facts, orders: Orders::default() }),
        }
    }
}

/// How the thresholds of small nodes are scored.
#[derive(Debug, Clone, Copy)]
pub(super) enum ShortScoring {
    /// Thresholds are scored from running sums over the classes.
    Classes(RunningScores),
    /// Thresholds are scored by the means of a numeric target.
    Means,
}

impl ShortScoring {
    /// How the small nodes of a tree are scored; `None` where their orders are not copied. The
    /// head of this file has the conditions.
    pub fn choose<W: Scanning>(context: &GrowContext<'_, W>) -> Option<Self> {
        let (setting, criterion) = (context.setting, context.setting.criterion);
        let has_all_values = context.numeric.iter().all(|column| column.missing.is_none());
        let pays = context.data.len() > CLOSE_ROWS || context.data.n_classes() >= SEVERAL_CLASSES;
        let fits = pays
            && has_all_values
            && !context.numeric.is_empty()
            && !setting.sorts_in_nodes
            && context.nominal.features.is_empty()
            && setting.splitter == Splitter::Best
            && setting.limits.max_leaf_nodes.is_none()
            && !setting.limits.are_monotonic()
            && criterion.info().evidence.is_table()
            && !criterion.needs_all_candidates();
        if !fits {
            return None;
        }
        if context.data.target().is_some() {
            let fits = !context.packed.is_empty() && criterion.is_between_means();
            return fits.then_some(Self::Means);
        }
        let running = criterion.running_scores().filter(|_| context.weights.is_unit());
        running.filter(|scores| scores.holds(ROWS, setting.context.logs)).map(Self::Classes)
    }
}

impl ShortOrders {
    /// Copy the orders of a range of at most 64 rows, whose class sums are `totals`. O(rows x
    /// features), once per subtree: the nodes below make their orders from the copy. Every numeric
    /// feature must have a value in each of these rows.
    pub fn new<W: Scanning>(
        context: &GrowContext<'_, W>,
        slices: &RowSlices<'_>,
        range: NodeRange,
        totals: &[W::Sum],
        pool: &mut ShortPool,
    ) -> Box<Self> {
        let mut numbers = std::mem::take(&mut pool.numbers);
        numbers.resize(context.data.len(), 0);
        // Number the rows in the order of the first feature, and the classes that occur.
        let occurring = totals.iter().enumerate().filter(|(_, sum)| !sum.is_empty());
        let classes: Vec<u16> = occurring.map(|(class, _)| class as u16).collect();
        let (class_members, packed) = (vec![0; classes.len()], [0; ROWS]);
        let mut rows = ShortRows { ids: [0; ROWS], class_members, packed };
        let mut class_of = Bytes::default();
        for (i, &entry) in slices.order(0, range).iter().enumerate() {
            let row = entry_row(entry);
            let code = context.class_of.codes[row as usize];
            let class = classes.partition_point(|&other| other < code);
            numbers[row as usize] = i as u8;
            rows.ids[i] = row;
            rows.class_members[class] |= 1 << i;
            class_of.0[i] = class as u8;
            if let Some(&packed) = context.packed.get(row as usize) {
                rows.packed[i] = packed;
            }
        }
        // Copy every order as these numbers.
        let members = u64::MAX >> (ROWS - range.len);
        let mut node = pool.make_orders(Arc::new(rows), members);
        let Orders { rows, tied } = &mut node.orders;
        rows.resize(context.numeric.len(), Bytes::default());
        tied.resize(context.numeric.len(), 0);
        for (feature, (rows, tied)) in rows.iter_mut().zip(tied).enumerate() {
            (*rows, *tied) = (Bytes::default(), 0);
            for (i, &entry) in slices.order(feature, range).iter().enumerate() {
                rows.0[i] = numbers[entry_row(entry) as usize];
                *tied |= u64::from(entry_tied(entry)) << i;
            }
        }
        pool.numbers = numbers;
        node.count_rows(class_of);
        node
    }

    /// The orders of the child that has some of the rows, `members` as bits of their numbers.
    fn child(&self, members: u64, pool: &mut ShortPool) -> Box<Self> {
        let mut node = pool.make_orders(self.rows.clone(), members);
        retain(Level::active(), &self.orders, self.facts.len, members, &mut node.orders);
        node.count_rows(self.facts.class_of);
        node
    }

    /// Fill in the number of rows and the class sums of the node, whose rows have the classes
    /// `class_of` by their numbers.
    fn count_rows(&mut self, class_of: Bytes) {
        let mut facts = OrderFacts {
            len: self.members.count_ones() as usize,
            class_of,
            ..OrderFacts::default()
        };
        for (class, members) in self.rows.class_members.iter().enumerate() {
            let size = (members & self.members).count_ones();
            facts.sizes.0[class] = size as u8;
            facts.present |= u64::from(size > 0) << class;
        }
        self.facts = facts;
    }

    /// The numbers of a numeric target, whose sums are `totals`; `None` for classes, and where the
    /// sums may not fit 64 bits. The packed rows belong to the whole subtree, the sums to this
    /// node.
    pub fn numbers<S: Sum>(&self, totals: &[S], min: Minimum) -> Option<ShortNumbers<'_>> {
        ShortNumbers::new(&self.rows.packed, self.facts.len, totals, min)
    }

    /// The orders of the two children of a split after `left` rows of a feature's order; `None` for
    /// a child that is not kept. Each child takes the entries of its rows from every order: O(rows
    /// x features).
    pub fn divide(
        &self,
        numeric: usize,
        left: usize,
        keep: [bool; 2],
        pool: &mut ShortPool,
    ) -> [Option<Box<Self>>; 2] {
        let order = &self.orders.rows[numeric].0;
        let on_left = order[..left].iter().fold(0, |bits, &row| bits | 1 << (row % 64));
        let members = [on_left, self.members & !on_left];
        std::array::from_fn(|child| keep[child].then(|| self.child(members[child], pool)))
    }

    /// The row of the data set at a place of the order of a feature; at the last row, for a place
    /// after it. A threshold reads the values of the rows beside it, and with all rows on its left
    /// the last row is on both sides.
    pub fn row_at(&self, numeric: usize, place: usize) -> u32 {
        let number = self.orders.rows[numeric].0[place.min(self.facts.len - 1)];
        self.rows.ids[usize::from(number) % ROWS]
    }

    /// The rows of the data set at some places of the order of a feature. Class sums of one side of
    /// a cut are added up from them, and values near a likely cut are fetched ahead by them.
    pub fn in_order(
        &self,
        numeric: usize,
        places: Range<usize>,
    ) -> impl ExactSizeIterator<Item = u32> {
        let order = &self.orders.rows[numeric].0[..self.facts.len];
        order[places].iter().map(|&row| self.rows.ids[usize::from(row) % ROWS])
    }

    /// The order of a feature as entries of rows of the data set, for code that reads long orders.
    /// It allocates nothing; the tied bits are read from the copy.
    pub fn entries(&self, numeric: usize) -> impl Iterator<Item = u32> {
        let tied = self.orders.tied[numeric];
        let rows = self.in_order(numeric, 0..self.facts.len).enumerate();
        rows.map(move |(i, row)| pack_entry(row, tied >> i & 1 == 1))
    }
}

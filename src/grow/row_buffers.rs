//! The buffers in which the rows of a node are a range: owned ([`RowBuffers`]), and as slices for
//! one worker ([`RowSlices`]).
//!
//! Each numeric feature has its sorted order, which a split partitions in place. Where nodes sort
//! the few features that they draw, one list of rows takes the place of all orders. The codes of
//! all nominal features are one matrix, row by row, which a split copies from one of two buffers to
//! the other; each node knows its buffer. Slices are divided into disjoint slices, one per subtree
//! that another thread grows.
//!
//! Growth on sorted orders and global growth use the buffers. They take O(rows x features) memory,
//! and all splits of a level together as much time.

use super::context::{FeaturePlace, GrowContext};
use super::partition::{
    CodedBuffer, coded_by_branch, order_by_branch, order_in_three, order_in_two,
};
use crate::data::{Bits, Column, MISSING, RowSet, entry_row, entry_tied, pack_entry};
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::split::threshold::Scanning;
use crate::stats::contingency::{CodedRows, TableLayout};
use std::ops::Range;

/// Owned buffers of all rows of a tree.
#[derive(Debug)]
pub(super) struct RowBuffers {
    /// The order of each numeric feature; or one list of ascending rows.
    orders: Vec<Vec<u32>>,
    /// The nominal codes of the coded rows, in both buffers. The second buffer is empty where no
    /// node is split.
    codes: [Vec<u8>; 2],
    /// The classes of the coded rows.
    classes: [Vec<u16>; 2],
    /// The numbers of the coded rows in the data set.
    rows: [Vec<u32>; 2],
}

impl RowBuffers {
    /// The rows of the root, with a second buffer of codes for splits.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::error::Error::Cancelled).
    pub fn new<W: Scanning>(
        context: &GrowContext<'_, W>,
        rows: &RowSet,
        control: &Control,
    ) -> Result<Self> {
        let mut buffers = Self::undivided(context, rows, control)?;
        buffers.codes[1] = vec![0; buffers.codes[0].len()];
        buffers.classes[1] = vec![0; buffers.classes[0].len()];
        buffers.rows[1] = vec![0; buffers.rows[0].len()];
        Ok(buffers)
    }

    /// Bytes of [`Self::undivided`] for `rows` rows. The listing of candidates asks this before it
    /// makes the buffers, as pairs of rows may need far more memory beside them.
    pub fn bytes<W: Scanning>(context: &GrowContext<'_, W>, rows: usize) -> usize {
        let bytes_per_coded_row = match context.nominal.features.len() {
            0 => 0,
            _ => context.nominal.layout.row_bytes() + size_of::<u32>() + size_of::<u16>(),
        };
        let n_orders = number_of_orders(context);
        rows.saturating_mul(bytes_per_coded_row + size_of::<u32>() * n_orders)
    }

    /// The rows of the root, for the evaluation of that node without a split.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::error::Error::Cancelled).
    pub fn undivided<W: Scanning>(
        context: &GrowContext<'_, W>,
        rows: &RowSet,
        control: &Control,
    ) -> Result<Self> {
        // The orders of the columns, without the entries of rows that are not in the tree.
        let kept = (!rows.is_everything()).then(|| rows.bits(context.data.len()));
        let orders = parallel::map(control, number_of_orders(context), &|numeric| {
            if context.setting.sorts_in_nodes {
                return Ok(rows.rows().iter().map(|&row| pack_entry(row, false)).collect());
            }
            control.check()?;
            let column = context.numeric[numeric].column;
            Ok(match &kept {
                None => column.owned_order(),
                Some(bits) => filter_order(column.order(), bits, rows.len()),
            })
        })?;
        let has_nominal = !context.nominal.features.is_empty();
        let coded_rows = if has_nominal { rows.rows().to_vec() } else { Vec::new() };
        let codes = pack_codes(context, &coded_rows, control)?;
        let class_of = |&row: &u32| context.data.classes()[row as usize];
        let classes: Vec<u16> = coded_rows.iter().map(class_of).collect();
        Ok(Self {
            orders,
            codes: [codes, Vec::new()],
            classes: [classes, Vec::new()],
            rows: [coded_rows, Vec::new()],
        })
    }

    /// The buffers as slices of all rows, for the worker that begins at the root. The slices borrow
    /// the buffers until the tree is grown.
    pub fn slices(&mut self) -> RowSlices<'_> {
        let [codes, other_codes] = &mut self.codes;
        let [classes, other_classes] = &mut self.classes;
        let [rows, other_rows] = &mut self.rows;
        RowSlices {
            base: 0,
            orders: self.orders.iter_mut().map(Vec::as_mut_slice).collect(),
            coded: [
                CodedBuffer { codes, classes, rows },
                CodedBuffer { codes: other_codes, classes: other_classes, rows: other_rows },
            ],
        }
    }
}

/// The number of orders that buffers have: one per numeric feature, or the one list of rows.
fn number_of_orders<W: Scanning>(context: &GrowContext<'_, W>) -> usize {
    if context.setting.sorts_in_nodes { 1 } else { context.numeric.len() }
}

/// The codes of the nominal features of some rows, row by row; missing values have the code after
/// the last level.
fn pack_codes<W: Scanning>(
    context: &GrowContext<'_, W>,
    rows: &[u32],
    control: &Control,
) -> Result<Vec<u8>> {
    let layout = &context.nominal.layout;
    let row_bytes = layout.row_bytes();
    let mut codes = vec![0; rows.len() * row_bytes];
    for (nominal, &feature) in context.nominal.features.iter().enumerate() {
        control.check()?;
        if let Column::Nominal(column) = &context.data.columns()[feature as usize] {
            let n_levels = column.levels() as u32;
            for (row_codes, &row) in codes.chunks_exact_mut(row_bytes).zip(rows) {
                let code = column.code(row);
                layout.write(row_codes, nominal, if code == MISSING { n_levels } else { code });
            }
        }
    }
    Ok(codes)
}

/// The entries of an order whose rows are kept; there are `n_kept` of them. An entry is tied when
/// an earlier entry of its value is kept.
fn filter_order(order: &[u32], keep: &Bits, n_kept: usize) -> Vec<u32> {
    // Each entry is written before it is known whether it stays, so there is one place more.
    let mut kept_entries = vec![0; n_kept + 1];
    let (mut len, mut kept_of_value) = (0, 0);
    for &entry in order {
        let is_kept = keep.get(entry_row(entry));
        kept_of_value &= entry_tied(entry);
        kept_entries[len] = (entry & !1) | kept_of_value;
        kept_of_value |= is_kept;
        len += is_kept as usize;
    }
    kept_entries.truncate(n_kept);
    kept_entries
}

/// A contiguous slice of the buffers. Ranges of nodes are relative to the whole buffers.
pub(super) struct RowSlices<'f> {
    /// Place of the first row in the whole buffers.
    base: usize,
    /// See [`RowBuffers::orders`].
    orders: Vec<&'f mut [u32]>,
    /// The two buffers of coded rows.
    coded: [CodedBuffer<'f>; 2],
}

/// The rows of a node as a range of the buffers.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeRange {
    pub start: usize,
    pub len: usize,
    /// The number of the buffer of codes that holds the rows, 0 or 1.
    pub buffer: usize,
}

/// A split of a node's range into branches.
pub(super) struct PartitionPlan<'p> {
    /// The feature of the split.
    pub place: FeaturePlace,
    /// Rows left of a threshold. The left of two branches has more where rows without a value join
    /// it.
    pub at: u32,
    /// Rows of each branch.
    pub sizes: &'p [u32],
    /// Branches whose rows are needed again.
    pub keep: &'p [bool],
    /// Branch of each code of a nominal feature; empty where a code is its branch.
    pub branch_of: &'p [u16],
}

impl PartitionPlan<'_> {
    /// The branch of a code.
    fn branch(&self, code: usize) -> usize {
        self.branch_of.get(code).map_or(code, |&branch| branch as usize)
    }
}

/// Reusable memory of one worker.
#[derive(Debug, Default)]
pub(super) struct PartitionScratch {
    /// For two or three branches: the rows that are not in the first branch.
    later: Bits,
    /// For three branches: among those rows, the rows in the last branch.
    last: Bits,
    /// For more branches: the branch of each row.
    branch_of_row: Vec<u16>,
    /// Entries that leave their places while an order is partitioned.
    entries: Vec<u32>,
    /// Number of rows of the data set.
    n_rows: usize,
}

impl PartitionScratch {
    /// Memory for the splits of nodes of a data set with `n_rows` rows, with one bit per row. The
    /// memory of splits in more than two branches is made when the first such split comes.
    pub fn new(n_rows: usize) -> Self {
        Self {
            later: Bits::new(n_rows),
            last: Bits::default(),
            branch_of_row: Vec::new(),
            entries: Vec::new(),
            n_rows,
        }
    }

    /// Note the branch of a row of a split in two or three branches.
    fn set_branch(&mut self, row: u32, branch: usize, branches: usize) {
        if branch > 0 {
            self.later.set(row);
        } else {
            self.later.clear(row);
        }
        if branches == 3 {
            if branch == 2 {
                self.last.set(row);
            } else {
                self.last.clear(row);
            }
        }
    }
}

impl<'f> RowSlices<'f> {
    /// The order of a numeric feature within a node: the entries of its rows by ascending value,
    /// rows without a value last. Where nodes sort their features, only order 0 exists, and it
    /// lists the rows of the node in ascending order.
    pub fn order(&self, numeric: usize, range: NodeRange) -> &[u32] {
        let start = range.start - self.base;
        &self.orders[numeric][start..start + range.len]
    }

    /// The coded rows of a node, `row_bytes` bytes of codes each, with the class and the number of
    /// each row. They are empty without nominal features.
    pub fn coded(&self, row_bytes: usize, range: NodeRange) -> CodedRows<'_> {
        let start = range.start - self.base;
        let buffer = &self.coded[range.buffer];
        CodedRows {
            codes: &buffer.codes[start * row_bytes..(start + range.len) * row_bytes],
            classes: &buffer.classes[start..start + range.len],
            rows: &buffer.rows[start..start + range.len],
        }
    }

    /// Write the branch of each row of a node into the scratch memory: as one bit for two branches,
    /// as two bits for three, and as a number for more.
    ///
    /// `sorted` is the order of a numeric split feature that the buffers do not hold, with its rows
    /// already branch by branch. `layout` is the layout of the nominal codes.
    fn mark_branches(
        &self,
        node: NodeRange,
        plan: &PartitionPlan<'_>,
        sorted: Option<&Vec<u32>>,
        layout: &TableLayout,
        scratch: &mut PartitionScratch,
    ) {
        let range = node.start - self.base..node.start - self.base + node.len;
        let branches = plan.sizes.len();
        let are_bits = branches == 2 || branches == 3;
        if branches == 3 && scratch.last.words().is_empty() {
            scratch.last = Bits::new(scratch.n_rows);
        }
        match plan.place {
            FeaturePlace::Numeric(split) => {
                let order = match sorted {
                    Some(order) => &order[..],
                    None => &self.orders[split][range],
                };
                let (left, rest) = order.split_at(plan.sizes[0] as usize);
                left.iter().for_each(|&e| scratch.later.clear(entry_row(e)));
                rest.iter().for_each(|&e| scratch.later.set(entry_row(e)));
                if branches == 3 {
                    let (right, missing) = rest.split_at(plan.sizes[1] as usize);
                    right.iter().for_each(|&e| scratch.last.clear(entry_row(e)));
                    missing.iter().for_each(|&e| scratch.last.set(entry_row(e)));
                }
            }
            FeaturePlace::Nominal(column) => {
                let coded = &self.coded[node.buffer];
                if !are_bits {
                    scratch.branch_of_row.resize(scratch.n_rows, 0);
                }
                for i in range {
                    let row = coded.rows[i];
                    let codes = &coded.codes[i * layout.row_bytes()..];
                    let branch = plan.branch(layout.code(codes, column));
                    if are_bits {
                        scratch.set_branch(row, branch, branches);
                    } else {
                        scratch.branch_of_row[row as usize] = branch as u16;
                    }
                }
            }
        }
    }

    /// Bring the rows of each branch together in all orders and in the coded rows.
    ///
    /// `node` is the range of the node that is split, and `plan` its split. The order of a numeric
    /// split feature is already in the order of the branches: values up to the threshold, values
    /// above it, missing values. Branches that are not kept are left in an unspecified state.
    pub fn partition<W: Scanning>(
        &mut self,
        context: &GrowContext<'_, W>,
        node: NodeRange,
        plan: &PartitionPlan<'_>,
        scratch: &mut PartitionScratch,
    ) {
        if !plan.keep.contains(&true) {
            return;
        }
        let start = node.start - self.base;
        let range = start..start + node.len;
        let layout = &context.nominal.layout;
        let sorted = self.order_split_feature(context, range.clone(), plan);
        self.mark_branches(node, plan, sorted.as_ref(), layout, scratch);
        let branch_starts = starts_of(plan.sizes);
        let is_one_list = context.setting.sorts_in_nodes;
        self.partition_orders(range.clone(), plan, &branch_starts, is_one_list, scratch);
        // The coded rows go from one buffer to the other.
        if layout.features() > 0 {
            let PartitionScratch { later, last, branch_of_row, .. } = scratch;
            let [first, second] = &mut self.coded;
            let (from, to) = if node.buffer == 0 { (first, second) } else { (second, first) };
            let (row_bytes, branches) = (layout.row_bytes(), plan.sizes.len());
            coded_by_branch(from, to, range, row_bytes, &branch_starts, plan.keep, |row| {
                match branches {
                    2 => later.get(row) as usize,
                    3 => (later.get(row) * (1 + last.get(row))) as usize,
                    _ => branch_of_row[row as usize] as usize,
                }
            });
        }
    }

    /// Bring the order of a numeric split feature into the order of the branches, where rows
    /// without a value join the left one. Returns the order where the buffers do not hold it,
    /// because nodes sort their features.
    fn order_split_feature<W: Scanning>(
        &mut self,
        context: &GrowContext<'_, W>,
        range: Range<usize>,
        plan: &PartitionPlan<'_>,
    ) -> Option<Vec<u32>> {
        let sorts_in_nodes = context.setting.sorts_in_nodes;
        let FeaturePlace::Numeric(split) = plan.place else { return None };
        let mut sorted =
            sorts_in_nodes.then(|| context.sort_in_node(split, &self.orders[0][range.clone()]));
        if let [left, _] = plan.sizes {
            let order = match &mut sorted {
                Some(sorted) => &mut sorted[..],
                None => &mut self.orders[split][range],
            };
            // Rows without a value come last in the order.
            let n_joining = left.saturating_sub(plan.at) as usize;
            order[plan.at as usize..].rotate_right(n_joining);
        }
        sorted
    }

    /// Partition every order except the order of the split feature, which has its branches side by
    /// side already. Where nodes sort their features, partition the one list of rows.
    ///
    /// Sharing the orders of a wide node among several threads took as long, and more CPU time.
    fn partition_orders(
        &mut self,
        range: Range<usize>,
        plan: &PartitionPlan<'_>,
        branch_starts: &[u32],
        is_one_list: bool,
        scratch: &mut PartitionScratch,
    ) {
        let PartitionScratch { later, last, branch_of_row, entries, .. } = scratch;
        let size = |branch: usize| plan.sizes[branch] as usize;
        for (numeric, order) in self.orders.iter_mut().enumerate() {
            let is_split = matches!(plan.place, FeaturePlace::Numeric(split) if split == numeric);
            if is_split && !is_one_list {
                continue;
            }
            let order = &mut order[range.clone()];
            match *plan.keep {
                [left, right] => order_in_two(order, later, size(0), [left, right], entries),
                [left, right, missing] => {
                    let (sizes, keep) = ([size(0), size(1), size(2)], [left, right, missing]);
                    order_in_three(order, [later, last], sizes, keep, entries);
                }
                _ => order_by_branch(order, branch_of_row, branch_starts, entries),
            }
        }
    }

    /// Disjoint slices, one per range, of rows of `row_bytes` bytes of codes (0 without nominal
    /// features). The ranges must ascend and may not overlap; rows between them are given up.
    pub fn divide(self, ranges: &[NodeRange], row_bytes: usize) -> Vec<RowSlices<'f>> {
        let Self { base, mut orders, coded: [mut first, mut second] } = self;
        let mut slices = Vec::with_capacity(ranges.len());
        let mut slices_start = base;
        for &NodeRange { start, len, .. } in ranges {
            let skipped = start - slices_start;
            let orders_of_range =
                orders.iter_mut().map(|order| take_part(order, skipped, len)).collect();
            // Without nominal features there are no coded rows to be skipped or taken.
            let (skipped, len_coded) = if row_bytes > 0 { (skipped, len) } else { (0, 0) };
            let coded = [&mut first, &mut second].map(|buffer| CodedBuffer {
                codes: take_part(&mut buffer.codes, skipped * row_bytes, len_coded * row_bytes),
                classes: take_part(&mut buffer.classes, skipped, len_coded),
                rows: take_part(&mut buffer.rows, skipped, len_coded),
            });
            slices.push(RowSlices { base: start, orders: orders_of_range, coded });
            slices_start = start + len;
        }
        slices
    }
}

/// The first place of each branch among the rows of a node, from the sizes of the branches.
fn starts_of(sizes: &[u32]) -> Vec<u32> {
    let mut starts = Vec::with_capacity(sizes.len());
    let mut start = 0;
    for &size in sizes {
        starts.push(start);
        start += size;
    }
    starts
}

/// Take `len` elements of a slice after the first `skipped`; the elements after them are left.
fn take_part<'f, T>(slice: &mut &'f mut [T], skipped: usize, len: usize) -> &'f mut [T] {
    let (part, rest) = std::mem::take(slice)[skipped..].split_at_mut(len);
    *slice = rest;
    part
}

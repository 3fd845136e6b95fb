//! The buffers in which the rows of a node are a range: owned ([`RowBuffers`]), and as slices for
//! one worker ([`RowSlices`]).
//!
//! Each numeric feature has its sorted order, which a split partitions in place. Where nodes sort
//! the few features that they draw, one list of rows takes the place of all orders. The codes of
//! all nominal features are one matrix, row by row, which a split copies from one of two buffers to
//! the other; each node knows its buffer. Slices are divided into disjoint slices, one per subtree
//! that another thread grows. Growth on sorted orders and global growth use them; O(rows x
//! features) in memory, and per level in time.

use super::context::{FeaturePlace, GrowContext, WIDE_NODE};
use super::partition::{
    CodedBuffer, coded_by_branch, order_by_branch, order_in_three, order_in_two,
};
use crate::data::{Bits, Column, MISSING, RowSet, entry_row, entry_tied, pack_entry};
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::split::threshold::Scanning;
use crate::stats::contingency::{CodedRows, Layout};

/// Owned buffers of all rows of a tree.
#[derive(Debug)]
pub(super) struct RowBuffers {
    /// The order of each numeric feature; or one list of ascending rows.
    orders: Vec<Vec<u32>>,
    codes: [Vec<u8>; 2],
    classes: [Vec<u16>; 2],
    rows: [Vec<u32>; 2],
}

impl RowBuffers {
    /// The rows of the root, with a second buffer of codes for splits.
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

    /// Bytes of [`Self::undivided`] for `rows` rows.
    pub fn bytes<W: Scanning>(context: &GrowContext<'_, W>, rows: usize) -> usize {
        let width = context.nominal.features.len();
        let coded = match width {
            0 => 0,
            _ => context.nominal.layout.row_bytes() + size_of::<u32>() + size_of::<u16>(),
        };
        let orders = if context.setting.sorts_in_nodes { 1 } else { context.numeric.len() };
        rows.saturating_mul(coded + size_of::<u32>() * orders)
    }

    /// The rows of the root, for the evaluation of that node without a split.
    pub fn undivided<W: Scanning>(
        context: &GrowContext<'_, W>,
        rows: &RowSet,
        control: &Control,
    ) -> Result<Self> {
        let data = context.data;
        // The sorted order of each numeric feature, without the rows of others.
        let keep = (!rows.is_everything()).then(|| rows.bits(data.len()));
        let listed = context.setting.sorts_in_nodes;
        let orders =
            parallel::map(control, if listed { 1 } else { context.numeric.len() }, &|i| {
                if listed {
                    return Ok(rows.rows().iter().map(|&row| pack_entry(row, false)).collect());
                }
                control.check()?;
                let column = context.numeric[i].column;
                Ok(match &keep {
                    None => column.owned_order(),
                    Some(bits) => filtered(column.order(), bits, rows.len()),
                })
            })?;
        // The matrix of nominal codes; missing values have the code after the last level.
        let width = context.nominal.features.len();
        let n = if width > 0 { rows.len() } else { 0 };
        let layout = &context.nominal.layout;
        let row_bytes = layout.row_bytes();
        let mut codes = vec![0; n * row_bytes];
        for (j, &feature) in context.nominal.features.iter().enumerate() {
            control.check()?;
            if let Column::Nominal(column) = &data.columns()[feature as usize] {
                let levels = column.levels() as u32;
                for (to, &row) in codes.chunks_exact_mut(row_bytes).zip(rows.rows()) {
                    let code = column.code(row);
                    layout.write(to, j, if code == MISSING { levels } else { code });
                }
            }
        }
        let ids: Vec<u32> = if width > 0 { rows.rows().to_vec() } else { Vec::new() };
        let classes: Vec<u16> = ids.iter().map(|&r| data.classes()[r as usize]).collect();
        Ok(Self {
            orders,
            codes: [codes, Vec::new()],
            classes: [classes, Vec::new()],
            rows: [ids, Vec::new()],
        })
    }

    /// The buffers as slices of all rows, for the worker that begins at the root.
    pub fn slices(&mut self) -> RowSlices<'_> {
        let [c0, c1] = &mut self.codes;
        let [k0, k1] = &mut self.classes;
        let [r0, r1] = &mut self.rows;
        RowSlices {
            base: 0,
            orders: self.orders.iter_mut().map(Vec::as_mut_slice).collect(),
            coded: [
                CodedBuffer { codes: c0, classes: k0, rows: r0 },
                CodedBuffer { codes: c1, classes: k1, rows: r1 },
            ],
        }
    }
}

/// Write the `n` entries of an order whose rows are kept. An entry is tied when an earlier one of
/// its value is kept.
fn filtered(order: &[u32], keep: &Bits, n: usize) -> Vec<u32> {
    // One place more, as each entry is written before it is known whether it stays.
    let mut out = vec![0; n + 1];
    let (mut at, mut kept_of_value) = (0, 0);
    for &entry in order {
        let kept = keep.get(entry_row(entry));
        kept_of_value &= entry_tied(entry);
        out[at] = (entry & !1) | kept_of_value;
        kept_of_value |= kept;
        at += kept as usize;
    }
    out.truncate(n);
    out
}

/// A contiguous slice of the buffers. Ranges of nodes are relative to the whole buffers.
pub(super) struct RowSlices<'f> {
    /// Place of the first row in the whole buffers.
    base: usize,
    orders: Vec<&'f mut [u32]>,
    coded: [CodedBuffer<'f>; 2],
}

/// The rows of a node as a range of the buffers.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeRange {
    pub start: usize,
    pub len: usize,
    /// Which of the two buffers of codes holds them.
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
    fn branch(&self, code: usize) -> usize {
        self.branch_of.get(code).map_or(code, |&b| b as usize)
    }
}

/// Reusable memory of one worker.
#[derive(Debug, Default)]
pub(super) struct PartitionScratch {
    /// Of two or three branches: the rows that are not in the first.
    later: Bits,
    /// Of three branches: among those rows, the ones in the last.
    last: Bits,
    /// Of more branches: the branch of each row.
    branch: Vec<u16>,
    /// Entries on their way, a list per thread.
    entries: Vec<Vec<u32>>,
    /// Rows of the data set.
    n: usize,
}

impl PartitionScratch {
    /// Memory for the splits of nodes of a data set with `n` rows, with one bit per row. The memory
    /// of splits in more than two branches is made when the first one comes.
    pub fn new(n: usize) -> Self {
        Self {
            later: Bits::new(n),
            last: Bits::default(),
            branch: Vec::new(),
            entries: Vec::new(),
            n,
        }
    }
}

impl<'f> RowSlices<'f> {
    /// The order of a numeric feature within a node.
    pub fn order(&self, numeric: usize, range: NodeRange) -> &[u32] {
        let start = range.start - self.base;
        &self.orders[numeric][start..start + range.len]
    }

    /// The coded rows of a node, `row_bytes` bytes of codes each.
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
    /// as two bits for three, else as a number. `sorted` is the order of a numeric split feature
    /// that the buffers do not hold.
    fn mark(
        &self,
        node: NodeRange,
        plan: &PartitionPlan<'_>,
        sorted: Option<&Vec<u32>>,
        layout: &Layout,
        scratch: &mut PartitionScratch,
    ) {
        let range = node.start - self.base..node.start - self.base + node.len;
        let branches = plan.sizes.len();
        let few = branches == 2 || branches == 3;
        if branches == 3 && scratch.last.words().is_empty() {
            scratch.last = Bits::new(scratch.n);
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
                let from = &self.coded[node.buffer];
                if !few {
                    scratch.branch.resize(scratch.n, 0);
                }
                for i in range {
                    let row = from.rows[i];
                    let codes = &from.codes[i * layout.row_bytes()..];
                    let branch = plan.branch(layout.code(codes, column));
                    if few {
                        if branch > 0 {
                            scratch.later.set(row)
                        } else {
                            scratch.later.clear(row)
                        }
                        if branches == 3 {
                            if branch == 2 {
                                scratch.last.set(row)
                            } else {
                                scratch.last.clear(row)
                            }
                        }
                    } else {
                        scratch.branch[row as usize] = branch as u16;
                    }
                }
            }
        }
    }

    /// Bring the rows of each branch together in all orders and in the coded rows. The order of a
    /// numeric split feature already has `<=`, then `>`, then missing values.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::error::Error::Cancelled).
    pub fn partition<W: Scanning>(
        &mut self,
        context: &GrowContext<'_, W>,
        node: NodeRange,
        plan: &PartitionPlan<'_>,
        scratch: &mut PartitionScratch,
        control: &Control,
    ) -> Result<()> {
        let start = node.start - self.base;
        let range = start..start + node.len;
        let layout = &context.nominal.layout;
        if !plan.keep.contains(&true) {
            return Ok(());
        }
        // The first place of each branch, and the branch of each row.
        let mut starts = Vec::with_capacity(plan.sizes.len());
        let mut sum = 0;
        for &size in plan.sizes {
            starts.push(sum);
            sum += size;
        }
        // The order of the split feature has its branches side by side.
        let listed = context.setting.sorts_in_nodes;
        let mut sorted = Vec::new();
        if let FeaturePlace::Numeric(split) = plan.place {
            if listed {
                sorted = context.sorted(split, &self.orders[0][range.clone()]);
            }
            if let [left, _] = plan.sizes {
                let order = match listed {
                    true => &mut sorted[..],
                    false => &mut self.orders[split][range.clone()],
                };
                // Rows without a value come last in the order.
                let joined = left.saturating_sub(plan.at) as usize;
                order[plan.at as usize..].rotate_right(joined);
            }
        }
        self.mark(node, plan, listed.then_some(&sorted), layout, scratch);
        let PartitionScratch { later, last, branch, entries, .. } = scratch;
        let (branches, size) = (plan.sizes.len(), |b: usize| plan.sizes[b] as usize);
        let divide = |order: &mut [u32], entries: &mut Vec<u32>| match *plan.keep {
            [left, right] => order_in_two(order, later, size(0), [left, right], entries),
            [left, right, missing] => {
                let (sizes, keep) = ([size(0), size(1), size(2)], [left, right, missing]);
                order_in_three(order, [later, last], sizes, keep, entries);
            }
            _ => order_by_branch(order, branch, &starts, entries),
        };
        // Every order but that of the split feature; those of a wide node by several threads.
        let is_divided =
            |i: usize| !listed && matches!(plan.place, FeaturePlace::Numeric(split) if split == i);
        let wide = node.len * self.orders.len() > WIDE_NODE;
        let threads = if wide { control.threads() } else { 1 };
        entries.resize_with(entries.len().max(threads), Vec::new);
        let together = self.orders.len().div_ceil(threads).max(1);
        let mut parts: Vec<_> = self.orders.chunks_mut(together).zip(entries).collect();
        parallel::for_each_mut(control, &mut parts, &|part, (orders, entries)| {
            for (i, order) in (part * together..).zip(orders.iter_mut()) {
                if !is_divided(i) {
                    divide(&mut order[range.clone()], entries);
                }
            }
            Ok(())
        })?;
        // The coded rows, from one buffer to the other.
        if layout.features() > 0 {
            let [a, b] = &mut self.coded;
            let (from, to) = if node.buffer == 0 { (a, b) } else { (b, a) };
            let bytes = layout.row_bytes();
            coded_by_branch(from, to, range, bytes, &starts, plan.keep, |row| match branches {
                2 => later.get(row) as usize,
                3 => (later.get(row) * (1 + last.get(row))) as usize,
                _ => branch[row as usize] as usize,
            });
        }
        Ok(())
    }

    /// Disjoint slices, one per range (ascending, without overlap), of rows of
    /// `row_bytes` bytes of codes.
    pub fn divide(self, ranges: &[NodeRange], row_bytes: usize) -> Vec<RowSlices<'f>> {
        let mut slices: Vec<RowSlices<'f>> = Vec::with_capacity(ranges.len());
        let RowSlices { base, orders, coded } = self;
        let mut orders: Vec<&'f mut [u32]> = orders;
        let [a, b] = coded;
        let mut coded = [a, b];
        let mut at = base;
        let has_coded = row_bytes > 0;
        for &NodeRange { start, len, .. } in ranges {
            // Of each slice that is left, skip the rows before the range and take those of it.
            let skip = start - at;
            let mut mine = Vec::with_capacity(orders.len());
            for order in &mut orders {
                let rest = std::mem::take(order);
                let (part, rest) = rest[skip..].split_at_mut(len);
                mine.push(part);
                *order = rest;
            }
            let (s, l) = if has_coded { (skip, len) } else { (0, 0) };
            let mut parts = coded.iter_mut().map(|c| {
                let (codes, rest) =
                    std::mem::take(&mut c.codes)[s * row_bytes..].split_at_mut(l * row_bytes);
                c.codes = rest;
                let (classes, rest) = std::mem::take(&mut c.classes)[s..].split_at_mut(l);
                c.classes = rest;
                let (rows, rest) = std::mem::take(&mut c.rows)[s..].split_at_mut(l);
                c.rows = rest;
                CodedBuffer { codes, classes, rows }
            });
            if let (Some(a), Some(b)) = (parts.next(), parts.next()) {
                drop(parts);
                slices.push(RowSlices { base: start, orders: mine, coded: [a, b] });
            }
            at = start + len;
        }
        slices
    }
}

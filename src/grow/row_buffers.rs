//! The permuted buffers in which a node is a range ([`RowSlices`]).
//!
//! Numeric features bring their sorted order; nominal features lie side by side in a row-major
//! matrix that is copied from one buffer to the other at each split (a node's depth decides
//! nothing: each node knows its buffer). Slices can be cut into disjoint slices, one for
//! each subtree that another thread shall grow.

use super::buffer_pool::BufferPool;
use super::context::{FeaturePlace, GrowContext};
use super::partition::{
    CodedBuffer, coded_by_branch, order_by_branch, order_in_three, order_in_two,
};
use crate::data::{Bits, Column, MISSING, RowSet, entry_row, entry_tied};
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::stats::Weighing;
use crate::stats::contingency::Code;

/// Owned buffers of all rows of a tree.
#[derive(Debug)]
pub(super) struct RowBuffers<C> {
    orders: Vec<Vec<u32>>,
    codes: [Vec<C>; 2],
    classes: [Vec<u16>; 2],
    rows: [Vec<u32>; 2],
}

impl<C: Code> RowBuffers<C> {
    /// The rows, and a second buffer into which nodes are divided.
    pub fn new<W: Weighing>(
        context: &GrowContext<'_, W>,
        rows: &RowSet,
        control: &Control,
    ) -> Result<Self> {
        let mut all = Self::undivided(context, rows, control)?;
        all.codes[1] = vec![C::default(); all.codes[0].len()];
        all.classes[1] = vec![0; all.classes[0].len()];
        all.rows[1] = vec![0; all.rows[0].len()];
        Ok(all)
    }

    /// Bytes of [`Self::undivided`] for `rows` rows.
    pub fn bytes<W: Weighing>(context: &GrowContext<'_, W>, rows: usize) -> usize {
        let width = context.nominal.features.len();
        let coded = if width > 0 { size_of::<C>() * width + 4 + 2 } else { 0 };
        rows.saturating_mul(coded + 4 * context.numeric.len())
    }

    /// The rows where no node is divided.
    pub fn undivided<W: Weighing>(
        context: &GrowContext<'_, W>,
        rows: &RowSet,
        control: &Control,
    ) -> Result<Self> {
        let data = context.data;
        let keep = (!rows.is_everything()).then(|| rows.bits(data.len()));
        let orders = parallel::map(control, context.numeric.len(), |i| {
            control.check()?;
            let column = context.numeric[i].column;
            let mut order = context.setting.pool.map(BufferPool::take).unwrap_or_default();
            match &keep {
                None => column.order_into(&mut order),
                Some(bits) => filtered(column.order(), bits, rows.len(), &mut order),
            }
            Ok(order)
        })?;
        let width = context.nominal.features.len();
        let n = if width > 0 { rows.len() } else { 0 };
        let mut codes = vec![C::default(); n * width];
        for (j, &feature) in context.nominal.features.iter().enumerate() {
            control.check()?;
            if let Column::Nominal(column) = &data.columns()[feature as usize] {
                let levels = column.levels() as u32;
                for (to, &row) in codes[j..].iter_mut().step_by(width).zip(rows.rows()) {
                    let code = column.code(row);
                    *to = C::of(if code == MISSING { levels } else { code });
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

    /// Give the memory of the orders to the next tree.
    pub fn release<W: Weighing>(self, context: &GrowContext<'_, W>) {
        if let Some(pool) = context.setting.pool {
            self.orders.into_iter().for_each(|order| pool.give(order));
        }
    }

    /// The whole as slices.
    pub fn field(&mut self) -> RowSlices<'_, C> {
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

fn filtered(order: &[u32], keep: &Bits, n: usize, out: &mut Vec<u32>) {
    out.resize(n + 1, 0);
    let (mut at, mut seen) = (0, 0);
    for &entry in order {
        let kept = keep.get(entry_row(entry));
        seen &= entry_tied(entry);
        out[at] = (entry & !1) | seen;
        seen |= kept;
        at += kept as usize;
    }
    out.truncate(n);
}

/// A contiguous part of the buffers; ranges of nodes are relative to the whole.
pub(super) struct RowSlices<'f, C> {
    base: usize,
    orders: Vec<&'f mut [u32]>,
    coded: [CodedBuffer<'f, C>; 2],
}

/// The rows of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeRange {
    pub start: usize,
    pub len: usize,
    /// Which of the two nominal buffers holds them.
    pub buffer: usize,
}

/// The plan of a partition.
pub(super) struct PartitionPlan<'p> {
    /// Where the feature is found.
    pub place: FeaturePlace,
    /// Rows of each branch.
    pub sizes: &'p [u32],
    /// Branches that will be looked at again.
    pub keep: &'p [bool],
    /// Branch of each code of a nominal feature; empty where it is the code.
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
    bits: Bits,
    /// Among the rows whose bit is set: those of the last of three branches.
    last: Bits,
    branch: Vec<u16>,
    entries: Vec<u32>,
    n: usize,
}

impl PartitionScratch {
    pub fn new(n: usize) -> Self {
        Self {
            bits: Bits::new(n),
            last: Bits::default(),
            branch: Vec::new(),
            entries: Vec::new(),
            n,
        }
    }
}

impl<'f, C: Code> RowSlices<'f, C> {
    /// The order of a numeric feature within a node.
    pub fn order(&self, numeric: usize, range: NodeRange) -> &[u32] {
        let start = range.start - self.base;
        &self.orders[numeric][start..start + range.len]
    }

    /// Coded rows of a node: codes, classes, rows.
    pub fn coded(
        &self,
        width: usize,
        range: NodeRange,
    ) -> crate::stats::contingency::CodedRows<'_, C> {
        let start = range.start - self.base;
        let b = &self.coded[range.buffer];
        crate::stats::contingency::CodedRows {
            codes: &b.codes[start * width..(start + range.len) * width],
            classes: &b.classes[start..start + range.len],
            rows: &b.rows[start..start + range.len],
        }
    }

    /// Note for each row of a node the branch that it goes to.
    fn mark(
        &self,
        node: NodeRange,
        cut: &PartitionPlan<'_>,
        width: usize,
        spare: &mut PartitionScratch,
    ) {
        let range = node.start - self.base..node.start - self.base + node.len;
        // Two bits tell up to three branches apart.
        let branches = cut.sizes.len();
        let few = branches == 2 || branches == 3;
        if branches == 3 && spare.last.words().is_empty() {
            spare.last = Bits::new(spare.n);
        }
        match cut.place {
            FeaturePlace::Numeric(split) => {
                let order = &self.orders[split][range];
                let (left, rest) = order.split_at(cut.sizes[0] as usize);
                left.iter().for_each(|&e| spare.bits.clear(entry_row(e)));
                rest.iter().for_each(|&e| spare.bits.set(entry_row(e)));
                if branches == 3 {
                    let (right, missing) = rest.split_at(cut.sizes[1] as usize);
                    right.iter().for_each(|&e| spare.last.clear(entry_row(e)));
                    missing.iter().for_each(|&e| spare.last.set(entry_row(e)));
                }
            }
            FeaturePlace::Nominal(column) => {
                let from = &self.coded[node.buffer];
                if !few {
                    spare.branch.resize(spare.n, 0);
                }
                for i in range {
                    let (row, code) = (from.rows[i], from.codes[i * width + column].index());
                    let code = cut.branch(code);
                    if few {
                        if code > 0 {
                            spare.bits.set(row)
                        } else {
                            spare.bits.clear(row)
                        }
                        if branches == 3 {
                            if code == 2 { spare.last.set(row) } else { spare.last.clear(row) }
                        }
                    } else {
                        spare.branch[row as usize] = code as u16;
                    }
                }
            }
        }
    }

    /// Bring the rows of each branch together. Threshold splits have their rows already apart in
    /// the order of the split feature: `<=`, then `>`, then missing.
    pub fn partition<W: Weighing>(
        &mut self,
        context: &GrowContext<'_, W>,
        node: NodeRange,
        cut: &PartitionPlan<'_>,
        spare: &mut PartitionScratch,
    ) {
        let start = node.start - self.base;
        let range = start..start + node.len;
        let width = context.nominal.features.len();
        let mut starts = Vec::with_capacity(cut.sizes.len());
        let mut sum = 0;
        for &s in cut.sizes {
            starts.push(sum);
            sum += s;
        }
        if !cut.keep.iter().any(|&k| k) {
            return;
        }
        self.mark(node, cut, width, spare);
        let branches = cut.sizes.len();
        let size = |b: usize| cut.sizes[b] as usize;
        for (i, order) in self.orders.iter_mut().enumerate() {
            if matches!(cut.place, FeaturePlace::Numeric(split) if split == i) {
                continue;
            }
            let order = &mut order[range.clone()];
            match *cut.keep {
                [left, right] => {
                    order_in_two(order, &spare.bits, size(0), [left, right], &mut spare.entries);
                }
                [left, right, missing] => {
                    let (bits, sizes) = ([&spare.bits, &spare.last], [size(0), size(1), size(2)]);
                    order_in_three(order, bits, sizes, [left, right, missing], &mut spare.entries);
                }
                _ => order_by_branch(order, &spare.branch, &starts, &mut spare.entries),
            }
        }
        if width > 0 {
            let [a, b] = &mut self.coded;
            let (from, to) = if node.buffer == 0 { (a, b) } else { (b, a) };
            let (bits, last, branch) = (&spare.bits, &spare.last, &spare.branch);
            coded_by_branch(from, to, range, width, &starts, cut.keep, |row| match branches {
                2 => bits.get(row) as usize,
                3 => (bits.get(row) * (1 + last.get(row))) as usize,
                _ => branch[row as usize] as usize,
            });
        }
    }

    /// Disjoint slices, one for each range (ascending, without overlap).
    pub fn divide(self, ranges: &[(usize, usize)], width: usize) -> Vec<RowSlices<'f, C>> {
        let mut fields: Vec<RowSlices<'f, C>> = Vec::with_capacity(ranges.len());
        let RowSlices { base, orders, coded } = self;
        let mut orders: Vec<&'f mut [u32]> = orders;
        let [a, b] = coded;
        let mut coded = [a, b];
        let mut at = base;
        let has_coded = width > 0;
        for &(start, len) in ranges {
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
                    std::mem::take(&mut c.codes)[s * width..].split_at_mut(l * width);
                c.codes = rest;
                let (classes, rest) = std::mem::take(&mut c.classes)[s..].split_at_mut(l);
                c.classes = rest;
                let (rows, rest) = std::mem::take(&mut c.rows)[s..].split_at_mut(l);
                c.rows = rest;
                CodedBuffer { codes, classes, rows }
            });
            if let (Some(a), Some(b)) = (parts.next(), parts.next()) {
                drop(parts);
                fields.push(RowSlices { base: start, orders: mine, coded: [a, b] });
            }
            at = start + len;
        }
        fields
    }
}

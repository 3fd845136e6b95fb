//! What all nodes of a tree share ([`GrowContext`]), and the permuted buffers in which a node is a
//! range ([`RowSlices`]).
//!
//! Numeric features bring their sorted order; nominal features lie side by side in a row-major
//! matrix that is copied from one buffer to the other at each split (a node's depth decides
//! nothing: each node knows its buffer). Slices can be cut into disjoint slices, one for
//! each subtree that another thread shall grow.

use super::partition::{
    CodedBuffer, coded_by_branch, order_by_branch, order_in_three, order_in_two,
};
use crate::criteria::EvidenceKind;
use crate::data::{
    Bits, Column, Dataset, Kind, MISSING, NumericColumn, RowSet, entry_row, entry_tied,
};
use crate::exact::Sizes;
use crate::parallel::{self, Control};
use crate::split::NominalSplits;
use crate::split::threshold::ClassOf;
use crate::stats::contingency::{Code, Layout};
use crate::stats::neighbours::Root;
use crate::stats::{Sum, Weighing};

use super::evidence::PairContext;
use super::{BufferPool, Setting};
use crate::error::Result;

/// More classes are counted row by row.
const FEW_CLASSES: usize = 8;

/// A numeric feature.
#[derive(Debug)]
pub(super) struct Numeric<'a> {
    pub feature: u32,
    pub column: &'a NumericColumn,
    /// Rows whose value is missing, where the column has any.
    pub missing: Option<Bits>,
}

/// The nominal features, in matrix order.
#[derive(Debug)]
pub(super) struct Nominal<'a> {
    pub features: Vec<u32>,
    pub layout: Layout,
    /// The last code of the feature means "missing".
    pub missing: Vec<bool>,
    /// Codes are bins of a number, between these cuts.
    pub cuts: Vec<Option<&'a [f64]>>,
}

/// What does not change while a tree grows.
#[derive(Debug)]
pub(super) struct GrowContext<'a, W> {
    pub data: &'a Dataset,
    pub setting: &'a Setting<'a>,
    pub weights: W,
    pub numeric: Vec<Numeric<'a>>,
    pub nominal: Nominal<'a>,
    pub class_of: ClassOf<'a>,
    pub total_weight: f64,
    /// Where the evidence are pairs of rows.
    pub pairs: Option<PairContext>,
    /// Where the evidence are the rows themselves.
    pub sizes: Option<Result<Sizes>>,
    /// Where the evidence are neighbours of rows.
    pub near: Option<Root<'a>>,
}

/// Where a feature is found.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Numeric(usize),
    Nominal(usize),
}

impl<'a, W: Weighing> GrowContext<'a, W> {
    pub fn new(data: &'a Dataset, setting: &'a Setting<'a>, rows: &RowSet, weights: W) -> Self {
        let k = data.n_classes();
        let mut numeric = Vec::new();
        let (mut features, mut arities, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        let mut cuts = Vec::new();
        for (feature, column) in data.columns().iter().enumerate() {
            let feature = feature as u32;
            match column {
                Column::Numeric(column) => {
                    let bits = (column.n_missing() > 0).then(|| {
                        let mut bits = Bits::new(data.len());
                        column.order()[data.len() - column.n_missing()..]
                            .iter()
                            .for_each(|&e| bits.set(entry_row(e)));
                        bits
                    });
                    numeric.push(Numeric { feature, column, missing: bits });
                }
                Column::Nominal(column) => {
                    features.push(feature);
                    missing.push(column.n_missing() > 0);
                    cuts.push(match &data.schema().features[feature as usize].kind {
                        Kind::Numeric { cuts, .. } => cuts.as_deref(),
                        Kind::Nominal { .. } => None,
                    });
                    let arity = column.levels() + usize::from(column.n_missing() > 0);
                    arities.push(arity.max(1) as u32);
                }
            }
        }
        let sum = rows.rows().iter().fold(W::Sum::default(), |s, &r| s.plus(weights.of(r)));
        Self {
            data,
            setting,
            weights,
            numeric,
            nominal: Nominal { features, layout: Layout::new(&arities, k), missing, cuts },
            class_of: ClassOf { codes: data.classes(), starts: &data.class_starts()[1..k.max(1)] },
            total_weight: sum.value(weights.unit()),
            near: near(data, setting, rows, weights),
            pairs: (setting.criterion.info().evidence == EvidenceKind::Pairs)
                .then(|| PairContext::new(weights, rows, data.len())),
            sizes: (setting.criterion.info().evidence == EvidenceKind::Rows).then(|| {
                let weight = |r: u32| weights.of(r).value(weights.unit());
                Sizes::new(data, rows.rows(), &weight, &Control::new(1))
            }),
        }
    }

    /// How the nominal column at a place among them is split.
    pub fn splits(&self, nominal: usize) -> NominalSplits {
        let columns = &self.nominal;
        let levels = columns.layout.arity(nominal) - usize::from(columns.missing[nominal]);
        self.setting.nominal_splits.of(levels)
    }

    /// Codes fit a byte.
    pub fn narrow(data: &Dataset) -> bool {
        data.columns().iter().all(|c| match c {
            Column::Nominal(c) => c.levels() + usize::from(c.n_missing() > 0) <= 256,
            Column::Numeric(_) => true,
        })
    }

    /// Where a feature is found.
    pub fn place(&self, feature: u32) -> Place {
        match self.nominal.features.binary_search(&feature) {
            Ok(i) => Place::Nominal(i),
            Err(_) => Place::Numeric(self.numeric.partition_point(|f| f.feature < feature)),
        }
    }

    /// Class sums of entries of an order. Rows are sorted by class, so that rows which count once
    /// are counted by comparison with the first row of each class.
    pub fn sums_of(&self, entries: &[u32]) -> Vec<W::Sum> {
        let starts = self.class_of.starts;
        if !W::UNIT || starts.len() >= FEW_CLASSES || self.data.n_classes() == 0 {
            return self.sums(entries.iter().map(|&e| entry_row(e)));
        }
        let mut sums = Vec::with_capacity(3 * (starts.len() + 1));
        let mut from_here = entries.len() as u32;
        for &start in starts {
            let later = entries.iter().map(|&e| u32::from(entry_row(e) >= start)).sum();
            sums.push(W::Sum::from_rows(from_here - later));
            from_here = later;
        }
        sums.push(W::Sum::from_rows(from_here));
        sums
    }

    /// Class sums of rows.
    pub fn sums(&self, rows: impl Iterator<Item = u32>) -> Vec<W::Sum> {
        let mut sums = vec![W::Sum::default(); self.data.n_classes()];
        for row in rows {
            let c = self.class_of.codes[row as usize] as usize;
            sums[c] = sums[c].plus(self.weights.of(row));
        }
        sums
    }
}

/// What neighbours need of the rows of the root, where they are the evidence.
pub(super) fn near<'a, W: Weighing>(
    data: &'a Dataset,
    setting: &Setting<'a>,
    rows: &RowSet,
    weights: W,
) -> Option<Root<'a>> {
    if setting.criterion.info().evidence != EvidenceKind::Neighbours {
        return None;
    }
    let value = |r: u32| weights.of(r).value(weights.unit());
    let weight: Option<&dyn Fn(u32) -> f64> = if W::UNIT { None } else { Some(&value) };
    Some(Root::new(data, setting.raw.unwrap_or(data), rows.rows(), weight))
}

/// Owned buffers of all rows of a tree.
#[derive(Debug)]
pub(super) struct RowBuffers<C> {
    orders: Vec<Vec<u32>>,
    codes: [Vec<C>; 2],
    classes: [Vec<u16>; 2],
    rows: [Vec<u32>; 2],
}

impl<C: Code> RowBuffers<C> {
    pub fn new<W: Weighing>(
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
            codes: [codes, vec![C::default(); n * width]],
            classes: [classes, vec![0; n]],
            rows: [ids, vec![0; n]],
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
pub(super) struct Cut<'p> {
    /// Where the feature is found.
    pub place: Place,
    /// Rows of each branch.
    pub sizes: &'p [u32],
    /// Branches that will be looked at again.
    pub keep: &'p [bool],
    /// Branch of each code of a nominal feature; empty where it is the code.
    pub branch_of: &'p [u16],
}

impl Cut<'_> {
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
    fn mark(&self, node: NodeRange, cut: &Cut<'_>, width: usize, spare: &mut PartitionScratch) {
        let range = node.start - self.base..node.start - self.base + node.len;
        // Two bits tell up to three branches apart.
        let branches = cut.sizes.len();
        let few = branches == 2 || branches == 3;
        if branches == 3 && spare.last.words().is_empty() {
            spare.last = Bits::new(spare.n);
        }
        match cut.place {
            Place::Numeric(split) => {
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
            Place::Nominal(column) => {
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
        cut: &Cut<'_>,
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
            if matches!(cut.place, Place::Numeric(split) if split == i) {
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

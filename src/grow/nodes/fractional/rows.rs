//! The rows of a node in parts.
//!
//! A node lists its rows, each at most once, with the weight of the part that arrived. Rows are
//! numbered within the node, so that classes, weights and codes lie side by side and small nodes
//! stay in the cache; a numeric feature brings the ascending order of those rows whose value is
//! known. Splitting copies: each child gets its own lists, a row without a value is copied into
//! every child that takes a part. O(rows x features) a node.

use super::context::FractionalContext;
use crate::criteria::SplitRule;
use crate::data::{Column, Dataset, MISSING, RowSet, entry_row, entry_tied, pack_entry};
use crate::simd::Level;
use crate::simd::columns::{LEFT_OUT, SLACK, renumbered};
use crate::split::c45::CLOSE;
use crate::stats::contingency::Code;
use crate::tree::NONE;

/// Rows of one node.
#[derive(Debug, Clone, Default)]
pub(super) struct FractionalRows<C> {
    /// Internal rows, ascending.
    pub rows: Vec<u32>,
    /// Their classes.
    pub classes: Vec<u16>,
    /// Weights of their parts, in units.
    pub weights: Vec<i64>,
    /// Every part is a whole row of weight 1.
    pub whole: bool,
    /// The orders, one after the other, and what is left of the room for them.
    orders: Vec<u32>,
    ends: Vec<usize>,
    /// Codes of the nominal features, row by row; the number of levels means "missing".
    pub codes: Vec<C>,
}

impl<C: Code> FractionalRows<C> {
    /// The training rows.
    pub fn new(base: &FractionalContext<'_>, rows: &RowSet) -> Self {
        let data = base.data;
        let mut parts = Self { whole: base.unit_weights, ..Self::default() };
        let mut local = vec![NONE; data.len()];
        for (i, &row) in rows.rows().iter().enumerate() {
            local[row as usize] = i as u32;
            parts.rows.push(row);
            parts.classes.push(data.classes()[row as usize]);
            parts.weights.push(base.weight(row));
        }
        for f in &base.numeric {
            let mut before = f64::NAN;
            for &entry in f.column.order() {
                let row = entry_row(entry);
                let value = f.column.value(row);
                if value.is_nan() {
                    break;
                }
                if local[row as usize] != NONE {
                    let tied = if base.rule == SplitRule::C45 {
                        before + CLOSE >= value
                    } else {
                        before == value
                    };
                    parts.orders.push(pack_entry(local[row as usize], tied));
                    before = value;
                }
            }
            parts.ends.push(parts.orders.len());
        }
        for &row in rows.rows() {
            parts.codes.extend(
                base.nominal.iter().map(|f| C::of(code_of(data, f.feature, row, f.levels))),
            );
        }
        parts
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The order of a numeric feature: entries of rows (within the node) with a known value.
    pub fn order(&self, numeric: usize) -> &[u32] {
        let start = if numeric == 0 { 0 } else { self.ends[numeric - 1] };
        &self.orders[start..self.ends[numeric]]
    }
}

fn code_of(data: &Dataset, feature: u32, row: u32, levels: u32) -> u32 {
    match &data.columns()[feature as usize] {
        Column::Nominal(c) => match c.code(row) {
            MISSING => levels,
            code => code,
        },
        Column::Numeric(_) => levels,
    }
}

/// Where the rows of a node go.
#[derive(Debug, Clone)]
pub(super) struct Division {
    /// Branch of each row; [`NONE`] for a row without a value.
    pub branch: Vec<u32>,
    /// Rows of the branches.
    pub sizes: Vec<u32>,
    /// Of each branch, the parts that it takes of the rows without a value, in their order; 0 for
    /// none.
    taken: Vec<i64>,
    /// Rows without a value.
    unknown: usize,
}

/// A branch takes parts when its share is larger than this, as in J48.
const LEAST_SHARE: f64 = 1e-6;

impl Division {
    /// Divide rows by their branches, whose class sums come beside.
    pub fn new<C: Code>(
        base: &FractionalContext<'_>,
        parts: &FractionalRows<C>,
        branch: Vec<u32>,
        branches: usize,
        classes: usize,
    ) -> (Self, Vec<i64>) {
        // Rows without a value are counted as one more branch: that is quicker than asking.
        let (mut sums, mut sizes) =
            (vec![0_i64; (branches + 1) * classes], vec![0_u32; branches + 1]);
        let mut rows_unknown = vec![0_u32; parts.len() + 1];
        let mut unknown = 0;
        let weighed = parts.classes.iter().zip(&parts.weights);
        for (i, (&b, (&class, &weight))) in branch.iter().zip(weighed).enumerate() {
            rows_unknown[unknown] = i as u32;
            unknown += usize::from(b == NONE);
            let b = (b as usize).min(branches);
            sums[b * classes + class as usize] += weight;
            sizes[b] += 1;
        }
        sums.truncate(branches * classes);
        sizes.truncate(branches);
        let known: Vec<f64> =
            sums.chunks_exact(classes.max(1)).map(|b| b.iter().sum::<i64>() as f64).collect();
        let whole: f64 = known.iter().sum();
        // Share of each branch in the rows without a value; 0 for branches that take none.
        let shares: Vec<f64> = known
            .iter()
            .map(|w| w / whole)
            .map(|s| if s > LEAST_SHARE { s } else { 0.0 })
            .collect();
        let mut taken = vec![0; branches * unknown];
        for (u, &i) in rows_unknown[..unknown].iter().enumerate() {
            let i = i as usize;
            let (class, copies) = (parts.classes[i] as usize, base.copies_of(parts.rows[i]));
            split_weight(&shares, parts.weights[i], copies, |b, part| {
                taken[b * unknown + u] = part;
                sums[b * classes + class] += part;
                sizes[b] += u32::from(part > 0);
            });
        }
        (Self { branch, sizes, taken, unknown }, sums)
    }

    /// Of each branch the rows that may go there: those that do, and those without a value;
    /// ascending.
    fn rows_of_branches(&self) -> Vec<Vec<u32>> {
        let mut lists = vec![Vec::new(); self.sizes.len()];
        for (i, &b) in self.branch.iter().enumerate() {
            match lists.get_mut(b as usize) {
                Some(list) => list.push(i as u32),
                None => lists.iter_mut().for_each(|list| list.push(i as u32)),
            }
        }
        lists
    }
}

/// So many branches are filled by a pass over all rows each.
const FEW_BRANCHES: usize = 4;

/// Parts of the weight of `copies` copies of a row by shares: none is lost, the last branch takes
/// what is left. Each copy is divided as it would be alone.
fn split_weight(shares: &[f64], weight: i64, copies: i64, mut take: impl FnMut(usize, i64)) {
    let one = if copies == 1 { weight } else { weight / copies };
    let mut left = one;
    let last = shares.iter().rposition(|&s| s > 0.0).unwrap_or(0);
    for (b, &share) in shares.iter().enumerate().filter(|(_, s)| **s > 0.0) {
        let part = if b == last { left } else { ((one as f64 * share) as i64).min(left) };
        left -= part;
        take(b, part * copies);
    }
}

/// The rows of the branches that are wanted.
pub(super) fn divide<C: Code>(
    base: &FractionalContext<'_>,
    parts: &FractionalRows<C>,
    division: &Division,
    wanted: &[bool],
) -> Vec<Option<FractionalRows<C>>> {
    let whole = parts.whole && division.unknown == 0;
    let few = wanted.len() <= FEW_BRANCHES;
    let lists = if few { Vec::new() } else { division.rows_of_branches() };
    let mut number = vec![LEFT_OUT; parts.len()];
    let mut child = |b: usize| {
        number.fill(LEFT_OUT);
        let mut child = match lists.get(b) {
            None => branch_of(parts, division, b, 0..parts.len(), &mut number),
            Some(rows) => {
                branch_of(parts, division, b, rows.iter().map(|&i| i as usize), &mut number)
            }
        };
        child.whole = whole;
        let most: usize =
            (0..base.numeric.len()).map(|f| parts.order(f).len().min(child.len())).sum();
        child.orders.resize(most + SLACK, 0);
        child.ends.reserve_exact(base.numeric.len());
        for f in 0..base.numeric.len() {
            append_order(base, f, parts.order(f), &number, &mut child);
        }
        child
    };
    wanted.iter().enumerate().map(|(b, &w)| w.then(|| child(b))).collect()
}

/// The rows of one branch without their orders; all of them are `among` these. `number` gets their
/// numbers in it.
fn branch_of<C: Code>(
    parts: &FractionalRows<C>,
    division: &Division,
    b: usize,
    among: impl Iterator<Item = usize>,
    number: &mut [u32],
) -> FractionalRows<C> {
    let size = division.sizes[b] as usize;
    // One place more: what does not go there is written, and written over.
    let mut rows = vec![0; size + 1];
    let (mut classes, mut weights) = (vec![0; size + 1], vec![0; size + 1]);
    // And one part more, for the rows behind the last that lacks a value.
    let mut taken = Vec::with_capacity(division.unknown + 1);
    taken.extend_from_slice(&division.taken[b * division.unknown..(b + 1) * division.unknown]);
    taken.push(0);
    let (mut at, mut u) = (0, 0);
    for i in among {
        let branch = division.branch[i];
        let is_unknown = branch == NONE;
        let part = taken[u];
        let goes = (branch as usize == b) | (is_unknown & (part > 0));
        rows[at] = parts.rows[i];
        classes[at] = parts.classes[i];
        weights[at] = if is_unknown { part } else { parts.weights[i] };
        number[i] = if goes { at as u32 } else { LEFT_OUT };
        at += usize::from(goes);
        u += usize::from(is_unknown);
    }
    rows.truncate(size);
    classes.truncate(size);
    weights.truncate(size);
    let mut codes = Vec::new();
    if !parts.codes.is_empty() {
        let width = parts.codes.len() / parts.len();
        codes.reserve_exact(size * width);
        let coded = number.iter().zip(parts.codes.chunks_exact(width));
        coded.filter(|(n, _)| **n != LEFT_OUT).for_each(|(_, own)| codes.extend_from_slice(own));
    }
    FractionalRows { rows, classes, weights, codes, ..FractionalRows::default() }
}

/// Add the order of one feature to those of a child, whose rows have the given numbers and whose
/// orders have room.
fn append_order<C: Code>(
    base: &FractionalContext<'_>,
    feature: usize,
    order: &[u32],
    number: &[u32],
    child: &mut FractionalRows<C>,
) {
    let start = child.ends.last().copied().unwrap_or(0);
    let out = &mut child.orders[start..];
    let held = renumbered(Level::active(), order, number, out);
    // Only among values closer than any cut may the distance of two that were not neighbours
    // matter.
    if base.rule == SplitRule::C45 && base.numeric[feature].close {
        let value = |e: u32| base.numeric[feature].column.value(child.rows[entry_row(e) as usize]);
        for i in 1..held {
            if entry_tied(out[i]) == 1 && value(out[i - 1]) + CLOSE < value(out[i]) {
                out[i] &= !1;
            }
        }
    }
    child.ends.push(start + held);
}

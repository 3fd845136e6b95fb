//! The rows of a node in parts.
//!
//! A node lists its rows, each at most once, with the weight of the part that arrived. Rows are numbered within the node, so that
//! classes, weights and codes lie side by side and small nodes stay in the cache; a numeric feature brings the ascending
//! order of those rows whose value is known. Splitting copies: each child gets its own lists, a row without a value is copied
//! into every child that takes a part. O(rows x features) a node.

use super::base::Base;
use crate::data::{Column, Dataset, MISSING, RowSet, entry_row, entry_tied, pack_entry};
use crate::simd::Level;
use crate::simd::columns::{LEFT_OUT, SLACK, renumbered};
use crate::split::c45::CLOSE;
use crate::stats::contingency::Code;
use crate::tree::NONE;

/// Rows of one node.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts<C> {
    /// Internal rows, ascending.
    pub rows: Vec<u32>,
    /// Their classes.
    pub classes: Vec<u16>,
    /// Weights of their parts, in units.
    pub weights: Vec<i64>,
    /// Every part is a whole row of weight 1.
    pub whole: bool,
    orders: Vec<u32>,
    ends: Vec<usize>,
    /// Codes of the nominal features, row by row; the number of levels means "missing".
    pub codes: Vec<C>,
}

impl<C: Code> Parts<C> {
    /// The training rows.
    pub fn new(base: &Base<'_>, rows: &RowSet) -> Self {
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
                    let tied = if base.c45 { before + CLOSE >= value } else { before == value };
                    parts.orders.push(pack_entry(local[row as usize], tied));
                    before = value;
                }
            }
            parts.ends.push(parts.orders.len());
        }
        for &row in rows.rows() {
            parts.codes.extend(base.nominal.iter().map(|f| C::of(code_of(data, f.feature, row, f.levels))));
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
    /// Share of each branch in the rows without a value; 0 for branches that take none.
    pub shares: Vec<f64>,
    /// Class sums of the branches.
    pub sums: Vec<i64>,
    /// Rows of the branches.
    pub sizes: Vec<u32>,
}

/// A branch takes parts when its share is larger than this, as in J48.
const LEAST_SHARE: f64 = 1e-6;

impl Division {
    /// Divide rows by their branches.
    pub fn new<C: Code>(
        base: &Base<'_>,
        parts: &Parts<C>,
        branch: Vec<u32>,
        branches: usize,
        classes: usize,
    ) -> Self {
        let (mut sums, mut sizes) = (vec![0_i64; branches * classes], vec![0_u32; branches]);
        let mut unknown = Vec::new();
        for (i, ((&b, &class), &weight)) in branch.iter().zip(&parts.classes).zip(&parts.weights).enumerate()
        {
            if b == NONE {
                unknown.push(i);
            } else {
                sums[b as usize * classes + class as usize] += weight;
                sizes[b as usize] += 1;
            }
        }
        let known: Vec<f64> =
            sums.chunks_exact(classes.max(1)).map(|b| b.iter().sum::<i64>() as f64).collect();
        let whole: f64 = known.iter().sum();
        let shares: Vec<f64> =
            known.iter().map(|w| w / whole).map(|s| if s > LEAST_SHARE { s } else { 0.0 }).collect();
        for i in unknown {
            let (class, copies) = (parts.classes[i] as usize, base.copies_of(parts.rows[i]));
            split_weight(&shares, parts.weights[i], copies, |b, part| {
                sums[b * classes + class] += part;
                sizes[b] += 1;
            });
        }
        Self { branch, shares, sums, sizes }
    }
}

/// Parts of the weight of so many copies of a row by shares: none is lost, the last branch takes what is left; parts of nothing
/// are not told. Each copy is divided as it would be alone.
fn split_weight(shares: &[f64], weight: i64, copies: i64, mut take: impl FnMut(usize, i64)) {
    let one = if copies == 1 { weight } else { weight / copies };
    let mut left = one;
    let last = shares.iter().rposition(|&s| s > 0.0).unwrap_or(0);
    for (b, &share) in shares.iter().enumerate().filter(|(_, s)| **s > 0.0) {
        let part = if b == last { left } else { ((one as f64 * share) as i64).min(left) };
        left -= part;
        if part > 0 {
            take(b, part * copies);
        }
    }
}

/// The rows of the branches that are wanted.
pub(super) fn divide<C: Code>(
    base: &Base<'_>,
    parts: &Parts<C>,
    division: &Division,
    wanted: &[bool],
) -> Vec<Option<Parts<C>>> {
    let width = base.nominal.len();
    let whole = parts.whole && !division.branch.contains(&NONE);
    let mut children: Vec<Option<Parts<C>>> = wanted
        .iter()
        .zip(&division.sizes)
        .map(|(&w, &size)| {
            w.then(|| Parts {
                rows: Vec::with_capacity(size as usize),
                classes: Vec::with_capacity(size as usize),
                weights: Vec::with_capacity(size as usize),
                whole,
                codes: Vec::with_capacity(size as usize * width),
                ..Parts::default()
            })
        })
        .collect();
    let targets: Vec<usize> = (0..wanted.len()).filter(|&b| wanted[b]).collect();
    if targets.is_empty() {
        return children;
    }
    // Number of each row in each wanted branch.
    let n = parts.len();
    let mut number = vec![LEFT_OUT; n * targets.len()];
    let mut slot = vec![usize::MAX; wanted.len()];
    targets.iter().enumerate().for_each(|(j, &b)| slot[b] = j);
    let mut give = |i: usize, b: usize, weight: i64| {
        if let Some(child) = &mut children[b] {
            number[slot[b] * n + i] = child.rows.len() as u32;
            child.rows.push(parts.rows[i]);
            child.classes.push(parts.classes[i]);
            child.weights.push(weight);
            child.codes.extend_from_slice(&parts.codes[i * width..(i + 1) * width]);
        }
    };
    for i in 0..parts.len() {
        match division.branch[i] {
            NONE => {
                let copies = base.copies_of(parts.rows[i]);
                split_weight(&division.shares, parts.weights[i], copies, |b, part| give(i, b, part));
            }
            b => give(i, b as usize, parts.weights[i]),
        }
    }
    let known: usize = (0..base.numeric.len()).map(|f| parts.order(f).len()).sum();
    for (&b, number) in targets.iter().zip(number.chunks_exact(n.max(1))) {
        if let Some(child) = &mut children[b] {
            child.orders.reserve(known.min(child.rows.len() * base.numeric.len()) + SLACK);
            for f in 0..base.numeric.len() {
                append_order(base, f, parts.order(f), number, child);
            }
        }
    }
    children
}

/// Append the order of one feature to those of a child, whose rows have the given numbers.
fn append_order<C: Code>(
    base: &Base<'_>,
    feature: usize,
    order: &[u32],
    number: &[u32],
    child: &mut Parts<C>,
) {
    let start = child.orders.len();
    let most = order.len().min(child.rows.len());
    child.orders.resize(start + most + SLACK, 0);
    let out = &mut child.orders[start..];
    let held = renumbered(Level::active(), order, number, out);
    // Only among values closer than any cut may the distance of two that were not neighbours matter.
    if base.c45 && base.numeric[feature].close {
        let value = |e: u32| base.numeric[feature].column.value(child.rows[entry_row(e) as usize]);
        for i in 1..held {
            if entry_tied(out[i]) == 1 && value(out[i - 1]) + CLOSE < value(out[i]) {
                out[i] &= !1;
            }
        }
    }
    child.orders.truncate(start + held);
    child.ends.push(start + held);
}

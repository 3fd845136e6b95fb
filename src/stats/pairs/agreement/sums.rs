//! Sums over groups of rows for every feature: how many ordered pairs of a group share value,
//! class, both or nothing.
//!
//! With N rows of a value and class in a group, M of the class, V of the value and T in all,
//! [`PairSums`] adds `N^2`, `V^2`, `N M` and `V T` up by value. Tables of (group, class, value)
//! serve where they are small beside the rows, several features at once through packs; else rows
//! are ordered by group, groups of one row left out, and a small table is filled and emptied group
//! by group. The cheaper is taken by a cost model: both give the same whole numbers.

use super::super::input::CodeValues;
use super::rows::{Pack, RowTable};
use crate::error::Result;
use crate::parallel::Control;

/// Ordered pairs within groups by value of i: same value and class, same value, same class, all.
pub(super) type PairSums = [u64; 4];

/// Rows in groups.
pub(super) struct GroupNumbers {
    /// Group of each row; numbers may have gaps.
    pub of: Vec<u32>,
    pub size: usize,
}

/// Groups as tables and as an order of the rows.
pub(super) struct GroupedRows<'t> {
    table: &'t RowTable<'t>,
    groups: GroupNumbers,
    /// `group * classes + class` of each row, and the weight of each of them; empty where that
    /// table would be too large.
    base: Vec<u32>,
    by_class: Vec<u32>,
    totals: Vec<u32>,
    ordered: Option<OrderedRows>,
}

/// Rows by group, only those of groups with two or more.
struct OrderedRows {
    rows: Vec<u32>,
    /// Where groups begin, and the number of rows.
    starts: Vec<u32>,
    class: Vec<u16>,
    /// Weight of the row, of its class in the group, of the group.
    weight: Vec<u32>,
    of_class: Vec<u32>,
    of_group: Vec<u32>,
}

impl<'t> GroupedRows<'t> {
    pub fn new(table: &'t RowTable<'t>, groups: GroupNumbers) -> Self {
        let classes = table.n_classes;
        let mut totals = vec![0u32; groups.size];
        for (i, &g) in groups.of.iter().enumerate() {
            totals[g as usize] += table.weight(i);
        }
        let (mut base, mut by_class) = (Vec::new(), Vec::new());
        if groups.size * classes <= table.len() {
            base = groups
                .of
                .iter()
                .zip(table.classes.iter())
                .map(|(&g, &c)| g * classes as u32 + u32::from(c))
                .collect();
            by_class = vec![0u32; groups.size * classes];
            for (i, &b) in base.iter().enumerate() {
                by_class[b as usize] += table.weight(i);
            }
        }
        Self { table, groups, base, by_class, totals, ordered: None }
    }

    /// Sums of all slots (feature, value).
    pub fn sums(&mut self, control: &Control) -> Result<Vec<PairSums>> {
        let table = self.table;
        let mut out = vec![[0u64; 4]; table.of_slot.len()];
        let mut done = vec![false; table.columns.len()];
        let t = table.len() as f64;
        let cells = (self.groups.size * table.n_classes) as f64;
        let reach = |entries: f64| if entries > 262_144.0 { 3.0 } else { 1.0 };
        let single = |levels: usize| {
            let entries = cells * levels as f64;
            t * reach(entries) + 2.0 * entries
        };
        let walked = 6.0 * t;
        if !self.base.is_empty() {
            for pack in table.packs.iter().flatten() {
                if done[pack.features.start] || done[pack.features.end - 1] {
                    continue;
                }
                let entries = cells * pack.arity as f64;
                let alone: f64 =
                    pack.features.clone().map(|k| single(table.levels[k]).min(walked)).sum();
                let margins: f64 =
                    pack.features.clone().map(|k| 2.0 * cells * table.levels[k] as f64).sum();
                if t * reach(entries) + 2.0 * entries + margins < alone {
                    control.check()?;
                    self.packed(pack, &mut out);
                    done[pack.features.clone()].fill(true);
                }
            }
        }
        for k in (0..table.columns.len()).filter(|&k| !done[k]) {
            control.check()?;
            let slots = &mut out[table.offsets[k]..table.offsets[k + 1]];
            if !self.base.is_empty() && single(table.levels[k]) < walked {
                let counted = self.count(table.columns[k].values(), table.levels[k]);
                self.scan(&counted, table.levels[k], slots);
            } else {
                let ordered = self
                    .ordered
                    .get_or_insert_with(|| OrderedRows::new(table, &self.groups, &self.totals));
                match table.columns[k].values() {
                    CodeValues::U8(c) => ordered.walk(c, table.n_classes, slots),
                    CodeValues::U16(c) => ordered.walk(c, table.n_classes, slots),
                }
                self.alone(k, slots);
            }
        }
        Ok(out)
    }

    /// Weights by (group, class, code).
    fn count(&self, codes: CodeValues<'_>, arity: usize) -> Vec<u32> {
        let mut counts = vec![0u32; self.by_class.len() * arity];
        match codes {
            CodeValues::U8(c) => {
                tally(&mut counts, &self.base, c, arity, self.table.weights.as_deref())
            }
            CodeValues::U16(c) => {
                tally(&mut counts, &self.base, c, arity, self.table.weights.as_deref())
            }
        }
        counts
    }

    /// Sums of one feature from its table.
    fn scan(&self, counts: &[u32], levels: usize, out: &mut [PairSums]) {
        let classes = self.table.n_classes;
        let mut of_value = vec![0u64; levels];
        for (g, group) in counts.chunks_exact(classes * levels).enumerate() {
            let total = u64::from(self.totals[g]);
            if total == 0 {
                continue;
            }
            of_value.fill(0);
            for (class, row) in group.chunks_exact(levels).enumerate() {
                let of_class = u64::from(self.by_class[g * classes + class]);
                if of_class == 0 {
                    continue;
                }
                for ((&n, value), sums) in row.iter().zip(&mut of_value).zip(out.iter_mut()) {
                    let n = u64::from(n);
                    *value += n;
                    sums[0] += n * n;
                    sums[2] += n * of_class;
                }
            }
            for (&value, sums) in of_value.iter().zip(out.iter_mut()) {
                sums[1] += value * value;
                sums[3] += value * total;
            }
        }
    }

    /// Sums of all features of a pack: its table, margins of the fastest digit one after the other.
    fn packed(&self, pack: &Pack, out: &mut [PairSums]) {
        let mut counts = self.count(CodeValues::U8(&pack.codes), pack.arity);
        let mut arity = pack.arity;
        for k in pack.features.clone() {
            let levels = self.table.levels[k];
            let higher = arity / levels;
            let mut own = vec![0u32; self.by_class.len() * levels];
            let mut rest = vec![0u32; self.by_class.len() * higher];
            let cells = counts.chunks_exact(arity).zip(own.chunks_exact_mut(levels));
            for ((cell, own), rest) in cells.zip(rest.chunks_exact_mut(higher)) {
                for (digits, rest) in cell.chunks_exact(levels).zip(rest) {
                    let mut sum = 0;
                    for (&n, own) in digits.iter().zip(own.iter_mut()) {
                        *own += n;
                        sum += n;
                    }
                    *rest = sum;
                }
            }
            self.scan(&own, levels, &mut out[self.table.offsets[k]..self.table.offsets[k + 1]]);
            (counts, arity) = (rest, higher);
        }
    }

    /// What rows alone in their group add: pairs with their own copies.
    fn alone(&self, k: usize, out: &mut [PairSums]) {
        let Some(ordered) = &self.ordered else { return };
        if ordered.rows.len() == self.table.len() {
            return;
        }
        let values = self.table.columns[k].values();
        for (i, &g) in self.groups.of.iter().enumerate() {
            let w = self.table.weight(i);
            if self.totals[g as usize] == w {
                let square = u64::from(w) * u64::from(w);
                out[values.code(i)].iter_mut().for_each(|s| *s += square);
            }
        }
    }
}

fn tally<T: Copy + Into<u32>>(
    counts: &mut [u32],
    base: &[u32],
    codes: &[T],
    arity: usize,
    weights: Option<&[u32]>,
) {
    let arity = arity as u32;
    let rows = base.iter().zip(codes);
    match weights {
        None => rows.for_each(|(&b, &v)| counts[(b * arity + v.into()) as usize] += 1),
        Some(w) => {
            rows.zip(w).for_each(|((&b, &v), &w)| counts[(b * arity + v.into()) as usize] += w);
        }
    }
}

impl OrderedRows {
    fn new(table: &RowTable<'_>, groups: &GroupNumbers, totals: &[u32]) -> Self {
        // a group whose weight is that of one of its rows has no other
        let several = |i: usize| totals[groups.of[i] as usize] != table.weight(i);
        let mut at = vec![0u32; groups.size + 1];
        for (i, &g) in groups.of.iter().enumerate() {
            at[g as usize + 1] += u32::from(several(i));
        }
        for g in 0..groups.size {
            at[g + 1] += at[g];
        }
        let mut starts: Vec<u32> = at.clone();
        starts.dedup();
        let n = starts[starts.len() - 1] as usize;
        let mut rows = vec![0u32; n];
        for (i, &g) in groups.of.iter().enumerate() {
            if several(i) {
                rows[at[g as usize] as usize] = i as u32;
                at[g as usize] += 1;
            }
        }
        let class: Vec<u16> = rows.iter().map(|&r| table.classes[r as usize]).collect();
        let weight: Vec<u32> = rows.iter().map(|&r| table.weight(r as usize)).collect();
        let of_group = rows.iter().map(|&r| totals[groups.of[r as usize] as usize]).collect();
        let mut of_class = vec![0u32; n];
        let mut sums = vec![0u32; table.n_classes];
        for span in starts.windows(2).map(|w| w[0] as usize..w[1] as usize) {
            span.clone().for_each(|i| sums[usize::from(class[i])] += weight[i]);
            span.clone().for_each(|i| of_class[i] = sums[usize::from(class[i])]);
            span.for_each(|i| sums[usize::from(class[i])] = 0);
        }
        Self { rows, starts, class, weight, of_class, of_group }
    }

    /// Sums of one feature over groups of two and more rows: squares grow by `w (2 n + w)` as a row
    /// comes.
    fn walk<T: Copy + Into<u32>>(&self, codes: &[T], classes: usize, out: &mut [PairSums]) {
        // Rows of a group lie anywhere: their codes are fetched by a loop that waits for none.
        let codes: Vec<T> = self.rows.iter().map(|&row| codes[row as usize]).collect();
        let mut cells = vec![0u32; out.len() * classes];
        let mut values = vec![0u32; out.len()];
        let square = |n: u32, w: u64| w * (2 * u64::from(n) + w);
        for span in self.starts.windows(2).map(|w| w[0] as usize..w[1] as usize) {
            for i in span.clone() {
                let v = codes[i].into() as usize;
                let (n, w) = (
                    &mut cells[v * classes + usize::from(self.class[i])],
                    u64::from(self.weight[i]),
                );
                let sums = &mut out[v];
                sums[0] += square(*n, w);
                sums[1] += square(values[v], w);
                sums[2] += w * u64::from(self.of_class[i]);
                sums[3] += w * u64::from(self.of_group[i]);
                *n += self.weight[i];
                values[v] += self.weight[i];
            }
            for i in span {
                let v = codes[i].into() as usize;
                cells[v * classes + usize::from(self.class[i])] = 0;
                values[v] = 0;
            }
        }
    }
}

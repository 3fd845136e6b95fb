//! Sums over groups of rows for every feature: how many ordered pairs within a group share the
//! value, the class, both, or neither.
//!
//! With N rows of a value and class in a group, M of the class, V of the value and T in all,
//! [`PairSums`] adds up `N^2`, `V^2`, `N M` and `V T` per value. There are two methods. The first
//! counts a table `[group][class][value]`, for several features at once by a pack; it is used where
//! the table is small compared with the rows. The second orders the rows by group, and leaves out
//! groups of one row. It adds the pairs of different rows, group by group in a table
//! `[value][class]`, to the pairs of rows with their own copies. A cost model chooses per feature;
//! both give the same integers.

use super::super::input::CodeValues;
use super::rows::{Pack, RowTable};
use crate::error::Result;
use crate::parallel::Control;
use crate::stats::groups::GroupNumbers;
use std::ops::Range;

/// Ordered pairs (i, j) within groups, for one value of i.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PairSums {
    /// Pairs with the same value and class.
    pub both: u64,
    /// Pairs with the same value.
    pub value: u64,
    /// Pairs with the same class.
    pub class: u64,
    /// All pairs.
    pub all: u64,
}

/// Rows in groups, prepared for both methods.
pub(super) struct GroupedRows<'t> {
    table: &'t RowTable<'t>,
    pub groups: GroupNumbers,
    /// `group * classes + class` of each row; empty if there are more of these than rows.
    group_class: Vec<u32>,
    /// Weight by `group * classes + class`; empty as `group_class` is.
    pub class_totals: Vec<u32>,
    /// Weight of each group.
    pub totals: Vec<u32>,
    /// Made when the second method is first used.
    ordered: Option<OrderedRows>,
}

/// The rows ordered by group, without groups of one row.
struct OrderedRows {
    rows: Vec<u32>,
    /// First row of each group, followed by the number of rows.
    starts: Vec<u32>,
    class: Vec<u16>,
    /// Weight of each row.
    weight: Vec<u32>,
    /// Weight of the other rows of the row's class in its group.
    of_class: Vec<u32>,
    /// Weight of the other rows of the row's group.
    of_group: Vec<u32>,
}

/// Costs of the methods for one grouping; the unit is an increment of a table in the cache.
struct GroupingCosts {
    rows: f64,
    /// (group, class) pairs.
    cells: f64,
}

impl GroupingCosts {
    /// Counters that fit the second-level cache; beyond it an increment costs three times as much.
    const CACHED: f64 = 262_144.0;

    /// Counting into a table of `codes` codes, and reading it.
    fn table(&self, codes: usize) -> f64 {
        let entries = self.cells * codes as f64;
        let increment = if entries > Self::CACHED { 3.0 } else { 1.0 };
        self.rows * increment + 2.0 * entries
    }

    /// Summing the table of a pack to the table of one feature with `levels` values.
    fn margin(&self, levels: usize) -> f64 {
        2.0 * self.cells * levels as f64
    }

    /// Counting group by group.
    fn ordered(&self) -> f64 {
        6.0 * self.rows
    }
}

impl<'t> GroupedRows<'t> {
    /// Prepare rows in the given groups. The weights of the groups are added up here; the weights
    /// by class are kept only if there are no more (group, class) pairs than rows, since tables
    /// would not pay otherwise.
    pub fn new(table: &'t RowTable<'t>, groups: GroupNumbers) -> Self {
        let classes = table.n_classes;
        let (mut group_class, mut class_totals) = (Vec::new(), Vec::new());
        let mut totals = vec![0u32; groups.size];
        if groups.size * classes <= table.len() {
            group_class = groups
                .of_row
                .iter()
                .zip(table.classes.iter())
                .map(|(&g, &c)| g * classes as u32 + u32::from(c))
                .collect();
            class_totals = vec![0u32; groups.size * classes];
            for (i, &cell) in group_class.iter().enumerate() {
                class_totals[cell as usize] += table.weight(i);
            }
            let of_groups = class_totals.chunks_exact(classes.max(1));
            totals.iter_mut().zip(of_groups).for_each(|(to, of)| *to = of.iter().sum());
        } else {
            for (i, &g) in groups.of_row.iter().enumerate() {
                totals[g as usize] += table.weight(i);
            }
        }
        Self { table, groups, group_class, class_totals, totals, ordered: None }
    }

    /// Sums by slot (feature, value), of all features of the table. Packs come first where they are
    /// cheaper than their features one by one.
    pub fn sums(&mut self, control: &Control) -> Result<Vec<PairSums>> {
        let table = self.table;
        let mut out = vec![PairSums::default(); table.of_slot.len()];
        let mut done = vec![false; table.columns.len()];
        let costs = GroupingCosts {
            rows: table.len() as f64,
            cells: (self.groups.size * table.n_classes) as f64,
        };
        let has_tables = !self.group_class.is_empty();
        // Packs that are cheaper than their features one by one, large packs first.
        if has_tables {
            for pack in table.packs.iter().flatten() {
                if done[pack.features.start] || done[pack.features.end - 1] {
                    continue;
                }
                let levels = &table.levels[pack.features.clone()];
                let single: f64 =
                    levels.iter().map(|&levels| costs.table(levels).min(costs.ordered())).sum();
                let margins: f64 = levels.iter().map(|&levels| costs.margin(levels)).sum();
                if costs.table(pack.arity) + margins < single {
                    control.check()?;
                    self.sum_pack(pack, &mut out);
                    done[pack.features.clone()].fill(true);
                }
            }
        }
        // The other features, each by the cheaper method.
        for k in (0..table.columns.len()).filter(|&k| !done[k]) {
            control.check()?;
            let slots = &mut out[table.offsets[k]..table.offsets[k + 1]];
            if has_tables && costs.table(table.levels[k]) < costs.ordered() {
                let counts = self.count(table.columns[k].values(), table.levels[k]);
                self.sum_table(&counts, table.levels[k], slots);
            } else {
                let ordered = self
                    .ordered
                    .get_or_insert_with(|| OrderedRows::new(table, &self.groups, &self.totals));
                let squares = &table.squares[table.offsets[k]..table.offsets[k + 1]];
                let own = |&n: &u64| PairSums { both: n, value: n, class: n, all: n };
                slots.iter_mut().zip(squares).for_each(|(slot, n)| *slot = own(n));
                match table.columns[k].values() {
                    CodeValues::U8(c) => ordered.sum_groups(c, table.n_classes, slots),
                    CodeValues::U16(c) => ordered.sum_groups(c, table.n_classes, slots),
                }
            }
        }
        Ok(out)
    }

    /// Weight of the rows by group, class and code, `[group][class][code]`.
    fn count(&self, codes: CodeValues<'_>, arity: usize) -> Vec<u32> {
        let mut counts = vec![0u32; self.class_totals.len() * arity];
        let weights = self.table.weights.as_deref();
        match codes {
            CodeValues::U8(c) => tally(&mut counts, &self.group_class, c, arity, weights),
            CodeValues::U16(c) => tally(&mut counts, &self.group_class, c, arity, weights),
        }
        counts
    }

    /// Add the sums of one feature from its table `[group][class][value]`.
    fn sum_table(&self, counts: &[u32], levels: usize, out: &mut [PairSums]) {
        let classes = self.table.n_classes;
        let mut of_value = vec![0u64; levels];
        for (g, group) in counts.chunks_exact(classes * levels).enumerate() {
            let total = u64::from(self.totals[g]);
            if total == 0 {
                continue;
            }
            of_value.fill(0);
            for (class, by_value) in group.chunks_exact(levels).enumerate() {
                let of_class = u64::from(self.class_totals[g * classes + class]);
                if of_class == 0 {
                    continue;
                }
                for ((&n, value), sums) in by_value.iter().zip(&mut of_value).zip(out.iter_mut()) {
                    let n = u64::from(n);
                    *value += n;
                    sums.both += n * n;
                    sums.class += n * of_class;
                }
            }
            for (&value, sums) in of_value.iter().zip(out.iter_mut()) {
                sums.value += value * value;
                sums.all += value * total;
            }
        }
    }

    /// Add the sums of all features of a pack.
    ///
    /// The table of the pack is summed to two tables: one for its lowest digit, which is a feature,
    /// and one for the higher digits. The next feature goes on with the second table.
    fn sum_pack(&self, pack: &Pack, out: &mut [PairSums]) {
        let mut counts = self.count(CodeValues::U8(&pack.codes), pack.arity);
        let mut arity = pack.arity;
        for k in pack.features.clone() {
            let levels = self.table.levels[k];
            let higher = arity / levels;
            let mut own = vec![0u32; self.class_totals.len() * levels];
            let mut rest = vec![0u32; self.class_totals.len() * higher];
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
            let slots = self.table.offsets[k]..self.table.offsets[k + 1];
            self.sum_table(&own, levels, &mut out[slots]);
            (counts, arity) = (rest, higher);
        }
    }
}

/// Add the weight of each row to `counts[group_class * arity + code]`.
fn tally<T: Copy + Into<u32>>(
    counts: &mut [u32],
    group_class: &[u32],
    codes: &[T],
    arity: usize,
    weights: Option<&[u32]>,
) {
    let arity = arity as u32;
    let rows = group_class.iter().zip(codes);
    match weights {
        None => rows.for_each(|(&g, &v)| counts[(g * arity + v.into()) as usize] += 1),
        Some(w) => {
            rows.zip(w).for_each(|((&g, &v), &w)| counts[(g * arity + v.into()) as usize] += w);
        }
    }
}

impl OrderedRows {
    fn new(table: &RowTable<'_>, groups: &GroupNumbers, totals: &[u32]) -> Self {
        // Counting sort by group; a row that has the weight of its group is alone there.
        let in_company = |i: usize| totals[groups.of_row[i] as usize] != table.weight(i);
        let mut next = vec![0u32; groups.size + 1];
        for (i, &g) in groups.of_row.iter().enumerate() {
            next[g as usize + 1] += u32::from(in_company(i));
        }
        for g in 0..groups.size {
            next[g + 1] += next[g];
        }
        let mut starts: Vec<u32> = next.clone();
        starts.dedup();
        let n = starts[starts.len() - 1] as usize;
        let mut rows = vec![0u32; n];
        for (i, &g) in groups.of_row.iter().enumerate() {
            if in_company(i) {
                rows[next[g as usize] as usize] = i as u32;
                next[g as usize] += 1;
            }
        }
        // What is the same for all features, in the order of the rows.
        let class: Vec<u16> = rows.iter().map(|&r| table.classes[r as usize]).collect();
        let weight: Vec<u32> = rows.iter().map(|&r| table.weight(r as usize)).collect();
        let others =
            |&r: &u32| totals[groups.of_row[r as usize] as usize] - table.weight(r as usize);
        let of_group = rows.iter().map(others).collect();
        let mut of_class = vec![0u32; n];
        let mut sums = vec![0u32; table.n_classes];
        for group in group_ranges(&starts) {
            group.clone().for_each(|i| sums[usize::from(class[i])] += weight[i]);
            group.clone().for_each(|i| of_class[i] = sums[usize::from(class[i])] - weight[i]);
            group.for_each(|i| sums[usize::from(class[i])] = 0);
        }
        Self { rows, starts, class, weight, of_class, of_group }
    }

    /// Add the pairs of different rows by the values of one feature. Rows that are alone in their
    /// group have none.
    fn sum_groups<T: Copy + Into<u32>>(&self, codes: &[T], classes: usize, out: &mut [PairSums]) {
        // The rows of a group are scattered: fetch their codes in a loop without dependencies.
        let codes: Vec<T> = self.rows.iter().map(|&row| codes[row as usize]).collect();
        let mut cells = vec![0u32; out.len() * classes];
        let mut values = vec![0u32; out.len()];
        for group in group_ranges(&self.starts) {
            for i in group.clone() {
                let v = codes[i].into() as usize;
                let (n, w) = (
                    &mut cells[v * classes + usize::from(self.class[i])],
                    u64::from(self.weight[i]),
                );
                let sums = &mut out[v];
                sums.both += 2 * w * u64::from(*n);
                sums.value += 2 * w * u64::from(values[v]);
                sums.class += w * u64::from(self.of_class[i]);
                sums.all += w * u64::from(self.of_group[i]);
                *n += self.weight[i];
                values[v] += self.weight[i];
            }
            // Clear the cells of this group only: there may be far more.
            for i in group {
                let v = codes[i].into() as usize;
                cells[v * classes + usize::from(self.class[i])] = 0;
                values[v] = 0;
            }
        }
    }
}

/// The positions of the rows of each group.
fn group_ranges(starts: &[u32]) -> impl Iterator<Item = Range<usize>> {
    starts.windows(2).map(|bounds| bounds[0] as usize..bounds[1] as usize)
}

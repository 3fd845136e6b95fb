//! The rows of a node in the order of every test column, for the search for optimal trees.
//!
//! A child's orders are filtered from those of its parent, so nothing is sorted again: O(rows of
//! the parent x columns). Behind each row of an order stands a *mark* that says which tests may
//! divide the rows there.

use super::ranked::{RankedRows, RankedTest, TestColumn};
use crate::error::Result;
use crate::parallel::Control;
use std::sync::OnceLock;

/// A test may divide the rows here: two values, both known.
pub(super) const ALLOWED: u8 = 1;
/// It may be better than its neighbours: not both values have rows of one and the same class.
pub(super) const NEEDED: u8 = 2;
/// The end of a bucket.
pub(super) const BUCKET: u8 = 4;

/// Buckets of a set of rows, about.
fn buckets(n: usize) -> usize {
    match n {
        4096.. => 200,
        1024.. => 100,
        _ => 50,
    }
}

/// One test column of a set.
#[derive(Debug)]
pub(super) struct SortedColumn {
    /// The rows by rank.
    pub(super) order: Vec<u32>,
    /// What may be divided behind each row.
    pub(super) marks: Vec<u8>,
    /// Distinct ranks. Threshold `i` is the test `rank < ranks[i]`.
    pub(super) ranks: Vec<u32>,
    /// Rows below each distinct rank.
    pub(super) below: Vec<u32>,
    /// Their weight; empty if all weights are 1.
    weight_below: Vec<f64>,
    /// The first and the last threshold that a tree may use; none if the first exceeds the last.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Number of buckets, and whether no place inside of them is needed.
    pub(super) buckets: usize,
    pub(super) exact: bool,
    /// Whether rows are missing values: those of the first or the last rank.
    pub(super) has_missing: bool,
    keys: OnceLock<BucketKeys>,
}

/// Bucket x classes + class of every row, in the order of the first column, and rows or weight by
/// key.
#[derive(Debug)]
pub(super) struct BucketKeys {
    pub(super) keys: Vec<u16>,
    pub(super) totals: Vec<u32>,
}

/// A set of rows.
#[derive(Debug)]
pub(super) struct SortedSet {
    pub(super) len: usize,
    /// Weight of each class.
    pub(super) counts: Vec<f64>,
    pub(super) weight: f64,
    pub(super) columns: Vec<SortedColumn>,
    /// The largest weight of missing values in a column.
    pub(super) missing: f64,
    /// The number of the set in [`super::known`].
    pub(super) hash: u128,
}

/// What the marks depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarkRule {
    /// Fewest rows of a leaf.
    pub(super) min_rows: u32,
    /// Whether the best test is never between two values of one class.
    pub(super) skips_runs: bool,
}

impl SortedSet {
    /// All rows.
    pub(super) fn all(rows: &RankedRows, rule: MarkRule, control: &Control) -> Result<Self> {
        let mut orders = Vec::with_capacity(rows.columns.len());
        for column in &rows.columns {
            control.check()?;
            let mut order = vec![0_u32; rows.len()];
            let mut starts = vec![0_u32; column.end as usize + 2];
            column.ranks.iter().for_each(|&rank| starts[rank as usize + 1] += 1);
            for i in 1..starts.len() {
                starts[i] += starts[i - 1];
            }
            for (row, &rank) in column.ranks.iter().enumerate() {
                order[starts[rank as usize] as usize] = row as u32;
                starts[rank as usize] += 1;
            }
            orders.push(order);
        }
        Self::of_orders(rows, orders, rule, control)
    }

    /// The `n` rows on one side of a test.
    pub(super) fn side(
        &self,
        rows: &RankedRows,
        test: RankedTest,
        is_right: bool,
        n: usize,
        rule: MarkRule,
        control: &Control,
    ) -> Result<Self> {
        let ranks = &rows.columns[test.column as usize].ranks;
        let mut orders = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            // Without a branch: every row is written, and the next place moves on if it stays.
            let mut order = vec![0_u32; n + 1];
            let mut next = 0;
            for &row in &column.order {
                order[next] = row;
                next += usize::from((ranks[row as usize] < test.below) != is_right);
            }
            order.truncate(n);
            orders.push(order);
        }
        control.check()?;
        Self::of_orders(rows, orders, rule, control)
    }

    /// The rows on one side of a test of this set.
    pub(super) fn one_side(
        &self,
        rows: &RankedRows,
        test: RankedTest,
        is_right: bool,
        rule: MarkRule,
        control: &Control,
    ) -> Result<Self> {
        let column = test.column as usize;
        let threshold = self.columns[column].ranks.partition_point(|&rank| rank < test.below);
        let left = self.rows_below(column, threshold);
        self.side(
            rows,
            test,
            is_right,
            if is_right { self.len - left } else { left },
            rule,
            control,
        )
    }

    fn of_orders(
        rows: &RankedRows,
        orders: Vec<Vec<u32>>,
        rule: MarkRule,
        control: &Control,
    ) -> Result<Self> {
        let mut counts = vec![0.0; rows.classes];
        let len = orders.first().map_or(0, Vec::len);
        for &row in orders.first().into_iter().flatten() {
            counts[usize::from(rows.class[row as usize])] += rows.weight(row);
        }
        let mut columns = Vec::with_capacity(orders.len());
        for (column, order) in orders.into_iter().enumerate() {
            if len >= 10_000 {
                control.check()?;
            }
            columns.push(SortedColumn::new(rows, column, order, rule));
        }
        let weight = counts.iter().sum::<f64>();
        let mut set = Self { len, counts, weight, columns, missing: 0.0, hash: 0 };
        for (g, column) in rows.columns.iter().enumerate() {
            if set.columns[g].has_missing {
                let last = set.columns[g].ranks.len() - 1;
                let missing = match column.missing_right {
                    true => weight - set.weight_below(g, last),
                    false => set.weight_below(g, 1),
                };
                set.missing = set.missing.max(missing);
            }
        }
        Ok(set)
    }

    /// Rows below a threshold; those of all thresholds are below the one behind the last.
    pub(super) fn rows_below(&self, column: usize, threshold: usize) -> usize {
        self.columns[column].below.get(threshold).map_or(self.len, |&n| n as usize)
    }

    /// Their weight.
    pub(super) fn weight_below(&self, column: usize, threshold: usize) -> f64 {
        let column = &self.columns[column];
        match column.weight_below.get(threshold) {
            Some(&weight) => weight,
            None if threshold >= column.below.len() => self.weight,
            None => f64::from(column.below[threshold]),
        }
    }

    /// The rows of a class as they stand in the buckets of a column.
    pub(super) fn keys(&self, rows: &RankedRows, column: usize) -> &BucketKeys {
        self.columns[column].keys.get_or_init(|| {
            let own = &self.columns[column];
            let mut by_row = vec![0_u16; rows.len()];
            let mut bucket = 0;
            for (&row, &mark) in own.order.iter().zip(&own.marks) {
                by_row[row as usize] = bucket + u16::from(rows.class[row as usize]);
                if mark & BUCKET != 0 {
                    bucket += rows.classes as u16;
                }
            }
            let mut totals = vec![0_u32; own.buckets * rows.classes];
            let mut keys = Vec::with_capacity(self.len);
            for &row in &self.columns[0].order {
                let key = by_row[row as usize];
                totals[usize::from(key)] += rows.weight(row) as u32;
                keys.push(key);
            }
            BucketKeys { keys, totals }
        })
    }
}

impl SortedColumn {
    fn new(rows: &RankedRows, column: usize, order: Vec<u32>, rule: MarkRule) -> Self {
        /// Of a value with rows of several classes.
        const MIXED: u8 = u8::MAX;
        let TestColumn { ranks: all, end, .. } = &rows.columns[column];
        let n = order.len();
        let (mut ranks, mut below, mut weight_below) = (Vec::new(), Vec::new(), Vec::new());
        let mut marks = vec![0; n];
        // Beside missing values no test ends a run, so all places are needed.
        let rank_of = |row: Option<&u32>| row.map(|&row| all[row as usize]);
        let has_missing = rank_of(order.first()) == Some(0) || rank_of(order.last()) == Some(*end);
        let skips_runs = rule.skips_runs && !has_missing;
        // The class of the value before, and of the present one.
        let (mut before, mut class, mut weight) = (MIXED, MIXED, 0.0);
        let mark = |from: u32, to: u32, before: u8, class: u8| {
            if from == 0 || to == *end {
                return 0;
            }
            let is_run = before == class && class != MIXED && skips_runs;
            ALLOWED | if is_run { 0 } else { NEEDED }
        };
        for (k, &row) in order.iter().enumerate() {
            let (rank, own) = (all[row as usize], rows.class[row as usize]);
            if ranks.last() != Some(&rank) {
                // The place before the value that ends here.
                if let [.., from, to] = ranks[..] {
                    let at = below[below.len() - 1] as usize - 1;
                    marks[at] = mark(from, to, before, class);
                }
                (before, class) = (class, own);
                ranks.push(rank);
                below.push(k as u32);
                if !rows.weights.is_empty() {
                    weight_below.push(weight);
                }
            } else if class != own {
                class = MIXED;
            }
            if !rows.weights.is_empty() {
                weight += rows.weights[row as usize];
            }
        }
        if let [.., from, to] = ranks[..] {
            let at = below[below.len() - 1] as usize - 1;
            marks[at] = mark(from, to, before, class);
        }
        let places = marks.iter().filter(|&&mark| mark & NEEDED != 0).count();
        // Thresholds that leave enough rows on both sides and divide values that are known.
        let m = ranks.len();
        let few = |i: usize| below[i] < rule.min_rows;
        let first = (1..m).find(|&i| !few(i) && ranks[i - 1] != 0).unwrap_or(m);
        let enough = |i: usize| n as u32 - below[i] >= rule.min_rows && ranks[i] != *end;
        let last = (1..m).rev().find(|&i| enough(i)).unwrap_or(0);
        // Buckets end at places that are needed.
        let most = buckets(n);
        let exact = places < 2 * most;
        let (mut from, mut buckets) = (0, 1);
        for k in 0..n {
            if marks[k] & NEEDED != 0 && (exact || k + 1 - from >= n / most) {
                marks[k] |= BUCKET;
                from = k + 1;
                buckets += 1;
            }
        }
        let keys = OnceLock::new();
        Self {
            order,
            marks,
            ranks,
            below,
            weight_below,
            first,
            last,
            buckets,
            exact,
            has_missing,
            keys,
        }
    }
}

//! The rows of a node in the order of every test column, for the search for optimal trees.
//!
//! A child's orders are filtered from the orders of its parent, so nothing is sorted again: O(rows
//! of the parent x columns). Behind each row of an order stands a *mark* that says which tests may
//! divide the rows there.

use super::ranked::{RankedRows, RankedTest, TestColumn};
use crate::error::Result;
use crate::parallel::Control;
use std::ops::Range;
use std::sync::OnceLock;

/// A test may divide the rows here, between two different values. The second value may be missing.
pub(super) const ALLOWED: u8 = 1;
/// The test may be better than its neighbours, where leaves may have any number of rows: not both
/// values have rows of one and the same class.
pub(super) const NEEDED: u8 = 2;
/// The end of a bucket.
pub(super) const BUCKET: u8 = 4;

/// The mark of the places that must be scored where a leaf has at least `min_rows` rows. With one
/// row that is [`NEEDED`]; with more, the best needed place may leave too few rows, so all are
/// scored.
pub(super) fn mark_to_score(min_rows: u32) -> u8 {
    if min_rows > 1 { ALLOWED } else { NEEDED }
}

/// About how many buckets a column of a set of rows has: more for larger sets, which gives closer
/// bounds, but so few that a coarse scan takes a fraction of the time of a full one.
fn bucket_target(n_rows: usize) -> usize {
    match n_rows {
        4096.. => 200,
        1024.. => 100,
        _ => 50,
    }
}

/// One test column of a set.
#[derive(Debug)]
pub(super) struct SortedColumn {
    /// The rows in ascending order of rank.
    pub(super) order: Vec<u32>,
    /// For each place of the order, the mark of the tests that divide behind its row: [`ALLOWED`],
    /// [`NEEDED`] and [`BUCKET`].
    pub(super) marks: Vec<u8>,
    /// Number of distinct ranks. Threshold `i` asks for ranks below the `i`-th of them.
    pub(super) thresholds: usize,
    /// Rows below each distinct rank; empty if every row has a rank of its own.
    below: Vec<u32>,
    /// Weight of the rows below each distinct rank; empty if all weights are 1.
    weight_below: Vec<f64>,
    /// The first and the last threshold that a tree may use; none if the first exceeds the last.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Number of buckets.
    pub(super) buckets: usize,
    /// Whether every needed place is the end of a bucket, so that buckets give exact losses.
    pub(super) exact: bool,
    /// Whether the set has rows with missing values, which have the first or the last rank.
    pub(super) has_missing: bool,
    /// Computed when the first coarse scan asks for them.
    keys: OnceLock<BucketKeys>,
}

/// The buckets of the rows in a column.
#[derive(Debug)]
pub(super) struct BucketKeys {
    /// Bucket x classes + class of each row, in the order of the first column of the set.
    pub(super) keys: Vec<u16>,
    /// By key, the weight of its rows.
    pub(super) totals: Vec<u32>,
}

/// A set of rows, sorted by every test column.
#[derive(Debug)]
pub(super) struct SortedSet {
    /// Number of rows.
    pub(super) len: usize,
    /// Weight of each class.
    pub(super) counts: Vec<f64>,
    /// Weight of all rows.
    pub(super) weight: f64,
    pub(super) columns: Vec<SortedColumn>,
    /// The hash that identifies the set among the solved ones ([`super::solved`]). 0 until it is
    /// set.
    pub(super) hash: u128,
}

/// One side of a test of a set: which rows go there, and how many.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestSide {
    pub(super) test: RankedTest,
    pub(super) is_right: bool,
    pub(super) n_rows: usize,
}

/// The facts that decide which places are marked.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarkRule {
    /// Fewest rows of a leaf.
    pub(super) min_rows: u32,
    /// Whether the best test is never between two values of one class, if leaves may have any
    /// number of rows.
    pub(super) skips_runs: bool,
}

/// The first of `low..high` for which a property holds, or `high` if there is none. The property
/// must hold for all numbers from the first one on, as the search is a bisection.
pub(super) fn first_where(low: usize, high: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (low, high.max(low));
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

impl SortedSet {
    /// All rows. Each column is sorted by counting its ranks, O(rows + ranks).
    pub(super) fn all(rows: &RankedRows, rule: MarkRule, control: &Control) -> Result<Self> {
        let mut columns = Vec::with_capacity(rows.columns.len());
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
            columns.push(SortedColumn::new(rows, column, order, column.end as usize + 1, rule));
        }
        Ok(Self::from_columns(rows, columns))
    }

    /// A column of the rows on one side of a test. Rows keep their order, so nothing is sorted.
    /// O(rows of the set).
    pub(super) fn column_of_side(
        &self,
        rows: &RankedRows,
        column: usize,
        TestSide { test, is_right, n_rows }: TestSide,
        rule: MarkRule,
    ) -> SortedColumn {
        let ranks = &rows.columns[test.column as usize].ranks;
        let SortedColumn { order: all, thresholds, .. } = &self.columns[column];
        // There is no conditional jump: every row is written, and the end of the list moves on if
        // it stays.
        let mut order = vec![0_u32; n_rows + 1];
        let mut next = 0;
        for &row in all {
            order[next] = row;
            next += usize::from((ranks[row as usize] < test.below) != is_right);
        }
        order.truncate(n_rows);
        SortedColumn::new(rows, &rows.columns[column], order, *thresholds, rule)
    }

    /// The rows on one side of a test, sorted by every column. The hash is not set.
    pub(super) fn side(
        &self,
        rows: &RankedRows,
        side: TestSide,
        rule: MarkRule,
        control: &Control,
    ) -> Result<Self> {
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in 0..self.columns.len() {
            if self.len >= 10_000 {
                control.check()?;
            }
            columns.push(self.column_of_side(rows, column, side, rule));
        }
        control.check()?;
        Ok(Self::from_columns(rows, columns))
    }

    /// The number of rows on the left of a test: the first ones in the order of its column.
    pub(super) fn rows_left(&self, rows: &RankedRows, test: RankedTest) -> usize {
        let column = test.column as usize;
        let threshold = self.threshold(rows, test, 0..self.columns[column].thresholds);
        self.rows_below(column, threshold)
    }

    /// One side of a test of this set. Only its number of rows is computed, from the position of
    /// the test in its column.
    pub(super) fn test_side(
        &self,
        rows: &RankedRows,
        test: RankedTest,
        is_right: bool,
    ) -> TestSide {
        let n_left = self.rows_left(rows, test);
        TestSide { test, is_right, n_rows: if is_right { self.len - n_left } else { n_left } }
    }

    fn from_columns(rows: &RankedRows, columns: Vec<SortedColumn>) -> Self {
        let order = columns.first().map_or(&[][..], |column| &column.order);
        let (len, counts) = (order.len(), rows.counts(order));
        let weight = counts.iter().sum::<f64>();
        Self { len, counts, weight, columns, hash: 0 }
    }

    /// Number of rows below a threshold of a column. All rows are below the threshold behind the
    /// last.
    pub(super) fn rows_below(&self, column: usize, threshold: usize) -> usize {
        self.columns[column].rows_below(threshold)
    }

    /// Weight of the rows below a threshold of a column. It is the number of rows if all weights
    /// are 1, and the weight of all rows for the threshold behind the last one.
    pub(super) fn weight_below(&self, column: usize, threshold: usize) -> f64 {
        match &self.columns[column].weight_below[..] {
            [] => self.rows_below(column, threshold) as f64,
            weights => weights.get(threshold).copied().unwrap_or(self.weight),
        }
    }

    /// The test of a threshold. The test of the threshold behind the last one holds for all rows.
    pub(super) fn test(&self, rows: &RankedRows, column: usize, threshold: usize) -> RankedTest {
        let row = self.columns[column].order.get(self.rows_below(column, threshold));
        let below = row.map_or(u32::MAX, |&row| rows.columns[column].ranks[row as usize]);
        RankedTest { column: column as u32, below }
    }

    /// The threshold of a range that stands for a test of the column in this set: the first one
    /// that is no lower than the test, or the end of the range.
    pub(super) fn threshold(
        &self,
        rows: &RankedRows,
        test: RankedTest,
        range: Range<usize>,
    ) -> usize {
        let reaches = |t| self.test(rows, test.column as usize, t).below >= test.below;
        first_where(range.start, range.end, reaches)
    }

    /// The keys of the rows in the buckets of a column. They are computed once.
    pub(super) fn bucket_keys(&self, rows: &RankedRows, column: usize) -> &BucketKeys {
        self.columns[column].keys.get_or_init(|| {
            let sorted = &self.columns[column];
            let mut by_row = vec![0_u16; rows.len()];
            let mut bucket = 0;
            for (&row, &mark) in sorted.order.iter().zip(&sorted.marks) {
                by_row[row as usize] = bucket + u16::from(rows.class[row as usize]);
                if mark & BUCKET != 0 {
                    bucket += rows.classes as u16;
                }
            }
            let mut totals = vec![0_u32; sorted.buckets * rows.classes];
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
    /// Number of rows below a threshold. All rows are below the threshold behind the last.
    pub(super) fn rows_below(&self, threshold: usize) -> usize {
        match &self.below[..] {
            [] => threshold.min(self.order.len()),
            below => below.get(threshold).map_or(self.order.len(), |&n| n as usize),
        }
    }

    /// Mark the places of a column whose rows are in order; `most` is an upper bound of the number
    /// of its distinct ranks.
    fn new(
        rows: &RankedRows,
        column: &TestColumn,
        order: Vec<u32>,
        most: usize,
        rule: MarkRule,
    ) -> Self {
        /// Stands for the class of a value whose rows have several classes.
        const MIXED: u8 = u8::MAX;
        let TestColumn { ranks: rank_of_row, end, .. } = column;
        let n = order.len();
        let mut below = Vec::with_capacity(n.min(most));
        let mut weight_below = Vec::new();
        let mut marks = vec![0; n];
        let rank_of = |row: Option<&u32>| row.map(|&row| rank_of_row[row as usize]);
        let has_left = rank_of(order.first()) == Some(0);
        let has_right = rank_of(order.last()) == Some(*end);
        let has_missing = has_left || has_right;
        // Without missing values, the column where they go left has the same tests.
        let is_twin = column.missing_right && !has_right;
        // Rank and class of the value before, and of the present one.
        let (mut rank_before, mut rank_here) = (None, None);
        let (mut class_before, mut class_here, mut weight) = (MIXED, MIXED, 0.0);
        // The mark of the place between two values; the second is number `values`.
        let mark = |rank_before: Option<u32>, class_before: u8, class_here: u8, values: usize| {
            if rank_before == Some(0) || is_twin {
                return 0;
            }
            // The place before the first run of known values is a test of the other column; the
            // next one may be as good, and has a lower threshold.
            let is_first = has_left && values == 3;
            let is_same_class = class_before == class_here && class_here != MIXED;
            let is_run = is_same_class && rule.skips_runs && !is_first;
            ALLOWED | if is_run { 0 } else { NEEDED }
        };
        for (k, &row) in order.iter().enumerate() {
            let (rank, class) = (rank_of(Some(&row)), rows.class[row as usize]);
            if rank != rank_here {
                // The place before the value that ends here.
                if let [_, .., start] = below[..] {
                    marks[start as usize - 1] =
                        mark(rank_before, class_before, class_here, below.len());
                }
                (class_before, class_here) = (class_here, class);
                (rank_before, rank_here) = (rank_here, rank);
                below.push(k as u32);
                if !rows.weights.is_empty() {
                    weight_below.push(weight);
                }
            } else if class_here != class {
                class_here = MIXED;
            }
            if !rows.weights.is_empty() {
                weight += rows.weights[row as usize];
            }
        }
        if let [_, .., start] = below[..] {
            marks[start as usize - 1] = mark(rank_before, class_before, class_here, below.len());
        }
        let n_needed = marks.iter().filter(|&&mark| mark & NEEDED != 0).count();
        // Thresholds that leave enough rows on both sides and divide values that are known, or
        // these from missing ones that go right; where they go left, that is the same test.
        let thresholds = below.len();
        let known = 1 + usize::from(has_left)..if is_twin { 0 } else { thresholds };
        // The number of copies up to each place, if it may matter: copies count as rows of a leaf.
        let (mut passed, has_copies) = (0, rule.min_rows > 1 && !rows.copies.is_empty());
        let copies = order.iter().take(if has_copies { n } else { 0 }).map(|&row| {
            passed += rows.size(row);
            passed
        });
        let copies: Vec<u32> = copies.collect();
        let size = |below: u32| if has_copies { copies[below as usize - 1] } else { below };
        let is_enough = |size: u32| size >= rule.min_rows;
        let first = known.clone().find(|&i| is_enough(size(below[i]))).unwrap_or(thresholds);
        let is_last = |i: &usize| is_enough(size(n as u32) - size(below[*i]));
        let last = known.rev().find(is_last).unwrap_or(0);
        if thresholds == n {
            below = Vec::new();
        }
        // Buckets end at needed places: at all of them if there are few, else at one in each
        // `n / most` rows.
        let most = bucket_target(n);
        let exact = n_needed < 2 * most;
        let (mut bucket_start, mut buckets) = (0, 1);
        for k in 0..n {
            if marks[k] & NEEDED != 0 && (exact || k + 1 - bucket_start >= n / most) {
                marks[k] |= BUCKET;
                bucket_start = k + 1;
                buckets += 1;
            }
        }
        let keys = OnceLock::new();
        Self {
            order,
            marks,
            thresholds,
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

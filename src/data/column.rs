//! One encoded column: numbers with their sorted order, or codes.
//!
//! The sorted order of a numeric column is a list of 32-bit entries (`entries`): a scan finds the
//! boundaries between values without reading the values, and a stable partition can keep the tied
//! bits true. Rows with a missing value come last. The upper half of an order-preserving key is
//! sorted together with the row; then the few runs with equal upper halves are sorted by the whole
//! key. About 10 ns per value.

use super::draw::Draw;
use super::entries::{entry_row, pack_entry};
use super::source::{RowChoice, RowSource};
use crate::numeric::{bucket_sort, order_key};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Code of a missing nominal value in a [`NominalColumn`].
pub const MISSING: u32 = u32::MAX;

/// A column of numbers, by internal row. Values and order are shared by clones and by draws of
/// rows.
#[derive(Debug, Clone, Default)]
pub struct NumericColumn<'a> {
    whole: Arc<ColumnData<'a>>,
    drawn: Option<Arc<Drawn>>,
}

/// The part of a column that clones and draws share.
#[derive(Debug, Default)]
struct ColumnData<'a> {
    /// The values; of a lent column made on first use.
    values: OnceLock<Vec<f64>>,
    missing: usize,
    order: OnceLock<Vec<u32>>,
    /// Where missing values were filled: from its order that of this column follows.
    filled: Option<Filled<'a>>,
    /// Where the values are, if the column has no copy of them.
    lent: Option<Lent<'a>>,
}

/// A column with missing values, and the value that replaces them.
#[derive(Debug)]
struct Filled<'a> {
    column: NumericColumn<'a>,
    fill: f64,
}

/// Values in a column of the caller.
#[derive(Debug)]
struct Lent<'a> {
    source: &'a dyn RowSource,
    feature: usize,
    /// The row of the source of each internal row.
    original: Arc<Vec<u32>>,
    /// The order, if it is made, until it is asked for. Growth takes it, as nothing else reads it
    /// then.
    order: Mutex<Option<Vec<u32>>>,
}

impl Lent<'_> {
    fn order(&self) -> MutexGuard<'_, Option<Vec<u32>>> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_order(&self) -> Option<Vec<u32>> {
        self.order().take()
    }

    /// Write the values of the rows from `first` on to `out`.
    fn read(&self, first: usize, out: &mut [f64]) {
        self.source.numbers(self.feature, RowChoice::Some(&self.original), first, out);
    }
}

/// A bootstrap sample of the rows of a column. Values and order are made on first use.
#[derive(Debug)]
struct Drawn {
    draw: Arc<Draw>,
    missing: usize,
    values: OnceLock<Vec<f64>>,
    order: OnceLock<Vec<u32>>,
}

impl<'a> NumericColumn<'a> {
    /// A column from values; NaN is missing.
    pub fn new(values: Vec<f64>) -> Self {
        let missing = values.iter().filter(|v| v.is_nan()).count();
        let whole = ColumnData { values: values.into(), missing, ..ColumnData::default() };
        Self { whole: whole.into(), drawn: None }
    }

    /// A column without a copy of its values, none of which is missing: it reads them from
    /// `feature` of the source. Its order may be known.
    pub(super) fn lent(
        source: &'a dyn RowSource,
        feature: usize,
        original: Arc<Vec<u32>>,
        order: Option<Vec<u32>>,
    ) -> Self {
        let lent = Some(Lent { source, feature, original, order: Mutex::new(order) });
        let whole = ColumnData { lent, ..ColumnData::default() };
        Self { whole: whole.into(), drawn: None }
    }

    /// The column with `fill` in the place of missing values. Its order is made from that of this
    /// column in O(n), without a sort.
    pub fn filled(&self, fill: f64) -> Self {
        let value = |&v: &f64| if v.is_nan() { fill } else { v };
        let values = self.values().iter().map(value).collect::<Vec<f64>>().into();
        let filled = Some(Filled { column: self.clone(), fill });
        let whole = ColumnData { values, filled, ..ColumnData::default() };
        Self { whole: whole.into(), drawn: None }
    }

    /// The drawn rows of the column, without copying it.
    pub(super) fn draw(&self, draw: &Arc<Draw>) -> Self {
        let missing = if self.whole.missing == 0 {
            0
        } else {
            draw.rows().iter().filter(|&&r| self.whole.value(r).is_nan()).count()
        };
        let drawn =
            Drawn { draw: draw.clone(), missing, values: OnceLock::new(), order: OnceLock::new() };
        Self { whole: self.whole.clone(), drawn: Some(drawn.into()) }
    }

    /// The values.
    #[inline]
    pub fn values(&self) -> &[f64] {
        match &self.drawn {
            None => self.whole.values(),
            Some(d) => d
                .values
                .get_or_init(|| d.draw.rows().iter().map(|&row| self.whole.value(row)).collect()),
        }
    }

    /// Write the values of some rows, those at the places from `first` on, to `out`.
    pub(super) fn read(&self, rows: RowChoice<'_>, first: usize, out: &mut [f64]) {
        if let (RowChoice::All(_), None) = (rows, &self.drawn) {
            return self.whole.read(first, out);
        }
        for (i, x) in out.iter_mut().enumerate() {
            *x = self.value(rows.row(first + i) as u32);
        }
    }

    /// The value of a row.
    #[inline]
    pub fn value(&self, row: u32) -> f64 {
        self.whole.value(self.drawn.as_ref().map_or(row, |d| d.draw.rows()[row as usize]))
    }

    /// Where the value of a row is kept; `None` while it is with the caller.
    #[inline]
    pub fn cell(&self, row: u32) -> Option<&f64> {
        let row = self.drawn.as_ref().map_or(row, |d| d.draw.rows()[row as usize]);
        self.whole.values.get().map(|values| &values[row as usize])
    }

    /// Number of missing values.
    #[inline]
    pub fn n_missing(&self) -> usize {
        self.drawn.as_ref().map_or(self.whole.missing, |d| d.missing)
    }

    /// Sort the column now; in a sample, the column that its rows were drawn from.
    pub fn sort(&self) {
        if self.whole.lent.as_ref().is_none_or(|lent| lent.order().is_none()) {
            self.whole.order();
        }
    }

    /// Entries of the rows in ascending order of value, missing ones last (see the module's text).
    #[inline]
    pub fn order(&self) -> &[u32] {
        let whole = self.whole.order();
        match &self.drawn {
            None => whole,
            Some(d) => d.order.get_or_init(|| d.draw.order(whole)),
        }
    }

    /// The order as a list of the caller's own. A column of lent numbers gives its only copy away.
    pub fn owned_order(&self) -> Vec<u32> {
        let lent = self.whole.lent.as_ref().filter(|_| self.drawn.is_none());
        if let Some(order) = lent.and_then(Lent::take_order) {
            return order;
        }
        let whole = self.whole.order();
        self.drawn.as_ref().map_or_else(|| whole.to_vec(), |d| d.draw.order(whole))
    }
}

impl ColumnData<'_> {
    fn order(&self) -> &[u32] {
        self.order.get_or_init(|| match (&self.filled, &self.lent) {
            (Some(filled), _) => order_of_filled(filled),
            (None, lent) => lent
                .as_ref()
                .and_then(Lent::take_order)
                .unwrap_or_else(|| sorted_entries(self.values())),
        })
    }

    fn values(&self) -> &[f64] {
        self.values.get_or_init(|| {
            let mut values = vec![0.0; self.lent.as_ref().map_or(0, |lent| lent.original.len())];
            self.read(0, &mut values);
            values
        })
    }

    /// Write the values of the rows from `first` on to `out`.
    fn read(&self, first: usize, out: &mut [f64]) {
        match (self.values.get(), &self.lent) {
            (Some(values), _) => out.copy_from_slice(&values[first..][..out.len()]),
            (None, Some(lent)) => lent.read(first, out),
            (None, None) => {}
        }
    }

    #[inline]
    fn value(&self, row: u32) -> f64 {
        match self.values.get() {
            Some(values) => values[row as usize],
            None => {
                let mut value = [f64::NAN];
                self.read(row as usize, &mut value);
                value[0]
            }
        }
    }
}

/// The order of a column whose missing values are replaced: their rows move to the place of `fill`
/// among the known values.
fn order_of_filled(Filled { column, fill }: &Filled<'_>) -> Vec<u32> {
    let fill = *fill;
    let (known, missing) = column.order().split_at(column.order().len() - column.n_missing());
    let value = |&e: &u32| column.value(entry_row(e));
    let (below, rest) = known.split_at(known.partition_point(|e| value(e) < fill));
    let (equal, above) = rest.split_at(rest.partition_point(|e| value(e) <= fill));
    let mut order = Vec::with_capacity(column.order().len());
    order.extend_from_slice(below);
    // Equal values are in the order of their rows.
    let mut block: Vec<u32> = equal.iter().chain(missing).map(|&e| entry_row(e)).collect();
    block.sort_unstable();
    order.extend(block.iter().enumerate().map(|(i, &row)| pack_entry(row, i > 0)));
    order.extend_from_slice(above);
    order
}

/// The sorted order of values, as entries; NaN is missing. The rows of equal values ascend.
pub fn sorted_entries<T: Copy + Into<f64>>(values: &[T]) -> Vec<u32> {
    // The leading bits of the key and the row number as one word: eight bytes to move, and the
    // leading bits decide most comparisons.
    let known = values.iter().map(|&v| v.into()).filter(|v| !v.is_nan());
    let (low, high) = known.fold((u64::MAX, 0), |(low, high), v| {
        let key = order_key(v);
        (low.min(key), high.max(key))
    });
    let shift = (u64::BITS - high.saturating_sub(low).leading_zeros()).saturating_sub(32);
    let rows = values.iter().zip(0_u64..).map(|(&value, row)| (value.into(), row));
    let pack = |(value, row)| (order_key(value) - low) >> shift << 32 | row;
    // The result is allocated before the memory of the sort, which then leaves no gap below it.
    let mut entries = Vec::with_capacity(values.len());
    let mut packed = bucket_sort(rows.clone().filter(|(value, _)| !value.is_nan()).map(pack));
    // Runs with equal leading bits are sorted by the whole key; equal keys are tied.
    for run in packed.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
        if let [alone] = run {
            entries.push(pack_entry(*alone as u32, false));
            continue;
        }
        let key = |&p: &u64| order_key(values[p as u32 as usize].into());
        if !run.is_sorted_by_key(key) {
            run.sort_by_key(key);
        }
        let mut before = None;
        for p in run {
            let own = Some(key(p));
            entries.push(pack_entry(*p as u32, before == own));
            before = own;
        }
    }
    if packed.len() < values.len() {
        let missing = rows.filter(|(value, _)| value.is_nan()).map(|(_, row)| row as u32);
        entries.extend(missing.enumerate().map(|(i, row)| pack_entry(row, i > 0)));
    }
    entries
}

/// Codes of a nominal column, one byte each if there are at most 255 levels.
#[derive(Debug, Clone, PartialEq)]
pub enum Codes {
    /// At most 255 levels; 255 is missing.
    Narrow(Vec<u8>),
    /// Any number of levels; [`MISSING`] is missing.
    Wide(Vec<u32>),
}

/// A column of codes, by internal row.
#[derive(Debug, Clone, PartialEq)]
pub struct NominalColumn {
    codes: Codes,
    levels: usize,
    missing: usize,
}

impl NominalColumn {
    /// A column from codes below `levels`, or [`MISSING`].
    pub fn new(levels: usize, codes: impl ExactSizeIterator<Item = u32>) -> Self {
        let mut missing = 0;
        let counted = codes.inspect(|&c| missing += usize::from(c == MISSING));
        let codes = if levels <= 255 {
            Codes::Narrow(counted.map(|c| if c == MISSING { u8::MAX } else { c as u8 }).collect())
        } else {
            Codes::Wide(counted.collect())
        };
        Self { codes, levels, missing }
    }

    /// A column from codes below `levels`, which are at most 255, without missing values.
    pub fn narrow(levels: usize, codes: Vec<u8>) -> Self {
        Self { codes: Codes::Narrow(codes), levels, missing: 0 }
    }

    /// The code of a row, or [`MISSING`].
    #[inline]
    pub fn code(&self, row: u32) -> u32 {
        match &self.codes {
            Codes::Narrow(c) => match c[row as usize] {
                u8::MAX => MISSING,
                code => u32::from(code),
            },
            Codes::Wide(c) => c[row as usize],
        }
    }

    /// The codes by row.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// Number of declared levels.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Number of missing values.
    #[inline]
    pub fn n_missing(&self) -> usize {
        self.missing
    }

    /// The drawn rows of the column.
    pub(super) fn draw(&self, draw: &Draw) -> Self {
        Self::new(self.levels, draw.rows().iter().map(|&row| self.code(row)))
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match &self.codes {
            Codes::Narrow(c) => c.len(),
            Codes::Wide(c) => c.len(),
        }
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One feature, encoded.
#[derive(Debug, Clone)]
pub enum Column<'a> {
    /// Numbers.
    Numeric(NumericColumn<'a>),
    /// Codes.
    Nominal(NominalColumn),
}

#[cfg(test)]
mod tests {
    use super::super::entries::entry_tied;
    use super::*;
    use crate::numeric::mix;

    #[test]
    fn a_filled_column_has_the_order_of_its_values() {
        for seed in 0..300_u64 {
            let n = 1 + mix(seed, 0) % 60;
            let cell = |i| {
                if mix(seed, 500 + i).is_multiple_of(3) {
                    f64::NAN
                } else {
                    (mix(seed, i) % 9) as f64
                }
            };
            let column = NumericColumn::new((0..n).map(cell).collect());
            for fill in [-1.0, 0.0, 3.0, 3.5, 8.0, 20.0] {
                let filled = column.filled(fill);
                let again = NumericColumn::new(filled.values().to_vec());
                assert_eq!(filled.order(), again.order(), "{seed} {fill}");
                assert_eq!(filled.n_missing(), 0);
            }
        }
    }

    #[test]
    fn both_sorts_agree_with_the_standard_library() {
        for n in [0_usize, 1, 2, 511, 512, 5000] {
            let spread = |x: u64, distinct| (x % distinct) as f64 - 1e3;
            // Keys that differ in their low halves only, and zeros of both signs.
            let close = |x: u64| 1.0 + (x % 300) as f64 * f64::EPSILON;
            let zeros = |x: u64| [-1.0, -0.0, 0.0, 1.0][x as usize % 4];
            let kinds: [&dyn Fn(u64) -> f64; 5] =
                [&|x| spread(x, 2), &|x| spread(x, 100), &|x| spread(x, u64::MAX), &close, &zeros];
            for value in kinds {
                let cell = |i: u64| {
                    if mix(1, i).is_multiple_of(17) { f64::NAN } else { value(mix(n as u64, i)) }
                };
                let values: Vec<f64> = (0..n as u64).map(cell).collect();
                let sorted = sorted_entries(&values);
                let mut expected: Vec<u32> =
                    (0..n as u32).filter(|&i| !values[i as usize].is_nan()).collect();
                expected.sort_by(|&a, &b| {
                    values[a as usize].partial_cmp(&values[b as usize]).expect("numbers")
                });
                expected.extend((0..n as u32).filter(|&i| values[i as usize].is_nan()));
                assert_eq!(sorted.iter().map(|&e| entry_row(e)).collect::<Vec<_>>(), expected);
                for pair in sorted.windows(2) {
                    let (a, b) =
                        (values[entry_row(pair[0]) as usize], values[entry_row(pair[1]) as usize]);
                    assert_eq!(entry_tied(pair[1]) == 1, a == b || (a.is_nan() && b.is_nan()));
                }
            }
        }
    }
}

//! A column of numbers: its values, and the rows in the order of their values.
//!
//! A column either has its values in memory or reads them from a table of the caller
//! ([`RowSource`]), which saves a copy of the table; such a column is *lent*. The sorted order is a
//! list of entries ([`sorted_entries`]), made on first use. Clones of a column share values and
//! order. A bootstrap sample of the rows ([`DrawnRows`]) shares them, too: its values are looked up
//! through the draw, and its order is derived from the order of the column without a sort.

use super::drawn_rows::DrawnRows;
use super::entries::{entry_row, pack_entry};
use super::sorted_entries::sorted_entries;
use super::source::{RowChoice, RowSource};
use crate::parallel::lock;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// A column of numbers, by internal row; NaN is missing.
#[derive(Debug, Clone)]
pub struct NumericColumn<'a> {
    base: Arc<BaseColumn<'a>>,
    /// For a bootstrap sample, the rows of `base` that were drawn; `None` for `base` itself.
    sample: Option<Arc<SampledColumn>>,
}

/// The column of a data set that was not drawn from another one. Clones and samples share it.
#[derive(Debug)]
struct BaseColumn<'a> {
    values: Values<'a>,
    n_missing: usize,
    /// The sorted order, made on first use.
    order: OnceLock<Vec<u32>>,
    /// For a column whose missing values were replaced, the column before that.
    filled_from: Option<UnfilledColumn<'a>>,
}

/// The values of a column that was not drawn from another one.
#[derive(Debug)]
enum Values<'a> {
    /// Values in memory.
    Stored(Vec<f64>),
    /// Values in a table of the caller.
    Lent(LentValues<'a>),
}

/// Values in a table of the caller. None of them is missing.
#[derive(Debug)]
struct LentValues<'a> {
    source: &'a dyn RowSource,
    /// The number of the feature in the table.
    feature: usize,
    /// The row of the table of each internal row.
    original: Arc<Vec<u32>>,
    /// A copy of the values, made when a reader asks for all of them.
    copy: OnceLock<Vec<f64>>,
    /// The order, if it is known, until a reader asks for it. Growth takes it away and divides it
    /// in place, because nothing else reads the order of a lent column during growth.
    known_order: Mutex<Option<Vec<u32>>>,
}

/// A column with missing values, and the value that replaces them in another column.
#[derive(Debug)]
struct UnfilledColumn<'a> {
    column: NumericColumn<'a>,
    fill: f64,
}

/// A bootstrap sample of the rows of a column. Values and order are made on first use.
#[derive(Debug)]
struct SampledColumn {
    draw: Arc<DrawnRows>,
    n_missing: usize,
    values: OnceLock<Vec<f64>>,
    order: OnceLock<Vec<u32>>,
}

impl<'a> NumericColumn<'a> {
    /// A column from values; NaN is missing.
    pub fn new(values: Vec<f64>) -> Self {
        let n_missing = values.iter().filter(|v| v.is_nan()).count();
        Self::from_base(Values::Stored(values), n_missing, None)
    }

    /// A column that reads its values from a table of the caller instead of copying them. None of
    /// the values may be missing.
    ///
    /// `feature` is the number of the column in `source`, `original` the row of the source of each
    /// internal row, and `known_order` the sorted order ([`sorted_entries`]) if the caller has it.
    pub(super) fn from_lender(
        source: &'a dyn RowSource,
        feature: usize,
        original: Arc<Vec<u32>>,
        known_order: Option<Vec<u32>>,
    ) -> Self {
        let known_order = Mutex::new(known_order);
        let lent = LentValues { source, feature, original, copy: OnceLock::new(), known_order };
        Self::from_base(Values::Lent(lent), 0, None)
    }

    fn from_base(
        values: Values<'a>,
        n_missing: usize,
        filled_from: Option<UnfilledColumn<'a>>,
    ) -> Self {
        let base = BaseColumn { values, n_missing, order: OnceLock::new(), filled_from };
        Self { base: base.into(), sample: None }
    }

    /// A column with `fill` in the place of each missing value. Its order is made from the order
    /// of this column in O(n), without a sort.
    pub fn fill_missing(&self, fill: f64) -> Self {
        let filled = |&v: &f64| if v.is_nan() { fill } else { v };
        let values = self.values().iter().map(filled).collect();
        let filled_from = Some(UnfilledColumn { column: self.clone(), fill });
        Self::from_base(Values::Stored(values), 0, filled_from)
    }

    /// The rows of the column that were drawn, without a copy of its values. The column itself
    /// must not be a sample: a draw from a sample would read the rows of the column behind it.
    pub(super) fn draw(&self, draw: &Arc<DrawnRows>) -> Self {
        let n_missing = if self.base.n_missing == 0 {
            0
        } else {
            draw.rows().iter().filter(|&&row| self.base.value(row).is_nan()).count()
        };
        let draw = draw.clone();
        let sample =
            SampledColumn { draw, n_missing, values: OnceLock::new(), order: OnceLock::new() };
        Self { base: self.base.clone(), sample: Some(sample.into()) }
    }

    /// The row of the base column that holds the value of a row.
    #[inline]
    fn base_row(&self, row: u32) -> u32 {
        self.sample.as_ref().map_or(row, |sample| sample.draw.rows()[row as usize])
    }

    /// All values by row. A lent column, or a sample, copies them on the first call.
    #[inline]
    pub fn values(&self) -> &[f64] {
        match &self.sample {
            None => self.base.values.all(),
            Some(sample) => sample.values.get_or_init(|| {
                sample.draw.rows().iter().map(|&row| self.base.value(row)).collect()
            }),
        }
    }

    /// Write the values of some of `rows` to `out`: of those at the positions from `first` on.
    pub(super) fn read(&self, rows: RowChoice<'_>, first: usize, out: &mut [f64]) {
        if let (RowChoice::All(_), None) = (rows, &self.sample) {
            return self.base.values.read(first, out);
        }
        for (i, x) in out.iter_mut().enumerate() {
            *x = self.value(rows.row(first + i) as u32);
        }
    }

    /// The value of a row; NaN is missing. A lent column that was not copied asks the caller's
    /// table for this one cell, so a loop over many rows reads [`Self::values`].
    #[inline]
    pub fn value(&self, row: u32) -> f64 {
        self.base.value(self.base_row(row))
    }

    /// A reference to the value of a row, to load it ahead of its use; `None` while the values are
    /// with the caller.
    #[inline]
    pub fn cell(&self, row: u32) -> Option<&f64> {
        let row = self.base_row(row);
        self.base.values.stored().map(|values| &values[row as usize])
    }

    /// Number of missing values, counted when the column is made. It is 0 for a lent column,
    /// because a column with missing values is copied instead of lent.
    #[inline]
    pub fn n_missing(&self) -> usize {
        self.sample.as_ref().map_or(self.base.n_missing, |sample| sample.n_missing)
    }

    /// Sort the column now; in a sample, the column that its rows were drawn from. Nothing is done
    /// where a lent column knows its order already.
    pub fn sort(&self) {
        if let Values::Lent(lent) = &self.base.values
            && lent.lock_order().is_some()
        {
            return;
        }
        self.base.order();
    }

    /// Entries of the rows in ascending order of value, missing ones last (see [`sorted_entries`]).
    /// The first call sorts the column; the order of a bootstrap sample is derived from the sorted
    /// column in O(rows).
    #[inline]
    pub fn order(&self) -> &[u32] {
        let base_order = self.base.order();
        match &self.sample {
            None => base_order,
            Some(sample) => sample.order.get_or_init(|| sample.draw.drawn_order(base_order)),
        }
    }

    /// The order as a list that belongs to the caller. A lent column gives its only copy away, and
    /// sorts again if it is asked once more.
    pub fn owned_order(&self) -> Vec<u32> {
        if let (Values::Lent(lent), None) = (&self.base.values, &self.sample)
            && let Some(order) = lent.take_order()
        {
            return order;
        }
        let base_order = self.base.order();
        match &self.sample {
            None => base_order.to_vec(),
            Some(sample) => sample.draw.drawn_order(base_order),
        }
    }
}

impl BaseColumn<'_> {
    fn order(&self) -> &[u32] {
        self.order.get_or_init(|| match (&self.filled_from, &self.values) {
            (Some(unfilled), _) => unfilled.order_after_filling(),
            (None, Values::Stored(values)) => sorted_entries(values),
            (None, Values::Lent(lent)) => {
                lent.take_order().unwrap_or_else(|| sorted_entries(self.values.all()))
            }
        })
    }

    #[inline]
    fn value(&self, row: u32) -> f64 {
        match self.values.stored() {
            Some(values) => values[row as usize],
            None => {
                let mut value = [f64::NAN];
                self.values.read(row as usize, &mut value);
                value[0]
            }
        }
    }
}

impl Values<'_> {
    /// The values if they are in memory.
    #[inline]
    fn stored(&self) -> Option<&[f64]> {
        match self {
            Self::Stored(values) => Some(values),
            Self::Lent(lent) => lent.copy.get().map(Vec::as_slice),
        }
    }

    /// All values; lent ones are copied on the first call.
    fn all(&self) -> &[f64] {
        match self {
            Self::Stored(values) => values,
            Self::Lent(lent) => lent.copy.get_or_init(|| {
                let mut values = vec![0.0; lent.original.len()];
                lent.read(0, &mut values);
                values
            }),
        }
    }

    /// Write the values of the rows from `first` on to `out`.
    fn read(&self, first: usize, out: &mut [f64]) {
        match self {
            Self::Lent(lent) if lent.copy.get().is_none() => lent.read(first, out),
            _ => out.copy_from_slice(&self.all()[first..][..out.len()]),
        }
    }
}

impl LentValues<'_> {
    fn lock_order(&self) -> MutexGuard<'_, Option<Vec<u32>>> {
        lock(&self.known_order)
    }

    fn take_order(&self) -> Option<Vec<u32>> {
        self.lock_order().take()
    }

    /// Write the values of the rows from `first` on to `out`, as the table has them now.
    fn read(&self, first: usize, out: &mut [f64]) {
        self.source.numbers(self.feature, RowChoice::Some(&self.original), first, out);
    }
}

impl UnfilledColumn<'_> {
    /// The order of the column after missing values were replaced: their rows move to the place of
    /// `fill` among the known values.
    fn order_after_filling(&self) -> Vec<u32> {
        let Self { column, fill } = self;
        let n_known = column.order().len() - column.n_missing();
        let (known, missing) = column.order().split_at(n_known);
        let value = |&entry: &u32| column.value(entry_row(entry));
        let (below, rest) = known.split_at(known.partition_point(|entry| value(entry) < *fill));
        let (equal, above) = rest.split_at(rest.partition_point(|entry| value(entry) <= *fill));
        let mut order = Vec::with_capacity(column.order().len());
        order.extend_from_slice(below);
        // Equal values are in the order of their rows, and all but the first are tied.
        let mut equal_rows: Vec<u32> =
            equal.iter().chain(missing).map(|&entry| entry_row(entry)).collect();
        equal_rows.sort_unstable();
        order.extend(equal_rows.iter().enumerate().map(|(i, &row)| pack_entry(row, i > 0)));
        order.extend_from_slice(above);
        order
    }
}

#[cfg(test)]
mod tests {
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
                let filled = column.fill_missing(fill);
                let again = NumericColumn::new(filled.values().to_vec());
                assert_eq!(filled.order(), again.order(), "{seed} {fill}");
                assert_eq!(filled.n_missing(), 0);
            }
        }
    }
}

//! The encoded training set, which the bindings make once per fit.
//!
//! [`DatasetBuilder`] reads the user's arrays column by column, through closures, and writes each
//! cell to its internal row. O(cells); nothing is copied twice. A bootstrap sample ([`Draw`]) is a
//! data set that shares the numbers of the one it was drawn from.

use super::source::{RowChoice, RowSource};
use super::{
    Bins, Column, Draw, Label, Lender, MISSING, NominalColumn, NumericColumn, Planes, Schema,
    Target, Weights, entry_row, sorted_entries,
};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Columns and classes by internal row.
#[derive(Debug)]
pub struct Dataset<'a> {
    schema: Arc<Schema>,
    columns: Vec<Column<'a>>,
    /// Class of each internal row.
    classes: Vec<u16>,
    /// First internal row of each class, then the number of rows.
    class_starts: Vec<u32>,
    /// Original number of each internal row.
    original: Arc<Vec<u32>>,
    /// Internal number of each original row, made on first use.
    internal: OnceLock<Vec<u32>>,
    /// The numbers of the rows, where the target is numeric: there is one class then.
    target: Option<Target>,
    planes: OnceLock<Option<Planes>>,
}

impl<'a> Dataset<'a> {
    /// Bit planes, made on first use; None unless all features are nominal with at most 255 levels
    /// and no missing values.
    pub fn planes(&self) -> Option<&Planes> {
        self.planes.get_or_init(|| Planes::new(&self.columns, &self.class_starts)).as_ref()
    }

    /// Names, kinds and levels of the features, and the classes.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The schema, shared, for a model to keep.
    pub fn shared_schema(&self) -> Arc<Schema> {
        self.schema.clone()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.original.len()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.original.is_empty()
    }

    /// The columns in feature order.
    pub fn columns(&self) -> &[Column<'a>] {
        &self.columns
    }

    /// Class codes by internal row (ascending, because rows are sorted by class).
    pub fn classes(&self) -> &[u16] {
        &self.classes
    }

    /// The numeric target; `None` for classes.
    pub fn target(&self) -> Option<&Target> {
        self.target.as_ref()
    }

    /// The weights with which the target is summed exactly.
    ///
    /// # Errors
    /// [`Error::Data`] for a weight that such a sum would lose.
    pub fn summing(&self, weights: Weights) -> Result<Weights> {
        match self.target {
            Some(_) => weights.coarser(&|row| self.original[row] as usize),
            None => Ok(weights),
        }
    }

    /// Number of declared classes; 1 for a numeric target.
    pub fn n_classes(&self) -> usize {
        self.class_starts.len() - 1
    }

    /// Internal rows of class `c` are `starts[c]..starts[c + 1]`.
    pub fn class_starts(&self) -> &[u32] {
        &self.class_starts
    }

    /// Original number of each internal row.
    pub fn original(&self) -> &[u32] {
        &self.original
    }

    /// Rows in the order of their original numbers.
    pub fn in_original_order(&self, rows: &[u32]) -> Vec<u32> {
        let mut rows = rows.to_vec();
        rows.sort_unstable_by_key(|&row| self.original[row as usize]);
        rows
    }

    /// Internal number of each original row; empty in a bootstrap sample.
    pub fn internal(&self) -> &[u32] {
        self.internal.get_or_init(|| {
            let mut internal = vec![0; self.len()];
            for (place, &row) in (0..).zip(self.original()) {
                internal[row as usize] = place;
            }
            internal
        })
    }

    /// Sort all numeric columns now, in parallel; in a bootstrap sample, those that it was drawn
    /// from.
    pub fn sort_columns(&self, control: &Control) -> Result<()> {
        parallel::map(control, self.columns.len(), &|i| {
            control.check()?;
            if let Column::Numeric(c) = &self.columns[i] {
                c.sort();
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Copy the numbers that are lent, for a job that often reads them.
    pub fn copy_lent(&self) {
        for column in &self.columns {
            if let Column::Numeric(c) = column {
                c.values();
            }
        }
    }

    /// The data set with some of its features.
    pub fn select(&self, features: &[usize]) -> Self {
        let mut schema = (*self.schema).clone();
        schema.features = features.iter().map(|&f| self.schema.features[f].clone()).collect();
        let columns = features.iter().map(|&f| self.columns[f].clone()).collect();
        self.with_columns(schema, columns)
    }

    /// The bootstrap sample of a draw: each drawn row is an internal row, so that several may have
    /// one original row.
    pub fn drawn(&self, draw: &Arc<Draw>) -> Self {
        let columns = self.columns().iter().map(|column| match column {
            Column::Numeric(c) => Column::Numeric(c.draw(draw)),
            Column::Nominal(c) => Column::Nominal(c.draw(draw)),
        });
        let starts = self.class_starts().iter().map(|&s| draw.first(s)).collect();
        let of = |from: &[u32]| draw.rows().iter().map(|&r| from[r as usize]).collect();
        let classes = draw.rows().iter().map(|&r| self.classes()[r as usize]).collect();
        Self {
            target: self.target.as_ref().map(|target| target.of_rows(draw.rows())),
            ..self.with_rows(columns.collect(), classes, starts, of(self.original()))
        }
    }

    /// Some rows, by ascending number of their target, which gets a grid of its own. O(their
    /// cells).
    pub fn renewed(&self, rows: &[u32]) -> Self {
        let columns = self.columns.iter().map(|column| match column {
            Column::Numeric(c) => {
                Column::Numeric(NumericColumn::new(rows.iter().map(|&r| c.value(r)).collect()))
            }
            Column::Nominal(c) => {
                Column::Nominal(NominalColumn::new(c.levels(), rows.iter().map(|&r| c.code(r))))
            }
        });
        let original = rows.iter().map(|&row| self.original[row as usize]).collect();
        let (classes, starts) = (vec![0; rows.len()], vec![0, rows.len() as u32]);
        Self {
            target: self.target.as_ref().map(|target| target.renewed(rows)),
            ..self.with_rows(columns.collect(), classes, starts, original)
        }
    }

    /// The features with other rows. Original rows have no single internal number any more.
    fn with_rows(
        &self,
        columns: Vec<Column<'a>>,
        classes: Vec<u16>,
        class_starts: Vec<u32>,
        original: Vec<u32>,
    ) -> Self {
        Self {
            schema: self.schema.clone(),
            columns,
            classes,
            class_starts,
            original: original.into(),
            internal: OnceLock::from(Vec::new()),
            target: None,
            planes: OnceLock::new(),
        }
    }

    /// The rows of a numeric target with classes in its place: the bin of each number.
    pub fn with_target_bins(&self, bins: &Bins) -> Self {
        let bin_of =
            |row: u32| self.target.as_ref().map_or(0, |target| bins.bin(target.value(row)));
        // Rows are sorted by their numbers, hence by bin.
        let classes: Vec<u16> = (0..self.len() as u32).map(|row| bin_of(row) as u16).collect();
        let starts = (0..=bins.len() as u32)
            .map(|bin| classes.partition_point(|&class| u32::from(class) < bin) as u32)
            .collect();
        let labels = (0..bins.len() as i64).map(Label::Int).collect();
        Self {
            schema: Schema { classes: labels, ..(*self.schema).clone() }.into(),
            internal: self.internal.clone(),
            original: self.original.clone(),
            ..self.with_rows(self.columns.clone(), classes, starts, Vec::new())
        }
    }

    /// The rows and classes with other columns (binned or imputed), which `schema` describes.
    pub fn with_columns(&self, schema: Schema, columns: Vec<Column<'a>>) -> Self {
        Self {
            schema: schema.into(),
            columns,
            classes: self.classes.clone(),
            class_starts: self.class_starts.clone(),
            original: self.original.clone(),
            internal: self.internal.clone(),
            target: self.target.clone(),
            planes: OnceLock::new(),
        }
    }
}

/// Most bytes of the cells of columns that are read together, where nothing of them is kept.
const LENT_BYTES: usize = 8 << 20;

/// Appends the cells of some rows of a column to a list.
type ReadCells<'r, T> = &'r (dyn Fn(&[u32], usize, &mut Vec<T>) + Sync);

/// Some columns of `value(row, column)`, with their rows in the order of `original`.
// Inlined into the closure of a job, the loop reads the strides of `value` for every cell.
#[inline(never)]
fn read_columns<T>(
    original: &[u32],
    columns: Range<usize>,
    read: ReadCells<'_, T>,
    control: &Control,
) -> Result<Vec<Vec<T>>> {
    let mut block: Vec<Vec<T>> =
        columns.clone().map(|_| Vec::with_capacity(original.len())).collect();
    // 64 rows at a time, so that the cells of a row are read while they are in the cache.
    for tile in original.chunks(64) {
        control.check()?;
        for (column, values) in columns.clone().zip(&mut block) {
            read(tile, column, values);
        }
    }
    Ok(block)
}

/// Builds a [`Dataset`], column by column.
#[derive(Debug)]
pub struct DatasetBuilder<'a> {
    schema: Schema,
    columns: Vec<Column<'a>>,
    classes: Vec<u16>,
    class_starts: Vec<u32>,
    original: Arc<Vec<u32>>,
    target: Option<Target>,
}

impl<'a> DatasetBuilder<'a> {
    /// A builder without columns, from the class code of each original row.
    ///
    /// # Errors
    /// With 2^31 rows or more, or a code that is not that of a declared class.
    pub fn new(schema: Schema, codes: &[u16]) -> Result<Self> {
        let (n, k) = (codes.len(), schema.classes.len());
        // An entry of a sorted order has 31 bits for the row.
        if n as u64 >= 1 << 31 {
            return Err(Error::Data(format!("{n} rows: at most 2,147,483,647 are supported")));
        }
        // A counting sort of the rows by class.
        let mut class_starts = vec![0_u32; k + 1];
        for &c in codes {
            if c as usize >= k {
                return Err(Error::Internal(format!("class code {c} of {k} classes")));
            }
            class_starts[c as usize + 1] += 1;
        }
        for c in 0..k {
            class_starts[c + 1] += class_starts[c];
        }
        let mut next = class_starts.clone();
        let mut original = vec![0; n];
        let mut classes = vec![0; n];
        for (i, &c) in codes.iter().enumerate() {
            let place = next[c as usize];
            next[c as usize] += 1;
            original[place as usize] = i as u32;
            classes[place as usize] = c;
        }
        let (target, original) = (None, original.into());
        Ok(Self { schema, columns: Vec::new(), classes, class_starts, original, target })
    }

    /// A builder without columns, from the number that each original row has as its target. Rows
    /// are sorted by it.
    ///
    /// # Errors
    /// With 2^31 rows or more, or a number that [`Target::grid_of`] refuses.
    pub fn of_numbers(schema: Schema, numbers: &[f64]) -> Result<Self> {
        let grid = Target::grid_of(&schema.target, numbers)?;
        let one_class = Schema { classes: vec![Label::Int(0)], ..schema };
        let mut built = Self::new(one_class, &vec![0; numbers.len()])?;
        built.schema.classes.clear();
        let order: Vec<u32> = sorted_entries(numbers).into_iter().map(entry_row).collect();
        let sorted: Vec<f64> = order.iter().map(|&row| numbers[row as usize]).collect();
        built.original = order.into();
        built.target = Some(Target::new(grid, sorted));
        Ok(built)
    }

    /// Add `count` numeric columns whose cells lie side by side; `value(row, column)` reads a cell.
    /// With a `lender` numbers stay there, except in columns with missing values.
    ///
    /// # Errors
    /// [`Error::Data`] names the column and row of an infinite cell.
    pub fn numeric_block<T: Copy + Into<f64>>(
        &mut self,
        count: usize,
        value: impl Fn(usize, usize) -> T + Sync,
        lender: Option<Lender<'a>>,
        control: &Control,
    ) -> Result<()> {
        let read = |rows: &[u32], column: usize, out: &mut Vec<T>| {
            out.extend(rows.iter().map(|&row| value(row as usize, column)));
        };
        self.read_numeric_block(count, &read, lender, control)
    }

    /// [`Self::numeric_block`], not generic in the way in which cells are read.
    fn read_numeric_block<T: Copy + Into<f64>>(
        &mut self,
        count: usize,
        read: ReadCells<'_, T>,
        lender: Option<Lender<'a>>,
        control: &Control,
    ) -> Result<()> {
        let made = self.columns.len();
        // One pass over the rows for each thread; some columns at a time if nothing of them is
        // kept.
        let together = match lender {
            Some(_) => {
                let fit = LENT_BYTES / (self.original.len() * size_of::<T>()).max(1);
                count.div_ceil(8).min(16).min(fit)
            }
            None => count.div_ceil(control.threads()),
        };
        let together = together.max(1);
        let columns = parallel::collect(control, count.div_ceil(together), &|group| {
            let columns = group * together..count.min((group + 1) * together);
            let block = read_columns(&self.original, columns.clone(), read, control)?;
            // The order of a lent column takes the place of its float32 numbers.
            let columns = columns.zip(block).map(|(column, cells)| {
                control.check()?;
                let feature = made + column;
                self.refuse_infinite(feature, &cells)?;
                let is_missing = |&cell: &T| cell.into().is_nan();
                Ok(Column::Numeric(match lender {
                    Some(lender) if !cells.iter().any(is_missing) => {
                        let order = lender.sorts.then(|| sorted_entries(&cells));
                        NumericColumn::lent(lender.source, feature, self.original.clone(), order)
                    }
                    _ => NumericColumn::new(cells.into_iter().map(Into::into).collect()),
                }))
            });
            columns.collect::<Result<Vec<_>>>()
        })?;
        self.columns.extend(columns);
        Ok(())
    }

    fn refuse_infinite<T: Copy + Into<f64>>(&self, feature: usize, cells: &[T]) -> Result<()> {
        // Chunks are looked at without a branch per value, of which the compiler makes vectors.
        let is_infinite = |cell: &T| (*cell).into().is_infinite();
        let any = |chunk: &[T]| chunk.iter().fold(false, |any, cell| any | is_infinite(cell));
        if cells.chunks(1024).any(any)
            && let Some(at) = cells.iter().position(is_infinite)
        {
            return Err(Error::Data(format!(
                "Input X contains infinity or a value too large: column '{}', row {}, value {}; \
                 replace it by a number or NaN",
                self.schema.features[feature].name,
                self.original[at],
                cells[at].into()
            )));
        }
        Ok(())
    }

    /// Add nominal columns whose cells lie side by side, with at most 255 levels each and without
    /// missing values; `code(row, column)` reads a cell, and `levels` has the levels of each
    /// column.
    ///
    /// # Errors
    /// [`Error::Data`] names the column and row of a code without a level.
    pub fn nominal_block(
        &mut self,
        levels: &[usize],
        code: impl Fn(usize, usize) -> u8,
        control: &Control,
    ) -> Result<()> {
        let mut block: Vec<Vec<u8>> =
            levels.iter().map(|_| Vec::with_capacity(self.original.len())).collect();
        for tile in self.original.chunks(64) {
            control.check()?;
            for (column, codes) in block.iter_mut().enumerate() {
                codes.extend(tile.iter().map(|&row| code(row as usize, column)));
            }
        }
        for (&levels, codes) in levels.iter().zip(block) {
            let highest = codes.iter().copied().max();
            if let Some(code) = highest.filter(|&code| usize::from(code) >= levels) {
                let at = codes.iter().position(|&c| c == code).map_or(0, |at| self.original[at]);
                return Err(self.undeclared(at, u32::from(code), levels));
            }
            self.columns.push(Column::Nominal(NominalColumn::narrow(levels, codes)));
        }
        Ok(())
    }

    /// The error of a code of the next column that has no level.
    fn undeclared(&self, row: u32, code: u32, levels: usize) -> Error {
        Error::Data(format!(
            "column '{}', row {row}: code {code}, but only {levels} levels are declared",
            self.schema.features[self.columns.len()].name,
        ))
    }

    /// Add a nominal column; `code(row)` reads a cell, and a negative code is missing.
    ///
    /// # Errors
    /// [`Error::Data`] names the column and row of a code without a level.
    pub fn nominal(&mut self, levels: usize, code: impl Fn(usize) -> i64) -> Result<()> {
        let read = |row: u32| match code(row as usize) {
            c if c < 0 => MISSING,
            c => c.min(i64::from(MISSING - 1)) as u32,
        };
        let column = NominalColumn::new(levels, self.original.iter().map(|&row| read(row)));
        let wrong = |&row: &u32| (read(row) as usize) >= levels && read(row) != MISSING;
        if let Some(&row) = self.original.iter().find(|row| wrong(row)) {
            return Err(self.undeclared(row, read(row), levels));
        }
        self.columns.push(Column::Nominal(column));
        Ok(())
    }

    /// The finished data set.
    pub fn finish(self) -> Result<Dataset<'a>> {
        if self.columns.len() != self.schema.features.len() {
            return Err(Error::Internal("columns and schema differ".into()));
        }
        Ok(Dataset {
            schema: self.schema.into(),
            columns: self.columns,
            classes: self.classes,
            class_starts: self.class_starts,
            original: self.original,
            internal: OnceLock::new(),
            target: self.target,
            planes: OnceLock::new(),
        })
    }
}

impl RowSource for Dataset<'_> {
    fn numbers(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [f64]) {
        let Column::Numeric(column) = &self.columns()[feature] else { return out.fill(f64::NAN) };
        column.read(rows, first, out);
    }

    fn codes(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [u32]) {
        let Column::Nominal(column) = &self.columns()[feature] else { return out.fill(MISSING) };
        for (i, code) in out.iter_mut().enumerate() {
            *code = column.code(rows.row(first + i) as u32);
        }
    }
}

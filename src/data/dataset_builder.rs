//! Encodes the user's arrays as a [`Dataset`] ([`DatasetBuilder`]).
//!
//! Columns are read through closures, and each cell is written once, to the place of its internal
//! row. O(cells); nothing is copied twice. Columns whose cells lie side by side in memory are read
//! together, some rows at a time.

use super::source::Lender;
use super::{
    Column, Dataset, Label, MISSING, NominalColumn, NumericColumn, Schema, Target, entry_row,
    sorted_entries,
};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Rows that are read from each column in turn, so that the cells of a row are read while they are
/// in the cache.
const TILE_ROWS: usize = 64;

/// Most bytes of the cells of columns that are read together if they are sorted and then dropped.
const LENT_BYTES: usize = 8 << 20;

/// Most columns that are read together if they are sorted and then dropped.
const MOST_LENT: usize = 16;

/// Appends the cells of some rows (numbers of the source) of a column to a list.
type ReadCells<'r, T> = &'r (dyn Fn(&[u32], usize, &mut Vec<T>) + Sync);

/// The cells of some columns, column by column, with rows in the order of `original`.
///
/// `read` appends the cells of a tile of rows of one column.
///
/// # Errors
/// [`Error::Cancelled`].
// Inlined into the closure of a job, the loop would load the strides of the caller's array again
// for every cell.
#[inline(never)]
fn read_columns<T>(
    original: &[u32],
    columns: Range<usize>,
    read: ReadCells<'_, T>,
    control: &Control,
) -> Result<Vec<Vec<T>>> {
    let mut block: Vec<Vec<T>> =
        columns.clone().map(|_| Vec::with_capacity(original.len())).collect();
    for tile in original.chunks(TILE_ROWS) {
        control.check()?;
        for (column, cells) in columns.clone().zip(&mut block) {
            read(tile, column, cells);
        }
    }
    Ok(block)
}

/// Builds a [`Dataset`]: it is made from the target, gets its columns in the order of the schema,
/// and is then finished.
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
    /// [`Error::Data`] with 2^31 rows or more; [`Error::Internal`] for a code without a declared
    /// class.
    pub fn new(schema: Schema, codes: &[u16]) -> Result<Self> {
        let (n_rows, n_classes) = (codes.len(), schema.classes.len());
        // An entry of a sorted order has 31 bits for the row.
        if n_rows as u64 >= 1 << 31 {
            return Err(Error::Data(format!("{n_rows} rows: at most 2,147,483,647 are supported")));
        }
        // A counting sort of the rows by class.
        let mut class_starts = vec![0_u32; n_classes + 1];
        for &class in codes {
            if class as usize >= n_classes {
                return Err(Error::Internal(format!("class code {class} of {n_classes} classes")));
            }
            class_starts[class as usize + 1] += 1;
        }
        for class in 0..n_classes {
            class_starts[class + 1] += class_starts[class];
        }
        let mut next_row = class_starts.clone();
        let mut original = vec![0; n_rows];
        let mut classes = vec![0; n_rows];
        for (original_row, &class) in codes.iter().enumerate() {
            let internal_row = next_row[class as usize] as usize;
            next_row[class as usize] += 1;
            original[internal_row] = original_row as u32;
            classes[internal_row] = class;
        }
        let (target, original) = (None, original.into());
        Ok(Self { schema, columns: Vec::new(), classes, class_starts, original, target })
    }

    /// A builder without columns, from the number that each original row has as its target. Rows
    /// are sorted by it. The schema's classes are ignored: there are none.
    ///
    /// # Errors
    /// [`Error::Data`] with 2^31 rows or more, or for numbers that [`Target::grid_of`] refuses.
    pub fn for_numeric_target(schema: Schema, numbers: &[f64]) -> Result<Self> {
        let grid = Target::grid_of(&schema.target, numbers)?;
        let one_class = Schema { classes: vec![Label::Int(0)], ..schema };
        let mut builder = Self::new(one_class, &vec![0; numbers.len()])?;
        builder.schema.classes.clear();
        let order: Vec<u32> = sorted_entries(numbers).into_iter().map(entry_row).collect();
        let sorted: Vec<f64> = order.iter().map(|&row| numbers[row as usize]).collect();
        builder.original = order.into();
        builder.target = Some(Target::new(grid, sorted));
        Ok(builder)
    }

    /// Add `count` numeric columns whose cells lie side by side.
    ///
    /// `value(row, column)` reads a cell, where `column` counts from the first one that is added.
    /// With a `lender`, numbers stay in its table, except for columns with missing values, which
    /// are copied.
    ///
    /// # Errors
    /// [`Error::Data`] names the column and row of an infinite cell; [`Error::Cancelled`].
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

    /// [`Self::numeric_block`] with a dynamic call per tile, so that it is not compiled for each
    /// way to read a cell.
    fn read_numeric_block<T: Copy + Into<f64>>(
        &mut self,
        count: usize,
        read: ReadCells<'_, T>,
        lender: Option<Lender<'a>>,
        control: &Control,
    ) -> Result<()> {
        let first_feature = self.columns.len();
        // How many columns a thread reads in one pass over the rows.
        let n_together = match lender {
            // Nothing of these cells is kept, so few columns at a time save memory; eight groups
            // or more also keep all threads busy.
            Some(_) => {
                let column_bytes = self.original.len() * size_of::<T>();
                count.div_ceil(8).min(MOST_LENT).min(LENT_BYTES / column_bytes.max(1))
            }
            None => count.div_ceil(control.threads()),
        };
        let n_together = n_together.max(1);
        let columns = parallel::collect(control, count.div_ceil(n_together), &|group| {
            let columns = group * n_together..count.min((group + 1) * n_together);
            let block = read_columns(&self.original, columns.clone(), read, control)?;
            // Cells are dropped column by column: the order of a lent column takes the place of
            // its float32 numbers.
            let columns = columns.zip(block).map(|(column, cells)| {
                control.check()?;
                self.numeric_column(first_feature + column, cells, lender)
            });
            columns.collect::<Result<Vec<_>>>()
        })?;
        self.columns.extend(columns);
        Ok(())
    }

    /// The column of `feature` from its cells by internal row, or lent from the lender's table.
    fn numeric_column<T: Copy + Into<f64>>(
        &self,
        feature: usize,
        cells: Vec<T>,
        lender: Option<Lender<'a>>,
    ) -> Result<Column<'a>> {
        self.refuse_infinite(feature, &cells)?;
        let is_missing = |&cell: &T| cell.into().is_nan();
        Ok(Column::Numeric(match lender {
            Some(lender) if !cells.iter().any(is_missing) => {
                let order = lender.sorts.then(|| sorted_entries(&cells));
                NumericColumn::from_lender(lender.source, feature, self.original.clone(), order)
            }
            _ => NumericColumn::new(cells.into_iter().map(Into::into).collect()),
        }))
    }

    /// The error of the first infinite cell, if there is one.
    fn refuse_infinite<T: Copy + Into<f64>>(&self, feature: usize, cells: &[T]) -> Result<()> {
        // Without a branch per value, the compiler tests a chunk with vector instructions.
        let is_infinite = |cell: &T| (*cell).into().is_infinite();
        let any_infinite =
            |chunk: &[T]| chunk.iter().fold(false, |any, cell| any | is_infinite(cell));
        if cells.chunks(1024).any(any_infinite)
            && let Some(row) = cells.iter().position(is_infinite)
        {
            return Err(Error::Data(format!(
                "Input X contains infinity or a value too large: column '{}', row {}, value {}; \
                 replace it by a number or NaN",
                self.schema.features[feature].name,
                self.original[row],
                cells[row].into()
            )));
        }
        Ok(())
    }

    /// Add nominal columns whose cells lie side by side, with at most 255 levels each and without
    /// missing values.
    ///
    /// `n_levels` has the number of levels of each column, and `code(row, column)` reads a cell.
    ///
    /// # Errors
    /// [`Error::Data`] names the column and row of a code without a level; [`Error::Cancelled`].
    pub fn nominal_block(
        &mut self,
        n_levels: &[usize],
        code: impl Fn(usize, usize) -> u8 + Sync,
        control: &Control,
    ) -> Result<()> {
        let read = |rows: &[u32], column: usize, out: &mut Vec<u8>| {
            out.extend(rows.iter().map(|&row| code(row as usize, column)));
        };
        let block = read_columns(&self.original, 0..n_levels.len(), &read, control)?;
        for (&n_levels, codes) in n_levels.iter().zip(block) {
            // A maximum is found with vector instructions, so the row is looked for only on error.
            let highest = codes.iter().copied().max();
            if let Some(highest) = highest.filter(|&code| usize::from(code) >= n_levels)
                && let Some(row) = codes.iter().position(|&code| code == highest)
            {
                return Err(self.undeclared(self.original[row], u32::from(highest), n_levels));
            }
            self.columns.push(Column::Nominal(NominalColumn::from_bytes(n_levels, codes)));
        }
        Ok(())
    }

    /// The error of a code of the next column that has no level.
    fn undeclared(&self, row: u32, code: u32, n_levels: usize) -> Error {
        Error::Data(format!(
            "column '{}', row {row}: code {code}, but only {n_levels} levels are declared",
            self.schema.features[self.columns.len()].name,
        ))
    }

    /// Add a nominal column; `code(row)` reads a cell, and a negative code is missing.
    ///
    /// # Errors
    /// [`Error::Data`] names the column and row of a code without a level.
    pub fn nominal(&mut self, n_levels: usize, code: impl Fn(usize) -> i64) -> Result<()> {
        // A code beyond 32 bits has no level either; it must not become the code of missing values.
        let read = |row: u32| match code(row as usize) {
            code if code < 0 => MISSING,
            code => code.min(i64::from(MISSING - 1)) as u32,
        };
        let column = NominalColumn::new(n_levels, self.original.iter().map(|&row| read(row)));
        let is_undeclared = |&row: &u32| (read(row) as usize) >= n_levels && read(row) != MISSING;
        if let Some(&row) = self.original.iter().find(|row| is_undeclared(row)) {
            return Err(self.undeclared(row, read(row), n_levels));
        }
        self.columns.push(Column::Nominal(column));
        Ok(())
    }

    /// The finished data set.
    ///
    /// # Errors
    /// [`Error::Internal`] unless there is a column for each feature of the schema.
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

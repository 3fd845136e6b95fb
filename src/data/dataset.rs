//! The encoded training set ([`Dataset`]), which is made once per fit by a
//! [`super::DatasetBuilder`].
//!
//! It has the columns, the classes or the numeric target, and the caller's number of each row.
//! Data sets that are made from another one (a bootstrap sample, some features, binned columns)
//! share what stays the same with it.

use super::source::{RowChoice, RowSource};
use super::{
    Bins, Column, DrawnRows, Label, MISSING, NominalColumn, NumericColumn, Planes, Schema, Target,
    Weights,
};
use crate::error::Result;
use crate::parallel::{self, Control};
use std::sync::{Arc, OnceLock};

/// A training set: columns, and classes or a numeric target, by internal row. It is made once per
/// fit and only read after that.
#[derive(Debug)]
pub struct Dataset<'a> {
    pub(super) schema: Arc<Schema>,
    pub(super) columns: Vec<Column<'a>>,
    /// Class of each internal row.
    pub(super) classes: Vec<u16>,
    /// First internal row of each class, then the number of rows.
    pub(super) class_starts: Vec<u32>,
    /// Original number of each internal row.
    pub(super) original: Arc<Vec<u32>>,
    /// Internal number of each original row, made on first use.
    pub(super) internal: OnceLock<Vec<u32>>,
    /// The numbers of the rows, where the target is numeric: there is one class then.
    pub(super) target: Option<Target>,
    /// Made on first use; None where the columns have no bit planes.
    pub(super) planes: OnceLock<Option<Planes>>,
}

impl<'a> Dataset<'a> {
    /// Bit planes, made on first use; None unless all features are nominal with at most 255 levels
    /// and no missing values.
    pub fn planes(&self) -> Option<&Planes> {
        self.planes.get_or_init(|| Planes::new(&self.columns, &self.class_starts)).as_ref()
    }

    /// Names, kinds and levels of the features, and the classes. Columns are in the order of the
    /// features, and class codes are positions in the list of classes, which is empty for a numeric
    /// target.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The schema, shared, for a model to keep. The model outlives the data set, and all trees of a
    /// forest share one schema.
    pub fn shared_schema(&self) -> Arc<Schema> {
        self.schema.clone()
    }

    /// Number of rows. A bootstrap sample counts a row as often as it was drawn.
    pub fn len(&self) -> usize {
        self.original.len()
    }

    /// Whether the data set has no rows.
    pub fn is_empty(&self) -> bool {
        self.original.is_empty()
    }

    /// The columns in feature order. Each has one cell per internal row.
    pub fn columns(&self) -> &[Column<'a>] {
        &self.columns
    }

    /// Class codes by internal row (ascending, because rows are sorted by class). All codes are 0
    /// if the target is numeric.
    pub fn classes(&self) -> &[u16] {
        &self.classes
    }

    /// The numeric target; `None` for classes.
    pub fn target(&self) -> Option<&Target> {
        self.target.as_ref()
    }

    /// Weights, rounded so that sums of weights times the numbers of the target are exact. Weights
    /// of classes, whose sums are exact as they are, come back unchanged.
    ///
    /// # Errors
    /// [`crate::error::Error::Data`] for a weight that such a sum would lose.
    pub fn round_weights_for_target(&self, weights: Weights) -> Result<Weights> {
        match self.target {
            Some(_) => weights.coarser(&|row| self.original[row] as usize),
            None => Ok(weights),
        }
    }

    /// Number of declared classes; 1 for a numeric target.
    pub fn n_classes(&self) -> usize {
        self.class_starts.len() - 1
    }

    /// Internal rows of class `c` are `class_starts()[c]..class_starts()[c + 1]`. The range of a
    /// declared class without rows is empty.
    pub fn class_starts(&self) -> &[u32] {
        &self.class_starts
    }

    /// Original number of each internal row: its position in the caller's table. In a bootstrap
    /// sample, several rows may have the same number.
    pub fn original(&self) -> &[u32] {
        &self.original
    }

    /// A copy of internal row numbers, sorted by the original numbers of the rows. It serves
    /// results that are defined in the caller's order, such as folds, held-out rows and ties
    /// between neighbours. O(rows log rows).
    pub fn in_original_order(&self, rows: &[u32]) -> Vec<u32> {
        let mut rows = rows.to_vec();
        rows.sort_unstable_by_key(|&row| self.original[row as usize]);
        rows
    }

    /// Internal number of each original row; empty in a bootstrap sample.
    pub fn internal(&self) -> &[u32] {
        self.internal.get_or_init(|| {
            let mut internal = vec![0; self.len()];
            for (internal_row, &original_row) in (0..).zip(self.original()) {
                internal[original_row as usize] = internal_row;
            }
            internal
        })
    }

    /// Sort all numeric columns now, in parallel; in a bootstrap sample, those that it was drawn
    /// from. Without it each column is sorted when its order is first asked for.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
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

    /// Copy the numbers that lent columns read from the caller's table, for a job that reads them
    /// often. Columns that are already in memory stay as they are; a copy takes 8 bytes per number.
    pub fn copy_lent_numbers(&self) {
        for column in &self.columns {
            if let Column::Numeric(c) = column {
                c.values();
            }
        }
    }

    /// The data set with only `features`, in the order in which they are listed. The numbers and
    /// orders of numeric columns are shared; codes and classes are copied.
    pub fn select(&self, features: &[usize]) -> Self {
        let mut schema = (*self.schema).clone();
        schema.features = features.iter().map(|&f| self.schema.features[f].clone()).collect();
        let columns = features.iter().map(|&f| self.columns[f].clone()).collect();
        self.with_columns(schema, columns)
    }

    /// The bootstrap sample of a draw: each drawn row is an internal row, so that several may have
    /// one original row. Numbers are shared with this data set, which must not be a sample itself.
    pub fn bootstrap_sample(&self, draw: &Arc<DrawnRows>) -> Self {
        let columns = self.columns().iter().map(|column| match column {
            Column::Numeric(c) => Column::Numeric(c.draw(draw)),
            Column::Nominal(c) => Column::Nominal(c.draw(draw)),
        });
        let class_starts = self.class_starts().iter().map(|&start| draw.first(start)).collect();
        let classes = draw.rows().iter().map(|&row| self.classes()[row as usize]).collect();
        let original = draw.rows().iter().map(|&row| self.original()[row as usize]).collect();
        Self {
            target: self.target.as_ref().map(|target| target.select(draw.rows())),
            ..self.with_rows(columns.collect(), classes, class_starts, original)
        }
    }

    /// A copy of some rows of a numeric target, which gets a grid that fits these rows alone.
    /// `rows` ascend by their number, because growth expects rows in this order. O(their cells).
    pub fn rows_on_own_grid(&self, rows: &[u32]) -> Self {
        let columns = self.columns.iter().map(|column| match column {
            Column::Numeric(c) => {
                Column::Numeric(NumericColumn::new(rows.iter().map(|&r| c.value(r)).collect()))
            }
            Column::Nominal(c) => {
                Column::Nominal(NominalColumn::new(c.levels(), rows.iter().map(|&r| c.code(r))))
            }
        });
        let original = rows.iter().map(|&row| self.original[row as usize]).collect();
        let (classes, class_starts) = (vec![0; rows.len()], vec![0, rows.len() as u32]);
        Self {
            target: self.target.as_ref().map(|target| target.rows_on_own_grid(rows)),
            ..self.with_rows(columns.collect(), classes, class_starts, original)
        }
    }

    /// The features with other rows and without a numeric target, which the caller adds. An
    /// original row may be there several times or not at all, so that no list of internal numbers
    /// is made.
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

    /// The rows of a numeric target with classes in its place: the bin of each number. The classes
    /// are labelled 0, 1, and so on.
    pub fn with_target_bins(&self, bins: &Bins) -> Self {
        // Without a numeric target, all rows are in the first class.
        let bin_of =
            |row: u32| self.target.as_ref().map_or(0, |target| bins.bin(target.value(row)));
        // Rows are sorted by their numbers and hence by bin.
        let classes: Vec<u16> = (0..self.len() as u32).map(|row| bin_of(row) as u16).collect();
        let class_starts = (0..=bins.len() as u32)
            .map(|bin| classes.partition_point(|&class| u32::from(class) < bin) as u32)
            .collect();
        let labels = (0..bins.len() as i64).map(Label::Int).collect();
        Self {
            schema: Schema { classes: labels, ..(*self.schema).clone() }.into(),
            internal: self.internal.clone(),
            original: self.original.clone(),
            ..self.with_rows(self.columns.clone(), classes, class_starts, Vec::new())
        }
    }

    /// The rows and classes with other columns (binned or imputed), which `schema` describes. Each
    /// column must have one cell per internal row, in this order: that is not checked.
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

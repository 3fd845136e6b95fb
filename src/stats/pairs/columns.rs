//! Copies the nominal columns of a data set into the codes that a pass over pairs reads; a missing
//! cell is a value of its own.
//!
//! Used by the Python bindings and by cross-validation, which count pairs of a whole data set; the
//! nodes of a tree are coded already ([`super::PairNodeRows`]). O(rows x features), one byte per
//! cell where the codes fit, else two.

use super::input::{CodeCells, CodeColumn, CodeTable, REMEDY, SlotRows, WHAT};
use super::plan::{PairShape, PassShape};
use crate::data::{self, Dataset, MISSING};
use crate::error::{Error, Result};
use crate::memory::Budget;
use crate::simd::Kernels;
use std::borrow::Cow;

/// Codes of all columns of a data set.
pub struct NominalColumns {
    columns: Vec<OwnedColumn>,
}

/// The codes of one column, and its number of values.
struct OwnedColumn {
    codes: CodeCells<'static>,
    levels: usize,
}

/// Number of values of a column, one more where cells are missing.
fn levels(column: &data::Column) -> usize {
    match column {
        data::Column::Nominal(c) => (c.levels() + usize::from(c.n_missing() > 0)).max(1),
        data::Column::Numeric(_) => 1,
    }
}

impl NominalColumns {
    /// Copy the codes, for a pass over the pairs (i, j) with j any row and i any row, or one of
    /// `from` rows.
    ///
    /// # Errors
    /// [`Error::Data`] naming a numeric column; [`Error::Need`] where memory does not suffice for
    /// the codes and the pass.
    pub fn new(budget: Budget, data: &Dataset, from: Option<usize>) -> Result<Self> {
        // Refuse what will not fit, the pass included, before the copy.
        let (rows, features) = (data.len(), data.columns().len());
        let width = |c: &data::Column| if levels(c) <= 256 { 1 } else { 2 };
        let bytes = rows.saturating_mul(data.columns().iter().map(width).sum());
        let slots = data.columns().iter().map(levels).sum();
        let shape = PairShape::of_rows(rows, features, slots, data.n_classes());
        let pass = PassShape::unknown_rows(Kernels::active(), shape).least_with_columns(from);
        let gathered = SlotRows::need(rows, features, pass);
        budget.admit_first(WHAT, [bytes, bytes.saturating_add(gathered)], REMEDY)?;
        let columns = data.columns().iter().zip(&data.schema().features).map(|(column, feature)| {
            let data::Column::Nominal(c) = column else {
                return Err(Error::Data(format!(
                    "column '{}' is numeric: pairs are counted over nominal columns; bin it first",
                    feature.name
                )));
            };
            let levels = levels(column);
            let codes = (0..c.len() as u32).map(|r| match c.code(r) {
                MISSING => c.levels() as u32,
                code => code,
            });
            let codes = match levels <= 256 {
                true => CodeCells::U8(Cow::Owned(codes.map(|c| c as u8).collect())),
                false => CodeCells::U16(Cow::Owned(codes.map(|c| c as u16).collect())),
            };
            Ok(OwnedColumn { codes, levels })
        });
        Ok(Self { columns: columns.collect::<Result<_>>()? })
    }

    /// Bytes of the codes. They stay in memory during a pass, so the caller takes them off the
    /// memory that the pass may use.
    pub fn held(&self) -> usize {
        let bytes = |column: &OwnedColumn| match &column.codes {
            CodeCells::U8(codes) => codes.len(),
            CodeCells::U16(codes) => 2 * codes.len(),
        };
        self.columns.iter().map(bytes).sum()
    }

    /// The columns with the classes of `data` and with `weights`, numbers of copies per row.
    ///
    /// # Errors
    /// As [`CodeTable::new`].
    pub fn codes<'a>(
        &'a self,
        data: &'a Dataset,
        weights: Option<&'a [u32]>,
    ) -> Result<CodeTable<'a>> {
        let column = |column: &'a OwnedColumn| CodeColumn {
            values: column.codes.values(),
            levels: column.levels,
        };
        let columns = self.columns.iter().map(column).collect();
        CodeTable::new(columns, data.classes(), data.n_classes(), weights)
    }
}

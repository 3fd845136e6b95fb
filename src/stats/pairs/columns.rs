//! The nominal columns of a data set as the pass reads them: a missing cell is one more value.
//!
//! Codes are copied once, in a byte where they fit. O(rows x features).

use super::input::{CodeColumn, CodeTable, CodeValues, REMEDY, SlotRows, WHAT};
use super::plan::PassShape;
use crate::data::{self, Dataset, MISSING};
use crate::error::{Error, Result};
use crate::memory::Budget;
use crate::simd::Kernels;

enum Owned {
    U8(Vec<u8>),
    U16(Vec<u16>),
}

/// Codes of all columns.
pub struct NominalColumns {
    columns: Vec<(Owned, usize)>,
}

impl NominalColumns {
    /// Copy the codes, for pairs of all rows, or of `columns` rows with all.
    ///
    /// # Errors
    /// [`Error::Data`] naming a numeric column; [`Error::Need`] where memory does not suffice for
    /// the codes.
    pub fn new(budget: Budget, data: &Dataset, columns: Option<usize>) -> Result<Self> {
        let levels = |c: &data::Column| match c {
            data::Column::Nominal(c) => (c.levels() + usize::from(c.n_missing() > 0)).max(1),
            data::Column::Numeric(_) => 1,
        };
        let (rows, features) = (data.len(), data.columns().len());
        let width = |c: &data::Column| if levels(c) <= 256 { 1 } else { 2 };
        let bytes = rows.saturating_mul(data.columns().iter().map(width).sum());
        let slots = data.columns().iter().map(levels).sum();
        let shape = PassShape::of_rows(Kernels::active(), rows, features, slots, data.n_classes());
        let gathered = SlotRows::need(rows, features, shape.with_columns(columns));
        budget.admit_first(WHAT, [bytes, bytes.saturating_add(gathered)], REMEDY)?;
        let columns = data.columns().iter().zip(&data.schema().features).map(|(column, feature)| {
            let data::Column::Nominal(c) = column else {
                return Err(Error::Data(format!(
                    "column '{}' is numeric: pairs are counted over nominal columns; bin it first",
                    feature.name
                )));
            };
            let levels = (c.levels() + usize::from(c.n_missing() > 0)).max(1);
            let codes = (0..c.len() as u32).map(|r| match c.code(r) {
                MISSING => c.levels() as u32,
                code => code,
            });
            let owned = match levels <= 256 {
                true => Owned::U8(codes.map(|c| c as u8).collect()),
                false => Owned::U16(codes.map(|c| c as u16).collect()),
            };
            Ok((owned, levels))
        });
        Ok(Self { columns: columns.collect::<Result<_>>()? })
    }

    /// Bytes of the codes.
    pub fn held(&self) -> usize {
        let bytes = |(owned, _): &(Owned, usize)| match owned {
            Owned::U8(codes) => codes.len(),
            Owned::U16(codes) => 2 * codes.len(),
        };
        self.columns.iter().map(bytes).sum()
    }

    /// With classes and whole weights.
    ///
    /// # Errors
    /// As [`CodeTable::new`].
    pub fn codes<'a>(
        &'a self,
        data: &'a Dataset,
        weights: Option<&'a [u32]>,
    ) -> Result<CodeTable<'a>> {
        let column = |(owned, levels): &'a (Owned, usize)| CodeColumn {
            values: match owned {
                Owned::U8(c) => CodeValues::U8(c),
                Owned::U16(c) => CodeValues::U16(c),
            },
            levels: *levels,
        };
        CodeTable::new(
            self.columns.iter().map(column).collect(),
            data.classes(),
            data.n_classes(),
            weights,
        )
    }
}

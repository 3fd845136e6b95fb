//! One encoded feature of a data set: a column of numbers or a column of codes.

use super::nominal_column::NominalColumn;
use super::numeric_column::NumericColumn;

/// One feature, encoded.
#[derive(Debug, Clone)]
pub enum Column<'a> {
    /// Numbers.
    Numeric(NumericColumn<'a>),
    /// Codes.
    Nominal(NominalColumn),
}

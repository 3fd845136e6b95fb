//! One encoded feature of a data set ([`Column`]), and the columns of codes.

use super::drawn_rows::DrawnRows;
use super::numeric_column::NumericColumn;

/// One feature, encoded.
#[derive(Debug, Clone)]
pub enum Column<'a> {
    /// Numbers.
    Numeric(NumericColumn<'a>),
    /// Codes.
    Nominal(NominalColumn),
}

/// Code of a missing nominal value in a [`NominalColumn`].
pub const MISSING: u32 = u32::MAX;

/// The byte of a missing value, and so the largest number of levels whose codes fit a byte.
const MISSING_BYTE: u8 = u8::MAX;

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
    n_levels: usize,
    n_missing: usize,
}

impl NominalColumn {
    /// A column from codes, each below `n_levels` or [`MISSING`]. Other codes are not looked for:
    /// the caller refuses them.
    pub fn new(n_levels: usize, codes: impl ExactSizeIterator<Item = u32>) -> Self {
        let mut n_missing = 0;
        let codes = codes.inspect(|&code| n_missing += usize::from(code == MISSING));
        let codes = if n_levels <= usize::from(MISSING_BYTE) {
            let byte = |code| if code == MISSING { MISSING_BYTE } else { code as u8 };
            Codes::Narrow(codes.map(byte).collect())
        } else {
            Codes::Wide(codes.collect())
        };
        Self { codes, n_levels, n_missing }
    }

    /// A column from one byte per row: codes below `n_levels`, which is at most 255, without
    /// missing values.
    pub fn from_bytes(n_levels: usize, codes: Vec<u8>) -> Self {
        Self { codes: Codes::Narrow(codes), n_levels, n_missing: 0 }
    }

    /// The code of a row, or [`MISSING`]. Both widths of codes are read as `u32`; a loop over all
    /// rows is faster over [`Self::codes`].
    #[inline]
    pub fn code(&self, row: u32) -> u32 {
        match &self.codes {
            Codes::Narrow(codes) => match codes[row as usize] {
                MISSING_BYTE => MISSING,
                code => u32::from(code),
            },
            Codes::Wide(codes) => codes[row as usize],
        }
    }

    /// The codes by internal row, in the width in which they are stored. A loop over all rows
    /// chooses between the two widths once instead of at every row.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// Number of declared levels, whether or not they occur. Missing values are not a level.
    pub fn levels(&self) -> usize {
        self.n_levels
    }

    /// Number of missing values. They are counted when the column is made, so a reader learns in
    /// O(1) that it need not look for missing values.
    #[inline]
    pub fn n_missing(&self) -> usize {
        self.n_missing
    }

    /// A copy of the rows of the column that were drawn.
    pub(super) fn draw(&self, draw: &DrawnRows) -> Self {
        Self::new(self.n_levels, draw.rows().iter().map(|&row| self.code(row)))
    }

    /// Number of rows, including the rows whose value is missing. All columns of a data set have as
    /// many.
    pub fn len(&self) -> usize {
        match &self.codes {
            Codes::Narrow(codes) => codes.len(),
            Codes::Wide(codes) => codes.len(),
        }
    }

    /// Whether the column has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

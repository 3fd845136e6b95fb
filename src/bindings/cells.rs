//! The caller's columns as a [`RowSource`].
//!
//! The routes on codes ([`crate::bins`]) read the columns one by one, without an encoded copy, and
//! data sets may read their numbers from here instead of a copy ([`crate::data::Lender`]).

use super::convert::{ArrayView, Columns};
use crate::data::{MISSING, RowChoice, RowSource};
use numpy::ndarray::{ArrayView2, s};

/// Write values of `column` of an array to `out`, each converted by `number`. The first value is
/// read from the row at position `first` of `rows`, and the next ones from the positions after it.
fn read_column<T: Copy>(
    block: ArrayView2<'_, T>,
    column: usize,
    rows: RowChoice<'_>,
    first: usize,
    out: &mut [f64],
    number: impl Fn(T) -> f64,
) {
    match (rows, block.as_slice()) {
        (RowChoice::All(_), Some(cells)) => {
            // The array is C-contiguous, so a loop over whole rows checks bounds once per row.
            let width = block.ncols();
            let cells = &cells[first * width..(first + out.len()) * width];
            out.iter_mut()
                .zip(cells.chunks_exact(width))
                .for_each(|(x, row)| *x = number(row[column]));
        }
        (RowChoice::All(_), None) => {
            let values = block.slice(s![first..first + out.len(), column]);
            out.iter_mut().zip(values).for_each(|(x, &value)| *x = number(value));
        }
        (RowChoice::Some(rows), _) => {
            let (values, rows) = (block.column(column), &rows[first..first + out.len()]);
            out.iter_mut().zip(rows).for_each(|(x, &row)| *x = number(values[row as usize]));
        }
    }
}

impl RowSource for Columns<'_> {
    fn numbers(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [f64]) {
        let (view, column) = self.at(feature);
        match view {
            ArrayView::F64(cells) => read_column(cells, column, rows, first, out, |x| x),
            ArrayView::F32(cells) => read_column(cells, column, rows, first, out, f64::from),
            // A column of codes has no numbers: all are missing, as the trait says.
            ArrayView::I32(_) | ArrayView::U8(_) => out.fill(f64::NAN),
        }
    }

    fn codes(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [u32]) {
        let (view, column) = self.at(feature);
        for (i, code) in out.iter_mut().enumerate() {
            let row = rows.row(first + i);
            *code = match view {
                // Negative codes are missing values.
                ArrayView::I32(cells) => u32::try_from(cells[[row, column]]).unwrap_or(MISSING),
                ArrayView::U8(cells) => u32::from(cells[[row, column]]),
                // A column of numbers has no codes: all are missing, as the trait says.
                ArrayView::F64(_) | ArrayView::F32(_) => MISSING,
            };
        }
    }
}

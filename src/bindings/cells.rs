//! The caller's columns as a source of numbers and codes for the routes on codes, of
//! bins or of values ([`crate::bins`]), which reads them column by column without an encoded copy,
//! and for data sets to which they lend their numbers.

use super::convert::{ArrayView, Columns};
use crate::data::{MISSING, RowChoice, RowSource};
use numpy::ndarray::{ArrayView2, s};

/// Write values of a column to `out`: those of the chosen rows from position `first` on, each
/// converted by `number`.
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
            // C-contiguous: a loop over whole rows needs one bounds check per row.
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
            ArrayView::F64(a) => read_column(a, column, rows, first, out, |x| x),
            ArrayView::F32(a) => read_column(a, column, rows, first, out, f64::from),
            _ => out.fill(f64::NAN),
        }
    }

    fn codes(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [u32]) {
        let (view, column) = self.at(feature);
        for (i, code) in out.iter_mut().enumerate() {
            let row = rows.row(first + i);
            *code = match view {
                ArrayView::I32(a) => u32::try_from(a[[row, column]]).unwrap_or(MISSING),
                ArrayView::U8(a) => u32::from(a[[row, column]]),
                _ => MISSING,
            };
        }
    }
}

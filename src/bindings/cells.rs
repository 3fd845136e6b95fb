//! Cells of the caller's columns, as records of codes are made of them.

use super::convert::{ArrayView, Columns};
use crate::bins::{RowChoice, RowSource};
use crate::data::MISSING;
use numpy::ndarray::{ArrayView2, s};

/// Some values of a column of a block, as doubles.
fn read<T: Copy>(
    block: ArrayView2<'_, T>,
    column: usize,
    rows: RowChoice<'_>,
    first: usize,
    out: &mut [f64],
    number: impl Fn(T) -> f64,
) {
    match (rows, block.as_slice()) {
        (RowChoice::All(_), Some(cells)) => {
            // Row by row in memory: a loop over whole rows needs one check of the column.
            let width = block.ncols();
            let part = cells[first * width..(first + out.len()) * width].chunks_exact(width);
            out.iter_mut().zip(part).for_each(|(x, row)| *x = number(row[column]));
        }
        (RowChoice::All(_), None) => {
            let part = block.slice(s![first..first + out.len(), column]);
            out.iter_mut().zip(part).for_each(|(x, &v)| *x = number(v));
        }
        (RowChoice::Some(rows), _) => {
            let (column, part) = (block.column(column), &rows[first..first + out.len()]);
            out.iter_mut().zip(part).for_each(|(x, &r)| *x = number(column[r as usize]));
        }
    }
}

impl RowSource for Columns<'_> {
    fn numbers(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [f64]) {
        let (view, column) = self.at(feature);
        match view {
            ArrayView::F64(a) => read(a, column, rows, first, out, |x| x),
            ArrayView::F32(a) => read(a, column, rows, first, out, f64::from),
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

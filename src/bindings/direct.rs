//! Fits on the caller's numbers, without an encoded training set.

use super::aligned::Aligned1;
use super::convert::{ArrayBlock, ArrayView, Columns};
use super::dataset::{plan, schema};
use super::job::{Work, exception, reserve, run};
use super::model::PyModel;
use crate::bins::{RowChoice, RowSource};
use crate::data::{MISSING, Weights};
use numpy::ndarray::{ArrayView2, s};
use pyo3::prelude::*;

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

/// Fit a model on a block of numbers; None where the plan or the numbers need a `Dataset`.
#[pyfunction]
#[pyo3(signature = (
    schema_json, classes, block, config, sample_weight = None, n_jobs = None, progress = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn fit_numbers(
    py: Python<'_>,
    schema_json: &str,
    classes: Aligned1<'_, u16>,
    block: ArrayBlock<'_>,
    config: &str,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Option<PyModel>> {
    let schema = schema(schema_json)?;
    let (plan, _) = plan(config, None)?;
    if !plan.serves_numbers(&schema) {
        return Ok(None);
    }
    let classes = classes.as_array().to_vec();
    let blocks = [block];
    let columns = Columns::new(&blocks, classes.len()).map_err(exception)?;
    let weights = match &sample_weight {
        None => Weights::Unit,
        Some(w) => Weights::from_reals(&w.as_array().to_vec(), |row| row).map_err(exception)?,
    };
    // Two buffers of records, and what the sample of the edges takes.
    let (n, p) = (classes.len(), columns.features());
    let record = (p + 9).next_multiple_of(8);
    let _memory = reserve(n.saturating_mul(2), n.saturating_mul(2))?;
    let amount = plan.work_on(n, p, schema.classes.len());
    let work = Work::from(amount).with_memory(n.saturating_mul(2 * record), n * record);
    let model = run(py, n_jobs, work, progress.as_ref(), |control| {
        let Some(weights) = plan.weights_of_numbers(&classes, weights)? else { return Ok(None) };
        plan.fit_numbers(schema, &columns, (&classes, &weights), control)
    })?;
    Ok(model.map(|model| PyModel::told(model, Vec::new())))
}

//! `_core.DelimitedReader`, `_core.ArffReader`: the file readers of [`crate::read`]. Python feeds
//! them blocks of bytes, and gets NumPy arrays and labels (bytes, as the encoding is Python's to
//! decide).
//!
//! A fault in a file is raised as `FileFault(problem, line, column, value, declared,
//! leave_out)`; the package turns it into an error that names the file.

use super::InternalError;
use crate::read::{
    Arff, AttributeKind, CellKind, CellValues, Delimited, DelimitedColumns, Dialect, ReadColumn,
    ReadError, ReadLimits, Result, WantedColumn,
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

pyo3::create_exception!(
    fasttree._core,
    FileFault,
    PyValueError,
    "What is wrong with a file: (problem, line, column, value, declared labels, whether to leave \
     the column out)."
);

/// A column for Python: position in the file, numbers or codes, labels (None for numbers).
type PyColumn<'py> = (usize, Bound<'py, PyAny>, Option<Vec<Cow<'static, [u8]>>>);

/// The content of delimited text; see `PyDelimitedReader::finish`.
type PyDelimited<'py> =
    (Vec<PyColumn<'py>>, Vec<usize>, Option<u64>, Vec<Cow<'static, [u8]>>, Vec<u64>);

/// Run a step of a reader without the interpreter; a panic is an internal error.
fn step<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(ReadError::Memory)) => {
            Err(PyMemoryError::new_err("the columns of the file do not fit into memory"))
        }
        Ok(Err(ReadError::Fault(fault))) => {
            let bytes = |text: &Vec<u8>| PyBytes::new(py, text).unbind();
            let labels = fault.declared.as_ref();
            let declared: Option<Vec<_>> = labels.map(|labels| labels.iter().map(bytes).collect());
            let column = fault.column.as_ref().map(bytes);
            let value = fault.value.as_ref().map(bytes);
            let parts = (fault.problem, fault.line, column, value, declared, fault.leave_out);
            Err(FileFault::new_err(parts))
        }
        Err(_) => Err(InternalError::new_err("internal error of fasttree: a panic in a reader")),
    }
}

/// Limits from (bytes of a field, columns, levels of a column); a line may be as long as two
/// fields.
fn limits((field, columns, levels): (usize, usize, usize)) -> ReadLimits {
    let line = ReadLimits::default().line.max(field.saturating_mul(2));
    ReadLimits { field, columns, levels, line }
}

/// Columns for Python.
fn py_columns<'py>(py: Python<'py>, columns: Vec<ReadColumn>) -> Vec<PyColumn<'py>> {
    let convert = |column: ReadColumn| match column.values {
        CellValues::Numbers(values) => (column.place, values.into_pyarray(py).into_any(), None),
        CellValues::Codes(codes, labels) => {
            let labels = labels.into_iter().map(Cow::Owned).collect();
            (column.place, codes.into_pyarray(py).into_any(), Some(labels))
        }
    };
    columns.into_iter().map(convert).collect()
}

/// The error of a call after `finish`.
fn finished_error() -> PyErr {
    PyValueError::new_err("this reader has finished")
}

/// A reader of CSV, Orange and similar files, fed block by block; None once it has finished.
#[pyclass(module = "fasttree._core", name = "DelimitedReader")]
#[derive(Debug)]
pub struct PyDelimitedReader(Option<Delimited>);

#[pymethods]
impl PyDelimitedReader {
    /// `skip` lines come before the records; `most` are limits on (bytes of a field, columns,
    /// levels).
    #[new]
    fn new(separator: u8, quotes: bool, skip: u64, most: (usize, usize, usize)) -> Self {
        Self(Some(Delimited::new(Dialect { separator, quotes, skip }, limits(most))))
    }

    fn feed(&mut self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        let reader = self.0.as_mut().ok_or_else(finished_error)?;
        step(py, || reader.feed(block))
    }

    fn end(&mut self, py: Python<'_>) -> PyResult<()> {
        let reader = self.0.as_mut().ok_or_else(finished_error)?;
        step(py, || reader.end_of_input())
    }

    /// Whether enough was fed for `sample` and `start`.
    fn is_ready(&self) -> PyResult<bool> {
        self.0.as_ref().map(Delimited::is_ready).ok_or_else(finished_error)
    }

    /// The first `n` records: (line, cells).
    fn sample(&self, n: usize) -> PyResult<Vec<(u64, Vec<Cow<'static, [u8]>>)>> {
        let reader = self.0.as_ref().ok_or_else(finished_error)?;
        let owned = |cells: Vec<&[u8]>| cells.iter().map(|c| Cow::Owned(c.to_vec())).collect();
        Ok(reader.sample(n).into_iter().map(|(line, cells)| (line, owned(cells))).collect())
    }

    /// Begin behind the first `above` records with the columns in `kinds`, each given as (position,
    /// declared labels or None, whether the cells are numbers, whether they may turn out to be
    /// labels). Records equal to record `header` are no rows; `missing` are the cells that mean a
    /// missing value.
    fn start(
        &mut self,
        py: Python<'_>,
        above: usize,
        header: Option<usize>,
        names: Vec<Vec<u8>>,
        kinds: Vec<(usize, Option<Vec<Vec<u8>>>, bool, bool)>,
        missing: Vec<Vec<u8>>,
    ) -> PyResult<()> {
        let reader = self.0.as_mut().ok_or_else(finished_error)?;
        type PyKind = (usize, Option<Vec<Vec<u8>>>, bool, bool);
        let kind = |(place, declared, numbers, may_fail): PyKind| {
            let kind = match declared {
                Some(labels) => CellKind::Declared(labels),
                None if numbers => CellKind::Numbers,
                None => CellKind::Found,
            };
            WantedColumn { place, kind, may_be_labels: may_fail }
        };
        let wanted = kinds.into_iter().map(kind).collect();
        step(py, || reader.start(above, header, names, wanted, missing))
    }

    /// The columns; the positions of the columns to be read again as labels; the first line that is
    /// not UTF-8, if there is one; the texts for missing values that some cell was equal to; and
    /// the lines that repeat the header.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<PyDelimited<'py>> {
        let reader = self.0.take().ok_or_else(finished_error)?;
        let latin1 = reader.encoding().latin1();
        let DelimitedColumns { columns, failed, matched, repeated } = step(py, || reader.finish())?;
        let matched = matched.into_iter().map(Cow::Owned).collect();
        Ok((py_columns(py, columns), failed, latin1, matched, repeated))
    }
}

/// A reader of ARFF files, fed block by block; None once it has finished.
#[pyclass(module = "fasttree._core", name = "ArffReader")]
#[derive(Debug)]
pub struct PyArffReader(Option<Arff>);

#[pymethods]
impl PyArffReader {
    /// `most` are limits on (bytes of a field, columns, levels).
    #[new]
    fn new(most: (usize, usize, usize)) -> Self {
        Self(Some(Arff::new(limits(most))))
    }

    fn feed(&mut self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        let reader = self.0.as_mut().ok_or_else(finished_error)?;
        step(py, || reader.feed(block))
    }

    fn end(&mut self, py: Python<'_>) -> PyResult<()> {
        let reader = self.0.as_mut().ok_or_else(finished_error)?;
        step(py, || reader.end_of_input())
    }

    fn header_is_complete(&self) -> PyResult<bool> {
        self.0.as_ref().map(Arff::header_is_complete).ok_or_else(finished_error)
    }

    /// The name of the relation, and (name, type, line) of the attributes.
    #[allow(clippy::type_complexity)]
    fn header(
        &self,
    ) -> PyResult<(Cow<'static, [u8]>, Vec<(Cow<'static, [u8]>, &'static str, u64)>)> {
        let reader = self.0.as_ref().ok_or_else(finished_error)?;
        let kind = |kind| match kind {
            AttributeKind::Numeric => "numeric",
            AttributeKind::Nominal => "nominal",
            AttributeKind::Text => "string",
            AttributeKind::Date => "date",
            AttributeKind::Relational => "relational",
        };
        let attributes = reader.attributes().iter();
        let attributes = attributes.map(|a| (Cow::Owned(a.name.clone()), kind(a.kind), a.line));
        Ok((Cow::Owned(reader.relation().to_vec()), attributes.collect()))
    }

    /// Begin with the attributes in `wanted`.
    fn start(&mut self, py: Python<'_>, wanted: Vec<usize>) -> PyResult<()> {
        let reader = self.0.as_mut().ok_or_else(finished_error)?;
        step(py, || reader.start(&wanted))
    }

    /// The columns, the rows with a weight and their weights, and the first line that is not UTF-8,
    /// if there is one.
    #[allow(clippy::type_complexity)]
    fn finish<'py>(
        &mut self,
        py: Python<'py>,
    ) -> PyResult<(
        Vec<PyColumn<'py>>,
        Bound<'py, PyArray1<i64>>,
        Bound<'py, PyArray1<f64>>,
        Option<u64>,
    )> {
        let reader = self.0.take().ok_or_else(finished_error)?;
        let latin1 = reader.encoding().latin1();
        let (columns, weights) = step(py, || reader.finish())?;
        let (rows, values): (Vec<i64>, Vec<f64>) =
            weights.iter().map(|&(row, weight)| (row as i64, weight)).unzip();
        Ok((py_columns(py, columns), rows.into_pyarray(py), values.into_pyarray(py), latin1))
    }
}

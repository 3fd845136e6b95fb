//! The file readers at the border: bytes in, NumPy arrays and labels as bytes out.
//!
//! A fault leaves as `FileFault(problem, line, column, value, declared)`, of which the package
//! makes its own error with the name of the file.

use super::InternalError;
use crate::read::{
    Arff, AttributeKind, CellKind, CellValues, Delimited, Dialect, ReadColumn, ReadError,
    ReadLimits, Result, WantedColumn,
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
    "What is wrong with a file: (problem, line, column, value, declared labels)."
);

/// A column as Python gets it: position, numbers or codes, labels (None for numbers).
type PyColumn<'py> = (usize, Bound<'py, PyAny>, Option<Vec<Cow<'static, [u8]>>>);

/// Run a step of a reader without the interpreter; a panic is an internal error.
fn step<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(ReadError::Memory)) => {
            Err(PyMemoryError::new_err("the columns of the file do not fit into memory"))
        }
        Ok(Err(ReadError::Fault(f))) => {
            let bytes =
                |text: &Option<Vec<u8>>| text.as_ref().map(|t| PyBytes::new(py, t).unbind());
            let declared: Option<Vec<_>> = f
                .declared
                .as_ref()
                .map(|labels| labels.iter().map(|t| PyBytes::new(py, t).unbind()).collect());
            let (column, value) = (bytes(&f.column), bytes(&f.value));
            Err(FileFault::new_err((f.problem, f.line, column, value, declared)))
        }
        Err(_) => Err(InternalError::new_err("internal error of fasttree: a panic in a reader")),
    }
}

fn limits(of: (usize, usize, usize)) -> ReadLimits {
    let (field, columns, levels) = of;
    let line = ReadLimits::default().line.max(field.saturating_mul(2));
    ReadLimits { field, columns, levels, line }
}

fn out<'py>(py: Python<'py>, columns: Vec<ReadColumn>) -> Vec<PyColumn<'py>> {
    let array = |column: ReadColumn| match column.values {
        CellValues::Numbers(values) => (column.place, values.into_pyarray(py).into_any(), None),
        CellValues::Codes(codes, labels) => {
            let labels = labels.into_iter().map(Cow::Owned).collect();
            (column.place, codes.into_pyarray(py).into_any(), Some(labels))
        }
    };
    columns.into_iter().map(array).collect()
}

fn gone() -> PyErr {
    PyValueError::new_err("this reader has finished")
}

/// CSV, Orange and their kin, fed block by block.
#[pyclass(module = "fasttree._core", name = "DelimitedReader")]
#[derive(Debug)]
pub struct PyDelimitedReader(Option<Delimited>);

#[pymethods]
impl PyDelimitedReader {
    #[new]
    fn new(separator: u8, quotes: bool, skip: u64, most: (usize, usize, usize)) -> Self {
        Self(Some(Delimited::new(Dialect { separator, quotes, skip }, limits(most))))
    }

    fn feed(&mut self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        let reader = self.0.as_mut().ok_or_else(gone)?;
        step(py, || reader.feed(block))
    }

    fn end(&mut self, py: Python<'_>) -> PyResult<()> {
        let reader = self.0.as_mut().ok_or_else(gone)?;
        step(py, || reader.end())
    }

    fn is_ready(&self) -> PyResult<bool> {
        self.0.as_ref().map(Delimited::is_ready).ok_or_else(gone)
    }

    /// The first records: (line, cells).
    fn sample(&self, n: usize) -> PyResult<Vec<(u64, Vec<Cow<'static, [u8]>>)>> {
        let reader = self.0.as_ref().ok_or_else(gone)?;
        let owned = |cells: Vec<&[u8]>| cells.iter().map(|c| Cow::Owned(c.to_vec())).collect();
        Ok(reader.sample(n).into_iter().map(|(line, cells)| (line, owned(cells))).collect())
    }

    /// `kinds`: (position, "numbers", "found" or labels, may become labels).
    fn start(
        &mut self,
        py: Python<'_>,
        header: bool,
        names: Vec<Vec<u8>>,
        kinds: Vec<(usize, Option<Vec<Vec<u8>>>, bool, bool)>,
        missing: Vec<Vec<u8>>,
    ) -> PyResult<()> {
        let reader = self.0.as_mut().ok_or_else(gone)?;
        let kind = |(place, declared, numbers, may_fail): (_, Option<Vec<Vec<u8>>>, bool, bool)| {
            let kind = match declared {
                Some(labels) => CellKind::Declared(labels),
                None if numbers => CellKind::Numbers,
                None => CellKind::Found,
            };
            WantedColumn { place, kind, may_be_labels: may_fail }
        };
        let wanted = kinds.into_iter().map(kind).collect();
        step(py, || reader.start(header, names, wanted, missing))
    }

    /// Columns, positions to be read again as labels, and the line that is not UTF-8.
    fn finish<'py>(
        &mut self,
        py: Python<'py>,
    ) -> PyResult<(Vec<PyColumn<'py>>, Vec<usize>, Option<u64>)> {
        let reader = self.0.take().ok_or_else(gone)?;
        let latin1 = reader.encoding().latin1();
        let (columns, failed) = step(py, || reader.finish())?;
        Ok((out(py, columns), failed, latin1))
    }
}

/// ARFF, fed block by block.
#[pyclass(module = "fasttree._core", name = "ArffReader")]
#[derive(Debug)]
pub struct PyArffReader(Option<Arff>);

#[pymethods]
impl PyArffReader {
    #[new]
    fn new(most: (usize, usize, usize)) -> Self {
        Self(Some(Arff::new(limits(most))))
    }

    fn feed(&mut self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        let reader = self.0.as_mut().ok_or_else(gone)?;
        step(py, || reader.feed(block))
    }

    fn end(&mut self, py: Python<'_>) -> PyResult<()> {
        let reader = self.0.as_mut().ok_or_else(gone)?;
        step(py, || reader.end())
    }

    fn header_is_complete(&self) -> PyResult<bool> {
        self.0.as_ref().map(Arff::header_is_complete).ok_or_else(gone)
    }

    /// The relation, and (name, type, line) of the attributes.
    #[allow(clippy::type_complexity)]
    fn header(
        &self,
    ) -> PyResult<(Cow<'static, [u8]>, Vec<(Cow<'static, [u8]>, &'static str, u64)>)> {
        let reader = self.0.as_ref().ok_or_else(gone)?;
        let kind = |kind| match kind {
            AttributeKind::Numeric => "numeric",
            AttributeKind::Nominal => "nominal",
            AttributeKind::Text => "string",
            AttributeKind::Date => "date",
            AttributeKind::Relational => "relational",
        };
        let attributes = reader.attributes().iter();
        let told = attributes.map(|a| (Cow::Owned(a.name.clone()), kind(a.kind), a.line));
        Ok((Cow::Owned(reader.relation().to_vec()), told.collect()))
    }

    fn start(&mut self, py: Python<'_>, wanted: Vec<usize>) -> PyResult<()> {
        let reader = self.0.as_mut().ok_or_else(gone)?;
        step(py, || reader.start(&wanted))
    }

    /// Columns, rows with a weight, their weights, and the line that is not UTF-8.
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
        let reader = self.0.take().ok_or_else(gone)?;
        let latin1 = reader.encoding().latin1();
        let (columns, weights) = step(py, || reader.finish())?;
        let rows: Vec<i64> = weights.iter().map(|w| w.0 as i64).collect();
        let values: Vec<f64> = weights.iter().map(|w| w.1).collect();
        Ok((out(py, columns), rows.into_pyarray(py), values.into_pyarray(py), latin1))
    }
}

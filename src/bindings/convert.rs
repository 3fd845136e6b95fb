//! Conversion of Python's arguments and results: arrays as columns and rows of the core, row
//! numbers, weights, bytes and text. Cells are read in place; nothing is copied unless it is
//! encoded.

use super::aligned::{Aligned1, Aligned2};
use super::job::exception;
use crate::data::{Dataset, DatasetBuilder, Lender, MISSING, RowSet, Schema, Weights};
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::predict::{Dense, Source};
use numpy::ndarray::ArrayView2;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ops::Range;

/// A block of columns as a NumPy array of shape (rows, columns): numbers (NaN = missing), or codes
/// (negative = missing).
pub enum ArrayBlock<'py> {
    /// Numbers of type float64.
    F64(Aligned2<'py, f64>),
    /// Numbers of type float32.
    F32(Aligned2<'py, f32>),
    /// Codes of type int32.
    I32(Aligned2<'py, i32>),
    /// Codes of type uint8, which cannot be missing.
    U8(Aligned2<'py, u8>),
}

impl<'py> FromPyObject<'_, 'py> for ArrayBlock<'py> {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = super::hints::ARRAY;

    /// Chooses by dtype; trying one type after the other would make an exception per failure.
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let dtype = object.cast::<PyUntypedArray>()?.dtype();
        match (dtype.kind(), dtype.itemsize()) {
            (b'f', 8) => Ok(Self::F64(object.extract()?)),
            (b'f', 4) => Ok(Self::F32(object.extract()?)),
            (b'i', 4) => Ok(Self::I32(object.extract()?)),
            (b'u', 1) => Ok(Self::U8(object.extract()?)),
            _ => Err(PyTypeError::new_err(format!("a block of columns of type {dtype}"))),
        }
    }
}

/// A borrowed [`ArrayBlock`], for work without the interpreter.
#[derive(Clone, Copy)]
pub enum ArrayView<'a> {
    /// Numbers of type float64.
    F64(ArrayView2<'a, f64>),
    /// Numbers of type float32.
    F32(ArrayView2<'a, f32>),
    /// Codes of type int32.
    I32(ArrayView2<'a, i32>),
    /// Codes of type uint8.
    U8(ArrayView2<'a, u8>),
}

impl ArrayBlock<'_> {
    /// A view of the array, which stays borrowed as long as the block lives. Unlike the block it
    /// may be sent to threads that do not hold the interpreter.
    pub fn view(&self) -> ArrayView<'_> {
        match self {
            Self::F64(a) => ArrayView::F64(a.as_array()),
            Self::F32(a) => ArrayView::F32(a.as_array()),
            Self::I32(a) => ArrayView::I32(a.as_array()),
            Self::U8(a) => ArrayView::U8(a.as_array()),
        }
    }
}

impl ArrayView<'_> {
    /// Numbers of rows and columns, as NumPy's `shape`. A block may have no columns.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Self::F64(a) => a.dim(),
            Self::F32(a) => a.dim(),
            Self::I32(a) => a.dim(),
            Self::U8(a) => a.dim(),
        }
    }
}

/// The target of a training set, by row.
#[derive(Debug)]
pub enum GivenTarget {
    /// Class codes.
    Classes(Vec<u16>),
    /// Numbers.
    Numbers(Vec<f64>),
}

impl GivenTarget {
    /// Number of rows of the training set, which every block of columns must have. Rows of weight 0
    /// count.
    pub fn len(&self) -> usize {
        match self {
            Self::Classes(classes) => classes.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }

    /// Class codes by row; an empty slice for a numeric target.
    pub fn classes(&self) -> &[u16] {
        match self {
            Self::Classes(classes) => classes,
            Self::Numbers(_) => &[],
        }
    }
}

/// Blocks side by side, as one table of features.
pub struct Columns<'a> {
    views: Vec<ArrayView<'a>>,
    /// For each feature, the index of its view and its column there.
    place: Vec<(usize, usize)>,
    rows: usize,
}

impl<'a> Columns<'a> {
    /// Blocks in feature order; all of them have the same number of rows.
    pub fn new(blocks: &'a [ArrayBlock<'_>], rows: usize) -> Result<Self> {
        let views: Vec<ArrayView<'a>> = blocks.iter().map(ArrayBlock::view).collect();
        let mut place = Vec::new();
        for (i, view) in views.iter().enumerate() {
            let (n, p) = view.shape();
            if n != rows {
                return Err(Error::Data(format!(
                    "a block of columns has {n} rows, expected {rows}"
                )));
            }
            place.extend((0..p).map(|c| (i, c)));
        }
        Ok(Self { views, place, rows })
    }

    /// Number of rows of every block. It is given by the caller, because there may be no block to
    /// ask.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes that the table takes as a training set: numbers (8 per cell, unless they are `lent`)
    /// with their order (4), codes (1), and 16 per row.
    pub fn encoded_bytes(&self, lent: bool) -> usize {
        let cell = |view: &ArrayView<'_>| match view {
            ArrayView::F64(_) | ArrayView::F32(_) => 4 + 8 * usize::from(!lent),
            ArrayView::I32(_) | ArrayView::U8(_) => 1,
        };
        let row: usize = self.views.iter().map(|v| v.shape().1 * cell(v)).sum();
        self.rows.saturating_mul(row + 16)
    }

    /// Number of features: the columns of all blocks together. It is compared with the schema
    /// before cells are read, so that a mismatch is an error and not a panic.
    pub fn features(&self) -> usize {
        self.place.len()
    }

    /// The block that holds a feature, and the feature's column there. Loops over the rows of a
    /// column look them up once, because [`Source::number`] does so for each cell.
    pub fn at(&self, feature: usize) -> (ArrayView<'a>, usize) {
        let (view, column) = self.place[feature];
        (self.views[view], column)
    }

    /// Encode the table as a training set. With a `lender`, which is the table, numbers are
    /// not copied.
    pub fn encode<'d>(
        &self,
        schema: Schema,
        target: &GivenTarget,
        lender: Option<Lender<'d>>,
        control: &Control,
    ) -> Result<Dataset<'d>> {
        if self.features() != schema.features.len() || target.len() != self.rows {
            return Err(Error::Internal("schema, target and columns differ in size".into()));
        }
        let arities: Vec<usize> = schema.features.iter().map(crate::data::Feature::arity).collect();
        let mut builder = match target {
            GivenTarget::Classes(classes) => DatasetBuilder::new(schema, classes)?,
            GivenTarget::Numbers(numbers) => DatasetBuilder::for_numeric_target(schema, numbers)?,
        };
        let mut feature = 0;
        for view in &self.views {
            let (_, p) = view.shape();
            match *view {
                ArrayView::F64(a) => {
                    builder.numeric_block(p, move |r, c| a[[r, c]], lender, control)?
                }
                ArrayView::F32(a) if lender.is_some() => {
                    builder.numeric_block(p, move |r, c| a[[r, c]], lender, control)?
                }
                ArrayView::F32(a) => {
                    builder.numeric_block(p, move |r, c| f64::from(a[[r, c]]), None, control)?
                }
                ArrayView::I32(a) => {
                    for c in 0..p {
                        control.check()?;
                        builder.nominal(arities[feature + c], |r| i64::from(a[[r, c]]))?;
                    }
                }
                // Codes that fit into bytes are transposed block by block.
                ArrayView::U8(a) if arities[feature..][..p].iter().all(|&levels| levels <= 255) => {
                    builder.nominal_block(&arities[feature..][..p], |r, c| a[[r, c]], control)?;
                }
                ArrayView::U8(a) => {
                    for c in 0..p {
                        control.check()?;
                        builder.nominal(arities[feature + c], |r| i64::from(a[[r, c]]))?;
                    }
                }
            }
            feature += p;
        }
        builder.finish()
    }
}

impl Source for Columns<'_> {
    fn number(&self, row: usize, feature: usize) -> f64 {
        let (view, column) = self.place[feature];
        match &self.views[view] {
            ArrayView::F64(a) => a[[row, column]],
            ArrayView::F32(a) => f64::from(a[[row, column]]),
            _ => f64::NAN,
        }
    }

    fn code(&self, row: usize, feature: usize) -> u32 {
        let (view, column) = self.place[feature];
        match &self.views[view] {
            ArrayView::I32(a) => u32::try_from(a[[row, column]]).unwrap_or(MISSING),
            ArrayView::U8(a) => u32::from(a[[row, column]]),
            _ => MISSING,
        }
    }

    fn dense(&self) -> Option<Dense<'_>> {
        match &self.views[..] {
            [ArrayView::F64(a)] => a.as_slice().map(Dense::F64),
            [ArrayView::F32(a)] => a.as_slice().map(Dense::F32),
            _ => None,
        }
    }

    fn append_numbers(&self, rows: Range<usize>, width: usize, out: &mut Vec<f64>) {
        match &self.views[..] {
            [ArrayView::F64(a)] => {
                rows.for_each(|row| out.extend((0..width).map(|c| a[[row, c]])));
            }
            [ArrayView::F32(a)] => {
                rows.for_each(|row| out.extend((0..width).map(|c| f64::from(a[[row, c]]))));
            }
            _ => rows.for_each(|row| out.extend((0..width).map(|c| self.number(row, c)))),
        }
    }
}

/// The set of rows with the given numbers in the caller's order; all rows if none are given.
pub fn row_set(rows: Option<&Aligned1<'_, i64>>, data: &Dataset) -> PyResult<RowSet> {
    let Some(rows) = rows else { return Ok(RowSet::all(data.len())) };
    let mut out = Vec::with_capacity(rows.as_array().len());
    for &r in rows.as_array() {
        let row = usize::try_from(r).ok().and_then(|r| data.internal().get(r));
        out.push(*row.ok_or_else(|| {
            pyo3::exceptions::PyIndexError::new_err(format!(
                "row {r} of a data set with {} rows",
                data.len()
            ))
        })?);
    }
    Ok(RowSet::new(out, data.len()))
}

/// Weights in the caller's row order, brought into the internal order of `data`. All rows count
/// once if there are none. With a numeric target they are rounded so that sums of weight times
/// number stay exact.
///
/// # Errors
/// A TypeError for another number of weights than rows; a ValueError for a weight that is negative,
/// not finite, or lost in a sum.
pub fn weights(weights: Option<&Aligned1<'_, f64>>, data: &Dataset) -> PyResult<Weights> {
    let found = weights_of_rows(weights, data.len(), |row| data.original()[row] as usize)?;
    data.round_weights_for_target(found).map_err(exception)
}

/// Weights of `rows` rows; `original` gives the position of a row in the caller's order.
pub fn weights_of_rows(
    weights: Option<&Aligned1<'_, f64>>,
    rows: usize,
    original: impl Fn(usize) -> usize,
) -> PyResult<Weights> {
    let Some(w) = weights else { return Ok(Weights::Unit) };
    let w = w.as_array();
    if w.len() != rows {
        return Err(PyTypeError::new_err(format!(
            "sample_weight has {} values for {rows} rows",
            w.len()
        )));
    }
    let inside: Vec<f64> = (0..rows).map(|row| w[original(row)]).collect();
    Weights::from_reals(&inside, &original).map_err(exception)
}

/// Internal numbers of the rows of positive weight, ascending. Searches, prunings and the encoding
/// of batches use these rows alone; a row of weight 0 would offer thresholds, and count as a row.
pub fn positive_rows(n_rows: usize, weights: &Weights) -> Vec<u32> {
    (0..n_rows as u32).filter(|&row| !weights.is_zero(row)).collect()
}

/// Weights as whole numbers of copies, by internal row; None if every row counts once.
pub fn copies(weights: Option<&Aligned1<'_, f64>>, data: &Dataset) -> PyResult<Option<Vec<u32>>> {
    match self::weights(weights, data)? {
        Weights::Unit => Ok(None),
        Weights::Integer(copies) => Ok(Some(copies)),
        Weights::Fixed { .. } => Err(exception(Error::parameter(
            "sample_weight",
            "not whole",
            "pairs are counted, so weights are copies of rows: give whole numbers",
        ))),
    }
}

/// Row numbers of a fold, as the core takes them. They stay in the caller's row order, unlike the
/// numbers of [`row_set`].
///
/// # Errors
/// An IndexError for a negative number, or one that is not below `n`.
pub fn indices(rows: &Aligned1<'_, i64>, n: usize) -> PyResult<Vec<u32>> {
    rows.as_array()
        .iter()
        .map(|&r| {
            u32::try_from(r).ok().filter(|&r| (r as usize) < n).ok_or_else(|| {
                pyo3::exceptions::PyIndexError::new_err(format!(
                    "a fold names row {r} of a data set with {n} rows"
                ))
            })
        })
        .collect()
}

/// Python's bytes; MemoryError if there is no memory for them.
pub fn bytes<'py>(py: Python<'py>, found: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, found.len(), |out| {
        out.copy_from_slice(found);
        Ok(())
    })
}

/// Rows for a model that was fitted on `n_features` features.
pub(super) fn readable<'b>(
    n_features: usize,
    blocks: &'b [ArrayBlock<'_>],
    rows: usize,
) -> PyResult<Columns<'b>> {
    let columns = Columns::new(blocks, rows).map_err(exception)?;
    if columns.features() != n_features {
        return Err(PyValueError::new_err(format!(
            "X has {} features, but the model was fitted on {n_features}",
            columns.features()
        )));
    }
    Ok(columns)
}

//! Arrays of NumPy that Rust can read where they lie.

use numpy::ndarray::{Dimension, Ix1, Ix2, Ix3};
use numpy::{Element, PyArrayMethods, PyReadonlyArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Deref;

/// A borrowed array whose first cell and steps are whole numbers of cells, as `as_array` of the
/// `numpy` crate assumes without a check. A field of packed records is not: its step of 12 bytes
/// would be read as one of 8.
pub struct Aligned<'py, T: Element, D: Dimension>(PyReadonlyArray<'py, T, D>);

/// One axis.
pub type Aligned1<'py, T> = Aligned<'py, T, Ix1>;
/// Two axes.
pub type Aligned2<'py, T> = Aligned<'py, T, Ix2>;
/// Three axes.
pub type Aligned3<'py, T> = Aligned<'py, T, Ix3>;

impl<'py, T: Element, D: Dimension> Deref for Aligned<'py, T, D> {
    type Target = PyReadonlyArray<'py, T, D>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'py, T: Element + 'py, D: Dimension + 'py> FromPyObject<'_, 'py> for Aligned<'py, T, D> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let array: PyReadonlyArray<'py, T, D> = object.extract()?;
        let cell = size_of::<T>();
        let mut steps = array.strides().iter().zip(array.shape());
        let whole = |(step, &n): (&isize, &usize)| n < 2 || step.unsigned_abs() % cell == 0;
        if array.is_empty() || array.data().is_aligned() && steps.all(whole) {
            return Ok(Self(array));
        }
        Err(PyValueError::new_err(format!(
            "an array of shape {:?} with steps of {:?} bytes is not aligned to its cells of {cell} \
             bytes; pass a copy (array.copy())",
            array.shape(),
            array.strides()
        )))
    }
}

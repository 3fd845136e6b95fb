//! NumPy arrays that Rust can read in place.
//!
//! All array arguments of the module are extracted as one of these types, so that no function reads
//! misaligned memory.

use numpy::ndarray::{Dimension, Ix1, Ix2, Ix3};
use numpy::{Element, PyArrayMethods, PyReadonlyArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use std::ops::Deref;

/// A borrowed array that is aligned to its cells, and whose strides are multiples of the size of a
/// cell. `as_array` of the `numpy` crate assumes both without a check, but a field of packed
/// records has other strides: 12 bytes between float64 values would be read as 8.
pub struct Aligned<'py, T: Element, D: Dimension>(PyReadonlyArray<'py, T, D>);

/// An aligned array with one axis.
pub type Aligned1<'py, T> = Aligned<'py, T, Ix1>;
/// An aligned array with two axes.
pub type Aligned2<'py, T> = Aligned<'py, T, Ix2>;
/// An aligned array with three axes.
pub type Aligned3<'py, T> = Aligned<'py, T, Ix3>;

impl<'py, T: Element, D: Dimension> Deref for Aligned<'py, T, D> {
    type Target = PyReadonlyArray<'py, T, D>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'py, T: Element + 'py, D: Dimension + 'py> FromPyObject<'_, 'py> for Aligned<'py, T, D> {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = super::hints::ARRAY;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let array: PyReadonlyArray<'py, T, D> = object.extract()?;
        let cell = size_of::<T>();
        let mut axes = array.strides().iter().zip(array.shape());
        // The stride of an axis of length 1 is never used.
        let is_whole =
            |(stride, &len): (&isize, &usize)| len < 2 || stride.unsigned_abs() % cell == 0;
        if array.is_empty() || array.data().is_aligned() && axes.all(is_whole) {
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

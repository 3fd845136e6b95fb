//! A user's Python function as a criterion: `f(tables) -> scores`, called once per node.
//!
//! [`super::plan::plan`] wraps the function that a configuration names. The tables of all
//! candidates of a node are passed as one array of shape (candidates, branches, classes), of a
//! numeric target (candidates, branches, 3) with the weight, the sum and the sum of squares, so
//! that NumPy can score them in one call. A call needs the interpreter, so such jobs run on the
//! calling thread ([`super::job::run_attached`]). Functions of count matrices of pairs are in
//! [`super::custom_pairs`].

use super::aligned::Aligned1;
use crate::criteria::{Criterion, Info, Properties, Tables};
use crate::error::{Error, Result};
use crate::parallel::lock;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};

/// Description of a function whose scores do not grow with the number of rows.
static INTENSIVE: Info = Info {
    name: "callable",
    class_name: "callable",
    summary: "A user's function of the tables of all candidates of a node.",
    formula: "f",
    distance: "-f",
    source: "the user",
    lowest: None,
    highest: None,
    branch_invariant: false,
    class_invariant: false,
    example: &[],
    ..Info::TABLE_DEFAULTS
};

/// Description of a function whose scores grow with the number of rows.
static EXTENSIVE: Info = Info { extensive: true, ..INTENSIVE };

/// Whether a user's function has a true attribute `extensive`: its scores grow with the number of
/// rows.
pub(super) fn is_extensive(function: &Py<PyAny>) -> bool {
    Python::attach(|py| {
        let declared = function.bind(py).getattr("extensive");
        declared.is_ok_and(|value| value.is_truthy().unwrap_or(false))
    })
}

/// The exception that a user's function raised. The core carries its text only; the binding raises
/// the exception itself.
#[derive(Debug, Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Call a user's function; keep the exception that it raises, and fail with its text.
    pub(super) fn keep<T>(&self, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T> {
        Python::attach(call).map_err(|error| {
            let text = error.to_string();
            *lock(&self.0) = Some(error);
            Error::Callback(text)
        })
    }

    /// The exception that was kept, or else `error`.
    pub(super) fn take_or(&self, error: PyErr) -> PyErr {
        lock(&self.0).take().unwrap_or(error)
    }
}

/// A Python callable as a criterion.
#[derive(Debug)]
pub struct CallableCriterion {
    function: Py<PyAny>,
    info: &'static Info,
    raised: Raised,
}

impl CallableCriterion {
    /// Wrap a callable; the second value holds the exception that it raises, if any.
    pub fn wrap(function: Py<PyAny>) -> (Box<dyn Criterion>, Raised) {
        let raised = Raised::default();
        let info = if is_extensive(&function) { &EXTENSIVE } else { &INTENSIVE };
        (Box::new(Self { function, info, raised: raised.clone() }), raised)
    }

    /// Pass the tables as an array of doubles, and copy the scores to `out`.
    fn call(&self, py: Python<'_>, tables: &Tables<'_>, out: &mut [f64]) -> PyResult<()> {
        let planes = tables.branches * tables.components();
        let mut cells = Vec::with_capacity(planes * tables.len);
        (0..planes).for_each(|plane| tables.append_plane(plane, &mut cells));
        // The core has candidates on the last axis, Python on the first.
        let shape = [tables.branches, tables.components(), tables.len];
        let array = PyArray1::from_vec(py, cells).reshape(shape)?;
        let array = array.call_method1("transpose", (2, 0, 1))?;
        let scores = self.function.bind(py).call1((array,))?;
        out.copy_from_slice(&one_score_each(py, &scores, tables.len)?);
        Ok(())
    }
}

/// The return value of a user's function as one number per candidate; infinity becomes NaN, whose
/// refusal names the column.
///
/// # Errors
/// A ValueError if it has another shape or length.
pub(super) fn one_score_each(
    py: Python<'_>,
    scores: &Bound<'_, PyAny>,
    n_candidates: usize,
) -> PyResult<Vec<f64>> {
    let scores = py.import("numpy")?.call_method1("array", (scores, "float64"))?;
    let Ok(array) = scores.extract::<Aligned1<'_, f64>>() else {
        let shape = scores.getattr("shape").map(|s| s.to_string()).unwrap_or_default();
        return Err(PyValueError::new_err(format!(
            "the criterion returned an array of shape {shape}; it must return one score for each \
             of the {n_candidates} candidates"
        )));
    };
    let array = array.as_array();
    if array.len() != n_candidates {
        return Err(PyValueError::new_err(format!(
            "the criterion returned {} scores for {n_candidates} candidates; it must return one \
             score for each",
            array.len(),
        )));
    }
    Ok(array.iter().map(|&x| if x == f64::INFINITY { f64::NAN } else { x }).collect())
}

impl Properties for CallableCriterion {
    fn info(&self) -> &'static Info {
        self.info
    }
    fn needs_all_candidates(&self) -> bool {
        true
    }
}

impl Criterion for CallableCriterion {
    fn evaluate(&self, tables: &Tables<'_>, distance: bool, out: &mut [f64]) -> Result<()> {
        self.raised.keep(|py| self.call(py, tables, out))?;
        if distance {
            out.iter_mut().for_each(|distance| *distance = -*distance);
        }
        Ok(())
    }
}

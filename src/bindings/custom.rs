//! A user's criterion: `f(tables) -> scores`, one call per node.

use super::aligned::Aligned1;
use crate::criteria::{Criterion, Info, Properties, Tables};
use crate::error::{Error, Result};
use crate::numeric::Cells;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::Mutex;

const INFO: Info = Info {
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
    ..Info::ON_TABLES
};

static PLAIN: Info = INFO;
static EXTENSIVE: Info = Info { extensive: true, ..INFO };

/// Whether a user's function says that its scores grow with the rows.
pub(super) fn says_extensive(function: &Py<PyAny>) -> bool {
    Python::attach(|py| {
        function.bind(py).getattr("extensive").is_ok_and(|said| said.is_truthy().unwrap_or(false))
    })
}

/// A Python callable as a criterion. The exception it raised is kept for the caller.
#[derive(Debug)]
pub struct Custom {
    function: Py<PyAny>,
    info: &'static Info,
    raised: std::sync::Arc<Mutex<Option<PyErr>>>,
}

/// Where the exception of a user's function waits.
pub type Raised = std::sync::Arc<Mutex<Option<PyErr>>>;

impl Custom {
    /// Wrap a callable.
    pub fn wrap(function: Py<PyAny>) -> (Box<dyn Criterion>, Raised) {
        let raised = Raised::default();
        let info = if says_extensive(&function) { &EXTENSIVE } else { &PLAIN };
        (Box::new(Self { function, info, raised: raised.clone() }), raised)
    }

    fn call(&self, py: Python<'_>, t: &Tables<'_>, out: &mut [f64]) -> PyResult<()> {
        let cells = match t.cells {
            Cells::Weights(cells) => PyArray1::from_slice(py, cells),
            Cells::Rows(cells) => PyArray1::from_iter(py, cells.iter().map(|&c| f64::from(c))),
        };
        let tables =
            cells.reshape([t.branches, t.classes, t.len])?.call_method1("transpose", (2, 0, 1))?;
        let scores = self.function.bind(py).call1((tables,))?;
        out.copy_from_slice(&scores_of(py, &scores, t.len)?);
        Ok(())
    }
}

/// What a user's function returned, one number for each of `len` candidates.
pub(super) fn scores_of(
    py: Python<'_>,
    scores: &Bound<'_, PyAny>,
    len: usize,
) -> PyResult<Vec<f64>> {
    let scores = py.import("numpy")?.call_method1("array", (scores, "float64"))?;
    let found: Aligned1<'_, f64> = scores.extract().map_err(|_| wrong_shape(&scores, len))?;
    let found = found.as_array();
    if found.len() != len {
        return Err(pyo3::exceptions::PyValueError::new_err(format!(
            "the criterion returned {} scores for {len} candidates; it must return one score for \
             each",
            found.len(),
        )));
    }
    Ok(found.to_vec())
}

fn wrong_shape(scores: &Bound<'_, PyAny>, len: usize) -> PyErr {
    let shape = scores.getattr("shape").map(|s| s.to_string()).unwrap_or_default();
    pyo3::exceptions::PyValueError::new_err(format!(
        "the criterion returned an array of shape {shape}; it must return one score for each of \
         the {len} candidates"
    ))
}

impl Properties for Custom {
    fn info(&self) -> &'static Info {
        self.info
    }
    fn needs_all_candidates(&self) -> bool {
        true
    }
}

impl Criterion for Custom {
    fn options(&self) -> Value {
        Value::Null
    }
    fn score(&self, tables: &Tables<'_>, out: &mut [f64]) -> Result<()> {
        Python::attach(|py| self.call(py, tables, out)).map_err(|e| {
            let text = e.to_string();
            *self.raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(e);
            Error::Callback(text)
        })
    }
    fn distance(&self, tables: &Tables<'_>, out: &mut [f64]) -> Result<()> {
        self.score(tables, out)?;
        out.iter_mut().for_each(|d| *d = -*d);
        Ok(())
    }
}

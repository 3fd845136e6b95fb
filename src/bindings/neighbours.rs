//! Scores of codes as they lie in the user's memory: nothing is encoded, nothing copied.

use super::aligned::{Aligned1, Aligned2};
use super::job::{Work, exception, run};
use crate::criteria::{self, Criterion, Evidence};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::stats::neighbours::{
    Counts, Multiclass, NeighbourMethod, NeighbourRows, NominalRows, default_radius,
    neighbour_scores, round, streamed,
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// How a criterion streams; `radius` finds Relief's.
fn search(
    criterion: &dyn Criterion,
    radius: &mut dyn FnMut() -> Result<usize>,
) -> Result<(NeighbourMethod, Multiclass)> {
    match criterion.evidence() {
        Evidence::Neighbours(search) => Ok(search),
        Evidence::Pairs(formula) => {
            let (setting, metric) = formula.streamed(radius)?;
            Ok((NeighbourMethod::Pairs { setting, metric }, Multiclass::Prior))
        }
        Evidence::Table | Evidence::Rows(_) => Err(Error::Unsupported {
            what: format!("criterion='{}' over streamed codes", criterion.info().name),
            supported: "criteria on neighbours, pi, contextual_merit, relief".into(),
        }),
    }
}

/// Columns of which all rows are the same.
fn constant(control: &Control, codes: NominalRows<'_>, rows: usize) -> Result<Vec<bool>> {
    let width = 4096;
    let parts = parallel::map(control, codes.columns.div_ceil(width), |b| {
        control.check()?;
        let columns = b * width..((b + 1) * width).min(codes.columns);
        let first = codes.part(0, columns.clone());
        let mut differ = vec![0u8; columns.len()];
        for i in 1..rows {
            let part = codes.part(i, columns.clone());
            differ.iter_mut().zip(part.iter().zip(first)).for_each(|(d, (a, b))| *d |= a ^ b);
        }
        Ok(differ.into_iter().map(|d| d == 0).collect::<Vec<bool>>())
    })?;
    Ok(parts.concat())
}

/// One score a column of uint8 codes (rows x columns, rows after rows), NaN for a constant one.
#[pyfunction]
#[pyo3(signature = (
    codes, classes, n_classes, criterion, options_json, sample_weight = None, n_jobs = None,
    progress = None, memory_limit = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn stream_scores<'py>(
    py: Python<'py>,
    codes: Aligned2<'_, u8>,
    classes: Aligned1<'_, u16>,
    n_classes: usize,
    criterion: &str,
    options_json: &str,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
    memory_limit: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let options =
        serde_json::from_str(options_json).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let criterion = criteria::make(criterion, options).map_err(exception)?;
    let columns = codes.as_array().dim().1;
    let values =
        codes.as_slice().map_err(|_| PyValueError::new_err("codes must be C-contiguous"))?;
    let codes = NominalRows { values, columns, stride: columns };
    let classes = classes.as_array().to_vec();
    let weights = sample_weight.map_or(Counts::One, |w| Counts::of(w.as_array().to_vec()));
    let work = classes.len().saturating_mul(classes.len()) / 64 * columns;
    let work = Work::from(work).limited(memory_limit).stating();
    let scores = run(py, n_jobs, work, progress.as_ref(), |control| {
        // what a search takes does not depend on the radius, but on whether it has to be found
        let mut found = false;
        let (method, _) = search(criterion.as_ref(), &mut || {
            found = true;
            Ok(1)
        })?;
        let control = &streamed(control, codes, &classes, n_classes, &weights, method, found)?;
        let rows = NeighbourRows::new(codes, Vec::new(), &classes, n_classes, weights)?;
        let mut radius = || default_radius(control, &rows);
        let (method, multiclass) = search(criterion.as_ref(), &mut radius)?;
        let mut scores = neighbour_scores(control, &rows, method, multiclass)?;
        let constant = constant(control, codes, classes.len())?;
        scores.iter_mut().zip(constant).filter(|(_, c)| *c).for_each(|(s, _)| *s = f64::NAN);
        Ok(scores)
    })?;
    Ok(scores.into_pyarray(py))
}

/// Scores of neighbours in their last form, from sums of all parts.
#[pyfunction]
pub fn rounded_scores<'py>(py: Python<'py>, sums: Aligned1<'_, f64>) -> Bound<'py, PyArray1<f64>> {
    let mut scores = sums.as_array().to_vec();
    round(&mut scores);
    scores.into_pyarray(py)
}

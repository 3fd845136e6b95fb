//! `_core.stream_scores`: scores of a C-contiguous array of codes by neighbours or pairs of rows.
//!
//! The array is read in place, without an encoded copy, so that it may be memory-mapped and larger
//! than memory. O(rows^2 x columns) bit operations.

use super::aligned::{Aligned1, Aligned2};
use super::job::{Work, run};
use super::plan::{Options, builtin_criterion};
use crate::criteria::{Criterion, Evidence};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::stats::neighbours::{
    Multiclass, NeighbourMethod, NeighbourRows, NominalRows, RowWeights, default_radius,
    neighbour_scores, round, streamed,
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// How a criterion chooses neighbours, and how it treats several classes; `radius` computes the
/// radius of Relief where the criterion has none.
fn search(
    criterion: &dyn Criterion,
    radius: &mut dyn FnMut() -> Result<usize>,
) -> Result<(NeighbourMethod, Multiclass)> {
    match criterion.evidence() {
        Evidence::Neighbours(search) => return Ok(search),
        Evidence::Pairs(formula) => {
            if let Some((setting, metric)) = formula.streamed(radius)? {
                return Ok((NeighbourMethod::Pairs { setting, metric }, Multiclass::Prior));
            }
        }
        Evidence::Table | Evidence::Rows(_) | Evidence::Order(_) => {}
    }
    Err(Error::Unsupported {
        what: format!("criterion='{}' over streamed codes", criterion.info().name),
        supported: "criteria on neighbours, pi, contextual_merit, relief".into(),
    })
}

/// Whether each column is constant.
fn constant(control: &Control, codes: NominalRows<'_>, rows: usize) -> Result<Vec<bool>> {
    // Columns per task: a page of each row.
    let width = 4096;
    let by_block = parallel::map(control, codes.columns.div_ceil(width), &|block| {
        control.check()?;
        let columns = block * width..((block + 1) * width).min(codes.columns);
        let first = codes.part(0, columns.clone());
        // Bits in which some row differs from the first one.
        let mut differences = vec![0_u8; columns.len()];
        for row in 1..rows {
            let own = codes.part(row, columns.clone());
            differences.iter_mut().zip(own.iter().zip(first)).for_each(|(d, (a, b))| *d |= a ^ b);
        }
        Ok(differences.into_iter().map(|d| d == 0).collect::<Vec<bool>>())
    })?;
    Ok(by_block.concat())
}

/// One score per column of a C-contiguous array of codes, shape (rows, columns); NaN for a constant
/// column. Every byte is the code of a known value, as no code means "missing".
#[pyfunction]
#[pyo3(signature = (
    codes, classes, n_classes, criterion, options, sample_weight = None, n_jobs = None,
    progress = None, memory_limit = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn stream_scores<'py>(
    py: Python<'py>,
    codes: Aligned2<'_, u8>,
    classes: Aligned1<'_, u16>,
    n_classes: usize,
    criterion: &str,
    options: Options,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
    memory_limit: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let criterion = builtin_criterion(criterion, options)?;
    let columns = codes.as_array().dim().1;
    let values =
        codes.as_slice().map_err(|_| PyValueError::new_err("codes must be C-contiguous"))?;
    let codes = NominalRows { values, columns, stride: columns };
    let classes = classes.as_array().to_vec();
    let weights = sample_weight.map_or(RowWeights::One, |w| RowWeights::new(w.as_array().to_vec()));
    let work = classes.len().saturating_mul(classes.len()) / 64 * columns;
    let work = Work::from(work).with_limit(memory_limit).reporting_refusal();
    let scores = run(py, n_jobs, work, progress.as_ref(), |control| {
        // The memory of a search depends on whether a radius has to be computed, not on the radius.
        let mut needs_radius = false;
        let (method, _) = search(criterion.as_ref(), &mut || {
            needs_radius = true;
            Ok(1)
        })?;
        let control =
            &streamed(control, codes, &classes, n_classes, &weights, method, needs_radius)?;
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

/// Scores by neighbours as they are reported: the sums over all shares of the work, rounded.
#[pyfunction]
pub fn rounded_scores<'py>(py: Python<'py>, sums: Aligned1<'_, f64>) -> Bound<'py, PyArray1<f64>> {
    let mut scores = sums.as_array().to_vec();
    round(&mut scores);
    scores.into_pyarray(py)
}

//! `_core.agreement_counts`, `_core.pair_block_scores`: what estimates of pair scores are made of.

use super::aligned::Aligned1;
use super::convert::copies;
use super::dataset::PyDataset;
use super::job::{exception, run};
use super::pair_setting::setting;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::stats::pairs::{CaseSigns, NominalColumns, agreement, block_scores};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

/// The metric's sign of each case, times theta.
fn signs(metric: &str, theta: [f64; 4]) -> Result<CaseSigns> {
    let [a, b, c, d] = theta;
    let (factors, shares) = match metric {
        "pi" => ([a, -b, -c, d], true),
        "pi_unweighted" => ([a, -b, -c, d], false),
        "contextual_merit" => ([0.0, 0.0, 0.0, d], false),
        "relief" => ([0.0, 0.0, -c, d], false),
        other => {
            let known = "use 'pi', 'pi_unweighted', 'contextual_merit' or 'relief'";
            return Err(Error::parameter("criterion", format!("'{other}'"), known));
        }
    };
    Ok(CaseSigns { factors, shares })
}

/// Internal numbers of rows.
fn internal(data: &Dataset, rows: &[i64]) -> Result<Vec<u32>> {
    let row = |&r: &i64| {
        let row = usize::try_from(r).ok().and_then(|r| data.internal().get(r)).copied();
        row.ok_or_else(|| Error::Data(format!("row {r} of {} rows", data.len())))
    };
    rows.iter().map(row).collect()
}

fn matrix(
    py: Python<'_>,
    rows: Vec<Vec<f64>>,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let n = rows.len();
    rows.concat().into_pyarray(py).reshape([n, columns])
}

/// For sets of features (`features[..ends[0]]`, `features[ends[0]..ends[1]]`, ...): ordered pairs
/// by feature and case, shape (sets, features, 4), cases 1 and 2 over those that agree on the set
/// and the feature, cases 3 and 4 over those that agree on the set without it.
#[pyfunction]
#[pyo3(signature = (
    dataset, features, ends, shares, weights = None, n_jobs = None, progress = None
))]
#[expect(clippy::too_many_arguments)]
pub fn agreement_counts<'py>(
    py: Python<'py>,
    dataset: &Bound<'_, PyDataset>,
    features: Aligned1<'_, u32>,
    ends: Aligned1<'_, i64>,
    shares: bool,
    weights: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let data = dataset.get().encoded(py, n_jobs)?;
    let (features, ends) = (features.as_slice()?, ends.as_slice()?);
    let mut sets = Vec::with_capacity(ends.len());
    let mut from = 0;
    for &end in ends {
        let set = usize::try_from(end).ok().and_then(|end| features.get(from..end));
        sets.push(
            set.ok_or_else(|| exception(Error::Data(format!("sets of features end at {end}"))))?,
        );
        from = end as usize;
    }
    let weights = copies(weights.as_ref(), data)?;
    let n = data.columns().len();
    let work = data.len().saturating_mul(n).saturating_mul(sets.len());
    let found = run(py, n_jobs, work, progress.as_ref(), |control| {
        let columns = NominalColumns::new(control.budget(), data, None)?;
        agreement(control, &columns.codes(data, weights.as_deref())?, &sets, shares)
    })?;
    found.concat().into_flattened().into_pyarray(py).reshape([ends.len(), n, 4])
}

/// For a sample of rows in blocks (`rows[..ends[0]]`, ...): the metric's sum over the pairs of two
/// different rows of each unordered pair of blocks, shape (pairs of blocks, features), and over the
/// self-pairs of all rows of the data set, shape (features,). Of the pairs of blocks those from
/// number `asked.0` to the one before `asked.1`.
#[pyfunction]
#[pyo3(signature = (
    dataset, rows, ends, metric, theta, alpha, decay, at_zero, weights = None, n_jobs = None,
    progress = None, asked = None
))]
#[expect(clippy::too_many_arguments, clippy::type_complexity)]
pub fn pair_block_scores<'py>(
    py: Python<'py>,
    dataset: &Bound<'_, PyDataset>,
    rows: Aligned1<'_, i64>,
    ends: Aligned1<'_, i64>,
    metric: &str,
    theta: [f64; 4],
    alpha: f64,
    decay: &str,
    at_zero: f64,
    weights: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
    asked: Option<(usize, usize)>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>)> {
    let data = dataset.get().encoded(py, n_jobs)?;
    let rows = internal(data, rows.as_slice()?).map_err(exception)?;
    let mut members = Vec::new();
    let mut from = 0;
    for &end in ends.as_slice()? {
        let block = usize::try_from(end).ok().and_then(|end| rows.get(from..end));
        members.push(
            block
                .ok_or_else(|| exception(Error::Data(format!("blocks of rows end at {end}"))))?
                .to_vec(),
        );
        from = end as usize;
    }
    let n = data.columns().len();
    let signs = signs(metric, theta).map_err(exception)?;
    let decay = setting(theta, alpha, decay, at_zero).map_err(exception)?.weights(n + 1);
    let weights = copies(weights.as_ref(), data)?;
    let work = rows.len().saturating_mul(rows.len()) / 64 * n;
    let asked = asked.map_or(0..usize::MAX, |(first, last)| first..last);
    let found = run(py, n_jobs, work, progress.as_ref(), |control| {
        let columns = NominalColumns::new(control.budget(), data, None)?;
        let codes = columns.codes(data, weights.as_deref())?;
        block_scores(control, &codes, (&members, asked.clone()), &decay, signs)
    })?;
    Ok((matrix(py, found.pairs, n)?, found.own.into_pyarray(py)))
}

//! `_core.agreement_counts`, `_core.pair_block_scores`: sums from which Python estimates pair
//! scores where counting all pairs of rows costs too much.

use super::aligned::Aligned1;
use super::convert::copies;
use super::dataset::PyDataset;
use super::job::{exception, run};
use super::pair_setting::setting;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::stats::pairs::{
    CaseSigns, NominalColumns, PairMetric, RowBlocks, agreement, block_scores,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

/// The factors of the four cases of a pair in a metric: its signs times theta. Cases 1 and 2 agree
/// on the feature, cases 1 and 3 have the same class. With `shares` each value of the
/// feature counts with its share of the rows.
fn signs(metric: &str, theta: [f64; 4]) -> Result<CaseSigns> {
    let Some(known) = PairMetric::from_name(metric) else {
        let known = "use 'pi', 'pi_unweighted', 'contextual_merit' or 'relief'";
        return Err(Error::parameter("criterion", format!("'{metric}'"), known));
    };
    let factors = std::array::from_fn(|case| known.signs()[case] * theta[case]);
    Ok(CaseSigns { factors, shares: known == PairMetric::Pi })
}

/// Internal numbers of rows.
fn internal(data: &Dataset, rows: &[i64]) -> Result<Vec<u32>> {
    let row = |&r: &i64| {
        let row = usize::try_from(r).ok().and_then(|r| data.internal().get(r)).copied();
        row.ok_or_else(|| Error::Data(format!("row {r} of {} rows", data.len())))
    };
    rows.iter().map(row).collect()
}

/// Consecutive slices of a list: `items[..ends[0]]`, `items[ends[0]..ends[1]]`, ...; `what` names
/// them in the refusal of ends that do not ascend or lie outside.
fn slices<'a, T>(items: &'a [T], ends: &[i64], what: &str) -> PyResult<Vec<&'a [T]>> {
    let mut start = 0;
    ends.iter()
        .map(|&end| {
            let slice = usize::try_from(end).ok().and_then(|end| items.get(start..end));
            start = end as usize;
            slice.ok_or_else(|| exception(Error::Data(format!("{what} end at {end}"))))
        })
        .collect()
}

/// Rows of equal length as an array.
fn matrix(
    py: Python<'_>,
    rows: Vec<Vec<f64>>,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let n = rows.len();
    rows.concat().into_pyarray(py).reshape([n, columns])
}

/// Numbers of ordered pairs that agree on sets of features, shape (sets, features, 4).
///
/// The sets are `features[..ends[0]]`, `features[ends[0]..ends[1]]`, ... The last axis is the case
/// of a pair at a feature: cases 1 and 2 count pairs that agree on the set and the feature, cases 3
/// and 4 pairs that agree on the set without the feature and differ in it.
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
    let sets = slices(features.as_slice()?, ends.as_slice()?, "sets of features")?;
    let weights = copies(weights.as_ref(), data)?;
    let n_features = data.columns().len();
    let work = data.len().saturating_mul(n_features).saturating_mul(sets.len());
    let found = run(py, n_jobs, work, progress.as_ref(), |control| {
        let columns = NominalColumns::new(control.budget(), data, None)?;
        agreement(control, &columns.codes(data, weights.as_deref())?, &sets, shares)
    })?;
    found.concat().into_flattened().into_pyarray(py).reshape([sets.len(), n_features, 4])
}

/// A metric's sums over the pairs of rows of a sample in blocks (`rows[..ends[0]]`, ...).
///
/// Returns the sums over the pairs of two different rows of each unordered pair of blocks, shape
/// (pairs of blocks, features), and over the self-pairs of all rows of the data set, shape
/// (features,). `asked` selects a range (first, end) of the pairs of blocks.
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
    let blocks = slices(&rows, ends.as_slice()?, "blocks of rows")?;
    let blocks: Vec<Vec<u32>> = blocks.into_iter().map(<[u32]>::to_vec).collect();
    let n_features = data.columns().len();
    let signs = signs(metric, theta).map_err(exception)?;
    let decay = setting(theta, alpha, decay, at_zero).map_err(exception)?.weights(n_features + 1);
    let weights = copies(weights.as_ref(), data)?;
    // A word holds 64 pairs.
    let work = rows.len().saturating_mul(rows.len()) / 64 * n_features;
    let asked = asked.map_or(0..usize::MAX, |(first, end)| first..end);
    let found = run(py, n_jobs, work, progress.as_ref(), |control| {
        let columns = NominalColumns::new(control.budget(), data, None)?;
        let codes = columns.codes(data, weights.as_deref())?;
        let blocks = RowBlocks { members: &blocks, asked: asked.clone() };
        block_scores(control, &codes, blocks, &decay, signs)
    })?;
    Ok((matrix(py, found.pairs, n_features)?, found.own.into_pyarray(py)))
}

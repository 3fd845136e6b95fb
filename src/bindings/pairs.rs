//! `_core.PairCounts`: counts of ordered pairs of rows by distance, and the count matrices and
//! scores that follow from them ([`crate::stats::pairs`]).
//!
//! Counts do not depend on the setting (theta, alpha, decay, at_zero), so one count serves many
//! settings; [`fixed_matrices`] weighs pairs as it counts them, which takes less memory for a
//! single one. O(rows^2 x features) bit operations.

use super::aligned::Aligned1;
use super::convert::{copies, row_set};
use super::dataset::PyDataset;
use super::job::{Work, exception, run};
use super::pair_setting::setting;
use crate::data;
use crate::error::{Error, Result};
use crate::memory;
use crate::simd::Kernels;
use crate::stats::pairs::{
    NominalColumns, PairCounts, PairMetric, PairSetting, Profile, count_matrices, default_radius,
    pair_counts as counts_of_pairs, pair_counts_across as across, root_matrix, weigh_pairs,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArray4, PyArrayMethods};
use pyo3::prelude::*;

/// Numbers of pairs by (feature, value, class, case, distance); immutable.
#[pyclass(name = "PairCounts", module = "fasttree._core", frozen)]
pub struct PyPairCounts {
    counts: PairCounts,
}

/// Bytes of the counts of a data set.
fn count_bytes(data: &data::Dataset) -> usize {
    let features = &data.schema().features;
    let values: usize = features.iter().map(|f| f.arity() + 1).sum();
    values.saturating_mul(data.n_classes() * 4).saturating_mul((features.len() + 1) * 8)
}

/// Count the ordered pairs (i, j) with i in `rows` (all if None) and j any row; `weights` are
/// copies of rows. The counts of a partition of the rows add up to the counts of all rows
/// (`PairCounts.plus`), so parts may be counted in different processes.
#[pyfunction]
#[pyo3(signature = (
    dataset, rows = None, weights = None, n_jobs = None, progress = None, memory_limit = None
))]
pub fn pair_counts(
    py: Python<'_>,
    dataset: &Bound<'_, PyDataset>,
    rows: Option<Aligned1<'_, i64>>,
    weights: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
    memory_limit: Option<usize>,
) -> PyResult<PyPairCounts> {
    let data = dataset.get().encoded(py, n_jobs)?;
    let weights = copies(weights.as_ref(), data)?;
    let from = rows.map(|rows| row_set(Some(&rows), data)).transpose()?;
    let work = data.len().saturating_mul(data.len()) / 64 * data.columns().len();
    let bytes = count_bytes(data);
    // The core states larger needs itself, with a remedy.
    let work = Work::from(work)
        .with_memory(0, bytes.min(memory::CAP))
        .with_limit(memory_limit)
        .reporting_refusal();
    let counts = run(py, n_jobs, work, progress.as_ref(), |control| {
        let n_from = from.as_ref().map(|from| from.rows().len());
        let columns = NominalColumns::new(control.budget(), data, n_from)?;
        let codes = columns.codes(data, weights.as_deref())?;
        counts_of_pairs(
            &control.holding(columns.held()),
            Kernels::active(),
            &codes,
            from.as_ref().map(data::RowSet::rows),
            None,
        )
    })?;
    Ok(PyPairCounts { counts })
}

/// Count the pairs of a row in `rows` and a row in `others`, in both orders; the sets are disjoint.
#[pyfunction]
#[pyo3(signature = (dataset, rows, others, weights = None, n_jobs = None, progress = None))]
pub fn pair_counts_across(
    py: Python<'_>,
    dataset: &Bound<'_, PyDataset>,
    rows: Aligned1<'_, i64>,
    others: Aligned1<'_, i64>,
    weights: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyPairCounts> {
    let data = dataset.get().encoded(py, n_jobs)?;
    let weights = copies(weights.as_ref(), data)?;
    let (rows, others) = (row_set(Some(&rows), data)?, row_set(Some(&others), data)?);
    let pairs = rows.rows().len().saturating_mul(others.rows().len());
    let bytes = count_bytes(data);
    let work = Work::from(pairs / 32 * data.columns().len()).with_memory(bytes, bytes);
    let counts = run(py, n_jobs, work, progress.as_ref(), |control| {
        let columns = NominalColumns::new(control.budget(), data, None)?;
        let codes = columns.codes(data, weights.as_deref())?;
        across(control, &codes, [rows.rows(), others.rows()])
    })?;
    Ok(PyPairCounts { counts })
}

/// The count matrix of every feature under one setting, shape (values, classes, 4) each. Pairs are
/// weighed in fixed point as they are counted.
#[pyfunction]
#[pyo3(signature = (
    dataset, theta, alpha, decay, at_zero, rows = None, weights = None, n_jobs = None, progress =
    None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn fixed_matrices<'py>(
    py: Python<'py>,
    dataset: &Bound<'_, PyDataset>,
    theta: [f64; 4],
    alpha: f64,
    decay: &str,
    at_zero: f64,
    rows: Option<Aligned1<'_, i64>>,
    weights: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Bound<'py, PyArray3<f64>>>> {
    let setting = setting(theta, alpha, decay, at_zero).map_err(exception)?;
    let data = dataset.get().encoded(py, n_jobs)?;
    let weights = copies(weights.as_ref(), data)?;
    let from = rows.map(|rows| row_set(Some(&rows), data)).transpose()?;
    let work = data.len().saturating_mul(data.len()) / 64 * data.columns().len();
    let weighed = run(py, n_jobs, work, progress.as_ref(), |control| {
        let columns = NominalColumns::new(control.budget(), data, None)?;
        let codes = columns.codes(data, weights.as_deref())?;
        weigh_pairs(
            control,
            Kernels::active(),
            &codes,
            &setting,
            from.as_ref().map(data::RowSet::rows),
        )
    })?;
    let values: Vec<usize> = (0..weighed.features()).map(|k| weighed.values(k)).collect();
    to_arrays(py, &weighed.matrices(), &values, weighed.classes())
}

/// Matrices that lie one after the other, as arrays of shape (values, classes, 4).
fn to_arrays<'py>(
    py: Python<'py>,
    mut cells: &[f64],
    values: &[usize],
    classes: usize,
) -> PyResult<Vec<Bound<'py, PyArray3<f64>>>> {
    let next = |&values: &usize| {
        let (matrix, rest) = cells.split_at(values * classes * 4);
        cells = rest;
        matrix.to_vec().into_pyarray(py).reshape([values, classes, 4])
    };
    values.iter().map(next).collect()
}

/// One score per feature by a named metric.
fn scores(profile: &Profile, metric: &str, setting: &PairSetting) -> Result<Vec<f64>> {
    let known = "use 'pi', 'pi_unweighted', 'contextual_merit', 'relief' or a function";
    match PairMetric::from_name(metric) {
        Some(metric) => Ok(profile.scores(metric, setting)),
        None => Err(Error::parameter("criterion", format!("'{metric}'"), known)),
    }
}

#[pymethods]
impl PyPairCounts {
    /// Counts from the result of `parts`.
    #[staticmethod]
    fn from_parts(
        offsets: Vec<u32>,
        classes: usize,
        cells: Aligned1<'_, i64>,
        pairs: u64,
    ) -> PyResult<Self> {
        let cells = cells.as_array().to_vec();
        let counts = PairCounts::from_parts(offsets, classes, cells, pairs).map_err(exception)?;
        Ok(Self { counts })
    }

    /// The fields, for pickling: offsets of the features' values, and their number; number of
    /// classes; all counts; number of ordered pairs.
    fn parts<'py>(&self, py: Python<'py>) -> (Vec<u32>, usize, Bound<'py, PyArray1<i64>>, u64) {
        let counts = &self.counts;
        let cells = counts.cells().to_vec().into_pyarray(py);
        (counts.offsets().to_vec(), counts.classes(), cells, counts.pairs())
    }

    /// Number of ordered pairs, self-pairs included.
    #[getter]
    fn pairs(&self) -> u64 {
        self.counts.pairs()
    }

    /// Number of features.
    #[getter]
    fn features(&self) -> usize {
        self.counts.features()
    }

    /// Counts of a feature, shape (values, classes, 4, n_features + 1).
    fn feature<'py>(&self, py: Python<'py>, feature: usize) -> PyResult<Bound<'py, PyArray4<i64>>> {
        if feature >= self.counts.features() {
            return Err(pyo3::exceptions::PyIndexError::new_err("no such feature"));
        }
        let shape =
            [self.counts.values(feature), self.counts.classes(), 4, self.counts.distances()];
        self.counts.feature(feature).to_vec().into_pyarray(py).reshape(shape)
    }

    /// The sum of the counts of two disjoint sets of pairs.
    fn plus(&self, other: &Self) -> PyResult<Self> {
        let mut counts = self.counts.clone();
        counts.add(&other.counts).map_err(exception)?;
        Ok(Self { counts })
    }

    /// The count matrix of every feature under a setting, shape (values, classes, 4).
    fn matrices<'py>(
        &self,
        py: Python<'py>,
        theta: [f64; 4],
        alpha: f64,
        decay: &str,
        at_zero: f64,
    ) -> PyResult<Vec<Bound<'py, PyArray3<f64>>>> {
        let setting = setting(theta, alpha, decay, at_zero).map_err(exception)?;
        let values: Vec<usize> =
            (0..self.counts.features()).map(|k| self.counts.values(k)).collect();
        to_arrays(py, &count_matrices(&self.counts, &setting), &values, self.counts.classes())
    }

    /// The count matrix of all rows as one value, shape (classes * 4,): cases 3 and 4 are zero.
    fn root<'py>(
        &self,
        py: Python<'py>,
        theta: [f64; 4],
        alpha: f64,
        decay: &str,
        at_zero: f64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let setting = setting(theta, alpha, decay, at_zero).map_err(exception)?;
        Ok(root_matrix(&self.counts, &setting).into_pyarray(py))
    }

    /// One score per feature: `pi`, `pi_unweighted`, `contextual_merit` or `relief`.
    fn score<'py>(
        &self,
        py: Python<'py>,
        metric: &str,
        theta: [f64; 4],
        alpha: f64,
        decay: &str,
        at_zero: f64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let setting = setting(theta, alpha, decay, at_zero).map_err(exception)?;
        let scores = scores(&Profile::new(&self.counts), metric, &setting).map_err(exception)?;
        Ok(scores.into_pyarray(py))
    }

    /// Scores under many settings (theta, alpha, decay, at_zero), shape (settings, features).
    fn sweep<'py>(
        &self,
        py: Python<'py>,
        metric: &str,
        settings: Vec<([f64; 4], f64, String, f64)>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let profile = Profile::new(&self.counts);
        let mut rows = Vec::with_capacity(settings.len() * self.counts.features());
        for (theta, alpha, decay, at_zero) in &settings {
            let setting = setting(*theta, *alpha, decay, *at_zero).map_err(exception)?;
            rows.extend(scores(&profile, metric, &setting).map_err(exception)?);
        }
        rows.into_pyarray(py).reshape([settings.len(), self.counts.features()])
    }

    /// The radius of Relief that is used if the caller gives none.
    fn default_radius(&self) -> usize {
        default_radius(&self.counts)
    }
}

//! `_core.BayesModel`: a fitted Bayesian classifier, and `_core.bayes_fit`, which fits one to a
//! `_core.Dataset` (see [`crate::bayes`]).

use super::aligned::Aligned1;
use super::convert::{ArrayBlock, bytes, readable, weights};
use super::dataset::PyDataset;
use super::job::{Work, run};
use super::plan::FromPython;
use crate::bayes::{self, BayesConfig, BayesModel};
use crate::predict::Source;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// A fitted classifier; immutable.
#[pyclass(name = "BayesModel", module = "fasttree._core", frozen)]
pub struct PyBayesModel {
    model: Arc<BayesModel>,
}

/// Fit naive Bayes, TAN or AODE, as `config` says, to all rows of a data set that have a positive
/// weight. TAN and AODE count pairs of features, which costs O(rows x features^2); naive Bayes
/// takes one pass per column.
#[pyfunction]
#[pyo3(signature = (data, config, sample_weight = None, n_jobs = None))]
pub fn bayes_fit(
    py: Python<'_>,
    data: &PyDataset,
    config: FromPython<BayesConfig>,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
) -> PyResult<PyBayesModel> {
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    // TAN and AODE count pairs of features.
    let n_features = data.columns().len();
    let work = data.len().saturating_mul(n_features).saturating_mul(n_features);
    let model =
        run(py, n_jobs, work, None, |control| bayes::fit(data, &weights, &config.0, control))?;
    Ok(PyBayesModel { model: Arc::new(model) })
}

#[pymethods]
impl PyBayesModel {
    /// Probabilities, or with `joint` the logarithms of the joint probabilities, shape (rows,
    /// classes).
    #[pyo3(signature = (blocks, rows, joint = false, n_jobs = None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        joint: bool,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let model = &self.model;
        let (n_features, k) = (model.readings.len(), model.classes());
        let columns = readable(n_features, &blocks, rows)?;
        let work = rows.saturating_mul(n_features).saturating_mul(k);
        let bytes = rows.saturating_mul(16 * k);
        let work = Work::from(work).with_memory(bytes, bytes);
        let out = run(py, n_jobs, work, None, |control| {
            let number = |row, feature| columns.number(row, feature);
            let code = |row, feature| columns.code(row, feature);
            let mut out = model.log_joint(rows, number, code, control)?;
            if !joint {
                bayes::normalise(&mut out, k);
            }
            Ok(out)
        })?;
        out.into_pyarray(py).reshape([rows, k])
    }

    /// The model as JSON.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let text = run(py, None, usize::MAX, None, |control| self.model.to_json(control))?;
        bytes(py, &text)
    }

    /// A model from JSON, checked before use.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let work = Work::from(data.len() * 16).with_memory(data.len(), data.len());
        let model = run(py, None, work, None, |c| BayesModel::from_json(data, c))?;
        Ok(Self { model: Arc::new(model) })
    }
}

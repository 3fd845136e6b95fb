//! What explanations of predictions, and conversions of models, ask of the core.

use super::dataset::PyDataset;
use super::forest::PyForest;
use super::job::{Work, reserve, run};
use super::model::PyModel;
use crate::error::Result;
use crate::explain::ForestExplainer;
use crate::inspect;
use crate::model::Model;
use crate::parallel::Control;
use numpy::{IntoPyArray, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

/// Shapley values of rows by trees that are made ready for it, shape (rows, features, classes).
pub(super) fn explained<'py>(
    py: Python<'py>,
    trees: &[Model],
    rows: usize,
    (n_jobs, progress): (Option<i64>, Option<Py<PyAny>>),
    values: impl FnOnce(&ForestExplainer, &Control) -> Result<Vec<f64>> + Send,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let (features, classes) =
        trees.first().map_or((0, 0), |t| (t.schema.features.len(), t.tree.classes));
    let bytes = rows.saturating_mul(features * classes).saturating_mul(8);
    let _memory = reserve(bytes, bytes)?;
    let nodes: usize = trees.iter().map(|t| t.tree.nodes.len()).sum();
    let work = Work::from(rows.saturating_mul(nodes * 4)).with_memory(nodes * 128, nodes * 64);
    let found = run(py, n_jobs, work, progress.as_ref(), |control| {
        values(&ForestExplainer::new(trees, control)?, control)
    })?;
    found.into_pyarray(py).reshape([rows, features, classes])
}

/// A tree or a forest.
#[derive(FromPyObject)]
pub enum Trees<'py> {
    /// One tree.
    One(PyRef<'py, PyModel>),
    /// Several.
    Many(PyRef<'py, PyForest>),
}

/// Numbers of the training rows that rounding to float32 moves over a threshold of the model:
/// (feature, value, threshold). Of rows that no call has encoded none are known.
#[pyfunction]
pub fn float32_conflicts(
    py: Python<'_>,
    data: &PyDataset,
    model: Trees<'_>,
) -> PyResult<Vec<(usize, f64, f64)>> {
    let Some(data) = data.known() else { return Ok(Vec::new()) };
    let models = match &model {
        Trees::One(one) => std::slice::from_ref(one.model()),
        Trees::Many(many) => &many.forest().trees,
    };
    let nodes: usize = models.iter().map(|m| m.tree.nodes.len()).sum();
    run(py, None, nodes * 16, None, |control| inspect::float32_conflicts(models, data, control))
}

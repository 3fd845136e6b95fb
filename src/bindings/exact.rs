//! `_core.minimal_tree`, `_core.optimal_tree` and `_core.near_optimal`: the searches of
//! [`crate::exact`], whose trees become models with the bounds that were proven among their
//! parameters.

use super::aligned::Aligned1;
use super::convert::{positive_rows, weights};
use super::dataset::PyDataset;
use super::job::{Work, run};
use super::model::PyModel;
use super::plan::FromPython;
use crate::data::Dataset;
use crate::exact::{self, Cheapest, Errors, Objective, SearchLimits};
use crate::model::{LeafSmoothing, Model};
use crate::tree::Tree;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pythonize::pythonize;
use serde_json::{Map, Value, json};

/// A model of the tree that a search returned. Its parameters are `parameters`, a JSON object, to
/// which `found` is added under "found".
fn model_of(
    py: Python<'_>,
    data: &Dataset,
    tree: Tree,
    parameters: &str,
    found: Value,
) -> PyResult<Py<PyModel>> {
    let mut parameters: Map<String, Value> = serde_json::from_slice(parameters.as_bytes())
        .map_err(|e| PyValueError::new_err(e.to_string()))?;
    parameters.insert("found".into(), found);
    let model = Model {
        schema: data.shared_schema(),
        tree,
        smoothing: LeafSmoothing::None,
        parameters: Value::Object(parameters).to_string(),
    };
    PyModel::new(py, model)
}

/// The smallest consistent tree of a data set, or the best that the limits allow.
///
/// The parameters of the model are `parameters` and, under "found", the proven lower bound of the
/// number of nodes, the number of search nodes that were opened, and the weight of the rows that
/// every tree misclassifies.
#[pyfunction]
#[pyo3(signature = (
    data, limits, minimise_errors, parameters, sample_weight = None, progress = None
))]
pub fn minimal_tree(
    py: Python<'_>,
    data: &PyDataset,
    limits: FromPython<SearchLimits>,
    minimise_errors: bool,
    parameters: &str,
    sample_weight: Option<Aligned1<'_, f64>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyModel>> {
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let errors = if minimise_errors { Errors::Minimise } else { Errors::Raise };
    let found = run(py, None, usize::MAX, progress.as_ref(), |control| {
        let rows = positive_rows(data.len(), &weights);
        exact::minimal_tree(data, &rows, &weights, errors, &limits.0, control)
    })?;
    let bounds =
        json!({"lower_bound": found.lower, "search_nodes": found.opened, "errors": found.errors});
    model_of(py, data, found.tree, parameters, bounds)
}

/// The first tests of near-optimal trees by feature, as a list of dicts (see
/// [`exact::FeatureRoots`]), and the trees of at most `most_trees` of these tests. A tree is
/// near-optimal if its objective is at most `within` above the least. The parameters of the models
/// are set as by `optimal_tree`.
#[pyfunction]
#[pyo3(signature = (
    data, objective, limits, within, most_trees, parameters, sample_weight = None, n_jobs = None,
    progress = None, memory_limit = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn near_optimal(
    py: Python<'_>,
    data: &PyDataset,
    objective: FromPython<Objective>,
    limits: FromPython<SearchLimits>,
    within: f64,
    most_trees: usize,
    parameters: &str,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
    memory_limit: Option<usize>,
) -> PyResult<(Py<PyAny>, Vec<Py<PyModel>>)> {
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let work = Work::from(usize::MAX).with_limit(memory_limit).reporting_refusal();
    let found = run(py, n_jobs, work, progress.as_ref(), |control| {
        let rows = positive_rows(data.len(), &weights);
        exact::near_optimal(
            data,
            &rows,
            &weights,
            &objective.0,
            &limits.0,
            (within, most_trees),
            control,
        )
    })?;
    let models = found.trees.into_iter().map(|tree| optimal_model(py, data, tree, parameters));
    let models = models.collect::<PyResult<_>>()?;
    Ok((pythonize(py, &found.features)?.unbind(), models))
}

/// A model of an optimal tree. Its parameters have under "found" a lower and an upper bound of the
/// objective, the number of search nodes that were opened, and the weight of the misclassified
/// rows.
fn optimal_model(
    py: Python<'_>,
    data: &Dataset,
    found: Cheapest,
    parameters: &str,
) -> PyResult<Py<PyModel>> {
    let bounds = json!({
        "lower_bound": found.lower,
        "upper_bound": found.objective,
        "search_nodes": found.opened,
        "errors": found.errors,
    });
    model_of(py, data, found.tree, parameters, bounds)
}

/// The tree that minimises the mean loss + penalty x leaves, or the best that the limits allow.
///
/// The model has the same parameters as a model of `minimal_tree`, but under "found" there are a
/// lower and an upper bound of the objective. If `returns`, Ctrl-C ends the search as a time limit
/// does.
#[pyfunction]
#[pyo3(signature = (
    data, objective, limits, parameters, sample_weight = None, n_jobs = None, progress = None,
    memory_limit = None, returns = false
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn optimal_tree(
    py: Python<'_>,
    data: &PyDataset,
    objective: FromPython<Objective>,
    limits: FromPython<SearchLimits>,
    parameters: &str,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
    memory_limit: Option<usize>,
    returns: bool,
) -> PyResult<Py<PyModel>> {
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let work =
        Work::from(usize::MAX).with_limit(memory_limit).reporting_refusal().keeping_best(returns);
    let found = run(py, n_jobs, work, progress.as_ref(), |control| {
        let rows = positive_rows(data.len(), &weights);
        exact::optimal_tree(data, &rows, &weights, &objective.0, &limits.0, control)
    })?;
    optimal_model(py, data, found, parameters)
}

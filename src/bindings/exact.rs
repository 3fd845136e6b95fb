//! Smallest and optimal trees: search without the interpreter, answer with bounds.

use super::aligned::Aligned1;
use super::convert::weights;
use super::dataset::PyDataset;
use super::job::run;
use super::model::PyModel;
use crate::data::{Dataset, Weights};
use crate::exact::{self, Errors, Objective, SearchLimits};
use crate::model::{LeafSmoothing, Model};
use crate::tree::Tree;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

fn read<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|e| PyValueError::new_err(e.to_string()))
}

fn searched(
    py: Python<'_>,
    data: &Dataset,
    tree: Tree,
    parameters: &str,
    found: Value,
) -> PyResult<Py<PyModel>> {
    let mut parameters: Map<String, Value> = read(parameters)?;
    parameters.insert("found".into(), found);
    let model = Model {
        schema: data.shared_schema(),
        tree,
        smoothing: LeafSmoothing::None,
        parameters: Value::Object(parameters).to_string(),
    };
    PyModel::new(py, model)
}

fn kept(data: &Dataset, weights: &Weights) -> Vec<u32> {
    (0..data.len() as u32).filter(|&r| !weights.is_zero(r)).collect()
}

/// The smallest consistent tree of a data set, or the best that the limits allow.
///
/// The model's parameters are `parameters` (a JSON object) with what was found under "found": the
/// lower bound of the nodes, the search nodes opened, the weight of the rows that no tree gets
/// right.
#[pyfunction]
#[pyo3(signature = (
    data, limits, minimise_errors, parameters, sample_weight = None, progress = None
))]
pub fn minimal_tree(
    py: Python<'_>,
    data: &PyDataset,
    limits: &str,
    minimise_errors: bool,
    parameters: &str,
    sample_weight: Option<Aligned1<'_, f64>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyModel>> {
    let limits: SearchLimits = read(limits)?;
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let errors = if minimise_errors { Errors::Minimise } else { Errors::Raise };
    let found = run(py, None, usize::MAX, progress.as_ref(), |control| {
        exact::minimal_tree(data, &kept(data, &weights), &weights, errors, &limits, control)
    })?;
    let told =
        json!({"lower_bound": found.lower, "search_nodes": found.opened, "errors": found.errors});
    searched(py, data, found.tree, parameters, told)
}

/// The tree of least errors + penalty x leaves, or the best that the limits allow; the parameters
/// as in `minimal_tree`, the bounds being those of the objective.
#[pyfunction]
#[pyo3(signature = (data, objective, limits, parameters, sample_weight = None, progress = None))]
pub fn optimal_tree(
    py: Python<'_>,
    data: &PyDataset,
    objective: &str,
    limits: &str,
    parameters: &str,
    sample_weight: Option<Aligned1<'_, f64>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyModel>> {
    let objective: Objective = read(objective)?;
    let limits: SearchLimits = read(limits)?;
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let found = run(py, None, usize::MAX, progress.as_ref(), |control| {
        exact::optimal_tree(data, &kept(data, &weights), &weights, &objective, &limits, control)
    })?;
    let told = json!({
        "lower_bound": found.lower,
        "upper_bound": found.objective,
        "search_nodes": found.opened,
        "errors": found.errors,
    });
    searched(py, data, found.tree, parameters, told)
}

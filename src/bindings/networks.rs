//! `_core.network_*`: Bayesian networks over the features and the class ([`crate::networks`]):
//! message lengths of their tables, the exact posterior, and the search.
//!
//! Variables are numbered like the columns; the class is the last one. Parents are lists of numbers
//! in Python and bit sets ([`VarSet`]) in the core.

use super::aligned::Aligned1;
use super::convert::weights;
use super::dataset::PyDataset;
use super::job::{exception, run};
use super::plan::FromPython;
use crate::bayes::FeatureReading;
use crate::data::{Dataset, Weights};
use crate::error::{Error, Result};
use crate::networks::{
    self, Groups, MissingCells, Prior, PriorConfig, SearchConfig, VarSet, Variables,
};
use crate::parallel::Control;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pythonize::pythonize;
use serde_json::json;

/// How a training set is read, and the prior over networks.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NetworkConfig {
    /// Cut points of each numeric column.
    cuts: Vec<Option<Vec<f64>>>,
    missing: MissingCells,
    max_parents: usize,
    prior: PriorConfig,
}

impl NetworkConfig {
    /// The columns of a training set and its class, as variables.
    fn variables(&self, data: &Dataset, weights: &Weights, control: &Control) -> Result<Variables> {
        Variables::new(data, weights, &self.cuts, self.missing, control)
    }
}

/// The parents of a variable as a set.
fn set_of(parents: &[usize], child: usize, variables: usize) -> PyResult<VarSet> {
    let mut set: VarSet = 0;
    for &i in parents {
        if i >= variables || i == child || set >> i & 1 == 1 {
            return Err(PyValueError::new_err(format!(
                "parents of column {child} are {parents:?}: they are other columns, each once"
            )));
        }
        set |= 1 << i;
    }
    Ok(set)
}

/// The parents of all variables as sets.
fn sets_of(parents: &[Vec<usize>], variables: usize) -> PyResult<Vec<VarSet>> {
    if parents.len() != variables {
        let given = parents.len();
        return Err(PyValueError::new_err(format!(
            "parents has {given} lists for {variables} columns, the class among them"
        )));
    }
    parents.iter().enumerate().map(|(child, list)| set_of(list, child, variables)).collect()
}

/// A set of variables as a list.
fn list_of(set: VarSet) -> Vec<usize> {
    networks::set_members(set).collect()
}

/// Message length and likelihood of each variable's table given its parents, both in nits, for a
/// network that the caller chose. The likelihood is the cost of the data alone; the message length
/// also states the parameters of the table. O(rows x arcs).
#[pyfunction]
#[pyo3(signature = (data, config, parents, sample_weight = None, n_jobs = None))]
pub fn network_tables_cost(
    py: Python<'_>,
    data: &PyDataset,
    config: FromPython<NetworkConfig>,
    parents: Vec<Vec<usize>>,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
) -> PyResult<(Vec<f64>, Vec<f64>)> {
    let FromPython(config) = config;
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let n_variables = data.columns().len() + 1;
    let sets = sets_of(&parents, n_variables)?;
    let work = data.len().saturating_mul(n_variables * 8);
    run(py, n_jobs, work, None, |control| {
        let variables = config.variables(data, &weights, control)?;
        let mut groups = Groups::default();
        let mut lengths = Vec::with_capacity(n_variables);
        let mut likelihoods = Vec::with_capacity(n_variables);
        for (child, &set) in sets.iter().enumerate() {
            control.check()?;
            lengths.push(networks::table_cost(&variables, child, set, &mut groups));
            likelihoods.push(networks::likelihood(&variables, child, set, &mut groups));
        }
        Ok((lengths, likelihoods))
    })
}

/// The exact posterior over totally ordered models: log evidence, arc probabilities of shape
/// (variables, variables), parents of the best model, and its order. Refused if it needs more than
/// `most_memory` bytes.
#[pyfunction]
#[pyo3(signature = (
    data, config, most_memory, sample_weight = None, n_jobs = None, progress = None
))]
pub fn network_exact<'py>(
    py: Python<'py>,
    data: &PyDataset,
    config: FromPython<NetworkConfig>,
    most_memory: u64,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(f64, Bound<'py, PyArray2<f64>>, Vec<Vec<usize>>, Vec<usize>)> {
    let FromPython(config) = config;
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let n_variables = data.columns().len() + 1;
    let found = run(py, n_jobs, usize::MAX, progress.as_ref(), |control| {
        let variables = config.variables(data, &weights, control)?;
        let prior = Prior::new(&config.prior, &variables.names, config.max_parents)?;
        // Above, the core refuses by the number of variables.
        if n_variables <= networks::MOST_EXACT_VARIABLES {
            let bytes = networks::posterior_memory(&variables);
            if bytes > most_memory {
                return Err(Error::parameter(
                    "max_memory",
                    most_memory,
                    format!("the exact posterior of {n_variables} variables holds {bytes} bytes"),
                ));
            }
        }
        networks::exact_posterior(&variables, &prior, control)
    })?;
    let arcs = found.arcs.into_pyarray(py).reshape([n_variables, n_variables])?;
    Ok((found.log_evidence, arcs, found.best.into_iter().map(list_of).collect(), found.order))
}

/// The flat table of each variable, which holds the weight of each (configuration of the parents,
/// value); and for each column the level that replaces a missing value, or None if no level does.
#[pyfunction]
#[pyo3(signature = (data, config, parents, sample_weight = None))]
pub fn network_counts<'py>(
    py: Python<'py>,
    data: &PyDataset,
    config: FromPython<NetworkConfig>,
    parents: Vec<Vec<usize>>,
    sample_weight: Option<Aligned1<'_, f64>>,
) -> PyResult<(Vec<Bound<'py, PyArray1<f64>>>, Vec<Option<u32>>)> {
    let FromPython(config) = config;
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let n_variables = data.columns().len() + 1;
    let sets = sets_of(&parents, n_variables)?;
    let work = data.len().saturating_mul(n_variables * 8);
    let (tables, fills) = run(py, None, work, None, |control| {
        let variables = config.variables(data, &weights, control)?;
        let mut tables = Vec::with_capacity(n_variables);
        for (child, &set) in sets.iter().enumerate() {
            control.check()?;
            tables.push(networks::table_counts(&variables, child, set)?);
        }
        let fills = variables.readings.iter().map(|r| match r {
            FeatureReading::Binned { fill, .. } | FeatureReading::Nominal { fill, .. } => *fill,
            FeatureReading::Number => None,
        });
        Ok((tables, fills.collect()))
    })?;
    Ok((tables.into_iter().map(|t| t.into_pyarray(py)).collect(), fills))
}

/// Search for networks: the result as a dict, and the arc probabilities before cleaning, shape
/// (variables, variables).
#[pyfunction]
#[pyo3(signature = (data, config, search, sample_weight = None, n_jobs = None, progress = None))]
pub fn network_search<'py>(
    py: Python<'py>,
    data: &PyDataset,
    config: FromPython<NetworkConfig>,
    search: FromPython<SearchConfig>,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyArray2<f64>>)> {
    let FromPython(config) = config;
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let n_variables = data.columns().len() + 1;
    let found = run(py, n_jobs, usize::MAX, progress.as_ref(), |control| {
        let variables = config.variables(data, &weights, control)?;
        networks::search(&variables, &config.prior, config.max_parents, &search.0, control)
    })?;
    let lists = |parents: &[VarSet]| parents.iter().map(|&p| list_of(p)).collect::<Vec<_>>();
    let models: Vec<_> = found
        .models
        .iter()
        .map(|model| {
            json!({
                "parents": lists(&model.parents),
                "weight": model.weight,
                "visits": model.visits,
                "length": model.length,
                "markov_class": model.class,
                "joined": model.joined,
            })
        })
        .collect();
    let result = json!({
        "best": lists(&found.best.parents),
        "length": found.best.length,
        "arc_probability": found.arc_probability,
        "kept": found.kept,
        "steps": found.steps,
        "counted": found.counted,
        "models": models,
    });
    let arcs = found.arcs.into_pyarray(py).reshape([n_variables, n_variables])?;
    Ok((pythonize(py, &result)?, arcs))
}

/// Bytes that [`network_exact`] takes for these columns and the class, without computing it. It
/// serves `exact_memory` in Python, by which a user finds out whether the call is possible. Weights
/// do not change it.
#[pyfunction]
pub fn network_exact_memory(
    py: Python<'_>,
    data: &PyDataset,
    config: FromPython<NetworkConfig>,
) -> PyResult<u64> {
    let FromPython(config) = config;
    let data = data.encoded(py, None)?;
    py.detach(|| {
        let variables = config.variables(data, &Weights::Unit, &Control::new(1))?;
        Ok(networks::posterior_memory(&variables))
    })
    .map_err(exception)
}

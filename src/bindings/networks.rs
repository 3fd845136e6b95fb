//! `_core.network_*`: message lengths, the exact posterior and the search of Bayesian networks.

use super::aligned::Aligned1;
use super::convert::weights;
use super::dataset::PyDataset;
use super::job::{exception, run};
use crate::bayes::FeatureReading;
use crate::networks::{
    self, Groups, MissingCells, Prior, PriorConfig, SearchConfig, Set, Variables,
};
use crate::parallel::Control;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

/// How a training set is read, and what is believed before it.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct NetworkConfig {
    /// Cut points of each numeric column.
    cuts: Vec<Option<Vec<f64>>>,
    missing: MissingCells,
    max_parents: usize,
    prior: PriorConfig,
}

fn config(text: &str) -> PyResult<NetworkConfig> {
    serde_json::from_str(text).map_err(|e| PyValueError::new_err(e.to_string()))
}

fn set_of(parents: &[usize], child: usize, variables: usize) -> PyResult<Set> {
    let mut set: Set = 0;
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

fn sets_of(parents: &[Vec<usize>], variables: usize) -> PyResult<Vec<Set>> {
    if parents.len() != variables {
        let given = parents.len();
        return Err(PyValueError::new_err(format!(
            "parents has {given} lists for {variables} columns, the class among them"
        )));
    }
    parents.iter().enumerate().map(|(child, list)| set_of(list, child, variables)).collect()
}

fn list_of(set: Set) -> Vec<usize> {
    networks::members(set).collect()
}

/// (message length, likelihood) of each variable's table, in nits.
#[pyfunction]
#[pyo3(signature = (data, config, parents, sample_weight = None, n_jobs = None))]
pub fn network_tables_cost(
    py: Python<'_>,
    data: &PyDataset,
    config: &str,
    parents: Vec<Vec<usize>>,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
) -> PyResult<(Vec<f64>, Vec<f64>)> {
    let config = self::config(config)?;
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let n = data.columns().len() + 1;
    let sets = sets_of(&parents, n)?;
    let work = data.len().saturating_mul(n * 8);
    run(py, n_jobs, work, None, |control| {
        let variables = Variables::new(data, &weights, &config.cuts, config.missing, control)?;
        let mut groups = Groups::default();
        let mut found = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (child, &set) in sets.iter().enumerate() {
            control.check()?;
            found.0.push(networks::table_cost(&variables, child, set, &mut groups));
            found.1.push(networks::likelihood(&variables, child, set, &mut groups));
        }
        Ok(found)
    })
}

/// (log evidence, arc probabilities, best parents, best order) over all totally ordered models.
#[pyfunction]
#[pyo3(signature = (
    data, config, most_memory, sample_weight = None, n_jobs = None, progress = None
))]
pub fn network_exact<'py>(
    py: Python<'py>,
    data: &PyDataset,
    config: &str,
    most_memory: u64,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(f64, Bound<'py, PyArray2<f64>>, Vec<Vec<usize>>, Vec<usize>)> {
    let config = self::config(config)?;
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let n = data.columns().len() + 1;
    let found = run(py, n_jobs, usize::MAX, progress.as_ref(), |control| {
        let variables = Variables::new(data, &weights, &config.cuts, config.missing, control)?;
        let prior = Prior::new(&config.prior, &variables.names, config.max_parents)?;
        if n <= networks::LARGEST_EXACT {
            let bytes = networks::memory(&variables);
            if bytes > most_memory {
                return Err(crate::error::Error::parameter(
                    "max_memory",
                    most_memory,
                    format!("the exact posterior of {n} variables holds {bytes} bytes"),
                ));
            }
        }
        networks::exact_posterior(&variables, &prior, control)
    })?;
    let arcs = found.arcs.into_pyarray(py).reshape([n, n])?;
    Ok((found.log_evidence, arcs, found.best.into_iter().map(list_of).collect(), found.order))
}

/// Weight of each (configuration of the parents, value), flat, the class's table last; and the
/// level that replaces a missing value in each column.
#[pyfunction]
#[pyo3(signature = (data, config, parents, sample_weight = None))]
pub fn network_counts<'py>(
    py: Python<'py>,
    data: &PyDataset,
    config: &str,
    parents: Vec<Vec<usize>>,
    sample_weight: Option<Aligned1<'_, f64>>,
) -> PyResult<(Vec<Bound<'py, PyArray1<f64>>>, Vec<Option<u32>>)> {
    let config = self::config(config)?;
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let n = data.columns().len() + 1;
    let sets = sets_of(&parents, n)?;
    let work = data.len().saturating_mul(n * 8);
    let (tables, fills) = run(py, None, work, None, |control| {
        let variables = Variables::new(data, &weights, &config.cuts, config.missing, control)?;
        let mut tables = Vec::with_capacity(n);
        for (child, &set) in sets.iter().enumerate() {
            control.check()?;
            tables.push(networks::counts(&variables, child, set)?);
        }
        let fills = variables.readings.iter().map(|r| match r {
            FeatureReading::Binned { fill, .. } | FeatureReading::Nominal { fill, .. } => *fill,
            FeatureReading::Number => None,
        });
        Ok((tables, fills.collect()))
    })?;
    Ok((tables.into_iter().map(|t| t.into_pyarray(py)).collect(), fills))
}

/// Search for networks: a JSON text of what was found, and arc probabilities before cleaning.
#[pyfunction]
#[pyo3(signature = (data, config, search, sample_weight = None, n_jobs = None, progress = None))]
pub fn network_search<'py>(
    py: Python<'py>,
    data: &PyDataset,
    config: &str,
    search: &str,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Bound<'py, PyArray2<f64>>)> {
    let config = self::config(config)?;
    let settings: SearchConfig =
        serde_json::from_str(search).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let data = data.encoded(py, None)?;
    let weights = weights(sample_weight.as_ref(), data)?;
    let n = data.columns().len() + 1;
    let found = run(py, n_jobs, usize::MAX, progress.as_ref(), |control| {
        let variables = Variables::new(data, &weights, &config.cuts, config.missing, control)?;
        networks::search(&variables, &config.prior, config.max_parents, &settings, control)
    })?;
    let lists = |parents: &[Set]| parents.iter().map(|&p| list_of(p)).collect::<Vec<_>>();
    let models: Vec<_> = found
        .models
        .iter()
        .map(|m| {
            json!({
                "parents": lists(&m.parents),
                "weight": m.weight,
                "visits": m.visits,
                "length": m.length,
                "markov_class": m.class,
                "joined": m.joined,
            })
        })
        .collect();
    let text = json!({
        "best": lists(&found.best.parents),
        "length": found.best.length,
        "arc_probability": found.arc_probability,
        "kept": found.kept,
        "steps": found.steps,
        "counted": found.counted,
        "models": models,
    });
    Ok((text.to_string(), found.arcs.into_pyarray(py).reshape([n, n])?))
}

/// Bytes that the exact posterior of these columns holds.
#[pyfunction]
pub fn network_exact_memory(py: Python<'_>, data: &PyDataset, config: &str) -> PyResult<u64> {
    let config = self::config(config)?;
    let data = data.encoded(py, None)?;
    let unit = crate::data::Weights::Unit;
    py.detach(|| {
        let control = Control::new(1);
        Variables::new(data, &unit, &config.cuts, config.missing, &control)
            .map(|v| networks::memory(&v))
    })
    .map_err(exception)
}

//! `_core.Forest`: trees that vote, and the call that grows them.

use super::aligned::Aligned1;
use super::convert::{row_set, weights};
use super::dataset::PyDataset;
use super::job::{exception, reserve, run};
use super::model::PyModel;
use super::plan::plan;
use super::trees::{PyTrees, loaded};
use crate::error::Error;
use crate::fit::{GrownForest, Request};
use crate::grow::forest::{Bagging, BootstrapSampler};
use crate::model::{Forest, Model};
use crate::parallel;
use crate::{resample, store};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

/// A fitted forest; immutable. What it answers as a tree does is in [`PyTrees`].
#[pyclass(name = "Forest", module = "fasttree._core", frozen, extends = PyTrees)]
pub struct PyForest {
    forest: Arc<Forest>,
    /// Out-of-bag votes in original row order; a loaded forest has none.
    votes: Option<(Vec<f64>, Vec<u32>)>,
    /// A number for the rows of the fit; a loaded forest has none.
    content: Option<u64>,
}

fn bagging(json: &str) -> PyResult<Bagging> {
    serde_json::from_str(json).map_err(|e| exception(Error::parameter("bagging", json, e)))
}

/// Grow a forest; `out_of_bag` asks for the votes on the rows that trees did not see, `before` are
/// its first trees with the number for their rows.
#[pyfunction]
#[pyo3(signature = (
    data, config, bagging_json, out_of_bag = false, sample_weight = None, custom = None,
    n_jobs = None, progress = None, before = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn forest_fit(
    py: Python<'_>,
    data: &PyDataset,
    config: &str,
    bagging_json: &str,
    out_of_bag: bool,
    sample_weight: Option<Aligned1<'_, f64>>,
    custom: Option<Py<PyAny>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
    before: Option<(Py<PyForest>, u64)>,
) -> PyResult<Py<PyForest>> {
    let (plan, bagging) = (plan(config, custom)?, bagging(bagging_json)?);
    let rows = data.fit_rows(py, (&plan.0, true), None, sample_weight.as_ref(), n_jobs)?;
    let before = before.as_ref().map(|(b, content)| (b.get().forest(), *content));
    let request = Request { out_of_bag, before };
    let work = data.work(&plan.0, bagging.trees);
    let GrownForest { forest, votes, content, reason } =
        data.run_work(py, plan, work, n_jobs, progress.as_ref(), |plan, control| {
            plan.fit_forest(rows, &bagging, request, control)
        })?;
    let k = forest.classes();
    let votes = votes.zip(data.known()).map(|(v, encoded)| {
        let mut in_order = (vec![0.0; v.probabilities.len()], vec![0; v.voters.len()]);
        for (row, &original) in encoded.original().iter().enumerate() {
            let to = original as usize;
            in_order.0[to * k..(to + 1) * k]
                .copy_from_slice(&v.probabilities[row * k..(row + 1) * k]);
            in_order.1[to] = v.voters[row];
        }
        in_order
    });
    let route = reason.map(|reason| reason.to_string());
    PyForest::with(py, forest, route, votes, content)
}

/// The trees of several forests on the same rows, one after the other.
#[pyfunction]
pub fn forest_joined(py: Python<'_>, parts: Vec<Py<PyForest>>) -> PyResult<Py<PyForest>> {
    let first = parts.first().ok_or_else(|| PyValueError::new_err("no forests to join"))?;
    let first = first.get().forest();
    let (totals, parameters) = (first.totals.clone(), first.parameters.clone());
    let mut joined = Forest { trees: Vec::new(), seeds: Vec::new(), totals, parameters };
    for part in &parts {
        let forest = part.get().forest();
        if forest.schema() != first.schema() {
            return Err(PyValueError::new_err("the forests were grown on other columns"));
        }
        joined.trees.extend_from_slice(&forest.trees);
        joined.seeds.extend_from_slice(&forest.seeds);
    }
    PyForest::new(py, joined)
}

/// How often the sample of each tree, named by its seed, holds each row, shape (trees, rows).
#[pyfunction]
#[pyo3(signature = (data, config, draws, seeds, sample_weight = None, n_jobs = None))]
pub fn bag_counts<'py>(
    py: Python<'py>,
    data: &PyDataset,
    config: &str,
    draws: usize,
    seeds: Vec<u64>,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let encoded = data.encoded(py, n_jobs)?;
    let bytes = encoded.len().saturating_mul(24 * seeds.len());
    let _memory = reserve(bytes, bytes)?;
    let rows = row_set(None, encoded)?;
    let weights = weights(sample_weight.as_ref(), encoded)?;
    let (plan, _) = plan(config, None)?;
    let counts = run(py, n_jobs, usize::MAX, None, |control| {
        let rows = plan.training_rows(encoded, &rows, &weights)?;
        let sampler = BootstrapSampler::new(encoded, &rows, &weights);
        parallel::map(control, seeds.len(), |tree| {
            control.check()?;
            let times = sampler.draw(seeds[tree], draws);
            Ok(encoded
                .internal()
                .iter()
                .map(|&row| i64::from(times[row as usize]))
                .collect::<Vec<_>>())
        })
    })?;
    counts.concat().into_pyarray(py).reshape([seeds.len(), encoded.len()])
}

/// Loss of accuracy on the rows that a tree has not seen when one feature is shuffled, shape
/// (trees, features).
#[pyfunction]
#[pyo3(signature = (
    forest, data, config, draws, sample_weight = None, n_jobs = None, progress = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn permutation_losses<'py>(
    py: Python<'py>,
    forest: &PyForest,
    data: &PyDataset,
    config: &str,
    draws: usize,
    sample_weight: Option<Aligned1<'_, f64>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let encoded = data.encoded(py, n_jobs)?;
    let rows = row_set(None, encoded)?;
    let weights = weights(sample_weight.as_ref(), encoded)?;
    let (plan, _) = plan(config, None)?;
    let trees = forest.forest.trees.len();
    let work = encoded.len().saturating_mul(trees).saturating_mul(16);
    let losses = run(py, n_jobs, work, progress.as_ref(), |control| {
        control.expect(trees as u64);
        let rows = plan.training_rows(encoded, &rows, &weights)?;
        let sampler = BootstrapSampler::new(encoded, &rows, &weights);
        resample::permutation_losses(&forest.forest, encoded, &weights, (&sampler, draws), control)
    })?;
    losses.into_pyarray(py).reshape([trees, encoded.columns().len()])
}

impl PyForest {
    /// A forest without votes of its own.
    pub(super) fn new(py: Python<'_>, forest: Forest) -> PyResult<Py<Self>> {
        Self::with(py, forest, None, None, None)
    }

    fn with(
        py: Python<'_>,
        forest: Forest,
        route: Option<String>,
        votes: Option<(Vec<f64>, Vec<u32>)>,
        content: Option<u64>,
    ) -> PyResult<Py<Self>> {
        let forest = Arc::new(forest);
        let trees = PyTrees::forest(&forest, route);
        Py::new(py, PyClassInitializer::from(trees).add_subclass(Self { forest, votes, content }))
    }

    /// The forest itself.
    pub(super) fn forest(&self) -> &Forest {
        &self.forest
    }
}

#[pymethods]
impl PyForest {
    /// Out-of-bag probabilities (rows, classes) and voters (rows,); None where they were not asked
    /// for.
    #[allow(clippy::type_complexity, reason = "two arrays")]
    fn out_of_bag<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<i64>>)>> {
        let Some((probabilities, voters)) = &self.votes else { return Ok(None) };
        let shape = [voters.len(), self.forest.classes()];
        let voters: Vec<i64> = voters.iter().map(|&v| i64::from(v)).collect();
        Ok(Some((probabilities.clone().into_pyarray(py).reshape(shape)?, voters.into_pyarray(py))))
    }

    /// One tree as a model with parameters of its own.
    fn tree(&self, py: Python<'_>, tree: usize, parameters: String) -> PyResult<Py<PyModel>> {
        let model =
            self.forest.trees.get(tree).ok_or_else(|| PyIndexError::new_err("no such tree"))?;
        PyModel::new(py, Model { parameters, ..model.clone() })
    }

    /// Seed of each tree.
    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.forest.seeds.clone()
    }

    /// A number for the rows of the fit, None in a loaded forest.
    #[getter]
    fn content(&self) -> Option<u64> {
        self.content
    }

    /// Weight of each class in the training set.
    fn totals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.forest.totals.clone().into_pyarray(py)
    }

    /// Share of each feature in the gains, mean over the trees.
    fn importances<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.forest.importances().into_pyarray(py)
    }

    /// Nodes, leaves and depth of each tree, shape (trees, 3).
    fn shapes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let shapes = self.forest.trees.iter().map(|m| m.tree.shape());
        let all: Vec<i64> =
            shapes.flat_map(|s| [s.nodes as i64, s.leaves as i64, s.depth as i64]).collect();
        all.into_pyarray(py).reshape([self.forest.trees.len(), 3])
    }

    /// A forest from the content of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Py<Self>> {
        Self::new(py, loaded(py, data, store::forest_from_bytes)?)
    }
}

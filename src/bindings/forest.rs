//! `_core.Forest`: trees that vote, and the call that grows them.

use super::aligned::Aligned1;
use super::convert::{ArrayBlock, bytes, on_source, readable, row_set, weights};
use super::dataset::{PyDataset, plan};
use super::explain::explained;
use super::job::{Work, exception, reserve, run};
use super::model::PyModel;
use crate::error::{Error, Result};
use crate::explain::ForestExplainer;
use crate::fit::{GrownForest, Request};
use crate::grow::forest::{Bagging, BootstrapSampler};
use crate::model::{Forest, Model};
use crate::parallel::{self, Control};
use crate::predict::{ForestPredictor, Votes};
use crate::{resample, store};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, OnceLock};

/// A fitted forest; immutable.
#[pyclass(name = "Forest", module = "fasttree._core", frozen)]
pub struct PyForest {
    forest: Arc<Forest>,
    /// Out-of-bag votes in original row order; a loaded forest has none.
    votes: Option<(Vec<f64>, Vec<u32>)>,
    /// Compiled when rows are predicted for the first time.
    predictor: OnceLock<ForestPredictor>,
    /// A number for the rows of the fit; a loaded forest has none.
    content: Option<u64>,
    /// The route of growth, and why it was taken; a loaded forest does not know.
    route: Option<String>,
}

pub(super) fn bagging(json: &str) -> PyResult<Bagging> {
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
) -> PyResult<PyForest> {
    let encoded = data.encoded(py, n_jobs)?;
    let rows = row_set(None, encoded)?;
    let weights = weights(sample_weight.as_ref(), encoded)?;
    let (plan, bagging) = (plan(config, custom)?, bagging(bagging_json)?);
    let before = before.as_ref().map(|(b, content)| (b.get().forest(), *content));
    let request = Request { out_of_bag, before };
    let GrownForest { forest, votes, content, reason } = data.run_plans(
        py,
        plan,
        (bagging.trees, None),
        n_jobs,
        progress.as_ref(),
        |plan, control| plan.fit_forest(encoded, &rows, &weights, &bagging, request, control),
    )?;
    let k = forest.classes();
    let votes = votes.map(|v| {
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
    Ok(PyForest { votes, content: Some(content), route, ..PyForest::grown(forest) })
}

/// The trees of several forests on the same rows, one after the other.
#[pyfunction]
pub fn forest_joined(parts: Vec<Py<PyForest>>) -> PyResult<PyForest> {
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
    Ok(PyForest::grown(joined))
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
    pub(super) fn grown(forest: Forest) -> Self {
        let (forest, predictor) = (Arc::new(forest), OnceLock::new());
        Self { forest, votes: None, predictor, content: None, route: None }
    }

    /// The forest itself.
    pub(super) fn forest(&self) -> &Forest {
        &self.forest
    }

    /// What it takes to write all nodes down.
    fn size(&self) -> usize {
        let nodes = |m: &Model| m.tree.nodes.len() * (m.tree.classes + 16);
        self.forest.trees.iter().map(nodes).sum::<usize>() * 16
    }

    fn work(&self, rows: usize) -> usize {
        (rows * 16).saturating_mul(self.forest.trees.len())
    }

    fn votes(
        &self,
        py: Python<'_>,
        blocks: &[ArrayBlock<'_>],
        rows: usize,
        n_jobs: Option<i64>,
    ) -> PyResult<Votes> {
        let bytes = rows.saturating_mul(16 * self.forest.classes() + 16);
        let _memory = reserve(bytes, bytes)?;
        let columns = readable(self.forest.schema(), blocks, rows)?;
        run(py, n_jobs, self.work(rows), None, |control| {
            let predictor = self.predictor(control)?;
            on_source!(columns, |source| predictor.vote(source, rows, None, control))
        })
    }

    fn predictor(&self, control: &Control) -> Result<&ForestPredictor> {
        if self.predictor.get().is_none() {
            // Two threads may both compile; one result is kept.
            let _ = self.predictor.set(ForestPredictor::new(&self.forest, control)?);
        }
        self.predictor.get().ok_or_else(|| Error::Internal("no predictor".into()))
    }
}

#[pymethods]
impl PyForest {
    /// Class code of each row, -1 = unclassified.
    #[pyo3(signature = (blocks, rows, n_jobs = None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let votes = self.votes(py, &blocks, rows, n_jobs)?;
        Ok(votes.labels().map(i64::from).collect::<Vec<_>>().into_pyarray(py))
    }

    /// Mean probabilities, shape (rows, classes).
    #[pyo3(signature = (blocks, rows, n_jobs = None))]
    fn predict_proba<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let votes = self.votes(py, &blocks, rows, n_jobs)?;
        votes.probabilities.into_pyarray(py).reshape([rows, self.forest.classes()])
    }

    /// Shapley values of the mean probabilities, shape (rows, features, classes).
    #[pyo3(signature = (blocks, rows, n_jobs = None, progress = None))]
    fn shap_values<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        n_jobs: Option<i64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let columns = readable(self.forest.schema(), &blocks, rows)?;
        explained(py, &self.forest.trees, rows, (n_jobs, progress), |explainer, control| {
            let trees: Vec<_> = self.predictor(control)?.trees().collect();
            on_source!(columns, |source| explainer.values(&trees, source, rows, control))
        })
    }

    /// Mean probabilities when no feature is known, shape (classes,).
    fn expected_value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = run(py, None, self.size(), None, |c| {
            Ok(ForestExplainer::new(&self.forest.trees, c)?.expected())
        })?;
        Ok(found.into_pyarray(py))
    }

    /// Leaf of each row in each tree, shape (rows, trees).
    #[pyo3(signature = (blocks, rows, n_jobs = None))]
    fn apply<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let bytes = rows.saturating_mul(24 * self.forest.trees.len());
        let _memory = reserve(bytes, bytes)?;
        let forest = &self.forest;
        let columns = readable(forest.schema(), &blocks, rows)?;
        let leaves = run(py, n_jobs, self.work(rows), None, |control| {
            let predictor = self.predictor(control)?;
            on_source!(columns, |source| predictor.leaves(source, rows, control))
        })?;
        let leaves: Vec<i64> = leaves.into_iter().map(i64::from).collect();
        leaves.into_pyarray(py).reshape([rows, forest.trees.len()])
    }

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
    fn tree(&self, tree: usize, parameters: String) -> PyResult<PyModel> {
        let model =
            self.forest.trees.get(tree).ok_or_else(|| PyIndexError::new_err("no such tree"))?;
        Ok(PyModel::new(Model { parameters, ..model.clone() }))
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

    /// The route by which growth read its rows, and why it was taken; None in a forest that was
    /// loaded or joined.
    #[getter]
    fn route(&self) -> Option<&str> {
        self.route.as_deref()
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

    /// The model file's content.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let found = run(py, None, self.size(), None, |c| store::forest_to_bytes(&self.forest, c))?;
        bytes(py, &found)
    }

    /// A forest from the content of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let work = Work::from(data.len().saturating_mul(16)).with_memory(data.len(), data.len());
        let forest = run(py, None, work, None, |c| store::forest_from_bytes(data, c))?;
        Ok(Self::grown(forest))
    }

    /// Schema as JSON.
    fn schema_json(&self) -> PyResult<String> {
        serde_json::to_string(&**self.forest.schema())
            .map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// Parameters as they were stored.
    #[getter]
    fn parameters(&self) -> &str {
        &self.forest.parameters
    }
}

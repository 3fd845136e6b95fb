//! `_core.Forest`: a fitted forest, and the functions that grow, join and evaluate forests.
//!
//! The base class [`PyTrees`] has the methods that forests and trees share.

use super::aligned::Aligned1;
use super::convert::{Columns, row_set, weights};
use super::dataset::PyDataset;
use super::job::{exception, reserve, run};
use super::model::PyModel;
use super::plan::{FromPython, plan};
use super::trees::{PyTrees, load};
use crate::data::{Dataset, RowSet, Weights};
use crate::error::Result;
use crate::fit::{Config, GrownForest, Request};
use crate::grow::forest::{Bagging, BootstrapSampler, row_hashes};
use crate::model::{Forest, Model};
use crate::parallel;
use crate::predict::Votes;
use crate::resample::OutOfBagRows;
use crate::store;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

/// A fitted forest; immutable. The methods of prediction are in its base class `Trees`.
#[pyclass(name = "Forest", module = "fasttree._core", frozen, extends = PyTrees)]
pub struct PyForest {
    forest: Arc<Forest>,
    /// Out-of-bag votes; model files do not hold them.
    votes: Option<OutOfBag>,
    /// A hash of the rows of the fit; model files do not hold it.
    content: Option<u64>,
}

/// Out-of-bag votes in the caller's row order.
struct OutOfBag {
    /// `probabilities[row * classes + class]`.
    probabilities: Vec<f64>,
    /// Trees that voted, per row.
    voters: Vec<u32>,
}

impl OutOfBag {
    /// Votes in internal order, brought into the caller's.
    fn new(votes: &Votes, data: &Dataset, k: usize) -> Self {
        let (n_cells, n_rows) = (votes.probabilities.len(), votes.voters.len());
        let mut ordered = Self { probabilities: vec![0.0; n_cells], voters: vec![0; n_rows] };
        for (row, &original) in data.original().iter().enumerate() {
            let to = original as usize;
            ordered.probabilities[to * k..(to + 1) * k]
                .copy_from_slice(&votes.probabilities[row * k..(row + 1) * k]);
            ordered.voters[to] = votes.voters[row];
        }
        ordered
    }
}

/// Grow a forest. `out_of_bag`: whether to collect the votes on out-of-bag rows. `before`: a forest
/// to which trees are added (a warm start), with the hash of the rows of its fit.
#[pyfunction]
#[pyo3(signature = (
    data, config, bagging, out_of_bag = false, sample_weight = None, custom = None,
    n_jobs = None, progress = None, before = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn forest_fit(
    py: Python<'_>,
    data: &PyDataset,
    config: FromPython<Config>,
    bagging: FromPython<Bagging>,
    out_of_bag: bool,
    sample_weight: Option<Aligned1<'_, f64>>,
    custom: Option<Py<PyAny>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
    before: Option<(Py<PyForest>, u64)>,
) -> PyResult<Py<PyForest>> {
    let (mut plan, FromPython(bagging)) = (plan(config, custom)?, bagging);
    let (blocks, given) = (data.blocks(py)?, sample_weight.as_ref());
    let columns = Columns::new(&blocks, data.rows()).map_err(exception)?;
    let rows = data.fit_rows(py, &plan.plan, &columns, true, None, given, n_jobs)?;
    plan.plan.settle_search(&rows);
    let before = before.as_ref().map(|(b, content)| (b.get().forest(), *content));
    let request = Request { out_of_bag, before };
    let work = data.work(&plan.plan, bagging.trees);
    let GrownForest { forest, votes, content, reason } =
        data.run_work(py, plan, work, n_jobs, progress.as_ref(), |plan, control| {
            plan.fit_forest(rows, &bagging, request, control)
        })?;
    let k = forest.classes();
    let encoded = votes.is_some().then(|| data.encoded(py, n_jobs)).transpose()?;
    let votes = votes.zip(encoded).map(|(votes, encoded)| OutOfBag::new(&votes, encoded, k));
    let route = reason.map(|reason| reason.to_string());
    PyForest::with(py, forest, route, votes, content)
}

/// One forest with the trees of several forests on the same rows, in the order of the forests.
/// Python grows blocks of trees in other processes and joins them by this function. Totals and
/// parameters are taken from the first forest.
///
/// # Errors
/// A ValueError without forests, or if their schemas differ.
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

/// The sampler of a forest's fit on these rows.
fn sampler(data: &Dataset, rows: &RowSet, weights: &Weights) -> Result<BootstrapSampler> {
    BootstrapSampler::new(&row_hashes(data, rows), data.len(), rows.rows(), weights)
}

/// How often the bootstrap sample of each tree holds each row, shape (trees, rows); `seeds` has the
/// seed of each tree, and `draws` is the size of a sample.
#[pyfunction]
#[pyo3(signature = (data, config, draws, seeds, sample_weight = None, n_jobs = None))]
pub fn bag_counts<'py>(
    py: Python<'py>,
    data: &PyDataset,
    config: FromPython<Config>,
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
    let plan = plan(config, None)?.plan;
    let counts = run(py, n_jobs, usize::MAX, None, |control| {
        let rows = plan.training_rows(encoded, &rows, &weights)?;
        let sampler = sampler(encoded, &rows, &weights)?;
        parallel::map(control, seeds.len(), &|tree| {
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

/// The accuracy that each tree loses on its out-of-bag rows (or the squared error that it gains)
/// when one feature is shuffled among them, shape (trees, features). With `unbiased` it is the
/// unbiased importance of each feature. A tree without out-of-bag rows has NaN.
#[pyfunction]
#[pyo3(signature = (
    forest, data, config, draws, sample_weight = None, unbiased = false, n_jobs = None,
    progress = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn out_of_bag_importances<'py>(
    py: Python<'py>,
    forest: &PyForest,
    data: &PyDataset,
    config: FromPython<Config>,
    draws: usize,
    sample_weight: Option<Aligned1<'_, f64>>,
    unbiased: bool,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let encoded = data.encoded(py, n_jobs)?;
    let rows = row_set(None, encoded)?;
    let weights = weights(sample_weight.as_ref(), encoded)?;
    let plan = plan(config, None)?.plan;
    let (forest, trees) = (&forest.forest, forest.forest.trees.len());
    let work = encoded.len().saturating_mul(trees).saturating_mul(16);
    let found = run(py, n_jobs, work, progress.as_ref(), |control| {
        control.set_total(trees as u64);
        let rows = plan.training_rows(encoded, &rows, &weights)?;
        let sampler = sampler(encoded, &rows, &weights)?;
        let own =
            OutOfBagRows { forest, data: encoded, weights: &weights, sampler: &sampler, draws };
        if unbiased {
            let weights = &plan.weigh_rows(encoded, &rows, &weights)?;
            OutOfBagRows { weights, ..own }.unbiased_importances(control)
        } else {
            own.permutation_losses(control)
        }
    })?;
    found.into_pyarray(py).reshape([trees, encoded.columns().len()])
}

impl PyForest {
    /// A forest without votes and without the hash of its rows.
    pub(super) fn new(py: Python<'_>, forest: Forest) -> PyResult<Py<Self>> {
        Self::with(py, forest, None, None, None)
    }

    fn with(
        py: Python<'_>,
        forest: Forest,
        route: Option<String>,
        votes: Option<OutOfBag>,
        content: Option<u64>,
    ) -> PyResult<Py<Self>> {
        let forest = Arc::new(forest);
        let trees = PyTrees::forest(&forest, route);
        Py::new(py, PyClassInitializer::from(trees).add_subclass(Self { forest, votes, content }))
    }

    /// The core's forest.
    pub(super) fn forest(&self) -> &Forest {
        &self.forest
    }
}

#[pymethods]
impl PyForest {
    /// Out-of-bag probabilities, shape (rows, classes), and numbers of votes, shape (rows,); None
    /// if they were not collected.
    #[allow(clippy::type_complexity, reason = "two arrays")]
    fn out_of_bag<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<i64>>)>> {
        let Some(OutOfBag { probabilities, voters }) = &self.votes else { return Ok(None) };
        let shape = [voters.len(), self.forest.classes()];
        let voters: Vec<i64> = voters.iter().map(|&v| i64::from(v)).collect();
        Ok(Some((probabilities.clone().into_pyarray(py).reshape(shape)?, voters.into_pyarray(py))))
    }

    /// One tree as a model with these parameters.
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

    /// A hash of the rows of the fit; None in a loaded forest.
    #[getter]
    fn content(&self) -> Option<u64> {
        self.content
    }

    /// Share of each feature in the gains, averaged over the trees.
    fn importances<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.forest.importances().into_pyarray(py)
    }

    /// Nodes, leaves and depth of each tree, shape (trees, 3).
    fn shapes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let mut cells = Vec::with_capacity(3 * self.forest.trees.len());
        for shape in self.forest.trees.iter().map(|model| model.tree.shape()) {
            cells.extend([shape.nodes as i64, shape.leaves as i64, shape.depth as i64]);
        }
        cells.into_pyarray(py).reshape([self.forest.trees.len(), 3])
    }

    /// A forest from the content of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Py<Self>> {
        Self::new(py, load(py, data, store::forest_from_bytes)?)
    }
}

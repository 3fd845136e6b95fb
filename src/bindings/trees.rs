//! `_core.Trees`: what a fitted tree and a fitted forest answer alike.
//!
//! `Model` and `Forest` are its subclasses; each holds what only it can say. A tree gives one leaf
//! per row, a forest one per row and tree.

use super::convert::{ArrayBlock, Columns, bytes, on_source, readable};
use super::dataset::PyDataset;
use super::job::{Work, reserve, run};
use crate::data::Schema;
use crate::error::{Error, Result};
use crate::explain::ForestExplainer;
use crate::model::{Forest, Model};
use crate::parallel::Control;
use crate::predict::{CompiledTree, ForestPredictor, Predictor};
use crate::{inspect, store};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, OnceLock};

/// A tree or a forest, compiled when rows are predicted for the first time.
enum TreeOrForest {
    Tree(Arc<Model>, Box<OnceLock<Predictor>>),
    Forest(Arc<Forest>, OnceLock<ForestPredictor>),
}

/// What predicts.
enum Compiled<'a> {
    Tree(&'a Predictor),
    Forest(&'a ForestPredictor),
}

/// A fitted tree or forest; immutable.
#[pyclass(name = "Trees", module = "fasttree._core", frozen, subclass)]
pub struct PyTrees {
    kind: TreeOrForest,
    /// The route of growth, and why it was taken; what was loaded does not know.
    route: Option<String>,
}

/// What a slot holds; made by the first call. Two threads may both make it; one result is kept.
fn made<T>(slot: &OnceLock<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if slot.get().is_none() {
        let _ = slot.set(make()?);
    }
    slot.get().ok_or_else(|| Error::Internal("no predictor".into()))
}

impl PyTrees {
    /// One tree.
    pub fn tree(model: &Arc<Model>, route: Option<String>) -> Self {
        Self { kind: TreeOrForest::Tree(model.clone(), Box::default()), route }
    }

    /// Trees that vote.
    pub fn forest(forest: &Arc<Forest>, route: Option<String>) -> Self {
        Self { kind: TreeOrForest::Forest(forest.clone(), OnceLock::new()), route }
    }

    /// The trees.
    fn models(&self) -> &[Model] {
        match &self.kind {
            TreeOrForest::Tree(model, _) => std::slice::from_ref(&**model),
            TreeOrForest::Forest(forest, _) => &forest.trees,
        }
    }

    fn schema(&self) -> &Schema {
        match &self.kind {
            TreeOrForest::Tree(model, _) => &model.schema,
            TreeOrForest::Forest(forest, _) => forest.schema(),
        }
    }

    fn classes(&self) -> usize {
        self.models().first().map_or(0, |m| m.tree.classes)
    }

    /// Nodes of all trees.
    fn nodes(&self) -> usize {
        self.models().iter().map(|m| m.tree.nodes.len()).sum()
    }

    /// What it takes to write all nodes down.
    pub(super) fn size(&self) -> usize {
        self.nodes() * (self.classes() + 16) * 16
    }

    fn compiled(&self, control: &Control) -> Result<Compiled<'_>> {
        match &self.kind {
            TreeOrForest::Tree(model, slot) => {
                made(slot, || Predictor::new(model)).map(Compiled::Tree)
            }
            TreeOrForest::Forest(forest, slot) => {
                made(slot, || ForestPredictor::new(forest, control)).map(Compiled::Forest)
            }
        }
    }

    /// The trees, compiled for prediction.
    pub(super) fn compiled_trees(&self, control: &Control) -> Result<Vec<&CompiledTree>> {
        match self.compiled(control)? {
            Compiled::Tree(one) => Ok(vec![&one.tree]),
            Compiled::Forest(many) => Ok(many.trees().collect()),
        }
    }

    /// A job on rows that the trees can read; its result takes `answer` bytes per row.
    pub(super) fn on_rows<R: Send>(
        &self,
        py: Python<'_>,
        (blocks, rows): (&[ArrayBlock<'_>], usize),
        answer: usize,
        n_jobs: Option<i64>,
        job: impl FnOnce(&Columns<'_>, &Control) -> Result<R> + Send,
    ) -> PyResult<R> {
        let bytes = rows.saturating_mul(answer);
        let _memory = reserve(bytes, bytes)?;
        let columns = readable(self.schema(), blocks, rows)?;
        let work = (rows * 16).saturating_mul(self.models().len());
        run(py, n_jobs, work, None, |control| job(&columns, control))
    }

    /// What a tree or a forest says of rows; its result takes `answer` bytes per row.
    fn ask<R: Send>(
        &self,
        py: Python<'_>,
        rows: (&[ArrayBlock<'_>], usize),
        answer: usize,
        n_jobs: Option<i64>,
        tree: impl FnOnce(&Predictor, &Columns<'_>, &Control) -> Result<R> + Send,
        forest: impl FnOnce(&ForestPredictor, &Columns<'_>, &Control) -> Result<R> + Send,
    ) -> PyResult<R> {
        self.on_rows(py, rows, answer, n_jobs, |columns, control| match self.compiled(control)? {
            Compiled::Tree(one) => tree(one, columns, control),
            Compiled::Forest(many) => forest(many, columns, control),
        })
    }

    /// Bytes per row of the probabilities of all classes and what else is found with them.
    fn probability_bytes(&self) -> usize {
        16 * self.classes() + 16
    }
}

#[pymethods]
impl PyTrees {
    /// Leaf (node number) of each row, shape (rows,); in each tree of a forest, shape (rows,
    /// trees).
    #[pyo3(signature = (blocks, rows, n_jobs = None))]
    fn apply<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArrayDyn<i64>>> {
        let trees = self.models().len();
        let leaves = self.ask(
            py,
            (&blocks, rows),
            24 * trees,
            n_jobs,
            |one, columns, c| on_source!(columns, |source| one.tree.leaves(source, rows, c)),
            |many, columns, c| on_source!(columns, |source| many.leaves(source, rows, c)),
        )?;
        let shape = match &self.kind {
            TreeOrForest::Tree(..) => vec![rows],
            TreeOrForest::Forest(..) => vec![rows, trees],
        };
        leaves.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py).reshape(shape)
    }

    /// Class code of each row, -1 = unclassified.
    #[pyo3(signature = (blocks, rows, n_jobs = None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let found = self.ask(
            py,
            (&blocks, rows),
            self.probability_bytes(),
            n_jobs,
            |one, columns, c| on_source!(columns, |source| one.classify(source, rows, c)),
            |many, columns, c| {
                let votes = on_source!(columns, |source| many.vote(source, rows, None, c));
                Ok(votes?.labels().map(i64::from).collect())
            },
        )?;
        Ok(found.into_pyarray(py))
    }

    /// Probabilities, of a forest the mean of its trees', shape (rows, classes).
    #[pyo3(signature = (blocks, rows, n_jobs = None))]
    fn predict_proba<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let classes = self.classes();
        let found = self.ask(
            py,
            (&blocks, rows),
            self.probability_bytes(),
            n_jobs,
            |one, columns, c| on_source!(columns, |source| one.probabilities(source, rows, c)),
            |many, columns, c| {
                on_source!(columns, |source| many.vote(source, rows, None, c))
                    .map(|votes| votes.probabilities)
            },
        )?;
        found.into_pyarray(py).reshape([rows, classes])
    }

    /// Shapley values of the probabilities, shape (rows, features, classes).
    #[pyo3(signature = (blocks, rows, n_jobs = None, progress = None))]
    fn shap_values<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        n_jobs: Option<i64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let columns = readable(self.schema(), &blocks, rows)?;
        let (features, classes) = (columns.features(), self.classes());
        let bytes = rows.saturating_mul(features * classes).saturating_mul(8);
        let _memory = reserve(bytes, bytes)?;
        let nodes = self.nodes();
        let work = Work::from(rows.saturating_mul(nodes * 4)).with_memory(nodes * 128, nodes * 64);
        let found = run(py, n_jobs, work, progress.as_ref(), |control| {
            let explainer = ForestExplainer::new(self.models(), control)?;
            let trees = self.compiled_trees(control)?;
            on_source!(columns, |source| explainer.values(&trees, source, rows, control))
        })?;
        found.into_pyarray(py).reshape([rows, features, classes])
    }

    /// Probabilities when no feature is known, shape (classes,).
    fn expected_value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = run(py, None, self.size(), None, |c| {
            Ok(ForestExplainer::new(self.models(), c)?.expected())
        })?;
        Ok(found.into_pyarray(py))
    }

    /// The route by which growth read its rows, and why it was taken; None where the trees were
    /// loaded, pruned, joined or taken from a forest.
    #[getter]
    fn route(&self) -> Option<&str> {
        self.route.as_deref()
    }

    /// The model file's content.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let found = run(py, None, self.size(), None, |c| match &self.kind {
            TreeOrForest::Tree(model, _) => store::to_bytes(model, c),
            TreeOrForest::Forest(forest, _) => store::forest_to_bytes(forest, c),
        })?;
        bytes(py, &found)
    }

    /// Schema as JSON.
    fn schema_json(&self) -> PyResult<String> {
        serde_json::to_string(self.schema()).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// Parameters as they were stored.
    #[getter]
    fn parameters(&self) -> &str {
        match &self.kind {
            TreeOrForest::Tree(model, _) => &model.parameters,
            TreeOrForest::Forest(forest, _) => &forest.parameters,
        }
    }

    /// Numbers of the training rows that rounding to float32 moves over a threshold: (feature,
    /// value, threshold). Of rows that no call has encoded none are known.
    fn float32_conflicts(
        &self,
        py: Python<'_>,
        data: &PyDataset,
    ) -> PyResult<Vec<(usize, f64, f64)>> {
        let Some(data) = data.known() else { return Ok(Vec::new()) };
        run(py, None, self.nodes() * 16, None, |control| {
            inspect::float32_conflicts(self.models(), data, control)
        })
    }
}

/// Trees from the content of a model file.
pub(super) fn loaded<R: Send>(
    py: Python<'_>,
    data: &[u8],
    read: impl FnOnce(&[u8], &Control) -> Result<R> + Send,
) -> PyResult<R> {
    let work = Work::from(data.len().saturating_mul(16)).with_memory(data.len(), data.len());
    run(py, None, work, None, |control| read(data, control))
}

//! `_core.Trees`: the base class of `Model` and `Forest`, with the methods that both have.
//!
//! Trees are compiled for prediction by the first call that needs it, and the result is kept.

use super::convert::{ArrayBlock, Columns, bytes, readable};
use super::dataset::PyDataset;
use super::job::{Work, exception, reserve, run};
use crate::data::{Kind, Schema};
use crate::error::{Error, Result};
use crate::explain::ForestExplainer;
use crate::model::{Forest, Model};
use crate::parallel::Control;
use crate::predict::{CompiledTree, ForestPredictor, Predictor};
use crate::{inspect, json, store};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A tree or a forest, and a slot for its compiled form.
enum TreeOrForest {
    Tree(Arc<Model>, Box<OnceLock<Predictor>>),
    Forest(Arc<Forest>, OnceLock<ForestPredictor>),
}

/// The compiled form of a tree or a forest.
enum Compiled<'a> {
    Tree(&'a Predictor),
    Forest(&'a ForestPredictor),
}

/// A fitted tree or forest; immutable.
#[pyclass(name = "Trees", module = "fasttree._core", frozen, subclass)]
pub struct PyTrees {
    kind: TreeOrForest,
    /// The route of growth, and why it was taken; model files do not hold it.
    route: Option<String>,
}

/// Rows to be predicted, and the size of the results.
#[derive(Clone, Copy)]
pub(super) struct PredictionInput<'a, 'py> {
    /// The columns of X.
    pub blocks: &'a [ArrayBlock<'py>],
    /// Number of rows of X.
    pub rows: usize,
    /// Bytes of results and buffers per row.
    pub bytes_per_row: usize,
    pub n_jobs: Option<i64>,
}

/// The content of a slot, made by the first call. Two threads may both make it; one result is kept.
fn get_or_make<T>(slot: &OnceLock<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if slot.get().is_none() {
        let _ = slot.set(make()?);
    }
    slot.get().ok_or_else(|| Error::Internal("no predictor".into()))
}

impl PyTrees {
    /// The base object of a `Model`. It shares the tree, and compiles it when the first prediction
    /// needs it. `route` says how growth read the rows; None if the tree was not just grown.
    pub fn tree(model: &Arc<Model>, route: Option<String>) -> Self {
        Self { kind: TreeOrForest::Tree(model.clone(), Box::default()), route }
    }

    /// The base object of a `Forest`, as [`Self::tree`] for one tree. The forest is shared, not
    /// copied.
    pub fn forest(forest: &Arc<Forest>, route: Option<String>) -> Self {
        Self { kind: TreeOrForest::Forest(forest.clone(), OnceLock::new()), route }
    }

    /// All trees.
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

    fn target_is_number(&self) -> bool {
        self.models().first().is_some_and(|model| model.tree.is_regression())
    }

    /// Number of nodes of all trees.
    fn nodes(&self) -> usize {
        self.models().iter().map(|m| m.tree.nodes.len()).sum()
    }

    /// Work of writing all nodes as text: 16 bytes per class and per field of a node.
    pub(super) fn size(&self) -> usize {
        self.nodes() * (self.classes() + 16) * 16
    }

    fn compiled(&self, control: &Control) -> Result<Compiled<'_>> {
        match &self.kind {
            TreeOrForest::Tree(model, slot) => {
                get_or_make(slot, || Predictor::new(model)).map(Compiled::Tree)
            }
            TreeOrForest::Forest(forest, slot) => {
                get_or_make(slot, || ForestPredictor::new(forest, control)).map(Compiled::Forest)
            }
        }
    }

    /// The trees, compiled for prediction.
    pub(super) fn compiled_trees(&self, control: &Control) -> Result<Vec<&CompiledTree>> {
        match self.compiled(control)? {
            Compiled::Tree(predictor) => Ok(vec![&predictor.tree]),
            Compiled::Forest(predictor) => Ok(predictor.trees().collect()),
        }
    }

    /// Run a job on rows, which must have the model's features.
    pub(super) fn on_rows<R: Send>(
        &self,
        py: Python<'_>,
        input: PredictionInput<'_, '_>,
        job: impl FnOnce(&Columns<'_>, &Control) -> Result<R> + Send,
    ) -> PyResult<R> {
        let PredictionInput { blocks, rows, bytes_per_row, n_jobs } = input;
        let bytes = rows.saturating_mul(bytes_per_row);
        let _memory = reserve(bytes, bytes)?;
        let columns = readable(self.schema().features.len(), blocks, rows)?;
        let work = (rows * 16).saturating_mul(self.models().len());
        run(py, n_jobs, work, None, |control| job(&columns, control))
    }

    /// Run the job for a tree or the one for a forest on rows.
    fn on_compiled<R: Send>(
        &self,
        py: Python<'_>,
        input: PredictionInput<'_, '_>,
        tree: impl FnOnce(&Predictor, &Columns<'_>, &Control) -> Result<R> + Send,
        forest: impl FnOnce(&ForestPredictor, &Columns<'_>, &Control) -> Result<R> + Send,
    ) -> PyResult<R> {
        self.on_rows(py, input, |columns, control| match self.compiled(control)? {
            Compiled::Tree(predictor) => tree(predictor, columns, control),
            Compiled::Forest(predictor) => forest(predictor, columns, control),
        })
    }

    /// Bytes per row of a prediction: probabilities of all classes and a label, once in the core
    /// and once as arrays.
    fn probability_bytes(&self) -> usize {
        16 * self.classes() + 16
    }
}

#[pymethods]
impl PyTrees {
    /// Whether the target is a number.
    #[getter]
    fn is_regression(&self) -> bool {
        self.target_is_number()
    }

    /// Weight of each class in the training set; of a numeric target its weight.
    fn totals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let totals = match &self.kind {
            TreeOrForest::Tree(model, _) => model.tree.counts(0),
            TreeOrForest::Forest(forest, _) => &forest.totals,
        };
        totals.to_vec().into_pyarray(py)
    }

    /// The leaf (node number) of each row, shape (rows,); of a forest in each tree, shape (rows,
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
        let input = PredictionInput { blocks: &blocks, rows, bytes_per_row: 24 * trees, n_jobs };
        let leaves = self.on_compiled(
            py,
            input,
            |tree, columns, c| tree.tree.leaves(columns, rows, c),
            |forest, columns, c| forest.leaves(columns, rows, c),
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
        let bytes_per_row = self.probability_bytes();
        let found = self.on_compiled(
            py,
            PredictionInput { blocks: &blocks, rows, bytes_per_row, n_jobs },
            |tree, columns, c| tree.classify(columns, rows, c),
            |forest, columns, c| {
                let votes = forest.vote(columns, rows, None, c);
                Ok(votes?.labels().map(i64::from).collect())
            },
        )?;
        Ok(found.into_pyarray(py))
    }

    /// Class probabilities, shape (rows, classes); of a forest the mean over its trees.
    #[pyo3(signature = (blocks, rows, n_jobs = None))]
    fn predict_proba<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let classes = self.classes();
        let bytes_per_row = self.probability_bytes();
        let found = self.on_compiled(
            py,
            PredictionInput { blocks: &blocks, rows, bytes_per_row, n_jobs },
            |tree, columns, c| tree.probabilities(columns, rows, c),
            |forest, columns, c| {
                forest.vote(columns, rows, None, c).map(|votes| votes.probabilities)
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
        let columns = readable(self.schema().features.len(), &blocks, rows)?;
        let (features, classes) = (columns.features(), self.classes());
        let bytes = rows.saturating_mul(features * classes).saturating_mul(8);
        let _memory = reserve(bytes, bytes)?;
        let nodes = self.nodes();
        let work = Work::from(rows.saturating_mul(nodes * 4)).with_memory(nodes * 128, nodes * 64);
        let found = run(py, n_jobs, work, progress.as_ref(), |control| {
            let explainer = ForestExplainer::new(self.models(), control)?;
            let trees = self.compiled_trees(control)?;
            explainer.values(&trees, &columns, rows, control)
        })?;
        found.into_pyarray(py).reshape([rows, features, classes])
    }

    /// Mean probabilities over the training rows, shape (classes,). Shapley values start from them:
    /// they are the prediction when no feature is known.
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

    /// The content of a model file; `parameters` are written in place of the parameters of the
    /// model.
    #[pyo3(signature = (parameters = None))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        parameters: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let found = run(py, None, self.size(), None, |c| match &self.kind {
            TreeOrForest::Tree(model, _) => {
                store::to_bytes(model, parameters.unwrap_or(&model.parameters), c)
            }
            TreeOrForest::Forest(forest, _) => {
                store::forest_to_bytes(forest, parameters.unwrap_or(&forest.parameters), c)
            }
        })?;
        bytes(py, &found)
    }

    /// The schema as JSON. Without `cuts` it lacks the cut points of binned columns, which take
    /// time to read if there are many bins.
    #[pyo3(signature = (cuts = true))]
    fn schema_json(&self, cuts: bool) -> PyResult<String> {
        let mut schema = Cow::Borrowed(self.schema());
        if !cuts {
            for feature in &mut schema.to_mut().features {
                if let Kind::Numeric { cuts, .. } = &mut feature.kind {
                    *cuts = None;
                }
            }
        }
        let text = json::to_vec(&*schema, &Control::new(1)).map_err(exception)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The parameters that Python stored with the model.
    #[getter]
    fn parameters(&self) -> &str {
        match &self.kind {
            TreeOrForest::Tree(model, _) => &model.parameters,
            TreeOrForest::Forest(forest, _) => &forest.parameters,
        }
    }

    /// Features that some node tests, ascending.
    fn tested(&self) -> Vec<usize> {
        let mut tested = vec![false; self.schema().features.len()];
        let nodes = self.models().iter().flat_map(|model| &model.tree.nodes);
        nodes.filter(|node| node.n_children > 0).for_each(|n| tested[n.feature as usize] = true);
        (0..tested.len()).filter(|&feature| tested[feature]).collect()
    }

    /// The thresholds over which rounding to float32 moves a training value, with their neighbours
    /// in the column and the rows of these. None if no call has encoded the rows, and they are not
    /// float32.
    fn float32_conflicts(
        &self,
        py: Python<'_>,
        data: &PyDataset,
    ) -> PyResult<Option<Vec<inspect::Float32Conflict>>> {
        let Some(data) = data.known() else { return Ok(data.is_single(py)?.then(Vec::new)) };
        run(py, None, self.nodes() * 16, None, |control| {
            inspect::float32_conflicts(self.models(), data, control).map(Some)
        })
    }
}

/// A tree or a forest from the content of a model file, by the function that reads it.
pub(super) fn load<R: Send>(
    py: Python<'_>,
    data: &[u8],
    read: impl FnOnce(&[u8], &Control) -> Result<R> + Send,
) -> PyResult<R> {
    let work = Work::from(data.len().saturating_mul(16)).with_memory(data.len(), data.len());
    run(py, None, work, None, |control| read(data, control))
}

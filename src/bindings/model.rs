//! `_core.Model`: a fitted model.

use super::aligned::Aligned1;
use super::arrays::arrays;
use super::convert::{ArrayBlock, Columns, bytes, on_source, readable, string, weights};
use super::custom::Custom;
use super::dataset::PyDataset;
use super::explain::explained;
use super::job::{Work, exception, reserve, run, run_attached};
use crate::criteria;
use crate::data::Schema;
use crate::error::{Error, Result};
use crate::explain::ForestExplainer;
use crate::fit::Fitted;
use crate::grow::distances;
use crate::model::Model;
use crate::predict::Predictor;
use crate::prune::{self, PruneRows, PruneStep};
use crate::resample::alpha::AlphaChoice;
use crate::store;
use crate::tree::{CostMatrix, Style, text};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::sync::{Arc, OnceLock};

/// A fitted model; immutable.
#[pyclass(name = "Model", module = "fasttree._core", frozen)]
pub struct PyModel {
    model: Arc<Model>,
    /// What pruning did; a loaded model does not know.
    account: Option<Vec<PruneStep>>,
    /// How the complexity penalty was chosen, where it was.
    choice: Option<AlphaChoice>,
    /// The route of growth, and why it was taken; a loaded model does not know.
    route: Option<String>,
    /// Compiled when rows are predicted for the first time.
    predictor: OnceLock<Predictor>,
}

/// A choice of a price as Python sees it.
type ChoiceParts<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    usize,
    f64,
);

/// A cut as Python sees it: node, action, feature, rows, leaves, cost as a leaf, as a subtree, as a
/// branch.
type CutParts = (u32, &'static str, u32, u32, u32, f64, f64, f64);

/// One of the names that a pruning option knows.
fn option<T: serde::de::DeserializeOwned>(name: &str, json: Option<&str>) -> PyResult<Option<T>> {
    json.map(|text| {
        serde_json::from_str(text).map_err(|e| exception(Error::parameter(name, text, e)))
    })
    .transpose()
}

impl PyModel {
    /// Wrap.
    pub fn new(model: Model) -> Self {
        let (model, predictor) = (Arc::new(model), OnceLock::new());
        Self { model, account: None, choice: None, route: None, predictor }
    }

    /// Add how the complexity penalty was chosen.
    pub fn with_choice(self, choice: Option<AlphaChoice>) -> Self {
        Self { choice, ..self }
    }

    /// Wrap a model with what is known of its fit.
    pub fn fitted(fitted: Fitted) -> Self {
        let route = Some(fitted.reason.to_string());
        Self { route, ..Self::with_account(fitted.model, fitted.account) }
    }

    /// Wrap a model with the account of its pruning.
    pub fn with_account(model: Model, account: Vec<PruneStep>) -> Self {
        Self { account: Some(account), ..Self::new(model) }
    }

    /// The model itself.
    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    fn predictor(&self) -> Result<&Predictor> {
        if self.predictor.get().is_none() {
            // Two threads may both compile; one result is kept.
            let _ = self.predictor.set(Predictor::new(&self.model)?);
        }
        self.predictor.get().ok_or_else(|| Error::Internal("no predictor".into()))
    }

    fn schema(&self) -> &Schema {
        &self.model.schema
    }

    /// What it takes to write all nodes down.
    fn size(&self) -> usize {
        self.model.tree.nodes.len() * (self.model.tree.classes + 16) * 16
    }

    /// Work on a copy of the tree, of any length.
    fn work(&self) -> Work {
        Work::from(usize::MAX).with_memory(self.size(), self.size() / 2)
    }

    /// A cost matrix from JSON.
    fn costs(&self, json: Option<&str>) -> PyResult<Option<CostMatrix>> {
        let rows: Option<Vec<Vec<f64>>> = option::<Option<_>>("cost_matrix", json)?.flatten();
        rows.map(|rows| CostMatrix::new(&rows, self.model.tree.classes))
            .transpose()
            .map_err(exception)
    }

    /// Rows that the model can read.
    fn asked<'b>(&self, blocks: &'b [ArrayBlock<'_>], rows: usize) -> PyResult<Columns<'b>> {
        readable(self.schema(), blocks, rows)
    }
}

#[pymethods]
impl PyModel {
    /// Leaf (node number) of each row.
    #[pyo3(signature = (blocks, rows, n_jobs = None))]
    fn apply<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let _memory = reserve(rows.saturating_mul(24), rows.saturating_mul(24))?;
        let columns = self.asked(&blocks, rows)?;
        let leaves = run(py, n_jobs, rows * 16, None, |control| {
            let tree = &self.predictor()?.tree;
            on_source!(columns, |source| tree.leaves(source, rows, control))
        })?;
        Ok(leaves.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py))
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
        let _memory = reserve(rows.saturating_mul(24), rows.saturating_mul(24))?;
        let columns = self.asked(&blocks, rows)?;
        let found = run(py, n_jobs, rows * 16, None, |control| {
            let predictor = self.predictor()?;
            on_source!(columns, |source| predictor.classify(source, rows, control))
        })?;
        Ok(found.into_pyarray(py))
    }

    /// Probabilities, shape (rows, classes).
    #[pyo3(signature = (blocks, rows, n_jobs = None))]
    fn predict_proba<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let _memory = reserve(
            rows.saturating_mul(16 * self.model.tree.classes + 16),
            rows.saturating_mul(16 * self.model.tree.classes + 16),
        )?;
        let columns = self.asked(&blocks, rows)?;
        let found = run(py, n_jobs, rows * 16, None, |control| {
            let predictor = self.predictor()?;
            on_source!(columns, |source| predictor.probabilities(source, rows, control))
        })?;
        found.into_pyarray(py).reshape([rows, self.model.tree.classes])
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
        let columns = self.asked(&blocks, rows)?;
        let trees = std::slice::from_ref(&*self.model);
        explained(py, trees, rows, (n_jobs, progress), |explainer, control| {
            let tree = &self.predictor()?.tree;
            on_source!(columns, |source| explainer.values(&[tree], source, rows, control))
        })
    }

    /// Probabilities when no feature is known, shape (classes,).
    fn expected_value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let trees = std::slice::from_ref(&*self.model);
        let found =
            run(py, None, self.size(), None, |c| Ok(ForestExplainer::new(trees, c)?.expected()))?;
        Ok(found.into_pyarray(py))
    }

    /// Part of each row that reaches a node, shape (rows,): 0 or 1 where no missing value takes all
    /// branches.
    fn reach<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        node: u32,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let _memory = reserve(rows.saturating_mul(24), rows.saturating_mul(24))?;
        let columns = self.asked(&blocks, rows)?;
        let found = run(py, None, rows * 16, None, |control| {
            let tree = &self.predictor()?.tree;
            let mut parts = vec![0.0; rows];
            for (row, part) in parts.iter_mut().enumerate() {
                if row % 1024 == 0 {
                    control.check()?;
                }
                tree.spread(&columns, row, 0, |at, weight, _| {
                    if at == node {
                        *part = weight;
                    }
                });
            }
            Ok(parts)
        })?;
        Ok(found.into_pyarray(py))
    }

    /// Nodes that each row passes, as CSR arrays (indptr, indices).
    fn decision_path<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>)> {
        let _memory = reserve(rows.saturating_mul(64), rows.saturating_mul(64))?;
        let columns = self.asked(&blocks, rows)?;
        let (starts, nodes) = run(py, None, rows * 16, None, |control| {
            let tree = &self.predictor()?.tree;
            let (mut starts, mut nodes, mut path) = (vec![0_i64], Vec::new(), Vec::new());
            for row in 0..rows {
                if row % 1024 == 0 {
                    control.check()?;
                }
                path.clear();
                tree.path(&columns, row, &mut path);
                nodes.extend(path.iter().map(|&n| i64::from(n)));
                starts.push(nodes.len() as i64);
            }
            Ok((starts, nodes))
        })?;
        Ok((starts.into_pyarray(py), nodes.into_pyarray(py)))
    }

    /// Probabilities of nodes, shape (nodes, classes).
    fn node_proba<'py>(
        &self,
        py: Python<'py>,
        nodes: Aligned1<'_, i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let k = self.model.tree.classes;
        let nodes = nodes.as_array();
        let mut out = vec![0.0; nodes.len() * k];
        for (&node, p) in nodes.iter().zip(out.chunks_exact_mut(k)) {
            let node = usize::try_from(node).ok().filter(|&n| n < self.model.tree.nodes.len());
            let node =
                node.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("no such node"))?;
            self.model.probabilities(node, p);
        }
        out.into_pyarray(py).reshape([nodes.len(), k])
    }

    /// The tree as it was before step `step`.
    fn cut(&self, step: u32) -> Self {
        Self::new(Model { tree: self.model.tree.cut(step), ..(*self.model).clone() })
    }

    /// The model with its tree pruned; `data` are rows that the method looks at.
    #[pyo3(signature = (
        parameters, method_json = None, merge_json = None, data = None, sample_weight = None, n_jobs
        = None, costs_json = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
    fn prune(
        &self,
        py: Python<'_>,
        parameters: String,
        method_json: Option<&str>,
        merge_json: Option<&str>,
        data: Option<&PyDataset>,
        sample_weight: Option<Aligned1<'_, f64>>,
        n_jobs: Option<i64>,
        costs_json: Option<&str>,
    ) -> PyResult<Self> {
        let costs = self.costs(costs_json)?;
        let method: Option<prune::PruneMethod> = option("pruning", method_json)?;
        let merged: Option<prune::Merge> = option("merge_redundant", merge_json)?;
        let model = &self.model;
        let data = data.map(|d| d.encoded(py, n_jobs)).transpose()?;
        let weighted = data.map(|d| weights(sample_weight.as_ref(), d)).transpose()?;
        let pruned = run(py, n_jobs, self.work(), None, |control| {
            let kept: Vec<u32> = match (data, &weighted) {
                (Some(d), Some(w)) => (0..d.len() as u32).filter(|&r| !w.is_zero(r)).collect(),
                _ => Vec::new(),
            };
            let rows = match (data, &weighted) {
                (Some(d), Some(weights)) => Some(PruneRows { data: d, rows: &kept, weights }),
                _ => None,
            };
            let how = (method.as_ref(), merged);
            prune::prune_by_cost(
                &model.tree,
                &model.schema,
                how,
                false,
                rows.as_ref(),
                costs.as_ref(),
                control,
            )
        })?;
        let (schema, smoothing) = (model.schema.clone(), model.smoothing);
        Ok(Self::with_account(
            Model { schema, tree: pruned.tree, smoothing, parameters },
            pruned.account,
        ))
    }

    /// What pruning did, None where it is not known.
    fn account(&self) -> Option<Vec<CutParts>> {
        let parts = |c: &PruneStep| {
            (
                c.node,
                c.action.name(),
                c.feature,
                c.rows,
                c.leaves,
                c.as_leaf,
                c.as_tree,
                c.as_branch,
            )
        };
        self.account.as_ref().map(|cuts| cuts.iter().map(parts).collect())
    }

    /// The route by which growth read its rows, and why it was taken; None in a model that was
    /// loaded, pruned or taken from a forest.
    #[getter]
    fn route(&self) -> Option<&str> {
        self.route.as_deref()
    }

    /// How the price of a leaf was chosen: prices, leaves, errors and standard errors of the pruned
    /// trees, the one that was taken and its price; None where it was not chosen.
    fn alpha_choice<'py>(&self, py: Python<'py>) -> Option<ChoiceParts<'py>> {
        self.choice.as_ref().map(|c| {
            let leaves: Vec<i64> = c.leaves.iter().map(|&n| i64::from(n)).collect();
            (
                c.alphas.clone().into_pyarray(py),
                leaves.into_pyarray(py),
                c.errors.clone().into_pyarray(py),
                c.deviations.clone().into_pyarray(py),
                c.chosen,
                c.price(c.chosen),
            )
        })
    }

    /// Alphas and impurities of minimal cost-complexity pruning.
    #[pyo3(signature = (impurity, costs_json = None))]
    fn cost_complexity_path<'py>(
        &self,
        py: Python<'py>,
        impurity: &str,
        costs_json: Option<&str>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let costs = self.costs(costs_json)?;
        let quoted = serde_json::Value::from(impurity).to_string();
        let impurity = option("impurity", Some(&quoted))?.unwrap_or_default();
        let path = run(py, None, self.work(), None, |control| {
            prune::cost_complexity::path_by_cost(
                &self.model.tree,
                impurity,
                costs.as_ref(),
                control,
            )
        })?;
        Ok((path.alphas.into_pyarray(py), path.impurities.into_pyarray(py)))
    }

    /// Indented text.
    #[pyo3(signature = (decimals = 6, max_depth = None))]
    fn to_text<'py>(
        &self,
        py: Python<'py>,
        decimals: usize,
        max_depth: Option<usize>,
    ) -> PyResult<Bound<'py, PyString>> {
        let style = Style { decimals, max_depth: max_depth.unwrap_or(usize::MAX) };
        let (tree, schema) = (&self.model.tree, self.schema());
        let found = run(py, None, self.size(), None, |c| text(tree, schema, style, c))?;
        string(py, &found)
    }

    /// The model file's content.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let found = run(py, None, self.size(), None, |c| store::to_bytes(&self.model, c))?;
        bytes(py, &found)
    }

    /// A model from the content of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let work = Work::from(data.len().saturating_mul(16)).with_memory(data.len(), data.len());
        Ok(Self::new(run(py, None, work, None, |c| store::from_bytes(data, c))?))
    }

    /// Schema as JSON.
    fn schema_json(&self) -> PyResult<String> {
        serde_json::to_string(self.schema())
            .map_err(|e| pyo3::exceptions::PyValueError::new_err(e.to_string()))
    }

    /// Parameters as they were stored.
    #[getter]
    fn parameters(&self) -> &str {
        &self.model.parameters
    }

    /// (nodes, leaves, empty leaves, depth).
    #[getter]
    fn shape(&self) -> (usize, usize, usize, usize) {
        let s = self.model.tree.shape();
        (s.nodes, s.leaves, s.empty_leaves, s.depth)
    }

    /// Nodes in the order in which they were split.
    fn steps<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.model.tree.steps().into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Distance of the whole tree to the classes after each step, by a built-in criterion or a
    /// user's function.
    #[pyo3(signature = (criterion, options_json, custom = None))]
    fn global_distances<'py>(
        &self,
        py: Python<'py>,
        criterion: &str,
        options_json: &str,
        custom: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (custom, raised) = custom.map(Custom::wrap).unzip();
        let criterion = match custom {
            Some(c) => c,
            None => {
                let options = serde_json::from_str(options_json)
                    .map_err(|e| pyo3::exceptions::PyValueError::new_err(e.to_string()))?;
                criteria::make(criterion, options).map_err(exception)?
            }
        };
        let tree = &self.model.tree;
        let Some(raised) = raised else {
            let found = run(py, None, tree.counts.len() * tree.classes, None, |control| {
                distances(tree, criterion.as_ref(), control)
            })?;
            return Ok(found.into_pyarray(py));
        };
        let found = run_attached(py, None, |control| distances(tree, criterion.as_ref(), control));
        let kept = raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        found.map(|found| found.into_pyarray(py)).map_err(|e| kept.unwrap_or(e))
    }

    /// The tree as columns; see `_core.pyi`.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        arrays(py, &self.model.tree)
    }
}

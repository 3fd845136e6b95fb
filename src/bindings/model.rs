//! `_core.Model`: a fitted tree, and the call that grows one.

use super::aligned::Aligned1;
use super::arrays::arrays;
use super::convert::{ArrayBlock, Columns, string, weights};
use super::custom::Custom;
use super::dataset::PyDataset;
use super::job::{Work, exception, run, run_attached};
use super::plan::plan;
use super::trees::{PyTrees, loaded};
use crate::criteria;
use crate::error::Error;
use crate::fit::Fitted;
use crate::grow::distances;
use crate::model::Model;
use crate::predict::CompiledTree;
use crate::prune::{self, PruneRows, PruneStep};
use crate::resample::{self, alpha::AlphaChoice};
use crate::store;
use crate::tree::{CostMatrix, Style, text};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::Arc;

/// A fitted tree; immutable. What it answers as a forest does is in [`PyTrees`].
#[pyclass(name = "Model", module = "fasttree._core", frozen, extends = PyTrees)]
pub struct PyModel {
    model: Arc<Model>,
    known: Known,
}

/// What is known of how a model came to be; a loaded model knows nothing.
#[derive(Default)]
struct Known {
    /// What pruning did.
    account: Option<Vec<PruneStep>>,
    /// How the complexity penalty was chosen, where it was.
    choice: Option<AlphaChoice>,
    /// The route of growth, and why it was taken.
    route: Option<String>,
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

/// A value from its JSON text; an error names the parameter.
fn from_json<T: serde::de::DeserializeOwned>(
    name: &str,
    json: Option<&str>,
) -> PyResult<Option<T>> {
    json.map(|text| {
        serde_json::from_str(text).map_err(|e| exception(Error::parameter(name, text, e)))
    })
    .transpose()
}

impl PyModel {
    /// A model of which nothing else is known.
    pub fn new(py: Python<'_>, model: Model) -> PyResult<Py<Self>> {
        Self::with(py, model, Known::default())
    }

    fn with(py: Python<'_>, model: Model, mut known: Known) -> PyResult<Py<Self>> {
        let model = Arc::new(model);
        let trees = PyTrees::tree(&model, known.route.take());
        Py::new(py, PyClassInitializer::from(trees).add_subclass(Self { model, known }))
    }

    /// What a fit gave.
    pub fn fitted(
        py: Python<'_>,
        Fitted { model, account, reason }: Fitted,
        choice: Option<AlphaChoice>,
    ) -> PyResult<Py<Self>> {
        let (account, route) = (Some(account), Some(reason.to_string()));
        Self::with(py, model, Known { account, choice, route })
    }

    /// The model itself.
    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    /// What pruning takes: unbounded time, and memory for a copy of the tree.
    fn work(&self) -> Work {
        let size = self.model.tree.nodes.len() * (self.model.tree.classes + 16) * 16;
        Work::from(usize::MAX).with_memory(size, size / 2)
    }

    /// A cost matrix from JSON.
    fn costs(&self, json: Option<&str>) -> PyResult<Option<CostMatrix>> {
        let rows: Option<Vec<Vec<f64>>> = from_json::<Option<_>>("cost_matrix", json)?.flatten();
        rows.map(|rows| CostMatrix::new(&rows, self.model.tree.classes))
            .transpose()
            .map_err(exception)
    }
}

/// Call `ask` for each tree and row; its result takes `answer` bytes per row.
fn on_each_row(
    model: &PyRef<'_, PyModel>,
    (blocks, rows): (&[ArrayBlock<'_>], usize),
    answer: usize,
    mut ask: impl FnMut(&CompiledTree, &Columns<'_>, usize) + Send,
) -> PyResult<()> {
    let trees: &PyTrees = model.as_super();
    trees.on_rows(model.py(), (blocks, rows), answer, None, |columns, control| {
        for tree in trees.compiled_trees(control)? {
            for row in 0..rows {
                if row % 1024 == 0 {
                    control.check()?;
                }
                ask(tree, columns, row);
            }
        }
        Ok(())
    })
}

/// Fit a tree.
#[pyfunction]
#[pyo3(signature = (
    data, config, rows = None, sample_weight = None, custom = None, n_jobs = None, progress = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn tree_fit(
    py: Python<'_>,
    data: &PyDataset,
    config: &str,
    rows: Option<Aligned1<'_, i64>>,
    sample_weight: Option<Aligned1<'_, f64>>,
    custom: Option<Py<PyAny>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyModel>> {
    let plan = plan(config, custom)?;
    let (rows, weights) = (rows.as_ref(), sample_weight.as_ref());
    let rows = data.fit_rows(py, (&plan.0, false), rows, weights, n_jobs)?;
    let (fitted, choice) =
        data.run_plan(py, plan, n_jobs, progress.as_ref(), |plan, control| {
            resample::alpha::fit(plan, rows, control)
        })?;
    PyModel::fitted(py, fitted, choice)
}

#[pymethods]
impl PyModel {
    /// Part of each row that reaches a node, shape (rows,): 0 or 1 where no missing value takes all
    /// branches.
    fn reach<'py>(
        slf: PyRef<'py, Self>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        node: u32,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut parts = vec![0.0; rows];
        on_each_row(&slf, (&blocks, rows), 24, |tree, columns, row| {
            tree.spread(columns, row, 0, |at, weight, _| {
                if at == node {
                    parts[row] = weight;
                }
            });
        })?;
        Ok(parts.into_pyarray(slf.py()))
    }

    /// Nodes that each row passes, as CSR arrays (indptr, indices).
    fn decision_path<'py>(
        slf: PyRef<'py, Self>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>)> {
        let (mut starts, mut nodes, mut path) = (vec![0_i64], Vec::new(), Vec::new());
        on_each_row(&slf, (&blocks, rows), 64, |tree, columns, row| {
            path.clear();
            tree.path(columns, row, &mut path);
            nodes.extend(path.iter().map(|&n| i64::from(n)));
            starts.push(nodes.len() as i64);
        })?;
        Ok((starts.into_pyarray(slf.py()), nodes.into_pyarray(slf.py())))
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
    fn cut(&self, py: Python<'_>, step: u32) -> PyResult<Py<Self>> {
        Self::new(py, Model { tree: self.model.tree.cut(step), ..(*self.model).clone() })
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
    ) -> PyResult<Py<Self>> {
        let costs = self.costs(costs_json)?;
        let method: Option<prune::PruneMethod> = from_json("pruning", method_json)?;
        let merged: Option<prune::Merge> = from_json("merge_redundant", merge_json)?;
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
        let model = Model { schema, tree: pruned.tree, smoothing, parameters };
        Self::with(py, model, Known { account: Some(pruned.account), ..Known::default() })
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
        self.known.account.as_ref().map(|cuts| cuts.iter().map(parts).collect())
    }

    /// How the price of a leaf was chosen: prices, leaves, errors and standard errors of the pruned
    /// trees, the one that was taken and its price; None where it was not chosen.
    fn alpha_choice<'py>(&self, py: Python<'py>) -> Option<ChoiceParts<'py>> {
        self.known.choice.as_ref().map(|c| {
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
        let impurity = from_json("impurity", Some(&quoted))?.unwrap_or_default();
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
        slf: PyRef<'py, Self>,
        decimals: usize,
        max_depth: Option<usize>,
    ) -> PyResult<Bound<'py, PyString>> {
        let style = Style { decimals, max_depth: max_depth.unwrap_or(usize::MAX) };
        let (tree, schema) = (&slf.model.tree, &slf.model.schema);
        let work = slf.as_super().size();
        let found = run(slf.py(), None, work, None, |c| text(tree, schema, style, c))?;
        string(slf.py(), &found)
    }

    /// A model from the content of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Py<Self>> {
        Self::new(py, loaded(py, data, store::from_bytes)?)
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

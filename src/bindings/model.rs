//! `_core.Model`: a fitted tree, and `_core.tree_fit`, which grows one.
//!
//! The base class [`PyTrees`] has the methods that trees and forests share. Each method converts
//! its arguments, runs the core without the interpreter ([`super::job::run`]) and converts the
//! result.

use super::aligned::Aligned1;
use super::arrays::arrays;
use super::convert::{ArrayBlock, Columns, positive_rows, weights};
use super::custom::CallableCriterion;
use super::dataset::PyDataset;
use super::job::{Work, exception, reserve, run, run_attached};
use super::plan::{ConfiguredPlan, FromPython, Options, builtin_criterion, plan, plan_with};
use super::trees::{PredictionInput, PyTrees, load};
use crate::criteria::Impurity;
use crate::data::{RowSet, Weights};
use crate::fit::{Config, Fitted, NodePlan};
use crate::grow::distances;
use crate::inspect::{self, ReachedRows};
use crate::model::Model;
use crate::predict::CompiledTree;
use crate::prune::{
    Merge, PruneMethod, PruneRows, PruneStep, PruneSteps, cost_complexity, prune_with,
};
use crate::resample::{self, alpha::AlphaChoice};
use crate::store;
use crate::tree::CostMatrix;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// A fitted tree; immutable. The methods of prediction are in its base class `Trees`.
#[pyclass(name = "Model", module = "fasttree._core", frozen, extends = PyTrees)]
pub struct PyModel {
    model: Arc<Model>,
    history: History,
}

/// How a model was made. Model files do not hold the history, so a loaded model has an empty one.
#[derive(Default)]
struct History {
    /// The edits of pruning.
    account: Option<Vec<PruneStep>>,
    /// How the complexity penalty was chosen, if it was.
    choice: Option<AlphaChoice>,
    /// The route of growth, and why it was taken.
    route: Option<String>,
}

/// Candidate splits for Python: features, thresholds, scores, and the codes on the first branch of
/// each candidate that divides levels, with its number.
type PyCandidates<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Vec<(usize, Vec<u32>)>,
);

/// An [`AlphaChoice`] for Python: alphas, leaves, splits, impurities, errors, standard errors,
/// number of the chosen tree, and the alpha that represents it.
type PyAlphaChoice<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    usize,
    f64,
);

/// A [`PruneStep`] for Python: node, action, feature, rows, leaves, cost as a leaf, cost with its
/// subtree, cost of the branch in its place.
type PyPruneStep = (u32, &'static str, u32, u32, u32, f64, f64, f64);

/// The cost of each error, by true and predicted class.
type PyCosts = Option<FromPython<Vec<Vec<f64>>>>;

impl PyModel {
    /// A model without a history: one that was loaded, cut back to an earlier step, taken from a
    /// forest, or found by an exact search. Its `account` and `route` are None in Python.
    pub fn new(py: Python<'_>, model: Model) -> PyResult<Py<Self>> {
        Self::with_history(py, model, History::default())
    }

    fn with_history(py: Python<'_>, model: Model, mut history: History) -> PyResult<Py<Self>> {
        let model = Arc::new(model);
        let trees = PyTrees::tree(&model, history.route.take());
        Py::new(py, PyClassInitializer::from(trees).add_subclass(Self { model, history }))
    }

    /// A model that a fit made, with the choice of the complexity penalty (if `ccp_alpha` was
    /// chosen by cross-validation), and the route of growth with its reason. It always has an
    /// account of its pruning, which is empty if nothing was pruned.
    pub fn fitted(
        py: Python<'_>,
        Fitted { model, account, reason }: Fitted,
        choice: Option<AlphaChoice>,
    ) -> PyResult<Py<Self>> {
        let (account, route) = (Some(account), Some(reason.to_string()));
        Self::with_history(py, model, History { account, choice, route })
    }

    /// The core's model.
    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    /// The cost of pruning: an unknown amount of work, and memory for a copy of the tree.
    fn work(&self) -> Work {
        let size = self.model.tree.nodes.len() * (self.model.tree.classes + 16) * 16;
        Work::from(usize::MAX).with_memory(size, size / 2)
    }

    /// A checked cost matrix, if there is one.
    fn costs(&self, costs: PyCosts) -> PyResult<Option<CostMatrix>> {
        costs
            .map(|rows| CostMatrix::new(&rows.0, self.model.tree.classes))
            .transpose()
            .map_err(exception)
    }

    /// The sequence of cost-complexity pruning by an impurity.
    fn path(
        &self,
        py: Python<'_>,
        impurity: FromPython<Impurity>,
        costs: PyCosts,
    ) -> PyResult<cost_complexity::Path> {
        let costs = self.costs(costs)?;
        run(py, None, self.work(), None, |control| {
            cost_complexity::path(&self.model.tree, impurity.0, costs.as_ref(), control)
        })
    }
}

/// Call `visit` for each row. The caller keeps `bytes_per_row` of results.
fn on_each_row(
    model: &PyRef<'_, PyModel>,
    blocks: &[ArrayBlock<'_>],
    rows: usize,
    bytes_per_row: usize,
    mut visit: impl FnMut(&CompiledTree, &Columns<'_>, usize) + Send,
) -> PyResult<()> {
    let trees: &PyTrees = model.as_super();
    let input = PredictionInput { blocks, rows, bytes_per_row, n_jobs: None };
    trees.on_rows(model.py(), input, |columns, control| {
        for tree in trees.compiled_trees(control)? {
            for row in 0..rows {
                if row % 1024 == 0 {
                    control.check()?;
                }
                visit(tree, columns, row);
            }
        }
        Ok(())
    })
}

/// Fit a tree on some rows (all if None). If `leaf_data` is given, the counts and predictions of
/// all nodes are taken from its rows, with the weights `leaf_weight`.
#[pyfunction]
#[pyo3(signature = (
    data, config, rows = None, sample_weight = None, custom = None, n_jobs = None, progress = None,
    leaf_data = None, leaf_weight = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn tree_fit(
    py: Python<'_>,
    data: &PyDataset,
    config: FromPython<Config>,
    rows: Option<Aligned1<'_, i64>>,
    sample_weight: Option<Aligned1<'_, f64>>,
    custom: Option<Py<PyAny>>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
    leaf_data: Option<&PyDataset>,
    leaf_weight: Option<Aligned1<'_, f64>>,
) -> PyResult<Py<PyModel>> {
    let plan = plan(config, custom)?;
    let given = sample_weight.as_ref();
    let blocks = data.blocks(py)?;
    let columns = Columns::new(&blocks, data.rows()).map_err(exception)?;
    let rows = data.fit_rows(py, &plan.plan, &columns, false, rows.as_ref(), given, n_jobs)?;
    let leaf_rows = leaf_data.map(|leaves| leaves.encoded(py, n_jobs)).transpose()?;
    let leaf_rows =
        leaf_rows.map(|data| weights(leaf_weight.as_ref(), data).map(|w| (data, w))).transpose()?;
    let (fitted, choice) =
        data.run_plan(py, plan, n_jobs, progress.as_ref(), |plan, control| {
            let (mut fitted, choice) = resample::alpha::fit(plan, rows, control)?;
            if let Some((data, weights)) = leaf_rows {
                let all = RowSet::all(data.len());
                fitted.model =
                    plan.with_honest_leaves(fitted.model, data, &all, &weights, control)?;
            }
            Ok((fitted, choice))
        })?;
    PyModel::fitted(py, fitted, choice)
}

#[pymethods]
impl PyModel {
    /// Fraction of each row that reaches a node, shape (rows,): 0 or 1 unless a missing value takes
    /// all branches.
    fn reach<'py>(
        slf: PyRef<'py, Self>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
        node: u32,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut fractions = vec![0.0; rows];
        on_each_row(&slf, &blocks, rows, 24, |tree, columns, row| {
            tree.spread(columns, row, 0, &mut |at, fraction, _| {
                if at == node {
                    fractions[row] = fraction;
                }
            });
        })?;
        Ok(fractions.into_pyarray(slf.py()))
    }

    /// All candidate splits of a node; the tests of its features if they are chosen by
    /// significance, as (feature, statistic, logarithm of the adjusted p-value), most significant
    /// first; and whether rows without a value of a feature are left out of its candidates. The
    /// candidates are given as arrays of features, thresholds (NaN for a test without one) and
    /// scores, and for each candidate that divides levels in two as the number of the candidate and
    /// the codes on its first branch. `fractions` says which fraction of each row reaches the node.
    #[pyo3(signature = (
        data, config, fractions, sample_weight = None, custom = None, n_jobs = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        config: FromPython<Config>,
        fractions: Aligned1<'_, f64>,
        sample_weight: Option<Aligned1<'_, f64>>,
        custom: Option<Py<PyAny>>,
        n_jobs: Option<i64>,
    ) -> PyResult<(PyCandidates<'py>, Vec<(u32, f64, f64)>, bool)> {
        let make = |config, criterion| NodePlan::new(&self.model, config, criterion);
        let (NodePlan { plan, bins }, raised) = plan_with(config, custom, make)?;
        let rows = data.as_grown(py, &self.model.schema, bins, n_jobs)?;
        // The fractions, two kinds of weights, and copies in the order of the core.
        let _memory = reserve(rows.len() * 48, rows.len() * 8)?;
        let fractions = fractions.as_array().to_vec();
        let weights = sample_weight.map(|w| w.as_array().to_vec());
        let node = ReachedRows::new(&rows, &fractions, weights.as_deref()).map_err(exception)?;
        let plan = ConfiguredPlan { plan, raised };
        let (found, tests, left_out) = data.run_plan(py, plan, n_jobs, None, |plan, control| {
            inspect::explain(plan, &rows, &node, control)
        })?;
        let features: Vec<u32> = found.iter().map(|c| c.feature).collect();
        let thresholds: Vec<f64> = found.iter().map(|c| c.threshold.unwrap_or(f64::NAN)).collect();
        let scores: Vec<f64> = found.iter().map(|c| c.score).collect();
        let levels = found.into_iter().enumerate();
        let levels = levels.filter_map(|(i, c)| c.levels.map(|codes| (i, codes))).collect();
        let (features, thresholds) = (features.into_pyarray(py), thresholds.into_pyarray(py));
        let tests = tests.into_iter().map(|(f, test)| (f, test.statistic, test.log_p)).collect();
        Ok(((features, thresholds, scores.into_pyarray(py), levels), tests, left_out))
    }

    /// Nodes that each row passes, as CSR arrays (indptr, indices).
    fn decision_path<'py>(
        slf: PyRef<'py, Self>,
        blocks: Vec<ArrayBlock<'_>>,
        rows: usize,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>)> {
        let (mut starts, mut nodes, mut path) = (vec![0_i64], Vec::new(), Vec::new());
        on_each_row(&slf, &blocks, rows, 64, |tree, columns, row| {
            path.clear();
            tree.path(columns, row, &mut path);
            nodes.extend(path.iter().map(|&n| i64::from(n)));
            starts.push(nodes.len() as i64);
        })?;
        Ok((starts.into_pyarray(slf.py()), nodes.into_pyarray(slf.py())))
    }

    /// Class probabilities of some nodes, shape (nodes, classes).
    fn node_proba<'py>(
        &self,
        py: Python<'py>,
        nodes: Aligned1<'_, i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let k = self.model.tree.classes;
        let nodes = nodes.as_array();
        let mut out = vec![0.0; nodes.len() * k];
        for (&node, probabilities) in nodes.iter().zip(out.chunks_exact_mut(k)) {
            let node = usize::try_from(node).ok().filter(|&n| n < self.model.tree.nodes.len());
            let node = node.ok_or_else(|| PyIndexError::new_err("no such node"))?;
            self.model.probabilities(node, probabilities);
        }
        out.into_pyarray(py).reshape([nodes.len(), k])
    }

    /// The model with its tree as it was before step `step` of growth.
    fn cut(&self, py: Python<'_>, step: u32) -> PyResult<Py<Self>> {
        Self::new(py, Model { tree: self.model.tree.cut(step), ..(*self.model).clone() })
    }

    /// The model with its tree pruned. `data` are the rows that the method reads: training rows, or
    /// rows held out from growth.
    #[pyo3(signature = (
        parameters, method = None, merge = None, data = None, sample_weight = None, n_jobs
        = None, costs = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
    fn prune(
        &self,
        py: Python<'_>,
        parameters: String,
        method: Option<FromPython<PruneMethod>>,
        merge: Option<FromPython<Merge>>,
        data: Option<&PyDataset>,
        sample_weight: Option<Aligned1<'_, f64>>,
        n_jobs: Option<i64>,
        costs: PyCosts,
    ) -> PyResult<Py<Self>> {
        let costs = self.costs(costs)?;
        let (method, merge) = (method.map(|m| m.0), merge.map(|m| m.0));
        let model = &self.model;
        let data = data.map(|data| data.encoded(py, n_jobs)).transpose()?;
        let weights = match data {
            Some(data) => weights(sample_weight.as_ref(), data)?,
            None => Weights::Unit,
        };
        let pruned = run(py, n_jobs, self.work(), None, |control| {
            let kept = data.map(|data| positive_rows(data.len(), &weights)).unwrap_or_default();
            let rows = data.map(|data| PruneRows { data, rows: &kept, weights: &weights });
            let steps = PruneSteps {
                collapse: false,
                method: method.as_ref(),
                merge,
                costs: costs.as_ref(),
            };
            prune_with(&model.tree, &model.schema, &steps, rows.as_ref(), control)
        })?;
        let (schema, smoothing) = (model.schema.clone(), model.smoothing);
        let model = Model { schema, tree: pruned.tree, smoothing, parameters };
        let history = History { account: Some(pruned.account), ..History::default() };
        Self::with_history(py, model, history)
    }

    /// The edits of pruning; None for a loaded model.
    fn account(&self) -> Option<Vec<PyPruneStep>> {
        let fields = |step: &PruneStep| {
            let &PruneStep { node, action, feature, rows, leaves, as_leaf, as_tree, as_branch } =
                step;
            (node, action.name(), feature, rows, leaves, as_leaf, as_tree, as_branch)
        };
        self.history.account.as_ref().map(|steps| steps.iter().map(fields).collect())
    }

    /// How `ccp_alpha` was chosen by cross-validation: alphas, leaves, splits, impurities, errors
    /// and standard errors of the pruned trees, the number of the chosen one and its alpha. If it
    /// was not chosen by cross-validation and an impurity is given: the trees that this tree can be
    /// pruned to, without errors. Otherwise None.
    #[pyo3(signature = (impurity = None, costs = None))]
    fn alpha_choice<'py>(
        &self,
        py: Python<'py>,
        impurity: Option<FromPython<Impurity>>,
        costs: PyCosts,
    ) -> PyResult<Option<PyAlphaChoice<'py>>> {
        let own = match (&self.history.choice, impurity) {
            (None, Some(impurity)) => Some(AlphaChoice::new(&self.path(py, impurity, costs)?)),
            _ => None,
        };
        Ok(self.history.choice.as_ref().or(own.as_ref()).map(|choice| {
            let whole = |numbers: &[u32]| {
                numbers.iter().map(|&n| i64::from(n)).collect::<Vec<_>>().into_pyarray(py)
            };
            (
                choice.alphas.clone().into_pyarray(py),
                whole(&choice.leaves),
                whole(&choice.splits),
                choice.impurities.clone().into_pyarray(py),
                choice.errors.clone().into_pyarray(py),
                choice.deviations.clone().into_pyarray(py),
                choice.chosen,
                choice.representative(choice.chosen),
            )
        }))
    }

    /// Alphas and impurities of minimal cost-complexity pruning, from the whole tree to the root
    /// alone.
    #[pyo3(signature = (impurity, costs = None))]
    fn cost_complexity_path<'py>(
        &self,
        py: Python<'py>,
        impurity: FromPython<Impurity>,
        costs: PyCosts,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let path = self.path(py, impurity, costs)?;
        Ok((path.alphas.into_pyarray(py), path.impurities.into_pyarray(py)))
    }

    /// A model from the content of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Py<Self>> {
        Self::new(py, load(py, data, store::from_bytes)?)
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

    /// Distance of the tree's partition to the classes after each step of growth, by a built-in
    /// criterion or a user's function.
    #[pyo3(signature = (criterion, options, custom = None))]
    fn global_distances<'py>(
        &self,
        py: Python<'py>,
        criterion: &str,
        options: Options,
        custom: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let tree = &self.model.tree;
        let found = if let Some(function) = custom {
            let (criterion, raised) = CallableCriterion::wrap(function);
            run_attached(py, None, |control| distances(tree, criterion.as_ref(), control))
                .map_err(|error| raised.take_or(error))?
        } else {
            let criterion = builtin_criterion(criterion, options)?;
            run(py, None, tree.counts.len() * tree.classes, None, |control| {
                distances(tree, criterion.as_ref(), control)
            })?
        };
        Ok(found.into_pyarray(py))
    }

    /// The fields of all nodes as arrays by name, shape (nodes,); `counts` has shape (nodes,
    /// classes), and `children` and `levels` are lists of all nodes, one after the other.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        arrays(py, &self.model.tree)
    }
}

//! `_core.Dataset`: a training set; its scores and cross-validation; and the functions that
//! describe the core's registries.
//!
//! A data set keeps the caller's arrays and encodes them only when a call needs that: the
//! routes on codes read the arrays in place ([`super::cells`]).

use super::aligned::{Aligned1, Aligned3};
use super::code_facts::{CodedArrays, PyCodeFacts, code_facts};
use super::convert::{
    ArrayBlock, Columns, GivenTarget, indices, row_set, weights, weights_of_rows,
};
use super::job::{Work, exception, reserve, run, run_attached};
use super::plan::{ConfiguredPlan, FromPython, Options, builtin_criterion, plan};
use crate::criteria::{self, Cells, Context, EvidenceKind, Tables};
use crate::data::{Dataset, Lender, RowSet, Schema, Target};
use crate::discretize::{self, DISCRETIZERS, DiscretizeMethod};
use crate::error::{Error, Result};
use crate::fit::{CallerRows, Config, FitPlan, FitRows, RecordRows, as_grown};
use crate::inspect::{self, NeighbourShare};
use crate::numeric::Logs;
use crate::parallel::{Control, lock};
use crate::prune::PRUNINGS;
use crate::resample::{self, Fold};
use crate::split::NominalSplits;
use crate::stats::neighbours::{DistanceSum, Share};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use pythonize::pythonize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Training rows. They never change, but the first call that needs an encoded copy of them makes
/// it, and the data set keeps it.
#[pyclass(name = "Dataset", module = "fasttree._core", frozen)]
pub struct PyDataset {
    schema: Schema,
    target: GivenTarget,
    /// The caller's blocks of columns, until they are encoded.
    blocks: Mutex<Vec<Py<PyAny>>>,
    encoded: OnceLock<Arc<Dataset<'static>>>,
    /// The encoded rows as growth of models read them, by schema and form of binned numbers.
    grown: Mutex<Vec<GrownRows>>,
    /// The codes of rows that arrived in batches, whose cells were not kept; None for the caller's
    /// blocks.
    codes: Option<CodedArrays>,
    /// Whether a fit has sorted the caller's numbers without keeping a copy. The next fit encodes
    /// the rows, so that it and later ones need not sort again.
    is_read: AtomicBool,
}

/// Rows as growth of a model read them: its schema, the form of binned numbers, and the rows.
type GrownRows = (Arc<Schema>, Option<NominalSplits>, Arc<Dataset<'static>>);

impl PyDataset {
    /// Number of rows of the caller's blocks.
    pub(super) fn rows(&self) -> usize {
        self.target.len()
    }

    /// The caller's blocks of columns; an empty list once they are encoded.
    pub(super) fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Vec<ArrayBlock<'py>>> {
        let kept = lock(&self.blocks);
        kept.iter().map(|block| block.bind(py).extract()).collect()
    }

    /// The encoded rows; the first call makes them.
    pub(super) fn encoded(
        &self,
        py: Python<'_>,
        n_jobs: Option<i64>,
    ) -> PyResult<&Arc<Dataset<'static>>> {
        if self.codes.is_some() {
            return Err(PyValueError::new_err(
                "of rows in batches only codes are left: fit a tree or a forest on them",
            ));
        }
        let blocks = self.blocks(py)?;
        if let Some(data) = self.encoded.get() {
            return Ok(data);
        }
        let rows = self.target.len();
        let columns = Columns::new(&blocks, rows).map_err(exception)?;
        let data = self.encode(py, &columns, None, n_jobs)?;
        // Two threads may both encode; one result is kept, and the blocks are released.
        let data = self.encoded.get_or_init(|| Arc::new(data));
        lock(&self.blocks).clear();
        Ok(data)
    }

    /// The caller's columns encoded; with a `lender` without a copy of their numbers.
    fn encode<'d>(
        &self,
        py: Python<'_>,
        columns: &Columns<'_>,
        lender: Option<Lender<'d>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Dataset<'d>> {
        let bytes = columns.encoded_bytes(lender.is_some());
        let work = Work::from(columns.rows() * columns.features());
        run(py, n_jobs, work.with_memory(bytes, columns.rows() * 16), None, |control| {
            columns.encode(self.schema.clone(), &self.target, lender, control)
        })
    }

    /// The encoded rows as growth of a model with this schema read them ([`as_grown`]). They are
    /// kept, as a model has many nodes to score.
    pub(super) fn as_grown(
        &self,
        py: Python<'_>,
        schema: &Arc<Schema>,
        bins: Option<NominalSplits>,
        n_jobs: Option<i64>,
    ) -> PyResult<Arc<Dataset<'static>>> {
        let data = self.encoded(py, n_jobs)?;
        let grown = || lock(&self.grown);
        let is_known = |(of, form, _): &&GrownRows| of == schema && *form == bins;
        if let Some((.., rows)) = grown().iter().find(is_known) {
            return Ok(rows.clone());
        }
        let cells = data.len().saturating_mul(data.columns().len());
        let work = Work::from(cells).with_memory(cells.saturating_mul(8), data.len() * 8);
        let made = run(py, n_jobs, work, None, |control| as_grown(data, schema, bins, control))?;
        let made = made.map_or_else(|| data.clone(), Arc::new);
        grown().push((schema.clone(), bins, made.clone()));
        Ok(made)
    }

    /// The encoded rows, if a call has made them.
    pub(super) fn known(&self) -> Option<&Dataset<'static>> {
        self.encoded.get().map(Arc::as_ref)
    }

    /// The rows to fit a tree or a `forest` on, in the form that the plan reads: codes or encoded
    /// rows. The first fit on all rows reads float32 numbers from the caller's `columns` without a
    /// copy, if it needs nothing but their order or their bins. The second call encodes the rows,
    /// and all later ones use the encoded rows.
    #[allow(clippy::too_many_arguments, reason = "the arguments of a fit")]
    pub(super) fn fit_rows<'a>(
        &self,
        py: Python<'_>,
        plan: &FitPlan,
        columns: &'a Columns<'_>,
        forest: bool,
        rows: Option<&Aligned1<'_, i64>>,
        sample_weight: Option<&Aligned1<'_, f64>>,
        n_jobs: Option<i64>,
    ) -> PyResult<FitRows<'a>> {
        if let Some(codes) = &self.codes {
            return Ok(FitRows::Codes(codes.read(py, plan, forest)?));
        }
        let is_new = rows.is_none()
            && self.encoded.get().is_none()
            && matches!(self.target, GivenTarget::Classes(_));
        if is_new
            && !forest
            && let Some(coded) = self.read(py, plan, columns, sample_weight, n_jobs)?
        {
            return Ok(FitRows::Codes(coded));
        }
        let reads_once = match forest {
            true => plan.reads_bins(&self.schema, self.rows()),
            false => plan.reads_orders(),
        };
        let lends = is_new && reads_once && self.is_single(py)?;
        if !lends || self.is_read.swap(true, Ordering::Relaxed) {
            let data = self.encoded(py, n_jobs)?;
            let (rows, weights) = (row_set(rows, data)?, weights(sample_weight, data)?);
            return Ok(FitRows::Encoded(data.clone(), rows, weights));
        }
        let lender = Lender { source: columns, sorts: !forest };
        let data = self.encode(py, columns, Some(lender), n_jobs)?;
        if plan.divides_cells(&data) {
            data.copy_lent_numbers();
        }
        let (all, weights) = (RowSet::all(data.len()), weights(sample_weight, &data)?);
        Ok(FitRows::Encoded(data.into(), all, weights))
    }

    /// Whether all numbers of rows that are not encoded are float32. Numbers of type float64 are
    /// read again after a fit, for [`inspect::float32_conflicts`].
    pub(super) fn is_single(&self, py: Python<'_>) -> PyResult<bool> {
        let is_single = |block: &ArrayBlock<'_>| !matches!(block, ArrayBlock::F64(_));
        Ok(self.codes.is_none() && self.blocks(py)?.iter().all(is_single))
    }

    /// The caller's columns as codes, if the plan's fit on all rows needs nothing else.
    fn read(
        &self,
        py: Python<'_>,
        plan: &FitPlan,
        columns: &Columns<'_>,
        sample_weight: Option<&Aligned1<'_, f64>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Option<Box<RecordRows>>> {
        let n = self.target.len();
        let weights = weights_of_rows(sample_weight, n, |row| row)?;
        // Memory for the records: a byte per cell, class and weight, in whole words.
        let record = (columns.features() + 9).next_multiple_of(8);
        let work = Work::from(n.saturating_mul(columns.features()))
            .with_memory(n.saturating_mul(record), n * record);
        run(py, n_jobs, work, None, |control| {
            let cells = CallerRows {
                schema: &self.schema,
                source: columns,
                classes: self.target.classes(),
                units: None,
            };
            plan.read(cells, weights, control)
        })
    }

    /// The work of `n_fits` fits, and the memory that growth takes in any case: the order of each
    /// column (4 bytes per cell) and 32 bytes per row, or two copies of the records.
    pub(super) fn work(&self, plan: &FitPlan, n_fits: usize) -> Work {
        let (rows, columns) = (self.__len__(), self.schema.features.len());
        let amount = plan.work_on(rows, columns, self.schema.counts_per_node());
        let (peak, largest) = match &self.codes {
            Some(codes) => (2 * codes.bytes, codes.bytes),
            None => (rows.saturating_mul(4 * columns + 32), rows * 16),
        };
        Work::from(amount.saturating_mul(n_fits)).with_memory(peak, largest)
    }

    /// Run a job of about one fit, which may call the user's criterion.
    pub(super) fn run_plan<R: Send>(
        &self,
        py: Python<'_>,
        plan: ConfiguredPlan,
        n_jobs: Option<i64>,
        progress: Option<&Py<PyAny>>,
        job: impl FnOnce(&FitPlan, &Control) -> Result<R> + Send,
    ) -> PyResult<R> {
        let work = self.work(&plan.plan, 1);
        self.run_work(py, plan, work, n_jobs, progress, job)
    }

    /// Run a job of known work, which may call the user's criterion. With one it runs on the
    /// calling thread, and the exception of the user's function is raised as it is.
    pub(super) fn run_work<R: Send>(
        &self,
        py: Python<'_>,
        plan: ConfiguredPlan,
        work: Work,
        n_jobs: Option<i64>,
        progress: Option<&Py<PyAny>>,
        job: impl FnOnce(&FitPlan, &Control) -> Result<R> + Send,
    ) -> PyResult<R> {
        let ConfiguredPlan { plan, raised } = plan;
        match raised {
            None => run(py, n_jobs, work, progress, |control| job(&plan, control)),
            Some(raised) => run_attached(py, progress, |control| {
                job(&plan, control).map_err(|error| self.with_name(error))
            })
            .map_err(|error| raised.take_or(error)),
        }
    }

    /// An error about a feature with the feature's name.
    fn with_name(&self, error: Error) -> Error {
        let Error::NotANumber { feature, .. } = error else { return error };
        let name = self.schema.features.get(feature as usize).map(|one| one.name.clone());
        Error::NotANumber { feature, name }
    }
}

#[pymethods]
impl PyDataset {
    /// A training set of blocks of columns (in feature order), and class codes, or numbers where
    /// the schema has no classes.
    #[new]
    fn new(
        schema: FromPython<Schema>,
        target: &Bound<'_, PyAny>,
        blocks: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let FromPython(schema) = schema;
        let target = if schema.classes.is_empty() {
            let numbers: Aligned1<'_, f64> = target.extract()?;
            let _memory = reserve(numbers.as_array().len() * 8, numbers.as_array().len() * 8)?;
            let numbers = numbers.as_array().to_vec();
            Target::grid_of(&schema.target, &numbers).map_err(exception)?;
            GivenTarget::Numbers(numbers)
        } else {
            let classes: Aligned1<'_, u16> = target.extract()?;
            let _memory = reserve(classes.as_array().len() * 2, classes.as_array().len() * 2)?;
            GivenTarget::Classes(classes.as_array().to_vec())
        };
        let rows = target.len();
        let readable: Vec<ArrayBlock<'_>> =
            blocks.iter().map(|block| block.extract()).collect::<PyResult<_>>()?;
        Columns::new(&readable, rows).map_err(exception)?;
        Ok(Self {
            schema,
            target,
            blocks: Mutex::new(blocks.into_iter().map(Bound::unbind).collect()),
            encoded: OnceLock::new(),
            grown: Mutex::default(),
            codes: None,
            is_read: AtomicBool::default(),
        })
    }

    /// A training set of rows that arrived in batches, as records of codes. `hashes` of the rows'
    /// content are needed for the bootstrap samples of a forest.
    #[staticmethod]
    #[pyo3(signature = (facts, records, hashes = None))]
    fn of_codes(
        facts: PyCodeFacts<'_>,
        records: Bound<'_, PyAny>,
        hashes: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let codes = CodedArrays::new(code_facts(facts)?, records, hashes)?;
        Ok(Self {
            schema: codes.facts.schema.clone(),
            target: GivenTarget::Classes(Vec::new()),
            blocks: Mutex::default(),
            encoded: OnceLock::new(),
            grown: Mutex::default(),
            codes: Some(codes),
            is_read: AtomicBool::default(),
        })
    }

    fn __len__(&self) -> usize {
        self.codes.as_ref().map_or(self.target.len(), |codes| codes.facts.rows)
    }

    /// One score per feature, NaN where there is no split. Where features are chosen by
    /// significance it is the p-value of the test, or with `statistics` its statistic.
    #[pyo3(signature = (
        config, rows = None, sample_weight = None, custom = None, n_jobs = None, progress = None,
        memory_limit = None, statistics = false
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
    fn score_features<'py>(
        &self,
        py: Python<'py>,
        config: FromPython<Config>,
        rows: Option<Aligned1<'_, i64>>,
        sample_weight: Option<Aligned1<'_, f64>>,
        custom: Option<Py<PyAny>>,
        n_jobs: Option<i64>,
        progress: Option<Py<PyAny>>,
        memory_limit: Option<usize>,
        statistics: bool,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let data = self.encoded(py, n_jobs)?;
        let rows = row_set(rows.as_ref(), data)?;
        let weights = weights(sample_weight.as_ref(), data)?;
        let plan = plan(config, custom)?;
        let mut work = self.work(&plan.plan, 1).with_limit(memory_limit);
        let evidence = plan.plan.criterion().info().evidence;
        if matches!(evidence, EvidenceKind::Pairs | EvidenceKind::Neighbours) {
            work = work.reporting_refusal();
        }
        let scores =
            self.run_work(py, plan, work, n_jobs, progress.as_ref(), |plan, control| {
                if plan.criterion().info().evidence != EvidenceKind::Neighbours {
                    data.sort_columns(control)?;
                }
                plan.on_counted_rows(data, &rows, &weights, |data, rows, weights| {
                    inspect::score_features(plan, data, rows, weights, statistics, control)
                })
            })?;
        Ok(scores.into_pyarray(py))
    }

    /// One share, (number, number of shares), of the work of scores by neighbours, for distributed
    /// scores. Without `total`: the sums of the distances of its rows. With `total`, their sum over
    /// all shares: the share's addends to the scores, shape (groups, 1 + features).
    #[pyo3(signature = (config, share, total = None, sample_weight = None, n_jobs = None))]
    fn neighbour_share<'py>(
        &self,
        py: Python<'py>,
        config: FromPython<Config>,
        share: (usize, usize),
        total: Option<(i128, f64)>,
        sample_weight: Option<Aligned1<'_, f64>>,
        n_jobs: Option<i64>,
    ) -> PyResult<(Vec<(i128, f64)>, Bound<'py, PyArray2<f64>>)> {
        let data = self.encoded(py, n_jobs)?;
        let (rows, weights) = (row_set(None, data)?, weights(sample_weight.as_ref(), data)?);
        let share = Share { index: share.0, of: share.1.max(1) };
        let found = self.run_plan(py, plan(config, None)?, n_jobs, None, |plan, control| {
            let total = total.map(|(steps, real)| DistanceSum { steps, real });
            plan.on_counted_rows(data, &rows, &weights, |data, rows, weights| {
                inspect::neighbour_share(plan, data, rows, weights, share, total, control)
            })
        })?;
        let width = 1 + data.columns().len();
        let (sums, addends): (Vec<(i128, f64)>, _) = match found {
            NeighbourShare::Distances(sums) => {
                (sums.into_iter().map(|sum| (sum.steps, sum.real)).collect(), Vec::new())
            }
            NeighbourShare::Scores(addends) => (Vec::new(), addends),
        };
        let groups = addends.len();
        let mut cells = Vec::with_capacity(groups * width);
        for addend in addends {
            cells.push(addend.all);
            cells.extend(addend.each);
        }
        let cells = cells.into_pyarray(py).reshape([groups, width])?;
        Ok((sums, cells))
    }

    /// Cross-validate every configuration on every (train, test) fold. Returns `predictions`
    /// (class codes, -1 for none) of shape (configurations, tested rows), with `proba` also
    /// probabilities with an axis of classes, and `leaves`, `empty_leaves`, `nodes` and `depth` of
    /// shape (configurations, folds).
    #[pyo3(signature = (
        configs, folds, sample_weight = None, proba = false, n_jobs = None, progress = None,
        memory_limit = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
    fn cross_validate<'py>(
        &self,
        py: Python<'py>,
        configs: Vec<FromPython<Config>>,
        folds: Vec<(Aligned1<'_, i64>, Aligned1<'_, i64>)>,
        sample_weight: Option<Aligned1<'_, f64>>,
        proba: bool,
        n_jobs: Option<i64>,
        progress: Option<Py<PyAny>>,
        memory_limit: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let plans = configs
            .into_iter()
            .map(|c| plan(c, None).map(|p| p.plan))
            .collect::<PyResult<Vec<_>>>()?;
        let data = self.encoded(py, n_jobs)?;
        let weights = weights(sample_weight.as_ref(), data)?;
        let n = data.len();
        let folds = folds
            .iter()
            .map(|(train, test)| Ok(Fold { train: indices(train, n)?, test: indices(test, n)? }))
            .collect::<PyResult<Vec<_>>>()?;
        let work = plans.iter().fold(0_usize, |sum, p| sum.saturating_add(p.work(data)));
        let tested: usize = folds.iter().map(|f| f.test.len()).sum();
        // Memory for the predictions, in the core and as arrays.
        let n_predictions = tested.saturating_mul(plans.len());
        let cell = if proba { 4 + 8 * data.n_classes() } else { 4 };
        let peak = n_predictions.saturating_mul(2 * cell);
        let work = Work::from(work.saturating_mul(folds.len())).with_memory(peak, peak);
        let work = work.with_limit(memory_limit);
        let _memory = reserve(0, peak)?;
        let outcomes = run(py, n_jobs, work, progress.as_ref(), |control| {
            resample::cross_validate(data, &weights, &plans, &folds, proba, control)
        })?;
        let (n_plans, n_folds) = (plans.len(), folds.len());
        let result = PyDict::new(py);
        let (mut predictions, mut probabilities) = (Vec::new(), Vec::new());
        for outcome in &outcomes {
            predictions.extend_from_slice(&outcome.predictions);
            probabilities.extend_from_slice(&outcome.probabilities);
        }
        let tested = predictions.len() / n_plans.max(1);
        let predictions = predictions.into_pyarray(py).reshape([n_plans, tested])?;
        result.set_item("predictions", predictions)?;
        if proba {
            let shape = [n_plans, tested, data.n_classes()];
            result.set_item("proba", probabilities.into_pyarray(py).reshape(shape)?)?;
        }
        let shape = |of: fn(&crate::tree::Shape) -> usize| -> PyResult<Bound<'py, PyArray2<i64>>> {
            let all: Vec<i64> = outcomes.iter().map(|o| of(&o.shape) as i64).collect();
            all.into_pyarray(py).reshape([n_plans, n_folds])
        };
        result.set_item("leaves", shape(|s| s.leaves)?)?;
        result.set_item("empty_leaves", shape(|s| s.empty_leaves)?)?;
        result.set_item("nodes", shape(|s| s.nodes)?)?;
        result.set_item("depth", shape(|s| s.depth)?)?;
        Ok(result)
    }
}

/// A registry, one dict per entry: criteria, prunings or discretisers.
#[pyfunction]
pub fn registry<'py>(py: Python<'py>, of: &str) -> PyResult<Bound<'py, PyAny>> {
    let found = match of {
        "criteria" => {
            let all: Vec<_> = criteria::CRITERIA.iter().map(|e| e.info).collect();
            pythonize(py, &all)
        }
        "prunings" => pythonize(py, PRUNINGS),
        "discretizers" => pythonize(py, DISCRETIZERS),
        other => return Err(PyValueError::new_err(format!("no registry is called '{other}'"))),
    };
    Ok(found?)
}

/// Name of the instruction set of the SIMD kernels in use, such as "avx2". It is chosen once per
/// process: the best that the processor has, unless the environment variable `FASTTREE_SIMD` names
/// a lower one; results do not depend on it.
#[pyfunction]
pub fn simd_level() -> &'static str {
    crate::simd::Level::active().name()
}

/// How often growth took each of its code paths, by name; empty in release builds. For tests.
#[pyfunction]
pub fn ways_taken(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    crate::reached::counts().into_py_dict(py)
}

/// Scores and distances of single tables, shape (tables, branches, classes). `declared` has the
/// number of declared branches of each table (by default all its branches). `occurring` says which
/// classes occur in the data (by default the classes that occur in the table).
#[pyfunction]
#[pyo3(signature = (criterion, options, tables, declared = None, occurring = None))]
pub fn score_tables<'py>(
    py: Python<'py>,
    criterion: &str,
    options: Options,
    tables: Aligned3<'_, f64>,
    declared: Option<Vec<u32>>,
    occurring: Option<Vec<bool>>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
    let criterion = builtin_criterion(criterion, options)?;
    let tables = tables.as_array();
    let (n, branches, classes) = tables.dim();
    let declared = declared.unwrap_or_else(|| vec![branches as u32; n]);
    if declared.len() != n || occurring.as_ref().is_some_and(|o| o.len() != classes) {
        return Err(PyValueError::new_err(
            "declared needs one number a table, occurring one flag a class",
        ));
    }
    let (mut scores, mut distances) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for (j, declared) in declared.iter().enumerate() {
        let table = tables.index_axis(numpy::ndarray::Axis(0), j);
        // The core counts whole rows as integers, other weights as doubles.
        let is_whole = table.iter().all(|&x| x.fract() == 0.0 && (0.0..4e9).contains(&x));
        let totals: Vec<f64> = (0..classes).map(|c| table.column(c).sum()).collect();
        let total: f64 = totals.iter().sum();
        let context = Context {
            logs: Logs::for_rows(total as u64, branches * classes),
            classes,
            occurring: occurring
                .clone()
                .unwrap_or_else(|| totals.iter().map(|&t| t > 0.0).collect()),
            grid: None,
        };
        let reals: Vec<f64> = table.iter().copied().collect();
        let rows: Vec<u32> = reals.iter().map(|&x| x as u32).collect();
        let total_rows: Vec<u32> = totals.iter().map(|&x| x as u32).collect();
        let (cells, totals) = if is_whole {
            (Cells::Rows(&rows), Cells::Rows(&total_rows))
        } else {
            (Cells::Weights(&reals), Cells::Weights(&totals))
        };
        let declared = [*declared];
        let block = Tables {
            cells,
            totals,
            branches,
            classes,
            stride: 1,
            len: 1,
            declared: &declared,
            context: &context,
        };
        let mut out = [0.0];
        criterion.score(&block, &mut out).map_err(exception)?;
        scores.push(out[0]);
        criterion.distance(&block, &mut out).map_err(exception)?;
        distances.push(out[0]);
    }
    Ok((scores.into_pyarray(py), distances.into_pyarray(py)))
}

/// Cut points of one column by a discretization method, ascending; none if the column is one bin.
/// Missing values (NaN) are left out. Only MDLP reads `classes`, which are below `n_classes`.
///
/// # Errors
/// A ValueError for MDLP without classes, a number of bins out of range, infinite values, or
/// weights that are negative or not finite.
#[pyfunction]
#[pyo3(signature = (method, values, classes = None, n_classes = 1, weights = None))]
pub fn bin_cuts<'py>(
    py: Python<'py>,
    method: FromPython<DiscretizeMethod>,
    values: Aligned1<'_, f64>,
    classes: Option<Aligned1<'_, u16>>,
    n_classes: usize,
    weights: Option<Aligned1<'_, f64>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let FromPython(method) = method;
    let values = values.as_array().to_vec();
    if matches!(method, DiscretizeMethod::Mdlp) && classes.is_none() {
        return Err(PyValueError::new_err("mdlp needs the classes of the rows"));
    }
    let classes = classes.map_or_else(|| vec![0; values.len()], |c| c.as_array().to_vec());
    let weights = weights.map(|w| w.as_array().to_vec());
    let cuts = discretize::fit_values(&method, &values, &classes, n_classes, weights.as_deref());
    Ok(cuts.map_err(exception)?.into_pyarray(py))
}

//! `_core.Dataset`: an encoded training set, and what can be asked of it.

use super::aligned::{Aligned1, Aligned3};
use super::code_facts::{CodedArrays, PyCodeFacts, code_facts, schema};
use super::convert::{ArrayBlock, Columns, indices, row_set, weights, weights_of_rows};
use super::custom::Raised;
use super::job::{Work, exception, reserve, run, run_attached};
use super::plan::plan;
use crate::criteria::{self, Cells, Context, EvidenceKind, Tables};
use crate::data::{Bits, Dataset, RowSet, Schema};
use crate::discretize::{self, DISCRETIZERS};
use crate::error::Result;
use crate::fit::{CallerRows, FitPlan, FitRows, RecordRows};
use crate::inspect::{self, NeighbourShare};
use crate::numeric::Logs;
use crate::parallel::Control;
use crate::prune::PRUNINGS;
use crate::resample::{self, Fold};
use crate::stats::neighbours::{DistanceSum, Share};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Training rows: the caller's columns, encoded when a call first needs them so; immutable.
#[pyclass(name = "Dataset", module = "fasttree._core", frozen)]
pub struct PyDataset {
    schema: Schema,
    classes: Vec<u16>,
    /// Blocks of columns, until they are encoded.
    blocks: Mutex<Vec<Py<PyAny>>>,
    encoded: OnceLock<Arc<Dataset>>,
    /// Rows that came in batches, of which only codes are left.
    codes: Option<CodedArrays>,
}

fn original(raised: Option<Raised>, error: PyErr) -> PyErr {
    raised.and_then(|r| r.lock().unwrap_or_else(PoisonError::into_inner).take()).unwrap_or(error)
}

impl PyDataset {
    /// The caller's columns; none once they are encoded.
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Vec<ArrayBlock<'py>>> {
        let kept = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().map(|block| block.bind(py).extract()).collect()
    }

    /// The encoded rows, made by the first call that needs them.
    pub(super) fn encoded(&self, py: Python<'_>, n_jobs: Option<i64>) -> PyResult<&Arc<Dataset>> {
        if self.codes.is_some() {
            return Err(PyValueError::new_err(
                "of rows in batches only codes are left: fit a tree or a forest on them",
            ));
        }
        let blocks = self.blocks(py)?;
        if let Some(data) = self.encoded.get() {
            return Ok(data);
        }
        let rows = self.classes.len();
        let columns = Columns::new(&blocks, rows).map_err(exception)?;
        let amount = columns.rows() * columns.features();
        let work = Work::from(amount).with_memory(columns.encoded_bytes(), rows * 16);
        let data = run(py, n_jobs, work, None, |control| {
            columns.encode(self.schema.clone(), &self.classes, control)
        })?;
        // Two threads may both encode; one result is kept, and the blocks are let go.
        let data = self.encoded.get_or_init(|| Arc::new(data));
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(data)
    }

    /// The rows, if a call has encoded them.
    pub(super) fn known(&self) -> Option<&Dataset> {
        self.encoded.get().map(Arc::as_ref)
    }

    /// The rows of a tree or a forest as its fit reads them.
    pub(super) fn fit_rows(
        &self,
        py: Python<'_>,
        (plan, forest): (&FitPlan, bool),
        rows: Option<&Aligned1<'_, i64>>,
        sample_weight: Option<&Aligned1<'_, f64>>,
        n_jobs: Option<i64>,
    ) -> PyResult<FitRows<'_>> {
        let coded = match &self.codes {
            Some(codes) => Some(codes.read(py, plan, forest)?),
            None if forest || rows.is_some() => None,
            None => self.read(py, plan, sample_weight, n_jobs)?,
        };
        if let Some(coded) = coded {
            return Ok(FitRows::Codes(coded));
        }
        let data = self.encoded(py, n_jobs)?;
        Ok(FitRows::Encoded(data, row_set(rows, data)?, weights(sample_weight, data)?))
    }

    /// The codes of the caller's columns, where a fit on all rows reads nothing else.
    fn read(
        &self,
        py: Python<'_>,
        plan: &FitPlan,
        sample_weight: Option<&Aligned1<'_, f64>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Option<Box<RecordRows>>> {
        let blocks = self.blocks(py)?;
        if self.encoded.get().is_some() {
            return Ok(None);
        }
        let n = self.classes.len();
        let columns = Columns::new(&blocks, n).map_err(exception)?;
        let weights = weights_of_rows(sample_weight, n, |row| row)?;
        // A buffer of records, and what the sample of the edges takes.
        let record = (columns.features() + 9).next_multiple_of(8);
        let work = Work::from(n.saturating_mul(columns.features()))
            .with_memory(n.saturating_mul(record), n * record);
        run(py, n_jobs, work, None, |control| {
            let cells =
                CallerRows { schema: &self.schema, source: &columns, classes: &self.classes };
            plan.read(cells, weights, control)
        })
    }

    /// How much a fit has to do, and the memory that growth surely takes: the order of each
    /// column, and a few words per row.
    pub(super) fn work(&self, plan: &FitPlan, times: usize) -> Work {
        let (rows, columns) = (self.__len__(), self.schema.features.len());
        let amount = plan.work_on(rows, columns, self.schema.classes.len());
        let (peak, largest) = match &self.codes {
            Some(codes) => (2 * codes.bytes, codes.bytes),
            None => (rows.saturating_mul(4 * columns + 32), rows * 16),
        };
        Work::from(amount.saturating_mul(times)).with_memory(peak, largest)
    }

    /// Run a job that may call the user's criterion.
    pub(super) fn run_plan<R: Send>(
        &self,
        py: Python<'_>,
        (plan, raised): (FitPlan, Option<Raised>),
        n_jobs: Option<i64>,
        progress: Option<&Py<PyAny>>,
        job: impl FnOnce(&FitPlan, &Control) -> Result<R> + Send,
    ) -> PyResult<R> {
        let work = self.work(&plan, 1);
        self.run_work(py, (plan, raised), work, n_jobs, progress, job)
    }

    /// Run a job with a plan, of which it is known how much it does.
    pub(super) fn run_work<R: Send>(
        &self,
        py: Python<'_>,
        (plan, raised): (FitPlan, Option<Raised>),
        work: Work,
        n_jobs: Option<i64>,
        progress: Option<&Py<PyAny>>,
        job: impl FnOnce(&FitPlan, &Control) -> Result<R> + Send,
    ) -> PyResult<R> {
        match raised {
            None => run(py, n_jobs, work, progress, |control| job(&plan, control)),
            Some(raised) => run_attached(py, progress, |control| job(&plan, control))
                .map_err(|e| original(Some(raised), e)),
        }
    }
}

#[pymethods]
impl PyDataset {
    /// Blocks of columns (in feature order) and class codes.
    #[new]
    fn new(
        schema_json: &str,
        classes: Aligned1<'_, u16>,
        blocks: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let schema = schema(schema_json)?;
        let rows = classes.as_array().len();
        let _memory = reserve(rows * 2, rows * 2)?;
        let readable: Vec<ArrayBlock<'_>> =
            blocks.iter().map(|block| block.extract()).collect::<PyResult<_>>()?;
        Columns::new(&readable, rows).map_err(exception)?;
        Ok(Self {
            schema,
            classes: classes.as_array().to_vec(),
            blocks: Mutex::new(blocks.into_iter().map(Bound::unbind).collect()),
            encoded: OnceLock::new(),
            codes: None,
        })
    }

    /// Rows that came in batches, as records of codes; the samples of a forest are drawn by the
    /// numbers of their content.
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
            classes: Vec::new(),
            blocks: Mutex::default(),
            encoded: OnceLock::new(),
            codes: Some(codes),
        })
    }

    fn __len__(&self) -> usize {
        self.codes.as_ref().map_or(self.classes.len(), |codes| codes.facts.rows)
    }

    /// One score per feature, NaN where there is no split.
    #[pyo3(signature = (
        config, rows = None, sample_weight = None, custom = None, n_jobs = None, progress = None,
        memory_limit = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
    fn score_features<'py>(
        &self,
        py: Python<'py>,
        config: &str,
        rows: Option<Aligned1<'_, i64>>,
        sample_weight: Option<Aligned1<'_, f64>>,
        custom: Option<Py<PyAny>>,
        n_jobs: Option<i64>,
        progress: Option<Py<PyAny>>,
        memory_limit: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let data = self.encoded(py, n_jobs)?;
        let rows = row_set(rows.as_ref(), data)?;
        let weights = weights(sample_weight.as_ref(), data)?;
        let plan = plan(config, custom)?;
        let mut work = self.work(&plan.0, 1).limited(memory_limit);
        let evidence = plan.0.criterion().info().evidence;
        if matches!(evidence, EvidenceKind::Pairs | EvidenceKind::Neighbours) {
            work = work.stating();
        }
        let scores =
            self.run_work(py, plan, work, n_jobs, progress.as_ref(), |plan, control| {
                if plan.criterion().info().evidence != EvidenceKind::Neighbours {
                    data.sort_columns(control)?;
                }
                plan.on_counted_rows(data, &rows, &weights, |data, rows, weights| {
                    inspect::score_features(plan, data, rows, weights, control)
                })
            })?;
        Ok(scores.into_pyarray(py))
    }

    /// A share (its number, and the number of all) of the scores of a criterion on neighbours: the sums of its
    /// distances, or with their total what it adds to the scores, shape (groups, 1 + features).
    #[pyo3(signature = (config, share, total = None, sample_weight = None, n_jobs = None))]
    fn neighbour_share<'py>(
        &self,
        py: Python<'py>,
        config: &str,
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
        let (sums, parts): (Vec<(i128, f64)>, _) = match found {
            NeighbourShare::Distances(sums) => {
                (sums.into_iter().map(|sum| (sum.steps, sum.real)).collect(), Vec::new())
            }
            NeighbourShare::Scores(parts) => (Vec::new(), parts),
        };
        let groups = parts.len();
        let cells = parts.into_iter().flat_map(|p| std::iter::once(p.all).chain(p.each));
        let cells = cells.collect::<Vec<f64>>().into_pyarray(py).reshape([groups, width])?;
        Ok((sums, cells))
    }

    /// All candidate splits of some rows: (feature, threshold or None, codes on the first branch or
    /// None, score).
    #[pyo3(signature = (config, rows = None, sample_weight = None, custom = None, n_jobs = None))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        config: &str,
        rows: Option<Aligned1<'_, i64>>,
        sample_weight: Option<Aligned1<'_, f64>>,
        custom: Option<Py<PyAny>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let data = self.encoded(py, n_jobs)?;
        let rows = row_set(rows.as_ref(), data)?;
        let weights = weights(sample_weight.as_ref(), data)?;
        let found = self.run_plan(py, plan(config, custom)?, n_jobs, None, |plan, control| {
            let root = RowSet::all(data.len());
            let mut asked = Bits::new(data.len());
            let original = data.original();
            rows.rows().iter().for_each(|&r| asked.set(original[r as usize]));
            plan.on_counted_rows(data, &root, &weights, |data, _, weights| {
                let is_asked = |&r: &u32| asked.get(data.original()[r as usize]) == 1;
                let rows = (0..data.len() as u32).filter(is_asked).collect();
                inspect::explain(plan, data, &RowSet::of(rows, data.len()), weights, control)
            })
        })?;
        let list = PyList::empty(py);
        for (i, c) in found.into_iter().enumerate() {
            if i % 8192 == 0 {
                py.check_signals()?;
            }
            list.append((c.feature, c.threshold, c.levels, c.score))?;
        }
        Ok(list)
    }

    /// Every configuration on every fold; arrays as described in `_core.pyi`.
    #[pyo3(signature = (
        configs, folds, sample_weight = None, proba = false, n_jobs = None, progress = None,
        memory_limit = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
    fn cross_validate<'py>(
        &self,
        py: Python<'py>,
        configs: Vec<String>,
        folds: Vec<(Aligned1<'_, i64>, Aligned1<'_, i64>)>,
        sample_weight: Option<Aligned1<'_, f64>>,
        proba: bool,
        n_jobs: Option<i64>,
        progress: Option<Py<PyAny>>,
        memory_limit: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let plans =
            configs.iter().map(|c| plan(c, None).map(|p| p.0)).collect::<PyResult<Vec<_>>>()?;
        let data = self.encoded(py, n_jobs)?;
        let weights = weights(sample_weight.as_ref(), data)?;
        let n = data.len();
        let folds = folds
            .iter()
            .map(|(train, test)| Ok(Fold { train: indices(train, n)?, test: indices(test, n)? }))
            .collect::<PyResult<Vec<_>>>()?;
        let work = plans.iter().fold(0_usize, |sum, p| sum.saturating_add(p.work(data)));
        let tested: usize = folds.iter().map(|f| f.test.len()).sum();
        let answers = tested.saturating_mul(plans.len());
        let cell = if proba { 4 + 8 * data.n_classes() } else { 4 };
        let peak = answers.saturating_mul(2 * cell);
        let work = Work::from(work.saturating_mul(folds.len())).with_memory(peak, peak);
        let work = work.limited(memory_limit);
        let _memory = reserve(0, peak)?;
        let outcomes = run(py, n_jobs, work, progress.as_ref(), |control| {
            resample::cross_validate(data, &weights, &plans, &folds, proba, control)
        })?;
        let (p, f) = (plans.len(), folds.len());
        let result = PyDict::new(py);
        let predictions: Vec<i32> =
            outcomes.iter().flat_map(|o| o.predictions.iter().copied()).collect();
        let tested = predictions.len() / p.max(1);
        result.set_item("predictions", predictions.into_pyarray(py).reshape([p, tested])?)?;
        if proba {
            let all: Vec<f64> =
                outcomes.iter().flat_map(|o| o.probabilities.iter().copied()).collect();
            result
                .set_item("proba", all.into_pyarray(py).reshape([p, tested, data.n_classes()])?)?;
        }
        let shape = |of: fn(&crate::tree::Shape) -> usize| -> PyResult<Bound<'py, PyArray2<i64>>> {
            let all: Vec<i64> = outcomes.iter().map(|o| of(&o.shape) as i64).collect();
            all.into_pyarray(py).reshape([p, f])
        };
        result.set_item("leaves", shape(|s| s.leaves)?)?;
        result.set_item("empty_leaves", shape(|s| s.empty_leaves)?)?;
        result.set_item("nodes", shape(|s| s.nodes)?)?;
        result.set_item("depth", shape(|s| s.depth)?)?;
        Ok(result)
    }
}

/// A registry as JSON: criteria, prunings or discretisers.
#[pyfunction]
pub fn registry_json(of: &str) -> PyResult<String> {
    let text = match of {
        "criteria" => {
            let all: Vec<_> = criteria::CRITERIA.iter().map(|e| e.info).collect();
            serde_json::to_string(&all)
        }
        "prunings" => serde_json::to_string(PRUNINGS),
        "discretizers" => serde_json::to_string(DISCRETIZERS),
        other => return Err(PyValueError::new_err(format!("no registry is called '{other}'"))),
    };
    text.map_err(|e| PyValueError::new_err(e.to_string()))
}

/// Instruction set of the kernels in use.
#[pyfunction]
pub fn simd_level() -> &'static str {
    crate::simd::Level::active().name()
}

/// How often growth took each of its ways, by name; empty in release builds.
#[pyfunction]
pub fn ways_taken() -> std::collections::BTreeMap<&'static str, u64> {
    crate::reached::counts().into_iter().collect()
}

/// Scores and distances of single tables, shape (tables, branches, classes); `declared` branches of
/// each.
#[pyfunction]
#[pyo3(signature = (criterion, options_json, tables, declared = None, occurring = None))]
pub fn score_tables<'py>(
    py: Python<'py>,
    criterion: &str,
    options_json: &str,
    tables: Aligned3<'_, f64>,
    declared: Option<Vec<u32>>,
    occurring: Option<Vec<bool>>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
    let options =
        serde_json::from_str(options_json).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let criterion = criteria::make(criterion, options).map_err(exception)?;
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
        let whole = table.iter().all(|&x| x.fract() == 0.0 && (0.0..4e9).contains(&x));
        let totals: Vec<f64> = (0..classes).map(|c| table.column(c).sum()).collect();
        let total: f64 = totals.iter().sum();
        let context = Context {
            logs: Logs::for_rows(total as u64, branches * classes),
            classes,
            occurring: occurring
                .clone()
                .unwrap_or_else(|| totals.iter().map(|&t| t > 0.0).collect()),
        };
        let reals: Vec<f64> = table.iter().copied().collect();
        let rows: Vec<u32> = reals.iter().map(|&x| x as u32).collect();
        let total_rows: Vec<u32> = totals.iter().map(|&x| x as u32).collect();
        let (cells, totals) = if whole {
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

/// Cut points of one column.
#[pyfunction]
#[pyo3(signature = (method_json, values, classes = None, n_classes = 1, weights = None))]
pub fn bin_cuts<'py>(
    py: Python<'py>,
    method_json: &str,
    values: Aligned1<'_, f64>,
    classes: Option<Aligned1<'_, u16>>,
    n_classes: usize,
    weights: Option<Aligned1<'_, f64>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let method =
        serde_json::from_str(method_json).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let values = values.as_array().to_vec();
    if matches!(method, discretize::DiscretizeMethod::Mdlp) && classes.is_none() {
        return Err(PyValueError::new_err("mdlp needs the classes of the rows"));
    }
    let classes = classes.map_or_else(|| vec![0; values.len()], |c| c.as_array().to_vec());
    let weights = weights.map(|w| w.as_array().to_vec());
    let cuts = discretize::fit_values(&method, &values, &classes, n_classes, weights.as_deref());
    Ok(cuts.map_err(exception)?.into_pyarray(py))
}

//! Encoding of rows that arrive in batches (out-of-core and distributed fits).
//!
//! A first pass collects samples of values, and counts of values, from which the cut points are
//! made ([`edge_summary`], [`value_counts`]); a second pass encodes each batch as records
//! ([`encode_rows`]). Batches are independent, so Python may process them anywhere and in any
//! order. [`super::code_facts`] describes the records to a fit. Each function costs O(cells of the
//! batch), [`value_counts`] a sort more.

use super::aligned::Aligned1;
use super::code_facts::{PyCodeFacts, code_facts, sums_of};
use super::convert::{ArrayBlock, ArrayView, Columns, positive_rows};
use super::job::{Work, exception, reserve, run};
use super::plan::{FromPython, plan};
use crate::bins::{BinEncoding, BinnedTable, EdgeSummary, ValueCounts};
use crate::data::RowChoice;
use crate::data::{Target, TargetGrid, Weights};
use crate::error::Error;
use crate::fit::Config;
use crate::grow::forest::{content_hashes, drawn_times};
use crate::numeric::ExactSum;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

/// How often each row counts; None if every row counts once.
pub type Copies<'py> = Option<Aligned1<'py, u32>>;

/// Copies as weights.
fn weights(copies: &Copies<'_>) -> Weights {
    copies.as_ref().map_or(Weights::Unit, |c| Weights::Integer(c.as_array().to_vec()))
}

/// Whether each column holds numbers.
fn is_numeric(columns: &Columns<'_>) -> Vec<bool> {
    let number = |f| matches!(columns.at(f).0, ArrayView::F64(_) | ArrayView::F32(_));
    (0..columns.features()).map(number).collect()
}

/// An [`EdgeSummary`] for Python: sampled values of each numeric column, copies of the sampled
/// rows, and the distinct values of each column while they are few.
type PyEdgeSummary<'py> = (
    Vec<Bound<'py, PyArray1<f64>>>,
    Bound<'py, PyArray1<u64>>,
    Vec<Option<Bound<'py, PyArray1<f64>>>>,
);

/// Samples and distinct values of the numeric columns of a batch, from which cut points follow.
/// `total` is the number of rows of all batches, `bins` the largest number of bins.
#[pyfunction]
#[pyo3(signature = (blocks, rows, copies, total, bins))]
pub fn edge_summary<'py>(
    py: Python<'py>,
    blocks: Vec<ArrayBlock<'_>>,
    rows: usize,
    copies: Copies<'_>,
    total: u64,
    bins: usize,
) -> PyResult<PyEdgeSummary<'py>> {
    let columns = Columns::new(&blocks, rows).map_err(exception)?;
    let weights = weights(&copies);
    let _memory = reserve(rows.saturating_mul(16), rows * 8)?;
    let work = Work::from(rows * columns.features());
    let kept = positive_rows(rows, &weights);
    let found = run(py, None, work, None, |control| {
        let rows = RowChoice::Some(&kept);
        EdgeSummary::new(&columns, &is_numeric(&columns), rows, total, &weights, bins, control)
    })?;
    Ok((
        found.sample.into_iter().map(|values| values.into_pyarray(py)).collect(),
        found.masses.into_pyarray(py),
        found.few.into_iter().map(|few| few.map(|values| values.into_pyarray(py))).collect(),
    ))
}

/// Cut points of each column from the joined summaries of all batches; None for a column whose
/// values have to be counted on all rows ([`value_counts`]).
#[pyfunction]
pub fn edge_cuts<'py>(
    py: Python<'py>,
    sample: Vec<Vec<f64>>,
    masses: Vec<u64>,
    few: Vec<Option<Vec<f64>>>,
    total: u64,
    bins: usize,
) -> Vec<Option<Bound<'py, PyArray1<f64>>>> {
    let summary = EdgeSummary { few, sample, masses };
    let cuts = py.detach(|| summary.cuts(total, bins));
    cuts.into_iter().map(|cuts| cuts.map(|cuts| cuts.into_pyarray(py))).collect()
}

/// Distinct values and their counts.
type PyValueCounts<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>);

/// The distinct values of a column and how often each occurs. `counts[i]` says how often
/// `values[i]` counts, and a value may be given several times, so the results of batches are joined
/// by counting them together. Missing values are left out.
#[pyfunction]
pub fn value_counts<'py>(
    py: Python<'py>,
    values: Aligned1<'_, f64>,
    counts: Aligned1<'_, u64>,
) -> PyValueCounts<'py> {
    let (values, counts) = (values.as_array().to_vec(), counts.as_array().to_vec());
    let found = py.detach(|| ValueCounts::new(&values, &counts));
    (found.values.into_pyarray(py), found.counts.into_pyarray(py))
}

/// Cut points of a column from the distinct values of all batches, ascending, and their counts
/// ([`value_counts`]). The bins have about equal weight; if there are no more values than bins,
/// each value gets a bin.
#[pyfunction]
pub fn value_cuts<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    counts: Vec<u64>,
    bins: usize,
) -> Bound<'py, PyArray1<f64>> {
    ValueCounts { values, counts }.cuts(bins).into_pyarray(py)
}

/// A few numbers whose exact sum is the sum of a column without its missing values, and the number
/// of summands (copies of a row count). The numbers of several batches are appended, and
/// [`rounded_sum`] rounds their sum once.
#[pyfunction]
pub fn exact_sum<'py>(
    py: Python<'py>,
    values: Aligned1<'_, f64>,
    copies: Copies<'_>,
) -> (Bound<'py, PyArray1<f64>>, u64) {
    let (mut sum, mut weight) = (ExactSum::default(), 0);
    let copies = copies.as_ref().map(|c| c.as_array());
    for (i, &x) in values.as_array().iter().enumerate().filter(|(_, x)| !x.is_nan()) {
        let times = copies.map_or(1, |copies| copies[i]);
        sum.add_product(f64::from(times), x);
        weight += u64::from(times);
    }
    (sum.parts().to_vec().into_pyarray(py), weight)
}

/// The exact sum of some numbers, rounded once to float64. Means of columns are computed from it:
/// they do not depend on how the rows were divided into batches ([`exact_sum`]). It is not finite
/// if the sum leaves the range of float64.
#[pyfunction]
pub fn rounded_sum(parts: Vec<f64>) -> f64 {
    let mut sum = ExactSum::default();
    parts.iter().for_each(|&part| sum.add_product(part, 1.0));
    sum.value()
}

/// How often each of `levels` levels of a nominal column occurs in a batch, copies of rows
/// included. Missing values, which are negative codes, are not counted. Where missing values are
/// imputed, Python replaces them by the most frequent level of all batches.
#[pyfunction]
pub fn level_counts<'py>(
    py: Python<'py>,
    codes: Aligned1<'_, i32>,
    copies: Copies<'_>,
    levels: usize,
) -> Bound<'py, PyArray1<u64>> {
    let mut counts = vec![0; levels];
    let copies = copies.as_ref().map(|c| c.as_array());
    for (i, &code) in codes.as_array().iter().enumerate() {
        if let Some(count) = usize::try_from(code).ok().and_then(|code| counts.get_mut(code)) {
            *count += copies.map_or(1, |copies| u64::from(copies[i]));
        }
    }
    counts.into_pyarray(py)
}

/// The target of the rows of a batch: class codes, or numbers with the smallest and the largest
/// number of all batches.
#[derive(FromPyObject)]
pub enum PyTarget<'py> {
    Classes(Aligned1<'py, u16>),
    Numbers(Aligned1<'py, f64>, (f64, f64)),
}

impl PyTarget<'_> {
    /// Class codes, which are all 0 for a numeric target, and the numbers in units of its grid.
    fn read(&self) -> PyResult<(Vec<u16>, Option<Vec<i64>>)> {
        Ok(match self {
            Self::Classes(codes) => (codes.as_array().to_vec(), None),
            Self::Numbers(numbers, range) => {
                let grid = TargetGrid::checked("y", *range).map_err(exception)?;
                let units: Vec<i64> =
                    numbers.as_array().iter().map(|&y| grid.to_units(y)).collect();
                (vec![0; units.len()], Some(units))
            }
        })
    }
}

/// The smallest and the largest number of a target in a batch, (0, 0) without rows. The range of
/// all batches decides the unit in which numbers are summed exactly. `name` is the target's name in
/// the message.
///
/// # Errors
/// A ValueError if a number is missing, infinite or so large that its square overflows.
#[pyfunction]
pub fn number_range(name: &str, numbers: Aligned1<'_, f64>) -> PyResult<(f64, f64)> {
    Target::range(name, &numbers.as_array().to_vec()).map_err(exception)
}

/// A hash of the cells and the target of each row that has copies, in row order. Bootstrap samples
/// of a forest are drawn from the rows in the order of their hashes, so they do not depend on the
/// division into batches.
#[pyfunction]
pub fn row_hashes<'py>(
    py: Python<'py>,
    blocks: Vec<ArrayBlock<'_>>,
    target: PyTarget<'_>,
    copies: Copies<'_>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let (classes, units) = target.read()?;
    let columns = Columns::new(&blocks, classes.len()).map_err(exception)?;
    let (numeric, kept) = (is_numeric(&columns), positive_rows(classes.len(), &weights(&copies)));
    let rows = RowChoice::Some(&kept);
    let found = py.detach(|| content_hashes(&columns, &numeric, rows, &classes, units.as_deref()));
    Ok(found.into_pyarray(py))
}

/// Records of shape (rows, bytes); per feature the number of codes, whether one means "missing",
/// and the range of each bin; and the sums of the rows ([`sums_of`]).
type PyEncodedRows<'py> =
    (Bound<'py, PyArray2<u8>>, Vec<(u32, bool, Option<Bound<'py, PyArray2<f64>>>)>, Vec<i128>);

/// Encode the rows that have copies. `cuts` has the cut points of each numeric column and None for
/// each nominal one; `levels` has the number of levels of each nominal column.
#[pyfunction]
pub fn encode_rows<'py>(
    py: Python<'py>,
    blocks: Vec<ArrayBlock<'_>>,
    target: PyTarget<'_>,
    copies: Copies<'_>,
    cuts: Vec<Option<Vec<f64>>>,
    levels: Vec<u32>,
    n_classes: usize,
) -> PyResult<PyEncodedRows<'py>> {
    let (class_of, units) = target.read()?;
    let rows = class_of.len();
    let columns = Columns::new(&blocks, rows).map_err(exception)?;
    let (weights, p) = (weights(&copies), columns.features());
    if cuts.len() != p || levels.len() != p || class_of.iter().any(|&c| c as usize >= n_classes) {
        return Err(exception(Error::Internal("codes of other columns or classes".into())));
    }
    let kept = positive_rows(rows, &weights);
    let cuts: Vec<Option<&[f64]>> = cuts.iter().map(Option::as_deref).collect();
    let peak = rows.saturating_mul(2 * p + 16);
    let work = Work::from(rows * p).with_memory(peak, peak);
    let table = run(py, None, work, None, |control| {
        let encoding = BinEncoding {
            cuts: &cuts,
            values: None,
            levels: &levels,
            class_of: &class_of,
            units: units.as_deref(),
            classes: n_classes,
            weights: &weights,
        };
        BinnedTable::new(&columns, RowChoice::Some(&kept), &encoding, control)
    })?;
    let sums = sums_of(&table.records, n_classes);
    let (features, records) = table.into_records();
    let features = features.into_iter().map(|feature| {
        let shape = [feature.n_codes as usize, 2];
        let ranges = feature.ranges.map(|r| r.concat().into_pyarray(py).reshape(shape));
        Ok((feature.n_codes, feature.has_missing, ranges.transpose()?))
    });
    let shape = [kept.len(), records.layout.width];
    Ok((records.bytes.into_pyarray(py).reshape(shape)?, features.collect::<PyResult<_>>()?, sums))
}

/// Refuse a configuration that cannot be fitted on codes alone, such as exact thresholds or a
/// user's function as criterion. Python calls it before it encodes the batches, with the facts that
/// the first pass has collected; `forest` says whether many trees are fitted.
#[pyfunction]
pub fn check_codes(
    facts: PyCodeFacts<'_>,
    config: FromPython<Config>,
    forest: bool,
) -> PyResult<()> {
    let plan = plan(config, None)?.plan;
    plan.check_codes(&code_facts(facts)?, forest).map_err(exception)
}

/// How often a tree's bootstrap sample holds each row of a partition. `places` has the positions of
/// the partition's rows among the rows of all partitions, sorted by hash; the positions ascend.
#[pyfunction]
pub fn bag_times<'py>(
    py: Python<'py>,
    places: Aligned1<'_, u64>,
    n_rows: u64,
    seed: u64,
    draws: usize,
) -> Bound<'py, PyArray1<u32>> {
    let places = places.as_array().to_vec();
    py.detach(|| drawn_times(&places, n_rows, seed, draws)).into_pyarray(py)
}

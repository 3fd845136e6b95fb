//! Rows that arrive in batches: only their codes are kept, as packed records.
//!
//! Python holds the records and a description of the codes ([`PyCodeFacts`]); [`super::codes`]
//! encodes batches, and [`super::dataset`] and [`super::spread`] fit on the records.

use super::aligned::{Aligned1, Aligned2};
use super::job::{exception, reserve};
use super::plan::FromPython;
use crate::bins::{FeatureBins, Records};
use crate::data::{Schema, TargetGrid};
use crate::error::Error;
use crate::fit::{CodeFacts, FitPlan, NumberFacts, RecordRows};
use crate::stats::ExactMoments;
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;

/// A feature: number of codes, whether one of them means "missing", and the (lowest, highest) value
/// of each bin.
type PyFeatureCodes<'py> = (u32, bool, Option<Aligned2<'py, f64>>);

/// The smallest and the largest number of a numeric target.
pub type PyRange = Option<(f64, f64)>;

/// Description of all rows: schema, features, whether rows have weights, sums of all rows,
/// number of rows, range of a numeric target. The sums are the weight of each class; or weight, and
/// weighted sums of numbers and of their squares, in units.
pub type PyCodeFacts<'py> =
    (FromPython<Schema>, Vec<PyFeatureCodes<'py>>, bool, Vec<i128>, usize, PyRange);

/// The description of all rows as the core takes it. A range marks a numeric target, whose three
/// sums become exact moments; without a range there is one sum per class.
///
/// # Errors
/// A ValueError if the rows with their copies are more than 2^32 - 2, which the counts of the core
/// cannot hold.
pub fn code_facts(
    (FromPython(schema), features, weighted, sums, rows, range): PyCodeFacts<'_>,
) -> PyResult<CodeFacts> {
    let features = features.into_iter().map(|(n_codes, has_missing, ranges)| {
        let ranges =
            ranges.map(|r| r.as_array().rows().into_iter().map(|r| [r[0], r[1]]).collect());
        FeatureBins { n_codes, has_missing, ranges }
    });
    let features = features.collect();
    let (totals, number) = match (range, &sums[..]) {
        (None, _) => (&sums[..], None),
        (Some(range), &[weight, first, second]) => {
            let grid = TargetGrid::checked(&schema.target, range).map_err(exception)?;
            let moments = ExactMoments { weight: weight as i64, first, second };
            (&sums[..1], Some(NumberFacts { grid, moments }))
        }
        _ => return Err(exception(Error::Internal("sums of no numeric target".into()))),
    };
    if totals.iter().sum::<i128>() >= i128::from(u32::MAX) {
        return Err(exception(Error::Data("more than 2^32 - 2 rows or copies of rows".into())));
    }
    let totals = totals.iter().map(|&total| total as u32).collect();
    Ok(CodeFacts { schema, features, weighted, totals, rows, number })
}

/// The sums of some records, as in [`PyCodeFacts`]: the weight of each class, or the moments of a
/// numeric target. They are whole numbers, so Python adds the sums of batches in any order.
pub fn sums_of(records: &Records, classes: usize) -> Vec<i128> {
    if records.layout.number {
        let ExactMoments { weight, first, second } = records.moments();
        vec![i128::from(weight), first, second]
    } else {
        records.weights_of_classes(classes).into_iter().map(i128::from).collect()
    }
}

/// Rows as records of codes, in Python's arrays.
pub struct CodedArrays {
    /// Description of the rows.
    pub facts: CodeFacts,
    records: Py<PyAny>,
    /// A hash of each row's content, by which the bootstrap samples of a forest are drawn.
    hashes: Option<Py<PyAny>>,
    /// Bytes of the records.
    pub bytes: usize,
}

impl CodedArrays {
    /// Keep the arrays; an error if the records have another type.
    pub fn new(
        facts: CodeFacts,
        records: Bound<'_, PyAny>,
        hashes: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let bytes = records.extract::<Aligned2<'_, u8>>()?.len();
        Ok(Self { facts, records: records.unbind(), hashes: hashes.map(Bound::unbind), bytes })
    }

    /// A copy of the records in the form that the plan reads. Growth reorders the records, and
    /// Python's array must stay as it is for further fits.
    pub fn read(&self, py: Python<'_>, plan: &FitPlan, forest: bool) -> PyResult<Box<RecordRows>> {
        let _memory = reserve(self.bytes, self.bytes)?;
        let records: Aligned2<'_, u8> = self.records.bind(py).extract()?;
        let hashes = self.hashes.as_ref().map(|hashes| -> PyResult<Vec<u64>> {
            Ok(hashes.bind(py).extract::<Aligned1<'_, u64>>()?.as_array().to_vec())
        });
        let (bytes, hashes) = (records.as_slice()?.to_vec(), hashes.transpose()?);
        plan.records_from_bytes(self.facts.clone(), bytes, hashes, forest).map_err(exception)
    }
}

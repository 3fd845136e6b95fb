//! Rows that arrive in batches: only their codes are kept, as packed records.
//!
//! Python holds the records and a description of the codes ([`PyCodeFacts`]); [`super::codes`]
//! encodes batches, and [`super::dataset`] and [`super::spread`] fit on the records.

use super::aligned::{Aligned1, Aligned2};
use super::job::{exception, reserve};
use crate::bins::FeatureBins;
use crate::data::Schema;
use crate::error::Error;
use crate::fit::{CodeFacts, FitPlan, RecordRows};
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A schema from the JSON that Python writes.
pub fn schema(text: &str) -> PyResult<Schema> {
    serde_json::from_str(text).map_err(|e| PyValueError::new_err(format!("schema: {e}")))
}

/// A feature: number of codes, whether one of them means "missing", and the (lowest, highest) value
/// of each bin.
type PyFeatureCodes<'py> = (u32, bool, Option<Aligned2<'py, f64>>);

/// Description of all rows: schema as JSON, features, whether rows have weights, whether they are a
/// bootstrap sample, weight of each class, number of rows.
pub type PyCodeFacts<'py> = (String, Vec<PyFeatureCodes<'py>>, bool, bool, Vec<u32>, usize);

/// The description as the core takes it.
pub fn code_facts(
    (text, features, weighted, drawn, totals, rows): PyCodeFacts<'_>,
) -> PyResult<CodeFacts> {
    let features = features.into_iter().map(|(codes, missing, ranges)| {
        let ranges =
            ranges.map(|r| r.as_array().rows().into_iter().map(|r| [r[0], r[1]]).collect());
        FeatureBins { codes, missing, ranges }
    });
    let features = features.collect();
    let schema = schema(&text)?;
    if totals.iter().map(|&t| u64::from(t)).sum::<u64>() >= u64::from(u32::MAX) {
        return Err(exception(Error::Data("more than 2^32 - 2 rows or copies of rows".into())));
    }
    Ok(CodeFacts { schema, features, weighted, drawn, totals, rows })
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

    /// A copy of the records, which growth reorders.
    pub fn read(&self, py: Python<'_>, plan: &FitPlan, forest: bool) -> PyResult<Box<RecordRows>> {
        let _memory = reserve(self.bytes, self.bytes)?;
        let records: Aligned2<'_, u8> = self.records.bind(py).extract()?;
        let hashes = self.hashes.as_ref().map(|hashes| -> PyResult<Vec<u64>> {
            Ok(hashes.bind(py).extract::<Aligned1<'_, u64>>()?.as_array().to_vec())
        });
        let (bytes, hashes) = (records.as_slice()?.to_vec(), hashes.transpose()?);
        plan.coded(self.facts.clone(), bytes, hashes, forest).map_err(exception)
    }
}

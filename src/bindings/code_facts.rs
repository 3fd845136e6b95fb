//! What is known of rows of which only codes are left, and the arrays that hold them.

use super::aligned::{Aligned1, Aligned2};
use super::job::{exception, reserve};
use crate::bins::FeatureBins;
use crate::data::Schema;
use crate::error::Error;
use crate::fit::{CodeFacts, FitPlan, RecordRows};
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The schema that Python writes.
pub fn schema(text: &str) -> PyResult<Schema> {
    serde_json::from_str(text).map_err(|e| PyValueError::new_err(format!("schema: {e}")))
}

/// Codes of a feature, whether one of them means "missing", and the range of each bin.
type PyCodes<'py> = (u32, bool, Option<Aligned2<'py, f64>>);

/// What is known of all rows: schema, features, whether rows have weights, whether they were drawn,
/// weight of each class, number of rows.
pub type PyCodeFacts<'py> = (String, Vec<PyCodes<'py>>, bool, bool, Vec<u32>, usize);

/// The facts as the core takes them.
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

/// Rows as records of codes, in the caller's arrays.
pub struct CodedArrays {
    /// What is known of the rows.
    pub facts: CodeFacts,
    records: Py<PyAny>,
    /// Numbers of the rows' content, by which the samples of a forest are drawn.
    hashes: Option<Py<PyAny>>,
    /// Bytes of the records.
    pub bytes: usize,
}

impl CodedArrays {
    /// Keep arrays that can be read.
    pub fn new(
        facts: CodeFacts,
        records: Bound<'_, PyAny>,
        hashes: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let bytes = records.extract::<Aligned2<'_, u8>>()?.len();
        Ok(Self { facts, records: records.unbind(), hashes: hashes.map(Bound::unbind), bytes })
    }

    /// A copy of the records, which growth moves.
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

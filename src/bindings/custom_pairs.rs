//! A user's criterion on pairs: `F(R_root, R, tables) -> scores`, one call per node.

use super::custom::{Raised, says_extensive, scores_of};
use crate::criteria::pairs::{OnPairs, PairCriterion, Pairs, Precision};
use crate::criteria::{Criterion, EvidenceKind, Info};
use crate::error::{Error, Result};
use crate::stats::pairs::{Matrices, PairSetting};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::PoisonError;

const INFO: Info = Info {
    name: "pair_function",
    class_name: "PairFunction",
    summary: "A user's function of the count matrices of a node.",
    formula: "F",
    distance: "-F",
    source: "the user",
    branch_invariant: false,
    class_invariant: false,
    ..Info::beyond_tables(EvidenceKind::Pairs)
};

static PLAIN: Info = INFO;
static EXTENSIVE: Info = Info { extensive: true, ..INFO };

/// A Python function of count matrices. The exception it raised is kept for the caller.
#[derive(Debug)]
pub struct PairFunction {
    function: Py<PyAny>,
    info: &'static Info,
    setting: PairSetting,
    precision: Precision,
    raised: Raised,
}

impl PairFunction {
    /// Wrap a callable.
    pub fn wrap(
        function: Py<PyAny>,
        (setting, precision): (PairSetting, Precision),
    ) -> (Box<dyn Criterion>, Raised) {
        let raised = Raised::default();
        let info = if says_extensive(&function) { &EXTENSIVE } else { &PLAIN };
        let made = Self { function, info, setting, precision, raised: raised.clone() };
        (Box::new(PairCriterion(made)), raised)
    }

    fn ask(&self, m: &Matrices) -> Result<Vec<f64>> {
        Python::attach(|py| self.call(py, m)).map_err(|e| {
            let text = e.to_string();
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
            Error::Callback(text)
        })
    }

    /// R and tables are padded with zeros to the largest number of values.
    fn call(&self, py: Python<'_>, m: &Matrices) -> PyResult<Vec<f64>> {
        let (n, k) = (m.of_features.len(), m.classes);
        let values = m.tables.iter().map(|t| t.len() / k).max().unwrap_or(0);
        let mut r = vec![0.0; n * values * k * 4];
        let mut tables = vec![0.0; n * values * k];
        for (i, (from, table)) in m.of_features.iter().zip(&m.tables).enumerate() {
            r[i * values * k * 4..][..from.len()].copy_from_slice(from);
            tables[i * values * k..][..table.len()].copy_from_slice(table);
        }
        let root = m.root.clone().into_pyarray(py).reshape([k, 4])?;
        let r = r.into_pyarray(py).reshape([n, values, k, 4])?;
        let tables = tables.into_pyarray(py).reshape([n, values, k])?;
        let scores = self.function.bind(py).call1((root, r, tables))?;
        scores_of(py, &scores, n)
    }
}

impl OnPairs for PairFunction {
    fn info(&self) -> &'static Info {
        self.info
    }
    fn options(&self) -> Value {
        Value::Null
    }
    fn score(&self, pairs: &Pairs<'_>) -> Result<Vec<f64>> {
        match pairs.matrices {
            Some(m) => self.ask(m),
            None => {
                Err(Error::Internal("a user's criterion on pairs got no count matrices".into()))
            }
        }
    }
    fn whole(&self, pairs: &Pairs<'_>) -> Result<f64> {
        let Some(m) = pairs.matrices else { return Ok(0.0) };
        let of_class = |c: usize| m.tables[0].iter().skip(c).step_by(m.classes).sum::<f64>();
        let whole = Matrices {
            classes: m.classes,
            root: m.root.clone(),
            of_features: vec![m.root.clone()],
            tables: vec![(0..m.classes).map(of_class).collect()],
        };
        Ok(self.ask(&whole)?[0])
    }
    fn matrices(&self) -> Option<(&PairSetting, Precision)> {
        Some((&self.setting, self.precision))
    }
    fn needs_all_candidates(&self) -> bool {
        true
    }
}

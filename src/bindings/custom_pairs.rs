//! A user's Python function as a criterion on pairs of rows: `F(R_root, R, tables) -> scores`,
//! called once per node.
//!
//! `R` are the count matrices of the features, shape (features, values, classes, 4), `R_root` is
//! the count matrix of the node as a whole, shape (classes, 4), and `tables` holds the class counts
//! of the features' values, shape (features, values, classes); see [`crate::stats::pairs`].
//! Functions of class counts alone are in [`super::custom`].

use super::custom::{Raised, is_extensive, one_score_each};
use crate::criteria::pairs::{OnPairs, Pairs, Precision};
use crate::criteria::{Criterion, Evidence, EvidenceKind, Info, Properties};
use crate::error::{Error, Result};
use crate::stats::pairs::{Matrices, PairSetting};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;

/// Description of a function whose scores do not grow with the number of rows.
static INTENSIVE: Info = Info {
    name: "pair_function",
    class_name: "PairFunction",
    summary: "A user's function of the count matrices of a node.",
    formula: "F",
    distance: "-F",
    source: "the user",
    branch_invariant: false,
    class_invariant: false,
    ..Info::non_table_defaults(EvidenceKind::Pairs)
};

/// Description of a function whose scores grow with the number of rows.
static EXTENSIVE: Info = Info { extensive: true, ..INTENSIVE };

/// A Python function of count matrices as a criterion.
#[derive(Debug)]
pub struct PairFunction {
    function: Py<PyAny>,
    info: &'static Info,
    setting: PairSetting,
    precision: Precision,
    raised: Raised,
}

impl PairFunction {
    /// Wrap a callable; the second value holds the exception that it raises, if any.
    pub fn wrap(
        function: Py<PyAny>,
        setting: PairSetting,
        precision: Precision,
    ) -> (Box<dyn Criterion>, Raised) {
        let raised = Raised::default();
        let info = if is_extensive(&function) { &EXTENSIVE } else { &INTENSIVE };
        let made = Self { function, info, setting, precision, raised: raised.clone() };
        (Box::new(made), raised)
    }

    /// One score per feature; an error carries the text of the exception that the function raised.
    fn scores(&self, matrices: &Matrices) -> Result<Vec<f64>> {
        self.raised.keep(|py| self.call(py, matrices))
    }

    /// Pass the matrices as arrays; the matrix of a feature with fewer values than others is padded
    /// with zeros.
    fn call(&self, py: Python<'_>, matrices: &Matrices) -> PyResult<Vec<f64>> {
        let (n_features, k) = (matrices.of_features.len(), matrices.classes);
        let n_values = matrices.tables.iter().map(|table| table.len() / k).max().unwrap_or(0);
        let mut of_features = vec![0.0; n_features * n_values * k * 4];
        let mut tables = vec![0.0; n_features * n_values * k];
        for (i, (matrix, table)) in matrices.of_features.iter().zip(&matrices.tables).enumerate() {
            of_features[i * n_values * k * 4..][..matrix.len()].copy_from_slice(matrix);
            tables[i * n_values * k..][..table.len()].copy_from_slice(table);
        }
        let root = matrices.root.clone().into_pyarray(py).reshape([k, 4])?;
        let of_features = of_features.into_pyarray(py).reshape([n_features, n_values, k, 4])?;
        let tables = tables.into_pyarray(py).reshape([n_features, n_values, k])?;
        let scores = self.function.bind(py).call1((root, of_features, tables))?;
        one_score_each(py, &scores, n_features)
    }
}

impl Criterion for PairFunction {}

impl Properties for PairFunction {
    fn info(&self) -> &'static Info {
        self.info
    }
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Pairs(self)
    }
    fn needs_all_candidates(&self) -> bool {
        true
    }
}

impl OnPairs for PairFunction {
    fn score(&self, pairs: &Pairs<'_>) -> Result<Vec<f64>> {
        match pairs.matrices {
            Some(matrices) => self.scores(matrices),
            None => {
                Err(Error::Internal("a user's criterion on pairs got no count matrices".into()))
            }
        }
    }
    fn undivided(&self, pairs: &Pairs<'_>) -> Result<f64> {
        let Some(matrices) = pairs.matrices else { return Ok(0.0) };
        // The score of a feature with a single value: the node as a whole.
        let &Matrices { classes, ref root, ref tables, .. } = matrices;
        let of_class = |class: usize| tables[0].iter().skip(class).step_by(classes).sum::<f64>();
        let whole = Matrices {
            classes,
            root: root.clone(),
            of_features: vec![root.clone()],
            tables: vec![(0..classes).map(of_class).collect()],
        };
        Ok(self.scores(&whole)?[0])
    }
    fn matrices(&self) -> Option<(&PairSetting, Precision)> {
        Some((&self.setting, self.precision))
    }
}

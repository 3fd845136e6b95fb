//! A fitted classifier of any kind, and its prediction: the logarithm of the joint probability of
//! each class and row.
//!
//! Rows are predicted in parallel blocks. A row costs O(features x classes) terms, for AODE
//! O(features^2 x classes). [`normalise`](super::normalise) turns the result into class
//! probabilities.

use super::aode::Aode;
use super::input::{FeatureReading, RowCells};
use super::naive::Naive;
use super::tan::Tan;
use crate::error::Result;
use crate::parallel::{self, Control};
use serde::{Deserialize, Serialize};

/// The parameters of a classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structure {
    /// Naive Bayes.
    Naive(Naive),
    /// Tree-augmented naive Bayes.
    Tan(Tan),
    /// Averaged one-dependence estimators.
    Aode(Aode),
}

/// A fitted classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BayesModel {
    /// How the cells of each feature are read.
    #[serde(deserialize_with = "crate::json::via_value")]
    pub readings: Vec<FeatureReading>,
    /// Weight of each declared class in the training rows.
    pub class_counts: Vec<f64>,
    /// The parameters.
    pub kind: Structure,
}

/// Number of terms of a block of rows, between two checks for cancellation: about a millisecond.
const BLOCK_TERMS: usize = 1 << 20;

impl BayesModel {
    /// Number of terms that are summed per row.
    fn terms(&self) -> usize {
        let (p, k) = (self.readings.len(), self.classes());
        let parents = if matches!(self.kind, Structure::Aode(_)) { p } else { 1 };
        p.saturating_mul(parents).saturating_mul(k).max(1)
    }

    /// Number of declared classes, which is the width of a row in the result of
    /// [`Self::log_joint`]. Classes without training rows count.
    pub fn classes(&self) -> usize {
        self.class_counts.len()
    }

    /// Logarithm of the joint probability (or density) of each class and row, for rows 0 to
    /// `rows - 1`: `[row * classes + class]`.
    ///
    /// `number(row, feature)` and `code(row, feature)` give the cells; NaN, or a code beyond the
    /// levels, is a missing value.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub fn log_joint(
        &self,
        rows: usize,
        number: impl Fn(usize, usize) -> f64 + Sync,
        code: impl Fn(usize, usize) -> u32 + Sync,
        control: &Control,
    ) -> Result<Vec<f64>> {
        let k = self.classes();
        let block = (BLOCK_TERMS / self.terms()).clamp(1, 512);
        let blocks = parallel::map(control, rows.div_ceil(block), &|b| {
            control.check()?;
            let here = b * block..rows.min((b + 1) * block);
            let mut out = vec![0.0; here.len() * k];
            let mut cells = RowCells::default();
            let mut scratch = Vec::new();
            for (row, out) in here.zip(out.chunks_exact_mut(k)) {
                // read the row: a code per feature, or a number where it is not binned
                cells.codes.clear();
                cells.numbers.clear();
                for (j, reading) in self.readings.iter().enumerate() {
                    let (cell_code, cell_number) = match reading {
                        FeatureReading::Number => (0, number(row, j)),
                        FeatureReading::Binned { .. } => {
                            (reading.code_of_number(number(row, j)), f64::NAN)
                        }
                        FeatureReading::Nominal { .. } => {
                            (reading.code_of_level(code(row, j)), f64::NAN)
                        }
                    };
                    cells.codes.push(cell_code);
                    cells.numbers.push(cell_number);
                }
                match &self.kind {
                    Structure::Naive(m) => m.log_joint(&cells, out),
                    Structure::Tan(m) => m.log_joint(&cells, out, &mut scratch),
                    Structure::Aode(m) => m.log_joint(&cells, out, &mut scratch),
                }
            }
            Ok(out)
        })?;
        Ok(blocks.concat())
    }
}

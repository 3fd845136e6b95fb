//! A fitted classifier: what it keeps, and the joint probability of class and row.

use super::aode::Aode;
use super::input::{FeatureReading, RowCells};
use super::naive::Naive;
use super::tan::Tan;
use crate::error::Result;
use crate::parallel::{self, Control};
use serde::{Deserialize, Serialize};

/// The parts that differ.
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
    /// How cells become numbers or codes.
    pub readings: Vec<FeatureReading>,
    /// Weight of each declared class in the training rows.
    pub class_counts: Vec<f64>,
    /// The rest.
    pub kind: Structure,
}

/// Terms that are added up between two looks at the cancel flag: about a millisecond.
const BLOCK_TERMS: usize = 1 << 20;

impl BayesModel {
    /// Terms that one row adds up.
    fn terms(&self) -> usize {
        let (p, k) = (self.readings.len(), self.classes());
        let parents = if matches!(self.kind, Structure::Aode(_)) { p } else { 1 };
        p.saturating_mul(parents).saturating_mul(k).max(1)
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.class_counts.len()
    }

    /// Logarithm of the joint probability (density) of class and row, for rows 0 to `rows - 1`, row
    /// by row. `number(row, feature)` is NaN and `code(row, feature)` any number beyond the levels
    /// where a value is missing.
    pub fn log_joint(
        &self,
        rows: usize,
        number: impl Fn(usize, usize) -> f64 + Sync,
        code: impl Fn(usize, usize) -> u32 + Sync,
        control: &Control,
    ) -> Result<Vec<f64>> {
        let k = self.classes();
        let block = (BLOCK_TERMS / self.terms()).clamp(1, 512);
        let blocks = parallel::map(control, rows.div_ceil(block), |b| {
            control.check()?;
            let here = b * block..rows.min((b + 1) * block);
            let mut out = vec![0.0; here.len() * k];
            let mut cells = RowCells::default();
            let mut scratch = Vec::new();
            for (row, out) in here.zip(out.chunks_exact_mut(k)) {
                cells.codes.clear();
                cells.numbers.clear();
                for (j, reading) in self.readings.iter().enumerate() {
                    let (c, x) = match reading {
                        FeatureReading::Number => (0, number(row, j)),
                        FeatureReading::Binned { .. } => {
                            (reading.code_of_number(number(row, j)), f64::NAN)
                        }
                        FeatureReading::Nominal { .. } => {
                            (reading.code_of_level(code(row, j)), f64::NAN)
                        }
                    };
                    cells.codes.push(c);
                    cells.numbers.push(x);
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

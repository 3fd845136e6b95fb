//! The training set of a Bayesian classifier as codes: numbers binned, a further code for missing
//! values, weights as whole numbers of a unit.
//!
//! [`FeatureReading`] says how the cells of a feature become codes; the model stores it and reads
//! new rows in the same way. [Bayesian networks](crate::networks) are learned from it, too.

use crate::data::{Bins, Column, Dataset, MISSING, Weights};
use crate::error::{Error, Result};
use crate::memory;
use serde::{Deserialize, Serialize};

/// How the cells of a feature become codes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum FeatureReading {
    /// A number that is used as it is.
    Number,
    /// A number that becomes the index of its bin `(low, high]`.
    Binned {
        /// Ascending cut points.
        cuts: Vec<f64>,
        /// Bin of a missing value, if it is replaced.
        #[serde(default)]
        fill: Option<u32>,
    },
    /// A level of a nominal feature.
    Nominal {
        /// Number of declared levels.
        levels: usize,
        /// Level of a missing value, if it is replaced.
        #[serde(default)]
        fill: Option<u32>,
    },
}

/// The cells of one row. Per feature a code (the arity if missing; 0 for an unbinned number) and a
/// number (NaN if missing, or if the feature has codes).
#[derive(Debug, Default)]
pub(crate) struct RowCells {
    pub(crate) codes: Vec<usize>,
    pub(crate) numbers: Vec<f64>,
}

impl FeatureReading {
    /// Number of values, without the missing one; 0 for [`Self::Number`].
    pub fn arity(&self) -> usize {
        match self {
            Self::Number => 0,
            Self::Binned { cuts, .. } => cuts.len() + 1,
            Self::Nominal { levels, .. } => *levels,
        }
    }

    /// Code of a missing value.
    fn missing_code(&self) -> usize {
        match self {
            Self::Binned { fill: Some(f), .. } | Self::Nominal { fill: Some(f), .. } => *f as usize,
            _ => self.arity(),
        }
    }

    /// Code of a number: its bin; for a missing one its replacement, or the number of bins.
    #[inline]
    pub fn code_of_number(&self, value: f64) -> usize {
        match self {
            Self::Binned { cuts, .. } if !value.is_nan() => cuts.partition_point(|&c| c < value),
            _ => self.missing_code(),
        }
    }

    /// Code of a level: itself; for a missing or unknown one its replacement, or the number of
    /// levels.
    #[inline]
    pub fn code_of_level(&self, code: u32) -> usize {
        if (code as usize) < self.arity() { code as usize } else { self.missing_code() }
    }
}

/// The coded training set.
#[derive(Debug)]
pub struct Input {
    /// How the cells of each feature were read.
    pub readings: Vec<FeatureReading>,
    /// Codes of each feature by row of the data set; the arity is a missing value. Empty for
    /// unbinned numbers.
    pub codes: Vec<Vec<u32>>,
    /// Class of each row, in ascending order.
    pub classes: Vec<u16>,
    /// Weight of each row in units.
    pub weights: Vec<i64>,
    /// Weight of one unit.
    pub unit: f64,
    /// Weight of each class.
    pub class_counts: Vec<f64>,
}

impl Input {
    /// Read all rows. `cuts` has the cut points of each feature that is to be binned; `fill`
    /// replaces missing values by the most frequent value (the lowest of equally frequent ones).
    ///
    /// # Errors
    /// [`Error::Data`] for cut points that do not ascend, [`Error::Need`] without memory for the
    /// rows.
    pub fn new(
        data: &Dataset,
        weights: &Weights,
        cuts: &[Option<Vec<f64>>],
        fill: bool,
    ) -> Result<Self> {
        if cuts.len() != data.columns().len() {
            return Err(Error::Internal("cut points and columns differ in number".into()));
        }
        // weights as whole numbers of a unit
        let n = data.len();
        memory::cover(n * size_of::<i64>())?;
        let (weights, unit) = match weights {
            Weights::Unit => (vec![1; n], 1.0),
            Weights::Integer(w) => (w.iter().map(|&w| i64::from(w)).collect(), 1.0),
            Weights::Fixed { values, shift } => (values.clone(), f64::powi(2.0, -shift)),
        };
        let mut input = Self {
            readings: Vec::new(),
            codes: Vec::new(),
            classes: data.classes().to_vec(),
            weights,
            unit,
            class_counts: Vec::new(),
        };
        let mut sums = vec![0_i64; data.n_classes()];
        for (&c, &w) in input.classes.iter().zip(&input.weights) {
            sums[c as usize] += w;
        }
        input.class_counts = sums.iter().map(|&s| s as f64 * unit).collect();
        // codes, feature by feature
        for (column, cuts) in data.columns().iter().zip(cuts) {
            let (mut reading, mut codes) = match (column, cuts) {
                (Column::Numeric(_), None) => (FeatureReading::Number, Vec::new()),
                (Column::Numeric(c), Some(cuts)) => {
                    let bins = Bins::new(cuts.clone())?;
                    let code = |&v: &f64| if v.is_nan() { bins.len() as u32 } else { bins.bin(v) };
                    let codes = c.values().iter().map(code).collect();
                    (FeatureReading::Binned { cuts: cuts.clone(), fill: None }, codes)
                }
                (Column::Nominal(c), _) => {
                    let levels = c.levels();
                    let code = |r| match c.code(r) {
                        MISSING => levels as u32,
                        code => code,
                    };
                    (
                        FeatureReading::Nominal { levels, fill: None },
                        (0..n as u32).map(code).collect(),
                    )
                }
            };
            if fill && reading.arity() > 0 {
                input.fill(&mut reading, &mut codes);
            }
            input.readings.push(reading);
            input.codes.push(codes);
        }
        Ok(input)
    }

    /// Replace the missing codes by the code with the largest weight.
    fn fill(&self, reading: &mut FeatureReading, codes: &mut [u32]) {
        let arity = reading.arity();
        let mut sums = vec![0_i64; arity + 1];
        for (&c, &w) in codes.iter().zip(&self.weights) {
            sums[c as usize] += w;
        }
        let mut mode = 0;
        for v in 1..arity {
            if sums[v] > sums[mode] {
                mode = v;
            }
        }
        codes.iter_mut().filter(|c| **c as usize == arity).for_each(|c| *c = mode as u32);
        if let FeatureReading::Binned { fill, .. } | FeatureReading::Nominal { fill, .. } = reading
        {
            *fill = Some(mode as u32);
        }
    }

    /// Number of features, numeric ones that are not binned among them. The class is none of them.
    pub fn features(&self) -> usize {
        self.readings.len()
    }

    /// Number of declared classes; some of them may have no rows. Every table has a cell per class
    /// for each value.
    pub fn n_classes(&self) -> usize {
        self.class_counts.len()
    }

    /// Number of values of a feature, without the missing one, whose code is this number. It is 0
    /// for an unbinned number, which has no codes.
    pub fn arity(&self, feature: usize) -> usize {
        self.readings[feature].arity()
    }
}

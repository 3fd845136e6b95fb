//! Cut points from data: equal width, equal frequency, and Fayyad & Irani's entropy with MDL stop.
//!
//! A method is fitted to one numeric column at a time, on the given rows only; rows of weight 0 and
//! missing values are left out. The result is applied by [`Bins`]: bin `b` is `(cuts[b-1],
//! cuts[b]]`, values beyond the range fall into the first or last bin, missing stays missing, and
//! empty bins stay declared. Weights are copies of rows: equal frequency and MDLP count weight,
//! equal width looks at the range alone. All sums of weights are exact integers, so neither the
//! order of the rows nor the number of threads can move a cut.
//!
//! Complexity: O(n) for equal width; one sort of the column (cached by [`NumericColumn`]) and O(n)
//! for equal frequency; that sort and O(n k depth) for MDLP with k classes. Not for tree growth by
//! thresholds, which searches all of them and needs no bins.
//!
//! [`mean`] and [`mode`] are the replacements of missing values.

mod equal_frequency;
mod equal_width;
mod impute;
mod mdlp;
mod sorted;

pub use impute::{mean, mode};

use crate::data::{Bins, NumericColumn, RowSet, Weights};
use crate::error::{Error, Result};
use crate::stats::{FixedWeights, IntegerWeights, UnitWeights};
use serde::{Deserialize, Serialize};
use sorted::Sorted;

/// How cut points are found; as JSON `{"method": "equal_width", "n_bins": 10}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "snake_case", deny_unknown_fields)]
pub enum DiscretizeMethod {
    /// Bins of one width between the smallest and the largest value.
    EqualWidth {
        /// Number of bins, 1 to 65,535.
        #[serde(default = "ten", rename = "n_bins")]
        bins: u32,
    },
    /// Bins of about one weight each.
    EqualFrequency {
        /// Largest number of bins, 1 to 65,535.
        #[serde(default = "ten", rename = "n_bins")]
        bins: u32,
    },
    /// Recursive splits of least class-information entropy, stopped by the MDL principle.
    Mdlp,
}

fn ten() -> u32 {
    10
}

/// Largest number of bins.
pub const LARGEST_BINS: u32 = 65_535;

impl DiscretizeMethod {
    /// Refuse a number of bins outside 1 to 65,535.
    pub fn check(&self) -> Result<()> {
        match *self {
            Self::EqualWidth { bins } | Self::EqualFrequency { bins }
                if !(1..=LARGEST_BINS).contains(&bins) =>
            {
                Err(Error::parameter(
                    "n_bins",
                    bins,
                    format!("must be between 1 and {LARGEST_BINS}"),
                ))
            }
            _ => Ok(()),
        }
    }
}

/// Fit a method to the known values of `column` in `rows`.
///
/// `classes` are class codes by internal row, below `n_classes`; only MDLP looks at them. A column
/// without a known value is one bin.
pub fn fit(
    method: &DiscretizeMethod,
    column: &NumericColumn,
    classes: &[u16],
    n_classes: usize,
    rows: &RowSet,
    weights: &Weights,
) -> Result<Bins> {
    method.check()?;
    let cuts = match *method {
        DiscretizeMethod::EqualWidth { bins } => {
            let used = rows.rows().iter().filter(|&&row| !weights.is_zero(row));
            equal_width::cuts(used.map(|&row| column.value(row)), bins)
        }
        DiscretizeMethod::EqualFrequency { bins } => {
            let sorted = Sorted::new(column, rows, weights);
            match weights {
                Weights::Unit => equal_frequency::cuts(&sorted, |_| 1, bins),
                Weights::Integer(w) => {
                    equal_frequency::cuts(&sorted, |row| i64::from(w[row as usize]), bins)
                }
                Weights::Fixed { values, .. } => {
                    equal_frequency::cuts(&sorted, |row| values[row as usize], bins)
                }
            }
        }
        DiscretizeMethod::Mdlp => {
            let sorted = Sorted::new(column, rows, weights);
            match weights {
                Weights::Unit => mdlp::cuts(&sorted, UnitWeights, classes, n_classes),
                Weights::Integer(w) => mdlp::cuts(&sorted, IntegerWeights(w), classes, n_classes),
                Weights::Fixed { values, shift } => {
                    let weighing = FixedWeights { values, unit: f64::powi(2.0, -shift) };
                    mdlp::cuts(&sorted, weighing, classes, n_classes)
                }
            }
        }
    };
    Bins::new(cuts)
}

/// Cut points for plain slices in one row order; NaN is missing.
///
/// # Errors
/// Infinite values, wrong lengths, class codes not below `n_classes`, MDLP without classes, bad
/// weights.
pub fn fit_values(
    method: &DiscretizeMethod,
    values: &[f64],
    classes: &[u16],
    n_classes: usize,
    weights: Option<&[f64]>,
) -> Result<Vec<f64>> {
    method.check()?;
    if let Some(row) = values.iter().position(|v| v.is_infinite()) {
        return Err(Error::Data(format!(
            "row {row}: the value {} cannot be binned; replace it by a finite number or NaN",
            values[row]
        )));
    }
    if *method == DiscretizeMethod::Mdlp {
        check_length("classes", classes.len(), values.len())?;
        if let Some(row) = classes.iter().position(|&c| usize::from(c) >= n_classes) {
            return Err(Error::Data(format!(
                "row {row}: class code {} of {n_classes} classes",
                classes[row]
            )));
        }
    }
    let weights = match weights {
        None => Weights::Unit,
        Some(w) => {
            check_length("weights", w.len(), values.len())?;
            Weights::from_reals(w, |row| row)?
        }
    };
    let column = NumericColumn::new(values.to_vec());
    let bins = fit(method, &column, classes, n_classes, &RowSet::all(values.len()), &weights)?;
    Ok(bins.cuts().to_vec())
}

fn check_length(name: &str, given: usize, rows: usize) -> Result<()> {
    if given == rows {
        return Ok(());
    }
    Err(Error::Data(format!("{name} has {given} entries for {rows} values; it needs one for each")))
}

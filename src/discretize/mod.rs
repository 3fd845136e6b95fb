//! Cut points from data: equal width, equal frequency, and Fayyad & Irani's MDLP. [`mean`] and
//! [`mode`] replace missing values.
//!
//! A method is fitted to one numeric column at a time, on the given rows; rows of weight 0 and
//! missing values are left out. [`Bins`] applies the result: bin `b` is `(cuts[b-1], cuts[b]]`,
//! values beyond the range belong to the first or the last bin, missing values stay missing, and
//! empty bins stay declared. Weights are copies of rows: equal frequency and MDLP use them, equal
//! width uses the range alone. All sums of weights are exact integers, so the cuts depend neither
//! on the order of the rows nor on the number of threads.
//!
//! Equal width is O(n). The others need the sorted column (cached by [`NumericColumn`]) and O(n),
//! or O(n k depth) for MDLP with k classes. A tree on numbers needs no bins, as growth searches all
//! thresholds of a node.

mod equal_frequency;
mod equal_width;
mod impute;
mod mdlp;
mod sorted;

pub use impute::{mean, mode};

use crate::data::{Bins, NumericColumn, RowSet, Weights};
use crate::error::{Error, Result};
use crate::options::{self, OptionDomain, OptionInfo};
use crate::stats::by_weighing;
use serde::{Deserialize, Serialize};
use sorted::Sorted;

/// A method with its options; in JSON `{"method": "equal_width", "n_bins": 10}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "snake_case", deny_unknown_fields)]
pub enum DiscretizeMethod {
    /// Bins of equal width between the smallest and the largest value.
    EqualWidth {
        /// Number of bins, 1 to 65,535.
        #[serde(default = "ten", rename = "n_bins")]
        bins: u32,
    },
    /// Bins of about equal weight.
    EqualFrequency {
        /// Largest number of bins, 1 to 65,535.
        #[serde(default = "ten", rename = "n_bins")]
        bins: u32,
    },
    /// Recursive splits of least class-information entropy, stopped by the MDL principle.
    Mdlp,
}

/// The default number of bins, for serde.
fn ten() -> u32 {
    10
}

/// The declaration of a method, from which Python's class is made.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct DiscretizeInfo {
    /// Name in `discretize="..."`.
    pub name: &'static str,
    /// Name of the class in `fasttree.discretize`.
    pub class_name: &'static str,
    /// The docstring of the class.
    pub text: &'static str,
    /// An example of the class, as a doctest.
    pub example: &'static str,
    /// Whether it uses the classes of the rows.
    pub needs_classes: bool,
    /// Its options, and the option that says on which rows Python fits it.
    pub options: &'static [OptionInfo],
}

/// Largest number of bins.
pub const LARGEST_BINS: u32 = 65_535;

const SCOPE: OptionInfo = OptionInfo {
    name: "scope",
    domain: OptionDomain::Words { words: &["fold", "all"] },
    default: "\"fold\"",
    doc: "``\"fold\"``: learned on the training rows of each fold; ``\"all\"``: on all rows.",
    ..OptionInfo::PLAIN
};
const BINS: &[OptionInfo] = &[
    OptionInfo {
        name: "n_bins",
        domain: OptionDomain::Whole { least: 1, most: LARGEST_BINS as u64 },
        default: "10",
        doc: "Number of bins, 1 to 65,535; bins of equal frequency can be fewer.",
        ..OptionInfo::PLAIN
    },
    SCOPE,
];

/// The declarations of all methods.
pub const DISCRETIZERS: &[DiscretizeInfo] = &[
    DiscretizeInfo {
        name: "equal_width",
        class_name: "EqualWidth",
        text: "Bins of equal width: cuts ``min + i * ((max - min) / n_bins)``, i = 1 ... \
            n_bins - 1, in this float64 order.\n\n\
            As Weka's unsupervised `Discretize`. A constant column, or one without a known value, \
            is one bin.",
        example: ">>> EqualWidth(4).fit_transform([[0.0], [1.0], [2.5], [4.0], [None]]).ravel()\n\
            array([ 0.,  0.,  2.,  3., nan])\n\
            >>> EqualWidth(4).fit([[0.0], [4.0]]).cuts_[\"x0\"]\n\
            array([1., 2., 3.])",
        needs_classes: false,
        options: BINS,
    },
    DiscretizeInfo {
        name: "equal_frequency",
        class_name: "EqualFrequency",
        text: "Bins of about equal weight, closed at the boundary between values nearest to the \
            average of what is left.\n\n\
            As Weka's unsupervised `Discretize` with -F. With weight W left for b bins, the aim \
            is W / b. Of the boundary that reaches it and the one before, the nearer becomes a cut \
            (the later one if equally near), midway between two distinct values. Equal values stay \
            together, so there can be fewer bins than asked for.",
        example: ">>> EqualFrequency(3).fit([[v] for v in (1, 2, 3, 4, 50, 60)]).cuts_[\"x0\"]\n\
            array([ 2.5, 27. ])",
        needs_classes: false,
        options: BINS,
    },
    DiscretizeInfo {
        name: "mdlp",
        class_name: "MDLP",
        text: "Recursive cuts of least class-information entropy, stopped by minimum description \
            length; needs y.\n\n\
            Fayyad & Irani (IJCAI 1993), as Weka's supervised `Discretize`: with k, k1, k2 the \
            classes that occur in S and its halves, a cut is accepted when ``gain > (log2(N - 1) + \
            delta) / N`` and ``delta = log2(3^k - 2) - (k H(S) - k1 H(S1) - k2 H(S2))``. A column \
            that says nothing about the class is one bin.",
        example: ">>> MDLP().fit([[v] for v in range(8)], list(\"aaaabbbb\")).cuts_[\"x0\"]\n\
            array([3.5])",
        needs_classes: true,
        options: &[SCOPE],
    },
];

impl DiscretizeMethod {
    /// Check the number of bins.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it is outside its domain.
    pub fn check(&self) -> Result<()> {
        match *self {
            Self::EqualWidth { bins } | Self::EqualFrequency { bins } => {
                options::check(BINS, "n_bins", f64::from(bins))
            }
            Self::Mdlp => Ok(()),
        }
    }
}

/// Fit a method to the known values of `column` in `rows`.
///
/// `classes` has the class of each internal row, below `n_classes`; only MDLP uses it. A column
/// without known values is one bin.
///
/// # Errors
/// [`Error::Parameter`] for a number of bins outside its domain.
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
            equal_frequency::cuts(&sorted, |row| weights.units(row), bins)
        }
        DiscretizeMethod::Mdlp => {
            let sorted = Sorted::new(column, rows, weights);
            by_weighing!(weights, w => mdlp::cuts(&sorted, w, classes, n_classes))
        }
    };
    Bins::new(cuts)
}

/// Fit a method to slices with an element per row; NaN is missing.
///
/// # Errors
/// For infinite values, wrong lengths, class codes not below `n_classes`, MDLP without classes, and
/// weights that are negative or not finite.
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
            Weights::from_reals(w, &|row| row)?
        }
    };
    let column = NumericColumn::new(values.to_vec());
    let bins = fit(method, &column, classes, n_classes, &RowSet::all(values.len()), &weights)?;
    Ok(bins.cuts().to_vec())
}

/// An error unless a slice has an element per value.
fn check_length(name: &str, given: usize, rows: usize) -> Result<()> {
    if given == rows {
        return Ok(());
    }
    Err(Error::Data(format!("{name} has {given} entries for {rows} values; it needs one for each")))
}

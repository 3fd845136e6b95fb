//! The rows of a search ([`NeighbourRows`]), checked and sorted by content, and their weights.

use super::columns::{ExpectedColumn, MissingGap, NominalRows, Other, take};
use super::content;
use crate::error::{Error, Result};
use crate::numeric::ExactSum;

/// The rows of a search. Its features are the complete nominal columns, then the others; scores
/// come in this order.
#[derive(Debug, Clone)]
pub struct NeighbourRows<'a> {
    /// Complete nominal columns, in the order in which rows were given.
    pub(super) codes: NominalRows<'a>,
    /// Number under which each row was given; rows are in the order of their content.
    pub(super) given: Vec<u32>,
    /// The other columns.
    pub(super) others: Vec<ExpectedColumn>,
    /// Class of each row.
    pub(super) classes: Vec<u16>,
    pub(super) n_classes: usize,
    /// Number of each row, where the target is one: there is one class then.
    pub(super) numbers: Vec<f64>,
    /// Weight of each row.
    pub(super) mass: CheckedWeights,
}

/// Weights of rows, all positive, and what they mean.
#[derive(Debug, Clone, PartialEq)]
pub enum RowWeights {
    /// Every row counts once.
    One,
    /// Whole numbers: how many copies there are of each row.
    Copies(Vec<f64>),
    /// Real numbers, relative to an average row (1); a row is no neighbour of itself.
    Importances(Vec<f64>),
}

impl RowWeights {
    /// Copies if all weights are whole, else importances relative to their mean. The mean is an
    /// exact sum rounded once, so the result does not depend on the order of the rows.
    pub fn new(mut weights: Vec<f64>) -> Self {
        if weights.iter().all(|w| w.fract() == 0.0) {
            return Self::Copies(weights);
        }
        let mean = total(&weights) / weights.len() as f64;
        weights.iter_mut().for_each(|w| *w /= mean);
        Self::Importances(weights)
    }

    /// Whether every row counts once. This includes copies and importances that are all 1.
    pub fn is_one(&self) -> bool {
        match self {
            Self::One => true,
            Self::Copies(each) | Self::Importances(each) => each.iter().all(|&w| w == 1.0),
        }
    }
}

/// The sum of the weights, rounded once: independent of the order of the rows.
fn total(weights: &[f64]) -> f64 {
    let mut sum = ExactSum::default();
    sum.add_all(weights.iter().copied());
    sum.value()
}

/// Checked weights of rows.
#[derive(Debug, Clone)]
pub(super) struct CheckedWeights {
    /// Weight of each row; empty if each row counts once.
    pub(super) each: Vec<f64>,
    /// Whether all weights are whole numbers (copies).
    pub(super) whole: bool,
    /// Sum of all weights.
    pub(super) total: f64,
}

impl CheckedWeights {
    /// Check the weights of `rows` rows.
    pub(super) fn new(weights: RowWeights, rows: usize) -> Result<Self> {
        let (each, whole) = match weights {
            RowWeights::One => (Vec::new(), true),
            RowWeights::Copies(each) => (each, true),
            RowWeights::Importances(each) => (each, false),
        };
        if each.iter().all(|&w| w == 1.0) && (each.is_empty() || each.len() == rows) {
            return Ok(Self { each: Vec::new(), whole: true, total: rows as f64 });
        }
        if each.len() != rows {
            return Err(Error::Data(format!("{} weights for {rows} rows", each.len())));
        }
        if let Some((i, w)) = each.iter().enumerate().find(|(_, w)| !(**w > 0.0 && w.is_finite())) {
            return Err(Error::Data(format!(
                "row {i}: weight {w}; rows with a positive weight only"
            )));
        }
        if let Some((i, w)) = each.iter().enumerate().find(|(_, w)| whole && w.fract() != 0.0) {
            return Err(Error::Data(format!("row {i}: {w} copies")));
        }
        let total = total(&each);
        Ok(Self { each, whole, total })
    }

    /// Whether every row counts once.
    pub(super) fn is_unit(&self) -> bool {
        self.each.is_empty()
    }

    /// Weight of a row.
    pub(super) fn weight(&self, row: usize) -> f64 {
        self.each.get(row).copied().unwrap_or(1.0)
    }

    /// Weight of the further copies of a row; 0 for importances.
    pub(super) fn copies(&self, row: usize) -> f64 {
        if self.whole { self.weight(row) - 1.0 } else { 0.0 }
    }
}

impl<'a> NeighbourRows<'a> {
    /// Check the rows and sort them by content.
    ///
    /// # Errors
    /// [`Error::Data`] for lengths that differ, a class or code out of range, no column at all, an
    /// infinite number, or a weight that is not positive and finite.
    pub fn new(
        codes: NominalRows<'a>,
        others: Vec<Other>,
        classes: &[u16],
        n_classes: usize,
        weights: RowWeights,
    ) -> Result<Self> {
        Self::of_target(codes, others, (classes, n_classes), &[], weights, MissingGap::Expected)
    }

    /// [`Self::new`] of rows with a number each as their target, divided by its range.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of_numbers(
        codes: NominalRows<'a>,
        others: Vec<Other>,
        numbers: &[f64],
        weights: RowWeights,
        gap: MissingGap,
    ) -> Result<Self> {
        let one_class = vec![0; numbers.len()];
        Self::of_target(codes, others, (&one_class, 1), numbers, weights, gap)
    }

    /// Rows with classes, or with one class and numbers.
    fn of_target(
        codes: NominalRows<'a>,
        others: Vec<Other>,
        (classes, n_classes): (&[u16], usize),
        numbers: &[f64],
        weights: RowWeights,
        gap: MissingGap,
    ) -> Result<Self> {
        let t = classes.len();
        let needed = if t == 0 { 0 } else { (t - 1) * codes.stride + codes.columns };
        if codes.columns > codes.stride || codes.values.len() < needed {
            return Err(Error::Data(format!(
                "{} codes with a stride of {} for {t} rows of {} columns",
                codes.values.len(),
                codes.stride,
                codes.columns
            )));
        }
        if codes.columns + others.len() == 0 {
            return Err(Error::Data("neighbours need at least one feature".into()));
        }
        if codes.columns + others.len() >= 1 << 24 || t > u32::MAX as usize {
            return Err(Error::Data(
                "neighbours are counted for less than 2^24 features and 2^32 rows".into(),
            ));
        }
        if let Some((i, c)) =
            classes.iter().enumerate().find(|(_, c)| usize::from(**c) >= n_classes)
        {
            return Err(Error::Data(format!("row {i}: class {c} of {n_classes}")));
        }
        // everything but the codes, which stay where they are, into the order of content
        let mut mass = CheckedWeights::new(weights, t)?;
        others.iter().enumerate().try_for_each(|(k, other)| other.check(t, k))?;
        let given = content::order(codes, &others, classes, numbers, &mass.each);
        mass.each = take(&mass.each, &given);
        let (classes, numbers) = (take(classes, &given), take(numbers, &given));
        let weight = |row: usize| mass.weight(row);
        let others = others
            .into_iter()
            .map(|other| ExpectedColumn::new(other.take_rows(&given), &classes, &weight, gap))
            .collect();
        Ok(Self { codes, given, others, classes, n_classes, numbers, mass })
    }

    /// Codes of a row in a range of complete nominal columns.
    pub(super) fn part(&self, row: usize, columns: std::ops::Range<usize>) -> &'a [u8] {
        self.codes.part(self.given[row] as usize, columns)
    }

    /// Number of rows, with each set of copies counted once. It is below 2^32.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Number of features: the complete nominal columns, then the others. Scores are in this order.
    pub fn features(&self) -> usize {
        self.codes.columns + self.others.len()
    }
}

//! Neighbours of each row: ReliefF, RReliefF, SURF, MultiSURF, their star forms and the K-nearest
//! merit.
//!
//! For every row the distances to all rows are made, a [`NeighbourMethod`] picks neighbours and
//! their weights, and only the picked pairs enter the scores:
//! `score[k] = sum over i and its neighbours j of weight(i, j) * diff(k; i, j)`. diff is 0 or 1 for
//! nominal values, `|x - y| / range` for numeric ones, and an expectation where a cell is missing
//! ([`columns`]). Sources: Kononenko (1994) for ReliefF, Robnik-Sikonja & Kononenko (2003) for
//! RReliefF, Greene et al. (2009, 2010) for SURF and
//! SURF*, Granizo-Mackenzie & Moore (2013) and Urbanowicz et al. (2018) for MultiSURF* and
//! MultiSURF, Hong (1997) for the K-nearest merit.
//!
//! Up to a thousand complete nominal columns are searched on bit planes throughout ([`narrow`]).
//! More features, any other column, or weights need distances as numbers ([`distances`]), a pick
//! per row ([`select`]) and sums over blocks of columns ([`score`]). Packed genotypes have a search
//! of their own ([`genotypes`]). Cost: O(t^2 n / 400) operations for the distances and O(picked
//! pairs x n / 30) for the scores. Memory: the distances of a tile of rows to all rows (at most 128
//! MB), the bit planes of a block, and the numeric columns; nominal codes are read in place.
//!
//! Rows are sorted by content ([`content`]) and all sums are made in that order, so scores depend
//! neither on threads nor on the order of the rows. They are rounded to 40 binary digits, so that
//! equal features tie.
//!
//! Whole weights are numbers of copies: copies are neighbours of each other, at distance 0. Other
//! weights are importances, divided by their mean; a row is then no neighbour of itself.

mod by_distance;
mod columns;
mod content;
#[cfg(test)]
mod definition;
mod distances;
mod gather;
pub mod genotypes;
mod grid;
mod members;
mod narrow;
mod nearest;
mod need;
mod score;
mod select;
mod shape;
mod share;
#[cfg(test)]
mod tests;
mod thresholds;
mod totals;

pub use by_distance::{default_radius, pairs_by_distance, radius_need};
pub use columns::{MISSING, MissingGap, NominalRows, Other};
pub use gather::{Root, streamed};
pub use nearest::{NeighbourTies, Ranks};
pub use score::{
    DistanceSum, PartialScores, distance_parts, needs_total, neighbour_parts, neighbour_scores,
    neighbour_scores_with, round,
};
pub use select::{Multiclass, NeighbourMethod, PairMetric};
pub use share::Share;

use crate::error::{Error, Result};
use crate::numeric::ExactSum;
use columns::{ExpectedColumn, taken};

/// The rows of a search. Its features are the complete nominal columns, then the others; scores
/// come in this order.
#[derive(Debug, Clone)]
pub struct NeighbourRows<'a> {
    /// Complete nominal columns, in the order in which rows were given.
    codes: NominalRows<'a>,
    /// Number under which each row was given; rows are in the order of their content.
    given: Vec<u32>,
    /// The other columns.
    others: Vec<ExpectedColumn>,
    /// Class of each row.
    classes: Vec<u16>,
    n_classes: usize,
    /// Number of each row, where the target is one: there is one class then.
    numbers: Vec<f64>,
    /// Weight of each row.
    mass: Mass,
}

/// Weights of rows, all positive, and what they mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Counts {
    /// Every row counts once.
    One,
    /// Whole numbers: how many copies there are of each row.
    Copies(Vec<f64>),
    /// Real numbers, relative to an average row (1); a row is no neighbour of itself.
    Importances(Vec<f64>),
}

impl Counts {
    /// Copies if all weights are whole, else importances relative to their mean.
    pub fn of(mut weights: Vec<f64>) -> Self {
        if weights.iter().all(|w| w.fract() == 0.0) {
            return Self::Copies(weights);
        }
        let mean = total(&weights) / weights.len() as f64;
        weights.iter_mut().for_each(|w| *w /= mean);
        Self::Importances(weights)
    }

    /// Whether every row counts once.
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
struct Mass {
    /// By row; empty if all rows count once.
    each: Vec<f64>,
    /// Whether all weights are whole numbers (copies).
    whole: bool,
    /// Sum of all weights.
    total: f64,
}

impl Mass {
    /// Check the weights of `rows` rows.
    fn new(weights: Counts, rows: usize) -> Result<Self> {
        let (each, whole) = match weights {
            Counts::One => (Vec::new(), true),
            Counts::Copies(each) => (each, true),
            Counts::Importances(each) => (each, false),
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
    fn is_unit(&self) -> bool {
        self.each.is_empty()
    }

    /// Weight of a row.
    fn of(&self, row: usize) -> f64 {
        self.each.get(row).copied().unwrap_or(1.0)
    }

    /// Weight of the further copies of a row; 0 for importances.
    fn copies(&self, row: usize) -> f64 {
        if self.whole { self.of(row) - 1.0 } else { 0.0 }
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
        weights: Counts,
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
        weights: Counts,
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
        weights: Counts,
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
        let mut mass = Mass::new(weights, t)?;
        others.iter().enumerate().try_for_each(|(k, other)| other.check(t, k))?;
        let given = content::order(codes, &others, classes, numbers, &mass.each);
        mass.each = taken(&mass.each, &given);
        let (classes, numbers) = (taken(classes, &given), taken(numbers, &given));
        let weight = |row: usize| mass.of(row);
        let others = others
            .into_iter()
            .map(|other| ExpectedColumn::new(other.taken(&given), &classes, &weight, gap))
            .collect();
        Ok(Self { codes, given, others, classes, n_classes, numbers, mass })
    }

    /// Codes of a row in a range of complete nominal columns.
    fn part(&self, row: usize, columns: std::ops::Range<usize>) -> &'a [u8] {
        self.codes.part(self.given[row] as usize, columns)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.codes.columns + self.others.len()
    }
}

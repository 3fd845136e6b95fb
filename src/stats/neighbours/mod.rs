//! Neighbours of each row: ReliefF, SURF, MultiSURF, their star forms and the K-nearest merit, for
//! few and for very many features.
//!
//! For every row, distances to all rows first, then a [`NeighbourMethod`] picks neighbours and
//! their weights, then only the pairs picked touch the scores: `score[k] = sum over i and its
//! neighbours j of weight(i, j) * diff(k; i, j)`. diff is 0 or 1 for nominal values, `|x - y| /
//! range` for numeric ones, and an expectation where a cell is missing ([`columns`]). Kononenko
//! (1994) for ReliefF, Greene et al. (2009, 2010) for SURF and SURF*, Granizo-Mackenzie & Moore
//! (2013) and Urbanowicz et al. (2018) for MultiSURF* and MultiSURF, Hong (1997) for the K-nearest
//! merit.
//!
//! Complete nominal columns have whole distances, made from bit planes. Up to a thousand features
//! they stay bit planes to the end: the k-th distance, means, deviations and the neighbours that
//! differ are popcounts ([`narrow`]). More features, or any other column, or weights: distances as
//! numbers ([`distances`]), scores from bytes in blocks of columns ([`score`]). Cost O(t^2 n / 400)
//! operations for the distances and O(kept pairs * n / 30) for the scores. Memory: a tile of rows
//! against all rows in 32-bit distances (at most 128 MB), the bit planes of a block, and the
//! numeric columns; the codes are read where they are, never as floats. Rows are put in the order
//! of their content ([`content`]) and sums are made in that order for every feature, so scores
//! depend neither on threads nor on the order of the rows; in the end they are rounded to 40 binary
//! digits, so that equal ones tie.
//!
//! Weights that are whole numbers are copies: neighbours of each other, at the distance of two
//! equal rows. Other weights are importances, divided by their mean; a row is then no neighbour of
//! itself.

mod bands;
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
mod totals;

pub use by_distance::{default_radius, pairs_by_distance, radius_need};
pub use columns::{MISSING, NominalRows, Other};
pub use gather::{Root, streamed};
pub use nearest::{NeighbourTies, Ranks};
pub use score::{
    PartialScores, distance_parts, needs_distances, neighbour_parts, neighbour_scores,
    neighbour_scores_with, round,
};
pub use select::{Multiclass, NeighbourMethod, PairMetric};
pub use share::Share;

use crate::error::{Error, Result};
use crate::numeric::ExactSum;
use columns::{ExpectedColumn, taken};

/// Rows to look at: complete nominal columns first, then the others; the scores have the same
/// order.
#[derive(Debug, Clone)]
pub struct NeighbourRows<'a> {
    codes: NominalRows<'a>,
    /// The given row at each place of the order of content.
    given: Vec<u32>,
    others: Vec<ExpectedColumn>,
    classes: Vec<u16>,
    n_classes: usize,
    mass: Mass,
}

/// What the weights of rows mean; all are positive.
#[derive(Debug, Clone, PartialEq)]
pub enum Counts {
    /// Every row counts once.
    One,
    /// Integer weights: multiplicities of rows.
    Copies(Vec<f64>),
    /// Real numbers, 1 for an average row; a row is no neighbour of itself.
    Importances(Vec<f64>),
}

impl Counts {
    /// Copies if all are whole, else importances relative to their mean.
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

/// The sum, rounded once: the same in any order of the rows.
fn total(weights: &[f64]) -> f64 {
    let mut sum = ExactSum::default();
    sum.add_all(weights.iter().copied());
    sum.value()
}

/// How much each row counts.
#[derive(Debug, Clone)]
struct Mass {
    /// By row; empty if all rows count once.
    each: Vec<f64>,
    whole: bool,
    total: f64,
}

impl Mass {
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

    fn is_unit(&self) -> bool {
        self.each.is_empty()
    }

    fn of(&self, row: usize) -> f64 {
        self.each.get(row).copied().unwrap_or(1.0)
    }

    /// Weight of the other copies of a row.
    fn copies(&self, row: usize) -> f64 {
        if self.whole { self.of(row) - 1.0 } else { 0.0 }
    }
}

impl<'a> NeighbourRows<'a> {
    /// Check and hold, in the order of content.
    ///
    /// # Errors
    /// [`Error::Data`] for lengths that do not fit, a class or code out of range, no column at all,
    /// a number or weight that is not finite.
    pub fn new(
        codes: NominalRows<'a>,
        others: Vec<Other>,
        classes: &'a [u16],
        n_classes: usize,
        weights: Counts,
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
        let mut mass = Mass::new(weights, t)?;
        others.iter().enumerate().try_for_each(|(k, other)| other.check(t, k))?;
        let given = content::order(codes, &others, classes, &mass.each);
        mass.each = taken(&mass.each, &given);
        let classes = taken(classes, &given);
        let weight = |row: usize| mass.of(row);
        let others = others
            .into_iter()
            .map(|other| ExpectedColumn::new(other.taken(&given), &classes, &weight))
            .collect();
        Ok(Self { codes, given, others, classes, n_classes, mass })
    }

    /// Some nominal columns of a row.
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

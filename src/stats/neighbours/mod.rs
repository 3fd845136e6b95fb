//! Neighbours of each row: ReliefF, SURF, MultiSURF, their star forms and the K-nearest merit, for few and for very many features.
//!
//! For every row, distances to all rows first, then a [`Method`] picks neighbours and their weights, then only the pairs picked touch
//! the scores: `score[k] = sum over i and its neighbours j of weight(i, j) * diff(k; i, j)`. diff is 0 or 1 for nominal values and
//! `|x - y| / range` for numeric ones. Kononenko (1994) for ReliefF, Greene et al. (2009, 2010) for SURF and SURF*, Granizo-Mackenzie &
//! Moore (2013) and Urbanowicz et al. (2018) for MultiSURF* and MultiSURF, Hong (1997) for the K-nearest merit.
//!
//! Nominal distances are whole numbers, made from bit planes in blocks of features ([`distances`]); the scores come from bytes,
//! in blocks of columns ([`score`]). Cost O(t^2 n / 400) operations for the distances and O(kept pairs * n / 30) for the scores.
//! Memory: a tile of rows against all rows in 32-bit distances (at most 128 MB), the bit planes of a block, and the numeric columns;
//! the codes are read where they are, never as floats. Sums over rows are made in row order for every feature, so
//! scores do not depend on threads. Not for a criterion below the root of a tree: use the pairs for that.

mod distances;
mod score;
mod select;
#[cfg(test)]
mod tests;

pub use score::{neighbour_scores, neighbour_scores_with};
pub use select::{Method, Multiclass, NeighbourTies, PairMetric, Ranks};

use crate::error::{Error, Result};

/// Nominal codes, row after row.
#[derive(Debug, Clone, Copy)]
pub struct Codes<'a> {
    /// Row i begins at `i * stride`.
    pub values: &'a [u8],
    /// Number of columns.
    pub columns: usize,
    /// Distance between rows, at least `columns`.
    pub stride: usize,
}

impl<'a> Codes<'a> {
    /// Some columns of a row.
    pub fn part(&self, row: usize, columns: std::ops::Range<usize>) -> &'a [u8] {
        &self.values[row * self.stride..][columns]
    }
}

/// One numeric column, without missing cells.
#[derive(Debug, Clone, Copy)]
pub enum Numbers<'a> {
    /// Single precision.
    F32(&'a [f32]),
    /// Double precision.
    F64(&'a [f64]),
}

/// Rows to look at: nominal columns first, then numeric ones; the scores have the same order.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    pub(super) codes: Codes<'a>,
    /// Column-wise, divided by the range of the column.
    pub(super) numbers: Vec<Vec<f64>>,
    pub(super) classes: &'a [u16],
    pub(super) n_classes: usize,
}

impl<'a> Rows<'a> {
    /// Check and hold. Ranges of numeric columns are taken over the rows given; a constant column never differs.
    ///
    /// # Errors
    /// [`Error::Data`] for lengths that do not fit, a class out of range, no column at all, or a number that is not finite.
    pub fn new(
        codes: Codes<'a>,
        numbers: &[Numbers<'_>],
        classes: &'a [u16],
        n_classes: usize,
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
        if codes.columns + numbers.len() == 0 {
            return Err(Error::Data("neighbours need at least one feature".into()));
        }
        if codes.columns + numbers.len() > u32::MAX as usize || t > u32::MAX as usize {
            return Err(Error::Data("neighbours are counted in 32 bits: too many rows or features".into()));
        }
        if let Some((i, c)) = classes.iter().enumerate().find(|(_, c)| usize::from(**c) >= n_classes) {
            return Err(Error::Data(format!("row {i}: class {c} of {n_classes}")));
        }
        let scaled = |(k, column): (usize, &Numbers<'_>)| {
            let mut values: Vec<f64> = match column {
                Numbers::F32(v) => v.iter().map(|&x| f64::from(x)).collect(),
                Numbers::F64(v) => v.to_vec(),
            };
            if values.len() != t {
                return Err(Error::Data(format!(
                    "numeric column {k} has {} rows, the classes {t}",
                    values.len()
                )));
            }
            if let Some((i, x)) = values.iter().enumerate().find(|(_, x)| !x.is_finite()) {
                return Err(Error::Data(format!(
                    "numeric column {k}, row {i}: {x}; Relief's distances need finite numbers, impute first"
                )));
            }
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            // halves, because the range of two finite numbers may not be finite
            let range = (high / 2.0 - low / 2.0).max(0.0);
            values
                .iter_mut()
                .for_each(|x| *x = if range > 0.0 { (*x / 2.0 - low / 2.0) / range } else { 0.0 });
            Ok(values)
        };
        let numbers = numbers.iter().enumerate().map(scaled).collect::<Result<_>>()?;
        Ok(Self { codes, numbers, classes, n_classes })
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
        self.codes.columns + self.numbers.len()
    }
}

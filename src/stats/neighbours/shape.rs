//! The shape of a search for neighbours: numbers of rows, columns and values.
//!
//! Memory is admitted before a search begins, from its shape alone. [`need`](super::need),
//! [`narrow`](super::narrow) and [`by_distance`](super::by_distance) derive the bytes of their
//! passes from a [`SearchShape`]; [`RowsNeed`] adds the bytes of the rows themselves.

use super::columns::NominalRows;
use super::distances::Order;
use super::rows::{NeighbourRows, RowWeights};
use super::totals::levels;
use crate::error::Result;
use crate::parallel::{self, Control};

/// Names the work in the message of a search that does not fit the memory limit.
pub(super) const WHAT: &str = "the search for neighbours of rows";
/// The advice in that message.
pub(super) const REMEDY: &str = "give it that much, use fewer threads, or a sample of the rows";

/// The numbers that decide how much memory a search takes.
#[derive(Debug)]
pub(super) struct SearchShape {
    /// Number of rows of each class.
    pub classes: Vec<usize>,
    /// Number of complete nominal columns.
    pub nominal: usize,
    /// Number of values of all these columns together.
    pub values: usize,
    /// Largest number of values of one of them.
    pub most: usize,
    /// Number of columns of any other kind.
    pub others: usize,
    /// Whether every row counts once.
    pub unit: bool,
    /// Whether all weights are whole numbers.
    pub whole: bool,
}

impl SearchShape {
    /// The shape of `rows`, whose nominal columns have `levels` values. The order gives the number
    /// of rows of each class.
    pub fn new(rows: &NeighbourRows<'_>, order: &Order, levels: &[u16]) -> Self {
        Self {
            classes: order.starts.windows(2).map(|w| w[1] - w[0]).collect(),
            nominal: rows.codes.columns,
            values: levels.iter().map(|&l| usize::from(l)).sum(),
            most: usize::from(levels.iter().copied().max().unwrap_or(0)),
            others: rows.others.len(),
            unit: rows.mass.is_unit(),
            whole: rows.mass.whole,
        }
    }

    /// The shape of rows whose codes are read in place, before [`NeighbourRows`] is made. One pass
    /// over the codes finds the number of values of each column; a class out of range is ignored
    /// here and refused later.
    pub fn from_codes(
        control: &Control,
        codes: NominalRows<'_>,
        classes: &[u16],
        n_classes: usize,
        weights: &RowWeights,
    ) -> Result<Self> {
        let width = 1024; // columns per task
        let parts = parallel::map(control, codes.columns.div_ceil(width), &|b| {
            control.check()?;
            let columns = b * width..((b + 1) * width).min(codes.columns);
            let rows = (0..classes.len()).map(|i| codes.part(i, columns.clone()));
            Ok(levels(columns.len(), rows))
        })?;
        let levels = parts.concat();
        let mut sizes = vec![0; n_classes];
        classes.iter().filter_map(|&c| sizes.get_mut(usize::from(c)).map(|n| *n += 1)).count();
        Ok(Self {
            classes: sizes,
            nominal: codes.columns,
            values: levels.iter().map(|&l| usize::from(l)).sum(),
            most: usize::from(levels.iter().copied().max().unwrap_or(0)),
            others: 0,
            unit: weights.is_one(),
            whole: !matches!(weights, RowWeights::Importances(_)),
        })
    }

    /// Number of rows: the sum over all classes. Copies of a row are not counted.
    pub fn rows(&self) -> usize {
        self.classes.iter().sum()
    }
}

/// Bytes per row beside its cells during a search: its number and class in the order of content,
/// and the three numbers of [`Order`].
const BYTES_DURING_SEARCH: usize = 4 + 2 + 3 * 4;

/// Bytes per row while rows are sorted by content: key and number (padded), and the sorted number.
const BYTES_DURING_SORT: usize = 16 + 4;

/// Bytes that the rows of a search take, stage by stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowsNeed {
    /// While the rows are gathered.
    pub first: usize,
    /// What stays during the search.
    pub held: usize,
    /// The peak, the search included.
    pub all: usize,
}

impl RowsNeed {
    /// The need of `rows` rows of `bytes` bytes each, with a search that takes `least` bytes
    /// besides. The rows are sorted by content before the search, so the peak is the larger one of
    /// the two.
    pub fn new(rows: usize, bytes: usize, least: usize) -> Self {
        let first = rows.saturating_mul(bytes);
        let held = first.saturating_add(rows * BYTES_DURING_SEARCH);
        let all = held.saturating_add(least).max(first.saturating_add(rows * BYTES_DURING_SORT));
        Self { first, held, all }
    }
}

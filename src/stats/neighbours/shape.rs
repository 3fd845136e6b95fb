//! The shape of a search for neighbours, which decides what memory it takes.

use super::distances::Order;
use super::totals::levels;
use super::{NeighbourRows, NominalRows};
use crate::error::Result;
use crate::parallel::{self, Control};

/// The work, and the remedy where memory does not suffice, for messages.
pub(super) const WHAT: &str = "the search for neighbours of rows";
pub(super) const REMEDY: &str = "give it that much, use fewer threads, or a sample of the rows";

/// What decides how much a search takes.
#[derive(Debug)]
pub(super) struct SearchShape {
    /// Rows of each class.
    pub classes: Vec<usize>,
    /// Complete nominal columns, how many values they have together, and the most of one.
    pub nominal: usize,
    pub values: usize,
    pub most: usize,
    /// Columns of any other kind.
    pub others: usize,
    /// Whether every row counts once, and whether weights are whole.
    pub unit: bool,
    pub whole: bool,
}

impl SearchShape {
    /// Of rows in order, with the numbers of values of their nominal columns.
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

    /// Of codes where they lie, with the class of each row.
    pub fn of_codes(
        control: &Control,
        codes: NominalRows<'_>,
        (classes, n_classes): (&[u16], usize),
        [unit, whole]: [bool; 2],
    ) -> Result<Self> {
        let width = 1024;
        let parts = parallel::map(control, codes.columns.div_ceil(width), |b| {
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
            unit,
            whole,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.classes.iter().sum()
    }
}

/// Bytes of a row beside its cells: its place by content and its class, then places and numbers in
/// the order of classes.
const KEPT: usize = 4 + 2 + 3 * 4;
/// Bytes of a row while rows are put in the order of content.
const ORDERING: usize = 16 + 4;

/// What the rows of a search take.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowsNeed {
    /// While they are gathered, before they are put in order.
    pub first: usize,
    /// During the search.
    pub held: usize,
    /// With a search that takes `least`.
    pub all: usize,
}

impl RowsNeed {
    /// For `rows` rows of `bytes` bytes each, and a search beside them that takes `least`.
    pub fn new(rows: usize, bytes: usize, least: usize) -> Self {
        let first = rows.saturating_mul(bytes);
        let held = first.saturating_add(rows * KEPT);
        let all = held.saturating_add(least).max(first.saturating_add(rows * ORDERING));
        Self { first, held, all }
    }
}

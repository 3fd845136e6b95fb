//! The shape of a search for neighbours, which decides what memory it takes.

use super::NeighbourRows;
use super::distances::Order;

/// The work, and the remedy where memory does not suffice, for messages.
pub(super) const WHAT: &str = "the search for neighbours of rows";
pub(super) const REMEDY: &str = "give it that much, use fewer threads, or a sample of the rows";

/// What decides how much a search takes.
#[derive(Debug)]
pub(super) struct SearchShape {
    /// Rows of each class.
    pub classes: Vec<usize>,
    /// Complete nominal columns, and how many values they have together.
    pub nominal: usize,
    pub values: usize,
    /// Columns of any other kind.
    pub others: usize,
    /// Whether every row counts once.
    pub unit: bool,
}

impl SearchShape {
    /// Of rows in order, with the numbers of values of their nominal columns.
    pub fn new(rows: &NeighbourRows<'_>, order: &Order, levels: &[u16]) -> Self {
        Self {
            classes: order.starts.windows(2).map(|w| w[1] - w[0]).collect(),
            nominal: rows.codes.columns,
            values: levels.iter().map(|&l| usize::from(l)).sum(),
            others: rows.others.len(),
            unit: rows.mass.is_unit(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.classes.iter().sum()
    }
}

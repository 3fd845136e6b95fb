//! One label's row of the table "label x class" of a whole tree, as each candidate of a block would
//! leave it.
//!
//! A split changes at most the rows of the leaf's old label and of the new labels. Where a distance
//! is a sum over rows, the summands of all other rows stay, and a candidate costs the summands of
//! two rows ([`Formula::row_terms`](super::Formula::row_terms)) instead of the whole table:
//! O(classes), for the Jaccard distance O(1). The sums are rounded in another order than the
//! formula does it; they choose who is looked at closely, never who wins.

use super::Context;
use crate::numeric::{Cells, Count};

/// A row with the kind of its counts still to be found out.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The label whose row it is.
    pub label: usize,
    /// Counts by class that every candidate finds in the row.
    pub base: Cells<'a>,
    /// What a candidate adds: `cells[class * stride + candidate]`.
    pub cells: Cells<'a>,
    /// The sum of that over the classes, by candidate.
    pub sizes: Cells<'a>,
    /// Distance between the planes of two classes.
    pub stride: usize,
    /// Class totals of the whole table.
    pub totals: Cells<'a>,
    /// Facts about the training set.
    pub context: &'a Context,
}

/// [`Row`] with the kind of its counts known.
#[derive(Debug, Clone, Copy)]
pub struct RowOf<'a, C> {
    /// The label whose row it is.
    pub label: usize,
    base: &'a [C],
    cells: &'a [C],
    sizes: &'a [C],
    stride: usize,
    /// Class totals of the whole table.
    pub totals: &'a [C],
    /// Facts about the training set.
    pub context: &'a Context,
}

impl<'a> Row<'a> {
    /// The row, if its counts are of this kind.
    pub fn of<C: Count>(&self) -> Option<RowOf<'a, C>> {
        Some(RowOf {
            label: self.label,
            base: C::of_cells(self.base)?,
            cells: C::of_cells(self.cells)?,
            sizes: C::of_cells(self.sizes)?,
            stride: self.stride,
            totals: C::of_cells(self.totals)?,
            context: self.context,
        })
    }
}

impl<'a, C: Count> RowOf<'a, C> {
    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.base.len()
    }

    /// What the row holds of a class before, and what each candidate adds to it.
    #[inline]
    pub fn class(&self, class: usize) -> (C, &'a [C]) {
        (self.base[class], &self.cells[class * self.stride..][..self.sizes.len()])
    }

    /// The same for all classes together.
    #[inline]
    pub fn size(&self) -> (C, &'a [C]) {
        (self.base.iter().fold(C::default(), |a, &b| a.plus(b)), self.sizes)
    }

    /// Rows (or weight) of the whole table.
    pub fn total(&self) -> C {
        self.totals.iter().fold(C::default(), |a, &b| a.plus(b))
    }
}

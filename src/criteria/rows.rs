//! One row of the table "label x class" of a whole tree, as each candidate of a block changes it.
//!
//! Global growth scores a candidate by the distance of the whole tree. A split changes at most the
//! rows of the leaf's old label and of the new labels. Where the distance is a sum over rows, a
//! candidate costs the terms of these rows ([`Formula::row_terms`](super::Formula::row_terms))
//! instead of the whole table: O(classes), for the Jaccard distance O(1). Such sums are rounded in
//! another order than the formula's, so they only preselect candidates; the formula decides.

use super::Context;
use crate::numeric::{Cells, Count};

/// A row of counts of either kind.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The label whose row it is.
    pub label: usize,
    /// Counts by class before a candidate adds its own.
    pub base: Cells<'a>,
    /// Counts that a candidate adds: `cells[class * stride + candidate]`.
    pub cells: Cells<'a>,
    /// The sum of a candidate's counts over the classes.
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
    /// The row, if its counts are of this kind. `None` otherwise, also if some of its lists are
    /// rows and others weights; the caller then computes the whole distance.
    pub fn with_counts<C: Count>(&self) -> Option<RowOf<'a, C>> {
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
    /// Number of classes. Every declared class has an entry, also a class without rows.
    pub fn classes(&self) -> usize {
        self.base.len()
    }

    /// The count of a class before the candidates, and what each candidate adds to it. The slice
    /// has one entry per candidate, so the new count of candidate `j` is the sum of the first part
    /// and entry `j`.
    #[inline]
    pub fn class(&self, class: usize) -> (C, &'a [C]) {
        (self.base[class], &self.cells[class * self.stride..][..self.sizes.len()])
    }

    /// The count of the row before the candidates, and what each candidate adds to it. It is the
    /// sum of [`Self::class`] over the classes; the sums that candidates add are given, so this
    /// costs O(classes) and not O(classes x candidates).
    #[inline]
    pub fn size(&self) -> (C, &'a [C]) {
        (self.base.iter().fold(C::default(), |a, &b| a.plus(b)), self.sizes)
    }

    /// Rows (or weight) of the whole table. It is the same for all candidates, which move rows
    /// between labels but do not change the class totals.
    pub fn total(&self) -> C {
        self.totals.iter().fold(C::default(), |a, &b| a.plus(b))
    }
}

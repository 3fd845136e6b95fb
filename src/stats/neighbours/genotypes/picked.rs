//! The rows of a tile and the neighbours that each has picked, as sums and corrections read them.

use super::super::nearest::PlaceGroup;
use super::super::select::Contribution;
use std::ops::Range;

/// The rows of a tile with what each adds to the scores.
pub(super) struct PickedRows<'a> {
    pub rows: Range<usize>,
    pub contributions: &'a [Contribution],
}

impl<'a> PickedRows<'a> {
    /// Each row with each group of its neighbours. A row without neighbours does not occur.
    pub fn groups(&self) -> impl Iterator<Item = (usize, &'a PlaceGroup)> {
        let rows = self.rows.clone().zip(self.contributions);
        rows.flat_map(|(row, contribution)| contribution.groups.iter().map(move |g| (row, g)))
    }
}

//! Scores of a node's features by neighbours of its rows (ReliefF and its relatives), all features
//! at once. Everything else about growth is the same as with other criteria.
//!
//! Rows are compared by their raw values: numbers by `|x - y|` over the range at the root, missing
//! cells by class-conditional expectation. The split is multiway: a numeric feature is divided at
//! the edges of its bins, but it is scored by its numbers. O(rows^2 x features) per node; see
//! [`crate::stats::neighbours`].

use super::PairScores;
use crate::criteria::neighbours::NeighbourSearch;
use crate::error::{Error, Result};
use crate::grow::evaluate::{ByOrder, NodeEvaluator};
use crate::parallel::Control;
use crate::stats::Sum;

impl<W: ByOrder> NodeEvaluator<'_, '_, W> {
    /// Scores of all features of the node by neighbours among its rows, in the order of the nominal
    /// features: numbers are bins here. The undivided node scores 0.
    ///
    /// # Errors
    /// [`Error::Internal`] where the context was made for another kind of criterion, and any error
    /// of the search for neighbours.
    pub fn neighbour_scores(
        &self,
        search: NeighbourSearch,
        control: &Control,
    ) -> Result<PairScores> {
        let (nominal, Some(root)) = (&self.context.nominal, &self.context.neighbours) else {
            return Err(Error::Internal("neighbours of a context without rows for them".into()));
        };
        let weights = self.context.weights;
        let value = |r: u32| weights.row_sum(r).value(weights.unit());
        let rows = self.coded().rows;
        let weight: Option<&dyn Fn(u32) -> f64> =
            if weights.is_unit() { None } else { Some(&value) };
        let scores = root.scores(control, rows, weight, search)?;
        let places = nominal.features.iter().enumerate();
        let scores =
            places.map(|(place, &feature)| (place as u32, scores[feature as usize])).collect();
        Ok(PairScores { scores, undivided: 0.0 })
    }
}

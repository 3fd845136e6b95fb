//! Growth on neighbours of rows: the scores of a node's features come from neighbours among its
//! rows, all at once; everything else of growth stays as it is.
//!
//! Rows are compared as they came: numbers by `|x - y|` over the range at the root, missing cells
//! by class-conditional expectation. The split itself is multiway: a numeric feature is divided by
//! its bins, which say where it is cut, not how it is scored.

use super::PairScores;
use crate::criteria::neighbours::NeighbourSearch;
use crate::error::{Error, Result};
use crate::grow::evaluate::NodeEvaluator;
use crate::parallel::Control;
use crate::stats::contingency::Code;
use crate::stats::{Sum, Weighing};

impl<C: Code, W: Weighing> NodeEvaluator<'_, '_, C, W> {
    /// Score the features of the node by neighbours.
    pub fn neighbour_scores(
        &self,
        search: NeighbourSearch,
        control: &Control,
    ) -> Result<PairScores> {
        let (nominal, Some(root)) = (&self.context.nominal, &self.context.near) else {
            return Err(Error::Internal("neighbours of a context without rows for them".into()));
        };
        let weights = self.context.weights;
        let value = |r: u32| weights.of(r).value(weights.unit());
        let rows = self.field.coded(nominal.features.len(), self.range).rows;
        let weight: Option<&dyn Fn(u32) -> f64> = if W::UNIT { None } else { Some(&value) };
        let scores = root.scores(control, rows, weight, search)?;
        let places = nominal.features.iter().enumerate();
        let scores =
            places.map(|(place, &feature)| (place as u32, scores[feature as usize])).collect();
        Ok(PairScores { scores, whole: 0.0 })
    }
}

//! What a search for neighbours takes, known from the shape of its rows before it begins.

use super::NeighbourMethod;
use super::narrow::ChunkPlan;
use super::score::RowGroups;
use super::shape::SearchShape;
use crate::simd::Kernels;

impl SearchShape {
    /// Bytes that the search takes at least, on one thread in the smallest blocks.
    pub fn least(&self, kernels: Kernels, method: NeighbourMethod) -> usize {
        match ChunkPlan::new(self, kernels, method) {
            Some(plan) => plan.bytes(plan.chunks, 1),
            None => RowGroups::new(self.rows(), [self.nominal, self.others]).one_group(
                method,
                self.classes.len(),
                1,
            ),
        }
    }
}

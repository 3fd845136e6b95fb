//! Neighbours of each row: ReliefF, RReliefF, SURF, MultiSURF, their star forms and the K-nearest
//! merit.
//!
//! For every row the distances to all rows are made, a [`NeighbourMethod`] picks neighbours and
//! their weights, and only the picked pairs enter the scores:
//! `score[k] = sum over i and its neighbours j of weight(i, j) * diff(k; i, j)`. diff is 0 or 1 for
//! nominal values, `|x - y| / range` for numeric ones, and an expectation where a cell is missing
//! ([`columns`]). Sources: Kononenko (1994) for ReliefF, Robnik-Sikonja & Kononenko (2003) for
//! RReliefF, Greene et al. (2009, 2010) for SURF and
//! SURF*, Granizo-Mackenzie & Moore (2013) and Urbanowicz et al. (2018) for MultiSURF* and
//! MultiSURF, Hong (1997) for the K-nearest merit.
//!
//! Up to a thousand complete nominal columns are searched on bit planes throughout ([`narrow`]).
//! More features, any other column, or weights need distances as numbers ([`distances`]), a pick
//! per row ([`select`]) and sums over blocks of columns ([`score`]). Packed genotypes have a search
//! of their own ([`genotypes`]). Cost: O(t^2 n / 400) operations for the distances and O(picked
//! pairs x n / 30) for the scores. Memory: the distances of a tile of rows to all rows (at most 128
//! MB), the bit planes of a block, and the numeric columns; nominal codes are read in place.
//!
//! Rows are sorted by content ([`content`]) and all sums are made in that order, so scores depend
//! neither on threads nor on the order of the rows. They are rounded to 40 binary digits, so that
//! equal features tie.
//!
//! Whole weights are numbers of copies: copies are neighbours of each other, at distance 0. Other
//! weights are importances, divided by their mean; a row is then no neighbour of itself.

mod by_distance;
mod columns;
mod content;
mod distances;
mod gather;
pub mod genotypes;
mod grid;
mod members;
mod narrow;
mod nearest;
mod need;
mod rows;
mod score;
mod select;
mod shape;
mod share;
#[cfg(test)]
mod tests;
mod thresholds;
mod totals;

pub use by_distance::{default_radius, pairs_by_distance, radius_need};
pub use columns::{MISSING, MissingGap, NominalRows, Other};
pub use gather::{NodeSearch, streamed};
pub use nearest::{NeighbourTies, Ranks};
pub use rows::{NeighbourRows, RowWeights};
pub use score::{
    DistanceSum, PartialScores, distance_parts, needs_total, neighbour_parts, neighbour_scores,
    neighbour_scores_with, round,
};
pub use select::{Multiclass, NeighbourMethod};
pub use share::Share;

//! Contextual merit over the K nearest rows of other classes (Hong 1997).
//!
//! `sum over rows of sum over their K nearest of other classes of diff / D^2`, where D is the
//! distance of the two rows; neighbours at distance 0 add nothing. It is a sum, not a mean, so it
//! grows with the rows. Unlike ReliefF it does not count hits, so features that scatter within
//! classes are not punished. O(t^2 n). `contextual_merit` counts all pairs instead of K neighbours.

use super::neighbours::{K, TIES};
use super::{Criterion, Evidence, EvidenceKind, Info, Properties};
use crate::stats::neighbours::{Multiclass, NeighbourMethod, NeighbourTies};
use serde::Deserialize;

/// Contextual merit of the K nearest.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KNearestMerit {
    /// Neighbours of other classes.
    pub k: usize,
    /// Ties at the k-th distance.
    pub neighbour_ties: NeighbourTies,
}

impl Default for KNearestMerit {
    fn default() -> Self {
        Self { k: 10, neighbour_ties: NeighbourTies::Share }
    }
}

pub(super) static INFO: Info = Info {
    name: "k_nearest_merit",
    class_name: "KNearestMerit",
    summary: "Differences to the k nearest rows of other classes, weighed by the inverse square of \
        the distance.",
    formula: r"\sum_i \sum_{j \in K_i} \mathrm{diff}(i, j) / D_{ij}^2",
    source: "hong1997",
    lowest: Some(0.0),
    options: &[K, TIES],
    extensive: true,
    ..Info::non_table_defaults(EvidenceKind::Neighbours)
};

impl Criterion for KNearestMerit {}

impl Properties for KNearestMerit {
    fn info(&self) -> &'static Info {
        &INFO
    }
    fn evidence(&self) -> Evidence<'_> {
        let method = NeighbourMethod::Merit { k: self.k, ties: self.neighbour_ties };
        Evidence::Neighbours((method, Multiclass::Prior))
    }
}

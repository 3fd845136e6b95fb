//! ReliefF: k nearest hits against k nearest misses of every other class (Kononenko 1994).
//!
//! `mean over rows of (sum_c w_c mean diff to the k nearest of class c - mean diff to the k nearest
//! hits)`, the row itself excluded. Neighbours may weigh by rank, `exp(-(r / sigma)^2)`
//! (Robnik-Sikonja & Kononenko 2003). A class with fewer than k rows gives all of them. ReliefF
//! detects interactions of many features as long as k is small compared with the rows of a class,
//! but not that features are redundant. O(t^2 n).

use super::neighbours::{K, MULTICLASS, RANK, TIES};
use super::{Criterion, Evidence, EvidenceKind, Info, Properties};
use crate::stats::neighbours::{Multiclass, NeighbourMethod, NeighbourTies, Ranks};
use serde::Deserialize;

/// ReliefF.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReliefF {
    /// Neighbours of each class.
    pub k: usize,
    /// Ties at the k-th distance.
    pub neighbour_ties: NeighbourTies,
    /// Weight of the classes of misses.
    pub multiclass: Multiclass,
    /// Sigma of the weights by rank.
    pub rank: Option<f64>,
}

impl Default for ReliefF {
    fn default() -> Self {
        let (neighbour_ties, multiclass) = (NeighbourTies::Share, Multiclass::Prior);
        Self { k: 10, neighbour_ties, multiclass, rank: None }
    }
}

pub(super) static INFO: Info = Info {
    name: "relieff",
    class_name: "ReliefF",
    summary: "Mean difference to the k nearest rows of other classes minus that to the k nearest \
        of the same class.",
    formula: concat!(
        r"\frac1n \sum_i \Bigl(\sum_{c \ne c_i} \tfrac{P(c)}{1 - P(c_i)} ",
        r"\overline{\mathrm{diff}}(i, M_{ic}) - \overline{\mathrm{diff}}(i, H_i)\Bigr)",
    ),
    source: "kononenko1994",
    lowest: Some(-1.0),
    highest: Some(1.0),
    options: &[K, TIES, MULTICLASS, RANK],
    ..Info::non_table_defaults(EvidenceKind::Neighbours)
};

impl Criterion for ReliefF {}

impl Properties for ReliefF {
    fn info(&self) -> &'static Info {
        &INFO
    }
    fn evidence(&self) -> Evidence<'_> {
        let ranks = self.rank.map_or(Ranks::Equal, |sigma| Ranks::Exponential { sigma });
        let method = NeighbourMethod::ReliefF { k: self.k, ties: self.neighbour_ties, ranks };
        Evidence::Neighbours((method, self.multiclass))
    }
}

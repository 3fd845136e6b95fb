//! RReliefF: ReliefF for a numeric target (Robnik-Sikonja & Kononenko, "Theoretical and empirical
//! analysis of ReliefF and RReliefF", 2003, figure 3).
//!
//! Over the k nearest rows of each row, each with its share `d` of the weight of 1 of the row, with
//! `a` its difference in the feature and `y` its difference in the target over the range of the
//! target at the root: `sum d y a / sum d y - sum d (1 - y) a / sum d (1 - y)`, the mean difference
//! in the feature of neighbours that differ in the target, minus the mean difference of neighbours
//! that agree. A mean over nothing is 0: no neighbour differs in the target, or none agrees in it
//! at all. A missing cell differs as much as is to be expected from all known cells, as there are
//! no classes. RReliefF detects interactions, as ReliefF does, but not that features are redundant.
//! O(t^2 n), twice where the distances of all rows do not fit the memory of a tile.
//!
//! `variant="weka"` is Weka's reading (ReliefFAttributeEval): ranks count from 0, missing cells
//! differ by as much as they could, and ties at the k-th distance depend on the order of the rows.

use super::neighbours::{K, RANK, TIES};
use super::{
    Criterion, Evidence, EvidenceKind, Info, OptionDomain, OptionInfo, Properties, TargetKind,
};
use crate::error::{Error, Result};
use crate::stats::neighbours::{MissingGap, Multiclass, NeighbourMethod, NeighbourTies, Ranks};
use serde::Deserialize;

/// Which definition of RReliefF is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RReliefFVariant {
    /// The definition of the paper.
    #[default]
    Paper,
    /// The definition of Weka.
    Weka,
}

/// RReliefF.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RReliefF {
    /// Neighbours of each row.
    pub k: usize,
    /// Ties at the k-th distance.
    pub neighbour_ties: NeighbourTies,
    /// Sigma of the weights by rank.
    pub rank: Option<f64>,
    /// Which definition is computed.
    pub variant: RReliefFVariant,
}

impl Default for RReliefF {
    fn default() -> Self {
        Self {
            k: 10,
            neighbour_ties: NeighbourTies::Share,
            rank: None,
            variant: RReliefFVariant::Paper,
        }
    }
}

pub(super) static INFO: Info = Info {
    name: "rrelieff",
    class_name: "RReliefF",
    summary: "Mean difference to near rows of another target minus that of the same target.",
    formula: concat!(
        r"\frac{\sum_i \sum_j d_{ij} y_{ij} a_{ij}}{\sum_i \sum_j d_{ij} y_{ij}} - ",
        r"\frac{\sum_i \sum_j d_{ij} (1 - y_{ij}) a_{ij}}{\sum_i \sum_j d_{ij} (1 - y_{ij})}",
    ),
    source: "robniksikonja2003",
    target: TargetKind::Number,
    lowest: Some(-1.0),
    highest: Some(1.0),
    options: &[
        K,
        TIES,
        RANK,
        OptionInfo {
            name: "variant",
            domain: OptionDomain::Words { words: &["paper", "weka"] },
            default: "\"paper\"",
            others: "[\"weka\"]",
            doc: "'paper', or 'weka', as Weka's ReliefFAttributeEval: the r-th neighbour weighs \
                exp(-((r - 1) / sigma)^2), a missing number differs by as much as it could, a \
                missing level by 1 - 1 / levels, and of rows tied at the k-th distance some are \
                taken, by the order of the rows ('neighbour_ties' must be 'share', and is not \
                read). It takes no weights.",
            ..OptionInfo::PLAIN
        },
    ],
    ..Info::non_table_defaults(EvidenceKind::Neighbours)
};

impl Criterion for RReliefF {}

impl Properties for RReliefF {
    fn info(&self) -> &'static Info {
        &INFO
    }
    fn evidence(&self) -> Evidence<'_> {
        let (ties, gap, from_zero) = match self.variant {
            RReliefFVariant::Paper => (self.neighbour_ties, MissingGap::Expected, false),
            RReliefFVariant::Weka => (NeighbourTies::Listed, MissingGap::Largest, true),
        };
        let ranks = match self.rank {
            None => Ranks::Equal,
            Some(sigma) if from_zero => Ranks::FromZero { sigma },
            Some(sigma) => Ranks::Exponential { sigma },
        };
        let method = NeighbourMethod::RReliefF { k: self.k, ties, ranks, gap };
        Evidence::Neighbours((method, Multiclass::Prior))
    }
    fn check(&self) -> Result<()> {
        if self.variant == RReliefFVariant::Weka && self.neighbour_ties != NeighbourTies::Share {
            return Err(Error::parameter(
                "neighbour_ties",
                "'first'",
                "variant='weka' breaks ties in its own way; leave it out, or variant='paper'",
            ));
        }
        Ok(())
    }
}

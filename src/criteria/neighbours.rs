//! Criteria on neighbours of rows: which rows are compared, for all features of a node at once.
//!
//! The evidence is a set of rows with numbers as numbers; a criterion of this kind only says how
//! neighbours are picked and weighed ([`NeighbourSearch`]), `stats` does the rest. It has one score
//! a feature, larger is better, and the distance `-s`; a split that divides nothing scores 0. A
//! single table does not say what it needs, so [`Criterion::score`] refuses. O(t^2 n), so not for
//! hundreds of thousands of rows.

use super::evidence::Evidence;
pub use super::evidence::NeighbourSearch;
use super::{Criterion, Info, OptionDomain, OptionInfo, Properties};
use crate::error::Result;
use crate::stats::neighbours::{Multiclass, NeighbourTies};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A criterion on neighbours: how they are picked and weighed.
pub trait OnNeighbours: Send + Sync + std::fmt::Debug + Serialize {
    /// Facts.
    fn info(&self) -> &'static Info;
    /// How neighbours are picked.
    fn search(&self) -> NeighbourSearch;
    /// Refuse options outside their domain.
    fn check(&self) -> Result<()> {
        self.search().0.check()
    }
}

/// A search for neighbours as a criterion.
#[derive(Debug)]
pub struct NeighbourCriterion<M>(pub M);

impl<M: OnNeighbours> Properties for NeighbourCriterion<M> {
    fn info(&self) -> &'static Info {
        self.0.info()
    }
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Neighbours(self.0.search())
    }
}

impl<M: OnNeighbours> Criterion for NeighbourCriterion<M> {
    fn options(&self) -> Value {
        serde_json::to_value(&self.0).unwrap_or(Value::Null)
    }
}

/// Names of [`Multiclass`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MulticlassName {
    /// By the share of the class in the rows.
    #[default]
    Prior,
    /// By the share of the class among the neighbours.
    Rebate,
}

impl From<MulticlassName> for Multiclass {
    fn from(name: MulticlassName) -> Self {
        match name {
            MulticlassName::Prior => Self::Prior,
            MulticlassName::Rebate => Self::Rebate,
        }
    }
}

/// Names of [`NeighbourTies`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TiesName {
    /// Tied rows share.
    #[default]
    Share,
    /// Lower row numbers first.
    First,
}

impl From<TiesName> for NeighbourTies {
    fn from(name: TiesName) -> Self {
        match name {
            TiesName::Share => Self::Share,
            TiesName::First => Self::First,
        }
    }
}

pub(super) const K: OptionInfo = OptionInfo {
    name: "k",
    domain: OptionDomain::whole(1),
    default: "10",
    others: "[3]",
    doc: "Number of neighbours, at least 1; all rows where there are fewer.",
    ..OptionInfo::PLAIN
};
pub(super) const TIES: OptionInfo = OptionInfo {
    name: "neighbour_ties",
    domain: OptionDomain::Words { words: &["share", "first"] },
    default: "\"share\"",
    others: "[\"first\"]",
    doc: "Rows tied at the k-th distance: 'share' (they share the weight that is left) or 'first' \
        (by row number).",
    ..OptionInfo::PLAIN
};
pub(super) const RANK: OptionInfo = OptionInfo {
    name: "rank",
    domain: OptionDomain::above(0.0),
    default: "null",
    others: "[2.0]",
    doc: "Sigma > 0: the r-th neighbour weighs exp(-(r / sigma)^2); None: all alike.",
    ..OptionInfo::PLAIN
};
pub(super) const MULTICLASS: OptionInfo = OptionInfo {
    name: "multiclass",
    domain: OptionDomain::Words { words: &["prior", "rebate"] },
    default: "\"prior\"",
    others: "[\"rebate\"]",
    doc: "Misses of class c weigh P(c) / (1 - P(own class)) ('prior'), or by the frequency of c \
        among the neighbours as in scikit-rebate \
          ('rebate'; SURF's mean distance then includes self-pairs).",
    ..OptionInfo::PLAIN
};

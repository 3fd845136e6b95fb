//! Criteria on neighbours of rows: which rows are compared, for all features of a node at once.
//!
//! The evidence is a set of rows with numbers as numbers; a criterion of this kind only says how
//! neighbours are picked and weighed ([`NeighbourSearch`]), `stats` does the rest. It has one score
//! a feature, larger is better, and the distance `-s`; a split that divides nothing scores 0. A
//! single table does not say what it needs, so [`Criterion::score`] refuses. O(t^2 n), so not for
//! hundreds of thousands of rows.

use super::evidence::Evidence;
pub use super::evidence::NeighbourSearch;
use super::formula::read;
use super::{Criterion, Info, OptionDomain, OptionInfo, Properties, Tables};
use crate::error::{Error, Result};
use crate::stats::neighbours::{Multiclass, NeighbourTies};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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

impl<M: OnNeighbours> NeighbourCriterion<M> {
    fn refuse<T>(&self) -> Result<T> {
        Err(Error::Unsupported {
            what: format!("criterion='{}' on a contingency table", self.0.info().name),
            supported: "its evidence are neighbours of rows: fit, score_features".into(),
        })
    }
}

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
    fn score(&self, _tables: &Tables<'_>, _out: &mut [f64]) -> Result<()> {
        self.refuse()
    }
    fn distance(&self, _tables: &Tables<'_>, _out: &mut [f64]) -> Result<()> {
        self.refuse()
    }
}

/// Build a criterion on neighbours from options; unknown names and values outside their domain are
/// refused.
pub(super) fn from_options<M: OnNeighbours + DeserializeOwned + 'static>(
    options: Map<String, Value>,
) -> Result<Box<dyn Criterion>> {
    let made: M = read(options)?;
    made.check()?;
    Ok(Box::new(NeighbourCriterion(made)))
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

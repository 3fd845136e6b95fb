//! Pinball loss: decrease of the mean loss around a quantile (Koenker & Bassett 1978).
//!
//! Leaves predict the weighted q-quantile: the midpoint of two neighbouring numbers where the
//! cumulated weight meets q of all exactly. With q = 1/2 it is half of `absolute_error`. O(rows)
//! per numeric feature. It serves to predict a bound that a share q of the rows stays below. In
//! small leaves, extreme quantiles are just their extreme numbers, so set `min_samples_leaf`.

use super::{
    Criterion, Evidence, EvidenceKind, Info, OptionDomain, OptionInfo, Properties, QuantileLoss,
};
use crate::error::Result;
use crate::options;
use serde::Deserialize;

/// Pinball loss.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quantile {
    /// The share of the weight below the quantile.
    pub q: f64,
}

impl Default for Quantile {
    fn default() -> Self {
        Self { q: 0.5 }
    }
}

pub(super) static INFO: Info = Info {
    name: "quantile",
    class_name: "Quantile",
    summary: "Decrease of the mean pinball loss around the q-quantile.",
    formula: concat!(
        r"\frac1W \sum_i w_i \rho_q(y_i - Q_q(y)) ",
        r"- \frac1W \sum_m \sum_{i \in m} w_i \rho_q(y_i - Q_q(y_m)), \quad ",
        r"\rho_q(d) = \max(q d, (q - 1) d)",
    ),
    source: "koenker1978",
    options: &[OptionInfo {
        name: "q",
        default: "0.5",
        others: "[0.1, 0.9]",
        domain: OptionDomain::Number { low: Some(0.0), high: Some(1.0), closed: (false, false) },
        doc: "The share of the weight below the quantile, between 0 and 1.",
        ..OptionInfo::PLAIN
    }],
    example_score: 0.7,
    ..Info::number_defaults(EvidenceKind::Order)
};

impl Criterion for Quantile {}

impl Properties for Quantile {
    fn info(&self) -> &'static Info {
        &INFO
    }
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Order(QuantileLoss { quantile: self.q, scale: 1.0 })
    }
    fn check(&self) -> Result<()> {
        options::check(INFO.options, "q", self.q)
    }
}

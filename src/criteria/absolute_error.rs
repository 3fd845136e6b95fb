//! Absolute error: decrease of the mean absolute difference from the median (Breiman, Friedman,
//! Olshen & Stone 1984, section 8.11).
//!
//! Leaves predict the weighted median: the mean of the two middle numbers where the cumulated
//! weight meets one half exactly. Outliers count by their distance, not its square, so a few of
//! them move no split. O(rows) per numeric feature, some three times the cost of `squared_error`.

use super::{Criterion, Evidence, EvidenceKind, Info, Properties, QuantileLoss};

/// Absolute error; no options.
#[derive(Debug)]
pub struct AbsoluteError;

pub(super) static INFO: Info = Info {
    name: "absolute_error",
    class_name: "AbsoluteError",
    summary: "Decrease of the mean absolute difference from the median.",
    formula: concat!(
        r"\frac1W \sum_i w_i |y_i - \operatorname{med}(y)| ",
        r"- \frac1W \sum_m \sum_{i \in m} w_i |y_i - \operatorname{med}(y_m)|",
    ),
    source: "breiman1984",
    example_score: 1.4,
    ..Info::number_defaults(EvidenceKind::Order)
};

impl Criterion for AbsoluteError {}

impl Properties for AbsoluteError {
    fn info(&self) -> &'static Info {
        &INFO
    }
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Order(QuantileLoss { quantile: 0.5, scale: 2.0 })
    }
}

//! Thresholds looked for in a histogram: numbers are put into bins first, and only the cuts between
//! bins are candidates.
//!
//! While a column has no more distinct values than bins, every value is a bin and rows are divided
//! as by the exact search (below the root a threshold is a midpoint of the whole training set's
//! values, not of the node's); beyond that bins hold about equal weight (Weka's rule of equal
//! frequency). They are made once, on the training rows of the whole tree. A number becomes the
//! upper edge of its bin, so that growth, which looks at boundaries between values, looks at cuts
//! and can name them.
//!
//! O(n) after the one sort of the column. Not for speed on some 100,000 rows, where the exact
//! search over sorted columns costs no more; it makes trees coarser and thresholds fewer, as
//! gradient boosters have them.

use super::{Config, unsupported};
use crate::criteria::{Criterion, Evidence, SplitRule};
use crate::data::{Bins, NumericColumn};
use crate::discretize;
use crate::error::{Error, Result};
use crate::grow::Thresholds;
use serde::Deserialize;

/// Where thresholds are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThresholdSearch {
    /// At every boundary between two values.
    #[default]
    Exact,
    /// Between bins.
    Histogram,
}

/// Refuse what bins do not go with.
pub(super) fn check(config: &Config, criterion: &dyn Criterion) -> Result<()> {
    if config.threshold_search == ThresholdSearch::Exact {
        return Ok(());
    }
    if !(2..=discretize::LARGEST_BINS).contains(&config.max_bins) {
        let needed = format!("must be between 2 and {}", discretize::LARGEST_BINS);
        return Err(Error::parameter("max_bins", config.max_bins, needed));
    }
    let refused = if config.discretize.is_some() {
        "a discretisation (numbers are then levels, without thresholds)"
    } else if criterion.info().evidence != Evidence::Table {
        "a criterion on pairs or neighbours of rows"
    } else if criterion.split_rule() == SplitRule::C45 {
        "mdl_penalty=True (C4.5 counts the boundaries between all values)"
    } else if config.thresholds != Thresholds::Midpoint {
        "thresholds='value' or 'training_value' (cuts lie midway between two bins)"
    } else {
        return Ok(());
    };
    unsupported(format!("threshold_search='histogram' with {refused}"), "threshold_search='exact'")
}

/// The bins that thresholds are looked for between; nothing where all boundaries are looked at.
pub(super) fn method(config: &Config) -> Option<discretize::Method> {
    (config.threshold_search == ThresholdSearch::Histogram)
        .then_some(discretize::Method::Histogram { bins: config.max_bins })
}

/// Where growth puts thresholds: on the lower value, where that is the edge of a bin.
pub(super) fn thresholds(config: &Config) -> Thresholds {
    match config.threshold_search {
        ThresholdSearch::Exact => config.thresholds,
        ThresholdSearch::Histogram => Thresholds::Value,
    }
}

/// Each number as the upper edge of its bin; of the last bin, which has none, the number next to
/// the last cut.
pub(super) fn edges(column: &NumericColumn, bins: &Bins) -> NumericColumn {
    let cuts = bins.cuts();
    let last = cuts.last().map_or(0.0, |c| c.next_up());
    let edge = |&v: &f64| {
        if v.is_nan() { v } else { cuts.get(bins.bin(v) as usize).copied().unwrap_or(last) }
    };
    NumericColumn::new(column.values().iter().map(edge).collect())
}

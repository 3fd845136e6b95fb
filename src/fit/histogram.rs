//! Thresholds looked for in a histogram: numbers are put into bins first, and only the cuts between
//! bins are candidates.
//!
//! While a column has no more distinct values than bins, every value is a bin and the tree is that
//! of the exact search; beyond that bins hold about equal weight ([`crate::bins::edges`]). They are
//! made once, on the training rows of the whole tree or forest.
//!
//! Trees grow on the codes of the bins ([`crate::grow::binned`]) where that serves: a threshold
//! then lies midway between the highest value of the last occupied bin on its left and the lowest
//! of the first on its right. Where it does not (global and glocal growth, fractional instances,
//! ties by row, more than 255 classes, levels or bins without number), a number becomes the upper
//! edge of its bin, and growth, which looks at boundaries between values, looks at cuts and names
//! them.

use super::{Config, FitPlan, unsupported};
use crate::bins::{self, BinEncoding, BinnedTable, RowChoice, TableFacts};
use crate::criteria::{Criterion, EvidenceKind, SplitRule};
use crate::data::{Bins, Column, Dataset, Kind, NumericColumn, RowSet, Weights};
use crate::discretize;
use crate::error::{Error, Result};
use crate::grow::{self, GrowthSetting, Thresholds, binned};
use crate::parallel::Control;
use crate::reached::{self, Way};
use crate::tree::Tree;
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
    } else if criterion.info().evidence != EvidenceKind::Table {
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

/// Where growth on rounded numbers puts thresholds: on the lower value, which is the edge of a bin.
pub(super) fn thresholds(config: &Config) -> Thresholds {
    match config.threshold_search {
        ThresholdSearch::Exact => config.thresholds,
        ThresholdSearch::Histogram => Thresholds::Value,
    }
}

/// Each number as the upper edge of its bin; of the last bin, which has none, the number next to
/// the last cut.
fn rounded(column: &NumericColumn, bins: &Bins) -> NumericColumn {
    let cuts = bins.cuts();
    let last = cuts.last().map_or(0.0, |c| c.next_up());
    let edge = |&v: &f64| {
        if v.is_nan() { v } else { cuts.get(bins.bin(v) as usize).copied().unwrap_or(last) }
    };
    NumericColumn::new(column.values().iter().map(edge).collect())
}

impl FitPlan {
    /// Thresholds are looked for between bins.
    pub(super) fn on_bins(&self) -> bool {
        self.config.threshold_search == ThresholdSearch::Histogram
    }

    /// Trees grow on codes of bins; else, if they are asked for at all, on rounded numbers.
    pub(super) fn grows_on_codes(&self, data: &Dataset, rows: &RowSet, weights: &Weights) -> bool {
        self.on_bins()
            && binned::serves(data, &self.setting(data, rows, weights), self.config.max_bins)
    }

    /// Whether growth reads the sorted orders of numeric columns.
    pub fn reads_orders(&self, data: &Dataset, rows: &RowSet, weights: &Weights) -> bool {
        !self.grows_on_codes(data, rows, weights)
    }

    /// Cut points of all numeric columns, in the schema; where growth needs rounded numbers, these.
    pub(super) fn with_edges(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Dataset> {
        let numeric: Vec<usize> = (0..data.columns().len())
            .filter(|&f| matches!(data.columns()[f], Column::Numeric(_)))
            .collect();
        let features = (&numeric[..], data.columns().len());
        let found =
            bins::edges(data, features, chosen(rows), weights, self.config.max_bins, control)?;
        let as_codes = self.grows_on_codes(data, rows, weights);
        let mut schema = data.schema().clone();
        let mut columns = data.columns().to_vec();
        for (&feature, found) in numeric.iter().zip(found) {
            if let (Column::Numeric(column), Kind::Numeric { cuts, .. }) =
                (&mut columns[feature], &mut schema.features[feature].kind)
            {
                let bins = Bins::new(found)?;
                if !as_codes {
                    reached::count(Way::FitRounded);
                    *column = rounded(column, &bins);
                }
                *cuts = Some(bins.cuts().to_vec());
            }
        }
        Ok(data.with_columns(schema, columns))
    }

    /// The records of rows whose cut points are in the schema, where trees grow on codes.
    pub(super) fn binned_table(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Option<BinnedTable>> {
        if !self.grows_on_codes(data, rows, weights) {
            return Ok(None);
        }
        let cuts: Vec<Option<&[f64]>> = data
            .schema()
            .features
            .iter()
            .map(|feature| match &feature.kind {
                Kind::Numeric { cuts, .. } => cuts.as_deref(),
                Kind::Nominal { .. } => None,
            })
            .collect();
        let levels: Vec<u32> = data
            .columns()
            .iter()
            .map(|column| match column {
                Column::Numeric(_) => 0,
                Column::Nominal(c) => c.levels() as u32,
            })
            .collect();
        let encoding = BinEncoding {
            cuts: &cuts,
            values: None,
            levels: &levels,
            class_of: data.classes(),
            classes: data.n_classes(),
            weights,
        };
        BinnedTable::new(data, chosen(rows), &encoding, control).map(Some)
    }

    /// Grow a tree on the codes of some rows, or on the rows as they are.
    pub(super) fn grow_tree(
        &self,
        data: &Dataset,
        setting: &GrowthSetting<'_>,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Tree> {
        let Some(table) = self.binned_table(data, rows, weights, control)? else {
            return grow::grow(data, setting, rows, weights, control);
        };
        reached::count(Way::FitTable);
        let (classes, unit) = (table.classes, table.unit);
        let (features, records) = table.into_records();
        let facts = TableFacts { features: &features, classes, unit };
        binned::grow(&facts, records, false, setting, control)
    }
}

fn chosen(rows: &RowSet) -> RowChoice<'_> {
    if rows.is_everything() { RowChoice::All(rows.len()) } else { RowChoice::Some(rows.rows()) }
}

//! A tree grown on codes of the caller's own numbers: no copy of them is made.
//!
//! What a histogram search reads of a number is its bin. Where all columns are numbers without gaps
//! and nothing after growth looks at rows again (no pruning on rows), the records of
//! [`crate::bins`] are all that is kept of them: at most two buffers of `features + 1` bytes a row
//! (see there). The tree is that of [`FitPlan::fit`] to the last bit, because records are the same.
//!
//! The exact search takes the same way where no column has more than [`MOST_VALUES`] values: with a
//! bin for each value both searches grow the same tree, and codes are quicker than sorted orders.

use super::FitPlan;
use crate::bins::{self, BinEncoding, BinnedTable, RowChoice, RowSource, TableFacts};
use crate::data::{Bins, Kind, Schema, Weights};
use crate::error::{Error, Result};
use crate::grow::{GrowthSetting, Thresholds, binned};
use crate::model::Model;
use crate::parallel::Control;
use crate::reached::{self, Way};

/// Most values of a column that the exact search sees as codes, which are then single bytes.
const MOST_VALUES: usize = 255;

/// The bins of columns of numbers.
struct ColumnBins {
    cuts: Vec<Bins>,
    /// The one value of each bin, where there is but one.
    values: Option<Vec<Vec<f64>>>,
}

impl FitPlan {
    /// Whether [`FitPlan::fit_numbers`] can serve such columns, if no number is missing.
    pub fn serves_numbers(&self, schema: &Schema) -> bool {
        let (p, k) = (schema.features.len(), schema.classes.len());
        let prunes = self.config.pruning.is_some() || self.config.merge_redundant.is_some();
        let numeric = schema.features.iter().all(|f| matches!(f.kind, Kind::Numeric { .. }));
        let at_midpoints = self.on_bins()
            || (self.config.thresholds == Thresholds::Midpoint && self.config.discretize.is_none());
        // How many codes the exact search has is found later.
        let codes = if self.on_bins() { self.config.max_bins as usize } else { 2 };
        numeric
            && !prunes
            && at_midpoints
            && self.config.alpha_rule.is_none()
            && self.serves_codes((0..p).map(|_| codes), k)
    }

    fn serves_codes(&self, codes: impl Iterator<Item = usize>, classes: usize) -> bool {
        let columns = codes.map(|codes| (codes, false));
        binned::serves_columns(columns, classes, &self.setting_of(vec![true; classes], 1, 1))
    }

    /// The bins of all columns; nothing where one has too many values for the exact search.
    fn bins_of_numbers(
        &self,
        cells: &dyn RowSource,
        (features, classes): (usize, usize),
        rows: RowChoice<'_>,
        weights: &Weights,
        control: &Control,
    ) -> Result<Option<ColumnBins>> {
        let (values, cuts) = if self.on_bins() {
            let all: Vec<usize> = (0..features).collect();
            let (all, bins) = ((&all[..], features), self.config.max_bins);
            (None, bins::edges(cells, all, rows, weights, bins, control)?)
        } else {
            let found = bins::values_of_all(cells, features, rows, MOST_VALUES, control)?;
            let Some(values) = found else { return Ok(None) };
            if !self.serves_codes(values.iter().map(|values| values.len().max(2)), classes) {
                return Ok(None);
            }
            let cuts = values.iter().map(|values| bins::between(values)).collect();
            (Some(values), cuts)
        };
        let cuts = cuts.into_iter().map(Bins::new).collect::<Result<_>>()?;
        Ok(Some(ColumnBins { cuts, values }))
    }

    /// The setting of growth on some rows.
    fn setting_of_rows(
        &self,
        (class_of, classes): (&[u16], usize),
        rows: RowChoice<'_>,
        weights: &Weights,
    ) -> GrowthSetting<'_> {
        let mut occurring = vec![false; classes];
        (0..rows.len()).for_each(|i| occurring[usize::from(class_of[rows.row(i)])] = true);
        let largest = match weights {
            Weights::Integer(w) => w.iter().map(|&w| u64::from(w)).sum(),
            _ => rows.len() as u64,
        };
        self.setting_of(occurring, largest, rows.len())
    }

    /// Fit a model on numbers, with their classes and weights by row; nothing where the plan or the
    /// numbers need an encoded training set.
    pub fn fit_numbers(
        &self,
        mut schema: Schema,
        cells: &dyn RowSource,
        (classes, weights): (&[u16], &Weights),
        control: &Control,
    ) -> Result<Option<Model>> {
        let (p, k, n) = (schema.features.len(), schema.classes.len(), classes.len());
        if !self.serves_numbers(&schema) {
            return Ok(None);
        }
        if classes.iter().any(|&c| usize::from(c) >= k) {
            return Err(Error::Internal("a class code without a class".into()));
        }
        let empty = |r: &usize| weights.is_zero(*r as u32);
        let kept: Option<Vec<u32>> = (0..n)
            .any(|r| empty(&r))
            .then(|| (0..n).filter(|r| !empty(r)).map(|r| r as u32).collect());
        let rows = kept.as_ref().map_or(RowChoice::All(n), |kept| RowChoice::Some(kept));
        if rows.is_empty() {
            return Err(Error::Data("no training rows with a positive weight".into()));
        }
        let Some(bins) = self.bins_of_numbers(cells, (p, k), rows, weights, control)? else {
            return Ok(None);
        };
        let ColumnBins { cuts, values } = bins;
        if self.on_bins() {
            for (feature, bins) in schema.features.iter_mut().zip(&cuts) {
                if let Kind::Numeric { cuts, .. } = &mut feature.kind {
                    *cuts = Some(bins.cuts().to_vec());
                }
            }
        }
        let cuts: Vec<Option<&[f64]>> = cuts.iter().map(|bins| Some(bins.cuts())).collect();
        let levels = vec![0; p];
        let encoding = BinEncoding {
            cuts: &cuts,
            values: values.as_deref(),
            levels: &levels,
            class_of: classes,
            classes: k,
            weights,
        };
        let table = BinnedTable::new(cells, rows, &encoding, control)?;
        if table.features.iter().any(|f| f.missing) {
            return Ok(None);
        }
        reached::count(Way::FitNumbers);
        let setting = self.setting_of_rows((classes, k), rows, weights);
        let unit = table.unit;
        let (features, records) = table.into_records();
        let facts = TableFacts { features: &features, classes: k, unit };
        let tree = binned::grow(&facts, records, false, &setting, control)?;
        drop(setting);
        self.finish_on_codes(tree, schema, control).map(Some)
    }
}

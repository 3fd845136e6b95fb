//! A tree grown on codes of the caller's own numbers: no copy of them is made.
//!
//! What a histogram search reads of a number is its bin. Where all columns are numbers without gaps
//! and nothing after growth looks at rows again (no pruning on rows), the records of
//! [`crate::bins`] are all that is kept of them: at most two buffers of `features + 1` bytes a row
//! (see there). The tree is that of [`FitPlan::fit`] to the last bit, because records are the same.

use super::FitPlan;
use crate::bins::{self, BinEncoding, BinnedTable, RowChoice, RowSource, TableFacts};
use crate::data::{Bins, Kind, Schema, Weights};
use crate::error::{Error, Result};
use crate::grow::binned;
use crate::model::Model;
use crate::parallel::Control;

impl FitPlan {
    /// Whether [`FitPlan::fit_numbers`] can serve such columns, if no number is missing.
    pub fn serves_numbers(&self, schema: &Schema) -> bool {
        let (p, k) = (schema.features.len(), schema.classes.len());
        let prunes = self.config.pruning.is_some() || self.config.merge_redundant.is_some();
        let numeric = schema.features.iter().all(|f| matches!(f.kind, Kind::Numeric { .. }));
        let columns = (0..p).map(|_| (self.config.max_bins as usize, false));
        self.on_bins()
            && numeric
            && !prunes
            && self.config.alpha_rule.is_none()
            && binned::serves_columns(columns, k, &self.setting_of(vec![true; k], 1, 1))
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
        let mut occurring = vec![false; k];
        (0..rows.len()).for_each(|i| occurring[usize::from(classes[rows.row(i)])] = true);
        let largest = match weights {
            Weights::Integer(w) => w.iter().map(|&w| u64::from(w)).sum(),
            _ => rows.len() as u64,
        };
        let setting = self.setting_of(occurring, largest, rows.len());
        let features: Vec<usize> = (0..p).collect();
        let bins = self.config.max_bins;
        let found = bins::edges(cells, (&features, p), rows, weights, bins, control)?;
        for (feature, found) in schema.features.iter_mut().zip(found) {
            if let Kind::Numeric { cuts, .. } = &mut feature.kind {
                *cuts = Some(Bins::new(found)?.cuts().to_vec());
            }
        }
        let cuts: Vec<Option<&[f64]>> = schema
            .features
            .iter()
            .map(|feature| match &feature.kind {
                Kind::Numeric { cuts, .. } => cuts.as_deref(),
                Kind::Nominal { .. } => None,
            })
            .collect();
        let levels = vec![0; p];
        let encoding =
            BinEncoding { cuts: &cuts, levels: &levels, class_of: classes, classes: k, weights };
        let table = BinnedTable::new(cells, rows, &encoding, control)?;
        drop(cuts);
        if table.features.iter().any(|f| f.missing) {
            return Ok(None);
        }
        let unit = table.unit;
        let (features, records) = table.into_records();
        let facts = TableFacts { features: &features, classes: k, unit };
        let tree = binned::grow(&facts, records, false, &setting, control)?;
        drop(setting);
        self.finish_on_codes(tree, schema, control).map(Some)
    }
}

//! Prepares the data set for growth: means and modes in place of missing values, bins.
//!
//! A histogram has its cut points written into the schema. Where its rows cannot be codes
//! ([`super::route`]), a number becomes the upper edge of its bin: growth, which looks at
//! boundaries between values, then looks at cuts and names them.

use super::records::{CallerRows, chosen};
use super::route::{FitShape, Route};
use super::{FitPlan, Missing};
use crate::criteria::{EvidenceKind, Info};
use crate::data::{
    Bins, Codes, Column, Dataset, Kind, MISSING, NominalColumn, NumericColumn, RowSet, Schema,
    Weights,
};
use crate::discretize;
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::reached::{self, Way};

impl FitPlan {
    /// The data set as growth reads it, imputed and binned on the training rows; nothing where it
    /// can be used as it is.
    pub fn prepare(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Option<Dataset>> {
        let bin = self.config.discretize;
        if bin.is_none()
            && !self.on_bins()
            && matches!(
                self.criterion.info().evidence,
                EvidenceKind::Pairs | EvidenceKind::Neighbours
            )
        {
            refuse_numeric(data, self.criterion.info())?;
        }
        let imputed = self.with_bins(data, rows, weights, bin.as_ref(), control)?;
        let numeric = data.columns().iter().any(|c| matches!(c, Column::Numeric(_)));
        if !self.on_bins() || !numeric {
            return Ok(imputed);
        }
        self.with_edges(imputed.as_ref().unwrap_or(data), rows, weights, control).map(Some)
    }

    /// The imputed data set with numbers as numbers; nothing where no cell is imputed.
    pub fn imputed(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Option<Dataset>> {
        self.with_bins(data, rows, weights, None, control)
    }

    /// The data set with the cut points of all numeric columns in its schema, and with rounded
    /// numbers where growth does not read codes.
    fn with_edges(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Dataset> {
        let cells = CallerRows { schema: data.schema(), source: data, classes: data.classes() };
        let schema = self.schema_with_cuts(cells, chosen(rows), weights, control)?;
        let mut columns = data.columns().to_vec();
        if !Route::of(self, &FitShape::of(data, rows, weights)).0.is_on_codes() {
            for (column, feature) in columns.iter_mut().zip(&schema.features) {
                if let (Column::Numeric(numbers), Kind::Numeric { cuts: Some(cuts), .. }) =
                    (&mut *column, &feature.kind)
                {
                    reached::count(Way::FitRounded);
                    *column = Column::Numeric(rounded(numbers, &Bins::new(cuts.clone())?));
                }
            }
        }
        Ok(data.with_columns(schema, columns))
    }

    fn with_bins(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        bin: Option<&discretize::DiscretizeMethod>,
        control: &Control,
    ) -> Result<Option<Dataset>> {
        if self.config.missing == Missing::Error {
            refuse_missing(data, rows)?;
        }
        let impute =
            self.config.missing == Missing::Mode && data.columns().iter().any(|c| n_missing(c) > 0);
        let numeric = data.columns().iter().any(|c| matches!(c, Column::Numeric(_)));
        let bin = bin.filter(|_| numeric);
        if !impute && bin.is_none() {
            return Ok(None);
        }
        data.sort_columns(control)?;
        let mut schema: Schema = data.schema().clone();
        let columns = data
            .columns()
            .iter()
            .zip(&mut schema.features)
            .map(|(column, feature)| {
                control.check()?;
                match (column, &mut feature.kind) {
                    (Column::Numeric(c), Kind::Numeric { cuts, fill }) => {
                        let mut column = None;
                        if impute && c.n_missing() > 0 {
                            *fill = discretize::mean(c, rows, weights);
                            column = fill.map(|mean| c.filled(mean));
                        }
                        let c = column.unwrap_or_else(|| c.clone());
                        let Some(method) = bin else { return Ok(Column::Numeric(c)) };
                        let (classes, k) = (data.classes(), data.n_classes());
                        let bins = discretize::fit(method, &c, classes, k, rows, weights)?;
                        *cuts = Some(bins.cuts().to_vec());
                        let bin = |&v: &f64| if v.is_nan() { MISSING } else { bins.bin(v) };
                        let codes = c.values().iter().map(bin);
                        Ok(Column::Nominal(NominalColumn::new(bins.len(), codes)))
                    }
                    (Column::Nominal(c), Kind::Nominal { fill, .. })
                        if impute && c.n_missing() > 0 =>
                    {
                        let mode = discretize::mode(c, rows, weights);
                        *fill = mode;
                        let codes = (0..c.len() as u32).map(|r| match (c.code(r), mode) {
                            (MISSING, Some(m)) => m,
                            (code, _) => code,
                        });
                        Ok(Column::Nominal(NominalColumn::new(c.levels(), codes)))
                    }
                    (Column::Nominal(c), _) => Ok(Column::Nominal(c.clone())),
                    (Column::Numeric(c), _) => Ok(Column::Numeric(c.clone())),
                }
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Some(data.with_columns(schema, columns)))
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

/// Pairs are counted over nominal columns, and what neighbours score is split by values.
fn refuse_numeric(data: &Dataset, criterion: &Info) -> Result<()> {
    let (name, evidence) = (criterion.name, criterion.evidence);
    let does = if evidence == EvidenceKind::Pairs { "counts pairs of rows over" } else { "splits" };
    for (column, feature) in data.columns().iter().zip(&data.schema().features) {
        if matches!(column, Column::Numeric(_)) {
            return Err(Error::Data(format!(
                "column '{}' is numeric and is not binned: criterion='{name}' {does} nominal \
                 columns; choose \
                 discretize='auto' (ten equal-width bins) or another discretisation",
                feature.name
            )));
        }
    }
    Ok(())
}

/// Branches of a split, the one of missing values included, are numbered in 16 bits.
pub(super) fn few_branches(data: &Dataset) -> Result<()> {
    for (column, feature) in data.columns().iter().zip(&data.schema().features) {
        if let Column::Nominal(c) = column {
            let branches = c.levels() + usize::from(c.n_missing() > 0);
            if branches > 1 << 16 {
                return Err(Error::Data(format!(
                    "column '{}' would have {branches} branches (its levels or bins, and one for \
                     missing values), at \
                     most 65,536 are supported: drop an identifier, use fewer bins, or choose \
                     missing='mode'",
                    feature.name
                )));
            }
        }
    }
    Ok(())
}

fn n_missing(column: &Column) -> usize {
    match column {
        Column::Numeric(c) => c.n_missing(),
        Column::Nominal(c) => c.n_missing(),
    }
}

fn refuse_missing(data: &Dataset, rows: &RowSet) -> Result<()> {
    for (column, feature) in data.columns().iter().zip(&data.schema().features) {
        let is_missing = |r: u32| match column {
            Column::Numeric(c) => c.value(r).is_nan(),
            Column::Nominal(c) => match c.codes() {
                Codes::Narrow(v) => v[r as usize] == u8::MAX,
                Codes::Wide(v) => v[r as usize] == MISSING,
            },
        };
        if n_missing(column) > 0 {
            let found = rows
                .rows()
                .iter()
                .filter(|&&r| is_missing(r))
                .map(|&r| data.original()[r as usize])
                .min();
            if let Some(row) = found {
                return Err(Error::Data(format!(
                    "Input X contains NaN: column '{}', row {row} is missing, and missing='error'; \
                     impute it, or choose missing='mode' or 'branch'",
                    feature.name
                )));
            }
        }
    }
    Ok(())
}

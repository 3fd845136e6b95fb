//! The preparation step of a fit: imputes missing values, discretises numeric columns, and writes
//! the cut points of histograms into the schema.
//!
//! Means, modes and bins come from the training rows alone, and a column is filled where one of
//! these lacks a value: the data set may have others, such as the test rows of a fold. Where the
//! rows of a histogram cannot be codes ([`super::route`]), each number is replaced by the upper
//! edge of its bin, so that the boundaries between values, which growth scans, are the cut points.
//! O(rows) per column after sorting. [`as_grown`] brings rows into the state in which a fitted
//! model read its training rows.

use super::config::Missing;
use super::plan::FitPlan;
use super::records::CallerRows;
use super::route::{FitShape, Route};
use crate::criteria::{EvidenceKind, Info};
use crate::data::{
    Bins, Column, Dataset, Feature, Kind, MISSING, NominalColumn, NumericColumn, RowSet, Schema,
    Weights,
};
use crate::discretize::{self, DiscretizeMethod};
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::reached::{self, Way};
use crate::split::NominalSplits;

impl FitPlan {
    /// Whether rows of a data set are divided among branches because they have no value. A tree on
    /// rows without missing values needs no shares of branches, so none are computed for it.
    pub fn divides_cells(&self, data: &Dataset) -> bool {
        self.is_fractional() && data.columns().iter().any(|column| n_missing(column) > 0)
    }

    /// The data set as growth reads it, imputed and binned on the training `rows`; `None` where it
    /// is used unchanged. `all` are these rows and the rows held out for pruning, which are
    /// imputed, too.
    ///
    /// # Errors
    /// [`Error::Data`] for columns that the criterion does not serve, or missing cells if the plan
    /// refuses them; [`Error::Cancelled`].
    pub fn prepare<'d>(
        &self,
        data: &Dataset<'d>,
        rows: &RowSet,
        all: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Option<Dataset<'d>>> {
        let bin = self.config.discretize;
        if bin.is_none()
            && !self.searches_bins()
            && matches!(
                self.criterion.info().evidence,
                EvidenceKind::Pairs | EvidenceKind::Neighbours
            )
        {
            refuse_numeric(data, self.criterion.info())?;
        }
        let imputed = self.impute_and_bin(data, rows, all, weights, bin.as_ref(), control)?;
        if !self.searches_bins() || !has_numbers(data) {
            return Ok(imputed);
        }
        self.with_edges(imputed.as_ref().unwrap_or(data), rows, weights, control).map(Some)
    }

    /// The imputed data set, whose numeric columns are not binned; `None` where no cell is imputed.
    pub fn impute<'d>(
        &self,
        data: &Dataset<'d>,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Option<Dataset<'d>>> {
        self.impute_and_bin(data, rows, rows, weights, None, control)
    }

    /// The data set with the cut points of all numeric columns in its schema, and with rounded
    /// numbers where growth does not read codes.
    fn with_edges<'d>(
        &self,
        data: &Dataset<'d>,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Dataset<'d>> {
        let cells = CallerRows::from_dataset(data);
        let schema = self.schema_with_cuts(cells, rows.choice(), weights, control)?;
        let mut columns = data.columns().to_vec();
        if !Route::choose(self, &FitShape::new(data, rows, weights)).0.is_on_codes() {
            for (column, feature) in columns.iter_mut().zip(&schema.features) {
                if let (Column::Numeric(numbers), Kind::Numeric { cuts: Some(cuts), .. }) =
                    (&mut *column, &feature.kind)
                {
                    reached::count(Way::FitRounded);
                    *column = Column::Numeric(round_to_edges(numbers, &Bins::new(cuts.clone())?));
                }
            }
        }
        Ok(data.with_columns(schema, columns))
    }

    /// The data set with imputed cells, and with numeric columns as levels if there is a method;
    /// `None` where nothing changes.
    fn impute_and_bin<'d>(
        &self,
        data: &Dataset<'d>,
        rows: &RowSet,
        all: &RowSet,
        weights: &Weights,
        method: Option<&DiscretizeMethod>,
        control: &Control,
    ) -> Result<Option<Dataset<'d>>> {
        if self.config.missing == Missing::Error {
            refuse_missing(data, rows)?;
        }
        let is_mode = self.config.missing == Missing::Mode;
        let has_gaps = |column: &Column| is_mode && rows_without(column, all).next().is_some();
        let imputes = data.columns().iter().any(has_gaps);
        let method = method.filter(|_| has_numbers(data));
        if !imputes && method.is_none() {
            return Ok(None);
        }
        data.sort_columns(control)?;
        let mut schema: Schema = data.schema().clone();
        let mut columns = data.columns().to_vec();
        for (column, feature) in columns.iter_mut().zip(&mut schema.features) {
            control.check()?;
            if imputes && has_gaps(column) {
                fill_missing(column, &mut feature.kind, rows, weights);
            }
            if let (Some(method), Column::Numeric(numbers), Kind::Numeric { cuts, .. }) =
                (method, &*column, &mut feature.kind)
            {
                let (classes, n_classes) = (data.classes(), data.n_classes());
                let bins = discretize::fit(method, numbers, classes, n_classes, rows, weights)?;
                *cuts = Some(bins.cuts().to_vec());
                *column = Column::Nominal(bins_as_levels(numbers, &bins));
            }
        }
        Ok(Some(data.with_columns(schema, columns)))
    }
}

/// A data set as growth of a fitted model reads it: missing cells filled and numbers binned as the
/// model's schema says; `None` where it is used unchanged. Bins become levels where `bins` gives
/// each of them a branch, else edges, between which thresholds lie; with `None` numbers are not
/// binned. O(rows) per column that changes.
///
/// # Errors
/// [`Error::Data`] for columns or classes that differ from the schema.
pub fn as_grown<'d>(
    data: &Dataset<'d>,
    schema: &Schema,
    bins: Option<NominalSplits>,
    control: &Control,
) -> Result<Option<Dataset<'d>>> {
    let pairs = data.columns().iter().zip(&schema.features);
    let fits = |(column, feature): (&Column, &Feature)| match (column, &feature.kind) {
        (Column::Numeric(_), Kind::Numeric { .. }) => true,
        (Column::Nominal(codes), Kind::Nominal { levels, .. }) => codes.levels() == levels.len(),
        _ => false,
    };
    let sizes = (data.columns().len(), data.n_classes());
    if sizes != (schema.features.len(), schema.counts_per_node()) || !pairs.clone().all(fits) {
        return Err(Error::Data("the rows have other columns or classes than the model".into()));
    }
    let mut is_changed = false;
    let mut columns = Vec::with_capacity(sizes.0);
    for (given, feature) in pairs {
        control.check()?;
        let filled = fill_from_schema(given, &feature.kind);
        is_changed |= filled.is_some();
        let mut column = filled.unwrap_or_else(|| given.clone());
        if let (Some(how), Column::Numeric(numbers), Kind::Numeric { cuts: Some(cuts), .. }) =
            (bins, &column, &feature.kind)
        {
            let bins = Bins::new(cuts.clone())?;
            column = match how.resolve(bins.len()) {
                NominalSplits::Multiway => Column::Nominal(bins_as_levels(numbers, &bins)),
                _ => Column::Numeric(round_to_edges(numbers, &bins)),
            };
            is_changed = true;
        }
        columns.push(column);
    }
    Ok(is_changed.then(|| data.with_columns(schema.clone(), columns)))
}

/// Replace missing cells by the mean or mode of the rows, and write it into the schema. A column
/// without a value in these rows stays as it is.
fn fill_missing(column: &mut Column, kind: &mut Kind, rows: &RowSet, weights: &Weights) {
    match (&*column, &mut *kind) {
        (Column::Numeric(numbers), Kind::Numeric { fill, .. }) => {
            *fill = discretize::mean(numbers, rows, weights);
        }
        (Column::Nominal(codes), Kind::Nominal { fill, .. }) => {
            *fill = discretize::mode(codes, rows, weights);
        }
        // A column has the kind of its feature, except for binned numbers, whose cells are left
        // alone.
        _ => {}
    }
    if let Some(filled) = fill_from_schema(column, kind) {
        *column = filled;
    }
}

/// The column with missing cells replaced by the value that the schema gives; `None` if nothing
/// changes.
fn fill_from_schema<'d>(column: &Column<'d>, kind: &Kind) -> Option<Column<'d>> {
    match (column, kind) {
        _ if n_missing(column) == 0 => None,
        (Column::Numeric(numbers), Kind::Numeric { fill: Some(mean), .. }) => {
            Some(Column::Numeric(numbers.fill_missing(*mean)))
        }
        (Column::Nominal(codes), Kind::Nominal { fill: Some(mode), .. }) => {
            let code = |r| if codes.code(r) == MISSING { *mode } else { codes.code(r) };
            let filled = (0..codes.len() as u32).map(code);
            Some(Column::Nominal(NominalColumn::new(codes.levels(), filled)))
        }
        _ => None,
    }
}

/// The bin of each number, as a level.
fn bins_as_levels(column: &NumericColumn, bins: &Bins) -> NominalColumn {
    let bin = |&v: &f64| if v.is_nan() { MISSING } else { bins.bin(v) };
    NominalColumn::new(bins.len(), column.values().iter().map(bin))
}

/// A column with each number replaced by the upper edge of its bin. The last bin has no upper edge;
/// its numbers become the next double above the last cut.
fn round_to_edges(column: &NumericColumn<'_>, bins: &Bins) -> NumericColumn<'static> {
    let cuts = bins.cuts();
    let last_edge = cuts.last().map_or(0.0, |cut| cut.next_up());
    let edge = |&value: &f64| {
        if value.is_nan() {
            value
        } else {
            cuts.get(bins.bin(value) as usize).copied().unwrap_or(last_edge)
        }
    };
    NumericColumn::new(column.values().iter().map(edge).collect())
}

/// Refuse numeric columns for criteria on pairs, which are counted over nominal columns, and on
/// neighbours, whose splits are multiway.
fn refuse_numeric(data: &Dataset, criterion: &Info) -> Result<()> {
    let (name, evidence) = (criterion.name, criterion.evidence);
    let verb = if evidence == EvidenceKind::Pairs { "counts pairs of rows over" } else { "splits" };
    for (column, feature) in data.columns().iter().zip(&data.schema().features) {
        if matches!(column, Column::Numeric(_)) {
            return Err(Error::Data(format!(
                "column '{}' is numeric and is not binned: criterion='{name}' {verb} nominal \
                 columns; choose \
                 discretize='auto' (ten equal-width bins) or another discretisation",
                feature.name
            )));
        }
    }
    Ok(())
}

/// Refuse columns with too many branches to be numbered in 16 bits, where a branch of missing
/// values counts, too. Bins of numbers are levels at this point and count as well. The message
/// names the column.
pub(super) fn refuse_many_branches(data: &Dataset) -> Result<()> {
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

/// Whether some column is numeric.
fn has_numbers(data: &Dataset) -> bool {
    data.columns().iter().any(|column| matches!(column, Column::Numeric(_)))
}

/// Number of missing cells of a column.
fn n_missing(column: &Column) -> usize {
    match column {
        Column::Numeric(c) => c.n_missing(),
        Column::Nominal(c) => c.n_missing(),
    }
}

/// The rows without a value in the column.
fn rows_without<'a>(column: &'a Column<'_>, rows: &'a RowSet) -> impl Iterator<Item = u32> + 'a {
    let rows = if n_missing(column) > 0 { rows.rows() } else { &[] };
    rows.iter().copied().filter(move |&row| match column {
        Column::Numeric(c) => c.value(row).is_nan(),
        Column::Nominal(c) => c.code(row) == MISSING,
    })
}

/// Refuse missing cells, with the first row that has one.
fn refuse_missing(data: &Dataset, rows: &RowSet) -> Result<()> {
    for (column, feature) in data.columns().iter().zip(&data.schema().features) {
        let original = rows_without(column, rows).map(|row| data.original()[row as usize]);
        if let Some(row) = original.min() {
            return Err(Error::Data(format!(
                "Input X contains NaN: column '{}', row {row} is missing, and missing='error'; \
                 impute it, or choose missing='mode' or 'branch'",
                feature.name
            )));
        }
    }
    Ok(())
}

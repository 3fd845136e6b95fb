//! The encoding step of a fit: rows become records of codes, for the routes on codes.
//!
//! Records come from a prepared data set ([`FitPlan::records`]). Where a fit reads nothing but
//! codes, they come directly from the caller's columns ([`FitPlan::read`]) and no data set is
//! made; the records then take `features + 1` bytes per row (see [`crate::bins`]). Both give the
//! same records, hence the same tree.

use super::plan::FitPlan;
use super::route::{FitShape, MOST_VALUES, Reason, Route};
use crate::bins::{self, BinEncoding, BinnedTable};
use crate::data::{
    Bins, Dataset, Kind, RowChoice, RowSet, RowSource, Schema, Target, TargetGrid, Weights,
};
use crate::error::{Error, Result};
use crate::grow::GrowthSetting;
use crate::parallel::Control;
use crate::reached::{self, Way};
use std::sync::Arc;

/// The caller's columns, which are no data set yet.
#[derive(Clone, Copy)]
pub struct CallerRows<'a> {
    /// Names and kinds of the columns, and the classes.
    pub schema: &'a Schema,
    /// The cells.
    pub source: &'a dyn RowSource,
    /// Class codes by row.
    pub classes: &'a [u16],
    /// Numbers of a numeric target by row, in units.
    pub units: Option<&'a [i64]>,
}

impl<'a> CallerRows<'a> {
    /// The rows of a data set. Cells, classes and units of the target are borrowed, so nothing is
    /// copied.
    pub(super) fn from_dataset(data: &'a Dataset<'_>) -> Self {
        Self {
            schema: data.schema(),
            source: data,
            classes: data.classes(),
            units: data.target().map(Target::units),
        }
    }
}

/// The rows of a fit, in the form in which they are given.
#[derive(Debug)]
pub enum FitRows<'a> {
    /// Records of codes, without a data set.
    Codes(Box<RecordRows>),
    /// Rows of a data set, with their weights.
    Encoded(Arc<Dataset<'a>>, RowSet, Weights),
}

/// Training rows as records of codes, and the facts about them that growth needs.
#[derive(Debug)]
pub struct RecordRows {
    pub(super) schema: Schema,
    pub(super) table: BinnedTable,
    /// Which classes occur.
    pub(super) occurring: Vec<bool>,
    /// Number of rows, each counted with its copies.
    pub(super) copies: u64,
    /// Number of rows.
    pub(super) rows: usize,
    /// The grid of the numbers of a numeric target.
    pub(super) grid: Option<TargetGrid>,
    /// The route, and why it was taken.
    pub(super) reason: Reason,
    /// A hash of each row, by which the samples of a forest are drawn; may be empty.
    pub(super) hashes: Vec<u64>,
}

/// The route of a fit, and the facts about the rows that were computed to choose it.
#[derive(Debug)]
pub(super) struct Routed {
    pub route: Route,
    pub reason: Reason,
    /// The distinct values of each column, where the route is on codes of values.
    values: Option<Vec<Vec<f64>>>,
}

impl Routed {
    /// Choose the route. Where it depends on the number of values of the columns, they are counted
    /// and the shape is completed.
    fn new(
        plan: &FitPlan,
        shape: &mut FitShape,
        cells: &dyn RowSource,
        rows: RowChoice<'_>,
        control: &Control,
    ) -> Result<Self> {
        let (route, reason) = Route::choose(plan, shape);
        if route != Route::Values {
            return Ok(Self { route, reason, values: None });
        }
        let features = shape.columns.len();
        let values = bins::values_of_all(cells, features, rows, MOST_VALUES, control)?;
        let most = values.as_ref().map(|all| all.iter().map(Vec::len).max().unwrap_or(0));
        shape.values = Some(most.unwrap_or(usize::MAX));
        let (route, reason) = Route::choose(plan, shape);
        Ok(Self { route, reason, values: values.filter(|_| route == Route::Values) })
    }
}

impl FitPlan {
    /// The route of a fit on some rows of a prepared data set; `rows` must not hold rows of weight
    /// 0.
    pub(super) fn choose_route(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Routed> {
        Routed::new(self, &mut FitShape::new(data, rows, weights), data, rows.choice(), control)
    }

    /// The records of rows of a prepared data set, where the route reads them. `None` if growth
    /// reads the columns instead.
    pub(super) fn records(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        routed: &Routed,
        control: &Control,
    ) -> Result<Option<BinnedTable>> {
        if !routed.route.is_on_codes() {
            return Ok(None);
        }
        let cells = CallerRows::from_dataset(data);
        self.encode(cells, rows.choice(), weights, routed.values.as_deref(), control).map(Some)
    }

    /// Encode rows of the cells. The cut points lie between the `values` of each column if these
    /// are given, else they are the cut points of the schema.
    fn encode(
        &self,
        cells: CallerRows<'_>,
        rows: RowChoice<'_>,
        weights: &Weights,
        values: Option<&[Vec<f64>]>,
        control: &Control,
    ) -> Result<BinnedTable> {
        let cuts_between: Option<Vec<Vec<f64>>> =
            values.map(|columns| columns.iter().map(|values| bins::midpoints(values)).collect());
        let features = &cells.schema.features;
        let cuts: Vec<Option<&[f64]>> = match &cuts_between {
            Some(cuts_between) => cuts_between.iter().map(|cuts| Some(&cuts[..])).collect(),
            None => features
                .iter()
                .map(|feature| match &feature.kind {
                    Kind::Numeric { cuts, .. } => cuts.as_deref(),
                    Kind::Nominal { .. } => None,
                })
                .collect(),
        };
        let levels: Vec<u32> = features
            .iter()
            .map(|feature| match &feature.kind {
                Kind::Numeric { .. } => 0,
                Kind::Nominal { levels, .. } => levels.len() as u32,
            })
            .collect();
        let encoding = BinEncoding {
            cuts: &cuts,
            values,
            levels: &levels,
            class_of: cells.classes,
            units: cells.units,
            classes: cells.schema.counts_per_node(),
            weights,
        };
        BinnedTable::new(cells.source, rows, &encoding, control)
    }

    /// The schema with the cut points of all numeric columns. Each column has at most `max_bins`
    /// bins, whose edges are chosen on the given rows and weights.
    pub(super) fn schema_with_cuts(
        &self,
        cells: CallerRows<'_>,
        rows: RowChoice<'_>,
        weights: &Weights,
        control: &Control,
    ) -> Result<Schema> {
        let mut schema = cells.schema.clone();
        let kinds = schema.features.iter().map(|feature| &feature.kind);
        let is_numeric: Vec<bool> = kinds.map(|k| matches!(k, Kind::Numeric { .. })).collect();
        let most = self.config.max_bins;
        let edges = bins::edges(cells.source, &is_numeric, rows, weights, most, control)?;
        let numeric = schema.features.iter_mut().filter_map(|feature| match &mut feature.kind {
            Kind::Numeric { cuts, .. } => Some(cuts),
            Kind::Nominal { .. } => None,
        });
        for (cuts, edges) in numeric.zip(edges) {
            *cuts = Some(Bins::new(edges)?.into_cuts());
        }
        Ok(schema)
    }

    /// The setting of growth on records of all rows. Their copies and classes were counted when
    /// they were encoded, so no record is read.
    pub(super) fn setting_on_records(&self, records: &RecordRows) -> GrowthSetting<'_> {
        let RecordRows { copies, rows, grid, .. } = *records;
        let occurring = records.occurring.clone();
        self.setting_on_features(occurring, copies, rows, &records.table.features, grid)
    }

    /// Encode the caller's cells, if the fit reads nothing but codes; `None` where it needs a data
    /// set. `weights` are the sample weights, not multiplied by the weights of the classes.
    ///
    /// # Errors
    /// [`Error::Data`] if no row has a positive weight, where weights do not fit the classes, or
    /// [`Error::Cancelled`].
    pub fn read(
        &self,
        cells: CallerRows<'_>,
        weights: Weights,
        control: &Control,
    ) -> Result<Option<Box<RecordRows>>> {
        let (n_rows, n_classes) = (cells.classes.len(), cells.schema.classes.len());
        let mut shape = FitShape::unread(cells.schema, n_rows, &weights);
        if !Route::choose(self, &shape).0.reads_cells(self, &shape) {
            return Ok(None);
        }
        if cells.classes.iter().any(|&class| usize::from(class) >= n_classes) {
            return Err(Error::Internal("a class code without a class".into()));
        }
        // The rows that have a positive weight after multiplication by the weights of the classes.
        let weights = self.weights_of_cells(cells.classes, weights)?;
        let all_rows = 0..n_rows as u32;
        let weighing: Option<Vec<u32>> = all_rows
            .clone()
            .any(|row| weights.is_zero(row))
            .then(|| all_rows.filter(|&row| !weights.is_zero(row)).collect());
        let rows = weighing.as_ref().map_or(RowChoice::All(n_rows), |rows| RowChoice::Some(rows));
        if rows.is_empty() {
            return Err(Error::Data("no training rows with a positive weight".into()));
        }
        // The route may be another once the values of the columns are counted.
        shape.rows = rows.len();
        let routed = Routed::new(self, &mut shape, cells.source, rows, control)?;
        if !routed.route.reads_cells(self, &shape) {
            return Ok(None);
        }
        let schema = match routed.route {
            Route::Bins => self.schema_with_cuts(cells, rows, &weights, control)?,
            _ => cells.schema.clone(),
        };
        let binned = CallerRows { schema: &schema, ..cells };
        let table = self.encode(binned, rows, &weights, routed.values.as_deref(), control)?;
        // A missing cell, which encoding finds, excludes this route.
        shape.has_gaps = table.features.iter().any(|f| f.has_missing);
        if !routed.route.reads_cells(self, &shape) {
            return Ok(None);
        }
        reached::count(Way::FitNumbers);
        // The facts about the rows.
        let mut occurring = vec![false; n_classes];
        (0..rows.len()).for_each(|i| occurring[usize::from(cells.classes[rows.row(i)])] = true);
        let copies = match &weights {
            Weights::Integer(w) => w.iter().map(|&w| u64::from(w)).sum(),
            _ => rows.len() as u64,
        };
        Ok(Some(Box::new(RecordRows {
            schema,
            table,
            occurring,
            copies,
            rows: rows.len(),
            grid: None,
            reason: routed.reason,
            hashes: Vec::new(),
        })))
    }
}

//! The search for neighbours in the rows of a tree's node, or of a whole data set.
//!
//! [`NodeSearch`] gathers the rows of a node into [`NeighbourRows`], in the user's row order.
//! Numbers are compared as numbers even where the tree bins the column: `|x - y|` over the range of
//! the column in the rows of the root, so that distances mean the same in every node. Features that
//! are constant in a node are left out. Gathering copies one byte per nominal cell and eight per
//! number. [`streamed`] admits the memory of a search over codes that are read in place.

use super::by_distance::DistanceNeed;
use super::columns::{MISSING, NominalRows, Other};
use super::rows::{NeighbourRows, RowWeights};
use super::score::{
    DistanceSum, PartialScores, distance_parts, needs_total, neighbour_parts, neighbour_scores,
};
use super::select::{Multiclass, NeighbourMethod};
use super::shape::{REMEDY, RowsNeed, SearchShape, WHAT};
use super::share::Share;
use crate::data::{self, Column, Dataset, Kind, NominalColumn};
use crate::error::Result;
use crate::numeric::ExactSum;
use crate::parallel::Control;
use crate::simd::Kernels;

/// Searches for neighbours among the rows of a node: the data of a tree, with the ranges and the
/// unit of weights that its nodes share.
#[derive(Debug)]
pub struct NodeSearch<'a> {
    /// The data as the tree grows on them.
    data: &'a Dataset<'a>,
    /// The data before numbers were binned.
    raw: &'a Dataset<'a>,
    /// Smallest and largest number of each feature; `None` for nominal or unknown ones.
    ranges: Vec<Option<(f64, f64)>>,
    /// Mean weight of the root's rows, where weights are importances.
    unit: Option<f64>,
    /// Range of a numeric target in units, 1 where all numbers are equal.
    spread: f64,
}

impl<'a> NodeSearch<'a> {
    /// The searches of a tree: `data` as the tree grows on them, `raw` before numbers were binned,
    /// the `rows` of the root, and their positive weights unless all rows count once. The ranges of
    /// numbers, which all nodes use, are taken from these rows.
    pub fn new(
        data: &'a Dataset<'a>,
        raw: &'a Dataset<'a>,
        rows: &[u32],
        weight: Option<&dyn Fn(u32) -> f64>,
    ) -> Self {
        let range = |feature: usize| match &raw.columns()[feature] {
            Column::Numeric(_) => {
                let values =
                    || rows.iter().map(|&r| number(data, raw, feature, r)).filter(|x| !x.is_nan());
                let low = values().fold(f64::INFINITY, f64::min);
                (low < f64::INFINITY).then(|| (low, values().fold(f64::NEG_INFINITY, f64::max)))
            }
            Column::Nominal(_) => None,
        };
        let ranges = (0..raw.columns().len()).map(range).collect();
        let unit = weight.filter(|w| rows.iter().any(|&r| w(r).fract() != 0.0)).map(|w| {
            let mut sum = ExactSum::default();
            sum.add_all(rows.iter().map(|&r| w(r)));
            sum.value() / rows.len() as f64
        });
        let spread = data.target().map_or(1.0, |target| {
            let units = || rows.iter().map(|&r| target.units()[r as usize]);
            let range = units().max().unwrap_or(0) - units().min().unwrap_or(0);
            range.max(1) as f64
        });
        Self { data, raw, ranges, unit, spread }
    }

    /// One score per feature from neighbours among the given rows; NaN for a feature that is
    /// constant or unknown in all of them.
    ///
    /// # Errors
    /// As [`neighbour_scores`].
    pub fn scores(
        &self,
        control: &Control,
        rows: &[u32],
        weight: Option<&dyn Fn(u32) -> f64>,
        (method, multiclass): (NeighbourMethod, Multiclass),
    ) -> Result<Vec<f64>> {
        let found = self.on_varying(control, rows, weight, method, &mut |control, gathered| {
            Ok(vec![neighbour_scores(control, gathered, method, multiclass)?])
        })?;
        Ok(found.into_iter().next().unwrap_or_else(|| vec![f64::NAN; self.ranges.len()]))
    }

    /// What each group of rows of a share adds to the scores (NaN as in [`Self::scores`]); `total`
    /// as in [`neighbour_parts`].
    ///
    /// # Errors
    /// As [`neighbour_scores`].
    pub fn parts(
        &self,
        control: &Control,
        rows: &[u32],
        weight: Option<&dyn Fn(u32) -> f64>,
        search: (NeighbourMethod, Multiclass),
        share: Share,
        total: Option<DistanceSum>,
    ) -> Result<Vec<PartialScores>> {
        let mut all = Vec::new();
        let each = self.on_varying(control, rows, weight, search.0, &mut |control, gathered| {
            let parts = neighbour_parts(control, gathered, search, share, total)?;
            all.extend(parts.iter().map(|p| p.all));
            Ok(parts.into_iter().map(|p| p.each).collect())
        })?;
        let part = |(all, each)| PartialScores { all, each };
        Ok(all.into_iter().zip(each).map(part).collect())
    }

    /// The sums that the method [needs](needs_total), one for each group of rows of a share; empty
    /// if it needs none.
    ///
    /// # Errors
    /// As [`neighbour_scores`].
    pub fn distances(
        &self,
        control: &Control,
        rows: &[u32],
        weight: Option<&dyn Fn(u32) -> f64>,
        method: NeighbourMethod,
        share: Share,
    ) -> Result<Vec<DistanceSum>> {
        let mut sums = Vec::new();
        self.on_varying(control, rows, weight, method, &mut |control, gathered| {
            if needs_total(gathered, method) {
                sums = distance_parts(control, gathered, method, share)?;
            }
            Ok(Vec::new())
        })?;
        Ok(sums)
    }

    /// The shape of a search among the rows if no feature is constant.
    fn shape(&self, rows: &[u32], unit: bool) -> SearchShape {
        let mut classes = vec![0; self.data.n_classes()];
        rows.iter().for_each(|&r| classes[usize::from(self.data.classes()[r as usize])] += 1);
        let levels = |column: &Column| match column {
            Column::Nominal(c) if c.levels() <= 256 && c.n_missing() == 0 => Some(c.levels()),
            _ => None,
        };
        let columns = self.raw.columns();
        let complete = || columns.iter().filter_map(levels);
        let nominal = complete().count();
        let (values, most) = (complete().sum(), complete().max().unwrap_or(0));
        SearchShape {
            classes,
            nominal,
            values,
            most,
            others: columns.len() - nominal,
            unit,
            whole: self.unit.is_none(),
        }
    }

    /// Bytes per cell of a gathered feature, with the tables for missing cells.
    fn cell_bytes(&self, feature: usize) -> usize {
        let filled = matches!(
            self.data.schema().features[feature].kind,
            Kind::Numeric { fill: Some(_), .. }
        );
        match (&self.raw.columns()[feature], &self.data.columns()[feature]) {
            (Column::Numeric(c), _) if c.n_missing() == 0 || filled => 8,
            // the number, its slot, and the expected difference to a missing cell of each class
            (Column::Numeric(_), _) => 8 + 2 + 8 * self.data.n_classes(),
            // the code and its slot
            (_, Column::Nominal(c)) if c.n_missing() > 0 => 4 + 2,
            (_, Column::Nominal(c)) if c.levels() > 256 => 4,
            _ => 1,
        }
    }

    /// Gather the features that vary among the rows and call `score` on them, once their memory is
    /// admitted. `score` returns lists of one number per gathered feature; they come back with one
    /// number per feature of the data, NaN for the others. No list if no feature varies.
    fn on_varying(
        &self,
        control: &Control,
        rows: &[u32],
        weight: Option<&dyn Fn(u32) -> f64>,
        method: NeighbourMethod,
        score: &mut dyn FnMut(&Control, &NeighbourRows<'_>) -> Result<Vec<Vec<f64>>>,
    ) -> Result<Vec<Vec<f64>>> {
        // admit the memory of the rows (cells, number, class, target and weight) and of the search
        let width: usize = (0..self.ranges.len()).map(|feature| self.cell_bytes(feature)).sum();
        let number = 8 * usize::from(self.data.target().is_some());
        let bytes = width + 4 + 2 + number + if weight.is_none() { 0 } else { 8 };
        let least = self.shape(rows, weight.is_none()).least(Kernels::active(), method);
        let need = RowsNeed::new(rows.len(), bytes, least);
        control.budget().admit_first(WHAT, [need.first, need.all], REMEDY)?;
        let control = &control.holding(need.held);

        // the user's order, because row numbers break ties
        let rows = self.data.in_original_order(rows);
        let classes: Vec<u16> = rows.iter().map(|&r| self.data.classes()[r as usize]).collect();

        // the varying features: complete nominal ones, and others with their feature numbers
        let (mut complete, mut others, mut of_others) = (Vec::new(), Vec::new(), Vec::new());
        for feature in 0..self.ranges.len() {
            match &self.raw.columns()[feature] {
                Column::Numeric(_) => {
                    if let Some(values) = self.varying_numbers(feature, &rows) {
                        others.push(Other::Numbers { values, range: self.ranges[feature] });
                        of_others.push(feature);
                    }
                }
                Column::Nominal(_) => {
                    // codes after imputation
                    let Column::Nominal(column) = &self.data.columns()[feature] else { continue };
                    let first = column.code(rows[0]);
                    if rows.iter().all(|&r| column.code(r) == first) {
                        continue;
                    }
                    let is_complete = column.n_missing() == 0
                        || rows.iter().all(|&r| column.code(r) != data::MISSING);
                    if column.levels() <= 256 && is_complete {
                        complete.push((feature, column));
                    } else {
                        others.push(other_nominal(column, &rows));
                        of_others.push(feature);
                    }
                }
            }
        }
        if complete.is_empty() && others.is_empty() {
            return Ok(Vec::new());
        }

        // codes of the complete columns, row after row
        let n = complete.len();
        let mut bytes = vec![0u8; n * rows.len()];
        for (k, (_, column)) in complete.iter().enumerate() {
            for (i, &row) in rows.iter().enumerate() {
                bytes[i * n + k] = column.code(row) as u8;
            }
        }
        let counts = match (weight, self.unit) {
            (None, _) => RowWeights::One,
            (Some(w), None) => RowWeights::Copies(rows.iter().map(|&r| w(r)).collect()),
            (Some(w), Some(unit)) => {
                RowWeights::Importances(rows.iter().map(|&r| w(r) / unit).collect())
            }
        };
        let codes = NominalRows { values: &bytes, columns: n, stride: n };
        let gathered = match self.data.target() {
            None => NeighbourRows::new(codes, others, &classes, self.data.n_classes(), counts)?,
            Some(target) => {
                let number = |&r: &u32| target.units()[r as usize] as f64 / self.spread;
                let numbers: Vec<f64> = rows.iter().map(number).collect();
                NeighbourRows::of_numbers(codes, others, &numbers, counts, method.gap())?
            }
        };

        // numbers per gathered feature back to features of the data
        let features: Vec<usize> = complete.iter().map(|c| c.0).chain(of_others).collect();
        let by_feature = |numbers: Vec<f64>| {
            let mut all = vec![f64::NAN; self.ranges.len()];
            features.iter().zip(numbers).for_each(|(&feature, number)| all[feature] = number);
            all
        };
        Ok(score(control, &gathered)?.into_iter().map(by_feature).collect())
    }

    /// The numbers of a numeric feature, unless they are all equal or all missing.
    fn varying_numbers(&self, feature: usize, rows: &[u32]) -> Option<Vec<f64>> {
        let values: Vec<f64> =
            rows.iter().map(|&r| number(self.data, self.raw, feature, r)).collect();
        let first = values[0];
        let varies = values.iter().any(|v| *v != first && !(v.is_nan() && first.is_nan()));
        varies.then_some(values)
    }
}

/// A nominal column with missing cells, or more levels than a byte holds.
fn other_nominal(column: &NominalColumn, rows: &[u32]) -> Other {
    let code = |&r: &u32| match column.code(r) {
        data::MISSING => MISSING,
        code => code,
    };
    Other::Nominal { codes: rows.iter().map(code).collect(), levels: column.levels() }
}

/// The number of a row after imputation.
fn number(data: &Dataset, raw: &Dataset, feature: usize, row: u32) -> f64 {
    let Column::Numeric(column) = &raw.columns()[feature] else { return f64::NAN };
    match (&data.schema().features[feature].kind, column.value(row)) {
        (Kind::Numeric { fill: Some(fill), .. }, value) if value.is_nan() => *fill,
        (_, value) => value,
    }
}

/// Admit the memory of a search over codes that are read in place; with `with_radius`, also the
/// memory of the pass before it that finds Relief's radius. The two follow each other, so the
/// larger one counts. Returns the control that the search runs under.
///
/// # Errors
/// [`crate::error::Error::Need`], [`crate::error::Error::Cancelled`].
pub fn streamed(
    control: &Control,
    codes: NominalRows<'_>,
    classes: &[u16],
    n_classes: usize,
    weights: &RowWeights,
    method: NeighbourMethod,
    with_radius: bool,
) -> Result<Control> {
    let kernels = Kernels::active();
    let shape = SearchShape::from_codes(control, codes, classes, n_classes, weights)?;
    let radius = if with_radius { DistanceNeed::new(&shape, kernels).least() } else { 0 };
    let least = shape.least(kernels, method).max(radius);
    let bytes = size_of::<u16>() + if weights.is_one() { 0 } else { size_of::<f64>() };
    let need = RowsNeed::new(shape.rows(), bytes, least);
    control.budget().admit_first(WHAT, [need.first, need.all], REMEDY)?;
    Ok(control.holding(need.held))
}

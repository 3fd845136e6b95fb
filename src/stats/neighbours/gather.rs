//! Rows of a data set as neighbours see them: in the user's order, numbers as numbers, with the
//! ranges of the root.
//!
//! A tree may cut a numeric column into bins, but rows are compared by its numbers: `|x - y|` over
//! the range of the column in the rows of the root, so that distances mean the same in every node.
//! A feature that is the same in all rows of a node differs nowhere and is left out. Gathering
//! copies one byte a nominal cell and eight a number.

use super::by_distance::DistanceNeed;
use super::columns::{MISSING, Other};
use super::score::{distance_parts, needs_distances, neighbour_parts, neighbour_scores};
use super::shape::{REMEDY, RowsNeed, SearchShape, WHAT};
use super::share::Share;
use super::{Counts, Multiclass, NeighbourMethod, NeighbourRows, NominalRows};
use crate::data::{self, Column, Dataset, Kind};
use crate::error::Result;
use crate::numeric::ExactSum;
use crate::parallel::Control;
use crate::simd::Kernels;

/// What all nodes of a tree share.
#[derive(Debug)]
pub struct Root<'a> {
    data: &'a Dataset,
    /// The data before numbers became bins.
    raw: &'a Dataset,
    /// Smallest and largest number of each numeric column, in feature order.
    ranges: Vec<Option<(f64, f64)>>,
    /// Mean weight of the root's rows, where weights are importances.
    unit: Option<f64>,
}

impl<'a> Root<'a> {
    /// `data` as growth sees it, `raw` before its numbers were binned, the rows of the root, and
    /// their positive weights unless all count once.
    pub fn new(
        data: &'a Dataset,
        raw: &'a Dataset,
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
        Self { data, raw, ranges, unit }
    }

    /// One score per feature from neighbours among the given rows; NaN for a feature that is the
    /// same, or unknown, in all of them.
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
        let found = self.asked(control, rows, weight, method, |control, near| {
            Ok(vec![neighbour_scores(control, near, method, multiclass)?])
        })?;
        Ok(found.into_iter().next().unwrap_or_else(|| vec![f64::NAN; self.ranges.len()]))
    }

    /// What a share of the rows adds to the scores: to all of them first, then to each feature (NaN
    /// as in [`Self::scores`]).
    ///
    /// # Errors
    /// As [`neighbour_scores`].
    pub fn parts(
        &self,
        control: &Control,
        rows: &[u32],
        weight: Option<&dyn Fn(u32) -> f64>,
        search: (NeighbourMethod, Multiclass),
        (share, total): (Share, Option<(i128, f64)>),
    ) -> Result<Vec<(f64, Vec<f64>)>> {
        let mut all = Vec::new();
        let each = self.asked(control, rows, weight, search.0, |control, near| {
            let parts = neighbour_parts(control, near, search, share, total)?;
            all.extend(parts.iter().map(|p| p.all));
            Ok(parts.into_iter().map(|p| p.each).collect())
        })?;
        Ok(all.into_iter().zip(each).collect())
    }

    /// Sums of the distances of a share of the rows, where the method asks for them.
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
    ) -> Result<Vec<(i128, f64)>> {
        let mut sums = Vec::new();
        self.asked(control, rows, weight, method, |control, near| {
            if needs_distances(near, method) {
                sums = distance_parts(control, near, share)?;
            }
            Ok(Vec::new())
        })?;
        Ok(sums)
    }

    /// What decides how much a search among the rows takes, if all features differ.
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

    /// Bytes of a cell of a feature, with what is expected of it where cells are missing.
    fn cell_bytes(&self, feature: usize) -> usize {
        let filled = matches!(
            self.data.schema().features[feature].kind,
            Kind::Numeric { fill: Some(_), .. }
        );
        match (&self.raw.columns()[feature], &self.data.columns()[feature]) {
            (Column::Numeric(c), _) if c.n_missing() == 0 || filled => 8,
            (Column::Numeric(_), _) => 8 + 2 + 8 * self.data.n_classes(),
            (_, Column::Nominal(c)) if c.n_missing() > 0 => 4 + 2,
            (_, Column::Nominal(c)) if c.levels() > 256 => 4,
            _ => 1,
        }
    }

    /// Rows of numbers for the features that differ, asked of the rows as neighbours see them, with
    /// NaN for the other features; nothing where no feature differs.
    fn asked(
        &self,
        control: &Control,
        rows: &[u32],
        weight: Option<&dyn Fn(u32) -> f64>,
        method: NeighbourMethod,
        ask: impl FnOnce(&Control, &NeighbourRows<'_>) -> Result<Vec<Vec<f64>>>,
    ) -> Result<Vec<Vec<f64>>> {
        let width: usize = (0..self.ranges.len()).map(|feature| self.cell_bytes(feature)).sum();
        // the cells, and of each row its number, class and weight
        let bytes = width + 4 + 2 + if weight.is_none() { 0 } else { 8 };
        let least = self.shape(rows, weight.is_none()).least(Kernels::active(), method);
        let need = RowsNeed::new(rows.len(), bytes, least);
        control.budget().admit_first(WHAT, [need.first, need.all], REMEDY)?;
        let control = &control.holding(need.held);
        // numbers of rows tell ties apart
        let mut rows = rows.to_vec();
        rows.sort_unstable_by_key(|&r| self.data.original()[r as usize]);
        let classes: Vec<u16> = rows.iter().map(|&r| self.data.classes()[r as usize]).collect();
        let (mut complete, mut others, mut of_others) = (Vec::new(), Vec::new(), Vec::new());
        for feature in 0..self.ranges.len() {
            match &self.raw.columns()[feature] {
                Column::Numeric(_) => {
                    let values: Vec<f64> =
                        rows.iter().map(|&r| number(self.data, self.raw, feature, r)).collect();
                    let first = values[0];
                    if values.iter().any(|v| *v != first && !(v.is_nan() && first.is_nan())) {
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
                    if column.levels() <= 256
                        && (column.n_missing() == 0
                            || rows.iter().all(|&r| column.code(r) != data::MISSING))
                    {
                        complete.push((feature, column));
                    } else {
                        let code = |&r: &u32| match column.code(r) {
                            data::MISSING => MISSING,
                            code => code,
                        };
                        let levels = column.levels();
                        others.push(Other::Nominal {
                            codes: rows.iter().map(code).collect(),
                            levels,
                        });
                        of_others.push(feature);
                    }
                }
            }
        }
        if complete.is_empty() && others.is_empty() {
            return Ok(Vec::new());
        }
        let n = complete.len();
        let mut bytes = vec![0u8; n * rows.len()];
        for (k, (_, column)) in complete.iter().enumerate() {
            for (i, &row) in rows.iter().enumerate() {
                bytes[i * n + k] = column.code(row) as u8;
            }
        }
        let counts = match (weight, self.unit) {
            (None, _) => Counts::One,
            (Some(w), None) => Counts::Copies(rows.iter().map(|&r| w(r)).collect()),
            (Some(w), Some(unit)) => {
                Counts::Importances(rows.iter().map(|&r| w(r) / unit).collect())
            }
        };
        let codes = NominalRows { values: &bytes, columns: n, stride: n };
        let near = NeighbourRows::new(codes, others, &classes, self.data.n_classes(), counts)?;
        let features: Vec<usize> = complete.iter().map(|c| c.0).chain(of_others).collect();
        let placed = |found: Vec<f64>| {
            let mut all = vec![f64::NAN; self.ranges.len()];
            features.iter().zip(found).for_each(|(&feature, value)| all[feature] = value);
            all
        };
        Ok(ask(control, &near)?.into_iter().map(placed).collect())
    }
}

/// A number as imputation left it.
fn number(data: &Dataset, raw: &Dataset, feature: usize, row: u32) -> f64 {
    let Column::Numeric(column) = &raw.columns()[feature] else { return f64::NAN };
    match (&data.schema().features[feature].kind, column.value(row)) {
        (Kind::Numeric { fill: Some(fill), .. }, value) if value.is_nan() => *fill,
        (_, value) => value,
    }
}

/// The control of a search over codes where they lie, once its need is admitted: that of the
/// method, and of Relief's radius where it has to be found.
///
/// # Errors
/// [`crate::error::Error::Need`], [`crate::error::Error::Cancelled`].
pub fn streamed(
    control: &Control,
    codes: NominalRows<'_>,
    classes: (&[u16], usize),
    weights: &Counts,
    (method, radius): (NeighbourMethod, bool),
) -> Result<Control> {
    let unit = weights.is_one();
    let kind = [unit, !matches!(weights, Counts::Importances(_))];
    let (shape, kernels) =
        (SearchShape::of_codes(control, codes, classes, kind)?, Kernels::active());
    let of_radius = if radius { DistanceNeed::new(&shape, kernels).least() } else { 0 };
    let least = shape.least(kernels, method).max(of_radius);
    let bytes = size_of::<u16>() + if unit { 0 } else { size_of::<f64>() };
    let need = RowsNeed::new(shape.rows(), bytes, least);
    control.budget().admit_first(WHAT, [need.first, need.all], REMEDY)?;
    Ok(control.holding(need.held))
}

//! Sample weights and class weights of the rows of a fit.
//!
//! A row has a sample weight, and the weight of its class multiplies it. An integer sample weight
//! is a number of copies, and copies are rows: limits on rows and nearest neighbours count them. A
//! bootstrap sample is drawn without regard to weights, and multiplies the copies of a row by its
//! draws; with a fractional weight, each draw is a row. A class weight adds no rows. Where there
//! are both, or where the rows will be divided (held out for pruning, or folds that choose the
//! complexity penalty), the copies become rows of a drawn data set, whose columns share the numbers
//! of the given one, and class weights are the weights of these rows. With more than
//! [`MOST_COPIES`] copies they stay weights, and each row counts once; in a sample of a forest with
//! more than [`MOST_IN_SAMPLE`] copies, each draw counts once. O(rows + copies).

use super::plan::FitPlan;
use crate::data::{Dataset, DrawnRows, RowSet, Weights};
use crate::error::{Error, Result};
use crate::prune::PruneMethod;
use std::sync::Arc;

/// Most copies that become rows.
const MOST_COPIES: u64 = 1 << 24;

/// Most copies that become rows in each sample of a forest.
const MOST_IN_SAMPLE: u64 = 1 << 18;

/// The entries of a bootstrap sample: each draw of a row is one, or each draw of a copy of it.
#[derive(Debug)]
pub(super) struct SampleEntries {
    /// Number of entries of each row.
    pub times: Vec<u32>,
    /// Weights of the entries, row by row.
    pub weights: Weights,
}

impl FitPlan {
    /// Call `job` with rows and weights as growth counts them under the plan's class weights.
    ///
    /// `weights` are the sample weights. If their copies become rows, `job` gets a data set that is
    /// drawn from `data`, with all of its rows; else it gets `data` and `rows`.
    ///
    /// # Errors
    /// Returns an error if weights do not fit the classes or are lost in their sum, and the errors
    /// of `job`.
    pub fn on_counted_rows<R>(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        job: impl FnOnce(&Dataset, &RowSet, &Weights) -> Result<R>,
    ) -> Result<R> {
        if let Some(importances) = self.as_importances(data, weights)? {
            return job(data, rows, &importances);
        }
        let total = |copies: &[u32]| -> u64 {
            rows.rows().iter().map(|&row| u64::from(copies[row as usize])).sum()
        };
        let needs_rows = self.config.class_weight.is_some() || self.divides_rows();
        let copies = weights.copies().filter(|copies| needs_rows && total(copies) <= MOST_COPIES);
        let Some(copies) = copies else {
            return match &self.config.class_weight {
                None => job(data, rows, weights),
                Some(_) => job(data, rows, &self.weigh_rows(data, rows, weights)?),
            };
        };
        let mut times = vec![0; data.len()];
        rows.rows().iter().for_each(|&r| times[r as usize] = copies[r as usize]);
        let drawn = data.bootstrap_sample(&Arc::new(DrawnRows::new(&times)?));
        let rows = RowSet::all(drawn.len());
        let weights = self.weigh_rows(&drawn, &rows, &Weights::Unit)?;
        job(&drawn, &rows, &weights)
    }

    /// The weights as importances, where the plan says that whole ones are no copies. `None` if the
    /// weights stay as they are: the plan counts copies, or no weights count copies.
    pub(super) fn as_importances(
        &self,
        data: &Dataset,
        weights: &Weights,
    ) -> Result<Option<Weights>> {
        if !self.config.importances || weights.copies().is_none() {
            return Ok(None);
        }
        let values: Vec<f64> = (0..data.len() as u32).map(|r| weights.value(r)).collect();
        let name_row = |row: usize| data.original()[row] as usize;
        data.round_weights_for_target(Weights::importances(&values, &name_row)?).map(Some)
    }

    /// The weights of rows, multiplied by the weights of their classes. The result is importances,
    /// which count no copies; without class weights it is `weights` as given.
    ///
    /// # Errors
    /// Returns an error if class weights do not fit the classes, or if a weight is lost in the sum
    /// of all.
    pub fn weigh_rows(&self, data: &Dataset, rows: &RowSet, weights: &Weights) -> Result<Weights> {
        let Some(class_weights) = self.class_weights(data.n_classes())? else {
            return Ok(weights.clone());
        };
        times_class(data.classes(), rows.rows(), weights, class_weights, |row| {
            data.original()[row] as usize
        })
    }

    /// [`FitPlan::weigh_rows`] for all rows of a fit without a data set; `classes` are
    /// their classes.
    pub(super) fn weights_of_cells(&self, classes: &[u16], weights: Weights) -> Result<Weights> {
        let n_weights = self.config.class_weight.as_ref().map_or(0, Vec::len);
        let Some(class_weights) = self.class_weights(n_weights)? else { return Ok(weights) };
        if classes.iter().any(|&class| usize::from(class) >= n_weights) {
            return Err(Error::Internal("a class without a weight".into()));
        }
        let all: Vec<u32> = (0..classes.len() as u32).collect();
        times_class(classes, &all, &weights, class_weights, |row| row)
    }

    /// The entries of a bootstrap sample.
    ///
    /// `times` are the draws of each row and `row_weights` its weight; the weight of its class
    /// multiplies it, after balancing if the plan says so. Without a data set classes have no
    /// weights.
    ///
    /// # Errors
    /// Returns an error if class weights do not fit the classes, or if a weight is lost in the sum
    /// of all.
    pub(super) fn entries_of_sample(
        &self,
        data: Option<&Dataset>,
        n_classes: usize,
        row_weights: &Weights,
        mut times: Vec<u32>,
    ) -> Result<SampleEntries> {
        let most = if self.weighs_samples() { MOST_IN_SAMPLE } else { u64::from(u32::MAX) - 1 };
        let classes = data.map_or(&[][..], Dataset::classes);
        let mut is_unit = matches!(row_weights, Weights::Unit);
        if let Weights::Integer(copies) = row_weights {
            let entries = || times.iter().zip(copies).map(|(&t, &w)| u64::from(t) * u64::from(w));
            is_unit = entries().sum::<u64>() <= most;
            if is_unit {
                times = entries().map(|n| n as u32).collect();
            }
        }
        let row_weights = if is_unit { &Weights::Unit } else { row_weights };
        let factors = self.class_factors(classes, n_classes, row_weights, &times)?;
        if is_unit && factors.is_none() {
            return Ok(SampleEntries { times, weights: Weights::Unit });
        }
        let mut values = Vec::with_capacity(times.iter().map(|&n| n as usize).sum());
        for (row, &n) in times.iter().enumerate() {
            let factor = factors.as_ref().map_or(1.0, |f| f[usize::from(classes[row])]);
            values.extend(std::iter::repeat_n(row_weights.value(row as u32) * factor, n as usize));
        }
        // The original row of an entry, which an error names.
        let row_of = |entry: usize| {
            let mut end = 0;
            let is_reached = |&n: &u32| {
                end += n as usize;
                end > entry
            };
            let row = times.iter().position(is_reached).unwrap_or(0);
            data.map_or(row, |data| data.original()[row] as usize)
        };
        let mut weights = Weights::importances(&values, &row_of)?;
        if data.is_some_and(|data| data.target().is_some()) {
            weights = weights.coarser(&row_of)?;
        }
        Ok(SampleEntries { times, weights })
    }

    /// The weights of the classes in a sample, whose rows were drawn `times` times each; `None`
    /// where they change nothing.
    fn class_factors(
        &self,
        classes: &[u16],
        n_classes: usize,
        row_weights: &Weights,
        times: &[u32],
    ) -> Result<Option<Vec<f64>>> {
        let given = self.class_weights(n_classes)?;
        if !self.config.balanced_samples {
            return Ok(given.map(<[f64]>::to_vec));
        }
        // Balanced weights as in scikit-learn, `n / (occurring classes * n_c)`, times the given.
        let mut sizes = vec![0.0; n_classes];
        for ((row, &class), &n) in (0..).zip(classes).zip(times) {
            sizes[usize::from(class)] += f64::from(n) * row_weights.value(row);
        }
        let occurring = sizes.iter().filter(|&&n| n > 0.0).count() as f64;
        let total: f64 = sizes.iter().sum();
        let factor = |(class, &size): (usize, &f64)| {
            let balanced = if size > 0.0 { total / (occurring * size) } else { 1.0 };
            balanced * given.map_or(1.0, |weights| weights[class])
        };
        let factors: Vec<f64> = sizes.iter().enumerate().map(factor).collect();
        // One factor for all rows changes no share of a class.
        let is_used = |(factor, size): (&f64, &f64)| (*size > 0.0).then_some(*factor);
        let mut used = factors.iter().zip(&sizes).filter_map(is_used);
        let first = used.next();
        Ok(if used.all(|factor| Some(factor) == first) { None } else { Some(factors) })
    }

    /// Whether the classes of a bootstrap sample have weights. Given class weights are the same in
    /// all samples; balanced ones are computed from the classes of each sample.
    pub(super) fn weighs_samples(&self) -> bool {
        self.config.class_weight.is_some() || self.config.balanced_samples
    }

    /// The given weights of the classes, if there are any, checked for their number.
    fn class_weights(&self, classes: usize) -> Result<Option<&[f64]>> {
        match self.config.class_weight.as_deref() {
            Some(w) if w.len() != classes || !w.iter().all(|w| *w >= 0.0 && w.is_finite()) => {
                Err(Error::parameter(
                    "class_weight",
                    format!("{w:?}"),
                    format!("{classes} finite numbers >= 0 are needed, one per class"),
                ))
            }
            other => Ok(other),
        }
    }

    /// Whether rows are held out for pruning, or become folds. Copies of a row must then be rows,
    /// so that they can be divided.
    pub(super) fn divides_rows(&self) -> bool {
        self.config.alpha_rule.is_some()
            || matches!(self.config.pruning, Some(PruneMethod::ReducedError { .. }))
    }
}

/// The weights of `rows`, multiplied by the weights of their classes; other rows weigh 0. `classes`
/// has the class of every row, and `name_row` the number that an error names.
fn times_class(
    classes: &[u16],
    rows: &[u32],
    weights: &Weights,
    class_weights: &[f64],
    name_row: impl Fn(usize) -> usize,
) -> Result<Weights> {
    let mut products = vec![0.0; classes.len()];
    for &row in rows {
        let class = usize::from(classes[row as usize]);
        products[row as usize] = weights.value(row) * class_weights[class];
    }
    Weights::importances(&products, &name_row)
}

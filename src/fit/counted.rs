//! Sample weights and class weights of the rows of a fit.
//!
//! A row has a sample weight, and the weight of its class multiplies it. An integer sample weight
//! is a number of copies, and copies are rows: limits on rows, nearest neighbours and bootstrap
//! samples count them. A class weight adds no rows. Where there are both, or where the rows will be
//! divided (held out for pruning, or folds that choose the complexity penalty), the copies become
//! rows of a drawn data set, whose columns share the numbers of the given one, and class weights
//! are the weights of these rows. With more than [`MOST_COPIES`] copies they stay weights, and each
//! row counts once. O(rows + copies).

use super::FitPlan;
use crate::data::{Dataset, Draw, RowSet, Weights};
use crate::error::{Error, Result};
use crate::prune::PruneMethod;
use std::sync::Arc;

/// Most copies that become rows.
const MOST_COPIES: u64 = 1 << 24;

impl FitPlan {
    /// Call `job` with rows and weights as growth counts them under the plan's class weights;
    /// `weights` are the sample weights.
    pub fn on_counted_rows<R>(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        job: impl FnOnce(&Dataset, &RowSet, &Weights) -> Result<R>,
    ) -> Result<R> {
        if self.config.importances && weights.copies().is_some() {
            let values: Vec<f64> = (0..data.len() as u32).map(|r| weights.value(r)).collect();
            let name_row = |row: usize| data.original()[row] as usize;
            let weights = data.summing(Weights::importances(&values, name_row)?)?;
            return job(data, rows, &weights);
        }
        let total = |copies: &[u32]| -> u64 {
            rows.rows().iter().map(|&r| u64::from(copies[r as usize])).sum()
        };
        let needs_rows = self.config.class_weight.is_some() || self.divides_rows();
        let copies = weights.copies().filter(|copies| needs_rows && total(copies) <= MOST_COPIES);
        let Some(copies) = copies else {
            return match &self.config.class_weight {
                None => job(data, rows, weights),
                Some(_) => job(data, rows, &self.weighed(data, rows, weights)?),
            };
        };
        let mut times = vec![0; data.len()];
        rows.rows().iter().for_each(|&r| times[r as usize] = copies[r as usize]);
        let drawn = data.drawn(&Arc::new(Draw::new(&times)?));
        let rows = RowSet::all(drawn.len());
        let weights = self.weighed(&drawn, &rows, &Weights::Unit)?;
        job(&drawn, &rows, &weights)
    }

    /// Weights of rows times those of their classes. The result are importances, which count no
    /// copies; without class weights it is `weights`.
    pub fn weighed(&self, data: &Dataset, rows: &RowSet, weights: &Weights) -> Result<Weights> {
        let Some(of_class) = self.class_weights(data.n_classes())? else {
            return Ok(weights.clone());
        };
        times_class(data.classes(), rows.rows(), weights, of_class, |row| {
            data.original()[row] as usize
        })
    }

    /// [`FitPlan::weighed`] for all rows of a fit without a data set; `classes` are their classes.
    pub(super) fn weights_of_cells(&self, classes: &[u16], weights: Weights) -> Result<Weights> {
        let k = self.config.class_weight.as_ref().map_or(0, Vec::len);
        let Some(of_class) = self.class_weights(k)? else { return Ok(weights) };
        if classes.iter().any(|&c| usize::from(c) >= k) {
            return Err(Error::Internal("a class without a weight".into()));
        }
        let all: Vec<u32> = (0..classes.len() as u32).collect();
        times_class(classes, &all, &weights, of_class, |row| row)
    }

    /// The weights of the rows of a bootstrap sample, where copies are rows: those of the classes,
    /// after balancing if the plan says so.
    pub(super) fn weights_of_sample(&self, sample: &Dataset) -> Result<Weights> {
        if !self.weighs_samples() {
            return Ok(Weights::Unit);
        }
        let all = RowSet::all(sample.len());
        if !self.config.balanced_samples {
            return self.weighed(sample, &all, &Weights::Unit);
        }
        // Balanced weights as in scikit-learn, `n / (occurring classes * n_c)`, times the given.
        let given = self.class_weights(sample.n_classes())?;
        let sizes = sample.class_starts().windows(2).map(|s| f64::from(s[1] - s[0]));
        let sizes: Vec<f64> = sizes.collect();
        let occurring = sizes.iter().filter(|&&n| n > 0.0).count() as f64;
        let weight = |(c, &n): (usize, &f64)| {
            let balanced = if n > 0.0 { sample.len() as f64 / (occurring * n) } else { 1.0 };
            balanced * given.map_or(1.0, |w| w[c])
        };
        let of_class: Vec<f64> = sizes.iter().enumerate().map(weight).collect();
        // Equal weights of all classes that occur are unit weights.
        let mut present = of_class.iter().zip(&sizes).filter(|(_, n)| **n > 0.0).map(|(w, _)| *w);
        let first = present.next();
        if present.all(|w| Some(w) == first) {
            return Ok(Weights::Unit);
        }
        times_class(sample.classes(), all.rows(), &Weights::Unit, &of_class, |row| {
            sample.original()[row] as usize
        })
    }

    /// Whether the classes of a bootstrap sample have weights.
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
                    format!("{classes} finite numbers >= 0 are needed, one a class"),
                ))
            }
            other => Ok(other),
        }
    }

    /// Whether rows are held out for pruning, or become folds.
    pub(super) fn divides_rows(&self) -> bool {
        self.config.alpha_rule.is_some()
            || matches!(self.config.pruning, Some(PruneMethod::ReducedError { .. }))
    }
}

/// Weights of `rows` times those of their classes; `classes` are the classes of all rows.
fn times_class(
    classes: &[u16],
    rows: &[u32],
    weights: &Weights,
    of_class: &[f64],
    name_row: impl Fn(usize) -> usize,
) -> Result<Weights> {
    let mut out = vec![0.0; classes.len()];
    for &row in rows {
        out[row as usize] = weights.value(row) * of_class[usize::from(classes[row as usize])];
    }
    Weights::importances(&out, name_row)
}

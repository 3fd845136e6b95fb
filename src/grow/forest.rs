//! A forest: trees on bootstrap samples, each with a seed of its own, and what the rows left out of
//! a tree say of it.
//!
//! Breiman, *Random Forests* (2001). Tree t has the seed `mix(seed, t)`, which decides its sample
//! and the features that its nodes look at; nothing depends on the number of threads. A sample is
//! drawn from an *urn* of copies: a row of integer weight w lies in it w times, a row of real
//! weight is drawn with a probability proportional to it. The urn is sorted by the content of the
//! rows, not by their numbers, so that the order of the rows changes nothing and w copies of a row
//! are the same as one of weight w. A sample is a data set of its own ([`Draw`]) in which every row
//! counts once; the numbers themselves are shared. One sort of n hashes a forest, O(draws) a
//! sample.

use crate::data::{Bits, Column, Dataset, Draw, MISSING, RowSet, Weights};
use crate::error::{Error, Result};
use crate::model::Forest;
use crate::numeric::{mix, order_key, uniform};
use crate::parallel::{self, Control};
use crate::predict::{ForestPredictor, Votes};
use serde::Deserialize;
use std::sync::Arc;

/// How many trees, and what each of them sees.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bagging {
    /// Number of trees.
    pub trees: usize,
    /// Rows that are drawn for a tree; nothing when each tree sees all rows.
    pub draws: Option<usize>,
}

/// Where bootstrap samples are drawn from.
#[derive(Debug)]
pub struct Urn {
    /// Rows, sorted by content.
    rows: Vec<u32>,
    /// Copies (or weight) up to and including each of them; nothing when each lies there once.
    ends: Vec<u64>,
    n_rows: usize,
}

impl Urn {
    /// All copies of some rows.
    pub fn new(data: &Dataset, rows: &RowSet, weights: &Weights) -> Self {
        let mut sorted: Vec<(u64, u32)> =
            hashes(data, rows).into_iter().zip(rows.rows().iter().copied()).collect();
        sorted.sort_unstable();
        let rows: Vec<u32> = sorted.into_iter().map(|(_, row)| row).collect();
        let mut sum = 0;
        let mut add = |weight: u64| {
            sum += weight;
            sum
        };
        let ends = match weights {
            Weights::Unit => Vec::new(),
            Weights::Integer(w) => rows.iter().map(|&r| add(u64::from(w[r as usize]))).collect(),
            Weights::Fixed { values, .. } => {
                rows.iter().map(|&r| add(values[r as usize] as u64)).collect()
            }
        };
        Self { rows, ends, n_rows: data.len() }
    }

    /// The rows that can be drawn, sorted by content.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// A sample with replacement, by a tree's seed.
    pub fn draw(&self, seed: u64, draws: usize) -> Result<Draw> {
        let key = mix(seed, u64::MAX);
        let mut times = vec![0_u32; self.n_rows];
        let total = self.ends.last().copied().unwrap_or(self.rows.len() as u64);
        for i in 0..draws as u64 {
            let copy = uniform(mix(key, i), total);
            let at = match self.ends.is_empty() {
                true => copy as usize,
                false => self.ends.partition_point(|&end| end <= copy),
            };
            times[self.rows[at] as usize] += 1;
        }
        Draw::new(&times)
    }
}

/// A number for the content of each row: class and all cells.
fn hashes(data: &Dataset, rows: &RowSet) -> Vec<u64> {
    let mut hashes: Vec<u64> =
        rows.rows().iter().map(|&r| mix(1, u64::from(data.classes()[r as usize]))).collect();
    for column in data.columns() {
        let hashed = hashes.iter_mut().zip(rows.rows());
        match column {
            Column::Numeric(c) => hashed.for_each(|(h, &r)| {
                let value = c.value(r);
                *h = mix(*h, if value.is_nan() { u64::MAX } else { order_key(value) });
            }),
            Column::Nominal(c) => hashed.for_each(|(h, &r)| {
                let code = c.code(r);
                *h = mix(*h, if code == MISSING { u64::MAX } else { u64::from(code) });
            }),
        }
    }
    hashes
}

/// The seed of a tree: 53 bits, so that every language reads it exactly.
pub fn seed_of_tree(seed: u64, tree: usize) -> u64 {
    mix(seed, tree as u64) >> 11
}

/// Refuse an empty forest or an empty sample.
pub fn check_bagging(bagging: &Bagging) -> Result<()> {
    if bagging.trees == 0 {
        return Err(Error::parameter("n_estimators", 0, "must be at least 1"));
    }
    if bagging.draws == Some(0) {
        return Err(Error::parameter("max_samples", 0, "must be at least 1"));
    }
    Ok(())
}

/// Grow the trees, several at a time where the control allows it: `grow(seed, sample, control)` for
/// each, a sample of nothing meaning all rows. Where there are fewer trees than threads, the
/// threads work inside them.
pub fn plant<T: Send>(
    urn: Option<&Urn>,
    bagging: &Bagging,
    seed: u64,
    control: &Control,
    grow: impl Fn(u64, Option<&Arc<Draw>>, &Control) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    check_bagging(bagging)?;
    control.expect(bagging.trees as u64);
    let one = |tree: usize, within: &Control| {
        control.check()?;
        let seed = seed_of_tree(seed, tree);
        let draw = match (urn, bagging.draws) {
            (Some(urn), Some(draws)) => Some(Arc::new(urn.draw(seed, draws)?)),
            _ => None,
        };
        let grown = grow(seed, draw.as_ref(), &within.quiet())?;
        control.advance(1);
        Ok(grown)
    };
    if bagging.trees < control.threads() {
        return (0..bagging.trees).map(|tree| one(tree, control)).collect();
    }
    let serial = control.serial();
    parallel::map(control, bagging.trees, |tree| one(tree, &serial))
}

/// What the trees say of the rows that they did not see: mean probabilities by internal row, and
/// how many trees spoke.
pub fn out_of_bag(
    forest: &Forest,
    data: &Dataset,
    rows: &RowSet,
    urn: &Urn,
    draws: usize,
    control: &Control,
) -> Result<Votes> {
    let left_out = parallel::map(control, forest.trees.len(), |tree| {
        control.check()?;
        let seen = urn.draw(forest.seeds[tree], draws)?;
        let mut bits = Bits::new(data.len());
        rows.rows().iter().filter(|&&r| seen.times(r) == 0).for_each(|&r| bits.set(r));
        Ok(bits)
    })?;
    let predictor = ForestPredictor::new(forest, control)?;
    predictor.vote(data, data.len(), Some(&left_out), control)
}

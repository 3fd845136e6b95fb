//! A forest: trees on bootstrap samples, each with a seed of its own, and what the rows left out of
//! a tree say of it.
//!
//! Breiman, *Random Forests* (2001). Tree t has the seed `mix(seed, t)`, which decides its sample
//! and the features that its nodes look at; nothing depends on the number of threads. A sample is
//! drawn from a multiset: a row of integer weight w lies in it w times, a row of real weight is
//! drawn with a probability proportional to it. The multiset is sorted by the content of the rows
//! as they came, before means and bins replace cells. So neither the order of the rows nor the
//! search for thresholds changes a sample, and w copies of a row are the same as one of weight w. A
//! sample is a data set of its own ([`crate::data::Draw`]) in which every row counts once, or the
//! codes of its rows with their copies; the numbers themselves are shared. One sort of n hashes a
//! forest, O(draws) a sample.

use crate::bins::{RowChoice, RowSource};
use crate::data::{Bits, Column, Dataset, MISSING, RowSet, Weights};
use crate::error::{Error, Result};
use crate::model::Forest;
use crate::numeric::{mix, order_key, uniform};
use crate::parallel::{self, Control};
use crate::predict::{ForestPredictor, Votes};
use serde::Deserialize;

/// Rows hashed together.
const HASHED: usize = 512;

/// How many trees, and what each of them sees.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bagging {
    /// Number of trees.
    pub trees: usize,
    /// Rows that are drawn for a tree; nothing when each tree sees all rows.
    pub draws: Option<usize>,
    /// The tree that growth begins with; those before it are grown elsewhere.
    #[serde(default)]
    pub first: usize,
}

/// Where bootstrap samples are drawn from.
#[derive(Debug)]
pub struct BootstrapSampler {
    /// Rows, sorted by content.
    rows: Vec<u32>,
    /// Copies (or weight) up to and including each of them; nothing when each lies there once.
    ends: Vec<u64>,
    n_rows: usize,
}

impl BootstrapSampler {
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

    /// All copies of rows that are known by the numbers of their content ([`content_hashes`]).
    pub fn of_hashes(hashes: &[u64], copies: Option<&[u32]>) -> Self {
        let mut sorted: Vec<(u64, u32)> = hashes.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let rows: Vec<u32> = sorted.into_iter().map(|(_, row)| row).collect();
        let mut sum = 0;
        let ends = copies.map(|copies| {
            let running = rows.iter().map(|&r| {
                sum += u64::from(copies[r as usize]);
                sum
            });
            running.collect()
        });
        Self { rows, ends: ends.unwrap_or_default(), n_rows: hashes.len() }
    }

    /// The rows that can be drawn, sorted by content.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// How often each internal row is in a sample with replacement, by a tree's seed.
    pub fn draw(&self, seed: u64, draws: usize) -> Vec<u32> {
        let key = mix(seed, u64::MAX);
        let mut by_place = vec![0_u32; self.rows.len()];
        let total = self.ends.last().copied().unwrap_or(self.rows.len() as u64);
        for i in 0..draws as u64 {
            let copy = uniform(mix(key, i), total);
            let at = match self.ends.is_empty() {
                true => copy as usize,
                false => self.ends.partition_point(|&end| end <= copy),
            };
            by_place[at] += 1;
        }
        let mut times = vec![0; self.n_rows];
        self.rows.iter().zip(by_place).for_each(|(&row, t)| times[row as usize] = t);
        times
    }
}

/// A number for the content of each row: class and all cells.
fn hashes(data: &Dataset, rows: &RowSet) -> Vec<u64> {
    let numeric: Vec<bool> =
        data.columns().iter().map(|c| matches!(c, Column::Numeric(_))).collect();
    content_hashes(data, &numeric, RowChoice::Some(rows.rows()), data.classes())
}

/// The same for cells from anywhere; `is_numeric` tells numbers from codes.
pub fn content_hashes(
    cells: &dyn RowSource,
    is_numeric: &[bool],
    rows: RowChoice<'_>,
    class_of: &[u16],
) -> Vec<u64> {
    let mut hashes: Vec<u64> =
        (0..rows.len()).map(|i| mix(1, u64::from(class_of[rows.row(i)]))).collect();
    let (mut numbers, mut codes) = ([0.0; HASHED], [0; HASHED]);
    for (tile, hashes) in hashes.chunks_mut(HASHED).enumerate() {
        let first = tile * HASHED;
        for (feature, &is_numeric) in is_numeric.iter().enumerate() {
            if is_numeric {
                let numbers = &mut numbers[..hashes.len()];
                cells.numbers(feature, rows, first, numbers);
                for (h, &x) in hashes.iter_mut().zip(&*numbers) {
                    *h = mix(*h, if x.is_nan() { u64::MAX } else { order_key(x) });
                }
            } else {
                let codes = &mut codes[..hashes.len()];
                cells.codes(feature, rows, first, codes);
                for (h, &code) in hashes.iter_mut().zip(&*codes) {
                    *h = mix(*h, if code == MISSING { u64::MAX } else { u64::from(code) });
                }
            }
        }
    }
    hashes
}

/// How often a tree's sample holds each of some rows of a multiset of `total` copies.
///
/// `firsts` are the copies below each row, ascending; `copies` its own (one each when nothing).
pub fn drawn_times(
    (firsts, copies): (&[u64], Option<&[u32]>),
    total: u64,
    (seed, draws): (u64, usize),
) -> Vec<u32> {
    let mut times = vec![0_u32; firsts.len()];
    if firsts.is_empty() {
        return times;
    }
    let key = mix(seed, u64::MAX);
    // A table of where to begin, about as long as there are rows.
    let shift = (total / firsts.len() as u64 + 1).ilog2();
    let mut start = vec![0_u32; (total >> shift) as usize + 2];
    let mut at = 0;
    for (bucket, start) in start.iter_mut().enumerate() {
        while firsts.get(at).is_some_and(|&f| f >> shift < bucket as u64) {
            at += 1;
        }
        *start = at as u32;
    }
    for i in 0..draws as u64 {
        let copy = uniform(mix(key, i), total);
        let mut row = start[(copy >> shift) as usize] as usize;
        while firsts.get(row).is_some_and(|&first| first <= copy) {
            row += 1;
        }
        let Some(row) = row.checked_sub(1) else { continue };
        let own = copies.map_or(1, |c| u64::from(c[row]));
        if copy - firsts[row] < own {
            times[row] += 1;
        }
    }
    times
}

/// The seed of a tree: 53 bits, so that every language reads it exactly.
pub fn seed_of_tree(seed: u64, tree: usize) -> u64 {
    mix(seed, tree as u64) >> 11
}

/// A number for the content of all rows that a fit sees, with their weights and in any order.
pub fn content(data: &Dataset, rows: &RowSet, weights: &Weights) -> u64 {
    let weight = |row: u32| match weights {
        Weights::Unit => 1,
        Weights::Integer(w) => u64::from(w[row as usize]),
        Weights::Fixed { values, .. } => values[row as usize] as u64,
    };
    let hashes = hashes(data, rows).into_iter().zip(rows.rows());
    hashes.fold(0, |sum, (hash, &row)| sum.wrapping_add(hash.wrapping_mul(weight(row))))
}

/// Refuse an empty forest or an empty sample.
pub fn check_bagging(bagging: &Bagging) -> Result<()> {
    if bagging.trees == 0 {
        return Err(Error::parameter("n_estimators", 0, "must be at least 1"));
    }
    if bagging.draws == Some(0) {
        return Err(Error::parameter("max_samples", 0, "must be at least 1"));
    }
    if let Some(draws) = bagging.draws.filter(|&d| d >= 1 << 31) {
        let text = format!("{draws} drawn rows: at most 2,147,483,647 are supported");
        return Err(Error::Data(text));
    }
    Ok(())
}

/// Grow the trees from number `first` on, several at a time where the control allows it:
/// `grow(seed, times, control)` for each, where `times` says how often each row is in the sample;
/// nothing means all rows. Where there are fewer trees than threads, the threads work inside them.
pub fn grow_trees<T: Send>(
    sampler: Option<&BootstrapSampler>,
    bagging: &Bagging,
    (seed, first): (u64, usize),
    control: &Control,
    grow: impl Fn(u64, Option<&[u32]>, &Control) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    check_bagging(bagging)?;
    let trees = bagging.trees.saturating_sub(first);
    control.expect(trees as u64);
    let one = |tree: usize, within: &Control| {
        control.check()?;
        let seed = seed_of_tree(seed, first + tree);
        let drawn = sampler.zip(bagging.draws).map(|(sampler, draws)| sampler.draw(seed, draws));
        let grown = grow(seed, drawn.as_deref(), &within.quiet())?;
        control.advance(1);
        Ok(grown)
    };
    if trees < control.threads() {
        return (0..trees).map(|tree| one(tree, control)).collect();
    }
    let serial = control.serial();
    parallel::map(control, trees, |tree| one(tree, &serial))
}

/// What the trees say of the rows that they did not see: mean probabilities by internal row, and
/// how many trees spoke.
pub fn out_of_bag(
    forest: &Forest,
    data: &Dataset,
    rows: &RowSet,
    sampler: &BootstrapSampler,
    draws: usize,
    control: &Control,
) -> Result<Votes> {
    let left_out = parallel::map(control, forest.trees.len(), |tree| {
        control.check()?;
        let times = sampler.draw(forest.seeds[tree], draws);
        let mut bits = Bits::new(data.len());
        rows.rows().iter().filter(|&&r| times[r as usize] == 0).for_each(|&r| bits.set(r));
        Ok(bits)
    })?;
    let predictor = ForestPredictor::new(forest, control)?;
    predictor.vote(data, data.len(), Some(&left_out), control)
}

//! Forests: bootstrap samples, the growth of several trees, and out-of-bag votes (Breiman, *Random
//! Forests*, 2001). `crate::fit::forest` calls this, and passes the growth of one tree.
//!
//! Tree t has the seed `mix(seed, t)`, which decides its sample and the features that its nodes
//! search; nothing depends on the number of threads. A sample is drawn from the rows of positive
//! weight, each with the same chance, and the number of its draws multiplies the weight of a row,
//! as in scikit-learn. The rows are sorted by their content, before means and bins replace cells,
//! and by their weight, so neither the order of the rows nor the search for thresholds changes a
//! sample. The caller turns a sample into a drawn data set ([`crate::data::DrawnRows`]), or into
//! rows or codes with copies; the numbers themselves are shared. One sort of n hashes per forest,
//! O(n + draws) per sample.

use crate::data::{Bits, Column, Dataset, MISSING, RowChoice, RowSet, RowSource, Target, Weights};
use crate::error::{Error, Result};
use crate::memory;
use crate::model::Forest;
use crate::numeric::{mix, order_key, uniform};
use crate::parallel::{self, Control};
use crate::predict::{ForestPredictor, Votes};
use serde::Deserialize;

/// Rows hashed together, so that a feature's cells are read in one call and the hashes stay in the
/// cache.
const ROWS_HASHED: usize = 512;

/// The number of trees and the size of their samples.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bagging {
    /// Number of trees.
    pub trees: usize,
    /// Rows that are drawn for a tree; `None`: each tree grows on all rows.
    pub draws: Option<usize>,
    /// Number of the first tree to grow; other calls grow the trees before it.
    #[serde(default)]
    pub first: usize,
}

/// The rows from which bootstrap samples are drawn.
#[derive(Debug)]
pub struct BootstrapSampler {
    /// Rows, sorted by content and weight.
    rows: Vec<u32>,
    /// Rows of the data set, drawn or not.
    n_rows: usize,
}

impl BootstrapSampler {
    /// A sampler of rows of a data set of `n_rows` rows. `hashes` are the [`row_hashes`] of `rows`;
    /// the sort by them makes samples independent of the order of the rows.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::error::Error::Memory).
    pub fn new(hashes: &[u64], n_rows: usize, rows: &[u32], weights: &Weights) -> Result<Self> {
        let hashed = hashes.iter().zip(rows);
        let keys = hashed.map(|(&hash, &row)| (hash, weight_of(weights, row), row));
        let mut sorted = memory::collect(keys)?;
        sorted.sort_unstable();
        Ok(Self { rows: sorted.into_iter().map(|(_, _, row)| row).collect(), n_rows })
    }

    /// How often each internal row is in the sample of a tree with this seed: `draws` rows are
    /// drawn with replacement. The result has one number per row of the data set, 0 for rows that
    /// cannot be drawn, and its sum is `draws`.
    pub fn draw(&self, seed: u64, draws: usize) -> Vec<u32> {
        let key = mix(seed, u64::MAX);
        let n = self.rows.len();
        let mut by_place = vec![0_u32; n];
        (0..draws as u64).for_each(|i| by_place[uniform(mix(key, i), n as u64) as usize] += 1);
        let mut times = vec![0; self.n_rows];
        self.rows.iter().zip(by_place).for_each(|(&row, n)| times[row as usize] = n);
        times
    }

    /// The rows that can be drawn and are not in the sample of a tree, sorted by content and
    /// weight. The importances of features are computed on them, tree by tree. With many draws
    /// there may be no such row.
    pub fn out_of_bag(&self, seed: u64, draws: usize) -> Vec<u32> {
        let times = self.draw(seed, draws);
        self.rows.iter().copied().filter(|&row| times[row as usize] == 0).collect()
    }
}

/// The weight of a row in units: its copies, or its real weight in fixed point.
fn weight_of(weights: &Weights, row: u32) -> u64 {
    match weights {
        Weights::Unit => 1,
        Weights::Integer(copies) => u64::from(copies[row as usize]),
        Weights::Fixed { values, .. } => values[row as usize] as u64,
    }
}

/// A hash of the content of some rows of a data set: their class or number, and all cells. The
/// hashes come in the order of `rows`.
pub fn row_hashes(data: &Dataset, rows: &RowSet) -> Vec<u64> {
    let numeric: Vec<bool> =
        data.columns().iter().map(|column| matches!(column, Column::Numeric(_))).collect();
    let units = data.target().map(Target::units);
    content_hashes(data, &numeric, rows.choice(), data.classes(), units)
}

/// A hash of the content of each row: its class, its number if the target is one (in units), and
/// all cells.
///
/// `is_numeric` says which columns are numbers; the others are codes. `class_of` and `units` are by
/// row of the data set. Any source of cells gives rows of equal content equal hashes.
pub fn content_hashes(
    cells: &dyn RowSource,
    is_numeric: &[bool],
    rows: RowChoice<'_>,
    class_of: &[u16],
    units: Option<&[i64]>,
) -> Vec<u64> {
    let of_target = |row: usize| {
        let class = mix(1, u64::from(class_of[row]));
        units.map_or(class, |units| mix(class, units[row] as u64))
    };
    let mut hashes: Vec<u64> = (0..rows.len()).map(|i| of_target(rows.row(i))).collect();
    let (mut numbers, mut codes) = ([0.0; ROWS_HASHED], [0; ROWS_HASHED]);
    for (chunk, hashes) in hashes.chunks_mut(ROWS_HASHED).enumerate() {
        let first = chunk * ROWS_HASHED;
        for (feature, &is_numeric) in is_numeric.iter().enumerate() {
            if is_numeric {
                let numbers = &mut numbers[..hashes.len()];
                cells.numbers(feature, rows, first, numbers);
                for (hash, &number) in hashes.iter_mut().zip(&*numbers) {
                    let key = if number.is_nan() { u64::MAX } else { order_key(number) };
                    *hash = mix(*hash, key);
                }
            } else {
                let codes = &mut codes[..hashes.len()];
                cells.codes(feature, rows, first, codes);
                for (hash, &code) in hashes.iter_mut().zip(&*codes) {
                    *hash = mix(*hash, if code == MISSING { u64::MAX } else { u64::from(code) });
                }
            }
        }
    }
    hashes
}

/// How often the sample of a tree, `draws` of `n_rows` rows, holds each row of a partition.
///
/// This is [`BootstrapSampler::draw`] where rows are distributed. `places` are the places of the
/// partition's rows among all sorted rows, ascending. O(rows + draws).
pub fn drawn_times(places: &[u64], n_rows: u64, seed: u64, draws: usize) -> Vec<u32> {
    let mut times = vec![0_u32; places.len()];
    if places.is_empty() {
        return times;
    }
    let key = mix(seed, u64::MAX);
    // The first row at or after each bucket of places: about one bucket per row.
    let shift = (n_rows / places.len() as u64 + 1).ilog2();
    let mut start = vec![0_u32; (n_rows >> shift) as usize + 2];
    let mut first_row = 0;
    for (bucket, start) in start.iter_mut().enumerate() {
        while places.get(first_row).is_some_and(|&place| place >> shift < bucket as u64) {
            first_row += 1;
        }
        *start = first_row as u32;
    }
    for i in 0..draws as u64 {
        let place = uniform(mix(key, i), n_rows);
        let mut row = start[(place >> shift) as usize] as usize;
        while places.get(row).is_some_and(|&other| other < place) {
            row += 1;
        }
        if places.get(row) == Some(&place) {
            times[row] += 1;
        }
    }
    times
}

/// The seed of a tree: 53 bits, which fit the numbers of JSON exactly. A model keeps the seeds of
/// its trees, so that their samples can be drawn again.
pub fn seed_of_tree(seed: u64, tree: usize) -> u64 {
    mix(seed, tree as u64) >> 11
}

/// A hash of the content of all rows of a fit with their weights, in any order: a forest that is
/// grown further must be given the same rows. `hashes` are the [`row_hashes`] of `rows`.
pub fn content(hashes: &[u64], data: &Dataset, rows: &RowSet, weights: &Weights) -> u64 {
    let weighed_hash = |(hash, &row): (u64, &u32)| {
        // Samples need no numbers of the target, by which the rows of a data set are sorted.
        let hash = data.target().map_or(hash, |target| mix(hash, order_key(target.value(row))));
        hash.wrapping_mul(weight_of(weights, row))
    };
    let rows = hashes.iter().copied().zip(rows.rows());
    rows.map(weighed_hash).fold(0, u64::wrapping_add)
}

/// Refuse an empty forest, and samples that are empty or too large for 32-bit counts.
///
/// # Errors
/// One that names the parameter, or the number of rows that was to be drawn.
pub fn check_bagging(bagging: &Bagging) -> Result<()> {
    if bagging.trees == 0 {
        return Err(Error::parameter("n_estimators", 0, "must be at least 1"));
    }
    if bagging.draws == Some(0) {
        return Err(Error::parameter("max_samples", 0, "must be at least 1"));
    }
    if let Some(draws) = bagging.draws.filter(|&draws| draws >= 1 << 31) {
        let text = format!("{draws} drawn rows: at most 2,147,483,647 are supported");
        return Err(Error::Data(text));
    }
    Ok(())
}

/// Grow the trees from number `first` on, several at a time where the control allows it.
///
/// Each tree is `grow(seed, times, control)`, where `times` says how often each row is in its
/// sample; `None` means all rows. Where there are fewer trees than threads, trees grow one after
/// the other and each on all threads.
pub fn grow_trees<T: Send>(
    sampler: Option<&BootstrapSampler>,
    bagging: &Bagging,
    seed: u64,
    first: usize,
    control: &Control,
    grow: impl Fn(u64, Option<Vec<u32>>, &Control) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    check_bagging(bagging)?;
    let trees = bagging.trees.saturating_sub(first);
    control.set_total(trees as u64);
    let grow_one = |tree: usize, control: &Control| {
        control.check()?;
        let seed = seed_of_tree(seed, first + tree);
        let times = sampler.zip(bagging.draws).map(|(sampler, draws)| sampler.draw(seed, draws));
        let grown = grow(seed, times, &control.quiet())?;
        control.advance(1);
        Ok(grown)
    };
    if trees < control.threads() {
        return (0..trees).map(|tree| grow_one(tree, control)).collect();
    }
    let serial = control.serial();
    parallel::map(control, trees, &|tree| grow_one(tree, &serial))
}

/// Out-of-bag votes: the mean probabilities of each internal row over the trees whose samples do
/// not hold it, and the number of those trees. The number is 0 for a row that every sample holds.
/// Memory: a bit per tree and row.
pub fn out_of_bag(
    forest: &Forest,
    data: &Dataset,
    rows: &RowSet,
    sampler: &BootstrapSampler,
    draws: usize,
    control: &Control,
) -> Result<Votes> {
    let left_out = parallel::map(control, forest.trees.len(), &|tree| {
        control.check()?;
        let times = sampler.draw(forest.seeds[tree], draws);
        let mut bits = Bits::new(data.len());
        rows.rows().iter().filter(|&&row| times[row as usize] == 0).for_each(|&row| bits.set(row));
        Ok(bits)
    })?;
    let predictor = ForestPredictor::new(forest, control)?;
    predictor.vote(data, data.len(), Some(&left_out), control)
}

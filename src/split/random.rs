//! One split a feature, drawn by a seed (Geurts, Ernst & Wehenkel, *Extremely randomized trees*,
//! Machine Learning 63, 2006).
//!
//! A threshold is uniform between the smallest and the largest value of the node, and stands as it
//! was drawn; of nominal features split in two, one of the divisions that the search for the best
//! would try is drawn. The number drawn depends on the seed, the node and the feature alone, so
//! trees are the same for any number of threads and any order of the rows. O(rows) a feature for
//! the class sums on the left.
//!
//! When not to use it: for a single tree that shall be accurate. It is for forests, where it trades
//! variance between trees for time.

use super::block::Scratch;
use super::scan::{Scan, flush};
use super::sink::Sink;
use crate::criteria::Context;
use crate::error::Result;
use crate::numeric::mix;
use crate::stats::{Sum, Weighing};

/// Which splits of a feature are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Splitter {
    /// All of them.
    #[default]
    Best,
    /// One, drawn at random.
    Random,
}

/// What is drawn for the features of one node.
#[derive(Debug, Clone, Copy)]
pub struct Draws(u64);

impl Draws {
    /// For the node with this key in a tree with this seed.
    pub fn new(seed: u64, node: u64) -> Self {
        Self(mix(mix(seed, node), 1 << 32))
    }

    /// A number for a feature.
    pub fn of(self, feature: u32) -> u64 {
        mix(self.0, u64::from(feature))
    }

    /// A threshold in `[lo, hi)`, where `lo < hi`.
    pub fn threshold(self, feature: u32, lo: f64, hi: f64) -> f64 {
        let share = (self.of(feature) >> 11) as f64 / (1_u64 << 53) as f64;
        let t = lo * (1.0 - share) + hi * share;
        (if t >= lo && t < hi { t } else { lo }) + 0.0
    }
}

/// Score the threshold with `at` known rows on its left, whose class sums are `left`.
pub fn score_candidates<W: Weighing>(
    scan: &Scan<'_, W>,
    at: usize,
    left: &[W::Sum],
    context: &Context,
    scratch: &mut Scratch<<W::Sum as Sum>::Cell>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let (n, k, unit) = (scan.order.len(), context.classes, scan.weights.unit());
    let right: Vec<W::Sum> = scan.known.iter().zip(left).map(|(a, &l)| a.minus(l)).collect();
    let is_large = |sums: &[W::Sum], rows: usize| {
        let weight = sums.iter().fold(W::Sum::default(), |a, &b| a.plus(b)).value(unit);
        let size = if scan.min.copies { weight } else { rows as f64 };
        size >= f64::from(scan.min.rows) && weight >= scan.min.weight
    };
    if !is_large(left, at) || !is_large(&right, n - at) {
        return Ok(());
    }
    let branches = if scan.known == scan.totals { 2 } else { 3 };
    scratch.prepare(branches, k, 1);
    scratch.declare(branches as u32);
    scratch.totals.clear();
    scratch.totals.extend(scan.totals.iter().map(|t| t.cell(unit)));
    let missing = scan.totals.iter().zip(scan.known).map(|(t, &k)| t.minus(k));
    let cells = left.iter().copied().chain(right.iter().copied()).chain(missing);
    for (i, sum) in cells.take(branches * k).enumerate() {
        scratch.cells[i * scratch.stride] = sum.cell(unit);
    }
    scratch.at[0] = at as u32;
    flush(scan.feature, 1, context, branches, scratch, sink)
}

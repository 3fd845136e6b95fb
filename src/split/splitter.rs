//! Which splits of a feature are tried: the parameter `splitter`.
//!
//! One that tries a single threshold says here where it is, from the rows of the node; both kinds
//! of growth on rows ask it. A new one is a file beside [`random`](super::random) that finds the
//! place, and a variant with its answers below. O(rows) a feature for the class sums on the left.

use super::block::BlockScratch;
use super::cut_rule::{CutRule, NumericRows};
use super::random::Draws;
use super::scan::{Scan, flush};
use super::sink::Sink;
use crate::criteria::Context;
use crate::error::Result;
use crate::reached::{self, Way};
use crate::stats::{CellOf, Sum, Weighing};

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

impl Splitter {
    /// The word of the parameter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Random => "random",
        }
    }

    /// Whether all splits are tried, so that counts per bin serve, and trees are grown in all ways.
    pub fn is_exhaustive(self) -> bool {
        match self {
            Self::Best => true,
            Self::Random => false,
        }
    }

    /// What one division of a nominal feature's levels is drawn by; nothing where all are tried.
    pub fn division(self, draws: Draws) -> Option<Draws> {
        match self {
            Self::Best => None,
            Self::Random => Some(draws),
        }
    }

    /// The thresholds of a numeric feature.
    pub fn cut<W: Weighing, V: Fn(u32) -> f64>(
        self,
        rows: &NumericRows<'_, W, V>,
        draws: Draws,
    ) -> CutRule {
        match self {
            Self::Best => CutRule::Every,
            Self::Random => draws.cut(rows),
        }
    }
}

/// Score the threshold with `at` known rows on its left, whose class sums are `left`.
pub fn score_candidates<W: Weighing>(
    scan: &Scan<'_, W>,
    at: usize,
    left: &[W::Sum],
    context: &Context,
    scratch: &mut BlockScratch<CellOf<W>>,
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
    reached::count(Way::OnePlace);
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

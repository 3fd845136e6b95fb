//! Which splits of a feature are tried: the parameter `splitter`.
//!
//! Growth on rows, whole or fractional, asks [`Splitter::cut`] which thresholds of a numeric
//! feature it tries in a node; [`score_candidates`] scores the one threshold of a splitter that
//! tries no others. A new splitter is a file beside [`random`](super::random) that finds the
//! threshold, and a variant of [`Splitter`] with an arm in each method. O(rows) per feature for the
//! class sums on the left.

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
    /// All splits are tried.
    #[default]
    Best,
    /// One split per feature is tried, drawn at random.
    Random,
}

impl Splitter {
    /// The value of the parameter `splitter` that means this splitter. Error messages about
    /// combinations of parameters print it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Random => "random",
        }
    }

    /// Whether all splits are tried. Splitters that try fewer need sorted rows (no bins) and local
    /// evaluation.
    pub fn is_exhaustive(self) -> bool {
        match self {
            Self::Best => true,
            Self::Random => false,
        }
    }

    /// The draws by which one division of a nominal feature's levels is picked; `None` where all
    /// are tried. The draw is uniform among the divisions that a search for the best would try.
    pub fn division(self, draws: Draws) -> Option<Draws> {
        match self {
            Self::Best => None,
            Self::Random => Some(draws),
        }
    }

    /// The thresholds of a numeric feature that growth tries in a node. `draws` are the random
    /// numbers of the node, which only some splitters read.
    pub fn cut<V: Fn(u32) -> f64>(self, rows: &NumericRows<'_, V>, draws: Draws) -> CutRule {
        match self {
            Self::Best => CutRule::Every,
            Self::Random => draws.cut(rows),
        }
    }
}

/// Score the one threshold with `at` known rows on its left, whose class sums are `left`, unless a
/// side is too small. With all known rows on the left, the test is a known value against none.
///
/// # Errors
/// Any error of the sink.
pub fn score_candidates<W: Weighing>(
    scan: &Scan<'_, W>,
    at: usize,
    left: &[W::Sum],
    context: &Context,
    scratch: &mut BlockScratch<CellOf<W>>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let (n_known, unit) = (scan.order.len(), scan.weights.unit());
    let right: Vec<W::Sum> =
        scan.known.iter().zip(left).map(|(all, &left)| all.minus(left)).collect();
    let is_large = |sums: &[W::Sum], rows: usize| {
        let weight = Sum::total(sums).value(unit);
        let size = if scan.min.copies { weight } else { rows as f64 };
        size >= f64::from(scan.min.rows) && weight >= scan.min.weight
    };
    if !is_large(left, at) || (at < n_known && !is_large(&right, n_known - at)) {
        return Ok(());
    }
    reached::count(Way::Drawn);
    let branches = scratch.prepare_cuts(scan.known, scan.totals, unit, 1);
    scratch.write_cut(0, at as u32, [left, scan.known], unit);
    flush(scan.feature, 1, context, branches, scratch, sink)
}

//! Multiway splits on codes: one branch for each declared value, and one for missing values where
//! the node has any.
//!
//! Each feature has one such split, which is a candidate if at least two branches have rows and
//! each of these reaches the [`Minimum`]. Consecutive features with the same number of branches
//! share a block, so that the criterion scores many tables in one call. O(levels x classes) per
//! feature, without the counting.

use super::block::{BlockScratch, MOST_CANDIDATES};
use super::sink::{CandidateBlock, Features, Sink};
use crate::criteria::Context;
use crate::error::Result;
use crate::numeric::Count;
use crate::reached::{self, Way};
use crate::stats::Sum;
use std::borrow::Cow;

/// The table of one nominal feature in a node.
#[derive(Debug, Clone)]
pub struct NominalTable<'a, S: Sum> {
    /// Feature.
    pub feature: u32,
    /// `[code * classes + class]`.
    pub cells: Cow<'a, [S]>,
    /// Whether the last code means "missing".
    pub missing: bool,
}

/// Limits on the size of a branch that has rows.
#[derive(Debug, Clone, Copy)]
pub struct Minimum {
    /// Fewest rows. Multiway splits check it only where sums count rows, because weights do not
    /// tell how many rows a branch has.
    pub rows: u32,
    /// Least weight of a branch.
    pub weight: f64,
    /// Whether sums count rows (or copies of rows).
    pub copies: bool,
}

/// Score the multiway splits of a node's nominal features into a sink, in feature order.
///
/// `tables` are the tables of the features, `totals` the class sums of the node, and `unit` the
/// value of one unit of the sums. Splits with a branch below `min` are no candidates.
///
/// # Errors
/// Any error of the sink.
pub fn score_candidates<'a, S: Sum>(
    tables: &mut dyn Iterator<Item = NominalTable<'a, S>>,
    totals: &[S],
    unit: f64,
    min: Minimum,
    context: &Context,
    scratch: &mut BlockScratch<S::Cell>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let classes = context.classes;
    scratch.totals.clear();
    scratch.totals.extend(totals.iter().map(|total| total.cell(unit)));
    let mut features = std::mem::take(&mut scratch.features);
    features.clear();
    let mut block_branches = 0;
    for table in tables {
        let Some(branches) = count_branches(&table, classes, unit, min) else { continue };
        // All tables of a block have the same number of branches.
        let fits = branches == block_branches && features.len() < scratch.stride;
        if !features.is_empty() && !fits {
            flush(&mut features, block_branches, context, scratch, sink)?;
        }
        if features.is_empty() {
            scratch.prepare(branches, classes, MOST_CANDIDATES);
            scratch.declare(branches as u32);
            block_branches = branches;
        }
        reached::count(Way::Multiway);
        let (candidate, stride) = (features.len(), scratch.stride);
        for (i, &cell) in table.cells[..branches * classes].iter().enumerate() {
            scratch.cells[i * stride + candidate] = cell.cell(unit);
        }
        features.push(table.feature);
    }
    if !features.is_empty() {
        flush(&mut features, block_branches, context, scratch, sink)?;
    }
    scratch.features = features;
    Ok(())
}

/// The number of branches of a multiway split; `None` where it is no candidate. The branch of
/// missing values counts only if it has rows, and declared levels count even without rows. O(levels
/// x classes), less without limits.
pub fn count_branches<S: Sum>(
    table: &NominalTable<'_, S>,
    classes: usize,
    unit: f64,
    min: Minimum,
) -> Option<usize> {
    let mut branches = table.cells.len() / classes;
    let size_of =
        |branch: usize| Sum::total(&table.cells[branch * classes..(branch + 1) * classes]);
    if table.missing && size_of(branches - 1).is_empty() {
        branches -= 1;
    }
    // Without limits the second branch with rows decides.
    if min.rows <= 1 && min.weight <= 0.0 {
        return (0..branches)
            .filter(|&branch| !size_of(branch).is_empty())
            .nth(1)
            .map(|_| branches);
    }
    let mut n_occupied = 0;
    for size in (0..branches).map(size_of).filter(|size| !size.is_empty()) {
        n_occupied += 1;
        let weight = size.value(unit);
        if weight < min.weight || (min.copies && weight < f64::from(min.rows)) {
            return None;
        }
    }
    (n_occupied >= 2).then_some(branches)
}

/// Give the tables of the block to the sink, and empty it.
fn flush<C: Count>(
    features: &mut Vec<u32>,
    branches: usize,
    context: &Context,
    scratch: &mut BlockScratch<C>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let len = features.len();
    scratch.at[..len].fill(0);
    let tables = scratch.tables(branches, len, context);
    let features_of = Features::Each(features);
    sink.take(&CandidateBlock { tables, at: &scratch.at[..len], features: features_of })?;
    features.clear();
    Ok(())
}

//! Multiway splits on codes: one branch for each declared value, and one for missing values where
//! the node has any.
//!
//! Neighbouring features with the same number of branches share a block, so that the formula runs
//! over many tables at once. Fewer than two branches with rows, or a branch with fewer than
//! `min_rows`, and the split is not a candidate.

use super::block::{BLOCK, BlockScratch};
use super::sink::{CandidateBlock, Features, Sink};
use crate::criteria::{Context, Tables};
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
    /// The last code means "missing".
    pub missing: bool,
}

/// Score the multiway splits of a node's nominal features, in feature order.
pub fn score_candidates<'a, S: Sum>(
    tables: impl Iterator<Item = NominalTable<'a, S>>,
    totals: &[S],
    unit: f64,
    min: Minimum,
    context: &Context,
    scratch: &mut BlockScratch<S::Cell>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let k = context.classes;
    scratch.totals.clear();
    scratch.totals.extend(totals.iter().map(|t| t.cell(unit)));
    let mut features = std::mem::take(&mut scratch.features);
    features.clear();
    let mut open = 0;
    scratch.declared.clear();
    for table in tables {
        let Some(branches) = branches(&table, k, unit, min) else { continue };
        if !features.is_empty() && (branches != open || features.len() == scratch.stride) {
            flush(&mut features, open, context, scratch, sink)?;
        }
        if features.is_empty() {
            scratch.prepare(branches, k, 2 * BLOCK);
            open = branches;
        }
        reached::count(Way::Multiway);
        let j = features.len();
        let stride = scratch.stride;
        for (i, &cell) in table.cells[..branches * k].iter().enumerate() {
            scratch.cells[i * stride + j] = cell.cell(unit);
        }
        scratch.declared.push(branches as u32);
        features.push(table.feature);
    }
    if !features.is_empty() {
        flush(&mut features, open, context, scratch, sink)?;
    }
    scratch.features = features;
    Ok(())
}

/// Smallest size of a branch with rows.
#[derive(Debug, Clone, Copy)]
pub struct Minimum {
    /// In rows, checked here only where sums are copies of rows.
    pub rows: u32,
    /// In weight.
    pub weight: f64,
    /// Sums count rows.
    pub copies: bool,
}

/// Number of branches if the split is a candidate.
pub fn branches<S: Sum>(
    table: &NominalTable<'_, S>,
    k: usize,
    unit: f64,
    min: Minimum,
) -> Option<usize> {
    let mut branches = table.cells.len() / k;
    let size =
        |b: usize| table.cells[b * k..(b + 1) * k].iter().fold(S::default(), |a, &c| a.plus(c));
    if table.missing && size(branches - 1).is_empty() {
        branches -= 1;
    }
    if min.rows <= 1 && min.weight <= 0.0 {
        return (0..branches).filter(|&b| !size(b).is_empty()).nth(1).map(|_| branches);
    }
    let mut filled = 0;
    for b in 0..branches {
        let size = size(b);
        if !size.is_empty() {
            filled += 1;
            let weight = size.value(unit);
            if weight < min.weight || (min.copies && weight < f64::from(min.rows)) {
                return None;
            }
        }
    }
    (filled >= 2).then_some(branches)
}

fn flush<C: Count>(
    features: &mut Vec<u32>,
    branches: usize,
    context: &Context,
    scratch: &mut BlockScratch<C>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let len = features.len();
    scratch.at[..len].fill(0);
    let tables = Tables {
        cells: C::cells(&scratch.cells),
        totals: C::cells(&scratch.totals),
        branches,
        classes: context.classes,
        stride: scratch.stride,
        len,
        declared: &scratch.declared,
        context,
    };
    sink.take(&CandidateBlock {
        tables,
        at: &scratch.at[..len],
        features: Features::Each(features),
    })?;
    features.clear();
    scratch.declared.clear();
    Ok(())
}

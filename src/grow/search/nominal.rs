//! The nominal features of a node: their candidates, and the branches and the test of one.
//!
//! A feature has one branch per level (multiway), or its levels are divided in two; its declaration
//! says which. Where class sums are weights and a limit is in rows, rows are counted by code.
//! O(levels x classes) per multiway feature; [`crate::split::subset`] has the cost of divisions in
//! two. Bit planes and C4.5's rule do not use this.

use super::{BranchSums, NodeTables, SearchScratch};
use crate::error::Result;
use crate::split::multiway;
use crate::split::random::Draws;
use crate::split::subset::{self, FeatureLevels, LevelPartitions, SubsetSearch};
use crate::split::{NominalSplits, Sink};
use crate::stats::Sum;
use crate::tree::Test;

/// The test of a nominal candidate.
#[derive(Debug, Clone)]
pub(in crate::grow) struct NominalTest {
    pub test: Test,
    /// Levels that a subset test lists.
    pub levels: Vec<u32>,
    /// Branch of each code; empty where a code is its branch.
    pub branch_of: Vec<u16>,
}

/// Whether rows are counted by code: a limit, or the cost of a division, is in rows, and class sums
/// are not.
fn are_rows_counted<R: NodeTables>(rows: &R) -> bool {
    let min = rows.minimum();
    !min.copies && (min.rows > 1 || must_pay(rows))
}

/// Whether divisions in two are candidates only where they save more bits than they take to name.
fn must_pay<R: NodeTables>(rows: &R) -> bool {
    rows.node().setting.nominal_splits == NominalSplits::Auto
}

fn is_multiway<R: NodeTables>(rows: &R, nominal: usize) -> bool {
    rows.declared(nominal).splits == NominalSplits::Multiway
}

/// Whether every level with rows has at least `least`, where rows are counted.
fn has_enough<S: Sum>(levels: &FeatureLevels<'_, S>, least: u32) -> bool {
    levels.rows.as_ref().is_none_or(|rows| rows.iter().all(|&s| s == 0 || s >= least))
}

/// Score the candidates of the nominal features at some places: first the features that are divided
/// in two, then the features with one branch per level, each in feature order. `known` are the
/// class sums of the rows on which they are scored.
pub(in crate::grow) fn score_nominal<R: NodeTables>(
    rows: &R,
    places: &[usize],
    known: &[R::Sum],
    scratch: &mut SearchScratch<R::Sum>,
    memory: &mut R::Memory,
    sink: &mut dyn Sink,
) -> Result<()> {
    let (node, min, counted) = (rows.node(), rows.minimum(), are_rows_counted(rows));
    let (splits, facts) = (node.setting.nominal_splits, &node.setting.context);
    let SearchScratch { block, partitions, .. } = scratch;
    if splits != NominalSplits::Multiway {
        let divided = places.iter().filter(|&&j| !is_multiway(rows, j));
        let levels = &mut divided.map(|&j| rows.levels(j, counted, memory));
        let search = subset_search(rows);
        subset::score_candidates(levels, known, &search, facts, partitions, block, sink)?;
    }
    if !splits.has_multiway() {
        return Ok(());
    }
    let tables = &mut places
        .iter()
        .filter(|&&j| is_multiway(rows, j))
        .map(|&j| rows.levels(j, counted, memory))
        .filter(|levels| has_enough(levels, min.rows))
        .map(|levels| levels.table);
    multiway::score_candidates(tables, known, node.unit, min, facts, block, sink)
}

/// Whether the multiway split of a nominal feature has at least two branches with rows, none of
/// them too small.
pub(in crate::grow) fn is_candidate<R: NodeTables>(rows: &R, nominal: usize) -> bool {
    let (node, min) = (rows.node(), rows.minimum());
    let levels = rows.levels(nominal, are_rows_counted(rows), &mut R::Memory::default());
    multiway::count_branches(&levels.table, node.totals.len(), node.unit, min).is_some()
        && has_enough(&levels, min.rows)
}

fn subset_search<R: NodeTables>(rows: &R) -> SubsetSearch {
    let (node, all) = (rows.node(), rows.scores_all());
    let setting = node.setting;
    let draws = Draws::new(setting.seed, rows.key());
    SubsetSearch {
        how: setting.nominal_splits.in_two(),
        uses_order: setting.criterion.breiman_order() && !all,
        must_pay: must_pay(rows),
        all_of_number: setting.significance.is_some(),
        min: rows.minimum(),
        unit: node.unit,
        drawn: setting.splitter.division(draws).filter(|_| !all),
    }
}

/// The divisions in two of the levels of a nominal feature.
pub(in crate::grow) fn divisions<R: NodeTables>(
    rows: &R,
    nominal: usize,
) -> LevelPartitions<R::Sum> {
    let levels = rows.levels(nominal, are_rows_counted(rows), &mut R::Memory::default());
    let mut partitions = LevelPartitions::default();
    partitions.fill(&levels, rows.node().totals.len(), &subset_search(rows));
    partitions
}

/// Class sums by branch of a nominal candidate.
pub(super) fn nominal_branches<R: NodeTables>(
    rows: &R,
    nominal: usize,
    at: u32,
) -> BranchSums<R::Sum> {
    if !is_multiway(rows, nominal) {
        let (sums, missing) = divisions(rows, nominal).sums(at);
        return BranchSums { sums, missing };
    }
    let table = rows.levels(nominal, false, &mut R::Memory::default()).table;
    let (mut sums, mut missing) = (table.cells.into_owned(), table.missing);
    // No branch for missing values where the node has none.
    let last = sums.len() - rows.node().totals.len();
    if missing && sums[last..].iter().all(|s| s.is_empty()) {
        sums.truncate(last);
        missing = false;
    }
    BranchSums { sums, missing }
}

/// The test of a nominal candidate.
pub(in crate::grow) fn nominal_test<R: NodeTables>(
    rows: &R,
    nominal: usize,
    at: u32,
) -> NominalTest {
    let declared = rows.declared(nominal);
    if declared.splits == NominalSplits::Multiway {
        return NominalTest { test: Test::Multiway, levels: Vec::new(), branch_of: Vec::new() };
    }
    let search = subset_search(rows);
    let division = divisions(rows, nominal).partition(at, declared.levels, declared.edges, &search);
    let mut branch_of: Vec<u16> = division.is_first.iter().map(|&f| u16::from(!f)).collect();
    // Missing values are a third branch.
    branch_of.extend(declared.missing.then_some(2));
    NominalTest { test: division.test, levels: division.listed, branch_of }
}

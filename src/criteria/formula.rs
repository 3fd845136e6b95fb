//! The two faces of a criterion: [`Criterion`], what growth calls, and [`Formula`], what a file of
//! this room writes.
//!
//! A formula is generic in the kind of count; the blanket implementation asks once a block which
//! kind it is. A criterion that needs more than a table (pairs, neighbours, rows) implements
//! [`Criterion`] and says so by [`Criterion::evidence`].

use super::{Block, Info, RunningScores, Tables, neighbours, pairs, rows};
use crate::error::{Error, Result};
use crate::numeric::{Cells, Count};
use crate::simd::Level;
use crate::simd::cuts::PairNode;
use serde::Serialize;
use serde_json::Value;

/// How the best feature is picked once every feature has its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GainFilter {
    /// The largest score wins.
    #[default]
    None,
    /// Features whose gain is below the mean gain of the features with a valid split score 0.
    Average,
    /// As in C4.5 (release 8) and J48: gain >= mean gain - 1e-3 over usable splits.
    J48,
    /// Features whose gain is below (sum of gains)/(features + 1) score 0 (Chen 2013).
    Chen2013,
}

/// How the split of a node is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SplitRule {
    /// The candidate with the best score, after the guard.
    #[default]
    Best,
    /// As C4.5 (release 8) and J48 find it: cuts by gain less a penalty for their number, then
    /// features by gain ratio, numbers within 1e-6 equal; see `split::c45`.
    C45,
}

/// Approximations of the scores of cuts between two classes ([`crate::simd::cuts`]).
#[derive(Debug, Clone, Copy)]
pub struct PairScreen {
    /// The kernel; it returns the largest score.
    pub scores: fn(Level, &[u32], PairNode, &mut [f32]) -> f32,
    /// A bound on the distance of a score from the true value.
    pub error: f64,
}

/// What a criterion reads of the rows of a node, with what is needed to make it.
#[derive(Debug, Clone, Copy)]
pub enum Evidence<'a> {
    /// The contingency table branch x class: [`Criterion::score`].
    Table,
    /// Pairs of rows, by this formula.
    Pairs(&'a dyn pairs::OnPairs),
    /// Neighbours of rows, found and weighed like this.
    Neighbours(neighbours::NeighbourSearch),
    /// The rows themselves, and what the smallest trees of branches may cost.
    Rows(SizeBudget),
}

/// Search nodes for sizes of smallest trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeBudget {
    /// For one branch.
    pub branch: u64,
    /// For all branches of a fit.
    pub total: u64,
}

/// A criterion as growth sees it.
pub trait Criterion: Send + Sync + std::fmt::Debug {
    /// Facts.
    fn info(&self) -> &'static Info;
    /// Options as JSON, in the order of `info().options`.
    fn options(&self) -> Value;
    /// Scores (larger is better) of all candidates of a block; `out.len() == tables.len`.
    fn score(&self, tables: &Tables<'_>, out: &mut [f64]) -> Result<()>;
    /// Distances (smaller is better) of all candidates of a block.
    fn distance(&self, tables: &Tables<'_>, out: &mut [f64]) -> Result<()>;
    /// Cheap approximations of the scores and a bound on their error; see [`Formula::screen`].
    fn screen(&self, _tables: &Tables<'_>, _out: &mut [f64]) -> Option<f64> {
        None
    }
    /// The same for cuts between two classes in single precision, where there is a kernel.
    fn pair_screen(&self) -> Option<PairScreen> {
        None
    }
    /// How cuts of unit rows are scored from running sums over the classes, where they can be.
    fn running_scores(&self) -> Option<RunningScores> {
        None
    }
    /// The selection rule that goes with it.
    fn gain_filter(&self) -> GainFilter {
        GainFilter::None
    }
    /// How the split of a node is found.
    fn split_rule(&self) -> SplitRule {
        SplitRule::Best
    }
    /// All candidates of a node must come in one block (a user's function: one call a node).
    fn needs_all_candidates(&self) -> bool {
        false
    }
    /// With two classes a best division of levels cuts their order by the share of a class (tested
    /// for all that say so).
    fn breiman_order(&self) -> bool {
        false
    }
    /// [`Info::convex`] also beside a branch that thresholds leave alone, but for the first and the
    /// last of all thresholds.
    fn convex_with_missing_branch(&self) -> bool {
        false
    }
    /// The criterion for tables whose branch i holds the rows labelled i; nothing when it reads
    /// them as any other.
    fn for_label_table(&self) -> Option<Box<dyn Criterion>> {
        None
    }
    /// What one label's row adds to the distance of a whole tree's table; see
    /// [`Formula::row_terms`].
    fn row_terms(&self, _row: &rows::Row<'_>, _out: &mut [f64]) -> bool {
        false
    }
    /// What it reads of a node; of the kind that [`Info::evidence`] says.
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Table
    }
}

/// What a file of this room implements: the formula, once, for any kind of count.
pub trait Formula: Send + Sync + std::fmt::Debug + Serialize + 'static {
    /// Facts.
    fn info(&self) -> &'static Info;
    /// Scores of a block.
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]);
    /// Distances of a block; `-score` unless the criterion says otherwise.
    fn distance<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        self.score(block, out);
        for d in out {
            *d = -*d;
        }
    }
    /// Write approximations of the scores into `out` and return a bound `e` on their distance from
    /// what [`Formula::score`] rounds: only candidates with `out[j] >= max(out) - 2 e` need the
    /// exact formula. `None`: `out` is untouched.
    fn screen<C: Count>(&self, _block: &Block<'_, C>, _out: &mut [f64]) -> Option<f64> {
        None
    }
    /// See [`Criterion::pair_screen`].
    fn pair_screen(&self) -> Option<PairScreen> {
        None
    }
    /// See [`Criterion::running_scores`].
    fn running_scores(&self) -> Option<RunningScores> {
        None
    }
    /// The selection rule that goes with it.
    fn gain_filter(&self) -> GainFilter {
        GainFilter::None
    }
    /// See [`Criterion::breiman_order`].
    fn breiman_order(&self) -> bool {
        Formula::info(self).convex
    }
    /// See [`Criterion::convex_with_missing_branch`].
    fn convex_with_missing_branch(&self) -> bool {
        Formula::info(self).convex
    }
    /// How the split of a node is found.
    fn split_rule(&self) -> SplitRule {
        SplitRule::Best
    }
    /// Another formula where branch i of a table holds the rows labelled i; see
    /// [`Criterion::for_label_table`].
    fn for_label_table(&self) -> Option<Box<dyn Criterion>> {
        None
    }
    /// Where the distance of a table is a sum over its branches, up to a number that depends on the
    /// class totals alone: the summands of branch `row.label`, within 1e-12 for totals of any size.
    /// `false`: it is no such sum; `out` is untouched.
    fn row_terms<C: Count>(&self, _row: &rows::RowOf<'_, C>, _out: &mut [f64]) -> bool {
        false
    }
    /// Refuse options outside their domain.
    fn check(&self) -> Result<()> {
        Ok(())
    }
    /// Refuse a block that the options cannot serve: `classes` declared classes, `n` rows (or
    /// weight).
    fn admit(&self, _classes: usize, _n: f64) -> Result<()> {
        Ok(())
    }
}

impl<F: Formula> Criterion for F {
    fn info(&self) -> &'static Info {
        Formula::info(self)
    }
    fn options(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
    fn score(&self, t: &Tables<'_>, out: &mut [f64]) -> Result<()> {
        self.admit(t.classes, t.n()).map_err(|e| e.of(Formula::info(self).name))?;
        match (t.cells, t.totals) {
            (Cells::Rows(c), Cells::Rows(n)) => Formula::score(self, &t.block(c, n), out),
            (Cells::Weights(c), Cells::Weights(n)) => Formula::score(self, &t.block(c, n), out),
            _ => return Err(Error::Internal("cells and totals of different kinds".into())),
        }
        Ok(())
    }
    fn distance(&self, t: &Tables<'_>, out: &mut [f64]) -> Result<()> {
        self.admit(t.classes, t.n()).map_err(|e| e.of(Formula::info(self).name))?;
        match (t.cells, t.totals) {
            (Cells::Rows(c), Cells::Rows(n)) => Formula::distance(self, &t.block(c, n), out),
            (Cells::Weights(c), Cells::Weights(n)) => Formula::distance(self, &t.block(c, n), out),
            _ => return Err(Error::Internal("cells and totals of different kinds".into())),
        }
        Ok(())
    }
    fn screen(&self, t: &Tables<'_>, out: &mut [f64]) -> Option<f64> {
        match (t.cells, t.totals) {
            (Cells::Rows(c), Cells::Rows(n)) => Formula::screen(self, &t.block(c, n), out),
            (Cells::Weights(c), Cells::Weights(n)) => Formula::screen(self, &t.block(c, n), out),
            _ => None,
        }
    }
    fn pair_screen(&self) -> Option<PairScreen> {
        Formula::pair_screen(self)
    }
    fn running_scores(&self) -> Option<RunningScores> {
        Formula::running_scores(self)
    }
    fn gain_filter(&self) -> GainFilter {
        Formula::gain_filter(self)
    }
    fn breiman_order(&self) -> bool {
        Formula::breiman_order(self)
    }
    fn convex_with_missing_branch(&self) -> bool {
        Formula::convex_with_missing_branch(self)
    }
    fn split_rule(&self) -> SplitRule {
        Formula::split_rule(self)
    }
    fn for_label_table(&self) -> Option<Box<dyn Criterion>> {
        Formula::for_label_table(self)
    }
    fn row_terms(&self, row: &rows::Row<'_>, out: &mut [f64]) -> bool {
        match row.totals {
            Cells::Rows(_) => {
                row.of::<u32>().is_some_and(|row| Formula::row_terms(self, &row, out))
            }
            Cells::Weights(_) => {
                row.of::<f64>().is_some_and(|row| Formula::row_terms(self, &row, out))
            }
        }
    }
}

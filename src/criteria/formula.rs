//! The traits of criteria: growth calls [`Criterion`], a criterion's file implements [`Formula`],
//! and both have [`Properties`].
//!
//! A formula is generic in the kind of count; the blanket implementation of [`Criterion`] finds out
//! the kind once per block. A criterion on class sums declares the steps of a [`fold`](super::fold)
//! and gets its formula from them. A criterion that needs more than a table (pairs, neighbours,
//! rows) implements [`Criterion`] itself, and [`Properties::evidence`].

use super::{Block, Context, Evidence, Info, LossRise, QuantileLoss, RunningScores, Tables, rows};
use crate::data::TargetGrid;
use crate::error::{Error, Result};
use crate::numeric::{Cells, Count, Moments};
use crate::simd::Level;
use crate::simd::two_class_cuts::PairNode;
use crate::tree::Outcome;

/// How the best feature is picked once every feature has its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
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

impl GainFilter {
    /// The least gain of a feature that may be picked. `sum` is the sum of the gains of `counted`
    /// features with a valid split, `features` the number of all features.
    pub fn bound(self, sum: f64, counted: usize, features: usize) -> f64 {
        let mean = sum / counted as f64;
        match self {
            Self::None => f64::NEG_INFINITY,
            Self::Average => mean,
            Self::J48 => mean - 1e-3,
            Self::Chen2013 => sum / (features as f64 + 1.0),
        }
    }
}

/// How the split of a node is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SplitRule {
    /// The candidate with the best score, after the guard.
    #[default]
    Best,
    /// As in C4.5 (release 8) and J48: cuts are chosen by gain less a penalty for their number,
    /// then features by gain ratio, and numbers within 1e-6 are equal; see `split::c45`.
    C45,
}

/// Approximations of the scores of cuts between two classes ([`crate::simd::two_class_cuts`]).
#[derive(Debug, Clone, Copy)]
pub struct PairScreen {
    /// The kernel; it returns the largest score.
    pub scores: fn(Level, &[u32], PairNode, &mut [f32]) -> f32,
    /// A bound on the distance of a score from the true value.
    pub error: f64,
}

/// The declarations of a criterion beside its scores: facts, rules for growth, and quicker ways to
/// the scores.
pub trait Properties: Send + Sync + std::fmt::Debug {
    /// Facts.
    fn info(&self) -> &'static Info;
    /// The evidence that the criterion reads of a node; its kind is [`Info::evidence`].
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Table
    }
    /// The rule by which growth chooses among the best splits of the features.
    fn gain_filter(&self) -> GainFilter {
        GainFilter::None
    }
    /// How the split of a node is chosen.
    fn split_rule(&self) -> SplitRule {
        SplitRule::Best
    }
    /// Whether all candidates of a node must come in one block (a user's function: one call per
    /// node).
    fn needs_all_candidates(&self) -> bool {
        false
    }
    /// Whether the formula looks logarithms of counts up; tables of them are made only then.
    fn reads_logs(&self) -> bool {
        true
    }
    /// Whether, with two classes, a best division of levels cuts their order by the share of a
    /// class (tested for all criteria that say so).
    fn breiman_order(&self) -> bool {
        self.info().convex
    }
    /// Whether [`Info::convex`] also holds beside a branch that thresholds leave alone, except for
    /// the first and the last of all thresholds.
    fn convex_with_missing_branch(&self) -> bool {
        self.info().convex
    }
    /// The criterion for tables whose branch i holds the rows labelled i; `None` if it reads them
    /// as any other table.
    fn for_label_table(&self) -> Option<Box<dyn Criterion>> {
        None
    }
    /// Cheap approximations of the scores of a block and a bound `e` on their distance from the
    /// scores as [`Formula::score`] rounds them: only candidates with `out[j] >= max(out) - 2 e`
    /// need the exact formula. `None`: `out` is untouched.
    fn screen(&self, _tables: &Tables<'_>, _out: &mut [f64]) -> Option<f64> {
        None
    }
    /// Approximations of cuts between two classes in single precision, where there is a kernel.
    fn pair_screen(&self) -> Option<PairScreen> {
        None
    }
    /// How cuts of unit rows are scored from running sums over the classes, where they can be.
    fn running_scores(&self) -> Option<RunningScores> {
        None
    }
    /// Whether declared classes without rows change the scores, so that nothing may leave them out.
    fn reads_declared_classes(&self) -> bool {
        false
    }
    /// How the loss of a tree rises as rows join its leaves, where leaves have a loss.
    fn loss_rise(&self) -> LossRise {
        LossRise::Unknown
    }
    /// Whether the score of a split of a numeric target is the weighted mean of the squared
    /// differences of the branches' means from the node's.
    fn is_between_means(&self) -> bool {
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

/// A criterion as growth calls it.
pub trait Criterion: Properties {
    /// Write the scores of all candidates of an admitted block, or their distances.
    ///
    /// # Errors
    /// Unless the criterion reads tables.
    fn evaluate(&self, _tables: &Tables<'_>, _distance: bool, _out: &mut [f64]) -> Result<()> {
        self.info().refuse_table()
    }
    /// The terms that the row of one label adds to the distance of a whole tree's table; see
    /// [`Formula::row_terms`].
    fn row_terms(&self, _row: &rows::Row<'_>, _out: &mut [f64]) -> bool {
        false
    }
    /// The losses of leaves; see [`Formula::losses`].
    fn losses(&self, _counts: Cells<'_>, _context: &Context, _out: &mut [f64]) -> bool {
        false
    }
    /// The value and the impurity of a node with these rows, as far as moments determine them.
    fn outcome(&self, rows: &Moments, grid: TargetGrid) -> Outcome {
        let variance = grid.variance(rows);
        Outcome { value: grid.to_number(rows.mean), impurity: variance, variance }
    }
    /// Whether the impurity of rows is the mean of their divergences from their mean, which moments
    /// do not determine.
    fn averages_divergences(&self) -> bool {
        false
    }
    /// The Bregman divergence of the number `at + difference` from `at`: 0 for no difference, else
    /// positive. The sum over rows is least around their mean.
    fn divergence(&self, difference: f64, _at: f64) -> f64 {
        difference * difference
    }
    /// The loss of a row of a numeric target in a leaf that predicts `value`: the loss whose mean
    /// over the rows of a leaf is its impurity.
    fn row_loss(&self, y: f64, value: f64) -> f64 {
        match self.evidence() {
            Evidence::Order(QuantileLoss { quantile, scale }) => {
                let share = if y > value { quantile } else { 1.0 - quantile };
                scale * share * (y - value).abs()
            }
            _ => self.divergence(y - value, value),
        }
    }
    /// Refuse numbers of the target `name` that the formula does not take; `values` are the rows
    /// and their numbers.
    fn admit_target(
        &self,
        _name: &str,
        _values: &mut dyn Iterator<Item = (usize, f64)>,
    ) -> Result<()> {
        Ok(())
    }
}

impl dyn Criterion + '_ {
    /// Scores (larger is better) of all candidates of a block; `out.len() == tables.len`. A score
    /// of minus infinity says that a candidate is not valid: growth never takes it.
    pub fn score(&self, tables: &Tables<'_>, out: &mut [f64]) -> Result<()> {
        self.admit(tables.classes, tables.weight()).map_err(|e| e.with_owner(self.info().name))?;
        self.evaluate(tables, false, out)
    }
    /// Distances (smaller is better) of all candidates of a block. `out.len() == tables.len`.
    /// Global growth compares whole trees by their distances. For most criteria the distance is the
    /// negative score, but where the score subtracts a term of the node, the distance may leave
    /// that term out.
    pub fn distance(&self, tables: &Tables<'_>, out: &mut [f64]) -> Result<()> {
        self.admit(tables.classes, tables.weight()).map_err(|e| e.with_owner(self.info().name))?;
        self.evaluate(tables, true, out)
    }
    /// The score of one table. It serves callers with one table, such as a scan that scores an
    /// approximated threshold again exactly; loops over candidates should pass a block to `score`.
    pub fn score_of(&self, table: &Tables<'_>) -> Result<f64> {
        let mut score = [0.0];
        self.score(table, &mut score)?;
        Ok(score[0])
    }
    /// The loss of a leaf with these counts of all declared classes. `None` if leaves have no loss
    /// under the criterion, as the score is no mean over the branches; the exact search refuses
    /// such criteria. A loss is never negative.
    pub fn loss(&self, counts: Cells<'_>, context: &Context) -> Option<f64> {
        let mut loss = [0.0];
        self.losses(counts, context, &mut loss).then(|| loss[0])
    }
}

/// The formula of a criterion on tables, written once for both kinds of count.
pub trait Formula: Properties {
    /// Scores of a block.
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]);
    /// Distances of a block; `-score` unless the criterion says otherwise.
    fn distance<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        self.score(block, out);
        for d in out {
            *d = -*d;
        }
    }
    /// Scores of a block, or its distances.
    fn evaluate<C: Count>(&self, block: &Block<'_, C>, distance: bool, out: &mut [f64]) {
        if distance { self.distance(block, out) } else { self.score(block, out) }
    }
    /// Where the distance of a table is a sum over its branches, up to a number that depends on the
    /// class totals alone: the summands of branch `row.label`, within 1e-12 for totals of any size.
    /// `false`: it is no such sum; `out` is untouched.
    fn row_terms<C: Count>(&self, _row: &rows::RowOf<'_, C>, _out: &mut [f64]) -> bool {
        false
    }
    /// The losses of leaves, each at least 0, where minus the score of a split is the mean over its
    /// rows of the losses of its branches (the sum, for [extensive](Info::extensive) scores), up to
    /// a number that depends on the class totals alone. Leaf `j` has
    /// `counts[class * out.len() + j]` rows of each declared class. `false`: leaves have no such
    /// loss; `out` is untouched.
    fn losses<C: Count>(&self, _counts: &[C], _context: &Context, _out: &mut [f64]) -> bool {
        false
    }
}

/// A call of a formula with the kind of count of its tables known.
macro_rules! by_count {
    ($tables:ident, $block:ident => $call:expr, $mixed:expr) => {
        match ($tables.cells, $tables.totals) {
            ($crate::numeric::Cells::Rows(cells), $crate::numeric::Cells::Rows(totals)) => {
                let $block = &$tables.block(cells, totals);
                $call
            }
            ($crate::numeric::Cells::Weights(cells), $crate::numeric::Cells::Weights(totals)) => {
                let $block = &$tables.block(cells, totals);
                $call
            }
            _ => $mixed,
        }
    };
}

pub(super) use by_count;

/// Cells and totals must both be rows or both be weights; a criterion on classes reads no moments.
fn mixed(tables: &Tables<'_>, info: &Info) -> Result<()> {
    if let Cells::Moments(_) = tables.cells {
        return Err(Error::Unsupported {
            what: format!("criterion='{}' on a numeric target", info.name),
            supported: "criteria on numbers, or target_bins, which makes classes of the numbers"
                .into(),
        });
    }
    Err(Error::Internal("cells and totals of different kinds".into()))
}

impl<F: Formula> Criterion for F {
    fn evaluate(&self, tables: &Tables<'_>, distance: bool, out: &mut [f64]) -> Result<()> {
        by_count!(tables, block => {
            Formula::evaluate(self, block, distance, out);
            Ok(())
        }, mixed(tables, self.info()))
    }
    fn row_terms(&self, row: &rows::Row<'_>, out: &mut [f64]) -> bool {
        match row.totals {
            Cells::Rows(_) => {
                row.with_counts::<u32>().is_some_and(|row| Formula::row_terms(self, &row, out))
            }
            Cells::Weights(_) => {
                row.with_counts::<f64>().is_some_and(|row| Formula::row_terms(self, &row, out))
            }
            Cells::Moments(_) => false,
        }
    }
    fn losses(&self, counts: Cells<'_>, context: &Context, out: &mut [f64]) -> bool {
        match counts {
            Cells::Rows(counts) => Formula::losses(self, counts, context, out),
            Cells::Weights(counts) => Formula::losses(self, counts, context, out),
            Cells::Moments(_) => false,
        }
    }
}

//! What all parts of the search for optimal trees share: the rows, the loss, the penalty, when to
//! stop, and which of two equally good trees counts as better.
//!
//! Inside, a cost is the loss plus `penalty` per leaf. The penalty includes a tiny one for ties, so
//! that of trees with the same loss the one with the fewest leaves costs least; it obeys the same
//! bounds as the real one. Costs closer than `tie` count as equal.
//!
//! Where leaves need several rows, a second setting has the same rows without that limit: the
//! bounds of [`super::gaps`] need what its trees cost.

use super::known::Known;
use super::losses::Loss;
use super::plans::{Incumbent, Split};
use super::ranked::{RankedRows, RankedTest};
use super::sorted::{MarkRule, SortedSet};
use crate::error::{Error, Result};
use crate::parallel::Control;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The setting of a search.
pub(super) struct Setting<'a> {
    pub(super) rows: &'a RankedRows,
    pub(super) loss: &'a dyn Loss,
    /// Cost of a leaf.
    pub(super) penalty: f64,
    /// The part of it that is no rule for ties.
    pub(super) leaf_price: f64,
    /// Costs that differ by less are equal; 0 where ties are not resolved.
    pub(super) tie: f64,
    /// Fewest rows of a leaf; copies are rows.
    pub(super) min_rows: u32,
    /// If that is more than one, the setting in which it is one.
    pub(super) free: Option<Box<Self>>,
    /// Solved sets.
    pub(super) known: Known,
    pub(super) nodes: Arc<SearchNodes>,
    /// Progress that was reported, in thousandths.
    pub(super) reported: AtomicU64,
}

/// Search nodes opened, and the largest number of them.
#[derive(Debug, Default)]
pub(super) struct SearchNodes {
    pub(super) opened: AtomicU64,
    pub(super) budget: AtomicU64,
}

impl Setting<'_> {
    pub(super) fn marks(&self) -> MarkRule {
        MarkRule { min_rows: self.min_rows, skips_runs: self.loss.skips_runs() }
    }

    /// Count a search node, or stop.
    pub(super) fn count(&self, control: &Control) -> Result<()> {
        let SearchNodes { opened, budget } = &*self.nodes;
        if opened.fetch_add(1, Ordering::Relaxed) >= budget.load(Ordering::Relaxed) {
            opened.fetch_sub(1, Ordering::Relaxed);
            return Err(Error::OutOfTime);
        }
        control.check()
    }

    /// The most levels of a tree that may cost less than `cost`: one of d levels has d + 1 leaves
    /// at least, which must be worth their price.
    pub(super) fn deepest(&self, cost: f64) -> u32 {
        let most = (cost / self.leaf_price).min(f64::from(u32::MAX));
        if self.leaf_price > 0.0 { (most as u32).max(3) - 1 } else { u32::MAX }
    }

    /// From lower bounds of the trees that test a column first, those that also hold for what is
    /// left of such trees in a subset, where their first test may divide nothing. What is left is
    /// then a tree of one level less. Without other limits than the depth, any column that divides
    /// the rows could be tested in front of it; the tree would then have its leaves twice.
    ///
    /// A first test that sends missing values left may divide them from the others, as a test of
    /// the next column does, where they go right; without missing values, both have the same tests.
    pub(super) fn for_subsets(&self, query: &Query<'_>, best: f64, by_column: &mut [f64]) {
        let (set, below) = (query.set, query.depth.saturating_sub(1));
        for (g, column) in set.columns.iter().enumerate() {
            if self.rows.has_twin(g) {
                by_column[g] = by_column[g].min(by_column[g + 1]);
                if !column.has_missing {
                    by_column[g + 1] = by_column[g];
                }
            }
        }
        let is_free = self.min_rows <= 1 && below < 16 && query.leaves >= 1 << query.depth;
        let mut less = best;
        if is_free {
            let again = self.penalty * f64::from(1_u32 << below);
            let divides = set.columns.iter().zip(&*by_column).filter(|(c, _)| c.first <= c.last);
            less = divides.fold(best, |less, (_, bound)| less.max(bound - again));
        }
        by_column.iter_mut().for_each(|bound| *bound = bound.min(less));
    }

    /// The cost of a leaf with these weights of the classes.
    pub(super) fn cost(&self, counts: &[f64]) -> f64 {
        self.loss.leaf(counts) + self.penalty
    }

    /// The most that a tree of a set and of some cost may seem to cost: costs are sums in any
    /// order.
    pub(super) fn reachable(&self, set: &SortedSet, cost: f64) -> f64 {
        // In the unit of the loss, of which a set of one class has none.
        let most = self.loss.rise(set.weight, set.weight);
        let scale = if most.is_finite() { most } else { self.leaf(set).max(set.weight) };
        cost + 1e-9 * (cost + scale)
    }

    /// The cost of a set as a leaf.
    pub(super) fn leaf(&self, set: &SortedSet) -> f64 {
        self.cost(&set.counts)
    }
}

impl Incumbent {
    /// Whether a tree with the cost is better, given its first test.
    pub(super) fn is_beaten(&self, setting: &Setting<'_>, cost: f64, split: &Split) -> bool {
        if !self.is_first {
            return cost < self.cost;
        }
        cost < self.cost - setting.tie
            || cost <= self.cost + setting.tie
                && self.split.is_some_and(|own| {
                    let key = |s: &Split| (setting.rows.key(s.test), s.leaves.left);
                    key(split) < key(&own)
                })
    }

    /// What the test of a threshold, and those of higher ones of its column, must undercut.
    pub(super) fn limit(
        &self,
        setting: &Setting<'_>,
        query: &Query<'_>,
        column: usize,
        threshold: usize,
    ) -> f64 {
        if !self.is_first {
            return self.enough(query.share);
        }
        let may_precede = self.split.is_some_and(|own| {
            let lowest = query.set.test(setting.rows, column, threshold);
            let (a, b) = (setting.rows.key(lowest), setting.rows.key(own.test));
            (a.0, a.1, a.2) <= (b.0, b.1, b.2)
        });
        if may_precede { self.cost + setting.tie } else { self.cost - setting.tie }
    }
}

/// What is asked about a set of rows.
pub(super) struct Query<'q> {
    pub(super) set: &'q SortedSet,
    pub(super) depth: u32,
    pub(super) leaves: u32,
    /// Trees that cost as much are of no use.
    pub(super) limit: f64,
    /// No tree costs less.
    pub(super) known: f64,
    /// By column, a lower bound of the trees that test it first.
    pub(super) by_column: &'q [f64],
    /// A test that is probably good.
    pub(super) hint: Option<RankedTest>,
    /// A lower bound of this share of the cost of the tree that is found will do; 1: the best tree
    /// is asked for.
    pub(super) share: f64,
    /// Whether the first of several best tests is asked for.
    pub(super) is_first: bool,
    /// Whether it is about all rows, so that progress is reported.
    pub(super) is_root: bool,
}

impl<'q> Query<'q> {
    /// What the best tree of one test is.
    pub(super) fn stump(set: &'q SortedSet, by_column: &'q [f64]) -> Self {
        Self {
            set,
            depth: 1,
            leaves: 2,
            limit: f64::INFINITY,
            known: 0.0,
            by_column,
            hint: None,
            share: 1.0,
            is_first: true,
            is_root: false,
        }
    }
}

/// What was found.
#[derive(Clone)]
pub(super) struct Answer {
    /// The best tree, if it costs less than the limit of the query; else a bound of its cost.
    pub(super) best: Incumbent,
    /// No tree costs less.
    pub(super) lower: f64,
    /// By column, a lower bound of the trees that test it first.
    pub(super) by_column: Vec<f64>,
    /// Why the search ended early.
    pub(super) halted: Option<Error>,
}

impl Answer {
    /// Nothing is known.
    pub(super) fn none(columns: usize) -> Self {
        let best = Incumbent::new(f64::INFINITY, false);
        Self { best, lower: 0.0, by_column: vec![0.0; columns], halted: None }
    }

    /// The answer, or why there is none.
    pub(super) fn complete(self) -> Result<Self> {
        match self.halted {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }
}

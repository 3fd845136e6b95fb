//! All cuts of a node as one block of candidates ([`CutBlock`]), and the choice of the best
//! ([`CutRules`]).
//!
//! This serves the common case: numbers without missing values, copies as weights, no gain filter,
//! and the first of equal candidates. The left sums of all candidates lie in one plane per class,
//! so that one call of the criterion scores the whole node; where it has a screen, the exact
//! formula scores only candidates that may be best. Candidates may come in any order and several
//! times: the choice is the one that [`crate::split::binned`] and the selection rule make, to the
//! last bit. O(candidates x classes) per node.

use super::context::BinnedContext;
use crate::criteria::Tables;
use crate::error::Result;
use crate::numeric::Count;
use crate::reached::{self, Way};
use crate::simd::Level;
use crate::simd::class_sums::admit;
use crate::split::estimates::{Estimate, Estimates};
use crate::split::not_a_number;

/// The facts of a candidate that its choice depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct CutFacts {
    pub feature: u32,
    /// Highest code on the left.
    pub at: u32,
    /// Lowest code on the right.
    pub next: u32,
    /// Weights of the bin just below and of the bin just above the cut.
    pub beside: [u32; 2],
    /// Where both of these bins weigh 1: whether their rows have the same class. Without a meaning
    /// for heavier bins.
    pub one_class: bool,
}

impl CutFacts {
    /// Whether the cut lies between two single rows of one class, where it is never best by a
    /// convex criterion. Cuts beside heavier bins stay candidates, as in
    /// [`crate::split::threshold`].
    pub fn is_within_a_class(&self) -> bool {
        self.one_class && self.beside == [1; 2]
    }
}

/// A score, the feature, and the highest code on the left, by which cuts are compared.
type CutScore = (f64, u32, u32);

/// Whether a cut has a larger score than another, or comes first of equal ones.
pub(super) fn beats(cut: CutScore, other: CutScore) -> bool {
    let ((score, feature, at), (other_score, other_feature, other_at)) = (cut, other);
    score > other_score || (score == other_score && (feature, at) < (other_feature, other_at))
}

/// The cut that is chosen.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChosenCut {
    /// Its number in the block.
    pub candidate: usize,
    pub facts: CutFacts,
    pub score: f64,
}

/// Which cuts of a node may be chosen.
#[derive(Debug, Clone, Copy)]
pub(super) struct CutRules {
    /// Fewest rows on the left, at least one.
    pub least: u32,
    /// Most rows on the left.
    pub most: u32,
    /// The limits forbid more than empty branches.
    has_limits: bool,
    /// The criterion is convex: no cut within a class is best.
    is_convex: bool,
}

impl CutRules {
    /// The rules of a node with `n_rows` rows; `None` where it is too small to be split. The limit
    /// on weight counts rows, too, as weights are copies here.
    pub fn new(context: &BinnedContext<'_>, n_rows: u32) -> Option<Self> {
        let min = context.minimum();
        let least = (min.weight.max(f64::from(min.rows)).ceil() as u32).max(1);
        Some(Self {
            least,
            most: n_rows.checked_sub(least)?,
            has_limits: min.rows > 1 || min.weight > 0.0,
            is_convex: context.setting.criterion.info().convex,
        })
    }

    /// Whether a candidate with `left` rows on its left may be chosen. At both ends of the range
    /// that the limits allow, a cut within a class may be best.
    fn allow(&self, cut: &CutFacts, left: u32) -> bool {
        let is_at_limit = self.has_limits && (left == self.least || left == self.most);
        is_at_limit || !(self.is_convex && cut.is_within_a_class())
    }

    /// The best candidate, the first of equal ones, by estimates of the scores.
    ///
    /// `left` gives the rows on the left of a candidate, `exact` its score. `facts` gives the facts
    /// of a candidate, or `None` for one that repeats another; where the estimates are the scores,
    /// it gets the best so far and may return `None` for candidates that come later.
    #[inline]
    pub fn best<E: Estimate>(
        &self,
        estimated: Estimates<'_, E>,
        left: impl Fn(usize) -> u32,
        facts: impl Fn(usize, Option<&CutFacts>) -> Option<CutFacts>,
        exact: impl Fn(usize) -> Result<f64>,
    ) -> Result<Option<ChosenCut>> {
        let are_scores = estimated.error == 0.0;
        let mut best: Option<ChosenCut> = None;
        estimated.visit_best(f64::NEG_INFINITY, |candidate, estimate| {
            let held = best.as_ref().map(|best| &best.facts).filter(|_| are_scores);
            let cut = facts(candidate, held).filter(|cut| self.allow(cut, left(candidate)));
            let Some(cut) = cut else { return Ok(None) };
            let score = if are_scores { estimate.into() } else { exact(candidate)? };
            let place = |score, cut: &CutFacts| (score, cut.feature, cut.at);
            let wins = |best: &ChosenCut| beats(place(score, &cut), place(best.score, &best.facts));
            if best.as_ref().is_none_or(wins) {
                best = Some(ChosenCut { candidate, facts: cut, score });
            }
            Ok(Some(score))
        })?;
        Ok(best)
    }
}

/// The cuts of a node, by their numbers in a block. The calls are dynamic, as there are few: some
/// per node, and some for each candidate near the best.
pub(super) trait NodeCuts {
    /// Number of cuts.
    fn len(&self) -> usize;

    /// Write the rows of a class on the left of each cut.
    fn count(&self, class: usize, out: &mut [u32]);

    /// Class sums on the left of a cut.
    fn left_sums(&self, cut: usize) -> Vec<u32>;

    /// The feature of a cut, and the highest code on its left.
    fn place(&self, cut: usize) -> (u32, u32);

    /// The facts of a cut, with the rows left of all cuts; `None` for one that repeats another.
    fn facts(&self, lefts: &[u32], cut: usize) -> Option<CutFacts>;
}

/// A block of candidates of one node.
#[derive(Debug, Default)]
pub(super) struct CutBlock {
    /// A plane of `stride` cells per class of the left branch, then as many of the right branch.
    cells: Vec<u32>,
    /// Weight left of each candidate.
    left: Vec<u32>,
    totals: Vec<u32>,
    scores: Vec<f64>,
    declared: Vec<u32>,
    stride: usize,
    len: usize,
}

impl CutBlock {
    /// The left weights and the scores of `len` candidates, to be written. Both keep the content of
    /// earlier nodes until then; afterwards [`Self::select`] picks the best.
    pub fn scores(&mut self, len: usize) -> (&mut [u32], &mut [f64]) {
        // Planes start at multiples of 16 cells, the widest vectors of kernels.
        (self.len, self.stride) = (len, len.next_multiple_of(16).max(16));
        if self.left.len() < self.stride {
            self.left.resize(self.stride, 0);
            self.scores.resize(self.stride, 0.0);
            self.declared.resize(self.stride, 2);
        }
        (&mut self.left[..len], &mut self.scores[..len])
    }

    /// Write the tables of all candidates, whose node has these class sums.
    fn fill(&mut self, cuts: &dyn NodeCuts, totals: &[u32]) {
        let (n_classes, len) = (totals.len(), cuts.len());
        self.scores(len).0.fill(0);
        let stride = self.stride;
        if self.cells.len() < 2 * n_classes * stride {
            self.cells.resize(2 * n_classes * stride, 0);
        }
        let (on_left, on_right) = self.cells.split_at_mut(n_classes * stride);
        for (class, &total) in totals.iter().enumerate() {
            let on_left = &mut on_left[class * stride..][..len];
            cuts.count(class, on_left);
            // The right branch has the rest of the total.
            let right = on_right[class * stride..][..len].iter_mut().zip(&mut self.left);
            for (&count, (right, left)) in on_left.iter().zip(right) {
                *right = total - count;
                *left += count;
            }
        }
        self.totals.clear();
        self.totals.extend_from_slice(totals);
    }

    /// The best candidate, scored from the tables; `totals` are the class sums of the node. All
    /// tables are written, then one call of the criterion screens or scores them: O(cuts x
    /// classes).
    pub fn best(
        &mut self,
        context: &BinnedContext<'_>,
        totals: &[u32],
        cuts: &dyn NodeCuts,
    ) -> Result<Option<ChosenCut>> {
        self.fill(cuts, totals);
        let n_classes = totals.len();
        // Estimates by a screen, or scores by the formula.
        let criterion = context.setting.criterion;
        let mut scores = std::mem::take(&mut self.scores);
        let cut_scores = &mut scores[..self.len];
        let tables = self.tables(context, n_classes);
        let error = match criterion.screen(&tables, cut_scores) {
            Some(error) => {
                reached::count(Way::Screened);
                error
            }
            None => {
                reached::count(Way::Scored);
                criterion.score(&tables, cut_scores)?;
                0.0
            }
        };
        self.scores = scores;
        self.select(context, totals, error, cuts, |block, j| {
            criterion.score_of(&block.tables(context, n_classes).window(j, 1))
        })
    }

    /// The tables of all candidates.
    fn tables<'t>(&'t self, context: &'t BinnedContext<'_>, classes: usize) -> Tables<'t> {
        Tables {
            cells: Count::cells(&self.cells),
            totals: Count::cells(&self.totals),
            branches: 2,
            classes,
            stride: self.stride,
            len: self.len,
            declared: &self.declared,
            context: &context.setting.context,
        }
    }

    /// The best candidate by the scores that were written. `error` is the largest distance of a
    /// score from its exact value, which `exact` computes. Candidates outside the limits are passed
    /// over; a score that is NaN is an error.
    pub fn select(
        &mut self,
        context: &BinnedContext<'_>,
        totals: &[u32],
        error: f64,
        cuts: &dyn NodeCuts,
        exact: impl Fn(&Self, usize) -> Result<f64>,
    ) -> Result<Option<ChosenCut>> {
        let lefts = &self.left[..self.len];
        let Some(rules) = CutRules::new(context, totals.iter().sum()) else { return Ok(None) };
        // Candidates outside the limits get the score of none.
        let scores = &mut self.scores[..self.len];
        let limits = [rules.least, rules.most];
        let (largest, nan) = admit(Level::active(), lefts, limits, scores);
        if nan && let Some(j) = scores.iter().position(|s| s.is_nan()) {
            return Err(not_a_number(cuts.place(j).0));
        }
        let facts = |j: usize, held: Option<&CutFacts>| {
            if held.is_some_and(|cut| (cut.feature, cut.at) < cuts.place(j)) {
                return None;
            }
            cuts.facts(lefts, j)
        };
        let estimated = Estimates { scores: &self.scores[..self.len], largest, error };
        rules.best(estimated, |j| lefts[j], facts, |j| exact(self, j))
    }
}

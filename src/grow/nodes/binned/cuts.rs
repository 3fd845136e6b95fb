//! All cuts of a node as one block of candidates, and the best of them.
//!
//! For the common case: numbers without missing values, rows that count as copies, no guard, the
//! first of equal candidates. The left sums of all candidates lie in one plane per class, so that
//! the criterion sees the whole node in one call; where it has a screen, the exact formula is asked
//! only for candidates that may be best. Candidates may come in any order and several times: the
//! choice is the one that [`crate::split::binned`] and the selection rule make, to the last bit.

use super::context::BinnedContext;
use crate::criteria::Tables;
use crate::error::{Error, Result};
use crate::numeric::Count;
use crate::simd::Level;
use crate::simd::class_sums::admit;
use crate::split::doubt::{Estimate, Estimated};
use crate::split::not_a_number;
use crate::stats::Sum;

/// What the choice needs to know of a candidate.
#[derive(Debug, Clone, Copy)]
pub(super) struct CutFacts<S> {
    pub feature: u32,
    /// Highest code on the left.
    pub at: u32,
    /// Lowest code on the right.
    pub next: u32,
    /// Weight of the bins on both sides of the cut.
    pub beside: [S; 2],
    /// The same bins hold one class, which is the same.
    pub one_class: bool,
}

impl<S: Sum> CutFacts<S> {
    /// Within rows of one class that are alone with their values: never best by a convex criterion.
    pub fn is_within_a_class(&self) -> bool {
        self.one_class && self.beside == [S::from_rows(1); 2]
    }

    /// Has the larger score, or comes first of equal ones.
    pub fn beats(&self, score: f64, other: &Self, than: f64) -> bool {
        score > than || (score == than && (self.feature, self.at) < (other.feature, other.at))
    }
}

/// Which cuts of a node may be chosen.
#[derive(Debug, Clone, Copy)]
pub(super) struct CutRules {
    /// Fewest rows on the left, at least one.
    pub least: u32,
    /// Most rows on the left.
    pub most: u32,
    /// The limits forbid more than empty sides.
    limited: bool,
    convex: bool,
}

impl CutRules {
    /// Of a node with `whole` rows; nothing where it is too small.
    pub fn new(context: &BinnedContext<'_>, whole: u32) -> Option<Self> {
        let min = context.minimum();
        let least = u32::at_least(min.weight.max(f64::from(min.rows)), 1.0).max(1);
        Some(Self {
            least,
            most: whole.checked_sub(least)?,
            limited: min.rows > 1 || min.weight > 0.0,
            convex: context.setting.criterion.info().convex,
        })
    }

    fn allow<S: Sum>(&self, cut: &CutFacts<S>, left: u32) -> bool {
        let end = self.limited && (left == self.least || left == self.most);
        end || !(self.convex && cut.is_within_a_class())
    }

    /// The cut that is chosen by estimates of the scores: the best, the first of equal ones. `left`
    /// are the rows on the left of a candidate. `facts` is given what is held where estimates are
    /// scores, and may leave out what comes later; nothing, too, for a candidate that repeats
    /// another. `exact` is the score of a candidate.
    #[inline]
    pub fn best<S: Sum, E: Estimate>(
        &self,
        estimated: Estimated<'_, E>,
        left: impl Fn(usize) -> u32,
        facts: impl Fn(usize, Option<&CutFacts<S>>) -> Option<CutFacts<S>>,
        exact: impl Fn(usize) -> Result<f64>,
    ) -> Result<Option<(usize, CutFacts<S>, f64)>> {
        let are_scores = estimated.error == 0.0;
        let mut best: Option<(usize, CutFacts<S>, f64)> = None;
        estimated.visit_best(f64::NEG_INFINITY, |j, estimate| {
            let held = best.as_ref().map(|(_, held, _)| held).filter(|_| are_scores);
            let Some(own) = facts(j, held).filter(|own| self.allow(own, left(j))) else {
                return Ok(None);
            };
            let score = if are_scores { estimate.into() } else { exact(j)? };
            if best.as_ref().is_none_or(|(_, other, than)| own.beats(score, other, *than)) {
                best = Some((j, own, score));
            }
            Ok(Some(score))
        })?;
        Ok(best)
    }
}

/// What the choice asks of the candidates of a block.
pub(super) trait CutPlaces<S: Sum> {
    /// The feature and the highest code on the left.
    fn place(&self, candidate: usize) -> (u32, u32);
    /// What is known of a candidate; nothing for one that repeats another.
    fn facts(&self, block: &CutBlock<S>, candidate: usize) -> Option<CutFacts<S>>;
}

/// A block of candidates of one node; `cells` are `2 classes` planes of `stride`.
#[derive(Debug)]
pub(super) struct CutBlock<S: Sum> {
    cells: Vec<S::Cell>,
    /// Weight on the left.
    left: Vec<S>,
    totals: Vec<S::Cell>,
    scores: Vec<f64>,
    declared: Vec<u32>,
    stride: usize,
    len: usize,
}

impl<S: Sum> Default for CutBlock<S> {
    fn default() -> Self {
        Self {
            cells: Vec::new(),
            left: Vec::new(),
            totals: Vec::new(),
            scores: Vec::new(),
            declared: Vec::new(),
            stride: 0,
            len: 0,
        }
    }
}

impl<S: Sum> CutBlock<S> {
    /// Room for `len` candidates; their left sums are to be written by [`Self::plane`].
    pub fn prepare(&mut self, len: usize, classes: usize) {
        self.stride = len.next_multiple_of(16).max(16);
        self.len = len;
        if self.cells.len() < 2 * classes * self.stride {
            self.cells.resize(2 * classes * self.stride, <S::Cell>::default());
        }
        if self.left.len() < self.stride {
            self.left.resize(self.stride, S::default());
            self.scores.resize(self.stride, 0.0);
            self.declared.resize(self.stride, 2);
        }
    }

    /// Room for `len` candidates that are not scored from their tables.
    pub fn prepare_scores(&mut self, len: usize) {
        self.len = len;
        if self.left.len() < len {
            self.left.resize(len, S::default());
            self.scores.resize(len, 0.0);
            self.declared.resize(len, 2);
        }
    }

    /// The left weights and the scores, to be written.
    pub fn scores(&mut self) -> (&mut [S], &mut [f64]) {
        (&mut self.left[..self.len], &mut self.scores[..self.len])
    }

    /// The left sums of one class, and the left weights.
    pub fn plane(&mut self, class: usize) -> (&mut [S::Cell], &mut [S]) {
        (&mut self.cells[class * self.stride..][..self.len], &mut self.left[..self.len])
    }

    /// The left weights.
    pub fn weights(&mut self) -> &mut [S] {
        &mut self.left[..self.len]
    }

    /// The left weight of a candidate.
    pub fn weight(&self, candidate: usize) -> S {
        self.left[candidate]
    }

    /// The candidate that is chosen, and its score.
    pub fn best(
        &mut self,
        context: &BinnedContext<'_>,
        totals: &[S],
        places: &impl CutPlaces<S>,
    ) -> Result<Option<(usize, CutFacts<S>, f64)>> {
        let (k, stride, len) = (totals.len(), self.stride, self.len);
        self.totals.clear();
        self.totals.extend(totals.iter().map(|t| t.cell(context.unit)));
        let (left, right) = self.cells.split_at_mut(k * stride);
        for (c, &total) in self.totals.iter().enumerate() {
            let left = &left[c * stride..][..len];
            let right = &mut right[c * stride..][..len];
            right.iter_mut().zip(left).for_each(|(r, &l)| *r = total.minus(l));
        }
        let criterion = context.setting.criterion;
        let mut scores = std::mem::take(&mut self.scores);
        let own = &mut scores[..len];
        let tables = self.tables(context, k);
        let error = match criterion.screen(&tables, own) {
            Some(error) => error,
            None => {
                criterion.score(&tables, own)?;
                0.0
            }
        };
        self.scores = scores;
        self.select(context, totals, error, places, |block, j| {
            criterion.score_of(&block.tables(context, k).window(j, 1))
        })
    }

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

    /// The candidate that is chosen by the scores that were written, which are off by at most
    /// `error` from what `exact` says.
    pub fn select(
        &mut self,
        context: &BinnedContext<'_>,
        totals: &[S],
        error: f64,
        places: &impl CutPlaces<S>,
        exact: impl Fn(&Self, usize) -> Result<f64>,
    ) -> Result<Option<(usize, CutFacts<S>, f64)>> {
        let (Some(totals), Some(lefts)) = (S::as_rows(totals), S::as_rows(&self.left)) else {
            return Err(Error::Internal("a block of cuts of real weights".into()));
        };
        let Some(rules) = CutRules::new(context, totals.iter().sum()) else { return Ok(None) };
        let scores = &mut self.scores[..self.len];
        let limits = [rules.least, rules.most];
        let (largest, nan) = admit(Level::active(), &lefts[..self.len], limits, scores);
        if nan && let Some(j) = scores.iter().position(|s| s.is_nan()) {
            return Err(not_a_number(places.place(j).0));
        }
        let facts = |j: usize, held: Option<&CutFacts<S>>| {
            if held.is_some_and(|cut| (cut.feature, cut.at) < places.place(j)) {
                return None;
            }
            places.facts(self, j)
        };
        let estimated = Estimated { scores: &self.scores[..self.len], largest, error };
        rules.best(estimated, |j| lefts[j], facts, |j| exact(self, j))
    }
}

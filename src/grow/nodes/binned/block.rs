//! All cuts of a node as one block of candidates, and the best of them.
//!
//! For the common case: numbers without missing values, rows that count as copies, no guard, the
//! first of equal candidates. The left sums of all candidates lie in one plane a class, so that the
//! criterion sees the whole node in one call; where it has a screen, the exact formula is asked
//! only for candidates that may be best. Candidates may come in any order and several times: the
//! choice is the one that [`crate::split::binned`] and the selection rule make, to the last bit.

use super::BinnedContext;
use crate::criteria::Tables;
use crate::error::Result;
use crate::numeric::Count;
use crate::split::not_a_number;
use crate::stats::Sum;

/// Scores that are looked at together.
const CHUNK: usize = 64;

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

    /// The candidate that is chosen, and its score. `facts` are nothing for a candidate that
    /// repeats another.
    pub fn best(
        &mut self,
        context: &BinnedContext<'_>,
        totals: &[S],
        facts: impl Fn(&Self, usize) -> Option<CutFacts<S>>,
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
                f64::NAN
            }
        };
        let found = self.select(context, totals, (own, error), facts);
        self.scores = scores;
        found
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

    fn select(
        &self,
        context: &BinnedContext<'_>,
        totals: &[S],
        (scores, error): (&mut [f64], f64),
        facts: impl Fn(&Self, usize) -> Option<CutFacts<S>>,
    ) -> Result<Option<(usize, CutFacts<S>, f64)>> {
        let min = context.minimum();
        let whole = totals.iter().fold(S::default(), |a, &b| a.plus(b));
        let least = S::at_least(min.weight.max(f64::from(min.rows)), context.unit);
        let least = if least > S::from_rows(1) { least } else { S::from_rows(1) };
        if whole < least {
            return Ok(None);
        }
        let most = whole.minus(least);
        let mut nan = false;
        for (s, &left) in scores.iter_mut().zip(&self.left) {
            *s = if left >= least && left <= most { *s } else { f64::NEG_INFINITY };
            nan |= s.is_nan();
        }
        if nan && let Some(j) = scores.iter().position(|s| s.is_nan()) {
            return Err(not_a_number(facts(self, j).map_or(0, |f| f.feature)));
        }
        let limited = min.rows > 1 || min.weight > 0.0;
        let convex = context.setting.criterion.info().convex;
        let tables = self.tables(context, totals.len());
        loop {
            let top = largest(scores);
            if top == f64::NEG_INFINITY {
                return Ok(None);
            }
            let bound = if error.is_nan() { top } else { top - 2.0 * error };
            let mut best: Option<(usize, CutFacts<S>, f64)> = None;
            let chunks = scores.chunks(CHUNK).enumerate();
            let near = chunks.filter(|(_, s)| s.iter().fold(false, |any, &s| any | (s >= bound)));
            let near = near.flat_map(|(i, s)| i * CHUNK..i * CHUNK + s.len());
            for j in near.filter(|&j| scores[j] >= bound) {
                let Some(own) = facts(self, j) else { continue };
                let one = own.beside == [S::from_rows(1); 2] && own.one_class;
                let left = self.left[j];
                let end = limited && (left == least || left == most);
                if convex && one && !end {
                    continue;
                }
                let mut exact = [scores[j]];
                if !error.is_nan() {
                    context.setting.criterion.score(&tables.window(j, 1), &mut exact)?;
                }
                let better = best.as_ref().is_none_or(|(_, than, score)| {
                    exact[0] > *score
                        || (exact[0] == *score && (own.feature, own.at) < (than.feature, than.at))
                });
                if better {
                    best = Some((j, own, exact[0]));
                }
            }
            if best.is_some() {
                return Ok(best);
            }
            // None of the best may be chosen: the next ones.
            scores.iter_mut().filter(|s| **s >= bound).for_each(|s| *s = f64::NEG_INFINITY);
        }
    }
}

/// The largest of some numbers, in eight strands that do not wait for each other.
fn largest(numbers: &[f64]) -> f64 {
    let mut strands = [f64::NEG_INFINITY; 8];
    let (chunks, rest) = numbers.as_chunks::<8>();
    for chunk in chunks {
        for (s, &x) in strands.iter_mut().zip(chunk) {
            *s = if x > *s { x } else { *s };
        }
    }
    rest.iter().chain(&strands).fold(f64::NEG_INFINITY, |a, &b| if b > a { b } else { a })
}

//! All cuts of a node as one block of candidates, and the best of them.
//!
//! For the common case: numbers without missing values, rows that count as copies, no guard, the
//! first of equal candidates. The left sums of all candidates lie in one plane a class, so that the
//! criterion sees the whole node in one call; where it has a screen, the exact formula is asked
//! only for candidates that may be best. Candidates may come in any order and several times: the
//! choice is the one that [`crate::split::binned`] and the selection rule make, to the last bit.

use super::context::BinnedContext;
use crate::criteria::Tables;
use crate::error::{Error, Result};
use crate::numeric::Count;
use crate::simd::Level;
use crate::simd::class_sums::admit;
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
                f64::NAN
            }
        };
        self.scores = scores;
        self.select(context, totals, error, places, |block, j| {
            let mut exact = [0.0];
            criterion.score(&block.tables(context, k).window(j, 1), &mut exact)?;
            Ok(exact[0])
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
    /// `error` (NaN: not at all) from what `exact` says.
    pub fn select(
        &mut self,
        context: &BinnedContext<'_>,
        totals: &[S],
        error: f64,
        places: &impl CutPlaces<S>,
        exact: impl Fn(&Self, usize) -> Result<f64>,
    ) -> Result<Option<(usize, CutFacts<S>, f64)>> {
        let mut scores = std::mem::take(&mut self.scores);
        let how = (&mut scores[..self.len], error);
        let found = self.select_among(context, totals, how, places, exact);
        self.scores = scores;
        found
    }

    fn select_among(
        &self,
        context: &BinnedContext<'_>,
        totals: &[S],
        (scores, error): (&mut [f64], f64),
        places: &impl CutPlaces<S>,
        exact: impl Fn(&Self, usize) -> Result<f64>,
    ) -> Result<Option<(usize, CutFacts<S>, f64)>> {
        let min = context.minimum();
        let whole = totals.iter().fold(S::default(), |a, &b| a.plus(b));
        let least = S::at_least(min.weight.max(f64::from(min.rows)), context.unit);
        let least = if least > S::from_rows(1) { least } else { S::from_rows(1) };
        if whole < least {
            return Ok(None);
        }
        let most = whole.minus(least);
        let Some(rows) = S::as_rows(&self.left[..self.len]) else {
            return Err(Error::Internal("a block of cuts of real weights".into()));
        };
        let limits = [least, most].map(|rows| rows.units() as u32);
        let (mut top, nan) = admit(Level::active(), rows, limits, scores);
        if nan && let Some(j) = scores.iter().position(|s| s.is_nan()) {
            return Err(not_a_number(places.place(j).0));
        }
        let limited = min.rows > 1 || min.weight > 0.0;
        let convex = context.setting.criterion.info().convex;
        loop {
            if top == f64::NEG_INFINITY {
                return Ok(None);
            }
            let bound = if error.is_nan() { top } else { top - 2.0 * error };
            let mut best: Option<(usize, CutFacts<S>, f64)> = None;
            let chunks = scores.chunks(CHUNK).enumerate();
            let near = chunks.filter(|(_, s)| s.iter().fold(false, |any, &s| any | (s >= bound)));
            let near = near.flat_map(|(i, s)| i * CHUNK..i * CHUNK + s.len());
            for j in near.filter(|&j| scores[j] >= bound) {
                // Of equal scores, all of which are exact, the first candidate is taken.
                let later = |cut: &CutFacts<S>| (cut.feature, cut.at) < places.place(j);
                if error.is_nan() && best.as_ref().is_some_and(|(_, cut, _)| later(cut)) {
                    continue;
                }
                let Some(own) = places.facts(self, j) else { continue };
                let left = self.left[j];
                let end = limited && (left == least || left == most);
                if convex && own.is_within_a_class() && !end {
                    continue;
                }
                let score = if error.is_nan() { scores[j] } else { exact(self, j)? };
                if best.as_ref().is_none_or(|(_, other, than)| own.beats(score, other, *than)) {
                    best = Some((j, own, score));
                }
            }
            if best.is_some() {
                return Ok(best);
            }
            // None of the best may be chosen: the next ones.
            scores.iter_mut().filter(|s| **s >= bound).for_each(|s| *s = f64::NEG_INFINITY);
            top = largest(scores);
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

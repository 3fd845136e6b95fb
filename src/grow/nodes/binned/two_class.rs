//! The best cut of a node with two classes, where the criterion has a kernel for them.
//!
//! The rows left of a cut are one word ([`crate::simd::cuts`]), scores come in single precision,
//! and the exact formula is asked only for cuts that these scores cannot tell from the best. The
//! choice is that of [`super::cuts`], to the last bit.

use super::context::BinnedContext;
use super::cuts::{CutFacts, CutRules};
use crate::criteria::{PairScreen, Tables};
use crate::error::Result;
use crate::simd::Level;
use crate::simd::cuts::{CHUNK, PairNode, unpacked};
use crate::split::doubt::Estimated;
use crate::stats::Sum;

/// The cuts of one node.
#[derive(Debug, Default)]
pub(super) struct PairCuts {
    lefts: Vec<u32>,
    scores: Vec<f32>,
    len: usize,
}

/// Rows in a word.
fn size(word: u32) -> u32 {
    let [zero, one] = unpacked(word);
    zero + one
}

impl PairCuts {
    /// Room for `len` cuts.
    pub fn prepare(&mut self, len: usize) -> &mut [u32] {
        let padded = len.next_multiple_of(CHUNK);
        if self.lefts.len() < padded {
            self.lefts.resize(padded, 0);
            self.scores.resize(padded, 0.0);
        }
        self.len = padded;
        // A cut without rows on its left is none.
        self.lefts[len..padded].fill(0);
        &mut self.lefts[..len]
    }

    /// The cut that is chosen, and its score. `facts` are nothing for a cut that repeats another.
    pub fn best<S: Sum>(
        &mut self,
        context: &BinnedContext<'_>,
        screen: PairScreen,
        totals: [u32; 2],
        facts: impl Fn(&[u32], usize) -> Option<CutFacts<S>>,
    ) -> Result<Option<(CutFacts<S>, u32, f64)>> {
        let Some(rules) = CutRules::new(context, totals[0] + totals[1]) else { return Ok(None) };
        let (lefts, scores) = (&self.lefts[..self.len], &mut self.scores[..self.len]);
        let node = PairNode { totals, least: rules.least };
        let largest = (screen.scores)(Level::active(), lefts, node, scores);
        let estimated = Estimated { scores, largest, error: screen.error };
        let exact = |j: usize| {
            let [a, b] = unpacked(lefts[j]);
            let cells = [a, b, totals[0] - a, totals[1] - b];
            let table = Tables::one(&cells, &totals, &[2], &context.setting.context);
            context.setting.criterion.score_of(&table)
        };
        let found = rules.best(estimated, |j| size(lefts[j]), |j, _| facts(lefts, j), exact)?;
        Ok(found.map(|(j, cut, score)| (cut, lefts[j], score)))
    }
}

/// What is known of a cut whose left words lie at `code * features + place`; nothing where no row
/// has its code.
pub(super) fn facts_of<S: Sum>(
    lefts: &[u32],
    (codes, features, totals): (usize, usize, u32),
    chosen: Option<&[u32]>,
    candidate: usize,
) -> Option<CutFacts<S>> {
    let (at, place) = (candidate / features, candidate % features);
    let left = |code: usize| if code < codes { lefts[code * features + place] } else { totals };
    let here = left(at);
    let before = if at == 0 { 0 } else { left(at - 1) };
    if here == before {
        return None;
    }
    let next = (at + 1..=codes).find(|&code| left(code) != here)?;
    let beside = [here - before, left(next) - here];
    let feature = chosen.map_or(place as u32, |some| some[place]);
    Some(CutFacts {
        feature,
        at: at as u32,
        next: next as u32,
        beside: beside.map(|word| S::from_rows(size(word))),
        one_class: beside[0] == beside[1],
    })
}

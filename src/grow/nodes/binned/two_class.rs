//! The best cut of a node with two classes, where the criterion has a kernel for them.
//!
//! The rows left of a cut are one word ([`crate::simd::cuts`]), scores come in single precision,
//! and the exact formula is asked only for cuts that these scores cannot tell from the best. The
//! choice is that of [`super::cuts`], to the last bit.

use super::context::BinnedContext;
use super::cuts::CutFacts;
use crate::criteria::{PairScreen, Tables};
use crate::error::Result;
use crate::numeric::Count;
use crate::simd::Level;
use crate::simd::cuts::{CHUNK, PairNode, unpacked};
use crate::stats::Sum;

/// Scores that are looked at together.
const TOGETHER: usize = 4 * CHUNK;

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
    /// Room for so many cuts.
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
        let min = context.minimum();
        let least = u32::at_least(min.weight.max(f64::from(min.rows)), 1.0).max(1);
        let whole = totals[0] + totals[1];
        if whole < least {
            return Ok(None);
        }
        let limited = min.rows > 1 || min.weight > 0.0;
        let convex = context.setting.criterion.info().convex;
        let (lefts, scores) = (&self.lefts[..self.len], &mut self.scores[..self.len]);
        let top = (screen.scores)(Level::active(), lefts, PairNode { totals, least }, scores);
        let error = screen.error as f32;
        // Scores of at least `seen` were looked at, those of at least `bound` come next.
        let (mut top, mut seen) = (top, f32::INFINITY);
        let mut bound = top - 3.0 * error;
        let mut best: Option<(CutFacts<S>, u32, f64)> = None;
        while top > f32::NEG_INFINITY {
            let near = |s: f32| s >= bound && s < seen;
            for (i, chunk) in scores.chunks(TOGETHER).enumerate() {
                if !chunk.iter().fold(false, |any, &s| any | near(s)) {
                    continue;
                }
                for (j, _) in (i * TOGETHER..).zip(chunk).filter(|(_, s)| near(**s)) {
                    let Some(own) = facts(lefts, j) else { continue };
                    let left = size(lefts[j]);
                    let end = limited && (left == least || left == whole - least);
                    if convex && own.is_within_a_class() && !end {
                        continue;
                    }
                    let exact = exact_score(context, totals, lefts[j])?;
                    if best.as_ref().is_none_or(|(than, _, score)| own.beats(exact, than, *score)) {
                        best = Some((own, lefts[j], exact));
                    }
                }
            }
            seen = bound;
            if let Some((_, _, score)) = &best {
                // All that may be better were looked at.
                bound = *score as f32 - 2.0 * error;
                if bound >= seen {
                    break;
                }
            } else {
                // None of the best may be chosen: the next ones.
                let next = |top: f32, &s: &f32| if s < seen && s > top { s } else { top };
                top = scores.iter().fold(f32::NEG_INFINITY, next);
                bound = top - 3.0 * error;
            }
        }
        Ok(best)
    }
}

fn exact_score(context: &BinnedContext<'_>, totals: [u32; 2], left: u32) -> Result<f64> {
    let [a, b] = unpacked(left);
    let cells = [a, b, totals[0] - a, totals[1] - b];
    let mut out = [0.0];
    let table = Tables {
        cells: Count::cells(&cells),
        totals: Count::cells(&totals),
        branches: 2,
        classes: 2,
        stride: 1,
        len: 1,
        declared: &[2],
        context: &context.setting.context,
    };
    context.setting.criterion.score(&table, &mut out)?;
    Ok(out[0])
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

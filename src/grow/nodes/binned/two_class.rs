//! The best cut of a node with two classes, for criteria with a kernel for them ([`WordBlock`]).
//!
//! The rows left of a cut are one word, 16 bits per class ([`crate::simd::two_class_cuts`]). The
//! kernel scores all cuts in single precision, and the exact formula scores only the cuts that may
//! then be best. The choice is the same as by [`super::cuts`], to the last bit. O(cuts) per node;
//! [`super::best_cut`] uses it for nodes whose rows fit 16 bits.

use super::context::BinnedContext;
use super::cuts::{ChosenCut, CutFacts, CutRules};
use crate::criteria::{PairScreen, Tables};
use crate::error::Result;
use crate::simd::Level;
use crate::simd::two_class_cuts::{CHUNK, PairNode, unpack};
use crate::split::estimates::Estimates;

/// The cuts of one node.
#[derive(Debug, Default)]
pub(super) struct WordBlock {
    /// The rows left of each cut.
    lefts: Vec<u32>,
    scores: Vec<f32>,
    /// Number of cuts, rounded up to whole chunks of the kernel.
    len: usize,
}

/// Rows of both classes in a word.
fn size(word: u32) -> u32 {
    let [zero, one] = unpack(word);
    zero + one
}

impl WordBlock {
    /// Make room for `len` cuts; the rows left of each are to be written. The words behind them, up
    /// to a whole chunk of the kernel, are 0.
    pub fn prepare(&mut self, len: usize) -> &mut [u32] {
        let padded = len.next_multiple_of(CHUNK);
        if self.lefts.len() < padded {
            self.lefts.resize(padded, 0);
            self.scores.resize(padded, 0.0);
        }
        self.len = padded;
        // A cut without rows on its left is not a candidate.
        self.lefts[len..padded].fill(0);
        &mut self.lefts[..len]
    }

    /// The number of rows of both classes on the left of a cut, unpacked from its word. The vector
    /// has room for the right branch, too, so that a caller can append it without an allocation.
    pub fn left_sums(&self, cut: usize) -> Vec<u32> {
        let mut sums = Vec::with_capacity(4);
        sums.extend(unpack(self.lefts[cut]));
        sums
    }

    /// The best cut. `facts` gets all left words and a cut, and returns `None` for one that repeats
    /// another.
    pub fn best(
        &mut self,
        context: &BinnedContext<'_>,
        screen: PairScreen,
        totals: [u32; 2],
        facts: impl Fn(&[u32], usize) -> Option<CutFacts>,
    ) -> Result<Option<ChosenCut>> {
        let Some(rules) = CutRules::new(context, totals[0] + totals[1]) else { return Ok(None) };
        let (lefts, scores) = (&self.lefts[..self.len], &mut self.scores[..self.len]);
        let node = PairNode { totals, least: rules.least };
        let largest = (screen.scores)(Level::active(), lefts, node, scores);
        let estimated = Estimates { scores, largest, error: screen.error };
        let exact = |cut: usize| {
            let [zero, one] = unpack(lefts[cut]);
            let cells = [zero, one, totals[0] - zero, totals[1] - one];
            let table = Tables::one(&cells, &totals, &[2], &context.setting.context);
            context.setting.criterion.score_of(&table)
        };
        rules.best(estimated, |cut| size(lefts[cut]), |cut, _| facts(lefts, cut), exact)
    }
}

/// The shape of cuts between counted codes: the cut above a code of the feature at a place is
/// number `code * features + place`.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordCuts {
    /// Number of codes, without the last.
    pub codes: usize,
    pub features: usize,
    /// The rows of the node as a word.
    pub whole: u32,
}

/// The facts of a cut between counted codes, whose features are all or the `chosen` ones; `None`
/// where no row has the code below the cut, or no row has a code above it.
pub(super) fn facts_of(
    lefts: &[u32],
    shape: WordCuts,
    chosen: Option<&[u32]>,
    cut: usize,
) -> Option<CutFacts> {
    let WordCuts { codes, features, whole } = shape;
    let (at, place) = (cut / features, cut % features);
    let left = |code: usize| if code < codes { lefts[code * features + place] } else { whole };
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
        beside: beside.map(size),
        one_class: beside[0] == beside[1],
    })
}

//! What neighbours add to the scores: 512 variants at a time, in the order of the rows, so that a
//! score is the same sum for any number of threads.

use super::super::select::Contribution;
use super::gaps::Gaps;
use super::samples::Samples;
use crate::data::genotypes::{GROUP, GROUP_WORDS};
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::Buffer;
use crate::simd::genotypes::{GenotypeSums, Members, add_differing};
use std::ops::Range;

/// Groups that share a buffer.
const TOGETHER: usize = 8;

/// Differing pairs of near rows by variant, of one class (hits) and of two (misses).
#[derive(Debug, Clone, Default)]
pub struct Differing {
    /// Number of ordered pairs of near rows.
    pub pairs: [u64; 2],
    /// By variant: how many of them differ.
    pub counts: [Vec<u64>; 2],
}

/// Add what the neighbours of some rows say; count differing pairs where asked for.
pub(super) fn add(
    control: &Control,
    (samples, gaps): (&Samples<'_>, &Gaps),
    rows: &Range<usize>,
    choices: &[Contribution],
    scores: &mut [f64],
    differing: Option<&mut Differing>,
) -> Result<()> {
    let reverse = gaps.reverse(rows, choices, samples.planes.places());
    let mut none = Differing::default();
    let counted = differing.is_some();
    let differing = differing.unwrap_or(&mut none);
    let is_miss = |row: usize, members: &[u32]| {
        let class = |row: usize| samples.rows.classes[row];
        usize::from(class(row) != class(samples.order.rows[members[0] as usize] as usize))
    };
    if counted {
        for (row, choice) in rows.clone().zip(choices) {
            for (_, members) in choice.groups.iter().filter(|g| !g.1.is_empty()) {
                differing.pairs[is_miss(row, members)] += members.len() as u64;
            }
        }
        differing.counts.iter_mut().for_each(|c| c.resize(scores.len(), 0));
    }
    let [hits, misses] = &mut differing.counts;
    let near: Vec<(usize, usize, f64, Members<'_>)> = (rows.clone().zip(choices))
        .flat_map(|(row, choice)| choice.groups.iter().map(move |g| (row, g)))
        .filter(|(_, (_, members))| !members.is_empty())
        .map(|(row, (weight, members))| {
            let place = samples.order.places[row] as usize;
            (place, is_miss(row, members), *weight, Members::new(members))
        })
        .collect();
    let mut counts = hits.chunks_mut(TOGETHER * GROUP).zip(misses.chunks_mut(TOGETHER * GROUP));
    let mut parts: Vec<_> =
        scores.chunks_mut(TOGETHER * GROUP).map(|part| (part, counts.next())).collect();
    parallel::for_each_mut(control, &mut parts, |p, (scores, counts)| {
        let mut group = Buffer::zeroed(samples.planes.places() * GROUP_WORDS);
        let mut tally = vec![vec![0u32; if counted { GROUP } else { 0 }]; 2];
        for (g, scores) in scores.chunks_mut(GROUP).enumerate() {
            let at = p * TOGETHER + g;
            samples.planes.copy_group(at, &mut group);
            let mut sums = vec![0.0; GROUP];
            for (i, &(row, is_miss, weight, members)) in near.iter().enumerate() {
                if i % 64 == 0 {
                    control.check()?;
                }
                let sums = GenotypeSums { weight, out: &mut sums, tally: &mut tally[is_miss] };
                add_differing(samples.level, &group, row, members, sums);
            }
            if let Some((hits, misses)) = counts {
                for (to, from) in [hits, misses].into_iter().zip(&mut tally) {
                    let to = &mut to[g * GROUP..][..scores.len()];
                    to.iter_mut().zip(from.iter()).for_each(|(to, &c)| *to += u64::from(c));
                    from.fill(0);
                }
            }
            gaps.correct(control, samples, (rows, choices), &reverse, (at, &mut sums))?;
            scores.iter_mut().zip(&sums).for_each(|(to, s)| *to += s);
        }
        Ok(())
    })
}

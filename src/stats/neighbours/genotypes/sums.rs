//! Sums over picked neighbours: what they add to the score of each variant.
//!
//! Each task takes some groups of 512 variants and adds the rows in order, so that a score is the
//! same sum on any number of threads. Counts of differing pairs, which p-values need, come with it.

use super::super::nearest::PlaceGroup;
use super::gaps::Gaps;
use super::picked::PickedRows;
use super::samples::Samples;
use crate::data::genotypes::{GROUP, GROUP_WORDS};
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::Buffer;
use crate::simd::genotypes::{GenotypeSums, Members, add_differing};

/// Groups of variants per task, which share a buffer.
const TASK_GROUPS: usize = 8;

/// Pairs of near rows that differ, by variant: hits (one class) first, misses (two classes) second.
#[derive(Debug, Clone, Default)]
pub struct Differing {
    /// Number of ordered pairs of near rows.
    pub pairs: [u64; 2],
    /// By variant: number of these pairs that differ.
    pub counts: [Vec<u64>; 2],
}

/// Index of the neighbours of a row's own class.
const HITS: usize = 0;
/// Index of the neighbours of another class.
const MISSES: usize = 1;

/// A group of neighbours as the kernel takes it.
struct NearGroup<'a> {
    /// Place of the row.
    place: usize,
    /// Index of hits or of misses, in [`Differing`] and in a tally.
    kind: usize,
    weight: f64,
    neighbours: Members<'a>,
}

/// Add the weighted differences to the picked neighbours to the scores, and count differing pairs
/// if asked for.
pub(super) fn add(
    control: &Control,
    samples: &Samples<'_>,
    gaps: &Gaps,
    picked: PickedRows<'_>,
    scores: &mut [f64],
    differing: Option<&mut Differing>,
) -> Result<()> {
    let reverse = gaps.reverse(&picked, samples.planes.places());
    let mut not_counted = Differing::default();
    let counted = differing.is_some();
    let differing = differing.unwrap_or(&mut not_counted);

    // The groups of neighbours, which have one class each.
    let kind = |row: usize, places: &[u32]| {
        let class = |row: usize| samples.rows.classes[row];
        let is_miss = class(row) != class(samples.order.rows[places[0] as usize] as usize);
        if is_miss { MISSES } else { HITS }
    };
    let near: Vec<NearGroup<'_>> = picked
        .groups()
        .filter(|(_, group)| !group.places.is_empty())
        .map(|(row, PlaceGroup { weight, places })| NearGroup {
            place: samples.order.places[row] as usize,
            kind: kind(row, places),
            weight: *weight,
            neighbours: Members::new(places),
        })
        .collect();
    if counted {
        near.iter().for_each(|g| differing.pairs[g.kind] += g.neighbours.len() as u64);
        differing.counts.iter_mut().for_each(|c| c.resize(scores.len(), 0));
    }

    // Scores and counts of the variants of each task.
    let [hits, misses] = &mut differing.counts;
    let mut counts =
        hits.chunks_mut(TASK_GROUPS * GROUP).zip(misses.chunks_mut(TASK_GROUPS * GROUP));
    let mut parts: Vec<_> =
        scores.chunks_mut(TASK_GROUPS * GROUP).map(|part| (part, counts.next())).collect();
    parallel::for_each_mut(control, &mut parts, &|p, (scores, counts)| {
        let mut group = Buffer::zeroed(samples.planes.places() * GROUP_WORDS);
        let mut tally = vec![vec![0u32; if counted { GROUP } else { 0 }]; 2];
        for (g, scores) in scores.chunks_mut(GROUP).enumerate() {
            let at = p * TASK_GROUPS + g;
            samples.planes.copy_group(at, &mut group);
            let mut sums = vec![0.0; GROUP];
            for (i, &NearGroup { place, kind, weight, neighbours }) in near.iter().enumerate() {
                if i % 64 == 0 {
                    control.check()?;
                }
                let sums = GenotypeSums { weight, out: &mut sums, tally: &mut tally[kind] };
                add_differing(samples.level, &group, place, neighbours, sums);
            }
            // Counts of the group fit 32 bits; add them to the counts of all tiles.
            if let Some((hits, misses)) = counts {
                for (to, from) in [hits, misses].into_iter().zip(&mut tally) {
                    let to = &mut to[g * GROUP..][..scores.len()];
                    to.iter_mut().zip(from.iter()).for_each(|(to, &c)| *to += u64::from(c));
                    from.fill(0);
                }
            }
            gaps.correct(control, samples, &picked, &reverse, at, &mut sums)?;
            scores.iter_mut().zip(&sums).for_each(|(to, s)| *to += s);
        }
        Ok(())
    })
}

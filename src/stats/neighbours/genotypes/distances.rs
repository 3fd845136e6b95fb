//! Distances of a tile of samples to all samples: numbers of differing variants, and corrections
//! for missing genotypes ([`gaps`](super::gaps)).
//!
//! Pairs are compared over one chunk of variants at a time (4 kB per sample): a block of 128
//! samples stays in the second-level cache while all others pass, two against four in registers. If
//! one tile holds all samples, each pair is compared once and mirrored.

use super::super::distances::RowDistances;
use super::gaps::Gaps;
use super::samples::Samples;
use crate::data::genotypes::GROUP_WORDS;
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::genotypes::differing_variants;
use std::ops::Range;

/// Most bytes of the distances of a tile.
const TILE_BYTES: usize = 256 << 20;

/// Samples per block, which stays in the cache while it is compared with all others.
const BLOCK: usize = 128;

/// Bytes per distance: a count, and with missing genotypes corrections from both sides.
const fn distance_bytes(with_missing: bool) -> usize {
    if with_missing { 4 + 2 * 8 } else { 4 }
}

/// Number of rows per tile, of `t` samples.
pub(super) fn tile_rows(t: usize, with_missing: bool) -> usize {
    (TILE_BYTES / (distance_bytes(with_missing) * t.max(1))).clamp(16, t.max(16))
}

/// Most bytes of the distances of a tile, which has at least 16 rows.
pub(super) fn bytes(t: usize) -> usize {
    let row = t.saturating_mul(distance_bytes(true));
    t.saturating_mul(row).min(TILE_BYTES.max(row.saturating_mul(16)))
}

/// Distances of a range of rows to all places.
pub(super) struct DistanceTile {
    places: usize,
    /// `[row][place]`: number of variants whose codes differ.
    whole: Vec<u32>,
    /// `[row][place]`: corrections for missing genotypes; empty if none is missing.
    corrections: Vec<f64>,
}

impl DistanceTile {
    /// Compare the rows with all places. If the rows are all samples, each pair is compared once
    /// and its distance is copied to the other order.
    pub fn new(
        control: &Control,
        samples: &Samples<'_>,
        gaps: &Gaps,
        rows: Range<usize>,
    ) -> Result<Self> {
        let places = samples.planes.places();
        let own: Vec<u32> = rows.clone().map(|r| samples.order.places[r]).collect();
        let whole = if rows.len() == places {
            mirrored(control, samples, &own)?
        } else {
            differing(control, samples, &own, false)?
        };
        let corrections = gaps.corrections(control, samples, &own)?;
        Ok(Self { places, whole, corrections })
    }
}

impl RowDistances for DistanceTile {
    fn is_whole(&self) -> bool {
        self.corrections.is_empty()
    }

    fn copy_whole(&self, i: usize, out: &mut Vec<i32>) {
        out.clear();
        out.extend(self.whole[i * self.places..][..self.places].iter().map(|&d| d as i32));
    }

    fn copy_real(&self, i: usize, out: &mut Vec<f64>) {
        let at = i * self.places;
        let both = self.whole[at..][..self.places].iter().zip(&self.corrections[at..]);
        out.clear();
        out.extend(both.map(|(&d, c)| f64::from(d) + c));
    }
}

/// All rows against all places: each pair once, the other half mirrored.
fn mirrored(control: &Control, samples: &Samples<'_>, own: &[u32]) -> Result<Vec<u32>> {
    let t = own.len();
    let by_place: Vec<u32> = (0..t as u32).collect();
    let half = differing(control, samples, &by_place, true)?;
    let mut whole = vec![0u32; t * t];
    let mut rows: Vec<_> = whole.chunks_mut(t * BLOCK).collect();
    parallel::for_each_mut(control, &mut rows, &|b, rows| {
        control.check()?;
        for (row, &place) in rows.chunks_mut(t).zip(&own[b * BLOCK..]) {
            let place = place as usize;
            let below = place / BLOCK * BLOCK;
            row[below..].copy_from_slice(&half[place * t + below..][..t - below]);
            for (other, to) in row[..below].iter_mut().enumerate() {
                *to = half[other * t + place];
            }
        }
        Ok(())
    })?;
    Ok(whole)
}

/// Number of variants whose codes differ, `[own][place]`. With `once`, a row is compared with the
/// places from its block on only, because the other pairs are mirrored.
fn differing(
    control: &Control,
    samples: &Samples<'_>,
    own: &[u32],
    once: bool,
) -> Result<Vec<u32>> {
    let t = samples.planes.places();
    let mut out = vec![0u32; own.len() * t];
    let (stride, mut left) = (samples.planes.stride(), samples.planes.groups());
    for chunk in samples.planes.chunks() {
        let groups = left.min(stride / GROUP_WORDS);
        left -= groups;
        let mut blocks: Vec<_> = out.chunks_mut(t * BLOCK).collect();
        parallel::for_each_mut(control, &mut blocks, &|b, out| {
            let own = &own[b * BLOCK..][..out.len() / t];
            for four in (if once { b * BLOCK } else { 0 }..t).step_by(4) {
                control.check()?;
                let others: [usize; 4] = std::array::from_fn(|q| (four + q).min(t - 1));
                for (pair, out) in own.chunks(2).zip(out.chunks_mut(2 * t)) {
                    let two = [pair[0] as usize, pair[pair.len() - 1] as usize];
                    let found =
                        differing_variants(samples.level, chunk, stride, groups, two, others);
                    for (found, out) in found.iter().zip(out.chunks_mut(t)) {
                        let to = &mut out[four..(four + 4).min(t)];
                        to.iter_mut().zip(found).for_each(|(to, d)| *to += d);
                    }
                }
            }
            Ok(())
        })?;
    }
    Ok(out)
}

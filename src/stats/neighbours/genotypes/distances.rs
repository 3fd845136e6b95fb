//! Distances of a tile of samples to all: differing variants, and corrections for missing ones.
//!
//! Pairs are compared a chunk of variants at a time (4 kB a sample): blocks of 128 samples stay in
//! the second-level cache while all others pass by, two against four in registers. Where one tile
//! holds all samples, each pair is compared once.

use super::gaps::Gaps;
use super::samples::Samples;
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::genotypes::differing_variants;
use std::ops::Range;

/// Most bytes of distances that a tile of rows takes.
const TILE_BYTES: usize = 256 << 20;

/// Samples that are compared with all others while they stay in the cache.
const BLOCK: usize = 128;

/// Rows of a tile among `t`.
pub(super) fn tile_rows(t: usize, corrected: bool) -> usize {
    let each = if corrected { 4 + 2 * 8 } else { 4 };
    (TILE_BYTES / (each * t.max(1))).clamp(16, t.max(16))
}

/// Bytes of the distances of a tile.
pub(super) fn bytes(t: usize) -> usize {
    t.saturating_mul(t).saturating_mul(20).min(TILE_BYTES.max(t.saturating_mul(16 * 20)))
}

/// Distances of some rows to all places.
pub(super) struct DistanceTile {
    rows: Range<usize>,
    places: usize,
    /// `[row][place]`: variants whose codes differ.
    whole: Vec<u32>,
    /// `[row][place]`: what the missing genotypes of the row and of the place add; empty without.
    corrections: Vec<f64>,
}

impl DistanceTile {
    /// The distances of some rows.
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
        Ok(Self { rows, places, whole, corrections })
    }

    /// The rows.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Distances of complete genotypes, by place.
    pub fn whole(&self, row: usize, out: &mut Vec<i32>) {
        let at = (row - self.rows.start) * self.places;
        out.clear();
        out.extend(self.whole[at..][..self.places].iter().map(|&d| d as i32));
    }

    /// Distances with what missing genotypes add, by place.
    pub fn mixed(&self, row: usize, out: &mut Vec<f64>) {
        let at = (row - self.rows.start) * self.places;
        let both = self.whole[at..][..self.places].iter().zip(&self.corrections[at..]);
        out.clear();
        out.extend(both.map(|(&d, c)| f64::from(d) + c));
    }
}

/// All rows against all: pairs once, then the other half from the first.
fn mirrored(control: &Control, samples: &Samples<'_>, own: &[u32]) -> Result<Vec<u32>> {
    let t = own.len();
    let by_place: Vec<u32> = (0..t as u32).collect();
    let half = differing(control, samples, &by_place, true)?;
    let mut whole = vec![0u32; t * t];
    let mut rows: Vec<_> = whole.chunks_mut(t * BLOCK).collect();
    parallel::for_each_mut(control, &mut rows, |b, rows| {
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

/// `[place of own][place]`: variants whose codes differ; with `once` only of places from the block
/// of 128 on in which the row stands.
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
        let groups = left.min(stride / crate::data::genotypes::GROUP_WORDS);
        left -= groups;
        let mut blocks: Vec<_> = out.chunks_mut(t * BLOCK).collect();
        parallel::for_each_mut(control, &mut blocks, |b, out| {
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

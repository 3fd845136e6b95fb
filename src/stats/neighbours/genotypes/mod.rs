//! Neighbours among genotypes in two bit planes: the same scores as of nominal columns of three
//! values, from an eighth of the memory of bytes and without unpacking a genotype.
//!
//! 1. Distances ([`distances`]): differing bits of two samples, counted by population counts. A
//!    missing genotype counts as a value of its own there, and [`gaps`] corrects distances and sums
//!    by what it is expected to be (as `columns` does; Kononenko 1994).
//! 2. Neighbours: the same picker as for all data ([`super::select`]).
//! 3. Sums ([`sums`]): for 512 variants at a time, how many neighbours of each sample differ from
//!    it.
//!
//! Cost: O(t^2 n / 100) operations for the distances (half of it where all distances fit the memory
//! set aside), O(kept pairs x n / 60) for the sums; a missing genotype costs O(t). Memory: the
//! planes, a quarter of a byte a genotype, and the distances of a tile of rows.

mod distances;
mod gaps;
mod permuted;
mod samples;
mod sums;
#[cfg(test)]
mod tests;

use super::Counts;
use super::Mass;
use super::distances::Order;
use super::grid::Grid;
use super::score::round;
use super::select::{Contribution, Multiclass, NeighbourMethod, Picker};
use crate::data::genotypes::GenotypePlanes;
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::simd::Level;
use distances::DistanceTile;
use gaps::Gaps;
pub use permuted::{Permuted, genotype_tests};
pub use samples::GenotypeRows;
use samples::{Samples, is_constant};
use std::ops::Range;
pub use sums::Differing;

/// Bytes that [`genotype_scores`] takes at most: all, and the largest piece.
pub fn memory(samples: usize, variants: usize) -> (usize, usize) {
    let planes = GenotypePlanes::bytes(samples, variants);
    let tile = distances::bytes(samples);
    (planes.saturating_add(tile.saturating_mul(3)), planes.max(tile))
}

/// One score per variant, larger is better; NaN for one that is the same in all samples.
///
/// # Errors
/// [`Error::Data`] for samples or classes out of range, [`Error::Unsupported`] for pairs weighted
/// by distance, [`Error::Parameter`], [`Error::Cancelled`].
pub fn genotype_scores(
    control: &Control,
    level: Level,
    rows: &GenotypeRows<'_>,
    method: NeighbourMethod,
    multiclass: Multiclass,
) -> Result<Vec<f64>> {
    method.check()?;
    rows.check()?;
    if matches!(method, NeighbourMethod::Pairs { .. }) {
        return Err(Error::Unsupported {
            what: "a criterion on pairs of rows from two-bit genotypes".into(),
            supported: "criteria on neighbours; a Table, or an array of genotypes, for the others"
                .into(),
        });
    }
    let order = Order::of(rows.classes, rows.n_classes);
    let study = Study::new(control, level, rows, &order, false)?;
    study.finished(study.scores(control, method, multiclass, Kept::default())?)
}

/// Neighbours (places) of each place.
type NearPlaces = Vec<Vec<u32>>;

/// What is kept besides scores.
#[derive(Default)]
struct Kept<'a> {
    differing: Option<&'a mut Differing>,
    near: Option<&'a mut NearPlaces>,
}

/// Samples and what is known of their missing genotypes.
struct Study<'a> {
    samples: Samples<'a>,
    gaps: Gaps,
    mass: Mass,
    grid: Grid,
}

impl<'a> Study<'a> {
    fn new(
        control: &Control,
        level: Level,
        rows: &'a GenotypeRows<'a>,
        order: &'a Order,
        imputed: bool,
    ) -> Result<Self> {
        let by_place: Vec<u32> = order.rows.iter().map(|&r| rows.samples[r as usize]).collect();
        let mut planes = GenotypePlanes::new(control, rows.packed, &by_place)?;
        if imputed {
            planes.impute(control)?;
        }
        let samples = Samples { level, rows, order, planes, by_place };
        let gaps = Gaps::new(control, &samples)?;
        let mass = Mass::new(Counts::One, rows.samples.len())?;
        Ok(Self { samples, grid: gaps.grid(), gaps, mass })
    }

    /// Rounded, NaN for variants that do not vary.
    fn finished(&self, mut scores: Vec<f64>) -> Result<Vec<f64>> {
        round(&mut scores);
        for (score, counts) in scores.iter_mut().zip(&self.samples.planes.counts) {
            if is_constant(counts) {
                *score = f64::NAN;
            }
        }
        Ok(scores)
    }

    fn scores(
        &self,
        control: &Control,
        method: NeighbourMethod,
        multiclass: Multiclass,
        mut kept: Kept<'_>,
    ) -> Result<Vec<f64>> {
        if self.samples.rows.samples.len() < 2 {
            return Ok(vec![0.0; self.samples.planes.counts.len()]);
        }
        let tiles = self.tiles();
        let twice = method.needs_mean() && !self.gaps.is_empty();
        let t = self.samples.rows.samples.len() as u64;
        control.expect(t * (2 + u64::from(twice && tiles.len() > 1)));
        let mut only = None;
        let mut mean = 0.0;
        if twice {
            let (sum, tile) = self.sum_of_distances(control, &tiles)?;
            only = tile;
            mean = sum / self.mean_pairs(multiclass);
        } else if method.needs_mean() {
            mean = self.counted_distances(t) as f64 / self.mean_pairs(multiclass);
        }
        let picker =
            Picker::new(method, multiclass, self.samples.order, &self.mass, (mean, self.grid));
        let mut scores = vec![0.0; self.samples.planes.counts.len()];
        for rows in &tiles {
            let tile = match only.take() {
                Some(tile) => tile,
                None => DistanceTile::new(control, &self.samples, &self.gaps, rows.clone())?,
            };
            control.advance(rows.len() as u64);
            let choices = self.pick(control, &picker, &tile)?;
            drop(tile);
            let constant: f64 = choices.iter().map(|c| c.constant).sum();
            scores.iter_mut().for_each(|s| *s += constant);
            sums::add(
                control,
                (&self.samples, &self.gaps),
                rows,
                &choices,
                &mut scores,
                kept.differing.as_deref_mut(),
            )?;
            if let Some(near) = kept.near.as_deref_mut() {
                for (row, choice) in rows.clone().zip(choices) {
                    let members = choice.groups.into_iter().flat_map(|g| g.1);
                    near[self.samples.order.places[row] as usize] = members.collect();
                }
            }
            control.advance(rows.len() as u64);
        }
        Ok(scores)
    }

    /// Pairs over which SURF's mean distance is taken.
    fn mean_pairs(&self, multiclass: Multiclass) -> f64 {
        let t = self.samples.rows.samples.len() as f64;
        if multiclass == Multiclass::Rebate { t * t } else { t * (t - 1.0) }
    }

    /// Rows whose distances fit the memory set aside.
    fn tiles(&self) -> Vec<Range<usize>> {
        let t = self.samples.rows.samples.len();
        let size = distances::tile_rows(t, !self.gaps.is_empty());
        (0..t).step_by(size).map(|at| at..(at + size).min(t)).collect()
    }

    /// Sum of the distances of all ordered pairs of complete genotypes.
    fn counted_distances(&self, t: u64) -> u128 {
        let squares = |c: &[u32; 4]| c.iter().map(|&c| u128::from(c) * u128::from(c)).sum::<u128>();
        self.samples.planes.counts.iter().map(|c| u128::from(t) * u128::from(t) - squares(c)).sum()
    }

    /// Sum of all distances, from the distances themselves, and the tile if there is but one.
    fn sum_of_distances(
        &self,
        control: &Control,
        tiles: &[Range<usize>],
    ) -> Result<(f64, Option<DistanceTile>)> {
        let mut steps = 0i128;
        let mut last = None;
        for rows in tiles {
            let tile = DistanceTile::new(control, &self.samples, &self.gaps, rows.clone())?;
            let mut all = Vec::new();
            for i in rows.clone() {
                control.check()?;
                tile.mixed(i, &mut all);
                all[self.samples.order.places[i] as usize] = 0.0;
                steps += all.iter().map(|&d| i128::from(self.grid.steps(d))).sum::<i128>();
            }
            last = Some(tile);
            if tiles.len() > 1 {
                control.advance(rows.len() as u64);
            }
        }
        Ok((self.grid.value(steps), if tiles.len() == 1 { last } else { None }))
    }

    fn pick(
        &self,
        control: &Control,
        picker: &Picker<'_>,
        tile: &DistanceTile,
    ) -> Result<Vec<Contribution>> {
        const TOGETHER: usize = 32;
        let rows = tile.rows();
        let parts = parallel::map(control, rows.len().div_ceil(TOGETHER), |p| {
            control.check()?;
            let (mut whole, mut mixed) = (Vec::new(), Vec::new());
            let some = p * TOGETHER..((p + 1) * TOGETHER).min(rows.len());
            let choice = |i: usize| {
                let row = rows.start + i;
                let own = usize::from(self.samples.rows.classes[row]);
                if self.gaps.is_empty() {
                    tile.whole(row, &mut whole);
                    picker.pick(row, own, &mut whole)
                } else {
                    tile.mixed(row, &mut mixed);
                    picker.pick(row, own, &mut mixed)
                }
            };
            Ok(some.map(choice).collect::<Vec<Contribution>>())
        })?;
        Ok(parts.into_iter().flatten().collect())
    }
}

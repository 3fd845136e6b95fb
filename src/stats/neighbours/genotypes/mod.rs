//! Neighbours among packed genotypes: the scores of nominal columns with three values, from a
//! quarter of a byte per genotype.
//!
//! 1. Distances ([`distances`]): variants that differ between two samples, by population counts
//!    over two bit planes. A missing genotype counts as a value of its own; [`gaps`] then corrects
//!    distances and sums to its expected difference (as [`columns`](super::columns) does; Kononenko
//!    1994).
//! 2. Neighbours: [`Picker`] of [`select`](super::select), as for all data.
//! 3. Sums ([`sums`]): for 512 variants at a time, how many neighbours of each sample differ from
//!    it.
//!
//! [`genotype_scores`] does this; [`genotype_tests`] adds permuted classes for p-values. Cost:
//! O(t^2 n / 100) operations for the distances (half of it if all distances fit one tile), O(kept
//! pairs * n / 60) for the sums, and O(t) per missing genotype. Memory: the planes, a quarter of a
//! byte per genotype, and the distances of a tile of rows.

mod distances;
mod gaps;
mod permuted;
mod picked;
mod samples;
mod sums;
#[cfg(test)]
mod tests;

use super::distances::Order;
use super::grid::Grid;
use super::rows::{CheckedWeights, RowWeights};
use super::score::{DistanceSum, distance_sums, pick, round};
use super::select::{Multiclass, NeighbourMethod, Picker};
use super::totals::mean_pairs;
use crate::data::genotypes::GenotypePlanes;
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::simd::Level;
use distances::DistanceTile;
use gaps::Gaps;
pub use permuted::{Permuted, genotype_tests};
use picked::PickedRows;
pub use samples::GenotypeRows;
use samples::{Samples, is_constant};
use std::ops::{Add, Range};
pub use sums::Differing;

/// Most bytes that [`genotype_scores`] takes: in all, and in the largest single allocation.
pub fn memory(samples: usize, variants: usize) -> (usize, usize) {
    let planes = GenotypePlanes::bytes(samples, variants);
    let tile = distances::bytes(samples);
    (planes.saturating_add(tile.saturating_mul(3)), planes.max(tile))
}

/// One score per variant, larger is better; NaN for a variant that is constant.
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
    if matches!(method, NeighbourMethod::Pairs { .. }) || method.reads_numbers() {
        return Err(Error::Unsupported {
            what: "a criterion on pairs of rows, or on a numeric target, from two-bit genotypes"
                .into(),
            supported:
                "criteria on neighbours and classes; a Table, or an array of genotypes, for \
                        the others"
                    .into(),
        });
    }
    let order = Order::from_classes(rows.classes, rows.n_classes);
    let study = Study::new(control, level, rows, &order, false)?;
    study.finished(study.scores(control, method, multiclass, Recorded::default())?)
}

/// Places of the neighbours of each place.
type NearPlaces = Vec<Vec<u32>>;

/// Where [`Study::scores`] records more than scores.
#[derive(Default)]
struct Recorded<'a> {
    /// Counts of differing pairs.
    differing: Option<&'a mut Differing>,
    /// The neighbours.
    near: Option<&'a mut NearPlaces>,
}

/// The samples of a search, with the expectations of their missing genotypes.
struct Study<'a> {
    samples: Samples<'a>,
    gaps: Gaps,
    mass: CheckedWeights,
    grid: Grid,
}

impl<'a> Study<'a> {
    /// Transpose the genotypes into planes by place; `imputed`: missing ones become the most
    /// frequent.
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
        let mass = CheckedWeights::new(RowWeights::One, rows.samples.len())?;
        Ok(Self { samples, grid: gaps.grid(), gaps, mass })
    }

    /// Final scores: rounded, NaN for constant variants.
    fn finished(&self, mut scores: Vec<f64>) -> Result<Vec<f64>> {
        round(&mut scores);
        for (score, counts) in scores.iter_mut().zip(&self.samples.planes.counts) {
            if is_constant(counts) {
                *score = f64::NAN;
            }
        }
        Ok(scores)
    }

    /// Sums of all tiles, not yet rounded.
    fn scores(
        &self,
        control: &Control,
        method: NeighbourMethod,
        multiclass: Multiclass,
        mut recorded: Recorded<'_>,
    ) -> Result<Vec<f64>> {
        if self.samples.rows.samples.len() < 2 {
            return Ok(vec![0.0; self.samples.planes.counts.len()]);
        }
        let tiles = self.tiles();
        // SURF's mean distance: from counts of values, or with missing genotypes from all distances
        let from_pairs = method.needs_mean() && !self.gaps.is_empty();
        let t = self.samples.rows.samples.len() as u64;
        control.set_total(t * (2 + u64::from(from_pairs && tiles.len() > 1)));
        let pairs = mean_pairs(&self.mass, t as usize, multiclass);
        let counted = self.counted_distances(t) as f64 / pairs;
        let mean = if method.needs_mean() { counted } else { 0.0 };
        let mut picker =
            Picker::new(method, multiclass, self.samples.order, &self.mass, mean, self.grid);
        let distances = |rows: &Range<usize>| {
            DistanceTile::new(control, &self.samples, &self.gaps, rows.clone())
        };
        let mut only_tile = None; // kept for the second pass if it holds all rows
        if from_pairs {
            let mut sum = DistanceSum::default();
            for rows in &tiles {
                let tile = distances(rows)?;
                sum = distance_sums(control, &picker, &tile, rows)?.into_iter().fold(sum, Add::add);
                only_tile = (tiles.len() == 1).then_some(tile);
                if tiles.len() > 1 {
                    control.advance(rows.len() as u64);
                }
            }
            picker.mean = self.grid.value(sum.steps) / pairs;
        }
        // distances, neighbours and sums, tile by tile
        let classes = self.samples.rows.classes;
        let mut scores = vec![0.0; self.samples.planes.counts.len()];
        for rows in &tiles {
            let tile = match only_tile.take() {
                Some(tile) => tile,
                None => distances(rows)?,
            };
            control.advance(rows.len() as u64);
            let keep = std::convert::identity;
            let contributions = pick(control, classes, &picker, &tile, rows, keep)?;
            drop(tile); // its memory goes to the sums
            let constant: f64 = contributions.iter().map(|c| c.constant).sum();
            scores.iter_mut().for_each(|s| *s += constant);
            let picked = PickedRows { rows: rows.clone(), contributions: &contributions };
            let differing = recorded.differing.as_deref_mut();
            sums::add(control, &self.samples, &self.gaps, picked, &mut scores, differing)?;
            if let Some(near) = recorded.near.as_deref_mut() {
                for (row, contribution) in rows.clone().zip(contributions) {
                    let places = &mut near[self.samples.order.places[row] as usize];
                    places.clear();
                    contribution.groups.iter().for_each(|g| places.extend_from_slice(&g.places));
                }
            }
            control.advance(rows.len() as u64);
        }
        Ok(scores)
    }

    /// Ranges of rows whose distances are held at once.
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
}

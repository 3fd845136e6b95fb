//! The samples of a search: as the caller gives them, and as bit planes by place in the order of
//! their classes.

use super::super::distances::Order;
use crate::data::genotypes::{GenotypePlanes, PackedGenotypes};
use crate::error::{Error, Result};
use crate::simd::Level;

/// The rows of a search over genotypes: some samples of a study, with their classes.
#[derive(Debug, Clone, Copy)]
pub struct GenotypeRows<'a> {
    /// Genotypes of all samples of the study.
    pub packed: PackedGenotypes<'a>,
    /// Number of the sample of each row, none twice.
    pub samples: &'a [u32],
    /// Class of each row, below `n_classes`.
    pub classes: &'a [u16],
    /// Number of classes.
    pub n_classes: usize,
}

impl GenotypeRows<'_> {
    /// Check lengths and ranges.
    pub(super) fn check(&self) -> Result<()> {
        let t = self.samples.len();
        if t != self.classes.len() {
            return Err(Error::Data(format!("{t} samples and {} classes", self.classes.len())));
        }
        if self.packed.variants() >= 1 << 24 {
            return Err(Error::Data("neighbours are counted for less than 2^24 variants".into()));
        }
        let mut seen = vec![false; self.packed.samples()];
        for &s in self.samples {
            match seen.get_mut(s as usize) {
                Some(there) if !*there => *there = true,
                _ => return Err(Error::Data(format!("sample {s} is none, or is named twice"))),
            }
        }
        match self.classes.iter().find(|c| usize::from(**c) >= self.n_classes) {
            Some(c) => Err(Error::Data(format!("class {c} of {}", self.n_classes))),
            None => Ok(()),
        }
    }
}

/// The rows with their genotypes as bit planes.
pub(super) struct Samples<'a> {
    pub level: Level,
    pub rows: &'a GenotypeRows<'a>,
    pub order: &'a Order,
    pub planes: GenotypePlanes,
    /// Sample at each place.
    pub by_place: Vec<u32>,
}

/// Whether all samples have the same genotype; `counts` by code, missing ones included.
pub(super) fn is_constant(counts: &[u32; 4]) -> bool {
    counts.iter().filter(|&&c| c > 0).count() < 2
}

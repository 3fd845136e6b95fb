//! Missing genotypes: corrections of distances and sums that counted "missing" as a value of its
//! own.
//!
//! A missing genotype differs from a known value v by `1 - P(v | class)` and from another missing
//! one by `1 - sum_v P(v | class_1) P(v | class_2)` (Kononenko 1994; a class without a known
//! genotype draws from all classes). The counts of bits say 1 and 0 instead, so
//! [`distances`](super::distances) and [`sums`](super::sums) add the corrections made here:
//! `-P(v | class)` per pair with one genotype known, the whole expectation per pair with none.
//! Cost: O(t) per missing genotype, once for the distances and once for the sums.

use super::super::grid::Grid;
use super::super::nearest::PlaceGroup;
use super::picked::PickedRows;
use super::samples::{Samples, is_constant};
use crate::data::genotypes::{GROUP, MISSING_CODE};
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::genotypes::add_by_code;

/// Rows per task.
const TASK_ROWS: usize = 64;

/// Variants whose codes are unpacked at once.
const BLOCK_VARIANTS: usize = 256;

/// A variant with missing genotypes.
struct Gap {
    variant: u32,
    /// Places where the genotype is missing, ascending.
    places: Vec<u32>,
    /// By class: share of each code among the known genotypes; 0 for the code of missing ones.
    shares: Vec<[f64; 4]>,
}

impl Gap {
    /// Count the known codes of a variant by class; `codes` and `classes` by place.
    fn from_codes(variant: u32, codes: &[u8], classes: &[u16], n_classes: usize) -> Self {
        let mut counts = vec![[0u32; 4]; n_classes];
        let mut places = Vec::new();
        for (place, (&code, &class)) in codes.iter().zip(classes).enumerate() {
            if code == MISSING_CODE {
                places.push(place as u32);
            } else {
                counts[usize::from(class)][usize::from(code)] += 1;
            }
        }
        let mut all = [0u32; 4];
        for of_class in &counts {
            all.iter_mut().zip(of_class).for_each(|(a, c)| *a += c);
        }
        let shares = |own: &[u32; 4]| {
            let known = if own.iter().sum::<u32>() > 0 { own } else { &all };
            let total: u32 = known.iter().sum();
            known.map(|c| if total > 0 { f64::from(c) / f64::from(total) } else { 0.0 })
        };
        Self { variant, places, shares: counts.iter().map(shares).collect() }
    }

    /// Expected difference of two missing genotypes of samples of two classes.
    fn two_missing(&self, a: usize, b: usize) -> f64 {
        // lower class first: symmetric to the bit
        let (a, b) = (&self.shares[a.min(b)], &self.shares[a.max(b)]);
        1.0 - a.iter().zip(b).map(|(p, q)| p * q).sum::<f64>()
    }
}

/// A row that picked a place as a neighbour.
#[derive(Clone)]
pub(super) struct PickedBy {
    row: u32,
    weight: f64,
}

/// By place: the rows that picked it as a neighbour.
pub(super) type Reverse = Vec<Vec<PickedBy>>;

/// A missing genotype of one of the rows whose corrections are made. The order of the fields is the
/// order in which corrections are added.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct MissingCell {
    /// Index of the row among the rows.
    row: u32,
    /// Index of the variant in its block.
    gap: u32,
    /// Place of the sample.
    place: u32,
}

/// All variants with missing genotypes, in order.
pub(super) struct Gaps {
    gaps: Vec<Gap>,
    /// Class of each place.
    classes: Vec<u16>,
    grid: Grid,
}

impl Gaps {
    /// Find the missing genotypes of the variants that vary, and the shares of their known ones.
    /// Constant variants are left out, because they count in no distance and get no score.
    /// O(samples) per variant with missing genotypes.
    pub fn new(control: &Control, samples: &Samples<'_>) -> Result<Self> {
        let Samples { planes, by_place, .. } = samples;
        let mut classes = vec![0u16; by_place.len()];
        for (c, class) in samples.order.starts.windows(2).enumerate() {
            classes[class[0]..class[1]].fill(c as u16);
        }
        let n_classes = samples.order.starts.len() - 1;
        let with_missing: Vec<u32> = (0..planes.counts.len() as u32)
            .filter(|&v| {
                let counts = &planes.counts[v as usize];
                counts[usize::from(MISSING_CODE)] > 0 && !is_constant(counts)
            })
            .collect();
        let blocks = with_missing.len().div_ceil(BLOCK_VARIANTS);
        let gaps = parallel::collect(control, blocks, &|p| {
            control.check()?;
            let mut codes = vec![0u8; by_place.len()];
            let some = &with_missing
                [p * BLOCK_VARIANTS..((p + 1) * BLOCK_VARIANTS).min(with_missing.len())];
            let gap = |&variant: &u32| {
                samples.rows.packed.codes(variant as usize, by_place, &mut codes);
                Gap::from_codes(variant, &codes, &classes, n_classes)
            };
            Ok(some.iter().map(gap).collect::<Vec<Gap>>())
        })?;
        // constant variants count in no distance
        let varying = planes.counts.iter().filter(|c| !is_constant(c)).count();
        let grid = Grid::for_features(varying, if gaps.is_empty() { 0 } else { gaps.len() + 1 });
        Ok(Self { gaps, classes, grid })
    }

    /// The grid of all distances. Corrections are rounded to its step, so that sums of distances
    /// stay exact.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Whether no genotype is missing, apart from variants that are constant. Distances are then
    /// whole numbers, and nothing is corrected.
    pub fn is_empty(&self) -> bool {
        self.gaps.is_empty()
    }

    /// Class of a place.
    fn class(&self, place: u32) -> usize {
        usize::from(self.classes[place as usize])
    }

    /// Corrections of the distances of the places `own` to all places, `[own][place]`; empty if no
    /// genotype is missing.
    pub fn corrections(
        &self,
        control: &Control,
        samples: &Samples<'_>,
        own: &[u32],
    ) -> Result<Vec<f64>> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let t = self.classes.len();
        let all: Vec<u32> = (0..t as u32).collect();
        // missing in `own` and known in the other, then the other way round
        let mut out = self.one_missing(control, samples, own, &all)?;
        let back = self.one_missing(control, samples, &all, own)?;
        for (i, row) in out.chunks_mut(t).enumerate() {
            row.iter_mut().enumerate().for_each(|(j, to)| *to += back[j * own.len() + i]);
        }
        // missing in both
        let mut at = vec![u32::MAX; t]; // index in `own` of each place
        own.iter().enumerate().for_each(|(i, &place)| at[place as usize] = i as u32);
        for gap in &self.gaps {
            control.check()?;
            for &a in gap.places.iter().filter(|&&a| at[a as usize] != u32::MAX) {
                let row = &mut out[at[a as usize] as usize * t..][..t];
                for &b in &gap.places {
                    row[b as usize] +=
                        self.grid.round(gap.two_missing(self.class(a), self.class(b)));
                }
            }
        }
        Ok(out)
    }

    /// Corrections for genotypes missing in `left` and known in `right`, `[left][right]`.
    fn one_missing(
        &self,
        control: &Control,
        samples: &Samples<'_>,
        left: &[u32],
        right: &[u32],
    ) -> Result<Vec<f64>> {
        let mut at = vec![u32::MAX; self.classes.len()]; // index in `left` of each place
        left.iter().enumerate().for_each(|(i, &place)| at[place as usize] = i as u32);
        let right_samples: Vec<u32> = right.iter().map(|&p| samples.by_place[p as usize]).collect();
        let mut out = vec![0.0; left.len() * right.len()];
        for gaps in self.gaps.chunks(BLOCK_VARIANTS) {
            control.check()?;
            // codes of the right by variant, and the missing cells of the left sorted by row
            let mut codes = vec![0u8; gaps.len() * right_samples.len()];
            let mut missing = Vec::new();
            for (g, (gap, codes)) in
                gaps.iter().zip(codes.chunks_mut(right_samples.len())).enumerate()
            {
                samples.rows.packed.codes(gap.variant as usize, &right_samples, codes);
                let cell =
                    |&place: &u32| MissingCell { row: at[place as usize], gap: g as u32, place };
                missing.extend(gap.places.iter().map(cell).filter(|cell| cell.row != u32::MAX));
            }
            missing.sort_unstable();
            let mut parts: Vec<_> = out.chunks_mut(TASK_ROWS * right.len()).collect();
            parallel::for_each_mut(control, &mut parts, &|p, out| {
                let (first, last) = ((p * TASK_ROWS) as u32, ((p + 1) * TASK_ROWS) as u32);
                let begin = missing.partition_point(|cell| cell.row < first);
                let end = missing.partition_point(|cell| cell.row < last);
                for &MissingCell { row, gap, place } in &missing[begin..end] {
                    control.check()?;
                    let gap = gap as usize;
                    let table =
                        corrections_by_code(&gaps[gap].shares[self.class(place)], self.grid);
                    let codes = &codes[gap * right_samples.len()..][..right_samples.len()];
                    let to = &mut out[(row - first) as usize * right.len()..][..right.len()];
                    add_by_code(samples.level, codes, &table, to);
                }
                Ok(())
            })?;
        }
        Ok(out)
    }

    /// By place the rows that picked it; empty if no genotype is missing.
    pub fn reverse(&self, picked: &PickedRows<'_>, places: usize) -> Reverse {
        if self.is_empty() {
            return Vec::new();
        }
        let mut reverse = vec![Vec::new(); places];
        for (row, group) in picked.groups() {
            for &place in &group.places {
                let picked_by = PickedBy { row: row as u32, weight: group.weight };
                reverse[place as usize].push(picked_by);
            }
        }
        reverse
    }

    /// Correct the sums of the variants of group `group`: a pair with a missing genotype gets its
    /// expected difference in the place of the 0 or 1 that was counted. `reverse` has the rows that
    /// picked each place, so a missing genotype is also corrected where its sample was picked as a
    /// neighbour.
    pub fn correct(
        &self,
        control: &Control,
        samples: &Samples<'_>,
        picked: &PickedRows<'_>,
        reverse: &Reverse,
        group: usize,
        sums: &mut [f64],
    ) -> Result<()> {
        let from = |v: usize| self.gaps.partition_point(|gap| (gap.variant as usize) < v);
        let mut codes = vec![0u8; self.classes.len()];
        for gap in &self.gaps[from(group * GROUP)..from((group + 1) * GROUP)] {
            control.check()?;
            samples.rows.packed.codes(gap.variant as usize, &samples.by_place, &mut codes);
            let mut sum = 0.0;
            for &missing in &gap.places {
                let class = self.class(missing);
                let mut by_code = gap.shares[class].map(|p| -p);
                by_code[usize::from(MISSING_CODE)] = 0.0;
                // the neighbours that the row with the missing genotype picked
                let row = samples.order.rows[missing as usize] as usize;
                if picked.rows.contains(&row) {
                    for PlaceGroup { weight, places } in
                        &picked.contributions[row - picked.rows.start].groups
                    {
                        let known = |&j: &u32| by_code[usize::from(codes[j as usize])];
                        sum += weight * places.iter().map(known).sum::<f64>();
                        let both = places.iter().filter(|&&j| codes[j as usize] == MISSING_CODE);
                        let expected = both.map(|&j| gap.two_missing(class, self.class(j)));
                        sum += weight * expected.sum::<f64>();
                    }
                }
                // the rows that picked it; pairs with both missing are counted above
                for &PickedBy { row, weight } in &reverse[missing as usize] {
                    let place = samples.order.places[row as usize] as usize;
                    sum += weight * by_code[usize::from(codes[place])];
                }
            }
            sums[gap.variant as usize % GROUP] += sum;
        }
        Ok(())
    }
}

/// Correction of the distance of a missing genotype to each code: its expected difference, rounded
/// as all terms of distances are, minus the 1 that was counted.
fn corrections_by_code(shares: &[f64; 4], grid: Grid) -> [f64; 4] {
    let mut corrections = shares.map(|p| grid.round(1.0 - p) - 1.0);
    corrections[usize::from(MISSING_CODE)] = 0.0;
    corrections
}

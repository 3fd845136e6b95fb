//! Missing genotypes: what they are expected to be, as corrections of counts that take "missing"
//! for a value of its own.
//!
//! A missing genotype differs from a known value v by `1 - P(v | class)`, from another missing one
//! by `1 - sum_v P(v | class_1) P(v | class_2)` (Kononenko 1994; a class without a known genotype
//! draws from all). The counts say 1 and 0 instead, so a missing genotype adds `-P(v | class)` to
//! each pair with a known one. O(t) for every missing genotype, once for the distances and once for
//! the sums.

use super::super::grid::Grid;
use super::super::select::Contribution;
use super::samples::{Samples, is_constant};
use crate::data::genotypes::{GROUP, MISSING_CODE};
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::genotypes::add_by_code;
use std::ops::Range;

/// Rows whose corrections a thread makes at once.
const ROWS: usize = 64;

/// A variant with missing genotypes.
struct Gap {
    variant: u32,
    /// Places where the genotype is missing, ascending.
    places: Vec<u32>,
    /// Share of each code by class; 0 for missing.
    shares: Vec<[f64; 4]>,
}

impl Gap {
    /// Difference of two missing genotypes of these classes.
    fn two(&self, a: usize, b: usize) -> f64 {
        // the same number whichever comes first
        let (a, b) = (&self.shares[a.min(b)], &self.shares[a.max(b)]);
        1.0 - a.iter().zip(b).map(|(p, q)| p * q).sum::<f64>()
    }
}

/// Rows that have a place among their neighbours, with the weight of the pair.
pub(super) type Reverse = Vec<Vec<(u32, f64)>>;

/// All variants with missing genotypes, in order.
pub(super) struct Gaps {
    gaps: Vec<Gap>,
    /// Class of each place.
    classes: Vec<u16>,
    grid: Grid,
}

impl Gaps {
    pub fn new(control: &Control, samples: &Samples<'_>) -> Result<Self> {
        let Samples { planes, by_place, .. } = samples;
        let mut classes = vec![0u16; by_place.len()];
        for (c, class) in samples.order.starts.windows(2).enumerate() {
            classes[class[0]..class[1]].fill(c as u16);
        }
        let n_classes = samples.order.starts.len() - 1;
        let wanted: Vec<u32> = (0..planes.counts.len() as u32)
            .filter(|&v| {
                let counts = &planes.counts[v as usize];
                counts[usize::from(MISSING_CODE)] > 0 && !is_constant(counts)
            })
            .collect();
        let parts = parallel::map(control, wanted.len().div_ceil(256), |p| {
            control.check()?;
            let mut codes = vec![0u8; by_place.len()];
            let some = &wanted[p * 256..((p + 1) * 256).min(wanted.len())];
            let gap = |&variant: &u32| {
                samples.rows.packed.codes(variant as usize, by_place, &mut codes);
                Gap::of(variant, &codes, &classes, n_classes)
            };
            Ok(some.iter().map(gap).collect::<Vec<Gap>>())
        })?;
        let gaps: Vec<Gap> = parts.into_iter().flatten().collect();
        let varies = planes.counts.iter().filter(|c| !is_constant(c)).count();
        let grid = Grid::with(varies, if gaps.is_empty() { 0 } else { gaps.len() + 1 });
        Ok(Self { gaps, classes, grid })
    }

    /// What distances are multiples of.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    pub fn is_empty(&self) -> bool {
        self.gaps.is_empty()
    }

    fn class(&self, place: u32) -> usize {
        usize::from(self.classes[place as usize])
    }

    /// `[own][place]`: what missing genotypes add to the distances of the places `own` to all.
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
        // what is missing in `own` against all, then what is missing in all against `own`
        let mut out = self.of_missing(control, samples, own, &all)?;
        let back = self.of_missing(control, samples, &all, own)?;
        for (i, row) in out.chunks_mut(t).enumerate() {
            row.iter_mut().enumerate().for_each(|(j, to)| *to += back[j * own.len() + i]);
        }
        let mut at = vec![u32::MAX; t];
        own.iter().enumerate().for_each(|(i, &place)| at[place as usize] = i as u32);
        for gap in &self.gaps {
            control.check()?;
            for &a in gap.places.iter().filter(|&&a| at[a as usize] != u32::MAX) {
                let row = &mut out[at[a as usize] as usize * t..][..t];
                for &b in &gap.places {
                    row[b as usize] += self.grid.round(gap.two(self.class(a), self.class(b)));
                }
            }
        }
        Ok(out)
    }

    /// `[place of left][place of right]`: corrections for what is missing at the left and known at
    /// the right.
    fn of_missing(
        &self,
        control: &Control,
        samples: &Samples<'_>,
        left: &[u32],
        right: &[u32],
    ) -> Result<Vec<f64>> {
        let mut at = vec![u32::MAX; self.classes.len()];
        left.iter().enumerate().for_each(|(i, &place)| at[place as usize] = i as u32);
        let right_samples: Vec<u32> = right.iter().map(|&p| samples.by_place[p as usize]).collect();
        let mut out = vec![0.0; left.len() * right.len()];
        for gaps in self.gaps.chunks(256) {
            control.check()?;
            let mut codes = vec![0u8; gaps.len() * right_samples.len()];
            let mut missing = Vec::new();
            for (g, (gap, codes)) in
                gaps.iter().zip(codes.chunks_mut(right_samples.len())).enumerate()
            {
                samples.rows.packed.codes(gap.variant as usize, &right_samples, codes);
                let rows = gap.places.iter().map(|&p| (at[p as usize], g as u32, p));
                missing.extend(rows.filter(|m| m.0 != u32::MAX));
            }
            missing.sort_unstable();
            let mut parts: Vec<_> = out.chunks_mut(ROWS * right.len()).collect();
            parallel::for_each_mut(control, &mut parts, |p, out| {
                let (first, last) = ((p * ROWS) as u32, ((p + 1) * ROWS) as u32);
                let begin = missing.partition_point(|m| m.0 < first);
                let end = missing.partition_point(|m| m.0 < last);
                for &(row, g, place) in &missing[begin..end] {
                    control.check()?;
                    let table = table(&gaps[g as usize].shares[self.class(place)], self.grid);
                    let codes = &codes[g as usize * right_samples.len()..][..right_samples.len()];
                    let to = &mut out[(row - first) as usize * right.len()..][..right.len()];
                    add_by_code(samples.level, codes, &table, to);
                }
                Ok(())
            })?;
        }
        Ok(out)
    }

    /// By place the rows that have it as a neighbour; empty without missing genotypes.
    pub fn reverse(&self, rows: &Range<usize>, choices: &[Contribution], places: usize) -> Reverse {
        if self.is_empty() {
            return Vec::new();
        }
        let mut found = vec![Vec::new(); places];
        for (row, choice) in rows.clone().zip(choices) {
            for (weight, members) in &choice.groups {
                members.iter().for_each(|&m| found[m as usize].push((row as u32, *weight)));
            }
        }
        found
    }

    /// Correct the sums of a group of variants.
    pub fn correct(
        &self,
        control: &Control,
        samples: &Samples<'_>,
        (rows, choices): (&Range<usize>, &[Contribution]),
        reverse: &Reverse,
        (group, sums): (usize, &mut [f64]),
    ) -> Result<()> {
        let from = |v: usize| self.gaps.partition_point(|gap| (gap.variant as usize) < v);
        let mut codes = vec![0u8; self.classes.len()];
        for gap in &self.gaps[from(group * GROUP)..from((group + 1) * GROUP)] {
            control.check()?;
            samples.rows.packed.codes(gap.variant as usize, &samples.by_place, &mut codes);
            let mut sum = 0.0;
            for &m in &gap.places {
                let class = self.class(m);
                let mut table = gap.shares[class].map(|p| -p);
                table[usize::from(MISSING_CODE)] = 0.0;
                let row = samples.order.rows[m as usize] as usize;
                if rows.contains(&row) {
                    for (weight, members) in &choices[row - rows.start].groups {
                        let known = |&j: &u32| table[usize::from(codes[j as usize])];
                        sum += weight * members.iter().map(known).sum::<f64>();
                        let both = members.iter().filter(|&&j| is_missing(&codes, j));
                        let two = both.map(|&j| gap.two(class, self.class(j)));
                        sum += weight * two.sum::<f64>();
                    }
                }
                for &(row, weight) in &reverse[m as usize] {
                    let place = samples.order.places[row as usize] as usize;
                    sum += weight * table[usize::from(codes[place])];
                }
            }
            sums[gap.variant as usize % GROUP] += sum;
        }
        Ok(())
    }
}

fn is_missing(codes: &[u8], place: u32) -> bool {
    codes[place as usize] == MISSING_CODE
}

/// What a missing genotype adds to the distance to each code: the expected difference, rounded as
/// all terms of distances are, less the 1 that was counted.
fn table(shares: &[f64; 4], grid: Grid) -> [f64; 4] {
    let mut table = shares.map(|p| grid.round(1.0 - p) - 1.0);
    table[usize::from(MISSING_CODE)] = 0.0;
    table
}

impl Gap {
    fn of(variant: u32, codes: &[u8], classes: &[u16], n_classes: usize) -> Self {
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
}

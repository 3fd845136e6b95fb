//! Scores under permuted classes, for p-values of SURF and MultiSURF.
//!
//! Which rows are near does not depend on the classes, so distances and neighbours are found once
//! for all permutations (Westfall & Young 1993 for the largest score of each). What remains per row
//! and permutation is to count the neighbours of each class that differ. The class with the most
//! neighbours follows by subtraction from the count of all. The neighbours of the other classes are
//! counted 512 variants at a time and in four subsets at once: neighbours that belong to the same
//! ones of four subsets are counted together, so that each neighbour is read once
//! ([`add_subsets`]). Missing genotypes are imputed by the most frequent one first, so that no
//! distance depends on a class.
//!
//! STIR (Le, Urbanowicz, Moore & McKinney 2019) needs the numbers of pairs of near rows that
//! differ; they come with the scores.

use super::super::distances::Order;
use super::samples::{GenotypeRows, is_constant};
use super::sums::Differing;
use super::{NearPlaces, Recorded, Study};
use crate::data::genotypes::{GROUP, GROUP_WORDS};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::simd::genotypes::{
    Members, SUBSET_ROWS, SubsetRow, Subsets, add_subsets, count_subsets, differences, subset_order,
};
use crate::simd::{Buffer, Level};
use crate::stats::neighbours::score::round;
use crate::stats::neighbours::select::{Multiclass, NeighbourMethod, Picker};

/// Groups of variants per task.
const TASK_GROUPS: usize = 4;

/// Most permutations that are counted from one computation of the differences of a row.
const BATCH: usize = 128;

/// Most rows: the neighbours of a row are numbered by `u16`.
const MOST_ROWS: usize = 1 << 16;

/// Most bytes of the lists of neighbours of a batch.
const LIST_BYTES: usize = 128 << 20;

/// Scores, and how permuted classes compare with them: the result of [`genotype_tests`].
#[derive(Debug, Clone, Default)]
pub struct Permuted {
    /// Score of each variant, NaN for a constant one.
    pub scores: Vec<f64>,
    /// Numbers of pairs of near rows that differ.
    pub differing: Differing,
    /// By variant: number of permutations under which its score is at least the observed one.
    pub reached: Vec<u32>,
    /// By variant: number of permutations whose largest score of all variants is at least the
    /// observed score of the variant.
    pub exceeded: Vec<u32>,
    /// Largest score of all variants under each permutation.
    pub largest: Vec<f64>,
}

/// Scores, and counts for p-values. `permuted` has the classes of all rows, one permutation after
/// the other; it may be empty.
///
/// # Errors
/// As [`super::genotype_scores`]; [`Error::Unsupported`] for methods whose neighbours depend on the
/// classes, and for more than 65,536 rows.
pub fn genotype_tests(
    control: &Control,
    level: Level,
    rows: &GenotypeRows<'_>,
    (method, multiclass): (NeighbourMethod, Multiclass),
    permuted: &[u16],
) -> Result<Permuted> {
    if !matches!(
        method,
        NeighbourMethod::Surf { star: false } | NeighbourMethod::MultiSurf { star: false }
    ) {
        return Err(Error::Unsupported {
            what: "a p-value of this criterion".into(),
            supported: "'surf' and 'multisurf', whose neighbours do not depend on the classes"
                .into(),
        });
    }
    rows.check()?;
    let t = rows.samples.len();
    if t > MOST_ROWS {
        return Err(Error::Unsupported {
            what: format!("p-values on {t} rows"),
            supported: format!("at most {MOST_ROWS} rows"),
        });
    }
    if t < 2 || !permuted.len().is_multiple_of(t) {
        return Err(Error::Data(format!("{} permuted classes of {t} rows", permuted.len())));
    }
    let order = Order::from_classes(rows.classes, rows.n_classes);
    let class_starts = |classes: &[u16]| Order::from_classes(classes, rows.n_classes).starts;
    let is_permutation = |classes: &[u16]| {
        classes.iter().all(|&c| usize::from(c) < rows.n_classes)
            && class_starts(classes) == order.starts
    };
    if !permuted.chunks(t).all(is_permutation) {
        return Err(Error::Data("permuted classes are not the classes in another order".into()));
    }
    let study = Study::new(control, level, rows, &order, true)?;
    let mut found = Permuted::default();
    if permuted.is_empty() {
        let recorded = Recorded { differing: Some(&mut found.differing), near: None };
        let scores = study.scores(control, method, multiclass, recorded)?;
        found.scores = study.finished(scores)?;
        return Ok(found);
    }
    control.set_total(2 + (permuted.len() / t) as u64);
    let quiet = control.quiet(); // progress counts permutations, not rows
    let mut near = vec![Vec::new(); t];
    let recorded = Recorded { differing: Some(&mut found.differing), near: Some(&mut near) };
    let scores = study.scores(&quiet, method, multiclass, recorded)?;
    found.scores = study.finished(scores)?;
    control.advance(1);
    study.permute(control, &near, multiclass, permuted, &mut found)?;
    Ok(found)
}

/// Words of a bit per variant of a group.
const DIFFERENCE_WORDS: usize = GROUP / 64;

/// Subsets that are counted at once: a quad.
const AT_ONCE: usize = 4;

/// Patterns of membership in a quad, the empty one left out.
const PATTERNS: usize = (1 << AT_ONCE) - 1;

/// The list of each pattern is padded to a multiple of this, with a neighbour that never differs.
const PAD: usize = 8;

/// The neighbours of one place in one quad, sorted by pattern: bit s of a pattern says whether a
/// neighbour is in subset s.
struct Quad {
    /// Start in [`Batch::lists`].
    start: usize,
    /// End of the list of each pattern, from 1 on, counted from `start`.
    ends: [u32; PATTERNS],
}

/// Permutations that are counted together.
///
/// A subset is the neighbours of a place that are of one class under one permutation; the class
/// with the most neighbours needs no subset.
struct Batch {
    /// Number of permutations.
    size: usize,
    /// Number of subsets per permutation.
    subsets: usize,
    /// Lists of all quads: neighbours by their index among the neighbours of the place.
    lists: Vec<u16>,
    /// Quads of each place.
    quads: Vec<Quad>,
    /// For each quad and subset: the weight per member that differs, and the weight per neighbour
    /// of any class that differs. The second weight is 0 except for the first subset of a
    /// permutation.
    weights: Vec<[(f64, f64); AT_ONCE]>,
}

/// Number of subsets per permutation.
fn subsets_per_permutation(n_classes: usize) -> usize {
    n_classes.saturating_sub(1).max(1)
}

impl Batch {
    /// The subsets of each quad as the kernel takes them.
    fn kernel_subsets(&self) -> Vec<Subsets<'_>> {
        let list =
            |quad: &Quad| &self.lists[quad.start..quad.start + quad.ends[PATTERNS - 1] as usize];
        self.quads.iter().map(|quad| Subsets::new(list(quad), &quad.ends)).collect()
    }

    /// Append a quad from the pattern of each neighbour, by a counting sort. Lists are padded with
    /// the index after the last neighbour, at which nothing differs.
    fn push(&mut self, patterns: &[u8], weights: [(f64, f64); AT_ONCE]) {
        self.weights.push(weights);
        let mut counts = [0usize; PATTERNS + 1];
        patterns.iter().for_each(|&p| counts[usize::from(p)] += 1);
        let start = self.lists.len();
        let (mut next, mut ends, mut end) = ([0; PATTERNS + 1], [0; PATTERNS], 0);
        for pattern in 1..=PATTERNS {
            next[pattern] = start + end;
            end += counts[pattern].next_multiple_of(PAD);
            ends[pattern - 1] = end as u32;
        }
        self.lists.resize(start + end, patterns.len() as u16);
        for (m, &pattern) in patterns.iter().enumerate().filter(|(_, p)| **p > 0) {
            let at = &mut next[usize::from(pattern)];
            self.lists[*at] = m as u16;
            *at += 1;
        }
        self.quads.push(Quad { start, ends });
    }
}

impl Study<'_> {
    /// Score all permutations, batch by batch, and compare them with the observed scores: the first
    /// "permutation" is the classes themselves, so that both are summed in the same way.
    fn permute(
        &self,
        control: &Control,
        near: &NearPlaces,
        multiclass: Multiclass,
        permuted: &[u16],
        found: &mut Permuted,
    ) -> Result<()> {
        let t = self.samples.rows.samples.len();
        let n = self.samples.planes.counts.len();
        let pairs: usize = near.iter().map(Vec::len).sum();
        // permutations whose lists, two bytes per pair and quad, fit LIST_BYTES
        let subsets = (LIST_BYTES / 2 / pairs.max(1)).max(1) * AT_ONCE;
        let per_permutation = subsets_per_permutation(self.samples.rows.n_classes);
        let size = (subsets / per_permutation).clamp(1, BATCH);
        let all: Vec<&[u16]> =
            std::iter::once(self.samples.rows.classes).chain(permuted.chunks(t)).collect();
        let mut observed = vec![0.0; n];
        found.reached = vec![0; n];
        for (b, classes) in all.chunks(size).enumerate() {
            let batch = self.batch(control, near, multiclass, classes)?;
            let subsets = batch.kernel_subsets();
            // a task takes some variants: their observed scores and counts, and the largest scores
            // of each permutation among them
            let width = TASK_GROUPS * GROUP;
            let mut parts: Vec<_> = observed
                .chunks_mut(width)
                .zip(found.reached.chunks_mut(width))
                .map(|part| (part, Vec::new()))
                .collect();
            parallel::for_each_mut(control, &mut parts, &|p, ((observed, reached), largest)| {
                let mut scores = self.permuted_scores(control, near, &batch, &subsets, p)?;
                let counts = &self.samples.planes.counts[p * width..][..observed.len()];
                let varies: Vec<bool> = counts.iter().map(|c| !is_constant(c)).collect();
                for (s, scores) in scores.chunks_mut(width).enumerate() {
                    round(scores);
                    let scores = &scores[..observed.len()];
                    if b + s == 0 {
                        observed.copy_from_slice(scores);
                        continue;
                    }
                    let compared = scores.iter().zip(observed.iter()).zip(reached.iter_mut());
                    compared.for_each(|((score, o), r)| *r += u32::from(score >= o));
                    let varying = scores.iter().zip(&varies).filter(|s| *s.1).map(|s| *s.0);
                    largest.push(varying.fold(f64::NEG_INFINITY, f64::max));
                }
                Ok(())
            })?;
            // the largest score of all variants under each permutation
            let count = classes.len() - usize::from(b == 0);
            let largest = |s: usize| parts.iter().map(|p| p.1[s]).fold(f64::NEG_INFINITY, f64::max);
            found.largest.extend((0..count).map(largest));
            control.advance(classes.len() as u64);
        }
        let exceeded = |o: &f64| found.largest.iter().filter(|l| *l >= o).count() as u32;
        found.exceeded = observed.iter().map(exceeded).collect();
        Ok(())
    }

    /// The lists and weights of some permutations.
    fn batch(
        &self,
        control: &Control,
        near: &NearPlaces,
        multiclass: Multiclass,
        classes: &[&[u16]],
    ) -> Result<Batch> {
        // only for the factors of classes, which are the same for SURF and MultiSURF
        let method = NeighbourMethod::MultiSurf { star: false };
        let picker =
            Picker::new(method, multiclass, self.samples.order, &self.mass, 0.0, self.grid);
        let mut batch = Batch {
            size: classes.len(),
            subsets: subsets_per_permutation(self.samples.rows.n_classes),
            lists: Vec::new(),
            quads: Vec::new(),
            weights: Vec::new(),
        };
        let n_classes = batch.subsets + 1;
        let by_place = |classes: &[u16]| -> Vec<u16> {
            self.samples.order.rows.iter().map(|&row| classes[row as usize]).collect()
        };
        let classes: Vec<Vec<u16>> = classes.iter().map(|c| by_place(c)).collect();
        let share = picker.share(0);
        let mut patterns = Vec::new();
        let mut weights = [(0.0, 0.0); AT_ONCE];
        for (place, neighbours) in near.iter().enumerate() {
            control.check()?;
            patterns.clear();
            patterns.resize(neighbours.len(), 0);
            let mut taken = 0; // subsets of the current quad
            for classes in &classes {
                let mut totals = vec![0u32; n_classes];
                neighbours.iter().for_each(|&m| totals[usize::from(classes[m as usize])] += 1);
                let real_totals: Vec<f64> = totals.iter().map(|&n| f64::from(n)).collect();
                let factors = picker.class_factors(&real_totals, usize::from(classes[place]));
                let each = |c: usize| {
                    if totals[c] > 0 { share * factors[c] / real_totals[c] } else { 0.0 }
                };
                // the class with the most neighbours: its weight for all of them, and for the other
                // classes the difference to it
                let most = (0..n_classes).fold(0, |a, c| if totals[c] > totals[a] { c } else { a });
                let mut base = each(most);
                for c in (0..n_classes).filter(|&c| c != most) {
                    weights[taken] = (each(c) - each(most), std::mem::take(&mut base));
                    for (pattern, &m) in patterns.iter_mut().zip(neighbours) {
                        *pattern |= u8::from(usize::from(classes[m as usize]) == c) << taken;
                    }
                    taken += 1;
                    if taken == AT_ONCE {
                        batch.push(&patterns, std::mem::take(&mut weights));
                        patterns.fill(0);
                        taken = 0;
                    }
                }
            }
            if taken > 0 {
                batch.push(&patterns, std::mem::take(&mut weights));
            }
        }
        Ok(batch)
    }

    /// Scores of the variants of task `part`, `[permutation][variant]`.
    fn permuted_scores(
        &self,
        control: &Control,
        near: &NearPlaces,
        batch: &Batch,
        subsets: &[Subsets<'_>],
        part: usize,
    ) -> Result<Vec<f64>> {
        let width = TASK_GROUPS * GROUP;
        let mut scores = vec![0.0; batch.size * width];
        let first = part * TASK_GROUPS;
        let groups: Vec<Buffer> = (first..(first + TASK_GROUPS).min(self.samples.planes.groups()))
            .map(|g| {
                let mut group = Buffer::zeroed(self.samples.planes.places() * GROUP_WORDS);
                self.samples.planes.copy_group(g, &mut group);
                group
            })
            .collect();
        let columns = batch.size * batch.subsets;
        let quads = columns.div_ceil(AT_ONCE);
        let most = near.iter().map(Vec::len).max().unwrap_or(0);
        let every: Vec<u16> = (0..most).map(|m| m as u16).collect();
        let mut differ: Vec<Buffer> = (0..SUBSET_ROWS).map(|_| Buffer::default()).collect();
        let mut all = [[0.0; GROUP]; SUBSET_ROWS];
        let mut counts = Box::new([[[0; GROUP]; AT_ONCE]; SUBSET_ROWS]);
        // rows in blocks that the kernel adds at once
        for (block, near) in near.chunks(SUBSET_ROWS).enumerate() {
            control.check()?;
            let places = block * SUBSET_ROWS..block * SUBSET_ROWS + near.len();
            for (g, group) in groups.iter().enumerate() {
                // the differences to the neighbours of each row, and how many differ in all
                let each = places.clone().zip(near).zip(&mut differ).zip(&mut all);
                for (((place, near), differ), all) in each {
                    let near = Members::new(near);
                    // a bit per variant and neighbour, and one neighbour more that never differs
                    let words = near.len() * DIFFERENCE_WORDS;
                    differ.reserve(words + DIFFERENCE_WORDS);
                    differ[words..].fill(0);
                    differences(self.samples.level, group, place, near, &mut differ[..words]);
                    let ends = [near.len() as u32; PATTERNS];
                    let one = Subsets::new(&every[..near.len()], &ends);
                    count_subsets(self.samples.level, differ, one, &mut counts[0]);
                    all.iter_mut().zip(&counts[0][0]).for_each(|(to, n)| *to = f64::from(*n));
                }
                // add the subsets of all permutations, quad by quad
                for quad in 0..quads {
                    let first = quad * AT_ONCE;
                    let starts: [usize; AT_ONCE] =
                        std::array::from_fn(|i| (first + i) / batch.subsets * width + g * GROUP);
                    let rows: [SubsetRow<'_>; SUBSET_ROWS] = std::array::from_fn(|i| {
                        let i = i.min(near.len() - 1);
                        let place = places.start + i;
                        SubsetRow {
                            differences: &differ[i],
                            subsets: subsets[place * quads + quad],
                            weights: batch.weights[place * quads + quad],
                            base: &all[i],
                        }
                    });
                    let starts = &starts[..AT_ONCE.min(columns - first)];
                    let rows = &rows[..near.len()];
                    add_subsets(self.samples.level, rows, starts, &mut scores, &mut counts);
                }
            }
        }
        // the kernel's order of the variants of a group back to their own
        for group in scores.chunks_exact_mut(GROUP) {
            let ordered: [f64; GROUP] = std::array::from_fn(|v| group[subset_order(v)]);
            group.copy_from_slice(&ordered);
        }
        Ok(scores)
    }
}

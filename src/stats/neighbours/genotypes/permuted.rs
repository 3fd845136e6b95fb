//! Scores under permuted classes, for p-values: neighbours are found once.
//!
//! Which rows are near does not depend on the classes under SURF and MultiSURF, so distances and
//! neighbours serve all permutations (Westfall & Young 1993 for the largest score of each). What is
//! left is counting, for each row and permutation, the neighbours of a class that differ. The class
//! with most neighbours is obtained by subtraction from the count of all. Neighbours of the others
//! are counted 512 variants at a time and under four permutations at once: those that have these
//! classes in the same of the four are counted together, so that each neighbour is looked at once
//! ([`add_subsets`]). Missing genotypes are imputed by the most frequent one, so that no distance
//! looks at a class.
//!
//! STIR (Le, Urbanowicz, Moore & McKinney 2019) needs how many pairs of near rows differ, which
//! comes with the scores.

use super::super::distances::Order;
use super::samples::{GenotypeRows, is_constant};
use super::sums::Differing;
use super::{Kept, NearPlaces, Study};
use crate::data::genotypes::{GROUP, GROUP_WORDS};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::simd::genotypes::{
    Members, SUBSET_ROWS, SubsetRow, Subsets, add_subsets, count_subsets, differences, subset_order,
};
use crate::simd::{Buffer, Level};
use crate::stats::neighbours::score::round;
use crate::stats::neighbours::select::{Multiclass, NeighbourMethod, Picker};

/// Groups of variants of a part.
const TOGETHER: usize = 4;

/// Most permutations that share the agreements of a row.
const BATCH: usize = 128;

/// Most rows: neighbours of a row are numbered by u16.
const MOST_ROWS: usize = 1 << 16;

/// Most bytes of lists of neighbours.
const LIST_BYTES: usize = 128 << 20;

/// What [`genotype_tests`] finds.
#[derive(Debug, Clone, Default)]
pub struct Permuted {
    /// Score of each variant, NaN for one that does not vary.
    pub scores: Vec<f64>,
    /// Differing pairs of near rows.
    pub differing: Differing,
    /// By variant: permutations whose score is at least that of the classes themselves.
    pub reached: Vec<u32>,
    /// By variant: permutations whose largest score of all variants is at least that.
    pub exceeded: Vec<u32>,
    /// Largest score under each permutation.
    pub largest: Vec<f64>,
}

/// Scores with what p-values are made of; `permuted` are classes of all rows, permutation after
/// permutation.
///
/// # Errors
/// As [`super::genotype_scores`]; [`Error::Unsupported`] for methods that look at classes when they
/// choose neighbours.
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
    let order = Order::of(rows.classes, rows.n_classes);
    let sizes = |classes: &[u16]| Order::of(classes, rows.n_classes).starts;
    let wrong = |classes: &[u16]| {
        classes.iter().any(|&c| usize::from(c) >= rows.n_classes) || sizes(classes) != order.starts
    };
    if permuted.chunks(t).any(wrong) {
        return Err(Error::Data("permuted classes are not the classes in another order".into()));
    }
    let study = Study::new(control, level, rows, &order, true)?;
    let mut found = Permuted::default();
    if permuted.is_empty() {
        let kept = Kept { differing: Some(&mut found.differing), near: None };
        let scores = study.scores(control, method, multiclass, kept)?;
        found.scores = study.finished(scores)?;
        return Ok(found);
    }
    control.expect(2 + (permuted.len() / t) as u64);
    let quiet = control.quiet();
    let mut near = vec![Vec::new(); t];
    let kept = Kept { differing: Some(&mut found.differing), near: Some(&mut near) };
    let scores = study.scores(&quiet, method, multiclass, kept)?;
    found.scores = study.finished(scores)?;
    control.advance(1);
    study.permute(control, &near, multiclass, permuted, &mut found)?;
    Ok(found)
}

/// Subsets that are counted at once.
const AT_ONCE: usize = 4;

/// Neighbours that a list of each pattern is filled up to a multiple of, by one that never differs.
const PAD: usize = 8;

/// Permutations counted together. A subset is the neighbours of a place that are of one class under
/// one permutation, for all classes but the one with most neighbours.
struct Batch {
    /// Number of permutations.
    size: usize,
    /// Number of subsets of a permutation.
    others: usize,
    /// Neighbours by their number among the neighbours of the place: for each place and four
    /// subsets, by the pattern of the subsets they are in.
    lists: Vec<u16>,
    /// Where they begin, and where each pattern from 1 on ends.
    quads: Vec<(usize, [u32; 15])>,
    /// Weight of a member of each subset that differs, and of each neighbour that differs where the
    /// subset is the first of its permutation; for each place and four subsets.
    weights: Vec<[(f64, f64); AT_ONCE]>,
}

/// Subsets of a permutation.
fn others(n_classes: usize) -> usize {
    n_classes.saturating_sub(1).max(1)
}

impl Batch {
    /// The lists of each place and four subsets.
    fn lists(&self) -> Vec<Subsets<'_>> {
        let list = |(at, ends): &(usize, [u32; 15])| &self.lists[*at..*at + ends[14] as usize];
        self.quads.iter().map(|quad| Subsets::new(list(quad), &quad.1)).collect()
    }

    /// Append the neighbours that have each pattern; the number after the last is of one that
    /// never differs.
    fn push(&mut self, patterns: &[u8], weights: [(f64, f64); AT_ONCE]) {
        self.weights.push(weights);
        let mut counts = [0usize; 16];
        patterns.iter().for_each(|&p| counts[usize::from(p)] += 1);
        let begin = self.lists.len();
        let (mut next, mut ends, mut end) = ([0; 16], [0; 15], 0);
        for pattern in 1..16 {
            next[pattern] = begin + end;
            end += counts[pattern].next_multiple_of(PAD);
            ends[pattern - 1] = end as u32;
        }
        self.lists.resize(begin + end, patterns.len() as u16);
        for (m, &pattern) in patterns.iter().enumerate().filter(|(_, p)| **p > 0) {
            let at = &mut next[usize::from(pattern)];
            self.lists[*at] = m as u16;
            *at += 1;
        }
        self.quads.push((begin, ends));
    }
}

impl Study<'_> {
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
        let subsets = (LIST_BYTES / 2 / pairs.max(1)).max(1) * AT_ONCE;
        let size = (subsets / others(self.samples.rows.n_classes)).clamp(1, BATCH);
        let all: Vec<&[u16]> =
            std::iter::once(self.samples.rows.classes).chain(permuted.chunks(t)).collect();
        let mut observed = vec![0.0; n];
        found.reached = vec![0; n];
        for (b, classes) in all.chunks(size).enumerate() {
            let batch = self.batch(control, near, multiclass, classes)?;
            let lists = batch.lists();
            let width = TOGETHER * GROUP;
            let mut parts: Vec<_> = observed
                .chunks_mut(width)
                .zip(found.reached.chunks_mut(width))
                .map(|part| (part, Vec::new()))
                .collect();
            parallel::for_each_mut(control, &mut parts, |p, ((observed, reached), largest)| {
                let mut scores = self.permuted_scores(control, near, (&batch, &lists), p)?;
                let counts = &self.samples.planes.counts[p * width..][..observed.len()];
                let varies: Vec<bool> = counts.iter().map(|c| !is_constant(c)).collect();
                for (s, scores) in scores.chunks_mut(width).enumerate() {
                    round(scores);
                    let scores = &scores[..observed.len()];
                    if b + s == 0 {
                        observed.copy_from_slice(scores);
                        continue;
                    }
                    let more = scores.iter().zip(observed.iter()).zip(reached.iter_mut());
                    more.for_each(|((x, o), r)| *r += u32::from(x >= o));
                    let varying = scores.iter().zip(&varies).filter(|s| *s.1).map(|s| *s.0);
                    largest.push(varying.fold(f64::NEG_INFINITY, f64::max));
                }
                Ok(())
            })?;
            let count = classes.len() - usize::from(b == 0);
            let most = |s: usize| parts.iter().map(|p| p.1[s]).fold(f64::NEG_INFINITY, f64::max);
            found.largest.extend((0..count).map(most));
            control.advance(classes.len() as u64);
        }
        let exceeded = |o: &f64| found.largest.iter().filter(|l| *l >= o).count() as u32;
        found.exceeded = observed.iter().map(exceeded).collect();
        Ok(())
    }

    /// Lists and weights of some permutations.
    fn batch(
        &self,
        control: &Control,
        near: &NearPlaces,
        multiclass: Multiclass,
        classes: &[&[u16]],
    ) -> Result<Batch> {
        let method = NeighbourMethod::MultiSurf { star: false };
        let picker =
            Picker::new(method, multiclass, self.samples.order, &self.mass, (0.0, self.grid));
        let mut batch = Batch {
            size: classes.len(),
            others: others(self.samples.rows.n_classes),
            lists: Vec::new(),
            quads: Vec::new(),
            weights: Vec::new(),
        };
        let n_classes = batch.others + 1;
        let by_place = |classes: &[u16]| -> Vec<u16> {
            self.samples.order.rows.iter().map(|&row| classes[row as usize]).collect()
        };
        let classes: Vec<Vec<u16>> = classes.iter().map(|c| by_place(c)).collect();
        let share = picker.share(0);
        let mut patterns = Vec::new();
        let mut weights = [(0.0, 0.0); AT_ONCE];
        for (place, members) in near.iter().enumerate() {
            control.check()?;
            patterns.clear();
            patterns.resize(members.len(), 0);
            let mut taken = 0;
            for classes in &classes {
                let mut totals = vec![0u32; n_classes];
                members.iter().for_each(|&m| totals[usize::from(classes[m as usize])] += 1);
                let numbers: Vec<f64> = totals.iter().map(|&n| f64::from(n)).collect();
                let of_classes = picker.of_classes(&numbers, usize::from(classes[place]));
                let each = |c: usize| {
                    if totals[c] > 0 { share * of_classes[c] / numbers[c] } else { 0.0 }
                };
                let most = (0..n_classes).fold(0, |a, c| if totals[c] > totals[a] { c } else { a });
                let mut base = each(most);
                for c in (0..n_classes).filter(|&c| c != most) {
                    weights[taken] = (each(c) - each(most), std::mem::take(&mut base));
                    for (pattern, &m) in patterns.iter_mut().zip(members) {
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

    /// `[permutation][variant of the part]`: scores.
    fn permuted_scores(
        &self,
        control: &Control,
        near: &NearPlaces,
        (batch, lists): (&Batch, &[Subsets<'_>]),
        part: usize,
    ) -> Result<Vec<f64>> {
        let width = TOGETHER * GROUP;
        let mut scores = vec![0.0; batch.size * width];
        let first = part * TOGETHER;
        let groups: Vec<Buffer> = (first..(first + TOGETHER).min(self.samples.planes.groups()))
            .map(|g| {
                let mut group = Buffer::zeroed(self.samples.planes.places() * GROUP_WORDS);
                self.samples.planes.copy_group(g, &mut group);
                group
            })
            .collect();
        let quads = (batch.size * batch.others).div_ceil(AT_ONCE);
        let columns = batch.size * batch.others;
        let most = near.iter().map(Vec::len).max().unwrap_or(0);
        let every: Vec<u16> = (0..most).map(|m| m as u16).collect();
        let mut differ: Vec<Buffer> = (0..SUBSET_ROWS).map(|_| Buffer::default()).collect();
        let mut all = [[0.0; GROUP]; SUBSET_ROWS];
        let mut counts = Box::new([[[0; GROUP]; AT_ONCE]; SUBSET_ROWS]);
        for (block, near) in near.chunks(SUBSET_ROWS).enumerate() {
            control.check()?;
            let places = block * SUBSET_ROWS..block * SUBSET_ROWS + near.len();
            for (g, group) in groups.iter().enumerate() {
                let each = places.clone().zip(near).zip(&mut differ).zip(&mut all);
                for (((place, near), differ), all) in each {
                    let near = Members::new(near);
                    // one more, which never differs
                    differ.reserve(near.len() * 8 + 8);
                    differ[near.len() * 8..].fill(0);
                    differences(
                        self.samples.level,
                        group,
                        place,
                        near,
                        &mut differ[..near.len() * 8],
                    );
                    let ends = [near.len() as u32; 15];
                    let one = Subsets::new(&every[..near.len()], &ends);
                    count_subsets(self.samples.level, differ, one, &mut counts[0]);
                    all.iter_mut().zip(&counts[0][0]).for_each(|(to, n)| *to = f64::from(*n));
                }
                for quad in 0..quads {
                    let first = quad * AT_ONCE;
                    let starts: [usize; AT_ONCE] =
                        std::array::from_fn(|i| (first + i) / batch.others * width + g * GROUP);
                    let rows: [SubsetRow<'_>; SUBSET_ROWS] = std::array::from_fn(|i| {
                        let i = i.min(near.len() - 1);
                        let place = places.start + i;
                        SubsetRow {
                            differences: &differ[i],
                            subsets: lists[place * quads + quad],
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
        for group in scores.chunks_exact_mut(GROUP) {
            let ordered: [f64; GROUP] = std::array::from_fn(|v| group[subset_order(v)]);
            group.copy_from_slice(&ordered);
        }
        Ok(scores)
    }
}

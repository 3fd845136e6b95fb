//! Scores under permuted classes, for p-values: neighbours are found once.
//!
//! Which rows are near does not depend on the classes under SURF and MultiSURF, so distances and
//! neighbours serve all permutations (Westfall & Young 1993 for the largest score of each). What is
//! left is counting, for each row and permutation, the neighbours of a class that differ:
//! agreements of a row with its neighbours are made once for 32 permutations, the class with most
//! neighbours is obtained by subtraction from the count of all, and counts become sums 512 variants
//! at a time. Missing genotypes are imputed by the most frequent one, so that no distance looks at
//! a class.
//!
//! STIR (Le, Urbanowicz, Moore & McKinney 2019) needs how many pairs of near rows differ, which
//! comes with the scores.

use super::sums::Differing;
use super::{GenotypeRows, Kept, Near, Order, Study};
use crate::data::genotypes::{GROUP, GROUP_WORDS};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::simd::genotypes::{Members, add_selected, agreements};
use crate::simd::{Buffer, Level};
use crate::stats::neighbours::score::round;
use crate::stats::neighbours::select::{Method, Multiclass, Picker};

/// Groups of variants of a part.
const TOGETHER: usize = 4;

/// Permutations that share the agreements of a row.
const BATCH: usize = 32;

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
    (method, multiclass): (Method, Multiclass),
    permuted: &[u16],
) -> Result<Permuted> {
    if !matches!(method, Method::Surf { star: false } | Method::MultiSurf { star: false }) {
        return Err(Error::Unsupported {
            what: "a p-value of this criterion".into(),
            supported: "'surf' and 'multisurf', whose neighbours do not depend on the classes"
                .into(),
        });
    }
    rows.check()?;
    let t = rows.samples.len();
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

/// Permutations counted together: for each place and each of them the neighbours, by their number
/// among the neighbours, of all classes but one.
struct Batch {
    size: usize,
    lists: Vec<u32>,
    /// `[place][permutation]`: where its spans begin.
    begins: Vec<u32>,
    /// End of the list and weight of a difference.
    spans: Vec<(u32, f64)>,
    /// `[place][permutation]`: weight of each neighbour that differs, whatever its class.
    bases: Vec<f64>,
}

impl Batch {
    /// The list of each span.
    fn members(&self) -> Vec<Members<'_>> {
        let begins = std::iter::once(0).chain(self.spans.iter().map(|s| s.0 as usize));
        let list =
            |(begin, span): (usize, &(u32, f64))| Members::new(&self.lists[begin..span.0 as usize]);
        begins.zip(&self.spans).map(list).collect()
    }
}

impl Study<'_> {
    fn permute(
        &self,
        control: &Control,
        near: &Near,
        multiclass: Multiclass,
        permuted: &[u16],
        found: &mut Permuted,
    ) -> Result<()> {
        let t = self.rows.samples.len();
        let n = self.planes.counts.len();
        let pairs: usize = near.iter().map(Vec::len).sum();
        let size = (LIST_BYTES / 4 / pairs.max(1)).clamp(1, BATCH);
        let all: Vec<&[u16]> =
            std::iter::once(self.rows.classes).chain(permuted.chunks(t)).collect();
        let mut observed = vec![0.0; n];
        found.reached = vec![0; n];
        for (b, classes) in all.chunks(size).enumerate() {
            let batch = self.batch(control, near, multiclass, classes)?;
            let members = batch.members();
            let width = TOGETHER * GROUP;
            let mut parts: Vec<_> = observed
                .chunks_mut(width)
                .zip(found.reached.chunks_mut(width))
                .map(|part| (part, Vec::new()))
                .collect();
            parallel::for_each_mut(control, &mut parts, |p, ((observed, reached), largest)| {
                let mut scores = self.permuted_scores(control, near, (&batch, &members), p)?;
                let begins = p * width;
                for (s, scores) in scores.chunks_mut(width).enumerate() {
                    round(scores);
                    let scores = &scores[..observed.len()];
                    if b + s == 0 {
                        observed.copy_from_slice(scores);
                        continue;
                    }
                    let more = scores.iter().zip(observed.iter()).zip(reached.iter_mut());
                    more.for_each(|((x, o), r)| *r += u32::from(x >= o));
                    let varies = |v: &usize| !super::is_constant(&self.planes.counts[begins + v]);
                    let scores = (0..scores.len()).filter(varies).map(|v| scores[v]);
                    largest.push(scores.fold(f64::NEG_INFINITY, f64::max));
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
        near: &Near,
        multiclass: Multiclass,
        classes: &[&[u16]],
    ) -> Result<Batch> {
        let method = Method::MultiSurf { star: false };
        let picker = Picker::new(method, multiclass, self.order, &self.mass, (0.0, self.grid));
        let mut batch = Batch {
            size: classes.len(),
            lists: Vec::new(),
            begins: Vec::new(),
            spans: Vec::new(),
            bases: Vec::new(),
        };
        let n_classes = self.rows.n_classes;
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); n_classes];
        let by_place = |classes: &[u16]| -> Vec<u16> {
            self.order.rows.iter().map(|&row| classes[row as usize]).collect()
        };
        let classes: Vec<Vec<u16>> = classes.iter().map(|c| by_place(c)).collect();
        let share = picker.share(0);
        for (place, members) in near.iter().enumerate() {
            control.check()?;
            for classes in &classes {
                lists.iter_mut().for_each(Vec::clear);
                for (m, &other) in members.iter().enumerate() {
                    lists[usize::from(classes[other as usize])].push(m as u32);
                }
                let totals: Vec<f64> = lists.iter().map(|l| l.len() as f64).collect();
                let own = usize::from(classes[place]);
                let of_classes = picker.of_classes(&totals, own);
                let each = |c: usize| {
                    if totals[c] > 0.0 { share * of_classes[c] / totals[c] } else { 0.0 }
                };
                let most = (0..n_classes).fold(0, |a, c| if totals[c] > totals[a] { c } else { a });
                batch.begins.push(batch.spans.len() as u32);
                batch.bases.push(each(most));
                for c in (0..n_classes).filter(|&c| c != most && totals[c] > 0.0) {
                    batch.lists.extend_from_slice(&lists[c]);
                    batch.spans.push((batch.lists.len() as u32, each(c) - each(most)));
                }
            }
        }
        batch.begins.push(batch.spans.len() as u32);
        Ok(batch)
    }

    /// `[permutation][variant of the part]`: scores.
    fn permuted_scores(
        &self,
        control: &Control,
        near: &Near,
        (batch, members): (&Batch, &[Members<'_>]),
        part: usize,
    ) -> Result<Vec<f64>> {
        let width = TOGETHER * GROUP;
        let mut scores = vec![0.0; batch.size * width];
        let first = part * TOGETHER;
        let groups: Vec<Buffer> = (first..(first + TOGETHER).min(self.planes.groups()))
            .map(|g| {
                let mut group = Buffer::zeroed(self.planes.places() * GROUP_WORDS);
                self.planes.copy_group(g, &mut group);
                group
            })
            .collect();
        let mut agree: Vec<Buffer> = groups.iter().map(|_| Buffer::default()).collect();
        let mut all = vec![[0.0; GROUP]; groups.len()];
        let every: Vec<u32> = (0..near.iter().map(Vec::len).max().unwrap_or(0) as u32).collect();
        for (place, near) in near.iter().enumerate() {
            if place % 8 == 0 {
                control.check()?;
            }
            let (near, every) = (Members::new(near), Members::new(&every[..near.len()]));
            for ((group, agree), all) in groups.iter().zip(&mut agree).zip(&mut all) {
                agree.reserve(near.len() * 8);
                agreements(self.level, group, place, near, agree);
                all.fill(0.0);
                add_selected(self.level, agree, every, 1.0, (0.0, &[]), all);
            }
            for s in 0..batch.size {
                let at = place * batch.size + s;
                let spans = batch.begins[at] as usize..batch.begins[at + 1] as usize;
                let out = scores[s * width..][..width].chunks_exact_mut(GROUP);
                for ((agree, all), out) in agree.iter().zip(&all).zip(out) {
                    let mut base = (batch.bases[at], &all[..]);
                    for span in spans.clone() {
                        let weight = batch.spans[span].1;
                        add_selected(self.level, agree, members[span], weight, base, out);
                        base = (0.0, &[]);
                    }
                    if spans.is_empty() {
                        out.iter_mut().zip(all).for_each(|(to, a)| *to += batch.bases[at] * a);
                    }
                }
            }
        }
        Ok(scores)
    }
}

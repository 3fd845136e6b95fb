//! What one leaf could become: all its candidate splits, grouped by the labels of the new leaves.
//!
//! Counts and majorities of a candidate never change until its leaf is split, so they are collected
//! once, while the leaf is a range of the sorted buffers, and kept. Candidates with the same labels
//! change the same rows of the table "label x class", and stand in one [`CandidateGroup`] (struct
//! of arrays), so that a block of them is rescored by vector additions. Memory: one table of counts
//! a candidate.

use crate::criteria::{Criterion, Tables};
use crate::error::{Error, Result};
use crate::memory;
use crate::numeric::Count;
use crate::reached::{self, Way};
use crate::split::{CandidateBlock, Sink, not_a_number};
use std::collections::HashMap;

/// Candidates whose new leaves have the same labels (or whose labels are still to be chosen).
#[derive(Debug)]
pub(super) struct CandidateGroup<C> {
    /// Labels of the branches; empty: any pair.
    pub labels: Vec<u16>,
    pub branches: usize,
    pub feature: Vec<u32>,
    pub at: Vec<u32>,
    /// Order of candidates that are equal otherwise.
    pub rank: Vec<u64>,
    /// Distance on the leaf's own table; empty when it is found later, for the few candidates that
    /// need it.
    pub local: Vec<f64>,
    /// `[(branch * classes + class) * len + candidate]`, filled in the end from `planes`.
    pub cells: Vec<C>,
    /// `[branch * classes + class][candidate]` while candidates come in.
    planes: Vec<Vec<C>>,
    /// `[branch * len + candidate]`: rows (or weight) of a branch.
    pub sizes: Vec<C>,
    /// The first by local distance and rank: the best whenever the labels alone decide the global
    /// distance.
    pub champion: usize,
    /// What is known of the sums over rows of the table; see [`rows`](super::rows).
    pub least: Least,
}

/// The smallest sums of row terms among the candidates of a group, and for which state of the
/// table.
#[derive(Debug, Default)]
pub(super) struct Least {
    /// Version of the table; 0: never looked.
    pub seen: u64,
    /// Of a group with labels: one number, the sum over its labels. Else `[branch * classes +
    /// label]`.
    pub terms: Vec<f64>,
}

/// Planes of `len` candidates, one after the other without gaps.
pub(super) fn pack<C: Count>(cells: &[C], planes: usize, stride: usize, len: usize) -> Vec<C> {
    cells.chunks(stride).take(planes).flat_map(|plane| &plane[..len]).copied().collect()
}

impl<C: Count> CandidateGroup<C> {
    /// Number of candidates.
    pub fn len(&self) -> usize {
        self.feature.len()
    }

    /// One cell of the candidates from `at` on.
    pub fn plane(&self, branch: usize, class: usize, classes: usize) -> &[C] {
        let n = self.len();
        let start = (branch * classes + class) * n;
        &self.cells[start..start + n]
    }

    /// Sum of a number by label over the different labels of the branches.
    pub fn sum_of_labels(&self, by_label: &[f64]) -> f64 {
        let labels = self.labels.iter().enumerate();
        let first = labels.filter(|&(b, l)| !self.labels[..b].contains(l));
        first.map(|(_, &l)| by_label[l as usize]).sum()
    }

    /// Put the planes one after the other, and find what can be known from them.
    fn finish(&mut self, classes: usize) {
        let n = self.len();
        self.cells = Vec::with_capacity(n * self.planes.len());
        for plane in std::mem::take(&mut self.planes) {
            self.cells.extend_from_slice(&plane);
        }
        self.sizes = vec![C::default(); n * self.branches];
        for (m, sizes) in self.sizes.chunks_exact_mut(n.max(1)).enumerate() {
            for plane in self.cells[m * classes * n..(m + 1) * classes * n].chunks_exact(n.max(1)) {
                sizes.iter_mut().zip(plane).for_each(|(size, &x)| *size = size.plus(x));
            }
        }
        for j in 1..self.local.len() {
            let (a, b) = (self.local[j], self.local[self.champion]);
            if a < b || (a == b && self.rank[j] < self.rank[self.champion]) {
                self.champion = j;
            }
        }
    }
}

/// The split that local growth would choose.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalBest {
    pub feature: u32,
    pub at: u32,
    pub score: f64,
    pub distance: f64,
    pub rank: u64,
    pub branches: usize,
}

/// Takes the blocks of a leaf's candidates.
pub(super) struct Collector<'a, C> {
    criterion: &'a dyn Criterion,
    rank: &'a dyn Fn(u32, u32) -> u64,
    /// Labels are majorities; else they are chosen later.
    majority: bool,
    /// The local best is wanted.
    scored: bool,
    /// Local distances are left for later.
    lazy: bool,
    /// Majority of the leaf: the label of a branch without rows.
    fallback: u16,
    classes: usize,
    numbers: [Vec<f64>; 2],
    labels: Vec<u16>,
    ranks: Vec<u64>,
    slots: HashMap<Vec<u16>, usize>,
    last: usize,
    pub groups: Vec<CandidateGroup<C>>,
    pub local: Option<LocalBest>,
}

impl<'a, C: Count> Collector<'a, C> {
    /// Add a candidate, whose counts are every `stride`-th of `cells`, to the group of the
    /// majorities of its branches.
    #[inline]
    fn add_to_majorities(&mut self, candidate: &LocalBest, cells: &[C], stride: usize) {
        let (k, branches) = (self.classes, candidate.branches);
        self.labels.clear();
        for b in 0..branches {
            let branch = (0..k).map(|c| cells[(b * k + c) * stride]);
            self.labels.push(majority(branch).unwrap_or(self.fallback));
        }
        let slot = self.slot(branches);
        let group = &mut self.groups[slot];
        group.feature.push(candidate.feature);
        group.at.push(candidate.at);
        group.rank.push(candidate.rank);
        group.local.push(candidate.distance);
        for (i, plane) in group.planes.iter_mut().enumerate() {
            plane.push(cells[i * stride]);
        }
    }

    pub fn new(
        criterion: &'a dyn Criterion,
        rank: &'a dyn Fn(u32, u32) -> u64,
        [majority, scored, lazy]: [bool; 3],
        fallback: u16,
        classes: usize,
    ) -> Self {
        Self {
            criterion,
            rank,
            majority,
            scored,
            lazy,
            fallback,
            classes,
            numbers: [Vec::new(), Vec::new()],
            labels: Vec::new(),
            ranks: Vec::new(),
            slots: HashMap::new(),
            last: usize::MAX,
            groups: Vec::new(),
            local: None,
        }
    }

    /// All groups, ready to be rescored.
    pub fn finish(mut self) -> Result<(Vec<CandidateGroup<C>>, Option<LocalBest>)> {
        for group in &mut self.groups {
            memory::expect(group.len() * group.planes.len() * size_of::<C>())?;
            group.finish(self.classes);
        }
        Ok((self.groups, self.local))
    }

    /// The group of the labels in `self.labels`.
    fn slot(&mut self, branches: usize) -> usize {
        // Compared one by one: a call for two labels takes longer than all the rest.
        let same =
            |g: &CandidateGroup<C>| g.branches == branches && g.labels.iter().eq(&self.labels);
        if self.groups.get(self.last).is_some_and(same) {
            return self.last;
        }
        let next = self.groups.len();
        // Labels of any pair are empty: binary splits only.
        let slot = *self.slots.entry(self.labels.clone()).or_insert(next);
        if slot == next {
            self.groups.push(CandidateGroup {
                labels: self.labels.clone(),
                branches,
                feature: Vec::new(),
                at: Vec::new(),
                rank: Vec::new(),
                local: Vec::new(),
                cells: Vec::new(),
                planes: vec![Vec::new(); branches * self.classes],
                sizes: Vec::new(),
                champion: 0,
                least: Least::default(),
            });
        }
        self.last = slot;
        slot
    }
}

/// The most frequent class of some counts, the lower one on ties; nothing without rows.
pub(super) fn majority<C: Count>(counts: impl Iterator<Item = C>) -> Option<u16> {
    let (mut best, mut most) = (None, C::default());
    for (class, count) in counts.enumerate() {
        if count > most {
            (best, most) = (Some(class as u16), count);
        }
    }
    best
}

impl<C: Count> Sink for Collector<'_, C> {
    fn take(&mut self, block: &CandidateBlock<'_>) -> Result<()> {
        reached::count(Way::Collected);
        let wrong = || Error::Internal("counts of another kind".into());
        let (given, cells) = (&block.tables, C::of_cells(block.tables.cells).ok_or_else(wrong)?);
        let packed = match self.criterion.needs_all_candidates() {
            true => Some(pack(cells, given.branches * given.classes, given.stride, given.len)),
            false => None,
        };
        let (t, cells) = match &packed {
            Some(packed) => {
                (&Tables { cells: C::cells(packed), stride: given.len, ..*given }, &packed[..])
            }
            None => (given, cells),
        };
        let [mut distances, mut scores] = std::mem::take(&mut self.numbers);
        distances.resize(t.len, 0.0);
        scores.resize(t.len, 0.0);
        if !self.lazy {
            self.criterion.distance(t, &mut distances)?;
        }
        if self.scored {
            self.criterion.score(t, &mut scores)?;
        }
        for j in 0..t.len {
            let (feature, at) = (block.features.of(j), block.at[j]);
            let (distance, score) = (distances[j], scores[j]);
            if distance.is_nan() || score.is_nan() {
                return Err(not_a_number(feature));
            }
            let rank = (self.rank)(feature, at);
            let branches = t.branches;
            let candidate = LocalBest { feature, at, score, distance, rank, branches };
            let better = |b: LocalBest| score > b.score || (score == b.score && rank < b.rank);
            if self.scored && self.local.is_none_or(better) {
                self.local = Some(candidate);
            }
            if self.majority {
                self.add_to_majorities(&candidate, &cells[j..], t.stride);
            } else {
                self.ranks.push(rank);
            }
        }
        if !self.majority && t.len > 0 {
            let slot = self.slot(t.branches);
            let group = &mut self.groups[slot];
            group.feature.extend((0..t.len).map(|j| block.features.of(j)));
            group.at.extend_from_slice(&block.at[..t.len]);
            group.rank.append(&mut self.ranks);
            if !self.lazy {
                group.local.extend_from_slice(&distances);
            }
            for (i, plane) in group.planes.iter_mut().enumerate() {
                plane.extend_from_slice(&cells[i * t.stride..][..t.len]);
            }
        }
        self.numbers = [distances, scores];
        Ok(())
    }
}

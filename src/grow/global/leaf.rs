//! All candidate splits of one leaf, grouped by the labels of the new leaves ([`CandidateGroup`]).
//!
//! Counts and majorities of a candidate do not change until its leaf is split, so they are
//! collected once ([`Collector`], a sink of the leaf's search) and kept with the leaf. Candidates
//! with the same labels change the same rows of the table "label x class"; a group of them is a
//! struct of arrays, so that a block of them is rescored by vector additions. Memory: one table of
//! counts per candidate, O(branches x classes).

use crate::criteria::{Criterion, Tables};
use crate::error::{Error, Result};
use crate::memory;
use crate::numeric::Count;
use crate::split::{CandidateBlock, Sink, not_a_number};
use std::collections::HashMap;

/// Candidates whose new leaves have the same labels (or whose labels are still to be chosen).
#[derive(Debug)]
pub(super) struct CandidateGroup<C> {
    /// Labels of the branches; empty: any pair of labels.
    pub labels: Vec<u16>,
    pub branches: usize,
    /// Feature of each candidate.
    pub feature: Vec<u32>,
    /// Position of each candidate's threshold, or its division of levels.
    pub at: Vec<u32>,
    /// Rank of each candidate among the candidates of equal distances.
    pub rank: Vec<u64>,
    /// Distance of each candidate on the leaf's own table; empty where it is computed later, for
    /// the few candidates that need it.
    pub distances: Vec<f64>,
    /// Counts at `[(branch * classes + class) * len + candidate]`, once all candidates are in.
    pub cells: Vec<C>,
    /// Counts at `[branch * classes + class][candidate]`, while candidates come in.
    planes: Vec<Vec<C>>,
    /// Rows (or weight) of a branch, at `[branch * len + candidate]`.
    pub sizes: Vec<C>,
    /// The first candidate by local distance and rank: the best of the group where the labels alone
    /// decide the global distance.
    pub local_best: usize,
    /// The smallest sums over rows of the table; see [`rows`](super::rows).
    pub least: LeastTerms,
}

/// The smallest sums of row terms among the candidates of a group.
#[derive(Debug, Default)]
pub(super) struct LeastTerms {
    /// The version of the table for which they hold; 0: none yet.
    pub version: u64,
    /// A group with labels has one number, the smallest sum over its labels. Any other group has
    /// the smallest term of a branch in the row of a label, at `[branch * classes + label]`.
    pub terms: Vec<f64>,
}

/// Copy planes of `stride` candidates without the gaps: the first `len` candidates of each plane
/// are used.
pub(super) fn pack<C: Count>(cells: &[C], planes: usize, stride: usize, len: usize) -> Vec<C> {
    let mut packed = Vec::with_capacity(planes * len);
    for plane in cells.chunks(stride).take(planes) {
        packed.extend_from_slice(&plane[..len]);
    }
    packed
}

impl<C: Count> CandidateGroup<C> {
    /// Number of candidates of the group. Counts are laid out by it: [`Self::cells`] has a plane of
    /// as many for each branch and class.
    pub fn len(&self) -> usize {
        self.feature.len()
    }

    /// The counts of a class in a branch, for all candidates; `classes` is the number of classes.
    /// Call it after the collector has finished: before that the counts are in separate planes.
    pub fn plane(&self, branch: usize, class: usize, classes: usize) -> &[C] {
        let n = self.len();
        let start = (branch * classes + class) * n;
        &self.cells[start..start + n]
    }

    /// Sum of `by_label` over the labels of the branches, each label once: branches of one label
    /// share a row of the table. `by_label` has a number for each label, such as the term of its
    /// row.
    pub fn sum_of_labels(&self, by_label: &[f64]) -> f64 {
        let labels = self.labels.iter().enumerate();
        let first = labels.filter(|&(b, l)| !self.labels[..b].contains(l));
        first.map(|(_, &l)| by_label[l as usize]).sum()
    }

    /// Join the planes, sum up the sizes of the branches, and find the best by local distance.
    fn finish(&mut self, classes: usize) {
        let n = self.len();
        self.cells = Vec::with_capacity(n * self.planes.len());
        for plane in std::mem::take(&mut self.planes) {
            self.cells.extend_from_slice(&plane);
        }
        self.sizes = vec![C::default(); n * self.branches];
        for (m, sizes) in self.sizes.chunks_exact_mut(n.max(1)).enumerate() {
            let planes = self.cells[m * classes * n..(m + 1) * classes * n].chunks_exact(n.max(1));
            for plane in planes {
                sizes.iter_mut().zip(plane).for_each(|(size, &x)| *size = size.plus(x));
            }
        }
        for j in 1..self.distances.len() {
            let (distance, smallest) = (self.distances[j], self.distances[self.local_best]);
            if distance < smallest
                || (distance == smallest && self.rank[j] < self.rank[self.local_best])
            {
                self.local_best = j;
            }
        }
    }
}

/// A candidate as local growth scores it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalCandidate {
    pub feature: u32,
    pub at: u32,
    pub score: f64,
    pub distance: f64,
    pub rank: u64,
    pub branches: usize,
}

/// The facts that are collected about a leaf's candidates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Collecting {
    /// Labels are majorities; otherwise they are chosen later.
    pub majority: bool,
    /// The best candidate of local growth is wanted.
    pub scored: bool,
    /// Local distances are computed later.
    pub lazy: bool,
}

/// The tie rule as a number per candidate.
pub(super) type Rank<'a> = dyn Fn(u32, u32, &dyn Fn() -> f64) -> u64 + 'a;

/// Takes the blocks of a leaf's candidates into groups.
pub(super) struct Collector<'a, C> {
    criterion: &'a dyn Criterion,
    /// Rank of a candidate, by feature, position and the weight of its first branch.
    rank: &'a Rank<'a>,
    wanted: Collecting,
    /// Majority of the leaf: the label of a branch without rows.
    fallback: u16,
    classes: usize,
    /// Memory for the distances and scores of a block.
    distances: Vec<f64>,
    scores: Vec<f64>,
    /// Labels of the candidate at hand; stay empty where labels are chosen later.
    labels: Vec<u16>,
    ranks: Vec<u64>,
    /// The group of each sequence of labels, and the group that was used last.
    group_of: HashMap<Vec<u16>, usize>,
    last: usize,
    pub groups: Vec<CandidateGroup<C>>,
    /// The candidate that local growth would choose, where that is wanted.
    pub local: Option<LocalCandidate>,
}

impl<'a, C: Count> Collector<'a, C> {
    /// Add a candidate, whose counts are every `stride`-th of `cells`, to the group of the
    /// majorities of its branches.
    #[inline]
    fn add_to_majorities(&mut self, candidate: &LocalCandidate, cells: &[C], stride: usize) {
        let (k, branches) = (self.classes, candidate.branches);
        self.labels.clear();
        for b in 0..branches {
            let branch = (0..k).map(|c| cells[(b * k + c) * stride]);
            self.labels.push(majority(branch).unwrap_or(self.fallback));
        }
        let place = self.group_for_labels(branches);
        let group = &mut self.groups[place];
        group.feature.push(candidate.feature);
        group.at.push(candidate.at);
        group.rank.push(candidate.rank);
        group.distances.push(candidate.distance);
        for (i, plane) in group.planes.iter_mut().enumerate() {
            plane.push(cells[i * stride]);
        }
    }

    /// A sink for one leaf, whose majority is `fallback`: a branch without rows gets that label.
    /// `rank` gives the tie rule as a number per candidate, `wanted` says what is computed for each
    /// candidate.
    pub fn new(
        criterion: &'a dyn Criterion,
        rank: &'a Rank<'a>,
        wanted: Collecting,
        fallback: u16,
        classes: usize,
    ) -> Self {
        Self {
            criterion,
            rank,
            wanted,
            fallback,
            classes,
            distances: Vec::new(),
            scores: Vec::new(),
            labels: Vec::new(),
            ranks: Vec::new(),
            group_of: HashMap::new(),
            last: usize::MAX,
            groups: Vec::new(),
            local: None,
        }
    }

    /// All groups, ready to be rescored, and the best candidate of local growth.
    ///
    /// # Errors
    /// A need of memory above the limit.
    pub fn finish(mut self) -> Result<(Vec<CandidateGroup<C>>, Option<LocalCandidate>)> {
        for group in &mut self.groups {
            memory::cover(group.len() * group.planes.len() * size_of::<C>())?;
            group.finish(self.classes);
        }
        Ok((self.groups, self.local))
    }

    /// The place of the group of the labels in `self.labels`; a new group where there is none.
    fn group_for_labels(&mut self, branches: usize) -> usize {
        // Neighbouring candidates mostly have the same labels. They are compared one by one: a call
        // that compares two slices takes longer than the rest of this function.
        let has_labels =
            |g: &CandidateGroup<C>| g.branches == branches && g.labels.iter().eq(&self.labels);
        if self.groups.get(self.last).is_some_and(has_labels) {
            return self.last;
        }
        let next = self.groups.len();
        // Open labels are empty, and then splits are binary: the number of branches need not be a
        // key.
        let place = *self.group_of.entry(self.labels.clone()).or_insert(next);
        if place == next {
            self.groups.push(CandidateGroup {
                labels: self.labels.clone(),
                branches,
                feature: Vec::new(),
                at: Vec::new(),
                rank: Vec::new(),
                distances: Vec::new(),
                cells: Vec::new(),
                planes: vec![Vec::new(); branches * self.classes],
                sizes: Vec::new(),
                local_best: 0,
                least: LeastTerms::default(),
            });
        }
        self.last = place;
        place
    }
}

/// The most frequent class of some counts, the lower one on ties; `None` without rows.
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
        // A user's criterion reads tables without gaps.
        let wrong_counts = || Error::Internal("counts of another kind".into());
        let (given, cells) =
            (&block.tables, C::of_cells(block.tables.cells).ok_or_else(wrong_counts)?);
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
        // Local distances and scores, where they are wanted.
        let mut distances = std::mem::take(&mut self.distances);
        let mut scores = std::mem::take(&mut self.scores);
        distances.resize(t.len, 0.0);
        scores.resize(t.len, 0.0);
        if !self.wanted.lazy {
            self.criterion.distance(t, &mut distances)?;
        }
        if self.wanted.scored {
            self.criterion.score(t, &mut scores)?;
        }
        // Rank each candidate, keep the local best, and group by majorities.
        for j in 0..t.len {
            let (feature, at) = (block.features.feature_of(j), block.at[j]);
            let (distance, score) = (distances[j], scores[j]);
            if distance.is_nan() || score.is_nan() {
                return Err(not_a_number(feature));
            }
            let left = || (0..t.classes).map(|c| cells[c * t.stride + j].value()).sum();
            let rank = (self.rank)(feature, at, &left);
            let branches = t.branches;
            let candidate = LocalCandidate { feature, at, score, distance, rank, branches };
            let wins = |best: LocalCandidate| {
                score > best.score || (score == best.score && rank < best.rank)
            };
            if self.wanted.scored && self.local.is_none_or(wins) {
                self.local = Some(candidate);
            }
            if self.wanted.majority {
                self.add_to_majorities(&candidate, &cells[j..], t.stride);
            } else {
                self.ranks.push(rank);
            }
        }
        // Where labels are chosen later all candidates are one group, copied as a block.
        if !self.wanted.majority && t.len > 0 {
            let place = self.group_for_labels(t.branches);
            let group = &mut self.groups[place];
            group.feature.extend((0..t.len).map(|j| block.features.feature_of(j)));
            group.at.extend_from_slice(&block.at[..t.len]);
            group.rank.append(&mut self.ranks);
            if !self.wanted.lazy {
                group.distances.extend_from_slice(&distances);
            }
            for (i, plane) in group.planes.iter_mut().enumerate() {
                plane.extend_from_slice(&cells[i * t.stride..][..t.len]);
            }
        }
        (self.distances, self.scores) = (distances, scores);
        Ok(())
    }
}

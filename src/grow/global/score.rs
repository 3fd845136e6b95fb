//! The distance of the whole tree after each candidate split of a leaf, by the criterion's formula
//! ([`LeafView`]), and the order of candidates ([`BestCandidate`]).
//!
//! A split moves the leaf's counts, in the table "label x class" of all rows, from the row of its
//! label to the rows of the new labels. The tables of a block of candidates with the same labels
//! are built by vector additions and go through the formula, so that a distance is to the bit what
//! the finished table gives. Where all new labels are equal, the table is the same for all
//! candidates and one evaluation serves them. O(classes^2) per candidate; distances that are sums
//! over rows take [`rows`](super::rows) instead.

use super::leaf::{CandidateGroup, pack};
use crate::criteria::{Context, Criterion, Tables};
use crate::error::Result;
use crate::grow::options::LeafLabels;
use crate::numeric::{Count, Ties, mix};
use crate::parallel::Control;
use crate::split::not_a_number;
use std::cmp::Ordering;

/// Candidates that are scored together: their numbers stay in the first-level cache.
pub(super) const BLOCK: usize = 256;

/// The labels of a candidate's branches.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewLabels<'l> {
    pub labels: &'l [u16],
    /// Rank of a chosen pair among equal candidates; 0 where the labels are given.
    pub rank: u64,
}

impl<'l> NewLabels<'l> {
    /// Labels that are fixed, because each is the majority of its branch. The rank is 0, as such
    /// labels have no rivals.
    pub fn fixed(labels: &'l [u16]) -> Self {
        Self { labels, rank: 0 }
    }

    /// A pair of labels that is chosen among all pairs. The rank takes equal pairs in the order of
    /// their first labels, then of their second labels.
    pub fn pair(labels: &'l [u16; 2]) -> Self {
        Self { labels, rank: u64::from(labels[0]) << 32 | u64::from(labels[1]) }
    }

    /// Whether all branches have one label.
    fn are_equal(&self) -> bool {
        self.labels.iter().all(|&label| label == self.labels[0])
    }
}

/// The distances of a candidate: of the whole tree, and of the split on the leaf's own table.
#[derive(Debug, Clone, Copy)]
pub(super) struct CandidateDistances {
    pub global: f64,
    pub local: f64,
}

/// The best candidate of a leaf for the present tree.
#[derive(Debug, Clone)]
pub(super) struct BestCandidate {
    pub global: f64,
    pub local: f64,
    /// Rank among candidates of equal distances.
    pub rank: u64,
    /// Rank among the label pairs of one candidate.
    pub pair: u64,
    pub feature: u32,
    pub at: u32,
    pub labels: Vec<u16>,
}

impl BestCandidate {
    /// Order by distances, then by leaf (`None` where ties are random), then by candidate, then by
    /// labels. The lesser candidate makes the next step of growth.
    pub fn order(&self, leaf: Option<u32>, other: &Self, other_leaf: Option<u32>) -> Ordering {
        let distances =
            self.global.total_cmp(&other.global).then(self.local.total_cmp(&other.local));
        distances
            .then(leaf.cmp(&other_leaf))
            .then(self.rank.cmp(&other.rank))
            .then(self.pair.cmp(&other.pair))
    }

    /// Replace `best` by candidate `j` of a group with some labels if that comes first: by its
    /// distances, then by its rank. A distance of the whole tree that is NaN is an error, which
    /// names the feature.
    pub fn update<C: Count>(
        best: &mut Option<Self>,
        ties: Ties,
        group: &CandidateGroup<C>,
        labels: NewLabels<'_>,
        j: usize,
        CandidateDistances { global, local }: CandidateDistances,
    ) -> Result<()> {
        if global.is_nan() {
            return Err(not_a_number(group.feature[j]));
        }
        let rank = group.rank[j];
        let pair = if ties == Ties::Random { mix(rank, labels.rank) } else { labels.rank };
        let key = |b: &Self| (b.rank, b.pair);
        // Adding 0 makes -0 and 0 one number.
        let (global, local) = (global + 0.0, local + 0.0);
        let first = best.as_ref().is_none_or(|b| {
            global < b.global
                || (global == b.global
                    && (local < b.local || (local == b.local && (rank, pair) < key(b))))
        });
        if first {
            let (feature, at) = (group.feature[j], group.at[j]);
            let labels = labels.labels.to_vec();
            *best = Some(Self { global, local, rank, pair, feature, at, labels });
        }
        Ok(())
    }
}

/// The whole tree as a table, without the rows of one leaf, and that leaf.
#[derive(Debug)]
pub(super) struct LeafView<'a, C> {
    pub criterion: &'a dyn Criterion,
    pub context: &'a Context,
    pub ties: Ties,
    /// How new leaves are labelled.
    pub choice: LeafLabels,
    /// Class totals of all rows.
    pub totals: &'a [C],
    /// `[label * classes + class]` without the leaf's rows.
    pub others: &'a [C],
    /// Class counts of the leaf.
    pub leaf: &'a [C],
    /// Its label.
    pub label: u16,
    /// Distance of the present tree.
    pub current: f64,
    /// Candidates with more branches are left out.
    pub branches: usize,
}

/// Distances of a block of tables "label x class", one per place of `out`; `cells` has a
/// plane of `stride` tables per cell.
pub(super) fn distances<C: Count>(
    criterion: &dyn Criterion,
    context: &Context,
    totals: &[C],
    cells: &[C],
    stride: usize,
    out: &mut [f64],
) -> Result<()> {
    let k = context.classes;
    let declared = vec![k as u32; out.len()];
    // A user's function reads the block as one array without gaps.
    let packed = (criterion.needs_all_candidates()
        && (stride != out.len() || cells.len() != k * k * stride))
        .then(|| pack(cells, k * k, stride, out.len()));
    let (cells, stride) = packed.as_deref().map_or((cells, stride), |p| (p, out.len()));
    let tables = Tables {
        cells: C::cells(cells),
        totals: C::cells(totals),
        branches: k,
        classes: k,
        stride,
        len: out.len(),
        declared: &declared,
        context,
    };
    criterion.distance(&tables, out)
}

/// Reusable memory of one worker.
#[derive(Debug, Default)]
pub(super) struct ScoreScratch<C> {
    cells: Vec<C>,
    out: Vec<f64>,
}

impl<C: Count> LeafView<'_, C> {
    /// The candidate of the leaf after which the tree is nearest to the classes; `None` if it has
    /// none. Groups with more branches than the tree may still get are passed over.
    pub fn best(
        &self,
        groups: &[CandidateGroup<C>],
        scratch: &mut ScoreScratch<C>,
        control: &Control,
    ) -> Result<Option<BestCandidate>> {
        let mut best = None;
        for group in groups.iter().filter(|g| g.branches <= self.branches) {
            if !group.labels.is_empty() {
                control.check()?;
                self.score_group(group, NewLabels::fixed(&group.labels), &mut best, scratch)?;
                continue;
            }
            // The labels are still open: all pairs.
            let k = self.context.classes as u16;
            for (a, b) in (0..k).flat_map(|a| (0..k).map(move |b| (a, b))) {
                if a != b || self.choice == LeafLabels::All {
                    control.check()?;
                    let pair = [a, b];
                    self.score_group(group, NewLabels::pair(&pair), &mut best, scratch)?;
                }
            }
        }
        Ok(best)
    }

    /// Score the candidates of a group with some labels, and update the best.
    fn score_group(
        &self,
        group: &CandidateGroup<C>,
        labels: NewLabels<'_>,
        best: &mut Option<BestCandidate>,
        scratch: &mut ScoreScratch<C>,
    ) -> Result<()> {
        let k = self.context.classes;
        // With one label for all branches the table does not depend on the candidate.
        if labels.are_equal() {
            let label = labels.labels[0];
            let global = if label == self.label {
                self.current
            } else {
                let mut table = self.others.to_vec();
                for (cell, &count) in table[label as usize * k..].iter_mut().zip(self.leaf) {
                    *cell = cell.plus(count);
                }
                let mut out = [0.0];
                distances(self.criterion, self.context, self.totals, &table, 1, &mut out)?;
                out[0]
            };
            return self.update(group, labels, group.local_best, global, best);
        }
        // A plane of the block per cell, filled with the table without the leaf.
        let n = group.len();
        let stride = if self.criterion.needs_all_candidates() { n } else { n.min(BLOCK) };
        scratch.cells.resize((k * k * stride).max(scratch.cells.len()), C::default());
        scratch.out.resize(stride.max(scratch.out.len()), 0.0);
        for (cell, &count) in scratch.cells.chunks_exact_mut(stride).zip(self.others) {
            cell.fill(count);
        }
        for at in (0..n).step_by(stride) {
            let len = stride.min(n - at);
            // Add the counts of each branch to the row of its label, which the block before
            // changed.
            if at > 0 {
                for &label in labels.labels {
                    let row = label as usize * k;
                    for c in row..row + k {
                        scratch.cells[c * stride..][..len].fill(self.others[c]);
                    }
                }
            }
            for (b, &label) in labels.labels.iter().enumerate() {
                for c in 0..k {
                    let to = &mut scratch.cells[(label as usize * k + c) * stride..][..len];
                    for (cell, &count) in to.iter_mut().zip(&group.plane(b, c, k)[at..at + len]) {
                        *cell = cell.plus(count);
                    }
                }
            }
            // Their distances; most candidates are clearly not the best.
            let out = &mut scratch.out[..len];
            distances(self.criterion, self.context, self.totals, &scratch.cells, stride, out)?;
            for (j, &global) in out.iter().enumerate() {
                if best.as_ref().is_none_or(|b| global <= b.global || global.is_nan()) {
                    self.update(group, labels, at + j, global, best)?;
                }
            }
        }
        Ok(())
    }

    /// Replace the best by candidate `j` of a group if that comes first.
    fn update(
        &self,
        group: &CandidateGroup<C>,
        labels: NewLabels<'_>,
        j: usize,
        global: f64,
        best: &mut Option<BestCandidate>,
    ) -> Result<()> {
        let distances = CandidateDistances { global, local: group.distances[j] };
        BestCandidate::update(best, self.ties, group, labels, j, distances)
    }
}

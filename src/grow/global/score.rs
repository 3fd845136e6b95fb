//! The distance of the whole tree after each candidate split of a leaf.
//!
//! The table "label x class" of all rows loses the leaf's counts in the row of its label and gains
//! each branch's in the row of the new label: at most one row a new label and the old one change. A
//! block of candidates with the same labels is built by vector additions and goes through the
//! criterion's own formula, so that the kept distance is to the bit what anybody computes from the
//! finished table. Where all new labels are equal the table does not depend on the candidate, and
//! one stands for all. O(classes^2) a candidate.

use super::leaf::{CandidateGroup, pack};
use crate::criteria::{Context, Criterion, Tables};
use crate::error::Result;
use crate::grow::options::LeafLabels;
use crate::numeric::{Count, Ties, mix};
use crate::parallel::Control;
use crate::split::not_a_number;
use std::cmp::Ordering;

/// Candidates in a block.
const BLOCK: usize = 256;

/// A candidate with its labels, as good as it is in the present tree.
#[derive(Debug, Clone)]
pub(super) struct BestCandidate {
    pub global: f64,
    pub local: f64,
    pub rank: u64,
    /// Order of label pairs.
    pub pair: u64,
    pub feature: u32,
    pub at: u32,
    pub labels: Vec<u16>,
}

impl BestCandidate {
    /// Distances first, then the leaf (`None` where ties are random), then the candidate, then its
    /// labels.
    pub fn order(&self, leaf: Option<u32>, other: &Self, other_leaf: Option<u32>) -> Ordering {
        let distances =
            self.global.total_cmp(&other.global).then(self.local.total_cmp(&other.local));
        distances
            .then(leaf.cmp(&other_leaf))
            .then(self.rank.cmp(&other.rank))
            .then(self.pair.cmp(&other.pair))
    }

    /// Take a candidate with its labels (in the order `pair` of label pairs) as the best if it
    /// comes first.
    pub fn update<C: Count>(
        best: &mut Option<Self>,
        ties: Ties,
        group: &CandidateGroup<C>,
        (labels, pair): (&[u16], u64),
        j: usize,
        [global, local]: [f64; 2],
    ) -> Result<()> {
        if global.is_nan() {
            return Err(not_a_number(group.feature[j]));
        }
        let rank = group.rank[j];
        let pair = if ties == Ties::Random { mix(rank, pair) } else { pair };
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
            *best = Some(Self { global, local, rank, pair, feature, at, labels: labels.to_vec() });
        }
        Ok(())
    }
}

/// The tree as its table, seen from one leaf.
#[derive(Debug)]
pub(super) struct LeafView<'a, C> {
    pub criterion: &'a dyn Criterion,
    pub context: &'a Context,
    pub ties: Ties,
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
    /// Largest number of branches.
    pub branches: usize,
}

/// Distances of a block of whole tables.
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

/// Reusable memory.
#[derive(Debug)]
pub(super) struct ScoreScratch<C> {
    cells: Vec<C>,
    out: Vec<f64>,
}

impl<C> Default for ScoreScratch<C> {
    fn default() -> Self {
        Self { cells: Vec::new(), out: Vec::new() }
    }
}

impl<C: Count> LeafView<'_, C> {
    /// The best candidate of a leaf.
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
                self.group(group, &group.labels, 0, &mut best, scratch)?;
                continue;
            }
            let k = self.context.classes as u16;
            for (a, b) in (0..k).flat_map(|a| (0..k).map(move |b| (a, b))) {
                if a != b || self.choice == LeafLabels::All {
                    control.check()?;
                    let pair = u64::from(a) << 32 | u64::from(b);
                    self.group(group, &[a, b], pair, &mut best, scratch)?;
                }
            }
        }
        Ok(best)
    }

    fn group(
        &self,
        group: &CandidateGroup<C>,
        labels: &[u16],
        pair: u64,
        best: &mut Option<BestCandidate>,
        scratch: &mut ScoreScratch<C>,
    ) -> Result<()> {
        let k = self.context.classes;
        if labels.iter().all(|&l| l == labels[0]) {
            let global = if labels[0] == self.label {
                self.current
            } else {
                let mut table = self.others.to_vec();
                for (cell, &count) in table[labels[0] as usize * k..].iter_mut().zip(self.leaf) {
                    *cell = cell.plus(count);
                }
                let mut out = [0.0];
                distances(self.criterion, self.context, self.totals, &table, 1, &mut out)?;
                out[0]
            };
            return self.update(group, labels, pair, group.champion, global, best);
        }
        let n = group.len();
        let stride = if self.criterion.needs_all_candidates() { n } else { n.min(BLOCK) };
        scratch.cells.resize((k * k * stride).max(scratch.cells.len()), C::default());
        scratch.out.resize(stride.max(scratch.out.len()), 0.0);
        for (cell, &count) in scratch.cells.chunks_exact_mut(stride).zip(self.others) {
            cell.fill(count);
        }
        for at in (0..n).step_by(stride) {
            let len = stride.min(n - at);
            if at > 0 {
                for &label in labels {
                    let row = label as usize * k;
                    for c in row..row + k {
                        scratch.cells[c * stride..][..len].fill(self.others[c]);
                    }
                }
            }
            for (b, &label) in labels.iter().enumerate() {
                for c in 0..k {
                    let to = &mut scratch.cells[(label as usize * k + c) * stride..][..len];
                    for (cell, &count) in to.iter_mut().zip(&group.plane(b, c, k)[at..at + len]) {
                        *cell = cell.plus(count);
                    }
                }
            }
            let out = &mut scratch.out[..len];
            distances(self.criterion, self.context, self.totals, &scratch.cells, stride, out)?;
            for (j, &global) in out.iter().enumerate() {
                if best.as_ref().is_none_or(|b| global <= b.global || global.is_nan()) {
                    self.update(group, labels, pair, at + j, global, best)?;
                }
            }
        }
        Ok(())
    }

    fn update(
        &self,
        group: &CandidateGroup<C>,
        labels: &[u16],
        pair: u64,
        j: usize,
        global: f64,
        best: &mut Option<BestCandidate>,
    ) -> Result<()> {
        BestCandidate::update(best, self.ties, group, (labels, pair), j, [global, group.local[j]])
    }
}

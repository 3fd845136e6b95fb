//! The best candidate of a leaf where the distance is a sum over rows ([`nearest`]): by sums first,
//! then by the formula.
//!
//! Sums of row terms ([`rows`](super::rows)) leave only the few candidates within the slack of the
//! smallest sum. The formula decides among them, with the result of scoring all candidates
//! ([`score`](super::score)). O(classes) per candidate with given labels, O(classes^2) where labels
//! are chosen and no bound excludes a pair. [`growth`](super::growth) calls it for the leaves that
//! may be split next.

use super::leaf::CandidateGroup;
use super::rows::{
    CandidateRange, LeafInTable, NearCandidate, RowTerms, RowsScratch, WithoutLeaf, are_all_equal,
    blocks, smallest,
};
use super::score::{self, BLOCK, BestCandidate, CandidateDistances, NewLabels};
use crate::criteria::Tables;
use crate::error::Result;
use crate::grow::options::LeafLabels;
use crate::numeric::Count;

/// Candidates that are kept before they go through the formula.
const MOST_NEAR: usize = 4 * BLOCK;

/// The best candidate of a leaf.
pub(super) struct LeafBest {
    /// The best candidate, if its distance is at most the limit.
    pub best: Option<BestCandidate>,
    /// The smallest sum of the candidates: a lower bound for their distances, up to the slack.
    pub bound: f64,
}

/// Search a leaf for its best candidate of a distance of at most `limit`; `groups` are all its
/// candidates.
///
/// # Errors
/// A distance that is not a number.
pub(super) fn nearest<C: Count>(
    leaf: &LeafInTable<'_, C>,
    groups: &[CandidateGroup<C>],
    limit: f64,
    scratch: &mut RowsScratch<C>,
) -> Result<LeafBest> {
    let slack = leaf.whole.slack();
    let mut near = std::mem::take(&mut scratch.near);
    near.clear();
    scratch.terms.resize((2 * leaf.classes()).max(2) * BLOCK, 0.0);
    let mut search = NearestSearch {
        leaf,
        groups,
        without: leaf.without_leaf(),
        slack,
        reach: limit + slack,
        smallest: f64::INFINITY,
        near,
        best: None,
    };
    for (g, group) in groups.iter().enumerate().filter(|(_, g)| g.branches <= leaf.whole.branches) {
        search.search_group(g, group, scratch)?;
    }
    search.score_near(scratch)?;
    scratch.near = search.near;
    // Above the limit a better candidate may have been left out.
    Ok(LeafBest { best: search.best.filter(|b| b.global <= limit), bound: search.smallest })
}

/// The search among the candidates of a leaf.
struct NearestSearch<'s, 'a, C> {
    leaf: &'s LeafInTable<'a, C>,
    groups: &'s [CandidateGroup<C>],
    without: WithoutLeaf,
    slack: f64,
    /// The largest sum that the best candidate can have.
    reach: f64,
    /// The smallest sum so far.
    smallest: f64,
    /// Candidates whose sums are within reach, for the formula.
    near: Vec<NearCandidate>,
    best: Option<BestCandidate>,
}

impl<C: Count> NearestSearch<'_, '_, C> {
    /// Search all candidates of a group.
    fn search_group(
        &mut self,
        g: usize,
        group: &CandidateGroup<C>,
        scratch: &mut RowsScratch<C>,
    ) -> Result<()> {
        // Labels that are all equal, or that may be chosen so.
        if are_all_equal(&group.labels) {
            return self.try_one_label(group, group.labels[0], NewLabels::fixed(&group.labels));
        }
        if group.labels.is_empty() && self.leaf.whole.choice == LeafLabels::All {
            for label in 0..self.leaf.classes() as u16 {
                self.try_one_label(group, label, NewLabels::pair(&[label, label]))?;
            }
        }
        // Different labels, block by block.
        for block in blocks(group.len()) {
            if group.labels.is_empty() {
                self.try_all_pairs(g, group, block, scratch);
            } else {
                self.try_given_labels(g, group, block, scratch);
            }
            if self.near.len() > MOST_NEAR {
                self.score_near(scratch)?;
            }
        }
        Ok(())
    }

    /// Give all new leaves one label: the best candidate of the group by local distance wins.
    fn try_one_label(
        &mut self,
        group: &CandidateGroup<C>,
        label: u16,
        labels: NewLabels<'_>,
    ) -> Result<()> {
        let (leaf, whole) = (self.leaf, self.leaf.whole);
        let sum = leaf.with_one_label(label, &self.without);
        self.smallest = self.smallest.min(sum);
        self.reach = self.reach.min(sum + self.slack);
        if sum > self.reach {
            return Ok(());
        }
        let global = if label == leaf.label { whole.current } else { self.relabelled(label)? };
        let (j, best) = (group.local_best, &mut self.best);
        let distances = CandidateDistances { global, local: group.distances[j] };
        BestCandidate::update(best, whole.ties, group, labels, j, distances)
    }

    /// Keep the candidates of a block with given labels whose sums are within reach.
    fn try_given_labels(
        &mut self,
        g: usize,
        group: &CandidateGroup<C>,
        block: CandidateRange,
        scratch: &mut RowsScratch<C>,
    ) {
        let (sums, terms) = scratch.terms.split_at_mut(BLOCK);
        let (sums, terms) = (&mut sums[..block.len], &mut terms[..block.len]);
        self.leaf.sums_of_block(group, block, sums, terms, &mut scratch.merged);
        let others = self.without.rest - group.sum_of_labels(&self.without.terms);
        sums.iter_mut().for_each(|sum| *sum += others);
        let least = self.keep_near(sums, g, block.start, [0, 0]);
        self.smallest = self.smallest.min(least);
    }

    /// Keep the candidates of a block, of two branches each, with the pairs of different labels for
    /// which their sums are within reach.
    fn try_all_pairs(
        &mut self,
        g: usize,
        group: &CandidateGroup<C>,
        block: CandidateRange,
        scratch: &mut RowsScratch<C>,
    ) {
        // What each branch adds to the distance in the row of each label, and the least of a block.
        let (k, len) = (self.leaf.classes(), block.len);
        scratch.out.clear();
        for branch in 0..2 {
            for (label, base) in self.without.terms.iter().enumerate() {
                let out = &mut scratch.terms[(branch * k + label) * BLOCK..][..len];
                let of = std::iter::once(branch);
                self.leaf.terms_of_block(group, of, label, block, &mut scratch.merged, out);
                out.iter_mut().for_each(|term| *term -= base);
                scratch.out.push(smallest(out));
            }
        }
        // The pairs of labels whose bound is within reach.
        let (lefts, rights) = scratch.out.split_at(k);
        let (rest, mut sums) = (self.without.rest, [0.0; BLOCK]);
        for a in 0..k {
            let left = &scratch.terms[a * BLOCK..][..len];
            for b in (0..k).filter(|&b| b != a) {
                let bound = rest + (lefts[a] + rights[b]);
                if bound > self.reach {
                    self.smallest = self.smallest.min(bound);
                    continue;
                }
                let right = &scratch.terms[(k + b) * BLOCK..][..len];
                for ((sum, l), r) in sums.iter_mut().zip(left).zip(right) {
                    *sum = rest + (l + r);
                }
                let labels = [a as u16, b as u16];
                let least = self.keep_near(&sums[..len], g, block.start, labels);
                self.smallest = self.smallest.min(least);
            }
        }
    }

    /// Keep the candidates of a group, from `start` on, whose sums are within reach; returns the
    /// smallest sum.
    fn keep_near(&mut self, sums: &[f64], group: usize, start: usize, labels: [u16; 2]) -> f64 {
        let least = smallest(sums);
        if least <= self.reach {
            self.reach = self.reach.min(least + self.slack);
            let reach = self.reach;
            let near = sums.iter().enumerate().filter(|&(_, &sum)| sum <= reach);
            self.near.extend(near.map(|(j, &sum)| NearCandidate {
                group,
                at: start + j,
                labels,
                sum,
            }));
        }
        least
    }

    /// Score the candidates that were kept by the formula, and update the best.
    fn score_near(&mut self, scratch: &mut RowsScratch<C>) -> Result<()> {
        let (k, leaf, whole) = (self.leaf.classes(), self.leaf, self.leaf.whole);
        let (groups, reach) = (self.groups, self.reach);
        let mut within_reach = std::mem::take(&mut self.near);
        within_reach.retain(|near| near.sum <= reach);
        for block in within_reach.chunks(BLOCK) {
            // The tables of a block: that without the leaf, and the counts of the branches.
            let stride = block.len();
            scratch.cells.clear();
            for label in 0..k {
                for &count in leaf.row_without(label) {
                    scratch.cells.extend(std::iter::repeat_n(count, stride));
                }
            }
            for (j, near) in block.iter().enumerate() {
                let group = &groups[near.group];
                let n = group.len();
                let labels = if group.labels.is_empty() { &near.labels[..] } else { &group.labels };
                for (b, &label) in labels.iter().enumerate() {
                    for c in 0..k {
                        let cell = &mut scratch.cells[(label as usize * k + c) * stride + j];
                        *cell = cell.plus(group.cells[(b * k + c) * n + near.at]);
                    }
                }
            }
            // Their distances, and the best of them.
            scratch.out.resize(stride, 0.0);
            let (cells, out) = (&scratch.cells, &mut scratch.out[..stride]);
            let RowTerms { criterion, context, totals } = whole.formula;
            score::distances(criterion, context, totals, cells, stride, out)?;
            let local = self.local_distances(block)?;
            for ((near, &global), local) in block.iter().zip(&*out).zip(local) {
                let group = &groups[near.group];
                let labels = match group.labels.is_empty() {
                    true => NewLabels::pair(&near.labels),
                    false => NewLabels::fixed(&group.labels),
                };
                let (best, distances) = (&mut self.best, CandidateDistances { global, local });
                BestCandidate::update(best, whole.ties, group, labels, near.at, distances)?;
            }
        }
        within_reach.clear();
        self.near = within_reach;
        Ok(())
    }

    /// Distances of candidates on the leaf's own table.
    fn local_distances(&self, block: &[NearCandidate]) -> Result<Vec<f64>> {
        let groups = self.groups;
        if block.iter().all(|near| !groups[near.group].distances.is_empty()) {
            return Ok(block.iter().map(|near| groups[near.group].distances[near.at]).collect());
        }
        // Local distances are computed late only for candidates of two branches.
        let (k, stride) = (self.leaf.classes(), block.len());
        let mut cells = Vec::with_capacity(2 * k * stride);
        for i in 0..2 * k {
            for near in block {
                let group = &groups[near.group];
                cells.push(group.cells[i * group.len() + near.at]);
            }
        }
        let tables = Tables {
            cells: C::cells(&cells),
            totals: C::cells(self.leaf.leaf),
            branches: 2,
            classes: k,
            stride,
            len: stride,
            declared: &vec![2; stride],
            context: self.leaf.whole.formula.context,
        };
        let mut out = vec![0.0; stride];
        self.leaf.whole.local_criterion.distance(&tables, &mut out)?;
        Ok(out)
    }

    /// Distance of the tree when the whole leaf gets another label, by the formula.
    fn relabelled(&self, label: u16) -> Result<f64> {
        let (k, whole) = (self.leaf.classes(), self.leaf.whole);
        let mut table = whole.table.to_vec();
        table[self.leaf.label as usize * k..][..k].copy_from_slice(self.leaf.own);
        let row = &mut table[label as usize * k..];
        row.iter_mut().zip(self.leaf.leaf).for_each(|(cell, &count)| *cell = cell.plus(count));
        let mut out = [0.0];
        let RowTerms { criterion, context, totals } = whole.formula;
        score::distances(criterion, context, totals, &table, 1, &mut out)?;
        Ok(out[0])
    }
}

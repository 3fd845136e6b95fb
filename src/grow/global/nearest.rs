//! The best candidate of a leaf where the distance is a sum over rows: by sums first, then by the
//! formula.
//!
//! Sums of row terms ([`rows`](super::rows)) leave few candidates: those within the
//! slack of the smallest sum. The formula itself decides among them, as if all had gone through it.
//! O(classes) a candidate with given labels, O(classes^2) where labels are chosen and no bound
//! leaves a pair out.

use super::leaf::CandidateGroup;
use super::rows::{BLOCK, From, NearCandidate, RowsScratch, single, smallest};
use super::score::{self, BestCandidate};
use crate::criteria::Tables;
use crate::error::Result;
use crate::grow::options::LeafLabels;
use crate::numeric::Count;
use crate::reached::{self, Way};

/// The best candidate of a leaf if its distance can be at most `limit`, and the smallest sum of its
/// candidates (a bound that is only too high by the slack).
pub(super) fn nearest<C: Count>(
    from: &From<'_, C>,
    groups: &[CandidateGroup<C>],
    limit: f64,
    scratch: &mut RowsScratch<C>,
) -> Result<(Option<BestCandidate>, f64)> {
    reached::count(Way::GlobalNearest);
    let (bases, rest) = from.bases();
    let slack = from.whole.slack();
    let mut found = std::mem::take(&mut scratch.found);
    found.clear();
    scratch.terms.resize((2 * from.classes()).max(2) * BLOCK, 0.0);
    let mut search = NearestSearch {
        from,
        groups,
        bases,
        rest,
        slack,
        reach: limit + slack,
        smallest: f64::INFINITY,
        found,
        best: None,
    };
    for (g, group) in groups.iter().enumerate().filter(|(_, g)| g.branches <= from.whole.branches) {
        search.group(g, group, scratch)?;
    }
    search.exact(scratch)?;
    scratch.found = search.found;
    // Above the limit something better may have been left out.
    Ok((search.best.filter(|b| b.global <= limit), search.smallest))
}

/// The search among the candidates of a leaf.
struct NearestSearch<'s, 'a, C> {
    from: &'s From<'a, C>,
    groups: &'s [CandidateGroup<C>],
    /// Terms of the rows of all labels without the leaf, and the distance without the leaf.
    bases: Vec<f64>,
    rest: f64,
    slack: f64,
    /// The largest sum that the best candidate can have.
    reach: f64,
    smallest: f64,
    /// Candidates whose sums are within reach.
    found: Vec<NearCandidate>,
    best: Option<BestCandidate>,
}

impl<C: Count> NearestSearch<'_, '_, C> {
    /// All candidates of a group.
    fn group(
        &mut self,
        g: usize,
        group: &CandidateGroup<C>,
        scratch: &mut RowsScratch<C>,
    ) -> Result<()> {
        if single(&group.labels) {
            return self.at_once(group, group.labels[0], &group.labels, 0);
        }
        if group.labels.is_empty() && self.from.whole.choice == LeafLabels::All {
            for a in 0..self.from.classes() as u16 {
                self.at_once(group, a, &[a, a], pair_of([a, a]))?;
            }
        }
        let n = group.len();
        for at in (0..n).step_by(BLOCK) {
            let part = (at, BLOCK.min(n - at));
            if group.labels.is_empty() {
                self.any_labels((g, group), part, scratch);
            } else {
                self.given_labels((g, group), part, scratch);
            }
            if self.found.len() > 4 * BLOCK {
                self.exact(scratch)?;
            }
        }
        Ok(())
    }

    /// The candidates of a group when all new leaves have one label: the champion is the best.
    fn at_once(
        &mut self,
        group: &CandidateGroup<C>,
        label: u16,
        labels: &[u16],
        pair: u64,
    ) -> Result<()> {
        let (from, whole) = (self.from, self.from.whole);
        let sum = from.at_once(label, &self.bases, self.rest);
        self.smallest = self.smallest.min(sum);
        self.reach = self.reach.min(sum + self.slack);
        if sum > self.reach {
            return Ok(());
        }
        let global = if label == from.label { whole.current } else { self.moved(label)? };
        let (j, best) = (group.champion, &mut self.best);
        BestCandidate::update(best, whole.ties, group, (labels, pair), j, [global, group.local[j]])
    }

    /// A block of candidates whose labels are given.
    fn given_labels(
        &mut self,
        (g, group): (usize, &CandidateGroup<C>),
        part: (usize, usize),
        scratch: &mut RowsScratch<C>,
    ) {
        let (sum, one) = scratch.terms.split_at_mut(BLOCK);
        let (sum, one) = (&mut sum[..part.1], &mut one[..part.1]);
        self.from.sums(group, &group.labels, part, [&mut *sum, one], &mut scratch.merged);
        let before = self.rest - group.sum_of_labels(&self.bases);
        sum.iter_mut().for_each(|s| *s += before);
        let least = self.keep_near(sum, (g, part.0), [0, 0]);
        self.smallest = self.smallest.min(least);
    }

    /// A block of candidates of two branches with every pair of different labels.
    fn any_labels(
        &mut self,
        (g, group): (usize, &CandidateGroup<C>),
        part: (usize, usize),
        scratch: &mut RowsScratch<C>,
    ) {
        let (k, len) = (self.from.classes(), part.1);
        scratch.out.clear();
        for branch in 0..2 {
            for (label, base) in self.bases.iter().enumerate() {
                let out = &mut scratch.terms[(branch * k + label) * BLOCK..][..len];
                let of = std::iter::once(branch);
                self.from.block(group, of, label, part, &mut scratch.merged, out);
                out.iter_mut().for_each(|t| *t -= base);
                scratch.out.push(smallest(out));
            }
        }
        let (lefts, rights) = scratch.out.split_at(k);
        let mut sum = [0.0; BLOCK];
        for a in 0..k {
            let left = &scratch.terms[a * BLOCK..][..len];
            for b in (0..k).filter(|&b| b != a) {
                let bound = self.rest + (lefts[a] + rights[b]);
                if bound > self.reach {
                    self.smallest = self.smallest.min(bound);
                    continue;
                }
                let right = &scratch.terms[(k + b) * BLOCK..][..len];
                let rest = self.rest;
                for ((s, l), r) in sum.iter_mut().zip(left).zip(right) {
                    *s = rest + (l + r);
                }
                let least = self.keep_near(&sum[..len], (g, part.0), [a as u16, b as u16]);
                self.smallest = self.smallest.min(least);
            }
        }
    }

    /// Keep the candidates (from `at` on) whose sums are within reach; the smallest sum.
    fn keep_near(&mut self, sums: &[f64], (group, at): (usize, usize), labels: [u16; 2]) -> f64 {
        let least = smallest(sums);
        if least <= self.reach {
            self.reach = self.reach.min(least + self.slack);
            let reach = self.reach;
            let near = sums.iter().enumerate().filter(|&(_, &sum)| sum <= reach);
            self.found.extend(near.map(|(j, &sum)| NearCandidate {
                group,
                at: at + j,
                labels,
                sum,
            }));
        }
        least
    }

    /// The formula itself for candidates whose sums are within reach.
    fn exact(&mut self, scratch: &mut RowsScratch<C>) -> Result<()> {
        let (k, from, whole) = (self.from.classes(), self.from, self.from.whole);
        let (groups, reach) = (self.groups, self.reach);
        let mut found = std::mem::take(&mut self.found);
        found.retain(|near| near.sum <= reach);
        for block in found.chunks(BLOCK) {
            let stride = block.len();
            scratch.cells.clear();
            for label in 0..k {
                for &count in from.base(label) {
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
            scratch.out.resize(stride, 0.0);
            let (cells, out) = (&scratch.cells, &mut scratch.out[..stride]);
            let (criterion, context) = (whole.criterion, whole.context);
            score::distances(criterion, context, whole.totals, cells, stride, out)?;
            let local = self.local(block)?;
            for ((near, &global), local) in block.iter().zip(&*out).zip(local) {
                let group = &groups[near.group];
                let labels = match group.labels.is_empty() {
                    true => (&near.labels[..], pair_of(near.labels)),
                    false => (&group.labels[..], 0),
                };
                let (best, distances) = (&mut self.best, [global, local]);
                BestCandidate::update(best, whole.ties, group, labels, near.at, distances)?;
            }
        }
        found.clear();
        self.found = found;
        Ok(())
    }

    /// Distances of candidates on the leaf's own table.
    fn local(&self, block: &[NearCandidate]) -> Result<Vec<f64>> {
        let groups = self.groups;
        if block.iter().all(|near| !groups[near.group].local.is_empty()) {
            return Ok(block.iter().map(|near| groups[near.group].local[near.at]).collect());
        }
        // Only candidates of two branches wait for theirs.
        let (k, stride) = (self.from.classes(), block.len());
        let cells: Vec<C> = (0..2 * k)
            .flat_map(|i| block.iter().map(move |near| (i, near)))
            .map(|(i, near)| groups[near.group].cells[i * groups[near.group].len() + near.at])
            .collect();
        let tables = Tables {
            cells: C::cells(&cells),
            totals: C::cells(self.from.leaf),
            branches: 2,
            classes: k,
            stride,
            len: stride,
            declared: &vec![2; stride],
            context: self.from.whole.context,
        };
        let mut out = vec![0.0; stride];
        self.from.whole.inside.distance(&tables, &mut out)?;
        Ok(out)
    }

    /// Distance when all rows of the leaf get another label, by the formula.
    fn moved(&self, label: u16) -> Result<f64> {
        let (k, whole) = (self.from.classes(), self.from.whole);
        let mut table = whole.table.to_vec();
        table[self.from.label as usize * k..][..k].copy_from_slice(self.from.own);
        let row = &mut table[label as usize * k..];
        row.iter_mut().zip(self.from.leaf).for_each(|(cell, &count)| *cell = cell.plus(count));
        let mut out = [0.0];
        score::distances(whole.criterion, whole.context, whole.totals, &table, 1, &mut out)?;
        Ok(out[0])
    }
}

/// Order of label pairs.
fn pair_of([a, b]: [u16; 2]) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

//! Candidates of all leaves by the rows of the table that they change, where the distance is a sum
//! over rows.
//!
//! The table "label x class" loses the leaf's counts in the row of its label and gains each
//! branch's in the row of its new label. Where the criterion's distance is a sum over rows
//! ([`Formula::row_terms`](crate::criteria::Formula::row_terms)), `distance = current - old row's
//! term + (changed rows' terms)`, O(classes) a candidate instead of O(classes^2), and these facts
//! save most of the rest:
//!
//! * The smallest sum of terms of a group of candidates with the same labels changes only when one
//!   of *their* rows does: it is kept. Where labels are chosen, the smallest term of each branch in
//!   the row of each label is kept instead, and the sum of two of them for different labels is a
//!   lower bound for all `classes^2` pairs.
//! * Leaves are taken by their lower bounds; once a bound is above what another leaf reaches, no
//!   further leaf is looked at.
//!
//! Sums are taken in another order than the formula does it, so they only choose: every candidate
//! within [`SLACK`] of the smallest sum goes through the formula itself
//! ([`nearest`](super::nearest)), and equal distances are told apart exactly as
//! without all this. The tree is the same to the bit (tests compare the two).

use super::leaf::CandidateGroup;
use crate::criteria::rows::Row;
use crate::criteria::{Context, Criterion};
use crate::grow::options::LeafLabels;
use crate::numeric::{Count, Ties};

/// Candidates in a block.
pub(super) const BLOCK: usize = 256;

/// Largest difference between a sum of terms and the formula, for one class. Terms are at most
/// `log2 n`, and there are `classes` of them with `classes` roundings each: 1e-16 * 50 * classes^2
/// stays below for thousands of classes.
const SLACK: f64 = 1e-11;

/// The table of the whole tree as the candidates of all leaves find it.
#[derive(Debug)]
pub(super) struct WholeTable<'a, C> {
    /// As it reads the whole tree, and as it reads a leaf.
    pub criterion: &'a dyn Criterion,
    pub inside: &'a dyn Criterion,
    pub context: &'a Context,
    pub ties: Ties,
    pub choice: LeafLabels,
    pub totals: &'a [C],
    /// `[label * classes + class]`.
    pub table: &'a [C],
    /// Terms of its rows.
    pub terms: &'a [f64],
    /// The version of the table in which a row changed last.
    pub changed: &'a [u64],
    /// Distance of the present tree.
    pub current: f64,
    /// Largest number of branches.
    pub branches: usize,
}

/// The whole tree seen from one leaf.
#[derive(Debug)]
pub(super) struct From<'a, C> {
    pub whole: &'a WholeTable<'a, C>,
    /// Class counts of the leaf and its label.
    pub leaf: &'a [C],
    pub label: u16,
    /// The row of its label without it.
    pub own: &'a [C],
}

/// Reusable memory.
#[derive(Debug)]
pub(super) struct RowsScratch<C> {
    pub merged: Vec<C>,
    pub terms: Vec<f64>,
    pub found: Vec<NearCandidate>,
    pub cells: Vec<C>,
    pub out: Vec<f64>,
}

impl<C> Default for RowsScratch<C> {
    fn default() -> Self {
        Self {
            merged: Vec::new(),
            terms: Vec::new(),
            found: Vec::new(),
            cells: Vec::new(),
            out: Vec::new(),
        }
    }
}

/// A candidate that may be the best.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearCandidate {
    pub group: usize,
    pub at: usize,
    /// Labels of an open group.
    pub labels: [u16; 2],
    pub sum: f64,
}

/// Whether a criterion's distance is a sum over the rows of a table.
pub(super) fn is_sum<C: Count>(criterion: &dyn Criterion, context: &Context, totals: &[C]) -> bool {
    terms(criterion, context, totals, 0, totals, (&[], &[], 0), &mut [])
}

fn terms<C: Count>(
    criterion: &dyn Criterion,
    context: &Context,
    totals: &[C],
    label: usize,
    base: &[C],
    (cells, sizes, stride): (&[C], &[C], usize),
    out: &mut [f64],
) -> bool {
    let row = Row {
        label,
        base: C::cells(base),
        cells: C::cells(cells),
        sizes: C::cells(sizes),
        stride,
        totals: C::cells(totals),
        context,
    };
    !criterion.needs_all_candidates() && criterion.row_terms(&row, out)
}

/// The term of a row as it stands.
pub(super) fn term<C: Count>(
    criterion: &dyn Criterion,
    context: &Context,
    totals: &[C],
    label: usize,
    row: &[C],
) -> f64 {
    let (nothing, mut out) = (vec![C::default(); row.len()], [0.0]);
    terms(criterion, context, totals, label, row, (&nothing, &nothing[..1], 1), &mut out);
    out[0]
}

impl<C: Count> WholeTable<'_, C> {
    /// How far sums of terms may be from distances, both ways together.
    pub fn slack(&self) -> f64 {
        2.0 * SLACK * self.context.classes as f64
    }

    fn term(&self, label: usize, row: &[C]) -> f64 {
        term(self.criterion, self.context, self.totals, label, row)
    }
}

/// Whether all labels are one.
pub(super) fn single(labels: &[u16]) -> bool {
    !labels.is_empty() && labels.iter().all(|&l| l == labels[0])
}

impl<C: Count> From<'_, C> {
    pub fn classes(&self) -> usize {
        self.whole.context.classes
    }

    pub fn base(&self, label: usize) -> &[C] {
        let k = self.classes();
        if label == self.label as usize {
            self.own
        } else {
            &self.whole.table[label * k..(label + 1) * k]
        }
    }

    /// Terms of the rows of all labels without the leaf, and the distance without the leaf.
    pub fn bases(&self) -> (Vec<f64>, f64) {
        let own = self.label as usize;
        let mut bases = self.whole.terms.to_vec();
        bases[own] = self.whole.term(own, self.own);
        let rest = self.whole.current - self.whole.terms[own] + bases[own];
        (bases, rest)
    }

    /// Distance when all new leaves have one label: exact for the label that the leaf has.
    pub fn at_once(&self, label: u16, bases: &[f64], rest: f64) -> f64 {
        if label == self.label {
            return self.whole.current;
        }
        let base = self.base(label as usize);
        let row: Vec<C> = base.iter().zip(self.leaf).map(|(&a, &b)| a.plus(b)).collect();
        rest - bases[label as usize] + self.whole.term(label as usize, &row)
    }

    /// Terms of a block of candidates of a group in the row of a label: those of the branches in
    /// `of`, added up.
    pub fn block(
        &self,
        group: &CandidateGroup<C>,
        of: impl Iterator<Item = usize> + Clone,
        label: usize,
        (at, len): (usize, usize),
        merged: &mut Vec<C>,
        out: &mut [f64],
    ) {
        let (n, k, whole) = (group.len(), self.classes(), self.whole);
        let mut branches = of.clone();
        let first = branches.next().unwrap_or(0);
        if branches.next().is_none() {
            let planes =
                (&group.cells[first * k * n + at..], &group.sizes[first * n + at..][..len], n);
            terms(
                whole.criterion,
                whole.context,
                whole.totals,
                label,
                self.base(label),
                planes,
                out,
            );
            return;
        }
        merged.clear();
        merged.resize((k + 1) * len, C::default());
        for branch in of {
            for (class, to) in merged.chunks_exact_mut(len).enumerate() {
                let from = if class < k {
                    &group.cells[(branch * k + class) * n + at..]
                } else {
                    &group.sizes[branch * n + at..]
                };
                to.iter_mut().zip(from).for_each(|(cell, &x)| *cell = cell.plus(x));
            }
        }
        let planes = (&merged[..k * len], &merged[k * len..], len);
        terms(whole.criterion, whole.context, whole.totals, label, self.base(label), planes, out);
    }

    /// Sums of the terms of a block of candidates with given labels.
    pub fn sums(
        &self,
        group: &CandidateGroup<C>,
        labels: &[u16],
        part: (usize, usize),
        [sum, one]: [&mut [f64]; 2],
        merged: &mut Vec<C>,
    ) {
        sum.fill(0.0);
        for (b, &label) in labels.iter().enumerate() {
            if !labels[..b].contains(&label) {
                let of = (b..labels.len()).filter(|&other| labels[other] == label);
                self.block(group, of, label as usize, part, merged, one);
                sum.iter_mut().zip(&*one).for_each(|(s, &t)| *s += t);
            }
        }
    }

    /// A lower bound (up to the slack) for the distances of all candidates of a leaf.
    pub fn bound(
        &self,
        groups: &mut [CandidateGroup<C>],
        version: u64,
        scratch: &mut RowsScratch<C>,
    ) -> f64 {
        let (bases, rest) = self.bases();
        let mut bound = f64::INFINITY;
        for group in groups.iter_mut().filter(|g| g.branches <= self.whole.branches) {
            if single(&group.labels) {
                bound = bound.min(self.at_once(group.labels[0], &bases, rest));
                continue;
            }
            self.update(group, version, scratch);
            let least = &group.least.terms;
            if !group.labels.is_empty() {
                bound = bound.min(rest - group.sum_of_labels(&bases) + least[0]);
                continue;
            }
            let (left, right) = least.split_at(self.classes());
            for (a, (&l, base)) in left.iter().zip(&bases).enumerate() {
                for (b, (&r, other)) in right.iter().zip(&bases).enumerate() {
                    if a != b {
                        bound = bound.min(rest + (l - base) + (r - other));
                    }
                }
            }
            if self.whole.choice == LeafLabels::All {
                for label in 0..self.classes() {
                    bound = bound.min(self.at_once(label as u16, &bases, rest));
                }
            }
        }
        bound
    }

    /// Bring the smallest terms of a group to the present table.
    fn update(&self, group: &mut CandidateGroup<C>, version: u64, scratch: &mut RowsScratch<C>) {
        let (n, k, seen) = (group.len(), self.classes(), group.least.seen);
        let mut least = std::mem::take(&mut group.least.terms);
        let stale = |label: usize| seen == 0 || self.whole.changed[label] > seen;
        scratch.terms.resize(scratch.terms.len().max(2 * BLOCK), 0.0);
        let (sum, one) = scratch.terms.split_at_mut(BLOCK);
        let parts = (0..n).step_by(BLOCK).map(|at| (at, BLOCK.min(n - at)));
        if !group.labels.is_empty() {
            least.resize(1, 0.0);
            if group.labels.iter().any(|&l| stale(l as usize)) {
                least[0] = f64::INFINITY;
                for part in parts {
                    let (sum, one) = (&mut sum[..part.1], &mut one[..part.1]);
                    self.sums(group, &group.labels, part, [&mut *sum, one], &mut scratch.merged);
                    least[0] = smallest(sum).min(least[0]);
                }
            }
        } else {
            least.resize(2 * k, 0.0);
            for label in (0..k).filter(|&l| stale(l)) {
                for branch in 0..2 {
                    let mut found = f64::INFINITY;
                    for part in parts.clone() {
                        let one = &mut one[..part.1];
                        self.block(
                            group,
                            std::iter::once(branch),
                            label,
                            part,
                            &mut scratch.merged,
                            one,
                        );
                        found = smallest(one).min(found);
                    }
                    least[branch * k + label] = found;
                }
            }
        }
        group.least.terms = least;
        group.least.seen = version;
    }
}

pub(super) fn smallest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(f64::INFINITY, |a, &b| if b < a { b } else { a })
}

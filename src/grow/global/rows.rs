//! Lower bounds for the candidates of a leaf, where the distance is a sum over the rows of the
//! table "label x class" ([`LeafInTable`]).
//!
//! A split moves the leaf's counts from the row of its label to the rows of the new labels. Where
//! the criterion's distance is a sum over rows
//! ([`Formula::row_terms`](crate::criteria::Formula::row_terms)), a candidate's distance is the
//! present one with the terms of the changed rows replaced: O(classes) instead of O(classes^2). Two
//! facts save most of the rest:
//!
//! * The smallest sum of terms of a group of candidates with the same labels changes only when one
//!   of the rows of these labels does, so it is kept. Where labels are chosen, the smallest term of
//!   each branch in the row of each label is kept instead, and the sum of two of them for different
//!   labels is a lower bound for all `classes^2` pairs.
//! * Leaves are searched in the order of their lower bounds, and once a bound is above the distance
//!   of another leaf's candidate, the search ends.
//!
//! Sums are not added in the order of the formula, so they only choose: every candidate within
//! [`SLACK`] of the smallest sum goes through the formula ([`nearest`](super::nearest)), and ties
//! are resolved as everywhere. The tree is, to the bit, the tree that [`score`](super::score) gives
//! (tests compare the two).

use super::leaf::CandidateGroup;
use super::score::BLOCK;
use crate::criteria::rows::Row;
use crate::criteria::{Context, Criterion};
use crate::grow::options::LeafLabels;
use crate::numeric::{Count, Ties};

/// Largest difference between a sum of terms and the formula, per class. Terms are at most `log2
/// n`, below 50, and there are `classes` of them with `classes` roundings of 1e-16 each: the
/// difference 1e-16 * 50 * classes^2 stays below SLACK * classes for thousands of classes.
const SLACK: f64 = 1e-11;

/// The table of the whole tree before a step.
#[derive(Debug)]
pub(super) struct WholeTable<'a, C> {
    /// The terms of rows by the criterion as it reads the whole tree.
    pub formula: RowTerms<'a, C>,
    /// The criterion as it reads the table of a leaf.
    pub local_criterion: &'a dyn Criterion,
    pub ties: Ties,
    /// How new leaves are labelled.
    pub choice: LeafLabels,
    /// Counts at `[label * classes + class]`.
    pub table: &'a [C],
    /// Term of each row.
    pub terms: &'a [f64],
    /// The version of the table in which each row changed last.
    pub changed_in: &'a [u64],
    /// Distance of the present tree.
    pub current: f64,
    /// Candidates with more branches are left out.
    pub branches: usize,
}

/// A leaf and the table of the whole tree.
#[derive(Debug)]
pub(super) struct LeafInTable<'a, C> {
    pub whole: &'a WholeTable<'a, C>,
    /// Class counts of the leaf.
    pub leaf: &'a [C],
    /// Its label.
    pub label: u16,
    /// The row of its label without its rows.
    pub own: &'a [C],
}

/// The table without the rows of a leaf.
#[derive(Debug)]
pub(super) struct WithoutLeaf {
    /// Term of the row of each label.
    pub terms: Vec<f64>,
    /// Sum of the terms: the distance without the leaf.
    pub rest: f64,
}

/// A block of `len` candidates of a group, from number `start` on.
#[derive(Debug, Clone, Copy)]
pub(super) struct CandidateRange {
    pub start: usize,
    pub len: usize,
}

/// The blocks of at most [`BLOCK`] candidates into which `n` candidates are divided, in order.
pub(super) fn blocks(n: usize) -> impl Iterator<Item = CandidateRange> + Clone {
    (0..n).step_by(BLOCK).map(move |start| CandidateRange { start, len: BLOCK.min(n - start) })
}

/// Reusable memory of one worker.
#[derive(Debug, Default)]
pub(super) struct RowsScratch<C> {
    /// Counts of several branches, added up.
    pub merged: Vec<C>,
    pub terms: Vec<f64>,
    /// Candidates that may be the best.
    pub near: Vec<NearCandidate>,
    pub cells: Vec<C>,
    pub out: Vec<f64>,
}

/// A candidate that may be the best.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearCandidate {
    pub group: usize,
    /// Its number in the group.
    pub at: usize,
    /// Labels that are chosen, in a group without labels.
    pub labels: [u16; 2],
    /// Sum of terms, about the distance of the tree with this split.
    pub sum: f64,
}

/// A criterion's distance as a sum of terms, one per row of the table "label x class".
#[derive(Debug, Clone, Copy)]
pub(super) struct RowTerms<'a, C> {
    pub criterion: &'a dyn Criterion,
    pub context: &'a Context,
    /// Class totals of all rows.
    pub totals: &'a [C],
}

/// The counts that candidates add to a row: a plane of `stride` candidates per class, and their
/// sums.
#[derive(Debug, Clone, Copy)]
struct AddedCounts<'a, C> {
    cells: &'a [C],
    sizes: &'a [C],
    stride: usize,
}

impl<C: Count> RowTerms<'_, C> {
    /// Whether the criterion's distance is such a sum. If not, every candidate is scored by the
    /// formula; the distance of a user's criterion never is such a sum.
    pub fn are_defined(&self) -> bool {
        let nothing = AddedCounts { cells: &[], sizes: &[], stride: 0 };
        self.write_terms(0, self.totals, nothing, &mut [])
    }

    /// The term of the row of a label. 0 where the distance is not a sum over rows
    /// ([`Self::are_defined`]).
    pub fn row_term(&self, label: usize, row: &[C]) -> f64 {
        let (zeros, mut out) = (vec![C::default(); row.len()], [0.0]);
        let nothing = AddedCounts { cells: &zeros, sizes: &zeros[..1], stride: 1 };
        self.write_terms(label, row, nothing, &mut out);
        out[0]
    }

    /// Write the terms of the row of a label, which is `base` and the counts that each candidate
    /// adds to it; false where the distance is not a sum over rows.
    fn write_terms(
        &self,
        label: usize,
        base: &[C],
        added: AddedCounts<'_, C>,
        out: &mut [f64],
    ) -> bool {
        let row = Row {
            label,
            base: C::cells(base),
            cells: C::cells(added.cells),
            sizes: C::cells(added.sizes),
            stride: added.stride,
            totals: C::cells(self.totals),
            context: self.context,
        };
        !self.criterion.needs_all_candidates() && self.criterion.row_terms(&row, out)
    }
}

impl<C: Count> WholeTable<'_, C> {
    /// Largest difference of two sums of terms whose distances are equal. A candidate whose sum
    /// exceeds the smallest by more than this cannot have the smallest distance.
    pub fn slack(&self) -> f64 {
        2.0 * SLACK * self.formula.context.classes as f64
    }
}

/// Whether labels are given, and all are equal.
pub(super) fn are_all_equal(labels: &[u16]) -> bool {
    !labels.is_empty() && labels.iter().all(|&l| l == labels[0])
}

impl<C: Count> LeafInTable<'_, C> {
    /// Number of classes, which is also the number of labels. The table of the tree is square.
    pub fn classes(&self) -> usize {
        self.whole.formula.context.classes
    }

    /// The row of a label without the leaf: the counts of the other leaves with this label, by
    /// class. It is the base to which the branches of a candidate are added.
    pub fn row_without(&self, label: usize) -> &[C] {
        let k = self.classes();
        if label == self.label as usize {
            self.own
        } else {
            &self.whole.table[label * k..(label + 1) * k]
        }
    }

    /// The terms of the table without the leaf. O(classes): one row changes, and the sum of all
    /// terms changes by the same difference.
    pub fn without_leaf(&self) -> WithoutLeaf {
        let own = self.label as usize;
        let mut terms = self.whole.terms.to_vec();
        terms[own] = self.whole.formula.row_term(own, self.own);
        let rest = self.whole.current - self.whole.terms[own] + terms[own];
        WithoutLeaf { terms, rest }
    }

    /// Distance when all new leaves have one label; exact for the label of the leaf itself. It is
    /// the distance of all candidates of a group, because the table does not depend on the split
    /// then.
    pub fn with_one_label(&self, label: u16, without: &WithoutLeaf) -> f64 {
        if label == self.label {
            return self.whole.current;
        }
        let base = self.row_without(label as usize);
        let row: Vec<C> = base.iter().zip(self.leaf).map(|(&a, &b)| a.plus(b)).collect();
        let label = label as usize;
        without.rest - without.terms[label] + self.whole.formula.row_term(label, &row)
    }

    /// Write the terms of a block of candidates in the row of a label to which some of their
    /// branches are added. `of` names these branches, at least one; several are added up in
    /// `merged` first.
    pub fn terms_of_block(
        &self,
        group: &CandidateGroup<C>,
        of: impl Iterator<Item = usize> + Clone,
        label: usize,
        block: CandidateRange,
        merged: &mut Vec<C>,
        out: &mut [f64],
    ) {
        let (n, k, CandidateRange { start, len }) = (group.len(), self.classes(), block);
        // One branch: its planes as they are.
        let mut branches = of.clone();
        let first = branches.next().unwrap_or(0);
        if branches.next().is_none() {
            let cells = &group.cells[first * k * n + start..];
            let sizes = &group.sizes[first * n + start..][..len];
            let added = AddedCounts { cells, sizes, stride: n };
            self.whole.formula.write_terms(label, self.row_without(label), added, out);
            return;
        }
        // Several branches: their planes, and the sizes as one more, added up.
        merged.clear();
        merged.resize((k + 1) * len, C::default());
        for branch in of {
            for (class, to) in merged.chunks_exact_mut(len).enumerate() {
                let from = if class < k {
                    &group.cells[(branch * k + class) * n + start..]
                } else {
                    &group.sizes[branch * n + start..]
                };
                to.iter_mut().zip(from).for_each(|(cell, &x)| *cell = cell.plus(x));
            }
        }
        let (cells, sizes) = merged.split_at(k * len);
        let added = AddedCounts { cells, sizes, stride: len };
        self.whole.formula.write_terms(label, self.row_without(label), added, out);
    }

    /// Write the sums of the terms of a block of candidates with given labels; `terms` is scratch
    /// memory as long as `sums`. The rows of other labels do not change, so their terms are not
    /// included.
    pub fn sums_of_block(
        &self,
        group: &CandidateGroup<C>,
        block: CandidateRange,
        sums: &mut [f64],
        terms: &mut [f64],
        merged: &mut Vec<C>,
    ) {
        sums.fill(0.0);
        let labels = &group.labels;
        for (b, &label) in labels.iter().enumerate() {
            // Branches of one label go into its row together.
            if !labels[..b].contains(&label) {
                let of = (b..labels.len()).filter(|&other| labels[other] == label);
                self.terms_of_block(group, of, label as usize, block, merged, terms);
                sums.iter_mut().zip(&*terms).for_each(|(sum, &term)| *sum += term);
            }
        }
    }

    /// A lower bound (up to the slack) for the distances of all candidates of the leaf; `version`
    /// is the version of the table. Only groups for which a row of the table has changed since the
    /// last call are scored again.
    pub fn lower_bound(
        &self,
        groups: &mut [CandidateGroup<C>],
        version: u64,
        scratch: &mut RowsScratch<C>,
    ) -> f64 {
        let without = self.without_leaf();
        let WithoutLeaf { terms, rest } = &without;
        let mut bound = f64::INFINITY;
        for group in groups.iter_mut().filter(|g| g.branches <= self.whole.branches) {
            // One label: the distance itself.
            if are_all_equal(&group.labels) {
                bound = bound.min(self.with_one_label(group.labels[0], &without));
                continue;
            }
            // Given labels: the smallest sum of the group.
            self.update_least(group, version, scratch);
            let least = &group.least.terms;
            if !group.labels.is_empty() {
                bound = bound.min(rest - group.sum_of_labels(terms) + least[0]);
                continue;
            }
            // Labels that are chosen: the smallest terms of both branches, for any two labels.
            let (left, right) = least.split_at(self.classes());
            for (a, (&l, base)) in left.iter().zip(terms).enumerate() {
                for (b, (&r, other)) in right.iter().zip(terms).enumerate() {
                    if a != b {
                        bound = bound.min(rest + (l - base) + (r - other));
                    }
                }
            }
            if self.whole.choice == LeafLabels::All {
                for label in 0..self.classes() {
                    bound = bound.min(self.with_one_label(label as u16, &without));
                }
            }
        }
        bound
    }

    /// Bring the smallest terms of a group up to date with the table.
    fn update_least(
        &self,
        group: &mut CandidateGroup<C>,
        version: u64,
        scratch: &mut RowsScratch<C>,
    ) {
        let (n, k, known_version) = (group.len(), self.classes(), group.least.version);
        let mut least = std::mem::take(&mut group.least.terms);
        let is_stale =
            |label: usize| known_version == 0 || self.whole.changed_in[label] > known_version;
        scratch.terms.resize(scratch.terms.len().max(2 * BLOCK), 0.0);
        let (sums, terms) = scratch.terms.split_at_mut(BLOCK);
        if !group.labels.is_empty() {
            // The smallest sum over the labels of the group.
            least.resize(1, 0.0);
            if group.labels.iter().any(|&label| is_stale(label as usize)) {
                least[0] = f64::INFINITY;
                for block in blocks(n) {
                    let (sums, terms) = (&mut sums[..block.len], &mut terms[..block.len]);
                    self.sums_of_block(group, block, sums, terms, &mut scratch.merged);
                    least[0] = smallest(sums).min(least[0]);
                }
            }
        } else {
            // The smallest term of each branch in the row of each label.
            least.resize(2 * k, 0.0);
            for label in (0..k).filter(|&label| is_stale(label)) {
                for branch in 0..2 {
                    let mut least_term = f64::INFINITY;
                    for block in blocks(n) {
                        let (of, terms) = (std::iter::once(branch), &mut terms[..block.len]);
                        let merged = &mut scratch.merged;
                        self.terms_of_block(group, of, label, block, merged, terms);
                        least_term = smallest(terms).min(least_term);
                    }
                    least[branch * k + label] = least_term;
                }
            }
        }
        group.least.terms = least;
        group.least.version = version;
    }
}

/// The smallest of some numbers; infinity for none. No number may be NaN.
pub(super) fn smallest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(f64::INFINITY, |a, &b| if b < a { b } else { a })
}

//! Extends measures of two branches, or of two classes, to more of them.
//!
//! *Branch against rest*: a measure of two branches on m > 2 of them is the mean over branches of
//! the branch against all others together, with weights n_m/n (euclid, angle, orthogonality,
//! twoing). *Class against rest*: a measure of two classes on k > 2 of them is the mean over
//! classes of the class against all others, with weights n_c/n (hellinger, auc). Every measure
//! needs at most one of the two: the first family is defined for any number of classes, the second
//! for any number of branches.
//!
//! Neither is a [`fold`](super::fold): the term of a branch depends on the rest of the rows, and
//! the classes have different weights.
//!
//! With exactly two branches (classes) the measure is computed once, as it is defined. Where a side
//! has no rows, the measure has its neutral value. O(branches x classes) per candidate, for class
//! against rest with a pass over the branches per class.

use super::Block;
use super::fold::LANES;
use crate::numeric::Count;

/// One side of a comparison: class counts and their sum.
pub(super) struct ContrastSide<'a> {
    /// Rows of each class.
    pub counts: &'a [f64],
    /// Rows.
    pub size: f64,
}

/// Write the mean over the branches of `measure(branch, rest)` for each candidate; 0 where a side
/// is empty.
pub(super) fn branch_against_rest<C: Count>(
    block: &Block<'_, C>,
    out: &mut [f64],
    measure: impl Fn(ContrastSide<'_>, ContrastSide<'_>) -> f64,
) {
    let n = block.total().value();
    let (mut inside, mut outside) = (vec![0.0; block.classes], vec![0.0; block.classes]);
    for (j, s) in out.iter_mut().enumerate() {
        *s = 0.0;
        let two = block.branches == 2;
        for m in 0..if two { 1 } else { block.branches } {
            let (mut size, mut rest) = (0.0, 0.0);
            for c in 0..block.classes {
                let x = block.at(m, c, j);
                inside[c] = x.value();
                outside[c] = if two { block.at(1, c, j) } else { block.totals[c].minus(x) }.value();
                size += inside[c];
                rest += outside[c];
            }
            if size > 0.0 && rest > 0.0 {
                let value = measure(
                    ContrastSide { counts: &inside, size },
                    ContrastSide { counts: &outside, size: rest },
                );
                *s += if two { value } else { size / n * value };
            }
        }
    }
}

/// Up to [`LANES`] candidates as a problem of one class against the rest.
pub(super) struct OneVersusRest<'a, C> {
    /// Number of branches.
    pub branches: usize,
    block: Block<'a, C>,
    class: usize,
    /// Rows of each branch, `[branch * LANES + candidate]`.
    sizes: &'a [C],
}

impl<C: Count> OneVersusRest<'_, C> {
    /// Rows of the class and all other rows in branch `m`, candidate by candidate. The sizes of the
    /// branches were added up once for all classes, so this takes one subtraction per candidate.
    #[inline]
    pub(super) fn branch(&self, m: usize) -> impl Iterator<Item = (f64, f64)> {
        let sizes = &self.sizes[m * LANES..(m + 1) * LANES];
        let positive = self.block.cell(m, self.class);
        positive.iter().zip(sizes).map(|(&x, &size)| (x.value(), size.minus(x).value()))
    }

    /// Rows of the class and all other rows in branch `m` of one candidate. It serves measures that
    /// compute one candidate after the other.
    #[inline]
    pub(super) fn at(&self, m: usize, candidate: usize) -> (f64, f64) {
        let x = self.block.at(m, self.class, candidate);
        (x.value(), self.sizes[m * LANES + candidate].minus(x).value())
    }
}

/// Write the mean over the classes of a measure of one class against the rest for each candidate;
/// `neutral` where fewer than two classes occur.
///
/// `measure(part, positives, negatives, out)` writes the measure of up to [`LANES`] candidates;
/// `positives` and `negatives` are the rows of the class and of the rest in the node. With two
/// declared classes the second is the positive one.
pub(super) fn class_against_rest<C: Count>(
    block: &Block<'_, C>,
    out: &mut [f64],
    neutral: f64,
    mut measure: impl FnMut(&OneVersusRest<'_, C>, f64, f64, &mut [f64]),
) {
    let n = block.total().value();
    let occupied = block.totals.iter().filter(|c| !c.is_empty()).count();
    if occupied < 2 {
        out.fill(neutral);
        return;
    }
    // Two branches, the usual case, need no allocation.
    let (mut few, mut many) = ([C::default(); 2 * LANES], Vec::new());
    let sizes = if block.branches == 2 {
        &mut few[..]
    } else {
        many.resize(block.branches * LANES, C::default());
        &mut many[..]
    };
    let mut value = [0.0; LANES];
    for (step, out) in out.chunks_mut(LANES).enumerate() {
        let (at, len) = (step * LANES, out.len());
        sizes.fill(C::default());
        for (m, sizes) in sizes.chunks_mut(LANES).enumerate() {
            for c in 0..block.classes {
                let counts = &block.cell(m, c)[at..at + len];
                sizes.iter_mut().zip(counts).for_each(|(z, &x)| *z = z.plus(x));
            }
        }
        let mut part =
            OneVersusRest { branches: block.branches, block: block.part(at, len), class: 1, sizes };
        let positives = |c: usize| block.totals[c].value();
        if block.classes == 2 {
            measure(&part, positives(1), n - positives(1), out);
            continue;
        }
        out.fill(0.0);
        for c in (0..block.classes).filter(|&c| !block.totals[c].is_empty()) {
            part.class = c;
            measure(&part, positives(c), n - positives(c), &mut value[..len]);
            let weight = positives(c) / n;
            out.iter_mut().zip(&value).for_each(|(s, v)| *s += weight * v);
        }
    }
}

//! Criteria that are sums over the branches of a split, each a function of sums over its classes.
//!
//! A criterion declares the steps of this fold ([`Additive`], [`OnClasses`]): how a class changes
//! the *parts* of a branch, how a branch changes the *sums* of a split, and the score of the sums.
//! The loops over candidates, branches and classes are here, once for all criteria. They give the
//! scores of blocks and of single tables, the row terms of global growth, and the loss of a leaf.
//! Rounding is part of a criterion: branches are added in value order, classes in class order. An
//! empty node has no branches.
//!
//! O(branches x classes) per candidate, [`LANES`] candidates per step. Look-ups in tables come
//! before the arithmetic, so that the arithmetic vectorises; without look-ups, two classes are
//! added and used in one loop.
//!
//! Some criteria are not folds: they compare branches or classes with each other (matching,
//! distances between two branches, one class against the rest), or need the size of a branch before
//! its classes are added (`chi2`). These implement [`Formula::score`] themselves.

use super::rows::RowOf;
use super::{Block, Context, Formula, Properties};
use crate::numeric::Count;

/// Candidates per step; the sums of a step stay in the first-level cache.
pub(super) const LANES: usize = 64;

/// A fixed number of numbers of one candidate; for [`LANES`] candidates, one array per number.
pub(super) trait Lane: Copy {
    /// All zero.
    const ZERO: Self;
    /// How many numbers a candidate has.
    const NUMBERS: usize;
    /// The numbers of [`LANES`] candidates.
    type Planes;
    /// Repeat the numbers for every candidate.
    fn splat(self) -> Self::Planes;
    /// The numbers of candidate number `lane` of the step.
    fn get(planes: &Self::Planes, lane: usize) -> Self;
    /// Replace the numbers of candidate number `lane` of the step.
    fn put(self, planes: &mut Self::Planes, lane: usize);
}

impl<const N: usize> Lane for [f64; N] {
    const ZERO: Self = [0.0; N];
    const NUMBERS: usize = N;
    type Planes = [[f64; LANES]; N];
    #[inline(always)]
    fn splat(self) -> [[f64; LANES]; N] {
        let mut planes = [[0.0; LANES]; N];
        for i in 0..N {
            planes[i] = [self[i]; LANES];
        }
        planes
    }
    #[inline(always)]
    fn get(planes: &[[f64; LANES]; N], lane: usize) -> Self {
        let mut numbers = [0.0; N];
        for i in 0..N {
            numbers[i] = planes[i][lane];
        }
        numbers
    }
    #[inline(always)]
    fn put(self, planes: &mut [[f64; LANES]; N], lane: usize) {
        for i in 0..N {
            planes[i][lane] = self[i];
        }
    }
}

/// The steps from the parts of the branches to a score. `size` is the number of rows (or the
/// weight) of a branch.
pub(super) trait Additive: Properties {
    /// Numbers that all candidates of a node share.
    type Node: Copy;
    /// Sums over the classes of a branch.
    type Parts: Lane;
    /// Numbers that are looked up by the size of a branch.
    type Look: Lane;
    /// Sums over the branches.
    type Sums: Lane;

    /// The sums before the first branch.
    #[inline(always)]
    fn start(&self, _node: &Self::Node) -> Self::Sums {
        Self::Sums::ZERO
    }
    /// The sums before the first branch where [`Additive::distance`] ends the fold.
    fn start_of_distance(&self, node: &Self::Node) -> Self::Sums {
        self.start(node)
    }
    /// The parts of a branch before its first class.
    #[inline(always)]
    fn open(&self, _sums: Self::Sums) -> Self::Parts {
        Self::Parts::ZERO
    }
    /// Look up numbers by the size of a branch, without other arithmetic.
    #[inline(always)]
    fn look<C: Count>(&self, _size: C, _node: &Self::Node) -> Self::Look {
        Self::Look::ZERO
    }
    /// Add a branch to the sums. An empty one must leave them as they are.
    fn branch<C: Count>(
        &self,
        size: C,
        parts: Self::Parts,
        look: Self::Look,
        node: &Self::Node,
        sums: &mut Self::Sums,
    );
    /// The score; `declared` is the declared number of values of the feature.
    fn score(&self, sums: Self::Sums, node: &Self::Node, declared: u32) -> f64;
    /// The distance.
    #[inline(always)]
    fn distance(&self, sums: Self::Sums, node: &Self::Node, declared: u32) -> f64 {
        -self.score(sums, node, declared)
    }

    /// Whether a leaf has a [`loss`](Additive::loss).
    const LOSS: bool = false;
    /// The loss of a leaf with this branch's rows, at least 0; only called if [`Additive::LOSS`].
    /// The sum of the losses of all branches is minus `n` times the score, and `n` times the
    /// distance, up to a number that depends on the class totals alone (`n` = 1 for
    /// [extensive](super::Info::extensive) scores).
    fn loss<C: Count>(&self, _size: C, _parts: Self::Parts, _node: &Self::Node) -> f64 {
        f64::NAN
    }
}

/// The steps from class counts to the parts of a branch.
pub(super) trait OnClasses: Additive {
    /// The numbers that candidates share, from the class totals of the node.
    fn node<C: Count>(&self, totals: &[C], context: &Context) -> Self::Node;
    /// Add a class to the parts.
    fn class<C: Count>(&self, count: C, node: &Self::Node, parts: &mut Self::Parts);
}

/// Rows (or weight) of a node from its class totals. All candidates of a node share it.
#[inline]
pub(super) fn total<C: Count>(totals: &[C]) -> C {
    totals.iter().fold(C::default(), |n, &c| n.plus(c))
}

/// Raise `largest` to `x` if that is larger; this form vectorises.
#[inline(always)]
pub(super) fn raise_to(largest: &mut f64, x: f64) {
    *largest = if x > *largest { x } else { *largest };
}

/// One branch of [`LANES`] candidates, as the loops fill it.
struct Branch<V: Additive, C> {
    size: [C; LANES],
    parts: <V::Parts as Lane>::Planes,
    look: <V::Look as Lane>::Planes,
}

impl<V: OnClasses, C: Count> Branch<V, C> {
    fn new() -> Self {
        Self {
            size: [C::default(); LANES],
            parts: V::Parts::ZERO.splat(),
            look: V::Look::ZERO.splat(),
        }
    }

    /// Add up `classes` classes of `len` candidates. `open(lane)` are the parts of candidate `lane`
    /// before the first class; `counts(class)` is the count that all candidates have of a class,
    /// and the count that each candidate adds to it.
    #[inline(always)]
    fn add_classes<'c>(
        &mut self,
        (fold, node): (&V, &V::Node),
        (len, classes): (usize, usize),
        open: impl Fn(usize) -> V::Parts,
        counts: impl Fn(usize) -> (C, &'c [C]),
    ) where
        C: 'c,
    {
        for class in 0..classes {
            let (before, counts) = counts(class);
            let counts = &counts[..len];
            for lane in 0..len {
                let count = before.plus(counts[lane]);
                let (mut parts, size) = match class {
                    0 => (open(lane), C::default()),
                    _ => (V::Parts::get(&self.parts, lane), self.size[lane]),
                };
                fold.class(count, node, &mut parts);
                parts.put(&mut self.parts, lane);
                self.size[lane] = size.plus(count);
            }
        }
    }
}

/// Write the scores of a block, or its distances. One candidate takes the same loops: an instance
/// for it gained 1.01 to 1.04 in whole fits.
pub(super) fn evaluate<V: OnClasses, C: Count>(
    fold: &V,
    block: &Block<'_, C>,
    distance: bool,
    out: &mut [f64],
) {
    let node = &fold.node(block.totals, block.context);
    let start = if distance { fold.start_of_distance(node) } else { fold.start(node) };
    let branches = if block.total().is_empty() { 0 } else { block.branches };
    let mut branch = Branch::<V, C>::new();
    for first in (0..block.len).step_by(LANES) {
        let len = LANES.min(block.len - first);
        let mut sums = start.splat();
        for number in 0..branches {
            // The classes of the branch, and the look-ups by its size.
            let counts = |class| &block.cell(number, class)[first..first + len];
            if block.classes == 2 {
                two_classes(fold, node, [counts(0), counts(1)], &mut branch, &mut sums);
                if V::Look::NUMBERS == 0 {
                    continue;
                }
            } else {
                let open = |lane| fold.open(V::Sums::get(&sums, lane));
                let counts = |class| (C::default(), counts(class));
                branch.add_classes((fold, node), (len, block.classes), open, counts);
                for lane in 0..len {
                    fold.look(branch.size[lane], node).put(&mut branch.look, lane);
                }
            }
            // The branch is added to the sums.
            for lane in 0..len {
                let (parts, look) =
                    (V::Parts::get(&branch.parts, lane), V::Look::get(&branch.look, lane));
                let mut sum = V::Sums::get(&sums, lane);
                fold.branch(branch.size[lane], parts, look, node, &mut sum);
                sum.put(&mut sums, lane);
            }
        }
        let (out, declared) = (&mut out[first..first + len], &block.declared[first..first + len]);
        for lane in 0..len {
            let sums = V::Sums::get(&sums, lane);
            out[lane] = if distance {
                fold.distance(sums, node, declared[lane])
            } else {
                fold.score(sums, node, declared[lane])
            };
        }
    }
}

/// Parts, size and look-ups of a branch with two classes; without look-ups, the branch is added to
/// the sums at once.
#[inline(always)]
fn two_classes<V: OnClasses, C: Count>(
    fold: &V,
    node: &V::Node,
    [zero, one]: [&[C]; 2],
    branch: &mut Branch<V, C>,
    sums: &mut <V::Sums as Lane>::Planes,
) {
    for lane in 0..zero.len().min(one.len()).min(LANES) {
        let mut sum = V::Sums::get(sums, lane);
        let mut parts = fold.open(sum);
        fold.class(zero[lane], node, &mut parts);
        fold.class(one[lane], node, &mut parts);
        let size = zero[lane].plus(one[lane]);
        let look = fold.look(size, node);
        if V::Look::NUMBERS == 0 {
            fold.branch(size, parts, look, node, &mut sum);
            sum.put(sums, lane);
        } else {
            branch.size[lane] = size;
            parts.put(&mut branch.parts, lane);
            look.put(&mut branch.look, lane);
        }
    }
}

/// Write the loss of the leaf that each candidate makes of a branch, times `scale`.
fn losses<'c, V: OnClasses, C: Count>(
    fold: &V,
    node: &V::Node,
    classes: usize,
    counts: impl Fn(usize) -> (C, &'c [C]),
    scale: f64,
    out: &mut [f64],
) {
    let mut branch = Branch::<V, C>::new();
    for (step, out) in out.chunks_mut(LANES).enumerate() {
        let (first, len) = (step * LANES, out.len());
        let counts = |class| {
            let (before, counts) = counts(class);
            (before, &counts[first..first + len])
        };
        branch.add_classes((fold, node), (len, classes), |_| V::Parts::ZERO, counts);
        for lane in 0..len {
            let parts = V::Parts::get(&branch.parts, lane);
            out[lane] = fold.loss(branch.size[lane], parts, node) * scale;
        }
    }
}

/// [`Formula::row_terms`] of criteria whose distance is a mean of losses; else false.
pub(super) fn row_terms<V: OnClasses, C: Count>(
    fold: &V,
    row: &RowOf<'_, C>,
    out: &mut [f64],
) -> bool {
    if !V::LOSS || fold.info().extensive {
        return false;
    }
    let share = 1.0 / row.total().as_divisor();
    let node = fold.node(row.totals, row.context);
    losses(fold, &node, row.classes(), |class| row.class(class), share, out);
    true
}

/// [`Formula::losses`] of criteria whose leaves have a loss; else false.
pub(super) fn losses_of_leaves<V: OnClasses, C: Count>(
    fold: &V,
    counts: &[C],
    context: &Context,
    out: &mut [f64],
) -> bool {
    if V::LOSS {
        let node = fold.node(&vec![C::default(); context.classes], context);
        let len = out.len();
        let counts = |class| (C::default(), &counts[class * len..]);
        losses(fold, &node, context.classes, counts, 1.0, out);
    }
    V::LOSS
}

/// The loss of one leaf of a node; `size` is the sum of its counts.
#[inline]
pub(super) fn loss_in<V: OnClasses, C: Count>(
    fold: &V,
    node: &V::Node,
    size: C,
    counts: impl Iterator<Item = C>,
) -> f64 {
    let mut parts = V::Parts::ZERO;
    counts.for_each(|count| fold.class(count, node, &mut parts));
    fold.loss(size, parts, node)
}

impl<V: OnClasses> Formula for V {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        evaluate(self, block, false, out);
    }
    fn evaluate<C: Count>(&self, block: &Block<'_, C>, distance: bool, out: &mut [f64]) {
        evaluate(self, block, distance, out);
    }
    fn row_terms<C: Count>(&self, row: &RowOf<'_, C>, out: &mut [f64]) -> bool {
        row_terms(self, row, out)
    }
    fn losses<C: Count>(&self, counts: &[C], context: &Context, out: &mut [f64]) -> bool {
        losses_of_leaves(self, counts, context, out)
    }
}

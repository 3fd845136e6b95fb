//! Entropies of contingency tables, shared by every criterion of the information family.
//!
//! Rounding is part of the definition: an entropy of counts is `-(sum c log2 c)/n + log2 n` with
//! `log2 x = ln x / ln 2`, summed in class order (branch sizes: in value order; joint counts:
//! branch by branch, classes inside), and a gain starts at `H(c)`, from which `(n_m/n) H(c|m)` is
//! subtracted branch by branch. Whether an entropy is zero is decided on the counts (fewer than two
//! non-empty ones), not on the rounded value, so that no ratio ever divides noise by noise.
//!
//! A criterion declares the quantity that is measured beside the gain, and its score from both
//! ([`OnEntropies`]); the steps of the [`fold`](super::fold) follow. The screens at the end are
//! cheaper approximations of gain and gain ratio with proven errors. O(branches x classes) per
//! candidate, two divisions per branch.

use super::fold::{Additive, LANES, Lane, OnClasses, total};
use super::{Block, Cells, Context, Properties};
use crate::numeric::{Count, Logs, entropy};
use crate::simd::{Level, logs::QuickLog};

/// The class entropy of a node, and other numbers that all candidates share.
#[derive(Clone, Copy)]
pub struct EntropyNode {
    /// Rows of the node.
    pub n: f64,
    /// `H(c)`.
    pub h: f64,
    /// `H(c)` for denominators: exactly 0 when fewer than two classes occur.
    pub h_or_zero: f64,
    log_n: f64,
    logs: Logs,
}

/// The gain, and at most one entropy beside it, as steps of one fold; see [`Additive`].
pub(super) trait EntropyMeasure {
    /// Sums over the classes of a branch.
    type Parts: Lane;
    /// Logarithms of the size of a branch.
    type Look: Lane;
    /// The gain so far, and the sums of the other entropy.
    type Sums: Lane;
    /// The sums before the first branch.
    fn start(gain: f64) -> Self::Sums;
    /// The parts of a branch before its first class.
    fn open(sums: Self::Sums) -> Self::Parts;
    /// Add a class to the parts.
    fn class<C: Count>(count: C, logs: Logs, parts: &mut Self::Parts);
    /// Look up the logarithms of a size.
    fn look<C: Count>(size: C, logs: Logs) -> Self::Look;
    /// Add a branch: the gain decreases by its [`branch_entropy`].
    fn branch<C: Count>(size: C, p: Self::Parts, l: Self::Look, n: f64, sums: &mut Self::Sums);
    /// The gain and the other entropy, from the sums over all branches.
    fn read(sums: Self::Sums, node: &EntropyNode) -> (f64, f64);
    /// `sum_c n_mc log2 n_mc`.
    fn sum(parts: Self::Parts) -> f64;
}

/// The gain alone.
pub(super) struct Gain;

/// The gain and `H(m)`, which is 0 when fewer than two branches are occupied.
pub(super) struct GainAndSplit;

/// The gain and `H(m,c)`, which is 0 when fewer than two cells are occupied.
pub(super) struct GainAndJoint;

/// `(n_m/n) H(c|m)`; nothing for an empty branch: `0 * (-0/1 + 0)`.
#[inline(always)]
fn branch_entropy<C: Count>(size: C, sum: f64, log: f64, n: f64) -> f64 {
    size.value() / n * (-sum / size.as_divisor() + log)
}

/// 1 for a count above 0, else 0.
#[inline(always)]
fn occupied<C: Count>(count: C) -> f64 {
    if count.value() > 0.0 { 1.0 } else { 0.0 }
}

/// The entropy of `parts` positive counts, from their sum of `x log2 x`.
#[inline(always)]
fn entropy_of(sum: f64, parts: f64, node: &EntropyNode) -> f64 {
    if parts < 2.0 { 0.0 } else { -sum / node.n + node.log_n }
}

impl EntropyMeasure for Gain {
    type Parts = [f64; 1];
    type Look = [f64; 1];
    type Sums = [f64; 1];
    fn start(gain: f64) -> [f64; 1] {
        [gain]
    }
    #[inline(always)]
    fn open(_sums: [f64; 1]) -> [f64; 1] {
        [0.0]
    }
    #[inline(always)]
    fn class<C: Count>(count: C, logs: Logs, [sum]: &mut [f64; 1]) {
        *sum += count.x_log2_x(logs);
    }
    #[inline(always)]
    fn look<C: Count>(size: C, logs: Logs) -> [f64; 1] {
        [size.log2(logs)]
    }
    #[inline(always)]
    fn branch<C: Count>(size: C, [sum]: [f64; 1], [log]: [f64; 1], n: f64, [gain]: &mut [f64; 1]) {
        *gain -= branch_entropy(size, sum, log, n);
    }
    #[inline(always)]
    fn read([gain]: [f64; 1], _node: &EntropyNode) -> (f64, f64) {
        (gain, 0.0)
    }
    fn sum([sum]: [f64; 1]) -> f64 {
        sum
    }
}

impl EntropyMeasure for GainAndSplit {
    type Parts = [f64; 1];
    type Look = [f64; 2];
    type Sums = [f64; 3];
    fn start(gain: f64) -> [f64; 3] {
        [gain, 0.0, 0.0]
    }
    #[inline(always)]
    fn open(_sums: [f64; 3]) -> [f64; 1] {
        [0.0]
    }
    #[inline(always)]
    fn class<C: Count>(count: C, logs: Logs, [sum]: &mut [f64; 1]) {
        *sum += count.x_log2_x(logs);
    }
    #[inline(always)]
    fn look<C: Count>(size: C, logs: Logs) -> [f64; 2] {
        [size.log2(logs), size.x_log2_x(logs)]
    }
    #[inline(always)]
    fn branch<C: Count>(
        size: C,
        [sum]: [f64; 1],
        [log, whole]: [f64; 2],
        n: f64,
        [gain, sizes, branches]: &mut [f64; 3],
    ) {
        *gain -= branch_entropy(size, sum, log, n);
        *sizes += whole;
        *branches += occupied(size);
    }
    #[inline(always)]
    fn read([gain, sizes, branches]: [f64; 3], node: &EntropyNode) -> (f64, f64) {
        (gain, entropy_of(sizes, branches, node))
    }
    fn sum([sum]: [f64; 1]) -> f64 {
        sum
    }
}

/// The joint sum runs on from branch to branch, cell by cell.
impl EntropyMeasure for GainAndJoint {
    type Parts = [f64; 3];
    type Look = [f64; 1];
    type Sums = [f64; 3];
    fn start(gain: f64) -> [f64; 3] {
        [gain, 0.0, 0.0]
    }
    #[inline(always)]
    fn open([_gain, joint, cells]: [f64; 3]) -> [f64; 3] {
        [0.0, joint, cells]
    }
    #[inline(always)]
    fn class<C: Count>(count: C, logs: Logs, [sum, joint, cells]: &mut [f64; 3]) {
        let term = count.x_log2_x(logs);
        *sum += term;
        *joint += term;
        *cells += occupied(count);
    }
    #[inline(always)]
    fn look<C: Count>(size: C, logs: Logs) -> [f64; 1] {
        [size.log2(logs)]
    }
    #[inline(always)]
    fn branch<C: Count>(
        size: C,
        [sum, joint, cells]: [f64; 3],
        [log]: [f64; 1],
        n: f64,
        sums: &mut [f64; 3],
    ) {
        *sums = [sums[0] - branch_entropy(size, sum, log, n), joint, cells];
    }
    #[inline(always)]
    fn read([gain, joint, cells]: [f64; 3], node: &EntropyNode) -> (f64, f64) {
        (gain, entropy_of(joint, cells, node))
    }
    fn sum([sum, ..]: [f64; 3]) -> f64 {
        sum
    }
}

/// A criterion of the information family: a function of the gain and of one other entropy.
pub(super) trait OnEntropies: Properties {
    /// Which entropy is measured beside the gain.
    type Measure: EntropyMeasure;
    /// The loss of a leaf per bit of its entropy times its rows; `None` where leaves have no loss.
    const LOSS_PER_BIT: Option<f64> = None;
    /// The score; `declared` is the declared number of values of the feature.
    fn score(&self, gain: f64, other: f64, node: &EntropyNode, declared: u32) -> f64;
    /// The value from which the branches are subtracted for a distance.
    fn start_of_distance(&self, node: &EntropyNode) -> f64 {
        node.h
    }
    /// The distance.
    #[inline(always)]
    fn distance(&self, gain: f64, other: f64, node: &EntropyNode, declared: u32) -> f64 {
        1.0 - self.score(gain, other, node, declared)
    }
}

impl<E: OnEntropies> Additive for E {
    type Node = EntropyNode;
    type Parts = <E::Measure as EntropyMeasure>::Parts;
    type Look = <E::Measure as EntropyMeasure>::Look;
    type Sums = <E::Measure as EntropyMeasure>::Sums;
    const LOSS: bool = E::LOSS_PER_BIT.is_some();

    fn start(&self, node: &EntropyNode) -> Self::Sums {
        E::Measure::start(node.h)
    }

    fn start_of_distance(&self, node: &EntropyNode) -> Self::Sums {
        E::Measure::start(OnEntropies::start_of_distance(self, node))
    }

    #[inline(always)]
    fn open(&self, sums: Self::Sums) -> Self::Parts {
        E::Measure::open(sums)
    }

    #[inline(always)]
    fn look<C: Count>(&self, size: C, node: &EntropyNode) -> Self::Look {
        E::Measure::look(size, node.logs)
    }

    #[inline(always)]
    fn branch<C: Count>(
        &self,
        size: C,
        parts: Self::Parts,
        look: Self::Look,
        node: &EntropyNode,
        sums: &mut Self::Sums,
    ) {
        E::Measure::branch(size, parts, look, node.n, sums);
    }

    #[inline(always)]
    fn score(&self, sums: Self::Sums, node: &EntropyNode, declared: u32) -> f64 {
        let (gain, other) = E::Measure::read(sums, node);
        OnEntropies::score(self, gain, other, node, declared)
    }

    #[inline(always)]
    fn distance(&self, sums: Self::Sums, node: &EntropyNode, declared: u32) -> f64 {
        let (gain, other) = E::Measure::read(sums, node);
        OnEntropies::distance(self, gain, other, node, declared)
    }

    /// `n_m log2 n_m - sum_c n_mc log2 n_mc`, in the units of the criterion.
    fn loss<C: Count>(&self, size: C, parts: Self::Parts, node: &EntropyNode) -> f64 {
        let bits = size.x_log2_x(node.logs) - E::Measure::sum(parts);
        bits.max(0.0) * E::LOSS_PER_BIT.unwrap_or(0.0)
    }
}

impl<E: OnEntropies> OnClasses for E {
    fn node<C: Count>(&self, totals: &[C], context: &Context) -> EntropyNode {
        let (n, logs) = (total(totals), context.logs);
        let h = entropy(totals.iter().copied(), n, logs);
        let occurring = totals.iter().filter(|c| !c.is_empty()).count();
        let h_or_zero = if occurring < 2 { 0.0 } else { h };
        EntropyNode { n: n.as_divisor(), h, h_or_zero, log_n: n.log2(logs), logs }
    }

    #[inline(always)]
    fn class<C: Count>(&self, count: C, node: &EntropyNode, parts: &mut Self::Parts) {
        E::Measure::class(count, node.logs, parts);
    }
}

/// `gain / denominator`, 0 where the denominator is 0. A zero denominator means that the feature or
/// the class is constant, so the split has no value.
#[inline(always)]
pub(super) fn ratio(gain: f64, denominator: f64) -> f64 {
    if denominator > 0.0 { gain / denominator } else { 0.0 }
}

/// Entropy of the class totals of a block, as the gain starts with it. The sum runs in class order,
/// so that screens and exact scores start from the same bits.
#[inline]
pub(super) fn class_entropy<C: Count>(block: &Block<'_, C>) -> f64 {
    entropy(block.totals.iter().copied(), block.total(), block.context.logs)
}

/// The table of `c log2 c` if it is large enough for every count of a block of rows; `None` for
/// real weights, an empty node, or counts beyond the tables.
fn screenable<C: Count>(block: &Block<'_, C>) -> Option<&'static [f64]> {
    let table = block.context.logs.x_log2_x_table();
    let n = block.total().value();
    let rows = matches!(C::cells(block.totals), Cells::Rows(_));
    (rows && n > 0.0 && n < table.len() as f64).then_some(table)
}

/// Whether a block has real weights that can be screened: below a weight of 1 the bound on the
/// error would not hold.
fn is_screenable_by_weights<C: Count>(block: &Block<'_, C>) -> bool {
    matches!(C::cells(block.totals), Cells::Weights(_)) && block.total().value() >= 1.0
}

/// `sum_mc n_mc log2 n_mc - n_m log2 n_m` of real weights into `out`, `sum_m n_m log2 n_m` into
/// `sizes` if given.
fn add_quick<C: Count>(block: &Block<'_, C>, out: &mut [f64], mut sizes: Option<&mut [f64]>) {
    let (quick, level) = (QuickLog::new(), Level::active());
    let (mut size, mut logs) = ([0.0; LANES], [0.0; LANES]);
    for (step, out) in out.chunks_mut(LANES).enumerate() {
        let first = step * LANES;
        let (size, logs) = (&mut size[..out.len()], &mut logs[..out.len()]);
        out.fill(0.0);
        for branch in 0..block.branches {
            size.fill(0.0);
            for class in 0..block.classes {
                let Cells::Weights(weights) = C::cells(block.cell(branch, class)) else { continue };
                let weights = &weights[first..first + size.len()];
                quick.all_x_log2_x(level, weights, logs);
                for ((sum, size), (weight, log)) in
                    out.iter_mut().zip(&mut *size).zip(weights.iter().zip(&*logs))
                {
                    *size += weight;
                    *sum += log;
                }
            }
            quick.all_x_log2_x(level, size, logs);
            for (sum, whole) in out.iter_mut().zip(&*logs) {
                *sum -= whole;
            }
            if let Some(sizes) = sizes.as_deref_mut() {
                sizes[first..].iter_mut().zip(&*logs).for_each(|(sum, whole)| *sum += whole);
            }
        }
    }
}

/// Add `sum_c n_mc log2 n_mc - n_m log2 n_m` over the branches to `out`, for at most [`LANES`]
/// candidates, and `n_m log2 n_m` to `sizes` if given.
fn add_x_log2_x<C: Count>(
    block: &Block<'_, C>,
    table: &[f64],
    out: &mut [f64],
    mut sizes: Option<&mut [f64]>,
) {
    // The length is a power of two and counts are below it, so the mask changes none; it spares a
    // bounds check.
    let mask = table.len() - 1;
    let x_log2_x = |x: u32| table[x as usize & mask];
    let mut size = [0; LANES];
    let size = &mut size[..out.len()];
    for branch in 0..block.branches {
        // The caller has checked that counts are rows (`screenable`).
        let plane = |class| match C::cells(block.cell(branch, class)) {
            Cells::Rows(rows) => rows,
            Cells::Weights(_) | Cells::Moments(_) => &[],
        };
        if block.classes == 2 {
            let pairs = out.iter_mut().zip(plane(0).iter().zip(plane(1)));
            match sizes.as_deref_mut() {
                None => pairs.for_each(|(sum, (&x, &y))| {
                    *sum += x_log2_x(x) + x_log2_x(y) - x_log2_x(x + y);
                }),
                Some(sizes) => pairs.zip(sizes).for_each(|((sum, (&x, &y)), sizes)| {
                    let whole = x_log2_x(x + y);
                    *sum += x_log2_x(x) + x_log2_x(y) - whole;
                    *sizes += whole;
                }),
            }
            continue;
        }
        size.fill(0);
        for class in 0..block.classes {
            for ((sum, size), &count) in out.iter_mut().zip(&mut *size).zip(plane(class)) {
                *size += count;
                *sum += x_log2_x(count);
            }
        }
        match sizes.as_deref_mut() {
            None => {
                for (sum, &size) in out.iter_mut().zip(&*size) {
                    *sum -= x_log2_x(size);
                }
            }
            Some(sizes) => {
                for ((sum, sizes), &size) in out.iter_mut().zip(sizes).zip(&*size) {
                    *sum -= x_log2_x(size);
                    *sizes += x_log2_x(size);
                }
            }
        }
    }
}

/// Bound on the difference between a gain computed as `H(c) + (sum ...)/n` and by the fold. Both
/// are equal in exact arithmetic whatever the tabulated logarithms are, so only roundings count: at
/// most `m k + 2 m + k + 10` of them, none above `2^-53 log2 n` after division by n. The bound is
/// eight times that.
pub(super) fn gain_error(branches: usize, classes: usize, n: f64) -> f64 {
    let roundings = (branches * classes + 2 * branches + classes + 10) as f64;
    4.0 * f64::EPSILON * roundings * (1.0 + n.log2())
}

/// [`gain_error`] of a block.
fn error_of<C: Count>(block: &Block<'_, C>) -> f64 {
    gain_error(block.branches, block.classes, block.total().value())
}

/// Information gain without a division: `n gain = n H(c) + sum_mc n_mc log2 n_mc - sum_m n_m log2
/// n_m`, and a bound on the difference from the fold.
pub(super) fn screen_gains<C: Count>(block: &Block<'_, C>, out: &mut [f64]) -> Option<f64> {
    if is_screenable_by_weights(block) {
        let (h, share) = (class_entropy(block), 1.0 / block.total().value());
        add_quick(block, out, None);
        out.iter_mut().for_each(|gain| *gain = h + *gain * share);
        return Some(4.0 * error_of(block));
    }
    let table = screenable(block)?;
    let (h, share) = (class_entropy(block), 1.0 / block.total().value());
    for (step, out) in out.chunks_mut(LANES).enumerate() {
        out.fill(0.0);
        add_x_log2_x(&block.part(step * LANES, out.len()), table, out, None);
        for gain in out {
            *gain = h + *gain * share;
        }
    }
    Some(error_of(block))
}

/// Gain ratio with one division, and a bound on the difference from the gain ratio of the fold.
/// `None` if the counts cannot be screened, or if a split entropy is so close to 0 that the bound
/// would be useless.
pub(super) fn screen_gain_ratios<C: Count>(block: &Block<'_, C>, out: &mut [f64]) -> Option<f64> {
    if is_screenable_by_weights(block) {
        let n = block.total().value();
        let (n_h, whole) = (n * class_entropy(block), QuickLog::new().x_log2_x(n));
        let mut sizes = vec![0.0; out.len()];
        add_quick(block, out, Some(&mut sizes));
        let mut smallest = f64::INFINITY;
        for (ratio, sizes) in out.iter_mut().zip(&sizes) {
            let split = whole - sizes;
            smallest = if split < smallest { split } else { smallest };
            *ratio = (n_h + *ratio) / split;
        }
        // The bound would be useless where a split entropy is close to 0.
        return (smallest > 1e-3 * n.min(1.0)).then(|| 8.0 * error_of(block) * n / smallest);
    }
    let table = screenable(block)?;
    let n = block.total().value();
    let whole = table[n as usize];
    let n_h = n * class_entropy(block);
    let mut smallest = f64::INFINITY;
    let mut sizes = [0.0; LANES];
    for (step, out) in out.chunks_mut(LANES).enumerate() {
        let part = block.part(step * LANES, out.len());
        let sizes = &mut sizes[..out.len()];
        out.fill(0.0);
        sizes.fill(0.0);
        add_x_log2_x(&part, table, out, Some(sizes));
        for (ratio, sizes) in out.iter_mut().zip(sizes) {
            let split = whole - *sizes;
            // The smallest split entropy of two occupied branches, n H(1, n-1), is above log2 n.
            let divides = split > 0.5;
            smallest = if divides && split < smallest { split } else { smallest };
            *ratio = if divides { (n_h + *ratio) / split } else { 0.0 };
        }
    }
    // |a/b - a'/b'| <= (|a - a'| + |a'/b'| |b - b'|) / b, and the ratio is at most 1.
    Some(2.0 * error_of(block) * n / smallest.max(0.5))
}

/// Distances `1 - s` from scores. It serves criteria whose distance is one minus the score.
pub(super) fn one_minus(out: &mut [f64]) {
    for d in out {
        *d = 1.0 - *d;
    }
}

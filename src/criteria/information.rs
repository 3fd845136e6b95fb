//! Entropies of contingency tables, shared by every criterion of the information family.
//!
//! Rounding is part of the definition: an entropy of counts is `-(sum c log2 c)/n + log2 n` with
//! `log2 x = ln x / ln 2`, summed in class order (branch sizes: in value order; joint counts:
//! branch by branch, classes inside), and a gain starts at `H(c)`, from which `(n_m/n) H(c|m)` is
//! subtracted branch by branch. Whether an entropy is zero is decided on the counts (fewer than two
//! non-empty ones), not on the rounded value, so that no ratio ever divides noise by noise.
//!
//! One pass over the cells gives gain, split entropy and joint entropy of [`LANES`] candidates at a
//! time; inner loops run over candidates. O(branches x classes) a candidate, two divisions a
//! branch.

use super::{Block, Cells};
use crate::numeric::{Count, entropy};
use crate::simd::{Level, logs::QuickLog};

/// Candidates per step: the accumulators of one step stay in the first-level cache.
pub(super) const LANES: usize = 64;

/// Lanes of a step where a block has no more candidates, as when one is scored again.
const FEW: usize = 8;

/// What one pass has found for the candidates of a step, and further numbers that mean nothing.
pub(super) struct Pass<'a> {
    /// `start - sum_m n_m/n H(c|m)`.
    pub gain: &'a [f64],
    /// `H(m)`, 0 when fewer than two branches are occupied (only if asked for).
    pub split: &'a [f64],
    /// `H(m,c)`, 0 when fewer than two cells are occupied (only if asked for).
    pub joint: &'a [f64],
}

/// Entropy of the class totals of a block, as the gain starts with it.
#[inline]
pub(super) fn class_entropy<C: Count>(block: &Block<'_, C>) -> f64 {
    entropy(block.totals.iter().copied(), block.total(), block.context.logs)
}

/// [`class_entropy`] for denominators: exactly 0 when fewer than two classes occur.
pub(super) fn class_entropy_or_zero<C: Count>(block: &Block<'_, C>) -> f64 {
    let occupied = block.totals.iter().filter(|c| !c.is_empty()).count();
    if occupied < 2 { 0.0 } else { class_entropy(block) }
}

/// Of one branch of up to `L` candidates: its rows, the sum of `c log2 c` over its classes,
/// and the logarithm of its rows.
#[inline(always)]
fn look_up<C: Count, const L: usize>(
    block: &Block<'_, C>,
    branch: usize,
    (at, len): (usize, usize),
    size: &mut [C; L],
    [sum, log]: [&mut [f64; L]; 2],
) {
    let logs = block.context.logs;
    if block.classes == 2 {
        let (zero, one) =
            (&block.cell(branch, 0)[at..at + len], &block.cell(branch, 1)[at..at + len]);
        for j in 0..len {
            size[j] = zero[j].plus(one[j]);
            sum[j] = zero[j].x_log2_x(logs) + one[j].x_log2_x(logs);
            log[j] = size[j].log2(logs);
        }
    } else {
        size[..len].fill(C::default());
        sum[..len].fill(0.0);
        for c in 0..block.classes {
            let counts = &block.cell(branch, c)[at..at + len];
            for j in 0..len {
                size[j] = size[j].plus(counts[j]);
                sum[j] += counts[j].x_log2_x(logs);
            }
        }
        for j in 0..len {
            log[j] = size[j].log2(logs);
        }
    }
}

/// Add `c log2 c` over the classes of one branch of up to `L` candidates, and how many of them
/// occur.
#[inline(always)]
fn add_cells<C: Count, const L: usize>(
    block: &Block<'_, C>,
    branch: usize,
    (at, len): (usize, usize),
    joint: &mut [f64; L],
    occupied: &mut [u32; L],
) {
    for c in 0..block.classes {
        let counts = &block.cell(branch, c)[at..at + len];
        for j in 0..len {
            joint[j] += counts[j].x_log2_x(block.context.logs);
            occupied[j] += u32::from(!counts[j].is_empty());
        }
    }
}

/// Walk a block that holds rows, [`LANES`] candidates a step, and hand each step to `each` with the
/// number of its first candidate. An empty node has all entropies 0.
pub(super) fn pass<C: Count, const SPLIT: bool, const JOINT: bool>(
    block: &Block<'_, C>,
    start: f64,
    each: impl FnMut(usize, usize, &Pass<'_>),
) {
    if block.len <= FEW {
        walk::<C, SPLIT, JOINT, FEW>(block, start, each);
    } else {
        walk::<C, SPLIT, JOINT, LANES>(block, start, each);
    }
}

fn walk<C: Count, const SPLIT: bool, const JOINT: bool, const L: usize>(
    block: &Block<'_, C>,
    start: f64,
    mut each: impl FnMut(usize, usize, &Pass<'_>),
) {
    let (total, logs) = (block.total(), block.context.logs);
    let n = total.value();
    let log_n = total.log2(logs);
    let (mut gain, mut split, mut joint) = ([0.0; L], [0.0; L], [0.0; L]);
    let mut size = [C::default(); L];
    let (mut sum, mut log) = ([0.0; L], [0.0; L]);
    let mut branches = [0u32; L];
    let mut cells = [0u32; L];
    for at in (0..block.len).step_by(L) {
        let len = L.min(block.len - at);
        if total.is_empty() {
            gain.fill(0.0);
            each(at, len, &Pass { gain: &gain, split: &split, joint: &joint });
            continue;
        }
        gain.fill(start);
        if SPLIT {
            split.fill(0.0);
            branches.fill(0);
        }
        if JOINT {
            joint.fill(0.0);
            cells.fill(0);
        }
        for m in 0..block.branches {
            // Table look-ups first, arithmetic after: so the divisions vectorise.
            look_up(block, m, (at, len), &mut size, [&mut sum, &mut log]);
            for j in 0..len {
                // An empty branch subtracts 0 * (-0/1 + 0): nothing.
                gain[j] -= size[j].value() / n * (-sum[j] / size[j].or_one() + log[j]);
            }
            if SPLIT {
                for j in 0..len {
                    split[j] += size[j].x_log2_x(logs);
                    branches[j] += u32::from(!size[j].is_empty());
                }
            }
            if JOINT {
                add_cells(block, m, (at, len), &mut joint, &mut cells);
            }
        }
        for j in 0..len {
            if SPLIT {
                split[j] = if branches[j] < 2 { 0.0 } else { -split[j] / n + log_n };
            }
            if JOINT {
                joint[j] = if cells[j] < 2 { 0.0 } else { -joint[j] / n + log_n };
            }
        }
        each(at, len, &Pass { gain: &gain, split: &split, joint: &joint });
    }
}

/// `start - sum_m n_m/n H(c|m)` of every candidate.
pub(super) fn gains<C: Count>(block: &Block<'_, C>, start: f64, out: &mut [f64]) {
    pass::<C, false, false>(block, start, |at, len, step| {
        out[at..at + len].copy_from_slice(&step.gain[..len]);
    });
}

/// `gain / denominator(H(m))`, 0 where the denominator is 0.
pub(super) fn gain_over_split<C: Count>(
    block: &Block<'_, C>,
    out: &mut [f64],
    denominator: impl Fn(f64) -> f64,
) {
    pass::<C, true, false>(block, class_entropy(block), |at, len, step| {
        for ((s, &gain), &split) in out[at..at + len].iter_mut().zip(step.gain).zip(step.split) {
            let d = denominator(split);
            *s = if d > 0.0 { gain / d } else { 0.0 };
        }
    });
}

/// The table of `c log2 c` if it is large enough for every count of a block of rows; `None` for
/// real weights, an empty node, or counts beyond the tables.
fn screenable<C: Count>(block: &Block<'_, C>) -> Option<&'static [f64]> {
    let table = block.context.logs.x_log2_x_table();
    let n = block.total().value();
    let rows = matches!(C::cells(block.totals), Cells::Rows(_));
    (rows && n > 0.0 && n < table.len() as f64).then_some(table)
}

/// True for a block of real weights that can be screened: below a weight of 1 the bound on the
/// error would not hold.
fn weighable<C: Count>(block: &Block<'_, C>) -> bool {
    matches!(C::cells(block.totals), Cells::Weights(_)) && block.total().value() >= 1.0
}

/// `sum_mc n_mc log2 n_mc - n_m log2 n_m` of real weights into `out`, `sum_m n_m log2 n_m` into
/// `sizes` if given.
fn add_quick<C: Count>(block: &Block<'_, C>, out: &mut [f64], mut sizes: Option<&mut [f64]>) {
    let (quick, level) = (QuickLog::new(), Level::active());
    let (mut size, mut logs) = ([0.0; LANES], [0.0; LANES]);
    for (step, out) in out.chunks_mut(LANES).enumerate() {
        let at = step * LANES;
        let (size, logs) = (&mut size[..out.len()], &mut logs[..out.len()]);
        out.fill(0.0);
        for branch in 0..block.branches {
            size.fill(0.0);
            for c in 0..block.classes {
                let Cells::Weights(weights) = C::cells(block.cell(branch, c)) else { continue };
                let weights = &weights[at..at + size.len()];
                quick.all_x_log2_x(level, weights, logs);
                for ((s, z), (x, log)) in
                    out.iter_mut().zip(&mut *size).zip(weights.iter().zip(&*logs))
                {
                    *z += x;
                    *s += log;
                }
            }
            quick.all_x_log2_x(level, size, logs);
            for (s, whole) in out.iter_mut().zip(&*logs) {
                *s -= whole;
            }
            if let Some(sizes) = sizes.as_deref_mut() {
                sizes[at..].iter_mut().zip(&*logs).for_each(|(sum, whole)| *sum += whole);
            }
        }
    }
}

/// Add `sum_c n_mc log2 n_mc - n_m log2 n_m` over branches to `out`, at most [`LANES`] candidates,
/// and `n_m log2 n_m` to `sizes` if given.
fn add_x_log2_x<C: Count>(
    block: &Block<'_, C>,
    table: &[f64],
    out: &mut [f64],
    mut sizes: Option<&mut [f64]>,
) {
    // The length is a power of two and counts are below it: the mask changes none, but it spares a
    // comparison for each look-up.
    let mask = table.len() - 1;
    let at = |x: u32| table[x as usize & mask];
    let mut size = [0; LANES];
    let size = &mut size[..out.len()];
    for branch in 0..block.branches {
        let plane = |c| match C::cells(block.cell(branch, c)) {
            Cells::Rows(rows) => rows,
            Cells::Weights(_) => &[],
        };
        if block.classes == 2 {
            let pairs = out.iter_mut().zip(plane(0).iter().zip(plane(1)));
            match sizes.as_deref_mut() {
                None => pairs.for_each(|(s, (&x, &y))| *s += at(x) + at(y) - at(x + y)),
                Some(sizes) => pairs.zip(sizes).for_each(|((s, (&x, &y)), sum)| {
                    let whole = at(x + y);
                    *s += at(x) + at(y) - whole;
                    *sum += whole;
                }),
            }
            continue;
        }
        size.fill(0);
        for c in 0..block.classes {
            for ((s, z), &x) in out.iter_mut().zip(&mut *size).zip(plane(c)) {
                *z += x;
                *s += at(x);
            }
        }
        match sizes.as_deref_mut() {
            None => {
                for (s, &z) in out.iter_mut().zip(&*size) {
                    *s -= at(z);
                }
            }
            Some(sizes) => {
                for ((s, sum), &z) in out.iter_mut().zip(sizes).zip(&*size) {
                    *s -= at(z);
                    *sum += at(z);
                }
            }
        }
    }
}

/// Bound on the difference between a gain computed as `H(c) + (sum ...)/n` and as [`gains`] does
/// it: both are equal in exact arithmetic whatever the tabulated logarithms are, so only roundings
/// count, at most `m k + 2 m + k + 10` of them, none above `2^-53 log2 n` after division by n.
/// Eight times that.
pub(super) fn gain_error(branches: usize, classes: usize, n: f64) -> f64 {
    let roundings = (branches * classes + 2 * branches + classes + 10) as f64;
    4.0 * f64::EPSILON * roundings * (1.0 + n.log2())
}

/// [`gain_error`] of a block.
fn error_of<C: Count>(block: &Block<'_, C>) -> f64 {
    gain_error(block.branches, block.classes, block.total().value())
}

/// Information gain without a division: `n gain = n H(c) + sum_mc n_mc log2 n_mc - sum_m n_m log2
/// n_m`, and a bound on the difference from [`gains`].
pub(super) fn screen_gains<C: Count>(block: &Block<'_, C>, out: &mut [f64]) -> Option<f64> {
    if weighable(block) {
        let (h, share) = (class_entropy(block), 1.0 / block.total().value());
        add_quick(block, out, None);
        out.iter_mut().for_each(|s| *s = h + *s * share);
        return Some(4.0 * error_of(block));
    }
    let table = screenable(block)?;
    let (h, share) = (class_entropy(block), 1.0 / block.total().value());
    for (step, out) in out.chunks_mut(LANES).enumerate() {
        out.fill(0.0);
        add_x_log2_x(&block.part(step * LANES, out.len()), table, out, None);
        for s in out {
            *s = h + *s * share;
        }
    }
    Some(error_of(block))
}

/// Gain ratio with one division, and a bound on the difference from the ratio of what [`pass`]
/// gives.
pub(super) fn screen_gain_ratios<C: Count>(block: &Block<'_, C>, out: &mut [f64]) -> Option<f64> {
    if weighable(block) {
        let n = block.total().value();
        let (n_h, whole) = (n * class_entropy(block), QuickLog::new().x_log2_x(n));
        let mut sizes = vec![0.0; out.len()];
        add_quick(block, out, Some(&mut sizes));
        let mut smallest = f64::INFINITY;
        for (s, z) in out.iter_mut().zip(&sizes) {
            let split = whole - z;
            smallest = if split < smallest { split } else { smallest };
            *s = (n_h + *s) / split;
        }
        // Splits that are next to nothing are left to the exact formula.
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
        for (s, z) in out.iter_mut().zip(sizes) {
            let split = whole - *z;
            // The smallest split entropy of two occupied branches, n H(1, n-1), is above log2 n.
            let divides = split > 0.5;
            smallest = if divides && split < smallest { split } else { smallest };
            *s = if divides { (n_h + *s) / split } else { 0.0 };
        }
    }
    // |a/b - a'/b'| <= (|a - a'| + |a'/b'| |b - b'|) / b, and the ratio is at most 1.
    Some(2.0 * error_of(block) * n / smallest.max(0.5))
}

/// Distances `1 - s` from scores.
pub(super) fn one_minus(out: &mut [f64]) {
    for d in out {
        *d = 1.0 - *d;
    }
}

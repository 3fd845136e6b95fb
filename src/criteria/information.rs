//! Entropies of contingency tables, shared by every criterion of the information family.
//!
//! Rounding is part of the definition: an entropy of counts is `-(sum c log2 c)/n + log2 n` with
//! `log2 x = ln x / ln 2`, summed in class order (branch sizes: in value order; joint counts: branch by
//! branch, classes inside), and a gain starts at `H(c)`, from which `(n_m/n) H(c|m)` is subtracted branch
//! by branch. Whether an entropy is zero is decided on the counts (fewer than two non-empty ones), not on
//! the rounded value, so that no ratio ever divides noise by noise.
//!
//! One pass over the cells gives gain, split entropy and joint entropy of [`LANES`] candidates at a time;
//! inner loops run over candidates. O(branches x classes) a candidate, two divisions a branch.

use super::Block;
use crate::numeric::{Count, entropy};

/// Candidates per step: the accumulators of one step stay in the first-level cache.
pub(super) const LANES: usize = 64;

/// What one pass has found for up to [`LANES`] candidates.
pub(super) struct Pass {
    /// `start - sum_m n_m/n H(c|m)`.
    pub gain: [f64; LANES],
    /// `H(m)`, 0 when fewer than two branches are occupied (only if asked for).
    pub split: [f64; LANES],
    /// `H(m,c)`, 0 when fewer than two cells are occupied (only if asked for).
    pub joint: [f64; LANES],
}

/// Entropy of the class totals of a block, as the gain starts with it.
#[inline]
pub(super) fn class_entropy<C: Count>(block: &Block<'_, C>) -> f64 {
    entropy(
        block.totals.iter().copied(),
        block.total(),
        block.context.logs,
    )
}

/// [`class_entropy`] for denominators: exactly 0 when fewer than two classes occur.
pub(super) fn class_entropy_or_zero<C: Count>(block: &Block<'_, C>) -> f64 {
    let occupied = block.totals.iter().filter(|c| !c.is_empty()).count();
    if occupied < 2 {
        0.0
    } else {
        class_entropy(block)
    }
}

/// Walk a block that holds rows, [`LANES`] candidates a step, and hand each step to `each` with the
/// number of its first candidate. An empty node has all entropies 0.
pub(super) fn pass<C: Count, const SPLIT: bool, const JOINT: bool>(
    block: &Block<'_, C>,
    start: f64,
    mut each: impl FnMut(usize, usize, &Pass),
) {
    let (total, logs) = (block.total(), block.context.logs);
    let n = total.value();
    let log_n = total.log2(logs);
    let mut step = Pass {
        gain: [0.0; LANES],
        split: [0.0; LANES],
        joint: [0.0; LANES],
    };
    let mut size = [C::default(); LANES];
    let mut sum = [0.0; LANES];
    let mut branches = [0u32; LANES];
    let mut cells = [0u32; LANES];
    for at in (0..block.len).step_by(LANES) {
        let len = LANES.min(block.len - at);
        if total.is_empty() {
            step.gain.fill(0.0);
            each(at, len, &step);
            continue;
        }
        step.gain.fill(start);
        if SPLIT {
            step.split.fill(0.0);
            branches.fill(0);
        }
        if JOINT {
            step.joint.fill(0.0);
            cells.fill(0);
        }
        for m in 0..block.branches {
            size[..len].fill(C::default());
            sum[..len].fill(0.0);
            for c in 0..block.classes {
                let counts = &block.cell(m, c)[at..at + len];
                for j in 0..len {
                    let x = counts[j].x_log2_x(logs);
                    size[j] = size[j].plus(counts[j]);
                    sum[j] += x;
                    if JOINT {
                        step.joint[j] += x;
                        cells[j] += u32::from(!counts[j].is_empty());
                    }
                }
            }
            for j in 0..len {
                // An empty branch subtracts 0 * (-0/1 + 0): nothing.
                let weight = size[j].value() / n;
                step.gain[j] -= weight * (-sum[j] / size[j].or_one() + size[j].log2(logs));
                if SPLIT {
                    step.split[j] += size[j].x_log2_x(logs);
                    branches[j] += u32::from(!size[j].is_empty());
                }
            }
        }
        for j in 0..len {
            if SPLIT {
                step.split[j] = if branches[j] < 2 {
                    0.0
                } else {
                    -step.split[j] / n + log_n
                };
            }
            if JOINT {
                step.joint[j] = if cells[j] < 2 {
                    0.0
                } else {
                    -step.joint[j] / n + log_n
                };
            }
        }
        each(at, len, &step);
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
        for ((s, &gain), &split) in out[at..at + len]
            .iter_mut()
            .zip(&step.gain)
            .zip(&step.split)
        {
            let d = denominator(split);
            *s = if d > 0.0 { gain / d } else { 0.0 };
        }
    });
}

/// Distances `1 - s` from scores.
pub(super) fn one_minus(out: &mut [f64]) {
    for d in out {
        *d = 1.0 - *d;
    }
}

//! How measures made for two branches, or for two classes, serve more of them.
//!
//! *Branch against rest*: a measure of two branches on m > 2 of them is the mean over branches of the branch
//! against all others together, with weights n_m/n (euclid, angle, orthogonality, twoing). *Class against
//! rest*: a measure of two classes on k > 2 of them is the mean over classes of the class against all others,
//! with weights n_c/n (hellinger, auc). Every measure needs at most one of the two: the first family is
//! defined for any number of classes, the second for any number of branches.
//!
//! With exactly two branches (classes) the measure is taken once, as it is defined. A side without rows says
//! nothing and has the measure's neutral value. O(branches x classes), resp. O(branches x classes) calls.

use super::Block;
use crate::numeric::Count;

/// One side of a comparison: class counts and their sum.
pub(super) struct Side<'a> {
    /// Rows of each class.
    pub counts: &'a [f64],
    /// Rows.
    pub size: f64,
}

/// `measure(branch, rest)` of every candidate; 0 where a side is empty.
pub(super) fn branch_against_rest<C: Count>(
    block: &Block<'_, C>,
    out: &mut [f64],
    measure: impl Fn(Side<'_>, Side<'_>) -> f64,
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
                outside[c] = if two {
                    block.at(1, c, j)
                } else {
                    block.totals[c].minus(x)
                }
                .value();
                size += inside[c];
                rest += outside[c];
            }
            if size > 0.0 && rest > 0.0 {
                let value = measure(
                    Side {
                        counts: &inside,
                        size,
                    },
                    Side {
                        counts: &outside,
                        size: rest,
                    },
                );
                *s += if two { value } else { size / n * value };
            }
        }
    }
}

/// One branch as a two-class problem sees it.
#[derive(Clone, Copy)]
pub(super) struct Share {
    /// Rows of the positive class.
    pub positive: f64,
    /// All other rows.
    pub negative: f64,
}

/// `measure(branches, positives, negatives)` of every candidate; `neutral` where a class has no counterpart.
/// With two classes the second is the positive.
pub(super) fn class_against_rest<C: Count>(
    block: &Block<'_, C>,
    out: &mut [f64],
    neutral: f64,
    measure: impl Fn(&mut [Share], f64, f64) -> f64,
) {
    let n = block.total().value();
    let occupied = block.totals.iter().filter(|c| !c.is_empty()).count();
    if occupied < 2 {
        out.fill(neutral);
        return;
    }
    let two = block.classes == 2;
    let mut shares = vec![
        Share {
            positive: 0.0,
            negative: 0.0
        };
        block.branches
    ];
    for (j, s) in out.iter_mut().enumerate() {
        *s = 0.0;
        for c in usize::from(two)..block.classes {
            let positives = block.totals[c].value();
            if positives == 0.0 {
                continue;
            }
            for (m, share) in shares.iter_mut().enumerate() {
                let positive = block.at(m, c, j);
                let negative = if two {
                    block.at(m, 0, j)
                } else {
                    block.branch_total(m, j).minus(positive)
                };
                *share = Share {
                    positive: positive.value(),
                    negative: negative.value(),
                };
            }
            let value = measure(&mut shares, positives, n - positives);
            *s += if two { value } else { positives / n * value };
        }
    }
}

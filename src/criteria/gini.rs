//! Gini: decrease of the impurity `1 - sum p_c^2` (Breiman, Friedman, Olshen & Stone 1984).
//!
//! Computed as `(sum_m (sum_c n_mc^2) / n_m) r - ((sum_c n_c^2) / n) r` with `r = 1 / n`: the
//! impurity before the split minus the impurity after it, with the ones cancelled; sums in value
//! and class order, empty branches skipped. Squares of counts are exact below 2^53. O(branches x
//! classes) a candidate, one division a branch. Not symmetric in branches and classes. Prefers
//! splits that isolate one class (as `twoing` does not) and, like the gain, features with many
//! values.

use super::information::LANES;
use super::rows::RowOf;
use super::{Block, Formula, Info, PairScreen, Properties, RunningScores, Term, running};
use crate::numeric::Count;
use crate::simd::cuts;
use serde::{Deserialize, Serialize};

/// Products of two counts are exact in double precision up to here.
const EXACT_PRODUCTS: f64 = (1u64 << 26) as f64;

/// Gini; no options.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gini {}

pub(super) static INFO: Info = Info {
    name: "gini",
    class_name: "Gini",
    summary: "Decrease of the Gini impurity.",
    formula: r"\sum_m \frac{n_m}{n} \sum_c p_{c|m}^2 - \sum_c p_c^2",
    distance: r"\sum_m \frac{n_m}{n} \left(1 - \sum_c p_{c|m}^2\right)",
    source: "Breiman, Friedman, Olshen & Stone, Classification and Regression Trees (1984)",
    convex: true,
    fractional: true,
    example_score: 0.11632653061224485,
    ..Info::ON_TABLES
};

/// `(sum_m (sum_c n_mc^2) / n_m) (1 / n)`: one minus the impurity after the split; 1 for an empty
/// node.
fn purities<C: Count>(block: &Block<'_, C>, out: &mut [f64]) {
    let n = block.total().value();
    if n == 0.0 {
        out.fill(1.0);
        return;
    }
    let share = 1.0 / n;
    let mut size = [C::default(); LANES];
    let mut squares = [0.0; LANES];
    for (step, out) in out.chunks_mut(LANES).enumerate() {
        let (at, len) = (step * LANES, out.len());
        out.fill(0.0);
        for m in 0..block.branches {
            if block.classes == 2 {
                let (zero, one) =
                    (&block.cell(m, 0)[at..at + len], &block.cell(m, 1)[at..at + len]);
                for ((p, x), y) in out.iter_mut().zip(zero).zip(one) {
                    let (x, y) = (x.value(), y.value());
                    *p += (x * x + y * y) / (x + y).or_one();
                }
                continue;
            }
            if let [p] = out {
                let (mut size, mut squares) = (C::default(), 0.0);
                for c in 0..block.classes {
                    let x = block.cell(m, c)[at];
                    size = size.plus(x);
                    squares += x.value() * x.value();
                }
                *p += squares / size.or_one();
                continue;
            }
            let counts = &block.cell(m, 0)[at..at + len];
            for ((z, q), &x) in size.iter_mut().zip(&mut squares).zip(counts) {
                *z = x;
                *q = x.value() * x.value();
            }
            for c in 1..block.classes {
                let counts = &block.cell(m, c)[at..at + len];
                for ((z, q), &x) in size.iter_mut().zip(&mut squares).zip(counts) {
                    *z = z.plus(x);
                    *q += x.value() * x.value();
                }
            }
            for ((p, &z), &q) in out.iter_mut().zip(&size).zip(&squares) {
                *p += q / z.or_one();
            }
        }
        for p in out {
            *p *= share;
        }
    }
}

impl Properties for Gini {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn running_scores(&self) -> Option<RunningScores> {
        Some(RunningScores {
            term: Term::Squares,
            scores: running::gini,
            bound: Some(running::gini_bound),
        })
    }

    fn pair_screen(&self) -> Option<PairScreen> {
        Some(PairScreen { scores: cuts::gini, error: cuts::GINI_ERROR })
    }

    /// Two branches, two classes: `2 det^2 / (n^2 n_L n_R)` with `det = n_L0 n_R1 - n_L1 n_R0`: one
    /// division where the definition has two. `det` is exact up to 2^26 rows, and off by less than
    /// `2^-52 n_L n_R` for real weights.
    fn screen_block<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) -> Option<f64> {
        let n = block.total().value();
        if block.branches != 2 || block.classes != 2 || !(1.0..=EXACT_PRODUCTS).contains(&n) {
            return None;
        }
        let plane = |m, c| &block.cell(m, c)[..out.len()];
        let (left_0, left_1, right_0, right_1) =
            (plane(0, 0), plane(0, 1), plane(1, 0), plane(1, 1));
        let scale = 2.0 / (n * n);
        for (j, s) in out.iter_mut().enumerate() {
            let (a, b) = (left_0[j].value(), left_1[j].value());
            let (c, d) = (right_0[j].value(), right_1[j].value());
            let det = a * d - b * c;
            *s = det * det / ((a + b) * (c + d)).or_one() * scale;
        }
        // Score: at most 12 roundings of numbers not above 1; here 5 more, of a number not above
        // 1/2.
        Some(16.0 * f64::EPSILON)
    }
}

impl Formula for Gini {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let n = block.total().value();
        purities(block, out);
        let squares: f64 = block.totals.iter().map(|c| c.value() * c.value()).sum();
        let before = if n > 0.0 { squares / n * (1.0 / n) } else { 1.0 };
        for s in out {
            *s -= before;
        }
    }

    /// Weighted impurity after the split.
    fn distance<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        purities(block, out);
        for d in out {
            *d = 1.0 - *d;
        }
    }

    fn row_terms<C: Count>(&self, row: &RowOf<'_, C>, out: &mut [f64]) -> bool {
        let share = 1.0 / row.total().or_one();
        out.fill(0.0);
        row.add_each_class(out, |x| x.value() * x.value());
        let (before, sizes) = row.size();
        for (t, &z) in out.iter_mut().zip(sizes) {
            let size = before.plus(z);
            *t = (size.value() - *t / size.or_one()) * share;
        }
        true
    }
}

//! Gini: decrease of the impurity `1 - sum p_c^2` (Breiman, Friedman, Olshen & Stone 1984).
//!
//! Computed as `sum_m (sum_c n_mc^2 / n_m) / n - sum_c n_c^2 / n^2`: the impurity before the split
//! minus the impurity after it, with the ones cancelled. Squares of counts are exact below 2^53.
//! O(branches x classes) a candidate. Not symmetric in branches and classes.

use super::{Block, Evidence, Formula, Info};
use crate::numeric::Count;
use serde::{Deserialize, Serialize};

/// Gini; no options.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gini {}

pub(super) static INFO: Info = Info {
    name: "gini",
    aliases: &[],
    class_name: "Gini",
    summary: "Decrease of the Gini impurity.",
    formula: r"\sum_m \frac{n_m}{n} \sum_c p_{c|m}^2 - \sum_c p_c^2",
    distance: r"\sum_m \frac{n_m}{n} \left(1 - \sum_c p_{c|m}^2\right)",
    source: "Breiman, Friedman, Olshen & Stone, Classification and Regression Trees (1984)",
    evidence: Evidence::Table,
    lowest: Some(0.0),
    highest: Some(1.0),
    symmetric: false,
    branch_invariant: true,
    class_invariant: true,
    metric: false,
    convex: true,
    fractional: true,
    options: &[],
    example: &[&[2, 3], &[4, 0], &[3, 2]],
    example_score: 0.116_326_530_612_244_9,
};

/// `sum_m (sum_c n_mc^2) / n_m / n`: one minus the impurity after the split.
#[inline]
fn purity<C: Count>(block: &Block<'_, C>, candidate: usize, n: f64) -> f64 {
    let mut purity = 0.0;
    for m in 0..block.branches {
        let (mut size, mut squares) = (0.0, 0.0);
        for c in block.branch(m, candidate) {
            size += c.value();
            squares += c.value() * c.value();
        }
        if size > 0.0 {
            purity += squares / size;
        }
    }
    purity / n
}

impl Formula for Gini {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let n = block.total().value();
        if n == 0.0 {
            out.fill(0.0);
            return;
        }
        let before: f64 = block.totals.iter().map(|c| c.value() * c.value()).sum::<f64>() / n / n;
        for (j, s) in out.iter_mut().enumerate() {
            *s = purity(block, j, n) - before;
        }
    }

    /// Weighted impurity after the split.
    fn distance<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let n = block.total().value();
        for (j, d) in out.iter_mut().enumerate() {
            *d = if n == 0.0 { 0.0 } else { 1.0 - purity(block, j, n) };
        }
    }
}

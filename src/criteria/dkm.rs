//! DKM: decrease of the impurity `2 sqrt(q (1 - q))`, q the share of the majority class
//! (Dietterich, Kearns & Mansour 1996).
//!
//! With more than two classes q is taken as at least 1/2, where the impurity is 1. Score: impurity
//! of the node minus the weighted impurity of its branches. More sharply curved at pure nodes than
//! entropy and Gini, which is what the boosting bound of the paper needs; it cannot tell apart
//! splits of nodes without an absolute majority. O(branches x classes), one square root a branch.

use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;
use serde::{Deserialize, Serialize};

/// DKM; no options.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dkm {}

pub(super) static INFO: Info = Info {
    name: "dkm",
    class_name: "Dkm",
    summary: "Decrease of twice the geometric mean of majority and minority share.",
    formula: r"G(c) - \sum_m \frac{n_m}{n} G(c \mid m), \; G = 2 \sqrt{q (1 - q)}",
    source: "Dietterich, Kearns & Mansour, Applying the weak learning framework, ICML (1996)",
    example_score: 0.2584606352761446,
    ..Info::ON_TABLES
};

/// `2 sqrt(q (1 - q))` with q the majority share, at least 1/2.
#[inline]
fn impurity<C: Count>(counts: impl Iterator<Item = C>, size: f64) -> f64 {
    let most = counts.fold(0.0, |a: f64, c| a.max(c.value()));
    let q = (most / size).clamp(0.5, 1.0);
    2.0 * (q * (1.0 - q)).sqrt()
}

impl Properties for Dkm {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn breiman_order(&self) -> bool {
        // The impurity is concave in the shares.
        true
    }
}

impl Formula for Dkm {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let n = block.total().value();
        if n == 0.0 {
            out.fill(0.0);
            return;
        }
        let before = impurity(block.totals.iter().copied(), n);
        for (j, s) in out.iter_mut().enumerate() {
            *s = before;
            for m in 0..block.branches {
                let size = block.branch_total(m, j).value();
                if size > 0.0 {
                    *s -= size / n * impurity(block.branch(m, j), size);
                }
            }
        }
    }
}

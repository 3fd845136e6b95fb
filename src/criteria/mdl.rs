//! Minimum description length of the classes: `(Prior - Post)/n`, in bits a row (Kononenko 1995).
//!
//! `Prior = log2 (n! / prod n_c!) + log2 C(n + k - 1, k - 1)`: the bits to name one arrangement of
//! the classes and the class counts themselves; `Post` is the same summed over branches. k =
//! declared classes. An empty branch costs nothing. The score may be negative: then the split is
//! not worth its description, which makes `min_score=0` a natural stop.
//!
//! O(branches x classes); factorials from a table (counts) or the log-gamma function (real
//! weights). It resists many-valued features better than the gain, at the price of preferring none
//! at all in small nodes.

use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;
use serde::{Deserialize, Serialize};

/// MDL; no options.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mdl {}

pub(super) static INFO: Info = Info {
    name: "mdl",
    class_name: "Mdl",
    summary: "Saved bits a row when the classes are described branch by branch.",
    formula: concat!(
        r"\frac{1}{n} \left(L(n_c) - \sum_m L(n_{mc})\right), \; L = \log_2 \frac{n!}{\prod ",
        r"n_c!} + \log_2 \binom{n + k - 1}{k - 1}",
    ),
    source: "Kononenko, On biases in estimating multi-valued attributes, IJCAI (1995)",
    lowest: None,
    highest: None,
    example_score: 0.05274339773857901,
    ..Info::ON_TABLES
};

/// Bits to describe the classes of `size` rows with these class counts.
#[inline]
fn length<C: Count>(
    counts: impl Iterator<Item = C>,
    size: C,
    classes: C,
    k: usize,
    block: &Block<'_, C>,
) -> f64 {
    let logs = block.context.logs;
    if size.is_empty() {
        return 0.0;
    }
    // log2 n! - sum log2 n_c! + log2 (n+k-1)! - log2 n! - log2 (k-1)!, with log2 n! cancelled.
    let arranged: f64 = counts.map(|c| c.log2_factorial(logs)).sum();
    size.plus(classes).log2_factorial(logs)
        - crate::numeric::log2_factorial((k - 1) as f64)
        - arranged
}

impl Properties for Mdl {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl Formula for Mdl {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let (total, k) = (block.total(), block.classes);
        if total.is_empty() {
            out.fill(0.0);
            return;
        }
        let others = C::from_u32(k as u32 - 1);
        let prior = length(block.totals.iter().copied(), total, others, k, block);
        for (j, s) in out.iter_mut().enumerate() {
            let mut saved = prior;
            for m in 0..block.branches {
                saved -= length(block.branch(m, j), block.branch_total(m, j), others, k, block);
            }
            *s = saved / total.value();
        }
    }
}

//! Laplace-corrected accuracy: `sum_m n_m/n (max_c n_mc + 1) / (n_m + k)` (Niblett & Bratko 1986;
//! CN2).
//!
//! k is the number of declared classes, whether or not they occur in the node. The score is the
//! expected accuracy of majority labels under a uniform prior over classes, so small pure branches
//! count for less than large ones. Like every accuracy it depends only on the size of each branch
//! and of its largest class. O(branches x classes).

use super::fold::{Additive, OnClasses, raise_to, total};
use super::{Context, Info, LossRise, Properties};
use crate::numeric::Count;

/// Laplace accuracy; no options.
#[derive(Debug)]
pub struct Laplace;

pub(super) static INFO: Info = Info {
    name: "laplace",
    class_name: "Laplace",
    summary: "Expected accuracy of the branches' majority classes under a uniform prior.",
    formula: r"\sum_m \frac{n_m}{n} \frac{\max_c n_{mc} + 1}{n_m + k}",
    source: "clark1991",
    example_score: 0.6462585034013605,
    ..Info::TABLE_DEFAULTS
};

impl Properties for Laplace {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn loss_rise(&self) -> LossRise {
        LossRise::PerWeight(1.0)
    }

    fn reads_declared_classes(&self) -> bool {
        true
    }
}

/// Rows of a node, and its declared classes.
#[derive(Clone, Copy)]
pub struct LaplaceNode {
    n: f64,
    classes: f64,
}

impl Additive for Laplace {
    type Node = LaplaceNode;
    /// Rows of the largest class.
    type Parts = [f64; 1];
    type Look = [f64; 0];
    /// Accuracy so far.
    type Sums = [f64; 1];
    const LOSS: bool = true;

    #[inline(always)]
    fn branch<C: Count>(
        &self,
        size: C,
        [most]: [f64; 1],
        _look: [f64; 0],
        node: &LaplaceNode,
        [accuracy]: &mut [f64; 1],
    ) {
        let size = size.value();
        *accuracy += size / node.n * (most + 1.0) / (size + node.classes);
    }

    #[inline(always)]
    fn score(&self, [accuracy]: [f64; 1], _node: &LaplaceNode, _declared: u32) -> f64 {
        accuracy
    }

    fn loss<C: Count>(&self, size: C, [most]: [f64; 1], node: &LaplaceNode) -> f64 {
        let size = size.value();
        size * (1.0 - (most + 1.0) / (size + node.classes))
    }
}

impl OnClasses for Laplace {
    fn node<C: Count>(&self, totals: &[C], _context: &Context) -> LaplaceNode {
        LaplaceNode { n: total(totals).as_divisor(), classes: totals.len() as f64 }
    }

    #[inline(always)]
    fn class<C: Count>(&self, count: C, _node: &LaplaceNode, [most]: &mut [f64; 1]) {
        raise_to(most, count.value());
    }
}

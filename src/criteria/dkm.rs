//! DKM: decrease of the impurity `2 sqrt(q (1 - q))`, q the share of the majority class
//! (Dietterich, Kearns & Mansour 1996).
//!
//! With more than two classes q is at least 1/2, where the impurity is 1. The score is the impurity
//! of the node minus the weighted impurity of its branches. It is more sharply curved at pure nodes
//! than entropy and Gini, as the boosting bound of the paper requires; it cannot tell apart splits
//! of nodes without an absolute majority. O(branches x classes), with one square root per branch.

use super::fold::{Additive, OnClasses, raise_to, total};
use super::{Context, Info, Properties};
use crate::numeric::Count;

/// DKM; no options.
#[derive(Debug)]
pub struct Dkm;

pub(super) static INFO: Info = Info {
    name: "dkm",
    class_name: "Dkm",
    summary: "Decrease of twice the geometric mean of majority and minority share.",
    formula: r"G(c) - \sum_m \frac{n_m}{n} G(c \mid m), \; G = 2 \sqrt{q (1 - q)}",
    source: "dietterich1996",
    example_score: 0.2584606352761446,
    ..Info::TABLE_DEFAULTS
};

impl Properties for Dkm {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn breiman_order(&self) -> bool {
        // The impurity is concave in the shares.
        true
    }
}

/// Rows of a node, and its impurity.
#[derive(Clone, Copy)]
pub struct DkmNode {
    rows: f64,
    impurity: f64,
}

/// `2 sqrt(q (1 - q))` with q the majority share, at least 1/2.
#[inline(always)]
fn impurity(most: f64, size: f64) -> f64 {
    let q = (most / size).clamp(0.5, 1.0);
    2.0 * (q * (1.0 - q)).sqrt()
}

impl Additive for Dkm {
    type Node = DkmNode;
    /// Rows of the largest class.
    type Parts = [f64; 1];
    /// No table is read.
    type Look = [f64; 0];
    /// Decrease of the impurity.
    type Sums = [f64; 1];
    /// A leaf has a loss: its weight times its impurity.
    const LOSS: bool = true;

    fn start(&self, node: &DkmNode) -> [f64; 1] {
        [node.impurity]
    }

    #[inline(always)]
    fn branch<C: Count>(
        &self,
        size: C,
        [most]: [f64; 1],
        _look: [f64; 0],
        node: &DkmNode,
        [decrease]: &mut [f64; 1],
    ) {
        // Nothing for an empty branch: 0 times the impurity.
        *decrease -= size.value() / node.rows * impurity(most, size.as_divisor());
    }

    #[inline(always)]
    fn score(&self, [decrease]: [f64; 1], _node: &DkmNode, _declared: u32) -> f64 {
        decrease
    }

    fn loss<C: Count>(&self, size: C, [most]: [f64; 1], _node: &DkmNode) -> f64 {
        size.value() * impurity(most, size.as_divisor())
    }
}

impl OnClasses for Dkm {
    fn node<C: Count>(&self, totals: &[C], _context: &Context) -> DkmNode {
        let size = total(totals);
        let most = totals.iter().fold(0.0, |most: f64, c| most.max(c.value()));
        let whole = if size.is_empty() { 0.0 } else { impurity(most, size.value()) };
        DkmNode { rows: size.as_divisor(), impurity: whole }
    }

    #[inline(always)]
    fn class<C: Count>(&self, count: C, _node: &DkmNode, [most]: &mut [f64; 1]) {
        raise_to(most, count.value());
    }
}

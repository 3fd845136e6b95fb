//! Minimum description length of the classes: `(Prior - Post)/n`, in bits per row (Kononenko 1995).
//!
//! `Prior = log2 (n! / prod n_c!) + log2 C(n + k - 1, k - 1)`: the bits to name one arrangement of
//! the classes and the class counts themselves; `Post` is the same summed over branches. k =
//! declared classes. An empty branch costs nothing. Where the score is not above 0 the split is not
//! worth its description, and growth stops unless `min_score` says otherwise.
//!
//! O(branches x classes); factorials come from a table (counts) or from the log-gamma function
//! (real weights). It favours many-valued features less than the gain does, but may accept no split
//! at all in small nodes.

use super::fold::{Additive, OnClasses, total};
use super::{Context, Info, LossRise, Properties};
use crate::numeric::{Count, Logs, log2_factorial};

/// MDL; no options.
#[derive(Debug)]
pub struct DescriptionLength;

pub(super) static INFO: Info = Info {
    name: "mdl",
    class_name: "Mdl",
    summary: "Saved bits a row when the classes are described branch by branch.",
    formula: concat!(
        r"\frac{1}{n} \left(L(n_c) - \sum_m L(n_{mc})\right), \; L = \log_2 \frac{n!}{\prod ",
        r"n_c!} + \log_2 \binom{n + k - 1}{k - 1}",
    ),
    source: "kononenko1995",
    lowest: None,
    highest: None,
    stops_without_gain: true,
    example_score: 0.05274339773857901,
    ..Info::TABLE_DEFAULTS
};

impl Properties for DescriptionLength {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn loss_rise(&self) -> LossRise {
        LossRise::PerArrangement
    }

    fn reads_declared_classes(&self) -> bool {
        true
    }
}

/// The description of a node before it is split.
#[derive(Clone, Copy)]
pub struct MdlNode {
    n: f64,
    logs: Logs,
    /// `k - 1` for k declared classes, and `log2 (k - 1)!`.
    others: u32,
    others_arranged: f64,
    prior: f64,
}

impl MdlNode {
    /// Bits to describe the classes of `size` rows: `log2 n! - sum log2 n_c! + log2 (n + k - 1)! -
    /// log2 n! - log2 (k - 1)!`, with `log2 n!` cancelled.
    #[inline(always)]
    fn length<C: Count>(&self, size: C, arranged: f64, placed: f64) -> f64 {
        if size.is_empty() { 0.0 } else { placed - self.others_arranged - arranged }
    }
}

impl Additive for DescriptionLength {
    type Node = MdlNode;
    /// `sum_c log2 n_mc!`.
    type Parts = [f64; 1];
    /// `log2 (n_m + k - 1)!`.
    type Look = [f64; 1];
    /// Bits that are saved.
    type Sums = [f64; 1];
    const LOSS: bool = true;

    fn start(&self, node: &MdlNode) -> [f64; 1] {
        [node.prior]
    }

    #[inline(always)]
    fn look<C: Count>(&self, size: C, node: &MdlNode) -> [f64; 1] {
        [size.plus(C::from_u32(node.others)).log2_factorial(node.logs)]
    }

    #[inline(always)]
    fn branch<C: Count>(
        &self,
        size: C,
        [arranged]: [f64; 1],
        [placed]: [f64; 1],
        node: &MdlNode,
        [saved]: &mut [f64; 1],
    ) {
        *saved -= node.length(size, arranged, placed);
    }

    #[inline(always)]
    fn score(&self, [saved]: [f64; 1], node: &MdlNode, _declared: u32) -> f64 {
        saved / node.n
    }

    fn loss<C: Count>(&self, size: C, [arranged]: [f64; 1], node: &MdlNode) -> f64 {
        let [placed] = self.look(size, node);
        node.length(size, arranged, placed)
    }
}

impl OnClasses for DescriptionLength {
    fn node<C: Count>(&self, totals: &[C], context: &Context) -> MdlNode {
        let (logs, others) = (context.logs, totals.len() as u32 - 1);
        let total = total(totals);
        let mut node = MdlNode {
            n: total.as_divisor(),
            logs,
            others,
            others_arranged: log2_factorial(f64::from(others)),
            prior: 0.0,
        };
        let arranged = totals.iter().map(|c| c.log2_factorial(logs)).sum();
        let [placed] = self.look(total, &node);
        node.prior = node.length(total, arranged, placed);
        node
    }

    #[inline(always)]
    fn class<C: Count>(&self, count: C, node: &MdlNode, [arranged]: &mut [f64; 1]) {
        *arranged += count.log2_factorial(node.logs);
    }
}

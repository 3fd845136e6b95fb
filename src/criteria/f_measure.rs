//! F measure of the branches, each for its majority class (Stadler, algorithm 2).
//!
//! In branch m the majority class a (ties: the lower one) is the positive: TP = n_ma, FP = n_m -
//! n_ma, FN = n_a - n_ma, the rows of that class in the other branches of the node. Score `sum_m
//! n_m/n F_beta`, `F_beta = (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)`, 0/0 -> 0;
//! distance `1 - s`.
//!
//! The experiments of that paper used `variant="change"`: `|F before - weighted F after|`, where F
//! before labels the whole node by its majority, with FN = 0. The sum itself ("the split with the
//! highest value") gives trees with F = 0 on one of the data sets of the paper.
//!
//! This is not a fold: a branch reads the total of the class that turns out to be its largest.
//!
//! O(branches x classes). No class is the positive one; `f_measure_max` has one. It does not suit
//! many small branches, as recall punishes every division of a class.

use super::information::one_minus;
use super::{Block, Formula, Info, OptionDomain, OptionInfo, Properties};
use crate::error::Result;
use crate::numeric::Count;
use crate::options;
use serde::Deserialize;

/// The quantity that is maximised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// The absolute change against the node before the split.
    Change,
}

/// F measure.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FMeasure {
    /// Weight of recall against precision.
    pub beta: f64,
    /// `None`: the weighted sum.
    pub variant: Option<Variant>,
}

impl Default for FMeasure {
    fn default() -> Self {
        Self { beta: 1.0, variant: None }
    }
}

/// The option of both F measures.
pub(super) const BETA: OptionInfo = OptionInfo {
    name: "beta",
    domain: OptionDomain::at_least(0.0),
    default: "1.0",
    others: "[0.5, 2.0, 3.0]",
    doc: "Weight of recall against precision, finite and >= 0.",
    ..OptionInfo::PLAIN
};

pub(super) static INFO: Info = Info {
    name: "f_measure",
    class_name: "FMeasure",
    summary: "Weighted F measure of the branches, each for its own majority class.",
    formula: concat!(
        r"\sum_m \frac{n_m}{n} ",
        r"\frac{(1 + \beta^2) TP_m}{(1 + \beta^2) TP_m + \beta^2 FN_m + FP_m}",
    ),
    distance: r"1 - s",
    source: "stadler",
    class_invariant: false,
    options: &[
        BETA,
        OptionInfo {
            name: "variant",
            domain: OptionDomain::Words { words: &["change"] },
            default: "null",
            others: "[\"change\"]",
            doc: "null: the weighted sum; 'change': its absolute difference from F before the \
                split.",
            ..OptionInfo::PLAIN
        },
    ],
    example_score: 0.543171114599686,
    ..Info::TABLE_DEFAULTS
};

/// `F_beta` from counts; 0/0 is 0.
#[inline]
pub(super) fn f_beta(beta: f64, tp: f64, fp: f64, r#fn: f64) -> f64 {
    let b2 = beta * beta;
    let below = (1.0 + b2) * tp + b2 * r#fn + fp;
    if below > 0.0 { (1.0 + b2) * tp / below } else { 0.0 }
}

/// The largest class (ties: the lower one) and its count.
#[inline]
fn majority<C: Count>(counts: impl Iterator<Item = C>) -> (usize, C) {
    let mut best = (0, C::default());
    for (c, x) in counts.enumerate() {
        if x > best.1 {
            best = (c, x);
        }
    }
    best
}

impl Properties for FMeasure {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn check(&self) -> Result<()> {
        options::check(INFO.options, "beta", self.beta)
    }
}

impl Formula for FMeasure {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let n = block.total().value();
        let most = majority(block.totals.iter().copied()).1.value();
        let before = f_beta(self.beta, most, n - most, 0.0);
        for (j, s) in out.iter_mut().enumerate() {
            let mut after = 0.0;
            for m in 0..block.branches {
                let size = block.branch_total(m, j).value();
                if size > 0.0 {
                    let (class, count) = majority(block.branch(m, j));
                    let tp = count.value();
                    let missed = block.totals[class].value() - tp;
                    after += size / n * f_beta(self.beta, tp, size - tp, missed);
                }
            }
            *s = match self.variant {
                None => after,
                Some(Variant::Change) => (before - after).abs(),
            };
        }
    }

    fn distance<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        self.score(block, out);
        one_minus(out);
    }
}

//! F measure of the split read as a classifier of one positive class (Stadler, algorithm 1).
//!
//! A branch is positive when more than half of its rows are (a tie is negative); TP, FP and FN are
//! summed over branches and `F_beta` is taken once. Distance `1 - s`.
//!
//! The positive class is the last declared one, or the index given as `positive`. Without
//! `positive` and with more than two declared classes the score is the plain mean over all declared
//! classes as positive (a class without rows has F = 0, the same for every split). O(branches x
//! classes). This is not a fold: the term of a branch depends on the class that is positive.
//!
//! Blind by construction to pure branches of the negative class that leave TP and FP as they are;
//! scores 0 whenever no branch has a positive majority, which is the rule with rare positives.

use super::f_measure::{BETA, f_beta};
use super::information::one_minus;
use super::{Block, Formula, Info, OptionDomain, OptionInfo, Properties};
use crate::error::{Error, Result};
use crate::numeric::Count;
use crate::options;
use serde::Deserialize;

/// F measure of the whole stump.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FMeasureMax {
    /// Weight of recall against precision.
    pub beta: f64,
    /// Index of the positive class; `None`: the last of two, the mean over all of more.
    pub positive: Option<usize>,
}

impl Default for FMeasureMax {
    fn default() -> Self {
        Self { beta: 1.0, positive: None }
    }
}

pub(super) static INFO: Info = Info {
    name: "f_measure_max",
    class_name: "FMeasureMax",
    summary: "F measure of the split as a classifier of the positive class.",
    formula: r"\frac{(1 + \beta^2) TP}{(1 + \beta^2) TP + \beta^2 FN + FP}",
    distance: r"1 - s",
    source: "stadler",
    class_invariant: false,
    options: &[
        BETA,
        OptionInfo {
            name: "positive",
            domain: OptionDomain::Class,
            default: "null",
            others: "[0]",
            doc: "Index of the positive class; null: the last of two classes, the mean over all of \
                more.",
            ..OptionInfo::PLAIN
        },
    ],
    example_score: 0.6,
    ..Info::TABLE_DEFAULTS
};

impl FMeasureMax {
    /// F of the stump for one positive class; `sizes` are the branches' rows.
    fn of_class<C: Count>(
        &self,
        block: &Block<'_, C>,
        candidate: usize,
        class: usize,
        sizes: &[f64],
    ) -> f64 {
        let (mut tp, mut fp, mut missed) = (0.0, 0.0, 0.0);
        for (m, size) in sizes.iter().enumerate() {
            let inside = block.at(m, class, candidate).value();
            let other = size - inside;
            if inside > other {
                tp += inside;
                fp += other;
            } else {
                missed += inside;
            }
        }
        f_beta(self.beta, tp, fp, missed)
    }
}

impl Properties for FMeasureMax {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn reads_declared_classes(&self) -> bool {
        self.positive.is_none()
    }

    fn check(&self) -> Result<()> {
        options::check(INFO.options, "beta", self.beta)
    }

    fn admit(&self, classes: usize, _n: f64) -> Result<()> {
        match self.positive {
            Some(p) if p >= classes => {
                let reason = format!("there are {classes} classes; give an index in 0..{classes}");
                Err(Error::parameter("positive", p, reason))
            }
            _ => Ok(()),
        }
    }
}

impl Formula for FMeasureMax {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let k = block.classes;
        let mut sizes = vec![0.0; block.branches];
        for (j, s) in out.iter_mut().enumerate() {
            for (m, size) in sizes.iter_mut().enumerate() {
                *size = block.branch_total(m, j).value();
            }
            *s = match self.positive {
                Some(class) => self.of_class(block, j, class, &sizes),
                None if k > 2 => {
                    (0..k).map(|c| self.of_class(block, j, c, &sizes)).sum::<f64>() / k as f64
                }
                None => self.of_class(block, j, k - 1, &sizes),
            };
        }
    }

    fn distance<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        self.score(block, out);
        one_minus(out);
    }
}

//! Accuracy of the split as a classifier: the share of rows whose class is the one given to their
//! branch.
//!
//! `assignment="majority"` (default): each branch takes its largest class, `sum_m max_c n_mc / n`;
//! `"matching"`: the best one-to-one matching of branches and classes, as the authors of paper 2
//! do; `"identity"`: branch i stands for class i, which is how a table "label of the tree x true
//! class" is read in global evaluation. Distance `1 - s`.
//!
//! The majority is a [`fold`]; the other two look at branches and classes together, or at the
//! number of a branch, and are summed here.
//!
//! O(branches x classes); matching O(s^2 l) for sides s <= l (`assignment`). Flat by nature: most
//! splits of an unbalanced node leave all majorities as they are and score the same, so grow with
//! it only where a tie rule or a global evaluation decides.

use super::assignment::Assignment;
use super::fold::{self, Additive, OnClasses, raise_to, total};
use super::information::one_minus;
use super::rows::RowOf;
use super::{Block, Context, Formula, Info, LossRise, OptionDomain, OptionInfo, Properties};
use crate::numeric::Count;
use serde::Deserialize;

/// How branches are given to classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BranchLabels {
    /// Each branch to its largest class.
    #[default]
    Majority,
    /// The best one-to-one matching.
    Matching,
    /// Branch i to class i.
    Identity,
}

/// Accuracy.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Accuracy {
    /// How branches are given to classes.
    pub assignment: BranchLabels,
}

pub(super) static INFO: Info = Info {
    name: "accuracy",
    aliases: &["error"],
    class_name: "Accuracy",
    summary: "Share of rows in the class their branch stands for.",
    formula: r"\frac{1}{n} \sum_m \max_c n_{mc}",
    distance: r"1 - s",
    source: "spaeh2022",
    options: &[OptionInfo {
        name: "assignment",
        domain: OptionDomain::Words { words: &["majority", "matching", "identity"] },
        default: "\"majority\"",
        others: "[\"matching\", \"identity\"]",
        doc: "'majority': a branch takes its largest class; 'matching': best one-to-one matching \
            of branches \
              and classes; 'identity': branch i stands for class i.",
        ..OptionInfo::PLAIN
    }],
    example_score: 0.7142857142857143,
    ..Info::TABLE_DEFAULTS
};

impl Properties for Accuracy {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn loss_rise(&self) -> LossRise {
        LossRise::PerWeight(1.0)
    }
}

/// Each branch to its largest class.
#[derive(Debug)]
pub(super) struct Majority;

impl Properties for Majority {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl Additive for Majority {
    /// Rows of the node.
    type Node = f64;
    /// Rows of the largest class.
    type Parts = [f64; 1];
    type Look = [f64; 0];
    /// Rows of the branches' largest classes.
    type Sums = [f64; 1];
    const LOSS: bool = true;

    #[inline(always)]
    fn branch<C: Count>(
        &self,
        _size: C,
        [most]: [f64; 1],
        _look: [f64; 0],
        _n: &f64,
        [right]: &mut [f64; 1],
    ) {
        *right += most;
    }

    #[inline(always)]
    fn score(&self, [right]: [f64; 1], n: &f64, _declared: u32) -> f64 {
        right / n
    }

    #[inline(always)]
    fn distance(&self, sums: [f64; 1], n: &f64, declared: u32) -> f64 {
        1.0 - Additive::score(self, sums, n, declared)
    }

    /// Rows of other classes than the largest.
    fn loss<C: Count>(&self, size: C, [most]: [f64; 1], _n: &f64) -> f64 {
        size.value() - most
    }
}

impl OnClasses for Majority {
    fn node<C: Count>(&self, totals: &[C], _context: &Context) -> f64 {
        total(totals).as_divisor()
    }

    #[inline(always)]
    fn class<C: Count>(&self, count: C, _n: &f64, [most]: &mut [f64; 1]) {
        raise_to(most, count.value());
    }
}

impl Formula for Accuracy {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        match self.assignment {
            BranchLabels::Majority => return fold::evaluate(&Majority, block, false, out),
            BranchLabels::Matching => {
                let mut assignment = Assignment::default();
                for (candidate, score) in out.iter_mut().enumerate() {
                    let weight = |branch, class| block.at(branch, class, candidate).value();
                    *score = assignment.best(block.branches, block.classes, weight);
                }
            }
            BranchLabels::Identity => {
                out.fill(0.0);
                for label in 0..block.branches.min(block.classes) {
                    for (score, count) in out.iter_mut().zip(block.cell(label, label)) {
                        *score += count.value();
                    }
                }
            }
        }
        let n = block.total().as_divisor();
        for score in out {
            *score /= n;
        }
    }

    fn row_terms<C: Count>(&self, row: &RowOf<'_, C>, out: &mut [f64]) -> bool {
        match self.assignment {
            BranchLabels::Matching => false,
            BranchLabels::Majority => fold::row_terms(&Majority, row, out),
            BranchLabels::Identity => {
                let share = -1.0 / row.total().as_divisor();
                let (before, cells) = row.class(row.label);
                for (term, &count) in out.iter_mut().zip(cells) {
                    *term = before.plus(count).value() * share;
                }
                true
            }
        }
    }

    fn distance<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        self.score(block, out);
        one_minus(out);
    }

    fn losses<C: Count>(&self, counts: &[C], context: &Context, out: &mut [f64]) -> bool {
        match self.assignment {
            BranchLabels::Majority => fold::losses_of_leaves(&Majority, counts, context, out),
            BranchLabels::Matching | BranchLabels::Identity => false,
        }
    }
}

//! Accuracy of the split as a classifier: the share of rows whose class is the one given to their
//! branch.
//!
//! `assignment="majority"` (default): each branch takes its largest class, `sum_m max_c n_mc / n`;
//! `"matching"`: the best one-to-one matching of branches and classes, as the authors of paper 2
//! do; `"identity"`: branch i stands for class i, which is how a table "label of the tree x true
//! class" is read in global evaluation. Distance `1 - s`.
//!
//! O(branches x classes); matching O(s^2 l) for sides s <= l (`assignment`). Flat by nature: most
//! splits of an unbalanced node leave all majorities as they are and score the same, so grow with
//! it only where a tie rule or a global evaluation decides.

use super::assignment::Assignment;
use super::information::one_minus;
use super::rows::RowOf;
use super::{Block, Formula, Info, OptionInfo, OptionKind, Properties};
use crate::numeric::Count;
use serde::{Deserialize, Serialize};

/// How branches are given to classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Accuracy {
    /// How branches are given to classes.
    pub assignment: BranchLabels,
}

pub(super) static INFO: Info = Info {
    name: "accuracy",
    class_name: "Accuracy",
    summary: "Share of rows in the class their branch stands for.",
    formula: r"\frac{1}{n} \sum_m \max_c n_{mc}",
    distance: r"1 - s",
    source: "Spaeh & Kosub, Global evaluation for decision tree learning (2022)",
    options: &[OptionInfo {
        name: "assignment",
        kind: OptionKind::Words { words: &["majority", "matching", "identity"] },
        default: "\"majority\"",
        others: "[\"matching\", \"identity\"]",
        doc: "'majority': a branch takes its largest class; 'matching': best one-to-one matching \
            of branches \
              and classes; 'identity': branch i stands for class i.",
    }],
    example_score: 0.7142857142857143,
    ..Info::ON_TABLES
};

impl Properties for Accuracy {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl Formula for Accuracy {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let n = block.total().value();
        if n == 0.0 {
            out.fill(0.0);
            return;
        }
        match self.assignment {
            BranchLabels::Majority => majority(block, out),
            BranchLabels::Matching => {
                let mut assignment = Assignment::default();
                for (j, s) in out.iter_mut().enumerate() {
                    let weight = |m, c| block.at(m, c, j).value();
                    *s = assignment.best(block.branches, block.classes, weight);
                }
            }
            BranchLabels::Identity => {
                out.fill(0.0);
                for i in 0..block.branches.min(block.classes) {
                    for (s, x) in out.iter_mut().zip(block.cell(i, i)) {
                        *s += x.value();
                    }
                }
            }
        }
        for s in out {
            *s /= n;
        }
    }

    fn row_terms<C: Count>(&self, row: &RowOf<'_, C>, out: &mut [f64]) -> bool {
        let share = -1.0 / row.total().or_one();
        match self.assignment {
            BranchLabels::Matching => return false,
            BranchLabels::Majority => {
                out.fill(0.0);
                for c in 0..row.classes() {
                    let (before, cells) = row.class(c);
                    out.iter_mut()
                        .zip(cells)
                        .for_each(|(t, &x)| *t = t.max(before.plus(x).value()));
                }
            }
            BranchLabels::Identity => {
                let (before, cells) = row.class(row.label);
                out.iter_mut().zip(cells).for_each(|(t, &x)| *t = before.plus(x).value());
            }
        }
        out.iter_mut().for_each(|t| *t *= share);
        true
    }

    fn distance<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        self.score(block, out);
        one_minus(out);
    }
}

/// `sum_m max_c n_mc`.
fn majority<C: Count>(block: &Block<'_, C>, out: &mut [f64]) {
    out.fill(0.0);
    let mut most = vec![C::default(); block.len];
    for m in 0..block.branches {
        most.fill(C::default());
        for c in 0..block.classes {
            for (a, &x) in most.iter_mut().zip(block.cell(m, c)) {
                *a = if x > *a { x } else { *a };
            }
        }
        for (s, a) in out.iter_mut().zip(&most) {
            *s += a.value();
        }
    }
}

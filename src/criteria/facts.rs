//! Facts about a criterion as data: its evidence, options, bounds and symmetries.
//!
//! Nothing here computes. Python classes, documentation tables and command-line choices are made
//! from these facts, and property tests verify each of them on random tables.

use crate::error::{Error, Result};
use crate::options::OptionInfo;
use serde::Serialize;

/// The kind of evidence that a criterion needs about the rows of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceKind {
    /// The contingency table branch x class.
    Table,
    /// Counts of ordered pairs of rows by case and distance.
    Pairs,
    /// k nearest or all rows in a radius, for each row.
    Neighbours,
    /// The rows themselves.
    Rows,
    /// The moments of a numeric target, by branch.
    Moments,
    /// The order of a numeric target.
    Order,
}

/// The target that a criterion reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetKind {
    /// Classes.
    Classes,
    /// A number.
    Number,
}

impl EvidenceKind {
    /// Whether a table of each candidate is all that is read: of classes, or of moments.
    pub fn is_table(self) -> bool {
        matches!(self, Self::Table | Self::Moments)
    }

    /// Whether each candidate split is scored by the contents of its branches alone. Growth divides
    /// nominal values into subsets only by such criteria; with all others, a nominal feature has
    /// one branch per value.
    pub fn is_of_branches(self) -> bool {
        self.is_table() || self == Self::Order
    }
}

/// How much the loss of a tree can rise when rows join its leaves, whichever leaves they join.
/// Tests hold it, and that no loss falls, against random leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LossRise {
    /// No bound is known.
    Unknown,
    /// At most this much for each unit of weight.
    PerWeight(f64),
    /// Weight m that joins others to weight n: at most `m log2 k + n h(m / n)` bits, of this loss
    /// each; h is the entropy of two classes. In a leaf, the entropy of a mixture is at most the
    /// entropy of its parts plus the entropy of knowing the part. Over all leaves, the sum of the
    /// latter is largest if all mix alike.
    PerBit(f64),
    /// The bits of a description: a unit of weight of a class multiplies the arrangements of n rows
    /// of k classes by at most n + k.
    PerArrangement,
}

impl LossRise {
    /// A bound on the rise when rows of weight `moved` join others, which gives them the weight
    /// `all` together, for `classes` classes. For a given `all` it never falls as `moved` grows,
    /// and is concave.
    pub fn bound(self, moved: f64, all: f64, classes: usize) -> f64 {
        match self {
            _ if moved <= 0.0 => 0.0,
            Self::Unknown => f64::INFINITY,
            Self::PerWeight(rise) => moved * rise,
            Self::PerBit(loss) => {
                let share = (moved / all).min(0.5);
                let mixed = -share * share.log2() - (1.0 - share) * (1.0 - share).log2();
                loss * (moved * (classes as f64).log2() + all * mixed)
            }
            // The derivative of log2 gamma(n + k) - log2 gamma(n_c + 1), with the digamma function
            // below ln and at least minus Euler's constant.
            Self::PerArrangement => {
                const EULER: f64 = 0.577_215_664_901_532_9;
                moved * ((all + classes as f64).ln() + EULER) / std::f64::consts::LN_2
            }
        }
    }
}

/// Facts about a criterion with default options; property tests verify every one of them. Growth
/// reads `convex` and `fractional` whatever the options are: both hold for all values.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Info {
    /// Canonical name.
    pub name: &'static str,
    /// Other names of the criterion.
    pub aliases: &'static [&'static str],
    /// Name of the Python class in `fasttree.criteria`.
    pub class_name: &'static str,
    /// One sentence for people.
    pub summary: &'static str,
    /// LaTeX formula of the score.
    pub formula: &'static str,
    /// Formula of the distance, in terms of the score or written out.
    pub distance: &'static str,
    /// Keys of `publications.bib` (where it was published), separated by `; `.
    pub source: &'static str,
    /// Kind of evidence needed.
    pub evidence: EvidenceKind,
    /// Classes or a number.
    pub target: TargetKind,
    /// Smallest possible score (`-inf` as `None`).
    pub lowest: Option<f64>,
    /// Largest possible score over all tables (`None`: unbounded).
    pub highest: Option<f64>,
    /// Score of a table equals the score of its transpose.
    pub symmetric: bool,
    /// Reordering branches changes nothing.
    pub branch_invariant: bool,
    /// Reordering classes changes nothing.
    pub class_invariant: bool,
    /// The distance is a metric on partitions of the same rows.
    pub metric: bool,
    /// Score is a strictly quasi-convex function of the left counts of a binary split along a run
    /// of rows of one class (convex, an increasing function of a convex one, or convex over
    /// concave): a threshold inside the run scores below the better end of the run, and at the ends
    /// of the data below the other end (Fayyad & Irani 1992). Where a minimum leaf size forbids an
    /// end of a run, the thresholds next to the forbidden zone remain candidates. True only where
    /// it holds for all values of the options: growth leaves out such thresholds for every value.
    pub convex: bool,
    /// The score of many copies of the rows is larger than the score of the rows, without bound: it
    /// counts rows (or pairs of them) where others are means. Best-first growth weighs other scores
    /// by the rows of the node.
    pub extensive: bool,
    /// Scores may be scaled by the known fraction when values are missing. True where a score is at
    /// least 0 and the same for many copies of the rows, as a mean decrease for each row is. A
    /// feature known in a share of the rows then decreases the mean over all rows by that share.
    pub fractional: bool,
    /// A split that scores no more than the node in one branch gains nothing in terms of the
    /// criterion: without `min_score` growth stops there.
    pub stops_without_gain: bool,
    /// Options of the criterion.
    pub options: &'static [OptionInfo],
    /// A worked example: rows are branches, columns are classes.
    pub example: &'static [&'static [u32]],
    /// A worked example of a criterion on a numeric target: the numbers of each branch.
    pub target_example: &'static [&'static [f64]],
    /// The score of the example with default options.
    pub example_score: f64,
}

impl Info {
    /// The facts that most criteria on tables have in common: a distance `-s`, scores from 0 to 1,
    /// no options, the order of branches and of classes means nothing, and the example of all. A
    /// criterion overrides the others.
    pub const TABLE_DEFAULTS: Self = Self {
        name: "",
        aliases: &[],
        class_name: "",
        summary: "",
        formula: "",
        distance: "-s",
        source: "",
        evidence: EvidenceKind::Table,
        target: TargetKind::Classes,
        lowest: Some(0.0),
        highest: Some(1.0),
        symmetric: false,
        branch_invariant: true,
        class_invariant: true,
        metric: false,
        convex: false,
        extensive: false,
        fractional: false,
        stops_without_gain: false,
        options: &[],
        example: &[&[2, 3], &[4, 0], &[3, 2]],
        target_example: &[],
        example_score: 0.0,
    };

    /// The facts that criteria on a numeric target have in common: scores from 0 on, and the worked
    /// example.
    pub(crate) const fn number_defaults(evidence: EvidenceKind) -> Self {
        Self {
            evidence,
            target: TargetKind::Number,
            highest: None,
            example: &[],
            target_example: &[&[1.0, 2.0, 3.0], &[6.0, 8.0]],
            ..Self::TABLE_DEFAULTS
        }
    }

    /// The error of a criterion that is asked for the score of a table and reads other evidence.
    /// The message says which calls serve the criterion instead.
    pub(super) fn refuse_table<T>(&self) -> Result<T> {
        let supported = match self.evidence {
            EvidenceKind::Table | EvidenceKind::Moments => "fit, score_features",
            EvidenceKind::Pairs => "it needs pairs of rows: fit, score_features, pair_counts",
            EvidenceKind::Neighbours => "it needs neighbours of rows: fit, score_features",
            EvidenceKind::Rows => "it needs the rows themselves: fit, score_features",
            EvidenceKind::Order => {
                "it needs the order of a numeric target: FastTreeRegressor (task: regression)"
            }
        };
        let what = format!("criterion='{}' on a contingency table", self.name);
        Err(Error::Unsupported { what, supported: supported.into() })
    }

    /// Whether the target is a number. A fit refuses a criterion whose target differs from the
    /// target of the data.
    pub fn is_on_number(&self) -> bool {
        self.target == TargetKind::Number
    }

    /// The facts that criteria beyond tables have in common: no bounds, no worked example.
    pub const fn non_table_defaults(evidence: EvidenceKind) -> Self {
        Self { evidence, lowest: None, highest: None, example: &[], ..Self::TABLE_DEFAULTS }
    }
}

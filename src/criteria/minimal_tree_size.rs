//! Size of the smallest trees that complete the branches (Spaeh & Kosub, "Global Evaluation for
//! Decision Tree Learning", section 3.1).
//!
//! `d = sum_i mts(A_i and class)`, where mts is the number of nodes of the smallest consistent tree
//! of the rows of branch i with tests `x <= r`, and the levels of a nominal feature are numbered in
//! their declared order. The score is `-d`. On numeric columns local growth with this distance is
//! minimal: the best split of a node is the first split of a smallest tree. Each size is an exact
//! search with a budget of search nodes; above the budget the proven lower bound stands for the
//! size, so that the score depends on the data alone. All sizes of a fit share a total budget, too:
//! a node of the tree may spend half of the rest, in equal shares for the features, and a candidate
//! leaves its unspent share to the next one; nodes, features and candidates have a fixed order. A
//! search node reads its rows in every column, so the default total is smaller where rows and
//! columns are many. The data must be small: at most 500 distinct rows and 64 classes. In the
//! searches a missing value is larger than all values. One search (`fasttree.minimal_tree`) is far
//! cheaper than growth with this criterion.

use super::{
    Criterion, Evidence, EvidenceKind, Info, OptionDomain, OptionInfo, Properties, SizeBudget,
};
use crate::error::Result;
use crate::options;
use serde::Deserialize;

/// Minimal tree size.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MinimalTreeSize {
    /// Search nodes for each branch.
    pub node_budget: u64,
    /// Search nodes for all sizes of a fit.
    pub total_budget: Option<u64>,
}

impl Default for MinimalTreeSize {
    fn default() -> Self {
        Self { node_budget: 1000, total_budget: None }
    }
}

pub(super) static INFO: Info = Info {
    name: "minimal_tree_size",
    aliases: &["mts"],
    class_name: "MinimalTreeSize",
    summary: "Nodes of the smallest trees that complete the branches.",
    formula: r"-\sum_i \mathrm{mts}(A_i \cap \mathcal{Y})",
    source: "spaeh2022",
    highest: Some(0.0),
    options: &[
        OptionInfo {
            name: "node_budget",
            domain: OptionDomain::integer_at_least(1),
            default: "1000",
            others: "[1]",
            doc: "Search nodes for the size of one branch, at least 1; above it the proven lower \
                bound stands for the size.",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "total_budget",
            domain: OptionDomain::integer_at_least(1),
            default: "null",
            others: "[1]",
            doc: "Search nodes for all sizes of a fit, at least 1; once they are spent, lower \
                bounds stand for the sizes and the tree may not be minimal. None: 10^9 divided by \
                distinct rows and by columns, about ten seconds of one core.",
            ..OptionInfo::PLAIN
        },
    ],
    extensive: true,
    ..Info::non_table_defaults(EvidenceKind::Rows)
};

impl Criterion for MinimalTreeSize {}

impl Properties for MinimalTreeSize {
    fn info(&self) -> &'static Info {
        &INFO
    }
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Rows(SizeBudget { branch: self.node_budget, total: self.total_budget })
    }
    fn check(&self) -> Result<()> {
        options::check(INFO.options, "node_budget", self.node_budget as f64)?;
        options::check(INFO.options, "total_budget", self.total_budget.map_or(1.0, |n| n as f64))
    }
}

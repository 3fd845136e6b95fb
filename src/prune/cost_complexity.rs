//! Minimal cost-complexity pruning (Breiman, Friedman, Olshen & Stone, CART, 1984, chapter 3).
//!
//! `R(t)` is the impurity of node `t` times its share of the training weight (for a numeric target,
//! the impurity of the criterion or the variance), or, with a cost matrix, the expected cost of its
//! label. `R(T_t)` = the sum of `R` over the `|T_t|` leaves of the subtree of `t`. A link (inner
//! node) lowers `R` by `g(t) = (R(t) - R(T_t)) / (|T_t| - 1)` per added leaf. Cutting the link of
//! smallest `g` repeatedly (on ties the first node in pre-order) gives a nested sequence of trees,
//! each with the `alpha = g` from which on it is best. Pruning at `ccp_alpha` cuts while the
//! smallest `g` is at most `ccp_alpha`. Leaves that no training row reached are not counted. The
//! values equal the ones that scikit-learn's `cost_complexity_pruning_path` gives for the same
//! tree.
//!
//! A cut never lowers `g` of an ancestor, so a heap whose outdated entries are corrected when they
//! are popped finds each weakest link: O(nodes log nodes), plus O(depth) per cut.
//!
//! When not to use it: with an arbitrary alpha. Choose one of the path by cross-validation
//! ([`crate::resample::alpha`]).

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, Pruning};
use crate::criteria::{Impurity, TargetKind};
use crate::error::{Error, Result};
use crate::numeric::order_key;
use crate::options::{self, OptionDomain, OptionInfo};
use crate::parallel::Control;
use crate::tree::{CostMatrix, NONE, Tree};
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Description of the method for Python and the documentation.
pub const INFO: PruneInfo = PruneInfo {
    name: "cost_complexity",
    class_name: "CostComplexity",
    text: "CART's minimal cost-complexity pruning: weakest links are cut while they cost at most \
        `ccp_alpha` for each leaf.\n\n\
        A link costs ``(R(t) - R(T_t)) / (|T_t| - 1)``; R = impurity x share of the training \
        weight, summed over the leaves of the subtree T_t. \
        ``estimator.cost_complexity_pruning_path(X, y)`` lists all alphas. With \
        ``ccp_alpha=\"cv\"`` `fit` chooses alpha by cross-validation (chapter 3.4; see the page on \
        CART), and ``model.ccp_path_`` tells how. With a cost matrix R is the expected cost.",
    source: "Breiman, Friedman, Olshen & Stone (1984), CART, chapter 3",
    costs: "impurity",
    options: &[
        OptionInfo {
            name: "ccp_alpha",
            default: "null",
            domain: OptionDomain::at_least(0.0),
            besides: "'cv' to choose it by cross-validation",
            doc: "Complexity penalty of each leaf, >= 0, or ``\"cv\"``; None takes the estimator's \
        `ccp_alpha`.",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "impurity",
            default: "\"auto\"",
            domain: OptionDomain::Words {
                words: &["auto", "gini", "entropy", "error", "criterion", "variance"],
            },
            doc: "``\"gini\"``, ``\"entropy\"`` (bits), ``\"error\"``, or ``\"auto\"``: entropy \
        for criterion info_gain, else Gini, as scikit-learn's trees do, ``\"error\"`` where errors \
        have costs. Of a numeric target ``\"criterion\"``, ``\"variance\"``, or ``\"auto\"``: that \
        of the criterion, but the variance for standard_deviation.",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "folds",
            default: "10",
            domain: OptionDomain::integer_at_least(2),
            doc: "Folds of the cross-validation, >= 2 (at most as many as rows). A row lies in \
        one fold, whatever its weight.",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "rule",
            default: "\"1se\"",
            domain: OptionDomain::Words { words: &["min", "1se"] },
            doc: "``\"1se\"``: the smallest tree whose error is within a standard error of the \
        best one; ``\"min\"``: the best one.",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "random_state",
            default: "0",
            domain: OptionDomain::integer_at_least(0),
            doc: "Seed of the folds, a whole number >= 0.",
            ..OptionInfo::PLAIN
        },
    ],
    rows: None,
    unweighed: None,
    targets: &[TargetKind::Classes, TargetKind::Number],
    samples: &[
        r#"{"ccp_alpha": 1e-4, "impurity": "gini"}"#,
        r#"{"ccp_alpha": 0.2, "impurity": "error"}"#,
        r#"{"ccp_alpha": 1e-4, "impurity": "entropy"}"#,
    ],
};

/// The method.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostComplexity {
    /// Complexity penalty of each leaf.
    pub ccp_alpha: f64,
    /// Impurity of the rows of a leaf.
    pub impurity: Impurity,
}

impl Pruning for CostComplexity {
    fn check(&self) -> Result<()> {
        options::check(INFO.options, "ccp_alpha", self.ccp_alpha)
    }

    fn check_costs(&self) -> Result<()> {
        if self.impurity == Impurity::Error {
            return Ok(());
        }
        Err(Error::Unsupported {
            what: "impurity='gini' or 'entropy' with cost_matrix".into(),
            supported: "CostComplexity(impurity='error') or 'auto'".into(),
        })
    }

    fn prune(&self, edited: &mut EditableTree, input: &PruneInput<'_>) -> Result<()> {
        prune(edited, self.ccp_alpha, self.impurity, input.control)
    }
}

/// How `ccp_alpha` is chosen by cross-validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlphaRule {
    /// Number of folds, at least 2.
    pub folds: usize,
    /// Whether to take the largest alpha within one standard error of the best, or the best.
    pub one_se: bool,
    /// Seed of the folds.
    pub seed: u64,
}

/// The nested sequence of pruned trees; entry 0 of each list is the whole tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Path {
    /// Alpha at which each tree becomes best, 0 for the whole tree.
    pub alphas: Vec<f64>,
    /// `R` of each tree, summed over its leaves.
    pub impurities: Vec<f64>,
    /// Leaves with training rows of each tree.
    pub leaves: Vec<u32>,
    /// Splits of each tree.
    pub splits: Vec<u32>,
    /// The node that became a leaf in each tree, [`NONE`] in the whole tree.
    pub nodes: Vec<u32>,
}

/// The sequence from the whole tree to the root alone, if `R` is an impurity; with a cost matrix
/// `R` is an expected cost.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn path(
    tree: &Tree,
    impurity: Impurity,
    costs: Option<&CostMatrix>,
    control: &Control,
) -> Result<Path> {
    let mut edited = EditableTree::new(tree);
    edited.costs = costs.cloned();
    cut_weakest_links(&mut edited, f64::INFINITY, impurity, control)
}

/// Cut links while the smallest `g` is at most `ccp_alpha`, by the impurity of the nodes.
fn prune(
    edited: &mut EditableTree,
    ccp_alpha: f64,
    impurity: Impurity,
    control: &Control,
) -> Result<()> {
    // Sums that are taken again after the cuts may round differently: repeat until a pass cuts
    // nothing, so that pruning twice is the same as pruning once.
    let mut has_changed = ccp_alpha > 0.0;
    while has_changed {
        let path = cut_weakest_links(edited, ccp_alpha, impurity, control)?;
        has_changed = path.nodes.len() > 1;
    }
    Ok(())
}

/// `R(t)`, `R(T_t)` and `|T_t|` of every node.
struct Risks {
    /// `R(t)`, of the node as a leaf.
    as_leaf: Vec<f64>,
    /// `R(T_t)`, summed over the leaves of its subtree.
    of_subtree: Vec<f64>,
    /// `|T_t|`, which counts leaves with training rows.
    leaves: Vec<u32>,
}

/// The impurity of the training rows of a node: from its class counts, or, of a numeric target, the
/// one that growth has stored with it.
fn node_impurity(edited: &EditableTree, node: usize, impurity: Impurity) -> f64 {
    match edited.outcomes.get(node) {
        Some(outcome) if impurity == Impurity::Variance => outcome.variance,
        Some(outcome) => outcome.impurity,
        None => impurity.of_counts(edited.counts(node)),
    }
}

impl Risks {
    /// `order` lists the reachable nodes, parents before their children.
    fn new(edited: &EditableTree, impurity: Impurity, order: &[u32]) -> Self {
        let (n_nodes, total) = (edited.nodes.len(), edited.weight(0));
        let mut risks = Self {
            as_leaf: vec![0.0; n_nodes],
            of_subtree: vec![0.0; n_nodes],
            leaves: vec![0; n_nodes],
        };
        for &i in order.iter().rev() {
            let i = i as usize;
            risks.as_leaf[i] = match &edited.costs {
                Some(_) => edited.errors(i) / total,
                None => edited.weight(i) * node_impurity(edited, i, impurity) / total,
            };
            if edited.is_leaf(i) {
                risks.of_subtree[i] = risks.as_leaf[i];
                risks.leaves[i] = u32::from(edited.nodes[i].rows > 0);
            } else {
                risks.of_subtree[i] = edited.sum_over_children(i, &risks.of_subtree);
                risks.leaves[i] = edited.sum_over_children(i, &risks.leaves);
            }
        }
        risks
    }

    /// `g` of a node: the decrease of `R` by its link, per leaf that the link adds.
    fn link_strength(&self, node: usize) -> f64 {
        // A subtree with at most one leaf that has rows saves nothing; dividing by 1 keeps `g`
        // finite.
        let added_leaves = self.leaves[node].max(2) - 1;
        (self.as_leaf[node] - self.of_subtree[node]) / f64::from(added_leaves)
    }

    /// Update the subtree risks of a node that has become a leaf and of its ancestors, which all
    /// change by the same amount, and their numbers of leaves.
    fn update_after_cut(&mut self, cut: usize, edited: &EditableTree) {
        let added_risk = self.as_leaf[cut] - self.of_subtree[cut];
        let removed_leaves = self.leaves[cut] - self.leaves[cut].min(1);
        let mut ancestor = cut as u32;
        while ancestor != NONE {
            self.of_subtree[ancestor as usize] += added_risk;
            self.leaves[ancestor as usize] -= removed_leaves;
            ancestor = edited.nodes[ancestor as usize].parent;
        }
    }
}

/// Cut the weakest links with `g <= ccp_alpha`, and return the sequence of trees, from the one that
/// was given to the last one.
fn cut_weakest_links(
    edited: &mut EditableTree,
    ccp_alpha: f64,
    impurity: Impurity,
    control: &Control,
) -> Result<Path> {
    let order = edited.order();
    let mut risks = Risks::new(edited, impurity, &order);
    let is_split = |edited: &EditableTree, i: u32| !edited.is_leaf(i as usize);
    let mut splits = order.iter().filter(|&&i| is_split(edited, i)).count() as u32;
    let mut path = Path {
        alphas: vec![0.0],
        impurities: vec![risks.of_subtree[0]],
        leaves: vec![risks.leaves[0]],
        splits: vec![splits],
        nodes: vec![NONE],
    };
    // Links by (sortable bits of `g`, node), the smallest on top.
    let mut heap: BinaryHeap<Reverse<(u64, u32)>> = order
        .iter()
        .filter(|&&i| !edited.is_leaf(i as usize))
        .map(|&i| Reverse((order_key(risks.link_strength(i as usize)), i)))
        .collect();
    let mut unreachable = vec![false; edited.nodes.len()];
    while let Some(Reverse((key, i))) = heap.pop() {
        control.check()?;
        let node = i as usize;
        if unreachable[node] {
            continue;
        }
        // Cuts below the node have raised its `g` since the entry was made.
        let alpha = risks.link_strength(node);
        if order_key(alpha) > key {
            heap.push(Reverse((order_key(alpha), i)));
            continue;
        }
        if alpha > ccp_alpha {
            break;
        }
        for &descendant in &edited.subtree(node) {
            unreachable[descendant as usize] = true;
            splits -= u32::from(is_split(edited, descendant));
        }
        let costs =
            Costs { leaf: risks.as_leaf[node], tree: risks.of_subtree[node], branch: alpha };
        edited.make_leaf(node, costs);
        risks.update_after_cut(node, edited);
        path.alphas.push(alpha);
        path.impurities.push(risks.of_subtree[0]);
        path.leaves.push(risks.leaves[0]);
        path.splits.push(splits);
        path.nodes.push(i);
    }
    Ok(path)
}

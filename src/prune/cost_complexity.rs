//! Minimal cost-complexity pruning (Breiman, Friedman, Olshen & Stone, CART, 1984, chapter 3).
//!
//! `R(t)` = impurity of a node times its share of the training weight; `R(T_t)` = the sum over the
//! leaves of its subtree, `|T_t|` of them. The link of a node is worth `g(t) = (R(t) - R(T_t)) /
//! (|T_t| - 1)` a leaf; the weakest link is cut again and again (the first node in pre-order where
//! two are equal). That gives a nested sequence of trees, one for each `alpha`; with a cost matrix
//! `R` is the expected cost of the cheapest label. Pruning at `ccp_alpha` cuts while the weakest
//! link costs no more. Leaves that no training row reached are not counted. The values are those of
//! scikit-learn's `cost_complexity_pruning_path` for the same tree.
//!
//! Values of `g` only rise when something below is cut, so a heap with outdated entries finds each
//! weakest link: O(nodes log nodes), and O(depth) a cut.
//!
//! When not to use it: with an alpha out of the air; choose one of the path by cross-validation.

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, Pruning};
use crate::criteria::Impurity;
use crate::error::{Error, Result};
use crate::numeric::order_key;
use crate::options::{self, OptionDomain, OptionInfo};
use crate::parallel::Control;
use crate::tree::{CostMatrix, NONE, Tree};
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Facts about the method.
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
            domain: OptionDomain::from(0.0),
            besides: "'cv' to choose it by cross-validation",
            doc: "Complexity penalty of each leaf, >= 0, or ``\"cv\"``; None takes the estimator's \
        `ccp_alpha`.",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "impurity",
            default: "\"auto\"",
            domain: OptionDomain::Words { words: &["auto", "gini", "entropy", "error"] },
            doc: "``\"gini\"``, ``\"entropy\"`` (bits), ``\"error\"``, or ``\"auto\"``: entropy \
        for criterion info_gain, else Gini, as scikit-learn's trees do, ``\"error\"`` where errors \
        have costs.",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "folds",
            default: "10",
            domain: OptionDomain::whole(2),
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
            domain: OptionDomain::whole(0),
            doc: "Seed of the folds, a whole number >= 0.",
            ..OptionInfo::PLAIN
        },
    ],
    rows: None,
    unweighed: None,
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
    /// The largest alpha within one standard error of the best, instead of the best.
    pub one_se: bool,
    /// Seed of the folds.
    pub seed: u64,
}

/// The sequence of pruned trees.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Path {
    /// Alpha at which each tree of the sequence becomes best, 0 for the whole tree.
    pub alphas: Vec<f64>,
    /// `R` of the leaves of each tree.
    pub impurities: Vec<f64>,
    /// Leaves with rows of each tree.
    pub leaves: Vec<u32>,
    /// The node that became a leaf in each tree, [`NONE`] in the whole tree.
    pub nodes: Vec<u32>,
}

/// Alphas and impurities down to the root alone.
pub fn path(tree: &Tree, impurity: Impurity, control: &Control) -> Result<Path> {
    path_by_cost(tree, impurity, None, control)
}

/// Alphas and impurities, or expected costs where errors cost what a matrix says.
pub fn path_by_cost(
    tree: &Tree,
    impurity: Impurity,
    costs: Option<&CostMatrix>,
    control: &Control,
) -> Result<Path> {
    let (mut edited, mut path) = (EditableTree::new(tree), Path::default());
    edited.costs = costs.cloned();
    weakest_links(&mut edited, f64::INFINITY, impurity, control, &mut path)?;
    Ok(path)
}

/// Cut while the weakest link costs at most `ccp_alpha`.
fn prune(
    edited: &mut EditableTree,
    ccp_alpha: f64,
    impurity: Impurity,
    control: &Control,
) -> Result<()> {
    // Sums taken again after the cuts may round differently: repeat until nothing is left to cut.
    while ccp_alpha > 0.0
        && weakest_links(edited, ccp_alpha, impurity, control, &mut Path::default())?
    {}
    Ok(())
}

/// `R(t)`, `R(T_t)` and `|T_t|` of every node; `order` lists parents before their children.
fn risks(
    edited: &EditableTree,
    impurity: Impurity,
    order: &[u32],
) -> (Vec<f64>, Vec<f64>, Vec<u32>) {
    let (n, total) = (edited.nodes.len(), edited.weight(0));
    let (mut own, mut below, mut leaves) = (vec![0.0; n], vec![0.0; n], vec![0_u32; n]);
    for &i in order.iter().rev() {
        let i = i as usize;
        own[i] = match &edited.costs {
            Some(_) => edited.errors(i) / total,
            None => edited.weight(i) * impurity.of(edited.counts(i)) / total,
        };
        if edited.is_leaf(i) {
            below[i] = own[i];
            leaves[i] = u32::from(edited.nodes[i].rows > 0);
        } else {
            below[i] = edited.children(i).iter().map(|&c| below[c as usize]).sum();
            leaves[i] = edited.children(i).iter().map(|&c| leaves[c as usize]).sum();
        }
    }
    (own, below, leaves)
}

fn weakest_links(
    edited: &mut EditableTree,
    ccp_alpha: f64,
    impurity: Impurity,
    control: &Control,
    path: &mut Path,
) -> Result<bool> {
    let order = edited.order();
    let (own, mut below, mut leaves) = risks(edited, impurity, &order);
    path.alphas.push(0.0);
    path.impurities.push(below[0]);
    path.leaves.push(leaves[0]);
    path.nodes.push(NONE);
    let worth = |i: usize, below: &[f64], leaves: &[u32]| {
        (own[i] - below[i]) / f64::from(leaves[i].max(2) - 1)
    };
    let mut heap: BinaryHeap<Reverse<(u64, u32)>> = order
        .iter()
        .filter(|&&i| !edited.is_leaf(i as usize))
        .map(|&i| Reverse((order_key(worth(i as usize, &below, &leaves)), i)))
        .collect();
    let mut gone = vec![false; edited.nodes.len()];
    let mut any = false;
    while let Some(Reverse((key, i))) = heap.pop() {
        control.check()?;
        let node = i as usize;
        if gone[node] {
            continue;
        }
        let alpha = worth(node, &below, &leaves);
        if order_key(alpha) > key {
            heap.push(Reverse((order_key(alpha), i)));
            continue;
        }
        if alpha > ccp_alpha {
            break;
        }
        for &d in &edited.below(node) {
            gone[d as usize] = true;
        }
        edited.cut(node, Costs { leaf: own[node], tree: below[node], branch: alpha });
        any = true;
        let (change, fewer) = (own[node] - below[node], leaves[node] - leaves[node].min(1));
        let mut up = i;
        while up != NONE {
            below[up as usize] += change;
            leaves[up as usize] -= fewer;
            up = edited.nodes[up as usize].parent;
        }
        path.alphas.push(alpha);
        path.impurities.push(below[0]);
        path.leaves.push(leaves[0]);
        path.nodes.push(i);
    }
    Ok(any)
}

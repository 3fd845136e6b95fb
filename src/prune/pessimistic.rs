//! Pessimistic pruning (Quinlan, "Simplifying decision trees", 1987).
//!
//! Training errors flatter a tree; half an error is added a leaf. A subtree of a node with weight
//! `n` makes `E = errors + L/2` errors (`L` = its leaves that training rows reached), with the
//! standard error `SE = sqrt(E (n - E) / n)`. The node becomes a leaf when `e + 1/2 <= E + SE`, `e`
//! = its errors as a leaf. Nodes are looked at top-down and **once**, against the subtree as it was
//! grown: O(nodes). A second run measures against a smaller tree and may therefore cut again.
//!
//! When not to use it: where single rows are worth much (it cuts hard), or weights are not counts
//! of rows: the half error is one of a row.

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, Pruning};
use crate::error::Result;
use serde::Deserialize;

/// Facts about the method.
pub const INFO: PruneInfo = PruneInfo {
    name: "pessimistic",
    class_name: "Pessimistic",
    text: "Pessimistic pruning: a leaf where ``e + 1/2 <= E + SE``.\n\n\
        ``E`` = training errors of the subtree + L/2 (L = leaves with training rows), \
        ``SE = sqrt(E (n - E) / n)``, ``e`` = errors as a leaf, ``n`` = weight of the node. \
        Top-down, each subtree is looked at once, as it was grown; a tree that this method made \
        is therefore given back as it is.",
    source: "Quinlan (1987), Simplifying decision trees, Int. J. Man-Machine Studies 27",
    costs: "errors with their correction",
    options: &[],
    rows: None,
    unweighed: Some("it counts half an error for each leaf"),
    samples: &["{}"],
};

/// The method; it has no options.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pessimistic {}

impl Pruning for Pessimistic {
    fn prune(&self, edited: &mut EditableTree, _: &PruneInput<'_>) -> Result<()> {
        prune(edited);
        Ok(())
    }
}

/// Cut top-down, once.
fn prune(edited: &mut EditableTree) {
    let order = edited.order();
    let mut errors = vec![0.0; edited.nodes.len()];
    let mut leaves = vec![0.0; edited.nodes.len()];
    for &i in order.iter().rev() {
        let i = i as usize;
        if edited.is_leaf(i) {
            errors[i] = edited.errors(i);
            leaves[i] = if edited.nodes[i].rows > 0 { 1.0 } else { 0.0 };
        } else {
            errors[i] = edited.children(i).iter().map(|&c| errors[c as usize]).sum();
            leaves[i] = edited.children(i).iter().map(|&c| leaves[c as usize]).sum();
        }
    }
    let mut stack = vec![0_u32];
    while let Some(i) = stack.pop() {
        let i = i as usize;
        if edited.is_leaf(i) {
            continue;
        }
        let n = edited.weight(i);
        let corrected = errors[i] + leaves[i] / 2.0;
        let standard = (corrected * (n - corrected).max(0.0) / n).sqrt();
        let (leaf, tree) = (edited.errors(i) + 0.5, corrected + standard);
        if leaf <= tree {
            edited.cut(i, Costs { leaf, tree, branch: f64::NAN });
        } else {
            stack.extend(edited.children(i).iter().rev());
        }
    }
}

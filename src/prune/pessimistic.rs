//! Pessimistic pruning (Quinlan, "Simplifying decision trees", 1987).
//!
//! Training errors are too optimistic, so half an error is added per leaf. A subtree with `L`
//! leaves that training rows reached, below a node of weight `n`, makes `E = errors + L/2` errors,
//! with standard error `SE = sqrt(E (n - E) / n)`. With `e` errors of the node as a leaf, it
//! becomes a leaf if `e + 1/2 <= E + SE`. Nodes are compared top-down and **once**, with the
//! subtree as it was grown: O(nodes). A second run compares with a smaller tree and may therefore
//! cut again.
//!
//! When not to use it: on few rows, where it prunes too much; or where weights are not counts of
//! rows, because the correction is half a row per leaf.

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, Pruning};
use crate::criteria::TargetKind;
use crate::error::Result;
use serde::Deserialize;

/// Description of the method for Python and the documentation.
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
    targets: &[TargetKind::Classes],
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

/// Prune top-down; each subtree is compared once.
fn prune(edited: &mut EditableTree) {
    // Training errors and leaves of every subtree, bottom-up.
    let mut errors = vec![0.0; edited.nodes.len()];
    let mut leaves = vec![0.0; edited.nodes.len()];
    for i in edited.bottom_up() {
        if edited.is_leaf(i) {
            errors[i] = edited.errors(i);
            leaves[i] = if edited.nodes[i].rows > 0 { 1.0 } else { 0.0 };
        } else {
            errors[i] = edited.sum_over_children(i, &errors);
            leaves[i] = edited.sum_over_children(i, &leaves);
        }
    }
    // Where a node is cut, its branches are not visited.
    let mut stack = vec![0_u32];
    while let Some(i) = stack.pop() {
        let i = i as usize;
        if edited.is_leaf(i) {
            continue;
        }
        let n = edited.weight(i);
        let corrected_errors = errors[i] + leaves[i] / 2.0;
        let standard_error = (corrected_errors * (n - corrected_errors).max(0.0) / n).sqrt();
        let (leaf, tree) = (edited.errors(i) + 0.5, corrected_errors + standard_error);
        if leaf <= tree {
            edited.make_leaf(i, Costs::leaf_or_tree(leaf, tree));
        } else {
            stack.extend(edited.children(i).iter().rev());
        }
    }
}

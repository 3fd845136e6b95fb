//! Merging of leaves that give the same answer, after or without pruning.
//!
//! Bottom-up, a node whose branches are all leaves of one class (or of one class distribution)
//! becomes a leaf. Two nested tests `x <= r1` and `x <= r2` of one feature are redundant if the
//! leaf that each cuts off on the same side gives the same answer (Stadler & Dave); they become one
//! test, with threshold `max(r1, r2)` if the leaves are on the `<=` side, `min(r1, r2)` otherwise.
//! Merging by class changes no predicted class; merging by distribution changes no probability
//! either. O(nodes x classes).
//!
//! When not to use it: by class, where the probabilities of leaves matter.

use super::editable_tree::{Costs, EditableTree};
use crate::tree::{NONE, Test};
use serde::Deserialize;

/// When two leaves give the same answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// They predict the same class.
    Class,
    /// Their class counts are proportional (and they predict the same class).
    Distribution,
}

/// Merge leaves and redundant tests bottom-up; the rule says when two leaves give the same answer.
pub(super) fn merge(edited: &mut EditableTree, rule: Merge) {
    for i in edited.bottom_up() {
        if edited.is_leaf(i) {
            continue;
        }
        // All branches are leaves that agree: one leaf.
        let children: Vec<usize> = edited.children(i).iter().map(|&child| child as usize).collect();
        let agrees =
            |&child: &usize| edited.is_leaf(child) && agree(edited, children[0], child, rule);
        if children.iter().all(agrees) {
            let tree = children.iter().map(|&child| edited.errors(child)).sum();
            edited.nodes[i].label = edited.nodes[children[0]].label;
            edited.make_leaf(i, Costs::leaf_or_tree(edited.errors(i), tree));
            continue;
        }
        // A leaf on branch `kept`, and on the other branch a test of the same feature with a leaf
        // that agrees on its branch `kept`: one test.
        let Test::Threshold(upper) = edited.nodes[i].test else { continue };
        for kept in 0..2 {
            let (leaf, below) = (children[kept], children[1 - kept]);
            let Test::Threshold(lower) = edited.nodes[below].test else { continue };
            if !edited.is_leaf(leaf)
                || edited.nodes[below].feature != edited.nodes[i].feature
                || edited.nodes[below].n_children != 2
            {
                continue;
            }
            let inner = edited.children(below)[kept] as usize;
            if edited.is_leaf(inner) && agree(edited, leaf, inner, rule) {
                // The threshold that leaves the larger side to the merged leaf.
                let upper_wins = (upper.reach >= lower.reach) == (kept == 0);
                let threshold = if upper_wins { upper } else { lower };
                edited.merge_tests(i, below, kept, threshold);
                break;
            }
        }
    }
}

/// Whether two leaves, `a` and `b`, give the same answer by a rule.
fn agree(edited: &EditableTree, a: usize, b: usize, rule: Merge) -> bool {
    edited.nodes[a].label == edited.nodes[b].label
        && match rule {
            Merge::Class => true,
            Merge::Distribution => are_proportional(evidence(edited, a), evidence(edited, b)),
        }
}

/// The counts from which the probabilities of a leaf are computed: its own counts or, if it has
/// none, the counts of its nearest ancestor with training rows.
fn evidence(edited: &EditableTree, leaf: usize) -> &[f64] {
    let mut node = leaf;
    while edited.nodes[node].parent != NONE && edited.weight(node) == 0.0 {
        node = edited.nodes[node].parent as usize;
    }
    edited.counts(node)
}

/// Whether two lists of class counts are proportional, up to rounding (a share of 1e-12).
fn are_proportional(a: &[f64], b: &[f64]) -> bool {
    let (sum_a, sum_b): (f64, f64) = (a.iter().sum(), b.iter().sum());
    a.iter().zip(b).all(|(x, y)| (x * sum_b - y * sum_a).abs() <= 1e-12 * sum_a * sum_b)
}

//! Leaves that say the same are merged.
//!
//! Bottom-up: a node whose branches are all leaves of one class (or of one distribution) becomes a
//! leaf. And two nested tests `x <= r1`, `x <= r2` of one feature whose cut-off sides are leaves
//! that say the same become one (Stadler & Dave's redundant splits): with threshold `max(r1, r2)`
//! when the leaves are on the `<=` side, `min(r1, r2)` when they are on the other. By class no
//! prediction changes, by distribution no probability either. O(nodes x classes).
//!
//! When not to use it: by class, where the probabilities of leaves matter.

use super::editable_tree::{Costs, EditableTree};
use crate::tree::{NONE, Test};
use serde::Deserialize;

/// When two leaves say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// They predict the same class.
    Class,
    /// Their class counts are proportional (and they predict the same class).
    Distribution,
}

/// Merge bottom-up.
pub(super) fn merge(edited: &mut EditableTree, same: Merge) {
    for &i in edited.order().iter().rev() {
        let i = i as usize;
        if edited.is_leaf(i) {
            continue;
        }
        let children = edited.children(i).to_vec();
        if children.iter().all(|&c| {
            edited.is_leaf(c as usize) && agree(edited, children[0] as usize, c as usize, same)
        }) {
            let tree = children.iter().map(|&c| edited.errors(c as usize)).sum();
            edited.nodes[i].label = edited.nodes[children[0] as usize].label;
            edited.cut(i, Costs { leaf: edited.errors(i), tree, branch: f64::NAN });
            continue;
        }
        let Test::Threshold(upper) = edited.nodes[i].test else { continue };
        for kept in 0..2 {
            let (leaf, below) = (children[kept] as usize, children[1 - kept] as usize);
            let Test::Threshold(lower) = edited.nodes[below].test else { continue };
            if !edited.is_leaf(leaf)
                || edited.nodes[below].feature != edited.nodes[i].feature
                || edited.nodes[below].n_children != 2
            {
                continue;
            }
            let inner = edited.children(below)[kept] as usize;
            if edited.is_leaf(inner) && agree(edited, leaf, inner, same) {
                let upper_wins = (upper.reach >= lower.reach) == (kept == 0);
                let threshold = if upper_wins { upper } else { lower };
                edited.join(i, below, kept, threshold);
                break;
            }
        }
    }
}

/// Whether two leaves say the same.
fn agree(edited: &EditableTree, a: usize, b: usize, same: Merge) -> bool {
    edited.nodes[a].label == edited.nodes[b].label
        && match same {
            Merge::Class => true,
            Merge::Distribution => proportional(evidence(edited, a), evidence(edited, b)),
        }
}

/// Counts that a leaf speaks from: its own, or those of the nearest node above with rows.
fn evidence(edited: &EditableTree, leaf: usize) -> &[f64] {
    let mut node = leaf;
    while edited.nodes[node].parent != NONE && edited.weight(node) == 0.0 {
        node = edited.nodes[node].parent as usize;
    }
    edited.counts(node)
}

fn proportional(a: &[f64], b: &[f64]) -> bool {
    let (n, m): (f64, f64) = (a.iter().sum(), b.iter().sum());
    a.iter().zip(b).all(|(x, y)| (x * m - y * n).abs() <= 1e-12 * n * m)
}

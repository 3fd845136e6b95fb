//! Leaves that say the same are merged.
//!
//! Bottom-up: a node whose branches are all leaves of one class (or of one distribution) becomes a
//! leaf. And two nested tests `x <= r1`, `x <= r2` of one feature whose cut-off sides are leaves
//! that say the same become one (Stadler & Dave's redundant splits): with threshold `max(r1, r2)`
//! when the leaves are on the `<=` side, `min(r1, r2)` when they are on the other. By class no
//! prediction changes, by distribution no probability either. O(nodes x classes).
//!
//! When not to use it: by class, where the probabilities of leaves matter.

use super::sketch::{Costs, Sketch};
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
pub(super) fn merge(sketch: &mut Sketch, same: Merge) {
    for &i in sketch.order().iter().rev() {
        let i = i as usize;
        if sketch.is_leaf(i) {
            continue;
        }
        let children = sketch.children(i).to_vec();
        if children.iter().all(|&c| {
            sketch.is_leaf(c as usize) && agree(sketch, children[0] as usize, c as usize, same)
        }) {
            let tree = children.iter().map(|&c| sketch.errors(c as usize)).sum();
            sketch.nodes[i].label = sketch.nodes[children[0] as usize].label;
            sketch.cut(i, Costs { leaf: sketch.errors(i), tree, branch: f64::NAN });
            continue;
        }
        let Test::Threshold(upper) = sketch.nodes[i].test else { continue };
        for kept in 0..2 {
            let (leaf, below) = (children[kept] as usize, children[1 - kept] as usize);
            let Test::Threshold(lower) = sketch.nodes[below].test else { continue };
            if !sketch.is_leaf(leaf)
                || sketch.nodes[below].feature != sketch.nodes[i].feature
                || sketch.nodes[below].n_children != 2
            {
                continue;
            }
            let inner = sketch.children(below)[kept] as usize;
            if sketch.is_leaf(inner) && agree(sketch, leaf, inner, same) {
                let upper_wins = (upper.reach >= lower.reach) == (kept == 0);
                let threshold = if upper_wins { upper } else { lower };
                sketch.join(i, below, kept, threshold);
                break;
            }
        }
    }
}

/// Whether two leaves say the same.
fn agree(sketch: &Sketch, a: usize, b: usize, same: Merge) -> bool {
    sketch.nodes[a].label == sketch.nodes[b].label
        && match same {
            Merge::Class => true,
            Merge::Distribution => proportional(evidence(sketch, a), evidence(sketch, b)),
        }
}

/// Counts that a leaf speaks from: its own, or those of the nearest node above with rows.
fn evidence(sketch: &Sketch, leaf: usize) -> &[f64] {
    let mut node = leaf;
    while sketch.nodes[node].parent != NONE && sketch.weight(node) == 0.0 {
        node = sketch.nodes[node].parent as usize;
    }
    sketch.counts(node)
}

fn proportional(a: &[f64], b: &[f64]) -> bool {
    let (n, m): (f64, f64) = (a.iter().sum(), b.iter().sum());
    a.iter().zip(b).all(|(x, y)| (x * m - y * n).abs() <= 1e-12 * n * m)
}

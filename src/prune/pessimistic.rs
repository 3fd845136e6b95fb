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

use super::sketch::{Costs, Sketch};

/// Cut top-down, once.
pub(super) fn prune(sketch: &mut Sketch) {
    let order = sketch.order();
    let mut errors = vec![0.0; sketch.nodes.len()];
    let mut leaves = vec![0.0; sketch.nodes.len()];
    for &i in order.iter().rev() {
        let i = i as usize;
        if sketch.is_leaf(i) {
            errors[i] = sketch.errors(i);
            leaves[i] = if sketch.nodes[i].rows > 0 { 1.0 } else { 0.0 };
        } else {
            errors[i] = sketch.children(i).iter().map(|&c| errors[c as usize]).sum();
            leaves[i] = sketch.children(i).iter().map(|&c| leaves[c as usize]).sum();
        }
    }
    let mut stack = vec![0_u32];
    while let Some(i) = stack.pop() {
        let i = i as usize;
        if sketch.is_leaf(i) {
            continue;
        }
        let n = sketch.weight(i);
        let corrected = errors[i] + leaves[i] / 2.0;
        let standard = (corrected * (n - corrected).max(0.0) / n).sqrt();
        let (leaf, tree) = (sketch.errors(i) + 0.5, corrected + standard);
        if leaf <= tree {
            sketch.cut(i, Costs { leaf, tree, branch: f64::NAN });
        } else {
            stack.extend(sketch.children(i).iter().rev());
        }
    }
}

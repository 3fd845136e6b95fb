//! The nodes of a complete plan ([`super::incumbent`]) in pre-order, the order that a model has.

use super::incumbent::Plan;
use super::ranked::RankedTest;

/// A node of the tree that was found.
pub(super) struct FoundNode {
    /// Its test; none in a leaf.
    pub(super) test: Option<RankedTest>,
    /// The number of its right child; the left one follows its parent. 0 in a leaf.
    pub(super) right: u32,
}

/// The nodes of a plan whose tests are all known: each before its left subtree, and that before its
/// right one.
pub(super) fn in_pre_order(plan: &Plan) -> Vec<FoundNode> {
    let mut nodes: Vec<FoundNode> = Vec::new();
    // A plan, and the parent of a right child.
    let mut stack = vec![(plan, None::<usize>)];
    while let Some((plan, right_of)) = stack.pop() {
        let node = nodes.len();
        if let Some(parent) = right_of {
            nodes[parent].right = node as u32;
        }
        let split = match plan {
            Plan::Split(split) => Some(split),
            Plan::Stump(_) => None,
        };
        nodes.push(FoundNode { test: split.map(|split| split.test), right: 0 });
        if let Some(split) = split {
            stack.extend([(&split.right, Some(node)), (&split.left, None)]);
        }
    }
    nodes
}

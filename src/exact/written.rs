//! The nodes of a found tree, as a model has them.

use crate::numeric::{Logs, entropy};
use crate::tree::{Node, NodePosition, Test, Tree};

/// The test of a node of a model.
pub(super) struct WrittenTest {
    pub(super) feature: usize,
    pub(super) test: Test,
    /// The levels that the test lists.
    pub(super) listed: Vec<u32>,
    /// Weight of each declared class on both sides.
    pub(super) sides: [Vec<f64>; 2],
    /// The side of rows with a missing value; the heavier one if the node has none.
    pub(super) missing: Option<u32>,
    /// The number of the right child; the left one follows its parent.
    pub(super) right: u32,
}

/// The test whether a level is one of a list, and that list. [`write_node`] puts the list into the
/// tree, and its place there into the test.
pub(super) fn test_of_levels(listed: Vec<u32>) -> (Test, Vec<u32>) {
    (Test::Subset { first: 0, len: listed.len() as u32 }, listed)
}

/// Add the next node in pre-order, with the class counts and the number of its rows. The score of
/// its test is the information gain, whatever the search has minimised.
pub(super) fn write_node(
    tree: &mut Tree,
    position: NodePosition,
    (counts, rows): (Vec<f64>, u32),
    label: i32,
    test: Option<WrittenTest>,
) {
    let first_child = tree.children.len() as u32;
    let mut node = Node { first_child, ..Node::leaf(position, label, rows) };
    if let Some(WrittenTest { feature, test, listed, sides, missing, right }) = test {
        node.test = tree.copy_levels(test, &listed);
        let weights = [0, 1].map(|side| sides[side].iter().sum::<f64>());
        let total = weights[0] + weights[1];
        let entropy_of = |counts: &[f64], weight: f64| {
            let logs = Logs::for_rows(total.ceil() as u64, 1);
            entropy(counts.iter().copied(), weight, logs)
        };
        node.distance = (0..2)
            .map(|side| weights[side] / total * entropy_of(&sides[side], weights[side]))
            .sum();
        node.score = entropy_of(&counts, total) - node.distance;
        node.feature = feature as u32;
        node.n_children = 2;
        node.missing_branch = missing.unwrap_or(u32::from(weights[1] > weights[0]));
        node.step = tree.children.len() as u32 / 2;
        tree.children.extend([tree.nodes.len() as u32 + 1, right]);
    }
    tree.nodes.push(node);
    tree.counts.extend(counts);
}

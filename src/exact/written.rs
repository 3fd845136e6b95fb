//! The result of a search as a tree of a model.

use crate::numeric::{Logs, entropy};
use crate::tree::{Node, NodePosition, Test, Tree};

/// A node of a model.
pub(super) struct WrittenNode<R> {
    pub(super) label: i32,
    /// Weight of each declared class.
    pub(super) counts: Vec<f64>,
    /// Number of rows.
    pub(super) rows: u32,
    /// Its test; none in a leaf.
    pub(super) test: Option<WrittenTest<R>>,
}

/// The test of a node of a model.
pub(super) struct WrittenTest<R> {
    pub(super) feature: usize,
    /// Up to which number (`Ok`), or which levels (`Err`) go left.
    pub(super) asked: Result<f64, Vec<u32>>,
    /// The side of rows with a missing value; the heavier one if the node has none.
    pub(super) missing: Option<u32>,
    /// Weight of each declared class on both sides.
    pub(super) counts: [Vec<f64>; 2],
    /// The data from which both children are described.
    pub(super) sides: [R; 2],
}

/// Write a tree node by node in pre-order. `describe` gives each node, the root from `root`. The
/// score of a test is the information gain, whatever the search has minimised.
pub(super) fn write_tree<R>(
    n_classes: usize,
    root: R,
    mut describe: impl FnMut(R) -> WrittenNode<R>,
) -> Tree {
    let mut tree = Tree::empty(n_classes);
    let (mut waiting, mut n_tests) = (vec![root], 0);
    while let Some(next) = waiting.pop() {
        let WrittenNode { label, counts, rows, test } = describe(next);
        let mut node = Node::leaf(NodePosition::ROOT, label, rows);
        if let Some(WrittenTest { feature, asked, missing, counts: below, sides }) = test {
            node.test = match asked {
                Ok(threshold) => Test::Threshold(threshold.into()),
                Err(levels) => {
                    let test = Test::Subset { first: 0, len: levels.len() as u32 };
                    tree.copy_levels(test, &levels)
                }
            };
            let weights = [0, 1].map(|side| below[side].iter().sum::<f64>());
            let total = weights[0] + weights[1];
            let entropy_of = |counts: &[f64], weight: f64| {
                let logs = Logs::for_rows(total.ceil() as u64, 1);
                entropy(counts.iter().copied(), weight, logs)
            };
            node.distance = (0..2)
                .map(|side| weights[side] / total * entropy_of(&below[side], weights[side]))
                .sum();
            node.score = entropy_of(&counts, total) - node.distance;
            node.feature = feature as u32;
            node.n_children = 2;
            node.missing_branch = missing.unwrap_or(u32::from(weights[1] > weights[0]));
            node.step = n_tests;
            n_tests += 1;
            let [left, right] = sides;
            waiting.extend([right, left]);
        }
        tree.nodes.push(node);
        tree.counts.extend(counts);
    }
    tree.link();
    tree
}

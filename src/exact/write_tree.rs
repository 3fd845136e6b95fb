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
    pub(super) left_values: LeftValues,
    /// The side of rows with a missing value; the heavier one if the node has none.
    pub(super) missing: Option<u32>,
    /// Weight of each declared class on both sides.
    pub(super) counts: [Vec<f64>; 2],
    /// The data from which both children are described.
    pub(super) sides: [R; 2],
}

/// The values that a test sends left.
pub(super) enum LeftValues {
    /// Numbers up to this one.
    UpTo(f64),
    /// These levels.
    Levels(Vec<u32>),
}

/// Write a tree node by node in pre-order. `describe` gives each node, the root from `root`. The
/// score of a test is the information gain, whatever the search has minimised.
pub(super) fn write_tree<R>(
    n_classes: usize,
    root: R,
    mut describe: impl FnMut(R) -> WrittenNode<R>,
) -> Tree {
    let mut tree = Tree::empty(n_classes);
    let mut waiting = vec![root];
    let mut n_tests = 0;
    while let Some(next) = waiting.pop() {
        let WrittenNode { label, counts, rows, test } = describe(next);
        let mut node = Node::leaf(NodePosition::ROOT, label, rows);
        if let Some(test) = test {
            fill_test(&mut node, &mut tree, &counts, &test);
            node.step = n_tests;
            n_tests += 1;
            let [left, right] = test.sides;
            waiting.extend([right, left]);
        }
        tree.nodes.push(node);
        tree.counts.extend(counts);
    }
    tree.link();
    tree
}

/// Describe a test in its node, which has these weights of the classes.
fn fill_test<R>(node: &mut Node, tree: &mut Tree, counts: &[f64], test: &WrittenTest<R>) {
    node.test = match &test.left_values {
        LeftValues::UpTo(threshold) => Test::Threshold((*threshold).into()),
        LeftValues::Levels(levels) => {
            let subset = Test::Subset { first: 0, len: levels.len() as u32 };
            tree.copy_levels(subset, levels)
        }
    };
    let weights = [0, 1].map(|side| test.counts[side].iter().sum::<f64>());
    let total = weights[0] + weights[1];
    // Logarithms of real weights are computed, so the smallest tables will do.
    let logs = Logs::up_to(0);
    let entropy_of = |counts: &[f64], weight: f64| entropy(counts.iter().copied(), weight, logs);
    node.distance = (0..2)
        .map(|side| weights[side] / total * entropy_of(&test.counts[side], weights[side]))
        .sum();
    node.score = entropy_of(counts, total) - node.distance;
    node.feature = test.feature as u32;
    node.n_children = 2;
    node.missing_branch = test.missing.unwrap_or(u32::from(weights[1] > weights[0]));
}

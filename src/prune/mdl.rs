//! Pruning by minimum description length (Quinlan & Rivest, "Inferring decision trees using the
//! minimum description length principle", 1989; bottom-up as in Mehta, Rissanen & Agrawal,
//! "MDL-based decision tree pruning", 1995).
//!
//! A message encodes the tree and the classes of the training rows for a receiver who knows the
//! features but not the classes. Bottom-up, a node becomes a leaf if that does not lengthen the
//! message. Lengths in bits:
//!
//! - every node: 1 bit, leaf or test;
//! - a test: `log2(features)` for the feature. A threshold costs `log2(n - 1)` more: a node of
//!   weight `n` has at most `n - 1` of them. A subset of `v` declared levels costs
//!   `log2(2^(v - 1) - 1)` more, for the ways to divide them in two; groups of them `v
//!   log2(branches)`;
//! - a leaf with `n_c` rows of each of `k` classes and `n` rows in all: `log2 C(n + k - 1, k - 1)`
//!   for the counts plus `log2(n! / (n_1! ... n_k!))` for the class of each row. This is the loss
//!   of the criterion `mdl`; `k` counts the classes with training rows. An empty leaf costs its 1
//!   bit only.
//!
//! O(nodes x classes). When not to use it: on weights that are not counts of rows, because the code
//! is one for whole rows; or for the most accurate tree, because the shortest message often belongs
//! to a smaller one.

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, Pruning};
use crate::criteria::{Cells, Context, Criterion, DescriptionLength, TargetKind};
use crate::data::Schema;
use crate::error::Result;
use crate::tree::Test;
use serde::Deserialize;

/// Description of the method for Python and the documentation.
pub const INFO: PruneInfo = PruneInfo {
    name: "mdl",
    class_name: "MDL",
    text: "Pruning by description length: bottom-up, a leaf where the message gets no longer.\n\n\
        Costs in bits: every node 1. A test ``log2(features)``, and ``log2(n - 1)`` more for a \
        threshold in a node of n rows, or ``log2(2^(v - 1) - 1)`` more for a subset of v declared \
        levels. A leaf ``log2 C(n + k - 1, k - 1) + log2(n! / prod n_c!)``, k = classes with \
        training rows. The classes of an empty leaf cost nothing.",
    source: "Quinlan & Rivest (1989), Inferring decision trees using the minimum description \
        length principle; bottom-up as in Mehta, Rissanen & Agrawal (1995), MDL-based decision \
        tree pruning",
    costs: "bits",
    options: &[],
    rows: None,
    unweighed: Some("it counts bits"),
    targets: &[TargetKind::Classes],
    samples: &["{}"],
};

/// The method; it has no options.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mdl {}

impl Pruning for Mdl {
    fn prune(&self, edited: &mut EditableTree, input: &PruneInput<'_>) -> Result<()> {
        prune(edited, input.schema);
        Ok(())
    }
}

/// Bits that name one of the `2^(levels - 1) - 1` ways to divide levels in two.
fn subset_bits(levels: usize) -> f64 {
    // 2^1023 is the largest power of two that is a double. No feature has as many levels.
    let levels = levels.min(1000) as i32;
    if levels < 3 { 0.0 } else { (f64::powi(2.0, levels - 1) - 1.0).log2() }
}

/// Prune bottom-up: a node becomes a leaf if its message as a leaf is at most as long as with its
/// subtree.
fn prune(edited: &mut EditableTree, schema: &Schema) {
    let feature_bits = (schema.features.len() as f64).log2();
    let occurring: Vec<usize> =
        (0..edited.classes).filter(|&class| edited.counts(0)[class] > 0.0).collect();
    let context = Context::new(occurring.len(), 0);
    let description: &dyn Criterion = &DescriptionLength;
    // Length of the shortest message for each subtree.
    let mut bits = vec![0.0; edited.nodes.len()];
    for i in edited.bottom_up() {
        let counts: Vec<f64> = occurring.iter().map(|&class| edited.counts(i)[class]).collect();
        let leaf = 1.0 + description.loss(Cells::Weights(&counts), &context).unwrap_or(0.0);
        bits[i] = leaf;
        if edited.is_leaf(i) {
            continue;
        }
        let node = &edited.nodes[i];
        let value_bits = match node.test {
            Test::Threshold(_) => (edited.weight(i).max(2.0) - 1.0).log2(),
            Test::Subset { .. } => subset_bits(schema.features[node.feature as usize].arity()),
            Test::Groups { len, .. } => f64::from(len) * f64::from(node.n_children).log2(),
            Test::Multiway | Test::Leaf => 0.0,
        };
        let tree = 1.0 + (feature_bits + value_bits) + edited.sum_over_children(i, &bits);
        if leaf <= tree {
            edited.make_leaf(i, Costs::leaf_or_tree(leaf, tree));
        } else {
            bits[i] = tree;
        }
    }
}

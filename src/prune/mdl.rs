//! Pruning by description length (Quinlan & Rivest, "Inferring decision trees using the minimum
//! description length principle", 1989; bottom-up as in Mehta, Rissanen & Agrawal, "MDL-based
//! decision tree pruning", 1995).
//!
//! The tree and the classes of the training rows are sent to a receiver who knows the features but
//! not the classes; a node becomes a leaf when that makes the message no longer. In bits:
//!
//! - every node: 1, leaf or test;
//! - a test: `log2(features)`, and for a threshold `log2(n - 1)`, the number of places it could
//!   have in a node of weight `n` (an upper bound where values repeat), for a division of `v`
//!   declared levels in two `log2(2^(v - 1) - 1)`;
//! - a leaf with class counts `n_1..n_k`, `n` in all: `log2 C(n + k - 1, k - 1) + log2 (n! / (n_1!
//!   ... n_k!))`, first the counts, then which row has which class, which is the
//!   loss of a leaf by the criterion `mdl`; `k` = classes with training rows. An empty leaf:
//!   nothing.
//!
//! O(nodes x classes). When not to use it: on weights that are not counts of rows (a bit is paid a
//! row), or for the most accurate tree: it looks for the shortest account.

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, Pruning};
use crate::criteria::{Context, DescriptionLength, Formula};
use crate::data::Schema;
use crate::error::Result;
use crate::tree::Test;
use serde::Deserialize;

/// Facts about the method.
pub const INFO: PruneInfo = PruneInfo {
    name: "mdl",
    class_name: "MDL",
    text: "Pruning by description length: bottom-up, a leaf where the message gets no longer.\n\n\
        Costs in bits: every node 1. A test ``log2(features)``, and ``log2(n - 1)`` more for a \
        threshold in a node of n rows. A leaf ``log2 C(n + k - 1, k - 1) + log2(n! / prod n_c!)``, \
        k = classes with training rows. The classes of an empty leaf cost nothing.",
    source: "Quinlan & Rivest (1989), Inferring decision trees using the minimum description \
        length principle; bottom-up as in Mehta, Rissanen & Agrawal (1995), MDL-based decision \
        tree pruning",
    costs: "bits",
    options: &[],
    rows: None,
    unweighed: Some("it counts bits"),
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

/// Bits of one of the `2^(levels - 1) - 1` divisions of levels in two.
fn division_bits(levels: usize) -> f64 {
    if levels < 3 { 0.0 } else { (f64::powi(2.0, levels.min(1000) as i32 - 1) - 1.0).log2() }
}

/// Cut bottom-up.
fn prune(edited: &mut EditableTree, schema: &Schema) {
    let features = schema.features.len();
    let occurring: Vec<usize> =
        (0..edited.counts(0).len()).filter(|&c| edited.counts(0)[c] > 0.0).collect();
    let context = Context::new(occurring.len(), 0);
    let mut bits = vec![0.0; edited.nodes.len()];
    for &i in edited.order().iter().rev() {
        let i = i as usize;
        let counts: Vec<f64> = occurring.iter().map(|&c| edited.counts(i)[c]).collect();
        let leaf = 1.0 + DescriptionLength {}.loss(&counts, &context).unwrap_or(0.0);
        bits[i] = leaf;
        if edited.is_leaf(i) {
            continue;
        }
        let place = match edited.nodes[i].test {
            Test::Threshold(_) => edited.weight(i).max(2.0) - 1.0,
            _ => 1.0,
        };
        let divisions = match edited.nodes[i].test {
            Test::Subset { .. } => {
                division_bits(schema.features[edited.nodes[i].feature as usize].arity())
            }
            _ => 0.0,
        };
        let test = (features as f64).log2() + place.log2() + divisions;
        let tree = 1.0 + test + edited.children(i).iter().map(|&c| bits[c as usize]).sum::<f64>();
        if leaf <= tree {
            edited.cut(i, Costs { leaf, tree, branch: f64::NAN });
        } else {
            bits[i] = tree;
        }
    }
}

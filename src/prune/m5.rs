//! M5's pruning of a numeric target (Quinlan, "Learning with continuous classes", 1992).
//!
//! The estimated error of a node as a leaf is the mean of `|y - value|` over its training rows, of
//! weight `n`, times `(n + v) / (n - v)`: the errors on training rows are too small for a model
//! with `v` parameters. A leaf has one, its number. The estimated error of a subtree is the mean
//! over its branches, weighted by their rows (as in Wang & Witten, 1997), so each of its leaves is
//! charged for one parameter. Bottom-up, a node becomes a leaf if its estimated error is at most
//! the estimated error of its subtree. Where `n <= v` the factor has no meaning: such a leaf is
//! taken at its mean error, and such a node is never cut. In particular a tree whose leaves hold
//! one row each stays as it is.
//!
//! The rows are sent down the tree once; sums of rounded differences are exact, so the order of the
//! rows does not matter. O(rows x depth + nodes).
//!
//! When not to use it: on a tree grown out to single rows, or where weights are not counts of rows.

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, PruneRows, Pruning};
use crate::criteria::TargetKind;
use crate::error::{Result, unsupported};
use crate::numeric::ExactSum;
use crate::predict::CompiledTree;
use serde::Deserialize;

/// Description of the method for Python and the documentation.
pub const INFO: PruneInfo = PruneInfo {
    name: "m5",
    class_name: "M5",
    text: "M5's pruning of a numeric target: bottom-up, a leaf where its estimated absolute error \
        is at most the subtree's.\n\n\
        A leaf is estimated at the mean of ``|y - value|`` over its training rows times \
        ``(n + 1) / (n - 1)``, n = their weight; a subtree at the mean over its branches, weighted \
        by their rows. A leaf of weight 1 or less is taken at its mean error, and a node of that \
        weight is never cut: set `min_samples_leaf`, as a tree grown out to single rows stays as \
        it is.",
    source: "Quinlan (1992), Learning with continuous classes; Wang & Witten (1997), Induction of \
        model trees for predicting continuous classes",
    costs: "estimated absolute error",
    options: &[],
    rows: Some(("X and y, the training rows", None)),
    unweighed: Some("it prunes trees of a numeric target"),
    targets: &[TargetKind::Number],
    samples: &["{}"],
};

/// The method; it has no options.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct M5 {}

impl Pruning for M5 {
    fn prune(&self, edited: &mut EditableTree, input: &PruneInput<'_>) -> Result<()> {
        let rows = input.needed_rows("pruning='m5' without rows", "the training rows")?;
        let Some(target) = rows.data.target() else {
            return unsupported("pruning='m5' of a tree with classes", "a numeric target");
        };
        // By node, the weight of its rows and the sum of their weighted absolute errors.
        let mut weights_of = vec![0_i64; edited.nodes.len()];
        let mut errors_of = vec![ExactSum::default(); edited.nodes.len()];
        let compiled = CompiledTree::new(input.tree, input.schema)?;
        let PruneRows { data, rows, weights } = *rows;
        let all = vec![true; edited.nodes.len()];
        compiled.send_down(data, rows, weights, &all, input.control, &mut |node, reaching| {
            let predicted = edited.outcomes[node].value;
            for (row, weight) in reaching.weighed() {
                weights_of[node] += weight;
                let error = (target.value(row) - predicted).abs();
                errors_of[node].add_product(weight as f64, error);
            }
        })?;
        let scale = weights.units_of_fractions(rows);
        prune(edited, scale, &|node| weights_of[node] as f64, &|node| errors_of[node].value());
        Ok(())
    }
}

/// Number of parameters of a leaf: the number that it predicts.
const PARAMETERS: f64 = 1.0;

/// Prune bottom-up. `weight` gives the weight of a node and `errors` the sum of its weighted
/// errors, both in units of which `scale` make up a row of weight 1.
fn prune(
    edited: &mut EditableTree,
    scale: f64,
    weight: &dyn Fn(usize) -> f64,
    errors: &dyn Fn(usize) -> f64,
) {
    // Estimated errors of subtrees times their weights.
    let mut estimated = vec![0.0; edited.nodes.len()];
    for i in edited.bottom_up() {
        let n = weight(i) / scale;
        let is_judged = n > PARAMETERS;
        let factor = if is_judged { (n + PARAMETERS) / (n - PARAMETERS) } else { 1.0 };
        let leaf = errors(i) * factor;
        estimated[i] = leaf;
        if edited.is_leaf(i) {
            continue;
        }
        let tree: f64 = edited.sum_over_children(i, &estimated);
        // Errors that differ by the size of rounding are a tie: the smaller tree wins.
        if is_judged && leaf <= tree * (1.0 + 1e-12) {
            edited.make_leaf(i, Costs::leaf_or_tree(leaf / weight(i), tree / weight(i)));
        } else {
            estimated[i] = tree;
        }
    }
}

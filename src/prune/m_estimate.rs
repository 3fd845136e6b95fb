//! Minimal-error pruning by the m-estimate (Cestnik & Bratko, "On estimating probabilities in tree
//! pruning", 1991).
//!
//! The expected error of a leaf that predicts class `c`, with `n` rows of which `n_c` have this
//! class, is `1 - (n_c + m p_c) / (n + m)`, where `p_c` is the share of the class at the root. The
//! expected error of a subtree is the mean over its branches, weighted by their rows. Bottom-up, a
//! node becomes a leaf if its expected error is at most the expected error of its subtree. With a
//! cost matrix `C` the expected cost `sum_i C[i, c] (n_i + m p_i) / (n + m)` takes the place of the
//! error.
//!
//! `m` is the weight of the prior in rows; 0 trusts the training rows alone. O(nodes x classes).
//!
//! When not to use it: with the default `m` and nothing else; choose `m` by cross-validation.

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, Pruning};
use crate::criteria::TargetKind;
use crate::error::Result;
use crate::options::{self, OptionDomain, OptionInfo};
use serde::Deserialize;

/// Description of the method for Python and the documentation.
pub const INFO: PruneInfo = PruneInfo {
    name: "m_estimate",
    class_name: "MEstimate",
    text: "Minimal-error pruning: bottom-up, a leaf where its expected error is at most the \
        subtree's.\n\n\
        A leaf errs with probability ``1 - (n_c + m p_c) / (n + m)``, c = its class, p_c = share \
        of c at the root; a subtree with the weighted mean over its branches.",
    source: "Cestnik & Bratko (1991), On estimating probabilities in tree pruning, EWSL-91",
    costs: "expected error",
    options: &[OptionInfo {
        name: "m",
        default: "2.0",
        domain: OptionDomain::at_least(0.0),
        doc: "Weight of the prior in rows; larger prunes more.",
        ..OptionInfo::PLAIN
    }],
    rows: None,
    unweighed: None,
    targets: &[TargetKind::Classes],
    samples: &[r#"{"m": 2.0}"#],
};

/// The method and its option.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MEstimate {
    /// Weight of the prior, in rows.
    pub m: f64,
}

impl Pruning for MEstimate {
    fn check(&self) -> Result<()> {
        options::check(INFO.options, "m", self.m)
    }

    fn prune(&self, edited: &mut EditableTree, _: &PruneInput<'_>) -> Result<()> {
        prune(edited, self.m);
        Ok(())
    }
}

/// Errors that differ by at most this much, the size of rounding, are a tie: the smaller tree wins.
const SLACK: f64 = 1e-12;

/// Prune bottom-up by expected errors, or costs; `m` is the weight of the prior in rows.
fn prune(edited: &mut EditableTree, m: f64) {
    let root_counts = edited.counts(0).to_vec();
    let total: f64 = root_counts.iter().sum();
    // Expected error (or cost) of each subtree.
    let mut expected = vec![0.0; edited.nodes.len()];
    for i in edited.bottom_up() {
        let n = edited.weight(i);
        // An empty node has no weight in the mean of its parent.
        if n == 0.0 {
            continue;
        }
        let leaf = match usize::try_from(edited.nodes[i].label) {
            _ if edited.costs.is_some() => {
                let counts = edited.counts(i).iter().zip(&root_counts);
                let smoothed: Vec<f64> =
                    counts.map(|(own, prior)| (own + m * prior / total) / (n + m)).collect();
                edited.errors_among(i, &smoothed)
            }
            Ok(class) => 1.0 - (edited.counts(i)[class] + m * root_counts[class] / total) / (n + m),
            Err(_) => 1.0,
        };
        expected[i] = leaf;
        if edited.is_leaf(i) {
            continue;
        }
        let children = edited.children(i).iter().map(|&child| child as usize);
        let tree = children.map(|child| edited.weight(child) * expected[child]).sum::<f64>() / n;
        if leaf <= tree + SLACK {
            edited.make_leaf(i, Costs::leaf_or_tree(leaf, tree));
        } else {
            expected[i] = tree;
        }
    }
}

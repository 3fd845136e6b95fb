//! Minimal-error pruning by the m-estimate (Cestnik & Bratko, "On estimating probabilities in tree
//! pruning", 1991).
//!
//! As a leaf a node with `n` rows, `n_c` of them of the class `c` it predicts, errs with
//! probability `1 - (n_c + m p_c) / (n + m)`, `p_c` = share of the class at the root. A subtree
//! errs with the mean over its branches, weighted by their rows. Bottom-up, a node becomes a leaf
//! when it errs no more than its subtree. With a cost matrix the expected cost takes the place of
//! the error: `sum_i C[i, c] (n_i + m p_i) / (n + m)`. O(nodes x classes). `m` says how much a leaf
//! is doubted; 0 believes the training rows.
//!
//! When not to use it: with `m` taken for granted; it should be chosen by cross-validation.

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, Pruning};
use crate::error::Result;
use crate::options::{self, OptionDomain, OptionInfo};
use serde::Deserialize;

/// Facts about the method.
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
        domain: OptionDomain::from(0.0),
        doc: "Weight of the prior in rows; larger prunes more.",
        ..OptionInfo::PLAIN
    }],
    rows: None,
    unweighed: None,
    samples: &[r#"{"m": 2.0}"#],
};

/// The method.
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

/// Ties within rounding go to the smaller tree.
const SLACK: f64 = 1e-12;

/// Cut bottom-up.
fn prune(edited: &mut EditableTree, m: f64) {
    let root = edited.counts(0).to_vec();
    let all: f64 = root.iter().sum();
    let mut expected = vec![0.0; edited.nodes.len()];
    for &i in edited.order().iter().rev() {
        let i = i as usize;
        let n = edited.weight(i);
        if n == 0.0 {
            continue;
        }
        let leaf = match usize::try_from(edited.nodes[i].label) {
            _ if edited.costs.is_some() => {
                let smoothed: Vec<f64> = edited
                    .counts(i)
                    .iter()
                    .zip(&root)
                    .map(|(c, r)| (c + m * r / all) / (n + m))
                    .collect();
                edited.errors_among(i, &smoothed)
            }
            Ok(c) => 1.0 - (edited.counts(i)[c] + m * root[c] / all) / (n + m),
            Err(_) => 1.0,
        };
        expected[i] = leaf;
        if edited.is_leaf(i) {
            continue;
        }
        let tree = edited
            .children(i)
            .iter()
            .map(|&c| edited.weight(c as usize) * expected[c as usize])
            .sum::<f64>()
            / n;
        if leaf <= tree + SLACK {
            edited.cut(i, Costs { leaf, tree, branch: f64::NAN });
        } else {
            expected[i] = tree;
        }
    }
}

//! Trees are cut back: fewer leaves, fewer accidents of the training rows.
//!
//! Every method works on an [`EditableTree`], in which a node becomes a leaf or is replaced by one
//! of its branches in constant time; [`prune`] then writes a tree in pre-order again, with an
//! account of what was cut and why. Counts of a node stay the weights of the training rows that
//! reach it, and labels their majority.
//!
//! | method | looks at | order |
//! |---|---|---|
//! | [`pessimistic`] (Quinlan 1987) | training counts | top-down, once |
//! | [`error_based`] (C4.5; J48) | training counts, rows for raising | bottom-up |
//! | [`reduced_error`] (Quinlan 1987) | rows held out | bottom-up |
//! | [`cost_complexity`] (Breiman et al. 1984) | training counts | weakest link first |
//! | [`m_estimate`] (Cestnik & Bratko 1991) | training counts | bottom-up |
//! | [`mdl`] (Quinlan & Rivest 1989) | training counts | bottom-up |
//!
//! [`merge`] joins leaves that say the same. Nothing here recurses.

pub mod cost_complexity;
mod editable_tree;
pub mod error_based;
pub mod m_estimate;
pub mod mdl;
pub mod merge;
pub mod pessimistic;
mod quantile;
pub mod reduced_error;

use crate::data::{Dataset, Schema, Weights};
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::predict::CompiledTree;
use crate::tree::{CostMatrix, Tree};
use editable_tree::EditableTree;
use serde::Deserialize;

pub use cost_complexity::{AlphaRule, Impurity};
pub use editable_tree::{Action, PruneStep};
pub use merge::Merge;

/// A method and its options.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(tag = "method", rename_all = "snake_case", deny_unknown_fields)]
pub enum PruneMethod {
    /// Quinlan's pessimistic pruning.
    Pessimistic,
    /// C4.5's error-based pruning.
    ErrorBased {
        /// Confidence of the upper limit, in (0, 0.5].
        confidence: f64,
        /// Whether a node may be replaced by its largest branch.
        subtree_raising: bool,
    },
    /// Errors on rows that growth did not see.
    ReducedError {
        /// Share of the rows held out by `fit`, in (0, 1).
        share: f64,
        /// Seed of the division; without one the rows are divided as J48 does, into `1 / share`
        /// folds.
        seed: Option<u64>,
    },
    /// Weakest links up to a price a leaf.
    CostComplexity {
        /// Price of a leaf.
        ccp_alpha: f64,
        /// What a leaf's rows cost.
        impurity: Impurity,
    },
    /// Expected error by the m-estimate.
    MEstimate {
        /// Weight of the prior, in rows.
        m: f64,
    },
    /// Description length.
    Mdl,
}

impl PruneMethod {
    /// Refuse options outside their domain.
    pub fn check(&self) -> Result<()> {
        match *self {
            Self::ErrorBased { confidence, .. } if !(confidence > 0.0 && confidence <= 0.5) => {
                Err(Error::parameter("confidence", confidence, "must lie in (0, 0.5]"))
            }
            Self::ReducedError { share, .. } if !(share > 0.0 && share < 1.0) => {
                Err(Error::parameter("fraction", share, "must lie between 0 and 1, both excluded"))
            }
            Self::CostComplexity { ccp_alpha, .. }
                if !(ccp_alpha >= 0.0 && ccp_alpha.is_finite()) =>
            {
                Err(Error::parameter("ccp_alpha", ccp_alpha, "must be a number >= 0"))
            }
            Self::MEstimate { m } if !(m >= 0.0 && m.is_finite()) => {
                Err(Error::parameter("m", m, "must be a number >= 0"))
            }
            _ => Ok(()),
        }
    }
}

impl PruneMethod {
    /// Refuse methods that count errors and do not weigh them.
    pub fn check_costs(&self) -> Result<()> {
        let refuse = |what: &str, supported: &str| {
            Err(Error::Unsupported {
                what: format!("{what} with cost_matrix"),
                supported: supported.into(),
            })
        };
        let methods = "'cost_complexity', 'reduced_error', 'm_estimate', or no pruning";
        match self {
            Self::Pessimistic => {
                refuse("pruning='pessimistic' (it counts half an error a leaf)", methods)
            }
            Self::ErrorBased { .. } => refuse(
                "pruning='error_based' (its limit is one of a proportion of errors)",
                methods,
            ),
            Self::Mdl => refuse("pruning='mdl' (it counts bits)", methods),
            Self::CostComplexity { impurity: Impurity::Gini | Impurity::Entropy, .. } => {
                refuse("impurity='gini' or 'entropy'", "CostComplexity(impurity='error') or 'auto'")
            }
            _ => Ok(()),
        }
    }
}

/// Rows that a method looks at: the training rows, or those held out.
#[derive(Debug, Clone, Copy)]
pub struct PruneRows<'a> {
    /// Values as they were before binning and imputation; the model's schema reads them.
    pub data: &'a Dataset,
    /// Internal row numbers.
    pub rows: &'a [u32],
    /// Weights by internal row.
    pub weights: &'a Weights,
}

/// A pruned tree and what was done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Pruned {
    /// The tree.
    pub tree: Tree,
    /// What was cut, by node of the tree before.
    pub account: Vec<PruneStep>,
}

/// Prune a tree by a method, then merge leaves; either may be left out.
pub fn prune(
    tree: &Tree,
    schema: &Schema,
    method: Option<&PruneMethod>,
    merged: Option<Merge>,
    rows: Option<&PruneRows<'_>>,
    control: &Control,
) -> Result<Pruned> {
    prune_by_cost(tree, schema, (method, merged), false, rows, None, control)
}

/// The same where errors cost what a matrix says, and the labels of the tree are the cheapest ones.
/// `collapse` first makes leaves of subtrees that save no training error (C4.5 ends growth so).
pub fn prune_by_cost(
    tree: &Tree,
    schema: &Schema,
    (method, merged): (Option<&PruneMethod>, Option<Merge>),
    collapse: bool,
    rows: Option<&PruneRows<'_>>,
    costs: Option<&CostMatrix>,
    control: &Control,
) -> Result<Pruned> {
    let mut edited = EditableTree::new(tree);
    edited.costs = costs.cloned();
    if collapse {
        error_based::collapse(&mut edited);
    }
    if let Some(method) = method {
        method.check()?;
        if costs.is_some() {
            method.check_costs()?;
        }
        match *method {
            PruneMethod::Pessimistic => pessimistic::prune(&mut edited),
            PruneMethod::ErrorBased { confidence, subtree_raising: false } => {
                error_based::prune(&mut edited, confidence, None, control)?;
            }
            PruneMethod::ErrorBased { confidence, subtree_raising: true } => {
                let walker = CompiledTree::new(tree, schema)?;
                let rows = needed(
                    rows,
                    "subtree_raising=True",
                    "the training rows, or subtree_raising=False",
                )?;
                error_based::prune(&mut edited, confidence, Some((&walker, rows)), control)?;
            }
            PruneMethod::ReducedError { .. } => {
                let walker = CompiledTree::new(tree, schema)?;
                let rows =
                    needed(rows, "reduced-error pruning without rows", "rows that were held out")?;
                reduced_error::prune(&mut edited, &walker, rows, control)?;
            }
            PruneMethod::CostComplexity { ccp_alpha, impurity } => {
                cost_complexity::prune(&mut edited, ccp_alpha, impurity, control)?;
            }
            PruneMethod::MEstimate { m } => m_estimate::prune(&mut edited, m),
            PruneMethod::Mdl => mdl::prune(&mut edited, schema),
        }
    }
    if let Some(same) = merged {
        merge::merge(&mut edited, same);
    }
    Ok(edited.finish())
}

fn needed<'a, 'd>(
    rows: Option<&'a PruneRows<'d>>,
    what: &str,
    supported: &str,
) -> Result<&'a PruneRows<'d>> {
    rows.ok_or_else(|| Error::Unsupported { what: what.into(), supported: supported.into() })
}

//! Pruning: removes branches that fit noise.
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
mod method;
pub mod pessimistic;
mod quantile;
pub mod reduced_error;

use crate::data::Schema;
use crate::error::{Result, unsupported};
use crate::parallel::Control;
use crate::tree::{CostMatrix, Tree};
use editable_tree::EditableTree;
use method::Pruning;
use serde::Deserialize;

pub use crate::criteria::Impurity;
pub use cost_complexity::{AlphaRule, CostComplexity};
pub use editable_tree::{Action, PruneStep, Pruned};
pub use error_based::ErrorBased;
pub use m_estimate::MEstimate;
pub use merge::Merge;
pub use method::{PruneInfo, PruneInput, PruneRows};
pub use reduced_error::ReducedError;

/// The registry of [`PRUNINGS`], and [`PruneMethod`], one variant for each of them.
macro_rules! prunings {
    ($($module:ident::$method:ident),* $(,)?) => {
        /// The methods, as data.
        pub const PRUNINGS: &[&PruneInfo] = &[$(&$module::INFO),*];

        /// A method and its options.
        #[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
        #[serde(tag = "method", rename_all = "snake_case")]
        pub enum PruneMethod {
            $(
                #[doc = concat!("See [`", stringify!($module), "`].")]
                $method($module::$method),
            )*
        }

        impl PruneMethod {
            /// Its facts.
            pub fn info(&self) -> &'static PruneInfo {
                match self {
                    $(Self::$method(_) => &$module::INFO,)*
                }
            }

            fn method(&self) -> &dyn Pruning {
                match self {
                    $(Self::$method(method) => method,)*
                }
            }
        }
    };
}

prunings! {
    pessimistic::Pessimistic,
    error_based::ErrorBased,
    reduced_error::ReducedError,
    cost_complexity::CostComplexity,
    m_estimate::MEstimate,
    mdl::Mdl,
}

impl PruneMethod {
    /// Refuse options outside their domain.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        self.method().check()
    }

    /// Refuse methods that count errors and do not weigh them.
    ///
    /// # Errors
    /// [`Error::Unsupported`].
    pub fn check_costs(&self) -> Result<()> {
        let info = self.info();
        let Some(why) = info.unweighed else {
            return self.method().check_costs();
        };
        unsupported(
            format!("pruning='{}' ({why}) with cost_matrix", info.name),
            names_of(|other| other.unweighed.is_none()),
        )
    }
}

/// The methods that serve in some place, as a refusal lists them.
pub fn names_of(serves: impl Fn(&PruneInfo) -> bool) -> String {
    let serving = PRUNINGS.iter().filter(|info| serves(info));
    let names: Vec<String> = serving.map(|info| format!("'{}'", info.name)).collect();
    format!("{}, or no pruning", names.join(", "))
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

/// Prune with errors that cost what a matrix says; the labels of the tree are the cheapest ones.
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
        method.method().prune(&mut edited, &PruneInput { tree, schema, rows, control })?;
    }
    if let Some(same) = merged {
        merge::merge(&mut edited, same);
    }
    Ok(edited.finish())
}

//! Pruning: removes branches that fit noise.
//!
//! Every method works on an [`EditableTree`], in which a node can become a leaf or be replaced by
//! one of its branches. [`prune_with`] then returns a tree in pre-order, with an account of each
//! edit and the costs that led to it. Counts of a node stay the weights of the training rows that
//! reach it, and labels their majority. No function recurses, so that deep trees cannot exhaust the
//! stack.
//!
//! | method | input | order |
//! |---|---|---|
//! | [`pessimistic`] (Quinlan 1987) | training counts | top-down, once |
//! | [`error_based`] (C4.5; J48) | training counts, rows for raising | bottom-up |
//! | [`reduced_error`] (Quinlan 1987) | rows held out | bottom-up |
//! | [`cost_complexity`] (Breiman et al. 1984) | training counts | weakest link first |
//! | [`m_estimate`] (Cestnik & Bratko 1991) | training counts | bottom-up |
//! | [`mdl`] (Quinlan & Rivest 1989) | training counts | bottom-up |
//! | [`m5`] (Quinlan 1992) | training rows, of a numeric target | bottom-up |
//!
//! [`merge`] joins leaves that give the same answer.

pub mod cost_complexity;
mod editable_tree;
pub mod error_based;
pub mod m5;
pub mod m_estimate;
pub mod mdl;
pub mod merge;
mod method;
pub mod pessimistic;
pub mod reduced_error;

use crate::criteria::TargetKind;
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

/// Make the registry [`PRUNINGS`] and the enum [`PruneMethod`] from the list of methods.
macro_rules! prunings {
    ($($module:ident::$method:ident),* $(,)?) => {
        /// Descriptions of all methods.
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
            /// The description of the method. It is the same for all options. Python classes,
            /// tables of the documentation and messages are made from it.
            pub fn info(&self) -> &'static PruneInfo {
                match self {
                    $(Self::$method(_) => &$module::INFO,)*
                }
            }

            /// The method as a [`Pruning`].
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
    m5::M5,
}

impl PruneMethod {
    /// Refuse options outside their domain.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        self.method().check()
    }

    /// Refuse methods that do not prune trees of a target.
    ///
    /// # Errors
    /// [`Error::Unsupported`].
    pub fn check_target(&self, target: TargetKind) -> Result<()> {
        let info = self.info();
        if info.targets.contains(&target) {
            return Ok(());
        }
        let what = match target {
            TargetKind::Number => "a numeric target",
            TargetKind::Classes => "a target of classes (as target_bins makes)",
        };
        unsupported(
            format!("pruning='{}' with {what}", info.name),
            names_of(|other| other.targets.contains(&target)),
        )
    }

    /// Refuse methods and options that cannot weigh errors by a cost matrix.
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

/// The names of methods that `serves` accepts, as text for the message of a refusal. They are
/// quoted and in the order of [`PRUNINGS`], and end with "or no pruning", which is always an
/// alternative.
pub fn names_of(serves: impl Fn(&PruneInfo) -> bool) -> String {
    let serving = PRUNINGS.iter().filter(|info| serves(info));
    let names: Vec<String> = serving.map(|info| format!("'{}'", info.name)).collect();
    format!("{}, or no pruning", names.join(", "))
}

/// The steps of pruning, in the order in which they are done; each may be left out.
#[derive(Debug, Clone, Copy, Default)]
pub struct PruneSteps<'a> {
    /// First make leaves of subtrees that save no training error (the end of growth in C4.5).
    pub collapse: bool,
    /// The method that prunes.
    pub method: Option<&'a PruneMethod>,
    /// Then merge leaves.
    pub merge: Option<Merge>,
    /// Costs of errors; the labels of the tree are the cheapest ones.
    pub costs: Option<&'a CostMatrix>,
}

/// Prune a tree by several steps. `rows` are the rows that the method reads; methods that read none
/// ignore them.
///
/// # Errors
/// [`Error::Parameter`](crate::error::Error::Parameter) for options outside their domain,
/// [`Error::Unsupported`](crate::error::Error::Unsupported) for a method that does not suit the
/// target, the costs or the lack of rows, and errors of the method.
pub fn prune_with(
    tree: &Tree,
    schema: &Schema,
    steps: &PruneSteps<'_>,
    rows: Option<&PruneRows<'_>>,
    control: &Control,
) -> Result<Pruned> {
    let mut edited = EditableTree::new(tree);
    edited.costs = steps.costs.cloned();
    if steps.collapse {
        error_based::collapse(&mut edited);
    }
    if let Some(method) = steps.method {
        method.check()?;
        let is_number = tree.is_regression();
        method.check_target(if is_number { TargetKind::Number } else { TargetKind::Classes })?;
        if steps.costs.is_some() {
            method.check_costs()?;
        }
        method.method().prune(&mut edited, &PruneInput { tree, schema, rows, control })?;
    }
    if let Some(rule) = steps.merge {
        merge::merge(&mut edited, rule);
    }
    Ok(edited.finish())
}

//! What a method of pruning declares, and what it is given.
//!
//! A method is a struct of its options with an [`INFO`](super::pessimistic::INFO) that names them;
//! Python's class, its checks and its documentation are made from the `INFO`.

use super::editable_tree::EditableTree;
use crate::data::{Dataset, Schema, Weights};
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::tree::Tree;
use serde::Serialize;

/// Values that an option may have.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OptionDomain {
    /// A finite number from `low` to `high`, the limits included where `closed` says so.
    Number {
        /// Lower limit.
        low: f64,
        /// Upper limit; none is no limit.
        high: Option<f64>,
        /// Whether the limits belong to the domain, the lower one first.
        closed: (bool, bool),
    },
    /// A whole number, at least `least`.
    Whole {
        /// Smallest value.
        least: u64,
    },
    /// True or false.
    Flag,
    /// One of some words.
    Word {
        /// The words.
        words: &'static [&'static str],
    },
}

impl OptionDomain {
    /// Whether a number lies in the domain.
    fn holds(self, value: f64) -> bool {
        match self {
            Self::Number { low, high, closed } => {
                let above = value > low || (closed.0 && value == low);
                let below = high.is_none_or(|high| value < high || (closed.1 && value == high));
                value.is_finite() && above && below
            }
            _ => true,
        }
    }
}

/// One option of a method, as Python's class has it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct PruneOption {
    /// Name in Python and in the command line.
    pub name: &'static str,
    /// Default, as JSON text.
    pub default: &'static str,
    /// Values that are allowed, beside the default where that is `null`.
    pub domain: OptionDomain,
    /// The domain in words: "must be ...".
    pub words: &'static str,
    /// What the option does.
    pub doc: &'static str,
}

/// Facts about a method.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct PruneInfo {
    /// Name in `pruning="..."`.
    pub name: &'static str,
    /// Name of the class in `fasttree.pruning`.
    pub class_name: &'static str,
    /// What it does, in one line, and the formula.
    pub text: &'static str,
    /// The paper.
    pub source: &'static str,
    /// What the costs in the account are.
    pub costs: &'static str,
    /// Its options.
    pub options: &'static [PruneOption],
    /// Rows that `model.prune` needs, and the option (a flag) that asks for them; no option where
    /// they are always needed.
    pub rows: Option<(&'static str, Option<&'static str>)>,
    /// Why it cannot weigh errors by a cost matrix; none where it can.
    pub unweighed: Option<&'static str>,
    /// Options in the words of the engine that tests prune with, as JSON objects.
    pub samples: &'static [&'static str],
}

impl PruneInfo {
    /// Refuse a number outside the domain of an option.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self, name: &str, value: f64) -> Result<()> {
        match self.options.iter().find(|o| o.name == name) {
            Some(option) if !option.domain.holds(value) => {
                Err(Error::parameter(name, value, format!("must be {}", option.words)))
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

/// What a method may look at beside the tree that it edits.
#[derive(Debug, Clone, Copy)]
pub struct PruneInput<'a> {
    /// The tree as it was grown.
    pub tree: &'a Tree,
    /// Its features and classes.
    pub schema: &'a Schema,
    /// Rows, where the caller has them.
    pub rows: Option<&'a PruneRows<'a>>,
    /// Cancel flag.
    pub control: &'a Control,
}

impl<'a> PruneInput<'a> {
    /// The rows.
    ///
    /// # Errors
    /// [`Error::Unsupported`] without rows: `what` needs them, `supported` says what to do.
    pub fn needed_rows(&self, what: &str, supported: &str) -> Result<&'a PruneRows<'a>> {
        self.rows
            .ok_or_else(|| Error::Unsupported { what: what.into(), supported: supported.into() })
    }
}

/// A method with its options.
pub(super) trait Pruning {
    /// Refuse options outside their domain.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Refuse options that cannot weigh errors by a cost matrix.
    fn check_costs(&self) -> Result<()> {
        Ok(())
    }

    /// Make leaves of nodes, or put a branch in the place of one.
    fn prune(&self, edited: &mut EditableTree, input: &PruneInput<'_>) -> Result<()>;
}

//! The interface between pruning methods and [`super::prune_with`].
//!
//! A method is a struct of its options that implements [`Pruning`], with an
//! [`INFO`](super::pessimistic::INFO) that describes it. Python's class, its checks of options and
//! its documentation are made from the `INFO`.

use super::editable_tree::EditableTree;
use crate::criteria::TargetKind;
use crate::data::{Dataset, Schema, Weights};
use crate::error::{Result, unsupported};
use crate::options::OptionInfo;
use crate::parallel::Control;
use crate::tree::Tree;
use serde::Serialize;

/// Description of a method; serialised for Python.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct PruneInfo {
    /// Name in `pruning="..."`.
    pub name: &'static str,
    /// Name of the class in `fasttree.pruning`.
    pub class_name: &'static str,
    /// The method in one line, then its formula.
    pub text: &'static str,
    /// The paper.
    pub source: &'static str,
    /// Unit of the costs in the account.
    pub costs: &'static str,
    /// Options, in the order of the arguments of the class.
    pub options: &'static [OptionInfo],
    /// If `model.prune` needs rows: which ones, and the flag among the options that asks for them
    /// (none if they are always needed).
    pub rows: Option<(&'static str, Option<&'static str>)>,
    /// Why the method cannot weigh errors by a cost matrix; none if it can.
    pub unweighed: Option<&'static str>,
    /// Targets of the trees that the method prunes.
    pub targets: &'static [TargetKind],
    /// Examples of options as JSON objects, for tests of all methods.
    pub samples: &'static [&'static str],
}

/// Rows that a method reads: the training rows, or rows that were held out.
#[derive(Debug, Clone, Copy)]
pub struct PruneRows<'a> {
    /// Values as they were before binning and imputation; the model's schema reads them.
    pub data: &'a Dataset<'a>,
    /// Internal row numbers.
    pub rows: &'a [u32],
    /// Weights by internal row.
    pub weights: &'a Weights,
}

/// Input of a method beside the tree that it edits.
#[derive(Debug, Clone, Copy)]
pub struct PruneInput<'a> {
    /// The tree as it was grown.
    pub tree: &'a Tree,
    /// The tree's features and classes.
    pub schema: &'a Schema,
    /// Rows, where the caller has them.
    pub rows: Option<&'a PruneRows<'a>>,
    /// Cancel flag.
    pub control: &'a Control,
}

impl<'a> PruneInput<'a> {
    /// The rows, for a method that needs them.
    ///
    /// # Errors
    /// [`Error::Unsupported`] without rows: `what` needs them, `supported` says what to do.
    pub fn needed_rows(&self, what: &str, supported: &str) -> Result<&'a PruneRows<'a>> {
        self.rows.map_or_else(|| unsupported(what, supported), Ok)
    }
}

/// A pruning method with its options.
pub(super) trait Pruning {
    /// Refuse options outside their domain.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Refuse options that cannot weigh errors by a cost matrix.
    fn check_costs(&self) -> Result<()> {
        Ok(())
    }

    /// Prune the tree in place.
    fn prune(&self, edited: &mut EditableTree, input: &PruneInput<'_>) -> Result<()>;
}

//! What a method of pruning declares, and what it is given.
//!
//! A method is a struct of its options with an [`INFO`](super::pessimistic::INFO) that names them;
//! Python's class, its checks and its documentation are made from the `INFO`.

use super::editable_tree::EditableTree;
use crate::data::{Dataset, Schema, Weights};
use crate::error::{Result, unsupported};
use crate::options::OptionInfo;
use crate::parallel::Control;
use crate::tree::Tree;
use serde::Serialize;

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
    pub options: &'static [OptionInfo],
    /// Rows that `model.prune` needs, and the option (a flag) that asks for them; no option where
    /// they are always needed.
    pub rows: Option<(&'static str, Option<&'static str>)>,
    /// Why it cannot weigh errors by a cost matrix; none where it can.
    pub unweighed: Option<&'static str>,
    /// Options in the words of the engine that tests prune with, as JSON objects.
    pub samples: &'static [&'static str],
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
        self.rows.map_or_else(|| unsupported(what, supported), Ok)
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

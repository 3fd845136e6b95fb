//! Fits on the same rows by several plans, which share prepared columns and counts of pairs.
//!
//! Cross-validation of several criteria calls [`FitPlan::fit_sharing`] per fold. Pairs of rows cost
//! O(rows^2 columns) and do not depend on the criterion, so criteria on pairs count them once per
//! node ([`PairMemo`]). Plans that differ in their pruning alone grow one tree
//! ([`FitPlan::fit_grown`]). Other plans are fitted alone.

use super::grow::TreeRows;
use super::plan::FitPlan;
use crate::criteria::Evidence;
use crate::data::{Dataset, RowSet, Weights};
use crate::error::Result;
use crate::grow::{KnownPairs, PairMemo};
use crate::model::Model;
use crate::parallel::Control;
use crate::prune::{PruneMethod, PruneRows};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The work that fits of several plans on the same rows share.
#[derive(Debug, Default)]
pub struct Common<'d> {
    /// The pairs of the root, for columns that preparation leaves unchanged.
    root: Option<Arc<KnownPairs>>,
    /// Most bytes of pairs that are kept per preparation.
    kept: usize,
    by_preparation: HashMap<String, SharedRows<'d>>,
}

/// The rows as one preparation leaves them.
#[derive(Debug)]
struct SharedRows<'d> {
    /// The prepared data set; `None` where it is the given one.
    prepared: Option<Dataset<'d>>,
    /// The pairs of nodes that were counted.
    memo: PairMemo,
}

impl Common<'_> {
    /// Nothing but the pairs of the `root`, if they are known. Up to `kept` bytes of pairs of other
    /// nodes will be kept per preparation.
    pub fn new(root: Option<Arc<KnownPairs>>, kept: usize) -> Self {
        Self { root, kept, by_preparation: HashMap::new() }
    }
}

impl FitPlan {
    /// Whether this plan counts pairs that other plans can use: its criterion reads plain counts of
    /// pairs, and no rows are held out.
    pub fn shares_pairs(&self) -> bool {
        let Evidence::Pairs(formula) = self.criterion.evidence() else { return false };
        let counted = formula.matrices().is_none() && matches!(formula.weighed(), Ok(None));
        counted && !matches!(self.config.pruning, Some(PruneMethod::ReducedError { .. }))
    }

    /// A key of the prepared columns: plans with equal keys share them.
    pub fn preparation(&self) -> String {
        format!("{:?} {:?}", self.config.discretize, self.config.missing)
    }

    /// Fit a tree as [`FitPlan::fit`] does, from the tree that a plan before it has grown, if this
    /// plan grows alike ([`FitPlan::grows_as`]); the grown tree is left in `grown`.
    pub fn fit_grown(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        grown: &mut Option<Model>,
        control: &Control,
    ) -> Result<Model> {
        let rows = self.training_rows(data, rows, weights)?;
        let model = match grown.take() {
            Some(model) => model,
            None => self.grow(data, &rows, weights, control)?.model,
        };
        *grown = Some(model.clone());
        let prune_rows = PruneRows { data, rows: rows.rows(), weights };
        Ok(self.prune(model, self.config.pruning.as_ref(), Some(&prune_rows), control)?.0)
    }

    /// Fit a tree as [`FitPlan::fit`] does, and share the contents of `common` with the other
    /// plans.
    ///
    /// All fits with one `common` must be on the same data set, rows and weights.
    ///
    /// # Errors
    /// Returns the errors of [`FitPlan::fit`].
    pub fn fit_sharing<'d>(
        &self,
        data: &Dataset<'d>,
        rows: &RowSet,
        weights: &Weights,
        common: &mut Common<'d>,
        control: &Control,
    ) -> Result<Model> {
        if !self.shares_pairs() {
            return Ok(self.fit(data, rows, weights, control)?.model);
        }
        let rows = self.training_rows(data, rows, weights)?;
        let shared = match common.by_preparation.entry(self.preparation()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let prepared = self.prepare(data, &rows, &rows, weights, control)?;
                let root = common.root.as_ref().filter(|_| prepared.is_none());
                let memo = PairMemo::new(root, common.kept);
                entry.insert(SharedRows { prepared, memo })
            }
        };
        let prepared = shared.prepared.as_ref().unwrap_or(data);
        let input = TreeRows { raw: data, data: prepared, rows: &rows, all: None, weights };
        let (model, _) = self.grow_prepared(input, Some(&shared.memo), control)?;
        let method = self.config.pruning.as_ref();
        Ok(self.prune(model, method, Some(&input.prune_rows()), control)?.0)
    }
}

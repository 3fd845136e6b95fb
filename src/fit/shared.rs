//! Fits on the same rows under several plans: what they have in common is made once.

use super::FitPlan;
use super::grow::TreeRows;
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

/// What fits on the same rows under several plans have in common: prepared columns, and pairs of
/// nodes.
#[derive(Debug, Default)]
pub struct Common {
    /// The pairs of the root, where the columns are taken as they are.
    root: Option<Arc<KnownPairs>>,
    /// Bytes of pairs of nodes that are kept for other plans, by preparation.
    kept: usize,
    by_preparation: HashMap<String, (Option<Dataset>, PairMemo)>,
}

impl Common {
    /// `root` is what is known of the root's pairs; up to `kept` bytes of pairs of nodes are kept
    /// for other plans, by preparation.
    pub fn new(root: Option<Arc<KnownPairs>>, kept: usize) -> Self {
        Self { root, kept, by_preparation: HashMap::new() }
    }
}

impl FitPlan {
    /// Whether the pairs of nodes can be shared with other plans: their counts are the evidence,
    /// and no rows are held out.
    pub fn shares_pairs(&self) -> bool {
        let Evidence::Pairs(formula) = self.criterion.evidence() else { return false };
        let counted = formula.matrices().is_none() && matches!(formula.weighed(), Ok(None));
        counted && !matches!(self.config.pruning, Some(PruneMethod::ReducedError { .. }))
    }

    /// Plans with the same text grow on the same prepared columns.
    pub fn preparation(&self) -> String {
        format!("{:?} {:?}", self.config.discretize, self.config.missing)
    }

    /// [`FitPlan::fit`], sharing with other plans on the same rows what they have in common.
    pub fn fit_beside(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        common: &mut Common,
        control: &Control,
    ) -> Result<Model> {
        if !self.shares_pairs() {
            return Ok(self.fit(data, rows, weights, control)?.model);
        }
        let rows = self.training_rows(data, rows, weights)?;
        let shared = match common.by_preparation.entry(self.preparation()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let prepared = self.prepare(data, &rows, weights, control)?;
                let root = common.root.as_ref().filter(|_| prepared.is_none());
                let memo = PairMemo::new(root, common.kept);
                free.insert((prepared, memo))
            }
        };
        let prepared = shared.0.as_ref().unwrap_or(data);
        let of = TreeRows { raw: data, data: prepared, rows: &rows, all: None, weights };
        let (model, _) = self.grow_prepared(of, Some(&shared.1), control)?;
        let looked_at = PruneRows { data, rows: rows.rows(), weights };
        Ok(self.pruned(model, self.config.pruning.as_ref(), Some(&looked_at), control)?.0)
    }
}

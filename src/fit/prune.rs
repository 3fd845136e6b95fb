//! The pruning step of a fit: prunes a grown tree by the method of the plan, merges redundant
//! leaves, and relabels leaves by their probabilities.
//!
//! The methods are in [`crate::prune`]. Where the plan leaves the complexity penalty open
//! (`alpha_rule`), [`crate::resample::alpha`] chooses it and calls [`FitPlan::prune_at`].

use super::FitPlan;
use crate::criteria::SplitRule;
use crate::error::Result;
use crate::grow::LeafLabels;
use crate::model::Model;
use crate::parallel::Control;
use crate::prune::{
    AlphaRule, CostComplexity, Impurity, PruneMethod, PruneRows, PruneStep, PruneSteps, prune_with,
};
use crate::tree::CostMatrix;

impl FitPlan {
    /// Prune a grown model by `method` and merge leaves as the plan says. `rows` are those that the
    /// method may read, if there are any.
    pub(super) fn pruned(
        &self,
        mut model: Model,
        method: Option<&PruneMethod>,
        rows: Option<&PruneRows<'_>>,
        control: &Control,
    ) -> Result<(Model, Vec<PruneStep>)> {
        let merged = self.config.merge_redundant;
        // C4.5 removes splits that save no training error; J48 does not where it holds rows out.
        let collapse = self.criterion.split_rule() == SplitRule::C45
            && !matches!(method, Some(PruneMethod::ReducedError { .. }));
        let costs = self.costs(model.tree.classes)?;
        // Labels that a cost matrix or global growth chose are kept.
        let by_probability = costs.is_none()
            && self.config.labels == LeafLabels::Majority
            && !model.tree.is_regression();
        if method.is_none() && merged.is_none() && !collapse {
            if by_probability {
                model.relabel();
            }
            return Ok((model, Vec::new()));
        }
        let steps = PruneSteps { collapse, method, merge: merged, costs: costs.as_ref() };
        let found = prune_with(&model.tree, &model.schema, &steps, rows, control)?;
        model.tree = found.tree;
        if by_probability {
            model.relabel();
        }
        Ok((model, found.account))
    }

    /// Prune a grown model at a complexity penalty.
    pub fn prune_at(
        &self,
        model: Model,
        ccp_alpha: f64,
        control: &Control,
    ) -> Result<(Model, Vec<PruneStep>)> {
        let method =
            PruneMethod::CostComplexity(CostComplexity { ccp_alpha, impurity: self.impurity() });
        self.pruned(model, Some(&method), None, control)
    }

    /// The rule that chooses the complexity penalty, where the parameters leave it open.
    pub fn alpha_rule(&self) -> Option<&AlphaRule> {
        self.config.alpha_rule.as_ref()
    }

    /// The impurity that cost-complexity pruning sums over the leaves.
    pub fn impurity(&self) -> Impurity {
        match self.config.pruning {
            Some(PruneMethod::CostComplexity(CostComplexity { impurity, .. })) => impurity,
            _ => Impurity::default(),
        }
    }

    /// The cost matrix, if there is one, checked for a number of classes.
    pub fn costs(&self, classes: usize) -> Result<Option<CostMatrix>> {
        self.config.cost_matrix.as_ref().map(|rows| CostMatrix::new(rows, classes)).transpose()
    }
}

//! The pruning step of a fit: prunes a grown tree by the method of the plan, merges redundant
//! leaves, and relabels leaves by their probabilities.
//!
//! The methods are in [`crate::prune`]. Where the plan leaves the complexity penalty open
//! (`alpha_rule`), [`crate::resample::alpha`] chooses it and calls [`FitPlan::prune_at`].

use super::plan::FitPlan;
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
    /// Prune a grown model by `method` and merge leaves as the plan says. `rows` are the rows that
    /// the method may read, if there are any.
    pub(super) fn prune(
        &self,
        model: Model,
        method: Option<&PruneMethod>,
        rows: Option<&PruneRows<'_>>,
        control: &Control,
    ) -> Result<(Model, Vec<PruneStep>)> {
        let costs = self.costs(model.tree.classes)?;
        let steps = PruneSteps {
            collapse: self.collapses(method),
            method,
            merge: self.config.merge_redundant,
            costs: costs.as_ref(),
        };
        self.apply_steps(model, &steps, rows, control)
    }

    /// Whether splits that save no training error are removed, as C4.5 does; J48 does not where it
    /// holds rows out.
    fn collapses(&self, method: Option<&PruneMethod>) -> bool {
        self.criterion.split_rule() == SplitRule::C45
            && !matches!(method, Some(PruneMethod::ReducedError { .. }))
    }

    /// Prune a grown model by some steps, and label it. Steps that the plan does not have are
    /// skipped. Labels become the majority, unless a cost matrix or global growth chose them.
    pub(super) fn apply_steps(
        &self,
        mut model: Model,
        steps: &PruneSteps<'_>,
        rows: Option<&PruneRows<'_>>,
        control: &Control,
    ) -> Result<(Model, Vec<PruneStep>)> {
        let mut account = Vec::new();
        if steps.collapse || steps.method.is_some() || steps.merge.is_some() {
            let pruned = prune_with(&model.tree, &model.schema, steps, rows, control)?;
            (model.tree, account) = (pruned.tree, pruned.account);
        }
        // Labels that a cost matrix or global growth chose are kept.
        if self.config.cost_matrix.is_none()
            && self.config.labels == LeafLabels::Majority
            && !model.tree.is_regression()
        {
            model.relabel();
        }
        Ok((model, account))
    }

    /// A grown model in the state that cost-complexity pruning starts from: with the splits that it
    /// may cut, and the labels that its nodes have as leaves.
    pub fn before_cuts(&self, model: Model, control: &Control) -> Result<Model> {
        let (costs, collapse) = (self.costs(model.tree.classes)?, self.collapses(None));
        let steps = PruneSteps { collapse, costs: costs.as_ref(), ..PruneSteps::default() };
        Ok(self.apply_steps(model, &steps, None, control)?.0)
    }

    /// Prune a grown model at a complexity penalty, by the impurity of the plan. Cross-validation
    /// of the penalty calls it with the alpha that it chose. `ccp_alpha` is in the unit of the
    /// impurity, weighted by the share of the rows, per leaf.
    pub fn prune_at(
        &self,
        model: Model,
        ccp_alpha: f64,
        control: &Control,
    ) -> Result<(Model, Vec<PruneStep>)> {
        let method =
            PruneMethod::CostComplexity(CostComplexity { ccp_alpha, impurity: self.impurity() });
        self.prune(model, Some(&method), None, control)
    }

    /// The rule that chooses the complexity penalty, where the parameters leave it open. `None` if
    /// nothing is to be cross-validated. [`FitPlan::fit`] refuses a plan with such a rule;
    /// [`crate::resample::alpha`] fits it.
    pub fn alpha_rule(&self) -> Option<&AlphaRule> {
        self.config.alpha_rule.as_ref()
    }

    /// The impurity that cost-complexity pruning sums over the leaves. It is Gini if the parameters
    /// name no cost-complexity pruning.
    pub fn impurity(&self) -> Impurity {
        match self.config.pruning {
            Some(PruneMethod::CostComplexity(CostComplexity { impurity, .. })) => impurity,
            _ => Impurity::default(),
        }
    }

    /// The cost matrix, if there is one, checked for a number of classes. It is made anew in each
    /// call, O(classes^2). Another shape, and costs that are out of range, are errors.
    pub fn costs(&self, classes: usize) -> Result<Option<CostMatrix>> {
        self.config.cost_matrix.as_ref().map(|rows| CostMatrix::new(rows, classes)).transpose()
    }
}

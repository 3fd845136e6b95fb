//! The second half of a fit: labels by cost, pruning, and what must be known before its price is
//! chosen.
//!
//! A tree is grown on prepared rows, its nodes are told the cheapest class where errors have costs,
//! and it is cut back by the plan's method. The price of a leaf may be left open (`alpha_rule`):
//! then somebody above, who may fit again and again, chooses it ([`crate::resample::alpha`]).

use super::{Config, FitPlan, Missing, few_branches, unsupported};
use crate::criteria::SplitRule;
use crate::data::{Dataset, RowSet, Weights};
use crate::error::{Error, Result};
use crate::grow::{Evaluation, GrowthSetting, LeafLabels, PairMemo};
use crate::model::Model;
use crate::parallel::Control;
use crate::prune::{
    self, AlphaRule, CostComplexity, Impurity, PruneMethod, PruneRows, PruneStep, ReducedError,
};
use crate::split::NominalSplits;
use crate::tree::CostMatrix;

/// Refuse what costs and the choice of a price do not go with.
pub(super) fn check(config: &Config) -> Result<()> {
    if let Some(rule) = config.alpha_rule.filter(|rule| rule.folds < 2) {
        return Err(Error::parameter("folds", rule.folds, "must be at least 2"));
    }
    if config.cost_matrix.is_none() {
        return Ok(());
    }
    if let Some(method) = &config.pruning {
        method.check_costs()?;
    }
    if config.evaluation != Evaluation::Local {
        return unsupported(
            "cost_matrix with evaluation='global' or 'glocal' (growth chooses the labels)",
            "evaluation='local', or class_weight and priors",
        );
    }
    if config.missing == Missing::Fractional {
        return unsupported(
            "cost_matrix with missing='fractional'",
            "missing='branch', 'mode', 'error'",
        );
    }
    Ok(())
}

impl FitPlan {
    /// Fit a model, and tell what pruning did to it.
    pub fn fit_and_tell(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<(Model, Vec<PruneStep>)> {
        if self.config.alpha_rule.is_some() {
            return unsupported(
                "ccp_alpha='cv' in this place",
                "a number, or ccp_alpha='cv' in fit and cross_validate",
            );
        }
        let mut rows = self.training_rows(data, rows, weights)?;
        let mut held_out = None;
        if let Some(PruneMethod::ReducedError(ReducedError { share, seed })) = self.config.pruning {
            let (grown_on, others) =
                prune::reduced_error::divide(data, rows.rows(), weights, share, seed, control)?;
            rows = RowSet::of(grown_on, data.len());
            held_out = Some(others);
        }
        let prepared = self.prepare(data, &rows, weights, control)?;
        let seen = prepared.as_ref().unwrap_or(data);
        let all = held_out
            .as_ref()
            .map(|held_out| RowSet::of([rows.rows(), held_out].concat(), data.len()));
        let model =
            self.grow_prepared((data, seen), &rows, all.as_ref(), weights, None, control)?;
        let looked_at =
            PruneRows { data, rows: held_out.as_deref().unwrap_or(rows.rows()), weights };
        self.cut_back(model, self.config.pruning.as_ref(), Some(&looked_at), control)
    }

    /// Grow a tree on rows that count, without pruning it.
    pub fn grow(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Model> {
        let prepared = self.prepare(data, rows, weights, control)?;
        self.grow_prepared(
            (data, prepared.as_ref().unwrap_or(data)),
            rows,
            None,
            weights,
            None,
            control,
        )
    }

    /// Grow a tree on rows as they came (`raw`) and as growth sees them; `all` are the
    /// training rows, where some of them are held out for pruning.
    pub(super) fn grow_prepared(
        &self,
        (raw, data): (&Dataset, &Dataset),
        rows: &RowSet,
        all: Option<&RowSet>,
        weights: &Weights,
        memo: Option<&PairMemo>,
        control: &Control,
    ) -> Result<Model> {
        if self.nominal_splits(data) == NominalSplits::Multiway {
            few_branches(data)?;
        }
        let mut setting =
            GrowthSetting { memo, raw: Some(raw), ..self.setting(data, rows, weights) };
        if let Some(all) = all {
            // What J48 asks of the whole training set, it asks of the rows held out, too.
            let whole = self.setting(data, all, weights);
            (setting.all_rows, setting.training) = (whole.all_rows, whole.training);
        }
        let mut tree = self.grow_tree(data, &setting, rows, weights, control)?;
        if self.is_fractional() {
            tree.share_missing();
        }
        if let Some(costs) = self.costs(data.n_classes())? {
            tree.relabel(&costs);
        }
        Ok(Model {
            schema: data.shared_schema(),
            tree,
            smoothing: self.config.smoothing,
            parameters: self.config.parameters.clone(),
        })
    }

    /// Prune a grown model by a method, and merge leaves.
    pub(super) fn cut_back(
        &self,
        mut model: Model,
        method: Option<&PruneMethod>,
        rows: Option<&PruneRows<'_>>,
        control: &Control,
    ) -> Result<(Model, Vec<PruneStep>)> {
        let merged = self.config.merge_redundant;
        // C4.5 takes back what saved no training error; J48 does not where it holds rows out.
        let collapse = self.criterion.split_rule() == SplitRule::C45
            && !matches!(method, Some(PruneMethod::ReducedError { .. }));
        let costs = self.costs(model.tree.classes)?;
        // labels that errors' costs or global growth chose stay
        let by_probability = costs.is_none() && self.config.labels == LeafLabels::Majority;
        if method.is_none() && merged.is_none() && !collapse {
            if by_probability {
                model.relabel();
            }
            return Ok((model, Vec::new()));
        }
        let (tree, schema) = (&model.tree, &model.schema);
        let pruned = prune::prune_by_cost(
            tree,
            schema,
            (method, merged),
            collapse,
            rows,
            costs.as_ref(),
            control,
        )?;
        model.tree = pruned.tree;
        if by_probability {
            model.relabel();
        }
        Ok((model, pruned.account))
    }

    /// Prune a grown model at a price of a leaf.
    pub fn prune_at(
        &self,
        model: Model,
        ccp_alpha: f64,
        control: &Control,
    ) -> Result<(Model, Vec<PruneStep>)> {
        let method =
            PruneMethod::CostComplexity(CostComplexity { ccp_alpha, impurity: self.impurity() });
        self.cut_back(model, Some(&method), None, control)
    }

    /// How the price of a leaf is to be chosen, where the words leave it open.
    pub fn alpha_rule(&self) -> Option<&AlphaRule> {
        self.config.alpha_rule.as_ref()
    }

    /// What a leaf's rows cost in cost-complexity pruning.
    pub fn impurity(&self) -> Impurity {
        match self.config.pruning {
            Some(PruneMethod::CostComplexity(CostComplexity { impurity, .. })) => impurity,
            _ => Impurity::default(),
        }
    }

    /// What errors cost.
    pub fn costs(&self, classes: usize) -> Result<Option<CostMatrix>> {
        self.config.cost_matrix.as_ref().map(|rows| CostMatrix::new(rows, classes)).transpose()
    }
}

//! A plan carried out on many samples: the forest.
//!
//! Columns are imputed and binned once, on all training rows, so that the trees speak of the same
//! values; what follows (growth, pruning) happens to each tree on its own sample.

use super::{Plan, few_branches};
use crate::bins::BinnedTable;
use crate::criteria::{Context, SplitRule};
use crate::data::{Dataset, Draw, RowSet, Weights};
use crate::error::{Error, Result};
use crate::grow::{self, Labels, Setting, Stash, binned, forest, forest::Bagging};
use crate::model::{Forest, Model};
use crate::numeric::Logs;
use crate::parallel::Control;
use crate::predict::Votes;
use crate::prune::{self, Method, Rows};
use crate::split::NominalSplits;
use crate::tree::Tree;
use std::sync::Arc;

/// What the trees of a forest on codes have in common, and the seed of one.
#[derive(Clone, Copy)]
struct Sampled<'a> {
    data: &'a Dataset,
    seen: &'a Dataset,
    rows: &'a RowSet,
    weights: &'a Weights,
    table: &'a BinnedTable,
    seed: u64,
}

impl Plan {
    /// Fit a forest on some rows of a data set; with `judged`, also the vote of each tree on the
    /// rows that it did not see.
    pub fn fit_forest(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        bagging: &Bagging,
        judged: bool,
        control: &Control,
    ) -> Result<(Forest, Option<Votes>)> {
        forest::check_bagging(bagging)?;
        if self.config.alpha_rule.is_some() {
            return super::unsupported("ccp_alpha='cv' in a forest", "a number");
        }
        if matches!(self.config.pruning, Some(Method::ReducedError { .. })) {
            return super::unsupported(
                "pruning='reduced_error' in a forest (each tree sees a sample)",
                "None, 'pessimistic', 'error_based', 'cost_complexity', 'm_estimate', 'mdl'",
            );
        }
        if judged && bagging.draws.is_none() {
            return Err(Error::parameter(
                "oob_score",
                "True",
                "only with bootstrap=True are rows left out",
            ));
        }
        let rows = self.training_rows(data, rows, weights)?;
        let prepared = self.prepare(data, &rows, weights, control)?;
        let seen = prepared.as_ref().unwrap_or(data);
        if self.nominal_splits(seen) == NominalSplits::Multiway {
            few_branches(seen)?;
        }
        let table = self.binned_table(seen, &rows, weights, control)?;
        if table.is_none() {
            seen.sort_columns(control)?;
        }
        let urn = bagging.draws.map(|_| forest::Urn::new(seen, &rows, weights));
        let stash = Stash::default();
        let trees = forest::plant(
            urn.as_ref(),
            bagging,
            self.config.seed,
            control,
            |seed, draw, control| {
                if let Some(table) = &table {
                    let of = Sampled { data, seen, rows: &rows, weights, table, seed };
                    return self.binned_tree(&of, draw, control);
                }
                let Some(draw) = draw else {
                    return self.one_tree((data, seen), &rows, weights, (seed, &stash), control);
                };
                let (raw, sample) = (prepared.as_ref().map(|_| data.drawn(draw)), seen.drawn(draw));
                let (raw, all) = (raw.as_ref().unwrap_or(&sample), RowSet::all(sample.len()));
                self.one_tree((raw, &sample), &all, &Weights::Unit, (seed, &stash), control)
            },
        )?;
        let seeds = (0..trees.len()).map(|t| forest::seed_of_tree(self.config.seed, t)).collect();
        let mut totals = vec![0.0; data.n_classes()];
        rows.rows()
            .iter()
            .for_each(|&r| totals[data.classes()[r as usize] as usize] += weights.value(r));
        let grown = Forest { trees, seeds, totals, parameters: self.config.parameters.clone() };
        let votes = match (&urn, bagging.draws) {
            (Some(urn), Some(draws)) if judged => {
                Some(forest::out_of_bag(&grown, data, &rows, urn, draws, control)?)
            }
            _ => None,
        };
        Ok((grown, votes))
    }

    /// A tree on rows as they came (`raw`) and as growth sees them (`seen`).
    fn one_tree(
        &self,
        (raw, seen): (&Dataset, &Dataset),
        rows: &RowSet,
        weights: &Weights,
        (seed, stash): (u64, &Stash),
        control: &Control,
    ) -> Result<Model> {
        let setting = Setting {
            seed,
            stash: Some(stash),
            raw: Some(raw),
            ..self.setting(seen, rows, weights)
        };
        let tree = grow::grow(seen, &setting, rows, weights, control)?;
        self.finished_tree((raw, seen), tree, rows, weights, control)
    }

    /// A tree on the codes of a sample.
    fn binned_tree(
        &self,
        of: &Sampled<'_>,
        draw: Option<&Arc<Draw>>,
        control: &Control,
    ) -> Result<Model> {
        let Sampled { data, seen, rows, weights, table, seed } = *of;
        let mut setting = Setting { seed, ..self.setting(seen, rows, weights) };
        let Some(draw) = draw else {
            let records = table.records.clone();
            let tree = binned::grow(&table.facts(), records, false, &setting, control)?;
            return self.finished_tree((data, seen), tree, rows, weights, control);
        };
        let copies: Vec<u32> = rows.rows().iter().map(|&r| draw.times(r)).collect();
        let occurs = rows.rows().iter().zip(&copies).filter(|(_, c)| **c > 0);
        let mut occurring = vec![false; data.n_classes()];
        occurs.for_each(|(&r, _)| occurring[usize::from(data.classes()[r as usize])] = true);
        let logs = Logs::up_to(draw.len() as u64);
        setting.context = Context { logs, classes: data.n_classes(), occurring };
        let tree = binned::grow(&table.facts(), table.drawn(&copies), true, &setting, control)?;
        if self.is_final() {
            return self.finished_tree((data, seen), tree, rows, weights, control);
        }
        let (sample, all) = (data.drawn(draw), RowSet::all(draw.len()));
        self.finished_tree((&sample, seen), tree, &all, &Weights::Unit, control)
    }

    /// No tree is cut back.
    fn is_final(&self) -> bool {
        let collapse = self.criterion.split_rule() == SplitRule::C45;
        self.config.pruning.is_none() && self.config.merge_redundant.is_none() && !collapse
    }

    /// A grown tree as a model, pruned on the rows as they came.
    fn finished_tree(
        &self,
        (raw, seen): (&Dataset, &Dataset),
        mut tree: Tree,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Model> {
        if self.is_fractional() {
            tree.share_missing();
        }
        let schema = seen.shared_schema();
        let mut model =
            Model { schema, tree, smoothing: self.config.smoothing, parameters: String::new() };
        let (method, merged) = (self.config.pruning.as_ref(), self.config.merge_redundant);
        let collapse = self.criterion.split_rule() == SplitRule::C45;
        if !self.is_final() {
            let looked_at = Rows { data: raw, rows: rows.rows(), weights };
            let pruned = prune::prune_by_cost(
                &model.tree,
                &model.schema,
                (method, merged),
                collapse,
                Some(&looked_at),
                None,
                control,
            )?;
            model.tree = pruned.tree;
        }
        if self.config.labels == Labels::Majority {
            model.relabel();
        }
        Ok(model)
    }
}

//! A plan carried out on many samples: the forest.
//!
//! Columns are imputed and binned once, on all training rows, so that the trees speak of the same
//! values; what follows (growth, pruning) happens to each tree on its own sample.

use super::route::Reason;
use super::{FitPlan, few_branches};
use crate::bins::{BinnedTable, TableFacts};
use crate::criteria::{Context, SplitRule};
use crate::data::{Dataset, Draw, RowSet, Weights};
use crate::error::{Error, Result};
use crate::grow::{BufferPool, GrowthSetting, LeafLabels, binned, forest, forest::Bagging};
use crate::model::{Forest, Model};
use crate::numeric::Logs;
use crate::parallel::Control;
use crate::predict::Votes;
use crate::prune::{self, PruneMethod, PruneRows};
use crate::reached::{self, Way};
use crate::split::NominalSplits;
use crate::tree::Tree;
use std::sync::Arc;

const OTHER_ROWS: &str = "warm_start=True goes on with the rows of the last fit, and these are \
     others; give the same rows, or set warm_start=False";

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

/// A fitted forest.
#[derive(Debug, Clone, PartialEq)]
pub struct GrownForest {
    /// Its trees.
    pub forest: Forest,
    /// The vote of each tree on the rows that it did not see, where it was asked for.
    pub votes: Option<Votes>,
    /// A number for the content of the rows; a forest goes on with the same rows only.
    pub content: u64,
    /// The route of growth, and why it was taken; nothing where no tree was grown.
    pub reason: Option<Reason>,
}

/// What a fit of a forest is asked for beside its trees.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// Votes on the rows that trees did not see.
    pub out_of_bag: bool,
    /// The first trees, with the number for the rows that they were grown on.
    pub before: Option<(&'a Forest, u64)>,
}

impl Request<'_> {
    /// The trees that there are already, if they were grown on rows of this content.
    fn trees_before(&self, seen: &Dataset, content: u64) -> Result<Vec<Model>> {
        match self.before {
            None => Ok(Vec::new()),
            Some((before, rows)) if rows == content && **before.schema() == *seen.schema() => {
                Ok(before.trees.clone())
            }
            Some(_) => Err(Error::Data(OTHER_ROWS.into())),
        }
    }
}

/// Weight of each class in some rows.
fn class_totals(data: &Dataset, rows: &RowSet, weights: &Weights) -> Vec<f64> {
    let mut totals = vec![0.0; data.n_classes()];
    for &row in rows.rows() {
        totals[data.classes()[row as usize] as usize] += weights.value(row);
    }
    totals
}

impl FitPlan {
    /// Fit a forest on some rows of a data set. Where there are trees already, the others are
    /// grown; the forest is the one that is grown at once.
    pub fn fit_forest(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        bagging: &Bagging,
        request: Request<'_>,
        control: &Control,
    ) -> Result<GrownForest> {
        self.check_forest(bagging, request.out_of_bag)?;
        if bagging.draws.is_none() {
            return self.on_counted_rows(data, rows, weights, |data, rows, weights| {
                self.forest_on(data, rows, (weights, weights), bagging, request, control)
            });
        }
        let rows = self.training_rows(data, rows, weights)?;
        let importances = self.weighed(data, &rows, weights)?;
        self.forest_on(data, &rows, (weights, &importances), bagging, request, control)
    }

    /// Samples are drawn by the rows' own weights; bins, means and totals go by their importances.
    fn forest_on(
        &self,
        data: &Dataset,
        rows: &RowSet,
        (own, weights): (&Weights, &Weights),
        bagging: &Bagging,
        request: Request<'_>,
        control: &Control,
    ) -> Result<GrownForest> {
        let rows = self.training_rows(data, rows, weights)?;
        let content = forest::content(data, &rows, own);
        let prepared = self.prepare(data, &rows, weights, control)?;
        let seen = prepared.as_ref().unwrap_or(data);
        let mut trees = request.trees_before(seen, content)?;
        if self.nominal_splits(seen) == NominalSplits::Multiway {
            few_branches(seen)?;
        }
        let first = bagging.first.max(trees.len());
        let (mut table, mut reason) = (None, None);
        if first < bagging.trees {
            let routed = self.routed(seen, &rows, weights, control)?;
            table = self.records(seen, &rows, weights, &routed, control)?;
            reason = Some(routed.reason);
            if table.is_none() {
                seen.sort_columns(control)?;
            }
        }
        let sampler = bagging.draws.map(|_| forest::BootstrapSampler::new(data, &rows, own));
        let pool = BufferPool::default();
        let more = forest::grow_trees(
            sampler.as_ref(),
            bagging,
            (self.config.seed, first),
            control,
            |seed, times, control| {
                if let Some(table) = &table {
                    let of = Sampled { data, seen, rows: &rows, weights, table, seed };
                    return self.binned_tree(&of, times, control);
                }
                let Some(times) = times else {
                    return self.one_tree((data, seen), &rows, weights, (seed, &pool), control);
                };
                let draw = &Arc::new(Draw::new(times)?);
                let (raw, sample) = (prepared.as_ref().map(|_| data.drawn(draw)), seen.drawn(draw));
                let (raw, all) = (raw.as_ref().unwrap_or(&sample), RowSet::all(sample.len()));
                let weights = self.weights_of_sample(&sample)?;
                self.one_tree((raw, &sample), &all, &weights, (seed, &pool), control)
            },
        )?;
        trees.extend(more);
        let places = bagging.first..bagging.first + trees.len();
        let seeds = places.map(|t| forest::seed_of_tree(self.config.seed, t)).collect();
        let totals = class_totals(data, &rows, weights);
        let grown = Forest { trees, seeds, totals, parameters: self.config.parameters.clone() };
        let votes = match (&sampler, bagging.draws) {
            (Some(sampler), Some(draws)) if request.out_of_bag => {
                Some(forest::out_of_bag(&grown, data, &rows, sampler, draws, control)?)
            }
            _ => None,
        };
        Ok(GrownForest { forest: grown, votes, content, reason })
    }

    /// Refuse what forests do not go with.
    fn check_forest(&self, bagging: &Bagging, out_of_bag: bool) -> Result<()> {
        forest::check_bagging(bagging)?;
        if self.config.alpha_rule.is_some() {
            return super::unsupported("ccp_alpha='cv' in a forest", "a number");
        }
        if matches!(self.config.pruning, Some(PruneMethod::ReducedError { .. })) {
            return super::unsupported(
                "pruning='reduced_error' in a forest (each tree sees a sample)",
                "None, 'pessimistic', 'error_based', 'cost_complexity', 'm_estimate', 'mdl'",
            );
        }
        if out_of_bag && bagging.draws.is_none() {
            return Err(Error::parameter(
                "oob_score",
                "True",
                "only with bootstrap=True are rows left out",
            ));
        }
        Ok(())
    }

    /// A tree on rows as they came (`raw`) and as growth sees them (`seen`).
    fn one_tree(
        &self,
        (raw, seen): (&Dataset, &Dataset),
        rows: &RowSet,
        weights: &Weights,
        (seed, pool): (u64, &BufferPool),
        control: &Control,
    ) -> Result<Model> {
        let setting = GrowthSetting {
            seed,
            pool: Some(pool),
            raw: Some(raw),
            ..self.setting(seen, rows, weights)
        };
        let tree = self.grow_sample(seen, &setting, rows, weights, control)?;
        self.finished_tree((raw, seen), tree, rows, weights, control)
    }

    /// A tree on the codes of a sample.
    fn binned_tree(
        &self,
        of: &Sampled<'_>,
        times: Option<&[u32]>,
        control: &Control,
    ) -> Result<Model> {
        reached::count(Way::FitSample);
        let Sampled { data, seen, rows, weights, table, seed } = *of;
        let mut setting = GrowthSetting { seed, ..self.setting(seen, rows, weights) };
        let Some(times) = times else {
            let records = table.records.clone();
            let tree = binned::grow(&table.facts(), records, false, &setting, control)?;
            return self.finished_tree((data, seen), tree, rows, weights, control);
        };
        let copies: Vec<u32> = rows.rows().iter().map(|&r| times[r as usize]).collect();
        let drawn: u64 = copies.iter().map(|&c| u64::from(c)).sum();
        // Rows ascend, and are sorted by class.
        let place = |start: u32| rows.rows().partition_point(|&r| r < start);
        let of_class = |w: &[u32]| copies[place(w[0])..place(w[1])].iter().any(|&c| c > 0);
        let occurring = data.class_starts().windows(2).map(of_class).collect();
        let logs = Logs::up_to(drawn);
        setting.context = Context { logs, classes: data.n_classes(), occurring };
        let sample = match self.is_final() && !self.weighs_samples() {
            true => None,
            false => Some(data.drawn(&Arc::new(Draw::new(times)?))),
        };
        let own = sample.as_ref().map_or(Ok(Weights::Unit), |s| self.weights_of_sample(s))?;
        let tree = match &own {
            Weights::Fixed { values, shift } => {
                let facts = TableFacts { unit: f64::powi(2.0, -shift), ..table.facts() };
                let records = table.drawn_weighing(&copies, values);
                binned::grow(&facts, records, false, &setting, control)?
            }
            _ => binned::grow(&table.facts(), table.drawn(&copies), true, &setting, control)?,
        };
        let Some(sample) = sample.filter(|_| !self.is_final()) else {
            return self.finished_tree((data, seen), tree, rows, weights, control);
        };
        self.finished_tree((&sample, seen), tree, &RowSet::all(sample.len()), &own, control)
    }

    /// No tree is pruned.
    pub(super) fn is_final(&self) -> bool {
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
        let mut model = self.model_of(tree, seen.shared_schema(), String::new());
        let (method, merged) = (self.config.pruning.as_ref(), self.config.merge_redundant);
        let collapse = self.criterion.split_rule() == SplitRule::C45;
        if !self.is_final() {
            let looked_at = PruneRows { data: raw, rows: rows.rows(), weights };
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
        if self.config.labels == LeafLabels::Majority {
            model.relabel();
        }
        Ok(model)
    }
}

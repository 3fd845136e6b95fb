//! A plan carried out on many samples: the forest.
//!
//! Columns are imputed and binned once, on all training rows, so that the trees speak of the same
//! values; what follows (growth, pruning) happens to each tree on its own sample.

use super::FitPlan;
use super::prepare::few_branches;
use super::records::{FitRows, RecordRows};
use super::route::Reason;
use crate::bins::{BinnedTable, TableFacts, WeightWidth};
use crate::criteria::Context;
use crate::data::{Dataset, Draw, RowSet, Schema, Weights};
use crate::error::{Error, Result, unsupported};
use crate::grow::{BufferPool, GrowthSetting, binned, forest, forest::Bagging};
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
    /// A number for the content of the rows, for a forest goes on with the same rows only; nothing
    /// where codes are all that was read.
    pub content: Option<u64>,
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
    /// Fit a forest. Where there are trees already, the others are grown; the forest is the one
    /// that is grown at once.
    pub fn fit_forest(
        &self,
        rows: FitRows<'_>,
        bagging: &Bagging,
        request: Request<'_>,
        control: &Control,
    ) -> Result<GrownForest> {
        self.check_forest(bagging, request.out_of_bag)?;
        let (data, rows, weights) = match rows {
            FitRows::Codes(coded) => {
                return self.forest_on_codes(*coded, bagging, request, control);
            }
            FitRows::Encoded(data, rows, weights) => (data, rows, weights),
        };
        if bagging.draws.is_none() {
            return self.on_counted_rows(data, &rows, &weights, |data, rows, weights| {
                self.forest_on(data, rows, (weights, weights), bagging, request, control)
            });
        }
        let rows = self.training_rows(data, &rows, &weights)?;
        let importances = self.weighed(data, &rows, &weights)?;
        self.forest_on(data, &rows, (&weights, &importances), bagging, request, control)
    }

    /// Samples are drawn by the numbers of the rows' content.
    fn forest_on_codes(
        &self,
        coded: RecordRows,
        bagging: &Bagging,
        request: Request<'_>,
        control: &Control,
    ) -> Result<GrownForest> {
        if request.out_of_bag || request.before.is_some() {
            return unsupported(
                "oob_score=True or warm_start=True on rows in batches",
                "oob_score=False, warm_start=False",
            );
        }
        let RecordRows { schema, table, occurring, copies, rows, reason, hashes } = coded;
        let (schema, layout) = (Arc::new(schema), table.records.layout);
        let has_copies = layout.weight != WeightWidth::None;
        let weights: Option<Vec<u32>> =
            has_copies.then(|| table.records.rows().map(|r| layout.weight(r) as u32).collect());
        let sampler =
            bagging.draws.map(|_| forest::BootstrapSampler::of_hashes(&hashes, weights.as_deref()));
        let trees = forest::grow_trees(
            sampler.as_ref(),
            bagging,
            self.config.seed,
            bagging.first,
            control,
            |seed, times, control| {
                let all = (copies, rows);
                let setting = self.setting_on_features(occurring.clone(), all, &table.features);
                let setting = GrowthSetting { seed, ..setting };
                let tree = tree_on_codes(&table, setting, times, &Weights::Unit, control)?;
                self.tree_of_forest(tree, schema.clone(), None, control)
            },
        )?;
        let mut totals = vec![0.0; table.classes];
        table.records.rows().for_each(|r| totals[layout.class(r)] += layout.weight(r) as f64);
        let forest = self.joined(trees, bagging.first, totals);
        Ok(GrownForest { forest, votes: None, content: None, reason: Some(reason) })
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
            self.config.seed,
            first,
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
        let grown = self.joined(trees, bagging.first, class_totals(data, &rows, weights));
        let votes = match (&sampler, bagging.draws) {
            (Some(sampler), Some(draws)) if request.out_of_bag => {
                Some(forest::out_of_bag(&grown, data, &rows, sampler, draws, control)?)
            }
            _ => None,
        };
        Ok(GrownForest { forest: grown, votes, content: Some(content), reason })
    }

    /// Trees as a forest, whose first tree is the one of number `first`.
    pub(super) fn joined(&self, trees: Vec<Model>, first: usize, totals: Vec<f64>) -> Forest {
        let places = first..first + trees.len();
        let seeds = places.map(|t| forest::seed_of_tree(self.config.seed, t)).collect();
        Forest { trees, seeds, totals, parameters: self.config.parameters.clone() }
    }

    /// Refuse what forests do not go with.
    fn check_forest(&self, bagging: &Bagging, out_of_bag: bool) -> Result<()> {
        forest::check_bagging(bagging)?;
        if self.config.alpha_rule.is_some() {
            return unsupported("ccp_alpha='cv' in a forest", "a number");
        }
        if self.config.cost_matrix.is_some() {
            return unsupported("cost_matrix in a forest", "class_weight");
        }
        if let Some(method @ PruneMethod::ReducedError { .. }) = &self.config.pruning {
            let name = method.info().name;
            return unsupported(
                format!("pruning='{name}' in a forest (each tree sees a sample)"),
                prune::names_of(|other| other.name != name),
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
        let looked_at = PruneRows { data: raw, rows: rows.rows(), weights };
        self.tree_of_forest(tree, seen.shared_schema(), Some(&looked_at), control)
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
        let setting = GrowthSetting { seed, ..self.setting(seen, rows, weights) };
        let schema = seen.shared_schema();
        let Some(times) = times else {
            let tree = tree_on_codes(table, setting, None, &Weights::Unit, control)?;
            let looked_at = PruneRows { data, rows: rows.rows(), weights };
            return self.tree_of_forest(tree, schema, Some(&looked_at), control);
        };
        // The sample as rows, where something but growth reads them.
        let reads_rows = !self.is_final() || self.weighs_samples();
        let sample = match reads_rows {
            true => Some(data.drawn(&Arc::new(Draw::new(times)?))),
            false => None,
        };
        let own = sample.as_ref().map_or(Ok(Weights::Unit), |s| self.weights_of_sample(s))?;
        let copies: Vec<u32> = rows.rows().iter().map(|&r| times[r as usize]).collect();
        let tree = tree_on_codes(table, setting, Some(&copies), &own, control)?;
        let all = RowSet::all(sample.as_ref().map_or(0, Dataset::len));
        let looked_at = sample.as_ref().map(|sample| PruneRows {
            data: sample,
            rows: all.rows(),
            weights: &own,
        });
        self.tree_of_forest(tree, schema, looked_at.as_ref(), control)
    }

    /// A grown tree as a model, pruned on the rows as they came.
    pub fn tree_of_forest(
        &self,
        tree: Tree,
        schema: Arc<Schema>,
        rows: Option<&PruneRows<'_>>,
        control: &Control,
    ) -> Result<Model> {
        let model = self.model_of(tree, schema, String::new());
        Ok(self.pruned(model, self.config.pruning.as_ref(), rows, control)?.0)
    }
}

/// Grow a tree on the codes of all rows, or on `copies` of each; what the copies weigh is their
/// number, or `weights` one after the other.
fn tree_on_codes(
    table: &BinnedTable,
    mut setting: GrowthSetting<'_>,
    copies: Option<&[u32]>,
    weights: &Weights,
    control: &Control,
) -> Result<Tree> {
    let Some(copies) = copies else {
        let records = table.records.clone();
        return binned::grow(&table.facts(), records, false, &setting, control);
    };
    let (classes, layout) = (table.classes, table.records.layout);
    let mut occurring = vec![false; classes];
    for (row, &n) in table.records.rows().zip(copies) {
        occurring[layout.class(row)] |= n > 0;
    }
    let logs = Logs::up_to(copies.iter().map(|&n| u64::from(n)).sum());
    setting.context = Context { logs, classes, occurring };
    match weights {
        Weights::Fixed { values, shift } => {
            let facts = TableFacts { unit: f64::powi(2.0, -shift), ..table.facts() };
            let records = table.drawn_weighing(copies, values);
            binned::grow(&facts, records, false, &setting, control)
        }
        _ => binned::grow(&table.facts(), table.drawn(copies), true, &setting, control),
    }
}

//! The fit of a forest: one tree per bootstrap sample, by the same plan.
//!
//! Columns are imputed and binned once, on all training rows, so that all trees have the same
//! values and cut points. Growth and pruning read the sample of their tree alone: rows of a drawn
//! data set ([`Dataset::drawn`]), rows with numbers of copies where a criterion decides by means,
//! or records of codes with numbers of copies where the route is on codes.

use super::FitPlan;
use super::grow::TreeRows;
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

/// A fitted forest.
#[derive(Debug, Clone, PartialEq)]
pub struct GrownForest {
    /// Its trees.
    pub forest: Forest,
    /// The vote of each tree on the rows outside its sample, if requested.
    pub votes: Option<Votes>,
    /// A hash of the rows, by which a warm start checks that they are the same; `None` for a fit on
    /// codes.
    pub content: Option<u64>,
    /// The route of growth, and why it was taken; `None` where no tree was grown.
    pub reason: Option<Reason>,
}

/// Options of a forest's fit beside its parameters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// Count the votes of each tree on the rows outside its sample.
    pub out_of_bag: bool,
    /// A warm start: the forest whose trees are kept, with [`GrownForest::content`] of its rows.
    pub before: Option<(&'a Forest, u64)>,
}

impl Request<'_> {
    /// The trees of a warm start, if they were grown on the same rows and prepared columns.
    fn trees_before(&self, prepared: &Dataset, content: u64) -> Result<Vec<Model>> {
        match self.before {
            None => Ok(Vec::new()),
            Some((before, rows)) if rows == content && **before.schema() == *prepared.schema() => {
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
    /// Fit a forest. A warm start grows the missing trees only, and gives the same forest as a fit
    /// of all trees.
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
        // Without samples, copies may become rows of their own, as for a single tree.
        if bagging.draws.is_none() {
            return self.on_counted_rows(data, &rows, &weights, |data, rows, weights| {
                self.forest_on(data, rows, weights, weights, bagging, request, control)
            });
        }
        let rows = self.training_rows(data, &rows, &weights)?;
        let importances = self.weighed(data, &rows, &weights)?;
        self.forest_on(data, &rows, &weights, &importances, bagging, request, control)
    }

    /// Fit a forest on records of codes. Samples are drawn by the hashes of the rows.
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
        let RecordRows { schema, table, reason, hashes, .. } = &coded;
        let (schema, layout) = (Arc::new(schema.clone()), table.records.layout);
        let has_copies = layout.weight != WeightWidth::None;
        let weights: Option<Vec<u32>> =
            has_copies.then(|| table.records.rows().map(|r| layout.weight(r) as u32).collect());
        let sampler =
            bagging.draws.map(|_| forest::BootstrapSampler::of_hashes(hashes, weights.as_deref()));
        let trees = forest::grow_trees(
            sampler.as_ref(),
            bagging,
            self.config.seed,
            bagging.first,
            control,
            |seed, times, control| {
                let setting = GrowthSetting { seed, ..self.setting_on_records(&coded) };
                let tree = tree_on_codes(table, setting, times, &Weights::Unit, control)?;
                self.tree_of_forest(tree, schema.clone(), None, control)
            },
        )?;
        let totals = table.records.weights_of_classes(table.classes);
        let totals = totals.into_iter().map(|total| total as f64).collect();
        let forest = self.joined(trees, bagging.first, totals);
        Ok(GrownForest { forest, votes: None, content: None, reason: Some(reason.clone()) })
    }

    /// Fit a forest on rows of a data set. Samples are drawn by the rows' own weights; bins, means
    /// and class totals go by `weights`, which are multiplied by those of the classes.
    #[allow(clippy::too_many_arguments, reason = "the two kinds of weights are easily confused")]
    fn forest_on(
        &self,
        data: &Dataset,
        rows: &RowSet,
        own_weights: &Weights,
        weights: &Weights,
        bagging: &Bagging,
        request: Request<'_>,
        control: &Control,
    ) -> Result<GrownForest> {
        let rows = self.training_rows(data, rows, weights)?;
        let hashes = forest::row_hashes(data, &rows);
        let content = forest::content(&hashes, data, &rows, own_weights);
        let changed = self.prepare(data, &rows, weights, control)?;
        let prepared = changed.as_ref().unwrap_or(data);
        let all = TreeRows { raw: data, data: prepared, rows: &rows, all: None, weights };
        // What all trees to be grown share: the codes of all rows, or sorted columns.
        let mut trees = request.trees_before(prepared, content)?;
        if self.nominal_splits(prepared) == NominalSplits::Multiway {
            few_branches(prepared)?;
        }
        let first = bagging.first.max(trees.len());
        let (mut table, mut reason) = (None, None);
        if first < bagging.trees {
            let routed = self.routed(prepared, &rows, weights, control)?;
            table = self.records(prepared, &rows, weights, &routed, control)?;
            reason = Some(routed.reason);
            if table.is_none() {
                prepared.sort_columns(control)?;
            }
        }
        let sampler =
            bagging.draws.map(|_| forest::BootstrapSampler::new(&hashes, data, &rows, own_weights));
        let pool = BufferPool::default();
        let more = forest::grow_trees(
            sampler.as_ref(),
            bagging,
            self.config.seed,
            first,
            control,
            |seed, times, control| {
                if let Some(table) = &table {
                    return self.tree_on_sampled_codes(all, table, seed, times, control);
                }
                let Some(times) = times else {
                    return self.tree_on_rows(all, seed, &pool, control);
                };
                if self.samples_are_copies(prepared) {
                    // Kernels of means take copies, so a row that was drawn twice is scanned once.
                    let (rows, weights) = &as_copies(times);
                    let sampled = TreeRows { rows, weights, ..all };
                    let mut model = self.tree_on_rows(sampled, seed, &pool, control)?;
                    model.tree.count_copies();
                    return Ok(model);
                }
                // The sample as a data set, raw and prepared.
                let draw = &Arc::new(Draw::new(times)?);
                let raw = changed.as_ref().map(|_| data.drawn(draw));
                let sample = prepared.drawn(draw);
                let sampled = TreeRows {
                    raw: raw.as_ref().unwrap_or(&sample),
                    data: &sample,
                    rows: &RowSet::all(sample.len()),
                    all: None,
                    weights: &self.weights_of_sample(&sample)?,
                };
                self.tree_on_rows(sampled, seed, &pool, control)
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

    /// Whether the trees of a data set take samples as copies of rows, not as rows of a drawn set.
    fn samples_are_copies(&self, data: &Dataset) -> bool {
        data.target().is_some() && self.criterion.is_between_means() && !self.divides_rows()
    }

    /// A forest of these trees; the first of them is tree number `first`, which gives their seeds.
    pub(super) fn joined(&self, trees: Vec<Model>, first: usize, totals: Vec<f64>) -> Forest {
        let places = first..first + trees.len();
        let seeds = places.map(|t| forest::seed_of_tree(self.config.seed, t)).collect();
        Forest { trees, seeds, totals, parameters: self.config.parameters.clone() }
    }

    /// Refuse parameters that forests do not support.
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

    /// Fit a tree on rows of a data set.
    fn tree_on_rows(
        &self,
        of: TreeRows<'_>,
        seed: u64,
        pool: &BufferPool,
        control: &Control,
    ) -> Result<Model> {
        let TreeRows { raw, data, rows, weights, .. } = of;
        if let Some(classed) = self.with_target_bins(data, rows, weights)? {
            let classed = TreeRows { data: &classed, ..of };
            let mut tree = self.tree_on_rows(classed, seed, pool, control)?.tree.into_regression();
            self.complete_outcomes(&mut tree, data.schema(), &of.prune_rows(), control)?;
            return self.tree_of_forest(
                tree,
                data.shared_schema(),
                Some(&of.prune_rows()),
                control,
            );
        }
        let setting = GrowthSetting {
            seed,
            pool: Some(pool),
            raw: Some(raw),
            ..self.setting(data, rows, weights)
        };
        let tree = self.grow_sample(data, &setting, rows, weights, control)?;
        let tree = self.completed(tree, of, seed, control)?;
        self.tree_of_forest(tree, data.shared_schema(), Some(&of.prune_rows()), control)
    }

    /// Fit a tree on codes: `table` holds those of all rows `of`, row r is drawn `times[r]` times
    /// (once, without samples).
    fn tree_on_sampled_codes(
        &self,
        of: TreeRows<'_>,
        table: &BinnedTable,
        seed: u64,
        times: Option<&[u32]>,
        control: &Control,
    ) -> Result<Model> {
        reached::count(Way::FitSample);
        let setting = GrowthSetting { seed, ..self.setting(of.data, of.rows, of.weights) };
        let schema = of.data.shared_schema();
        let Some(times) = times else {
            let tree = tree_on_codes(table, setting, None, &Weights::Unit, control)?;
            let tree = self.completed(tree, of, seed, control)?;
            return self.tree_of_forest(tree, schema, Some(&of.prune_rows()), control);
        };
        // The sample is drawn as rows only where pruning or class weights read them.
        let draw = match self.is_final() && !self.weighs_samples() {
            true => None,
            false => Some(Arc::new(Draw::new(times)?)),
        };
        let sample = draw.as_ref().map(|draw| of.raw.drawn(draw));
        let weights = sample.as_ref().map_or(Ok(Weights::Unit), |s| self.weights_of_sample(s))?;
        let copies: Vec<u32> = of.rows.rows().iter().map(|&r| times[r as usize]).collect();
        let mut tree = tree_on_codes(table, setting, Some(&copies), &weights, control)?;
        let (Some(draw), Some(sample)) = (&draw, &sample) else {
            let (rows, weights) = &as_copies(times);
            tree = self.completed(tree, TreeRows { rows, weights, ..of }, seed, control)?;
            tree.count_copies();
            return self.tree_of_forest(tree, schema, None, control);
        };
        let rows = &RowSet::all(sample.len());
        let drawn = (!std::ptr::eq(of.raw, of.data)).then(|| of.data.drawn(draw));
        let data = drawn.as_ref().unwrap_or(sample);
        let sampled = TreeRows { raw: sample, data, rows, all: None, weights: &weights };
        tree = self.completed(tree, sampled, seed, control)?;
        self.tree_of_forest(tree, schema, Some(&sampled.prune_rows()), control)
    }

    /// A grown tree as a model, pruned on `rows` as they were given.
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

/// The rows that were drawn, and how often as weights.
fn as_copies(times: &[u32]) -> (RowSet, Weights) {
    let drawn = (0..).zip(times).filter(|(_, times)| **times > 0).map(|(row, _)| row);
    (RowSet::of(drawn.collect(), times.len()), Weights::Integer(times.to_vec()))
}

/// Grow a tree on the codes of all rows, or on `copies` of each. A copy weighs 1, or what fixed
/// `weights` give, copy by copy.
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
    // The classes and the size of the sample replace those of all rows.
    let (classes, layout) = (table.classes, table.records.layout);
    let mut occurring = vec![false; classes];
    for (row, &n) in table.records.rows().zip(copies) {
        occurring[layout.class(row)] |= n > 0;
    }
    let logs = Logs::up_to(copies.iter().map(|&n| u64::from(n)).sum());
    setting.context = Context { logs, classes, occurring, grid: setting.context.grid };
    match weights {
        Weights::Fixed { values, shift } => {
            let facts = TableFacts { unit: f64::powi(2.0, -shift), ..table.facts() };
            let records = table.drawn_weighing(copies, values);
            binned::grow(&facts, records, false, &setting, control)
        }
        _ => binned::grow(&table.facts(), table.drawn(copies), true, &setting, control),
    }
}

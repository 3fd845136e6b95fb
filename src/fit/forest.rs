//! The fit of a forest: one tree per bootstrap sample, by the same plan.
//!
//! Columns are imputed and binned once, on all training rows, so that all trees have the same
//! values and cut points. Growth and pruning read the sample of their tree alone: rows of a drawn
//! data set ([`Dataset::bootstrap_sample`]), rows with numbers of copies where a criterion decides
//! by means, or records of codes with numbers of copies where the route is on codes.

use super::config::ThresholdSearch;
use super::counted::SampleEntries;
use super::grow::TreeRows;
use super::plan::FitPlan;
use super::prepare::refuse_many_branches;
use super::records::{FitRows, RecordRows};
use super::route::{FitShape, MANY_ROWS, Reason, codes_obstacle};
use super::validate;
use crate::bins::{BinnedTable, TableFacts, WeightWidth};
use crate::criteria::Context;
use crate::data::{Dataset, DrawnRows, RowSet, Schema, Weights};
use crate::error::{Error, Result, unsupported};
use crate::grow::forest::{Bagging, BootstrapSampler};
use crate::grow::{GrowthSetting, binned, forest};
use crate::model::{Forest, Model};
use crate::numeric::Logs;
use crate::parallel::Control;
use crate::predict::Votes;
use crate::prune::{self, PruneMethod, PruneRows};
use crate::reached::{self, Way};
use crate::split::NominalSplits;
use crate::tree::Tree;
use std::sync::Arc;

/// The message of a warm start on other rows.
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
    let mut of_class = vec![Vec::new(); data.n_classes()];
    rows.rows().iter().for_each(|&r| of_class[usize::from(data.classes()[r as usize])].push(r));
    of_class.iter().map(|rows| weights.total(rows)).collect()
}

impl FitPlan {
    /// Replace [`ThresholdSearch::Auto`] by a histogram where rows of positive weight are many and
    /// codes of bins serve, else by the exact search; others stay.
    pub fn settle_search(&mut self, rows: &FitRows<'_>) {
        let (ThresholdSearch::Auto, FitRows::Encoded(data, rows, weights)) =
            (self.config.threshold_search, rows)
        else {
            return;
        };
        let drawable = rows.rows().iter().filter(|&&row| !weights.is_zero(row)).count();
        let serves = || {
            let shape = FitShape::new(data, rows, weights);
            validate::histogram(&self.config, self.criterion.as_ref()).is_ok()
                && codes_obstacle(self, &shape, self.config.max_bins as usize).is_none()
        };
        self.config.threshold_search = match drawable >= MANY_ROWS && serves() {
            true => ThresholdSearch::Histogram,
            false => ThresholdSearch::Exact,
        };
    }

    /// Fit a forest. A warm start grows the missing trees only, and gives the same forest as a fit
    /// of all trees.
    ///
    /// # Errors
    /// Returns an error for parameters that forests do not support and for a warm start on other
    /// rows, and the errors of the fit of a tree.
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
        let data = &*data;
        // Without samples, copies may become rows of their own, as for a single tree.
        if bagging.draws.is_none() {
            return self.on_counted_rows(data, &rows, &weights, |data, rows, weights| {
                self.forest_on(data, rows, weights, weights, bagging, request, control)
            });
        }
        let weights = self.as_importances(data, &weights)?.unwrap_or(weights);
        let rows = self.training_rows(data, &rows, &weights)?;
        let importances = self.weigh_rows(data, &rows, &weights)?;
        self.forest_on(data, &rows, &weights, &importances, bagging, request, control)
    }

    /// Fit a forest on records of codes. Samples are drawn from the rows in the order of their
    /// hashes.
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
        let copies = table.records.rows().map(|r| layout.weight(r) as u32);
        let weights = if has_copies { Weights::Integer(copies.collect()) } else { Weights::Unit };
        let every = RowSet::all(table.records.len());
        let sampler = bagging
            .draws
            .map(|_| BootstrapSampler::new(hashes, every.len(), every.rows(), &weights))
            .transpose()?;
        let trees = forest::grow_trees(
            sampler.as_ref(),
            bagging,
            self.config.seed,
            bagging.first,
            control,
            |seed, times, control| {
                let setting = GrowthSetting { seed, ..self.setting_on_records(&coded) };
                let sample = times
                    .map(|times| self.entries_of_sample(None, table.classes, &weights, times))
                    .transpose()?;
                let tree = tree_on_codes(table, setting, sample.as_ref(), control)?;
                self.tree_of_forest(tree, schema.clone(), None, control)
            },
        )?;
        let totals = table.records.weights_of_classes(table.classes);
        let totals = totals.into_iter().map(|total| total as f64).collect();
        let forest = self.join_trees(trees, bagging.first, totals);
        Ok(GrownForest { forest, votes: None, content: None, reason: Some(reason.clone()) })
    }

    /// Fit a forest on rows of a data set. In samples, the draws of a row multiply its weight;
    /// bins, means and class totals go by `weights`, which are multiplied by the weights of the
    /// classes.
    #[allow(clippy::too_many_arguments, reason = "the two kinds of weights are easily confused")]
    fn forest_on(
        &self,
        data: &Dataset,
        rows: &RowSet,
        row_weights: &Weights,
        weights: &Weights,
        bagging: &Bagging,
        request: Request<'_>,
        control: &Control,
    ) -> Result<GrownForest> {
        let rows = self.training_rows(data, rows, weights)?;
        let hashes = forest::row_hashes(data, &rows);
        let content = forest::content(&hashes, data, &rows, row_weights);
        let changed = self.prepare(data, &rows, &rows, weights, control)?;
        let prepared = changed.as_ref().unwrap_or(data);
        let all = TreeRows { raw: data, data: prepared, rows: &rows, all: None, weights };
        // All trees to be grown share the codes of all rows, or sorted columns.
        let mut trees = request.trees_before(prepared, content)?;
        if self.nominal_splits(prepared) == NominalSplits::Multiway {
            refuse_many_branches(prepared)?;
        }
        let first = bagging.first.max(trees.len());
        let (mut table, mut reason) = (None, None);
        if first < bagging.trees {
            let routed = self.choose_route(prepared, &rows, weights, control)?;
            table = self.records(prepared, &rows, weights, &routed, control)?;
            reason = Some(routed.reason);
            if table.is_none() && self.needs_orders(routed.route, prepared) {
                prepared.sort_columns(control)?;
            }
        }
        let sampler = bagging
            .draws
            .map(|_| BootstrapSampler::new(&hashes, data.len(), rows.rows(), row_weights))
            .transpose()?;
        let more = forest::grow_trees(
            sampler.as_ref(),
            bagging,
            self.config.seed,
            first,
            control,
            |seed, times, control| {
                let entries = |times| {
                    self.entries_of_sample(Some(data), data.n_classes(), row_weights, times)
                };
                let sample = times.map(entries).transpose()?;
                if let Some(table) = &table {
                    return self.tree_on_sampled_codes(all, table, seed, sample, control);
                }
                let Some(SampleEntries { times, weights }) = sample else {
                    return self.tree_on_rows(all, seed, control);
                };
                // A row with copies is scanned once, and kernels of means take copies, too.
                let has_copies = matches!(row_weights, Weights::Integer(_));
                if weights == Weights::Unit && (has_copies || self.is_between_means(prepared)) {
                    let (rows, weights) = &as_copies(times);
                    let sampled = TreeRows { rows, weights, ..all };
                    return self.tree_on_rows(sampled, seed, control);
                }
                let draw = Arc::new(DrawnRows::new(&times)?);
                all.on_derived(&|data| data.bootstrap_sample(&draw), &weights, |sampled| {
                    self.tree_on_rows(sampled, seed, control)
                })
            },
        )?;
        trees.extend(more);
        let grown = self.join_trees(trees, bagging.first, class_totals(data, &rows, weights));
        let votes = match (&sampler, bagging.draws) {
            (Some(sampler), Some(draws)) if request.out_of_bag => {
                Some(forest::out_of_bag(&grown, data, &rows, sampler, draws, control)?)
            }
            _ => None,
        };
        Ok(GrownForest { forest: grown, votes, content: Some(content), reason })
    }

    /// Whether splits of a data set are chosen between means.
    fn is_between_means(&self, data: &Dataset) -> bool {
        data.target().is_some() && self.criterion.is_between_means()
    }

    /// A forest of trees. `first` is the number of the first of them, from which their seeds
    /// follow, and `totals` are the weights of the classes in the training rows.
    pub(super) fn join_trees(&self, trees: Vec<Model>, first: usize, totals: Vec<f64>) -> Forest {
        let numbers = first..first + trees.len();
        let seeds = numbers.map(|tree| forest::seed_of_tree(self.config.seed, tree)).collect();
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
    fn tree_on_rows(&self, input: TreeRows<'_>, seed: u64, control: &Control) -> Result<Model> {
        let TreeRows { raw, data, rows, weights, .. } = input;
        if let Some(classed) = self.with_target_bins(data, rows, weights)? {
            let classed = TreeRows { data: &classed, ..input };
            let mut tree = self.tree_on_rows(classed, seed, control)?.tree.into_regression();
            self.complete_outcomes(&mut tree, data.schema(), &input.prune_rows(), true, control)?;
            return self.tree_of_forest(
                tree,
                data.shared_schema(),
                Some(&input.prune_rows()),
                control,
            );
        }
        let setting =
            GrowthSetting { seed, unbinned_data: Some(raw), ..self.setting(data, rows, weights) };
        let tree = self.grow_sample(data, &setting, rows, weights, control)?;
        self.finish_tree(tree, input, seed, control)
    }

    /// Fit a tree on codes. `table` holds the codes of all `input` rows, and `sample` the
    /// entries of a bootstrap sample of them; without one the tree grows on all rows.
    fn tree_on_sampled_codes(
        &self,
        input: TreeRows<'_>,
        table: &BinnedTable,
        seed: u64,
        sample: Option<SampleEntries>,
        control: &Control,
    ) -> Result<Model> {
        reached::count(Way::FitTable);
        let setting = GrowthSetting { seed, ..self.setting(input.data, input.rows, input.weights) };
        let Some(SampleEntries { times, weights }) = sample else {
            let tree = tree_on_codes(table, setting, None, control)?;
            return self.finish_tree(tree, input, seed, control);
        };
        // The table has the training rows alone, in their order.
        let of_records = input.rows.rows().iter().map(|&row| times[row as usize]).collect();
        let entries = SampleEntries { times: of_records, weights };
        let tree = tree_on_codes(table, setting, Some(&entries), control)?;
        if entries.weights == Weights::Unit {
            let (rows, weights) = &as_copies(times);
            return self.finish_tree(tree, TreeRows { rows, weights, ..input }, seed, control);
        }
        // Each draw is a row, with a weight of its own.
        let draw = Arc::new(DrawnRows::new(&times)?);
        input.on_derived(&|data| data.bootstrap_sample(&draw), &entries.weights, |sampled| {
            self.finish_tree(tree, sampled, seed, control)
        })
    }

    /// Complete a tree that has grown on the `input` rows with `seed`, and prune it on them.
    fn finish_tree(
        &self,
        tree: Tree,
        input: TreeRows<'_>,
        seed: u64,
        control: &Control,
    ) -> Result<Model> {
        let tree = self.complete_tree(tree, input, seed, control)?;
        self.tree_of_forest(tree, input.data.shared_schema(), Some(&input.prune_rows()), control)
    }

    /// A grown tree as a model, pruned on `rows` as they were given. Its text of parameters is
    /// empty, as the forest has it. `rows` may be `None` if no step of pruning reads rows.
    pub fn tree_of_forest(
        &self,
        tree: Tree,
        schema: Arc<Schema>,
        rows: Option<&PruneRows<'_>>,
        control: &Control,
    ) -> Result<Model> {
        let model = self.model_of(tree, schema, String::new());
        Ok(self.prune(model, self.config.pruning.as_ref(), rows, control)?.0)
    }
}

/// A sample as the rows that were drawn, and how often each was drawn as their weights.
fn as_copies(times: Vec<u32>) -> (RowSet, Weights) {
    let drawn = (0..).zip(&times).filter(|(_, times)| **times > 0).map(|(row, _)| row);
    (RowSet::new(drawn.collect(), times.len()), Weights::Integer(times))
}

/// Grow a tree on the codes of all rows of a table, or on the entries of a sample of them.
fn tree_on_codes(
    table: &BinnedTable,
    mut setting: GrowthSetting<'_>,
    sample: Option<&SampleEntries>,
    control: &Control,
) -> Result<Tree> {
    let Some(SampleEntries { times, weights }) = sample else {
        let records = table.records.clone();
        return binned::grow(&table.facts(), records, &setting, control);
    };
    // The classes and the size of the sample replace the classes and the number of all rows.
    let (classes, layout) = (table.classes, table.records.layout);
    let mut occurring = vec![false; classes];
    for (row, &n) in table.records.rows().zip(times) {
        occurring[layout.class(row)] |= n > 0;
    }
    let reads_logs = setting.criterion.reads_logs();
    let counted = times.iter().filter(|_| reads_logs).map(|&n| u64::from(n));
    let logs = Logs::up_to(counted.sum());
    setting.context = Context { logs, classes, occurring, grid: setting.context.grid };
    match weights {
        Weights::Fixed { values, shift } => {
            let facts = TableFacts { unit: f64::powi(2.0, -shift), ..table.facts() };
            let records = table.weighted_bootstrap_sample(times, values);
            binned::grow(&facts, records, &setting, control)
        }
        _ => {
            let facts = TableFacts { unit: 1.0, ..table.facts() };
            binned::grow(&facts, table.bootstrap_sample(times), &setting, control)
        }
    }
}

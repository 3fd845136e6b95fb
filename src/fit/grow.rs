//! The fit of one tree: rows are held out for pruning, the data set is prepared, the tree grows by
//! its route and is pruned.
//!
//! [`super::route`] chooses the route; the functions at the end of this file call the growth that
//! belongs to it. [`FitPlan::fit`] grows on a data set, [`FitPlan::fit_records`] on records of
//! codes that were read without one, [`FitPlan::grow`] stops before pruning. Estimators enter by
//! [`crate::resample::alpha::fit`], which calls them, several times where it chooses the complexity
//! penalty.

use super::plan::FitPlan;
use super::prepare::refuse_many_branches;
use super::records::RecordRows;
use super::route::{FitShape, Reason, Route};
use crate::bins::{BinnedTable, TableFacts};
use crate::data::{Dataset, NumericColumn, RowSet, Schema, Weights};
use crate::discretize;
use crate::error::{Error, Result, unsupported};
use crate::grow::{self, GrowthSetting, PairMemo, binned};
use crate::model::Model;
use crate::parallel::Control;
use crate::prune::{self, PruneMethod, PruneRows, PruneStep, ReducedError};
use crate::reached::{self, Way};
use crate::split::NominalSplits;
use crate::tree::Tree;
use std::sync::Arc;

/// A fitted model, and how it came to be.
#[derive(Debug)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// The steps of pruning.
    pub account: Vec<PruneStep>,
    /// The route of growth, and why it was taken.
    pub reason: Reason,
}

/// The rows of the fit of one tree.
#[derive(Clone, Copy)]
pub(super) struct TreeRows<'a> {
    /// The data set as it was given.
    pub raw: &'a Dataset<'a>,
    /// The data set as growth reads it: imputed and binned.
    pub data: &'a Dataset<'a>,
    /// Rows to grow on.
    pub rows: &'a RowSet,
    /// All training rows, where pruning holds some of them out.
    pub all: Option<&'a RowSet>,
    /// Weights of the rows.
    pub weights: &'a Weights,
}

impl<'a> TreeRows<'a> {
    /// The rows of growth as given, for pruning. They are the given rows and not the prepared ones,
    /// as pruning sends them down the finished tree, which imputes and bins values itself.
    pub fn prune_rows(&self) -> PruneRows<'a> {
        PruneRows { data: self.raw, rows: self.rows.rows(), weights: self.weights }
    }

    /// Call `job` with all rows of the data sets that `derive` makes of the raw data set and of the
    /// prepared one, which are often the same. It serves bootstrap samples, whose rows are copies,
    /// and data sets whose target has a finer grid. If raw and prepared data are the same, `derive`
    /// is called only once.
    pub fn on_derived<R>(
        &self,
        derive: &dyn Fn(&Dataset<'a>) -> Dataset<'a>,
        weights: &Weights,
        job: impl FnOnce(TreeRows<'_>) -> Result<R>,
    ) -> Result<R> {
        let data = &derive(self.data);
        let raw = (!std::ptr::eq(self.raw, self.data)).then(|| derive(self.raw));
        let (raw, rows) = (raw.as_ref().unwrap_or(data), &RowSet::all(data.len()));
        job(TreeRows { raw, data, rows, all: None, weights })
    }
}

impl FitPlan {
    /// Fit a tree on some rows of a data set: hold rows out if pruning needs them, prepare the data
    /// set, grow, and prune.
    ///
    /// # Errors
    /// Returns an error for a complexity penalty that is still open ([`crate::resample::alpha`]
    /// chooses it) and for a target or columns that the plan does not support, or
    /// [`Error::Cancelled`].
    pub fn fit(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Fitted> {
        if self.config.alpha_rule.is_some() {
            return unsupported(
                "ccp_alpha='cv' in this place",
                "a number, or ccp_alpha='cv' in fit and cross_validate",
            );
        }
        // Hold rows out for pruning, before anything is prepared.
        let mut rows = self.training_rows(data, rows, weights)?;
        let mut held_out = None;
        if let Some(PruneMethod::ReducedError(ReducedError { share, seed })) = self.config.pruning {
            let (grown_on, others) =
                prune::reduced_error::divide(data, rows.rows(), weights, share, seed, control)?;
            rows = RowSet::new(grown_on, data.len());
            held_out = Some(others);
        }
        let all = held_out
            .as_ref()
            .map(|held_out| RowSet::new([rows.rows(), held_out].concat(), data.len()));
        // Grow on the others.
        let prepared =
            self.prepare(data, &rows, all.as_ref().unwrap_or(&rows), weights, control)?;
        let prepared = prepared.as_ref().unwrap_or(data);
        let input = TreeRows { raw: data, data: prepared, rows: &rows, all: all.as_ref(), weights };
        let (model, reason) = self.grow_prepared(input, None, control)?;
        // Prune on the rows held out, or on all.
        let mut prune_rows = input.prune_rows();
        if let Some(held_out) = &held_out {
            prune_rows.rows = held_out;
        }
        let method = self.config.pruning.as_ref();
        let (model, account) = self.prune(model, method, Some(&prune_rows), control)?;
        Ok(Fitted { model, account, reason })
    }

    /// Grow a tree without pruning it. `rows` have positive weights ([`FitPlan::training_rows`]).
    ///
    /// # Errors
    /// Returns the errors of [`FitPlan::fit`].
    pub fn grow(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Fitted> {
        let prepared = self.prepare(data, rows, rows, weights, control)?;
        let prepared = prepared.as_ref().unwrap_or(data);
        let input = TreeRows { raw: data, data: prepared, rows, all: None, weights };
        let (model, reason) = self.grow_prepared(input, None, control)?;
        Ok(Fitted { model, account: Vec::new(), reason })
    }

    /// Grow a tree on prepared rows. `memo` keeps the pairs of nodes for other plans.
    pub(super) fn grow_prepared(
        &self,
        input: TreeRows<'_>,
        memo: Option<&PairMemo>,
        control: &Control,
    ) -> Result<(Model, Reason)> {
        let TreeRows { raw, data, rows, all, weights } = input;
        if let Some(classed) = self.with_target_bins(data, rows, weights)? {
            let (model, reason) =
                self.grow_prepared(TreeRows { data: &classed, ..input }, memo, control)?;
            let mut tree = model.tree.into_regression();
            self.complete_outcomes(&mut tree, data.schema(), &input.prune_rows(), true, control)?;
            return Ok((self.labelled_model(tree, data.shared_schema())?, reason));
        }
        if self.nominal_splits(data) == NominalSplits::Multiway {
            refuse_many_branches(data)?;
        }
        let mut setting =
            GrowthSetting { memo, unbinned_data: Some(raw), ..self.setting(data, rows, weights) };
        if let Some(all) = all {
            // J48 computes everything that depends on the training set from all of its rows,
            // including held-out ones.
            let of_all = self.setting(data, all, weights);
            setting.training_copies = of_all.training_copies;
            setting.training_bits = of_all.training_bits;
        }
        let (tree, reason) = self.grow_by_route(input, &setting, control)?;
        let tree = self.complete_tree(tree, input, self.config.seed, control)?;
        Ok((self.labelled_model(tree, data.shared_schema())?, reason))
    }

    /// Grow a tree on prepared rows in one setting, by the route of the rows. The reason says in
    /// words why this route was taken. Columns are sorted first if the route reads orders.
    pub(super) fn grow_by_route(
        &self,
        input: TreeRows<'_>,
        setting: &GrowthSetting<'_>,
        control: &Control,
    ) -> Result<(Tree, Reason)> {
        let TreeRows { data, rows, weights, .. } = input;
        let routed = self.choose_route(data, rows, weights, control)?;
        let tree = match self.records(data, rows, weights, &routed, control)? {
            Some(table) => {
                reached::count(Way::FitTable);
                grow_codes(table, setting, control)?
            }
            None => {
                if self.needs_orders(routed.route, data) {
                    data.sort_columns(control)?;
                }
                grow_rows(routed.route, data, setting, rows, weights, control)?
            }
        };
        Ok((tree, routed.reason))
    }

    /// A tree, grown with `seed`, whose nodes of a much smaller range than the root's are grown
    /// again ([`Self::regrow_narrow_nodes`]), and whose outcomes are complete. Both steps concern
    /// numeric targets only, and read the rows as given.
    pub(super) fn complete_tree(
        &self,
        tree: Tree,
        input: TreeRows<'_>,
        seed: u64,
        control: &Control,
    ) -> Result<Tree> {
        let mut tree = self.regrow_narrow_nodes(tree, input, self.limits(), seed, control)?;
        self.complete_outcomes(&mut tree, input.data.schema(), &input.prune_rows(), true, control)?;
        Ok(tree)
    }

    /// The rows with the bins of a numeric target as classes; `None` where there are no bins to be
    /// made.
    pub fn with_target_bins<'d>(
        &self,
        data: &Dataset<'d>,
        rows: &RowSet,
        weights: &Weights,
    ) -> Result<Option<Dataset<'d>>> {
        let (Some(method), Some(target)) = (&self.config.target_bins, data.target()) else {
            return Ok(None);
        };
        let numbers = (0..data.len() as u32).map(|row| target.value(row)).collect();
        let bins = discretize::fit(method, &NumericColumn::new(numbers), &[], 0, rows, weights)?;
        Ok(Some(data.with_target_bins(&bins)))
    }

    /// Fit a tree on records of all rows. Records are taken by value, as growth reorders them in
    /// place. There are no rows for pruning, so a method that reads rows is an error.
    pub fn fit_records(&self, coded: RecordRows, control: &Control) -> Result<Fitted> {
        let setting = self.setting_on_records(&coded);
        let reason = coded.reason;
        let tree = grow_codes(coded.table, &setting, control)?;
        Ok(Fitted { reason, ..self.finish_on_codes(tree, coded.schema, control)? })
    }

    /// Label and prune a tree that grew on codes. Neither step reads rows.
    pub fn finish_on_codes(&self, tree: Tree, schema: Schema, control: &Control) -> Result<Fitted> {
        let model = self.labelled_model(tree, schema.into())?;
        let (model, account) = self.prune(model, self.config.pruning.as_ref(), None, control)?;
        Ok(Fitted { model, account, reason: Reason::RECORDS })
    }

    /// A grown tree as a model; a cost matrix decides its labels.
    fn labelled_model(&self, tree: Tree, schema: Arc<Schema>) -> Result<Model> {
        let mut model = self.model_of(tree, schema, self.config.parameters.clone());
        if let Some(costs) = self.costs(model.tree.classes)? {
            model.tree.relabel(&costs);
        }
        Ok(model)
    }

    /// Grow a tree of a forest on a sample, by a route that reads no codes. The shape marks the
    /// rows as a sample, so no route on codes is chosen.
    pub(super) fn grow_sample(
        &self,
        data: &Dataset,
        setting: &GrowthSetting<'_>,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Tree> {
        let (route, _) = Route::choose(self, &FitShape::from_sample(data, rows, weights));
        grow_rows(route, data, setting, rows, weights, control)
    }
}

/// Grow a tree on the records of a table, which growth reorders in place.
fn grow_codes(table: BinnedTable, setting: &GrowthSetting<'_>, control: &Control) -> Result<Tree> {
    let (classes, unit) = (table.classes, table.unit);
    let (features, records) = table.into_records();
    let facts = TableFacts { features: &features, classes, unit };
    binned::grow(&facts, records, setting, control)
}

/// Grow a tree on rows of a data set, by a route that reads no codes.
fn grow_rows(
    route: Route,
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Tree> {
    match route {
        Route::WholeTree => {
            grow::grow_globally(data, setting, rows, weights, control).map(|grown| grown.0)
        }
        Route::FractionalRows => grow::on_fractions(data, setting, rows, weights, control),
        Route::BitPlanes => grow::on_bit_planes(data, setting, rows, control),
        Route::SortedOrders => grow::on_sorted_orders(data, setting, rows, weights, control),
        Route::Bins | Route::Values => {
            Err(Error::Internal("a route on codes without codes of the rows".into()))
        }
    }
}

//! Growth: a tree is grown on prepared rows by the route of its plan, and pruned.
//!
//! [`super::route`] names the route; here is the one place that follows it. Rows that pruning holds
//! out are divided before anything is prepared.

use super::FitPlan;
use super::prepare::few_branches;
use super::records::RecordRows;
use super::route::{FitShape, Reason, Route};
use crate::bins::{BinnedTable, TableFacts};
use crate::data::{Dataset, RowSet, Schema, Weights};
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
    /// What pruning did.
    pub account: Vec<PruneStep>,
    /// The route of growth, and why it was taken.
    pub reason: Reason,
}

/// The rows of a fit of one tree.
#[derive(Clone, Copy)]
pub(super) struct TreeRows<'a> {
    /// The data set as it was given.
    pub raw: &'a Dataset,
    /// The data set as growth reads it.
    pub data: &'a Dataset,
    /// Rows to grow on.
    pub rows: &'a RowSet,
    /// All training rows, where pruning holds some of them out.
    pub all: Option<&'a RowSet>,
    pub weights: &'a Weights,
}

impl FitPlan {
    /// Fit a tree on some rows of a data set.
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
        // Hold rows out for pruning.
        let mut rows = self.training_rows(data, rows, weights)?;
        let mut held_out = None;
        if let Some(PruneMethod::ReducedError(ReducedError { share, seed })) = self.config.pruning {
            let (grown_on, others) =
                prune::reduced_error::divide(data, rows.rows(), weights, share, seed, control)?;
            rows = RowSet::of(grown_on, data.len());
            held_out = Some(others);
        }
        let all = held_out
            .as_ref()
            .map(|held_out| RowSet::of([rows.rows(), held_out].concat(), data.len()));
        // Grow on the others.
        let prepared = self.prepare(data, &rows, weights, control)?;
        let seen = prepared.as_ref().unwrap_or(data);
        let of = TreeRows { raw: data, data: seen, rows: &rows, all: all.as_ref(), weights };
        let (model, reason) = self.grow_prepared(of, None, control)?;
        // Prune on the rows held out, or on all.
        let looked_at =
            PruneRows { data, rows: held_out.as_deref().unwrap_or(rows.rows()), weights };
        let method = self.config.pruning.as_ref();
        let (model, account) = self.pruned(model, method, Some(&looked_at), control)?;
        Ok(Fitted { model, account, reason })
    }

    /// Grow a tree on rows that count, without pruning it.
    pub fn grow(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Fitted> {
        let prepared = self.prepare(data, rows, weights, control)?;
        let seen = prepared.as_ref().unwrap_or(data);
        let of = TreeRows { raw: data, data: seen, rows, all: None, weights };
        let (model, reason) = self.grow_prepared(of, None, control)?;
        Ok(Fitted { model, account: Vec::new(), reason })
    }

    /// Grow a tree on prepared rows.
    pub(super) fn grow_prepared(
        &self,
        of: TreeRows<'_>,
        memo: Option<&PairMemo>,
        control: &Control,
    ) -> Result<(Model, Reason)> {
        let TreeRows { raw, data, rows, all, weights } = of;
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
        let routed = self.routed(data, rows, weights, control)?;
        let tree = match self.records(data, rows, weights, &routed, control)? {
            Some(table) => {
                reached::count(Way::FitTable);
                on_codes(table, &setting, control)?
            }
            None => {
                data.sort_columns(control)?;
                grown(routed.route, data, &setting, rows, weights, control)?
            }
        };
        Ok((self.labelled(tree, data.shared_schema())?, routed.reason))
    }

    /// Fit a tree on records of all rows.
    pub fn fit_records(&self, coded: RecordRows, control: &Control) -> Result<Fitted> {
        let reason = coded.reason;
        let tree = {
            let setting = self.setting_on_features(
                coded.occurring,
                (coded.copies, coded.rows),
                &coded.table.features,
            );
            on_codes(coded.table, &setting, control)?
        };
        Ok(Fitted { reason, ..self.finish_on_codes(tree, coded.schema, control)? })
    }

    /// A tree that grew on codes as a model, labelled and pruned without a look at rows.
    pub fn finish_on_codes(&self, tree: Tree, schema: Schema, control: &Control) -> Result<Fitted> {
        let model = self.labelled(tree, schema.into())?;
        let (model, account) = self.pruned(model, self.config.pruning.as_ref(), None, control)?;
        Ok(Fitted { model, account, reason: Reason::RECORDS })
    }

    /// A grown tree as a model; what errors cost decides its labels.
    fn labelled(&self, tree: Tree, schema: Arc<Schema>) -> Result<Model> {
        let mut model = self.model_of(tree, schema, self.config.parameters.clone());
        if let Some(costs) = self.costs(model.tree.classes)? {
            model.tree.relabel(&costs);
        }
        Ok(model)
    }

    /// Grow a tree of a forest on a sample, by a route that reads no codes.
    pub(super) fn grow_sample(
        &self,
        data: &Dataset,
        setting: &GrowthSetting<'_>,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Tree> {
        let (route, _) = Route::of(self, &FitShape::of_sample(data, rows, weights));
        grown(route, data, setting, rows, weights, control)
    }
}

/// Grow a tree on records of codes, which growth moves.
fn on_codes(table: BinnedTable, setting: &GrowthSetting<'_>, control: &Control) -> Result<Tree> {
    let (classes, unit) = (table.classes, table.unit);
    let (features, records) = table.into_records();
    let facts = TableFacts { features: &features, classes, unit };
    binned::grow(&facts, records, false, setting, control)
}

/// Grow a tree on rows of a data set.
fn grown(
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

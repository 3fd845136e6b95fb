//! Validates the user's parameters and builds a fit plan; the plan fits models.
//!
//! [`Config`] holds the parameters as parsed (names, strings, `None`), [`FitPlan`] what they mean
//! (objects whose options are inside their domains). The steps of a fit are files: parameters are
//! checked (`validate`), the form in which growth reads the rows is chosen ([`route`]), the data
//! set is prepared (`prepare`) or the caller's cells become records of codes (`records`), a tree
//! grows (`grow`) and is pruned (`prune`); a forest does that on samples (`forest`), rows in
//! batches come as records (`batches`).

mod batches;
mod config;
mod counted;
mod forest;
mod grow;
mod prepare;
mod prune;
mod records;
pub mod route;
mod validate;

use crate::criteria::{self, Context, Criterion, Evidence, EvidenceKind};
use crate::data::{Column, Dataset, RowSet, Schema, Weights};
use crate::error::{Error, Result};
use crate::grow::{
    Evaluation, GrowthLimits, GrowthSetting, KnownPairs, PairMemo, Thresholds,
    check as check_limits,
};
use crate::model::{LeafSmoothing, Model};
use crate::numeric::Logs;
use crate::parallel::Control;
use crate::prune::{PruneMethod, PruneRows};
use crate::split::NominalSplits;
use crate::tree::Tree;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

pub use batches::CodeFacts;
pub use config::{Config, Missing, ThresholdSearch};
pub use forest::{GrownForest, Request};
pub use grow::Fitted;
use grow::TreeRows;
use prepare::few_branches;
pub use records::{CallerRows, FitReading, RecordRows};

/// The user's parameters, checked.
#[derive(Debug)]
pub struct FitPlan {
    criterion: Box<dyn Criterion>,
    config: Config,
    limits: GrowthLimits,
}

fn unsupported<T>(what: impl Into<String>, supported: &str) -> Result<T> {
    Err(Error::Unsupported { what: what.into(), supported: supported.into() })
}

/// What fits on the same rows under several plans have in common: prepared columns, and pairs of
/// nodes.
#[derive(Debug, Default)]
pub struct Common {
    /// The pairs of the root, where the columns are taken as they are.
    root: Option<Arc<KnownPairs>>,
    /// Bytes of pairs of nodes that are kept for other plans, by preparation.
    kept: usize,
    by_preparation: HashMap<String, (Option<Dataset>, PairMemo)>,
}

impl Common {
    /// `root` is what is known of the root's pairs; up to `kept` bytes of pairs of nodes are kept
    /// for other plans, by preparation.
    pub fn new(root: Option<Arc<KnownPairs>>, kept: usize) -> Self {
        Self { root, kept, by_preparation: HashMap::new() }
    }
}

impl FitPlan {
    /// Check parameters. A user's criterion, which has no name, comes as `custom`.
    pub fn new(config: Config, custom: Option<Box<dyn Criterion>>) -> Result<Self> {
        let criterion = match custom {
            Some(c) => c,
            None => criteria::make(&config.criterion, config.criterion_options.clone())?,
        };
        let config = validate::with_splits_served(config, criterion.as_ref());
        validate::combination(&config, criterion.as_ref())?;
        validate::pruning_and_costs(&config)?;
        let no_distance_decay = validate::no_distance_decay(&config, criterion.as_ref())?;
        let limits = GrowthLimits {
            max_depth: config.max_depth.unwrap_or(usize::MAX),
            max_leaf_nodes: config.max_leaf_nodes,
            min_samples_split: config.min_samples_split,
            min_samples_leaf: config.min_samples_leaf,
            min_weight_fraction_leaf: config.min_weight_fraction_leaf,
            min_score: config.min_score,
            no_distance_decay,
            min_impurity_decrease: config.min_impurity_decrease,
            leaf_order: config.leaf_order,
        };
        check_limits(&limits)?;
        if let Some(method) = &config.discretize {
            method.check()?;
        }
        if let LeafSmoothing::MEstimate { m } = config.smoothing
            && !(m > 0.0 && m.is_finite())
        {
            return Err(Error::parameter("leaf_smoothing", m, "m must be a positive number"));
        }
        Ok(Self { criterion, config, limits })
    }

    /// The criterion.
    pub fn criterion(&self) -> &dyn Criterion {
        self.criterion.as_ref()
    }

    /// A bound on the work of one fit in cells: every level of a tree looks at every cell, and a
    /// chain has as many levels as rows (a level of some hundred rows costs no more than starting
    /// one); global growth looks at every leaf again in every step.
    pub fn work(&self, data: &Dataset) -> usize {
        self.work_on(data.len(), data.columns().len(), data.n_classes())
    }

    /// The same for so many rows, columns and classes.
    pub fn work_on(&self, n: usize, columns: usize, classes: usize) -> usize {
        let rounds = match self.config.evaluation {
            Evaluation::Local => match self.criterion.info().evidence {
                EvidenceKind::Table => n / 256,
                EvidenceKind::Pairs | EvidenceKind::Neighbours => n / 8,
                EvidenceKind::Rows => usize::MAX,
            },
            Evaluation::Global | Evaluation::Glocal => n / 8 * classes,
        };
        n.saturating_mul(columns).saturating_mul(rounds.max(1))
    }

    /// How missing values are treated.
    pub fn missing(&self) -> Missing {
        self.config.missing
    }

    /// Rows without a value go down all branches in parts: asked for, or the best that criterion
    /// and evaluation serve.
    pub fn is_fractional(&self) -> bool {
        match self.config.missing {
            Missing::Fractional => true,
            Missing::Auto => {
                self.config.evaluation == Evaluation::Local
                    && self.criterion.info().fractional
                    && self.config.cost_matrix.is_none()
            }
            _ => false,
        }
    }

    /// Thresholds are searched between bins.
    fn on_bins(&self) -> bool {
        self.config.threshold_search == ThresholdSearch::Histogram
    }

    /// A grown tree as a model.
    fn model_of(&self, tree: Tree, schema: Arc<Schema>, parameters: String) -> Model {
        Model { schema, tree, smoothing: self.config.smoothing, parameters }
    }

    /// The setting of growth for a training set.
    pub fn setting(&self, data: &Dataset, rows: &RowSet, weights: &Weights) -> GrowthSetting<'_> {
        let mut occurring = vec![false; data.n_classes()];
        for &r in rows.rows() {
            occurring[data.classes()[r as usize] as usize] = true;
        }
        let largest = match weights {
            Weights::Integer(w) => rows.rows().iter().map(|&r| u64::from(w[r as usize])).sum(),
            _ => rows.len() as u64,
        };
        let training = (self.config.thresholds == Thresholds::TrainingValue
            && !rows.is_everything())
        .then(|| rows.bits(data.len()));
        let nominal_splits = self.nominal_splits(data);
        GrowthSetting {
            training,
            nominal_splits,
            ..self.setting_of(occurring, largest, rows.len())
        }
    }

    /// The setting of growth on so many rows, which weigh `largest` together (as copies, or their
    /// number) and belong to the classes that are `occurring`.
    fn setting_of(&self, occurring: Vec<bool>, largest: u64, rows: usize) -> GrowthSetting<'_> {
        GrowthSetting {
            criterion: self.criterion.as_ref(),
            context: Context {
                logs: Logs::for_rows(largest, rows),
                classes: occurring.len(),
                occurring,
            },
            gain_filter: self.criterion.gain_filter(),
            ties: self.config.ties,
            seed: self.config.seed,
            max_features: self.config.max_features,
            splitter: self.config.splitter,
            nominal_splits: self.config.nominal_splits,
            thresholds: match self.on_bins() {
                // Of rounded numbers the lower value is the edge of a bin.
                true => Thresholds::Value,
                false => self.config.thresholds,
            },
            empty_branch: self.config.empty_branch,
            evaluation: self.config.evaluation,
            labels: self.config.labels,
            limits: self.limits.clone(),
            memo: None,
            pool: None,
            raw: None,
            fractional: self.is_fractional(),
            all_rows: largest as f64,
            training: None,
        }
    }

    /// Fit a model on some rows of a data set.
    pub fn fit(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Model> {
        Ok(self.fitted(data, rows, weights, control)?.model)
    }

    /// Whether the pairs of nodes can be shared with other plans: their counts are the evidence,
    /// and no rows are held out.
    pub fn shares_pairs(&self) -> bool {
        let Evidence::Pairs(formula) = self.criterion.evidence() else { return false };
        let counted = formula.matrices().is_none() && matches!(formula.weighed(), Ok(None));
        counted && !matches!(self.config.pruning, Some(PruneMethod::ReducedError { .. }))
    }

    /// Plans with the same text grow on the same prepared columns.
    pub fn preparation(&self) -> String {
        format!("{:?} {:?}", self.config.discretize, self.config.missing)
    }

    /// [`FitPlan::fit`], sharing with other plans on the same rows what they have in common.
    pub fn fit_beside(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        common: &mut Common,
        control: &Control,
    ) -> Result<Model> {
        if !self.shares_pairs() {
            return self.fit(data, rows, weights, control);
        }
        let shared = match common.by_preparation.entry(self.preparation()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let rows = self.training_rows(data, rows, weights)?;
                let prepared = self.prepare(data, &rows, weights, control)?;
                let root = common.root.as_ref().filter(|_| prepared.is_none());
                let memo = PairMemo::new(root, common.kept);
                free.insert((prepared, memo))
            }
        };
        let rows = self.training_rows(data, rows, weights)?;
        let prepared = shared.0.as_ref().unwrap_or(data);
        let of = TreeRows { raw: data, data: prepared, rows: &rows, all: None, weights };
        let (model, _) = self.grow_prepared(of, Some(&shared.1), control)?;
        let looked_at = PruneRows { data, rows: rows.rows(), weights };
        Ok(self.pruned(model, self.config.pruning.as_ref(), Some(&looked_at), control)?.0)
    }

    /// Rows that count: weight 0 is dropped before anything else.
    pub fn training_rows(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
    ) -> Result<RowSet> {
        let kept = match weights {
            Weights::Unit => rows.clone(),
            _ if rows.rows().iter().any(|&r| weights.is_zero(r)) => RowSet::of(
                rows.rows().iter().copied().filter(|&r| !weights.is_zero(r)).collect(),
                data.len(),
            ),
            _ => rows.clone(),
        };
        if kept.is_empty() {
            return Err(Error::Data("no training rows with a positive weight".into()));
        }
        Ok(kept)
    }

    /// How nominal features are split; what each column decides is settled here where all agree.
    pub(super) fn nominal_splits(&self, data: &Dataset) -> NominalSplits {
        let given = self.config.nominal_splits;
        let is_multiway = |column: &Column| match column {
            Column::Nominal(c) => given.of(c.levels()) == NominalSplits::Multiway,
            Column::Numeric(_) => true,
        };
        match given {
            NominalSplits::Auto if data.columns().iter().all(is_multiway) => {
                NominalSplits::Multiway
            }
            other => other,
        }
    }
}

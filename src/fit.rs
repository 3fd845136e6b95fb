//! What was typed becomes a checked plan; the plan becomes a model.
//!
//! [`Config`] is the words of the user (names, strings, `None`), [`Plan`] what they mean (objects
//! whose options are inside their domains). A combination that nobody serves is refused here, by
//! name, before any row is touched.

mod cut;
mod forest;
mod histogram;

use crate::criteria::pairs::OnPairs;
use crate::criteria::{self, Context, Criterion, Evidence, Guard, Info};
use crate::data::{Codes, Column, Dataset, Kind, MISSING, NominalColumn, RowSet, Schema, Weights};
use crate::discretize;
use crate::error::{Error, Result};
use crate::grow::{
    self, Decay, EmptyBranch, Evaluation, KnownPairs, Labels, Limits, PairMemo, Setting, Thresholds,
};
use crate::model::{Model, Smoothing};
use crate::numeric::{Logs, Ties};
use crate::parallel::Control;
use crate::prune::{self, AlphaRule, Method, Rows};
use crate::split::NominalSplits;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

pub use histogram::ThresholdSearch;

/// How a missing value is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// The best that criterion and evaluation serve.
    #[default]
    Auto,
    /// Rows in parts, as C4.5.
    Fractional,
    /// Mean or mode of the training rows.
    Mode,
    /// A branch of their own.
    Branch,
    /// Refuse them.
    Error,
}

/// The words of the user.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "the names are the public parameters and are documented there")]
pub struct Config {
    pub criterion: String,
    pub criterion_options: Map<String, Value>,
    pub evaluation: Evaluation,
    pub labels: Labels,
    pub ties: Ties,
    pub nominal_splits: NominalSplits,
    pub discretize: Option<discretize::Method>,
    pub threshold_search: ThresholdSearch,
    pub max_bins: u32,
    pub thresholds: Thresholds,
    pub max_depth: Option<usize>,
    pub max_leaf_nodes: Option<usize>,
    pub min_samples_split: usize,
    pub min_samples_leaf: usize,
    pub min_weight_fraction_leaf: f64,
    pub max_features: Option<usize>,
    pub min_score: Option<f64>,
    pub no_distance_decay: Value,
    pub empty_branch: EmptyBranch,
    pub missing: Missing,
    pub smoothing: Smoothing,
    pub pruning: Option<Method>,
    pub alpha_rule: Option<AlphaRule>,
    pub merge_redundant: Option<prune::Merge>,
    pub cost_matrix: Option<Vec<Vec<f64>>>,
    pub seed: u64,
    /// Printed into the model as it is.
    pub parameters: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            criterion: "info_gain".into(),
            criterion_options: Map::new(),
            evaluation: Evaluation::Local,
            labels: Labels::Majority,
            ties: Ties::First,
            nominal_splits: NominalSplits::Multiway,
            discretize: None,
            threshold_search: ThresholdSearch::Exact,
            max_bins: 255,
            thresholds: Thresholds::Midpoint,
            max_depth: None,
            max_leaf_nodes: None,
            min_samples_split: 2,
            min_samples_leaf: 1,
            min_weight_fraction_leaf: 0.0,
            max_features: None,
            min_score: None,
            no_distance_decay: Value::Bool(false),
            empty_branch: EmptyBranch::Parent,
            missing: Missing::Auto,
            smoothing: Smoothing::None,
            pruning: None,
            alpha_rule: None,
            merge_redundant: None,
            cost_matrix: None,
            seed: 0,
            parameters: String::new(),
        }
    }
}

impl Config {
    /// Words from JSON; an unknown key or a wrong value is refused by name.
    pub fn from_json(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|e| Error::parameter("parameters", "...", e))
    }
}

/// What the words mean.
#[derive(Debug)]
pub struct Plan {
    criterion: Box<dyn Criterion>,
    config: Config,
    limits: Limits,
}

fn unsupported<T>(what: impl Into<String>, supported: &str) -> Result<T> {
    Err(Error::Unsupported { what: what.into(), supported: supported.into() })
}

/// What global evaluation cannot serve.
fn check_evaluation(config: &Config, criterion: &dyn Criterion) -> Result<()> {
    if config.evaluation == Evaluation::Local {
        return match config.labels {
            Labels::Majority => Ok(()),
            _ => Err(Error::parameter(
                "labels",
                "'all' or 'distinct'",
                "local growth labels a leaf by its majority; labels are chosen with \
                 evaluation='global' or 'glocal'",
            )),
        };
    }
    if criterion.info().evidence != Evidence::Table {
        let name = criterion.info().name;
        return unsupported(
            format!("criterion='{name}' with evaluation='global' or 'glocal'"),
            "criteria on tables",
        );
    }
    if criterion.guard() != Guard::None || criterion.mdl_penalty() {
        return unsupported(
            "a guard or mdl_penalty=True with evaluation='global' or 'glocal' (they compare the \
             features of one leaf)",
            "guard=None, mdl_penalty=False",
        );
    }
    if config.min_score.is_some() {
        return unsupported(
            "min_score with evaluation='global' or 'glocal' (it bounds the score of a leaf's own \
             table)",
            "min_score=None; no_distance_decay, max_leaf_nodes, max_depth and min_samples_* stop \
             growth",
        );
    }
    Ok(())
}

/// What fits on the same rows under several plans have in common: prepared columns, and pairs of
/// nodes.
#[derive(Debug, Default)]
pub struct Common {
    /// The pairs of the root, where the columns are taken as they are.
    root: Option<Arc<KnownPairs>>,
    /// There is but one plan: nodes are not kept for others.
    alone: bool,
    by_preparation: HashMap<String, (Option<Dataset>, PairMemo)>,
}

impl Common {
    /// For one plan `alone` or for several; `root` is what is known of the root's pairs.
    pub fn new(root: Option<Arc<KnownPairs>>, alone: bool) -> Self {
        Self { root, alone, by_preparation: HashMap::new() }
    }
}

impl Plan {
    /// Check the words. A user's criterion, which has no name, comes as `custom`.
    pub fn new(config: Config, custom: Option<Box<dyn Criterion>>) -> Result<Self> {
        let criterion = match custom {
            Some(c) => c,
            None => criteria::make(&config.criterion, config.criterion_options.clone())?,
        };
        check_evaluation(&config, criterion.as_ref())?;
        if config.nominal_splits != NominalSplits::Multiway
            && criterion.info().evidence != Evidence::Table
        {
            let name = criterion.info().name;
            return unsupported(
                format!("nominal_splits='subset' or 'one_vs_rest' with criterion='{name}'"),
                "criteria on tables, or nominal_splits='multiway'",
            );
        }
        histogram::check(&config, criterion.as_ref())?;
        let divides = config.evaluation == Evaluation::Local && criterion.info().fractional;
        if config.missing == Missing::Fractional && !divides {
            let what = match config.evaluation {
                Evaluation::Local => format!("criterion='{}'", criterion.info().name),
                _ => "evaluation='global' or 'glocal'".into(),
            };
            return unsupported(
                format!("missing='fractional' with {what}"),
                "'auto', 'branch', 'mode', 'error'; rows in parts are for evaluation='local' and \
                 the criteria info_gain, \
                 gain_ratio and gini",
            );
        }
        if criterion.mdl_penalty() && config.missing == Missing::Branch {
            return unsupported(
                "missing='branch' with mdl_penalty=True (C4.5 scores a split on the rows whose \
                 value is known)",
                "'auto', 'fractional', 'mode', 'error'",
            );
        }
        if criterion.mdl_penalty()
            && (config.nominal_splits == NominalSplits::Subset
                || (config.nominal_splits == NominalSplits::OneVsRest
                    && config.discretize.is_some()))
        {
            return unsupported(
                "nominal_splits='subset', or 'one_vs_rest' of binned numbers, with \
                 mdl_penalty=True",
                "nominal_splits='multiway', or 'one_vs_rest' of nominal features",
            );
        }
        if criterion.mdl_penalty() && config.ties != Ties::First {
            return unsupported(
                "ties other than 'first' with mdl_penalty=True (the first of nearly equal \
                 candidates stays)",
                "ties='first'",
            );
        }
        if let Some(method) = &config.pruning {
            method.check()?;
        }
        cut::check(&config)?;
        let no_distance_decay = match &config.no_distance_decay {
            Value::Bool(false) | Value::Null => Decay::Ignore,
            Value::Bool(true) => Decay::Stop,
            Value::String(s) if s == "strict" => Decay::Strict,
            other => {
                return Err(Error::parameter(
                    "no_distance_decay",
                    other,
                    "must be False, True or 'strict'",
                ));
            }
        };
        if criterion.on_rows().is_some() && no_distance_decay != Decay::Ignore {
            let name = criterion.info().name;
            return unsupported(
                format!("no_distance_decay with criterion='{name}'"),
                "no_distance_decay=False",
            );
        }
        let limits = Limits {
            max_depth: config.max_depth.unwrap_or(usize::MAX),
            max_leaf_nodes: config.max_leaf_nodes,
            min_samples_split: config.min_samples_split,
            min_samples_leaf: config.min_samples_leaf,
            min_weight_fraction_leaf: config.min_weight_fraction_leaf,
            min_score: config.min_score,
            no_distance_decay,
        };
        grow::check(&limits)?;
        if let Some(method) = &config.discretize {
            method.check()?;
        }
        if let Smoothing::MEstimate { m } = config.smoothing
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
        let n = data.len();
        let rounds = match self.config.evaluation {
            Evaluation::Local if self.criterion.on_rows().is_some() => usize::MAX,
            Evaluation::Local if self.criterion.info().evidence != Evidence::Table => n / 8,
            Evaluation::Local => n / 256,
            Evaluation::Global | Evaluation::Glocal => n / 8 * data.n_classes(),
        };
        n.saturating_mul(data.columns().len()).saturating_mul(rounds.max(1))
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

    /// The setting of growth for a training set.
    pub fn setting(&self, data: &Dataset, rows: &RowSet, weights: &Weights) -> Setting<'_> {
        let mut occurring = vec![false; data.n_classes()];
        for &r in rows.rows() {
            occurring[data.classes()[r as usize] as usize] = true;
        }
        let largest = match weights {
            Weights::Integer(w) => rows.rows().iter().map(|&r| u64::from(w[r as usize])).sum(),
            _ => rows.len() as u64,
        };
        Setting {
            criterion: self.criterion.as_ref(),
            context: Context { logs: Logs::up_to(largest), classes: data.n_classes(), occurring },
            guard: self.criterion.guard(),
            ties: self.config.ties,
            seed: self.config.seed,
            max_features: self.config.max_features,
            nominal_splits: self.config.nominal_splits,
            thresholds: histogram::thresholds(&self.config),
            empty_branch: self.config.empty_branch,
            evaluation: self.config.evaluation,
            labels: self.config.labels,
            limits: self.limits.clone(),
            memo: None,
            stash: None,
            raw: None,
            fractional: self.is_fractional(),
            all_rows: largest as f64,
            training: (self.config.thresholds == Thresholds::TrainingValue
                && !rows.is_everything())
            .then(|| rows.bits(data.len())),
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
        Ok(self.fit_and_tell(data, rows, weights, control)?.0)
    }

    /// Whether the pairs of nodes can be shared with other plans: their counts are the evidence,
    /// and no rows are held out.
    pub fn shares_pairs(&self) -> bool {
        let counted = |m: &dyn OnPairs| m.matrices().is_none() && matches!(m.weighed(), Ok(None));
        let on_pairs = self.criterion.on_pairs().is_some_and(counted);
        on_pairs && !matches!(self.config.pruning, Some(Method::ReducedError { .. }))
    }

    /// [`Plan::fit`], sharing with other plans on the same rows what they have in common.
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
        let preparation = format!("{:?} {:?}", self.config.discretize, self.config.missing);
        let shared = match common.by_preparation.entry(preparation) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let rows = self.training_rows(data, rows, weights)?;
                let prepared = self.prepare(data, &rows, weights, control)?;
                let root = common.root.as_ref().filter(|_| prepared.is_none());
                let memo = PairMemo::new(root, !common.alone);
                free.insert((prepared, memo))
            }
        };
        let rows = self.training_rows(data, rows, weights)?;
        let prepared = shared.0.as_ref().unwrap_or(data);
        let model =
            self.grow_prepared((data, prepared), &rows, None, weights, Some(&shared.1), control)?;
        let looked_at = Rows { data, rows: rows.rows(), weights };
        Ok(self.cut_back(model, self.config.pruning.as_ref(), Some(&looked_at), control)?.0)
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

    /// The data set as growth shall see it: imputed and binned on the training rows; nothing when
    /// it can be used as it is.
    pub fn prepare(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Option<Dataset>> {
        let bin = histogram::method(&self.config).or(self.config.discretize);
        if bin.is_none()
            && matches!(self.criterion.info().evidence, Evidence::Pairs | Evidence::Neighbours)
        {
            refuse_numeric(data, self.criterion.info())?;
        }
        self.with_bins(data, rows, weights, bin.as_ref(), control)
    }

    /// The same with numbers as numbers.
    pub fn imputed(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Option<Dataset>> {
        self.with_bins(data, rows, weights, None, control)
    }

    fn with_bins(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        bin: Option<&discretize::Method>,
        control: &Control,
    ) -> Result<Option<Dataset>> {
        if self.config.missing == Missing::Error {
            refuse_missing(data, rows)?;
        }
        let impute =
            self.config.missing == Missing::Mode && data.columns().iter().any(|c| n_missing(c) > 0);
        let numeric = data.columns().iter().any(|c| matches!(c, Column::Numeric(_)));
        let bin = bin.filter(|_| numeric);
        if !impute && bin.is_none() {
            return Ok(None);
        }
        let mut schema: Schema = data.schema().clone();
        let columns = data
            .columns()
            .iter()
            .zip(&mut schema.features)
            .map(|(column, feature)| {
                control.check()?;
                match (column, &mut feature.kind) {
                    (Column::Numeric(c), Kind::Numeric { cuts, fill }) => {
                        let mut column = None;
                        if impute && c.n_missing() > 0 {
                            *fill = discretize::mean(c, rows, weights);
                            column = fill.map(|mean| c.filled(mean));
                        }
                        let c = column.unwrap_or_else(|| c.clone());
                        let Some(method) = bin else { return Ok(Column::Numeric(c)) };
                        let bins = discretize::fit(
                            method,
                            &c,
                            data.classes(),
                            data.n_classes(),
                            rows,
                            weights,
                        )?;
                        *cuts = Some(bins.cuts().to_vec());
                        if self.config.threshold_search == ThresholdSearch::Histogram {
                            return Ok(Column::Numeric(histogram::edges(&c, &bins)));
                        }
                        let codes = c
                            .values()
                            .iter()
                            .map(|&v| if v.is_nan() { MISSING } else { bins.bin(v) });
                        Ok(Column::Nominal(NominalColumn::new(bins.len(), codes)))
                    }
                    (Column::Nominal(c), Kind::Nominal { fill, .. })
                        if impute && c.n_missing() > 0 =>
                    {
                        let mode = discretize::mode(c, rows, weights);
                        *fill = mode;
                        let codes = (0..c.len() as u32).map(|r| match (c.code(r), mode) {
                            (MISSING, Some(m)) => m,
                            (code, _) => code,
                        });
                        Ok(Column::Nominal(NominalColumn::new(c.levels(), codes)))
                    }
                    (Column::Nominal(c), _) => Ok(Column::Nominal(c.clone())),
                    (Column::Numeric(c), _) => Ok(Column::Numeric(c.clone())),
                }
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Some(data.with_columns(schema, columns)))
    }
}

/// Pairs are counted over nominal columns, and what neighbours score is split by values.
fn refuse_numeric(data: &Dataset, criterion: &Info) -> Result<()> {
    let (name, evidence) = (criterion.name, criterion.evidence);
    let does = if evidence == Evidence::Pairs { "counts pairs of rows over" } else { "splits" };
    for (column, feature) in data.columns().iter().zip(&data.schema().features) {
        if matches!(column, Column::Numeric(_)) {
            return Err(Error::Data(format!(
                "column '{}' is numeric and is not binned: criterion='{name}' {does} nominal \
                 columns; choose \
                 discretize='auto' (ten equal-width bins) or another discretisation",
                feature.name
            )));
        }
    }
    Ok(())
}

/// Branches of a split, the one of missing values included, are numbered in 16 bits.
fn few_branches(data: &Dataset) -> Result<()> {
    for (column, feature) in data.columns().iter().zip(&data.schema().features) {
        if let Column::Nominal(c) = column {
            let branches = c.levels() + usize::from(c.n_missing() > 0);
            if branches > 1 << 16 {
                return Err(Error::Data(format!(
                    "column '{}' would have {branches} branches (its levels or bins, and one for \
                     missing values), at \
                     most 65,536 are supported: drop an identifier, use fewer bins, or choose \
                     missing='mode'",
                    feature.name
                )));
            }
        }
    }
    Ok(())
}

fn n_missing(column: &Column) -> usize {
    match column {
        Column::Numeric(c) => c.n_missing(),
        Column::Nominal(c) => c.n_missing(),
    }
}

fn refuse_missing(data: &Dataset, rows: &RowSet) -> Result<()> {
    for (column, feature) in data.columns().iter().zip(&data.schema().features) {
        let is_missing = |r: u32| match column {
            Column::Numeric(c) => c.value(r).is_nan(),
            Column::Nominal(c) => match c.codes() {
                Codes::Narrow(v) => v[r as usize] == u8::MAX,
                Codes::Wide(v) => v[r as usize] == MISSING,
            },
        };
        if n_missing(column) > 0 {
            let found = rows
                .rows()
                .iter()
                .filter(|&&r| is_missing(r))
                .map(|&r| data.original()[r as usize])
                .min();
            if let Some(row) = found {
                return Err(Error::Data(format!(
                    "Input X contains NaN: column '{}', row {row} is missing, and missing='error'; \
                     impute it, or choose missing='mode' or 'branch'",
                    feature.name
                )));
            }
        }
    }
    Ok(())
}

//! [`FitPlan`]: the user's parameters after validation, and the settings that the steps of a fit
//! derive from them.
//!
//! [`FitPlan::new`] refuses combinations that are not supported by name, before any row is read
//! ([`validate`]). The other files of this module add a step of the fit each as methods. The route
//! of growth is no part of the plan, as it depends on the rows too ([`super::route`]).

use super::config::{Config, Missing, ThresholdSearch};
use super::validate;
use crate::bins::FeatureBins;
use crate::criteria::{Context, Criterion, EvidenceKind, SplitRule};
use crate::data::{Column, Dataset, RowSet, Schema, Target, TargetGrid, Weights};
use crate::error::{Error, Result};
use crate::grow::{Evaluation, GrowthLimits, GrowthSetting, Thresholds, check as check_limits};
use crate::model::{LeafSmoothing, Model};
use crate::numeric::Logs;
use crate::prune::PruneMethod;
use crate::split::NominalSplits;
use crate::split::significance::Significance;
use crate::tree::Tree;
use std::sync::Arc;

/// Rows of a chain for each full pass over the data: a chain has as many levels as rows, but a
/// level of so few rows costs no more than starting one.
const ROWS_PER_LEVEL: usize = 256;

/// Rows for each full pass over the data where the work grows with the square of the rows: with
/// pairs and neighbours of rows, and in global growth. A rough figure, as it decides only whether a
/// job is long enough for a thread of its own.
const ROWS_PER_PASS: usize = 8;

/// The user's parameters, checked.
#[derive(Debug)]
pub struct FitPlan {
    pub(super) criterion: Box<dyn Criterion>,
    pub(super) config: Config,
    limits: GrowthLimits,
    /// The parameters that decide the growth of a tree on some rows, as a text ([`growth_key`]);
    /// `None` for a user's criterion, and where more than the growth of one tree comes before
    /// pruning.
    growth_key: Option<String>,
    /// The rule of significance, where it chooses the features.
    pub(super) significance: Option<Significance>,
}

impl FitPlan {
    /// Check parameters. `custom` is a user's criterion, which replaces `config.criterion`.
    ///
    /// # Errors
    /// [`Error::Parameter`] or an unsupported combination, by the names of the parameters.
    pub fn new(config: Config, custom: Option<Box<dyn Criterion>>) -> Result<Self> {
        let growth_key = growth_key(&config).filter(|_| custom.is_none());
        let named = custom.map_or_else(|| config.criterion(), Ok)?;
        let significance = validate::significance(&config, named.as_ref())?;
        let criterion = config.split_criterion(named)?;
        let mut config = validate::with_supported_splits(config, criterion.as_ref());
        validate::combination(&config, criterion.as_ref())?;
        validate::pruning_and_costs(&config)?;
        let mut limits = limits_of(&config, criterion.as_ref())?;
        if significance.is_some() {
            limits.min_samples_leaf = 1; // the least weight of a branch takes the place of its rows
        }
        // A raised branch would leave the side that it was grown for.
        if limits.are_monotonic()
            && let Some(PruneMethod::ErrorBased(method)) = &mut config.pruning
        {
            method.subtree_raising = false;
        }
        if let Some(method) = &config.discretize {
            method.check()?;
        }
        if let LeafSmoothing::MEstimate { m } = config.smoothing
            && !(m > 0.0 && m.is_finite())
        {
            return Err(Error::parameter("leaf_smoothing", m, "m must be a positive number"));
        }
        Ok(Self { criterion, config, limits, growth_key, significance })
    }

    /// Whether another plan grows the same trees on the same rows, and prunes them differently.
    /// Cross-validation then grows the tree once and prunes it for each plan. It is never true of
    /// plans with a user's criterion, nor where rows are held out or the penalty is chosen by
    /// cross-validation.
    pub fn grows_as(&self, other: &Self) -> bool {
        self.growth_key.is_some() && self.growth_key == other.growth_key
    }

    /// The criterion. It scores the splits. Where features are chosen by significance, it may be
    /// the measure that stands for the statistic of the cut instead of the criterion that the
    /// parameters name.
    pub fn criterion(&self) -> &dyn Criterion {
        self.criterion.as_ref()
    }

    /// An upper bound on the work of one fit, in cells read; see [`FitPlan::work_on`].
    pub fn work(&self, data: &Dataset) -> usize {
        self.work_on(data.len(), data.columns().len(), data.n_classes())
    }

    /// An upper bound on the work of one fit on `n_rows` rows, in cells read. Every level of a tree
    /// reads every cell, and a chain has as many levels as rows (a level of some hundred rows costs
    /// no more than starting one); global growth reads every leaf again in every step.
    pub fn work_on(&self, n_rows: usize, columns: usize, classes: usize) -> usize {
        let rounds = match self.config.evaluation {
            Evaluation::Local => match self.criterion.info().evidence {
                EvidenceKind::Table | EvidenceKind::Moments | EvidenceKind::Order => {
                    n_rows / ROWS_PER_LEVEL
                }
                EvidenceKind::Pairs | EvidenceKind::Neighbours => n_rows / ROWS_PER_PASS,
                EvidenceKind::Rows => usize::MAX,
            },
            Evaluation::Global | Evaluation::Glocal => n_rows / ROWS_PER_PASS * classes,
        };
        n_rows.saturating_mul(columns).saturating_mul(rounds.max(1))
    }

    /// Limits on the size of a tree. They are derived from the parameters, and checked, when the
    /// plan is made.
    pub fn limits(&self) -> &GrowthLimits {
        &self.limits
    }

    /// How missing values are treated. This is the parameter as it was given: `Auto` is not
    /// resolved. [`Self::is_fractional`] and [`Self::leaves_out`] say what growth does.
    pub fn missing(&self) -> Missing {
        self.config.missing
    }

    /// Whether rows without a value are divided among all branches. With `missing='auto'` the
    /// criterion and other parameters decide, never the data.
    pub fn is_fractional(&self) -> bool {
        self.config.divides(self.criterion.info())
    }

    /// Whether rows without a value are left out of the search for a split, and join its heaviest
    /// branch. Only the choice of features by significance has this rule; scores of such a feature
    /// are not scaled by its share of known values.
    pub fn leaves_out(&self) -> bool {
        self.significance.is_some_and(|rule| rule.leaves_out)
    }

    /// Whether thresholds are searched between bins. A forest with an automatic search must be
    /// settled first ([`Self::settle_search`]).
    pub(super) fn searches_bins(&self) -> bool {
        self.config.threshold_search == ThresholdSearch::Histogram
    }

    /// A grown tree as a model. Its labels are the labels of growth. Where rows without a value are
    /// divided, all of its nodes divide them.
    pub(super) fn model_of(
        &self,
        mut tree: Tree,
        schema: Arc<Schema>,
        parameters: String,
    ) -> Model {
        if self.is_fractional() {
            tree.divide_missing();
        }
        Model { schema, tree, smoothing: self.config.smoothing, parameters }
    }

    /// The setting of growth for a training set. `rows` must have positive weights. The setting
    /// borrows the plan. O(rows), and tables of logarithms up to the number of rows if the
    /// criterion reads them.
    pub fn setting(&self, data: &Dataset, rows: &RowSet, weights: &Weights) -> GrowthSetting<'_> {
        let mut occurring = vec![false; data.n_classes()];
        for r in rows.iter() {
            occurring[data.classes()[r as usize] as usize] = true;
        }
        let total_copies = match weights {
            Weights::Integer(w) => rows.rows().iter().map(|&r| u64::from(w[r as usize])).sum(),
            _ => rows.len() as u64,
        };
        let training_bits = (self.config.thresholds == Thresholds::TrainingValue
            && !rows.is_everything())
        .then(|| rows.bits(data.len()));
        let nominal_splits = self.nominal_splits(data);
        let mut setting = GrowthSetting {
            training_bits,
            nominal_splits,
            ..self.common_setting(occurring, total_copies, rows.len(), data.columns().len())
        };
        setting.context.grid = data.target().map(Target::grid);
        setting
    }

    /// What the settings of growth on data sets and on records have in common. `n_rows` rows, which
    /// are `total_copies` copies (or their number), belong to the classes that are `occurring` and
    /// have `n_features` features.
    fn common_setting(
        &self,
        occurring: Vec<bool>,
        total_copies: u64,
        n_rows: usize,
        n_features: usize,
    ) -> GrowthSetting<'_> {
        let largest_logged_count = if self.criterion.reads_logs() { total_copies } else { 0 };
        GrowthSetting {
            criterion: self.criterion.as_ref(),
            context: Context {
                logs: Logs::for_rows(largest_logged_count, n_rows),
                classes: occurring.len(),
                occurring,
                grid: None,
            },
            gain_filter: self.criterion.gain_filter(),
            significance: self.significance,
            ties: self.config.ties,
            seed: self.config.seed,
            max_features: self.config.drawn_features(n_features),
            sorts_in_nodes: self.sorts_in_nodes(n_features),
            splitter: self.config.splitter,
            nominal_splits: self.config.nominal_splits,
            thresholds: if self.searches_bins() {
                // Rounded numbers: the value just left of a cut is the edge of a bin.
                Thresholds::Value
            } else {
                self.config.thresholds
            },
            empty_branch: self.config.empty_branch,
            evaluation: self.config.evaluation,
            labels: self.config.labels,
            limits: self.limits.clone(),
            memo: None,
            unbinned_data: None,
            training_copies: total_copies as f64,
            training_bits: None,
        }
    }

    /// The setting of growth on records of `rows` rows, whose copies add up to `copies`. It is the
    /// counterpart of [`Self::setting`] where no data set exists.
    pub(super) fn setting_on_features(
        &self,
        occurring: Vec<bool>,
        copies: u64,
        rows: usize,
        features: &[FeatureBins],
        grid: Option<TargetGrid>,
    ) -> GrowthSetting<'_> {
        let levels = features.iter().filter(|f| f.is_nominal()).map(|f| f.n_codes as usize);
        let nominal_splits = self.splits_of(levels);
        let mut setting = GrowthSetting {
            nominal_splits,
            ..self.common_setting(occurring, copies, rows, features.len())
        };
        setting.context.grid = grid;
        setting
    }

    /// Whether a tree stays as it was grown: nothing is pruned or merged.
    pub(super) fn is_final(&self) -> bool {
        let collapse = self.criterion.split_rule() == SplitRule::C45;
        self.config.pruning.is_none() && self.config.merge_redundant.is_none() && !collapse
    }

    /// The rows with a positive weight; the others are dropped before anything else.
    ///
    /// # Errors
    /// Returns an error for a target that the plan does not support, or if no row is left.
    pub fn training_rows(
        &self,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
    ) -> Result<RowSet> {
        validate::target(&self.config, self.criterion.as_ref(), data)?;
        let weighing = match weights {
            Weights::Unit => rows.clone(),
            _ if rows.rows().iter().any(|&r| weights.is_zero(r)) => RowSet::new(
                rows.rows().iter().copied().filter(|&r| !weights.is_zero(r)).collect(),
                data.len(),
            ),
            _ => rows.clone(),
        };
        if weighing.is_empty() {
            return Err(Error::Data("no training rows with a positive weight".into()));
        }
        Ok(weighing)
    }

    /// How nominal features are split. `Auto` is settled for the whole data set, so routes can rely
    /// on multiway splits if no column has subsets.
    pub(super) fn nominal_splits(&self, data: &Dataset) -> NominalSplits {
        self.splits_of(data.columns().iter().filter_map(|column| match column {
            Column::Nominal(c) => Some(c.levels()),
            Column::Numeric(_) => None,
        }))
    }

    /// How features with these numbers of levels are split. `Auto` becomes `Multiway` where it
    /// means that for all of them.
    fn splits_of(&self, mut levels: impl Iterator<Item = usize>) -> NominalSplits {
        match self.config.nominal_splits {
            NominalSplits::Auto
                if levels.all(|n| NominalSplits::Auto.resolve(n) == NominalSplits::Multiway) =>
            {
                NominalSplits::Multiway
            }
            given => given,
        }
    }
}

/// The limits of growth, checked.
fn limits_of(config: &Config, criterion: &dyn Criterion) -> Result<GrowthLimits> {
    let limits = GrowthLimits {
        max_depth: config.max_depth.unwrap_or(usize::MAX),
        max_leaf_nodes: config.max_leaf_nodes,
        min_samples_split: config.min_samples_split,
        min_samples_leaf: config.min_samples_leaf,
        min_weight_fraction_leaf: config.min_weight_fraction_leaf,
        min_score: config.min_score,
        needs_gain: config.min_score.is_none() && criterion.info().stops_without_gain,
        on_distance_rise: validate::no_distance_decay(config, criterion)?,
        min_impurity_decrease: config.min_impurity_decrease,
        leaf_order: config.leaf_order,
        constraints: validate::constraints(config, criterion)?.map(Arc::new),
    };
    check_limits(&limits)?;
    Ok(limits)
}

/// A key of all parameters except pruning: plans with equal keys grow equal trees. `None` where
/// rows are held out (for pruning or for honest leaves), or where the penalty is chosen by
/// cross-validation.
fn growth_key(config: &Config) -> Option<String> {
    let holds_out = matches!(config.pruning, Some(PruneMethod::ReducedError { .. }));
    if holds_out || config.alpha_rule.is_some() || config.honest.is_some() {
        return None;
    }
    // `Debug` writes every parameter with all of its digits, so equal texts are equal parameters,
    // and no type of a parameter needs an equality of its own.
    let grown = Config { pruning: None, parameters: String::new(), ..config.clone() };
    Some(format!("{grown:?}"))
}

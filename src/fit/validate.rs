//! Validation of the user's parameters, before any row is read.
//!
//! A combination that is not supported is refused by an error that names the parameters and says
//! which values are supported. Each function checks the combinations that one parameter excludes;
//! [`super::FitPlan::new`] calls them.

use super::config::{Config, Missing, ThresholdSearch};
use crate::criteria::{CRITERIA, Criterion, EvidenceKind, GainFilter, SplitRule, TargetKind};
use crate::data::{Column, Dataset, Kind};
use crate::discretize;
use crate::error::{Error, Result, unsupported};
use crate::grow::{Constraints, Evaluation, LeafLabels, OnRise, Thresholds};
use crate::model::LeafSmoothing;
use crate::numeric::Ties;
use crate::prune::PruneMethod;
use crate::split::NominalSplits;
use crate::split::significance::Significance;
use crate::stats::inference::{FeatureTestKind, LevelMerging};
use serde_json::Value;

/// Most levels of a nominal column that are compared in pairs for merging.
const MOST_MERGED: usize = 1000;

/// The configuration with `nominal_splits='auto'` settled as multiway for criteria that support no
/// other splits, and for merged levels. Other values of the parameter stay, and [`combination`]
/// refuses them if the criterion does not support them.
pub(super) fn with_supported_splits(mut config: Config, criterion: &dyn Criterion) -> Config {
    if config.nominal_splits == NominalSplits::Auto
        && (!criterion.info().evidence.is_of_branches()
            || criterion.split_rule() == SplitRule::C45
            || config.merging().is_some())
    {
        config.nominal_splits = NominalSplits::Multiway;
    }
    config
}

/// Refuse a target that the plan does not support: a number where classes are read, or the other
/// way round, and numbers outside the domain of the criterion.
pub(super) fn target(config: &Config, criterion: &dyn Criterion, data: &Dataset) -> Result<()> {
    let is_on_number = criterion.info().is_on_number();
    // The criterion that was given, which the statistic of a cut may stand for.
    let name =
        if config.significance.is_some() { &config.criterion } else { criterion.info().name };
    let served = if data.target().is_some() { TargetKind::Number } else { TargetKind::Classes };
    if let Some(method) = &config.pruning {
        method.check_target(served)?;
    }
    constrained_columns(config, data)?;
    if config.merging().is_some() {
        merged_columns(config, data)?;
    }
    let Some(target) = data.target() else {
        return match is_on_number {
            false => Ok(()),
            true => unsupported(
                format!("criterion='{name}' with a target of classes"),
                "criteria on classes; for a number FastTreeRegressor (task: regression)",
            ),
        };
    };
    let refuse = |what: String, supported: &str| {
        unsupported(format!("{what} with a numeric target"), supported)
    };
    if config.target_bins.is_some() {
        if is_on_number {
            return unsupported(
                format!("criterion='{name}' with target_bins (it reads the numbers)"),
                "target_bins=None, or a criterion on classes",
            );
        }
    } else if !is_on_number && !criterion.needs_all_candidates() {
        return refuse(format!("criterion='{name}'"), &numeric());
    }
    if config.evaluation != Evaluation::Local {
        return refuse("evaluation='global' or 'glocal'".into(), "evaluation='local'");
    }
    if config.cost_matrix.is_some() || config.class_weight.is_some() || config.balanced_samples {
        return refuse("cost_matrix or class_weight".into(), "sample_weight");
    }
    if config.smoothing != LeafSmoothing::None {
        return refuse("leaf_smoothing".into(), "leaf_smoothing=None");
    }
    if let Some(PruneMethod::CostComplexity(method)) = &config.pruning
        && !method.impurity.is_of_number()
    {
        return refuse("impurity='gini', 'entropy' or 'error'".into(), "impurity='auto'");
    }
    if config.merge_redundant.is_some() {
        return refuse("merge_redundant".into(), "merge_redundant=None");
    }
    let numbers = data.original().iter().zip(0..).map(|(&row, i)| (row as usize, target.value(i)));
    criterion.admit_target(&data.schema().target, &mut { numbers })
}

/// Names of the criteria on a numeric target.
fn numeric() -> String {
    let on_numbers = CRITERIA.iter().filter(|entry| entry.info.is_on_number());
    let names: Vec<&str> = on_numbers.map(|entry| entry.info.name).collect();
    format!("{}, or target_bins, which makes classes of the numbers", names.join(", "))
}

/// Refuse parameters that criterion and evaluation do not support. The error names the parameters
/// and says which values are supported instead.
pub(super) fn combination(config: &Config, criterion: &dyn Criterion) -> Result<()> {
    evaluation(config, criterion)?;
    let evidence = criterion.info().evidence;
    if config.nominal_splits != NominalSplits::Multiway && !evidence.is_of_branches() {
        let name = criterion.info().name;
        return unsupported(
            format!("nominal_splits='subset' or 'one_vs_rest' with criterion='{name}'"),
            "criteria on tables, or nominal_splits='multiway'",
        );
    }
    if !config.splitter.is_exhaustive() {
        one_split(config, criterion)?;
    }
    if config.threshold_search == ThresholdSearch::Histogram {
        histogram(config, criterion)?;
    }
    let divides = config.evaluation == Evaluation::Local && criterion.info().fractional;
    if config.missing == Missing::Fractional && !divides {
        let what = match config.evaluation {
            Evaluation::Local => format!("criterion='{}'", criterion.info().name),
            _ => "evaluation='global' or 'glocal'".into(),
        };
        return unsupported(
            format!("missing='fractional' with {what}"),
            format!(
                "'auto', 'branch', 'mode', 'error'; rows are divided with evaluation='local' and \
                 the criteria {}",
                fractional()
            ),
        );
    }
    c45(config, criterion)
}

/// Names of the criteria that support rows divided among branches.
fn fractional() -> String {
    let names: Vec<_> =
        CRITERIA.iter().filter(|e| e.info.fractional).map(|e| e.info.name).collect();
    match names.split_last() {
        Some((last, [_, ..])) => format!("{} and {last}", names[..names.len() - 1].join(", ")),
        _ => names.concat(),
    }
}

/// Refuse parameters that a splitter with one split per feature does not support.
fn one_split(config: &Config, criterion: &dyn Criterion) -> Result<()> {
    let what = if config.evaluation != Evaluation::Local {
        "evaluation='global' or 'glocal'".into()
    } else if !criterion.info().evidence.is_table() {
        format!("criterion='{}'", criterion.info().name)
    } else if criterion.split_rule() == SplitRule::C45 {
        "mdl_penalty=True".into()
    } else {
        return Ok(());
    };
    unsupported(
        format!("splitter='{}' with {what}", config.splitter.name()),
        "splitter='best', or local evaluation of a criterion on tables",
    )
}

/// Refuse parameters that histograms do not support. Forests with an automatic search ask it, too,
/// and search exactly where it fails.
pub(super) fn histogram(config: &Config, criterion: &dyn Criterion) -> Result<()> {
    if !(2..=discretize::LARGEST_BINS).contains(&config.max_bins) {
        let needed = format!("must be between 2 and {}", discretize::LARGEST_BINS);
        return Err(Error::parameter("max_bins", config.max_bins, needed));
    }
    let refused = if config.discretize.is_some() {
        "discretize or a criterion that bins numbers (which are then levels, without thresholds)"
    } else if criterion.info().evidence == EvidenceKind::Order {
        "a criterion on the order of a number (the sums of a bin do not tell the order in it)"
    } else if !criterion.info().evidence.is_table() {
        "a criterion on pairs or neighbours of rows"
    } else if criterion.split_rule() == SplitRule::C45 {
        "mdl_penalty=True (C4.5 counts the boundaries between all values)"
    } else if config.thresholds != Thresholds::Midpoint {
        "thresholds='value' or 'training_value' (cuts lie midway between two bins)"
    } else {
        return Ok(());
    };
    unsupported(format!("threshold_search='histogram' with {refused}"), "threshold_search='exact'")
}

/// The rule of significance, if features are chosen by it.
///
/// # Errors
/// [`Error::Unsupported`] for parameters that need the scores of all features, [`Error::Parameter`]
/// for numbers outside their domain.
pub(super) fn significance(
    config: &Config,
    criterion: &dyn Criterion,
) -> Result<Option<Significance>> {
    let Some(rule) = config.significance else { return Ok(None) };
    let most = rule.merging.map(|merging| merging.alpha_merge);
    for (name, value) in [("alpha", Some(rule.alpha)), ("alpha_merge", most)] {
        if let Some(value) = value.filter(|value| !(*value > 0.0 && *value < 1.0)) {
            return Err(Error::parameter(name, value, "must lie between 0 and 1"));
        }
    }
    if let Some(LevelMerging { alpha_merge, alpha_split: Some(value) }) = rule.merging
        && !(value > 0.0 && value <= alpha_merge)
    {
        let domain = format!(
            "must lie above 0 and be at most alpha_merge={alpha_merge}: levels that are merged \
             again would be divided again"
        );
        return Err(Error::parameter("alpha_split", value, domain));
    }
    let merges = rule.merging.is_some();
    let refused = if config.evaluation != Evaluation::Local {
        ("evaluation='global' or 'glocal'", "evaluation='local'")
    } else if config.max_features.is_some() {
        ("max_features", "max_features=None")
    } else if config.threshold_search == ThresholdSearch::Histogram {
        ("threshold_search='histogram'", "threshold_search='exact'")
    } else if config.missing == Missing::Fractional {
        ("missing='fractional'", "missing='auto', 'branch', 'mode' or 'error'")
    } else if criterion.split_rule() == SplitRule::C45 {
        ("mdl_penalty=True", "mdl_penalty=False")
    } else if rule.cut.is_some() && criterion.info().evidence == EvidenceKind::Order {
        ("cut='statistic' and a criterion whose leaves predict quantiles", "cut='criterion'")
    } else if merges && criterion.info().is_on_number() {
        ("merge_levels=True and a numeric target", "merge_levels=False, or target_bins")
    } else if merges && rule.test != FeatureTestKind::Quadratic {
        ("merge_levels=True and test='maximum' or 'permutation'", "test='quadratic'")
    } else if merges && rule.cut.is_none() {
        ("merge_levels=True and cut='criterion' (the groups are the split)", "cut='statistic'")
    } else if merges
        && matches!(config.nominal_splits, NominalSplits::Subset | NominalSplits::OneVsRest)
    {
        (
            "merge_levels=True and nominal_splits='subset' or 'one_vs_rest'",
            "nominal_splits='multiway' or 'auto'",
        )
    } else {
        return Ok(Some(Significance {
            least: config.min_samples_leaf as f64,
            leaves_out: config.missing == Missing::Auto && !merges,
            ..rule
        }));
    };
    unsupported(format!("selection='significance' with {}", refused.0), refused.1)
}

/// Refuse pruning options outside their domains, and parameters that a cost matrix does not
/// support. The matrix itself is checked later, when the number of classes is known.
pub(super) fn pruning_and_costs(config: &Config) -> Result<()> {
    if let Some(rule) = config.alpha_rule.filter(|rule| rule.folds < 2) {
        return Err(Error::parameter("folds", rule.folds, "must be at least 2"));
    }
    if let Some(method) = &config.pruning {
        method.check()?;
    }
    if config.cost_matrix.is_none() {
        return Ok(());
    }
    if let Some(method) = &config.pruning {
        method.check_costs()?;
    }
    if config.evaluation != Evaluation::Local {
        return unsupported(
            "cost_matrix with evaluation='global' or 'glocal' (growth chooses the labels)",
            "evaluation='local', or class_weight and priors",
        );
    }
    if config.missing == Missing::Fractional {
        return unsupported(
            "cost_matrix with missing='fractional'",
            "missing='branch', 'mode', 'error'",
        );
    }
    Ok(())
}

/// Refuse parameters that C4.5's rule for candidates does not support.
fn c45(config: &Config, criterion: &dyn Criterion) -> Result<()> {
    if criterion.split_rule() != SplitRule::C45 {
        return Ok(());
    }
    if config.missing == Missing::Branch {
        return unsupported(
            "missing='branch' with mdl_penalty=True (C4.5 scores a split on the rows whose \
             value is known)",
            "'auto', 'fractional', 'mode', 'error'",
        );
    }
    if config.nominal_splits == NominalSplits::Subset
        || (config.nominal_splits == NominalSplits::OneVsRest && config.discretize.is_some())
    {
        return unsupported(
            "nominal_splits='subset', or 'one_vs_rest' of binned numbers, with mdl_penalty=True",
            "nominal_splits='multiway', or 'one_vs_rest' of nominal features",
        );
    }
    if config.ties != Ties::First {
        return unsupported(
            "ties other than 'first' with mdl_penalty=True (the first of nearly equal \
             candidates stays)",
            "ties='first'",
        );
    }
    Ok(())
}

/// Refuse parameters that the evaluation does not support.
fn evaluation(config: &Config, criterion: &dyn Criterion) -> Result<()> {
    if config.evaluation == Evaluation::Local {
        return match config.labels {
            LeafLabels::Majority => Ok(()),
            _ => Err(Error::parameter(
                "labels",
                "'all' or 'distinct'",
                "local growth labels a leaf by its majority; labels are chosen with \
                 evaluation='global' or 'glocal'",
            )),
        };
    }
    if criterion.info().evidence != EvidenceKind::Table {
        let name = criterion.info().name;
        return unsupported(
            format!("criterion='{name}' with evaluation='global' or 'glocal'"),
            "criteria on tables",
        );
    }
    if criterion.gain_filter() != GainFilter::None || criterion.split_rule() == SplitRule::C45 {
        return unsupported(
            "a guard or mdl_penalty=True with evaluation='global' or 'glocal' (they compare the \
             features of one leaf)",
            "guard=None, mdl_penalty=False",
        );
    }
    if config.ties == Ties::Even {
        return unsupported(
            "ties='even' with evaluation='global' or 'glocal' (it compares the branches of one \
             leaf)",
            "ties='first', 'row' or 'random'",
        );
    }
    if config.min_impurity_decrease > 0.0 {
        return unsupported(
            "min_impurity_decrease with evaluation='global' or 'glocal' (it bounds how much the \
             split of a leaf's own table improves)",
            "min_impurity_decrease=0; no_distance_decay, max_leaf_nodes, max_depth and \
             min_samples_* stop growth",
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

/// Refuse monotonic constraints where values have no order: of nominal columns, and of classes that
/// are not two.
fn constrained_columns(config: &Config, data: &Dataset) -> Result<()> {
    if config.monotonic_cst.is_empty() {
        return Ok(());
    }
    let columns = data.columns().iter().zip(&config.monotonic_cst);
    for (feature, (column, &sign)) in columns.enumerate() {
        if sign != 0 && matches!(column, Column::Nominal(_)) {
            let name = &data.schema().features[feature].name;
            return Err(Error::parameter(
                "monotonic_cst",
                format!("{{'{name}': {sign}}}"),
                "is for numeric columns; leave nominal ones out, or name fewer in \
                 categorical_features",
            ));
        }
    }
    let classes = data.n_classes();
    if data.target().is_none() && classes != 2 {
        return unsupported(
            format!("monotonic_cst with {classes} classes"),
            "two classes, whose second has the constrained probability; or one class against the \
             rest, each with a model of its own",
        );
    }
    if config.target_bins.is_some() {
        return unsupported("monotonic_cst with target_bins", "target_bins=None");
    }
    Ok(())
}

/// Refuse columns whose levels cannot be merged: numbers without bins, and too many levels to be
/// compared in pairs.
fn merged_columns(config: &Config, data: &Dataset) -> Result<()> {
    for (column, feature) in data.columns().iter().zip(&data.schema().features) {
        let name = &feature.name;
        match (column, &feature.kind) {
            (Column::Numeric(_), _) if config.discretize.is_none() && feature.unused.is_none() => {
                return unsupported(
                    format!("merge_levels=True with discretize=None (column '{name}' has numbers)"),
                    "discretize='equal_frequency' or another, whose bins are levels",
                );
            }
            (Column::Nominal(_), Kind::Nominal { levels, .. }) if levels.len() > MOST_MERGED => {
                return unsupported(
                    format!("merge_levels=True with column '{name}' of {} levels", levels.len()),
                    format!("at most {MOST_MERGED} levels; join the rare ones, or drop the column"),
                );
            }
            _ => {}
        }
    }
    Ok(())
}

/// The monotonic and interaction constraints, if there are any.
///
/// # Errors
/// [`Error::Unsupported`] where growth cannot keep them.
pub(super) fn constraints(
    config: &Config,
    criterion: &dyn Criterion,
) -> Result<Option<Constraints>> {
    let (signs, mut groups) = (config.monotonic_cst.clone(), config.interaction_cst.clone());
    groups.iter_mut().for_each(|group| group.sort_unstable());
    let given = match (signs.is_empty(), groups.is_empty()) {
        (true, true) => return Ok(None),
        (false, _) => "monotonic_cst",
        (true, false) => "interaction_cst",
    };
    if config.evaluation != Evaluation::Local {
        return unsupported(
            format!("{given} with evaluation='global' or 'glocal'"),
            "evaluation='local'",
        );
    }
    if !signs.is_empty() {
        let info = criterion.info();
        let name = info.name;
        if !info.evidence.is_table() || criterion.needs_all_candidates() {
            return unsupported(
                format!(
                    "monotonic_cst with criterion='{name}', which does not read the tables of \
                         single splits"
                ),
                "criteria on tables, and squared_error, poisson and standard_deviation",
            );
        }
        if criterion.split_rule() == SplitRule::C45 {
            return unsupported("monotonic_cst with mdl_penalty=True", "mdl_penalty=False");
        }
        if config.smoothing != LeafSmoothing::None {
            return unsupported(
                "monotonic_cst with leaf_smoothing (it moves each value by its own rows)",
                "leaf_smoothing=None",
            );
        }
        let in_two =
            matches!(config.nominal_splits, NominalSplits::Subset | NominalSplits::OneVsRest);
        if config.discretize.is_some() && !in_two && signs.iter().any(|&sign| sign != 0) {
            return unsupported(
                "monotonic_cst with discretize and a branch for each bin",
                "nominal_splits='subset' or 'one_vs_rest', or discretize=None",
            );
        }
    }
    Ok(Some(Constraints { signs, groups }))
}

/// Parse `no_distance_decay`, and refuse it for criteria without a global distance. The parameter
/// is `False`, `True` or `'strict'`.
pub(super) fn no_distance_decay(config: &Config, criterion: &dyn Criterion) -> Result<OnRise> {
    let no_distance_decay = match &config.no_distance_decay {
        Value::Bool(false) | Value::Null => OnRise::Ignore,
        Value::Bool(true) => OnRise::Stop,
        Value::String(s) if s == "strict" => OnRise::Strict,
        other => {
            return Err(Error::parameter(
                "no_distance_decay",
                other,
                "must be False, True or 'strict'",
            ));
        }
    };
    if criterion.info().evidence == EvidenceKind::Rows && no_distance_decay != OnRise::Ignore {
        let name = criterion.info().name;
        return unsupported(
            format!("no_distance_decay with criterion='{name}'"),
            "no_distance_decay=False",
        );
    }
    Ok(no_distance_decay)
}

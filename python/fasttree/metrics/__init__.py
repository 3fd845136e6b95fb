"""Measures of predictions: labels, rankings, probabilities, information, cost, numbers and tree
size.

One file a metric or a small family; `METRICS` registers them all with their input, their direction
and their range. Everything works on plain arrays of labels and probabilities of any classifier, or
numbers of any regressor.
"""

from .agreement import cohen_kappa, matthews_correlation
from .calibration import CalibrationCurve, calibration_curve, expected_calibration_error
from .confusion import confusion_matrix
from .cost import cost_optimal_decision, expected_cost
from .cost_curves import (
    CostCurve,
    CostRange,
    cheapest_classifiers,
    cost_curve,
    cost_curve_area,
    cost_envelope,
    probability_cost,
)
from .error_rates import accuracy, error_rate, unclassified_rate
from .evaluation import Evaluation, RegressionEvaluation
from .f_measures import f_beta, f_beta_from_counts, precision, recall
from .information import (
    ClassRewards,
    RewardCurves,
    bayesian_information_reward,
    class_prior,
    good_information_reward,
    information_reward_2002,
    kononenko_bratko_information_score,
    kullback_leibler_divergence,
    reward_curves,
)
from .metric import Metric
from .number_errors import (
    mean_absolute_error,
    mean_pinball_loss,
    mean_poisson_deviance,
    median_absolute_error,
    r2_score,
    root_mean_squared_error,
)
from .over_groups import MeanOverGroups
from .per_class import PerClass, per_class
from .probability import brier_score, laplace_scores, log_loss
from .registry import METRICS, get_metric, list_metrics
from .roc import RocCurve, auc, roc_convex_hull, roc_curve
from .scorers import Scorer, scorer
from .tree_size import depth, leaves, nodes

__all__ = [
    "METRICS",
    "CalibrationCurve",
    "ClassRewards",
    "CostCurve",
    "CostRange",
    "Evaluation",
    "MeanOverGroups",
    "Metric",
    "PerClass",
    "RegressionEvaluation",
    "RewardCurves",
    "RocCurve",
    "Scorer",
    "accuracy",
    "auc",
    "bayesian_information_reward",
    "brier_score",
    "calibration_curve",
    "cheapest_classifiers",
    "class_prior",
    "cohen_kappa",
    "confusion_matrix",
    "cost_curve",
    "cost_curve_area",
    "cost_envelope",
    "cost_optimal_decision",
    "depth",
    "error_rate",
    "expected_calibration_error",
    "expected_cost",
    "f_beta",
    "f_beta_from_counts",
    "get_metric",
    "good_information_reward",
    "information_reward_2002",
    "kononenko_bratko_information_score",
    "kullback_leibler_divergence",
    "laplace_scores",
    "leaves",
    "list_metrics",
    "log_loss",
    "matthews_correlation",
    "mean_absolute_error",
    "mean_pinball_loss",
    "mean_poisson_deviance",
    "median_absolute_error",
    "nodes",
    "per_class",
    "precision",
    "probability_cost",
    "r2_score",
    "recall",
    "reward_curves",
    "roc_convex_hull",
    "roc_curve",
    "root_mean_squared_error",
    "scorer",
    "unclassified_rate",
]

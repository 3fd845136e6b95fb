"""Comparison of methods: shared folds, cross-validation, statistical tests, tables over data sets.

`cross_validate` runs criteria and other estimators, for classes or for a number, on the folds of
one data set, `compare` on several, `learning_curve` by training size, `sweep` over the settings of
pair criteria. All methods of a call have the same folds, and every result has its tests, tables and
records.
"""

from .comparing import compare
from .comparison import Comparison
from .java_random import JavaRandom
from .learning_curve import LearningCurve, learning_curve
from .learning_curve_split import LearningCurveSplit
from .parameter_sweep import Sweep, sweep
from .result import CrossValidation, MethodScores
from .splitter import (
    ContiguousKFold,
    FiveByTwo,
    StratifiedRepeatedKFold,
    WekaKFold,
    WekaStratifiedKFold,
)
from .statistics.anova import (
    TwoWayAnovaResult,
    repeated_measures_anova,
    two_way_repeated_measures_anova,
)
from .statistics.bayesian import (
    BayesianTestResult,
    SignedRankPosterior,
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
)
from .statistics.control import ControlTestResult, against_control
from .statistics.multiple import bonferroni, holm
from .statistics.outcome import AnovaEffect, AnovaResult, FriedmanResult, PairedTestResult
from .statistics.ranks import friedman_nemenyi, wilcoxon
from .statistics.t_tests import (
    corrected_resampled_t_test,
    five_by_two_cv_f_test,
    five_by_two_cv_t_test,
    paired_t_test,
)
from .validation import cross_validate

__all__ = [
    "AnovaEffect",
    "AnovaResult",
    "BayesianTestResult",
    "Comparison",
    "ContiguousKFold",
    "ControlTestResult",
    "CrossValidation",
    "FiveByTwo",
    "FriedmanResult",
    "JavaRandom",
    "LearningCurve",
    "LearningCurveSplit",
    "MethodScores",
    "PairedTestResult",
    "SignedRankPosterior",
    "StratifiedRepeatedKFold",
    "Sweep",
    "TwoWayAnovaResult",
    "WekaKFold",
    "WekaStratifiedKFold",
    "against_control",
    "bayesian_correlated_t_test",
    "bayesian_signed_rank_test",
    "bonferroni",
    "compare",
    "corrected_resampled_t_test",
    "cross_validate",
    "five_by_two_cv_f_test",
    "five_by_two_cv_t_test",
    "friedman_nemenyi",
    "holm",
    "learning_curve",
    "paired_t_test",
    "repeated_measures_anova",
    "sweep",
    "two_way_repeated_measures_anova",
    "wilcoxon",
]

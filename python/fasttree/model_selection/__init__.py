"""Comparing methods honestly: shared folds, cross-validation, statistical tests, tables over data sets."""

from .contiguous import ContiguousKFold
from .java_random import JavaRandom
from .learning_curve_split import LearningCurveSplit
from .statistics import (
    AnovaResult,
    FriedmanResult,
    PairedTestResult,
    bonferroni,
    corrected_resampled_t_test,
    five_by_two_cv_f_test,
    five_by_two_cv_t_test,
    friedman_nemenyi,
    holm,
    paired_t_test,
    repeated_measures_anova,
    wilcoxon,
)
from .stratified import FiveByTwo, StratifiedRepeatedKFold
from .weka import WekaStratifiedKFold

__all__ = [
    "AnovaResult",
    "ContiguousKFold",
    "FiveByTwo",
    "FriedmanResult",
    "JavaRandom",
    "LearningCurveSplit",
    "PairedTestResult",
    "StratifiedRepeatedKFold",
    "WekaStratifiedKFold",
    "bonferroni",
    "corrected_resampled_t_test",
    "five_by_two_cv_f_test",
    "five_by_two_cv_t_test",
    "friedman_nemenyi",
    "holm",
    "paired_t_test",
    "repeated_measures_anova",
    "wilcoxon",
]

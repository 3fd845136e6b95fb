"""Tests of differences between methods: on folds, on data sets, on several methods at once.

Every result carries its statistic, p-value, degrees of freedom, interval and a written sentence.
scipy (which comes with scikit-learn) is loaded when a test runs, not on import.
"""

from .anova import repeated_measures_anova
from .anova_two_way import TwoWayAnovaResult, two_way_repeated_measures_anova
from .bayesian import BayesianTestResult, bayesian_correlated_t_test
from .control import ControlTestResult, against_control
from .five_by_two import five_by_two_cv_f_test, five_by_two_cv_t_test
from .multiple import bonferroni, holm
from .outcome import AnovaEffect, AnovaResult, FriedmanResult, PairedTestResult
from .ranks import friedman_nemenyi, wilcoxon
from .signed_rank import SignedRankPosterior, bayesian_signed_rank_test
from .t_tests import corrected_resampled_t_test, paired_t_test

__all__ = [
    "AnovaEffect",
    "AnovaResult",
    "BayesianTestResult",
    "ControlTestResult",
    "FriedmanResult",
    "PairedTestResult",
    "SignedRankPosterior",
    "TwoWayAnovaResult",
    "against_control",
    "bayesian_correlated_t_test",
    "bayesian_signed_rank_test",
    "bonferroni",
    "corrected_resampled_t_test",
    "five_by_two_cv_f_test",
    "five_by_two_cv_t_test",
    "friedman_nemenyi",
    "holm",
    "paired_t_test",
    "repeated_measures_anova",
    "two_way_repeated_measures_anova",
    "wilcoxon",
]

"""Presets: well-known trees as dictionaries of `FastTreeClassifier`'s parameters.

What
    ``FastTreeClassifier(**presets.ID3)``. A preset is a plain dict: copy it, change it, add to it.
When not to use it
    As a claim about data preparation: the papers' discretisation and folds belong to their
    experiments (`ftree reproduce`).

Examples:
    >>> ID3["criterion"], CHEN2013["empty_branch"]
    ('info_gain', 'unclassified')
"""

from __future__ import annotations

from typing import Any

from . import criteria
from .pruning import PRUNINGS

__all__ = ["C45", "CART", "CHAID", "CHEN2013", "CTREE", "FMEASURE", "ID3", "VILALTA2001"]

_CostComplexity: Any = PRUNINGS["cost_complexity"]
_ErrorBased: Any = PRUNINGS["error_based"]

ID3: dict[str, Any] = {
    "criterion": "info_gain",
    "nominal_splits": "multiway",
    "min_score": 1e-6,
    "empty_branch": "unclassified",
}
"""Quinlan's ID3 as in Weka 3.6: multiway splits, no pruning, a leaf where the best gain is below
1e-6; a branch that no training row reached predicts nothing. On nominal data without missing values
(all that Id3 takes) the trees are Id3's."""

CHEN2013: dict[str, Any] = {**ID3, "ties": "first"}
"""Chen, Wu & Cai (2013): ID3 on data imputed and binned beforehand; the criterion is what the paper
varies (``GainRatio(guard="chen2013")`` for its gain ratio)."""

FMEASURE: dict[str, Any] = {
    "criterion": criteria.make("f_measure").set_params(variant="change"),  # type: ignore[union-attr]
    "nominal_splits": "multiway",
    "thresholds": "value",
    "ties": "row",
    "max_depth": 10,
    "min_samples_split": 21,
    "leaf_smoothing": "laplace",
}
"""Stadler & Dave's trees that split on the F-measure: thresholds are data values, candidates in row
order, a leaf where a node is pure or has at most 20 rows (the paper's Breast data; 10 and 5 for its
two other sets)."""

VILALTA2001: dict[str, Any] = {
    "criterion": "pi",
    "nominal_splits": "multiway",
    "discretize": "equal_width",
    "n_bins": 10,
    "missing": "branch",
    "min_samples_split": 3,
    "pruning": _ErrorBased(confidence=0.25, subtree_raising=False),
}
"""Vilalta, Brodie, Oblinger & Rish (2001): numeric columns in ten equal-width bins, multiway
splits, a leaf where a node is pure or has fewer than three rows, pruning as C4.5's with confidence
0.25 and without raising (assumed: the paper names C4.5 but no confidence); the criterion is what
the paper varies. How it treated missing values is unknown; here they are a value of their own."""

CART: dict[str, Any] = {
    "criterion": "gini",
    "nominal_splits": "subset",
    "missing": "branch",
    "pruning": _CostComplexity("cv", folds=10, rule="1se"),
}
"""Breiman, Friedman, Olshen & Stone (1984): Gini, binary splits of numbers and levels,
cost-complexity pruning with the complexity parameter chosen by ten-fold cross-validation and the
one-standard-error rule. The tree equals scikit-learn's node by node unless two splits tie; the
book's surrogate splits are not implemented (see the page on CART)."""

CTREE: dict[str, Any] = {
    "selection": "significance",
    "test": "quadratic",
    "alpha": 0.05,
    "adjust": "bonferroni",
    "cut": "statistic",
    "nominal_splits": "subset",
    "thresholds": "value",
    "min_samples_split": 20,
    "min_samples_leaf": 7,
}
"""Conditional inference trees (Hothorn, Hornik & Zeileis 2006) with the defaults of R's partykit:
the feature with the smallest adjusted p-value is split, at an observed value, where the two-sample
statistic is largest. One default differs: missing values join the heavier side (``majority = TRUE``
there), and not random sides (``FALSE``). For numbers the same parameters serve
`FastTreeRegressor`."""

CHAID: dict[str, Any] = {
    "selection": "significance",
    "merge_levels": True,
    "alpha_merge": 0.05,
    "alpha": 0.05,
    "adjust": "none",
    "discretize": "equal_frequency",
    "n_bins": 10,
    "min_samples_split": 20,
    "min_samples_leaf": 7,
}
"""CHAID (Kass 1980): levels that do not differ in their classes are merged, the feature with the
smallest p-value times Kass's multiplier is split, and has a branch for each group of levels.
Numbers are cut into ten bins of equal frequency on the rows of the fit, which merge with
neighbours, as do the levels of an ordered pandas Categorical; missing values are a level that may
join any other. The limits are the defaults of R's package CHAID. Kass's multipliers adjust for the
ways to merge within a feature, not for the number of features: ``adjust="bonferroni"`` does both.
``alpha_split=0.049`` divides merged levels again, as Kass's step 3 does."""

C45: dict[str, Any] = {
    "criterion": criteria.make("gain_ratio").set_params(guard="j48", mdl_penalty=True),  # type: ignore[union-attr]
    "nominal_splits": "multiway",
    "thresholds": "training_value",
    "min_samples_leaf": 2,
    "missing": "fractional",
    "pruning": _ErrorBased(confidence=0.25, subtree_raising=True),
}
"""Quinlan's C4.5 (release 8) as J48 of Weka 3.6 grows and prunes it with its defaults (``-C 0.25 -M
2``): the same tree, leaf for leaf. J48's other flags are other values of these parameters; the page
on C4.5 and J48 in the documentation lists them."""

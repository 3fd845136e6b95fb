"""`AODE`: averaged one-dependence estimators.

Source
    Webb, Boughton & Wang, "Not so naive Bayes", Machine Learning 58, 2005; estimates as in Weka
    3.6's AODE.
Complexity
    Fit: one pass over the rows for each pair of features; prediction: O(p^2 k) per row, with p
    features and k classes.
When not to use it
    With hundreds of features, or columns of very many levels: every pair has a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._checks import number_in
from ..table import Table
from .base import BayesClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class AODE(BayesClassifier):
    r"""The average over all models in which one feature is a parent of all others.

    :math:`P(c, x) \propto \sum_i P(c, x_i) \prod_{j \ne i} P(x_j \mid c, x_i)` over the features i
    whose value x_i has at least `frequency_limit` training rows; naive Bayes where there is none.
    With Laplace's rule
    :math:`P(c, x_i) = (n_{c x_i} + 1) / (n_i + k v_i)` and
    :math:`P(x_j \mid c, x_i) = (n_{c x_i x_j} + 1) / (n_{c x_i} + v_j)`, rows in which x_i, or x_j,
    is missing left out.

    Args:
        frequency_limit: least weight of a value that may be a parent; 1 is Weka 3.6.14's default
            (the paper: 30).
        alpha: > 0; see `smoothing`.
        smoothing: ``"laplace"``: alpha is added to each count; ``"m_estimate"``: a uniform prior
            that weighs alpha rows.
        discretize: of numeric columns: ``"mdlp"`` or ``"auto"``, ``"equal_width"``,
            ``"equal_frequency"``, an object of `fasttree.discretize`, or None (a numeric column is
            then an error); fitted on the training rows.
        n_bins: bins of the methods that take a number.
        categorical_features: as in `Table`.
        handle_unknown: levels not seen in fit are ``"missing"`` (with a warning) or an ``"error"``.
        n_jobs: threads; None is one, -1 all cores. Nothing depends on it.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> round(AODE().fit(X, y).score(X, y), 3)
        0.953
    """

    frequency_limit: float = 1

    def _learner(self, table: Table) -> dict[str, Any]:
        """The learner as the core reads it."""
        return {
            "learner": "aode",
            "limit": number_in(0.0, 1e300)("frequency_limit", self.frequency_limit),
        }

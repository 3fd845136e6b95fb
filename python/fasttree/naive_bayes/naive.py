"""`NaiveBayes`: features independent given the class; numbers normal or binned, labels by their
shares.

Source
    Duda & Hart 1973; John & Langley, UAI 1995, for the normal densities. On numeric data the result
    equals scikit-learn's GaussianNB, on labels its CategoricalNB; here columns of both kinds may be
    mixed.
Complexity
    One pass over the cells to fit, one to predict.
When not to use it
    For probabilities from features that depend on each other, which are counted as independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks import number_array, number_in, one_of
from ..estimators.costs import class_sums
from ..table import Table
from .base import BayesClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class NaiveBayes(BayesClassifier):
    r"""Naive Bayes for numbers, labels and missing cells in any mixture.

    :math:`P(c \mid x) \propto P(c) \prod_j P(x_j \mid c)` over the known features. P(c) is the
    share of the class (or `priors`). A label's probability is :math:`(n_{cx} + s) / (n_c + s v)`, v
    the declared levels; a number has the normal density of the class's mean and population
    variance.

    Args:
        distribution: of numeric columns: ``"auto"`` or ``"gaussian"`` (normal), ``"discretized"``
            (binned by `discretize`), ``"weka"`` (below), or a mapping from column names to one of
            the last three (columns not named: normal).
        alpha: > 0; see `smoothing`. 1 is CategoricalNB's.
        smoothing: ``"laplace"``: s = alpha; ``"m_estimate"``: s = alpha / v, a uniform prior that
            weighs alpha rows.
        var_smoothing: this share of the largest variance of a normal column is added to all
            variances. GaussianNB's rule, but with sample weights in that variance too, so that a
            weight of 2 is two rows.
        priors: class probabilities, shape (n_classes,), or None: shares in the training rows.
            Declared classes without a row have share 0 and are never predicted; with ``"laplace"``,
            (n_c + 1) / (n + k), they are possible, as in Weka. With ``distribution="weka"`` None
            means ``"laplace"``.
        discretize: ``"mdlp"`` or ``"auto"``, ``"equal_width"``, ``"equal_frequency"`` or an object
            of `fasttree.discretize`; fitted on the training rows.
        n_bins: bins of the methods that take a number.
        categorical_features: as in `Table`.
        handle_unknown: levels not seen in fit are ``"missing"`` (with a warning) or an ``"error"``.
        n_jobs: threads; None is one, -1 all cores. Nothing depends on it.

    ``distribution="weka"`` reproduces the classifier of Weka 3.6. The precision of a column is the
    mean gap between neighbouring distinct training values (0.01 if there is one value). Each number
    is rounded to a multiple of it, and the standard deviation in a class is at least precision / 6.
    The likelihood is the probability of the normal distribution within the rounded value +-
    precision / 2, at least 1e-75. Use it for counts, codes and coarse measurements, where a class
    may have a single value, so that a density would be unbounded there. For other measurements both
    agree, and densities take half the time.

    Attributes:
        precision_: of columns by Weka's rule, shape (n_features,), NaN elsewhere.
        theta_, var_: mean and variance (smoothing included) of normal columns, shape (n_classes,
            n_features), NaN elsewhere.
        epsilon_: number that was added to the variances.
        feature_count_: weight of each (level or bin, class) by column name, for columns that are
            not normal.

    Examples:
        >>> X = [[1.0, "a"], [1.5, "a"], [3.0, "b"], [3.5, None]]
        >>> model = NaiveBayes().fit(X, ["no", "no", "yes", "yes"])
        >>> model.predict([[1.2, "a"], [None, "b"]]).tolist()
        ['no', 'yes']
        >>> model.theta_[:, 0].tolist()
        [1.25, 3.25]
    """

    distribution: Any = "auto"
    var_smoothing: float = 1e-9
    priors: Any = None

    def _learner(self, table: Table) -> dict[str, Any]:
        """The learner as the core reads it."""
        return {
            "learner": "naive",
            "var_smoothing": number_in(0.0, 1e300)("var_smoothing", self.var_smoothing),
        }

    def _priors(self, table: Table, weights: np.ndarray | None) -> list[float] | None:
        """Class probabilities; None: shares in the training rows."""
        priors, n_classes = self.priors, len(table.classes)
        if priors is None and isinstance(self.distribution, str) and self.distribution == "weka":
            priors = "laplace"
        if priors is None:
            return None
        if isinstance(priors, str):
            one_of("priors", priors, ("laplace",))
            counts = class_sums(table.y_codes, weights, n_classes) + 1.0
            return [float(p) for p in counts / counts.sum()]
        priors = number_array("priors", priors)
        if priors.shape != (n_classes,):
            raise ValueError(
                f"priors has shape {priors.shape}: it needs one number for each of {n_classes} "
                "classes"
            )
        if not np.all(priors >= 0) or abs(priors.sum() - 1) > 1e-8:
            raise ValueError(
                f"priors={priors.tolist()}: they must not be negative and must sum to 1"
            )
        return [float(p) for p in priors]

    def _distributions(self, table: Table) -> dict[str, str]:
        """The distribution of each numeric column, by `distribution`."""
        chosen = self.distribution
        numeric = super()._binned(table)
        if not isinstance(chosen, Mapping):
            one_of("distribution", chosen, ("auto", "gaussian", "discretized", "weka"))
            return dict.fromkeys(numeric, chosen)
        for name, value in chosen.items():
            if name not in table.feature_names:
                raise ValueError(f"distribution names column {name!r}, which is not in X")
            if name not in numeric:
                raise ValueError(
                    f"distribution names column {name!r}, which is nominal: only numbers have "
                    "a choice"
                )
            one_of("distribution", value, ("gaussian", "discretized", "weka"))
        return {name: chosen.get(name, "auto") for name in numeric}

    def _binned(self, table: Table) -> list[str]:
        """Names of the columns that are binned."""
        distributions = self._distributions(table)
        return [name for name, kind in distributions.items() if kind == "discretized"]

    def _by_weka(self, table: Table) -> list[int]:
        """Indices of the numeric columns that are modelled by Weka's rule."""
        distributions = self._distributions(table)
        return [
            j for j, name in enumerate(table.feature_names) if distributions.get(name) == "weka"
        ]

    def _read(self, state: dict[str, Any]) -> None:
        """Set moments, precisions and counts by column, from the core's model."""
        k = self.n_classes_
        self.theta_ = np.full((k, self.n_features_in_), np.nan)
        self.var_ = np.full((k, self.n_features_in_), np.nan)
        self.precision_ = np.full(self.n_features_in_, np.nan)
        self.feature_count_: dict[str, np.ndarray] = {}
        self.epsilon_ = float(state["epsilon"])
        for j, (name, feature) in enumerate(
            zip(self._schema.names, state["features"], strict=True)
        ):
            if "normal" in feature:
                self.theta_[:, j] = feature["normal"]["mean"]
                self.var_[:, j] = feature["normal"]["variance"]
            elif "rounded" in feature:
                self.theta_[:, j] = feature["rounded"]["mean"]
                self.var_[:, j] = np.square(feature["rounded"]["deviation"])
                self.precision_[j] = feature["rounded"]["precision"]
            else:
                # The last row counts the missing cells.
                self.feature_count_[name] = np.array(feature["counts"]).reshape(-1, k)[:-1]

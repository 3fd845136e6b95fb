"""Metrics as scorers: objects called as ``scorer(estimator, X, y)``, the form scikit-learn's tools
take.

A scorer of an information reward takes the prior from the estimator's ``class_prior_``
(probabilities in the order of ``classes_``), looked for inside searches and pipelines too. Without
one, ``prior=`` must be given.  Metrics for which smaller is better are negated, as scikit-learn
does, so that a search maximises.  Metrics of numbers score regressors.  Needs no scikit-learn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks.aliases import MaybeArray
from .metric import Metric
from .registry import get_metric
from .tree_size import nested


def _find(estimator: Any, attribute: str) -> Any:
    """Return an attribute of the estimator or of the one inside a search or pipeline, else None."""
    values = (getattr(inner, attribute, None) for inner in nested(estimator))
    return next((value for value in values if value is not None), None)


class Scorer:
    """A metric with its options, callable on (estimator, X, y).

    Args:
        metric: name or alias in `METRICS`.
        **options: keyword arguments of the metric's function: ``beta=2``, ``positive="yes"``,
            ``base=2``, ``prior=...``, ``quantile=0.9``.

    Examples:
        >>> Scorer("f_beta", beta=2)
        Scorer('f_beta', beta=2)
    """

    def __init__(self, metric: str, **options: Any) -> None:
        self.metric: Metric = get_metric(metric)
        if not self.metric.scorable:
            raise ValueError(
                f"{self.metric.name} compares distributions, not labels, so it cannot score an "
                "estimator"
            )
        self.options = options

    def __repr__(self) -> str:
        parts = [
            repr(self.metric.name),
            *(f"{name}={value!r}" for name, value in self.options.items()),
        ]
        return f"Scorer({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scorer) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.metric.name, self.options)

    def value(self, estimator: Any, X: Any, y: Any, sample_weight: MaybeArray = None) -> float:
        """Return the metric of a fitted estimator on rows, in its own orientation: calling the
        scorer negates errors, this does not."""
        metric, options = self.metric, dict(self.options)
        if metric.needs == "tree":
            return float(metric.function(estimator))
        if sample_weight is not None:
            options["sample_weight"] = sample_weight
        if metric.needs in ("labels", "numbers"):
            return float(metric.function(y, estimator.predict(X), **options))
        classes = _find(estimator, "classes_")
        if classes is not None:
            options.setdefault("classes", np.asarray(classes).tolist())
        if metric.needs == "scores" and not hasattr(estimator, "predict_proba"):
            scores = np.asarray(estimator.decision_function(X))
            return float(metric.function(y, scores, **options))
        if metric.uses_prior and options.get("prior") is None:
            options["prior"] = _find(estimator, "class_prior_")
            if options["prior"] is None:
                raise ValueError(
                    f"{metric.name} compares with the class prior, and {type(estimator).__name__} "
                    "has no class_prior_; "
                    f'use Scorer({metric.name!r}, prior=...) with class probabilities or "uniform"'
                )
        return float(metric.function(y, estimator.predict_proba(X), **options))

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: MaybeArray = None) -> float:
        """Return the score, negated when smaller is better, so that larger is always better."""
        value = self.value(estimator, X, y, sample_weight)
        return value if self.metric.greater_is_better else -value


def _rebuild(metric: str, options: dict[str, Any]) -> Scorer:
    return Scorer(metric, **options)


def scorer(metric: str, **options: Any) -> Scorer:
    """Return a scorer of a registered metric for GridSearchCV, cross_val_score and so on. Options
    are arguments of the metric; ValueError for a metric that is not registered.

    >>> scorer("auc").metric.needs
    'scores'
    """
    return Scorer(metric, **options)

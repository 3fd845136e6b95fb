"""From out-of-fold predictions to one value per method, metric and fold, without a loop over folds.

A name is looked up in `METRICS` (or its aliases), then among scikit-learn's scorers. Metrics of
labels are functions of confusion counts, which one bincount gives for all folds of all methods.
Metrics of probabilities have one value per row, averaged by fold. Only rank metrics (AUC),
calibration and metrics of numbers are computed fold by fold. scikit-learn's scorers need a fitted
estimator, so they run with the fits (`fits`). O(methods x test rows).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._checks import shown
from .._checks.aliases import Task
from .._checks.naming import display_name
from .._checks.words import argument, given
from ..metrics.confusion import confusion_counts
from ..metrics.error_rates import unclassified_rate_from_confusion
from ..metrics.information import class_prior
from ..metrics.labels import positive_code
from ..metrics.metric import Metric
from ..metrics.registry import get_metric
from ..metrics.scorers import Scorer
from .fits import SIZES, Data, FoldOutputs
from .folds import Folds

Scoring = dict[str, Any]
"""Name in the result -> `Scorer`, or a callable (estimator, X, y)."""

DEFAULT_SCORING: dict[Task, tuple[str, ...]] = {
    "classification": ("accuracy",),
    "regression": ("r2", "rmse", "mae"),
}
"""The metrics of a call that does not name any."""


def _named(name: str) -> Any:
    """The scorer of a name, ours or scikit-learn's."""
    try:
        return Scorer(name)
    except ValueError as unknown:
        from sklearn.metrics import get_scorer, get_scorer_names

        if name in get_scorer_names():
            return get_scorer(name)
        raise ValueError(f"scoring: {unknown} (nor is it a scorer of scikit-learn)") from None


def resolve_scoring(scoring: Any) -> Scoring:
    """Return name -> scorer for a name, a scorer, a callable, a list of these, or a dict, in order.
    Raises ValueError for an unknown name.

    >>> list(resolve_scoring(("accuracy", "leaves")))
    ['accuracy', 'leaves']
    """
    if isinstance(scoring, (str, Metric)) or callable(scoring):
        scoring = [scoring]
    items: list[tuple[str | None, Any]]
    if isinstance(scoring, Mapping):
        items = list(scoring.items())
    elif isinstance(scoring, Sequence):
        items = [(None, metric) for metric in scoring]
    else:
        raise TypeError(
            f"{given('scoring', shown(scoring))}; use names, scorers, or a dict of them"
        )
    resolved: Scoring = {}
    for key, metric in items:
        if isinstance(metric, str):
            scorer, name = _named(metric), metric
        elif isinstance(metric, Metric):
            scorer, name = Scorer(metric.name), metric.name
        elif isinstance(metric, Scorer):
            scorer, name = metric, _scorer_name(metric)
        elif callable(metric):
            scorer, name = metric, display_name(metric)
        else:
            raise TypeError(
                f"scoring holds {shown(metric)}; use names, scorers or callables (estimator, X, y)"
            )
        if (key or name) in resolved:
            raise ValueError(f"scoring names {key or name!r} twice")
        resolved[key or name] = scorer
    if not resolved:
        raise ValueError("scoring is empty; name at least one metric")
    return resolved


def _scorer_name(scorer: Scorer) -> str:
    """Name of the metric, with the options of the scorer if it has some."""
    if not scorer.options:
        return scorer.metric.name
    return repr(scorer).removeprefix("Scorer(").removesuffix(")").replace("'", "")


def _metrics_of(scoring: Scoring) -> list[Metric]:
    """The metrics of this package."""
    return [scorer.metric for scorer in scoring.values() if isinstance(scorer, Scorer)]


def tasks_of(scoring: Scoring) -> set[Task]:
    """The tasks that the metrics belong to; empty if the metrics fit both, as sizes of trees and
    scikit-learn's scorers do."""
    return {metric.task for metric in _metrics_of(scoring) if metric.task is not None}


def scoring_for_task(scoring: Scoring | None, task: Task) -> Scoring:
    """The metrics of a call; for None the default metrics of the task.

    Raises:
        ValueError: a metric of the other task.
    """
    if scoring is None:
        return resolve_scoring(DEFAULT_SCORING[task])
    for name, scorer in scoring.items():
        is_ours = isinstance(scorer, Scorer)
        declared = scorer.metric.task if is_ours else _task_of_function(scorer, task)
        if declared not in (None, task):
            raise ValueError(
                f"scoring: {name!r} is a metric of {declared}, and the task is {task}; name others "
                f"({', '.join(DEFAULT_SCORING[task])}, ...), or give {argument('task', declared)}"
            )
    return scoring


def _task_of_function(scorer: Any, task: Task) -> Task:
    """The task of a scorer of scikit-learn: classification for its metrics of labels, shares and
    ranks, else `task`, since labels may be numbers."""
    module = getattr(getattr(scorer, "_score_func", None), "__module__", "")
    # Likelihood ratios are defined beside the scorers.
    of_classes = module.removeprefix("sklearn.metrics._") in ("classification", "ranking", "scorer")
    return "classification" if of_classes else task


def needed_probabilities(scoring: Scoring) -> str | None:
    """The output of classifiers that the metrics read: "proba", probabilities; "scores", for which
    the values of decision_function would do as well; None, nothing but labels."""
    needs = {metric.needs for metric in _metrics_of(scoring)}
    return next((name for name in ("proba", "scores") if name in needs), None)


def estimator_scorers(scoring: Scoring) -> Scoring:
    """Return the scorers that need a fitted estimator, by name. They are scikit-learn's scorers and
    functions; with any of them each fold is fitted in Python."""
    return {
        key: scorer for key, scorer in sorted(scoring.items()) if not isinstance(scorer, Scorer)
    }


def greater_is_better(name: str, scoring: Scoring | None = None) -> bool:
    """Whether larger values of a metric in a result are better. This holds for all scikit-learn
    scorers, which negate errors, and for unknown names."""
    found = (scoring or {}).get(name)
    if isinstance(found, Scorer):
        return found.metric.greater_is_better
    if found is not None:
        return True
    if name in ("seconds", "empty_leaves"):
        return False
    try:
        return get_metric(name).greater_is_better
    except ValueError:
        return True


def _options(scorer: Scorer, classes: Sequence[Any]) -> dict[str, Any]:
    """Return the scorer's options for the array form: labels become codes."""
    options = {
        name: value
        for name, value in scorer.options.items()
        if name not in ("classes", "prior", "per_instance")
    }
    if "positive" in options:
        options["positive"] = positive_code(classes, options["positive"])
    return options


@dataclass(eq=False, repr=False)
class FoldScores:
    """Scores of all methods of one cross-validation.

    Confusion counts and priors are computed once, when first needed.

    Args:
        data: the rows.
        folds: the folds.
        outputs: the output of the methods.
    """

    data: Data
    folds: Folds
    outputs: FoldOutputs

    def columns(self, scoring: Scoring) -> dict[str, np.ndarray]:
        """Return the fold values of every metric, then of sizes and times, by name; each has the
        shape (methods, folds)."""
        of_folds = self.outputs.folds
        values_by_metric: dict[str, np.ndarray] = {}
        for name, scorer in scoring.items():
            if not isinstance(scorer, Scorer):
                values_by_metric[name] = of_folds[f"scored {name}"]
            elif scorer.metric.needs == "tree":
                values_by_metric[name] = of_folds[f"sizes {scorer.metric.name}"]
            else:
                values_by_metric[name] = self.score(scorer)
        rest = {name: of_folds[f"sizes {name}"] for name in SIZES}
        if self.data.task == "classification":
            is_whole = (self.outputs.predictions >= 0).all()
            none = np.zeros(of_folds["seconds"].shape)
            rest["unclassified"] = (
                none if is_whole else unclassified_rate_from_confusion(self.counts)
            )
        rest["seconds"] = of_folds["seconds"]
        for name, values in rest.items():
            values_by_metric.setdefault(name, values)
        return values_by_metric

    @cached_property
    def truth(self) -> np.ndarray:
        """True class codes or numbers of the test rows of all folds, shape (test rows,), in the
        order of the predictions."""
        return self.data.target[self.folds.test_rows]

    @cached_property
    def counts(self) -> np.ndarray:
        """Confusion counts, shape (methods, folds, k, k + 1); rows are true classes, and the last
        column counts rows without a prediction."""
        n_folds, k = len(self.folds.pairs), len(self.data.classes)
        groups = np.repeat(np.arange(n_folds), self.folds.test_sizes)
        return confusion_counts(
            self.truth, self.outputs.predictions, k, groups=groups, n_groups=n_folds
        )

    @cached_property
    def prior(self) -> np.ndarray:
        """The class probabilities of the training rows, for each test row, (test rows, k).
        Information metrics compare predictions with these, so a fold's test rows take no part in
        them."""
        codes, k = self.data.target, len(self.data.classes)
        counts = (np.bincount(codes[train], minlength=k) for train, _ in self.folds.pairs)
        return np.repeat(np.array([*map(class_prior, counts)]), self.folds.test_sizes, axis=0)

    def score(self, scorer: Scorer) -> np.ndarray:
        """Return the values of a metric in its own orientation, shape (methods, folds). Raises
        ValueError if it needs probabilities that were not computed."""
        # There are three cases: the metric is computed from confusion counts, from single rows, or
        # from the rows of a fold.
        metric, options = scorer.metric, _options(scorer, self.data.classes)
        if metric.from_confusion is not None:
            return np.asarray(metric.from_confusion(self.counts, **options), dtype=np.float64)
        rows_of = self.outputs.predictions if metric.needs == "numbers" else self.outputs.proba
        if rows_of is None:
            raise ValueError(f"{metric.name} needs class probabilities, which were not computed")
        if metric.per_row is not None:
            prior = scorer.options.get("prior")
            if metric.uses_prior and prior is None:
                prior = self.prior
            elif isinstance(prior, str):
                prior = np.full(len(self.data.classes), 1.0 / len(self.data.classes))
            elif prior is not None:
                prior = np.asarray(prior, dtype=np.float64)
            rows = [metric.per_row(self.truth, proba, prior, **options) for proba in rows_of]
            return (
                np.add.reduceat(np.array(rows), self.folds.starts, axis=1) / self.folds.test_sizes
            )
        if metric.from_rows is None:
            raise ValueError(f"{metric.name} cannot be computed from predictions")
        stops = self.folds.starts + self.folds.test_sizes
        return np.array(
            [
                [
                    metric.from_rows(self.truth[start:stop], predicted[start:stop], **options)
                    for start, stop in zip(self.folds.starts, stops, strict=True)
                ]
                for predicted in rows_of
            ]
        )

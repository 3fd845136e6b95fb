"""The parts of `advise` that differ for classes, for a number and for a metric that is asked for:
how predictions are judged, which constants a tree has to beat, and the words of the advice.

The rest of the flow (screening, candidates on shared folds, choice, correction) is one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from .._checks.aliases import Task
from .._checks.words import counted, option, worded
from ..estimators import FastTreeClassifier, FastTreeRegressor
from ..metrics.constant import best_constant
from ..metrics.rare import RareClass, few_rows
from ..metrics.scorers import Scorer
from ..model_selection.scoring import (
    greater_is_better,
    resolve_scoring,
    scoring_for_task,
    tasks_of,
)
from ..table import Table
from .candidates import Candidate

NO_SPLIT: dict[str, Any] = {"max_leaf_nodes": 2, "min_score": 1e300}
"""Parameters of a tree that is a single leaf: a constant."""

LIKE_ACCURACY = ("accuracy", "error_rate", "unclassified_rate")
"""Metrics of labels for which each row counts the same."""


class RequestedMetric(NamedTuple):
    """The metric that the argument `scoring` of `advise` asks for, resolved to one name and one
    scorer. The task may still be open: some metrics are of classes and numbers."""

    name: str
    scorer: Any
    """A `Scorer`, or a function (estimator, X, y)."""

    @classmethod
    def of(cls, scoring: Any) -> RequestedMetric:
        """The metric of the argument `scoring`: a name, a scorer, or a function. Raises ValueError
        for several metrics, since candidates need one order.

        Examples:
            >>> RequestedMetric.of("f1").name, RequestedMetric.of(Scorer("f_beta", beta=2)).name
            ('f1', 'f_beta')
        """
        resolved = resolve_scoring(scoring)
        if len(resolved) != 1:
            raise ValueError(
                f"scoring names {', '.join(resolved)}: candidates are compared by one metric"
            )
        ((name, scorer),) = resolved.items()
        return cls(scorer.metric.name if isinstance(scoring, Scorer) else name, scorer)

    @property
    def task(self) -> Task | None:
        """``"regression"`` if the metric compares numbers, else None: the task then follows from
        the target."""
        return "regression" if tasks_of({self.name: self.scorer}) == {"regression"} else None

    @property
    def shared(self) -> dict[str, Any]:
        """Parameters that trees need for it: the costs of errors, and probabilities that are never
        0 or 1."""
        if not isinstance(self.scorer, Scorer):
            response = getattr(self.scorer, "_response_method", "predict")
            return {} if response == "predict" else {"leaf_smoothing": "laplace"}
        if self.scorer.metric.needs in ("proba", "scores"):
            return {"leaf_smoothing": "laplace"}
        costs = self.scorer.options.get("cost_matrix")
        return {} if costs is None else {"cost_matrix": np.asarray(costs).tolist()}

    @property
    def weighs_classes(self) -> bool:
        """Whether it reads labels and counts errors otherwise than the accuracy does, so that
        weights of classes or a threshold may raise it.

        Examples:
            >>> RequestedMetric.of("f1").weighs_classes, RequestedMetric.of("auc").weighs_classes
            (True, False)
        """
        if isinstance(self.scorer, Scorer):
            metric = self.scorer.metric
            return metric.needs == "labels" and metric.name not in LIKE_ACCURACY
        return getattr(self.scorer, "_response_method", "predict") == "predict"


class _Judge(ABC):
    """The base class of the judges of tasks and metrics."""

    estimator: Any
    metric: str
    """The metric of `cross_validate`, and the name of the quality in records."""
    without: str
    """The word for the target of a row, "class" or "number", in notes on rows without one."""
    header: str
    """The metric as the head of a column."""
    measure: str
    """The metric in a sentence."""
    has_rows: ClassVar[bool] = True
    """Whether each prediction has a quality of its own, else only the rows of a fold together."""

    scale: float
    """The metric is this times the quality, which has no unit, so that squares do not overflow."""

    price: float = math.inf
    share: float = math.inf
    """Quality that a smaller tree may cost, at most, beside one standard error; the same as a share
    of the best quality."""
    facts: dict[str, Any]
    """The constant and its quality, as attributes of the advice."""
    shared: dict[str, Any]
    """Parameters that all trees have."""
    scorer: Any = None
    """The metric that is asked for; None: the metric of the task."""
    weighs_classes: bool = False
    """Whether weights of classes and a threshold may raise the metric."""
    otherwise: str | None = None
    """A second metric, by which trees may be better than a constant where they are not by the first
    one."""
    answers: Sequence[Any] = ()
    """The classes of the rows by the recommended tree, where one is rare."""
    rare: RareClass | None = None
    """The rare class, if there is one."""

    def __init__(self, table: Table, truth: np.ndarray, tested: np.ndarray) -> None:
        self.target, self.truth, self.shared = table.target, truth, {}
        self.tested = truth[tested]
        self.is_constant = bool(self.tested.min() == self.tested.max())
        self.where = "" if len(tested) == len(table) else " of the tested rows"

    @property
    def scoring(self) -> Any:
        """The argument `scoring` of `cross_validate`."""
        return self.metric

    @abstractmethod
    def constant_phrase(self, candidate: str) -> str:
        """The constant to use where no tree is better, `candidate` the best one."""

    def no_tree(self, candidate: str, told: str = "") -> str:
        """A sentence that no tree is better than the best constant, `candidate`. `told` names
        another measure by which the columns are informative."""
        if self.is_constant and self.has_rows:
            return (
                f"All tested rows have the same {self.without}, so no tree can be better than "
                f"{self.constant_phrase(candidate)}: choose folds that test more than one "
                f"{self.without} ({option('cv')})."
            )
        than = f"better than {self.constant_phrase(candidate)}"
        if told:
            return f"By {self.measure} no tree is clearly {than}. {told}"
        by = "" if self.scorer is None else f", by {self.measure},"
        return f"No tree is {than}{by} by more than chance allows: use no tree, or other columns."

    def by_class(self, truth: np.ndarray, predicted: Any) -> dict[str, float]:
        """Further measures of out-of-fold predictions, for a record."""
        return {}

    def of_rare(self, row: Mapping[str, Any]) -> str:
        """A sentence on the rare class, with a space before it; "" without one."""
        return ""


class ClassJudge(_Judge):
    """Judges predictions of classes by their accuracy. The constant to beat is the most frequent
    class."""

    estimator = FastTreeClassifier
    metric, scale, without = "accuracy", 1.0, "class"
    header, measure, price = "accuracy (%)", "accuracy", 0.01
    otherwise = "auc"

    def __init__(self, table: Table, tested: np.ndarray) -> None:
        super().__init__(table, table.y_codes, tested)
        self.facts = best_constant(self.tested, table.classes)
        self.label, self.majority = self.facts["majority_class"], self.facts["majority"]
        self.place = list(table.classes).index(self.label)
        counts = np.bincount(self.truth, minlength=len(table.classes))
        self.few = few_rows(counts, table.classes)
        if not self.few:
            self.rare = RareClass.of(counts, table.classes)

    def constants(self) -> list[tuple[Candidate, Any]]:
        """The most frequent class as a candidate of one leaf, with its class code, which is what
        the tree would predict for every row."""
        return [(Candidate("majority class", None, None, None, dict(NO_SPLIT)), self.place)]

    def quality(self, truth: np.ndarray, predicted: Any) -> np.ndarray:
        """1.0 where a predicted class code is right, else 0.0, so that the mean is the accuracy."""
        return np.asarray(predicted == truth, dtype=np.float64)

    def format(self, value: float) -> str:
        """An accuracy in percent, with one digit after the point and without a sign for percent."""
        return f"{100 * value:.1f}"

    def bar_length(self, row: Mapping[str, Any]) -> float:
        """The length of a candidate's bar in the table: its accuracy, in [0, 1]."""
        return float(row["accuracy"])

    def target_text(self) -> str:
        """A note on the target: its name and its most frequent class, with the share of rows in
        percent."""
        return (
            f"target {self.target!r}; most frequent class{self.where}: {self.label!r}, "
            f"{self.format(self.majority)} %."
        )

    def sentence(self, candidate: str, leaves: int, value: float, error: float) -> str:
        """The recommendation of a tree, with its accuracy on new rows and the difference to the
        most frequent class in percentage points. `value`, `error`: shares in [0, 1]."""
        return (
            f"Use {candidate}: {counted(leaves, 'leaf')}, about {self.format(value)} % right on "
            f"new rows (standard error {self.format(error)}; always answering {self.label!r} is "
            f"right in {self.format(self.majority)} %, so "
            f"{100 * (value - self.majority):+.1f} points)."
        )

    def in_words(self, value: float) -> str:
        """An accuracy in [0, 1] as a phrase: the percentage of right answers."""
        return f"{self.format(value)} % right"

    def constant_phrase(self, candidate: str) -> str:
        """A phrase for the constant answer: the most frequent class and its share of the rows in
        percent. `candidate` is not read, as there is one constant only."""
        return f"always answering {self.label!r} ({self.format(self.majority)} % of the rows)"

    def by_class(self, truth: np.ndarray, predicted: Any) -> dict[str, float]:
        """Recall and precision of the rare class, in [0, 1], from class codes; empty if no class is
        rare."""
        return {} if self.rare is None else self.rare.found(truth, predicted)

    def of_rare(self, row: Mapping[str, Any]) -> str:
        """How much of the rare class the choice finds, and the metric to choose by; or which
        classes have too few rows."""
        if self.rare is None:
            return self.few and f" {self.few}"
        ways = self.rare.proposals()
        metrics = [worded(f"scoring={python}", f"`--metric {shell}`") for python, shell in ways]
        return (
            f"{self.rare_found(row)} The accuracy says little about this class; to choose by it: "
            f"{' or '.join(metrics)}."
        )

    def rare_found(self, row: Mapping[str, Any]) -> str:
        """A sentence, with a space before it, on the share of the rare class that the out-of-fold
        predictions find, or that no leaf of the tree predicts it. A rare class must exist."""
        assert self.rare is not None
        if self.rare.label not in self.answers:
            return f" {self.rare.head()}: no leaf of this tree says so, and none of these is found."
        return (
            f" {self.rare.sentence(row['recall'], row['precision'])} Both are of the out-of-fold "
            "predictions and, unlike the value above, not corrected for the choice: expect a "
            "little less."
        )


class MetricJudge(_Judge):
    """Judges predictions by a metric that is asked for, with one value per fold and none per row.
    `base` is the default judge of the task, which has the constants and the words."""

    has_rows = False

    def __init__(self, table: Table, base: Judge, asked: RequestedMetric) -> None:
        super().__init__(table, base.truth, np.arange(len(table)))
        scoring = scoring_for_task({asked.name: asked.scorer}, table.task)
        self.base, self.scorer = base, asked.scorer
        self.estimator, self.without, self.facts = base.estimator, base.without, base.facts
        self.metric = self.header = self.measure = asked.name
        self.scale = 1.0 if greater_is_better(asked.name, scoring) else -1.0
        self.shared, self.rare = asked.shared, base.rare
        self.weighs_classes = table.task == "classification" and asked.weighs_classes
        self.otherwise = base.otherwise if self.weighs_classes else None

    @property
    def scoring(self) -> Any:
        """The argument `scoring` of `cross_validate`: the scorer under its name, so that the scores
        of the result have this name."""
        return {self.metric: self.scorer}

    def constants(self) -> list[tuple[Candidate, Any]]:
        """The constants of the task, as trees of one leaf that have the parameters of all
        candidates; a constant is scored by folds as a tree is."""
        return [
            (replace(one, params={**one.params, **self.shared}), value)
            for one, value in self.base.constants()
        ]

    def quality(self, truth: np.ndarray, predicted: Any) -> np.ndarray:
        """Raise NotImplementedError: a metric of a whole fold has no value for a single prediction,
        and `has_rows` is False."""
        raise NotImplementedError

    def format(self, value: float) -> str:
        """A value of the metric with three digits after the point, or three significant ones if it
        is small or large."""
        return f"{value:.3f}" if 1e-2 <= abs(value) < 1e3 or value == 0 else f"{value:.3g}"

    def _bounds(self) -> tuple[float, float]:
        """The least and the largest value of the metric; infinite where they are not known."""
        if not isinstance(self.scorer, Scorer):
            return -math.inf, math.inf
        return self.scorer.metric.minimum, self.scorer.metric.maximum

    def bar_length(self, row: Mapping[str, Any]) -> float:
        """The length of a candidate's bar in the table: where its value lies between the bounds of
        the metric, 0 for the worst and 1 for the best; 0 if the metric has no finite bounds."""
        low, high = self._bounds()
        if not math.isfinite(high - low):
            return 0.0
        share = (float(row[self.metric]) - low) / (high - low)
        return min(1.0, max(0.0, share if self.scale > 0 else 1.0 - share))

    def target_text(self) -> str:
        """A note on the target, which the judge of the task words: it does not depend on the
        metric."""
        return self.base.target_text()

    def sentence(self, candidate: str, leaves: int, value: float, error: float) -> str:
        """The recommendation of a tree, with the metric on new rows and whether larger values are
        better. `value`, `error`: in the unit and the orientation of the metric."""
        return (
            f"Use {candidate}: {counted(leaves, 'leaf')}, {self.measure} about "
            f"{self.format(value)} on new rows (standard error {self.format(error)}; "
            f"{'larger' if self.scale > 0 else 'smaller'} is better)."
        )

    def in_words(self, value: float) -> str:
        """A value of the metric and the name of the metric, as a phrase."""
        return f"{self.format(value)} by {self.measure}"

    def constant_phrase(self, candidate: str) -> str:
        """A phrase for a constant answer, with the constant's name; its value by the metric is in
        the table."""
        return f"the constant ({candidate})"

    def by_class(self, truth: np.ndarray, predicted: Any) -> dict[str, float]:
        """The accuracy of out-of-fold predictions of classes, in [0, 1], with recall and precision
        of a rare class. The accuracy is left out where it is the metric, and for a number."""
        if self.estimator is not FastTreeClassifier or self.metric == "accuracy":
            return self.base.by_class(truth, predicted)
        accuracy = float(self.base.quality(truth, predicted).mean())
        return {"accuracy": accuracy, **self.base.by_class(truth, predicted)}

    def of_rare(self, row: Mapping[str, Any]) -> str:
        """A sentence on the recall and precision of the rare class, with a space before it; ""
        without a rare class. It proposes no metric, as the caller has named one."""
        if isinstance(self.base, ClassJudge) and self.rare:
            self.base.answers = self.answers
            return self.base.rare_found(row)
        return ""


class NumberJudge(_Judge):
    """Judges predictions of a number by the mean absolute error, in the unit of the target. The
    constants to beat are the mean and, where it is clearly better, the median."""

    estimator = FastTreeRegressor
    metric, without = "mae", "number"
    header, measure, share = "MAE", "mean absolute error", 0.02

    def __init__(self, table: Table, tested: np.ndarray) -> None:
        super().__init__(table, table.numbers, tested)
        numbers = self.tested
        weights = None if table.exposure is None else table.exposure[tested]
        self.facts = best_constant(numbers, exposure=weights)
        self.mean = self.facts["mean"]
        self.median = float(np.median(numbers))
        self.are_rates = table.exposure is not None
        self.otherwise = None if self.are_rates else "r2"
        median_error = float(np.abs(numbers - self.median).mean())
        self.errors = {"mean": self.facts["mae_of_mean"], "median": median_error}
        self.scale = -(self.errors["mean"] or 1.0)

    def constants(self) -> list[tuple[Candidate, Any]]:
        """The mean; and the median, which has the least absolute error of all constants, where it
        is better by more than one standard error of the difference."""
        if self.are_rates:  # the counts of all rows per their exposures together
            return [(_constant("the mean", "poisson"), self.mean)]
        found = [(_constant("the mean", "squared_error"), self.mean)]
        gains = self.quality(self.tested, self.median) - self.quality(self.tested, self.mean)
        if gains.mean() > gains.std() / math.sqrt(len(gains)):
            found.append((_constant("the median", "absolute_error"), self.median))
        return found

    def quality(self, truth: np.ndarray, predicted: Any) -> np.ndarray:
        """Negative absolute errors as multiples of the mean absolute error of the target's mean: 0
        is perfect, -1 is as bad as the mean is on average."""
        return np.abs(np.asarray(predicted - truth, dtype=np.float64)) / self.scale

    def format(self, value: float) -> str:
        """A number in the unit of the target, with three significant digits, or with all digits
        before the point; very small and large numbers are in scientific notation."""
        if not 1e-4 < abs(value) < 1e12:
            return f"{value:.3g}"
        return f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"

    def bar_length(self, row: Mapping[str, Any]) -> float:
        """The length of a candidate's bar in the table: the share of the mean's absolute error that
        it saves. Negative if it is worse than the mean; 0 if the mean has no error."""
        if not self.errors["mean"]:
            return 0.0
        return 1.0 - float(row["mae"]) / self.errors["mean"]

    def target_text(self) -> str:
        """A note on the target: its name, its mean, how far the mean is off on average, and its
        median."""
        return (
            f"target {self.target!r}, a number: mean{self.where} {self.format(self.mean)}, which "
            f"is {self.format(self.errors['mean'])} off on average; "
            f"median {self.format(self.median)}."
        )

    def sentence(self, candidate: str, leaves: int, value: float, error: float) -> str:
        """The recommendation of a tree, with its mean absolute error on new rows in the unit of the
        target, and how much better than the mean that is. `value`, `error`: in the unit of the
        target."""
        gain = round(100 * self.bar_length({"mae": value}))
        than = f"{abs(gain)} % {'better' if gain >= 0 else 'worse'}"
        return (
            f"Use {candidate}: {counted(leaves, 'leaf')}, on new rows about {self.format(value)} "
            f"off, {than} than always saying the mean (mean absolute error in the unit of "
            f"{self.target!r}, standard error {self.format(error)}; the mean, "
            f"{self.format(self.mean)}, is {self.format(self.errors['mean'])} off)."
        )

    def in_words(self, value: float) -> str:
        """A mean absolute error as a phrase, in the unit of the target."""
        return f"{self.format(value)} off"

    def constant_phrase(self, candidate: str) -> str:
        """A phrase for the constant answer `candidate` (the mean or the median), with its mean
        absolute error; for the median also the mean's."""
        name = candidate.removeprefix("the ")
        value = {"mean": self.mean, "median": self.median}[name]
        other = (
            ""
            if name == "mean"
            else f"; the mean, {self.format(self.mean)}, is {self.format(self.errors['mean'])} off"
        )
        return (
            f"always saying {candidate}, {self.format(value)} (about "
            f"{self.format(self.errors[name])} off{other})"
        )


Judge: TypeAlias = "ClassJudge | MetricJudge | NumberJudge"
"""How a task is judged, and how the advice on it is worded."""


def _constant(name: str, criterion: str) -> Candidate:
    """A tree of one leaf, which predicts the mean or the median by its criterion."""
    return Candidate(name, None, None, None, {"criterion": criterion, **NO_SPLIT})


def judge_of(
    table: Table, asked: RequestedMetric | None = None, tested: np.ndarray | None = None
) -> Judge:
    """The judge of the task of a Table, by the metric that is asked for or by the default metric of
    the task. Trees on a number of two values are compared by the root mean squared error.

    Args:
        table: rows.
        asked: the metric; None: the default metric of the task.
        tested: numbers of the rows that folds test, from which the constants are computed; None:
            all.

    Examples:
        >>> judge_of(Table([[0.5], [1.5]], [20.0, 23.0], task="regression")).target_text()
        "target 'y', a number: mean 21.5, which is 1.50 off on average; median 21.5."
    """
    tested = np.arange(len(table)) if tested is None else tested
    base: Judge = (NumberJudge if table.task == "regression" else ClassJudge)(table, tested)
    # If the target has two values, the more frequent one has the least absolute error in nearly
    # every leaf.
    if asked is None and isinstance(base, NumberJudge) and not base.are_rates:
        asked = RequestedMetric.of("rmse") if len(np.unique(base.truth)) == 2 else None
    if asked is None or asked.scorer == Scorer(base.metric):
        return base
    return MetricJudge(table, base, asked)

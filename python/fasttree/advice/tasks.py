"""What `advise` does otherwise for classes and for a number: how predictions are judged, which
constants a tree has to beat, and the words of the advice.

The rest of the flow (screening, candidates on shared folds, choice, correction) is one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..estimators import FastTreeClassifier, FastTreeRegressor
from ..table import Table
from .candidates import Candidate

__all__ = ["Judge", "OfClasses", "OfNumbers", "judge_of"]

NO_SPLIT: dict[str, Any] = {"max_leaf_nodes": 2, "min_score": 1e300}
"""Parameters of a tree that is a single leaf: a constant."""


class Judge(ABC):
    """How a task is judged, and how the advice on it is worded."""

    estimator: ClassVar[Any]
    metric: ClassVar[str]
    """The metric of `cross_validate`, and the name of the quality in records."""
    without: ClassVar[str]
    """What a row without a target lacks."""
    header: ClassVar[str]
    """The metric as the head of a column."""
    measure: ClassVar[str]
    """The metric in a sentence."""

    scale: float
    """The metric is this times the quality, which has no unit, so that squares do not overflow."""

    facts: dict[str, Any]
    """The constant and its quality, as attributes of the advice."""

    def __init__(self, table: Table, truth: np.ndarray) -> None:
        self.target, self.truth = table.target, truth

    @abstractmethod
    def constants(self) -> list[tuple[Candidate, Any]]:
        """The constants that a tree has to beat, and what each predicts."""

    @abstractmethod
    def quality(self, truth: np.ndarray, predicted: Any) -> np.ndarray:
        """Quality of each prediction; larger is better."""

    @abstractmethod
    def shown(self, value: float) -> str:
        """A value of the metric, or its standard error, as text."""

    @abstractmethod
    def share(self, row: Mapping[str, Any]) -> float:
        """A row of the table as a share of the perfect one, for a bar."""

    @abstractmethod
    def target_text(self) -> str:
        """The target and its constant, as a note."""

    @abstractmethod
    def sentence(self, candidate: str, leaves: int, value: float, error: float) -> str:
        """What to use and what to expect; `candidate` has `leaves` leaves."""

    @abstractmethod
    def no_tree(self, candidate: str) -> str:
        """That no tree is better than a constant, `candidate` the best one."""


class OfClasses(Judge):
    """Accuracy, against that of the most frequent class."""

    estimator = FastTreeClassifier
    metric, scale, without = "accuracy", 1.0, "class"
    header, measure = "accuracy (%)", "accuracy"

    def __init__(self, table: Table) -> None:
        super().__init__(table, table.y_codes)
        counts = np.bincount(self.truth, minlength=len(table.classes))
        self.place = int(counts.argmax())
        self.label, self.majority = table.classes[self.place], float(counts.max()) / len(table)
        self.facts = {"majority": self.majority, "majority_class": self.label}

    def constants(self) -> list[tuple[Candidate, Any]]:
        """The most frequent class."""
        return [(Candidate("majority class", None, None, None, NO_SPLIT), self.place)]

    def quality(self, truth: np.ndarray, predicted: Any) -> np.ndarray:
        """1 where a prediction is right, else 0."""
        return np.asarray(predicted == truth, dtype=np.float64)

    def shown(self, value: float) -> str:
        """In percent."""
        return f"{100 * value:.1f}"

    def share(self, row: Mapping[str, Any]) -> float:
        """The accuracy."""
        return float(row["accuracy"])

    def target_text(self) -> str:
        """The target and its most frequent class."""
        return (
            f"target {self.target!r}; most frequent class: {self.label!r}, "
            f"{self.shown(self.majority)} %."
        )

    def sentence(self, candidate: str, leaves: int, value: float, error: float) -> str:
        """With the accuracy on new rows."""
        return (
            f"Use {candidate}: {_leaves(leaves)}, about {self.shown(value)} % right on new rows "
            f"(standard error {self.shown(error)}; always answering {self.label!r} is right in "
            f"{self.shown(self.majority)} %, so {100 * (value - self.majority):+.1f} points)."
        )

    def no_tree(self, candidate: str) -> str:
        """That the most frequent class is as good."""
        return (
            f"No tree is better than always answering {self.label!r} ({self.shown(self.majority)} "
            "% of the rows) by more than one standard error, or none is small enough: use no tree, "
            "or other columns."
        )


class OfNumbers(Judge):
    """Mean absolute error, in the unit of the target, against that of the mean."""

    estimator = FastTreeRegressor
    metric, without = "mae", "number"
    header, measure = "MAE", "mean absolute error"

    def __init__(self, table: Table) -> None:
        super().__init__(table, table.numbers)
        numbers = self.truth
        self.mean, self.median = float(numbers.mean()), float(np.median(numbers))
        self.errors = {
            name: float(np.abs(numbers - value).mean())
            for name, value in (("mean", self.mean), ("median", self.median))
        }
        self.scale = -(self.errors["mean"] or 1.0)
        self.facts = {"mean": self.mean, "mae_of_mean": self.errors["mean"]}

    def constants(self) -> list[tuple[Candidate, Any]]:
        """The mean; and the median, which has the least absolute error of all constants, where it
        is better by more than one standard error of the difference."""
        found = [(_constant("the mean", "squared_error"), self.mean)]
        gains = self.quality(self.truth, self.median) - self.quality(self.truth, self.mean)
        if gains.mean() > gains.std() / math.sqrt(len(gains)):
            found.append((_constant("the median", "absolute_error"), self.median))
        return found

    def quality(self, truth: np.ndarray, predicted: Any) -> np.ndarray:
        """Negative absolute errors as multiples of that of the mean."""
        return np.abs(np.asarray(predicted - truth, dtype=np.float64)) / self.scale

    def shown(self, value: float) -> str:
        """With three digits or all before the point."""
        if not 1e-4 < abs(value) < 1e12:
            return f"{value:.3g}"
        return f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"

    def share(self, row: Mapping[str, Any]) -> float:
        """How much better than the mean."""
        return 1.0 - float(row["mae"]) / self.errors["mean"]

    def target_text(self) -> str:
        """The target and its mean."""
        return (
            f"target {self.target!r}, a number: mean {self.shown(self.mean)}, which is "
            f"{self.shown(self.errors['mean'])} off on average; median {self.shown(self.median)}."
        )

    def sentence(self, candidate: str, leaves: int, value: float, error: float) -> str:
        """With the mean absolute error on new rows."""
        gain = round(100 * self.share({"mae": value}))
        than = f"{abs(gain)} % {'better' if gain >= 0 else 'worse'}"
        return (
            f"Use {candidate}: {_leaves(leaves)}, on new rows about {self.shown(value)} off, "
            f"{than} than always saying the mean (mean absolute error in the unit of "
            f"{self.target!r}, standard error {self.shown(error)}; the mean, "
            f"{self.shown(self.mean)}, is {self.shown(self.errors['mean'])} off)."
        )

    def no_tree(self, candidate: str) -> str:
        """That the mean, or the median, is as good."""
        name = candidate.removeprefix("the ")
        value = {"mean": self.mean, "median": self.median}[name]
        other = (
            ""
            if name == "mean"
            else f"; the mean, {self.shown(self.mean)}, is {self.shown(self.errors['mean'])} off"
        )
        return (
            f"No tree is better than always saying {candidate}, {self.shown(value)} (about "
            f"{self.shown(self.errors[name])} off{other}), by more than one standard error, or "
            "none is small enough: use no tree, or other columns."
        )


def _constant(name: str, criterion: str) -> Candidate:
    """A tree of one leaf, which predicts the mean or the median by its criterion."""
    return Candidate(name, None, None, None, {"criterion": criterion, **NO_SPLIT})


def _leaves(count: int) -> str:
    return f"{count} {'leaf' if count == 1 else 'leaves'}"


def judge_of(table: Table) -> Judge:
    """The judge of the task of a Table.

    Examples:
        >>> judge_of(Table([[0.5], [1.5]], [20.0, 23.0], task="regression")).target_text()
        "target 'y', a number: mean 21.5, which is 1.50 off on average; median 21.5."
    """
    return OfNumbers(table) if table.task == "regression" else OfClasses(table)

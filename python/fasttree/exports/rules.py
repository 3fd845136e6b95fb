"""A fitted tree as rules, one per leaf: conditions, class or number, coverage and quality.

What
    Conditions of a path on the same feature are merged: ``x > 2`` and ``x <= 5`` become ``2 < x <=
    5``. Conditions that hold for every value are left out. A row meets the conditions of exactly
    one rule, so the order of the rules has no meaning. Where missing values go down several
    branches, a row without a value meets several rules, each with a fraction of its weight.
    Coverage is the weight of the training rows in the leaf, support its share of all training rows,
    confidence the share of the rule's class in the leaf. The rule of a number has the standard
    deviation of the leaf in its place.
Complexity
    O(nodes + leaves x features tested on their paths): a chain of 20,000 tests of one feature gives
    20,001 rules of at most two comparisons.
When not to use it
    To get fewer or more general rules than leaves: prune the tree first.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, overload

from .._checks.plain_text import one_line
from .._checks.words import counted
from .answers import Label, amount, figures, number
from .reading import Feature, Reading, ValueSet
from .tables.html import html_table
from .words import MAX_LEVELS, condition

MOST_SHOWN = 100
"""Rules that a notebook shows."""


@dataclass(frozen=True)
class Condition:
    """The condition of a rule on one feature.

    Attributes:
        feature: name of the column.
        lower, upper: numbers x with ``lower < x <= upper``; None for an open end and for nominal
            features.
        levels: declared levels that meet it; None for numbers.
        missing: share in [0, 1] of a row without a value that meets it.
        known: False if only rows without a value meet it.
    """

    feature: str
    lower: float | None
    upper: float | None
    levels: tuple[Label, ...] | None
    missing: float
    known: bool
    _source: tuple[Feature, ValueSet] = field(repr=False, compare=False)

    @classmethod
    def of(cls, feature: Feature, subset: ValueSet) -> Condition:
        """The condition that a value of a feature belongs to a set.

        Args:
            feature: the feature.
            subset: the set.
        """
        levels = None
        if subset.codes is not None:
            levels = tuple((feature.levels or ())[c] for c in sorted(subset.codes))
        numeric = subset.codes is None and not subset.empty
        return cls(
            feature.name,
            subset.lower if numeric and subset.lower != -math.inf else None,
            subset.upper if numeric and subset.upper != math.inf else None,
            levels,
            subset.missing,
            not subset.empty,
            (feature, subset),
        )

    def to_text(
        self, decimals: int = 6, missing: bool = False, max_levels: int | None = None
    ) -> str:
        """The condition as text: ``2 < petal width <= 5``, ``outlook in {rainy, sunny}``.

        Args:
            decimals: digits of thresholds behind the point, at most.
            missing: whether the text says that missing values meet the condition.
            max_levels: longer lists of levels are shortened; None: no list is.
        """
        return one_line(condition(*self._source, decimals, missing, max_levels))

    def record(self) -> dict[str, Any]:
        """The condition as plain values for JSON: `feature`, `lower`, `upper`, `levels` (a list or
        None), `missing` and `known`. An end that is infinite is None."""
        keys = ("feature", "lower", "upper", "levels", "missing", "known")
        record = {key: getattr(self, key) for key in keys}
        record["levels"] = None if self.levels is None else list(self.levels)
        return record


@dataclass(frozen=True)
class _LeafRule(ABC):
    """The base class of the rules of classes and of numbers.

    Attributes:
        columns: fields of the prediction, the coverage and the quality.
    """

    columns: ClassVar[tuple[str, ...]]

    leaf: int
    conditions: tuple[Condition, ...]
    coverage: float
    support: float
    weighed: bool = field(default=False, kw_only=True, repr=False, compare=False)

    @abstractmethod
    def _answer(self) -> tuple[str, str]:
        """The prediction, and the quality of a leaf with rows, as texts."""

    def to_text(
        self, decimals: int = 6, missing: bool = False, max_levels: int | None = None
    ) -> str:
        """The rule on one line.

        Args:
            decimals: digits of thresholds behind the point, at most.
            missing: whether conditions say that missing values meet them.
            max_levels: longer lists of levels are shortened; None: no list is.
        """
        texts = (c.to_text(decimals, missing, max_levels) for c in self.conditions)
        conditions = " and ".join(texts) or "always"
        answer, quality = self._answer()
        rows = "no rows"
        if self.coverage > 0:
            rows = f"{amount(self.coverage, weighed=self.weighed)}, {quality}"
        return f"if {conditions} then {answer}  [{rows}]"

    def __str__(self) -> str:
        return self.to_text()

    def row(self) -> dict[str, Any]:
        """The prediction, coverage and quality, as fields of a row of `Rules.to_frame`."""
        return {name: getattr(self, name) for name in self.columns}

    def record(self) -> dict[str, Any]:
        """The rule as plain values; what is not known is None."""
        known = {
            key: None if isinstance(value, float) and math.isnan(value) else value
            for key, value in self.row().items()
        }
        return {
            "leaf": self.leaf,
            "conditions": [c.record() for c in self.conditions],
            **known,
        }


@dataclass(frozen=True)
class Rule(_LeafRule):
    """The rule of one leaf.

    Attributes:
        leaf: node number of the leaf.
        conditions: conditions that a row must meet, in the order in which the path first tests
            their features.
        label: predicted class, None if nothing is predicted.
        coverage: weight of the training rows that reach the leaf.
        weighed: whether that is a weight and no number of rows.
        support: their share of all training rows, in [0, 1].
        correct: weight of the rows of the predicted class among them.
        confidence: ``correct / coverage``; NaN in an empty leaf.
        probabilities: class probabilities, as `predict_proba` returns them.
    """

    columns = ("label", "coverage", "support", "confidence")

    label: Label | None
    correct: float
    probabilities: tuple[float, ...]

    @property
    def confidence(self) -> float:
        """Share of the predicted class in the training rows of the leaf, by weight, in [0, 1]; NaN
        in an empty leaf."""
        return self.correct / self.coverage if self.coverage > 0 else math.nan

    def _answer(self) -> tuple[str, str]:
        label = "unclassified" if self.label is None else one_line(self.label)
        return label, f"confidence {self.confidence:.3f}"

    def record(self) -> dict[str, Any]:
        """The rule as plain values for JSON, with the class probabilities. A value that is not
        known, such as the confidence of an empty leaf, is None."""
        return {**super().record(), "probabilities": list(self.probabilities)}


@dataclass(frozen=True)
class NumberRule(_LeafRule):
    """The rule of one leaf that predicts a number.

    Attributes:
        leaf, conditions, coverage, support: as in `Rule`.
        value: the predicted number.
        impurity: of the rows of the leaf, by the tree's criterion.
        variance: of their numbers around the mean.
    """

    columns = ("value", "coverage", "support", "impurity", "variance")

    value: float
    impurity: float
    variance: float

    def _answer(self) -> tuple[str, str]:
        return figures(self.value), f"sd {figures(math.sqrt(max(self.variance, 0.0)))}"


AnyRule = Rule | NumberRule


class Rules(Sequence[AnyRule]):
    """The rules of a tree, a sequence of `Rule` or, of a number, of `NumberRule`; prints as text,
    one rule per line.

    Examples:
        >>> import fasttree
        >>> rules = fasttree.fit(fasttree.datasets.load_weather()).to_rules()
        >>> print(rules[0])
        if outlook = sunny and humidity = high then no  [3 rows, confidence 1.000]
        >>> rules.records()[0]["conditions"][1]["levels"]
        ['high']
    """

    def __init__(self, rules: Sequence[AnyRule]) -> None:
        self._rules = list(rules)

    @overload
    def __getitem__(self, index: int) -> AnyRule: ...
    @overload
    def __getitem__(self, index: slice) -> Rules: ...
    def __getitem__(self, index: int | slice) -> AnyRule | Rules:
        return Rules(self._rules[index]) if isinstance(index, slice) else self._rules[index]

    def __len__(self) -> int:
        return len(self._rules)

    def sorted(self) -> Rules:
        """The rules in descending order of coverage; rules of equal coverage keep their order.
        `self` keeps the order of the leaves."""
        return Rules(sorted(self._rules, key=lambda rule: -rule.coverage))

    def to_text(self, decimals: int = 6, missing: bool = False) -> str:
        """The rules as text, one per line.

        Args:
            decimals: digits of numbers after the point.
            missing: whether to write which rules take rows without a value.
        """
        return "".join(rule.to_text(decimals, missing) + "\n" for rule in self._rules)

    def records(self) -> list[dict[str, Any]]:
        """The rules as plain values, ready for JSON: one dictionary per rule, in the order of the
        rules."""
        return [rule.record() for rule in self._rules]

    def to_frame(self) -> Any:
        """The rules as a pandas DataFrame, one row per rule; the conditions are one text, joined by
        "and". Raises ImportError where pandas is not installed."""
        import pandas as pd

        rows = [
            {
                "leaf": rule.leaf,
                "rule": " and ".join(c.to_text() for c in rule.conditions),
                **rule.row(),
            }
            for rule in self._rules
        ]
        return pd.DataFrame(rows)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Rules({len(self)} of them)"

    def _repr_html_(self) -> str:
        """The rules as a table of a notebook: conditions, answer, rows and quality."""
        weighed = any(rule.weighed for rule in self._rules)
        rows = []
        for rule in self._rules[:MOST_SHOWN]:
            answer, quality = rule._answer()
            conditions = " and ".join(c.to_text(max_levels=MAX_LEVELS) for c in rule.conditions)
            quality = quality.partition(" ")[2] if rule.coverage > 0 else ""
            rows.append([conditions or "always", answer, number(rule.coverage, 2), quality])
        is_number = any(isinstance(rule, NumberRule) for rule in self._rules)
        header = ["if", "then", "weight" if weighed else "rows"]
        header.append("sd" if is_number else "confidence")
        more = len(self) - MOST_SHOWN
        notes = [f"and {counted(more, 'further rule')}"] if more > 0 else []
        return html_table(header, rows, title=counted(len(self), "rule"), notes=notes, wrap=(0,))


def to_rules(model: Any, *, empty: bool = True) -> Rules:
    """The rules of a fitted tree, one per leaf, in the order of the nodes.

    Args:
        empty: whether leaves that no training row reached get a rule.

    Examples:
        >>> import fasttree
        >>> print(to_rules(fasttree.fit([[0.0], [1.0]], ["no", "yes"])))
        if x0 <= 0.5 then no  [1 row, confidence 1.000]
        if x0 > 0.5 then yes  [1 row, confidence 1.000]
        <BLANKLINE>
    """
    reading = Reading(model)
    tree, features, weighed = reading.tree, reading.features, reading.answers.weighed
    weights = tree.weighted_n_node_samples
    total = float(weights[0])
    shares = iter(reading.probabilities(reading.leaves).tolist())
    # Conditions repeat from leaf to leaf: each is made once.
    condition_of = cache(lambda feature, subset: Condition.of(features[feature], subset))
    rules: list[AnyRule] = []
    for (leaf, subsets), probabilities in zip(reading.paths(), shares, strict=True):
        coverage = float(weights[leaf])
        if not empty and coverage == 0:
            continue
        conditions = tuple(
            condition_of(feature, subset)
            for feature, subset in subsets.items()
            if subset.missing < 1 or not subset.everything(features[feature])
        )
        found = (leaf, conditions, coverage, coverage / total if total > 0 else 0.0)
        if reading.predicts_number:
            numbers = (float(of[leaf]) for of in (tree.value, tree.impurity, tree.variance))
            rules.append(NumberRule(*found, *numbers, weighed=weighed))
        else:
            label = reading.label[leaf]
            correct = 0.0 if label < 0 else float(tree.value[leaf, label])
            answer = reading.answers.of(leaf)
            rules.append(Rule(*found, answer, correct, tuple(probabilities), weighed=weighed))
    return Rules(rules)

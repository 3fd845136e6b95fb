"""A fitted tree as rules, one a leaf: conditions, class, coverage and confidence.

What
    The conditions of a path that ask for one feature meet in one: ``x > 2`` and ``x <= 5`` is ``2 <
    x <= 5``, conditions that hold for every value are left out. A row meets the conditions of
    exactly one rule, so the order of the rules means nothing. Where missing values go down several
    branches, a row without a value meets several rules, each in part. Coverage is the weight of the
    training rows in the leaf, support its share of all; confidence is the share of the rule's class
    in it.
Complexity
    O(nodes + leaves x features asked for on their paths): a chain of 20,000 tests of one feature
    gives 20,001 rules of at most two comparisons.
When not to use it
    To get fewer or more general rules than leaves: that is pruning.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from .reading import Feature, Label, Part, Reading, number
from .words import condition, one_line

__all__ = ["Condition", "Rule", "Rules", "to_rules"]


@dataclass(frozen=True)
class Condition:
    """What a rule asks of one feature.

    Attributes:
        feature: name of the column.
        lower, upper: numbers x with ``lower < x <= upper``; None where open, and for nominal
            features.
        levels: declared levels that are taken; None for numbers.
        missing: share in [0, 1] of a row without a value that meets it.
        known: False when only rows without a value meet it.
    """

    feature: str
    lower: float | None
    upper: float | None
    levels: tuple[Label, ...] | None
    missing: float
    known: bool
    _said: tuple[Feature, Part] = field(repr=False, compare=False)

    @classmethod
    def of(cls, feature: Feature, part: Part) -> Condition:
        """A part of the values of a feature as a condition."""
        levels = None
        if part.codes is not None:
            levels = tuple((feature.levels or ())[c] for c in sorted(part.codes))
        numeric = part.codes is None and not part.empty
        return cls(
            feature.name,
            part.lower if numeric and part.lower != -math.inf else None,
            part.upper if numeric and part.upper != math.inf else None,
            levels,
            part.missing,
            not part.empty,
            (feature, part),
        )

    def to_text(self, decimals: int = 6, missing: bool = False) -> str:
        """``2 < petal width <= 5``, ``outlook in {rainy, sunny}``."""
        return one_line(condition(*self._said, decimals, missing))

    def record(self) -> dict[str, Any]:
        """The condition as plain values."""
        keys = ("feature", "lower", "upper", "levels", "missing", "known")
        record = {key: getattr(self, key) for key in keys}
        record["levels"] = None if self.levels is None else list(self.levels)
        return record


@dataclass(frozen=True)
class Rule:
    """One leaf.

    Attributes:
        leaf: its node number.
        conditions: what a row must meet, in the order in which the features are first asked for.
        label: predicted class, None where nothing is predicted.
        coverage: weight of the training rows that reach the leaf.
        support: their share in all training rows, in [0, 1].
        correct: weight of those of the predicted class.
        confidence: ``correct / coverage``; NaN in an empty leaf.
        probabilities: of the classes, as `predict_proba` gives them.
    """

    leaf: int
    conditions: tuple[Condition, ...]
    label: Label | None
    coverage: float
    support: float
    correct: float
    probabilities: tuple[float, ...]

    @property
    def confidence(self) -> float:
        """Share of the predicted class in the training rows of the leaf."""
        return self.correct / self.coverage if self.coverage > 0 else math.nan

    def to_text(self, decimals: int = 6, missing: bool = False) -> str:
        """The rule on one line."""
        asked = " and ".join(c.to_text(decimals, missing) for c in self.conditions) or "always"
        said = "unclassified" if self.label is None else one_line(self.label)
        rows = "no rows"
        if self.coverage > 0:
            many = "row" if self.coverage == 1 else "rows"
            rows = f"{number(self.coverage, 2)} {many}, confidence {self.confidence:.3f}"
        return f"if {asked} then {said}  [{rows}]"

    def __str__(self) -> str:
        return self.to_text()

    def record(self) -> dict[str, Any]:
        """The rule as plain values."""
        return {
            "leaf": self.leaf,
            "conditions": [c.record() for c in self.conditions],
            "label": self.label,
            "coverage": self.coverage,
            "support": self.support,
            "confidence": None if self.coverage == 0 else self.confidence,
            "probabilities": list(self.probabilities),
        }


class Rules(Sequence[Rule]):
    """The rules of a tree; prints as text, one rule a line.

    Examples:
        >>> import fasttree
        >>> rules = fasttree.fit(fasttree.datasets.load_weather()).to_rules()
        >>> print(rules[0])
        if outlook = sunny and humidity = high then no  [3 rows, confidence 1.000]
        >>> rules.records()[0]["conditions"][1]["levels"]
        ['high']
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = list(rules)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> Rules: ...
    def __getitem__(self, index: int | slice) -> Rule | Rules:
        return Rules(self._rules[index]) if isinstance(index, slice) else self._rules[index]

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def sorted(self) -> Rules:
        """The rules by falling coverage (leaves of equal coverage in order)."""
        return Rules(sorted(self._rules, key=lambda rule: -rule.coverage))

    def to_text(self, decimals: int = 6, missing: bool = False) -> str:
        """One rule a line.

        Args:
            decimals: digits of numbers.
            missing: say also which rules take rows without a value.
        """
        return "".join(rule.to_text(decimals, missing) + "\n" for rule in self._rules)

    def records(self) -> list[dict[str, Any]]:
        """The rules as plain values, ready for JSON."""
        return [rule.record() for rule in self._rules]

    def to_frame(self) -> Any:
        """One row a rule, as a pandas DataFrame."""
        import pandas as pd

        rows = [
            {
                "leaf": rule.leaf,
                "rule": " and ".join(c.to_text() for c in rule.conditions),
                "label": rule.label,
                "coverage": rule.coverage,
                "support": rule.support,
                "confidence": rule.confidence,
            }
            for rule in self._rules
        ]
        return pd.DataFrame(rows)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Rules({len(self)} of them)"


def to_rules(model: Any, *, empty: bool = True) -> Rules:
    """The rules of a fitted tree, one a leaf in the order of the nodes.

    Args:
        model: a fitted `FastTreeClassifier`.
        empty: also those of leaves that no training row reached.
    """
    reading = Reading(model)
    tree = reading.tree
    weights, counts = tree.weighted_n_node_samples, tree.value
    whole = float(weights[0])
    leaves = reading.leaves
    shares = dict(zip(leaves, reading.probabilities(leaves).tolist(), strict=True))
    # Parts and conditions repeat from leaf to leaf: each is made once.
    made: dict[tuple[int, Part], Condition] = {}
    rules = []
    for leaf, parts in reading.paths():
        coverage = float(weights[leaf])
        if not empty and coverage == 0:
            continue
        conditions = []
        for feature, part in parts.items():
            if part.missing == 1 and part.everything(reading.features[feature]):
                continue
            key = (feature, part)
            if key not in made:
                made[key] = Condition.of(reading.features[feature], part)
            conditions.append(made[key])
        label = reading.label[leaf]
        rules.append(
            Rule(
                leaf,
                tuple(conditions),
                None if label < 0 else reading.classes[label],
                coverage,
                coverage / whole if whole > 0 else 0.0,
                0.0 if label < 0 else float(counts[leaf, label]),
                tuple(shares[leaf]),
            )
        )
    return Rules(rules)

"""A fitted tree as an exporter reads it: branches as sets of values, leaves as conjunctions of
them.

What
    Every branch of every test, whatever its kind, holds a *part* of the values of one feature. A
    part is an interval ``(lower, upper]``, a set of declared levels, and a share of the rows whose
    value is missing. Share 1 means that they come here, 0 that they do not, between that a fraction
    comes. Imputed values, branches of missing values, the heaviest branch and C4.5's fractional
    rows are all told by that share. Levels that were not declared count as missing, and the
    conditions of a path on one feature meet in one part. SQL, rules, C, Python and ONNX are written
    from parts and know no test of the tree.
Complexity
    O(nodes) to read; `Reading.paths` keeps one part per feature and undoes it on the way up, no
    recursion.
When not to use it
    To predict: `FastTreeClassifier.predict` is many times faster than any export.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

__all__ = ["Feature", "Part", "Reading", "number"]

Label = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Feature:
    """A column of the model: name, declared levels (None for numbers), cut points and fill value if
    it has them.

    `named` gives the threshold that people read for an end of a part, where that is another number
    (`TreeArrays.reach`).
    """

    name: str
    levels: tuple[Label, ...] | None
    cuts: tuple[float, ...] | None
    fill: float | int | None
    named: dict[float, float] = field(default_factory=dict)

    def said(self, end: float) -> float:
        """An end of a part as people read it."""
        return self.named.get(end, end)


@dataclass(frozen=True, slots=True)
class Part:
    """A set of values of one feature.

    Attributes:
        lower, upper: numbers x with ``lower < x <= upper`` (infinite where open).
        codes: of a nominal feature, the codes of the levels; None for numbers.
        missing: share in [0, 1] of a row without a value that comes here.

    Examples:
        >>> Part(lower=2.0) & Part(upper=5.0, missing=0.0)
        Part(lower=2.0, upper=5.0, codes=None, missing=0.0)
    """

    lower: float = -math.inf
    upper: float = math.inf
    codes: frozenset[int] | None = None
    missing: float = 1.0

    def __and__(self, other: Part) -> Part:
        """Values in both; shares of missing rows multiply."""
        codes = self.codes if other.codes is None else other.codes
        if self.codes is not None and other.codes is not None:
            codes = self.codes & other.codes
        return Part(
            max(self.lower, other.lower),
            min(self.upper, other.upper),
            codes,
            self.missing * other.missing,
        )

    @property
    def empty(self) -> bool:
        """True when no known value is in it."""
        return not self.codes if self.codes is not None else self.lower >= self.upper

    def everything(self, feature: Feature) -> bool:
        """True when all known values of the feature are in it."""
        if self.codes is not None:
            return len(self.codes) == len(feature.levels or ())
        return self.lower == -math.inf and self.upper == math.inf


class Reading:
    """A model's tree, ready to be written in another language.

    Args:
        model: a fitted `FastTreeClassifier`.

    Attributes:
        features: the columns, in order.
        classes: class labels as Python values.
        target: name of the target.
        tree: the arrays (`TreeArrays`).
        children: list of the children of each node, in branch order.
        fractional: True when some row without a value goes down several branches.
    """

    def __init__(self, model: Any) -> None:
        schema = json.loads(model._model.schema_json())
        self.features = tuple(
            Feature(
                f["name"],
                tuple(f["levels"]) if f["kind"] == "nominal" else None,
                tuple(f["cuts"]) if "cuts" in f else None,
                f.get("fill"),
            )
            for f in schema["features"]
        )
        self.classes: tuple[Label, ...] = tuple(schema["classes"])
        self.target: str = schema["target"]
        self.has_names: bool = model._schema.has_names
        self.tree = tree = model.tree_
        starts, flat = tree.first_child.tolist(), tree.children.tolist()
        self.n_children: list[int] = tree.n_children.tolist()
        self.children = [flat[s : s + n] for s, n in zip(starts, self.n_children, strict=True)]
        self.feature: list[int] = tree.feature.tolist()
        self.reach: list[float] = tree.reach.tolist()
        for node in np.flatnonzero(tree.reach > tree.threshold).tolist():
            self.features[self.feature[node]].named[self.reach[node]] = float(tree.threshold[node])
        self.label: list[int] = tree.label.tolist()
        self._missing_branch: list[int] = tree.missing_branch.tolist()
        self._model = model._model
        # Added one by one, as the core adds them: shares are then the same to the last bit.
        self._weight: list[float] = np.cumsum(tree.value, axis=1)[:, -1].tolist()
        self.fractional = -2 in self._missing_branch

    @property
    def leaves(self) -> list[int]:
        """Leaves in pre-order."""
        return [i for i, n in enumerate(self.n_children) if n == 0]

    @property
    def depth(self) -> int:
        """Longest path, in splits."""
        return int(self.tree.max_depth)

    def probabilities(self, nodes: list[int]) -> np.ndarray:
        """Class probabilities of nodes, shape (len(nodes), n_classes); zeros where nothing is
        predicted."""
        return np.asarray(self._model.node_proba(np.asarray(nodes, dtype=np.int64)))

    def missing_shares(self, node: int) -> list[float]:
        """Share of each branch of a node in a row without a value: all to one, or by training
        weight."""
        n, branch = self.n_children[node], self._missing_branch[node]
        if branch >= 0:
            return [float(i == branch) for i in range(n)]
        weights = [self._weight[child] for child in self.children[node]]
        whole = float(np.cumsum(weights)[-1])
        return [w / whole if whole > 0 else 1.0 / n for w in weights]

    def parts(self, node: int) -> list[Part]:
        """The part of each branch of an inner node."""
        known = self._known(node)
        feature = self.features[self.feature[node]]
        shares = self.missing_shares(node)
        if feature.fill is not None:
            fill = feature.fill
            at = [
                fill in p.codes if p.codes is not None else p.lower < fill <= p.upper for p in known
            ]
            if any(at):
                shares = [float(here) for here in at]
        return [Part(p.lower, p.upper, p.codes, m) for p, m in zip(known, shares, strict=True)]

    def _known(self, node: int) -> list[Part]:
        """Known values of each branch."""
        feature, n = self.features[self.feature[node]], self.n_children[node]
        nothing = Part(math.inf, -math.inf) if feature.levels is None else Part(codes=frozenset())
        reach = self.reach[node]
        if not math.isnan(reach):
            found = [Part(upper=reach), Part(lower=reach)]
        elif self.tree.n_levels[node]:
            listed = frozenset(self.tree.levels_of(node).tolist())
            others = frozenset(range(len(feature.levels or ()))) - listed
            found = [Part(codes=listed), Part(codes=others)]
        elif feature.levels is not None:
            found = [Part(codes=frozenset((code,))) for code in range(len(feature.levels))]
        else:
            edges = (-math.inf, *(feature.cuts or ()), math.inf)
            found = [Part(low, high) for low, high in pairwise(edges)]
        return found[:n] + [nothing] * (n - len(found))

    def branches(self) -> Iterator[tuple[int, int, Part]]:
        """(node, feature, part) of every node but the root, in pre-order of their parents."""
        for node, kids in enumerate(self.children):
            if kids:
                for child, part in zip(kids, self.parts(node), strict=True):
                    yield child, self.feature[node], part

    def paths(self) -> Iterator[tuple[int, dict[int, Part]]]:
        """(leaf, parts by feature) of every leaf in pre-order; the dict is the walker's own and
        changes."""
        current: dict[int, Part] = {}
        stack: list[tuple[int, int, Part | None, bool]] = [(0, -1, None, True)]
        while stack:
            node, feature, part, enters = stack.pop()
            if not enters:
                if part is None:
                    del current[feature]
                else:
                    current[feature] = part
                continue
            if part is not None:
                before = current.get(feature)
                stack.append((node, feature, before, False))
                current[feature] = part if before is None else before & part
            kids = self.children[node]
            if not kids:
                yield node, current
                continue
            asked = self.feature[node]
            for child, branch in zip(reversed(kids), reversed(self.parts(node)), strict=True):
                stack.append((child, asked, branch, True))


def number(x: float, decimals: int = 6) -> str:
    """A number for the eye: rounded where that keeps it recognisable, as in the text of a tree.

    Examples:
        >>> number(2.5), number(1/3, 3), number(3e-9), number(1e300)
        ('2.5', '0.333', '3e-09', '1e+300')
    """
    if abs(x) >= 1e16:
        return repr(float(x))
    short = f"{x:.{decimals}f}"
    if "." in short:
        short = short.rstrip("0").rstrip(".")
    if x == 0 or abs(float(short) - x) <= abs(x) * 1e-3:
        return short
    return repr(float(x))

"""A fitted tree as the exporters read it: branches as sets of values, leaves as conjunctions.

What
    Every branch of every test takes a set of values of one feature (`ValueSet`): an interval
    ``(lower, upper]`` or a set of declared levels, and a share of each row whose value is missing.
    The share is 1 if such a row comes here, 0 if it does not, and between if a fraction comes. It
    covers imputed values, branches of missing values, the heaviest branch and C4.5's fractional
    rows. Undeclared levels count as missing. The conditions of a path on one feature are
    intersected to one set. Exporters write these sets and need not know the kinds of tests.
Complexity
    O(nodes) to read. `Reading.paths` keeps one set per feature and restores it on the way up; no
    recursion.
When not to use it
    To predict: `FastTreeClassifier.predict` is many times faster than any export.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from .answers import Label, answers_of, number


@dataclass(frozen=True, slots=True)
class Feature:
    """A column of the model.

    Attributes:
        name: its name.
        levels: declared levels of a nominal feature, in the order of their codes; None for numbers.
        cuts: cut points of a discretised feature, else None.
        fill: value (a code for nominal features) that replaces a missing one; None: no imputation.
        printed: end of an interval -> threshold to print, where the two differ
            (`TreeArrays.reach`).
        unused: whether the model keeps a place for the column but never reads it.
        sentinels: numbers that mean a missing value, as the file of the training rows was read.
    """

    name: str
    levels: tuple[Label, ...] | None
    cuts: tuple[float, ...] | None
    fill: float | int | None
    printed: dict[float, float] = field(default_factory=dict)
    unused: bool = False
    sentinels: tuple[float, ...] = ()

    def threshold_of(self, end: float) -> float:
        """The threshold to print for an end of an interval: the threshold of `printed` where the
        two differ, else the end itself."""
        return self.printed.get(end, end)


@dataclass(frozen=True, slots=True)
class ValueSet:
    """A set of values of one feature, and the share of rows without a value that belong to it.

    Attributes:
        lower, upper: numbers x with ``lower < x <= upper``; infinite for an open end.
        codes: codes of the levels of a nominal feature; None for numbers.
        missing: share in [0, 1] of a row without a value.
        among: codes of the levels that can reach the node, for texts; None: all levels.

    Examples:
        >>> ValueSet(lower=2.0) & ValueSet(upper=5.0, missing=0.0)
        ValueSet(lower=2.0, upper=5.0, codes=None, missing=0.0)
    """

    lower: float = -math.inf
    upper: float = math.inf
    codes: frozenset[int] | None = None
    missing: float = 1.0
    among: frozenset[int] | None = field(default=None, repr=False, compare=False)

    def __and__(self, other: ValueSet) -> ValueSet:
        """The intersection; shares of missing rows multiply."""
        codes = self.codes if other.codes is None else other.codes
        if self.codes is not None and other.codes is not None:
            codes = self.codes & other.codes
        return ValueSet(
            max(self.lower, other.lower),
            min(self.upper, other.upper),
            codes,
            self.missing * other.missing,
        )

    @property
    def empty(self) -> bool:
        """True if it holds no known value: no level code, or a lower end that is not below the
        upper one. Missing values may still take the branch."""
        return not self.codes if self.codes is not None else self.lower >= self.upper

    def everything(self, feature: Feature) -> bool:
        """True if it holds all known values of the feature: all levels (of `among`, if that is
        given), or the whole real line."""
        if self.codes is not None:
            return len(self.codes) == len(self.among or feature.levels or ())
        return self.lower == -math.inf and self.upper == math.inf


class Reading:
    """The tree of a fitted model as Python lists, with branches as sets of values.

    Args:
        model: a fitted tree.

    Attributes:
        features: the columns, in order.
        classes: class labels as Python values; none of a tree that predicts a number.
        answers: the predictions of the nodes, as text and bars (`Answers`).
        target: name of the target.
        tree: the arrays (`TreeArrays`).
        n_children: number of children of each node.
        children: children of each node, in branch order.
        feature: feature that each node tests, -2 in a leaf.
        reach: largest number that goes left at each node; NaN if the test is not a threshold.
        label: code of the class that each node predicts, -1: none; 0 where it is a number.
        fractional: True if rows without a value may go down several branches.
    """

    def __init__(self, model: Any) -> None:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model, "_model")
        # The schema: columns, classes, target.
        schema = json.loads(model._model.schema_json())
        given = set(model._schema.given_names)
        self.features = tuple(
            Feature(
                column["name"],
                tuple(column["levels"]) if column["kind"] == "nominal" else None,
                tuple(column["cuts"]) if "cuts" in column else None,
                column.get("fill"),
                unused="unused" in column,
                # A level that is none of the model's is missing anyway, and the numbers of a date
                # are no cells of a file.
                sentinels=tuple(model._schema.file_cells.sentinels_of(column["name"]))
                if column["kind"] != "nominal" and column["name"] in given
                else (),
            )
            for column in schema["features"]
        )
        self.classes: tuple[Label, ...] = tuple(schema["classes"])
        self.target: str = schema["target"]
        # The arrays of the tree as lists: exporters walk node by node.
        self.tree = tree = model.tree_
        self.answers = answers_of(model, self.classes)
        starts, flat = tree.first_child.tolist(), tree.children.tolist()
        self.n_children: list[int] = tree.n_children.tolist()
        self.children = [flat[s : s + n] for s, n in zip(starts, self.n_children, strict=True)]
        self.feature: list[int] = tree.feature.tolist()
        self.label: list[int] = tree.label.tolist()
        self.reach: list[float] = tree.reach.tolist()
        for node in np.flatnonzero(tree.reach > tree.threshold).tolist():
            feature = self.features[self.feature[node]]
            feature.printed[self.reach[node]] = float(tree.threshold[node])
        # Missing values: the branch they take (-2: all), and the weights that divide them. The
        # weights are added one by one, as the core adds them, so that shares are equal to the bit.
        self._missing_branch: list[int] = tree.missing_branch.tolist()
        counts = tree.value if self.classes else tree.weighted_n_node_samples[:, None]
        self._weight: list[float] = np.cumsum(counts, axis=1)[:, -1].tolist()
        self.fractional = -2 in self._missing_branch
        self._model = model._model
        self._among: dict[int, frozenset[int]] = {}  # filled by `shown_sets`, by node

    @property
    def sentinels_text(self) -> str:
        """The numbers that mean a missing value in the columns that are tested, in words; empty
        where there are none."""
        tested = (self.features[j] for j in self.tested_features)
        return "; ".join(
            f"{f.name}: {' and '.join(map(number, f.sentinels))} "
            f"{'mean' if len(f.sentinels) > 1 else 'means'} missing"
            for f in tested
            if f.sentinels
        )

    @cached_property
    def leaves(self) -> list[int]:
        """Node numbers of the leaves, in pre-order. Tables of leaves in exports have this order.
        It is read for each leaf, so the list is made once."""
        return [i for i, n in enumerate(self.n_children) if n == 0]

    @cached_property
    def leaf_numbers(self) -> dict[int, int]:
        """Map the node number of a leaf to its position in `leaves`; inner nodes are no keys."""
        return {node: i for i, node in enumerate(self.leaves)}

    @cached_property
    def leaf_labels(self) -> list[int]:
        """Code of the class of each leaf in the order of `leaves`; -1 for a leaf that predicts no
        class."""
        return [self.label[node] for node in self.leaves]

    @cached_property
    def tested_features(self) -> list[int]:
        """Column numbers of the features that some node tests, ascending. Exports declare only
        these columns; the list is empty for a single leaf."""
        return sorted({self.feature[node] for node, n in enumerate(self.n_children) if n})

    @property
    def depth(self) -> int:
        """Length of the longest path from the root to a leaf, in splits; 0 for a single leaf."""
        return int(self.tree.max_depth)

    @property
    def predicts_number(self) -> bool:
        """Whether nodes predict a number, not a class: the model then has no classes."""
        return not self.classes

    def refuse_untested(self, asked: str) -> None:
        """Raise ValueError if p-values of splits are asked for that no test has chosen. `asked`
        names the option and begins the message."""
        if np.isnan(self.tree.p_value[self.tree.n_children > 0]).any():
            raise ValueError(
                f"{asked}: no test has chosen the splits of this tree; grow one with "
                "selection='significance', such as fasttree.presets.CTREE"
            )

    def probabilities(self, nodes: list[int]) -> np.ndarray:
        """Class probabilities of nodes, shape (len(nodes), n_classes); zeros for no prediction. For
        a regression tree the predicted numbers, shape (len(nodes), 1)."""
        return np.asarray(self._model.node_proba(np.asarray(nodes, dtype=np.int64)))

    def heaviest(
        self, most: int, among: np.ndarray | None = None, first: Collection[int] = ()
    ) -> np.ndarray:
        """Whether each node is shown where at most some are, bool (n_nodes,): from the root on, the
        node with the most rows shows its branches next, if all of them fit.

        Args:
            most: largest number of nodes.
            among: nodes that may be shown, bool (n_nodes,); None: all.
            first: nodes that show their branches before others.
        """
        weight = self.tree.weighted_n_node_samples
        shown = np.zeros(self.tree.node_count, dtype=bool)
        shown[0], count = True, 1
        heap = [(False, -float(weight[0]), 0)]
        while heap:
            *_, node = heapq.heappop(heap)
            children = [c for c in self.children[node] if among is None or among[c]]
            if count + len(children) > most:
                continue
            count += len(children)
            shown[children] = True
            for child in children:
                heapq.heappush(heap, (child not in first, -float(weight[child]), child))
        return shown

    def missing_shares(self, node: int) -> list[float]:
        """Share of a row without a value that each branch of a node takes.

        All of it goes to one branch, or to every branch by its training weight.
        """
        n, branch = self.n_children[node], self._missing_branch[node]
        if branch >= 0:
            return [float(i == branch) for i in range(n)]
        weights = [self._weight[child] for child in self.children[node]]
        total = float(np.cumsum(weights)[-1])
        return [w / total if total > 0 else 1.0 / n for w in weights]

    def branch_sets(self, node: int) -> list[ValueSet]:
        """The values that each branch of an inner node takes, by branch, with the share of missing
        values that goes there. For an imputed feature this share is 1 in the branch of the fill
        value."""
        known = self._known(node)
        shares = self.missing_shares(node)
        fill = self.features[self.feature[node]].fill
        if fill is not None:  # an imputed value goes where the fill value goes
            holds_fill = [
                fill in s.codes if s.codes is not None else s.lower < fill <= s.upper for s in known
            ]
            if any(holds_fill):
                shares = [float(holds) for holds in holds_fill]
        return [ValueSet(s.lower, s.upper, s.codes, m) for s, m in zip(known, shares, strict=True)]

    def shown_sets(self, node: int) -> list[ValueSet]:
        """`branch_sets` as texts and pictures show them: with the levels that can reach the node:
        the levels that no test above has sent elsewhere."""
        sets, feature = self.branch_sets(node), self.feature[node]
        levels = self.features[feature].levels
        if levels is None:
            return sets
        among = self._among[node] = self.reaching(node, feature)
        # A branch that no level can take keeps all of its own.
        return [
            replace(s, codes=s.codes & among, among=among) if s.codes and s.codes & among else s
            for s in sets
        ]

    def reaching(self, node: int, feature: int) -> frozenset[int]:
        """Codes of the levels of a feature that no test above a node has sent elsewhere.

        Args:
            node: number of the node.
            feature: number of the nominal feature.
        """
        among = frozenset(range(len(self.features[feature].levels or ())))
        while node:
            parent = int(self.tree.parent[node])
            if self.feature[parent] == feature:
                among &= self._known(parent)[self.children[parent].index(node)].codes or frozenset()
                if parent in self._among:
                    return among & self._among[parent]
            node = parent
        return among

    def branch_of_levels(self, node: int) -> list[int]:
        """Branch of each level of the nominal feature that a node tests, by level code. Raises
        KeyError if a level has no branch."""
        levels = self.features[self.feature[node]].levels or ()
        branch = {
            code: i for i, subset in enumerate(self._known(node)) for code in subset.codes or ()
        }
        return [branch[code] for code in range(len(levels))]

    def _known(self, node: int) -> list[ValueSet]:
        """Known values of each branch; a branch for missing values alone holds none."""
        feature, n = self.features[self.feature[node]], self.n_children[node]
        if not math.isnan(reach := self.reach[node]):  # a threshold
            return [ValueSet(upper=reach), ValueSet(lower=reach), _values(feature, [])][:n]
        n_codes = len(feature.cuts or ()) + 1 if feature.levels is None else len(feature.levels)
        branches = list(range(n_codes))[:n]  # one per level or bin
        if self.tree.n_levels[node]:  # a set of levels against the others
            listed = frozenset(self.tree.levels_of(node).tolist())
            branches = [int(code not in listed) for code in range(n_codes)]
        elif self.tree.n_groups[node]:  # merged levels or bins
            branches = self.tree.groups_of(node).tolist()
        codes: list[list[int]] = [[] for _ in range(n)]
        for code, branch in enumerate(branches):
            codes[branch].append(code)
        return [_values(feature, own) for own in codes]

    def paths(self) -> Iterator[tuple[int, dict[int, ValueSet]]]:
        """Yield (leaf, value sets by feature) of every leaf in pre-order.

        The dict is changed by the next step: copy it to keep it.
        """
        current: dict[int, ValueSet] = {}
        # A node is pushed twice: to enter it with the set of its branch, and, once it is entered,
        # to restore the set that its feature had before.
        stack: list[tuple[int, int, ValueSet | None, bool]] = [(0, -1, None, True)]
        while stack:
            node, feature, subset, enters = stack.pop()
            if not enters:
                if subset is None:
                    del current[feature]
                else:
                    current[feature] = subset
                continue
            if subset is not None:
                before = current.get(feature)
                stack.append((node, feature, before, False))
                current[feature] = subset if before is None else before & subset
            children = self.children[node]
            if not children:
                yield node, current
                continue
            tested = self.feature[node]
            subsets = self.branch_sets(node)
            for child, branch in zip(reversed(children), reversed(subsets), strict=True):
                stack.append((child, tested, branch, True))


def _values(feature: Feature, codes: list[int]) -> ValueSet:
    """The values with some codes: levels, or the values of neighbouring bins.

    Args:
        feature: the feature.
        codes: the codes, in ascending order.
    """
    if feature.levels is not None:
        return ValueSet(codes=frozenset(codes))
    edges = (-math.inf, *(feature.cuts or ()), math.inf)
    ends = (edges[codes[0]], edges[codes[-1] + 1]) if codes else (math.inf, -math.inf)
    return ValueSet(*ends)

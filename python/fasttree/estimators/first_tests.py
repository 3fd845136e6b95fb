"""`FirstTests`: what `OptimalTreeClassifier.near_optimal` returns.

What
    `near_optimal` searches for the best tree with each feature in its first test. `first_tests`
    gives the results of the core the names of features and levels, and `FirstTests` shows it as a
    table and, with the trees that were kept, as an interactive page.
Equation
    more = objective of the best tree with the feature in its first test - least objective.
Complexity
    O(first tests).
When not to use it
    For counts of whole trees: there are many below each first test.

Examples:
    >>> import fasttree
    >>> table = fasttree.datasets.make_monks(1)
    >>> roots = fasttree.optimal_tree(table, max_depth=2).near_optimal(table)
    >>> roots[0]["more"]
    0.0
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from .._checks.aliases import MaybeArray
from .._checks.plain_text import level_text
from ..exports.explorer import Exploration, ExplorerLimits
from ..exports.tables.html import bar
from ..exports.tables.listing import Records
from ..table import Table
from .explored import explored

UP_TO = "\u2264"
"""The sign before a threshold on a page; text has ``<=``."""


class FirstTests(Records):
    """The first tests of nearly optimal trees: one dict per feature, best first.

    Args:
        rows: dicts as `OptimalTreeClassifier.near_optimal` returns them.
        trees: the trees that were kept, in the places that the tests of the rows name.
        within: distance to the optimum up to which first tests were asked for, >= 0.

    Attributes:
        trees: the trees that were kept, fitted `OptimalTreeClassifier`: ``upper_bound_`` is the
            tree's objective, ``lower_bound_`` the least objective.
        within: as given.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.load_iris()
        >>> roots = fasttree.optimal_tree(table, max_depth=2).near_optimal(table)
        >>> best = roots.trees[roots[0]["found"][0]["tree"]]
        >>> best.training_errors_, best.proven_
        (6.0, True)
    """

    def __init__(self, rows: list[dict[str, Any]], trees: Sequence[Any], within: float) -> None:
        self.trees, self.within = list(trees), within
        worst = max((row["more"] or 0.0 for row in rows), default=0.0)
        super().__init__(
            rows,
            {
                "first test of": "feature",
                "objective": "objective",
                "more than optimal": "more",
                "": lambda row: bar((row["more"] or 0.0) / worst if worst > 0 else 0.0),
                "tests within": "tests",
                "the best of them": _best,
            },
            title=f"First tests of trees within {within:g} of the optimum",
        )

    def explore(
        self,
        X: Any = None,
        y: MaybeArray = None,
        *,
        criteria: Iterable[Any] | None = None,
        title: str = "",
        **limits: int,
    ) -> Exploration:
        """The trees that were kept as an interactive page, with a list of their first tests: a
        click on one shows the best tree that has it.

        Args:
            X, y: the rows of the fit; without them the page has neither histograms nor rows.
            criteria, title, limits: as in `OptimalTreeClassifier.explore`.

        Raises:
            ValueError: no tree was kept, or as in `OptimalTreeClassifier.explore`.

        Examples:
            >>> import fasttree
            >>> table = fasttree.datasets.load_iris()
            >>> roots = fasttree.optimal_tree(table, max_depth=2).near_optimal(table)
            >>> page = roots.explore(table)
            >>> [tree["name"] for tree in page.document["trees"][:2]]
            ['petal length (cm) ≤ 2.45', 'petal length (cm) ≤ 3.15']
        """
        kept = sorted(
            ((test, row) for row in self for test in row["found"] if test["tree"] is not None),
            key=lambda pair: float(pair[0]["objective"]),
        )
        if not kept:
            raise ValueError(
                "explore: no tree was kept; call near_optimal with max_trees >= 1, on rows that "
                "have a test within the limits of the tree"
            )
        trees = [self.trees[test["tree"]] for test, _ in kept]
        least = min(tree.lower_bound_ for tree in trees)
        return explored(
            [
                (f"{row['feature']} {_left_side(test, UP_TO)}", tree)
                for (test, row), tree in zip(kept, trees, strict=True)
            ],
            X,
            y,
            criteria=criteria,
            title=title or "First tests of nearly optimal trees",
            limits=ExplorerLimits(**limits),
            roots={
                "within": self.within,
                "of": sum(len(row["found"]) for row in self),
                "objective": [test["objective"] for test, _ in kept],
                "more": [test["objective"] - least for test, _ in kept],
                "tests": [row["tests"] for _, row in kept],
            },
        )


def first_tests(
    table: Table, searched: list[dict[str, Any]], within: float, trees: Sequence[Any]
) -> FirstTests:
    """The result of a search for first tests.

    Args:
        table: the rows that were searched.
        searched: for each feature, its first tests as the core returns them.
        within: distance to the optimum that was asked for, >= 0.
        trees: the trees that were kept.

    Returns:
        What `OptimalTreeClassifier.near_optimal` returns.
    """
    rows = [_of_feature(table, roots) for roots in searched]
    reached = [row["objective"] for row in rows if row["objective"] is not None]
    least = min(reached, default=0.0)
    for row in rows:
        row["more"] = None if row["objective"] is None else row["objective"] - least
    rows.sort(key=lambda row: math.inf if row["more"] is None else row["more"])
    return FirstTests(rows, trees, within)


def _of_feature(table: Table, roots: dict[str, Any]) -> dict[str, Any]:
    """The first tests of a feature, with names in place of numbers and codes.

    Args:
        table: the rows that were searched.
        roots: the first tests of one feature as the core returns them.
    """
    column = table.columns[roots["feature"]]
    tests = []
    for test in roots["tests"]:
        codes, right = test["levels"], test["missing_right"]
        tests.append(
            {
                "threshold": test["threshold"],
                "levels": None if codes is None else [column.levels[code] for code in codes],
                "missing": None if right is None else "right" if right else "left",
                "objective": test["objective"],
                "tree": test["tree"],
            }
        )
    return {
        "feature": column.name,
        "objective": min((test["objective"] for test in tests), default=None),
        "tests": len(tests) if roots["is_near"] else 0,
        "found": tests,
    }


def _best(row: dict[str, Any]) -> str:
    """The best test of a feature as text; of equal ones the first."""
    if not row["found"]:
        return ""
    return _left_side(min(row["found"], key=lambda test: test["objective"]))


def _left_side(test: dict[str, Any], up_to: str = "<=") -> str:
    """The values that a first test sends left, as text.

    Args:
        test: an entry of ``found``.
        up_to: the sign before a threshold.
    """
    missing = " or missing" if test["missing"] == "left" else ""
    if test["levels"] is None:
        return f"{up_to} {test['threshold']:.6g}{missing}"
    return f"in {', '.join(map(level_text, test['levels']))}{missing}"

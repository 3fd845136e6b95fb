"""The first tests of trees that are nearly optimal, as a table by feature.

What
    `OptimalTreeClassifier.near_optimal` searches for the best tree with each feature in its first
    test; this module names features, levels and sides, and lays the result out.
Equation
    more = objective of the best tree with the feature in its first test - least objective.
Complexity
    O(first tests).
When not to use it
    For counts of whole trees: there are many below each first test.

Examples
--------
>>> import fasttree
>>> table = fasttree.datasets.make_monks(1)
>>> roots = fasttree.optimal_tree(table, max_depth=2).near_optimal(table)
>>> roots[0]["more"]
0.0
"""

from __future__ import annotations

import math
from typing import Any

from ..rendering.html import bar
from ..rendering.listing import Records
from ..table import Table

__all__ = ["first_tests"]


def first_tests(table: Table, searched: list[dict[str, Any]], within: float) -> Records:
    """One dict per feature, best first.

    Args:
        table: the rows that were searched.
        searched: by feature, its first tests as the core tells them.
        within: distance to the optimum that was asked for, >= 0.

    Returns:
        What `OptimalTreeClassifier.near_optimal` returns.
    """
    rows = [_of_feature(table, roots) for roots in searched]
    reached = [row["objective"] for row in rows if row["objective"] is not None]
    least = min(reached, default=0.0)
    for row in rows:
        row["more"] = None if row["objective"] is None else row["objective"] - least
    rows.sort(key=lambda row: math.inf if row["more"] is None else row["more"])
    worst = max(reached, default=0.0) - least
    return Records(
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


def _of_feature(table: Table, roots: dict[str, Any]) -> dict[str, Any]:
    """The first tests of a feature, in the terms of its column."""
    column = table.columns[roots["feature"]]
    found = []
    for test in roots["tests"]:
        codes, right = test["levels"], test["missing_right"]
        found.append(
            {
                "threshold": test["threshold"],
                "levels": None if codes is None else [column.levels[code] for code in codes],
                "missing": None if right is None else "right" if right else "left",
                "objective": test["objective"],
            }
        )
    return {
        "feature": column.name,
        "objective": min((test["objective"] for test in found), default=None),
        "tests": len(found) if roots["is_near"] else 0,
        "found": found,
    }


def _best(row: dict[str, Any]) -> str:
    """The first of the best tests of a row, as text."""
    if not row["found"]:
        return ""
    test = min(row["found"], key=lambda test: test["objective"])
    if test["levels"] is None:
        return f"<= {test['threshold']:.6g}"
    return "in " + ", ".join(map(str, test["levels"]))

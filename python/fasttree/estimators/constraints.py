"""Monotonic and interaction constraints, as the core reads them.

What
    `constraints_of` reads `monotonic_cst` and `interaction_cst` with scikit-learn's meanings;
    columns are named or counted. A column of dates stands for its year, month and weekday.
Complexity
    O(features), O(features^2) for ``"pairwise"``.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._checks import is_whole, one_of, shown
from .._checks.words import counted
from ..table.dates import part_names
from ..table.sources import check_known

WORDS = ("pairwise", "no_interactions")


def constraints_given(params: Mapping[str, Any]) -> list[str]:
    """Names of the constraints among parameters that are not None: ``"monotonic_cst"``,
    ``"interaction_cst"``, both or none, in this order. Messages name them as the reason why a split
    was not made."""
    names = ("monotonic_cst", "interaction_cst")
    return [name for name in names if params.get(name) is not None]


def constraints_of(
    params: Mapping[str, Any], names: Sequence[str], dates: Sequence[str]
) -> dict[str, Any]:
    """The configuration of the core for the constraints that are given.

    Constraints that are None are left out of the result. A group with a column of dates gets the
    three columns that are made of it.

    Args:
        params: parameters of an estimator.
        names: all columns, those made of dates last.
        dates: the columns of dates among them.

    >>> names = ["when", "x", "when (year)", "when (month)", "when (weekday)"]
    >>> constraints_of({"interaction_cst": [["x"], ["when"]]}, names, ["when"])
    {'interaction_cst': [[1], [0, 2, 3, 4]]}
    """
    config: dict[str, Any] = {}
    given = names[: len(names) - len(part_names(dates))]
    if params.get("monotonic_cst") is not None:
        config["monotonic_cst"] = signs_of(params["monotonic_cst"], given)
    if params.get("interaction_cst") is not None:
        groups = groups_of(params["interaction_cst"], given)
        for date in dates:
            parts = [names.index(part) for part in part_names([date])]
            groups = [g + parts if given.index(date) in g else g for g in groups]
        config["interaction_cst"] = groups
    return config


def signs_of(value: Any, names: Sequence[str]) -> list[int]:
    """1, -1 or 0 for each column.

    1 means that the prediction may not fall where the column rises, -1 that it may not rise.
    Columns that a dict does not name get 0.

    Args:
        value: `monotonic_cst`: one of -1, 0 and 1 for each column, or a dict by names of columns.
        names: of all columns.

    Raises:
        ValueError: another number of values, another value, or a name that is no column.

    >>> signs_of({"age": 1}, ["age", "dose"])
    [1, 0]
    """
    if isinstance(value, Mapping):
        check_known([str(name) for name in value], list(names), "monotonic_cst")
        signs = [value.get(name, 0) for name in names]
    else:
        if isinstance(value, str) or not np.iterable(value):
            raise ValueError(
                f"monotonic_cst={shown(value)} must hold -1, 0 or 1 for each column, or be a dict "
                "by names"
            )
        signs = list(value)
        if len(signs) != len(names):
            raise ValueError(
                f"monotonic_cst has {counted(len(signs), 'value')}, there are "
                f"{counted(len(names), 'column')}"
            )
    for name, sign in zip(names, signs, strict=True):
        if not is_whole(sign) or sign not in (-1, 0, 1):
            raise ValueError(
                f"monotonic_cst: {shown(sign)} for column {name!r} must be 1 (the prediction may "
                "not fall where the column rises), -1 (it may not rise) or 0"
            )
    return [int(sign) for sign in signs]


def groups_of(value: Any, names: Sequence[str]) -> list[list[int]]:
    """Groups of columns that one path may test together.

    Columns in no group are one more group.

    Args:
        value: `interaction_cst`: groups of names or places of columns, ``"pairwise"`` or
            ``"no_interactions"``.
        names: of all columns.

    Raises:
        ValueError: no groups, or a member that is no column.

    >>> groups_of([["age", "dose"]], ["age", "dose", "site"])
    [[0, 1], [2]]
    """
    if isinstance(value, str):
        one_of("interaction_cst", value, WORDS)
        size = 2 if value == "pairwise" and len(names) > 1 else 1
        return [list(group) for group in itertools.combinations(range(len(names)), size)]
    listed = np.iterable(value) and not isinstance(value, Mapping)
    if not listed or not all(_is_group(group) for group in value):
        raise ValueError(
            f"interaction_cst={shown(value)} must be a list of groups of columns, 'pairwise' or "
            "'no_interactions'"
        )
    groups = [sorted({_place(member, names) for member in group}) for group in value]
    rest = sorted(set(range(len(names))) - set(itertools.chain(*groups)))
    return [*groups, rest] if rest else groups


def _is_group(group: Any) -> bool:
    return np.iterable(group) and not isinstance(group, str | Mapping)


def _place(member: Any, names: Sequence[str]) -> int:
    """The place of a column that is named or counted."""
    if isinstance(member, str):
        check_known([member], list(names), "interaction_cst")
        return names.index(member)
    if not is_whole(member) or not 0 <= member < len(names):
        raise ValueError(
            f"interaction_cst: {shown(member)} is no column; give a name, or a number from 0 to "
            f"{len(names) - 1}"
        )
    return int(member)

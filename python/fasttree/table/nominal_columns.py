"""Which columns are nominal: the parameter `categorical_features`, for rows and for Tables.

`resolve_roles` reads scikit-learn's forms of the parameter; `recast_columns` makes finished columns
nominal or numeric as it says.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._checks import shown
from .._checks.words import given
from .columns import Column, Kind, encode, factorize, to_float
from .sources import Cells, check_known

Roles = list[Kind | None]


def resolve_roles(
    categorical: Any, n_features: int, names: Callable[[], list[str]]
) -> Roles | Kind | None:
    """The roles of columns that scikit-learn's parameter `categorical_features` gives.

    Only the parameter is checked, not the cells: a numeric role for text is refused where the
    column is read.

    Args:
        categorical: the value of the parameter.
        n_features: number of columns.
        names: returns the names of the columns; called if the parameter names some.

    Returns:
        One role for all columns (None: the dtype of each decides), or a list of one per column.

    Raises:
        ValueError: an unknown value, an index out of range, or an unknown name.
    """
    if isinstance(categorical, str):
        if categorical == "from_dtype":
            return None
        if categorical == "all":
            return "nominal"
        raise ValueError(
            f"{given('categorical_features', shown(categorical))} is not known; use 'from_dtype', "
            "'all', None, a bool mask, "
            "indices or names (a single name goes in a list)"
        )
    if categorical is None:
        return "numeric"
    try:
        chosen = np.asarray(categorical)
    except ValueError:  # lists of several lengths
        chosen = np.array(None)
    if chosen.ndim != 1:
        raise ValueError(
            f"{given('categorical_features', shown(categorical))} is not a mask, indices or names"
        )
    p = n_features
    if chosen.size == 0:
        return "numeric"
    mask = np.zeros(p, dtype=bool)
    if chosen.dtype.kind == "b":
        if chosen.shape != (p,):
            raise ValueError(
                f"categorical_features is a mask of shape {chosen.shape} but X has {p} features"
            )
        mask = chosen
    elif chosen.dtype.kind in "iu":
        wrong = [int(j) for j in chosen.ravel() if not 0 <= j < p]
        if wrong:
            raise ValueError(
                f"categorical_features holds the index {wrong[0]} but X has features 0 to {p - 1}"
            )
        mask[chosen] = True
    elif chosen.dtype.kind in "UOT":
        names_known = names()
        check_known(
            [n if isinstance(n, str) else shown(n) for n in chosen.tolist()],
            names_known,
            "categorical_features",
        )
        mask = np.isin(names_known, [str(n) for n in chosen.tolist()])
    else:
        raise ValueError(
            f"categorical_features of dtype {chosen.dtype} is not a mask, indices or names"
        )
    return ["nominal" if m else "numeric" for m in mask]


def each_role(roles: Roles | Kind | None, n_features: int) -> Roles:
    """The role of each column as a list of length `n_features`, from the result of `resolve_roles`.
    One role for all columns is repeated, also None, which leaves the role to the type of the
    cells."""
    return [roles] * n_features if roles is None or isinstance(roles, str) else roles


def column_of(name: str, cells: Cells, role: Kind | None, levels: Sequence[Any] | None) -> Column:
    """Cells as a column of a role (None: their dtype decides), with declared levels if given."""
    if isinstance(cells, np.ndarray):
        return encode(name, cells, role, levels)
    if levels is not None:
        return Column(name, "nominal", *factorize(name, cells.labels(), levels), declared=True)
    if role == "numeric" and cells.kind == "nominal":
        return Column(name, "numeric", to_float(name, cells.labels()))
    return replace(cells, name=name)


def recast_columns(
    columns: Sequence[Column], roles: Sequence[Kind | None], unused: Container[str]
) -> list[Column] | None:
    """Columns of the kinds asked for, unused ones as they are; None when all have their kinds.

    A numeric column that becomes nominal has the values that occur as levels, in order (whole
    numbers as ints); a nominal one that becomes numeric must hold numbers.

    Raises:
        ValueError: a column that cannot be what is asked for, named.

    Examples:
        >>> from fasttree import Table
        >>> columns = Table([[0.0], [2.0]]).columns
        >>> [c.levels for c in recast_columns(columns, ["nominal"], ()) or ()]
        [(0, 2)]
    """
    pairs = list(zip(columns, roles, strict=True))
    if all(role in (None, c.kind) for c, role in pairs):
        return None
    return [c if c.name in unused else _recast_column(c, role) for c, role in pairs]


def _recast_column(column: Column, role: Kind | None) -> Column:
    if role in (None, column.kind):
        return column
    if role == "numeric":
        return Column(column.name, "numeric", to_float(column.name, column.labels()))
    values = np.asarray(column.values)
    present = values[~np.isnan(values)]
    if np.array_equal(present, np.floor(present)) and np.abs(present).max(initial=0) < 2**53:
        listed = [None if np.isnan(v) else int(v) for v in values.tolist()]
        values = np.array(listed, dtype=object if len(present) < len(values) else np.int64)
    return encode(column.name, values, "nominal")

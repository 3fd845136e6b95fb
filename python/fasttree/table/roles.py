"""Which columns are nominal: `categorical_features` for rows that become a Table, and for Tables.

`resolve_roles` reads scikit-learn's forms of the parameter; `recast` makes the columns of a
finished Table what it says; `with_unused` marks columns that no model reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import shown
from .columns import Column, Kind, encode, factorize, to_float, unused_column
from .sources import Cells, check_known

if TYPE_CHECKING:
    from .table import Table


__all__ = ["Roles", "column_of", "recast", "resolve_roles", "with_unused"]

Roles = list[Kind | None]


def resolve_roles(categorical: Any, table: Table) -> Roles | Kind | None:
    """scikit-learn's `categorical_features` as one role for all columns, or one a column (None = by
    dtype)."""
    if isinstance(categorical, str):
        if categorical == "from_dtype":
            return None
        if categorical == "all":
            return "nominal"
        raise ValueError(
            f"categorical_features={categorical!r} is not known; use 'from_dtype', 'all', None, a "
            "bool mask, "
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
            f"categorical_features={shown(categorical)} is not a mask, indices or names"
        )
    p = table.n_features
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
        names = table.feature_names
        check_known([str(n) for n in chosen.tolist()], names, "categorical_features")
        mask = np.isin(names, [str(n) for n in chosen.tolist()])
    else:
        raise ValueError(
            f"categorical_features of dtype {chosen.dtype} is not a mask, indices or names"
        )
    return ["nominal" if m else "numeric" for m in mask]


def column_of(name: str, cells: Cells, role: Kind | None, levels: Sequence[Any] | None) -> Column:
    """A column of the role asked for, with declared levels if there are any."""
    if isinstance(cells, np.ndarray):
        return encode(name, cells, role, levels)
    if levels is not None:
        return Column(name, "nominal", *factorize(name, cells.labels(), levels))
    if role == "numeric" and cells.kind == "nominal":
        return Column(name, "numeric", to_float(name, cells.labels()))
    return Column(name, cells.kind, cells.values, cells.levels)


def recast(table: Table, categorical: Any) -> Any:
    """The Table with the kinds that `categorical_features` asks for; itself when they are its own.

    A numeric column that becomes nominal has the values that occur as levels, in order (whole
    numbers as ints); a nominal one that becomes numeric must hold numbers.

    Raises:
        ValueError: a column that cannot be what is asked for, named.

    Examples:
        >>> from fasttree import Table
        >>> recast(Table([[0.0], [2.0]], [0, 1]), "all").columns[0].levels
        (0, 2)
    """
    roles = resolve_roles(categorical, table)
    if roles is None:
        return table
    wanted = [roles] * table.n_features if isinstance(roles, str) else roles
    block = table.block
    if block is not None and len(set(wanted)) == 1:
        own = "nominal" if block.dtype == np.uint8 else "numeric"
        if wanted[0] == own:
            return table
    columns = table.columns
    if all(role in (None, c.kind) for role, c in zip(wanted, columns, strict=True)):
        return table
    made = [
        c if c.name in table.unused else _recast_column(c, role)
        for c, role in zip(columns, wanted, strict=True)
    ]
    return table.with_columns(made)


def with_unused(
    table: Table, reasons: Mapping[str, str], names: Sequence[str] | None = None
) -> Table:
    """The Table with columns that models keep a place for but never read.

    Args:
        table: the rows.
        reasons: why each column is unused, by name; a column that the Table lacks is added.
        names: the order of the columns; those that it does not name come last, in their order.

    Examples:
        >>> from fasttree import Table
        >>> with_unused(Table([[0.5], [2.5]], [0, 1]), {"id": "an identifier"}, ["id"]).unused
        {'id': 'an identifier'}
    """
    if not reasons:
        return table
    own = {column.name: column for column in table.columns}
    own |= {name: unused_column(name, len(table)) for name in reasons}
    order = dict.fromkeys([*(name for name in names or () if name in own), *own])
    new = table.with_columns(own[name] for name in order)
    new.unused = {**table.unused, **reasons}
    return new


def _recast_column(column: Column, role: Kind | None) -> Column:
    if role in (None, column.kind):
        return column
    if role == "numeric":
        return Column(column.name, "numeric", to_float(column.name, column.labels()))
    values = np.asarray(column.values)
    known = values[~np.isnan(values)]
    if np.array_equal(known, np.floor(known)) and np.abs(known).max(initial=0) < 2**53:
        listed = [None if np.isnan(v) else int(v) for v in values.tolist()]
        values = np.array(listed, dtype=object if len(known) < len(values) else np.int64)
    return encode(column.name, values, "nominal")

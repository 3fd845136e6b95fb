"""Parts of the generators whose tables have nominal columns alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._checks import check_share
from ..table import Table
from ..table.columns import Column


def nominal_column(name: str, codes: Any, levels: Sequence[Any]) -> Column:
    """A nominal column.

    Args:
        name: name of the column.
        codes: position of the level of each row.
        levels: the levels, in order.
    """
    return Column(name, "nominal", np.asarray(codes, dtype=np.int32), tuple(levels))


def table_of_labels(
    name: str, levels: Mapping[str, Sequence[Any]], rows: Iterable[Sequence[Any]]
) -> Table:
    """A Table of nominal columns from rows of labels.

    Args:
        name: name of the data set.
        levels: the levels of each column by its name; the target is the last one.
        rows: the labels, row by row.
    """
    columns = []
    for (column_name, column_levels), cells in zip(
        levels.items(), zip(*rows, strict=True), strict=True
    ):
        codes = [column_levels.index(cell) for cell in cells]
        columns.append(nominal_column(column_name, codes, column_levels))
    return Table.from_columns(columns[:-1], columns[-1], name=name)


def flip_labels(codes: np.ndarray, flip: float, rng: np.random.Generator) -> np.ndarray:
    """Class codes, each replaced by the other one with some probability.

    Args:
        codes: codes 0 and 1, shape (n_rows,).
        flip: the probability, in [0, 1].
        rng: where the random numbers are drawn from; none are drawn with probability 0.
    """
    if check_share("flip", flip) == 0.0:
        return codes
    return np.where(rng.random(len(codes)) < flip, 1 - codes, codes)

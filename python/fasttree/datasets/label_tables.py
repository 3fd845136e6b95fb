"""Parts of the generators whose tables have nominal columns alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._checks import check_share
from ..table import Table
from ..table.columns import Column


def table_of_codes(name: str, levels: Mapping[str, Sequence[Any]], codes: Iterable[Any]) -> Table:
    """A Table of nominal columns from codes.

    Args:
        name: name of the data set.
        levels: the levels of each column by its name; the target is the last one.
        codes: the codes of each column, the positions of its cells among the levels.
    """
    columns = [
        Column(column_name, "nominal", np.asarray(column_codes, dtype=np.int32), tuple(own_levels))
        for (column_name, own_levels), column_codes in zip(levels.items(), codes, strict=True)
    ]
    return Table.from_columns(columns[:-1], columns[-1], name=name)


def table_of_labels(
    name: str, levels: Mapping[str, Sequence[Any]], rows: Iterable[Sequence[Any]]
) -> Table:
    """A Table of nominal columns from rows of labels.

    Args:
        name: name of the data set.
        levels: the levels of each column by its name; the target is the last one.
        rows: the labels, row by row.
    """
    columns = zip(*rows, strict=True)
    codes = [
        [own_levels.index(cell) for cell in cells]
        for own_levels, cells in zip(levels.values(), columns, strict=True)
    ]
    return table_of_codes(name, levels, codes)


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

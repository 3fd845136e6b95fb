"""Reading LIBSVM's sparse text, ``label index:value ...``, as a table of numbers.

What
    scikit-learn reads the file; a column stands for each index, ``x1, x2, ...`` (``x0`` where
    indices start at 0), and what a row leaves out is 0. The label is the column ``class``.
Complexity
    O(rows x largest index): the table is dense.
When not to use it
    For counts of words, whose dense table does not fit into memory; `Limits` bounds the number of
    columns.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from ..table.columns import Column
from .blocks import Limits, head, open_bytes, split_suffix
from .errors import DataFileError, Path

_LINE = re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?(?:\s+(?:qid|\d+):[-+\d.eE]+)*\s*(?:#.*)?")
_PAIR = re.compile(r"\s\d+:")


def is_libsvm(path: Path) -> bool:
    """Whether the first lines are a label and pairs of index and value."""
    lines = [line for line in head(path).splitlines()[:20] if line.strip()][:-1] or [head(path)]
    read = [line for line in lines if _LINE.fullmatch(line.strip())]
    return len(read) == len(lines) and any(map(_PAIR.search, lines))


def read_libsvm(path: Path, drop: Collection[str], limits: Limits) -> tuple[list[Column], str, str]:
    """The columns, the name of the data, and the name of the label column.

    Raises:
        DataFileError: a line that is no such row, or more columns than `limits` allows.
    """
    from sklearn.datasets import load_svmlight_file

    try:
        with open_bytes(path, limits) as file:
            rows, labels = load_svmlight_file(file, zero_based="auto", query_id=False)[:2]
    except ValueError as error:
        raise DataFileError(f"is no readable LIBSVM file ({error})", path) from error
    if rows.shape[1] > limits.columns:
        raise DataFileError(f"has {rows.shape[1]:,} columns, more than {limits.columns:,}", path)
    first = 0 if re.search(r"\s0:", head(path, limits)) else 1
    names = [f"x{j + first}" for j in range(rows.shape[1])]
    cells = np.asarray(rows.todense(), dtype=np.float64)
    columns = [Column("class", "numeric", labels)]
    columns += [Column(name, "numeric", cells[:, j]) for j, name in enumerate(names)]
    return [c for c in columns if c.name not in drop], split_suffix(path)[0], "class"

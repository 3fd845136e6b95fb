"""The method `decision_rule` of trees: the path of one row as text.

What
    Each line is a condition that the row meets on its way to a leaf, with the number of training
    rows that meet it, too. The first line is the prediction, the last one the rows of the leaf.
Complexity
    O(depth).
When not to use it
    For all leaves of a tree: `to_rules` and `to_text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._checks import shown
from .._checks.plain_text import one_line
from .._checks.words import counted
from ..exports.answers import figures, number
from ..exports.reading import Reading
from ..exports.tables.html import Lines
from ..exports.words import condition
from ..table import Table


def decision_rule(fitted: Any, row: Any, *, intervals: Any = None) -> str:
    """The path of a row as text: the conditions that it meets, and the rows of its leaf.

    Args:
        row: one row: a mapping or a frame of one row with column names, or a list of cells in
            column order.
        intervals: result of ``model.leaf_intervals()``; the text ends with the leaf's interval.

    Raises:
        ValueError: more than one row, or a row with another number of cells.

    Examples:
        >>> import fasttree
        >>> model = fasttree.fit("weather")
        >>> day = {
        ...     "outlook": "rainy",
        ...     "temperature": "mild",
        ...     "humidity": "high",
        ...     "windy": "TRUE",
        ... }
        >>> print(model.decision_rule(day))
        no, because
          outlook = rainy  (of 14 rows, 5 come here)
          windy = TRUE  (of 5 rows, 2 come here)
        Leaf 6: 2 of 2 training rows are no.
        >>> model = fasttree.FastTreeRegressor().fit([[0.0], [1.0], [2.0]], [3.0, 3.5, 8.0])
        >>> print(model.decision_rule([0.5]))
        3, because
          x0 <= 1.5  (of 3 rows, 2 come here)
          x0 <= 0.5  (of 2 rows, 1 comes here)
        Leaf 2: mean of 1 training row.
    """
    blocks = _encode_row(fitted, row, "decision_rule explains")
    path, answer = _path_in(fitted, blocks), fitted._predictions(fitted._model, blocks, 1)[0]
    reading = Reading(fitted)
    leaves = [node for node in path if not fitted.tree_.n_children[node]]
    cells = [cell for block in blocks for cell in block[0]]
    conditions = _conditions(reading, path, cells, indent_by_depth=len(leaves) > 1)
    # The prediction above the conditions, the leaf below them.
    predicted = "no class" if answer is None else str(answer)
    if reading.predicts_number:
        predicted = figures(float(answer))
    head = f"{predicted}, because" if conditions else f"{predicted}: the tree is one leaf"
    if len(leaves) > 1:
        last = f"A value is missing: {counted(len(leaves), 'leaf')} answer together, weighted by "
        last += "their rows."
    else:
        leaf = leaves[0]
        interval = "" if intervals is None else f"; {intervals.said(leaf)} at level "
        interval += "" if intervals is None else f"{intervals.level:g}"
        last = f"Leaf {leaf}: {reading.answers.reason(leaf)}{interval}."
    return Lines("\n".join(map(one_line, [head, *conditions, last])))


def _conditions(
    reading: Reading, path: list[int], cells: list[Any], *, indent_by_depth: bool
) -> list[str]:
    """One line of text per node of a path below the root: the condition that leads to it.

    Args:
        reading: the tree.
        path: the nodes that the row passes, ascending.
        cells: the encoded cells of the row, one per feature.
        indent_by_depth: for rows that go down several branches; else all lines are indented alike.
    """
    tree, weight = reading.tree, reading.tree.weighted_n_node_samples
    lines = []
    for node in path[1:]:
        parent = int(tree.parent[node])
        subset = reading.shown_sets(parent)[reading.children[parent].index(node)]
        feature = reading.features[reading.feature[parent]]
        test = condition(feature, subset)
        cell = cells[tree.feature[parent]]
        if np.isnan(cell) if cell.dtype.kind == "f" else cell < 0:
            name, share = feature.name, subset.missing
            part = "the row" if share == 1 else f"{100 * share:.3g} % of the row"
            if test != f"{name} is missing":
                test = f"{name} is missing: {part} goes to {test}"
        indent = "  " * (int(tree.depth[node]) if indent_by_depth else 1)
        whole, part = float(weight[parent]), number(float(weight[node]), 2, grouped=True)
        verb = "comes" if reading.answers.weighed or part == "1" else "come"
        lines.append(f"{indent}{test}  (of {reading.answers.amount(whole)}, {part} {verb} here)")
    return lines


def path_of(fitted: Any, row: Any, what: str) -> list[int]:
    """Numbers of the nodes that one row passes, from the root (0) to its leaf, ascending.

    A row with a missing value may pass several nodes of a level (``missing="fractional"``). `what`
    is the subject of the error message for several rows, as in ``"decision_rule explains"``.
    """
    return _path_in(fitted, _encode_row(fitted, row, what))


def _path_in(fitted: Any, blocks: list[np.ndarray]) -> list[int]:
    """Numbers of the nodes that one encoded row goes through, ascending."""
    indptr, nodes = fitted._model.decision_path(blocks, 1)
    return np.asarray(nodes)[indptr[0] : indptr[1]].tolist()


def _encode_row(fitted: Any, row: Any, what: str) -> list[np.ndarray]:
    """One row in any form as blocks for the core; `what` as in `path_of`."""
    blocks, n = fitted._encode(_one_row(row))
    if n != 1:
        example = "X.take([i])" if isinstance(row, Table) else "X[i:i+1]"
        raise ValueError(f"{what} one row, got {n}; pass {example}")
    return blocks


def _one_row(row: Any) -> Any:
    """A row in any form as a table of one row; anything that is no single row is left as it is.

    Raises:
        TypeError: a single value or None.
    """
    if row is None or (np.isscalar(row) and not isinstance(row, str)):
        raise TypeError(
            f"row={shown(row)} must be one row: a mapping of names to cells, a frame of one row "
            "(X[i:i+1]), or a list of cells in the order of the columns"
        )
    if isinstance(row, Mapping):
        return {k: [v] if np.ndim(v) == 0 else v for k, v in row.items()}
    if hasattr(row, "to_frame") and hasattr(row, "index") and np.ndim(row) == 1:  # a pandas row
        return {str(k): [v] for k, v in row.items()}
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return row.reshape(1, -1)
    if isinstance(row, (list, tuple)) and (not row or np.ndim(row[0]) == 0):
        return [list(row)]
    return row
